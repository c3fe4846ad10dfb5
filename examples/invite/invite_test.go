package main

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// fixture is an assessment on a sandbox, and the output of the program.
type fixture struct {
	*sandbox.Server

	assessment string
	last       string
	stdout     bytes.Buffer
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	d := &fixture{Server: sandbox.Start(t), last: filepath.Join(t.TempDir(), "invite.last")}
	d.assessment = d.AddAssessment("Backend engineer")
	return d
}

// invite invites the addresses.
func (d *fixture) invite(ctx context.Context, emails ...string) error {
	d.stdout.Reset()
	var candidates []hiring.NewInvitation
	for _, email := range emails {
		candidates = append(candidates, hiring.NewInvitation{Email: email, Name: "Quentin Qux"})
	}
	return invite(ctx, d.LiveClient(), d.assessment, candidates, d.last, &d.stdout)
}

func TestInviteNamesFailuresByPositionOnly(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	err := d.invite(t.Context(), "qux@example.com", "qux@@example.com", "QUX@example.com")
	require.Equal(t, "1 sent, 1 existing, 1 failed\n", d.stdout.String())
	require.ErrorIs(t, err, hiring.ErrInvalidInput)
	require.ErrorContains(t, err, "candidate 2: Invitations.Send: 400 INVALID_INPUT")
	for _, secret := range []string{"Quentin", "qux", "QUX", sandbox.LiveKey} {
		require.NotContains(t, err.Error(), secret)
	}
}

func TestInviteSendsTheRestWhenThePlanHasMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFixture(t)
		d.SetPlan(sandbox.LiveKey, 0, 1)
		err := d.invite(t.Context(), "ada@example.com", "eve@example.com", "kim@example.com")
		require.ErrorIs(t, err, hiring.ErrPlanLimitReached)
		require.Equal(t, "1 sent, 0 existing, 1 failed\n", d.stdout.String())

		d.SetPlan(sandbox.LiveKey, 1, 10)
		require.NoError(t, d.invite(t.Context(), "ada@example.com", "eve@example.com", "kim@example.com"))
		require.Equal(t, "2 sent, 1 existing, 0 failed\n", d.stdout.String())
	})
}

func TestInviteIsKilledAndRestartedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFixture(t)
		d.Inject(sandbox.Fault{Route: "POST *", Skip: 1, Delay: 10 * time.Second, After: true})
		ctx, kill := context.WithTimeout(t.Context(), 5*time.Second)
		defer kill()
		require.Error(t, d.invite(ctx, "ada@example.com", "eve@example.com", "kim@example.com"))
		require.NoError(t, d.invite(t.Context(), "ada@example.com", "eve@example.com", "kim@example.com"))
		require.Len(t, d.Mails(), 3, "one e-mail each")
	})
}

// full is a full disk.
type full struct{}

var errFull = errors.New("no space left on device")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestInviteReturnsAnErrorOfPrinting(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	ada := []hiring.NewInvitation{{Email: "ada@example.com", Name: "Ada"}}
	require.ErrorIs(t, invite(t.Context(), d.LiveClient(), d.assessment, ada, d.last, full{}), errFull)
}
