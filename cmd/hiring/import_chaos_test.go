package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/candidates"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// killed is what a killed run unwinds with: nothing of it may run on.
type killed struct{}

var errKilled = errors.New("killed")

// killer is a transport that ends the run at some request: before the server has seen
// it, after it, so that the response is lost, or while the request is still on its way.
type killer struct {
	next http.RoundTripper
	left int
	late time.Duration // When the request arrives after the kill; negative: never.
}

func (k *killer) RoundTrip(r *http.Request) (*http.Response, error) {
	if k.left--; k.left > 0 {
		return k.next.RoundTrip(r)
	}
	if k.late == 0 {
		_, _ = k.next.RoundTrip(r) // The response is lost.
	}
	if k.late > 0 {
		arriving := r.Clone(context.WithoutCancel(r.Context()))
		if r.GetBody != nil {
			arriving.Body, _ = r.GetBody()
		}
		go func() {
			time.Sleep(k.late)
			_, _ = k.next.RoundTrip(arriving)
		}()
	}
	panic(killed{})
}

// hall is an assessment that many people are to be invited to.
type hall struct {
	t      *testing.T
	server *sandbox.Server
	id     string
	people []hiring.NewInvitation
}

func newHall(t *testing.T, n int) *hall {
	t.Helper()
	h := &hall{t: t, server: sandbox.New()}
	h.id = h.server.AddAssessment("Backend")
	for i := range n {
		h.people = append(h.people, hiring.NewInvitation{Name: fmt.Sprintf("Candidate %d", i), Email: fmt.Sprintf("c%d@example.com", i)})
	}
	return h
}

// run imports everybody with a process's own client, and returns what was shown.
func (h *hall) run(ctx context.Context, file string, transport http.RoundTripper) (shown string, err error) {
	return h.runAs(ctx, sandbox.LiveKey, file, transport)
}

func (h *hall) runAs(ctx context.Context, key, file string, transport http.RoundTripper) (shown string, err error) {
	defer func() {
		switch cause := recover().(type) {
		case nil:
		case killed:
			err = errKilled
		default:
			panic(cause)
		}
	}()
	var text bytes.Buffer
	defer func() { shown = text.String() }()
	a := &app{err: output.Stream{Writer: &text}, zone: time.UTC}
	progress := a.err.Progress("invited")
	client, err := hiring.New("https://sandbox.invalid", key, append(a.longRunOptions(progress), hiring.WithHTTPClient(&http.Client{Transport: transport}))...)
	require.NoError(h.t, err)
	plan, err := newImportPlan(ctx, client, h.id, candidates.List{People: h.people})
	if err != nil {
		return "", err
	}
	results, err := candidates.OpenResults(file)
	if err != nil {
		return "", err
	}
	im := importer{
		client: client, assessment: h.id, people: h.people, lines: make([]int, len(h.people)), invited: plan.invited,
		results: results, file: file, progress: progress,
	}
	_, err = im.run(ctx)
	return "", err
}

// invitations counts what every address got.
func (h *hall) invitations() map[string]int {
	h.t.Helper()
	h.server.AddKey(sandbox.Key{Token: "sk_live_auditor", Scope: sandbox.ScopeRead})
	client, err := hiring.New("https://sandbox.invalid", "sk_live_auditor", hiring.WithHTTPClient(&http.Client{Transport: h.server.Transport()}))
	require.NoError(h.t, err)
	count := make(map[string]int)
	for invitation, err := range client.Invitations.List(h.id).All(h.t.Context()) {
		require.NoError(h.t, err)
		count[invitation.CandidateEmail]++
	}
	return count
}

func (h *hall) everybodyOnce() {
	h.t.Helper()
	count := h.invitations()
	assert.Len(h.t, count, len(h.people))
	for email, n := range count {
		assert.Equal(h.t, 1, n, email)
	}
}

// outcomes counts the rows of a file of results.
func outcomes(t *testing.T, file string) map[string]int {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	count := make(map[string]int)
	for line := range strings.Lines(string(text)) {
		count[strings.Split(line, ",")[2]]++
	}
	delete(count, "outcome")
	return count
}

// tear leaves the last row of a run unfinished, as a process that was killed in a write
// would. before is the size of the file when the run began.
func tear(t *testing.T, file string, before int, random *rand.Rand) {
	t.Helper()
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return
	}
	require.NoError(t, err)
	if n := random.IntN(40); n <= len(text)-before {
		require.NoError(t, os.WriteFile(file, text[:len(text)-n], 0o600))
	}
}

// scenarios is how many seeds a test of chance tries.
func scenarios() uint64 {
	if os.Getenv("HIRING_LONG") != "" {
		return 200
	}
	return 3
}

// TestImportIsKilledAgainAndAgain: 450 people, who take three windows of the rate
// limit. Runs are killed at any of their requests, which arrive never, before the kill or
// up to 59 s after it, with a torn last row, and start again after 0 to 70 s.
func TestImportIsKilledAgainAndAgain(t *testing.T) {
	t.Parallel()
	const people = 450
	total := 0
	for seed := range scenarios() {
		synctest.Test(t, func(t *testing.T) {
			h := newHall(t, people)
			random := rand.New(rand.NewPCG(seed, 0))
			file := filepath.Join(t.TempDir(), "results.csv")
			begun, kills := time.Now(), 0
			for {
				left := people + 40 - len(h.invitations()) // Some requests more than a run needs.
				k := &killer{next: h.server.Transport(), left: 1 + random.IntN(left)}
				k.late = []time.Duration{-1, 0, time.Duration(random.IntN(59_000)+1) * time.Millisecond}[random.IntN(3)]
				before, _ := os.ReadFile(file) // None at first.
				shown, err := h.run(t.Context(), file, k)
				if !errors.Is(err, errKilled) {
					require.NoError(t, err, shown)
					break
				}
				kills++
				tear(t, file, len(before), random)
				time.Sleep(time.Duration(random.IntN(71)) * time.Second)
			}
			assert.Greater(t, time.Since(begun), 2*time.Hour, "three windows")
			time.Sleep(time.Minute) // Every late request arrives.
			h.everybodyOnce()
			assert.Equal(t, map[string]int{"sent": people}, outcomes(t, file), "sent by a killed run is not existing")
			left, err := filepath.Glob(file + "?*")
			require.NoError(t, err)
			assert.Empty(t, left, "neither a lock nor a checkpoint is left")
			total += kills
		})
	}
	assert.Greater(t, total, int(scenarios()))
	t.Logf("%d runs were killed in %d imports", total, scenarios())
}

// TestAnImportThatIsInterrupted: who was invited by this run, who was before, and who
// was not yet. A later run still says that the interrupted run sent.
func TestAnImportThatIsInterrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHall(t, 300)
		for _, person := range h.people[:5] {
			_, err := h.server.LiveClient().Invitations.Ensure(t.Context(), h.id, person)
			require.NoError(t, err)
		}
		file := filepath.Join(t.TempDir(), "results.csv")
		ctx, interrupt := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Minute, interrupt)
		_, err := h.run(ctx, file, h.server.Transport())
		require.ErrorIs(t, err, context.Canceled)
		got := outcomes(t, file)
		assert.Equal(t, 5, got["existing"], got)
		assert.Greater(t, got["sent"], 70, "most of half a window")
		assert.Len(t, h.invitations(), got["sent"]+5)
		assert.Equal(t, 295, got["sent"]+got["not sent"], got)
		written, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.NotContains(t, string(written), "context")
		assert.Contains(t, string(written), "not invited yet: interrupted")

		_, err = h.run(t.Context(), file, h.server.Transport())
		require.NoError(t, err)
		h.everybodyOnce()
		assert.Equal(t, map[string]int{"sent": 295, "existing": 5}, outcomes(t, file))
	})
}

// TestImportSaysWhatItWaitsFor, in plain lines, and Ctrl-C ends it at once with
// all that is known kept.
func TestImportSaysWhatItWaitsFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHall(t, 300)
		h.server.SetQuota(sandbox.LiveKey, sandbox.ClassWrite, 40)
		file := filepath.Join(t.TempDir(), "results.csv")
		ctx, interrupt := context.WithTimeout(t.Context(), 90*time.Minute)
		defer interrupt()
		begun := time.Now()
		shown, err := h.run(ctx, file, h.server.Transport())
		require.Error(t, err)
		assert.InDelta(t, 90*time.Minute, time.Since(begun), float64(time.Minute))
		assert.Contains(t, shown, "waiting for the rate limit until 01:00:00 UTC\n", "the bubble's clock begins at midnight")
		assert.Less(t, strings.Count(shown, "\n"), 100, "a line a minute")
		got := outcomes(t, file)
		assert.Len(t, h.invitations(), got["sent"])
		assert.Equal(t, 300, got["sent"]+got["not sent"], got)

		time.Sleep(time.Minute)
		_, err = h.run(t.Context(), file, h.server.Transport())
		require.NoError(t, err)
		h.everybodyOnce()
		assert.Equal(t, map[string]int{"sent": 300}, outcomes(t, file), "what the first run sent stays sent")
	})
}

// TestResultsThatCannotBeKept end the import: nobody is invited without a record.
func TestResultsThatCannotBeKept(t *testing.T) {
	t.Parallel()
	h := newHall(t, 5)
	file := filepath.Join(t.TempDir(), "results.csv")
	require.NoError(t, os.WriteFile(file, []byte("name,email\nAda,ada@example.com\n"), 0o600))
	_, err := h.run(t.Context(), file, h.server.Transport())
	require.ErrorContains(t, err, "--results")
	assert.Empty(t, h.invitations())
	results, err := candidates.OpenResults(filepath.Join(t.TempDir(), "new.csv"))
	require.NoError(t, err)
	_, err = results.Finish(h.id, nil)
	require.NoError(t, err)
	_, _, err = results.Add(candidates.Result{})
	require.Error(t, err, "the file is closed")
}
