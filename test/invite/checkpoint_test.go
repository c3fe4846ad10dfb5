package invite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// memory is a checkpoint in memory.
type memory struct {
	state  string
	saves  []string
	saving func() error // Called before each save; nil: nothing happens.
}

func (m *memory) Load(context.Context) (string, error) { return m.state, nil }

func (m *memory) Save(_ context.Context, state string) error {
	if m.saving != nil {
		if err := m.saving(); err != nil {
			return err
		}
	}
	m.state = state
	m.saves = append(m.saves, state)
	return nil
}

func TestSendAllRecordsAnAddressBeforeItSends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		store := &memory{}
		posts := 0
		store.saving = func() error {
			_, posts = requestsOf(server)
			return nil
		}
		var order []int
		client := server.LiveClient(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
			if e.Method == http.MethodPost {
				order = append(order, posts)
			}
		}))
		people := apitest.Candidates(3, 1)
		require.NoError(t, client.Invitations.SendAll(t.Context(), assessment, slices.Values(people), hiring.SendAllOptions{Checkpoint: store}))
		assert.Equal(t, []int{0, 1, 2}, order, "requests before each save: one save before each request")
		for _, state := range store.saves {
			assert.LessOrEqual(t, len(state), 256<<10)
			for _, in := range people {
				assert.NotContains(t, state, in.Email)
				assert.NotContains(t, state, in.Name)
			}
		}
		time.Sleep(time.Minute)
		require.NoError(t, client.Invitations.SendAll(t.Context(), assessment, slices.Values(people), hiring.SendAllOptions{Checkpoint: store}))
		assert.Contains(t, store.state, `"Ends":{}`, "all are resolved")
		requireOneMailEach(t, server, assessment, 3)
	})
}

var errFullDisk = errors.New("no space left on device")

func TestSendAllEndsBeforeTheRequestWhenASaveFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		store := &memory{}
		store.saving = func() error {
			if len(store.saves) == 1 {
				return errFullDisk
			}
			return nil
		}
		var got reports
		err := server.LiveClient().Invitations.SendAll(t.Context(), assessment, slices.Values(apitest.Candidates(4, 1)), hiring.SendAllOptions{Each: got.each, Checkpoint: store})
		require.ErrorIs(t, err, errFullDisk)
		require.ErrorContains(t, err, "hiring: SendAll: save checkpoint: ")
		not := hiring.InviteNotSent
		assert.Equal(t, []hiring.InviteOutcome{hiring.InviteSent, not, not, not}, got.outcomes())
		assert.Equal(t, []error{nil, err}, got.errors[:2])
		requireRunEnded(t, err, got.errors[2:])
		requireOneMailEach(t, server, assessment, 1)

		store.saving = nil
		require.NoError(t, server.LiveClient().Invitations.SendAll(t.Context(), assessment, slices.Values(apitest.Candidates(4, 1)), hiring.SendAllOptions{Checkpoint: store}))
		requireOneMailEach(t, server, assessment, 4)
	})
}

func TestAFailedSaveHoldsNoReservationInTheRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		server.SetQuota(sandbox.LiveKey, sandbox.ClassWrite, 1)
		client := server.LiveClient()
		for _, fails := range []func() error{func() error { return errFullDisk }, func() error { panic(errFullDisk) }} {
			store := &memory{saving: fails}
			func() {
				defer func() { _ = recover() }()
				require.ErrorIs(t, client.Invitations.SendAll(t.Context(), assessment, slices.Values(apitest.Candidates(1, 1)), hiring.SendAllOptions{Checkpoint: store}), errFullDisk)
			}()
		}
		began := time.Now()
		_, err := client.Invitations.Send(t.Context(), assessment, apitest.Ada)
		require.NoError(t, err)
		assert.Zero(t, time.Since(began))
	})
}

func TestSendAllRejectsAForeignCheckpoint(t *testing.T) {
	server, assessment := apitest.StartWithAssessment(t)
	other := server.AddAssessment("Frontend engineer")
	client, store := server.LiveClient(), &memory{}
	require.NoError(t, client.Invitations.SendAll(t.Context(), other, slices.Values(apitest.Candidates(1, 1)), hiring.SendAllOptions{Checkpoint: store}))
	before := server.Journal()
	for name, state := range map[string]string{"of another assessment": store.state, "not a state": "xyz", "of something else": `{"kind":"watch"}`, "too long": store.state + strings.Repeat(" ", 256<<10)} {
		var got reports
		err := client.Invitations.SendAll(t.Context(), assessment, slices.Values(apitest.Candidates(2, 1)), hiring.SendAllOptions{Checkpoint: &memory{state: state}, Each: got.each})
		var refused *hiring.ParamError
		require.ErrorAs(t, err, &refused, name)
		assert.Equal(t, "Checkpoint", refused.Param, name)
		assert.Equal(t, err, got.errors[0], name)
		requireRunEnded(t, err, got.errors[1:])
	}
	assert.Len(t, server.Journal(), len(before), "nothing is sent")
	require.NoError(t, client.Invitations.SendAll(t.Context(), strings.ToUpper(other), slices.Values(apitest.Candidates(1, 1)), hiring.SendAllOptions{Checkpoint: store}), "an id in other letters")
}

func TestSendAllFailsWhenTheCheckpointCannotBeLoaded(t *testing.T) {
	server, assessment := apitest.StartWithAssessment(t)
	err := server.LiveClient().Invitations.SendAll(t.Context(), assessment, slices.Values(apitest.Candidates(2, 1)), hiring.SendAllOptions{Checkpoint: hiring.FileCheckpoint(t.TempDir())})
	require.ErrorContains(t, err, "hiring: SendAll: load checkpoint: ")
	reads, writes := requestsOf(server)
	assert.Zero(t, reads+writes)
}

// killed runs SendAll until the process is killed in its nth request to invite,
// which the server handles late, and returns what the checkpoint held then.
func killed(t *testing.T, server *sandbox.Server, assessment string, people []hiring.NewInvitation, fault sandbox.Fault) *memory {
	t.Helper()
	server.Inject(fault)
	ctx, kill := context.WithCancel(t.Context())
	store, dead := &memory{}, ""
	client := server.LiveClient(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
		if e.Method == http.MethodPost && e.Err != nil {
			dead = store.state
			kill()
		}
	}))
	require.Error(t, client.Invitations.SendAll(ctx, assessment, slices.Values(people), hiring.SendAllOptions{Checkpoint: store}))
	return &memory{state: dead}
}

func TestSendAllRestartsAtOnceAfterAKill(t *testing.T) {
	for name, c := range map[string]struct {
		fault   sandbox.Fault
		restart time.Duration
		second  hiring.InviteOutcome
		took    time.Duration // From the kill.
	}{
		"done late, soon":      {sandbox.Fault{Route: apitest.InviteRoute, Skip: 1, Reset: true, Late: 30 * time.Second}, 0, hiring.InviteExisting, 41 * time.Second},
		"done very late":       {sandbox.Fault{Route: apitest.InviteRoute, Skip: 1, Reset: true, Late: 59 * time.Second}, 0, hiring.InviteExisting, 91 * time.Second},
		"done late, later":     {sandbox.Fault{Route: apitest.InviteRoute, Skip: 1, Reset: true, Late: 59 * time.Second}, 35 * time.Second, hiring.InviteExisting, 91 * time.Second},
		"not done":             {sandbox.Fault{Route: apitest.InviteRoute, Skip: 1, Reset: true}, 0, hiring.InviteSent, 91 * time.Second},
		"not done, long after": {sandbox.Fault{Route: apitest.InviteRoute, Skip: 1, Reset: true}, 2 * time.Minute, hiring.InviteSent, 2 * time.Minute},
		"done":                 {sandbox.Fault{Route: apitest.InviteRoute, Skip: 1, Reset: true, After: true}, 0, hiring.InviteExisting, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server, assessment := apitest.StartWithAssessment(t)
				people := apitest.Candidates(4, 1)
				store := killed(t, server, assessment, people, c.fault)
				begun := time.Now()
				time.Sleep(c.restart)
				sentAt := make(map[string]time.Duration)
				client := server.LiveClient(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
					if e.Method == http.MethodPost {
						sentAt[fmt.Sprint("write ", len(sentAt))] = time.Since(begun)
					}
				}))
				var got reports
				require.NoError(t, client.Invitations.SendAll(t.Context(), assessment, slices.Values(people), hiring.SendAllOptions{Each: got.each, Checkpoint: store}))
				sent, existing := hiring.InviteSent, hiring.InviteExisting
				assert.Equal(t, []hiring.InviteOutcome{existing, c.second, sent, sent}, got.outcomes())
				assert.InDelta(t, c.took.Seconds(), time.Since(begun).Seconds(), 1, "time")
				assert.Equal(t, c.restart, sentAt["write 0"], "the others are sent at once")
				assert.Equal(t, c.restart, sentAt["write 1"], "the others are sent at once")
				requireOneMailEach(t, server, assessment, 4)
			})
		})
	}
}

// TestSendAllRestartsBeforeAListingShowsTheLastRun kills a run after two candidates were sent,
// one of whom the input names twice. A replica of the server answers listings for half a minute
// as they were before.
func TestSendAllRestartsBeforeAListingShowsTheLastRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		people := apitest.Candidates(2, 1)
		people = []hiring.NewInvitation{people[0], people[0], people[1]}
		store := &memory{}
		require.NoError(t, server.LiveClient().Invitations.SendAll(t.Context(), assessment, slices.Values(people), hiring.SendAllOptions{Checkpoint: store}))
		store.state = store.saves[1] // The run was killed when it had recorded and sent the second candidate.

		shownAt, empty := time.Now().Add(30*time.Second), server.AddAssessment("Frontend engineer")
		behind := roundTrip(func(r *http.Request) (*http.Response, error) {
			if r.Method == http.MethodGet && time.Now().Before(shownAt) {
				r = r.Clone(r.Context())
				r.URL.Path = strings.ReplaceAll(r.URL.Path, assessment, empty)
			}
			return server.Transport().RoundTrip(r)
		})
		client := server.LiveClient(hiring.WithHTTPClient(&http.Client{Transport: behind}))
		require.NoError(t, client.Invitations.SendAll(t.Context(), assessment, slices.Values(people), hiring.SendAllOptions{Checkpoint: store}))
		requireOneMailEach(t, server, assessment, 2)
	})
}

// The recorded time is by the server's clock, because another machine may restart the run.
func TestSendAllRestartsByTheServersClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		skew := 7 * time.Hour
		server := sandbox.Start(t, sandbox.WithClock(func() time.Time { return time.Now().Add(skew) }))
		assessment := server.AddAssessment("Backend engineer")
		store := killed(t, server, assessment, apitest.Candidates(1, 1), sandbox.Fault{Route: apitest.InviteRoute, Reset: true, Late: 55 * time.Second})
		assert.Contains(t, store.state, fmt.Sprint(time.Now().Add(skew+31*time.Second).Unix()))
		begun := time.Now()
		var got reports
		require.NoError(t, server.LiveClient().Invitations.SendAll(t.Context(), assessment, slices.Values(apitest.Candidates(1, 1)), hiring.SendAllOptions{Each: got.each, Checkpoint: store}))
		assert.Equal(t, []hiring.InviteOutcome{hiring.InviteExisting}, got.outcomes())
		assert.InDelta(t, 91, time.Since(begun).Seconds(), 1)
	})
}

// A request without a timeout may be on its way until the process is killed, long after
// it was recorded.
func TestSendAllRestartsAfterARequestWithoutATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		posts := 0
		client := func() *hiring.Client {
			client, err := hiring.New("https://sandbox.invalid", sandbox.LiveKey, hiring.WithTimeout(0), hiring.WithHTTPClient(&http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				if r.Method != http.MethodPost {
					return server.Transport().RoundTrip(r)
				}
				posts++
				if posts > 1 {
					return server.Transport().RoundTrip(r)
				}
				body, err := io.ReadAll(r.Body)
				if err != nil {
					return nil, err
				}
				<-r.Context().Done()
				late := r.Clone(context.WithoutCancel(r.Context()))
				late.Body = io.NopCloser(bytes.NewReader(body))
				time.AfterFunc(55*time.Second, func() { _, _ = server.Transport().RoundTrip(late) })
				return nil, r.Context().Err()
			})}))
			require.NoError(t, err)
			return client
		}
		store := &memory{}
		for _, kill := range []time.Duration{5 * time.Minute, 20 * time.Second, time.Hour} {
			ctx, stop := context.WithTimeout(t.Context(), kill)
			_ = client().Invitations.SendAll(ctx, assessment, slices.Values(apitest.Candidates(1, 1)), hiring.SendAllOptions{Checkpoint: store})
			stop()
		}
		time.Sleep(time.Minute)
		requireOneMailEach(t, server, assessment, 1)
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Candidates that were sent while lookups were pending keep their true outcome.
func TestEachCanEndARunWithSentCandidatesLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Reset: true, After: true})
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Skip: 2, Reset: true, Late: 50 * time.Second})
		store := &memory{}
		got := reports{stopAt: 1}
		people := apitest.Candidates(6, 1)
		require.NoError(t, server.LiveClient().Invitations.SendAll(t.Context(), assessment, slices.Values(people[:4]), hiring.SendAllOptions{Each: got.each, Checkpoint: store}))
		assert.Equal(t, []hiring.InviteOutcome{hiring.InviteSent}, got.outcomes())
		_, writes := requestsOf(server)
		assert.Equal(t, 4, writes)
		got = reports{}
		require.NoError(t, server.LiveClient().Invitations.SendAll(t.Context(), assessment, slices.Values(people), hiring.SendAllOptions{Each: got.each, Checkpoint: store}))
		existing, sent := hiring.InviteExisting, hiring.InviteSent
		assert.Equal(t, []hiring.InviteOutcome{existing, existing, existing, existing, sent, sent}, got.outcomes())
		requireOneMailEach(t, server, assessment, 6)
	})
}

// After three unknown outcomes the fourth candidate waits for a lookup. It is not sent when
// Each ends the run at the first result.
func TestNothingIsSentAfterEachReturnsFalse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Times: 3, Reset: true, After: true})
		got := reports{stopAt: 1}
		require.NoError(t, server.LiveClient().Invitations.SendAll(t.Context(), assessment, slices.Values(apitest.Candidates(6, 1)), hiring.SendAllOptions{Each: got.each}))
		assert.Equal(t, []hiring.InviteOutcome{hiring.InviteSent}, got.outcomes())
		reads, writes := requestsOf(server)
		assert.Equal(t, []int{2, 3}, []int{reads, writes}, "a listing and one lookup; three requests")
	})
}

// The address stays recorded, so that nothing is lost when the last save fails.
func TestEachEndsARunWithNilWhenTheLastSaveFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		people := apitest.Candidates(3, 1)
		store := killed(t, server, assessment, people[:1], sandbox.Fault{Route: apitest.InviteRoute, Reset: true, After: true})
		err := server.LiveClient().Invitations.SendAll(t.Context(), assessment, slices.Values(people), hiring.SendAllOptions{
			Each: func(hiring.InviteResult, error) bool {
				store.saving = func() error { return errors.New("disk full") }
				return false
			},
			Checkpoint: store,
		})
		require.NoError(t, err)
		store.saving = nil
		require.NoError(t, server.LiveClient().Invitations.SendAll(t.Context(), assessment, slices.Values(people), hiring.SendAllOptions{Checkpoint: store}))
		requireOneMailEach(t, server, assessment, 3)
	})
}

// The request is not sent later than recorded, however long a save takes.
func TestASlowSaveIsRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		store := &memory{}
		store.saving = func() error {
			time.Sleep(20 * time.Second)
			return nil
		}
		require.NoError(t, server.LiveClient().Invitations.SendAll(t.Context(), assessment, slices.Values(apitest.Candidates(2, 1)), hiring.SendAllOptions{Checkpoint: store}))
		assert.Len(t, store.saves, 3, "the first twice, then each once")
		requireOneMailEach(t, server, assessment, 2)
	})
}

// Two addresses of an earlier run await lookups when the context ends. The first candidate
// has the context's error, and the second one that of a run that has ended.
func TestTheContextEndsALookupForAnEarlierRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		people := apitest.Candidates(2, 1)
		store := &memory{}
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Times: 2, Reset: true})
		killing, kill := context.WithCancel(t.Context())
		posts, recorded := 0, ""
		client := server.LiveClient(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
			if e.Method == http.MethodPost {
				posts++
				if posts == 2 {
					recorded = store.state
					kill()
				}
			}
		}))
		require.Error(t, client.Invitations.SendAll(killing, assessment, slices.Values(people), hiring.SendAllOptions{Checkpoint: store}))
		store.state = recorded

		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		var errs []error
		progress := 0
		err := server.LiveClient().Invitations.SendAll(ctx, assessment, slices.Values(people), hiring.SendAllOptions{
			Checkpoint: store,
			Each:       func(_ hiring.InviteResult, err error) bool { errs = append(errs, err); return true },
			Progress:   func(hiring.InviteProgress) { progress++ },
		})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Len(t, errs, 2)
		require.ErrorIs(t, errs[0], context.DeadlineExceeded)
		require.NotErrorIs(t, errs[0], hiring.ErrRunEnded)
		require.NotContains(t, errs[0].Error(), "could not be read", "no listing was tried")
		require.ErrorIs(t, errs[1], hiring.ErrRunEnded)
		assert.GreaterOrEqual(t, progress, 2)
	})
}

func TestProgressCountsTheCandidateThatEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		var last hiring.InviteProgress
		require.NoError(t, server.LiveClient().Invitations.SendAll(t.Context(), assessment, slices.Values(apitest.Candidates(3, 1)), hiring.SendAllOptions{
			Each:     func(hiring.InviteResult, error) bool { return false },
			Progress: func(p hiring.InviteProgress) { last = p },
		}))
		assert.Equal(t, 1, last.Done)
	})
}

func TestTheErrorOfAnEndedRunIsTransientAsItsCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		server.Inject(sandbox.Fault{Route: "GET /assessments/{id}/invitations", Status: 503, Times: -1})
		var errs []error
		err := server.LiveClient().Invitations.SendAll(t.Context(), assessment, slices.Values(apitest.Candidates(2, 1)), hiring.SendAllOptions{
			Each: func(_ hiring.InviteResult, err error) bool { errs = append(errs, err); return true },
		})
		require.Len(t, errs, 2)
		require.ErrorIs(t, errs[1], hiring.ErrRunEnded)
		assert.Equal(t, []bool{true, true, true}, []bool{hiring.IsTransient(err), hiring.IsTransient(errs[0]), hiring.IsTransient(errs[1])})
		assert.False(t, hiring.IsTransient(&hiring.RunEndedError{}))
		assert.NotEmpty(t, (&hiring.RunEndedError{}).Error())
	})
}

// A client that remembers an old request takes over from a process that sent a later one and
// died. The later request counts: it takes effect 50 s after the process died.
func TestTheLatestRequestOfTheCheckpointCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		people := apitest.Candidates(1, 1)
		store := &memory{}
		run := func(client *hiring.Client, over time.Duration) []hiring.InviteOutcome {
			var got reports
			ctx, end := context.WithTimeout(t.Context(), over)
			defer end()
			_ = client.Invitations.SendAll(ctx, assessment, slices.Values(people), hiring.SendAllOptions{Each: got.each, Checkpoint: store})
			return got.outcomes()
		}
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Reset: true})
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Skip: 1, Reset: true, Late: 50 * time.Second})
		first := server.LiveClient()
		assert.Equal(t, []hiring.InviteOutcome{hiring.InviteUnknown}, run(first, 5*time.Second))
		died := ""
		other := server.LiveClient(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
			if e.Method == http.MethodPost {
				died = store.state
			}
		}))
		run(other, 100*time.Second)
		require.NotEmpty(t, died, "the second process has sent a request")
		store.state = died
		assert.Equal(t, []hiring.InviteOutcome{hiring.InviteExisting}, run(first, time.Hour))
		requireOneMailEach(t, server, assessment, 1)
	})
}

// The lookups for an earlier run's request need no write, so they do not wait for a window.
func TestAnEarlierRequestIsLookedUpInAUsedUpWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		people := apitest.Candidates(2, 1)
		store := killed(t, server, assessment, people[:1], sandbox.Fault{Route: apitest.InviteRoute, Reset: true, Late: 30 * time.Second})
		client := server.LiveClient()
		server.SetQuota(sandbox.LiveKey, sandbox.ClassWrite, 2) // For this request and the late one.
		_, err := client.Invitations.Send(t.Context(), assessment, people[1])
		require.NoError(t, err)
		begun := time.Now()
		require.NoError(t, client.Invitations.SendAll(t.Context(), assessment, slices.Values(people), hiring.SendAllOptions{Checkpoint: store}))
		assert.InDelta(t, 41, time.Since(begun).Seconds(), 1)
		requireOneMailEach(t, server, assessment, 2)
	})
}

// A listing that began a minute after a request decides it, also for an address that the run does
// not invite.
func TestARunForgetsWhatItsListingDecides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		people := apitest.Candidates(2, 1)
		store := killed(t, server, assessment, people[:1], sandbox.Fault{Route: apitest.InviteRoute, Reset: true})
		assert.NotContains(t, store.state, `"Ends":{}`)
		invite(t, server, assessment, people[1])
		time.Sleep(2 * time.Minute)
		require.NoError(t, server.LiveClient().Invitations.SendAll(t.Context(), assessment, slices.Values(people[1:]), hiring.SendAllOptions{Checkpoint: store}))
		assert.Contains(t, store.state, `"Ends":{}`)
	})
}

// A run that cannot list the invitations knows nothing of the earlier run's request, and ends.
// The next run still looks for it.
func TestAFailedListingKeepsTheCheckpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		people := apitest.Candidates(1, 1)
		store := killed(t, server, assessment, people, sandbox.Fault{Route: apitest.InviteRoute, Reset: true, Late: 30 * time.Second})
		server.Inject(sandbox.Fault{Route: apitest.ListRoute, Status: 403})
		run := func() error {
			return server.LiveClient().Invitations.SendAll(t.Context(), assessment, slices.Values(people), hiring.SendAllOptions{Checkpoint: store})
		}
		require.ErrorIs(t, run(), hiring.ErrInsufficientScope)
		require.NoError(t, run())
		time.Sleep(time.Minute) // Until the earlier run's request has taken effect.
		requireOneMailEach(t, server, assessment, 1)
	})
}

// Each invites an address to which an earlier run has a request under way. The run knows
// that from the checkpoint and waits for a lookup.
func TestEnsureInEachKnowsWhatTheCheckpointRecords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		people := apitest.Candidates(2, 1)
		store := killed(t, server, assessment, people[1:], sandbox.Fault{Route: apitest.InviteRoute, Reset: true, Late: 30 * time.Second})
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Reset: true, After: true})
		client := server.LiveClient()
		var within []hiring.InviteOutcome
		each := func(invited hiring.InviteResult, err error) bool {
			require.NoError(t, err)
			if within == nil {
				assert.Equal(t, people[0], invited.Candidate)
				got, err := client.Invitations.Ensure(t.Context(), assessment, people[1])
				require.NoError(t, err)
				within = append(within, got.Outcome)
			}
			return true
		}
		require.NoError(t, client.Invitations.SendAll(t.Context(), assessment, slices.Values(people), hiring.SendAllOptions{Each: each, Checkpoint: store}))
		assert.Equal(t, []hiring.InviteOutcome{hiring.InviteExisting}, within)
		requireOneMailEach(t, server, assessment, 2)
	})
}
