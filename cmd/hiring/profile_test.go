package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

const (
	secretTest = "sk_test_5Vq8Zr2Lw9Xn4Kt7"
	secretLive = "sk_live_3Hc6Bd1Jm8Ps5Gf2"
)

// keyed is a server that knows the secret keys, and somebody with nothing set up.
func keyed(t *testing.T) (*sandbox.Server, *user) {
	t.Helper()
	server := sandbox.New(sandbox.WithClock(noon),
		sandbox.WithKey(sandbox.Key{Token: secretTest, Scope: sandbox.ScopeAdmin}),
		sandbox.WithKey(sandbox.Key{Token: secretLive, Scope: sandbox.ScopeAdmin}))
	t.Cleanup(server.Close)
	return server, newUser(t, nil, "")
}

// TestProfileFromTheFirstDay: what somebody does who has an address and a key.
func TestProfileFromTheFirstDay(t *testing.T) {
	t.Parallel()
	server, u := keyed(t)
	got, _ := u.inDialog([]answer{{"service: ", server.URL() + "\n"}, {"shown): ", secretTest + "\n"}}, "profile", "add", "acme")
	require.Zero(t, got.code, got.stdout)
	assert.NotContains(t, got.stdout, "5Vq8Zr", "what was typed is not shown")
	assert.Contains(t, got.stdout, "added acme for Sandbox Hiring Ltd, a test key; the key is in a file that only you can read")

	got = u.runWith(secretLive+"\n", "profile", "add", "prod", "--base-url", server.URL())
	require.Zero(t, got.code, got.stderr)
	assert.Contains(t, got.stderr, "a live key")
	assert.Contains(t, got.stderr, "hiring profile use prod")

	assert.Equal(t, "Sandbox Hiring Ltd\n", u.run("account", "--jq", ".name").stdout)
	require.Zero(t, u.run("profile", "use", "prod").code)
	assert.Equal(t, "acme,"+server.URL()+",file,false\nprod,"+server.URL()+",file,true\n", strings.TrimPrefix(u.run("profile", "list", "-o", "csv").stdout, "name,base_url,key_in,in_use\n"))
	assert.NotEqual(t, "Sandbox Hiring Ltd\n", u.run("account", "--jq", ".name").stdout, "the live key sees another world")
	assert.Equal(t, "Sandbox Hiring Ltd\n", u.run("--profile", "acme", "account", "--jq", ".name").stdout)
	assert.Equal(t, "acme\nprod\n:4\n", u.run("__complete", "profile", "use", "").stdout)

	require.Zero(t, u.run("profile", "remove", "prod").code)
	got = u.run("account")
	assert.Equal(t, exitAuth, got.code)
	assert.Contains(t, got.stderr, "hiring profile add NAME (or use NAME)")
	require.Zero(t, u.run("profile", "remove", "acme").code)
	assert.NotContains(t, filesOf(t, u.home), "5Vq8Zr")
}

func TestProfileMistakes(t *testing.T) {
	t.Parallel()
	server, u := keyed(t)
	for _, c := range []struct {
		stdin string
		args  []string
		code  int
		says  string
	}{
		{"", []string{"profile", "add", secretLive}, exitUsage, "looks like a key"},
		{"", []string{"profile", "add", "acme", secretLive}, exitUsage, "it is used as: hiring profile add NAME"},
		{"", []string{"profile", "add", "acme"}, exitUsage, "--base-url"},
		{"", []string{"profile", "add", "acme", "--base-url", server.URL()}, exitUsage, "no key on standard input"},
		{"Bearer " + secretLive, []string{"profile", "add", "acme", "--base-url", server.URL()}, exitUsage, "Bearer"},
		{"sk_live_wrongwrongwrong", []string{"profile", "add", "acme", "--base-url", server.URL()}, exitAuth, "nothing was kept"},
		{secretLive, []string{"profile", "add", "acme", "--base-url", "ftp://x"}, exitUsage, "http"},
		{"", []string{"profile", "use", "none"}, exitUsage, "hiring profile list"},
		{"", []string{"account", "--profile", "none"}, exitUsage, "hiring profile list"},
		{"", []string{secretLive}, exitUsage, "unknown command"},
		{"", []string{"-k" + secretLive, "account"}, exitUsage, "unknown shorthand"},
	} {
		got := u.runWith(c.stdin, c.args...)
		assert.Equal(t, c.code, got.code, c.args)
		assert.Contains(t, got.stderr, c.says)
		assert.Equal(t, 1, strings.Count(got.stderr, "\n"), got.stderr)
		assert.NotContains(t, got.stderr, "3Hc6Bd")
		assert.NotContains(t, got.stderr, "wrongwrong")
	}
	assert.NotContains(t, filesOf(t, u.home), "sk_")
}

// TestWhoSaysWhichService: the sandbox, the variables, the profile, in this order,
// and never a key for an address that it is not for.
func TestWhoSaysWhichService(t *testing.T) {
	t.Parallel()
	server, u := keyed(t)
	require.Zero(t, u.runWith(secretTest, "profile", "add", "acme", "--base-url", server.URL()).code)
	plain := u.env
	both := append(slices.Clip(plain), envBaseURL+"="+server.URL(), envKey+"="+secretLive)
	for _, c := range []struct {
		env  []string
		args []string
		code int
		says string
	}{
		{both, []string{"account", "--profile", "acme"}, exitOK, "win over --profile acme"},
		{both, []string{"account", "--sandbox"}, exitOK, ""},
		{append(slices.Clip(plain), envBaseURL+"="+server.URL()), []string{"account"}, exitAuth, "HIRING_BASE_URL is set without HIRING_API_KEY"},
		{append(slices.Clip(plain), envKey+"="+secretLive), []string{"account"}, exitAuth, "HIRING_API_KEY is set without HIRING_BASE_URL"},
	} {
		u.env = c.env
		before := len(server.Journal())
		got := u.run(c.args...)
		assert.Equal(t, c.code, got.code, c.args)
		assert.Contains(t, got.stderr, c.says)
		asked := len(server.Journal()) - before
		assert.Equal(t, c.says == "win over --profile acme", asked == 1, "%v: %d requests", c.args, asked)
	}
}

// TestRemovingTheProfileInUse says that none is in use now, and how one is.
func TestRemovingTheProfileInUse(t *testing.T) {
	t.Parallel()
	server, u := keyed(t)
	for _, name := range []string{"acme", "other"} {
		require.Zero(t, u.runWith(secretTest, "profile", "add", name, "--in-file", "--base-url", server.URL()).code)
	}
	got := u.run("profile", "remove", "acme")
	assert.Equal(t, "removed acme, which was in use: hiring profile use NAME makes another the one in use (other)\n", got.stderr)
	assert.Equal(t, exitAuth, u.run("account").code)
	require.Zero(t, u.run("profile", "use", "other").code)
	require.Zero(t, u.runWith(secretTest, "profile", "add", "third", "--in-file", "--base-url", server.URL()).code)
	assert.Equal(t, "removed third\n", u.run("profile", "remove", "third").stderr)
	assert.Equal(t, "removed other, the last profile\n", u.run("profile", "remove", "other").stderr)
}

// TestGuard: nothing is written with a live key but when somebody says so.
func TestGuard(t *testing.T) {
	t.Parallel()
	server, u := keyed(t)
	u.env = append(u.env, envBaseURL+"="+server.URL(), envKey+"="+secretLive)
	write := []string{"assessments", "create", "--challenge", "c0000000-0000-4000-8000-000000000001", "--name", "Backend"}
	got := u.run(write...)
	assert.Equal(t, exitUsage, got.code)
	assert.Contains(t, got.stderr, "--yes")
	got, _ = u.inDialog([]answer{{"[y/N] ", "\n"}}, write...)
	assert.Equal(t, exitFailed, got.code)
	assert.Contains(t, got.stdout, "nothing was done")
	got, _ = u.inDialog([]answer{{"[y/N] ", "\x03"}}, write...)
	assert.Equal(t, exitInterrupted, got.code)
	assert.Empty(t, server.Journal(), "nothing was sent until now")
	got, _ = u.inDialog([]answer{{"[y/N] ", "y\n"}}, write...)
	assert.Equal(t, exitOK, got.code)
	assert.Equal(t, exitOK, u.run(append(write, "--yes")...).code)
	assert.Len(t, server.Journal(), 2)
}

// TestTheKeyShowsNowhere: not in results, errors, the debug log, or any file but
// that of the keys, whatever goes wrong.
func TestTheKeyShowsNowhere(t *testing.T) {
	t.Parallel()
	server, u := keyed(t)
	require.Zero(t, u.runWith(secretTest, "profile", "add", "acme", "--base-url", server.URL()).code)
	for _, line := range []string{
		"account --debug", "account -o json --debug", "api GET /account -i --debug", "profile list -o json", "account --jq env", "account --jq $ENV",
		"submissions list --debug --columns nothing", "assessments get nothing --debug", "version -o json", "--help", "quota --debug",
		"submissions export all.jsonl --debug", "submissions report --html page.html " + sandbox.SubmissionID,
	} {
		for _, got := range []result{u.run(strings.Fields(line)...), u.onTerminal("", strings.Fields(line)...)} {
			assert.NotContains(t, got.stdout+got.stderr, "5Vq8Zr", line)
		}
	}
	server.Inject(sandbox.Fault{Route: "GET /account", Times: 1, Status: 502, Body: "<p>Bearer " + secretTest, ContentType: "text/html"})
	server.RevokeKey(secretTest)
	got := u.run("account", "--debug")
	assert.NotContains(t, got.stdout+got.stderr, "5Vq8Zr")
	assert.Equal(t, exitAuth, got.code, got.stderr)
	require.NoError(t, os.Remove(filepath.Join(u.home, ".config", "hiring", "keys.json")))
	assert.NotContains(t, filesOf(t, u.home), "5Vq8Zr")
}

// filesOf is all that is in the files of a folder.
func filesOf(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all.WriteString(path + "\n")
		all.Write(text)
		return err
	}))
	return all.String()
}
