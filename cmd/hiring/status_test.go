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

// TestProfileStatus shows the server, the kind of key, where both come from and what is not
// used, without a request.
func TestProfileStatus(t *testing.T) {
	t.Parallel()
	server, u := newKeyedServer(t)
	got := u.run("profile", "status")
	assert.Equal(t, exitAuth, got.code)
	assert.True(t, strings.HasPrefix(got.stderr, "hiring: No server is configured. Run hiring profile add <name> or "), got.stderr)
	require.Zero(t, u.runWith(secretTest, "profile", "add", "acme", "--base-url", server.URL()).code)
	before := len(server.Journal())
	show := func(args ...string) string {
		return u.run(append([]string{"profile", "status", "-o", "jsonl"}, args...)...).stdout
	}
	assert.JSONEq(t, `{"server":"`+server.URL()+`","environment":"test","source":"profile acme","not_used":null}`, show())
	u.env = append(slices.Clip(u.env), envBaseURL+"=https://hiring.example.com", envKey+"="+secretLive)
	assert.JSONEq(t, `{"server":"https://hiring.example.com","environment":"live","source":"the variables HIRING_BASE_URL and HIRING_API_KEY","not_used":["profile acme"]}`, show())
	assert.JSONEq(t, `{"server":"`+server.URL()+`","environment":"test","source":"profile acme",
		"not_used":["the variables HIRING_BASE_URL and HIRING_API_KEY"]}`, show("--profile", "acme"))
	assert.Contains(t, show("--sandbox"), `"source":"--sandbox"`)
	assert.Len(t, server.Journal(), before, "no request was sent")
}

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
