package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestErrorsAboutFolders keep their whole text and say what to set.
func TestErrorsAboutFolders(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "mkdir /srv/ada/.config/hiring: permission denied.", errorText(errors.New("mkdir /srv/ada/.config/hiring: permission denied")))

	server, u := newKeyedServer(t)
	require.Zero(t, u.runWith(secretTest, "profile", "add", "acme", "--base-url", server.URL()).code)
	keys := filepath.Join(u.home, ".config", "hiring", "profiles.json")
	require.NoError(t, os.WriteFile(keys, []byte("{"), 0o600))
	got := u.run("account")
	assert.Equal(t, exitAuth, got.code)
	assert.True(t, strings.HasPrefix(got.stderr, "hiring: "+keys+" is not valid JSON: repair or remove it."), got.stderr)
	assert.NotContains(t, got.stderr, "No server is configured")

	u.env = slices.DeleteFunc(slices.Clone(u.env), func(v string) bool { return strings.HasPrefix(v, "HOME=") || strings.HasPrefix(v, "XDG_CONFIG_HOME=") })
	got = u.run("account")
	assert.True(t, strings.HasPrefix(got.stderr, "hiring: The folder of the profiles is not known: set HOME or XDG_CONFIG_HOME ("), got.stderr)
}
