package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

type spanKey struct{}

// diary is a trace that records its calls as lines, each with the names of the enclosing
// calls.
type diary struct {
	mu    sync.Mutex
	lines []string
	open  int
}

func (d *diary) write(ctx context.Context, format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	span, _ := ctx.Value(spanKey{}).(string)
	d.lines = append(d.lines, span+fmt.Sprintf(format, args...))
}

func (d *diary) within(ctx context.Context, span string, open int) context.Context {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open += open
	outer, _ := ctx.Value(spanKey{}).(string)
	return context.WithValue(ctx, spanKey{}, outer+span+" > ")
}

func (d *diary) probe() hiring.Trace {
	return hiring.Trace{
		Call: func(ctx context.Context, c hiring.TraceCall) (context.Context, func(error)) {
			d.write(ctx, "call %s", strings.TrimSpace(c.Operation+" "+c.Method+" "+c.Route))
			inner := d.within(ctx, c.Operation, 1)
			return inner, func(err error) {
				d.within(ctx, "", -1)
				d.write(inner, "ended %s", outline(err))
			}
		},
		Attempt: func(ctx context.Context, a hiring.TraceAttempt) (context.Context, func(hiring.Exchange)) {
			d.write(ctx, "attempt %d %s %s %s %s", a.Number, a.Operation, a.Method, a.Route, a.Server)
			inner := d.within(ctx, fmt.Sprint(a.Number), 1)
			return inner, func(e hiring.Exchange) {
				d.within(ctx, "", -1)
				d.write(inner, "ended %d %s", e.Status, outline(e.Err))
			}
		},
		Pause: func(ctx context.Context, p hiring.TracePause) {
			d.write(ctx, "pause %s %s %s", p.Operation, p.Reason, time.Until(p.Until).Round(time.Second))
		},
	}
}

func outline(err error) string {
	var failure *hiring.Error
	var param *hiring.ParamError
	switch {
	case err == nil:
		return "well"
	case errors.Is(err, hiring.ErrQuotaExhausted):
		return "quota"
	case errors.As(err, &failure) && failure.Code != "":
		return string(failure.Code)
	case errors.As(err, &param):
		return "param " + param.Param
	case errors.Is(err, context.Canceled):
		return "canceled"
	}
	return err.Error()
}

func TestTraceSeesACallFromItsBeginning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, apitest.RespondError(503, "INTERNAL_ERROR", "Retry-After: 5"), apitest.RespondError(503, "INTERNAL_ERROR", "Retry-After: 1"), apitest.RespondData(apitest.Resource))
		var d diary
		_, err := fake.Client(hiring.WithTrace(d.probe())).Submissions.Report(t.Context(), apitest.ID)
		require.NoError(t, err)
		assert.Equal(t, []string{
			"call Submissions.Report GET /submissions/{id}/report",
			"Submissions.Report > attempt 1 Submissions.Report GET /submissions/{id}/report hiring.example.com:443",
			"Submissions.Report > 1 > ended 503 INTERNAL_ERROR",
			"Submissions.Report > pause Submissions.Report retry 5s",
			"Submissions.Report > attempt 2 Submissions.Report GET /submissions/{id}/report hiring.example.com:443",
			"Submissions.Report > 2 > ended 503 INTERNAL_ERROR", // A wait of a second is not reported.
			"Submissions.Report > attempt 3 Submissions.Report GET /submissions/{id}/report hiring.example.com:443",
			"Submissions.Report > 3 > ended 200 well",
			"Submissions.Report > ended well",
		}, d.lines)
	})
}

func TestTraceSeesCallsThatWereRefusedLocally(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d diary
		fake := apitest.NewScriptedServer(t, apitest.RespondError(429, "RATE_LIMITED", "X-RateLimit-Limit: 1000", "X-RateLimit-Remaining: 0",
			fmt.Sprint("X-RateLimit-Reset: ", time.Now().Add(time.Hour).Unix()), "Retry-After: 3600"))
		client := fake.Client(hiring.WithTrace(d.probe()))
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := client.Account.Get(ended)
		require.Error(t, err)
		_, err = client.Submissions.Get(t.Context(), "")
		require.Error(t, err)
		_, err = client.Submissions.List(hiring.SubmissionFilter{}).PageSize(0).Page(t.Context())
		require.Error(t, err)
		_, err = client.Submissions.FindByEmail(t.Context(), "", "x@example.com")
		require.Error(t, err)
		_, err = client.Submissions.DownloadArchive(t.Context(), apitest.ID, nil)
		require.Error(t, err)
		for _, err = range client.Events.Tail(t.Context(), "", hiring.TailOptions{}) {
			require.Error(t, err)
		}
		_, err = client.Submissions.Poll(t.Context(), "", hiring.WatchOptions{Lookback: -1})
		require.Error(t, err)
		_, err = client.Submissions.WaitReport(t.Context(), "..", hiring.WaitOptions{})
		require.Error(t, err)
		for _, err = range client.Submissions.WaitReports(t.Context(), []string{""}, hiring.WaitOptions{}) {
			require.Error(t, err)
		}
		for _, err = range client.Submissions.Watch(t.Context(), hiring.WatchOptions{Lookback: -1}) {
			require.Error(t, err)
		}
		_, err = client.Invitations.Ensure(t.Context(), "", hiring.NewInvitation{Email: "x@example.com", Name: "X"})
		require.Error(t, err)
		require.Empty(t, fake.Requests())
		_, err = client.Account.Get(t.Context())
		require.Error(t, err)
		_, err = client.Account.Get(t.Context())
		require.ErrorIs(t, err, hiring.ErrQuotaExhausted)
		assert.Equal(t, []string{
			"call Account.Get GET /account", "Account.Get > ended canceled",
			"call Submissions.Get GET /submissions/{id}", "Submissions.Get > ended param id",
			"call Submissions.List GET /submissions", "Submissions.List > ended param PageSize",
			"call Submissions.FindByEmail", "Submissions.FindByEmail > ended param assessmentID",
			"call Submissions.DownloadArchive", "Submissions.DownloadArchive > ended param w",
			"call Events.Tail", "Events.Tail > ended param submissionID",
			"call Submissions.Poll", "Submissions.Poll > ended param Lookback",
			"call Submissions.WaitReport", "Submissions.WaitReport > ended param id",
			"call Submissions.WaitReports", "Submissions.WaitReports > ended param id",
			"call Submissions.Watch", "Submissions.Watch > ended param Lookback",
			"call Invitations.Ensure", "Invitations.Ensure > ended param assessmentID",
			"call Account.Get GET /account",
			"Account.Get > attempt 1 Account.Get GET /account hiring.example.com:443",
			"Account.Get > 1 > ended 429 RATE_LIMITED",
			"Account.Get > ended RATE_LIMITED",
			"call Account.Get GET /account", "Account.Get > ended quota",
		}, d.lines)
	})
}

// An operation of several requests is the parent of all of them.
func TestTraceSeesOperationsMadeOfSeveral(t *testing.T) {
	live := func(t *testing.T, d *diary) (*sandbox.Server, *hiring.Client, string) {
		server, assessment := startWithAssessment(t)
		return server, server.LiveClient(hiring.WithTrace(d.probe())), assessment
	}
	cases := []struct {
		name  string
		sends []string // Operations that its attempts must have.
		pause string
		run   func(*testing.T, *sandbox.Server, *hiring.Client, string)
	}{
		{"Submissions.List", []string{"Submissions.List"}, "", func(t *testing.T, _ *sandbox.Server, c *hiring.Client, _ string) {
			for _, err := range c.Submissions.List(hiring.SubmissionFilter{}).All(t.Context()) {
				require.NoError(t, err)
			}
		}},
		{"Challenges.List", []string{"Challenges.List"}, "", func(t *testing.T, _ *sandbox.Server, c *hiring.Client, _ string) {
			for _, err := range c.Challenges.List().PageSize(1).Pages(t.Context()) {
				require.NoError(t, err)
				break
			}
		}},
		{"Submissions.FindByEmail", []string{"Submissions.FindByEmail"}, "", func(t *testing.T, s *sandbox.Server, c *hiring.Client, a string) {
			handedIn(t, s, a)
			_, err := c.Submissions.FindByEmail(t.Context(), a, "jo@example.com")
			require.NoError(t, err)
		}},
		{"Submissions.DownloadArchive", []string{"Submissions.Get", "Submissions.DownloadArchive"}, "", func(t *testing.T, s *sandbox.Server, c *hiring.Client, a string) {
			id := handedIn(t, s, a)
			_, err := c.Submissions.DownloadArchive(t.Context(), id, io.Discard)
			require.NoError(t, err)
		}},
		{"Submissions.WaitReport", []string{"Submissions.Get"}, "poll", func(t *testing.T, s *sandbox.Server, c *hiring.Client, a string) {
			id := handedIn(t, s, a)
			time.AfterFunc(10*time.Second, func() { _ = s.Evaluate(id, sandbox.Result{ShipScore: new(80)}) })
			_, err := c.Submissions.WaitReport(t.Context(), id, hiring.WaitOptions{})
			require.NoError(t, err)
		}},
		{"Submissions.WaitReports", nil, "poll", func(t *testing.T, s *sandbox.Server, c *hiring.Client, a string) {
			id := handedIn(t, s, a)
			time.AfterFunc(10*time.Second, func() { _ = s.Evaluate(id, sandbox.Result{ShipScore: new(80)}) })
			for _, err := range c.Submissions.WaitReports(t.Context(), []string{id}, hiring.WaitOptions{}) {
				require.NoError(t, err)
			}
		}},
		{"Submissions.Watch", nil, "poll", func(t *testing.T, s *sandbox.Server, c *hiring.Client, a string) {
			id := handedIn(t, s, a)
			time.AfterFunc(10*time.Second, func() { _ = s.Evaluate(id, sandbox.Result{ShipScore: new(80)}) })
			for _, err := range c.Submissions.Watch(t.Context(), hiring.WatchOptions{}) {
				require.NoError(t, err)
				break
			}
		}},
		{"Submissions.Poll", nil, "", func(t *testing.T, _ *sandbox.Server, c *hiring.Client, _ string) {
			_, err := c.Submissions.Poll(t.Context(), "", hiring.WatchOptions{})
			require.NoError(t, err)
		}},
		{"Events.Tail", nil, "", func(t *testing.T, s *sandbox.Server, c *hiring.Client, a string) {
			id := handedIn(t, s, a)
			require.NoError(t, s.Evaluate(id, sandbox.Result{ShipScore: new(80)}))
			for _, err := range c.Events.Tail(t.Context(), id, hiring.TailOptions{}) {
				require.NoError(t, err)
			}
		}},
		{"Invitations.Ensure", []string{"Invitations.List", "Invitations.Send"}, "lookup", func(t *testing.T, s *sandbox.Server, c *hiring.Client, a string) {
			s.Inject(sandbox.Fault{Route: "POST /assessments/{id}/invitations", Status: 500, After: true})
			_, err := c.Invitations.Ensure(t.Context(), a, hiring.NewInvitation{Email: "jo@example.com", Name: "Jo"})
			require.NoError(t, err)
		}},
		{"Invitations.EnsureAll", []string{"Invitations.List", "Invitations.Send"}, "quota", func(t *testing.T, s *sandbox.Server, c *hiring.Client, a string) {
			s.SetQuota(sandbox.LiveKey, sandbox.ClassWrite, 1)
			require.NoError(t, c.Invitations.EnsureAll(t.Context(), a, slices.Values(candidates(3)), hiring.EnsureAllOptions{}))
		}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var d diary
				server, client, assessment := live(t, &d)
				c.run(t, server, client, assessment)
				assert.Zero(t, d.open, "what began has ended")
				require.NotEmpty(t, d.lines)
				assert.Equal(t, "call "+c.name, d.lines[0])
				assert.Equal(t, c.name+" > ended well", d.lines[len(d.lines)-1])
				sent, paused := map[string]bool{}, false
				for _, line := range d.lines[1 : len(d.lines)-1] {
					require.True(t, strings.HasPrefix(line, c.name+" > "), "one call alone, and all of it within: %s", line)
					require.NotContains(t, line, " > call ", "a call within it is no call of its own")
					if rest, ok := strings.CutPrefix(line, c.name+" > attempt "); ok {
						sent[strings.Fields(rest)[1]] = true
					}
					paused = paused || strings.HasPrefix(line, c.name+" > pause "+c.name+" "+c.pause)
				}
				assert.NotEmpty(t, sent)
				for _, operation := range c.sends {
					assert.True(t, sent[operation], "%s in %v", operation, sent)
				}
				assert.Equal(t, c.pause != "", c.pause != "" && paused, d.lines)
			})
		})
	}
}

func TestTraceSeesWhyACallWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reset := func(in time.Duration) string { return fmt.Sprint("X-RateLimit-Reset: ", time.Now().Add(in).Unix()) }
		date := "Date: Sat, 01 Jan 2000 00:00:32 GMT"
		used := apitest.RespondError(429, "RATE_LIMITED", "X-RateLimit-Limit: 1000", "X-RateLimit-Remaining: 0", reset(2*time.Second), "Retry-After: 2")
		throttled := apitest.RespondError(429, "RATE_LIMITED", "X-RateLimit-Limit: 20", "X-RateLimit-Remaining: 0", reset(50*time.Second), "Retry-After: 30")
		last := apitest.RespondData(apitest.Resource, "X-RateLimit-Limit: 1000", "X-RateLimit-Remaining: 0", reset(40*time.Second), date)
		fake := apitest.NewScriptedServer(t, used, throttled, last, apitest.RespondData(apitest.Resource))
		var pauses []hiring.TracePause
		client := fake.Client(hiring.WithTrace(hiring.Trace{Pause: func(_ context.Context, p hiring.TracePause) { pauses = append(pauses, p) }}))
		began := time.Now()
		_, err := client.Account.Get(t.Context())
		require.NoError(t, err)
		short, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err = client.Account.Get(short)
		require.NoError(t, err)
		for i := range pauses {
			pauses[i].Until = pauses[i].Until.Round(time.Second)
		}
		began = began.Round(time.Second)
		assert.Equal(t, []hiring.TracePause{
			{Operation: "Account.Get", Reason: hiring.PauseQuota, Until: began.Add(2 * time.Second)},
			{Operation: "Account.Get", Reason: hiring.PauseQuota, Until: began.Add(32 * time.Second)},
			{Operation: "Account.Get", Reason: hiring.PauseQuota, Until: began.Add(40 * time.Second)},
		}, pauses)
	})
}

func TestTraceAddsHeadersAndReplacesNone(t *testing.T) {
	fake := apitest.NewScriptedServer(t, apitest.RespondError(503, "INTERNAL_ERROR"), apitest.RespondData(apitest.Resource))
	adds := func(value string) hiring.Trace {
		return hiring.Trace{Attempt: func(_ context.Context, a hiring.TraceAttempt) (context.Context, func(hiring.Exchange)) {
			if value == "one-" {
				assert.Empty(t, a.Header)
			}
			a.Header.Add("Traceparent", fmt.Sprint(value, a.Number))
			a.Header["x-own"] = []string{"kept"}
			for _, name := range []string{
				"authorization", "User-Agent", "Accept", "Content-Type", "Host", "Cookie", "Accept-Encoding", "Content-Length",
				"Transfer-Encoding", "Connection", "Idempotency-Key", "X-Idempotency-Key", "Range", "If-Range", "Expect", "Te", "Trailer", "Upgrade",
			} {
				a.Header[name] = []string{"replaced"}
			}
			return nil, nil
		}}
	}
	client := fake.Client(hiring.WithTrace(adds("one-")), hiring.WithTrace(adds("two-")), hiring.WithRetry(hiring.RetryPolicy{BaseBackoff: 1}))
	plain := apitest.NewScriptedServer(t, apitest.RespondData(apitest.Resource))
	_, err := plain.Client().Assessments.Update(t.Context(), "a1", hiring.AssessmentUpdate{Status: hiring.AssessmentClosed})
	require.NoError(t, err)
	_, err = client.Assessments.Update(t.Context(), "a1", hiring.AssessmentUpdate{Status: hiring.AssessmentClosed})
	require.NoError(t, err)
	for n, sent := range fake.Requests() {
		want := plain.Requests()[0].Header.Clone()
		want["Traceparent"] = []string{fmt.Sprint("one-", n+1), fmt.Sprint("two-", n+1)}
		want["X-Own"] = []string{"kept"}
		assert.Equal(t, want, sent.Header)
	}
}

func TestTraceContextGoesToTheTransportAndTheObserver(t *testing.T) {
	var sent, observed any
	fake := apitest.NewScriptedServer(t, func(r *http.Request) (*http.Response, error) {
		sent = r.Context().Value(spanKey{})
		return apitest.RespondData(apitest.Resource)(r)
	})
	var d diary
	client := fake.Client(hiring.WithTrace(d.probe()), hiring.WithObserver(func(ctx context.Context, _ hiring.Exchange) {
		observed = ctx.Value(spanKey{})
		assert.NoError(t, ctx.Err())
	}))
	_, err := client.Account.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "Account.Get > 1 > ", sent)
	assert.Equal(t, sent, observed)
}

// TestTraceSeesACallWithinOneOfAnotherClient uses a transport that makes a call for
// another account.
func TestTraceSeesACallWithinOneOfAnotherClient(t *testing.T) {
	var outer, inner diary
	within := apitest.NewScriptedServer(t, apitest.RespondData(apitest.Resource)).Client(hiring.WithTrace(inner.probe()))
	fake := apitest.NewScriptedServer(t, func(r *http.Request) (*http.Response, error) {
		_, err := within.Account.Get(r.Context())
		require.NoError(t, err)
		return apitest.RespondData(apitest.Resource)(r)
	})
	_, err := fake.Client(hiring.WithTrace(outer.probe())).Account.Get(t.Context())
	require.NoError(t, err)
	assert.Len(t, outer.lines, 4)
	require.Len(t, inner.lines, 4)
	assert.Equal(t, "Account.Get > 1 > call Account.Get GET /account", inner.lines[0])
	assert.Equal(t, "Account.Get > 1 > Account.Get > ended well", inner.lines[3])
}

func TestProbesAddUpAndMayBeEmpty(t *testing.T) {
	fake := apitest.NewScriptedServer(t, apitest.RespondData(apitest.Resource))
	var order []string
	named := func(name string) hiring.Trace {
		return hiring.Trace{
			Call: func(context.Context, hiring.TraceCall) (context.Context, func(error)) {
				order = append(order, name+" call")
				return nil, func(error) { order = append(order, name+" call ended") }
			},
			Attempt: func(context.Context, hiring.TraceAttempt) (context.Context, func(hiring.Exchange)) {
				order = append(order, name+" attempt")
				return nil, func(hiring.Exchange) { order = append(order, name+" attempt ended") }
			},
		}
	}
	silent := hiring.Trace{
		Call:    func(context.Context, hiring.TraceCall) (context.Context, func(error)) { return nil, nil },
		Attempt: func(context.Context, hiring.TraceAttempt) (context.Context, func(hiring.Exchange)) { return nil, nil },
	}
	client, err := fake.Client(hiring.WithTrace(named("a")), hiring.WithTrace(hiring.Trace{}), hiring.WithTrace(silent)).With(hiring.WithTrace(named("b")))
	require.NoError(t, err)
	_, err = client.Account.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{
		"a call", "b call", "a attempt", "b attempt", "b attempt ended", "a attempt ended", "b call ended", "a call ended",
	}, order)
}

// Each begun call and attempt ends once, wherever a panic occurs, and the panic reaches the caller.
func TestTraceThatPanicsReachesTheCaller(t *testing.T) {
	type spot struct {
		name         string
		probe        hiring.Trace
		calls, tries int // Ended.
	}
	spots := []spot{
		{"Call", hiring.Trace{Call: func(context.Context, hiring.TraceCall) (context.Context, func(error)) { panic("boo") }}, 1, 0},
		{"Call's end", hiring.Trace{Call: func(context.Context, hiring.TraceCall) (context.Context, func(error)) {
			return nil, func(error) { panic("boo") }
		}}, 1, 1},
		{"Attempt", hiring.Trace{Attempt: func(context.Context, hiring.TraceAttempt) (context.Context, func(hiring.Exchange)) { panic("boo") }}, 1, 1},
		{"Attempt's end", hiring.Trace{Attempt: func(context.Context, hiring.TraceAttempt) (context.Context, func(hiring.Exchange)) {
			return nil, func(hiring.Exchange) { panic("boo") }
		}}, 1, 1},
	}
	for _, s := range spots {
		inBubble := func(t *testing.T) { // It ends only when no goroutine is left.
			fake := apitest.NewScriptedServer(t, apitest.Respond(200, `{"data":[],"meta":{"request_id":"r","has_more":false}}`))
			calls, tries := 0, 0
			counts := hiring.Trace{
				Call: func(context.Context, hiring.TraceCall) (context.Context, func(error)) {
					return nil, func(err error) {
						calls++
						if s.name != "Call's end" {
							assert.Error(t, err, "a call that panics has not succeeded")
						}
					}
				},
				Attempt: func(context.Context, hiring.TraceAttempt) (context.Context, func(hiring.Exchange)) {
					return nil, func(hiring.Exchange) { tries++ }
				},
			}
			client := fake.Client(hiring.WithTrace(counts), hiring.WithTrace(s.probe))
			assert.PanicsWithValue(t, "boo", func() {
				_, _ = client.Challenges.List().Collect(t.Context())
			})
			assert.Equal(t, [2]int{s.calls, s.tries}, [2]int{calls, tries}, "calls and attempts that ended")
		}
		t.Run(s.name, func(t *testing.T) { synctest.Test(t, inBubble) })
	}
	t.Run("Pause", func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, apitest.RespondError(503, "INTERNAL_ERROR", "Retry-After: 5"))
		client := fake.Client(hiring.WithTrace(hiring.Trace{Pause: func(context.Context, hiring.TracePause) { panic("boo") }}))
		assert.PanicsWithValue(t, "boo", func() { _, _ = client.Account.Get(t.Context()) })
	})
	t.Run("a transport", func(t *testing.T) {
		var d diary
		fake := apitest.NewScriptedServer(t, func(*http.Request) (*http.Response, error) { panic("boo") })
		assert.PanicsWithValue(t, "boo", func() { _, _ = fake.Client(hiring.WithTrace(d.probe())).Account.Get(t.Context()) })
		assert.Equal(t, []string{
			"Account.Get > 1 > ended 0 hiring: the call did not return",
			"Account.Get > ended hiring: the call did not return",
		}, d.lines[2:])
	})
}

// A panic in one end does not keep the others from being called, also when they panic too.
func TestEveryEndOfAnAttemptIsCalled(t *testing.T) {
	fake := apitest.NewScriptedServer(t, apitest.RespondData(apitest.Resource))
	ended := 0
	ends := hiring.Trace{Attempt: func(context.Context, hiring.TraceAttempt) (context.Context, func(hiring.Exchange)) {
		return nil, func(hiring.Exchange) {
			ended++
			panic("boo")
		}
	}}
	client := fake.Client(hiring.WithTrace(ends), hiring.WithTrace(ends), hiring.WithTrace(ends))
	assert.PanicsWithValue(t, "boo", func() { _, _ = client.Account.Get(t.Context()) })
	assert.Equal(t, 3, ended)
}

// allocations returns the fewest objects that f allocates: other goroutines may add to them.
func allocations(f func()) uint64 {
	objects := uint64(math.MaxUint64)
	for range 100 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		objects = min(objects, after.Mallocs-before.Mallocs)
	}
	return objects
}

func TestNoTraceCostsNothing(t *testing.T) {
	fake := apitest.NewScriptedServer(t, apitest.RespondData(apitest.Resource))
	cost := func(opts ...hiring.Option) uint64 {
		client := fake.Client(opts...)
		return allocations(func() {
			if _, err := client.Account.Get(t.Context()); err != nil {
				t.Fatal(err)
			}
		})
	}
	bare := cost()
	assert.Equal(t, bare, cost(hiring.WithTrace(hiring.Trace{})), "allocations of a call with an empty trace")
	watched := cost(hiring.WithObserver(func(context.Context, hiring.Exchange) {}), hiring.WithLogger(slog.New(slog.DiscardHandler)), hiring.WithTrace(hiring.Trace{}))
	assert.InDelta(t, bare, watched, 2, "an observer and a logger cost the header that traces add to, and a function")
}
