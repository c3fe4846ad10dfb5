package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

// awkward matches punctuation that no sentence has.
var awkward = regexp.MustCompile(`[.,;:][,;:]|[.,;:]\)|\. \(|  |: *$|: : |%!|\b1 \w+s\b`)

func errorBody(message, details string) string {
	return `{"error":{"code":"INVALID_INPUT","message":"` + message + `","details":` + details + `}}`
}

func TestErrorTexts(t *testing.T) {
	const request = "X-Request-Id: req_7"
	account := func(c *hiring.Client) error { return apitest.ErrorOf(c.Account.Get(t.Context())) }
	report := func(c *hiring.Client) error { return apitest.ErrorOf(c.Submissions.Report(t.Context(), "x")) }
	send := func(c *hiring.Client) error {
		return apitest.ErrorOf(c.Invitations.Send(t.Context(), "a", hiring.NewInvitation{Email: "ada@x", Name: "Ada"}))
	}
	noneMade := hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 2, BaseBackoff: 1})
	texts := map[string]struct {
		call   func(*hiring.Client) error
		answer apitest.Responder
		opts   []hiring.Option
		want   string
	}{
		"400": {send, apitest.Respond(400, errorBody("The request is not valid.", `{"formErrors":["No."],"fieldErrors":{"name":["Too long.","Odd;"],"candidate_email":["Not an address."]}}`), request), nil,
			"hiring: Invitations.Send: 400 INVALID_INPUT: The request is not valid (No; candidate_email: Not an address; name: Too long, Odd)" +
				" (request req_7): if an assumed name is wrong, correct Dialect.InvitationEmail or Dialect.InvitationName"},
		"400 of a value": {send, apitest.Respond(400, errorBody("m", `{"fieldErrors":{"candidate_email":["Not an address."],"candidate_name":[]}}`)), nil,
			"hiring: Invitations.Send: 400 INVALID_INPUT: m (candidate_email: Not an address; candidate_name): " +
				"if an assumed name is wrong, correct Dialect.InvitationEmail or Dialect.InvitationName"},
		"400 without words": {account, apitest.Respond(400, errorBody("", `null`)), nil, "hiring: Account.Get: 400 INVALID_INPUT"},
		"401": {account, apitest.Respond(401, `{"error":{"code":"INVALID_TOKEN","message":"Invalid API key."}}`, request), nil,
			"hiring: Account.Get: 401 INVALID_TOKEN: Invalid API key (request req_7): hiring.example.com refused the key sk_test_…: " +
				"check it for expiry and revocation, or make another in the dashboard"},
		"404 of a route without ids": {account, apitest.Respond(404, `{"error":{"code":"NOT_FOUND","message":"Not found."}}`), nil,
			"hiring: Account.Get: 404 NOT_FOUND: Not found: the path has no id: check the base URL"},
		"404 of a guessed route without ids": {
			func(c *hiring.Client) error { return apitest.ErrorOf(c.Challenges.List().Page(t.Context())) }, apitest.Respond(404, ""), nil,
			"hiring: Challenges.List: 404 the response is empty and not from the API: the path has no id: check the base URL, or correct Dialect.ListChallenges",
		},
		"404 of Do": {func(c *hiring.Client) error { return apitest.ErrorOf(c.Do(t.Context(), "GET", "/x", nil, nil, nil)) }, apitest.RespondError(404, "NOT_FOUND"), nil,
			"hiring: Do: 404 NOT_FOUND: said the API (request req_0e)"},
		"404 of an id": {report, apitest.RespondError(404, "NOT_FOUND"), nil, "hiring: Submissions.Report: 404 NOT_FOUND: said the API (request req_0e)"},
		"400 page": {account, apitest.Respond(400, "<h1>Bad request.</h1>"), nil,
			"hiring: Account.Get: 400 the response is not from the API: <h1>Bad request.</h1>: a proxy answered, or the base URL is wrong"},
		"404 page": {account, apitest.Respond(404, "<h1>Not found.</h1>"), nil,
			"hiring: Account.Get: 404 the response is not from the API: <h1>Not found.</h1>: a proxy answered, or the base URL is wrong"},
		"502 page": {account, apitest.Respond(502, "Bad gateway.\n"), []hiring.Option{noneMade},
			"hiring: Account.Get: 502 the response is not from the API: Bad gateway; 2 attempts were made: a proxy answered, or the base URL is wrong"},
		"502 page to a write": {send, apitest.Respond(502, "Bad gateway.\n"), nil,
			"hiring: Invitations.Send: 502 the response is not from the API: Bad gateway; " +
				"the outcome is unknown: check before you repeat it: a proxy answered, or the base URL is wrong"},
		"502 JSON": {account, apitest.Respond(502, `{"message":"x"}`), []hiring.Option{apitest.NoRetry}, "hiring: Account.Get: 502 the response is JSON but not the API's error envelope"},
		"sign-in page": {send, apitest.Respond(200, "<h1>Sign in.</h1>"), nil,
			"hiring: Invitations.Send: 200 the response is not from the API: <h1>Sign in.</h1>; " +
				"the outcome is unknown: check before you repeat it: a proxy answered, or the base URL is wrong"},
		"redirect": {account, apitest.Respond(307, "<a>", "Location: /x"), nil,
			"hiring: Account.Get: 307 the server redirects elsewhere, which is not followed because the key would be sent there: correct the base URL"},
		"429": {account, apitest.Respond(429, `{"error":{"code":"RATE_LIMITED","message":"Slow down."}}`, "Retry-After: 3600"), nil,
			"hiring: Account.Get: 429 RATE_LIMITED: Slow down; retry after 1h0m0s"},
		"a whole number": {report, apitest.RespondData(`{"ship_score":"x"}`), nil,
			"hiring: Submissions.Report: 200 the response cannot be decoded: /data/ship_score has a string that does not fit the Go type int at byte 22"},
		"a time": {report, apitest.RespondData(`{"generated_at":"x"}`), nil,
			"hiring: Submissions.Report: 200 the response cannot be decoded: /data/generated_at has a string that does not fit the Go type time.Time at byte 24"},
		"a list": {report, apitest.RespondData(`{"pillars":{}}`), nil,
			"hiring: Submissions.Report: 200 the response cannot be decoded: /data/pillars has an object that does not fit the Go type []hiring.Pillar at byte 19"},
		"no list":  {report, apitest.RespondData(`[]`), nil, "hiring: Submissions.Report: 200 the response cannot be decoded: /data has a list that does not fit the Go type struct at byte 8"},
		"a number": {report, apitest.RespondData(`{"percentile":true}`), nil, "hiring: Submissions.Report: 200 the response cannot be decoded: /data/percentile has a boolean that does not fit the Go type float64 at byte 22"},
		"a boolean": {report, apitest.RespondData(`{"evaluated":1}`), nil,
			"hiring: Submissions.Report: 200 the response cannot be decoded: /data/evaluated has a number that does not fit the Go type bool at byte 21"},
		"no such host": {account, apitest.Fail(&net.DNSError{Name: "hiring.test", Err: "no such host", IsNotFound: true}), []hiring.Option{noneMade},
			"hiring: Account.Get: no response: lookup hiring.test: no such host; 2 attempts were made: check the base URL"},
		"no response": {account, apitest.Fail(apitest.ErrReset), []hiring.Option{noneMade}, "hiring: Account.Get: no response: connection reset by peer; 2 attempts were made"},
		"lost write": {send, apitest.Fail(io.ErrUnexpectedEOF), nil,
			"hiring: Invitations.Send: no response: unexpected EOF; the outcome is unknown: check before you repeat it"},
		"done": {send, apitest.RespondData("null"), nil,
			"hiring: Invitations.Send: 200 the response has no data; the write itself was done"},
		"too long": {account, apitest.RespondData(`"xxxxxxxxxxxx"`), []hiring.Option{hiring.WithMaxResponseBytes(9)},
			"hiring: Account.Get: 200 the response is longer than 9 bytes: see WithMaxResponseBytes"},
		"key source": {account, apitest.RespondData("{}"), []hiring.Option{hiring.WithKeySource(func(context.Context) (string, error) { return "", errors.New("vault sealed") })},
			"hiring: Account.Get: the key source failed: vault sealed"},
	}
	for name, c := range texts {
		err := c.call(apitest.NewScriptedServer(t, c.answer).Client(c.opts...))
		require.Error(t, err, "%s", name)
		assert.Equal(t, c.want, err.Error(), "%s", name)
		assert.NotRegexp(t, awkward, err.Error(), "%s", name)
	}
}

func TestErrorsBeforeSendingAreDistinct(t *testing.T) {
	client := apitest.NewScriptedServer(t, apitest.RespondData("{}")).Client()
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	_, err := client.Account.Get(late)
	require.EqualError(t, err, "hiring: Account.Get: not sent, because the context's deadline had passed")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = client.Account.Get(canceled)
	require.EqualError(t, err, "hiring: Account.Get: not sent, because the context was canceled")
	require.ErrorIs(t, err, context.Canceled)
}

// After an attempt, the error does not say that the call was not sent.
func TestBlockedRetryIsDistinctFromAFailedAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reset := time.Now().Add(2 * time.Hour).Truncate(time.Second).UTC()
		fake := apitest.NewScriptedServer(t, apitest.Respond(503, `{"error":{"code":"INTERNAL_ERROR","message":"Failed."}}`,
			"X-RateLimit-Limit: 1000", "X-RateLimit-Remaining: 0", fmt.Sprintf("X-RateLimit-Reset: %d", reset.Unix())))
		_, err := fake.Client().Account.Get(t.Context())
		require.ErrorIs(t, err, hiring.ErrQuotaExhausted)
		require.ErrorContains(t, err, "hiring: Account.Get: RATE_LIMITED: not sent again, because the read quota of 1000 an hour is used up until "+
			reset.Format(time.RFC3339)+", by the server's clock; retry after ")
		require.ErrorContains(t, err, "; before that: hiring: Account.Get: 503 INTERNAL_ERROR: Failed")
		assert.NotRegexp(t, awkward, err.Error())
	})
}

func TestEndedWaitsNamePendingIDs(t *testing.T) {
	pending := apitest.RespondData(`{"id":"x","status":"started","submission_id":"x","evaluated":false}`)
	for name, c := range map[string]struct {
		answer apitest.Responder
		wait   func(context.Context, *hiring.Client) error
		want   string
	}{
		"WaitReport": {pending, func(ctx context.Context, c *hiring.Client) error {
			return apitest.ErrorOf(c.Submissions.WaitReport(ctx, "x", hiring.WaitOptions{}))
		}, "hiring: the wait ended with 1 report pending (x): Submissions.WaitReport: context deadline exceeded"},
		"WaitReport in trouble": {apitest.Respond(429, `{"error":{"code":"RATE_LIMITED","message":"Slow down."}}`, "Retry-After: 3600"), func(ctx context.Context, c *hiring.Client) error {
			return apitest.ErrorOf(c.Submissions.WaitReport(ctx, "x", hiring.WaitOptions{}))
		}, "hiring: the wait ended with 1 report pending (x): Submissions.WaitReport: Submissions.Get: 429 RATE_LIMITED: Slow down; retry after 1h0m0s; the wait ended: context deadline exceeded"},
		"WaitReports": {apitest.Respond(429, `{"error":{"code":"RATE_LIMITED","message":"Slow down."}}`, "Retry-After: 3600"), func(ctx context.Context, c *hiring.Client) error {
			return apitest.LastError(c.Submissions.WaitReports(ctx, []string{"x", "y"}, hiring.WaitOptions{}))
		}, "hiring: the wait ended with 2 reports pending (x, y): Submissions.WaitReports: Submissions.Get: 429 RATE_LIMITED: Slow down; retry after 1h0m0s; the wait ended: context deadline exceeded"},
		"Watch": {func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.URL.Path, "/account") {
				return apitest.RespondData(`{"id":"acc"}`)(r)
			}
			return apitest.RespondData("[]")(r)
		}, func(ctx context.Context, c *hiring.Client) error {
			return apitest.LastError(c.Submissions.Watch(ctx, hiring.WatchOptions{MinInterval: time.Hour}))
		}, "hiring: Submissions.Watch: context deadline exceeded"},
		"Watch in trouble": {apitest.Respond(429, `{"error":{"code":"RATE_LIMITED","message":"Slow down."}}`, "Retry-After: 3600"), func(ctx context.Context, c *hiring.Client) error {
			return apitest.LastError(c.Submissions.Watch(ctx, hiring.WatchOptions{}))
		}, "hiring: Submissions.Watch: Account.Get: 429 RATE_LIMITED: Slow down; retry after 1h0m0s; the wait ended: context deadline exceeded"},
		"Tail": {logOf(pending), func(ctx context.Context, c *hiring.Client) error {
			return apitest.LastError(c.Events.Tail(ctx, "x", hiring.TailOptions{}))
		}, "hiring: Events.Tail: the submission was not evaluated yet: context deadline exceeded"},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			err := c.wait(ctx, apitest.NewScriptedServer(t, c.answer).Client())
			require.ErrorIs(t, err, context.DeadlineExceeded, "%s", name)
			require.EqualError(t, err, c.want, "%s", name)
			assert.NotRegexp(t, awkward, err.Error(), "%s", name)
		})
	}
	ended := &hiring.WaitError{Pending: []string{"a", "b"}, Missing: []string{"c"}, Err: hiring.ErrNotFound}
	require.EqualError(t, ended, "hiring: the wait ended with 2 reports pending (a, b) and 1 submission missing (c): NOT_FOUND")
	require.EqualError(t, &hiring.WaitError{Missing: []string{"c", "d"}, Err: hiring.ErrNotFound}, "hiring: the wait ended with 2 submissions missing (c, d): NOT_FOUND")
	require.EqualError(t, &hiring.WaitError{Err: context.Canceled}, "hiring: the wait ended: context canceled")
}

// TestWaitsThatEndDuringARequestAreNamed cancels the context while the first request is in
// flight: the error names the method that was called, not the request alone.
func TestWaitsThatEndDuringARequestAreNamed(t *testing.T) {
	hangs := func(r *http.Request) (*http.Response, error) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	for name, wait := range map[string]func(context.Context, *hiring.Client) error{
		"Submissions.Watch": func(ctx context.Context, c *hiring.Client) error {
			return apitest.LastError(c.Submissions.Watch(ctx, hiring.WatchOptions{}))
		},
		"Submissions.WaitReport:": func(ctx context.Context, c *hiring.Client) error {
			return apitest.ErrorOf(c.Submissions.WaitReport(ctx, "x", hiring.WaitOptions{}))
		},
		"Submissions.WaitReports": func(ctx context.Context, c *hiring.Client) error {
			return apitest.LastError(c.Submissions.WaitReports(ctx, []string{"x", "y"}, hiring.WaitOptions{}))
		},
		"Events.Tail": func(ctx context.Context, c *hiring.Client) error {
			return apitest.LastError(c.Events.Tail(ctx, "x", hiring.TailOptions{}))
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			err := wait(ctx, apitest.NewScriptedServer(t, hangs).Client())
			require.ErrorIs(t, err, context.Canceled, "%s", name)
			require.ErrorContains(t, err, name)
		})
	}
}

// The error shows enough of a rejected key for its owner to identify it.
func TestRefusedKeyIsNamedWithoutShowingIt(t *testing.T) {
	for key, want := range map[string]string{
		"sk_live_0123456789abcdefghijklmn": "the key sk_live_…klmn: ",
		"sk_test_0123456789abcdefghijklm":  "the key sk_test_…: ",
		"0123456789abcdefghijklmn":         "the key …klmn, which begins with neither sk_live_ nor sk_test_: ",
		"secret":                           "the key, which begins with neither sk_live_ nor sk_test_: ",
	} {
		fake := apitest.NewScriptedServer(t, apitest.RespondError(401, "INVALID_TOKEN"))
		client, err := hiring.New(apitest.BaseURL+":8443/x", key, hiring.WithHTTPClient(&http.Client{Transport: fake}))
		require.NoError(t, err)
		_, err = client.Account.Get(t.Context())
		require.ErrorContains(t, err, ": hiring.example.com:8443 refused "+want)
		letters := regexp.MustCompile(`[^0-9A-Za-z]`).ReplaceAllString(err.Error(), "")
		secret := strings.ReplaceAll(key, "_", "")
		for i := 0; i+12 <= len(secret); i++ {
			assert.NotContains(t, letters, secret[i:i+12], "%s", want)
		}
	}
}

func TestManyFieldErrorsAreCutShort(t *testing.T) {
	fields := make([]string, 300)
	for i := range fields {
		fields[i] = fmt.Sprintf(`"field_%d":["wrong"]`, i)
	}
	fake := apitest.NewScriptedServer(t, apitest.Respond(400, errorBody("m", `{"fieldErrors":{`+strings.Join(fields, ",")+`}}`)))
	_, err := fake.Client().Account.Get(t.Context())
	require.ErrorContains(t, err, "field_0: wrong; field_1: wrong; ")
	assert.Less(t, len(err.Error()), 5<<10)
	assert.Len(t, hiring.FieldErrors(err), 300)
}

// logOf responds to reads of a log with an empty one, and to others like report.
func logOf(report apitest.Responder) apitest.Responder {
	return func(r *http.Request) (*http.Response, error) {
		if strings.HasSuffix(r.URL.Path, "/events") {
			return apitest.RespondData("[]")(r)
		}
		return report(r)
	}
}
