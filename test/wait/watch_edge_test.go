package wait_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// watch watches for a duration.
func (d *deliveredOf) watch(t *testing.T, client *hiring.Client, o hiring.WatchOptions, span time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), span)
	defer cancel()
	for s, err := range client.Submissions.Watch(ctx, o) {
		if err != nil {
			require.ErrorIs(t, err, context.DeadlineExceeded)
			break
		}
		d.take(s.ID)
	}
}

// once asserts that each submission evaluated by then was delivered once.
func (d *deliveredOf) once(t *testing.T, to time.Duration) {
	t.Helper()
	missed, twice := d.missed(to)
	assert.Zero(t, missed, "missed")
	assert.Zero(t, twice, "came twice")
	assert.NotZero(t, d.total)
}

// atLength returns full with HIRING_LONG, and otherwise short.
func atLength[T any](short, full T) T {
	if apitest.Long() {
		return full
	}
	return short
}

// mostFields returns every field that since may filter on. Without HIRING_LONG it
// leaves out submission, which lies between the other two.
func mostFields() []sandbox.SinceField {
	return atLength([]sandbox.SinceField{sandbox.SinceCreated, sandbox.SinceEvaluated}, sinceFields)
}

// fieldsFor returns the fields that since may filter on in one case of a table. Without
// HIRING_LONG it returns one of them by the case's name, so that the whole table covers
// all of them.
func fieldsFor(name string) []sandbox.SinceField {
	if apitest.Long() {
		return sinceFields
	}
	n := len(name) % len(sinceFields)
	return sinceFields[n : n+1]
}

// inBubble runs a subtest in virtual time.
func inBubble(t *testing.T, name string, run func(*testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, run) })
}

func after(d time.Duration) func(*rand.Rand) time.Duration {
	return func(*rand.Rand) time.Duration { return d }
}

func within(d time.Duration) func(*rand.Rand) time.Duration {
	return func(random *rand.Rand) time.Duration { return time.Duration(random.Int64N(int64(d))) }
}

// TestWatchDeliversALargeBacklogOnce has more submissions than a state can hold.
func TestWatchDeliversALargeBacklogOnce(t *testing.T) {
	t.Parallel()
	for _, on := range mostFields() {
		inBubble(t, string(on), func(t *testing.T) {
			crowd := newLargeService(on, 12_500, 24*time.Hour, within(3*time.Hour))
			got := newDelivered(crowd)
			time.Sleep(28 * time.Hour)
			state := ""
			for begun := time.Now(); time.Since(begun) < time.Hour; {
				before := crowd.requests
				polled, err := crowd.client(t).Submissions.Poll(t.Context(), hiring.WatchOptions{Since: crowd.zero}, state)
				require.NoError(t, err)
				require.LessOrEqual(t, crowd.requests-before, 11)
				require.LessOrEqual(t, len(polled.State), 256<<10)
				for _, s := range polled.Submissions {
					got.take(s.ID)
				}
				state = polled.State
				time.Sleep(polled.Wait)
			}
			got.once(t, 48*time.Hour)
		})
	}
}

// TestBacklogIsCompleteWithWrongDateHeaders has a backlog of many pages and a Date header
// that is wrong in all responses or in one.
func TestBacklogIsCompleteWithWrongDateHeaders(t *testing.T) {
	t.Parallel()
	type wrong struct {
		ahead time.Duration
		once  int // Number of the request; 0: all.
	}
	cases := []wrong{{20 * time.Minute, 0}, {5 * time.Hour, 0}, {26 * time.Hour, 0}}
	for n := range 14 {
		cases = append(cases, wrong{70 * 365 * 24 * time.Hour, n + 1})
	}
	for _, c := range cases {
		inBubble(t, fmt.Sprint(c), func(t *testing.T) {
			crowd := newLargeService(sandbox.SinceEvaluated, 800, 4*time.Hour, within(time.Hour))
			crowd.limit = 300
			crowd.intercept = func(*http.Request) (*http.Response, error) {
				crowd.date = 0
				if c.once == 0 || c.once == crowd.requests {
					crowd.date = c.ahead
				}
				return nil, nil
			}
			time.Sleep(3 * time.Hour)
			got := newDelivered(crowd)
			o := hiring.WatchOptions{Since: crowd.zero, MinInterval: 5 * time.Minute, MaxInterval: 8 * time.Minute}
			got.watch(t, crowd.client(t), o, 9*time.Hour)
			got.once(t, 8*time.Hour)
		})
	}
}

// TestWatchDeliversWithinLookback evaluates some submissions just before they are too
// old. Reading the whole listing takes hours.
func TestWatchDeliversWithinLookback(t *testing.T) {
	t.Parallel()
	const lookback, over = 20 * time.Hour, 30 * time.Hour
	for _, c := range []struct{ off, ahead time.Duration }{{0, 0}, {6 * time.Hour, 0}, {0, 5 * time.Hour}} {
		inBubble(t, fmt.Sprint(c), func(t *testing.T) {
			crowd := newLargeService(sandbox.SinceCreated, 1500, over, func(random *rand.Rand) time.Duration {
				if random.IntN(300) == 0 {
					return lookback - time.Second
				}
				return time.Duration(random.Int64N(int64(time.Hour)))
			})
			crowd.limit, crowd.date = 30, c.ahead
			got := newDelivered(crowd)
			o := hiring.WatchOptions{
				Lookback: lookback, Since: crowd.zero, Checkpoint: new(memoryCheckpoint), MinInterval: 15 * time.Minute, MaxInterval: 20 * time.Minute,
			}
			got.watch(t, crowd.client(t), o, 24*time.Hour)
			time.Sleep(c.off) // There is no watch.
			got.watch(t, crowd.client(t), o, 40*time.Hour)
			got.once(t, over+lookback)
		})
	}
}

// TestWatchOutlivesCursors uses cursors that expire or are lost with a restart of the
// API.
func TestWatchOutlivesCursors(t *testing.T) {
	t.Parallel()
	for _, on := range mostFields() {
		inBubble(t, string(on), func(t *testing.T) {
			crowd := newLargeService(on, 7900, 4*time.Hour, within(time.Hour))
			time.Sleep(6 * time.Hour)
			lost := make(map[string]bool)
			crowd.intercept = func(r *http.Request) (*http.Response, error) {
				query := r.URL.Query()
				at, _, _ := strings.Cut(query.Get("cursor"), "-")
				place, _ := strconv.Atoi(at)
				if place == 0 || place > 5000 || lost[query.Get("since")] { // Once in the middle of each scan.
					return nil, nil
				}
				lost[query.Get("since")] = true
				return refuseCursor(r)
			}
			got := newDelivered(crowd)
			got.watch(t, crowd.client(t), hiring.WatchOptions{Since: crowd.zero, MinInterval: 5 * time.Minute}, time.Hour)
			got.once(t, 6*time.Hour)
		})
	}
}

func refuseCursor(r *http.Request) (*http.Response, error) {
	return apitest.RespondError(400, hiring.ErrInvalidInput)(r)
}

// TestCursorsThatNeverWorkEndAWait checks that the requests are not repeated without end.
func TestCursorsThatNeverWorkEndAWait(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		crowd := newLargeService(sandbox.SinceCreated, 1000, time.Hour, within(time.Hour))
		crowd.intercept = func(r *http.Request) (*http.Response, error) {
			if r.URL.Query().Has("cursor") {
				return refuseCursor(r)
			}
			return nil, nil
		}
		time.Sleep(3 * time.Hour)
		require.ErrorIs(t, apitest.LastError(crowd.client(t).Submissions.Watch(t.Context(), hiring.WatchOptions{Since: crowd.zero})), hiring.ErrInvalidInput)
		assert.LessOrEqual(t, crowd.requests, 40)
	})
}

// TestWatchHandlesUnusualServers checks behaviour that the documentation does not exclude.
func TestWatchHandlesUnusualServers(t *testing.T) {
	t.Parallel()
	every := func(n int) func(int) bool { return func(i int) bool { return i%n == 0 } }
	for name, odd := range map[string]func(*largeService){
		"all as documented":    func(*largeService) {},
		"since is ignored":     func(c *largeService) { c.ignoresSince = true },
		"status is ignored":    func(c *largeService) { c.ignoresStatus = true },
		"both are ignored":     func(c *largeService) { c.ignoresSince, c.ignoresStatus = true, true },
		"pages hide some once": func(c *largeService) { c.hides = every(7) },
		"pages shift":          func(c *largeService) { c.byOffset = true },
		"cursors expire":       func(c *largeService) { c.cursorAge = 10 * time.Minute },
		"no report inline":     func(c *largeService) { c.bare = every(5) },
		"no evaluated_at":      func(c *largeService) { c.undated = every(3) },
		"neither of both":      func(c *largeService) { c.undated, c.bare = every(4), every(2) },
		"evaluations show late": func(c *largeService) {
			c.lag = make([]int64, len(c.created))
			for i := range c.lag {
				c.lag[i] = rand.Int64N(119_000)
			}
		},
		"evaluations in bunches": func(c *largeService) {
			for i, at := range c.evaluated {
				c.evaluated[i] = (at/600_000 + 1) * 600_000 // In the same millisecond,
			}
			c.lag = make([]int64, len(c.created))
			for i := range c.lag {
				c.lag[i] = rand.Int64N(119_000) // but visible at different times.
			}
			c.index()
		},
		"Date is behind": func(c *largeService) { c.date = -5 * time.Hour },
		"Date is ahead":  func(c *largeService) { c.date = 5 * time.Hour },
		"no Date":        func(c *largeService) { c.noDate = true },
		"Date is wrong once": func(c *largeService) {
			c.intercept = func(*http.Request) (*http.Response, error) {
				c.date = 0
				if c.requests == 30 {
					c.date = 70 * 365 * 24 * time.Hour
				}
				return nil, nil
			}
		},
		"clocks of candidates are wrong": func(c *largeService) {
			for i := range c.submitted {
				if i%50 == 0 {
					c.submitted[i] -= 20 * 3600_000
				}
			}
			c.index()
		},
	} {
		for _, on := range fieldsFor(name) {
			if name == "clocks of candidates are wrong" && on == sandbox.SinceSubmitted {
				continue // A since on such a time can be wrong by hours.
			}
			inBubble(t, name+" "+string(on), func(t *testing.T) {
				crowd := newLargeService(on, 400, 4*time.Hour, within(2*time.Hour))
				crowd.limit = 300
				odd(crowd)
				got := newDelivered(crowd)
				o := hiring.WatchOptions{Since: crowd.zero, MinInterval: 5 * time.Minute, MaxInterval: 8 * time.Minute}
				got.watch(t, crowd.client(t), o, 9*time.Hour)
				got.once(t, 8*time.Hour)
				assert.Zero(t, crowd.refused)
			})
		}
	}
}

// TestWatchWaitsForSubmissionsListedLate uses evaluations that are visible up to two minutes
// late, after later ones were delivered.
func TestWatchWaitsForSubmissionsListedLate(t *testing.T) {
	t.Parallel()
	for _, on := range sinceFields {
		inBubble(t, string(on), func(t *testing.T) {
			crowd := newLargeService(on, 40, 5*time.Minute, within(time.Minute))
			crowd.limit = 1 << 20
			crowd.lag = make([]int64, len(crowd.created))
			for i := range crowd.lag {
				crowd.lag[i] = int64(i%2) * 119_000
			}
			got := newDelivered(crowd)
			got.watch(t, crowd.client(t), hiring.WatchOptions{Since: crowd.zero, MinInterval: time.Second, MaxInterval: 2 * time.Second}, 10*time.Minute)
			got.once(t, 7*time.Minute)
		})
	}
}

func TestWatchDeliversSubmissionsWithoutReport(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		ready  bool
	}{
		"missing": {404, `{"error":{"code":"NOT_FOUND","message":"none","request_id":"req_0e"}}`, false},
		"pending": {200, `{"data":{"id":"%s","status":"submitted"},"meta":{"request_id":"req_0a"}}`, false},
		"there":   {0, "", true},
	} {
		inBubble(t, name, func(t *testing.T) {
			crowd := newLargeService(sandbox.SinceEvaluated, 1, time.Second, after(time.Minute))
			crowd.bare = func(int) bool { return true }
			crowd.single = func(i int, _ string) (int, string) { return c.status, strings.Replace(c.body, "%s", crowdID(i), 1) }
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
			defer cancel()
			n := 0
			for s, err := range crowd.client(t).Submissions.Watch(ctx, hiring.WatchOptions{}) {
				if err != nil {
					break
				}
				n++
				assert.Equal(t, hiring.SubmissionEvaluated, s.Status)
				assert.Equal(t, c.ready, s.Report.Ready())
				assert.NotNil(t, s.EvaluatedAt)
			}
			assert.Equal(t, 1, n)
		})
	}
}

// TestPollNoticesAnotherAccount uses a key source that may return another key for any
// request.
func TestPollNoticesAnotherAccount(t *testing.T) {
	server := sandbox.Start(t, sandbox.WithKey(sandbox.Key{Token: "sk_live_same", Scope: sandbox.ScopeRead}),
		sandbox.WithKey(sandbox.Key{Token: "sk_live_other", Scope: sandbox.ScopeRead, Organization: "other"}))
	key := sandbox.LiveKey
	client, err := hiring.New("https://sandbox.invalid", "", hiring.WithHTTPClient(&http.Client{Transport: server.Transport()}),
		hiring.WithKeySource(func(context.Context) (string, error) { return key, nil }))
	require.NoError(t, err)
	polled, err := client.Submissions.Poll(t.Context(), hiring.WatchOptions{}, "")
	require.NoError(t, err)
	key = "sk_live_same"
	polled, err = client.Submissions.Poll(t.Context(), hiring.WatchOptions{}, polled.State)
	require.NoError(t, err)
	key = "sk_live_other"
	for range 2 {
		polled, err = client.Submissions.Poll(t.Context(), hiring.WatchOptions{}, polled.State)
		require.ErrorIs(t, err, hiring.ErrInvalidInput)
		require.ErrorContains(t, err, "another account")
		assert.Empty(t, polled.Submissions)
	}
	key = sandbox.LiveKey
	_, err = client.Submissions.Poll(t.Context(), hiring.WatchOptions{}, polled.State)
	require.NoError(t, err, "the state is as good as before")
}

// TestPollNoticesAnotherAccountBetweenItsRequests changes the key before each request of
// some polls, also before those with a cursor or a status.
func TestPollNoticesAnotherAccountBetweenItsRequests(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		for change := 1; change <= 60; change++ {
			crowd := newLargeService(sandbox.SinceEvaluated, 300, time.Hour, within(time.Hour))
			crowd.intercept = func(r *http.Request) (*http.Response, error) {
				if r.Header.Get("Authorization") == "Bearer sk_live_other" && strings.HasSuffix(r.URL.Path, "/account") {
					return crowd.respond(r, 200, `{"data":{"id":"other"}}`), nil
				}
				return nil, nil
			}
			requests := 0
			client, err := hiring.New("https://sandbox.invalid", "", hiring.WithHTTPClient(&http.Client{Transport: crowd}),
				hiring.WithKeySource(func(context.Context) (string, error) {
					requests++
					if requests > 1 && requests >= change {
						return "sk_live_other", nil
					}
					return sandbox.LiveKey, nil
				}))
			require.NoError(t, err)
			var polled hiring.PollResult
			for requests < change {
				polled, err = client.Submissions.Poll(t.Context(), hiring.WatchOptions{Since: crowd.zero}, polled.State)
				if requests < change {
					require.NoError(t, err)
					time.Sleep(max(polled.Wait, time.Minute))
				}
			}
			if change > 1 {
				require.ErrorIs(t, err, hiring.ErrInvalidInput, "changed before request %d", change)
				require.ErrorContains(t, err, "another account")
				assert.NotContains(t, polled.State, "unfiltered")
			}
		}
	})
}

// TestPollTakesExtremeTimes uses times whose sums neither a query nor a state can hold.
func TestPollTakesExtremeTimes(t *testing.T) {
	day := func(year int) time.Time { return time.Date(year, 1, 1, 0, 0, 1, 0, time.UTC) }
	for name, c := range map[string]struct {
		options hiring.WatchOptions
		found   int
	}{
		"BC":           {hiring.WatchOptions{Since: day(-5000)}, 3},
		"0":            {hiring.WatchOptions{Since: day(0)}, 3},
		"1":            {hiring.WatchOptions{Since: day(1), Lookback: math.MaxInt64}, 3},
		"9999":         {hiring.WatchOptions{Since: day(9999)}, 0},
		"all time":     {hiring.WatchOptions{Lookback: math.MaxInt64}, 0},
		"no time":      {hiring.WatchOptions{Since: day(1999), Lookback: 1}, 3},
		"long pauses":  {hiring.WatchOptions{Since: day(1970), MinInterval: math.MaxInt64}, 3},
		"short pauses": {hiring.WatchOptions{Since: day(1970), MinInterval: time.Millisecond, MaxInterval: time.Millisecond}, 3},
	} {
		inBubble(t, name, func(t *testing.T) {
			crowd := newLargeService(sandbox.SinceEvaluated, 3, time.Second, within(time.Second))
			crowd.intercept = func(r *http.Request) (*http.Response, error) {
				if since := r.URL.Query().Get("since"); since != "" {
					_, err := time.Parse(time.RFC3339, since)
					assert.NoError(t, err)
				}
				return nil, nil
			}
			time.Sleep(time.Hour)
			state, found := "", 0
			for range 4 {
				polled, err := crowd.client(t).Submissions.Poll(t.Context(), c.options, state)
				require.NoError(t, err)
				state, found = polled.State, found+len(polled.Submissions)
				assert.Positive(t, polled.Wait)
				time.Sleep(min(polled.Wait, time.Hour))
			}
			assert.Equal(t, c.found, found)
		})
	}
}

// TestSinceIsInclusive checks that a submission evaluated at exactly that time is
// delivered.
func TestSinceIsInclusive(t *testing.T) {
	for _, on := range sinceFields {
		inBubble(t, string(on), func(t *testing.T) {
			crowd := newLargeService(on, 3, time.Second, after(time.Hour))
			copy(crowd.evaluated, []int64{3_600_000 - 1, 3_600_000, 3_600_000 + 1})
			crowd.index()
			time.Sleep(2 * time.Hour)
			polled, err := crowd.client(t).Submissions.Poll(t.Context(), hiring.WatchOptions{Since: crowd.zero.Add(time.Hour)}, "")
			require.NoError(t, err)
			got := newDelivered(crowd)
			for _, s := range polled.Submissions {
				got.take(s.ID)
			}
			assert.Equal(t, []uint8{0, 1, 1}, got.times)
		})
	}
}
