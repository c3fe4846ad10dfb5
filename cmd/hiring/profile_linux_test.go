package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// TestInterruptRestoresTheTerminal: after Ctrl-C at the hidden question the terminal echoes again.
func TestInterruptRestoresTheTerminal(t *testing.T) {
	t.Parallel()
	server, u := newKeyedServer(t)
	got, terminal := u.inDialog([]answer{{"shown): ", "sk_live_half\x03"}}, "profile", "add", "acme", "--base-url", server.URL())
	assert.Equal(t, exitInterrupted, got.code, got.stdout)
	assert.NotContains(t, got.stdout, "half")
	settings, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	require.NoError(t, err)
	assert.NotZero(t, settings.Lflag&unix.ECHO)
}
