//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestCommandsThatWaitEndAtOnce: a command that waits for its input or for a file ends with
// the first Ctrl-C and with --timeout.
func TestCommandsThatWaitEndAtOnce(t *testing.T) {
	t.Parallel()
	u := newUser(t, sandbox.New(), sandbox.TestKey)
	require.NoError(t, syscall.Mkfifo(filepath.Join(u.home, "fifo"), 0o600))
	for _, line := range []string{
		"submissions wait -", "api POST /assessments -d @-", "invitations import fifo -a x", "profile add acme --base-url https://hiring.example.com",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			u := &user{t: t, home: u.home, env: u.env}
			assert.Equal(t, exitFailed, u.endWaiting(append(strings.Fields(line), "--timeout", "100ms"), false))
			assert.Equal(t, exitInterrupted, u.endWaiting(strings.Fields(line), true))
		})
	}
}

// endWaiting runs the program with a standard input and a file that do not end, and may send
// Ctrl-C as soon as it reads. It returns the exit status.
func (u *user) endWaiting(args []string, interrupt bool) int {
	u.t.Helper()
	c := u.command(u.t.Context(), args...)
	stdin, err := c.StdinPipe()
	require.NoError(u.t, err)
	defer func() { _ = stdin.Close() }()
	require.NoError(u.t, c.Start())
	if interrupt && slices.Contains(args, "fifo") {
		file, err := os.OpenFile(filepath.Join(u.home, "fifo"), os.O_WRONLY, 0) // Waits until the program has opened it.
		require.NoError(u.t, err)
		defer func() { _ = file.Close() }()
	} else if interrupt {
		_, err := stdin.Write(bytes.Repeat([]byte(" "), 64<<10+1)) // More than a pipe holds: waits until the program reads.
		require.NoError(u.t, err)
	}
	if interrupt {
		require.NoError(u.t, c.Process.Signal(syscall.SIGINT))
	}
	return exitCode(u.t, c.Wait())
}
