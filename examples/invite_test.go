package examples_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestInvite(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][]string{
		"no header": {"Ada Example,ada@example.com", "Bob Example,bob@@example.com", "Ada again,ADA@example.com", `"Example, Eve", eve@example.com `},
		"header":    {"\ufeffName,Email", "Ada Example,ada@example.com", "Bob Example,bob@@example.com", "Ada again,ADA@example.com", `"Example, Eve",eve@example.com`},
	} {
		stdout, stderr, status := output(t, program(t, service{}, "invite", csvFile(t, lines...)))
		require.Equal(t, "2 sent, 1 existing, 1 failed\n", stdout, name)
		oneLine(t, "invite", stderr, status, "candidate 2: Invitations.Send: 400 INVALID_INPUT")
	}
}

func TestInviteRejectsBadArguments(t *testing.T) {
	t.Parallel()
	server := sandbox.Start(t)
	ada := csvFile(t, "Ada Example,ada@example.com")
	for _, c := range []struct {
		service
		args []string
		want string
	}{
		{service{server.URL(), sandbox.LiveKey}, []string{ada, sandbox.AssessmentID}, "this sends e-mails to real candidates (1 in the file)"},
		{service{server.URL(), "another-kind-of-key"}, []string{ada, sandbox.AssessmentID}, "this sends e-mails to real candidates (1 in the file)"},
		{service{server.URL(), sandbox.TestKey}, []string{ada}, "usage"},
		{service{server.URL(), sandbox.TestKey}, nil, "usage"},
		{service{}, []string{csvFile(t, "Bob Example,bob")}, "the columns must be name,email"},
		{service{}, []string{filepath.Join(t.TempDir(), "none.csv")}, "no such file"},
		{service{}, []string{csvFile(t, "Ada Example", "ada@example.com")}, "wrong number of fields"},
		{service{}, []string{csvFile(t, "who,email", "Ada Example,ada@example.com")}, "the columns must be name,email"},
		{service{}, []string{csvFile(t, "Ada,ada@example.com", "Bob")}, "wrong number of fields"},
	} {
		stdout, stderr, status := output(t, program(t, c.service, "invite", c.args...))
		oneLine(t, "invite", stderr, status, c.want)
		require.Empty(t, stdout)
	}
	require.Empty(t, server.Journal(), "nothing is sent")
}

func TestInviteWithoutAFile(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := output(t, program(t, service{}, "invite"))
	oneLine(t, "invite", stderr, status, "usage: invite")
	require.Empty(t, stdout)
}

// silentServer is a sandbox that can leave a write without a response.
type silentServer struct {
	*sandbox.Server

	url, assessment string

	mu      sync.Mutex
	stop    int           // The write without a response, from 1; 0: none.
	late    bool          // The write takes effect.
	arrived chan struct{} // Closed when the write has arrived.
}

func newSilentServer(t *testing.T) *silentServer {
	t.Helper()
	h := &silentServer{Server: sandbox.Start(t)}
	h.assessment, h.url = h.AddAssessment("Invite"), serve(t, h.ServeHTTP)
	return h
}

func (h *silentServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		h.Server.ServeHTTP(w, r)
		return
	}
	h.mu.Lock()
	h.stop--
	now, late, arrived := h.stop == 0, h.late, h.arrived
	h.mu.Unlock()
	if !now || late {
		recorded := httptest.NewRecorder()
		h.Server.ServeHTTP(recorded, r)
		if !now {
			maps.Copy(w.Header(), recorded.Header())
			w.WriteHeader(recorded.Code)
			_, _ = w.Write(recorded.Body.Bytes())
			return
		}
	}
	_, _ = io.Copy(io.Discard, r.Body) // net/http notices only then that the client has disconnected.
	close(arrived)
	<-r.Context().Done()
}

// until runs the program and sends it a signal at its nth write, which has no response.
func (h *silentServer) until(t *testing.T, n int, late bool, file string, signal os.Signal) (stdout, stderr string, status int) {
	t.Helper()
	arrived := make(chan struct{})
	h.mu.Lock()
	h.stop, h.late, h.arrived = n, late, arrived
	h.mu.Unlock()
	cmd := program(t, service{h.url, sandbox.LiveKey}, "invite", "-yes", file, h.assessment)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	require.NoError(t, cmd.Start())
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-arrived:
		require.NoError(t, cmd.Process.Signal(signal))
		require.Error(t, <-ended)
	case err := <-ended:
		require.NoError(t, err, errs.String())
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// settled makes the last request two minutes old, so that the next run does not wait.
func (h *silentServer) settled(t *testing.T, file string) {
	t.Helper()
	earlier := time.Now().Add(-2 * time.Minute)
	if err := os.Chtimes(file+"."+h.assessment+".last", earlier, earlier); !errors.Is(err, os.ErrNotExist) {
		require.NoError(t, err)
	}
}

func TestInviteIsKilledAndRestarted(t *testing.T) {
	t.Parallel()
	h := newSilentServer(t)
	var lines []string
	for i := range 40 {
		lines = append(lines, fmt.Sprintf("Candidate %d,candidate-%d@example.com", i, i))
	}
	file := csvFile(t, lines...)
	kills := 0
	for {
		stdout, _, status := h.until(t, 1+kills%5, kills%2 == 0, file, os.Kill)
		if status == 0 {
			require.Regexp(t, `^\d+ sent, \d+ existing, 0 failed\n$`, stdout)
			break
		}
		kills++
		require.Less(t, kills, 40, "the runs do not end")
		h.settled(t, file)
	}
	require.Greater(t, kills, 8)
	mails := make(map[string]bool)
	for _, mail := range h.Mails() {
		mails[mail.Email] = true
	}
	require.Len(t, mails, 40)
	require.Len(t, h.Mails(), 40, "one e-mail each")
}

func TestInviteIsInterrupted(t *testing.T) {
	t.Parallel()
	h := newSilentServer(t)
	file := csvFile(t, "Ada,ada@example.com", "Bob,bob@example.com", "Eve,eve@example.com")
	stdout, stderr, status := h.until(t, 2, true, file, os.Interrupt)
	require.Equal(t, "1 sent, 0 existing, 1 failed\n", stdout)
	oneLine(t, "invite", stderr, status, "the outcome is unknown")

	h.settled(t, file)
	stdout, stderr, status = h.until(t, 0, false, file, os.Interrupt)
	require.Zero(t, status, stderr)
	require.Equal(t, "1 sent, 2 existing, 0 failed\n", stdout)
}
