package wait_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
)

// schedule is a caller of Poll, Watch or WaitReports at an emulated API.
type schedule struct {
	every   time.Duration          // Of Poll: between two series of calls, each until Wait is above 0. 0: Wait is followed.
	watch   bool                   // Watch with a checkpoint instead,
	awaited []*emulator.Submission // or WaitReports of these.
	restart time.Duration          // Of Watch and WaitReports: how long each process runs. 0: one process.
	options hiring.WatchOptions
	knobs   emulator.Behavior
	all     []*emulator.Submission
	over    time.Duration
	from    time.Duration // Evaluations before this part of the time are not measured.
}

// outcome is what a schedule delivered.
type outcome struct {
	came  map[string]time.Time
	due   int // Evaluations of the time, less the last limit.
	lost  int
	lates []time.Duration
	sent  []time.Time
	rate  float64 // Requests an hour.
	most  int     // Requests in any hour.
	state int     // Size of the largest state.
}

func (o *outcome) String() string {
	short := func(share float64) string { return quantile(o.lates, share).Round(time.Second).String() }
	return fmt.Sprintf("%.1f an hour, %d at most, p50 %s, p95 %s, p99 %s, max %s, %d of %d missing, state %d",
		o.rate, o.most, short(.5), short(.95), short(.99), short(1), o.lost, o.due, o.state)
}

// timed notes when requests were sent.
type timed struct {
	http.RoundTripper
	sent *[]time.Time
}

func (r timed) RoundTrip(q *http.Request) (*http.Response, error) {
	*r.sent = append(*r.sent, time.Now())
	return r.RoundTripper.RoundTrip(q)
}

// run runs the schedule from now on. limit is how late a result may come: what was
// evaluated later than that before the end may be missing.
func (s *schedule) run(t *testing.T, limit time.Duration) *outcome {
	t.Helper()
	service := emulator.New(s.knobs, 1, s.all)
	begun, o := time.Now(), &outcome{came: make(map[string]time.Time)}
	api := timed{service.Transport(150 * time.Millisecond), &o.sent}
	end := begun.Add(s.over)
	process := func() (*hiring.Client, context.Context, context.CancelFunc) {
		client, err := hiring.New("https://service.invalid", "sk_live_emulated", hiring.WithHTTPClient(&http.Client{Transport: api}))
		require.NoError(t, err)
		until := end
		if s.restart > 0 {
			until = earliest(end, time.Now().Add(s.restart))
		}
		ctx, cancel := context.WithDeadline(t.Context(), until)
		return client, ctx, cancel
	}
	take := func(id string, report *hiring.Report) {
		require.Zero(t, o.came[id], "%s comes twice", id)
		require.True(t, report.Ready(), "%s is not ready", id)
		o.came[id] = time.Now()
	}
	switch {
	case s.awaited != nil:
		s.wait(t, o, end, process, take)
	case s.watch:
		checkpoint := new(memoryCheckpoint)
		s.options.Checkpoint = checkpoint
		for time.Now().Before(end) {
			client, ctx, cancel := process()
			for got, err := range client.Submissions.Watch(ctx, s.options) {
				if err != nil {
					require.ErrorIs(t, err, context.DeadlineExceeded)
					<-ctx.Done() // A wait that would last longer ends at once.
					break
				}
				o.state = max(o.state, len(checkpoint.state))
				take(got.ID, got.Report)
			}
			cancel()
		}
	default:
		s.poll(t, o, end, process, take)
	}
	s.measure(o, begun, end, limit)
	assert.True(t, service.Denied == 0 || s.knobs.Rivals > 0, "%d times 429", service.Denied)
	return o
}

type starter = func() (*hiring.Client, context.Context, context.CancelFunc)

func (s *schedule) wait(t *testing.T, o *outcome, end time.Time, process starter, take func(string, *hiring.Report)) {
	ids := idsOf(s.awaited)
	for len(ids) > 0 && time.Now().Before(end) {
		client, ctx, cancel := process()
		for report, err := range client.Submissions.WaitReports(ctx, ids, hiring.WaitOptions{}) {
			if err != nil {
				require.ErrorIs(t, err, context.DeadlineExceeded)
				<-ctx.Done()
				break
			}
			take(report.SubmissionID, &report)
		}
		cancel()
		ids = slices.DeleteFunc(ids, func(id string) bool { return !o.came[id].IsZero() })
	}
}

func (s *schedule) poll(t *testing.T, o *outcome, end time.Time, process starter, take func(string, *hiring.Report)) {
	client, ctx, cancel := process()
	defer cancel()
	state := ""
	for next := time.Now(); time.Now().Before(end); {
		polled, err := client.Submissions.Poll(ctx, s.options, state)
		require.True(t, err == nil || errors.Is(err, context.DeadlineExceeded), err)
		for i := range polled.Submissions {
			take(polled.Submissions[i].ID, polled.Submissions[i].Report)
		}
		state = polled.State
		o.state = max(o.state, len(state))
		switch {
		case polled.Wait == 0:
		case s.every == 0:
			time.Sleep(polled.Wait)
		default:
			for !next.After(time.Now()) {
				next = next.Add(s.every)
			}
			time.Sleep(time.Until(next))
		}
	}
}

// measure sets the figures of a run from begun until end.
func (s *schedule) measure(o *outcome, begun, end time.Time, limit time.Duration) {
	from, until := begun.Add(max(s.from, time.Second)), end.Add(-limit)
	measured := s.all
	if s.awaited != nil {
		from, until, measured = begun, earliest(end, time.Now()), s.awaited
	}
	for _, it := range measured {
		ready := it.Evaluated.Add(max(it.Late, s.knobs.Lag))
		if it.Evaluated.IsZero() || it.Evaluated.Before(from) || ready.After(until) {
			continue
		}
		o.due++
		at, came := o.came[it.ID]
		if !came {
			o.lost++
			continue
		}
		o.lates = append(o.lates, at.Sub(ready))
	}
	if s.from == 0 && s.awaited == nil { // Each series counts.
		from, until = begun, end
	}
	first, n := 0, 0
	for i, at := range o.sent {
		for at.Sub(o.sent[first]) >= time.Hour {
			first++
		}
		o.most = max(o.most, i-first+1)
		if !at.Before(from) && at.Before(until) {
			n++
		}
	}
	o.rate = float64(n) / max(1, until.Sub(from).Hours())
}

func earliest(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// stream returns so many submissions a day, which began 33 days ago.
func stream(over time.Duration, aDay int, l emulator.Life) []*emulator.Submission {
	return emulator.Stream(1, time.Now().Add(-33*day), 33*day+over, aDay, l)
}

// TestRarePollsReadEverything has submissions without their reports, which are read
// singly. Each poll reads what is due, in several calls.
func TestRarePollsReadEverything(t *testing.T) {
	t.Parallel()
	inBubble(t, "150 a day, once a day", func(t *testing.T) {
		s := schedule{every: day, over: 10 * day, knobs: emulator.Behavior{Since: emulator.OnEvaluation, Bare: true}, all: stream(10*day, 150, graded)}
		o := s.run(t, day+time.Hour)
		t.Log(o)
		assert.Zero(t, o.lost)
		assert.LessOrEqual(t, quantile(o.lates, 1), day+time.Hour)
	})
	inBubble(t, "150 a day, once a day, on creation", func(t *testing.T) {
		s := schedule{every: day, over: 4 * day, knobs: emulator.Behavior{Since: emulator.OnCreation, Bare: true}, all: stream(4*day, 150, graded)}
		o := s.run(t, day+time.Hour)
		t.Log(o)
		assert.Zero(t, o.lost)
		assert.LessOrEqual(t, quantile(o.lates, 1), day+time.Hour)
	})
	inBubble(t, "3000 a day, once an hour", func(t *testing.T) {
		s := schedule{every: time.Hour, over: day, knobs: emulator.Behavior{Since: emulator.OnEvaluation, Bare: true}, all: stream(day, 3000, graded)}
		o := s.run(t, 2*time.Hour)
		t.Log(o)
		assert.Zero(t, o.lost)
		assert.LessOrEqual(t, quantile(o.lates, 1), 2*time.Hour)
	})
}

// TestATruncatedWaitingSetIsRemembered has more abandoned attempts than a state holds,
// with submissions that no poll sees unfinished.
func TestATruncatedWaitingSetIsRemembered(t *testing.T) {
	t.Parallel()
	schedules, over := []time.Duration{time.Hour}, day
	if apitest.Long() {
		schedules, over = []time.Duration{20 * time.Minute, time.Hour}, 2*day
	}
	for _, every := range schedules {
		inBubble(t, every.String(), func(t *testing.T) {
			const open = 8000
			all := stream(over, 200, graded)
			begun := time.Now()
			for i := range open {
				it := &emulator.Submission{ID: crowdID(i), Created: begun.Add(-20*day + 20*day/open*time.Duration(i))}
				if i%50 == 0 { // It is submitted after all.
					it.Submitted = begun.Add(over / open * time.Duration(i))
					it.Evaluated = it.Submitted.Add(3 * time.Minute)
				}
				all = append(all, it)
			}
			s := schedule{every: every, over: over, knobs: emulator.Behavior{Since: emulator.OnCreation}, all: all}
			o := s.run(t, 6*time.Hour)
			t.Log(o)
			assert.Zero(t, o.lost)
			assert.LessOrEqual(t, quantile(o.lates, 1), every+75*time.Minute)
		})
	}
}

// TestSharesArePerTime has long intervals.
func TestSharesArePerTime(t *testing.T) {
	t.Parallel()
	length := atLength(day, 3*day)
	inBubble(t, "hourly watch, 2000 a day, reports singly", func(t *testing.T) {
		s := schedule{
			watch: true, options: hiring.WatchOptions{MinInterval: time.Hour}, over: day,
			knobs: emulator.Behavior{Since: emulator.OnEvaluation, Bare: true}, all: stream(day, 2000, graded),
		}
		o := s.run(t, 2*time.Hour+time.Minute)
		t.Log(o)
		assert.Zero(t, o.lost)
		assert.LessOrEqual(t, quantile(o.lates, 1), 2*time.Hour)
	})
	inBubble(t, "watch each three hours on creation", func(t *testing.T) {
		s := schedule{
			watch: true, options: hiring.WatchOptions{MinInterval: 3 * time.Hour}, over: length,
			knobs: emulator.Behavior{Since: emulator.OnCreation}, all: stream(length, 500, emulator.Life{Grading: 3 * time.Minute, Abandoned: 0.3}),
		}
		o := s.run(t, 4*time.Hour)
		t.Log(o)
		assert.Zero(t, o.lost)
		assert.LessOrEqual(t, quantile(o.lates, 1), 4*time.Hour)
	})
	inBubble(t, "hourly watch, an empty status filter", func(t *testing.T) {
		s := schedule{
			watch: true, options: hiring.WatchOptions{MinInterval: time.Hour}, over: length,
			knobs: emulator.Behavior{Since: emulator.OnCreation, Filter: emulator.ShowsNone}, all: stream(length, 150, graded),
		}
		o := s.run(t, 2*time.Hour)
		t.Log(o)
		assert.Zero(t, o.lost)
		assert.LessOrEqual(t, quantile(o.lates, 1), 2*time.Hour)
	})
}

// TestWaitIsZeroAtTheLimits has long intervals and more to read than a poll may.
func TestWaitIsZeroAtTheLimits(t *testing.T) {
	for _, bare := range []bool{false, true} {
		inBubble(t, fmt.Sprint(bare), func(t *testing.T) {
			begun := time.Now()
			all := emulator.Batch(1, begun.Add(-time.Hour), 400, 30*time.Minute)
			service := emulator.New(emulator.Behavior{Since: emulator.OnEvaluation, Bare: bare, PageSize: 20}, 1, all)
			client, err := hiring.New("https://service.invalid", "sk_live_emulated", hiring.WithHTTPClient(&http.Client{Transport: service.Transport(0)}))
			require.NoError(t, err)
			state, came := "", 0
			o := hiring.WatchOptions{Since: begun.Add(-2 * time.Hour), MinInterval: time.Hour}
			for range 40 {
				polled, err := client.Submissions.Poll(t.Context(), o, state)
				require.NoError(t, err)
				came, state = came+len(polled.Submissions), polled.State
				if polled.Wait > 0 {
					break
				}
			}
			assert.Equal(t, 400, came)
			assert.Zero(t, time.Since(begun))
		})
	}
}

// TestTheReadOfTheAccountIsNoSingleRead rotates the key within a poll, which reads the
// account once for each key.
func TestTheReadOfTheAccountIsNoSingleRead(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		begun := time.Now()
		all := emulator.Batch(1, begun.Add(-time.Hour), 400, 30*time.Minute)
		service := emulator.New(emulator.Behavior{Since: emulator.OnEvaluation, Bare: true}, 1, all)
		attempts := 0
		client, err := hiring.New("https://service.invalid", "", hiring.WithHTTPClient(&http.Client{Transport: service.Transport(0)}),
			hiring.WithKeySource(func(context.Context) (string, error) {
				attempts++
				return fmt.Sprint("sk_live_emulated", attempts/15), nil
			}))
		require.NoError(t, err)
		state := ""
		for i := range 6 {
			polled, err := client.Submissions.Poll(t.Context(), hiring.WatchOptions{Since: begun.Add(-2 * time.Hour)}, state)
			require.NoError(t, err)
			assert.Len(t, polled.Submissions, 50, "poll %d", i)
			assert.Zero(t, polled.Wait)
			state = polled.State
		}
	})
}

// failing is an API that fails each n-th request.
type failing struct {
	http.RoundTripper
	fails    func(n int) bool
	header   http.Header
	requests int
}

func (f *failing) RoundTrip(r *http.Request) (*http.Response, error) {
	f.requests++
	if f.fails(f.requests) {
		return &http.Response{StatusCode: http.StatusServiceUnavailable, Header: f.header, Body: http.NoBody, Request: r, ProtoMajor: 1, ProtoMinor: 1}, nil
	}
	return f.RoundTripper.RoundTrip(r)
}

// TestAFailureIsNotAnInterval polls at long intervals. A failed request delays the poll by a
// minute, or by Retry-After, and by twice as long when it fails again.
func TestAFailureIsNotAnInterval(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		service := emulator.New(emulator.Behavior{Since: emulator.OnEvaluation}, 1, stream(day, 100, graded))
		down := true
		api := &failing{RoundTripper: service.Transport(0), fails: func(int) bool { return down }}
		client, err := hiring.New("https://service.invalid", "sk_live_emulated", hiring.WithHTTPClient(&http.Client{Transport: api}), hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}))
		require.NoError(t, err)
		o := hiring.WatchOptions{MinInterval: time.Hour}
		polled, err := client.Submissions.Poll(t.Context(), o, "")
		require.Error(t, err, "the read of the account")
		assert.LessOrEqual(t, polled.Wait, time.Minute)
		down = false
		polled, err = client.Submissions.Poll(t.Context(), o, polled.State)
		require.NoError(t, err)
		assert.Equal(t, time.Hour, polled.Wait.Round(time.Minute))
		down = true
		time.Sleep(polled.Wait)
		for _, want := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute} {
			polled, err = client.Submissions.Poll(t.Context(), o, polled.State)
			require.True(t, hiring.IsTransient(err))
			assert.Equal(t, want, polled.Wait)
			time.Sleep(polled.Wait)
		}
		api.header = http.Header{"Retry-After": {"1500"}}
		polled, err = client.Submissions.Poll(t.Context(), o, polled.State)
		require.True(t, hiring.IsTransient(err))
		assert.Equal(t, 25*time.Minute, polled.Wait)
		down = false
		time.Sleep(polled.Wait)
		polled, err = client.Submissions.Poll(t.Context(), o, polled.State)
		require.NoError(t, err)
		assert.NotEmpty(t, polled.Submissions)
		assert.Equal(t, time.Hour, polled.Wait.Round(time.Minute))
	})
}

// roundTripper is a function as transport.
type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestAFailedSingleReadDelaysTheNextRequest fails single reads with a Retry-After above
// MaxWait. No request follows before it.
func TestAFailedSingleReadDelaysTheNextRequest(t *testing.T) {
	for name, poll := range map[string]func(ctx context.Context, c *hiring.Client, ids []string) error{
		"Watch": func(ctx context.Context, c *hiring.Client, _ []string) error {
			return apitest.LastError(c.Submissions.Watch(ctx, hiring.WatchOptions{Since: time.Now().Add(-day)}))
		},
		"WaitReports": func(ctx context.Context, c *hiring.Client, ids []string) error {
			return apitest.LastError(c.Submissions.WaitReports(ctx, ids, hiring.WaitOptions{}))
		},
		"Poll": func(ctx context.Context, c *hiring.Client, _ []string) error {
			since, state := time.Now().Add(-day), ""
			for {
				polled, err := c.Submissions.Poll(ctx, hiring.WatchOptions{Since: since}, state)
				if state = polled.State; ctx.Err() != nil {
					return err
				}
				time.Sleep(polled.Wait)
			}
		},
	} {
		inBubble(t, name, func(t *testing.T) {
			all := emulator.Batch(1, time.Now().Add(-time.Hour), 20, 30*time.Minute)
			var ids []string
			for _, it := range all {
				ids = append(ids, it.ID)
			}
			service := emulator.New(emulator.Behavior{Since: emulator.OnEvaluation, Bare: true}, 1, all).Transport(0)
			var failed time.Time
			failures := 0
			api := roundTripper(func(r *http.Request) (*http.Response, error) {
				if !failed.IsZero() {
					assert.GreaterOrEqual(t, time.Since(failed), 2*time.Minute, "%s", r.URL.Path)
				}
				failed = time.Time{}
				if failures < 5 && strings.Contains(r.URL.Path, "/submissions/") {
					failures++
					failed = time.Now()
					return apitest.Respond(503, "", "Retry-After: 120")(r)
				}
				return service.RoundTrip(r)
			})
			client, err := hiring.New("https://service.invalid", "sk_live_emulated", hiring.WithHTTPClient(&http.Client{Transport: api}))
			require.NoError(t, err)
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			err = poll(ctx, client, ids)
			assert.True(t, err == nil || errors.Is(err, context.DeadlineExceeded), "%v", err)
			assert.Equal(t, 5, failures)
		})
	}
}

// TestAnInterruptedPollIsOver continues a day later: what was evaluated meanwhile does not
// wait for another day.
func TestAnInterruptedPollIsOver(t *testing.T) {
	t.Parallel()
	for _, on := range everySince {
		inBubble(t, on.String(), func(t *testing.T) {
			begun := time.Now()
			all := stream(10*day, 100, graded)
			service := emulator.New(emulator.Behavior{Since: on, Bare: true}, 1, all)
			series := 0
			api := &failing{RoundTripper: service.Transport(0)}
			inSeries := 0
			api.fails = func(int) bool { // The second half of each second series.
				inSeries++
				return series%2 == 1 && inSeries > 12
			}
			client, err := hiring.New("https://service.invalid", "sk_live_emulated", hiring.WithHTTPClient(&http.Client{Transport: api}), hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}))
			require.NoError(t, err)
			state, came := "", make(map[string]time.Time)
			for ; series < 10; series++ {
				for wait := time.Duration(0); wait == 0; {
					polled, err := client.Submissions.Poll(t.Context(), hiring.WatchOptions{}, state)
					require.True(t, err == nil || hiring.IsTransient(err))
					for _, s := range polled.Submissions {
						require.Zero(t, came[s.ID])
						came[s.ID] = time.Now()
					}
					state, wait = polled.State, polled.Wait
				}
				inSeries = 0
				time.Sleep(time.Until(begun.Add(time.Duration(series+1) * day)))
			}
			for _, it := range all {
				if it.Evaluated.After(begun.Add(time.Second)) && it.Evaluated.Before(begun.Add(7*day)) {
					require.NotZero(t, came[it.ID])
					assert.LessOrEqual(t, came[it.ID].Sub(it.Evaluated), 2*day, "%s after the beginning", it.Evaluated.Sub(begun))
				}
			}
		})
	}
}
