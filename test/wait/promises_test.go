package wait_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
)

// emulated returns the API with n submissions that are evaluated over the hours after now.
func emulated(n int, over time.Duration) *emulator.Transport {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	transport := &emulator.Transport{API: &emulator.API{Since: "created"}, Begin: time.Now()}
	var subs []*emulator.Submission
	for i := range n {
		evaluated := time.Duration(i+1) * over / time.Duration(n)
		submitted := evaluated - 3*time.Minute
		subs = append(subs, &emulator.Submission{
			ID: fmt.Sprintf("s%03d", i), Created: min(submitted, -time.Second) - time.Duration(r.Int64N(int64(48*time.Hour))), Submitted: submitted, Evaluated: evaluated,
		})
	}
	transport.API.Add(subs)
	return transport
}

func clientOf(t *testing.T, transport *emulator.Transport, opts ...hiring.Option) *hiring.Client {
	t.Helper()
	c, err := hiring.New(apitest.BaseURL, apitest.Key, append([]hiring.Option{hiring.WithHTTPClient(&http.Client{Transport: transport})}, opts...)...)
	require.NoError(t, err)
	return c
}

// TestWatchSurvivesACrashAtAnyMoment ends runs at random requests and at random results. Each crash repeats at most the
// one result that was not saved.
func TestWatchSurvivesACrashAtAnyMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 60
		transport, checkpoint := emulated(n, 3*time.Hour), new(memoryCheckpoint)
		r, got, crashes := rand.New(rand.NewPCG(3, 4)), map[string]int{}, 0
		for time.Since(transport.Begin) < 10*time.Hour {
			ctx, crash := context.WithCancel(t.Context())
			requests := r.IntN(60)
			transport.Before = func(*http.Request) (*http.Response, error) {
				if requests--; requests < 0 {
					crash()
				}
				return nil, ctx.Err()
			}
			results := r.IntN(8)
			for s, err := range clientOf(t, transport).Submissions.Watch(ctx, hiring.WatchOptions{Checkpoint: checkpoint}) {
				if err != nil {
					break
				}
				if results--; results < 0 { // The process is killed before or after it has handled the result.
					if r.IntN(2) == 0 {
						got[s.ID]++
					}
					break
				}
				got[s.ID]++
			}
			crash()
			crashes++
			time.Sleep(time.Duration(r.Int64N(int64(5 * time.Minute))))
		}
		repeated := 0
		for i := range n {
			id := fmt.Sprintf("s%03d", i)
			assert.Positive(t, got[id], id)
			repeated += max(0, got[id]-1)
		}
		assert.LessOrEqual(t, repeated, crashes)
		assert.Greater(t, crashes, 30)
	})
}

// TestPollsWithSavedStatesFindAll uses a new client for each poll. The API rejects filters by an unfinished status.
func TestPollsWithSavedStatesFindAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 60
		transport := emulated(n, 3*time.Hour)
		transport.API.Unfinished = "refused"
		got, state := map[string]int{}, ""
		for time.Since(transport.Begin) < 10*time.Hour {
			before := len(transport.Sent())
			polled, err := clientOf(t, transport).Submissions.Poll(t.Context(), state, hiring.WatchOptions{})
			require.NoError(t, err)
			assert.LessOrEqual(t, len(transport.Sent())-before, 101, "100 requests and the account")
			for _, s := range polled.Submissions {
				assert.True(t, s.Report.Ready())
				got[s.ID]++
			}
			state = polled.State
			time.Sleep(polled.Wait)
		}
		require.Len(t, got, n)
		for id, times := range got {
			assert.Equal(t, 1, times, id)
		}
		deepest := time.Now()
		for _, sent := range transport.Sent() {
			u, err := url.Parse(sent)
			require.NoError(t, err)
			if since, err := time.Parse(time.RFC3339, u.Query().Get("since")); err == nil && since.Before(deepest) {
				deepest = since
			}
		}
		assert.WithinDuration(t, transport.Begin.Add(-30*24*time.Hour), deepest, time.Second, "Lookback is 30 days")
	})
}

func TestPollReturnsAfter100Requests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := emulated(150, time.Hour)
		transport.API.PageSize = 1
		time.Sleep(time.Hour)
		polled, err := clientOf(t, transport).Submissions.Poll(t.Context(), "", hiring.WatchOptions{Since: transport.Begin})
		require.NoError(t, err)
		assert.Len(t, transport.Sent(), 101, "and the account")
		assert.Zero(t, polled.Wait)
	})
}

// TestAReportHoursAfterItsStatus is yielded when it is ready and not before. Until then it is pending, and one line of
// the log says so.
func TestAReportHoursAfterItsStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := emulated(1, time.Hour)
		late := transport.API.Submission("s000")
		late.Ready = late.Evaluated + 100*time.Minute
		var log strings.Builder
		logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
		pending := 0
		o := hiring.WatchOptions{Progress: func(p hiring.WaitProgress) { pending = max(pending, p.Pending) }}
		for s, err := range clientOf(t, transport, hiring.WithLogger(logger)).Submissions.Watch(t.Context(), o) {
			require.NoError(t, err)
			require.True(t, s.Report.Ready())
			break
		}
		passed := time.Since(transport.Begin)
		assert.GreaterOrEqual(t, passed, 160*time.Minute)
		assert.Less(t, passed, 200*time.Minute)
		assert.Equal(t, 1, pending)
		assert.Equal(t, 1, strings.Count(log.String(), "no ready report for an hour"), log.String())
	})
}

// TestASubmissionThatCannotBeDecoded is yielded once as an ItemError, not again after a restart, and delays no other.
func TestASubmissionThatCannotBeDecoded(t *testing.T) {
	for name, spoil := range map[string]func(map[string]any){
		"candidate": func(s map[string]any) { s["candidate"] = "Ada <ada@example.com>" },
		"report": func(s map[string]any) {
			if s["status"] == "evaluated" {
				s["report"] = "A"
			}
		},
		"times": func(s map[string]any) { s["created_at"] = "yesterday" },
	} {
		inBubble(t, name, func(t *testing.T) {
			transport, checkpoint := emulated(3, time.Hour), new(memoryCheckpoint)
			transport.Spoil = func(id string, _ bool, s map[string]any) {
				if id == "s001" {
					spoil(s)
				}
			}
			var got, failed []string
			run := func(until time.Duration) {
				ctx, cancel := context.WithTimeout(t.Context(), until)
				defer cancel()
				for s, err := range clientOf(t, transport).Submissions.Watch(ctx, hiring.WatchOptions{Checkpoint: checkpoint}) {
					if item, ok := errors.AsType[*hiring.ItemError](err); ok {
						assert.NotContains(t, err.Error(), "ada@example.com")
						failed = append(failed, item.ID)
						return // As a loop that ends on each error.
					}
					if err != nil {
						require.ErrorIs(t, err, context.DeadlineExceeded)
						return
					}
					got = append(got, s.ID)
				}
			}
			for range 3 {
				run(4 * time.Hour)
			}
			assert.Equal(t, []string{"s001"}, failed)
			assert.ElementsMatch(t, []string{"s000", "s002"}, got)
			transport = emulated(1, time.Minute)
			transport.Spoil = func(_ string, _ bool, s map[string]any) { spoil(s) }
			_, err := clientOf(t, transport).Submissions.WaitReport(t.Context(), "s000", hiring.WaitOptions{})
			_, isItem := errors.AsType[*hiring.ItemError](err)
			assert.True(t, isItem, "%v", err)
		})
	}
}

// TestZeroSinceIsTheCall also when the server is not reachable at that moment, and by the server's clock.
func TestZeroSinceIsTheCall(t *testing.T) {
	for _, ahead := range []time.Duration{0, 7 * time.Hour, -7 * time.Hour} {
		inBubble(t, ahead.String(), func(t *testing.T) {
			transport := emulated(10, 10*time.Hour)
			transport.Begin, transport.Ahead = transport.Begin.Add(-5*time.Hour-30*time.Minute), ahead // Five are evaluated before the call.
			down := time.Now().Add(3 * time.Hour)
			transport.Before = func(*http.Request) (*http.Response, error) {
				if time.Now().Before(down) {
					return nil, io.ErrUnexpectedEOF
				}
				return nil, nil
			}
			checkpoint := new(memoryCheckpoint)
			var got []string
			for range 3 {
				ctx, cancel := context.WithTimeout(t.Context(), 4*time.Hour)
				for s, err := range clientOf(t, transport).Submissions.Watch(ctx, hiring.WatchOptions{Checkpoint: checkpoint}) {
					if err == nil {
						got = append(got, s.ID)
					}
				}
				cancel()
			}
			assert.ElementsMatch(t, []string{"s005", "s006", "s007", "s008", "s009"}, got)
		})
	}
}

// TestARetryIsAfterSeconds: a failed request is repeated after 1, 2, 4 ... 60 s.
func TestARetryIsAfterSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := emulated(1, time.Hour)
		var at []time.Time
		transport.Before = func(*http.Request) (*http.Response, error) {
			if at = append(at, time.Now()); len(at) > 9 {
				return nil, nil
			}
			return nil, io.ErrUnexpectedEOF
		}
		for _, err := range clientOf(t, transport, apitest.NoRetry).Submissions.Watch(t.Context(), hiring.WatchOptions{}) {
			require.NoError(t, err)
			break
		}
		for i, seconds := range []int{1, 2, 4, 8, 16, 32, 60, 60} {
			assert.Equal(t, time.Duration(seconds)*time.Second, at[i+1].Sub(at[i]), "%d", i)
		}
	})
}

// TestWatchEndsAtOnceBeforeADistantWindow: a tenth of the window is reserved.
func TestWatchEndsAtOnceBeforeADistantWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := emulated(1, time.Hour)
		transport.API.OthersPerHour = 1000
		ctx, cancel := context.WithTimeout(t.Context(), 57*time.Minute)
		defer cancel()
		err := apitest.LastError(clientOf(t, transport).Submissions.Watch(ctx, hiring.WatchOptions{}))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, err, hiring.ErrQuotaExhausted)
		require.ErrorContains(t, err, "Submissions.Watch")
		assert.Less(t, time.Since(transport.Begin), 55*time.Minute)
	})
}

// TestAnUnknownAssessmentEndsAWatch with one read of its invitations.
func TestAnUnknownAssessmentEndsAWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := emulated(0, time.Hour)
		client := clientOf(t, transport)
		o := hiring.WatchOptions{AssessmentID: "none"}
		require.ErrorIs(t, apitest.LastError(client.Submissions.Watch(t.Context(), o)), hiring.ErrNotFound)
		polled, err := client.Submissions.Poll(t.Context(), "", o)
		require.ErrorIs(t, err, hiring.ErrNotFound)
		_, err = client.Submissions.Poll(t.Context(), polled.State, o)
		require.ErrorIs(t, err, hiring.ErrNotFound)
		transport.API = emulated(3, time.Minute).API
		time.Sleep(time.Hour)
		_, err = client.Submissions.Poll(t.Context(), "", o)
		require.NoError(t, err)
	})
}

// TestKeysInTurn: a key source returns several keys of one account, also one for each request, or now and then a key of
// another account. Nothing of another account is yielded, and the account is read once for each key.
func TestKeysInTurn(t *testing.T) {
	for name, c := range map[string]struct {
		keys  int  // Of the account, in turn.
		other int  // The request out of so many that has a key of another account; 0 for none.
		busy  bool // The client is also used elsewhere.
	}{
		"one key, and now and then the other":       {1, 7, true},
		"four keys":                                 {4, 0, false},
		"a key for each request":                    {1 << 30, 0, false},
		"a key for each request, also of the other": {1 << 30, 7, false},
	} {
		inBubble(t, name, func(t *testing.T) {
			transport, other := emulated(20, 3*time.Hour), emulated(20, 3*time.Hour)
			other.Spoil = func(_ string, _ bool, s map[string]any) { s["id"] = "other" }
			reads := map[string]int{}
			transport.Account = func(key string) string {
				reads[key]++
				return key[len(key)-1:]
			}
			transport.Before = func(r *http.Request) (*http.Response, error) {
				if strings.HasSuffix(r.Header.Get("Authorization"), "2") && r.URL.Path != "/api/v1/account" {
					return other.RoundTrip(r)
				}
				return nil, nil
			}
			n, state, refused, got := 0, "", 0, map[string]bool{}
			var client *hiring.Client
			elsewhere := hiring.WithObserver(func(ctx context.Context, e hiring.Exchange) {
				if c.busy && e.Operation == "Submissions.List" {
					_, err := client.Challenges.List().Page(ctx)
					assert.ErrorIs(t, err, hiring.ErrNotFound)
				}
			})
			var err error
			client, err = hiring.New(apitest.BaseURL, "", elsewhere, hiring.WithHTTPClient(&http.Client{Transport: transport}),
				hiring.WithKeySource(func(context.Context) (string, error) {
					if n++; c.other > 0 && n > 10 && n%c.other == 0 {
						return fmt.Sprintf("%s-%d-2", apitest.Key, n%c.keys), nil
					}
					return fmt.Sprintf("%s-%d-1", apitest.Key, n%c.keys), nil
				}))
			require.NoError(t, err)
			for time.Since(transport.Begin) < 6*time.Hour {
				polled, err := client.Submissions.Poll(t.Context(), state, hiring.WatchOptions{})
				if err != nil {
					require.ErrorContains(t, err, "another account")
					refused++
				}
				for _, s := range polled.Submissions {
					assert.False(t, got[s.ID], s.ID)
					got[s.ID] = true
				}
				state = polled.State
				time.Sleep(max(polled.Wait, 30*time.Second))
			}
			assert.Len(t, got, 20)
			assert.NotContains(t, got, "other")
			assert.Equal(t, c.other > 0, refused > 0)
			for key, times := range reads {
				assert.Equal(t, 1, times, "reads of the account of %s", key)
			}
		})
	}
}

// TestWaitReportsYieldsEach once, reports a missing id within six hours, and knows ids in either case. The local clock
// is two days ahead of the server's.
func TestWaitReportsYieldsEach(t *testing.T) {
	for _, n := range []int{1, 5, 60} {
		inBubble(t, fmt.Sprint(n), func(t *testing.T) {
			transport := emulated(n, 4*time.Hour)
			transport.Ahead = -48 * time.Hour
			ids := []string{"none"}
			for i := range n {
				ids = append(ids, fmt.Sprintf("S%03d", i), fmt.Sprintf("s%03d", i))
			}
			got := map[string]int{}
			var end error
			for report, err := range clientOf(t, transport).Submissions.WaitReports(t.Context(), ids, hiring.WaitOptions{}) {
				if end = err; err == nil {
					got[report.SubmissionID]++
				}
			}
			missing, _ := errors.AsType[*hiring.WaitError](end)
			require.Equal(t, []string{"none"}, missing.Missing)
			require.ErrorIs(t, end, hiring.ErrNotFound)
			assert.Len(t, got, n)
			for id, times := range got {
				assert.Equal(t, 1, times, id)
			}
			assert.Less(t, time.Since(transport.Begin), 10*time.Hour)
		})
	}
}

// TestReadyReportsComeInTheFirstPoll of few ids and of many.
func TestReadyReportsComeInTheFirstPoll(t *testing.T) {
	for n, requests := range map[int]int{1: 1, 10: 10, 250: 10} {
		inBubble(t, fmt.Sprint(n), func(t *testing.T) {
			transport := emulated(n, time.Hour)
			time.Sleep(2 * time.Hour)
			var ids []string
			for i := range n {
				ids = append(ids, fmt.Sprintf("s%03d", i))
			}
			begun := time.Now()
			for _, err := range clientOf(t, transport).Submissions.WaitReports(t.Context(), ids, hiring.WaitOptions{}) {
				require.NoError(t, err)
			}
			assert.Zero(t, time.Since(begun))
			assert.LessOrEqual(t, len(transport.Sent()), requests)
		})
	}
}

// TestWaitReportWithAWrongClock polls in the usual intervals after the first response, which shows the server's time.
func TestWaitReportWithAWrongClock(t *testing.T) {
	for _, ahead := range []time.Duration{-48 * time.Hour, 48 * time.Hour} {
		inBubble(t, ahead.String(), func(t *testing.T) {
			transport := emulated(1, time.Hour)
			transport.Ahead = ahead
			_, err := clientOf(t, transport).Submissions.WaitReport(t.Context(), "s000", hiring.WaitOptions{})
			require.NoError(t, err)
			assert.LessOrEqual(t, time.Since(transport.Begin), time.Hour+61*time.Second)
		})
	}
}
