package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestWhoIsARival: somebody who was invited is none; who goes on inviting is.
func TestWhoIsARival(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ago   []time.Duration
		wait  time.Duration
		rival bool
	}{
		"nobody":                          {nil, 0, false},
		"one just now":                    {[]time.Duration{0}, hush, false},
		"one a moment ago":                {[]time.Duration{5 * time.Second}, hush - 5*time.Second, false},
		"one before":                      {[]time.Duration{hush}, 0, false},
		"one, by a clock that runs ahead": {[]time.Duration{-time.Second}, hush, false},
		"two, the first of them long ago": {[]time.Duration{time.Second, time.Hour}, hush - time.Second, false},
		"a series":                        {[]time.Duration{20 * time.Second, 21 * time.Second, 22 * time.Second}, quiet - 20*time.Second, true},
		"a slow series":                   {[]time.Duration{20 * time.Second, 130 * time.Second, 250 * time.Second}, quiet - 20*time.Second, true},
		"a series of long ago":            {[]time.Duration{time.Hour, time.Hour, time.Hour}, 0, false},
		"a series that has ended":         {[]time.Duration{quiet, quiet, quiet}, 0, true},
	} {
		now := time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)
		var times []time.Time
		for _, ago := range c.ago {
			times = append(times, now.Add(-ago))
		}
		wait, rival := toWait(times, now)
		assert.Equal(t, c.wait, wait, name)
		assert.Equal(t, c.rival, rival, name)
	}
}

// TestSomebodyJustInvitedIsNoRival: who has an invitation has one, and the import
// goes on with the others.
func TestSomebodyJustInvitedIsNoRival(t *testing.T) {
	t.Parallel()
	for before, atMost := range map[time.Duration]time.Duration{0: 25 * time.Second, 5 * time.Second: 20 * time.Second, hush: time.Second, time.Minute: time.Second} {
		synctest.Test(t, func(t *testing.T) {
			h := newHall(t, 50)
			for range 2 { // Of a series, one is missing.
				_, err := h.server.LiveClient().Invitations.Ensure(t.Context(), h.id, h.people[rand.N(50)])
				require.NoError(t, err)
			}
			already := len(h.invitations())
			time.Sleep(before + time.Second) // The service says the time in whole seconds.
			begun := time.Now()
			file := filepath.Join(t.TempDir(), "results.csv")
			_, err := h.run(t.Context(), file, h.server.Transport())
			require.NoError(t, err)
			assert.Less(t, time.Since(begun), atMost, "%s after", before)
			h.everybodyOnce()
			assert.Equal(t, map[string]int{"sent": 50 - already, "existing": already}, outcomes(t, file))
		})
	}
}

// TestTwoImportsAtAnyDistance, each with a key of its own that has so much of its
// window left that it bursts, paces itself from the start, or waits for the next.
func TestTwoImportsAtAnyDistance(t *testing.T) {
	t.Parallel()
	for seed := range 4 * scenarios() {
		synctest.Test(t, func(t *testing.T) {
			h := newHall(t, 150)
			random := rand.New(rand.NewPCG(seed, 2))
			h.server.AddKey(sandbox.Key{Token: "sk_live_other", Scope: sandbox.ScopeWrite})
			dir := t.TempDir()
			done := make(chan error)
			for i, key := range []string{sandbox.LiveKey, "sk_live_other"} {
				h.server.SetQuota(key, sandbox.ClassWrite, []int{200, 110, 90, 60, 22, 1}[random.IntN(6)])
				after := time.Duration(random.IntN(90_000)*(i)) * time.Millisecond
				go func() {
					time.Sleep(after)
					_, err := h.runAs(t.Context(), key, fmt.Sprintf("%s/%d.csv", dir, i), h.server.Transport())
					done <- err
				}()
			}
			require.NoError(t, <-done)
			require.NoError(t, <-done)
			h.everybodyOnce()
		})
	}
}

// TestAnImportThatIsInterrupted says of each what is known: who was invited by this
// run, who was before, and who was not yet.
func TestAnImportThatIsInterrupted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHall(t, 300)
		for _, person := range h.people[:5] {
			_, err := h.server.LiveClient().Invitations.Ensure(t.Context(), h.id, person)
			require.NoError(t, err)
		}
		file := filepath.Join(t.TempDir(), "results.csv")
		interrupted := func(after time.Duration) map[string]int {
			ctx, interrupt := context.WithCancel(t.Context())
			time.AfterFunc(after, interrupt)
			_, err := h.run(ctx, file, h.server.Transport())
			require.ErrorIs(t, err, context.Canceled)
			return outcomes(t, file)
		}
		assert.Equal(t, map[string]int{"existing": 5, "not sent": 295}, interrupted(time.Second), "while it listens")
		got := interrupted(10 * time.Minute)
		assert.Equal(t, 5, got["existing"], got)
		assert.Greater(t, got["sent"], 70, "most of half a window")
		assert.Len(t, h.invitations(), got["sent"]+5)
		written, err := os.ReadFile(file)
		require.NoError(t, err)
		text := string(written)
		assert.NotContains(t, text, "context")
		assert.Contains(t, text, "not invited yet: interrupted")
	})
}

// neighbour invites one of the people just after the first invitation of an
// import, and keeps when that invited.
type neighbour struct {
	h    *hall
	sent []time.Time
}

func (n *neighbour) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := n.h.server.Transport().RoundTrip(r)
	if r.Method != http.MethodPost {
		return response, err
	}
	if n.sent = append(n.sent, time.Now()); len(n.sent) == 1 {
		invited := n.h.invitations() //nolint:contextcheck // that of the test
		free := slices.IndexFunc(n.h.people, func(p hiring.NewInvitation) bool { return invited[p.Email] == 0 })
		_, sendErr := n.h.server.LiveClient().Invitations.Send(r.Context(), n.h.id, n.h.people[free])
		require.NoError(n.h.t, sendErr)
	}
	return response, err
}

// TestTwoThatAnnounceThemselvesAtOnce: whoever hears another after its own first
// invitation gives way.
func TestTwoThatAnnounceThemselvesAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHall(t, 10)
		other := &neighbour{h: h}
		shown, err := h.run(t.Context(), filepath.Join(t.TempDir(), "results.csv"), other)
		require.NoError(t, err)
		h.everybodyOnce()
		require.Len(t, other.sent, 9)
		assert.GreaterOrEqual(t, other.sent[1].Sub(other.sent[0]), hush)
		assert.Contains(t, shown, "whether somebody else is at it")
	})
}
