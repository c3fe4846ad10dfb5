package wait_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
)

const (
	oldKey = "sk_live_old_51HxQ9zVbT7uRkWn3"
	newKey = "sk_live_new_93HxQ9zVbT7uRkWn3"
)

func hasNewKey(r *http.Request) bool { return strings.Contains(r.Header.Get("Authorization"), newKey) }

// TestPollUsesANewKeyWhenTheOldOneIsUsedUp: the old key has no reads left for an hour, and the key source then
// returns another one.
func TestPollUsesANewKeyWhenTheOldOneIsUsedUp(t *testing.T) {
	t.Parallel()
	inBubble(t, "", func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, func(r *http.Request) (*http.Response, error) {
			limit := apitest.RateLimit{Limit: 1000, Left: time.Hour}
			if hasNewKey(r) {
				limit.Remaining = 999
			}
			return limit.With(func(headers ...string) apitest.Responder {
				data := `[]`
				if strings.HasSuffix(r.URL.Path, "/account") {
					data = `{"id":"a"}`
				}
				return apitest.RespondData(data, append(headers, apitest.RequestIDHeader)...)
			})(r)
		})
		key := oldKey
		client := fake.Client(hiring.WithKeySource(func(context.Context) (string, error) { return key, nil }))
		polled, err := client.Submissions.Poll(t.Context(), hiring.WatchOptions{}, "")
		require.NoError(t, err)
		assert.InDelta(t, time.Hour, polled.Wait, float64(time.Minute))

		key = newKey
		before := len(fake.Requests())
		polled, err = client.Submissions.Poll(t.Context(), hiring.WatchOptions{}, polled.State)
		require.NoError(t, err)
		assert.Greater(t, len(fake.Requests()), before)
		assert.LessOrEqual(t, polled.Wait, 20*time.Minute)
	})
}

// TestWatchUsesANewKeyWhenTheOldOneIsUsedUp: the old key has no reads left from the fifth minute on, which a page, a
// 429 or a 503 shows. The key source returns another one five minutes later.
func TestWatchUsesANewKeyWhenTheOldOneIsUsedUp(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusOK, http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		inBubble(t, fmt.Sprint(status), func(t *testing.T) {
			begun := time.Now()
			all := emulator.Stream(1, begun.Add(-4*day), 5*day, 2000, graded)
			transports := make(map[bool]http.RoundTripper)
			for _, renewed := range []bool{false, true} {
				transports[renewed] = emulator.New(emulator.Behavior{Since: emulator.OnEvaluation}, 1, all).Transport(0)
			}
			transport := roundTripper(func(r *http.Request) (*http.Response, error) {
				resp, err := transports[hasNewKey(r)].RoundTrip(r)
				if err == nil && !hasNewKey(r) && time.Since(begun) > 5*time.Minute {
					resp.StatusCode = status
					resp.Header.Set("X-RateLimit-Remaining", "0")
					if status == http.StatusTooManyRequests {
						resp.Header.Set("Retry-After", "3000")
					}
				}
				return resp, err
			})
			client, err := hiring.New("https://service.invalid", "", hiring.WithHTTPClient(&http.Client{Transport: transport}),
				hiring.WithKeySource(func(context.Context) (string, error) {
					if time.Since(begun) > 10*time.Minute {
						return newKey, nil
					}
					return oldKey, nil
				}))
			require.NoError(t, err)
			came := watchFor(t, client, hiring.WatchOptions{}, 2*time.Hour)
			latest := time.Duration(0)
			for _, it := range all {
				if it.Evaluated.After(begun.Add(10*time.Minute)) && it.Evaluated.Before(begun.Add(100*time.Minute)) {
					require.NotZero(t, came[it.ID])
					latest = max(latest, came[it.ID].Sub(it.Evaluated))
				}
			}
			assert.Positive(t, latest)
			assert.Less(t, latest, 3*time.Minute)
		})
	}
}

// TestARetryAfterHoldsWithAKeySource: the rate limit is used up as well, so that another key is looked for.
func TestARetryAfterHoldsWithAKeySource(t *testing.T) {
	t.Parallel()
	inBubble(t, "", func(t *testing.T) {
		var at []time.Time
		client := apitest.NewScriptedServer(t, func(r *http.Request) (*http.Response, error) {
			at = append(at, time.Now())
			if len(at) > 1 {
				return apitest.RespondData(apitest.ReadyReport)(r)
			}
			return apitest.RateLimit{Limit: 1000, Remaining: 50, Left: time.Hour}.With(func(headers ...string) apitest.Responder {
				return apitest.RespondError(http.StatusServiceUnavailable, "", append(headers, "Retry-After: 600")...)
			})(r)
		}).Client(hiring.WithKeySource(func(context.Context) (string, error) { return oldKey, nil }), hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}))
		_, err := client.Submissions.WaitReport(t.Context(), "s1", hiring.WaitOptions{})
		require.NoError(t, err)
		require.Len(t, at, 2)
		assert.GreaterOrEqual(t, at[1].Sub(at[0]), 10*time.Minute)
	})
}

// TestAWaitWithATimeoutUsesANewKey: the old key is used up for longer than the wait may take.
func TestAWaitWithATimeoutUsesANewKey(t *testing.T) {
	t.Parallel()
	inBubble(t, "", func(t *testing.T) {
		begun := time.Now()
		known := emulator.ManyAttempts(1, begun, 20, 30*time.Minute, graded)
		transport := emulator.New(emulator.Behavior{}, 1, known).Transport(0)
		client, err := hiring.New("https://service.invalid", "", hiring.WithHTTPClient(&http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			resp, err := transport.RoundTrip(r)
			if err == nil && !hasNewKey(r) {
				resp.Header.Set("X-RateLimit-Remaining", "0")
			}
			return resp, err
		})}), hiring.WithKeySource(func(context.Context) (string, error) {
			if time.Since(begun) > 10*time.Minute {
				return newKey, nil
			}
			return oldKey, nil
		}))
		require.NoError(t, err)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Minute)
		defer cancel()
		landed, err := wait(ctx, client, idsOf(known), hiring.WaitOptions{})
		require.NoError(t, err)
		assert.Len(t, landed, len(known))
	})
}

// TestKeysInTurn: the key source returns several keys of one account in turn, or another key for each attempt.
func TestKeysInTurn(t *testing.T) {
	t.Parallel()
	for _, keys := range []int{2, 3, 4, 7, 1 << 30} {
		inBubble(t, fmt.Sprint(keys), func(t *testing.T) {
			begun, n := time.Now(), 0
			all := emulator.Stream(1, begun.Add(-day), 2*day, 200, graded)
			client, err := hiring.New("https://service.invalid", "", hiring.WithHTTPClient(&http.Client{Transport: emulator.New(emulator.Behavior{}, 1, all).Transport(0)}),
				hiring.WithKeySource(func(context.Context) (string, error) {
					n++
					return fmt.Sprintf("sk_live_93HxQ9zVbT7uRkWn3_%d", n%keys), nil
				}))
			require.NoError(t, err)
			came := watchFor(t, client, hiring.WatchOptions{}, 3*time.Hour)
			for _, it := range all {
				if it.Evaluated.After(begun) && it.Evaluated.Before(begun.Add(170*time.Minute)) {
					assert.Contains(t, came, it.ID)
				}
			}
		})
	}
}

// TestAResponseOfAnotherAccountIsNotDelivered: the key source returns the key of another account for one request
// of a poll.
func TestAResponseOfAnotherAccountIsNotDelivered(t *testing.T) {
	t.Parallel()
	inBubble(t, "", func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, func(r *http.Request) (*http.Response, error) {
			switch account := strings.HasSuffix(r.URL.Path, "/account"); {
			case account && hasNewKey(r):
				return apitest.RespondData(`{"id":"other"}`)(r)
			case account:
				return apitest.RespondData(`{"id":"own"}`)(r)
			case hasNewKey(r):
				return apitest.RespondData(`[{"id":"s9","status":"evaluated","created_at":"2000-01-01T00:00:00Z","submitted_at":"2000-01-01T01:00:00Z","evaluated_at":"2000-01-01T02:00:00Z","report":` + apitest.ReadyReport + `}]`)(r)
			}
			return apitest.RespondData(`[]`)(r)
		})
		n := 0
		client := fake.Client(hiring.WithKeySource(func(context.Context) (string, error) {
			if n++; n == 2 {
				return newKey, nil
			}
			return oldKey, nil
		}))
		o := hiring.WatchOptions{Since: time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC)}
		polled, err := client.Submissions.Poll(t.Context(), o, "")
		assert.Empty(t, polled.Submissions)
		assert.True(t, hiring.IsTransient(err), "%v", err)
		polled, err = client.Submissions.Poll(t.Context(), o, polled.State)
		require.NoError(t, err)
		assert.Empty(t, polled.Submissions)
	})
}

// TestA404OfAnotherAccountRemovesNothing: the submission of a single read does not exist in the account of another key.
func TestA404OfAnotherAccountRemovesNothing(t *testing.T) {
	t.Parallel()
	inBubble(t, "", func(t *testing.T) {
		key := oldKey
		fake := apitest.NewScriptedServer(t, func(r *http.Request) (*http.Response, error) {
			switch account := strings.HasSuffix(r.URL.Path, "/account"); {
			case account && hasNewKey(r):
				return apitest.RespondData(`{"id":"other"}`)(r)
			case account:
				return apitest.RespondData(`{"id":"own"}`)(r)
			case hasNewKey(r):
				return apitest.RespondError(http.StatusNotFound, "NOT_FOUND")(r)
			}
			key = newKey
			return apitest.RespondData(`[{"id":"without-report","status":"evaluated","created_at":"2000-01-01T00:00:00Z","submitted_at":"2000-01-01T01:00:00Z","evaluated_at":"2000-01-01T02:00:00Z"}]`)(r)
		})
		client := fake.Client(hiring.WithKeySource(func(context.Context) (string, error) { return key, nil }))
		polled, err := client.Submissions.Poll(t.Context(), hiring.WatchOptions{Since: time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC)}, "")
		require.ErrorIs(t, err, hiring.ErrInvalidInput)
		require.ErrorContains(t, err, "another account")
		assert.Contains(t, polled.State, "without-report")
	})
}
