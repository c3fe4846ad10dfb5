package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
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

func newWorld(t *testing.T) *world {
	t.Helper()
	server := sandbox.Start(t)
	return &world{server, t, server.AddAssessment("Poll")}
}

// begin returns the id of a submission that is not evaluated yet.
func (w *world) begin(email, name string) string {
	w.t.Helper()
	invitation, err := w.Invite(w.assessment, email, name)
	require.NoError(w.t, err)
	id, err := w.Begin(invitation)
	require.NoError(w.t, err)
	return id
}

// evaluated returns the ids of new evaluated submissions, newest first like the listing.
func (w *world) evaluated(n int) (ids []string) {
	w.t.Helper()
	for range n {
		id := w.begin("ada@candidates.test", "Ada")
		require.NoError(w.t, w.Evaluate(id, sandbox.Result{ShipScore: new(80)}))
		ids = append([]string{id}, ids...)
		time.Sleep(time.Millisecond)
	}
	return ids
}

// options returns the options of a watch with a checkpoint in a folder of its own, from a time on.
func (w *world) options(since time.Time) hiring.WatchOptions {
	return hiring.WatchOptions{Since: since, Checkpoint: hiring.FileCheckpoint(filepath.Join(w.t.TempDir(), "state"))}
}

// watch runs the watch.
func (w *world) watch(ctx context.Context, options hiring.WatchOptions, out io.Writer) error {
	return watch(ctx, w.LiveClient(), options, false, out)
}

// once runs the watch until it has to wait. Its end is a clean stop for main.
func (w *world) once(ctx context.Context, options hiring.WatchOptions, out io.Writer) error {
	if err := watch(ctx, w.LiveClient(), options, true, out); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// result is a line.
type result struct {
	SubmissionID  string `json:"submission_id"`
	CandidateName string `json:"candidate_name"`
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

// crash is a checkpoint of a process that is killed before it has saved.
type crash struct{ hiring.Checkpoint }

func (crash) Save(context.Context, string) error { return errors.New("killed") }

// captureLog returns what is logged until the end of the test.
func captureLog(t *testing.T) *bytes.Buffer {
	t.Helper()
	before, log := slog.Default(), new(bytes.Buffer)
	slog.SetDefault(slog.New(slog.NewTextHandler(log, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return log
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}

func TestSaveErrorIsNoCleanStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.evaluated(2)
		for _, program := range []func(context.Context, hiring.WatchOptions, io.Writer) error{w.watch, w.once} {
			options := w.options(time.Now().Add(-time.Hour))
			options.Checkpoint = crash{options.Checkpoint}
			ctx, stop := context.WithCancel(t.Context())
			require.ErrorContains(t, program(ctx, options, &writer{before: func(int) error {
				stop()
				return nil
			}}), "killed")
		}
	})
}

func TestOnceWritesNewResults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		options := w.options(time.Time{})
		poll := func() []string {
			time.Sleep(time.Minute) // The longest interval between two polls.
			begun := time.Now()
			var out bytes.Buffer
			require.NoError(t, w.once(t.Context(), options, &out))
			require.Zero(t, time.Since(begun), "cron does not wait")
			return ids(t, out.String())
		}
		require.Empty(t, poll())
		time.Sleep(time.Minute)
		wanted := w.evaluated(2)

		require.ErrorIs(t, w.once(t.Context(), options, &writer{before: func(int) error { return io.ErrClosedPipe }}), io.ErrClosedPipe)
		require.ElementsMatch(t, wanted, poll(), "again after a failed write")
		require.Empty(t, poll())

		wanted = w.evaluated(2)
		ctx, stop := context.WithCancel(t.Context())
		out := &writer{before: func(int) error {
			stop()
			return nil
		}}
		time.Sleep(time.Minute)
		require.NoError(t, w.once(ctx, options, out))
		require.ElementsMatch(t, wanted, append(ids(t, out.String()), poll()...), "a signal stops after a line")
		require.Len(t, ids(t, out.String()), 1)

		wanted = w.evaluated(1)
		w.SetQuota(sandbox.LiveKey, sandbox.ClassRead, 0)
		require.Empty(t, poll())
		w.SetQuota(sandbox.LiveKey, sandbox.ClassRead, 1000)
		time.Sleep(time.Hour)
		require.Equal(t, wanted, poll())

		time.Sleep(time.Minute)
		w.Inject(sandbox.Fault{Status: 503, Times: 100})
		require.ErrorContains(t, w.once(t.Context(), options, io.Discard), "503")
	})
}

// reportOf returns the report of a line, which has this score and verdict.
func reportOf(t *testing.T, line []byte, score int, verdict string) string {
	t.Helper()
	var got struct {
		Report json.RawMessage `json:"report"`
	}
	require.NoError(t, json.Unmarshal(line, &got))
	var report hiring.Report
	require.NoError(t, json.Unmarshal(got.Report, &report))
	require.Equal(t, score, *report.ShipScore)
	require.Equal(t, hiring.Verdict(verdict), report.Verdict)
	return string(got.Report)
}

func TestLine(t *testing.T) {
	const name, email = `Zoë "Qux" O'Brien <z>`, "zoë+odd'tag@xn--cndidates-example.test"
	log := captureLog(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		options := w.options(time.Now())
		id := w.begin(email, name)
		require.NoError(t, w.Evaluate(id, sandbox.Result{ShipScore: new(91), Verdict: "strong_yes", Pillars: map[hiring.PillarID]*int{"correctness": new(90), "craft": new(0), "rigor": new(40)}, LowConfidence: []hiring.PillarID{"rigor"}}))
		at := time.Now().UTC()
		var out bytes.Buffer
		require.NoError(t, w.once(t.Context(), options, &out))
		require.JSONEq(t, `{"submission_id": "`+id+`", "assessment_id": "`+w.assessment+`",
			"candidate_email": "zoë+odd'tag@xn--cndidates-example.test", "candidate_name": "Zoë \"Qux\" O'Brien <z>",
			"evaluated_at": "`+at.Truncate(time.Millisecond).Format(time.RFC3339Nano)+`", "report": `+reportOf(t, out.Bytes(), 91, "strong_yes")+`}`, out.String())
		require.Contains(t, log.String(), "msg=delivered submission="+id)
		for _, secret := range []string{"Zo", "Qux", "Brien", "odd'tag", "xn--", sandbox.LiveKey} {
			require.NotContains(t, log.String(), secret)
		}
	})
}

// TestUnreadableReportDelaysNoOther checks that its line has no score and that the log says so.
func TestAnItemErrorDelaysNoOther(t *testing.T) {
	log := captureLog(t)
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		options := w.options(time.Now())
		unreadable := w.begin("eve@candidates.test", "Eve")
		require.NoError(t, w.Evaluate(unreadable, sandbox.Result{Extra: map[string]any{"ship_score": "ninety"}}))
		wanted := w.evaluated(2)
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		var out bytes.Buffer
		require.ErrorIs(t, w.watch(ctx, options, &out), context.DeadlineExceeded)
		require.ElementsMatch(t, wanted, ids(t, out.String()))
		require.Equal(t, 1, strings.Count(log.String(), "cannot be decoded\" submission="+unreadable), "once")
	})
}

func TestHealth(t *testing.T) {
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() { _ = serve(listener) }()
	get := func(path string) int {
		response, err := (&http.Client{Transport: new(http.Transport)}).Get("http://" + listener.Addr().String() + path)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		return response.StatusCode
	}
	success.Store(0)
	require.Equal(t, 200, get("/healthz"))
	require.Equal(t, 404, get("/"))
	require.Equal(t, 503, get("/readyz"), "before the first success")
	success.Store(time.Now().Add(-time.Hour).Unix())
	require.Equal(t, 200, get("/readyz"), "a wait for the next window")
	success.Store(time.Now().Add(-71 * time.Minute).Unix())
	require.Equal(t, 503, get("/readyz"))
	require.Equal(t, 200, get("/healthz"))
}

func TestReadmeNamesEveryFlag(t *testing.T) {
	t.Parallel()
	code, readme := read(t, "main.go"), read(t, "README.md")
	flags := regexp.MustCompile(`flag\.\w+\((?:&[\w.]+, )?"([a-z]+)"`).FindAllStringSubmatch(code, -1)
	require.Len(t, flags, 6)
	for _, f := range flags {
		require.Contains(t, readme, "\n| `-"+f[1]+"` | `POLL_"+strings.ToUpper(f[1])+"` |")
	}
}

func TestRotatedKeyIsUsedWithoutRestart(t *testing.T) {
	const first, second = "sk_test_of_monday_0001", "sk_test_of_tuesday_0002"
	server := sandbox.Start(t, sandbox.WithKey(sandbox.Key{Token: first}), sandbox.WithKey(sandbox.Key{Token: second}))
	file := filepath.Join(t.TempDir(), "api-key")
	require.NoError(t, os.WriteFile(file, []byte(first+"\n"), 0o600))
	t.Setenv("HIRING_BASE_URL", server.URL())
	t.Setenv("HIRING_API_KEY", "")
	t.Setenv("HIRING_API_KEY_FILE", file)
	client, err := connect()
	require.NoError(t, err)
	_, err = client.Account.Get(t.Context())
	require.NoError(t, err)

	server.RevokeKey(first)
	require.NoError(t, os.WriteFile(file, []byte(second+"\n"), 0o600))
	_, err = client.Account.Get(t.Context())
	require.NoError(t, err)

	require.NoError(t, os.Remove(file))
	_, err = client.Account.Get(t.Context())
	require.ErrorIs(t, err, os.ErrNotExist)
}
