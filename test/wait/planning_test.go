package wait_test

import (
	"context"
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

// through returns a client whose requests go through a function first. A response of the
// function replaces the service's.
func through(t *testing.T, service *emulator.Service, before func(*http.Request) *http.Response) *hiring.Client {
	t.Helper()
	api := service.Transport(150 * time.Millisecond)
	client, err := hiring.New("https://service.invalid", "sk_live_emulated", hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}),
		hiring.WithHTTPClient(&http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			if response := before(r); response != nil {
				return response, nil
			}
			return api.RoundTrip(r)
		})}))
	require.NoError(t, err)
	return client
}

func respond(r *http.Request, status int, code hiring.ErrorCode) *http.Response {
	response, _ := apitest.RespondError(status, code)(r)
	return response
}

// TestASearchPrecedesTheDeepestSweep lets 40 submissions at a time leave the waiting set while a new watch
// reads all of Lookback. One listing shows them, so they are not read singly.
func TestASearchPrecedesTheDeepestSweep(t *testing.T) {
	t.Parallel()
	inBubble(t, "", func(t *testing.T) {
		begun := time.Now()
		all := emulator.Stream(1, begun.Add(-33*day), 33*day-2*hour, 2000, graded)
		for i := range 400 {
			evaluated := begun.Add(5*minute + time.Duration(i/40)*2*minute)
			all = append(all, &emulator.Submission{ID: crowdID(i), Created: begun.Add(-hour), Submitted: begun.Add(-minute), Evaluated: evaluated})
		}
		reads := 0
		client := through(t, emulator.New(emulator.Behavior{Since: emulator.OnCreation}, 1, all), func(r *http.Request) *http.Response {
			if strings.Contains(r.URL.Path, crowdID(0)[:20]) {
				reads++
			}
			return nil
		})
		came := watchFor(t, client, hiring.WatchOptions{Since: begun}, 30*minute)
		for i := range 400 {
			assert.Contains(t, came, crowdID(i))
		}
		assert.LessOrEqual(t, reads, 5)
	})
}

// TestALateListingIsFoundLongAfterABurst has more deliveries in a minute than the state holds. A
// day later, the listing shows an evaluation three hours late. Only where since filters on the
// evaluation was it ever missed; HIRING_LONG tries the other meanings.
func TestALateListingIsFoundLongAfterABurst(t *testing.T) {
	t.Parallel()
	for _, on := range atLength(meanings[:1], meanings) {
		inBubble(t, on.String(), func(t *testing.T) {
			begun := time.Now()
			all := emulator.Batch(1, begun.Add(hour), 10_000, minute)
			late := &emulator.Submission{ID: crowdID(0), Created: begun.Add(29 * hour), Submitted: begun.Add(30*hour - minute), Evaluated: begun.Add(30 * hour), Late: 3 * hour}
			all = append(all, late)
			all = append(all, emulator.Stream(5, begun.Add(-day), 3*day, 100, graded)...)
			service := emulator.New(emulator.Behavior{Since: on}, 1, all)
			came := watchFor(t, through(t, service, func(*http.Request) *http.Response { return nil }), hiring.WatchOptions{Since: begun}, 40*hour)
			require.Contains(t, came, late.ID)
			assert.LessOrEqual(t, came[late.ID].Sub(late.Evaluated), 7*hour)
		})
	}
}

// TestALookBackThatFailedIsRepeated fails the listing that looks back far enough to show an evaluation
// six hours late. The next poll looks back as far again.
func TestALookBackThatFailedIsRepeated(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		begun := time.Now()
		late := &emulator.Submission{ID: crowdID(0), Created: begun.Add(19 * hour), Submitted: begun.Add(20*hour - minute), Evaluated: begun.Add(20 * hour), Late: 6 * hour}
		service := emulator.New(emulator.Behavior{Since: emulator.OnEvaluation}, 1, append(stream(5*day, 100, graded), late))
		failed := false
		client := through(t, service, func(r *http.Request) *http.Response {
			since, err := time.Parse(time.RFC3339, r.URL.Query().Get("since"))
			if err != nil || failed || time.Since(begun) < 26*hour || since.After(late.Evaluated) {
				return nil
			}
			failed = true
			return respond(r, http.StatusServiceUnavailable, hiring.ErrInternal)
		})
		state := ""
		var failedAt, came time.Time
		for time.Since(begun) < 4*day {
			polled, err := client.Submissions.Poll(t.Context(), hiring.WatchOptions{Since: begun}, state)
			require.True(t, err == nil || hiring.IsTransient(err))
			if err != nil {
				failedAt = time.Now()
			}
			for _, s := range polled.Submissions {
				if s.ID == late.ID {
					came = time.Now()
				}
			}
			if state = polled.State; polled.Wait > 0 {
				time.Sleep(hour)
			}
		}
		require.NotZero(t, failedAt)
		require.NotZero(t, came)
		assert.LessOrEqual(t, came.Sub(failedAt), 2*hour)
	})
}

// TestTheWaitForAWindowIsNoSchedule uses up the rate limit while a new watch reads all of
// Lookback. In the next window, the watch does not read as much as if it polled once an hour.
func TestTheWaitForAWindowIsNoSchedule(t *testing.T) {
	t.Parallel()
	inBubble(t, "", func(t *testing.T) {
		begun := time.Now()
		service := emulator.New(emulator.Behavior{Since: emulator.OnCreation}, 1, emulator.Stream(1, begun.Add(-33*day), 34*day, 2000, graded))
		reads, usedUp := 0, false
		client := through(t, service, func(*http.Request) *http.Response {
			if time.Since(begun) >= 10*minute && !usedUp {
				usedUp = true
				for range 1000 {
					service.Get(time.Now(), crowdID(0))
				}
			}
			if since := time.Since(begun); since >= 59*minute && since < 65*minute {
				reads++
			}
			return nil
		})
		watchFor(t, client, hiring.WatchOptions{Since: begun}, 65*minute)
		assert.LessOrEqual(t, reads, 200)
	})
}

// TestASearchSaysNothingAboutOlderAttempts has a submission that only listings show, without its
// report. The search that finds it does not keep the poll from reading older attempts that left
// the waiting set.
func TestASearchSaysNothingAboutOlderAttempts(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		begun := time.Now()
		without := &emulator.Submission{ID: crowdID(99), Created: begun.Add(-2 * day), Submitted: begun.Add(10 * minute), Evaluated: begun.Add(20 * minute)}
		all := []*emulator.Submission{without}
		for i := range 90 {
			evaluated := begun.Add(time.Duration(i/10)*hour + 30*minute)
			all = append(all, &emulator.Submission{ID: crowdID(i), Created: begun.Add(-9*day + time.Duration(i)*hour), Submitted: evaluated.Add(-minute), Evaluated: evaluated})
		}
		all = append(all, emulator.Stream(1, begun.Add(-9*day), 8*day, 20, graded)...)
		k := emulator.Behavior{Since: emulator.OnCreation, Spoil: func(_ time.Time, _ bool, id string, members map[string]any) {
			if id == without.ID {
				members["report"] = nil
			}
		}}
		client := through(t, emulator.New(k, 1, all), func(r *http.Request) *http.Response {
			if strings.HasSuffix(r.URL.Path, without.ID+"/report") || strings.HasSuffix(r.URL.Path, without.ID) && time.Since(begun) > 90*minute {
				return respond(r, http.StatusNotFound, hiring.ErrNotFound)
			}
			return nil
		})
		state, came := "", make(map[string]time.Time)
		for time.Since(begun) < 12*hour {
			polled, err := client.Submissions.Poll(t.Context(), hiring.WatchOptions{Since: begun}, state)
			require.NoError(t, err)
			for _, s := range polled.Submissions {
				came[s.ID] = time.Now()
			}
			if state = polled.State; polled.Wait > 0 {
				time.Sleep(time.Until(begun.Add(time.Since(begun).Truncate(hour) + hour)))
			}
		}
		assert.Contains(t, came, without.ID)
		for i := range 90 {
			evaluated := begun.Add(time.Duration(i/10)*hour + 30*minute)
			assert.LessOrEqual(t, came[crowdID(i)].Sub(evaluated), hour, i)
		}
	})
}

// TestTheFirstPollOfAWatchIsSavedInParts ends a watch within its first poll, which began without Since and
// before the API responded. What the loop had processed does not come again.
func TestTheFirstPollOfAWatchIsSavedInParts(t *testing.T) {
	t.Parallel()
	for _, on := range everySince {
		inBubble(t, on.String(), func(t *testing.T) {
			begun := time.Now()
			k, all := outage(begun, 0)
			k.Since = on
			o := hiring.WatchOptions{Checkpoint: new(memoryCheckpoint)}
			ctx, cancel := context.WithTimeout(t.Context(), 5*hour)
			defer cancel()
			var first []string
			for s, err := range emulated(t, k, all).Submissions.Watch(ctx, o) {
				require.NoError(t, err)
				if first = append(first, s.ID); len(first) == 3 {
					break
				}
			}
			came := watchFor(t, emulated(t, k, all), o, 4*hour)
			assert.NotContains(t, came, first[0])
			assert.NotContains(t, came, first[1])
			assert.Contains(t, came, first[2], "it was not processed")
			assert.Len(t, came, len(afterwards(all, begun))-2)
		})
	}
}

// TestARejectedStatusIsTriedAgain rejects the filter evaluated in the first hours only.
func TestARejectedStatusIsTriedAgain(t *testing.T) {
	t.Parallel()
	for _, on := range atLength(onCreation, meanings) {
		inBubble(t, on.String(), func(t *testing.T) {
			begun := time.Now()
			service := emulator.New(emulator.Behavior{Since: on}, 1, stream(3*day, 100, graded))
			filtered, rejected := 0, 0
			client := through(t, service, func(r *http.Request) *http.Response {
				switch {
				case r.URL.Query().Get("status") != "evaluated":
				case time.Since(begun) < 3*hour:
					rejected++
					return respond(r, http.StatusBadRequest, hiring.ErrInvalidInput)
				case time.Since(begun) > 36*hour:
					filtered++
				}
				return nil
			})
			came := watchFor(t, client, hiring.WatchOptions{Since: begun}, 40*hour)
			assert.NotEmpty(t, came)
			assert.Equal(t, 1, rejected)
			assert.Positive(t, filtered)
		})
	}
}

// TestOneMissingReportDoesNotSlowABurst lets 900 attempts leave the waiting set within 45
// seconds. The last listing before shows an older one that has no report, which says nothing
// about the others: one listing shows them all.
func TestOneMissingReportDoesNotSlowABurst(t *testing.T) {
	t.Parallel()
	for name, others := range map[string]int{"among others": 100, "alone": 1} {
		inBubble(t, name, func(t *testing.T) {
			begun := time.Now()
			without := &emulator.Submission{ID: crowdID(999), Created: begun.Add(minute), Submitted: begun.Add(100 * minute), Evaluated: begun.Add(110 * minute)}
			all := append(emulator.Stream(1, begun.Add(-3*day), 3*day-2*hour, others, graded), without)
			for i := range 900 {
				evaluated := begun.Add(2*hour + 32*minute + time.Duration(i)*50*time.Millisecond)
				all = append(all, &emulator.Submission{ID: crowdID(i), Created: begun.Add(10*minute + time.Duration(i)*time.Second), Submitted: begun.Add(30 * minute), Evaluated: evaluated})
			}
			behavior := emulator.Behavior{Since: emulator.OnCreation, Spoil: func(now time.Time, _ bool, id string, members map[string]any) {
				if id == without.ID && now.Sub(begun) < 160*minute {
					members["report"] = nil
				}
			}}
			reads := 0
			client := through(t, emulator.New(behavior, 1, all), func(r *http.Request) *http.Response {
				if strings.Contains(r.URL.Path, crowdID(0)[:20]) && !strings.Contains(r.URL.Path, without.ID) {
					reads++
				}
				return nil
			})
			came := watchFor(t, client, hiring.WatchOptions{Since: begun}, 3*hour)
			for i := range 900 {
				require.Contains(t, came, crowdID(i))
			}
			assert.LessOrEqual(t, reads, 50)
			assert.LessOrEqual(t, came[crowdID(899)].Sub(begun), 2*hour+35*minute)
		})
	}
}

// TestNoReportIsLostWhereMoreAreAwaitedThanFit polls once a day for more evaluated submissions
// than the state holds. Listings show no reports, so each is read singly.
func TestNoReportIsLostWhereMoreAreAwaitedThanFit(t *testing.T) {
	t.Parallel()
	inBubble(t, "", func(t *testing.T) {
		begun := time.Now()
		all := emulator.Stream(1, begun.Add(minute), 2*day, 4000, graded)
		service := emulator.New(emulator.Behavior{Since: emulator.OnCreation, Bare: true}, 1, all)
		client := through(t, service, func(*http.Request) *http.Response { return nil })
		came, state, next := make(map[string]bool), "", begun
		for time.Since(begun) < 6*day {
			polled, err := client.Submissions.Poll(t.Context(), hiring.WatchOptions{Since: begun}, state)
			require.NoError(t, err)
			for _, s := range polled.Submissions {
				assert.False(t, came[s.ID])
				came[s.ID] = true
			}
			state = polled.State
			for !next.After(time.Now()) {
				next = next.Add(day)
			}
			switch {
			case polled.Wait > 2*minute:
				time.Sleep(polled.Wait)
			case polled.Wait > 0:
				time.Sleep(time.Until(next))
			}
		}
		missing := 0
		for _, s := range all {
			if !s.Evaluated.IsZero() && s.Evaluated.Before(begun.Add(5*day)) && !came[s.ID] { // The last series is on the sixth day.
				missing++
			}
		}
		assert.Zero(t, missing)
	})
}
