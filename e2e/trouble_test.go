package e2e

import (
	"io"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestEachFaultIsInjectedByAClick and seen by the client, and then in the journal.
func TestEachFaultIsInjectedByAClick(t *testing.T) {
	p := open(t)
	for preset, says := range map[string]any{
		"internal": hiring.ErrInternal, "unavailable": hiring.ErrInternal, "limited": hiring.ErrRateLimited, "conflict": hiring.ErrConflict,
		"slow": nil, "reset": syscall.ECONNRESET, "lost": syscall.ECONNRESET, "late": syscall.ECONNRESET, "cut": io.ErrUnexpectedEOF, "proxy": "Bad gateway",
	} {
		p.visit("console/trouble")
		p.submit(`button[value="` + preset + `"]`)
		p.appears(".pending", " left")
		_, err := p.client(sandbox.TestKey).Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: "c0000000-0000-4000-8000-000000000001", Name: "n"})
		switch says := says.(type) {
		case nil:
			require.NoError(t, err)
		case error:
			require.ErrorIs(t, err, says, preset)
		case string:
			require.ErrorContains(t, err, says)
		}
		p.visit("")
		assert.Contains(t, p.text(".journal tbody tr"), "fault", preset)
	}
}

func TestFaultsByClicks(t *testing.T) {
	p := open(t)
	get := func(key string) error { _, err := p.client(key).Account.Get(t.Context()); return err }
	p.visit("console/trouble")
	p.submit(`form[action$="/throttle"] button`)
	require.ErrorIs(t, get(sandbox.TestKey), hiring.ErrRateLimited)
	p.submit(`form[action$="/throttle"] button`)
	require.NoError(t, get(sandbox.TestKey))
	p.submit(`.keys li:first-child form[action$="/quota"] button`)
	require.ErrorIs(t, get(sandbox.LiveKey), hiring.ErrRateLimited, "the live key comes first, its reads first of all")
	p.fill(`input[name="by"]`, "61m")
	p.submit(`form[action*="trouble#clock"] button`)
	p.appears("section[aria-labelledby=clock] .timeline", "has all its reads again")
	p.submit(`form[action$="/clock"] button`)
	require.NoError(t, get(sandbox.LiveKey))
	p.submit(`form[action$="/drift"] button`)
	p.appears(".said", "Drift is set")
	p.submit(`form[action$="/archives"] button`)
	p.appears("section[aria-labelledby=world]", "Lost:")
	p.submit(`.keys li:first-child form[action$="/revoke"] button`)
	require.ErrorIs(t, get(sandbox.LiveKey), hiring.ErrInvalidToken)
	p.submit(`form[action$="/reset"] button`)
	require.NoError(t, get(sandbox.LiveKey))
}
