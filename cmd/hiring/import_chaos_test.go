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

// TestImportWithAnUnreadableState sends nothing, rejects no candidate, and says one thing to
// do. Doing it sends no second e-mail.
func TestImportWithAnUnreadableState(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(t *testing.T, file string){
		"later version": func(t *testing.T, file string) {
			t.Helper()
			require.NoError(t, hiring.FileCheckpoint(file).Save(t.Context(), `{"kind":"hiring-invitations-99"}`))
		},
		"damaged": func(t *testing.T, file string) {
			t.Helper()
			require.NoError(t, os.WriteFile(file, []byte("hiring-checkpoint-1 0\n{"), 0o600))
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := newCampaign(t, 6)
			file := filepath.Join(t.TempDir(), "results.csv")
			lagging := laggingTransport{h, 20 * time.Second}
			_, err := h.run(t.Context(), file, &killingTransport{next: lagging, left: 7, late: 40 * time.Second})
			require.ErrorIs(t, err, errKilled)
			state := file + "." + h.id + ".state"
			require.FileExists(t, state)
			before := outcomes(t, file)
			require.Positive(t, before["unknown"])
			damage(t, state)

			shown, err := h.run(t.Context(), file, lagging)
			said := explain(err, exitFailed)
			assert.Contains(t, said, state+" cannot be read: it is damaged, or another program or version wrote it. Remove that file and run the same "+
				"command again: the rows sent and unknown of "+file+" protect their addresses from a second e-mail without it.", name)
			assert.Empty(t, sdkWords.FindAllString(said, -1))
			assert.NotContains(t, shown, "rejected")
			got := outcomes(t, file)
			assert.Equal(t, 1, got["unknown"], "a row stays unknown until a lookup decides: %v", got)
			assert.Equal(t, before["sent"], got["sent"], got)
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			assert.NotContains(t, string(text), "SendAll")

			require.NoError(t, os.Remove(state))
			shown, err = h.run(t.Context(), file, lagging)
			require.NoError(t, err)
			assert.Contains(t, shown, "checking the outcomes of an earlier run at ")
			time.Sleep(time.Minute)
			h.assertOneInvitationEach()
			assert.Equal(t, map[string]int{"sent": 6}, outcomes(t, file))
		})
	}
}

// TestFinishedImportIsRunAgain at once, with a listing that is behind: nothing is sent again,
// with the rows alone and with the checkpoint alone.
func TestFinishedImportIsRunAgain(t *testing.T) {
	t.Parallel()
	for name, forget := range map[string]func(h *campaign, file string) error{
		"both":       func(*campaign, string) error { return nil },
		"rows":       func(h *campaign, file string) error { return os.Remove(file + "." + h.id + ".state") },
		"checkpoint": func(_ *campaign, file string) error { return os.Remove(file) },
	} {
		synctest.Test(t, func(t *testing.T) {
			h := newCampaign(t, 10)
			file := filepath.Join(t.TempDir(), "results.csv")
			lagging := laggingTransport{h, 20 * time.Second}
			_, err := h.run(t.Context(), file, lagging)
			require.NoError(t, err)
			require.NoError(t, forget(h, file))
			_, err = h.run(t.Context(), file, lagging)
			require.NoError(t, err, name)
			h.assertOneInvitationEach()
			want := "sent"
			if name == "checkpoint" {
				want = "existing"
			}
			assert.Equal(t, map[string]int{want: 10}, outcomes(t, file), name)
		})
	}
}

// TestImportFindsTheStateOfEveryRun whatever the letter case of the id, and through a link to
// the file of results.
func TestImportFindsTheStateOfEveryRun(t *testing.T) {
	t.Parallel()
	for name, next := range map[string]func(h *campaign, dir string) (file string){
		"letter case": func(h *campaign, dir string) string {
			h.typed = strings.ToUpper(h.id)
			return filepath.Join(dir, "real", "results.csv")
		},
		"link": func(h *campaign, dir string) string {
			link := filepath.Join(dir, "link.csv")
			require.NoError(h.t, os.Symlink(filepath.Join("real", "results.csv"), link))
			return link
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := newCampaign(t, 6)
			h.t = t
			dir := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(dir, "real"), 0o700))
			lagging := laggingTransport{h, 20 * time.Second}
			_, err := h.run(t.Context(), filepath.Join(dir, "real", "results.csv"), &killingTransport{next: lagging, left: 7, late: 40 * time.Second})
			require.ErrorIs(t, err, errKilled)
			file := next(h, dir)
			shown, err := h.run(t.Context(), file, lagging)
			require.NoError(t, err, name)
			assert.NotContains(t, shown, "earlier run", "the state was found")
			time.Sleep(time.Minute)
			h.assertOneInvitationEach()
			assert.Equal(t, map[string]int{"sent": 6}, outcomes(t, file))
			states, err := filepath.Glob(filepath.Join(dir, "*", "*.state"))
			require.NoError(t, err)
			assert.Len(t, states, 1)
		})
	}
}

// TestInterruptedResumeKeepsUnknownRows: an interrupted run that has looked up nothing does
// not say that a candidate was not invited.
func TestInterruptedResumeKeepsUnknownRows(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newCampaign(t, 1)
		file := filepath.Join(t.TempDir(), "results.csv")
		lagging := laggingTransport{h, 20 * time.Second}
		_, err := h.run(t.Context(), file, &killingTransport{next: lagging, left: 5}) // The mail is sent, the response is lost.
		require.ErrorIs(t, err, errKilled)
		require.Len(t, h.invitations(), 1)
		ctx, interrupt := context.WithTimeout(t.Context(), 5*time.Second)
		defer interrupt()
		_, err = h.run(ctx, file, lagging)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.NotContains(t, err.Error(), "cannot be written")
		assert.Equal(t, map[string]int{"unknown": 1}, outcomes(t, file))
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.NotContains(t, string(text), "not invited yet")
		_, err = h.run(t.Context(), file, lagging)
		require.NoError(t, err)
		assert.Equal(t, map[string]int{"sent": 1}, outcomes(t, file))
		h.assertOneInvitationEach()
	})
}

// roundTrip is a function as a transport.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestRunWithoutCheckpointWaitsForLateRequests: a row is written an hour before its request,
// because the rate limit is reached. The run is killed at the request, which arrives later,
// and the checkpoint is lost. The next run counts from the request, not from the row.
func TestRunWithoutCheckpointWaitsForLateRequests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newCampaign(t, 3)
		h.server.SetQuota(sandbox.LiveKey, sandbox.ClassWrite, 21) // 20 of them are the reserve.
		file := filepath.Join(t.TempDir(), "results.csv")
		lagging := laggingTransport{h, 20 * time.Second}
		begun, posts := time.Now(), 0
		kill := &killingTransport{next: lagging, left: 1, late: 40 * time.Second}
		_, err := h.run(t.Context(), file, roundTrip(func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodPost {
				posts++
			}
			if posts == 2 {
				return kill.RoundTrip(r)
			}
			return lagging.RoundTrip(r)
		}))
		require.ErrorIs(t, err, errKilled)
		require.Greater(t, time.Since(begun), 50*time.Minute)
		info, err := os.Stat(file)
		require.NoError(t, err)
		assert.WithinDuration(t, time.Now(), info.ModTime(), 0, "the file has the time of the request")
		require.NoError(t, os.Remove(file+"."+h.id+".state"))

		time.Sleep(20 * time.Second)
		restarted := time.Now()
		_, err = h.run(t.Context(), file, lagging)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, time.Since(restarted), settleTime-20*time.Second)
		h.assertOneInvitationEach()
		assert.Equal(t, map[string]int{"sent": 3}, outcomes(t, file))
	})
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

// memoryFolder returns a temporary folder in memory, where the system has one. On a disk, the
// checkpoint waits for the disk before each of thousands of requests.
func memoryFolder(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("/dev/shm", "hiring-") //nolint:usetesting // TempDir is on a disk.
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { require.NoError(t, os.RemoveAll(folder)) })
	return folder
}

// TestImportIsKilledAgainAndAgain imports 450 people, which takes three windows of the
// rate limit. Runs are killed at any of their requests, which arrive never, before the
// kill or up to 59 s after it, with a torn last row. They start again after 0 to 70 s with an
// edited CSV. The listing is 20 s behind. In two of three imports, each restart loses
// the checkpoint or the file of results: the other one protects the candidates.
func TestImportIsKilledAgainAndAgain(t *testing.T) {
	t.Parallel()
	const people = 450
	total := 0
	for seed := range seedCount() {
		folder := memoryFolder(t)
		synctest.Test(t, func(t *testing.T) {
			h := newCampaign(t, people)
			everybody := h.people
			random := rand.New(rand.NewPCG(seed, 0))
			file := filepath.Join(folder, "results.csv")
			lost := []string{"", file, file + "." + h.id + ".state"}[seed%3]
			lagging := laggingTransport{h, 20 * time.Second}
			begun, kills := time.Now(), 0
			for {
				left := people + 40 - len(h.invitations()) // A few requests more than a run needs.
				k := &killingTransport{next: lagging, left: 1 + random.IntN(left)}
				k.late = []time.Duration{-1, 0, time.Duration(random.IntN(59_000)+1) * time.Millisecond}[random.IntN(3)]
				before, _ := os.ReadFile(file) // The file does not exist at first.
				h.people = edited(everybody, random)
				shown, err := h.run(t.Context(), file, k)
				if !errors.Is(err, errKilled) {
					require.NoError(t, err, shown)
					break
				}
				kills++
				tearLastRow(t, file, len(before), random)
				if lost != "" {
					_ = os.Remove(lost)
				}
				time.Sleep(time.Duration(random.IntN(71)) * time.Second)
			}
			h.people = everybody
			shown, err := h.run(t.Context(), file, lagging)
			require.NoError(t, err, shown)
			assert.Greater(t, time.Since(begun), 2*time.Hour, "three windows")
			time.Sleep(time.Minute) // Every late request arrives.
			h.assertOneInvitationEach()
			if lost != file {
				assert.Equal(t, map[string]int{"sent": people}, outcomes(t, file), "an invitation of a killed run is not reported as existing")
			}
			left, err := filepath.Glob(file + "?*")
			require.NoError(t, err)
			assert.Equal(t, []string{file + "." + h.id + ".state"}, left, "neither a lock nor a temporary file is left")
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
		shown, err := h.run(ctx, file, h.server.Transport())
		require.Error(t, err)
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
	err = results.Add(candidates.Result{})
	require.Error(t, err, "the file is closed")
}
