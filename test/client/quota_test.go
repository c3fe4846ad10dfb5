package client_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func patience(d time.Duration) hiring.Option {
	return hiring.WithRetry(hiring.RetryPolicy{MaxWait: d})
}

func write(ctx context.Context, c *hiring.Client) error {
	return c.Assessments.Delete(ctx, apitest.ID)
}

// refusedLocally requires that err is from a call that sent nothing.
func refusedLocally(t *testing.T, what string, err error, retryAfter time.Duration) {
	t.Helper()
	require.ErrorIs(t, err, hiring.ErrQuotaExhausted, "%s", what)
	require.ErrorIs(t, err, hiring.ErrRateLimited, "%s", what)
	failure := apitest.RequireError(t, what, err)
	assert.Equal(t, hiring.ErrRateLimited, failure.Code, "%s", what)
	assert.Zero(t, failure.Status, "%s", what)
	assert.Equal(t, retryAfter, failure.RetryAfter, "%s: RetryAfter", what)
}

func TestCallWaitsForTheRateLimitWindow(t *testing.T) {
	for name, skew := range map[string]time.Duration{"clocks agree": 0, "server ahead": 7 * time.Hour, "server behind": -7 * time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			fake := apitest.NewScriptedServer(t, apitest.RateLimit{Limit: 1000, Remaining: 0, Left: 40 * time.Second, Skew: skew, RetryAfter: ""}.With(apitest.RespondResource), apitest.RespondData(apitest.Resource))
			client := fake.Client()
			require.NoError(t, apitest.ReadAccount(t.Context(), client), "%s", name)
			require.NoError(t, apitest.ReadAccount(t.Context(), client), "%s", name)
			assert.Equal(t, []time.Duration{40 * time.Second}, fake.Pauses(), "%s: by the server's clock", name)
			require.NoError(t, apitest.ReadAccount(t.Context(), client), "%s", name)
			assert.Zero(t, fake.Pauses()[1], "%s: the window has turned", name)
		})
	}
}

func TestCallFailsAtOnceWhenTheRateLimitWaitIsTooLong(t *testing.T) {
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
			fake := apitest.NewScriptedServer(t, apitest.RateLimit{Limit: 200, Remaining: 0, Left: c.left, Skew: 0, RetryAfter: ""}.With(apitest.RespondResource), apitest.RespondData(apitest.Resource))
			exchanges := 0
			client := fake.Client(hiring.WithObserver(func(context.Context, hiring.Exchange) { exchanges++ }))
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
			failure := apitest.RequireError(t, name, err)
			assert.Zero(t, time.Since(begun), "%s: nothing is waited", name)
			assert.Len(t, fake.Requests(), 1, "%s: nothing is sent", name)
			assert.Equal(t, 1, exchanges, "%s: no Exchange", name)
			assert.Zero(t, failure.Attempts, "%s", name)
			assert.Equal(t, hiring.OutcomeNotDone, failure.Outcome, "%s", name)
			assert.Equal(t, client.Quota().Write, failure.RateLimit, "%s", name)
			require.NotErrorIs(t, err, context.DeadlineExceeded, "%s: the context has not ended", name)
			until := begun.Add(c.left).UTC().Format(time.RFC3339)
			require.EqualError(t, err, "hiring: Assessments.Delete: RATE_LIMITED: not sent, because the write quota of 200 an hour is used up until "+
				until+", by the server's clock; retry after "+c.left.String(), "%s", name)
		})
	}
}

func TestCallAfterA429SaysWhy(t *testing.T) {
	refusal := apitest.RespondError(429, hiring.ErrRateLimited, "Retry-After: 30")
	usedUp := apitest.RateLimit{Limit: 200, Remaining: 0, Left: 30 * time.Second, RetryAfter: "30"}
	for why, replies := range map[string][]apitest.Responder{
		"a 429 asked to send no write request for 30s": {refusal},
		"a 429 asked to send no write request":         {apitest.RateLimit{Limit: 200, Remaining: 7, Left: time.Minute}.With(apitest.RespondResource), refusal},
		"the write quota of 200 an hour is used up":    {usedUp.With(apitest.RespondRateLimited)},
	} {
		synctest.Test(t, func(t *testing.T) {
			client := apitest.NewScriptedServer(t, replies...).Client(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1, MaxWait: -1}))
			for range replies {
				_ = write(t.Context(), client)
			}
			require.ErrorContains(t, write(t.Context(), client), "hiring: Assessments.Delete: RATE_LIMITED: not sent, because "+why)
		})
	}
}

func TestContextThatEndsARateLimitWaitJoinsBothErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reason := errors.New("shutting down")
		fake := apitest.NewScriptedServer(t, apitest.RateLimit{Limit: 1000, Remaining: 0, Left: 40 * time.Second, Skew: 0, RetryAfter: ""}.With(apitest.RespondResource))
		client := fake.Client()
		require.NoError(t, apitest.ReadAccount(t.Context(), client))
		ctx, cancel := context.WithCancelCause(t.Context())
		begun := time.Now()
		time.AfterFunc(3*time.Second, func() { cancel(reason) })
		err := apitest.ReadAccount(ctx, client)
		assert.Equal(t, 3*time.Second, time.Since(begun))
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorIs(t, err, reason)
		refusedLocally(t, "Get", err, 40*time.Second)
		assert.Len(t, fake.Requests(), 1)
		assert.NotContains(t, err.Error(), "\n")
	})
}

func TestRateLimitsOfClassesAndKeysAreSeparate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		key := apitest.Key
		source := hiring.WithKeySource(func(context.Context) (string, error) { return key, nil })
		fake := apitest.NewScriptedServer(t, apitest.RateLimit{Limit: 1000, Remaining: 0, Left: time.Hour, Skew: 0, RetryAfter: ""}.With(apitest.RespondResource), apitest.RateLimit{Limit: 200, Remaining: 9, Left: time.Hour, Skew: 0, RetryAfter: ""}.With(apitest.RespondResource), apitest.RespondData(apitest.Resource))
		client := fake.Client(source)
		variant, err := client.With(hiring.WithUserAgent("x/1"))
		require.NoError(t, err)
		require.NoError(t, apitest.ReadAccount(t.Context(), client))
		require.NoError(t, write(t.Context(), client), "writes are counted apart")
		refusedLocally(t, "a variant shares what is known", apitest.ReadAccount(t.Context(), variant), time.Hour)
		require.NoError(t, write(t.Context(), variant))

		key = "sk_test_another"
		require.NoError(t, apitest.ReadAccount(t.Context(), client), "quotas are per key")
		key = apitest.Key
		refusedLocally(t, "the first key again", apitest.ReadAccount(t.Context(), client), time.Hour)

		stranger := fake.Client()
		require.NoError(t, apitest.ReadAccount(t.Context(), stranger), "another client knows nothing of it")
		assert.Len(t, fake.Requests(), 5)
	})
}

func TestKeyThatRotatesDuringTheRateLimitWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var key atomic.Value
		key.Store(apitest.Key)
		fake := apitest.NewScriptedServer(t, apitest.RateLimit{Limit: 1000, Remaining: 0, Left: 40 * time.Second, Skew: 0, RetryAfter: ""}.With(apitest.RespondResource), apitest.RespondData(apitest.Resource))
		client := fake.Client(hiring.WithKeySource(func(context.Context) (string, error) { return key.Load().(string), nil }))
		require.NoError(t, apitest.ReadAccount(t.Context(), client))
		time.AfterFunc(time.Second, func() { key.Store("sk_test_another") })
		require.NoError(t, apitest.ReadAccount(t.Context(), client))
		assert.Equal(t, "Bearer sk_test_another", fake.Requests()[1].Header.Get("Authorization"), "the key of the moment is sent")
	})
}

func TestInvalidRateLimitHeadersDoNotBlockForever(t *testing.T) {
	nonsense := func(remaining, reset, date string) apitest.Responder {
		return apitest.RespondData(apitest.Resource, "X-RateLimit-Limit: 1000", "X-RateLimit-Remaining: "+remaining, "X-RateLimit-Reset: "+reset, "Date: "+date)
	}
	const year2000 = "Sat, 01 Jan 2000 00:00:00 GMT"
	for name, c := range map[string]struct {
		answer apitest.Responder
		least  time.Duration // Until the rate limit admits requests again.
		most   time.Duration
	}{
		"in the past":        {nonsense("0", "1", year2000), time.Hour, time.Hour},
		"now":                {nonsense("0", "946684800", year2000), 0, 0},
		"negative":           {nonsense("0", "-5", year2000), 0, 0},
		"negative remaining": {nonsense("-1", "946688400", year2000), 0, 0},
		"no number":          {nonsense("none", "946688400", year2000), 0, 0},
		"far away":           {nonsense("0", "253402300799", year2000), time.Hour, time.Hour},
		"too far to write":   {nonsense("0", "9223372036854775807", year2000), 0, 0},
		"too large":          {nonsense("0", "99999999999999999999", year2000), 0, 0},
		"date far back":      {nonsense("0", "946688400", "Mon, 01 Jan 0001 00:00:00 GMT"), time.Hour, time.Hour},
		"date far ahead":     {nonsense("0", "946688400", "Fri, 31 Dec 9999 23:59:59 GMT"), time.Hour, time.Hour},
		"date unreadable":    {nonsense("0", "946688400", "yesterday"), time.Hour, time.Hour},
	} {
		synctest.Test(t, func(t *testing.T) {
			fake := apitest.NewScriptedServer(t, c.answer, apitest.RateLimit{Limit: 1000, Remaining: 5, Left: time.Hour, Skew: 0, RetryAfter: ""}.With(apitest.RespondResource))
			client := fake.Client(patience(1000 * time.Hour))
			for range 3 {
				require.NoError(t, apitest.ReadAccount(t.Context(), client), "%s", name)
			}
			pauses := fake.Pauses()
			assert.GreaterOrEqual(t, pauses[0], c.least, "%s", name)
			assert.LessOrEqual(t, pauses[0], c.most, "%s", name)
			assert.Zero(t, pauses[1], "%s: the truth wins afterwards", name)
			assert.Equal(t, 5, client.Quota().Read.Remaining, "%s", name)
		})
	}
}

func TestRateLimitIsLearnedFromAFinalResponse(t *testing.T) {
	for name, answer := range map[string]apitest.Responder{
		"from headers": apitest.RateLimit{Limit: 1000, Remaining: 0, Left: time.Hour, Skew: 0, RetryAfter: "3600"}.With(apitest.RespondRateLimited),
		"from details": func(r *http.Request) (*http.Response, error) { // A proxy removed the headers.
			const body = `{"error":{"code":"RATE_LIMITED","message":"m","details":{"limit":1000,"remaining":0,"reset":%d}}}`
			return apitest.Respond(429, fmt.Sprintf(body, time.Now().Add(time.Hour).Unix()))(r)
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			fake := apitest.NewScriptedServer(t, answer)
			client := fake.Client()
			failure := apitest.RequireError(t, name, apitest.ReadAccount(t.Context(), client))
			assert.Equal(t, [2]int{429, 1}, [2]int{failure.Status, failure.Attempts}, name)
			assert.Equal(t, hiring.RateLimit{Limit: 1000, Reset: time.Now().Add(time.Hour).UTC()}, failure.RateLimit, name)
			assert.Equal(t, failure.RateLimit, client.Quota().Read, name)
			refusedLocally(t, "the next", apitest.ReadAccount(t.Context(), client), time.Hour)
			assert.Len(t, fake.Requests(), 1, name)
		})
	}
}

func TestAbsurdThrottleEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewScriptedServer(t,
			apitest.RateLimit{Limit: 1000, Remaining: 8, Left: time.Hour, Skew: 0, RetryAfter: ""}.With(apitest.RespondResource),
			apitest.RateLimit{Limit: 100, Remaining: 0, Left: time.Hour, Skew: 0, RetryAfter: "999999999999"}.With(apitest.RespondRateLimited), apitest.RespondData(apitest.Resource))
		client := fake.Client(patience(1000 * time.Hour))
		require.NoError(t, apitest.ReadAccount(t.Context(), client))
		require.Error(t, apitest.ReadAccount(t.Context(), client))
		require.NoError(t, apitest.ReadAccount(t.Context(), client))
		assert.Equal(t, []time.Duration{0, 2 * time.Hour}, fake.Pauses())
	})
}

func TestProxys429IsRetriedAndChangesNoRateLimit(t *testing.T) {
	for method, call := range methodCalls {
		synctest.Test(t, func(t *testing.T) {
			fake := apitest.NewScriptedServer(t, apitest.Respond(429, "slow down"), apitest.Respond(429, "slow down", "Retry-After: 7"), apitest.RespondData(apitest.Resource))
			client := fake.Client()
			require.NoError(t, call(t.Context(), client), "%s: %s", method, "nothing was done")
			assert.Less(t, fake.Pauses()[0], 500*time.Millisecond, "%s", method)
			assert.Equal(t, 7*time.Second, fake.Pauses()[1], "%s", method)
			assert.Zero(t, client.Quota(), "%s", method)
			require.NoError(t, call(t.Context(), client), "%s", method)
			assert.Zero(t, fake.Pauses()[2], "%s: nothing is held back", method)
		})
	}
}

func TestRefusalBetweenAttemptsKeepsTheFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, apitest.RateLimit{Limit: 200, Remaining: 0, Left: time.Hour, Skew: 0, RetryAfter: ""}.With(func(h ...string) apitest.Responder { return apitest.RespondError(503, "INTERNAL_ERROR", h...) }))
		err := write(t.Context(), fake.Client())
		failure := apitest.RequireError(t, "Delete", err)
		require.ErrorIs(t, err, hiring.ErrRateLimited)
		require.NotErrorIs(t, err, hiring.ErrQuotaExhausted, "who repeats the call because of it would not check the outcome")
		require.ErrorIs(t, err, hiring.ErrInternal, "the attempt that was made")
		require.ErrorIs(t, err, hiring.ErrOutcomeUnknown)
		assert.Equal(t, hiring.OutcomeUnknown, failure.Outcome)
		assert.Equal(t, 1, failure.Attempts)
		assert.NotContains(t, err.Error(), "\n")
	})
}

func TestReserveStaysFreeForOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		remaining := 30
		fake := apitest.NewScriptedServer(t, func(r *http.Request) (*http.Response, error) {
			remaining--
			return apitest.RateLimit{Limit: 100, Remaining: remaining, Left: 30 * time.Minute, Skew: 0, RetryAfter: ""}.With(apitest.RespondResource)(r)
		})
		client := fake.Client()
		background, err := client.With(hiring.WithQuotaReserve(0.2))
		require.NoError(t, err)
		for remaining > 20 {
			require.NoError(t, apitest.ReadAccount(t.Context(), background), "%d left", remaining)
		}
		refused := apitest.ReadAccount(t.Context(), background)
		refusedLocally(t, "the last fifth", refused, 30*time.Minute)
		require.ErrorContains(t, refused, "the rest of the read quota of 100 an hour is reserved until")
		assert.Equal(t, 20, apitest.RequireError(t, "the last fifth", refused).RateLimit.Remaining)
		for remaining > 0 {
			require.NoError(t, apitest.ReadAccount(t.Context(), client), "%d left", remaining)
		}
		refusedLocally(t, "nothing left", apitest.ReadAccount(t.Context(), client), 30*time.Minute)
	})
}

func TestReserveIsChecked(t *testing.T) {
	for _, fraction := range []float64{-0.1, 1, 1.5} {
		_, err := hiring.New(apitest.BaseURL, apitest.Key, hiring.WithQuotaReserve(fraction))
		require.ErrorContains(t, err, "WithQuotaReserve", "%v", fraction)
	}
}

func TestKnownReportsWhetherARateLimitWasReceived(t *testing.T) {
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
