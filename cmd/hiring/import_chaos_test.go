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

// killed is the panic value that ends a killed run.
type killed struct{}

var errKilled = errors.New("killed")

// killingTransport ends the run at one request: before the server has received it, after
// it, so that the response is lost, or while the request is still on its way.
type killingTransport struct {
	next http.RoundTripper
	left int
	late time.Duration // Delay of the request after the kill; negative means that it never arrives.
}

func (k *killingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	k.left--
	if k.left > 0 {
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

// campaign is an assessment with people to invite.
type campaign struct {
	t      *testing.T
	server *sandbox.Server
	id     string
	people []hiring.NewInvitation
}

func newCampaign(t *testing.T, n int) *campaign {
	t.Helper()
	h := &campaign{t: t, server: sandbox.New()}
	h.id = h.server.AddAssessment("Backend")
	for i := range n {
		h.people = append(h.people, hiring.NewInvitation{Name: fmt.Sprintf("Candidate %d", i), Email: fmt.Sprintf("c%d@example.com", i)})
	}
	return h
}

// run imports all people with a new client and returns what was printed.
func (h *campaign) run(ctx context.Context, file string, transport http.RoundTripper) (shown string, err error) {
	return h.runAs(ctx, sandbox.LiveKey, file, transport)
}

func (h *campaign) runAs(ctx context.Context, key, file string, transport http.RoundTripper) (shown string, err error) {
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

// invitations returns the number of invitations by address.
func (h *campaign) invitations() map[string]int {
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

func (h *campaign) assertOneInvitationEach() {
	h.t.Helper()
	count := h.invitations()
	assert.Len(h.t, count, len(h.people))
	for email, n := range count {
		assert.Equal(h.t, 1, n, email)
	}
}

// outcomes counts the rows of a file of results by outcome.
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

func TestImportWithTheCheckpointOfALaterVersionRejectsNobody(t *testing.T) {
	t.Parallel()
	h := newCampaign(t, 3)
	file := filepath.Join(t.TempDir(), "people.csv.results.csv")
	require.NoError(t, hiring.FileCheckpoint(checkpointFile(file, h.id)).Save(t.Context(), `{"kind":"hiring-invitations-2"}`))
	shown, err := h.run(t.Context(), file, h.server.Transport())
	require.ErrorContains(t, err, "Checkpoint: ")
	assert.NotContains(t, shown, "rejected")
	assert.Equal(t, map[string]int{string(candidates.NotSent): 3}, outcomes(t, file))
	assert.Empty(t, h.invitations())
}

// tearLastRow truncates the last row, as a process killed during a write would leave it.
// before is the size of the file when the run began.
func tearLastRow(t *testing.T, file string, before int, random *rand.Rand) {
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

// seedCount returns how many seeds randomized tests use.
func seedCount() uint64 {
	if os.Getenv("HIRING_LONG") != "" {
		return 200
	}
	return 3
}

// TestImportIsKilledAgainAndAgain imports 450 people, which takes three windows of the
// rate limit. Runs are killed at any of their requests, which arrive never, before the
// kill or up to 59 s after it, with a torn last row. They start again after 0 to 70 s.
func TestImportIsKilledAgainAndAgain(t *testing.T) {
	t.Parallel()
	const people = 450
	total := 0
	for seed := range seedCount() {
		synctest.Test(t, func(t *testing.T) {
			h := newCampaign(t, people)
			random := rand.New(rand.NewPCG(seed, 0))
			file := filepath.Join(t.TempDir(), "results.csv")
			begun, kills := time.Now(), 0
			for {
				left := people + 40 - len(h.invitations()) // A few requests more than a run needs.
				k := &killingTransport{next: h.server.Transport(), left: 1 + random.IntN(left)}
				k.late = []time.Duration{-1, 0, time.Duration(random.IntN(59_000)+1) * time.Millisecond}[random.IntN(3)]
				before, _ := os.ReadFile(file) // The file does not exist at first.
				shown, err := h.run(t.Context(), file, k)
				if !errors.Is(err, errKilled) {
					require.NoError(t, err, shown)
					break
				}
				kills++
				tearLastRow(t, file, len(before), random)
				time.Sleep(time.Duration(random.IntN(71)) * time.Second)
			}
			assert.Greater(t, time.Since(begun), 2*time.Hour, "three windows")
			time.Sleep(time.Minute) // Every late request arrives.
			h.assertOneInvitationEach()
			assert.Equal(t, map[string]int{"sent": people}, outcomes(t, file), "an invitation of a killed run is not reported as existing")
			left, err := filepath.Glob(file + "?*")
			require.NoError(t, err)
			assert.Empty(t, left, "neither a lock nor a checkpoint is left")
			total += kills
		})
	}
	assert.Greater(t, total, int(seedCount()))
	t.Logf("%d runs were killed in %d imports", total, seedCount())
}

// TestInterruptedImportRecordsItsResults: the results say who was invited by this run, who was
// invited before, and who was not. A later run still reports what the interrupted run
// sent.
func TestInterruptedImportRecordsItsResults(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newCampaign(t, 300)
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
		h.assertOneInvitationEach()
		assert.Equal(t, map[string]int{"sent": 295, "existing": 5}, outcomes(t, file))
	})
}

// TestImportPrintsWhyItWaits: a run without a terminal prints why it waits. Ctrl-C ends
// it at once and keeps all results.
func TestImportPrintsWhyItWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newCampaign(t, 300)
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
		h.assertOneInvitationEach()
		assert.Equal(t, map[string]int{"sent": 300}, outcomes(t, file), "invitations of the first run are still reported as sent")
	})
}

// TestImportSendsNothingWithoutAFileOfResults: an import sends nothing when its results cannot be written.
func TestImportSendsNothingWithoutAFileOfResults(t *testing.T) {
	t.Parallel()
	h := newCampaign(t, 5)
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
