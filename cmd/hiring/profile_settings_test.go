package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestProfileSettings: the dialect is changed, and nothing else.
func TestProfileSettings(t *testing.T) {
	t.Parallel()
	server, u := newKeyedServer(t)
	for _, name := range []string{"acme", "other"} {
		require.Zero(t, u.runWith(secretTest, "profile", "add", name, "--base-url", server.URL()).code)
	}
	shown := u.run("profile", "list", "--jq", ".[0]")
	assert.JSONEq(t, `{"base_url":"`+server.URL()+`","dialect":"","environment":"test","in_use":true,"name":"acme"}`, shown.stdout)

	require.NoError(t, os.WriteFile(filepath.Join(u.home, "d.json"), []byte(`{"get_assessment": "GET /postings/{id}"}`), 0o600))
	assert.Contains(t, u.onTerminal("profile", "use", "acme", "--dialect", "d.json").stdout, "Using profile acme.")
	assert.Equal(t, filepath.Join(u.home, "d.json")+"\n", u.run("profile", "list", "--jq", ".[0].dialect").stdout)
	assert.Equal(t, "\n", u.run("profile", "list", "--jq", ".[1].dialect").stdout)
	before := len(server.Journal())
	u.run("assessments", "get", sandbox.AssessmentID)
	assert.Equal(t, "/api/v1/postings/"+sandbox.AssessmentID, server.Journal()[before].Path, "commands use the dialect of the profile")
	require.NoError(t, os.Remove(filepath.Join(u.home, "d.json")))
	assert.Contains(t, u.run("account").stderr, "The file is set in profile acme; hiring --dialect <file> profile use acme sets another.")
	require.Zero(t, u.run("profile", "use", "acme", "--dialect", "").code)
	assert.Zero(t, u.run("account").code)

	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"profile", "set", "base_url", "https://evil.example.com"}, "There is no command hiring profile set."},
		{[]string{"profile", "use", "other", "--dialect", "none.json"}, "none.json"},
		{[]string{"profile", "use", "third", "--dialect", ""}, "There is no profile third."},
		{[]string{"profile", "use", "acm"}, "There is no profile acm."},
		{[]string{"--profile", "acm", "account"}, "There is no profile acm."},
	} {
		u.fails(exitUsage, c.says, c.args...)
	}
	assert.Equal(t, server.URL()+" true\n", u.run("profile", "list", "--jq", `.[0] | "\(.base_url) \(.in_use)"`).stdout)
	assert.NotContains(t, u.run("profile", "list", "-o", "json").stdout, "5Vq8Zr")
}
