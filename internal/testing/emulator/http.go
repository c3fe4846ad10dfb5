package emulator

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/poll"
)

// Transport is the API over HTTP, by the clock of the caller. A request takes no time.
type Transport struct {
	API     *API
	Ahead   time.Duration                                           // Of the server's clock.
	Begin   time.Time                                               // What the times of the submissions count from.
	Before  func(*http.Request) (*http.Response, error)             // Handles a request if it returns a response or an error. Nil: not called.
	Spoil   func(id string, listed bool, submission map[string]any) // Changes the JSON of a submission. Nil: not called.
	NoDate  bool
	Twice   bool                    // A page shows each fifth submission twice.
	Account func(key string) string // The id of the key's account. Nil: always the same.

	mu   sync.Mutex
	sent []string
}

// shown returns a time by the server's clock.
func (t *Transport) shown(at time.Duration) time.Time { return t.Begin.Add(at + t.Ahead) }

// Sent returns the paths and queries of the requests so far.
func (t *Transport) Sent() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]string(nil), t.sent...)
}

// RoundTrip serves the submissions, the account and the invitations of assessments, which do not exist.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sent = append(t.sent, r.URL.RequestURI())
	if t.Before != nil {
		if response, err := t.Before(r); response != nil || err != nil {
			return response, err
		}
	}
	path, query := strings.TrimPrefix(r.URL.Path, "/api/v1"), r.URL.Query()
	now := time.Since(t.Begin)
	date := poll.Server(t.API.Date(now))
	switch {
	case path == "/account":
		id := "a0"
		if t.Account != nil {
			id = t.Account(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		}
		return t.Respond(r, 200, poll.Reply{Server: date}, poll.Budget{Left: limit - 1, Limit: limit, Ends: time.Hour}, map[string]any{"id": id}), nil
	case path == "/submissions":
		request := poll.Request{Status: query.Get("status"), Cursor: query.Get("cursor")}
		if since, err := time.Parse(time.RFC3339, query.Get("since")); err == nil {
			request.Since = poll.Server(cmp.Or(since.Sub(t.shown(0)), 1))
		}
		status, reply, window := t.API.Reply(request, now)
		items := []any{}
		for i, it := range reply.Items {
			items = append(items, t.submission(it, true))
			if t.Twice && i%5 == 0 {
				items = append(items, t.submission(it, true))
			}
		}
		return t.Respond(r, status, reply, window, items), nil
	case strings.HasPrefix(path, "/submissions/"):
		status, reply, window := t.API.Reply(poll.Request{ID: strings.ToLower(strings.TrimPrefix(path, "/submissions/"))}, now)
		if len(reply.Items) == 0 {
			return t.Respond(r, status, reply, window, nil), nil
		}
		return t.Respond(r, status, reply, window, t.submission(reply.Items[0], false)), nil
	}
	return t.Respond(r, 404, poll.Reply{Server: date}, poll.Budget{}, nil), nil
}

// submission returns the JSON of a submission.
func (t *Transport) submission(it poll.Item, listed bool) map[string]any {
	at := func(at poll.Server) any {
		if at == 0 {
			return nil
		}
		return t.shown(time.Duration(at)).UTC().Format("2006-01-02T15:04:05.000Z")
	}
	report := map[string]any{"submission_id": it.ID, "status": it.Status, "evaluated": it.Ready, "ship_score": nil}
	if it.Ready {
		report["ship_score"] = 70
	}
	s := map[string]any{
		"id": it.ID, "status": it.Status, "created_at": at(it.Created), "submitted_at": at(it.Submitted), "evaluated_at": at(it.Evaluated), "report": report,
	}
	if t.Spoil != nil {
		t.Spoil(it.ID, listed, s)
	}
	return s
}

// Respond returns a response with a status and the headers of a reply and of a rate limit.
func (t *Transport) Respond(r *http.Request, status int, reply poll.Reply, window poll.Budget, data any) *http.Response {
	meta := map[string]any{"request_id": "req_0e", "has_more": reply.Next != "", "next_cursor": nil}
	if reply.Next != "" {
		meta["next_cursor"] = reply.Next
	}
	body := map[string]any{"data": data, "meta": meta}
	code := map[int]string{400: "INVALID_INPUT", 401: "INVALID_TOKEN", 403: "INSUFFICIENT_SCOPE", 404: "NOT_FOUND", 429: "RATE_LIMITED", 500: "INTERNAL_ERROR"}[status]
	if status != http.StatusOK {
		body = map[string]any{"error": map[string]any{"code": code, "message": "no", "request_id": "req_0e"}}
	}
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // Maps of strings and numbers.
	}
	header := http.Header{
		"Content-Type": {"application/json"}, "X-Request-Id": {"req_0e"}, "Date": {t.shown(time.Duration(reply.Server)).UTC().Format(http.TimeFormat)},
		"X-Ratelimit-Limit": {strconv.Itoa(max(1, window.Limit))}, "X-Ratelimit-Remaining": {strconv.Itoa(window.Left)},
		"X-Ratelimit-Reset": {strconv.FormatInt(t.shown(t.API.reset(time.Since(t.Begin), window)).Unix(), 10)},
	}
	if window.Limit == 0 {
		header.Del("X-Ratelimit-Limit")
	}
	if t.NoDate {
		header.Del("Date")
	}
	if reply.RetryAfter > 0 {
		header.Set("Retry-After", fmt.Sprint(int(reply.RetryAfter.Seconds())))
	}
	if status == http.StatusTooManyRequests {
		header.Set("Retry-After", fmt.Sprint(int(window.Ends.Seconds())+1))
	}
	return &http.Response{
		Status: http.StatusText(status), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(strings.NewReader(string(text))), ContentLength: int64(len(text)), Request: r,
	}
}
