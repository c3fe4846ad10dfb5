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
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/poll"
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

// TestPollsWithSavedStatesFindAll uses a new client for each poll, as cron does. It comes when More or the hour says so.
// Most of the window is used by others.
func TestPollsWithSavedStatesFindAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := emulated(150, time.Hour)
		transport.API.PageSize, transport.API.OthersPerHour = 1, 1500
		time.Sleep(time.Hour)
		got, state, deepest, usedUp := map[string]int{}, "", time.Now(), 0
		o := hiring.WatchOptions{Since: transport.Begin, MinInterval: 25 * time.Minute, MaxInterval: 25 * time.Minute}
		for time.Since(transport.Begin) < 10*time.Hour {
			before := len(transport.Sent())
			polled, err := clientOf(t, transport).Submissions.Poll(t.Context(), state, o)
			require.NoError(t, err)
			switch sent := len(transport.Sent()) - before; {
			case polled.Wait == 0:
				assert.True(t, polled.More)
				assert.Equal(t, 101, sent, "and the account")
			case polled.More: // The window is used up.
				usedUp++
				assert.LessOrEqual(t, polled.Wait, 40*time.Minute)
			default:
				assert.Equal(t, 25*time.Minute, polled.Wait)
			}
			for _, s := range polled.Submissions {
				assert.True(t, s.Report.Ready())
				got[s.ID]++
			}
			state = polled.State
			time.Sleep(polled.Wait)
		}
		assert.Positive(t, usedUp)
		require.Len(t, got, 150)
		for id, times := range got {
			assert.Equal(t, 1, times, id)
		}
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

// TestANightlyJobPollsWhileThereIsMore: also when a long listing has no reads to spare.
func TestANightlyJobPollsWhileThereIsMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := emulated(150, time.Hour)
		transport.API.PageSize, transport.API.OthersPerHour = 1, 600
		time.Sleep(2 * time.Hour)
		polled, got := hiring.PollResult{More: true}, 0
		for polled.More {
			var err error
			polled, err = clientOf(t, transport).Submissions.Poll(t.Context(), polled.State, hiring.WatchOptions{Since: transport.Begin})
			require.NoError(t, err)
			got += len(polled.Submissions)
			time.Sleep(polled.Wait)
		}
		assert.Equal(t, 150, got)
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
		"created_at": func(s map[string]any) { s["created_at"] = "yesterday" },
		"times": func(s map[string]any) {
			for _, name := range []string{"created_at", "submitted_at", "evaluated_at"} {
				if s[name] != nil {
					s[name] = "02.01.2026 15:04"
				}
			}
		},
	} {
		inBubble(t, name, func(t *testing.T) {
			transport, checkpoint := emulated(3, time.Hour), new(memoryCheckpoint)
			transport.Spoil = func(id string, _ bool, s map[string]any) {
				if id == "s001" {
					s["id"] = "S001" // The error spells it as the API does.
					spoil(s)
				}
			}
			var got, failed []string
			run := func(until time.Duration) {
				ctx, cancel := context.WithTimeout(t.Context(), until)
				defer cancel()
				for s, err := range clientOf(t, transport).Submissions.Watch(ctx, hiring.WatchOptions{Checkpoint: checkpoint, MinInterval: 5 * time.Minute}) {
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
			for range 15 {
				run(4 * time.Hour)
			}
			assert.Equal(t, []string{"S001"}, failed)
			assert.ElementsMatch(t, []string{"s000", "s002"}, got)
			transport = emulated(1, time.Minute)
			transport.Spoil = func(_ string, _ bool, s map[string]any) { spoil(s) }
			_, err := clientOf(t, transport).Submissions.WaitReport(t.Context(), "s000", hiring.WaitOptions{})
			_, isItem := errors.AsType[*hiring.ItemError](err)
			assert.True(t, isItem, "%v", err)
		})
	}
}

// TestZeroSinceIsTheCall also when the server is not reachable at that moment, and by the server's clock. Where Dates are
// ahead of the times of submissions, what was seen unfinished counts.
func TestZeroSinceIsTheCall(t *testing.T) {
	for _, c := range []struct{ ahead, dates, down time.Duration }{{0, 0, 3 * time.Hour}, {7 * time.Hour, 0, 3 * time.Hour}, {-7 * time.Hour, 0, 3 * time.Hour}, {0, 26 * time.Hour, 0}} {
		inBubble(t, fmt.Sprint(c), func(t *testing.T) {
			transport := emulated(10, 10*time.Hour)
			transport.Begin, transport.Ahead = transport.Begin.Add(-5*time.Hour-30*time.Minute), c.ahead // Five are evaluated before the call.
			transport.API.DateAhead = c.dates
			down := time.Now().Add(c.down)
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

// TestAFailedPollIsRepeatedAfterAMinute, doubled up to the interval, or when the API says.
func TestAFailedPollIsRepeatedAfterAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, slices.Concat(
			[]apitest.Responder{apitest.RespondData(`{"id":"s","status":"started"}`)}, slices.Repeat([]apitest.Responder{apitest.Respond(502, "")}, 9),
			[]apitest.Responder{apitest.Respond(307, "", "Location: /login"), apitest.Respond(503, "", "Retry-After: 300"), apitest.RespondData(readySubmission)})...)
		o := hiring.WaitOptions{MinInterval: time.Hour, MaxInterval: time.Hour}
		_, err := fake.Client(apitest.NoRetry).Submissions.WaitReport(t.Context(), "s", o)
		require.NoError(t, err)
		for i, pause := range fake.Pauses() {
			assert.InDelta(t, []int{60, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 5}[i], pause.Minutes(), 0)
		}
		down := apitest.NewScriptedServer(t, apitest.Respond(502, "")).Client(apitest.NoRetry)
		polled, err := down.Submissions.Poll(t.Context(), "", hiring.WatchOptions{MinInterval: time.Hour})
		require.Error(t, err)
		assert.Equal(t, []any{true, time.Minute}, []any{polled.More, polled.Wait})
	})
}

// TestOutages: before the first poll has succeeded, a response that is not from the API ends the call, because the base
// URL may be wrong. Later it is an outage, which is logged each hour. A redirect is one for an hour.
func TestOutages(t *testing.T) {
	for name, failure := range failures {
		inBubble(t, name, func(t *testing.T) {
			transport := emulated(30, 3*time.Hour)
			if !strings.HasPrefix(name, "transient") {
				wrong := &emulator.Transport{Before: failure}
				require.Error(t, apitest.LastError(clientOf(t, wrong, apitest.NoRetry).Submissions.Watch(t.Context(), hiring.WatchOptions{})))
				assert.Len(t, wrong.Sent(), 1)
			}
			answer(transport, func(*http.Request) bool {
				passed := time.Since(transport.Begin)
				return passed > 30*time.Minute && passed < 105*time.Minute
			}, failure)
			var log strings.Builder
			client := clientOf(t, transport, apitest.NoRetry, hiring.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
			got := 0
			for _, err := range client.Submissions.Watch(t.Context(), hiring.WatchOptions{}) {
				if name == "redirect" && err != nil {
					require.ErrorContains(t, err, "sorry.example.com")
					assert.NotContains(t, err.Error(), "maintenance")
					assert.InDelta(t, 90, time.Since(transport.Begin).Minutes(), 2)
					return
				}
				require.NoError(t, err)
				if got++; got == 30 {
					break
				}
			}
			assert.Equal(t, map[bool]int{true: 0, false: 2}[name == "transient: 429"], strings.Count(log.String(), "polls fail"), log.String())
		})
	}
}

// TestNothingWaitsForAClock: after a restart with a state, and after the server's clock was set, the next request comes
// within a minute, also when the saved window was used up.
func TestNothingWaitsForAClock(t *testing.T) {
	for _, by := range []time.Duration{-7 * day, -6 * time.Hour, time.Minute, time.Hour, 7 * day} {
		for _, usedUp := range []bool{false, true} {
			inBubble(t, fmt.Sprint(by, usedUp), func(t *testing.T) {
				transport, checkpoint := emulated(60, 3*time.Hour), new(memoryCheckpoint)
				transport.Ahead = max(by, 0)
				if usedUp {
					transport.API.OthersPerHour = 2000
				}
				requests := func(client *hiring.Client, within time.Duration) int {
					before := len(transport.Sent())
					ctx, cancel := context.WithTimeout(t.Context(), within)
					defer cancel()
					for _, err := range client.Submissions.Watch(ctx, hiring.WatchOptions{Checkpoint: checkpoint}) {
						if err != nil {
							break
						}
					}
					return len(transport.Sent()) - before
				}
				requests(clientOf(t, transport), time.Hour+25*time.Minute)
				transport.Ahead = by
				assert.Positive(t, requests(clientOf(t, transport), time.Second))
				transport.API.OthersPerHour = 0
				time.Sleep(time.Hour)
				client := clientOf(t, transport)
				requests(client, time.Minute)
				set := time.Now().Add(time.Minute)
				answer(transport, func(*http.Request) bool {
					if time.Now().After(set) {
						transport.Ahead = -by
					}
					return false
				}, nil)
				assert.GreaterOrEqual(t, requests(client, 10*time.Minute), 10)
			})
		}
	}
}

// TestCursorsThatAreIgnoredEndTheCall: the second page repeats the first one, also when the listing has begun again, although
// each page has another cursor.
func TestCursorsThatAreIgnoredEndTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := emulated(60, time.Hour)
		transport.API.PageSize = 10
		transport.Before = func(r *http.Request) (*http.Response, error) {
			time.Sleep(time.Millisecond) // The cursor is of another time.
			q := r.URL.Query()
			q.Del("cursor")
			r.URL.RawQuery = q.Encode()
			return nil, nil
		}
		time.Sleep(2 * time.Hour)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		client := clientOf(t, transport)
		o := hiring.WatchOptions{Since: transport.Begin}
		polled, ofPoll := client.Submissions.Poll(ctx, "", o)
		assert.False(t, polled.More)
		errs := []error{ofPoll, apitest.LastError(client.Submissions.Watch(ctx, o)), apitest.LastError(client.Submissions.WaitReports(ctx, transport.API.IDs(), hiring.WaitOptions{}))}
		for _, err := range errs {
			require.ErrorContains(t, err, "Dialect.CursorParam is probably wrong")
		}
	})
}

// TestTheSameCursorEndsTheCall at once.
func TestTheSameCursorEndsTheCall(t *testing.T) {
	page := `{"data":[{"id":"s%d"}],"meta":{"request_id":"req_0a","has_more":true,"next_cursor":"x"}}`
	fake := apitest.NewScriptedServer(t, apitest.RespondData(`{"id":"a0"}`), apitest.Respond(200, fmt.Sprintf(page, 1)), apitest.Respond(200, fmt.Sprintf(page, 2)))
	err := apitest.LastError(fake.Client().Submissions.Watch(t.Context(), hiring.WatchOptions{Since: time.Unix(1, 0)}))
	require.ErrorContains(t, err, "Dialect.CursorParam is probably wrong")
	assert.Less(t, len(fake.Requests()), 20)
}

// TestAListThatGrowsByAPage while it is listed: cursors are positions, so that a page shows what the page before it has shown.
// The listing begins again. It does not end the call, also when the list grows again and again.
func TestAListThatGrowsByAPage(t *testing.T) {
	for name, grows := range map[string]func(page, grown int) bool{
		"between the first two pages": func(page, grown int) bool { return page == 1 && grown == 0 },
		"between later pages":         func(page, _ int) bool { return page == 4 },
		"each time":                   func(page, grown int) bool { return page > 1 || grown == 0 },
	} {
		for _, call := range []string{"Watch", "WaitReports"} {
			inBubble(t, name+" "+call, func(t *testing.T) {
				transport := emulated(60, time.Hour)
				time.Sleep(2 * time.Hour)
				grown, ids := 0, transport.API.IDs()
				growing(transport, func(page int) int {
					if grown == 80 || !grows(page, grown) {
						return 0
					}
					grown += 10
					return 10
				})
				got := map[string]int{}
				if call == "Watch" {
					ctx, cancel := context.WithTimeout(t.Context(), 9*time.Hour)
					defer cancel()
					for s, err := range clientOf(t, transport).Submissions.Watch(ctx, hiring.WatchOptions{Since: transport.Begin, MinInterval: 5 * time.Minute}) {
						if err != nil {
							require.ErrorIs(t, err, context.DeadlineExceeded)
							break
						}
						got[s.ID]++
					}
				} else {
					for report, err := range clientOf(t, transport).Submissions.WaitReports(t.Context(), ids, hiring.WaitOptions{}) {
						require.NoError(t, err)
						got[report.SubmissionID]++
					}
				}
				assert.Positive(t, grown)
				if call == "Watch" {
					ids = transport.API.IDs()
				}
				for _, id := range ids {
					assert.Equal(t, 1, got[id], id)
				}
			})
		}
	}
}

// TestTheListingThatFailsIsNamed by Progress and one line of the log.
func TestTheListingThatFailsIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := emulated(60, 6*time.Hour)
		transport.API.Broken = func(q poll.Request) bool { return q.Status == "grading" }
		var log strings.Builder
		client := clientOf(t, transport, hiring.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
		named := 0
		o := hiring.WatchOptions{Progress: func(p hiring.WaitProgress) {
			if p.Failing != "" {
				assert.Equal(t, "status=grading", p.Failing)
				named++
			}
		}}
		ctx, cancel := context.WithTimeout(t.Context(), 6*time.Hour)
		defer cancel()
		require.ErrorIs(t, apitest.LastError(client.Submissions.Watch(ctx, o)), context.DeadlineExceeded)
		assert.Greater(t, named, 300)
		assert.Equal(t, 1, strings.Count(log.String(), `listings="status=grading"`))
		assert.NotContains(t, log.String(), "polls fail")
	})
}

// TestAListingShowsWhatTheAPIDoesNotShowSingly: the read of the one submission, s000, always fails.
func TestAListingShowsWhatTheAPIDoesNotShowSingly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := emulated(1, time.Hour)
		transport.API.Broken = func(q poll.Request) bool { return q.ID != "" }
		_, err := clientOf(t, transport).Submissions.WaitReport(within(t, 70*time.Minute), "S-000", hiring.WaitOptions{})
		require.NoError(t, err)
	})
}

// TestAPollEndsAfterTenRequestsThatFail: the API answers no single read. The listings show all reports.
func TestAPollEndsAfterTenRequestsThatFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := emulated(60, 6*time.Hour)
		failed, most := 0, 0
		transport.API.Broken = func(q poll.Request) bool {
			if q.ID != "" {
				failed++
			}
			return q.ID != ""
		}
		o := hiring.WaitOptions{Progress: func(hiring.WaitProgress) { failed, most = 0, max(most, failed) }}
		once := hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1})
		require.NoError(t, apitest.LastError(clientOf(t, transport, once).Submissions.WaitReports(within(t, 12*time.Hour), transport.API.IDs(), o)))
		assert.Equal(t, 10, most)
	})
}

// TestWatchEndsAtOnceBeforeADistantWindow: a tenth of the window is reserved.
func TestWatchEndsAtOnceBeforeADistantWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := emulated(1, time.Hour)
		transport.API.OthersPerHour = 1000
		ctx, cancel := context.WithTimeout(t.Context(), 57*time.Minute)
		defer cancel()
		sent, counted := 0, 0
		client := clientOf(t, transport, hiring.WithObserver(func(context.Context, hiring.Exchange) { sent++ }))
		err := apitest.LastError(client.Submissions.Watch(ctx, hiring.WatchOptions{Progress: func(p hiring.WaitProgress) { counted = p.Requests }}))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, err, hiring.ErrQuotaExhausted)
		assert.Equal(t, sent, counted, "WaitProgress.Requests without the one that was not sent")
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
		answer(transport, func(r *http.Request) bool { return strings.Contains(r.URL.Path, "/invitations") }, apitest.RespondError(500, hiring.ErrInternal))
		o.AssessmentID = "other" // A check that failed says nothing.
		polled, err = client.Submissions.Poll(t.Context(), "", o)
		require.NoError(t, err)
		transport.Before = nil
		_, err = client.Submissions.Poll(t.Context(), polled.State, o)
		require.ErrorIs(t, err, hiring.ErrNotFound)
		o.AssessmentID = "none"
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
		has   int  // The submissions of the other account.
		busy  bool // The client is also used elsewhere.
	}{
		"one key, and now and then the other":       {1, 7, 20, true},
		"the other account has no submission":       {1, 3, 0, false},
		"four keys":                                 {4, 0, 0, false},
		"a key for each request":                    {1 << 30, 0, 0, false},
		"a key for each request, also of the other": {1 << 30, 7, 20, false},
	} {
		inBubble(t, name, func(t *testing.T) {
			transport, other := emulated(20, 3*time.Hour), emulated(c.has, 3*time.Hour)
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

// TestAnotherAccountEndsAWait: a key source returns a key of another account after a while. Its 404 makes no id missing.
func TestAnotherAccountEndsAWait(t *testing.T) {
	for name, wait := range map[string]func(context.Context, *hiring.Client) error{
		"WaitReports": func(ctx context.Context, c *hiring.Client) error {
			err := apitest.LastError(c.Submissions.WaitReports(ctx, []string{"s000", "s001"}, hiring.WaitOptions{}))
			ended, _ := errors.AsType[*hiring.WaitError](err)
			require.Equal(t, []any{2, 0}, []any{len(ended.Pending), len(ended.Missing)})
			return err
		},
		"Tail": func(ctx context.Context, c *hiring.Client) error {
			return apitest.LastError(c.Events.Tail(ctx, "s000", hiring.TailOptions{}))
		},
	} {
		for _, second := range []int{10, 11} { // The first request of the other account: Tail reads its log, or its report.
			inBubble(t, fmt.Sprint(name, " ", second), func(t *testing.T) {
				transport, keys, reads := emulated(2, 10*time.Hour), 0, 0
				transport.Account = func(key string) string {
					reads++
					return key[len(key)-1:]
				}
				answer(transport, func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/report") }, apitest.RespondData(apitest.PendingReport))
				answer(transport, func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/events") }, apitest.RespondData(entry(1)))
				answer(transport, func(r *http.Request) bool {
					return strings.HasSuffix(r.Header.Get("Authorization"), "2") && r.URL.Path != "/api/v1/account"
				}, apitest.RespondError(404, hiring.ErrNotFound))
				client, err := hiring.New(apitest.BaseURL, "", hiring.WithHTTPClient(&http.Client{Transport: transport}), hiring.WithKeySource(func(context.Context) (string, error) {
					if keys++; keys < second {
						return apitest.Key + "-1", nil
					}
					return apitest.Key + "-2", nil
				}))
				require.NoError(t, err)
				err = wait(t.Context(), client)
				require.ErrorIs(t, err, hiring.ErrInvalidInput)
				require.ErrorContains(t, err, "another account")
				assert.Equal(t, 2, reads)
			})
		}
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

// TestALongListingEndsAlthoughPagesFail: a watch begins with a hundred pages of older results, and the API cannot answer a
// part of the requests. All come within six and a half hours and an interval.
func TestALongListingEndsAlthoughPagesFail(t *testing.T) {
	results, page := 1000, 10
	if apitest.Long() {
		results, page = 10_000, 100
	}
	for _, refusing := range []float64{0.01, 0.05, 0.1} {
		for _, retryAfter := range []time.Duration{0, 90 * time.Second} {
			for _, interval := range []time.Duration{30 * time.Minute, 90 * time.Minute} {
				inBubble(t, fmt.Sprint(refusing, retryAfter, interval), func(t *testing.T) {
					transport := emulated(results, 10*time.Hour)
					transport.API.PageSize, transport.API.Refusing, transport.API.RetryAfter = page, refusing, retryAfter
					transport.API.Seed = uint64(refusing*1000) + uint64(retryAfter+interval)
					time.Sleep(10 * time.Hour)
					ctx, cancel := context.WithTimeout(t.Context(), 24*time.Hour)
					defer cancel()
					got, begun, latest := map[string]bool{}, time.Now(), time.Duration(0)
					o := hiring.WatchOptions{Since: transport.Begin, MinInterval: interval, MaxInterval: 90 * time.Minute}
					for s, err := range clientOf(t, transport, apitest.NoRetry).Submissions.Watch(ctx, o) {
						if err != nil {
							require.ErrorIs(t, err, context.DeadlineExceeded)
							break
						}
						assert.False(t, got[s.ID], "twice: %s", s.ID)
						got[s.ID], latest = true, time.Since(begun)
						if len(got) == results {
							break
						}
					}
					t.Logf("%d of %d in %v, %d requests", len(got), results, latest, len(transport.Sent()))
					assert.Equal(t, results, len(got)) //nolint:testifylint // Len prints all ids.
					assert.LessOrEqual(t, latest, 6*time.Hour+30*time.Minute+90*time.Minute)
				})
			}
		}
	}
}

// TestTheStateOfAFirstRunIsSmall: 2,000 results of thirty to ten days ago, and nothing is evaluated since. The state keeps
// those of the last day of them.
func TestTheStateOfAFirstRunIsSmall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := emulated(2000, 20*day)
		time.Sleep(30 * day)
		client, state, got := clientOf(t, transport), "", map[string]int{}
		for until := time.Now().Add(8 * time.Hour); time.Now().Before(until); {
			polled, err := client.Submissions.Poll(t.Context(), state, hiring.WatchOptions{Since: transport.Begin, Lookback: 40 * day, MinInterval: time.Hour})
			require.NoError(t, err)
			for _, s := range polled.Submissions {
				got[s.ID]++
			}
			state = polled.State
			time.Sleep(polled.Wait)
		}
		assert.Equal(t, 2000, len(got)) //nolint:testifylint // Len prints all ids.
		for id, times := range got {
			assert.Equal(t, 1, times, id)
		}
		assert.Less(t, len(state), 100*200+2000)
	})
}
