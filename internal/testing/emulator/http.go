package emulator

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Transport sends requests to the emulated API by the clock of the caller, with
// a delay for each exchange. One request is served at a time.
func (s *Service) Transport(delay time.Duration) http.RoundTripper {
	return &transport{service: s, delay: delay}
}

type transport struct {
	service *Service
	delay   time.Duration
	mu      sync.Mutex
}

const stamp = "2006-01-02T15:04:05.000Z"

// RoundTrip serves the submissions and the account.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	reply, data := t.serve(time.Now(), strings.TrimPrefix(r.URL.Path, "/api/v1"), r.URL.Query())
	select {
	case <-time.After(t.delay):
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	if reply.Status == 0 {
		return nil, io.ErrUnexpectedEOF
	}
	return answer(r, &reply, data), nil
}

func (t *transport) serve(now time.Time, path string, query url.Values) (reply Response, data any) {
	id, rest, _ := strings.Cut(strings.TrimPrefix(path, "/submissions/"), "/")
	switch path {
	case "/account":
		reply, _ = t.service.admit(now)
		data = map[string]any{"id": "00000000-0000-4000-8000-00000000acc0"}
	case "/submissions":
		since, err := time.Parse(time.RFC3339, query.Get("since"))
		reply = t.service.List(now, query.Get("status"), since, query.Get("cursor"))
		if err != nil && query.Has("since") {
			reply.Status = http.StatusBadRequest
		}
		list := make([]any, len(reply.Items))
		for i := range reply.Items {
			list[i] = t.service.whole(now, &reply.Items[i], true)
		}
		data = list
	default:
		reply = t.service.Get(now, id)
		if len(reply.Items) == 1 {
			data = t.service.whole(now, &reply.Items[0], false)
			if rest == "report" {
				data = report(&reply.Items[0])
			}
		}
	}
	return reply, data
}

func answer(r *http.Request, reply *Response, data any) *http.Response {
	const request = "req_0e"
	meta := map[string]any{"request_id": request, "has_more": reply.Cursor != "", "next_cursor": nil}
	if reply.Cursor != "" {
		meta["next_cursor"] = reply.Cursor
	}
	body := map[string]any{"data": data, "meta": meta}
	if reply.Status != http.StatusOK {
		code := map[int]string{400: "INVALID_INPUT", 404: "NOT_FOUND", 429: "RATE_LIMITED", 500: "INTERNAL_ERROR"}[reply.Status]
		body = map[string]any{"error": map[string]any{"code": code, "message": "no", "request_id": request}}
	}
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // Maps of strings and numbers.
	}
	header := http.Header{
		"Content-Type": {"application/json"}, "X-Request-Id": {request}, "Date": {reply.Date.UTC().Format(http.TimeFormat)},
		"X-Ratelimit-Limit": {strconv.Itoa(reply.Limit)}, "X-Ratelimit-Remaining": {strconv.Itoa(reply.Remaining)},
		"X-Ratelimit-Reset": {strconv.FormatInt(reply.Reset.Unix(), 10)},
	}
	if reply.Status == http.StatusTooManyRequests {
		header.Set("Retry-After", fmt.Sprint(int(reply.Reset.Sub(reply.Date).Seconds())+1))
	}
	return &http.Response{
		Status: http.StatusText(reply.Status), StatusCode: reply.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: io.NopCloser(strings.NewReader(string(text))), ContentLength: int64(len(text)), Request: r,
	}
}

// whole is a submission as JSON.
func (s *Service) whole(now time.Time, row *Row, listed bool) map[string]any {
	at := func(t time.Time) any {
		if t.IsZero() {
			return nil
		}
		return t.UTC().Format(stamp)
	}
	m := map[string]any{
		"id": row.ID, "status": row.State, "created_at": at(row.Created), "started_at": at(row.Created),
		"submitted_at": at(row.Submitted), "evaluated_at": at(row.Evaluated), "report": report(row),
	}
	if s.Bare {
		m["report"] = nil
	}
	if s.Spoil != nil {
		s.Spoil(now, listed, row.ID, m)
	}
	return m
}

func report(row *Row) map[string]any {
	r := map[string]any{"submission_id": row.ID, "status": row.State, "evaluated": row.Ready, "ship_score": nil}
	if row.Ready {
		r["ship_score"] = 70
	}
	return r
}
