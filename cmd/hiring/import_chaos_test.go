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

// killer is a transport that ends the run at some request, before the service has
// seen it or after: then the reply is lost with the run.
type killer struct {
	next  http.RoundTripper
	left  int
	after bool
}

func (k *killer) RoundTrip(r *http.Request) (*http.Response, error) {
	k.left--
	if k.left == 0 && !k.after {
		panic(killed{})
	}
	response, err := k.next.RoundTrip(r)
	if k.left == 0 {
		panic(killed{})
	}
	return response, err
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
	client, err := hiring.New("https://sandbox.invalid", key, append(a.patience(progress), hiring.WithHTTPClient(&http.Client{Transport: transport}))...)
	require.NoError(h.t, err)
	plan, err := newImportPlan(ctx, client, h.id, candidates.List{People: h.people})
	if err != nil {
		return "", err
	}
	im := importer{client: client, assessment: h.id, people: h.people, rows: make([]int, len(h.people)), invited: plan.invited, file: file, progress: progress}
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

// tear leaves the last row unfinished, as a machine that stopped would.
func tear(t *testing.T, file string, random *rand.Rand) {
	t.Helper()
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return
	}
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, text[:len(text)-random.IntN(min(40, len(text)))], 0o600))
}

// scenarios is how many seeds a test of chance tries.
func scenarios() uint64 {
	if os.Getenv("HIRING_LONG") != "" {
		return 200
	}
	return 3
}

// TestImportIsKilledAgainAndAgain: 450 people, whom three windows of the quota
// take, and a run that is killed at random requests, before and after the service
// has acted, its last row torn.
func TestImportIsKilledAgainAndAgain(t *testing.T) {
	t.Parallel()
	for seed := range scenarios() {
		synctest.Test(t, func(t *testing.T) {
			h := newHall(t, 450)
			random := rand.New(rand.NewPCG(seed, 0))
			file := filepath.Join(t.TempDir(), "results.csv")
			begun, kills := time.Now(), 0
			for {
				k := &killer{next: h.server.Transport(), left: 1 + random.IntN(200), after: random.IntN(2) == 0}
				shown, err := h.run(t.Context(), file, k)
				if !errors.Is(err, errKilled) {
					require.NoError(t, err, shown)
					break
				}
				kills++
				tear(t, file, random)
				time.Sleep(time.Minute)
			}
			h.everybodyOnce()
			assert.Positive(t, kills)
			assert.Greater(t, time.Since(begun), 2*time.Hour, "three windows")
			got := outcomes(t, file)
			assert.Equal(t, 450, got["sent"]+got["existing"], got)
			assert.LessOrEqual(t, got["existing"], kills*2, "of those that a killed run sent, only what it could not keep is not known as sent")
		})
	}
}

// TestASecondImportAtTheSameTime: another machine imports the same people, a
// minute later, and the first is killed on the way.
func TestASecondImportAtTheSameTime(t *testing.T) {
	t.Parallel()
	for seed := range scenarios() {
		synctest.Test(t, func(t *testing.T) {
			h := newHall(t, 450)
			random := rand.New(rand.NewPCG(seed, 1))
			dir := t.TempDir()
			done := make(chan error)
			go func() {
				time.Sleep(time.Minute)
				_, err := h.run(t.Context(), dir+"/second.csv", h.server.Transport())
				done <- err
			}()
			for {
				k := &killer{next: h.server.Transport(), left: 1 + random.IntN(300), after: random.IntN(2) == 0}
				_, err := h.run(t.Context(), dir+"/first.csv", k)
				if !errors.Is(err, errKilled) {
					require.NoError(t, err)
					break
				}
				time.Sleep(time.Minute)
			}
			require.NoError(t, <-done)
			h.everybodyOnce()
			first, second := outcomes(t, dir+"/first.csv"), outcomes(t, dir+"/second.csv")
			assert.Equal(t, 450, first["sent"]+first["existing"], first)
			assert.Equal(t, 450, second["sent"]+second["existing"], second)
		})
	}
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
		assert.Contains(t, shown, "waiting for the quota until 01:00\n", "the bubble's clock begins at midnight")
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
	require.NoError(t, results.Finish(h.id, nil))
	require.Error(t, results.Add(candidates.Result{}), "it is closed")
}
