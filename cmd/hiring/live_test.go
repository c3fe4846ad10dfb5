package main

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestWatchedListIsRedrawn: the list is redrawn. A transient error is shown above the last
// list, and any other error ends the command.
func TestWatchedListIsRedrawn(t *testing.T) {
	t.Parallel()
	server := sandbox.New(sandbox.WithClock(noon))
	server.Inject(sandbox.Fault{Route: "GET /members", Skip: 1, Times: 4, Status: 503})
	u := newUser(t, server, sandbox.TestKey)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := u.command(ctx, "members", "--watch", "--interval", "10ms", "--limit", "1")
	terminal, err := pty.StartWithSize(c, &pty.Winsize{Rows: 40, Cols: 100})
	require.NoError(t, err)
	defer func() { _ = terminal.Close() }()
	var screen strings.Builder
	chunk := make([]byte, 4096)
	for strings.Count(screen.String(), "NAME") < 4 {
		n, err := terminal.Read(chunk)
		require.NoError(t, err, screen.String())
		screen.Write(chunk[:n])
	}
	require.NoError(t, c.Process.Signal(os.Interrupt)) // A typed Ctrl-C would make the terminal drop what is not read yet.
	rest, _ := io.ReadAll(terminal)
	assert.Equal(t, exitInterrupted, exitCode(t, c.Wait()))
	assert.Contains(t, screen.String(), "\x1b[H\x1b[2J")
	assert.True(t, strings.HasPrefix(screen.String(), "\x1b[?1049h"), "the alternate screen")
	assert.Contains(t, string(rest), "\x1b[?1049l", "what the screen showed before comes back")
	assert.Regexp(t, `hiring members, every 10ms, at \d\d:\d\d:\d\d CES?T`, screen.String())
	assert.Contains(t, screen.String(), "503 INTERNAL_ERROR")
	assert.Contains(t, string(rest), "Interrupted.")

	server.RevokeKey(sandbox.TestKey)
	got := u.onTerminal("members", "--watch", "--interval", "10ms")
	assert.Equal(t, exitAuth, got.code, "an error that is not transient ends the command")
	assert.Contains(t, u.onTerminal("members", "--watch", "--interval", "0s").stdout, "--interval must be above 0.")
}
