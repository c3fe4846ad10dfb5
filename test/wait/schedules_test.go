package wait_test

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
)

// schedule is a caller of Poll or Watch at an emulated API.
type schedule struct {
	every   time.Duration // Of Poll: between two series of calls, each until Wait is above 0. 0: Wait is followed.
	watch   bool          // Watch with a checkpoint instead.
	options hiring.WatchOptions
	knobs   emulator.Behavior
	all     []*emulator.Submission
	over    time.Duration
}

// outcome is what a schedule delivered.
type outcome struct {
	came   map[string]time.Time
	due    int // Evaluations of the time, less the last limit.
	lost   int
	lates  []time.Duration
	rate   float64 // Requests an hour.
	denied int
	state  int // Size of the largest state.
}

func (o *outcome) String() string {
	short := func(share float64) string { return quantile(o.lates, share).Round(time.Second).String() }
	return fmt.Sprintf("%.0f an hour, p50 %s, p95 %s, max %s, %d of %d missing, state %d", o.rate, short(.5), short(.95), short(1), o.lost, o.due, o.state)
}

// run runs the schedule from now on. limit is how late a result may come: what was
// evaluated later than that before the end may be missing.
func (s *schedule) run(t *testing.T, limit time.Duration) *outcome {
	t.Helper()
	service := emulator.New(s.knobs, 1, s.all)
	client, err := hiring.New("https://service.invalid", "sk_live_emulated", hiring.WithHTTPClient(&http.Client{Transport: service.Transport(150 * time.Millisecond)}))
	require.NoError(t, err)
	begun, o := time.Now(), &outcome{came: make(map[string]time.Time)}
	take := func(got *hiring.Submission) {
		require.Zero(t, o.came[got.ID], "%s comes twice", got.ID)
		require.True(t, got.Report.Ready(), "%s is not ready", got.ID)
		o.came[got.ID] = time.Now()
	}
	if s.watch {
		checkpoint := new(memoryCheckpoint)
		s.options.Checkpoint = checkpoint
		ctx, cancel := context.WithTimeout(t.Context(), s.over)
		defer cancel()
		for got, err := range client.Submissions.Watch(ctx, s.options) {
			if err != nil {
				require.ErrorIs(t, err, context.DeadlineExceeded)
				break
			}
			o.state = max(o.state, len(checkpoint.state))
			take(&got)
		}
	}
	state := ""
	for next := begun; !s.watch && time.Since(begun) < s.over; {
		polled, err := client.Submissions.Poll(t.Context(), s.options, state)
		require.NoError(t, err)
		for i := range polled.Submissions {
			take(&polled.Submissions[i])
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
	end := begun.Add(s.over)
	for _, it := range s.all {
		from := it.Evaluated.Add(max(it.Late, s.knobs.Lag))
		if it.Evaluated.IsZero() || it.Evaluated.Before(begun.Add(time.Second)) || from.After(end.Add(-limit)) {
			continue
		}
		o.due++
		at, came := o.came[it.ID]
		if !came {
			o.lost++
			continue
		}
		o.lates = append(o.lates, at.Sub(from))
	}
	o.rate, o.denied = float64(service.Reads)/s.over.Hours(), service.Denied
	assert.Zero(t, service.Denied)
	return o
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
	for _, every := range []time.Duration{20 * time.Minute, time.Hour} {
		if every == 20*time.Minute && os.Getenv("HIRING_LONG") == "" {
			continue
		}
		inBubble(t, every.String(), func(t *testing.T) {
			over := 30 * time.Hour
			all := stream(over, 50, graded)
			begun := time.Now()
			for i := range 11_000 {
				it := &emulator.Submission{ID: crowdID(i), Created: begun.Add(-20*day + time.Duration(i)*time.Minute)}
				if i%100 == 0 { // It is submitted after all.
					it.Submitted = begun.Add(time.Duration(i) * over / 11_000)
					it.Evaluated = it.Submitted.Add(3 * time.Minute)
				}
				all = append(all, it)
			}
			s := schedule{every: every, over: over, knobs: emulator.Behavior{Since: emulator.OnCreation}, all: all}
			o := s.run(t, 6*time.Hour)
			t.Log(o)
			assert.Zero(t, o.lost)
			assert.LessOrEqual(t, quantile(o.lates, 1), 6*time.Hour)
		})
	}
}

// TestSharesArePerTime has long intervals.
func TestSharesArePerTime(t *testing.T) {
	t.Parallel()
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
			watch: true, options: hiring.WatchOptions{MinInterval: 3 * time.Hour}, over: 3 * day,
			knobs: emulator.Behavior{Since: emulator.OnCreation}, all: stream(3*day, 500, graded),
		}
		o := s.run(t, 4*time.Hour)
		t.Log(o)
		assert.Zero(t, o.lost)
		assert.LessOrEqual(t, quantile(o.lates, 1), 4*time.Hour)
	})
	inBubble(t, "hourly watch, an empty status filter", func(t *testing.T) {
		s := schedule{
			watch: true, options: hiring.WatchOptions{MinInterval: time.Hour}, over: 3 * day,
			knobs: emulator.Behavior{Since: emulator.OnCreation, Filter: emulator.ShowsNone}, all: stream(3*day, 150, graded),
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
			assert.Equal(t, 50, len(polled.Submissions), "poll %d", i)
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

// TestAnInterruptedPollIsOver continues a day later: what was evaluated meanwhile does not
// wait for another day.
func TestAnInterruptedPollIsOver(t *testing.T) {
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
