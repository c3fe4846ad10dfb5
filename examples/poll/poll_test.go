package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// world is a sandbox with candidates that the test moves.
type world struct {
	*sandbox.Server

	t          *testing.T
	assessment string
}

func newWorld(t *testing.T, opts ...sandbox.Option) *world {
	t.Helper()
	w := &world{Server: sandbox.Start(t, opts...), t: t}
	client := w.LiveClient()
	challenges, err := client.Challenges.List().Collect(t.Context())
	require.NoError(t, err)
	assessment, err := client.Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: challenges[0].ID, Name: "Poll"})
	require.NoError(t, err)
	w.assessment = assessment.ID
	return w
}

// begin returns the id of a submission that is not evaluated yet.
func (w *world) begin(candidate hiring.NewInvitation) string {
	w.t.Helper()
	invitation, err := w.LiveClient().Invitations.Send(w.t.Context(), w.assessment, candidate)
	require.NoError(w.t, err)
	id, err := w.Begin(invitation.ID)
	require.NoError(w.t, err)
	return id
}

// evaluated returns the ids of new evaluated submissions, newest first like the listing.
func (w *world) evaluated(n int) (ids []string) {
	w.t.Helper()
	for range n {
		id := w.begin(hiring.NewInvitation{Email: "ada@candidates.test", Name: "Ada"})
		require.NoError(w.t, w.Evaluate(id, sandbox.Result{ShipScore: 80}))
		ids = append([]string{id}, ids...)
		time.Sleep(time.Millisecond)
	}
	return ids
}

// job returns a job that watches the world, and its log.
func (w *world) job(set settings) (*job, *bytes.Buffer) {
	log := new(bytes.Buffer)
	set.level, set.format = slog.LevelDebug, "json"
	logger, health := set.logger(log), new(health)
	return newJob(set, w.LiveClient(clientOptions(logger, health)...), health, logger), log
}

// ids returns the ids of the written lines.
func ids(t *testing.T, lines string) (ids []string) {
	t.Helper()
	for line := range strings.Lines(lines) {
		var r result
		require.NoError(t, json.Unmarshal([]byte(line), &r), line)
		ids = append(ids, r.SubmissionID)
	}
	return ids
}

// writer calls the test between two lines.
type writer struct {
	bytes.Buffer

	before func(line int) error
	lines  int
}

func (w *writer) Write(b []byte) (int, error) {
	w.lines++
	if w.before != nil {
		if err := w.before(w.lines); err != nil {
			return 0, err
		}
	}
	return w.Buffer.Write(b)
}

func TestDemonstrationEndsByItself(t *testing.T) {
	t.Setenv("HIRING_BASE_URL", "")
	t.Setenv("HIRING_API_KEY", "")
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		var out, log bytes.Buffer
		require.NoError(t, run(t.Context(), []string{"-listen=", "-log-level=debug"}, &out, &log), log.String())
		require.Len(t, ids(t, out.String()), 5)
		require.Less(t, time.Since(begun), 20*time.Second)
		require.Contains(t, log.String(), "set HIRING_BASE_URL and HIRING_API_KEY")
		require.Contains(t, log.String(), "operation=Submissions.List")
		for _, secret := range []string{"ada", "grace", "candidates.test", sandbox.LiveKey} {
			require.NotContains(t, log.String(), secret)
		}
	})
}

func TestDemonstrationStopsOnASignal(t *testing.T) {
	t.Setenv("HIRING_BASE_URL", "")
	t.Setenv("HIRING_API_KEY", "")
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(5*time.Second+time.Millisecond, stop)
		var out, log bytes.Buffer
		require.NoError(t, run(ctx, []string{"-listen="}, &out, &log), log.String())
		time.Sleep(time.Minute)
		require.Len(t, ids(t, out.String()), 1)
		require.NotContains(t, log.String(), "ERROR")
	})
}

func TestSignalStopsAfterTheLineAtHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		begun := time.Now()
		wanted := w.evaluated(3)
		set := settings{watch: hiring.WatchOptions{Since: begun, Checkpoint: hiring.FileCheckpoint(filepath.Join(t.TempDir(), "state"))}}
		ctx, stop := context.WithCancel(t.Context())
		out := &writer{before: func(line int) error {
			if line == 2 {
				stop()
			}
			return nil
		}}
		first, _ := w.job(set)
		require.NoError(t, first.run(ctx, out))
		require.Equal(t, wanted[:2], ids(t, out.String()), "the line at hand is finished")

		ctx, stop = context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		second, _ := w.job(set)
		out = new(writer)
		require.ErrorIs(t, second.run(ctx, out), context.DeadlineExceeded)
		require.Equal(t, wanted[2:], ids(t, out.String()), "what is left, and nothing twice")
	})
}

func TestSignalStopsAPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(time.Hour+time.Millisecond, stop)
		begun := time.Now()
		j, _ := w.job(settings{})
		require.NoError(t, j.run(ctx, io.Discard))
		require.Equal(t, time.Hour+time.Millisecond, time.Since(begun))
	})
}

func TestWriteErrorLeavesTheCheckpoint(t *testing.T) {
	for name, failure := range map[string]error{"disk full": errors.New("no space left on device"), "cut short": io.ErrShortWrite} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				begun := time.Now()
				wanted := w.evaluated(3)
				set := settings{watch: hiring.WatchOptions{Since: begun, Checkpoint: hiring.FileCheckpoint(filepath.Join(t.TempDir(), "state"))}}
				out := &writer{before: func(line int) error {
					if line == 2 {
						return failure
					}
					return nil
				}}
				first, _ := w.job(set)
				err := first.run(t.Context(), out)
				require.ErrorIs(t, err, failure)
				require.ErrorContains(t, err, "results cannot be written: ")
				require.Equal(t, wanted[:1], ids(t, out.String()))

				ctx, stop := context.WithTimeout(t.Context(), time.Hour)
				defer stop()
				second, _ := w.job(set)
				out = new(writer)
				require.ErrorIs(t, second.run(ctx, out), context.DeadlineExceeded)
				require.Equal(t, wanted[1:], ids(t, out.String()), "from the failed line on")
			})
		})
	}
}

// crash is a checkpoint of a process that is killed before it has saved.
type crash struct {
	hiring.Checkpoint

	saves int
}

func (c *crash) Save(ctx context.Context, state string) error {
	c.saves--
	if c.saves < 0 {
		return errors.New("killed")
	}
	return c.Checkpoint.Save(ctx, state)
}

func TestCrashRepeatsOnlyTheUnsavedLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		wanted := w.evaluated(4)
		state := hiring.FileCheckpoint(filepath.Join(t.TempDir(), "state"))
		set := settings{to: filepath.Join(t.TempDir(), "out"), watch: hiring.WatchOptions{Since: time.Now().Add(-time.Hour)}}
		for _, saves := range []int{2, 1} { // The first run also saves its start.
			set.watch.Checkpoint = &crash{state, saves}
			j, _ := w.job(set)
			require.ErrorContains(t, j.run(t.Context(), nil), "killed")
		}
		set.watch.Checkpoint = state
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		j, _ := w.job(set)
		require.ErrorIs(t, j.run(ctx, nil), context.DeadlineExceeded)
		lines, err := os.ReadFile(set.to)
		require.NoError(t, err)
		require.Equal(t, []string{wanted[0], wanted[1], wanted[1], wanted[2], wanted[2], wanted[3]}, ids(t, string(lines)))
	})
}

func TestOnceWritesNewResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, sandbox.WithQuota(1000, 5000))
		set := settings{once: true, watch: hiring.WatchOptions{Checkpoint: hiring.FileCheckpoint(filepath.Join(t.TempDir(), "state"))}}
		round := func() []string {
			var out bytes.Buffer
			j, _ := w.job(set)
			require.NoError(t, j.run(t.Context(), &out))
			return ids(t, out.String())
		}
		require.Empty(t, round())
		time.Sleep(time.Minute)
		wanted := w.evaluated(2)

		failed, _ := w.job(set)
		require.Error(t, failed.run(t.Context(), &writer{before: func(int) error { return io.ErrClosedPipe }}))
		require.ElementsMatch(t, wanted, round(), "again after a failed write")
		require.Empty(t, round())

		wanted = w.evaluated(1)
		ctx, stop := context.WithCancel(t.Context())
		out := &writer{before: func(int) error {
			stop()
			return nil
		}}
		stopped, _ := w.job(set)
		require.NoError(t, stopped.run(ctx, out))
		require.Equal(t, wanted, ids(t, out.String()), "a signal does not stop the lines at hand")
		require.Empty(t, round(), "nor that they are saved")

		wanted = w.evaluated(1001) // More than the pages of a poll.
		require.ElementsMatch(t, wanted, round())
		wanted = w.evaluated(1)
		w.SetQuota(sandbox.LiveKey, sandbox.ClassRead, 0)
		begun := time.Now()
		require.Empty(t, round())
		require.Zero(t, time.Since(begun), "cron does not wait")
		w.SetQuota(sandbox.LiveKey, sandbox.ClassRead, 1000)
		require.Equal(t, wanted, round())
	})
}

func TestLinesAndLogs(t *testing.T) {
	const name, email = `Zoë "Qux" O'Brien <z>`, "zoë+odd'tag@xn--cndidates-example.test"
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		begun := time.Now()
		id := w.begin(hiring.NewInvitation{Email: email, Name: name})
		require.NoError(t, w.Evaluate(id, sandbox.Result{ShipScore: 91, Verdict: "strong_yes", Pillars: map[string]int{"correctness": 90, "craft": 0}}))
		at := time.Now().UTC()
		w.Inject(sandbox.Fault{Route: "GET /submissions", Status: 500, Times: 2})
		time.AfterFunc(time.Hour, func() { w.RevokeKey(sandbox.LiveKey) })
		var out bytes.Buffer
		j, log := w.job(settings{watch: hiring.WatchOptions{Since: begun, AssessmentID: w.assessment}})
		err := j.run(t.Context(), &out)
		require.ErrorIs(t, err, hiring.ErrInvalidToken)
		j.log.Error("ended", "error", err)

		require.JSONEq(t, `{"submission_id": "`+id+`", "assessment_id": "`+w.assessment+`",
			"candidate_email": "zoë+odd'tag@xn--cndidates-example.test", "candidate_name": "Zoë \"Qux\" O'Brien <z>",
			"status": "evaluated", "evaluated_at": "`+at.Truncate(time.Millisecond).Format(time.RFC3339Nano)+`", "ship_score": 91,
			"verdict": "strong_yes", "verdict_label": "Strong yes", "confidence": "medium", "integrity_status": "clear", "pillars": [
			{"id": "correctness", "label": "Correctness", "score": 90}, {"id": "craft", "label": "Craft", "score": 0},
			{"id": "ai_fluency", "label": "AI Fluency", "score": null}, {"id": "rigor", "label": "Rigor", "score": null}]}`, out.String())
		require.Contains(t, out.String(), "O'Brien <z>", "not escaped for HTML")
		for _, said := range []string{"call will be retried", "call failed", `"msg":"delivered","submission":"` + id, "INVALID_TOKEN", `"level":"DEBUG"`, "without -checkpoint"} {
			require.Contains(t, log.String(), said)
		}
		for _, secret := range []string{"Zo", "Qux", "Brien", "odd'tag", "xn--", sandbox.LiveKey} {
			require.NotContains(t, log.String(), secret)
		}
	})
}

func TestLineWithoutReport(t *testing.T) {
	t.Parallel()
	line, err := json.Marshal(resultOf(&hiring.Submission{ID: "s"}))
	require.NoError(t, err)
	require.Contains(t, string(line), `"ship_score":null`)
	require.Contains(t, string(line), `"pillars":[]`)

	score := 40
	thin := resultOf(&hiring.Submission{Report: &hiring.Report{Pillars: []hiring.Pillar{{Score: &score, LowConfidence: true}}}})
	require.Equal(t, []pillar{{}}, thin.Pillars, "a score on thin evidence is none")
}

// TestUnreadableReportDelaysNoOther checks that its line has no score and that the log
// tells the operator to check it.
func TestUnreadableReportDelaysNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		begun := time.Now()
		unreadable := w.begin(hiring.NewInvitation{Email: "eve@candidates.test", Name: "Eve"})
		require.NoError(t, w.Evaluate(unreadable, sandbox.Result{Extra: map[string]any{"ship_score": "ninety"}}))
		wanted := append(w.evaluated(2), unreadable)
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		j, log := w.job(settings{watch: hiring.WatchOptions{Since: begun}})
		var out bytes.Buffer
		require.ErrorIs(t, j.run(ctx, &out), context.DeadlineExceeded)
		require.ElementsMatch(t, wanted, ids(t, out.String()))
		require.Equal(t, 1, strings.Count(out.String(), `"ship_score":null`))
		require.Contains(t, log.String(), `"level":"WARN","msg":"delivered without a report: it cannot be read, or the submission was deleted","submission":"`+unreadable)
	})
}

func TestForeignCheckpointIsRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		name := filepath.Join(t.TempDir(), "state")
		set := settings{once: true, watch: hiring.WatchOptions{Checkpoint: hiring.FileCheckpoint(name)}}
		first, _ := w.job(set)
		require.NoError(t, first.run(t.Context(), nil))
		before, err := os.ReadFile(name)
		require.NoError(t, err)
		set.watch.AssessmentID = w.assessment
		for _, set.once = range []bool{true, false} {
			second, _ := w.job(set)
			require.ErrorContains(t, second.run(t.Context(), nil), "-checkpoint: hiring: state: ")
		}
		after, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, string(before), string(after))
	})
}

func TestSaveErrorIsNoCleanStop(t *testing.T) {
	for name, once := range map[string]bool{"watch": false, "once": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.evaluated(2)
				ctx, stop := context.WithCancel(t.Context())
				state := &crash{hiring.FileCheckpoint(filepath.Join(t.TempDir(), "state")), 0}
				j, _ := w.job(settings{once: once, watch: hiring.WatchOptions{Since: time.Now().Add(-time.Hour), Checkpoint: state}})
				err := j.run(ctx, &writer{before: func(int) error {
					stop()
					return nil
				}})
				require.ErrorContains(t, err, "killed")
			})
		})
	}
}

// TestLogsProgressOnceAnHour checks that the log says why no results arrive.
func TestLogsProgressOnceAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.evaluated(2)
		w.begin(hiring.NewInvitation{Email: "grace@candidates.test", Name: "Grace"})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Hour+10*time.Minute)
		defer cancel()
		time.AfterFunc(4*time.Hour+30*time.Minute, func() {
			w.Inject(sandbox.Fault{Route: "GET /submissions", Status: 503, Times: 1000})
		})
		j, log := w.job(settings{watch: hiring.WatchOptions{Since: time.Now().Add(-time.Hour)}})
		require.ErrorIs(t, j.run(ctx, io.Discard), context.DeadlineExceeded)
		var told []map[string]any
		for line := range strings.Lines(log.String()) {
			var entry map[string]any
			require.NoError(t, json.Unmarshal([]byte(line), &entry))
			if entry["msg"] == "progress" {
				told = append(told, entry)
			}
		}
		require.Len(t, told, 6, "at once, and once an hour")
		require.InDelta(t, 1, told[4]["unfinished"], 0)
		require.Greater(t, told[4]["reads_last_hour"], 50.0)
		require.Empty(t, told[4]["why_slow"])
		require.NotEmpty(t, told[4]["next_round"])
		require.Equal(t, "the API fails or cannot be reached", told[5]["why_slow"])
	})
}
