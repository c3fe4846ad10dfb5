package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/defaults"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

var quotaSaid = hiring.RateLimit{Limit: 1000, Remaining: 41, Reset: time.Unix(1800000000, 0).UTC()}

// slowly responds after a delay.
func slowly(d time.Duration, a apitest.Responder) apitest.Responder {
	return func(r *http.Request) (*http.Response, error) {
		<-time.After(d)
		return a(r)
	}
}

func TestOneExchangeAnAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewScriptedServer(t,
			slowly(time.Second, apitest.RespondError(503, "INTERNAL_ERROR", append(apitest.RateLimitHeaders, "Retry-After: 5")...)),
			slowly(2*time.Second, apitest.Fail(apitest.ErrReset)),
			slowly(3*time.Second, apitest.RespondData(apitest.Resource, apitest.RateLimitHeaders...)))
		type key struct{}
		var seen []hiring.Exchange
		client := fake.Client(hiring.WithObserver(func(ctx context.Context, e hiring.Exchange) {
			assert.Equal(t, "caller", ctx.Value(key{}), "the observer gets the caller's context")
			assert.Len(t, fake.Requests(), e.Attempt, "before the next attempt")
			seen = append(seen, e)
		}))
		_, err := client.Submissions.Report(context.WithValue(t.Context(), key{}, "caller"), apitest.ID)
		require.NoError(t, err)
		require.Len(t, seen, 3)
		assert.Equal(t, hiring.ErrInternal, apitest.RequireError(t, "attempt 1", seen[0].Err).Code)
		require.ErrorIs(t, seen[1].Err, apitest.ErrReset)
		pause := seen[1].Wait
		assert.Equal(t, fake.Pauses()[1], pause+3*time.Second-time.Second, "the pause is the one that was made")
		for i := range seen {
			assert.Equal(t, fake.Requests()[i].At, seen[i].Started)
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
		fake := apitest.NewScriptedServer(t, apitest.Respond(500, "first"), apitest.Respond(200, body, append(apitest.RateLimitHeaders, "X-New: 1")...), apitest.RespondError(404, "NOT_FOUND"), apitest.Fail(apitest.ErrReset))
		client := fake.Client(apitest.NoRetry)
		patient := fake.Client()
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
		assert.Equal(t, hiring.Response{Attempts: 1}, r, "no response")

		_, err = client.Submissions.Get(ctx, "")
		require.Error(t, err)
		assert.Zero(t, r, "nothing was sent")
		_, err = client.Account.Get(hiring.WithResponse(ctx, nil))
		require.Error(t, err)
		assert.Zero(t, r, "an inner nil captures nothing")
	})
}

func TestCapturedHeadersAreACopy(t *testing.T) {
	header := http.Header{"X-Echo": {apitest.Key}}
	fake := apitest.NewScriptedServer(t, func(r *http.Request) (*http.Response, error) {
		resp, err := apitest.RespondData(apitest.Resource)(r)
		resp.Header = header
		return resp, err
	})
	_, err := fake.Client().Account.Get(hiring.WithResponse(t.Context(), new(hiring.Response)))
	require.NoError(t, err)
	assert.Equal(t, apitest.Key, header.Get("X-Echo"), "what the transport may share is not changed")
}

func TestLogger(t *testing.T) {
	const secret = "jane.roe"
	for _, c := range []struct {
		name    string
		answers []apitest.Responder
		want    []string // Level and message of each line.
		code    string   // Of the first line.
		cause   string   // Of the last.
	}{
		{"success", []apitest.Responder{apitest.RespondData(`{"name":"`+secret+`"}`, apitest.RateLimitHeaders...)}, []string{"DEBUG hiring: call"}, "", ""},
		{"failure", []apitest.Responder{apitest.Respond(404, `{"error":{"code":"NOT_FOUND","message":"no `+secret+`"}}`, apitest.RateLimitHeaders...)}, []string{"WARN hiring: call failed"}, "NOT_FOUND", ""},
		{"undocumented code", []apitest.Responder{apitest.Respond(409, `{"error":{"code":"TAKEN_BY_`+secret+`","message":"no"}}`, apitest.RateLimitHeaders...)}, []string{"WARN hiring: call failed"}, "", ""},
		{"repeated", []apitest.Responder{apitest.Respond(503, secret), apitest.RespondData(apitest.Resource)}, []string{"INFO hiring: call will be retried", "DEBUG hiring: call"}, "", ""},
		{"gives up", []apitest.Responder{apitest.Fail(syscall.ECONNRESET)},
			append(slices.Repeat([]string{"INFO hiring: call will be retried"}, allAttempts-1), "WARN hiring: call failed"), "", "connection reset"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			handler := slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})
			client := apitest.NewScriptedServer(t, c.answers...).Client(hiring.WithLogger(slog.New(handler)))
			_, _ = client.Do(t.Context(), "DELETE", "/people/"+apitest.ID, map[string][]string{"q": {secret}}, map[string]string{"name": secret}, nil)
			var got []string
			for line := range strings.Lines(log.String()) {
				var entry map[string]any
				require.NoError(t, json.Unmarshal([]byte(line), &entry))
				got = append(got, entry["level"].(string)+" "+entry["msg"].(string))
				for name, want := range map[string]any{"operation": "Do", "method": "DELETE", "route": "/{id}/{id}", "attempt": float64(len(got))} {
					assert.Equal(t, want, entry[name], "%s: %s of line %d", c.name, name, len(got))
				}
				_, waits := entry["wait"]
				assert.Equal(t, strings.Contains(line, "retried"), waits, "%s: %s", c.name, line)
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
				_, limited := entry["rate_remaining"]
				assert.Equal(t, strings.Contains(line, "req_7"), limited && entry["rate_limit"] == 1000.0 && entry["rate_remaining"] == 41.0, "%s: a response without headers shows none: %s", c.name, line)
			}
			assert.Equal(t, c.want, got, "%s", c.name)
			for _, private := range []string{secret, apitest.ID, apitest.Key, "https://"} {
				assert.NotContains(t, log.String(), private, "%s", c.name)
			}
		})
	}
}

func TestLoggerChecksTheLevelFirst(t *testing.T) {
	var log bytes.Buffer
	client := apitest.NewScriptedServer(t, apitest.RespondData(apitest.Resource), apitest.RespondError(404, "NOT_FOUND")).Client(hiring.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	_, err := client.Account.Get(t.Context())
	require.NoError(t, err)
	assert.Empty(t, log.String(), "a success is for debugging")
	_, err = client.Account.Get(t.Context())
	require.Error(t, err)
	assert.Contains(t, log.String(), "level=WARN")
}

func TestWarningOfAnUnexpectedPageSizeIsLogged(t *testing.T) {
	var log bytes.Buffer
	var warning string
	client := apitest.NewScriptedServer(t, apitest.Respond(200, `{"data":[{"id":"1"}],"meta":{"page":1,"has_more":true}}`)).Client(
		hiring.WithLogger(slog.New(slog.NewTextHandler(&log, nil))),
		hiring.WithObserver(func(_ context.Context, e hiring.Exchange) { warning = e.Warning }))
	_, err := client.Invitations.List("a").Page(t.Context())
	require.NoError(t, err)
	assert.Contains(t, warning, "Dialect.PageSizeParam")
	assert.Contains(t, log.String(), "succeeded with a warning")
	assert.Contains(t, log.String(), "Dialect.PageSizeParam")
}

func TestRouteOfDoContainsNoIDs(t *testing.T) {
	for path, want := range map[string]struct{ route, url string }{
		"/account":                            {"/account", "/account"},
		"account/usage":                       {"/account/{id}", "/account/usage"},
		"/openapi.json":                       {"/openapi.json", "/openapi.json"},
		"/submissions/" + apitest.ID + "/pdf": {"/submissions/{id}/{id}", "/submissions/" + apitest.ID + "/pdf"},
		"/challenges/ada-lovelace/no-such":    {"/challenges/{id}/{id}", "/challenges/ada-lovelace/no-such"},
		"/assessments/a/invitations/b/resend": {"/assessments/{id}/invitations/{id}/resend", "/assessments/a/invitations/b/resend"},
		"/people/a%2Fb":                       {"/{id}/{id}", "/people/a%2Fb"},
		"/people/a b":                         {"/{id}/{id}", "/people/a%20b"},
		"/people/%252e":                       {"/{id}/{id}", "/people/%252e"},
		"/people/é":                           {"/{id}/{id}", "/people/%C3%A9"},
	} {
		fake := apitest.NewScriptedServer(t, apitest.RespondError(404, "NOT_FOUND"))
		var route string
		client := fake.Client(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) { route = e.Route }))
		_, err := client.Do(t.Context(), "GET", path, nil, nil, nil)
		assert.Equal(t, want.route, route, "Exchange of %s", path)
		assert.Equal(t, want.route, apitest.RequireError(t, path, err).Route, "Error of %s", path)
		assert.Equal(t, apitest.BaseURL+"/api/v1"+want.url, fake.Requests()[0].URL, "URL of %s", path)
	}
}

func TestDo(t *testing.T) {
	fake := apitest.NewScriptedServer(t, apitest.Respond(200, `{"data":{"id":"x","new":1},"meta":{"request_id":"req_1","page":2,"page_size":3,"total":4,"has_more":true,"next_cursor":"c"}}`))
	want := hiring.Meta{RequestID: "req_1", Page: 2, PageSize: 3, Total: 4, HasMore: true, NextCursor: "c"}
	client := fake.Client()
	var account hiring.Account
	meta, err := client.Do(t.Context(), "GET", "/x", map[string][]string{"b": {"2"}, "a": {"1&1"}}, nil, &account)
	require.NoError(t, err)
	assert.Equal(t, want, meta)
	assert.Equal(t, "x", account.ID)
	assert.Equal(t, "1", string(account.Extra["new"]))
	assert.Equal(t, apitest.BaseURL+"/api/v1/x?a=1%261&b=2", fake.Requests()[0].URL)
	assert.Empty(t, fake.Requests()[0].Body)

	var raw json.RawMessage
	_, err = client.Do(t.Context(), "GET", "/x", nil, nil, &raw)
	require.NoError(t, err)
	assert.JSONEq(t, `{"id":"x","new":1}`, string(raw))

	meta, err = client.Do(t.Context(), "POST", "/x", nil, json.RawMessage(`{"z":1,"a":[1]}`), nil)
	require.NoError(t, err)
	assert.Equal(t, want, meta, "meta is there without out, too")
	assert.JSONEq(t, `{"z":1,"a":[1]}`, fake.Requests()[2].Body)

	var wrong struct{ ID int }
	_, err = client.Do(t.Context(), "GET", "/x", nil, nil, &struct {
		ID *int `json:"id"`
	}{})
	require.ErrorContains(t, err, "/id has a string that does not fit the Go type int")
	assert.Zero(t, wrong)
}

func TestDoWithoutOutTakesAnySuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, reply := range map[string]apitest.Responder{
			"empty": apitest.Respond(204, "", apitest.RequestIDHeader), "no data": apitest.Respond(200, `{"meta":{"request_id":"req_1"}}`),
			"cut": apitest.Truncate(200, `{"data"`, apitest.ErrReset), "stalled": apitest.Stall(200, `{"data":`),
		} {
			fake := apitest.NewScriptedServer(t, reply)
			meta, err := fake.Client().Do(t.Context(), "POST", "/x", nil, nil, nil)
			require.NoError(t, err, "%s", name)
			if name == "no data" {
				assert.Equal(t, "req_1", meta.RequestID)
			}
			assert.Len(t, fake.Requests(), 1, "%s", name)
		}
	})
}

func TestDoReturnsNoMetaThatItCouldNotDecode(t *testing.T) {
	for _, out := range []any{nil, new(map[string]any)} {
		fake := apitest.NewScriptedServer(t, apitest.Respond(200, `{"data":{},"meta":{"request_id":"req_1","total":7,"page":"x"}}`, apitest.RequestIDHeader))
		meta, err := fake.Client().Do(t.Context(), "GET", "/x", nil, nil, out)
		assert.Equal(t, out != nil, err != nil)
		assert.Zero(t, meta)
	}
}

func TestOpenAPI(t *testing.T) {
	const document = `{"openapi":"3.1.0", "info":{}}`
	fake := apitest.NewScriptedServer(t, apitest.Respond(200, document))
	client := fake.Client()
	got, err := client.OpenAPI(t.Context())
	require.NoError(t, err)
	assert.JSONEq(t, document, string(got))
	assert.Len(t, got, len(document), "it is kept as it came")
	_, err = apitest.NewScriptedServer(t, apitest.Respond(200, document)).Client().Do(t.Context(), http.MethodGet, "/openapi.json", nil, nil, nil)
	require.NoError(t, err, "without an envelope by Do too")
	got, err = apitest.NewScriptedServer(t, apitest.RespondData(`{"openapi":"3.1.0"}`)).Client().OpenAPI(t.Context())
	require.NoError(t, err)
	assert.JSONEq(t, `{"openapi":"3.1.0"}`, string(got), "out of an envelope")
	got, err = apitest.NewScriptedServer(t, apitest.Respond(200, `{"openapi":"3.1.0","data":{}}`)).Client().OpenAPI(t.Context())
	require.NoError(t, err)
	assert.JSONEq(t, `{"openapi":"3.1.0","data":{}}`, string(got), "not an envelope")
	for _, other := range []string{`{"meta":{}}`, `{"data":null}`, `{"data":[]}`, `{"data":{}}`, `null`, `[]`, `{"openapi":3}`, `{"data":{"openapi":null}}`, `{"openapi":null}`} {
		document, err := apitest.NewScriptedServer(t, apitest.Respond(200, other)).Client().OpenAPI(t.Context())
		require.Error(t, err, other)
		assert.Nil(t, document, other)
	}
	_, err = apitest.NewScriptedServer(t, apitest.Respond(200, "<html>")).Client().OpenAPI(t.Context())
	require.ErrorContains(t, err, "not from the API: <html>")
	_, err = apitest.NewScriptedServer(t, apitest.Respond(200, `{"swagger":"2.0"}`)).Client().OpenAPI(t.Context())
	require.ErrorContains(t, err, "not the API's")
	_, err = apitest.NewScriptedServer(t, apitest.RespondError(403, "INSUFFICIENT_SCOPE")).Client().OpenAPI(t.Context())
	require.ErrorIs(t, err, hiring.ErrInsufficientScope)
}

func TestDoAcceptsEncodingJSONTypes(t *testing.T) {
	fake := apitest.NewScriptedServer(t, apitest.Respond(200, `{"data":{"name":"n","count":3},"meta":{}}`))
	var out struct {
		Name  string
		Count int
	}
	_, err := fake.Client().Do(t.Context(), http.MethodPost, "/x", nil, map[string]any{"n": json.Number("5.10")}, &out)
	require.NoError(t, err)
	assert.Equal(t, "n", out.Name)
	assert.Equal(t, 3, out.Count)
	assert.JSONEq(t, `{"n":5.10}`, fake.Requests()[0].Body)
	assert.Contains(t, fake.Requests()[0].Body, "5.10", "digits are not the client's to change")
}

// TestWaitsOfACallInAnObserverAreLogged makes a call of another client with the context of
// the observer.
func TestWaitsOfACallInAnObserverAreLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		inner := apitest.NewScriptedServer(t, apitest.RateLimit{Limit: 1000, Left: 20 * time.Second}.With(apitest.RespondResource), apitest.RespondResource()).Client(
			hiring.WithLogger(slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelInfo}))))
		var pauses []string
		outer := apitest.NewScriptedServer(t, apitest.RespondData(apitest.Resource)).Client(
			hiring.WithTrace(hiring.Trace{Pause: func(_ context.Context, p hiring.TracePause) { pauses = append(pauses, p.Operation) }}),
			hiring.WithObserver(func(ctx context.Context, _ hiring.Exchange) {
				for range 2 { // The second waits for the next window.
					_, err := inner.Account.Get(ctx)
					assert.NoError(t, err)
				}
			}))
		_, err := outer.Account.Get(t.Context())
		require.NoError(t, err)
		assert.Contains(t, log.String(), "hiring: waiting")
		assert.Empty(t, pauses, "the outer client does not wait")
	})
}

func quietLog() *log.Logger { return log.New(io.Discard, "", 0) }

// allAttempts are the attempts of a call that is retried until none is left, by default.
const allAttempts = defaults.MaxAttempts
