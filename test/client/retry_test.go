package client_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/defaults"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

// methodCalls makes a call with each method and returns its error.
var methodCalls = map[string]func(context.Context, *hiring.Client) error{
	"GET": func(ctx context.Context, c *hiring.Client) error {
		return apitest.ErrorOf(c.Submissions.Report(ctx, apitest.ID))
	},
	"DELETE": func(ctx context.Context, c *hiring.Client) error { return c.Assessments.Delete(ctx, apitest.ID) },
	"PATCH": func(ctx context.Context, c *hiring.Client) error {
		return apitest.ErrorOf(c.Assessments.Close(ctx, apitest.ID))
	},
	"POST": func(ctx context.Context, c *hiring.Client) error {
		return apitest.ErrorOf(c.Invitations.Send(ctx, apitest.ID, hiring.NewInvitation{Email: "e", Name: "n"}))
	},
	"PUT": func(ctx context.Context, c *hiring.Client) error {
		return apitest.ErrorOf(c.Do(ctx, "PUT", "/widgets/1", nil, 1, new(any)))
	},
}

func TestOutcomeOfSeveralAttempts(t *testing.T) {
	for name, c := range map[string]struct {
		method  string
		answers []apitest.Responder
		outcome hiring.Outcome // Empty: the call succeeds.
		status  int
	}{
		"unknown then refused":           {"PATCH", []apitest.Responder{apitest.Respond(503, ""), apitest.RespondError(403, "INSUFFICIENT_SCOPE")}, hiring.OutcomeUnknown, 403},
		"unknown then throttled":         {"PATCH", []apitest.Responder{apitest.Fail(apitest.ErrReset), apitest.RespondError(429, "RATE_LIMITED")}, hiring.OutcomeUnknown, 429},
		"unknown then not connected":     {"DELETE", []apitest.Responder{apitest.Fail(apitest.ErrReset), apitest.Fail(apitest.DialError)}, hiring.OutcomeUnknown, 0},
		"unknown then done":              {"PATCH", []apitest.Responder{apitest.Fail(apitest.ErrReset), apitest.Respond(200, "", apitest.RequestIDHeader)}, hiring.OutcomeDone, 200},
		"unknown then success":           {"PATCH", []apitest.Responder{apitest.Respond(500, ""), apitest.Respond(200, `{"data":{"id":"x","submission_id":"x"},"meta":{}}`)}, "", 0},
		"not connected then refused":     {"POST", []apitest.Responder{apitest.Fail(apitest.DialError), apitest.RespondError(403, "INSUFFICIENT_SCOPE")}, hiring.OutcomeNotDone, 403},
		"throttled then broken":          {"POST", []apitest.Responder{apitest.RespondError(429, "RATE_LIMITED"), apitest.Fail(apitest.ErrReset)}, hiring.OutcomeUnknown, 0},
		"DELETE 404 after unknown":       {"DELETE", []apitest.Responder{apitest.Respond(502, ""), apitest.RespondError(404, "NOT_FOUND")}, "", 0},
		"DELETE 404 after reset":         {"DELETE", []apitest.Responder{apitest.Fail(apitest.ErrReset), apitest.RespondError(404, "NOT_FOUND")}, "", 0},
		"DELETE 404 page after unknown":  {"DELETE", []apitest.Responder{apitest.Respond(502, ""), apitest.Respond(404, "<html>")}, hiring.OutcomeUnknown, 404},
		"DELETE page after unknown":      {"DELETE", []apitest.Responder{apitest.Respond(502, ""), apitest.Respond(200, "<html>")}, hiring.OutcomeUnknown, 200},
		"DELETE 404 at first":            {"DELETE", []apitest.Responder{apitest.RespondError(404, "NOT_FOUND")}, hiring.OutcomeNotDone, 404},
		"DELETE 404 after a throttle":    {"DELETE", []apitest.Responder{apitest.RespondError(429, "RATE_LIMITED"), apitest.RespondError(404, "NOT_FOUND")}, hiring.OutcomeNotDone, 404},
		"DELETE 404 after no connection": {"DELETE", []apitest.Responder{apitest.Fail(apitest.DialError), apitest.RespondError(404, "NOT_FOUND")}, hiring.OutcomeNotDone, 404},
		"PATCH 404 after unknown":        {"PATCH", []apitest.Responder{apitest.Respond(502, ""), apitest.RespondError(404, "NOT_FOUND")}, hiring.OutcomeUnknown, 404},
		"GET 404 after 502":              {"GET", []apitest.Responder{apitest.Respond(502, ""), apitest.RespondError(404, "NOT_FOUND")}, "read", 404},
	} {
		synctest.Test(t, func(t *testing.T) {
			fake := apitest.NewScriptedServer(t, c.answers...)
			var last hiring.Exchange
			client := fake.Client(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) { last = e }),
				hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: len(c.answers)}))
			err := methodCalls[c.method](t.Context(), client)
			if c.outcome == "" {
				require.NoError(t, err, "%s", name)
				assert.NoError(t, last.Err, "%s: the last Exchange", name)
				return
			}
			if c.outcome == "read" {
				c.outcome = ""
			}
			failure := apitest.RequireError(t, name, err)
			assert.Equal(t, c.outcome, failure.Outcome, "%s: Outcome", name)
			assert.Equal(t, c.status, failure.Status, "%s: Status", name)
			assert.Equal(t, len(c.answers), failure.Attempts, "%s: Attempts", name)
		})
	}
}

func TestBackoffIsRandomBelowADoublingBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := make(map[time.Duration]bool)
		longest := time.Duration(0) // Of the third pauses. That none of 20 is above a quarter of the bound happens once in 10¹².
		for range 20 {
			fake := apitest.NewScriptedServer(t, apitest.Respond(500, ""))
			_, err := fake.Client().Account.Get(t.Context())
			require.Error(t, err)
			pauses := fake.Pauses()
			require.Len(t, pauses, allAttempts-1)
			for i := range pauses {
				assert.Less(t, pauses[i], defaults.BaseBackoff<<i, "pause %d", i+1)
				seen[pauses[i]] = true
			}
			longest = max(longest, pauses[2])
		}
		assert.Greater(t, len(seen), 50, "different delays of 60: clients that failed together would return together")
		assert.Greater(t, longest, 500*time.Millisecond, "the bound doubles")
	})
}

func TestRetryAfterIsHonoured(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"1": time.Second, "60": time.Minute, "Sat, 01 Jan 2000 00:00:09 GMT": 9 * time.Second,
		"Saturday, 01-Jan-00 00:00:09 GMT": 9 * time.Second, "0": 40 * time.Second, "soon": 40 * time.Second, // At Reset.
	} {
		synctest.Test(t, func(t *testing.T) { // The bubble's clock begins at 2000-01-01.
			fake := apitest.NewScriptedServer(t, apitest.RespondError(429, "RATE_LIMITED", "Retry-After: "+value,
				"X-RateLimit-Limit: 200", "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 946684840", "Date: Sat, 01 Jan 2000 00:00:00 GMT"), apitest.RespondData(apitest.Resource))
			var exchanges []hiring.Exchange
			client := fake.Client(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) { exchanges = append(exchanges, e) }))
			_, err := client.Invitations.Send(t.Context(), "a", hiring.NewInvitation{Email: "e", Name: "n"})
			require.NoError(t, err)
			assert.Equal(t, []time.Duration{want}, fake.Pauses(), "Retry-After: %s", value)
			require.Len(t, exchanges, 2)
			assert.Equal(t, want, exchanges[0].Wait, "Exchange.Wait")
			assert.Zero(t, exchanges[1].Wait, "Exchange.Wait of the last")
		})
	}
}

func TestRetryAfterTooLongReturnsAtOnce(t *testing.T) {
	for name, c := range map[string]struct {
		value    string
		deadline time.Duration
		want     time.Duration
	}{
		"beyond MaxWait":      {"61", time.Hour, 61 * time.Second},
		"beyond the deadline": {"30", 20 * time.Second, 30 * time.Second},
		"at the deadline":     {"20", 20 * time.Second, 20 * time.Second},
		"absurd":              {"99999999999999999999", time.Hour, 9223372036 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			fake := apitest.NewScriptedServer(t, apitest.RespondError(429, "RATE_LIMITED", "Retry-After: "+c.value))
			ctx, cancel := context.WithTimeout(t.Context(), c.deadline)
			defer cancel()
			begun := time.Now()
			_, err := fake.Client().Account.Get(ctx)
			failure := apitest.RequireError(t, name, err)
			assert.Equal(t, c.want, failure.RetryAfter, "%s", name)
			assert.Zero(t, time.Since(begun), "%s: nothing is waited", name)
			assert.Len(t, fake.Requests(), 1, "%s", name)
			require.ErrorIs(t, err, hiring.ErrRateLimited, "%s", name)
			require.NotErrorIs(t, err, context.DeadlineExceeded, "%s: the context has not ended", name)
			require.ErrorContains(t, err, "retry after", "%s", name)
		})
	}
}

func TestEndOfTheContextIsReportedOnce(t *testing.T) {
	reason := errors.New("shutting down")
	for name, c := range map[string]struct {
		cause, last error
		want        string
	}{
		"without a cause":           {nil, apitest.ErrReset, "hiring: Account.Get: no response: connection reset by peer; the wait ended: context canceled"},
		"with one":                  {reason, apitest.ErrReset, "hiring: Account.Get: no response: connection reset by peer; the wait ended: context canceled: shutting down"},
		"after another's end":       {reason, context.Canceled, "hiring: Account.Get: no response: context canceled; the wait ended: context canceled: shutting down"},
		"after another's, no cause": {nil, context.Canceled, "hiring: Account.Get: no response: context canceled"},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			client := apitest.NewScriptedServer(t, apitest.Fail(c.last)).Client(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
				time.AfterFunc(e.Wait/2, func() { cancel(c.cause) })
			}))
			_, err := client.Account.Get(ctx)
			require.ErrorIs(t, err, context.Canceled, "%s", name)
			require.EqualError(t, err, c.want, "%s", name)
		})
	}
}

func TestDeadlineThatPassesInAnAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, apitest.Block())
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		err := fake.Client().Assessments.Delete(ctx, "a1")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, hiring.OutcomeUnknown, apitest.RequireError(t, "Delete", err).Outcome)
		assert.NotContains(t, err.Error(), "WithTimeout", "it was the caller's deadline")
	})
}

func TestWithTimeoutBoundsEachAttempt(t *testing.T) {
	for name, c := range map[string]struct {
		answer apitest.Responder
		opts   []hiring.Option
		each   time.Duration
	}{
		"default":    {apitest.Block(), nil, 30 * time.Second},
		"set":        {apitest.Block(), []hiring.Option{hiring.WithTimeout(3 * time.Second)}, 3 * time.Second},
		"body":       {apitest.Stall(200, `{"da`), []hiring.Option{hiring.WithTimeout(3 * time.Second)}, 3 * time.Second},
		"error body": {apitest.Stall(503, `<html>`), []hiring.Option{hiring.WithTimeout(3 * time.Second)}, 3 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			fake := apitest.NewScriptedServer(t, c.answer)
			var durations []time.Duration
			opts := append(c.opts, hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 2}),
				hiring.WithObserver(func(_ context.Context, e hiring.Exchange) { durations = append(durations, e.Duration) }))
			_, err := fake.Client(opts...).Account.Get(t.Context())
			assert.Equal(t, 2, apitest.RequireError(t, name, err).Attempts, "%s", name)
			assert.Equal(t, []time.Duration{c.each, c.each}, durations, "%s", name)
			if name != "error body" {
				require.ErrorIs(t, err, context.DeadlineExceeded, "%s", name)
				require.ErrorContains(t, err, "within "+c.each.String(), "%s", name)
			}
		})
	}
}

func TestContextOfAnAttemptEndsWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var attempts []context.Context
		remember := func(a apitest.Responder) apitest.Responder {
			return func(r *http.Request) (*http.Response, error) {
				attempts = append(attempts, r.Context())
				return a(r)
			}
		}
		fake := apitest.NewScriptedServer(t, remember(apitest.Respond(503, "", "Retry-After: 5")), remember(apitest.Fail(apitest.ErrReset)), remember(apitest.RespondData(apitest.Resource)))
		client := fake.Client(hiring.WithObserver(func(context.Context, hiring.Exchange) {
			for _, ctx := range attempts[:len(attempts)-1] {
				require.ErrorIs(t, ctx.Err(), context.Canceled)
			}
		}))
		require.NoError(t, client.Assessments.Delete(t.Context(), "a"))
		require.Len(t, attempts, 3)
		require.ErrorIs(t, attempts[2].Err(), context.Canceled, "nothing of a call outlives it")
	})
}

func TestNoTimeoutWaitsForTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, apitest.Block())
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
		defer cancel()
		begun := time.Now()
		_, err := fake.Client(hiring.WithTimeout(0)).Account.Get(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 24*time.Hour, time.Since(begun))
	})
}

func TestRetriedRequestsAreIdentical(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, apitest.Respond(500, ""))
		_, err := fake.Client().Assessments.Close(t.Context(), "a b")
		require.Error(t, err)
		sent := fake.Requests()
		require.Len(t, sent, allAttempts)
		for _, s := range sent[1:] {
			s.At = sent[0].At
			assert.Equal(t, sent[0], s)
		}
		assert.JSONEq(t, `{"status":"closed"}`, sent[3].Body)
	})
}

func TestHeadersOfOneAttemptDoNotAuthenticateTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		traced := func(connects bool, a apitest.Responder) apitest.Responder {
			return func(r *http.Request) (*http.Response, error) {
				trace := httptrace.ContextClientTrace(r.Context())
				trace.GetConn("h.test:443")
				if connects {
					trace.GotConn(httptrace.GotConnInfo{})
				}
				return a(r)
			}
		}
		silent := apitest.Fail(apitest.ErrReset)
		for name, c := range map[string]struct {
			answers []apitest.Responder
			want    hiring.Outcome
		}{
			"a connection, then none":         {[]apitest.Responder{traced(true, apitest.RespondError(429, "RATE_LIMITED")), traced(false, apitest.Fail(apitest.ErrReset))}, hiring.OutcomeNotDone},
			"no connection, then no sign":     {[]apitest.Responder{traced(false, apitest.Fail(apitest.ErrReset)), silent}, hiring.OutcomeUnknown},
			"no connection, then one":         {[]apitest.Responder{traced(false, apitest.Fail(apitest.ErrReset)), traced(true, apitest.Fail(apitest.ErrReset))}, hiring.OutcomeUnknown},
			"a connection whatever the error": {[]apitest.Responder{traced(true, apitest.Fail(apitest.DialError))}, hiring.OutcomeUnknown},
		} {
			client := apitest.NewScriptedServer(t, c.answers...).Client(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: len(c.answers)}))
			failure := apitest.RequireError(t, name, methodCalls["POST"](t.Context(), client))
			assert.Equal(t, c.want, failure.Outcome, "%s", name)
			assert.Equal(t, len(c.answers), failure.Attempts, "%s", name)
		}
	})
}

// signal.NotifyContext ends a context with a cause that says of itself that it
// is context.Canceled; it is the caller's cause all the same.
type interrupted struct{}

func (interrupted) Error() string     { return "interrupt signal received" }
func (interrupted) Is(err error) bool { return err == context.Canceled }

func TestCauseThatMatchesCanceledIsKept(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	fake := apitest.NewScriptedServer(t, func(r *http.Request) (*http.Response, error) {
		cancel(interrupted{})
		<-r.Context().Done()
		return nil, r.Context().Err()
	})
	_, err := fake.Client().Account.Get(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, interrupted{})
	require.EqualError(t, err, "hiring: Account.Get: no response: context canceled")
}
