package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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
	typed  string // The id as the user types it; "" means id.
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
			_ = os.Remove(file + ".lock") // The system releases the lock of a killed process.
		default:
			panic(cause)
		}
	}()
	var text bytes.Buffer
	defer func() { shown = text.String() }()
	a := &app{err: output.Stream{Writer: &text, Terminal: true}, zone: time.UTC}
	progress := a.err.Progress("invited")
	client, err := hiring.New("https://sandbox.invalid", key, append(a.longRunOptions(progress), hiring.WithHTTPClient(&http.Client{Transport: transport}))...)
	require.NoError(h.t, err)
	results, err := candidates.OpenResults(file)
	if err != nil {
		return "", err
	}
	plan, err := newImportPlan(ctx, client, cmp.Or(h.typed, h.id), candidates.List{People: h.people}, results)
	if err != nil {
		results.Close()
		return "", err
	}
	im := importer{
		app: a, client: client, plan: plan, people: h.people, lines: make([]int, len(h.people)),
		results: results, file: file, progress: progress,
	}
	_, err = im.run(ctx)
	return "", err
}

// listed returns all invitations, newest first.
func (h *campaign) listed() []hiring.Invitation {
	h.t.Helper()
	h.server.AddKey(sandbox.Key{Token: "sk_live_auditor", Scope: sandbox.ScopeRead})
	h.server.SetQuota("sk_live_auditor", sandbox.ClassRead, 1000)
	client, err := hiring.New("https://sandbox.invalid", "sk_live_auditor", hiring.WithHTTPClient(&http.Client{Transport: h.server.Transport()}))
	require.NoError(h.t, err)
	all, err := client.Invitations.List(h.id).Collect(h.t.Context())
	require.NoError(h.t, err)
	return all
}

// invitations returns the number of invitations by address.
func (h *campaign) invitations() map[string]int {
	h.t.Helper()
	count := make(map[string]int)
	for _, invitation := range h.listed() {
		count[invitation.CandidateEmail]++
	}
	return count
}

func (h *campaign) assertOneInvitationEach() {
	h.t.Helper()
	count := make(map[string]int)
	for email, n := range h.invitations() {
		count[strings.ToLower(email)] += n
	}
	assert.Len(h.t, count, len(h.people))
	for email, n := range count {
		assert.Equal(h.t, 1, n, email)
	}
}

// laggingTransport shows an invitation in the listing only some time after it was sent.
type laggingTransport struct {
	campaign *campaign
	behind   time.Duration
}

func (l laggingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := l.campaign.server.Transport().RoundTrip(r)
	if err != nil || r.Method != http.MethodGet || !strings.HasSuffix(r.URL.Path, "/invitations") || response.StatusCode != http.StatusOK {
		return response, err
	}
	shown := []hiring.Invitation{}
	for _, invitation := range l.campaign.listed() {
		if time.Since(invitation.CreatedAt) > l.behind {
			shown = append(shown, invitation)
		}
	}
	number := func(name string) int { n, _ := strconv.Atoi(r.URL.Query().Get(name)); return n }
	page, size := max(number("page"), 1), number("page_size")
	begin, end := min((page-1)*size, len(shown)), min(page*size, len(shown))
	body, err := json.Marshal(map[string]any{"data": shown[begin:end], "meta": map[string]any{
		"request_id": response.Header.Get("X-Request-Id"), "page": page, "page_size": size, "total": len(shown), "has_more": end < len(shown),
	}})
	_ = response.Body.Close()
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	response.Header.Del("Content-Length")
	return response, err
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

// TestImportAfterAKillWaits until a listing shows the last request, also when the user types
// the id in another letter case and names a link to the file of results. An interruption
// meanwhile leaves the row as it is.
func TestImportAfterAKillWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newCampaign(t, 6)
		folder := t.TempDir()
		file, link := filepath.Join(folder, "results.csv"), filepath.Join(folder, "link.csv")
		require.NoError(t, os.Symlink("results.csv", link))
		lagging := laggingTransport{h, 20 * time.Second}
		_, err := h.run(t.Context(), file, &killingTransport{next: lagging, left: 7, late: 40 * time.Second})
		require.ErrorIs(t, err, errKilled)
		killed := time.Now()
		require.Equal(t, map[string]int{"sent": 2, "unknown": 3}, outcomes(t, file), "a row before each request and one after it")

		time.Sleep(5 * time.Second)
		ctx, interrupt := context.WithTimeout(t.Context(), 5*time.Second)
		defer interrupt()
		_, err = h.run(ctx, file, lagging)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, map[string]int{"sent": 2, "unknown": 1, "not_sent": 3}, outcomes(t, file))

		h.typed = strings.ToUpper(h.id)
		shown, err := h.run(t.Context(), link, lagging)
		require.NoError(t, err)
		assert.Contains(t, shown, "checking the outcomes of an earlier run at ")
		assert.Equal(t, importTimeout+time.Minute, time.Since(killed))
		h.assertOneInvitationEach()
		assert.Equal(t, map[string]int{"sent": 6}, outcomes(t, file))
	})
}

// TestImportIsKilledAgainAndAgain kills runs at any of their requests, which arrive never,
// before the kill or up to 59 s after it, and tears the row after a request. They start again
// after 0 to 70 s with an edited CSV. The listing is 20 s behind.
func TestImportIsKilledAgainAndAgain(t *testing.T) {
	t.Parallel()
	const people = 30
	total := 0
	for seed := range seedCount() {
		synctest.Test(t, func(t *testing.T) {
			h := newCampaign(t, people)
			everybody := h.people
			random := rand.New(rand.NewPCG(seed, 0))
			file := filepath.Join(t.TempDir(), "results.csv")
			lagging := laggingTransport{h, 20 * time.Second}
			for {
				k := &killingTransport{next: lagging, left: 1 + random.IntN(people+10-len(h.invitations()))}
				k.late = []time.Duration{-1, 0, time.Duration(random.IntN(59_000)+1) * time.Millisecond}[random.IntN(3)]
				h.people = edited(everybody, random)
				shown, err := h.run(t.Context(), file, k)
				if !errors.Is(err, errKilled) {
					require.NoError(t, err, shown)
					break
				}
				total++
				tearResult(t, file, random)
				time.Sleep(time.Duration(random.IntN(71)) * time.Second)
			}
			h.people = everybody
			shown, err := h.run(t.Context(), file, lagging)
			require.NoError(t, err, shown)
			time.Sleep(time.Minute) // Every late request arrives.
			h.assertOneInvitationEach()
			assert.Equal(t, map[string]int{"sent": people}, outcomes(t, file), "an invitation of a killed run is not reported as existing")
			left, err := filepath.Glob(file + "?*")
			require.NoError(t, err)
			assert.Empty(t, left, "neither a lock nor a temporary file is left")
		})
	}
	assert.Greater(t, total, int(seedCount()))
	t.Logf("%d runs were killed in %d imports", total, seedCount())
}

// tearResult truncates the last row if it was written after a request, as a process killed
// during the write would leave it. A row before a request is whole when the request is sent.
func tearResult(t *testing.T, file string, random *rand.Rand) {
	t.Helper()
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return
	}
	require.NoError(t, err)
	last := text[bytes.LastIndexByte(text[:len(text)-1], '\n')+1:]
	if !bytes.Contains(last, []byte(",unknown,")) {
		require.NoError(t, os.WriteFile(file, text[:len(text)-random.IntN(len(last))], 0o600))
	}
}

// seedCount returns how many seeds randomized tests use.
func seedCount() uint64 {
	if os.Getenv("HIRING_LONG") != "" {
		return 200
	}
	return 3
}

// edited returns the people of a CSV that was edited: rows are removed, reordered, and
// written in another letter case.
func edited(people []hiring.NewInvitation, random *rand.Rand) []hiring.NewInvitation {
	all := slices.DeleteFunc(slices.Clone(people), func(hiring.NewInvitation) bool { return random.IntN(20) == 0 })
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for i := range all {
		if random.IntN(2) == 0 {
			all[i].Email = strings.ToUpper(all[i].Email)
		}
	}
	return all
}

// TestInterruptedImportRecordsItsResults: Ctrl-C ends a run at once that waits for the rate limit and
// says so. The results say who was invited by this run, who was invited before, and who was not. A
// later run still reports what the interrupted run sent.
func TestInterruptedImportRecordsItsResults(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newCampaign(t, 300)
		for _, person := range h.people[:5] {
			_, err := h.server.LiveClient().Invitations.Ensure(t.Context(), h.id, person)
			require.NoError(t, err)
		}
		h.server.SetQuota(sandbox.LiveKey, sandbox.ClassWrite, 40)
		file := filepath.Join(t.TempDir(), "results.csv")
		ctx, interrupt := context.WithCancel(t.Context())
		time.AfterFunc(90*time.Minute, interrupt)
		shown, err := h.run(ctx, file, h.server.Transport())
		require.ErrorIs(t, err, context.Canceled)
		assert.Contains(t, shown, "waiting for the rate limit until 01:00:00 UTC", "the bubble's clock begins at midnight")
		got := outcomes(t, file)
		assert.Equal(t, 5, got["existing"], got)
		assert.Len(t, h.invitations(), got["sent"]+5)
		assert.Equal(t, 295, got["sent"]+got["not_sent"], got)
		written, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.NotContains(t, string(written), "context")
		assert.NotContains(t, string(written), "EnsureAll")

		_, err = h.run(t.Context(), file, h.server.Transport())
		require.NoError(t, err)
		h.assertOneInvitationEach()
		assert.Equal(t, map[string]int{"sent": 295, "existing": 5}, outcomes(t, file))
	})
}
