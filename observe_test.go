package hiring_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
)

var quotaHeaders = []string{"X-RateLimit-Limit: 1000", "X-RateLimit-Remaining: 41", "X-RateLimit-Reset: 1800000000", "X-Request-Id: req_7"}

var quotaSaid = hiring.RateLimit{Limit: 1000, Remaining: 41, Reset: time.Unix(1800000000, 0).UTC()}

// slowly answers after a time.
func slowly(d time.Duration, a answer) answer {
	return func(r *http.Request) (*http.Response, error) {
		<-time.After(d)
		return a(r)
	}
}

func TestOneExchangeAnAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newFake(t,
			slowly(time.Second, refuses(503, "INTERNAL_ERROR", append(quotaHeaders, "Retry-After: 5")...)),
			slowly(2*time.Second, breaks(errReset)),
			slowly(3*time.Second, data(thing, quotaHeaders...)))
		type key struct{}
		var seen []hiring.Exchange
		client := fake.client(hiring.WithObserver(func(ctx context.Context, e hiring.Exchange) {
			assert.Equal(t, "caller", ctx.Value(key{}), "the observer gets the caller's context")
			assert.Len(t, fake.requests(), e.Attempt, "before the next attempt")
			seen = append(seen, e)
		}))
		_, err := client.Submissions.Report(context.WithValue(t.Context(), key{}, "caller"), fakeID)
		require.NoError(t, err)
		require.Len(t, seen, 3)
		assert.Equal(t, hiring.ErrInternal, failureOf(t, "attempt 1", seen[0].Err).Code)
		require.ErrorIs(t, seen[1].Err, errReset)
		pause := seen[1].Wait
		assert.Equal(t, fake.pauses()[1], pause+3*time.Second-time.Second, "the pause is the one that was made")
		for i := range seen {
			assert.Equal(t, fake.requests()[i].At, seen[i].Started)
			seen[i].Err, seen[i].Started = nil, time.Time{}
		}
		e := hiring.Exchange{Operation: "Submissions.Report", Method: "GET", Route: "/submissions/{id}/report", Server: "hiring.example.com:443"}
		first, second, third := e, e, e
		first.Status, first.RequestID, first.Attempt, first.Duration, first.RateLimit, first.Wait = 503, "req_7", 1, time.Second, quotaSaid, 5*time.Second
		second.Attempt, second.Duration, second.Wait = 2, 2*time.Second, pause
		third.Status, third.RequestID, third.Attempt, third.Duration, third.RateLimit = 200, "req_7", 3, 3*time.Second, quotaSaid
		assert.Equal(t, []hiring.Exchange{first, second, third}, seen)
	})
}

func TestWithResponseCapturesTheLastAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		body := `{"data":{"id":"x"},"meta":{}}`
		fake := newFake(t, says(500, "first"), says(200, body, append(quotaHeaders, "X-New: 1")...), refuses(404, "NOT_FOUND"), breaks(errReset))
		client := fake.client(once)
		patient := fake.client()
		var r hiring.Response
		ctx := hiring.WithResponse(t.Context(), &r)
		_, err := patient.Account.Get(ctx)
		require.NoError(t, err)
		assert.Equal(t, [4]any{200, "req_7", 2, body}, [4]any{r.StatusCode, r.RequestID, r.Attempts, string(r.Body)})
		assert.Equal(t, quotaSaid, r.RateLimit)
		assert.Equal(t, "1", r.Header.Get("X-New"))

		_, err = client.Account.Get(ctx)
		require.Error(t, err)
		assert.Equal(t, [2]any{404, 1}, [2]any{r.StatusCode, r.Attempts}, "also of a call that fails")
		assert.Contains(t, string(r.Body), "NOT_FOUND")
		assert.Zero(t, r.RateLimit, "nothing is left of the call before")

		_, err = client.Account.Get(ctx)
		require.Error(t, err)
		assert.Equal(t, hiring.Response{Attempts: 1}, r, "no reply")

		r = hiring.Response{}
		_, err = client.Account.Get(hiring.WithResponse(ctx, nil))
		require.Error(t, err)
		assert.Zero(t, r, "an inner nil captures nothing")
	})
}

func TestCapturedHeadersAreACopy(t *testing.T) {
	header := http.Header{"X-Echo": {fakeKey}}
	plain := newFake(t, func(r *http.Request) (*http.Response, error) {
		resp, err := data(thing)(r)
		resp.Header = header
		return resp, err
	})
	_, err := plain.client().Account.Get(hiring.WithResponse(t.Context(), new(hiring.Response)))
	require.NoError(t, err)
	assert.Equal(t, fakeKey, header.Get("X-Echo"), "what the transport may share is not changed")

	var shared *http.Response
	fake := newFake(t, func(r *http.Request) (*http.Response, error) {
		resp, err := data(thing, "X-Echo: "+fakeKey, "Location: /x")(r)
		shared = resp
		return resp, err
	})
	var r hiring.Response
	_, err = fake.client().Account.Get(hiring.WithResponse(t.Context(), &r))
	require.NoError(t, err)
	assert.Equal(t, "[redacted]", r.Header.Get("X-Echo"))
	assert.Equal(t, "/x", r.Header.Get("Location"), "captured as it came")
	r.Header.Set("X-Echo", "changed")
	assert.NotEqual(t, "changed", shared.Header.Get("X-Echo"))
}

func TestLogger(t *testing.T) {
	const secret = "jane.roe"
	for _, c := range []struct {
		name    string
		answers []answer
		want    []string // Level and message of each line.
		code    string   // Of the first line.
		cause   string   // Of the last.
	}{
		{"success", []answer{data(`{"name":"`+secret+`"}`, quotaHeaders...)}, []string{"DEBUG hiring: call"}, "", ""},
		{"failure", []answer{says(404, `{"error":{"code":"NOT_FOUND","message":"no `+secret+`"}}`, quotaHeaders...)}, []string{"WARN hiring: call failed"}, "NOT_FOUND", ""},
		{"undocumented code", []answer{says(409, `{"error":{"code":"TAKEN_BY_`+secret+`","message":"no"}}`, quotaHeaders...)}, []string{"WARN hiring: call failed"}, "", ""},
		{"repeated", []answer{says(503, secret), data(thing)}, []string{"INFO hiring: call will be repeated", "DEBUG hiring: call"}, "", ""},
		{"gives up", []answer{breaks(syscall.ECONNRESET)}, []string{
			"INFO hiring: call will be repeated", "INFO hiring: call will be repeated", "INFO hiring: call will be repeated", "WARN hiring: call failed"}, "", "connection reset"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			handler := slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})
			client := newFake(t, c.answers...).client(hiring.WithLogger(slog.New(handler)))
			_, _ = client.Do(t.Context(), "DELETE", "/people/"+fakeID, map[string][]string{"q": {secret}}, map[string]string{"name": secret}, nil)
			var got []string
			for line := range strings.Lines(log.String()) {
				var entry map[string]any
				require.NoError(t, json.Unmarshal([]byte(line), &entry))
				got = append(got, entry["level"].(string)+" "+entry["msg"].(string))
				for name, want := range map[string]any{"operation": "Do", "method": "DELETE", "route": "/people/{id}", "attempt": float64(len(got))} {
					assert.Equal(t, want, entry[name], "%s: %s of line %d", c.name, name, len(got))
				}
				_, waits := entry["wait"]
				assert.Equal(t, strings.Contains(line, "repeated"), waits, "%s: %s", c.name, line)
				if len(got) == 1 && c.code != "" {
					assert.Equal(t, [3]any{c.code, float64(404), "req_7"}, [3]any{entry["code"], entry["status"], entry["request_id"]}, "%s", c.name)
				}
				if c.cause != "" {
					assert.Equal(t, c.cause, entry["cause"], "%s", c.name)
				} else {
					assert.NotContains(t, entry, "cause", "%s", c.name)
				}
				_, coded := entry["code"]
				assert.Equal(t, c.code != "", coded, "%s: %s", c.name, line)
			}
			assert.Equal(t, c.want, got, "%s", c.name)
			for _, private := range []string{secret, fakeID, fakeKey, "https://"} {
				assert.NotContains(t, log.String(), private, "%s", c.name)
			}
		})
	}
}

func TestLoggerAsksTheLevelFirst(t *testing.T) {
	var log bytes.Buffer
	client := newFake(t, data(thing), refuses(404, "NOT_FOUND")).client(hiring.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	_, err := client.Account.Get(t.Context())
	require.NoError(t, err)
	assert.Empty(t, log.String(), "a success is for debugging")
	_, err = client.Account.Get(t.Context())
	require.Error(t, err)
	assert.Contains(t, log.String(), "level=WARN")
}

func TestWarningOfAnOddPageSizeIsLogged(t *testing.T) {
	var log bytes.Buffer
	var warning string
	client := newFake(t, says(200, `{"data":[{"id":"1"}],"meta":{"page":1,"page_size":20,"total":1,"has_more":false}}`)).client(
		hiring.WithLogger(slog.New(slog.NewTextHandler(&log, nil))),
		hiring.WithObserver(func(_ context.Context, e hiring.Exchange) { warning = e.Warning }))
	_, err := client.Invitations.List("a").Collect(t.Context())
	require.NoError(t, err)
	assert.Contains(t, warning, "Dialect.PageSizeParam")
	assert.Contains(t, log.String(), "answered unlike asked")
	assert.Contains(t, log.String(), "Dialect.PageSizeParam")
}

func TestRouteOfDoNamesNobody(t *testing.T) {
	for path, want := range map[string]struct{ route, url string }{
		"/account":                        {"/account", "/account"},
		"account/usage":                   {"/account/usage", "/account/usage"},
		"/openapi.json":                   {"/openapi.json", "/openapi.json"},
		"/bulk-invites/re_send":           {"/bulk-invites/re_send", "/bulk-invites/re_send"},
		"/submissions/" + fakeID + "/pdf": {"/submissions/{id}/pdf", "/submissions/" + fakeID + "/pdf"},
		"/people/Jane/7":                  {"/people/{id}/{id}", "/people/Jane/7"},
		"/people/jo@example.com":          {"/people/{id}", "/people/jo@example.com"},
		"/people/a%2Fb":                   {"/people/{id}", "/people/a%2Fb"},
		"/people/a%20b":                   {"/people/{id}", "/people/a%20b"},
		"/people/a b":                     {"/people/{id}", "/people/a%20b"},
		"/people/%252e":                   {"/people/{id}", "/people/%252e"},
		"/people/é":                       {"/people/{id}", "/people/%C3%A9"},
		"/" + strings.Repeat("a", 32):     {"/" + strings.Repeat("a", 32), "/" + strings.Repeat("a", 32)},
		"/" + strings.Repeat("a", 33):     {"/{id}", "/" + strings.Repeat("a", 33)},
	} {
		fake := newFake(t, refuses(404, "NOT_FOUND"))
		var route string
		client := fake.client(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) { route = e.Route }))
		_, err := client.Do(t.Context(), "GET", path, nil, nil, nil)
		assert.Equal(t, want.route, route, "Exchange of %s", path)
		assert.Equal(t, want.route, failureOf(t, path, err).Route, "Error of %s", path)
		assert.Equal(t, fakeURL+"/api/v1"+want.url, fake.requests()[0].URL, "URL of %s", path)
	}
}

func TestDo(t *testing.T) {
	fake := newFake(t, says(200, `{"data":{"id":"x","new":1},"meta":{"request_id":"req_1","page":2,"page_size":3,"total":4,"has_more":true,"next_cursor":"c"}}`))
	want := hiring.Meta{RequestID: "req_1", Page: 2, PageSize: 3, Total: 4, HasMore: true, NextCursor: "c"}
	client := fake.client()
	var account hiring.Account
	meta, err := client.Do(t.Context(), "GET", "/x", map[string][]string{"b": {"2"}, "a": {"1&1"}}, nil, &account)
	require.NoError(t, err)
	assert.Equal(t, want, meta)
	assert.Equal(t, "x", account.ID)
	assert.Equal(t, "1", string(account.Extra["new"]))
	assert.Equal(t, fakeURL+"/api/v1/x?a=1%261&b=2", fake.requests()[0].URL)
	assert.Empty(t, fake.requests()[0].Body)

	var raw json.RawMessage
	_, err = client.Do(t.Context(), "GET", "/x", nil, nil, &raw)
	require.NoError(t, err)
	assert.JSONEq(t, `{"id":"x","new":1}`, string(raw))

	meta, err = client.Do(t.Context(), "POST", "/x", nil, json.RawMessage(`{"z":1,"a":[1]}`), nil)
	require.NoError(t, err)
	assert.Equal(t, want, meta, "meta is there without out, too")
	assert.JSONEq(t, `{"z":1,"a":[1]}`, fake.requests()[2].Body)

	var wrong struct{ ID int }
	_, err = client.Do(t.Context(), "GET", "/x", nil, nil, &struct {
		ID *int `json:"id"`
	}{})
	require.ErrorContains(t, err, "/id has a string instead of a whole number")
	assert.Zero(t, wrong)
}

func TestDoWithoutOutTakesAnySuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, reply := range map[string]answer{
			"empty": says(204, "", signed), "text": says(200, `"done"`, signed), "no data": says(200, `{"meta":{"request_id":"req_1"}}`),
			"cut": cuts(200, `{"data"`, errReset), "stalled": stalls(200, `{"da`, signed),
		} {
			fake := newFake(t, reply)
			_, err := fake.client().Do(t.Context(), "POST", "/x", nil, nil, nil)
			require.NoError(t, err, "%s", name)
			assert.Len(t, fake.requests(), 1, "%s", name)
		}
	})
}

func TestOpenAPI(t *testing.T) {
	const document = `{"openapi":"3.1.0", "info":{}}`
	fake := newFake(t, says(200, document), says(200, strings.ToUpper(document), signed))
	client := fake.client()
	got, err := client.OpenAPI(t.Context())
	require.NoError(t, err)
	_, err = client.OpenAPI(t.Context())
	require.NoError(t, err)
	assert.JSONEq(t, document, string(got))
	assert.Len(t, got, len(document), "it is kept as it came")
	_, err = newFake(t, says(200, "<html>")).client().OpenAPI(t.Context())
	require.ErrorContains(t, err, "not the service's own: <html>")
	_, err = newFake(t, says(200, `{"swagger":"2.0"}`)).client().OpenAPI(t.Context())
	require.ErrorContains(t, err, "not the service's")
	_, err = newFake(t, refuses(403, "INSUFFICIENT_SCOPE")).client().OpenAPI(t.Context())
	require.ErrorIs(t, err, hiring.ErrInsufficientScope)
}

func TestDoTakesWhatEncodingJSONUsersWrite(t *testing.T) {
	fake := newFake(t, says(200, `{"data":{"name":"n","count":3},"meta":{}}`))
	var out struct {
		Name  string
		Count int
	}
	_, err := fake.client().Do(t.Context(), http.MethodPost, "/x", nil, map[string]any{"n": json.Number("5.10")}, &out)
	require.NoError(t, err)
	assert.Equal(t, "n", out.Name)
	assert.Equal(t, 3, out.Count)
	assert.JSONEq(t, `{"n":5.10}`, fake.requests()[0].Body)
	assert.Contains(t, fake.requests()[0].Body, "5.10", "digits are not the client's to change")
}
