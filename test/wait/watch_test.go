package wait_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestTheSameStateReturnsTheSameSubmissions, and a zero Since those from the call on.
func TestTheSameStateReturnsTheSameSubmissions(t *testing.T) {
	for _, on := range []sandbox.SinceField{sandbox.SinceCreated, sandbox.SinceSubmitted, sandbox.SinceEvaluated} {
		synctest.Test(t, func(t *testing.T) {
			w := newLiveWorld(t, sandbox.WithSinceOn(on))
			ids := []string{w.begin(), w.begin(), w.begin()}
			w.evaluate(ids[0])
			time.Sleep(time.Minute)
			client := w.LiveClient()
			poll := func(client *hiring.Client, state string, o hiring.WatchOptions, found int) hiring.PollResult {
				polled, err := client.Submissions.Poll(t.Context(), state, o)
				require.NoError(t, err)
				assert.Len(t, polled.Submissions, found)
				assert.GreaterOrEqual(t, polled.Wait, 30*time.Second)
				return polled
			}
			first := poll(client, "", hiring.WatchOptions{}, 0)
			time.Sleep(first.Wait + time.Microsecond)
			since := time.Now() // The API's times have no microseconds.
			w.evaluate(ids[1])
			w.evaluate(ids[2]) // In the same millisecond.
			time.Sleep(time.Second)
			for range 2 {
				second := poll(client, first.State, hiring.WatchOptions{}, 2)
				poll(w.LiveClient(), second.State, hiring.WatchOptions{}, 0)
			}
			poll(client, "", hiring.WatchOptions{Since: since}, 2)
			poll(client, "", hiring.WatchOptions{Since: time.Now().Add(-time.Hour)}, 3)
		})
	}
}

func TestPollRejectsStatesOfOthers(t *testing.T) {
	server := sandbox.Start(t, sandbox.WithKey(sandbox.Key{Token: "sk_live_other", Scope: sandbox.ScopeRead, Organization: "other"}))
	client, options := server.Client(), hiring.WatchOptions{}
	first, err := client.Submissions.Poll(t.Context(), "", options)
	require.NoError(t, err)
	other := hiring.WatchOptions{AssessmentID: sandbox.AssessmentID}
	for name, c := range map[string]struct {
		client  *hiring.Client
		options hiring.WatchOptions
		state   string
		problem string
	}{
		"cut":        {client, options, first.State[:len(first.State)-1], "damaged"},
		"changed":    {client, options, first.State[:60] + "x" + first.State[61:], "damaged"},
		"no state":   {client, options, "{}", "not the state"},
		"assessment": {client, other, first.State, "another assessment"},
		"account":    {server.LiveClient(), options, first.State, "another account"},
		"interval":   {client, hiring.WatchOptions{MaxInterval: -1}, "", "negative"},
		"lookback":   {client, hiring.WatchOptions{Lookback: -1}, "", "negative"},
		"since":      {client, hiring.WatchOptions{Since: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)}, "", "year 10000"},
	} {
		_, err := c.client.Submissions.Poll(t.Context(), c.state, c.options)
		require.ErrorIs(t, err, hiring.ErrInvalidInput, "%s", name)
		require.ErrorContains(t, err, c.problem, "%s", name)
	}
	sent := 0
	live := server.LiveClient(hiring.WithObserver(func(context.Context, hiring.Exchange) { sent++ }))
	_, err = live.Submissions.Poll(t.Context(), first.State, options)
	require.ErrorContains(t, err, "another account")
	assert.Equal(t, 2, sent, "the first listing and the account of its key")
}

func TestWatchWaitsForTheNextWindow(t *testing.T) {
	for reserve, remaining := range map[float64]int{0: 101, 0.2: 201} {
		synctest.Test(t, func(t *testing.T) {
			w := newLiveWorld(t)
			id := w.begin()
			time.AfterFunc(time.Minute, func() { w.evaluate(id) })
			w.SetQuota(sandbox.LiveKey, sandbox.ClassRead, remaining)
			for s, err := range w.LiveClient(hiring.WithQuotaReserve(reserve)).Submissions.Watch(t.Context(), hiring.WatchOptions{}) {
				require.NoError(t, err)
				assert.InDelta(t, 3600, time.Since(*s.EvaluatedAt).Seconds(), 120)
				break
			}
			for _, sent := range w.Journal() {
				assert.Equal(t, 200, sent.Status)
			}
		})
	}
}

func TestPollReturnsAtAUsedUpWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newLiveWorld(t)
		client := w.LiveClient()
		first, err := client.Submissions.Poll(t.Context(), "", hiring.WatchOptions{})
		require.NoError(t, err)
		w.SetQuota(sandbox.LiveKey, sandbox.ClassRead, 1)
		_, err = client.Account.Get(t.Context())
		require.NoError(t, err)
		left := 20 * time.Second // Less than RetryPolicy.MaxWait.
		time.Sleep(time.Until(client.Quota().Read.Reset) - left)
		began := time.Now()
		polled, err := client.Submissions.Poll(t.Context(), first.State, hiring.WatchOptions{})
		require.NoError(t, err)
		assert.True(t, polled.More)
		assert.Equal(t, left, polled.Wait)
		assert.Equal(t, began, time.Now(), "Poll does not wait itself")
	})
}

// TestADamagedCheckpointIsNoFreshStart covers Watch and EnsureAll.
func TestADamagedCheckpointIsNoFreshStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	client := sandbox.New().Client()
	o := hiring.WatchOptions{Since: time.Unix(0, 0), Checkpoint: hiring.FileCheckpoint(path)}
	for _, err := range client.Submissions.Watch(t.Context(), o) {
		require.NoError(t, err)
		break
	}
	saved, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, damaged := range []string{"", string(saved[:len(saved)-1]), "x" + string(saved), string(saved) + "x", "state 2", "hiring-watch-1 0000"} {
		require.NoError(t, os.WriteFile(path, []byte(damaged), 0o600))
		require.Error(t, apitest.LastError(client.Submissions.Watch(t.Context(), o)), "%q", damaged)
		left, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, damaged, string(left))
	}
}

func TestPollTakesNoCheckpoint(t *testing.T) {
	server := sandbox.Start(t)
	polled, err := server.Client().Submissions.Poll(t.Context(), "state", hiring.WatchOptions{Checkpoint: new(memoryCheckpoint), MinInterval: -1})
	var refused *hiring.ParamError
	require.ErrorAs(t, err, &refused)
	require.ErrorContains(t, err, "Checkpoint: must be nil: Poll takes and returns its state")
	assert.Equal(t, "state", polled.State)
	assert.Equal(t, 30*time.Second, polled.Wait)
	assert.Empty(t, server.Journal())
}

// TestPollCallsProgress checks that it is called once, after the poll.
func TestPollCallsProgress(t *testing.T) {
	server := sandbox.Start(t)
	var told []hiring.WaitProgress
	o := hiring.WatchOptions{Progress: func(p hiring.WaitProgress) {
		assert.NotEmpty(t, server.Journal())
		told = append(told, p)
	}}
	polled, err := server.Client().Submissions.Poll(t.Context(), "", o)
	require.NoError(t, err)
	assert.Equal(t, []hiring.WaitProgress{polled.Progress}, told)
}

type memoryCheckpoint struct{ state string }

func (c *memoryCheckpoint) Load(context.Context) (string, error) { return c.state, nil }
func (c *memoryCheckpoint) Save(ctx context.Context, state string) error {
	if ctx.Err() != nil {
		return ctx.Err() // As a database does.
	}
	c.state = state
	return nil
}

// TestTheResultBeforeTheEndOfTheContextIsSaved: the loop receives a result, and the context ends before it asks for the next.
func TestTheResultBeforeTheEndOfTheContextIsSaved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport, checkpoint := emulated(5, time.Hour), new(memoryCheckpoint)
		seen := make(map[string]int)
		for range 5 {
			ctx, cancel := context.WithCancel(t.Context())
			for submission, err := range clientOf(t, transport).Submissions.Watch(ctx, hiring.WatchOptions{Checkpoint: checkpoint}) {
				if err != nil {
					require.ErrorIs(t, err, context.Canceled)
					assert.NotContains(t, err.Error(), "checkpoint")
					break
				}
				seen[submission.ID]++
				cancel()
			}
			cancel()
		}
		assert.Len(t, seen, 5)
	})
}

type failingCheckpoint struct{ load, save error }

func (c failingCheckpoint) Load(context.Context) (string, error) { return "", c.load }
func (c failingCheckpoint) Save(context.Context, string) error   { return c.save }

func TestWatchEndsWhenItsCheckpointFails(t *testing.T) {
	failure := errors.New("disk full")
	for _, c := range []failingCheckpoint{{load: failure}, {save: failure}} {
		err := apitest.LastError(sandbox.New().Client().Submissions.Watch(t.Context(), hiring.WatchOptions{Checkpoint: c}))
		require.ErrorIs(t, err, failure)
	}
}
