package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestWeb opens the configured dashboard only, and sends nothing to the API.
func TestWeb(t *testing.T) {
	t.Parallel()
	server, u := newKeyedServer(t)
	require.Zero(t, u.runWith(secretTest, "profile", "add", "acme", "--base-url", server.URL()).code)
	before := len(server.Journal())
	got := u.run("account", "--web")
	assert.Equal(t, exitUsage, got.code)
	assert.Equal(t, "hiring: The address of the dashboard is not known. Set it with hiring profile set dashboard_url <url>, or in HIRING_DASHBOARD_URL.\n", got.stderr)

	require.Zero(t, u.run("profile", "set", "dashboard_url", "https://app.example.com/{kind}/{id}?tab=1").code)
	for line, page := range map[string][]string{
		"https://app.example.com/submissions/5b?tab=1":       {"submissions", "get", "5b", "--web"},
		"https://app.example.com/submissions/a%2Fb%3F?tab=1": {"report", "a/b?", "-w"},
		"https://app.example.com/assessments":                {"assessments", "ls", "--web"},
		"https://app.example.com/invitations":                {"invitations", "list", "--web"},
		"https://app.example.com/account":                    {"account", "--web"},
	} {
		assert.Equal(t, result{stdout: line + "\n"}, u.run(page...), page)
	}
	assert.Len(t, server.Journal(), before, "no request was sent")

	browser := filepath.Join(u.home, "browser")
	require.NoError(t, os.WriteFile(browser, []byte("#!/bin/sh\necho \"$1\" > opened\n"), 0o700))
	u.env = append(u.env, "BROWSER="+browser)
	screen := u.onTerminal("members", "--web")
	assert.Contains(t, screen.stdout, "Opened https://app.example.com/members.")
	opened, err := os.ReadFile(filepath.Join(u.home, "opened"))
	require.NoError(t, err)
	assert.Equal(t, "https://app.example.com/members\n", string(opened))
	u.env = append(u.env, "BROWSER=/nowhere")
	screen = u.onTerminal("members", "--web")
	assert.Equal(t, exitFailed, screen.code)
	assert.Contains(t, screen.stdout, "Open https://app.example.com/members yourself.")

	u.env = append(u.env, envDashboard+"=https://other.example.com")
	assert.Equal(t, "https://other.example.com\n", u.run("account", "--web").stdout)
	assert.Equal(t, "https://app.example.com/account\n", u.run("account", "--web", "--profile", "acme").stdout)
	u.env = append(u.env, envDashboard+"=file:///etc/passwd")
	assert.Contains(t, u.run("account", "--web").stderr, "must be an https URL")
	u.env = append(u.env, envDashboard+"=", envBaseURL+"="+server.URL(), envKey+"="+secretLive)
	assert.Contains(t, u.run("account", "--web").stderr, "is not known", "the profile's dashboard may belong to another organization")
	assert.Equal(t, exitUsage, u.run("--sandbox", "account", "--web").code)
}

// TestProfileSettings: settings are read and changed one by one, except the address and
// the key.
func TestProfileSettings(t *testing.T) {
	t.Parallel()
	server, u := newKeyedServer(t)
	assert.Equal(t, "hiring: No profile is in use. Choose one with --profile, or with hiring profile use <name>.\n", u.run("profile", "get").stderr)
	for _, name := range []string{"acme", "other"} {
		require.Zero(t, u.runWith(secretTest, "profile", "add", name, "--base-url", server.URL()).code)
	}
	assert.Equal(t, server.URL()+"\n", u.run("profile", "get", "base_url").stdout)
	assert.Equal(t, "file\n", u.run("config", "get", "key-in").stdout)
	assert.Equal(t, "Changed dashboard_url of profile other.\n", u.run("--profile", "other", "config", "set", "dashboard_url", "https://app.example.com").stderr)
	assert.Equal(t, "https://app.example.com\n", u.run("profile", "get", "dashboard-url", "--profile", "other").stdout)
	assert.Equal(t, "\n", u.run("profile", "get", "dashboard_url").stdout)
	shown := u.run("profile", "get", "-o", "yaml")
	assert.Equal(t, "base_url: "+server.URL()+"\ndashboard_url: \"\"\ndialect: \"\"\nkey_in: file\nname: acme\n", shown.stdout)
	assert.Contains(t, u.run("profile", "get").stdout, "base url")

	require.NoError(t, os.WriteFile(filepath.Join(u.home, "d.json"), []byte(`{"get_assessment": "GET /postings/{id}"}`), 0o600))
	require.Zero(t, u.run("profile", "set", "dialect", "d.json").code)
	assert.Equal(t, filepath.Join(u.home, "d.json")+"\n", u.run("profile", "get", "dialect").stdout)
	before := len(server.Journal())
	u.run("assessments", "get", sandbox.AssessmentID)
	assert.Equal(t, "/api/v1/postings/"+sandbox.AssessmentID, server.Journal()[before].Path, "commands use the dialect of the profile")
	require.NoError(t, os.Remove(filepath.Join(u.home, "d.json")))
	assert.Contains(t, u.run("account").stderr, "The file is set in profile acme; hiring profile set dialect changes it.")
	require.Zero(t, u.run("profile", "set", "dialect", "").code)
	assert.Zero(t, u.run("account").code)

	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"profile", "set", "base_url", "https://evil.example.com"}, "base_url cannot be changed alone. hiring profile add acme asks for the address and the key again."},
		{[]string{"profile", "set", "dashbord_url", "x"}, "There is no setting dashbord_url. Did you mean dashboard_url?"},
		{[]string{"profile", "set", "dashboard_url", "javascript:alert(1)"}, "must be an https URL"},
		{[]string{"profile", "set", "dialect", "none.json"}, "none.json"},
		{[]string{"profile", "get", "key"}, "There is no setting key."},
		{[]string{"profile", "use", "acm"}, "There is no profile acm. Did you mean acme?"},
		{[]string{"profile", "set", "dialect"}, "profile set needs <value>. Usage: hiring profile set <setting> <value>."},
	} {
		got := u.run(c.args...)
		assert.Equal(t, exitUsage, got.code, c.args)
		assert.Contains(t, got.stderr, c.says)
	}
	assert.Equal(t, server.URL()+"\n", u.run("profile", "get", "base_url").stdout)
	assert.NotContains(t, u.run("profile", "get", "-o", "json").stdout, "5Vq8Zr")
}
