package hiring_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
)

var dialError = &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}

// methodCalls makes a call of each kind and returns its error.
var methodCalls = map[string]func(context.Context, *hiring.Client) error{
	"GET": func(ctx context.Context, c *hiring.Client) error {
		_, err := c.Submissions.Report(ctx, fakeID)
		return err
	},
	"DELETE": func(ctx context.Context, c *hiring.Client) error { return c.Assessments.Delete(ctx, fakeID) },
	"PATCH": func(ctx context.Context, c *hiring.Client) error {
		_, err := c.Assessments.Close(ctx, fakeID)
		return err
	},
	"POST": func(ctx context.Context, c *hiring.Client) error {
		_, err := c.Invitations.Send(ctx, fakeID, hiring.NewInvitation{Email: "e", Name: "n"})
		return err
	},
	"PUT": func(ctx context.Context, c *hiring.Client) error {
		_, err := c.Do(ctx, "PUT", "/widgets/1", nil, 1, new(any))
		return err
	},
}

func TestWhatIsRepeatedAndWhatIsKnownAfterwards(t *testing.T) {
	const no, unknown, done = hiring.OutcomeNotDone, hiring.OutcomeUnknown, hiring.OutcomeDone
	timeout := hangs()
	for _, c := range []struct {
		name    string
		answer  answer
		repeats string // The methods that are repeated.
		outcome hiring.Outcome
	}{
		{"302", says(302, "", "Location: https://elsewhere.test"), "", no},
		{"400", refuses(400, "INVALID_INPUT"), "", no},
		{"401", refuses(401, "INVALID_TOKEN"), "", no},
		{"402", refuses(402, "PLAN_LIMIT_REACHED"), "", no},
		{"403", refuses(403, "INSUFFICIENT_SCOPE"), "", no},
		{"404", refuses(404, "NOT_FOUND"), "", no},
		{"409", refuses(409, "CONFLICT"), "", no},
		{"429", refuses(429, "RATE_LIMITED"), "GET DELETE PATCH POST PUT", no},
		{"500", refuses(500, "INTERNAL_ERROR"), "GET DELETE PATCH", unknown},
		{"501", says(501, ""), "", unknown},
		{"502", says(502, "<html>"), "GET DELETE PATCH", unknown},
		{"503", says(503, "<html>"), "GET DELETE PATCH", unknown},
		{"504", says(504, "<html>"), "GET DELETE PATCH", unknown},
		{"500 cut", cuts(500, "<html>", io.ErrUnexpectedEOF), "GET DELETE PATCH", unknown},
		{"dial error", breaks(dialError), "GET DELETE PATCH POST PUT", no},
		{"reset", breaks(&net.OpError{Op: "read", Err: errReset}), "GET DELETE PATCH", unknown},
		{"EOF", breaks(io.EOF), "GET DELETE PATCH", unknown},
		{"no reply and no error", func(*http.Request) (*http.Response, error) { return nil, nil }, "GET DELETE PATCH", unknown},
		{"timeout", timeout, "GET", unknown},
		{"200 cut", cuts(200, `{"data":{`, errReset), "GET", done},
		{"200 cut by EOF", says(200, `{"data":{`), "GET", done},
		{"200 stalled", stalls(200, `{"data":{`), "GET", done},
		{"200 wrong", says(200, `[]`, signed), "", done},
		{"200 wrong, unsigned", says(200, `[]`), "", unknown},
		{"200 page", says(200, "<html>Sign in</html>"), "", unknown},
		{"200 unsigned, cut at once", cuts(200, "", errReset), "GET", unknown},
		{"200 without data", says(200, `{"meta":{}}`), "", done},
		{"200 null", says(200, `{"data":null,"meta":{}}`), "", done},
		{"204", says(204, "", signed), "", done},
	} {
		for method, call := range methodCalls {
			synctest.Test(t, func(t *testing.T) {
				what := method + " " + c.name
				fake := newFake(t, c.answer)
				err := call(t.Context(), fake.client())
				if method == "DELETE" && c.outcome == done {
					require.NoError(t, err, "%s: any 2xx will do", what)
					return
				}
				failure := failureOf(t, what, err)
				want := 1
				for repeated := range strings.FieldsSeq(c.repeats) {
					if repeated == method {
						want = 4
					}
				}
				assert.Len(t, fake.requests(), want, "%s: requests", what)
				assert.Equal(t, want, failure.Attempts, "%s: Attempts", what)
				outcome := c.outcome
				if method == "GET" {
					outcome = ""
				}
				assert.Equal(t, outcome, failure.Outcome, "%s: Outcome", what)
				assert.Equal(t, outcome == unknown, errors.Is(err, hiring.ErrOutcomeUnknown), "%s: ErrOutcomeUnknown", what)
				assert.NotContains(t, err.Error(), "https://", "%s", what)
				assert.NotContains(t, err.Error(), fakeID, "%s", what)
			})
		}
	}
}

func TestOutcomeOfSeveralAttempts(t *testing.T) {
	for name, c := range map[string]struct {
		method  string
		answers []answer
		outcome hiring.Outcome // Empty: the call succeeds.
		status  int
	}{
		"unknown then refused":           {"PATCH", []answer{says(503, ""), refuses(403, "INSUFFICIENT_SCOPE")}, hiring.OutcomeUnknown, 403},
		"unknown then throttled":         {"PATCH", []answer{breaks(errReset), refuses(429, "RATE_LIMITED")}, hiring.OutcomeUnknown, 429},
		"unknown then not connected":     {"DELETE", []answer{breaks(errReset), breaks(dialError)}, hiring.OutcomeUnknown, 0},
		"unknown then done":              {"PATCH", []answer{breaks(errReset), says(200, "", signed)}, hiring.OutcomeDone, 200},
		"unknown then success":           {"PATCH", []answer{says(500, ""), says(200, `{"data":{"id":"x","submission_id":"x"},"meta":{}}`)}, "", 0},
		"not connected then refused":     {"POST", []answer{breaks(dialError), refuses(403, "INSUFFICIENT_SCOPE")}, hiring.OutcomeNotDone, 403},
		"throttled then broken":          {"POST", []answer{refuses(429, "RATE_LIMITED"), breaks(errReset)}, hiring.OutcomeUnknown, 0},
		"DELETE 404 after unknown":       {"DELETE", []answer{says(502, ""), refuses(404, "NOT_FOUND")}, "", 0},
		"DELETE 404 after reset":         {"DELETE", []answer{breaks(errReset), refuses(404, "NOT_FOUND")}, "", 0},
		"DELETE 404 page after unknown":  {"DELETE", []answer{says(502, ""), says(404, "<html>")}, hiring.OutcomeUnknown, 404},
		"DELETE page after unknown":      {"DELETE", []answer{says(502, ""), says(200, "<html>")}, hiring.OutcomeUnknown, 200},
		"DELETE 404 at first":            {"DELETE", []answer{refuses(404, "NOT_FOUND")}, hiring.OutcomeNotDone, 404},
		"DELETE 404 after a throttle":    {"DELETE", []answer{refuses(429, "RATE_LIMITED"), refuses(404, "NOT_FOUND")}, hiring.OutcomeNotDone, 404},
		"DELETE 404 after no connection": {"DELETE", []answer{breaks(dialError), refuses(404, "NOT_FOUND")}, hiring.OutcomeNotDone, 404},
		"PATCH 404 after unknown":        {"PATCH", []answer{says(502, ""), refuses(404, "NOT_FOUND")}, hiring.OutcomeUnknown, 404},
		"GET 404 after 502":              {"GET", []answer{says(502, ""), refuses(404, "NOT_FOUND")}, "read", 404},
	} {
		synctest.Test(t, func(t *testing.T) {
			fake := newFake(t, c.answers...)
			var last hiring.Exchange
			client := fake.client(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) { last = e }),
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
			failure := failureOf(t, name, err)
			assert.Equal(t, c.outcome, failure.Outcome, "%s: Outcome", name)
			assert.Equal(t, c.status, failure.Status, "%s: Status", name)
			assert.Equal(t, len(c.answers), failure.Attempts, "%s: Attempts", name)
		})
	}
}

func TestPausesAreRandomBelowADoublingBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := make(map[time.Duration]bool)
		for range 20 {
			fake := newFake(t, says(500, ""))
			_, err := fake.client().Account.Get(t.Context())
			require.Error(t, err)
			pauses := fake.pauses()
			require.Len(t, pauses, 3)
			for i, most := range []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second} {
				assert.Less(t, pauses[i], most, "pause %d", i+1)
				seen[pauses[i]] = true
			}
		}
		assert.Greater(t, len(seen), 50, "pauses differ")
	})
}

func TestRetryAfterIsHonoured(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"1": time.Second, "60": time.Minute, "Sat, 01 Jan 2000 00:00:09 GMT": 9 * time.Second,
		"Saturday, 01-Jan-00 00:00:09 GMT": 9 * time.Second,
	} {
		synctest.Test(t, func(t *testing.T) { // The bubble's clock begins at 2000-01-01.
			fake := newFake(t, refuses(429, "RATE_LIMITED", "Retry-After: "+value), data(thing))
			var exchanges []hiring.Exchange
			client := fake.client(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) { exchanges = append(exchanges, e) }))
			_, err := client.Invitations.Send(t.Context(), "a", hiring.NewInvitation{Email: "e", Name: "n"})
			require.NoError(t, err)
			assert.Equal(t, []time.Duration{want}, fake.pauses(), "Retry-After: %s", value)
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
			fake := newFake(t, refuses(429, "RATE_LIMITED", "Retry-After: "+c.value))
			ctx, cancel := context.WithTimeout(t.Context(), c.deadline)
			defer cancel()
			begun := time.Now()
			_, err := fake.client().Account.Get(ctx)
			failure := failureOf(t, name, err)
			assert.Equal(t, c.want, failure.RetryAfter, "%s", name)
			assert.Zero(t, time.Since(begun), "%s: nothing is waited", name)
			assert.Len(t, fake.requests(), 1, "%s", name)
			require.ErrorIs(t, err, hiring.ErrRateLimited, "%s", name)
			require.NotErrorIs(t, err, context.DeadlineExceeded, "%s: the context has not ended", name)
			require.ErrorContains(t, err, "retry after", "%s", name)
		})
	}
}

func TestContextThatEndsInTheWaitJoinsBothErrors(t *testing.T) {
	reason := errors.New("shutting down")
	synctest.Test(t, func(t *testing.T) {
		fake := newFake(t, refuses(503, "INTERNAL_ERROR", "Retry-After: 10"))
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		time.AfterFunc(4*time.Second, func() { cancel(reason) })
		begun := time.Now()
		err := fake.client().Assessments.Delete(ctx, "a1")
		assert.Equal(t, 4*time.Second, time.Since(begun))
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, reason)
		require.ErrorIs(t, err, hiring.ErrInternal)
		require.ErrorIs(t, err, hiring.ErrOutcomeUnknown)
		failure := failureOf(t, "Delete", err)
		assert.Equal(t, [2]int{503, 1}, [2]int{failure.Status, failure.Attempts})
	})
}

func TestEndOfTheContextIsSaidOnce(t *testing.T) {
	reason := errors.New("shutting down")
	for name, c := range map[string]struct {
		cause, last error
		want        string
	}{
		"without a cause":           {nil, errReset, "hiring: Account.Get: no reply: connection reset by peer; the wait ended: context canceled"},
		"with one":                  {reason, errReset, "hiring: Account.Get: no reply: connection reset by peer; the wait ended: context canceled: shutting down"},
		"after another's end":       {reason, context.Canceled, "hiring: Account.Get: no reply: context canceled; the wait ended: context canceled: shutting down"},
		"after another's, no cause": {nil, context.Canceled, "hiring: Account.Get: no reply: context canceled"},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			client := newFake(t, breaks(c.last)).client(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
				time.AfterFunc(e.Wait/2, func() { cancel(c.cause) })
			}))
			_, err := client.Account.Get(ctx)
			require.ErrorIs(t, err, context.Canceled, "%s", name)
			require.EqualError(t, err, c.want, "%s", name)
		})
	}
}

func TestContextThatEndsInAnAttempt(t *testing.T) {
	reason := errors.New("shutting down")
	for name, reply := range map[string]answer{"before a reply": hangs(), "within the body": stalls(200, `{"data"`)} {
		synctest.Test(t, func(t *testing.T) {
			fake := newFake(t, reply)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			time.AfterFunc(time.Second, func() { cancel(reason) })
			client := fake.client(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
				assert.Zero(t, e.Wait, "%s: Exchange.Wait", name)
			}))
			_, err := client.Account.Get(ctx)
			require.ErrorIs(t, err, context.Canceled, "%s", name)
			require.ErrorIs(t, err, reason, "%s", name)
			assert.Equal(t, 1, failureOf(t, name, err).Attempts, "%s", name)
			assert.Len(t, fake.requests(), 1, "%s: not repeated", name)
			assert.NotContains(t, err.Error(), "\n", "%s: said once", name)
			require.ErrorContains(t, err, "context canceled", "%s", name)
		})
	}
}

func TestDeadlineThatPassesInAnAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newFake(t, hangs())
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		err := fake.client().Assessments.Delete(ctx, "a1")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, hiring.OutcomeUnknown, failureOf(t, "Delete", err).Outcome)
		assert.NotContains(t, err.Error(), "WithTimeout", "it was the caller's deadline")
	})
}

func TestWithTimeoutBoundsEachAttempt(t *testing.T) {
	for name, c := range map[string]struct {
		answer answer
		opts   []hiring.Option
		each   time.Duration
	}{
		"default":    {hangs(), nil, 30 * time.Second},
		"set":        {hangs(), []hiring.Option{hiring.WithTimeout(3 * time.Second)}, 3 * time.Second},
		"body":       {stalls(200, `{"da`), []hiring.Option{hiring.WithTimeout(3 * time.Second)}, 3 * time.Second},
		"error body": {stalls(503, `<html>`), []hiring.Option{hiring.WithTimeout(3 * time.Second)}, 3 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			fake := newFake(t, c.answer)
			var durations []time.Duration
			opts := append(c.opts, hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 2}),
				hiring.WithObserver(func(_ context.Context, e hiring.Exchange) { durations = append(durations, e.Duration) }))
			_, err := fake.client(opts...).Account.Get(t.Context())
			assert.Equal(t, 2, failureOf(t, name, err).Attempts, "%s", name)
			assert.Equal(t, []time.Duration{c.each, c.each}, durations, "%s", name)
			if name != "error body" {
				require.ErrorIs(t, err, context.DeadlineExceeded, "%s", name)
				require.ErrorContains(t, err, "within "+c.each.String()+"; see WithTimeout", "%s", name)
			}
		})
	}
}

func TestContextOfAnAttemptEndsWithIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var attempts []context.Context
		remember := func(a answer) answer {
			return func(r *http.Request) (*http.Response, error) {
				attempts = append(attempts, r.Context())
				return a(r)
			}
		}
		fake := newFake(t, remember(says(503, "", "Retry-After: 5")), remember(breaks(errReset)), remember(data(thing)))
		client := fake.client(hiring.WithObserver(func(context.Context, hiring.Exchange) {
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
		fake := newFake(t, hangs())
		ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
		defer cancel()
		begun := time.Now()
		_, err := fake.client(hiring.WithTimeout(0)).Account.Get(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 24*time.Hour, time.Since(begun))
	})
}

func TestRepeatedRequestsAreTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newFake(t, says(500, ""))
		_, err := fake.client().Assessments.Close(t.Context(), "a b")
		require.Error(t, err)
		sent := fake.requests()
		require.Len(t, sent, 4)
		for _, s := range sent[1:] {
			s.At = sent[0].At
			assert.Equal(t, sent[0], s)
		}
		assert.JSONEq(t, `{"status":"closed"}`, sent[3].Body)
	})
}

func TestWhatOneAttemptShowedProvesNothingOfTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		traced := func(connects bool, a answer) answer {
			return func(r *http.Request) (*http.Response, error) {
				trace := httptrace.ContextClientTrace(r.Context())
				trace.GetConn("h.test:443")
				if connects {
					trace.GotConn(httptrace.GotConnInfo{})
				}
				return a(r)
			}
		}
		silent := breaks(errReset)
		for name, c := range map[string]struct {
			answers []answer
			want    hiring.Outcome
		}{
			"a connection, then none":         {[]answer{traced(true, refuses(429, "RATE_LIMITED")), traced(false, breaks(errReset))}, hiring.OutcomeNotDone},
			"no connection, then no sign":     {[]answer{traced(false, breaks(errReset)), silent}, hiring.OutcomeUnknown},
			"no connection, then one":         {[]answer{traced(false, breaks(errReset)), traced(true, breaks(errReset))}, hiring.OutcomeUnknown},
			"a connection whatever the error": {[]answer{traced(true, breaks(dialError))}, hiring.OutcomeUnknown},
		} {
			client := newFake(t, c.answers...).client(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: len(c.answers)}))
			failure := failureOf(t, name, methodCalls["POST"](t.Context(), client))
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

func TestCauseThatPassesForCanceledIsKept(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	fake := newFake(t, func(r *http.Request) (*http.Response, error) {
		cancel(interrupted{})
		<-r.Context().Done()
		return nil, r.Context().Err()
	})
	_, err := fake.client().Account.Get(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, interrupted{})
	require.EqualError(t, err, "hiring: Account.Get: no reply: context canceled")
}
