package wait_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
)

// emulated returns a client of an emulated API, which shares no code with the sandbox.
func emulated(t *testing.T, k emulator.Behavior, all []*emulator.Submission) *hiring.Client {
	t.Helper()
	service := emulator.New(k, 1, all)
	client, err := hiring.New("https://service.invalid", "sk_live_emulated",
		hiring.WithHTTPClient(&http.Client{Transport: service.Transport(150 * time.Millisecond)}))
	require.NoError(t, err)
	return client
}

func idsOf(all []*emulator.Submission) []string {
	ids := make([]string, len(all))
	for i := range all {
		ids[i] = all[i].ID
	}
	return ids
}

var everySince = []emulator.Since{emulator.OnCreation, emulator.OnSubmission, emulator.OnEvaluation, emulator.Ignored}

// watchFor watches for a duration and returns when each submission was delivered.
func watchFor(t *testing.T, client *hiring.Client, o hiring.WatchOptions, span time.Duration) map[string]time.Time {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), span)
	defer cancel()
	came := make(map[string]time.Time)
	for s, err := range client.Submissions.Watch(ctx, o) {
		if err != nil {
			require.ErrorIs(t, err, context.DeadlineExceeded)
			break
		}
		require.Zero(t, came[s.ID], "%s comes twice", s.ID)
		require.True(t, s.Report.Ready(), "%s is not ready", s.ID)
		came[s.ID] = time.Now()
	}
	return came
}

// TestOnlyReadyReportsCome uses an API whose status is a minute ahead of the report.
func TestOnlyReadyReportsCome(t *testing.T) {
	t.Parallel()
	for _, on := range everySince {
		inBubble(t, on.String(), func(t *testing.T) {
			all := emulator.ManyAttempts(1, time.Now(), 60, 3*time.Hour, emulator.Life{Grading: 3 * time.Minute})
			knobs := emulator.Behavior{Since: on, Lag: time.Minute}
			came := watchFor(t, emulated(t, knobs, all), hiring.WatchOptions{}, 4*time.Hour)
			assert.Len(t, came, 60)
			all = emulator.ManyAttempts(2, time.Now(), 60, 3*time.Hour, emulator.Life{Grading: 3 * time.Minute})
			n := 0
			for report, err := range emulated(t, knobs, all).Submissions.WaitReports(t.Context(), idsOf(all), hiring.WaitOptions{}) {
				require.NoError(t, err)
				require.True(t, report.Ready())
				n++
			}
			assert.Equal(t, 60, n)
		})
	}
}

// TestWaitReportsConfirmsEachID checks that within an hour a deleted submission is
// reported as missing, and one that no listing shows is delivered.
func TestWaitReportsConfirmsEachID(t *testing.T) {
	t.Parallel()
	for _, on := range everySince {
		inBubble(t, on.String(), func(t *testing.T) {
			begun := time.Now()
			all := emulator.ManyAttempts(1, begun, 300, 4*time.Hour, emulator.Life{Grading: 3 * time.Minute})
			deleted, hidden := all[7], all[9]
			deleted.Deleted, deleted.Evaluated, hidden.Hidden = begun.Add(30*time.Minute), time.Time{}, true
			last := begun
			o := hiring.WaitOptions{Progress: func(p hiring.WaitProgress) {
				if p.Missing == 0 {
					last = time.Now()
				}
			}}
			late := make(map[string]time.Duration)
			var ended *hiring.WaitError
			byID := make(map[string]*emulator.Submission)
			for _, it := range all {
				byID[it.ID] = it
			}
			for report, err := range emulated(t, emulator.Behavior{Since: on}, all).Submissions.WaitReports(t.Context(), idsOf(all), o) {
				if err != nil {
					require.ErrorAs(t, err, &ended)
					break
				}
				late[report.SubmissionID] = time.Since(byID[report.SubmissionID].Evaluated)
			}
			require.NotNil(t, ended)
			assert.Equal(t, []string{deleted.ID}, ended.Missing)
			assert.Empty(t, ended.Pending)
			assert.Len(t, late, 299)
			assert.Less(t, last.Sub(deleted.Deleted), time.Hour)
			assert.Less(t, late[hidden.ID], time.Hour)
		})
	}
}

// TestWaitReportsReachesBackAsFarAsGradingTakes checks, for each meaning of since, that
// an attempt submitted hours ago is delivered as soon as one submitted just now.
func TestWaitReportsReachesBackAsFarAsGradingTakes(t *testing.T) {
	t.Parallel()
	for _, on := range everySince {
		inBubble(t, on.String(), func(t *testing.T) {
			all := emulator.Batch(1, time.Now(), 150, 3*time.Hour)
			evaluated := make(map[string]time.Time)
			for _, it := range all {
				evaluated[it.ID] = it.Evaluated
			}
			requests := 0
			o := hiring.WaitOptions{Progress: func(p hiring.WaitProgress) { requests = p.Requests }}
			var late []time.Duration
			for report, err := range emulated(t, emulator.Behavior{Since: on}, all).Submissions.WaitReports(t.Context(), idsOf(all), o) {
				require.NoError(t, err)
				late = append(late, time.Since(evaluated[report.SubmissionID]))
			}
			assert.Len(t, late, 150)
			assert.LessOrEqual(t, quantile(late, 0.95), 55*time.Second)
			assert.LessOrEqual(t, requests/3, 300, "reads an hour")
		})
	}
}

// TestACursorThatIsIgnoredEndsAWait checks that the error names the Dialect field that is
// probably wrong.
func TestACursorThatIsIgnoredEndsAWait(t *testing.T) {
	for _, on := range everySince {
		inBubble(t, on.String(), func(t *testing.T) {
			begun := time.Now()
			all := emulator.Stream(1, begun.Add(-10*24*time.Hour), 12*24*time.Hour, 500, emulator.Life{Grading: 3 * time.Minute})
			client := emulated(t, emulator.Behavior{Since: on, Cursors: emulator.Unheeded, PageSize: 20}, all)
			var old []string
			for _, it := range all {
				if it.Created.Before(begun) && it.Evaluated.After(begun) && len(old) < 200 {
					old = append(old, it.ID)
				}
			}
			var last error
			for _, err := range client.Submissions.WaitReports(t.Context(), old, hiring.WaitOptions{}) {
				last = err
			}
			require.ErrorContains(t, last, "Dialect.CursorParam")
			for _, err := range client.Submissions.Watch(t.Context(), hiring.WatchOptions{Since: begun.Add(-5 * 24 * time.Hour)}) {
				last = err
			}
			require.ErrorContains(t, last, "Dialect.CursorParam")
			assert.Less(t, time.Since(begun), time.Hour)
		})
	}
}

// TestRegradedSubmissionIsNotDeliveredAgain checks this within a watch and after a restart.
func TestRegradedSubmissionIsNotDeliveredAgain(t *testing.T) {
	t.Parallel()
	for _, on := range everySince {
		inBubble(t, on.String(), func(t *testing.T) {
			all := emulator.ManyAttempts(1, time.Now(), 60, 3*time.Hour, emulator.Life{Grading: 3 * time.Minute})
			for i, it := range all {
				if i%3 == 0 {
					it.Again = it.Evaluated.Add(time.Duration(i) * 4 * time.Minute)
				}
			}
			client := emulated(t, emulator.Behavior{Since: on}, all)
			o := hiring.WatchOptions{Checkpoint: new(memoryCheckpoint)}
			assert.Len(t, watchFor(t, client, o, 4*time.Hour), 60)
			assert.Empty(t, watchFor(t, client, o, 4*time.Hour))
		})
	}
}

// TestProgressDescribesTheWait checks the meaning of since and the reason of a slow
// wait.
func TestProgressDescribesTheWait(t *testing.T) {
	t.Parallel()
	meanings := map[emulator.Since]string{
		emulator.OnCreation: "other", emulator.OnSubmission: "submission", emulator.OnEvaluation: "evaluation", emulator.Ignored: "other",
	}
	for on, meaning := range meanings {
		inBubble(t, on.String(), func(t *testing.T) {
			begun := time.Now()
			all := emulator.Stream(1, begun.Add(-4*24*time.Hour), 5*24*time.Hour, 200, emulator.Life{Grading: 3 * time.Minute})
			down := func(now time.Time) bool { return now.Sub(begun) > 5*time.Hour && now.Sub(begun) < 6*time.Hour }
			client := emulated(t, emulator.Behavior{Since: on, Down: down}, all)
			var told []hiring.WaitProgress
			why := make(map[string]bool)
			o := hiring.WatchOptions{Progress: func(p hiring.WaitProgress) {
				if time.Since(begun) < 8*time.Hour-time.Minute { // Requests that the end of the context cancelled are not counted.
					told = append(told, p)
				}
				why[p.SlowReason] = true
			}}
			watchFor(t, client, o, 8*time.Hour)
			require.NotEmpty(t, told)
			last := told[len(told)-1]
			assert.Equal(t, meaning, last.SinceMeaning)
			if meaning == "other" {
				assert.Positive(t, last.AwaitingGrading)
			}
			assert.InDelta(t, 110, last.ReadsLastHour, 60)
			assert.Empty(t, last.SlowReason)
			assert.True(t, why["the API fails or cannot be reached"], "%v", why)
			assert.Less(t, told[1].NextPoll.Sub(begun), 3*time.Minute)
		})
	}
}

// TestPollKeepsWithinItsBounds checks the limits of 10 pages and 50 submissions, and of
// 20 minutes until the next poll while requests remain.
func TestPollKeepsWithinItsBounds(t *testing.T) {
	t.Parallel()
	for _, on := range atLength(onCreation, meanings) {
		inBubble(t, on.String(), func(t *testing.T) {
			begun := time.Now()
			all := emulator.Stream(1, begun.Add(-8*24*time.Hour), 9*24*time.Hour, 400, emulator.Life{Grading: 3 * time.Minute})
			service := emulator.New(emulator.Behavior{Since: on, Rivals: 700}, 1, all)
			client, err := hiring.New("https://service.invalid", "sk_live_emulated", hiring.WithHTTPClient(&http.Client{Transport: service.Transport(0)}))
			require.NoError(t, err)
			state, came := "", make(map[string]bool)
			for time.Since(begun) < 6*time.Hour {
				before := service.Reads
				polled, err := client.Submissions.Poll(t.Context(), hiring.WatchOptions{Since: begun.Add(-2 * 24 * time.Hour)}, state)
				require.NoError(t, err)
				require.LessOrEqual(t, service.Reads-before, 61)
				if client.Quota().Read.Remaining > 100 {
					require.LessOrEqual(t, polled.Wait, 20*time.Minute)
				}
				for _, s := range polled.Submissions {
					require.False(t, came[s.ID])
					came[s.ID] = true
				}
				state = polled.State
				time.Sleep(polled.Wait)
			}
			for _, it := range all {
				if it.Evaluated.After(begun.Add(-2*24*time.Hour)) && it.Evaluated.Before(begun.Add(5*time.Hour)) {
					assert.True(t, came[it.ID], "created %s ago, evaluated %s ago", time.Since(it.Created), time.Since(it.Evaluated))
				}
			}
			assert.Zero(t, service.Denied)
			assert.NotEmpty(t, came)
			var refused *hiring.ParamError
			_, err = client.Submissions.Poll(t.Context(), hiring.WatchOptions{AssessmentID: "other"}, state)
			assert.ErrorAs(t, err, &refused)
		})
	}
}

// TestPollReadsFiftySubmissionsSingly uses submissions without their report, which cost two
// requests each.
func TestPollReadsFiftySubmissionsSingly(t *testing.T) {
	for _, on := range everySince {
		inBubble(t, on.String(), func(t *testing.T) {
			begun := time.Now()
			all := emulator.Batch(1, begun.Add(-time.Hour), 120, 30*time.Minute)
			service := emulator.New(emulator.Behavior{Since: on, Bare: true}, 1, all)
			client, err := hiring.New("https://service.invalid", "sk_live_emulated", hiring.WithHTTPClient(&http.Client{Transport: service.Transport(0)}))
			require.NoError(t, err)
			state, came, account, most := "", 0, 1, 0
			for came < 120 && time.Since(begun) < 2*time.Hour {
				before := service.Reads
				polled, err := client.Submissions.Poll(t.Context(), hiring.WatchOptions{Since: begun.Add(-2 * time.Hour)}, state)
				require.NoError(t, err)
				require.LessOrEqual(t, service.Reads-before, account+10+2*50)
				came, most, state = came+len(polled.Submissions), max(most, len(polled.Submissions)), polled.State
				time.Sleep(polled.Wait)
			}
			assert.Equal(t, 120, came)
			assert.Equal(t, 50, most)
		})
	}
}
