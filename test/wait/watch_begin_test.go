package wait_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// outage is an API that does not respond for two hours. Submissions are evaluated every
// ten minutes, from an hour before the outage until an hour after it.
func outage(begun time.Time, skew time.Duration) (emulator.Behavior, []*emulator.Submission) {
	var all []*emulator.Submission
	for i := range 25 {
		at := begun.Add(time.Duration(i-6)*10*time.Minute + 5*time.Minute)
		all = append(all, &emulator.Submission{ID: crowdID(i), Created: at.Add(-time.Hour), Submitted: at.Add(-time.Minute), Evaluated: at})
	}
	k := emulator.Behavior{
		Down: func(now time.Time) bool { return now.Before(begun.Add(2 * time.Hour)) },
		Skew: func(time.Time) time.Duration { return skew },
	}
	return k, all
}

// afterwards returns the ids of the submissions that were evaluated since a time.
func afterwards(all []*emulator.Submission, from time.Time) (ids []string) {
	for _, it := range all {
		if !it.Evaluated.Before(from) {
			ids = append(ids, it.ID)
		}
	}
	return ids
}

// TestWatchBeginsAtTheCall checks the start by the server's clock, also if the server
// does not respond then, and if the process ends before the first response.
func TestWatchBeginsAtTheCall(t *testing.T) {
	t.Parallel()
	for _, skew := range []time.Duration{0, -35 * time.Minute} {
		for _, on := range everySince {
			inBubble(t, on.String()+skew.String(), func(t *testing.T) {
				begun := time.Now()
				k, all := outage(begun, skew)
				k.Since = on
				checkpoint := new(memoryCheckpoint)
				o := hiring.WatchOptions{Checkpoint: checkpoint}
				assert.Empty(t, watchFor(t, emulated(t, k, all), o, time.Hour))
				assert.NotEmpty(t, checkpoint.state)
				came := watchFor(t, emulated(t, k, all), o, 4*time.Hour)
				want := afterwards(all, begun.Add(skew))
				assert.Len(t, came, len(want))
				for _, id := range want {
					assert.Contains(t, came, id)
				}
			})
		}
	}
}

// TestFirstPollThatFailsHoldsTheTimeOfTheCall checks that the returned state has the
// time.
func TestFirstPollThatFailsHoldsTheTimeOfTheCall(t *testing.T) {
	for _, skew := range []time.Duration{0, -35 * time.Minute} {
		inBubble(t, skew.String(), func(t *testing.T) {
			begun := time.Now()
			k, all := outage(begun, skew)
			came := make(map[string]bool)
			state := ""
			for time.Since(begun) < 6*time.Hour {
				polled, err := emulated(t, k, all).Submissions.Poll(t.Context(), hiring.WatchOptions{}, state)
				require.NotEmpty(t, polled.State)
				require.Equal(t, err != nil, time.Since(begun) < 2*time.Hour, err)
				if err != nil {
					require.Contains(t, polled.State, `"CalledAt":"`+begun.UTC().Format(time.RFC3339)+`"`)
				}
				state = polled.State
				for _, s := range polled.Submissions {
					came[s.ID] = true
				}
				time.Sleep(max(polled.Wait, 10*time.Minute))
			}
			want := afterwards(all, begun.Add(skew))
			assert.Len(t, came, len(want))
			for _, id := range want {
				assert.Contains(t, came, id)
			}
			var refused *hiring.ParamError
			_, err := emulated(t, k, all).Submissions.Poll(t.Context(), hiring.WatchOptions{AssessmentID: "other"}, state)
			require.ErrorAs(t, err, &refused)
		})
	}
}

// TestFirstPollThatFailsKeepsItsSince checks that the next poll begins there, whatever
// its own options are.
func TestFirstPollThatFailsKeepsItsSince(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		begun := time.Now()
		k, all := outage(begun, 0)
		first, err := emulated(t, k, all).Submissions.Poll(t.Context(), hiring.WatchOptions{Since: begun.Add(-30 * time.Minute)}, "")
		require.Error(t, err)
		time.Sleep(4 * time.Hour)
		second, err := emulated(t, k, all).Submissions.Poll(t.Context(), hiring.WatchOptions{}, first.State)
		require.NoError(t, err)
		assert.Len(t, second.Submissions, len(afterwards(all, begun.Add(-30*time.Minute))))
	})
}

// TestReportThatIsNotReadyIsNil uses a report that is not ready for longer than Watch
// waits.
func TestReportThatIsNotReadyIsNil(t *testing.T) {
	t.Parallel()
	for _, on := range everySince {
		inBubble(t, on.String(), func(t *testing.T) {
			begun := time.Now()
			all := emulator.Batch(1, begun, 30, 10*time.Minute)
			client := emulated(t, emulator.Behavior{Since: on, Lag: 5 * time.Hour}, all)
			checkpoint := new(memoryCheckpoint)
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Hour)
			defer cancel()
			n := 0
			for s, err := range client.Submissions.Watch(ctx, hiring.WatchOptions{Checkpoint: checkpoint}) {
				if err != nil {
					require.ErrorIs(t, err, context.DeadlineExceeded)
					break
				}
				n++
				require.Nil(t, s.Report)
				require.False(t, s.Report.Ready())
				assert.Equal(t, hiring.SubmissionEvaluated, s.Status)
			}
			assert.Equal(t, 30, n)
		})
	}
}

// TestUnknownAssessmentEndsAWatch checks that this happens only if nothing is listed and
// the assessment's invitations are not found.
func TestUnknownAssessmentEndsAWatch(t *testing.T) {
	inBubble(t, "", func(t *testing.T) {
		server := sandbox.Start(t)
		client := server.LiveClient()
		o := hiring.WatchOptions{AssessmentID: sandbox.UnknownID}
		for range 2 {
			err := apitest.LastError(client.Submissions.Watch(t.Context(), o))
			require.ErrorIs(t, err, hiring.ErrNotFound)
			require.ErrorContains(t, err, "check WatchOptions.AssessmentID")
		}
		polled, err := client.Submissions.Poll(t.Context(), o, "")
		require.ErrorIs(t, err, hiring.ErrNotFound)
		_, err = client.Submissions.Poll(t.Context(), o, polled.State)
		require.ErrorIs(t, err, hiring.ErrNotFound)

		o.AssessmentID = server.AddAssessment("empty")
		polled, err = client.Submissions.Poll(t.Context(), o, "")
		require.NoError(t, err)
		require.NoError(t, client.Assessments.Delete(t.Context(), o.AssessmentID))
		for range 3 {
			time.Sleep(polled.Wait)
			polled, err = client.Submissions.Poll(t.Context(), o, polled.State)
			require.NoError(t, err, "only the first listing of a watch ends it")
		}
		asked := 0
		for _, entry := range server.Journal() {
			if entry.Route == "/assessments/{id}/invitations" && entry.Status == http.StatusOK {
				asked++
			}
		}
		assert.Equal(t, 1, asked, "once for the empty assessment")
	})
}

// TestAssessmentIsLookedUpOnlyWhenNothingIsListed also checks that only a 404 of the API
// ends the watch.
func TestAssessmentIsLookedUpOnlyWhenNothingIsListed(t *testing.T) {
	for name, c := range map[string]struct {
		submissions, invitations string
		status                   int
		asked                    int
	}{
		"listed":    {`[{"id":"s","status":"started"}]`, `{}`, 404, 0},
		"forbidden": {`[]`, `{"error":{"code":"INSUFFICIENT_SCOPE","message":"no","request_id":"req_0a"}}`, 403, 1},
		"failing":   {`[]`, `{"error":{"code":"INTERNAL_ERROR","message":"no","request_id":"req_0a"}}`, 500, 1},
		"proxy":     {`[]`, `<html>not here</html>`, 404, 1},
	} {
		inBubble(t, name, func(t *testing.T) {
			asked := 0
			fake := apitest.NewScriptedServer(t, func(r *http.Request) (*http.Response, error) {
				switch r.URL.Path {
				case "/api/v1/account":
					return apitest.RespondData(`{"id":"a"}`)(r)
				case "/api/v1/submissions":
					return apitest.RespondData(c.submissions)(r)
				}
				asked++
				return apitest.Respond(c.status, c.invitations)(r)
			})
			client := fake.Client(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}))
			_, err := client.Submissions.Poll(t.Context(), hiring.WatchOptions{AssessmentID: "one"}, "")
			require.NoError(t, err)
			assert.Equal(t, c.asked, asked)
		})
	}
}

// TestErrorOfACheckpointSaysSo checks that the error names the method that failed.
func TestErrorOfACheckpointSaysSo(t *testing.T) {
	failure := errors.New("disk full")
	err := apitest.LastError(sandbox.New().Client().Submissions.Watch(t.Context(), hiring.WatchOptions{Checkpoint: failingCheckpoint{load: failure}}))
	require.EqualError(t, err, "hiring: Watch: load checkpoint: disk full")
	err = apitest.LastError(sandbox.New().Client().Submissions.Watch(t.Context(), hiring.WatchOptions{Checkpoint: failingCheckpoint{save: failure}}))
	require.EqualError(t, err, "hiring: Watch: save checkpoint: disk full")
	require.ErrorIs(t, err, failure)
	o := hiring.WatchOptions{Checkpoint: hiring.FileCheckpoint(filepath.Join(t.TempDir(), "none", "state"))}
	err = apitest.LastError(sandbox.New().Client().Submissions.Watch(t.Context(), o))
	require.ErrorContains(t, err, "hiring: Watch: load checkpoint: the folder of the file: ")
	assert.NotContains(t, err.Error(), "checkpoint: checkpoint")
}

// TestRegradedSubmissionIsDeliveredAgain checks that with Regraded a submission is delivered
// once for each grading, also after a restart.
func TestRegradedSubmissionIsDeliveredAgain(t *testing.T) {
	t.Parallel()
	for _, on := range everySince {
		inBubble(t, on.String(), func(t *testing.T) {
			all := emulator.ManyAttempts(1, time.Now(), 60, 3*time.Hour, emulator.Life{Grading: 3 * time.Minute})
			for i, it := range all {
				if i%3 == 0 {
					it.Again = it.Evaluated.Add(time.Duration(i+1) * 4 * time.Minute)
				}
			}
			client := emulated(t, emulator.Behavior{Since: on}, all)
			checkpoint := new(memoryCheckpoint)
			o := hiring.WatchOptions{Checkpoint: checkpoint, Regraded: true}
			came := make(map[string][]time.Time)
			for range 5 {
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
				for s, err := range client.Submissions.Watch(ctx, o) {
					if err != nil {
						break
					}
					came[s.ID] = append(came[s.ID], *s.EvaluatedAt)
				}
				cancel()
			}
			for i, it := range all {
				want := []time.Time{it.Evaluated}
				if i%3 == 0 {
					want = append(want, it.Again)
				}
				require.Len(t, came[it.ID], len(want), "%d", i)
				for n := range want {
					assert.WithinDuration(t, want[n], came[it.ID][n], time.Second)
				}
			}
		})
	}
}

// TestZeroSinceOfARangeThatBeginsLater: the call is Watch, and not the start of the range.
func TestZeroSinceOfARangeThatBeginsLater(t *testing.T) {
	t.Parallel()
	for _, on := range everySince {
		inBubble(t, on.String(), func(t *testing.T) {
			begun := time.Now()
			all := []*emulator.Submission{{ID: "s1", Created: begun.Add(-time.Hour), Submitted: begun.Add(-time.Minute), Evaluated: begun.Add(5 * time.Minute)}}
			ctx, cancel := context.WithTimeout(t.Context(), 4*time.Hour)
			defer cancel()
			results := emulated(t, emulator.Behavior{Since: on}, all).Submissions.Watch(ctx, hiring.WatchOptions{})
			time.Sleep(10 * time.Minute)
			n := 0
			for _, err := range results {
				if err == nil {
					n++
				}
			}
			assert.Equal(t, 1, n)
		})
	}
}

// TestSlowReasonOfAWatchThatCannotBegin: the API does not answer at a first start, and at a restart with a checkpoint.
func TestSlowReasonOfAWatchThatCannotBegin(t *testing.T) {
	t.Parallel()
	const failing = "the API fails or cannot be reached"
	inBubble(t, "first start", func(t *testing.T) {
		client := apitest.NewScriptedServer(t, apitest.Fail(apitest.DialError)).Client()
		polled, err := client.Submissions.Poll(t.Context(), hiring.WatchOptions{}, "")
		require.Error(t, err)
		assert.Equal(t, failing, polled.Progress.SlowReason)
		before := polled.Wait
		for range 5 { // The pause grows to MaxInterval.
			polled, err = client.Submissions.Poll(t.Context(), hiring.WatchOptions{MinInterval: 5 * time.Minute, MaxInterval: 5 * time.Minute}, polled.State)
			require.Error(t, err)
		}
		assert.LessOrEqual(t, before, time.Minute)
		assert.Equal(t, 5*time.Minute, polled.Wait)
	})
	inBubble(t, "restart", func(t *testing.T) {
		down := false
		all := emulator.Stream(1, time.Now().Add(-4*day), 5*day, 200, graded)
		behavior := emulator.Behavior{Down: func(time.Time) bool { return down }}
		o := hiring.WatchOptions{Checkpoint: new(memoryCheckpoint)}
		watchFor(t, emulated(t, behavior, all), o, time.Hour)
		down = true
		reasons := make(map[string]int)
		o.Progress = func(p hiring.WaitProgress) { reasons[p.SlowReason]++ }
		watchFor(t, emulated(t, behavior, all), o, time.Hour)
		assert.Equal(t, []string{failing}, slices.Collect(maps.Keys(reasons)))
	})
}

// hangingCheckpoint fails when the context ends, with an error that does not match it, as database drivers do.
type hangingCheckpoint struct{ loads bool }

func (c hangingCheckpoint) Load(ctx context.Context) (string, error) {
	if c.loads {
		return "", nil
	}
	return "", c.Save(ctx, "")
}

func (hangingCheckpoint) Save(ctx context.Context, _ string) error {
	<-ctx.Done()
	return errors.New("pq: canceling statement due to user request")
}

func TestContextEndsWhileACheckpointLoadsOrSaves(t *testing.T) {
	t.Parallel()
	for _, loads := range []bool{false, true} {
		inBubble(t, "", func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			client := apitest.NewScriptedServer(t, apitest.RespondData(`[]`)).Client()
			err := apitest.LastError(client.Submissions.Watch(ctx, hiring.WatchOptions{Checkpoint: hangingCheckpoint{loads}}))
			require.ErrorIs(t, err, context.DeadlineExceeded)
			assert.ErrorContains(t, err, "canceling statement")
		})
	}
}
