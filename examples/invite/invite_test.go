package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
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
	options    []hiring.Option
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
	return invite(ctx, d.LiveClient(d.options...), d.assessment, candidates, d.last, &d.stdout)
}

// lateTransport leaves the second POST without a response. The server handles it 20 s later.
type lateTransport struct {
	http.RoundTripper

	posts int
}

func (l *lateTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost {
		l.posts++
	}
	if r.Method != http.MethodPost || l.posts != 2 {
		return l.RoundTripper.RoundTrip(r)
	}
	body, err := io.ReadAll(r.Body)
	later := r.Clone(context.WithoutCancel(r.Context()))
	later.Body = io.NopCloser(bytes.NewReader(body))
	time.AfterFunc(20*time.Second, func() { _, _ = l.RoundTripper.RoundTrip(later) })
	<-r.Context().Done()
	return nil, errors.Join(err, r.Context().Err())
}

func TestInviteIsKilledAndRestartedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFixture(t)
		people := []string{"ada@example.com", "eve@example.com", "kim@example.com"}
		ctx, kill := context.WithTimeout(t.Context(), 5*time.Second)
		defer kill()
		d.options = []hiring.Option{hiring.WithHTTPClient(&http.Client{Transport: &lateTransport{RoundTripper: d.Transport()}})}
		require.ErrorIs(t, d.invite(ctx, people...), hiring.ErrOutcomeUnknown)
		require.Equal(t, "1 sent, 0 existing, 1 failed\n", d.stdout.String())
		d.options = nil
		require.NoError(t, d.invite(t.Context(), people...))
		require.Equal(t, "1 sent, 2 existing, 0 failed\n", d.stdout.String())
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
