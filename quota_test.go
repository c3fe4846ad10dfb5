package hiring_test

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// said is what a reply tells of a quota.
type said struct {
	limit, remaining int
	left             time.Duration // Of the window.
	skew             time.Duration // Of the service's clock.
	retryAfter       string
}

// with adds the headers to an answer that takes headers, at the time of the reply.
func (s said) with(a func(headers ...string) answer) answer {
	return func(r *http.Request) (*http.Response, error) {
		now := time.Now().Add(s.skew)
		headers := []string{
			"Date: " + now.UTC().Format(http.TimeFormat),
			"X-RateLimit-Limit: " + strconv.Itoa(s.limit),
			"X-RateLimit-Remaining: " + strconv.Itoa(s.remaining),
			"X-RateLimit-Reset: " + strconv.FormatInt(now.Add(s.left).Unix(), 10),
		}
		if s.retryAfter != "" {
			headers = append(headers, "Retry-After: "+s.retryAfter)
		}
		return a(headers...)(r)
	}
}

func succeeds(headers ...string) answer { return data(thing, headers...) }

func limited(headers ...string) answer { return refuses(429, "RATE_LIMITED", headers...) }

func patience(d time.Duration) hiring.Option {
	return hiring.WithRetry(hiring.RetryPolicy{MaxWait: d})
}

func read(ctx context.Context, c *hiring.Client) error {
	_, err := c.Account.Get(ctx)
	return err
}

func write(ctx context.Context, c *hiring.Client) error { return c.Assessments.Delete(ctx, fakeID) }

// refusedLocally sees to it that err is of a call of which nothing was sent.
func refusedLocally(t *testing.T, what string, err error, retryAfter time.Duration) {
	t.Helper()
	require.ErrorIs(t, err, hiring.ErrQuotaExhausted, "%s", what)
	require.ErrorIs(t, err, hiring.ErrRateLimited, "%s", what)
	failure := failureOf(t, what, err)
	assert.Equal(t, hiring.ErrRateLimited, failure.Code, "%s", what)
	assert.Zero(t, failure.Status, "%s", what)
	assert.Equal(t, retryAfter, failure.RetryAfter, "%s: RetryAfter", what)
}

func TestGateWaitsForTheWindow(t *testing.T) {
	for name, skew := range map[string]time.Duration{"clocks agree": 0, "server ahead": 7 * time.Hour, "server behind": -7 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			fake := newFake(t, said{1000, 0, 40 * time.Second, skew, ""}.with(succeeds), data(thing))
			client := fake.client()
			require.NoError(t, read(t.Context(), client), "%s", name)
			require.NoError(t, read(t.Context(), client), "%s", name)
			assert.Equal(t, []time.Duration{40 * time.Second}, fake.pauses(), "%s: by the server's clock", name)
			require.NoError(t, read(t.Context(), client), "%s", name)
			assert.Zero(t, fake.pauses()[1], "%s: the window has turned", name)
		})
	}
}

func TestGateFailsAtOnceWhenTheWaitIsTooLong(t *testing.T) {
	for name, c := range map[string]struct {
		left, deadline time.Duration
		waits          bool
	}{
		"MaxWait":             {time.Minute, time.Hour, true},
		"beyond MaxWait":      {61 * time.Second, time.Hour, false},
		"the deadline":        {30 * time.Second, 30 * time.Second, false},
		"beyond the deadline": {30 * time.Second, 20 * time.Second, false},
		"before the deadline": {30 * time.Second, 31 * time.Second, true},
		"a whole window":      {time.Hour, 2 * time.Hour, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			fake := newFake(t, said{200, 0, c.left, 0, ""}.with(succeeds), data(thing))
			exchanges := 0
			client := fake.client(hiring.WithObserver(func(context.Context, hiring.Exchange) { exchanges++ }))
			require.NoError(t, write(t.Context(), client))
			ctx, cancel := context.WithTimeout(t.Context(), c.deadline)
			defer cancel()
			begun := time.Now()
			err := write(ctx, client)
			if c.waits {
				require.NoError(t, err, "%s", name)
				assert.Equal(t, c.left, time.Since(begun), "%s", name)
				return
			}
			refusedLocally(t, name, err, c.left)
			failure := failureOf(t, name, err)
			assert.Zero(t, time.Since(begun), "%s: nothing is waited", name)
			assert.Len(t, fake.requests(), 1, "%s: nothing is sent", name)
			assert.Equal(t, 1, exchanges, "%s: no Exchange", name)
			assert.Zero(t, failure.Attempts, "%s", name)
			assert.Equal(t, hiring.OutcomeNotDone, failure.Outcome, "%s", name)
			assert.Equal(t, client.Quota().Write, failure.RateLimit, "%s", name)
			require.NotErrorIs(t, err, context.DeadlineExceeded, "%s: the context has not ended", name)
			until := begun.Add(c.left).UTC().Format(time.RFC3339)
			require.EqualError(t, err, "hiring: Assessments.Delete: RATE_LIMITED: not sent, because the write quota of 200 an hour is used up until "+
				until+", by the service's clock; retry after "+c.left.String(), "%s", name)
		})
	}
}

func TestContextThatEndsAtTheGateJoinsBothErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reason := errors.New("shutting down")
		fake := newFake(t, said{1000, 0, 40 * time.Second, 0, ""}.with(succeeds))
		client := fake.client()
		require.NoError(t, read(t.Context(), client))
		ctx, cancel := context.WithCancelCause(t.Context())
		begun := time.Now()
		time.AfterFunc(3*time.Second, func() { cancel(reason) })
		err := read(ctx, client)
		assert.Equal(t, 3*time.Second, time.Since(begun))
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, reason)
		refusedLocally(t, "Get", err, 40*time.Second)
		assert.Len(t, fake.requests(), 1)
		assert.NotContains(t, err.Error(), "\n")
	})
}

func TestGateKeepsClassesAndKeysApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		key := fakeKey
		source := hiring.WithKeySource(func(context.Context) (string, error) { return key, nil })
		fake := newFake(t, said{1000, 0, time.Hour, 0, ""}.with(succeeds), said{200, 9, time.Hour, 0, ""}.with(succeeds), data(thing))
		client := fake.client(source)
		variant, err := client.With(hiring.WithUserAgent("x/1"))
		require.NoError(t, err)
		require.NoError(t, read(t.Context(), client))
		require.NoError(t, write(t.Context(), client), "writes are counted apart")
		refusedLocally(t, "a variant shares what is known", read(t.Context(), variant), time.Hour)
		require.NoError(t, write(t.Context(), variant))

		key = "sk_test_another"
		require.NoError(t, read(t.Context(), client), "quotas are per key")
		key = fakeKey
		refusedLocally(t, "the first key again", read(t.Context(), client), time.Hour)

		stranger := fake.client()
		require.NoError(t, read(t.Context(), stranger), "another client knows nothing of it")
		assert.Len(t, fake.requests(), 5)
	})
}

func TestKeyThatRotatesWhileTheGateIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var key atomic.Value
		key.Store(fakeKey)
		fake := newFake(t, said{1000, 0, 40 * time.Second, 0, ""}.with(succeeds), data(thing))
		client := fake.client(hiring.WithKeySource(func(context.Context) (string, error) { return key.Load().(string), nil }))
		require.NoError(t, read(t.Context(), client))
		time.AfterFunc(time.Second, func() { key.Store("sk_test_another") })
		require.NoError(t, read(t.Context(), client))
		assert.Equal(t, "Bearer sk_test_another", fake.requests()[1].Header.Get("Authorization"), "the key of the moment is sent")
	})
}

func TestNonsenseClosesNothingForGood(t *testing.T) {
	nonsense := func(remaining, reset, date string) answer {
		return data(thing, "X-RateLimit-Limit: 1000", "X-RateLimit-Remaining: "+remaining, "X-RateLimit-Reset: "+reset, "Date: "+date)
	}
	const year2000 = "Sat, 01 Jan 2000 00:00:00 GMT"
	for name, c := range map[string]struct {
		answer answer
		least  time.Duration // How long the gate stays closed.
		most   time.Duration
	}{
		"in the past":        {nonsense("0", "1", year2000), 0, 0},
		"now":                {nonsense("0", "946684800", year2000), 0, 0},
		"negative":           {nonsense("0", "-5", year2000), 0, 0},
		"negative remaining": {nonsense("-1", "946688400", year2000), 0, 0},
		"no number":          {nonsense("none", "946688400", year2000), 0, 0},
		"far away":           {nonsense("0", "253402300799", year2000), time.Hour, 2 * time.Hour},
		"too far to write":   {nonsense("0", "9223372036854775807", year2000), 0, 0},
		"too large":          {nonsense("0", "99999999999999999999", year2000), 0, 0},
		"date far back":      {nonsense("0", "946688400", "Mon, 01 Jan 0001 00:00:00 GMT"), time.Hour, 2 * time.Hour},
		"date far ahead":     {nonsense("0", "946688400", "Fri, 31 Dec 9999 23:59:59 GMT"), 0, 0},
		"date unreadable":    {nonsense("0", "946688400", "yesterday"), time.Hour, time.Hour},
	} {
		synctest.Test(t, func(t *testing.T) {
			fake := newFake(t, c.answer, said{1000, 5, time.Hour, 0, ""}.with(succeeds))
			client := fake.client(patience(1000 * time.Hour))
			for range 3 {
				require.NoError(t, read(t.Context(), client), "%s", name)
			}
			pauses := fake.pauses()
			assert.GreaterOrEqual(t, pauses[0], c.least, "%s", name)
			assert.LessOrEqual(t, pauses[0], c.most, "%s", name)
			assert.Zero(t, pauses[1], "%s: the truth wins afterwards", name)
			assert.Equal(t, 5, client.Quota().Read.Remaining, "%s", name)
		})
	}
}

func TestUsedUpClassIsRepeatedWhenItsWindowTurns(t *testing.T) {
	for method, call := range methodCalls {
		synctest.Test(t, func(t *testing.T) {
			limit := 200
			if method == "GET" {
				limit = 1000
			}
			fake := newFake(t, said{limit, 0, 50 * time.Second, 0, "50"}.with(limited), data(thing))
			require.NoError(t, call(t.Context(), fake.client()), "%s", method)
			assert.Equal(t, []time.Duration{50 * time.Second}, fake.pauses(), "%s", method)
		})
	}
}

func TestClassIsClosedAlthoughThatReplyCannotBeWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newFake(t, said{1000, 0, time.Hour, 0, "3600"}.with(limited))
		client := fake.client()
		failure := failureOf(t, "Get", read(t.Context(), client))
		assert.Equal(t, [2]int{429, 1}, [2]int{failure.Status, failure.Attempts})
		refusedLocally(t, "the next", read(t.Context(), client), time.Hour)
		assert.Len(t, fake.requests(), 1)
	})
}

// The limit of a service that grants others than the documented ones is known
// from its replies.
func TestLimitOfTheClassIsTheOneLastSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newFake(t, said{30, 1, time.Hour, 0, ""}.with(succeeds), said{30, 0, time.Hour, 0, "3600"}.with(limited))
		client := fake.client()
		require.NoError(t, read(t.Context(), client))
		require.Error(t, read(t.Context(), client))
		refusedLocally(t, "read", read(t.Context(), client), time.Hour)
		assert.Equal(t, 30, client.Quota().Read.Limit)
		require.Error(t, write(t.Context(), client))
		assert.Len(t, fake.requests(), 3, "writes are not held back")
	})
}

func TestThrottleIsNotRepeatedAndHoldsEverythingBack(t *testing.T) {
	for name, s := range map[string]said{
		"another limit":  {100, 0, time.Minute, 0, "50"},
		"something left": {1000, 3, time.Minute, 0, "50"},
		"date ahead":     {100, 0, time.Minute, 9 * time.Hour, "50"},
	} {
		synctest.Test(t, func(t *testing.T) {
			fake := newFake(t, said{1000, 8, time.Hour, 0, ""}.with(succeeds), s.with(limited), data(thing))
			key := fakeKey
			client := fake.client(hiring.WithKeySource(func(context.Context) (string, error) { return key, nil }))
			require.NoError(t, read(t.Context(), client))
			known := client.Quota()
			failure := failureOf(t, name, read(t.Context(), client))
			assert.Equal(t, [2]int{429, 1}, [2]int{failure.Status, failure.Attempts}, "%s: not repeated", name)
			assert.Equal(t, 50*time.Second, failure.RetryAfter, "%s", name)
			assert.Equal(t, known, client.Quota(), "%s: the quotas are left alone", name)

			key = "sk_test_another"
			hasty, err := client.With(patience(time.Second))
			require.NoError(t, err)
			for what, call := range map[string]func(context.Context, *hiring.Client) error{"read": read, "write": write} {
				err := call(t.Context(), hasty)
				refusedLocally(t, name+": "+what+", another key", err, 50*time.Second)
				require.ErrorContains(t, err, "throttles this address", "%s", name)
				assert.NotContains(t, err.Error(), "quota", "%s", name)
			}
			assert.Len(t, fake.requests(), 2, "%s", name)
			require.NoError(t, write(t.Context(), client), "%s: waits where it may", name)
			assert.Equal(t, 50*time.Second, fake.pauses()[1], "%s", name)
		})
	}
}

func TestAbsurdThrottleEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newFake(t, said{100, 0, time.Hour, 0, "999999999999"}.with(limited), data(thing))
		client := fake.client(patience(1000 * time.Hour))
		require.Error(t, read(t.Context(), client))
		require.NoError(t, read(t.Context(), client))
		assert.Equal(t, []time.Duration{2 * time.Hour}, fake.pauses())
	})
}

func TestProxysRefusalIsRepeatedAndTeachesNothing(t *testing.T) {
	for method, call := range methodCalls {
		synctest.Test(t, func(t *testing.T) {
			fake := newFake(t, says(429, "slow down"), says(429, "slow down", "Retry-After: 7"), data(thing))
			client := fake.client()
			require.NoError(t, call(t.Context(), client), "%s: %s", method, "nothing was done")
			assert.Less(t, fake.pauses()[0], 500*time.Millisecond, "%s", method)
			assert.Equal(t, 7*time.Second, fake.pauses()[1], "%s", method)
			assert.Zero(t, client.Quota(), "%s", method)
			require.NoError(t, call(t.Context(), client), "%s", method)
			assert.Zero(t, fake.pauses()[2], "%s: nothing is held back", method)
		})
	}
}

func TestRefusalBetweenAttemptsKeepsWhatHappened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newFake(t, said{200, 0, time.Hour, 0, ""}.with(func(h ...string) answer { return refuses(503, "INTERNAL_ERROR", h...) }))
		err := write(t.Context(), fake.client())
		failure := failureOf(t, "Delete", err)
		require.ErrorIs(t, err, hiring.ErrQuotaExhausted)
		require.ErrorIs(t, err, hiring.ErrInternal, "the attempt that was made")
		require.ErrorIs(t, err, hiring.ErrOutcomeUnknown)
		assert.Equal(t, hiring.OutcomeUnknown, failure.Outcome)
		assert.Equal(t, 1, failure.Attempts)
		assert.NotContains(t, err.Error(), "\n")
	})
}

func TestReserveLeavesItsShareToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		remaining := 30
		fake := newFake(t, func(r *http.Request) (*http.Response, error) {
			remaining--
			return said{100, remaining, 30 * time.Minute, 0, ""}.with(succeeds)(r)
		})
		client := fake.client()
		background, err := client.With(hiring.WithQuotaReserve(0.2))
		require.NoError(t, err)
		for remaining > 20 {
			require.NoError(t, read(t.Context(), background), "%d left", remaining)
		}
		refused := read(t.Context(), background)
		refusedLocally(t, "the last fifth", refused, 30*time.Minute)
		require.ErrorContains(t, refused, "the read quota of 100 an hour is used up but for the reserve of WithQuotaReserve until")
		assert.Equal(t, 20, failureOf(t, "the last fifth", refused).RateLimit.Remaining)
		for remaining > 0 {
			require.NoError(t, read(t.Context(), client), "%d left", remaining)
		}
		refusedLocally(t, "nothing left", read(t.Context(), client), 30*time.Minute)
	})
}

func TestReserveCountsWhatIsOnItsWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newFake(t, said{100, 23, 30 * time.Minute, 0, ""}.with(succeeds), slowly(time.Second, data(thing)))
		background := fake.client(hiring.WithQuotaReserve(0.2))
		require.NoError(t, read(t.Context(), background))
		var mu sync.Mutex
		refused := 0
		var wg sync.WaitGroup
		for range 10 {
			wg.Go(func() {
				if err := read(t.Context(), background); errors.Is(err, hiring.ErrQuotaExhausted) {
					mu.Lock()
					defer mu.Unlock()
					refused++
				}
			})
		}
		wg.Wait()
		assert.Equal(t, 7, refused, "of 23, 3 are above the reserve of 20")
		require.NoError(t, read(t.Context(), background), "what has come back is not on its way")
	})
}

func TestReserveIsChecked(t *testing.T) {
	for _, fraction := range []float64{-0.1, 1, 1.5} {
		_, err := hiring.New(fakeURL, fakeKey, hiring.WithQuotaReserve(fraction))
		require.ErrorContains(t, err, "WithQuotaReserve", "%v", fraction)
	}
}

func TestWaitReportWaitsAtTheGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newFake(t,
			said{1000, 0, 40 * time.Minute, 0, ""}.with(func(h ...string) answer { return data(pendingReport, h...) }), data(readyReport))
		report, err := fake.client().Submissions.WaitReport(t.Context(), "s", hiring.WaitOptions{})
		require.NoError(t, err, "a closed gate is no failure of the submission")
		assert.True(t, report.Ready())
		require.Len(t, fake.pauses(), 1)
		assert.InDelta(t, 40, fake.pauses()[0].Minutes(), 1)
	})
}

func TestKnownTellsAQuotaFromNone(t *testing.T) {
	client := sandbox.Start(t).Client()
	assert.Equal(t, [2]bool{}, [2]bool{client.Quota().Read.Known(), client.Quota().Write.Known()})
	_, err := client.Account.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, [2]bool{true, false}, [2]bool{client.Quota().Read.Known(), client.Quota().Write.Known()})
	_, err = client.Assessments.Close(t.Context(), sandbox.AssessmentID)
	require.NoError(t, err)
	assert.True(t, client.Quota().Write.Known())
	assert.True(t, hiring.RateLimit{Limit: 1000, Reset: time.Unix(1, 0)}.Known(), "one that is used up")
}

// A proxy may answer from a cache: a window that has ended by the response's own
// Date is not the present one.
func TestResponseOfAnEndedWindowOpensNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stale := said{1000, 99, -time.Minute, 0, ""}
		fake := newFake(t, said{1000, 1, 30 * time.Second, 0, ""}.with(succeeds), stale.with(succeeds),
			said{1000, 0, 25 * time.Second, 0, ""}.with(succeeds), said{1000, 0, -time.Minute, 0, ""}.with(limited), data(thing))
		client := fake.client()
		require.NoError(t, read(t.Context(), client))
		known := client.Quota().Read
		time.Sleep(5 * time.Second)
		require.NoError(t, read(t.Context(), client))
		assert.Equal(t, known, client.Quota().Read, "the state stays")
		require.NoError(t, read(t.Context(), client))
		begun := time.Now()
		require.NoError(t, read(t.Context(), client), "waits for the window, meets the 429 and is retried")
		assert.GreaterOrEqual(t, time.Since(begun), 25*time.Second)
		assert.Len(t, fake.requests(), 5)
	})
}
