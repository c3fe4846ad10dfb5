package main

import (
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

const (
	secretTest = "sk_test_5Vq8Zr2Lw9Xn4Kt7"
	secretLive = "sk_live_3Hc6Bd1Jm8Ps5Gf2"
)

// newKeyedServer returns a server with the secret keys, and a user without configuration.
func newKeyedServer(t *testing.T) (*sandbox.Server, *user) {
	t.Helper()
	server := sandbox.New(sandbox.WithClock(noon),
		sandbox.WithKey(sandbox.Key{Token: secretTest, Scope: sandbox.ScopeAdmin}),
		sandbox.WithKey(sandbox.Key{Token: secretLive, Scope: sandbox.ScopeAdmin}))
	t.Cleanup(server.Close)
	return server, newUser(t, nil, "")
}

// TestProfileAddUseAndRemove: a user adds, uses, lists and removes profiles.
func TestProfileAddUseAndRemove(t *testing.T) {
	t.Parallel()
	server, u := newKeyedServer(t)
	got, _ := u.inDialog([]answer{{"server: ", server.URL() + "\n"}, {"shown): ", secretTest + "\n"}}, "profile", "add", "acme")
	require.Zero(t, got.code, got.stdout)
	assert.NotContains(t, got.stdout, "5Vq8Zr", "the typed key is not shown")
	assert.Contains(t, got.stdout, "Added profile acme for Sandbox Hiring Ltd, a test key. The key is in "+filepath.Join(u.home, ".config", "hiring", "profiles.json")+", which only you can read.")

	got, _ = u.inDialog([]answer{{"shown): ", secretLive + "\n"}}, "profile", "add", "prod", "--base-url", server.URL())
	require.Zero(t, got.code, got.stdout)
	assert.Contains(t, got.stdout, "a live key")
	assert.Contains(t, got.stdout, "hiring profile use prod")

	assert.Equal(t, "Sandbox Hiring Ltd\n", u.run("account", "--jq", ".name").stdout)
	require.Zero(t, u.run("profile", "use", "prod").code)
	assert.Equal(t, "acme,test,"+server.URL()+",false,\nprod,live,"+server.URL()+",true,\n", strings.TrimPrefix(u.run("profile", "list", "-o", "csv").stdout, "name,environment,base_url,in_use,dialect\n"))
	assert.NotEqual(t, "Sandbox Hiring Ltd\n", u.run("account", "--jq", ".name").stdout, "the live key has other data")
	assert.Equal(t, "Sandbox Hiring Ltd\n", u.run("--profile", "acme", "account", "--jq", ".name").stdout)
	assert.Equal(t, "acme\nprod\n:4\n", u.run("__complete", "profile", "use", "").stdout)

	require.Zero(t, u.run("profile", "remove", "prod").code)
	got = u.run("account")
	assert.Equal(t, exitAuth, got.code)
	assert.Contains(t, got.stderr, "hiring profile add <name> or hiring profile use <name>")
	require.Zero(t, u.run("profile", "remove", "acme").code)
	assert.NotContains(t, filesOf(t, u.home), "5Vq8Zr")
}

func TestProfileMistakes(t *testing.T) {
	t.Parallel()
	server, u := newKeyedServer(t)
	for _, c := range []struct {
		stdin string
		args  []string
		code  int
		says  string
	}{
		{"", []string{"profile", "add", secretLive}, exitUsage, "looks like a key"},
		{"", []string{"profile", "add", "acme", secretLive}, exitUsage, "looks like a key"},
		{"", []string{"profile", "add", "acme"}, exitUsage, "--base-url"},
		{"", []string{"profile", "add", "acme", "--base-url", server.URL()}, exitUsage, "Standard input has no key"},
		{"Bearer " + secretLive, []string{"profile", "add", "acme", "--base-url", server.URL()}, exitUsage, "Bearer"},
		{"sk_live_wrongwrongwrong", []string{"profile", "add", "acme", "--base-url", server.URL()}, exitAuth, "Nothing was stored"},
		{secretLive, []string{"profile", "add", "acme", "--base-url", "ftp://x"}, exitUsage, "http"},
		{"", []string{"profile", "use", "none"}, exitUsage, "hiring profile list"},
		{"", []string{"account", "--profile", "none"}, exitUsage, "hiring profile list"},
		{"", []string{"account", "--profile", "none", "--sandbox"}, exitUsage, "exclude each other"},
		{"", []string{"account", "--profile", ""}, exitUsage, "give the name of a profile"},
		{"", []string{"version", "--profile", "none"}, exitUsage, "hiring profile list"},
		{"", []string{secretLive}, exitUsage, "looks like a key"},
		{"", []string{"-k" + secretLive, "account"}, exitUsage, "looks like a key"},
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

// TestPrecedenceOfServers: the order is --sandbox, variables, profile, and a key is never
// sent to another address than its own.
func TestPrecedenceOfServers(t *testing.T) {
	t.Parallel()
	server, u := newKeyedServer(t)
	require.Zero(t, u.runWith(secretTest, "profile", "add", "acme", "--base-url", server.URL()).code)
	plain := u.env
	both := append(slices.Clip(plain), envBaseURL+"="+server.URL(), envKey+"="+secretLive)
	for _, c := range []struct {
		env  []string
		args []string
		code int
		says string
	}{
		{both, []string{"account", "--profile", "acme"}, exitOK, ""},
		{both, []string{"account", "--profile", "none"}, exitUsage, "There is no profile none."},
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
		assert.Equal(t, slices.Contains(c.args, "acme"), asked == 1, "%v: %d requests", c.args, asked)
	}
}

// TestExplicitProfileWinsOverVariables: with a live key in the environment and --profile
// with a test key, no real e-mail is sent.
func TestExplicitProfileWinsOverVariables(t *testing.T) {
	t.Parallel()
	server, u := newKeyedServer(t)
	require.Zero(t, u.runWith(secretTest, "profile", "add", "test", "--base-url", server.URL()).code)
	require.Zero(t, u.runWith(secretLive, "profile", "add", "prod", "--base-url", server.URL()).code)
	require.Zero(t, u.run("profile", "use", "prod").code)
	inUse := func(args ...string) string {
		return u.run(append(args, "profile", "list", "--jq", `[.[] | select(.in_use) | .name, .environment] | join(" ")`)...).stdout
	}
	assert.Equal(t, "prod live\n", inUse())
	plain := slices.Clip(u.env)
	variables := append(plain, envBaseURL+"="+server.URL(), envKey+"="+secretLive)
	u.env = variables
	assert.Equal(t, "\n", inUse(), "the variables are used")
	invite := []string{"invitations", "invite", "ada@example.com", "--name", "Ada", "--yes", "-a", sandbox.AssessmentID}
	for _, c := range []struct {
		env  []string
		args []string
	}{
		{variables, []string{"--profile", "test"}}, {variables, []string{"-p", "test"}},
		{append(slices.Clip(variables), envProfile+"=test"), nil}, {append(slices.Clip(plain), envProfile+"=test"), nil},
		{append(slices.Clip(plain), envProfile+"=prod"), []string{"-p", "test"}},
	} {
		u.env = c.env
		server.ClearJournal()
		got := u.run(append(c.args, invite...)...)
		assert.Zero(t, got.code, got.stderr)
		assert.Contains(t, got.stderr, "This is a test key")
		for _, entry := range server.Journal() {
			assert.Contains(t, entry.Key, "sk_test", "%s %s", entry.Method, entry.Route)
		}
		assert.Len(t, server.Journal(), 5)
		assert.Equal(t, "test test\n", inUse(c.args...))
	}

	before := len(server.Journal())
	for _, u.env = range [][]string{append(slices.Clip(variables), envProfile+"=tset"), append(slices.Clip(plain), envProfile+"=tset")} {
		got := u.run(invite...)
		assert.Equal(t, result{stderr: "hiring: There is no profile tset. HIRING_PROFILE names it; hiring profile list shows the profiles.\n", code: exitUsage}, got)
		assert.Zero(t, u.run("profile", "list").code)
	}
	u.env = variables
	got := u.run(append([]string{"--profile", "tset"}, invite...)...)
	assert.Equal(t, exitUsage, got.code)
	u.env = append(u.env, envKey+"=")
	assert.Zero(t, u.run("account", "--profile", "test").code, "a single variable is ignored with --profile")
	assert.Len(t, server.Journal(), before+1)
}

// TestKeyInAnArgumentIsRejected before anything is sent, also for a key without the usual
// prefix.
func TestKeyInAnArgumentIsRejected(t *testing.T) {
	t.Parallel()
	server, u := newKeyedServer(t)
	const unusual = "0123456789-abcdefghi"
	for key, arguments := range map[string][]string{
		secretLive: {
			"api GET /account?key=" + secretLive, "api GET /account -q key=" + secretLive, "submissions get " + secretLive,
			"invitations list -a " + secretTest,
			"account --jq .name+\"" + secretLive + "\"", "--profile " + secretLive + " account", "doctor --write " + secretLive,
		},
		unusual: {"api GET /account?key=" + unusual, "submissions get " + unusual, "doctor --write " + unusual},
	} {
		u.env = append(u.env, envBaseURL+"="+server.URL(), envKey+"="+key)
		for _, line := range arguments {
			got := u.run(strings.Fields(line)...)
			assert.Equal(t, exitUsage, got.code, line)
			assert.Contains(t, got.stderr, "An argument looks like a key")
			assert.NotContains(t, got.stderr, "3Hc6Bd")
			assert.NotContains(t, got.stderr, "abcdefghi")
		}
	}
	assert.Empty(t, server.Journal(), "nothing was sent")
	assert.Zero(t, u.run("--sandbox", "api", "GET", "/account", "--jq", `.data.id | startswith("sk_live_")`).code, "the prefix alone is not a key")
}

// TestConfigurationOfOthersIsReported: another user who can write the profiles could send the key
// elsewhere, but a mount may set the mode.
func TestConfigurationOfOthersIsReported(t *testing.T) {
	t.Parallel()
	server, u := newKeyedServer(t)
	require.Zero(t, u.runWith(secretTest, "profile", "add", "acme", "--base-url", server.URL()).code)
	dir := filepath.Join(u.home, ".config", "hiring")
	for path, modes := range map[string][]os.FileMode{dir: {0o777, 0o720}, filepath.Join(dir, "profiles.json"): {0o440, 0o777, 0o644}} {
		info, err := os.Stat(path)
		require.NoError(t, err)
		for _, mode := range modes {
			require.NoError(t, os.Chmod(path, mode))
			for _, args := range [][]string{{"account", "--jq", ".slug"}, {"profile", "list", "--jq", ".[].name"}} {
				got := u.run(args...)
				assert.Zero(t, got.code, got.stderr)
				assert.Equal(t, "hiring: warning: Other users can read or write "+path+". Run chmod go-rwx on it, unless a mount sets its mode.\n", got.stderr)
			}
		}
		require.NoError(t, os.Chmod(path, info.Mode()))
	}
	assert.Empty(t, u.run("account").stderr)
}

// TestSymlinkedKeyFileIsReplacedAtItsTarget: tools for configuration files link it.
func TestSymlinkedKeyFileIsReplacedAtItsTarget(t *testing.T) {
	t.Parallel()
	server, u := newKeyedServer(t)
	add := []string{"profile", "add", "acme", "--base-url", server.URL()}
	require.Zero(t, u.runWith(secretTest, add...).code)
	for _, name := range []string{"profiles.json"} {
		link, target := filepath.Join(u.home, ".config", "hiring", name), filepath.Join(u.home, name)
		require.NoError(t, os.Rename(link, target))
		require.NoError(t, os.Symlink(target, link))
	}
	require.Zero(t, u.runWith(secretLive, add...).code)
	for _, name := range []string{"profiles.json"} {
		info, err := os.Lstat(filepath.Join(u.home, ".config", "hiring", name))
		require.NoError(t, err)
		assert.Equal(t, os.ModeSymlink, info.Mode().Type(), name)
	}
	assert.Contains(t, u.read("profiles.json"), secretLive)
	assert.NotContains(t, u.read("profiles.json"), secretTest)
	info, err := os.Stat(filepath.Join(u.home, "profiles.json"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode())
}

// TestRemovingTheProfileInUse says that no profile is in use, and how to choose one.
func TestRemovingTheProfileInUse(t *testing.T) {
	t.Parallel()
	server, u := newKeyedServer(t)
	for _, name := range []string{"acme", "other"} {
		require.Zero(t, u.runWith(secretTest, "profile", "add", name, "--base-url", server.URL()).code)
	}
	assert.Contains(t, u.onTerminal("profile", "remove", "acme").stdout, "Removed profile acme.")
	assert.Equal(t, exitAuth, u.run("account").code)
	require.Zero(t, u.run("profile", "use", "other").code)
	require.Zero(t, u.runWith(secretTest, "profile", "add", "third", "--base-url", server.URL()).code)
	require.Zero(t, u.run("profile", "remove", "third").code)
	require.Equal(t, result{}, u.run("profile", "remove", "other"))
}

// TestWritesWithALiveKeyNeedConfirmation: the question names what would be changed, its id and
// the organization, and only yes sends a write.
func TestWritesWithALiveKeyNeedConfirmation(t *testing.T) {
	t.Parallel()
	h := newCampaign(t, 2)
	u := newUser(t, h.server, sandbox.LiveKey)
	invitation, err := h.server.LiveClient().Invitations.Send(t.Context(), h.id, h.people[0])
	require.NoError(t, err)
	h.server.ClearJournal()
	const challenge = "c0000000-0000-4000-8000-000000000001"
	assessment := "the assessment Backend (" + h.id + ")"
	for _, c := range []struct {
		args []string
		asks string
	}{
		{[]string{"assessments", "create", "--challenge", challenge, "--name", "Ops"}, "create the assessment Ops of the challenge " + challenge},
		{[]string{"assessments", "close", "backend"}, "close " + assessment},
		{[]string{"assessments", "delete", h.id}, "delete " + assessment},
		{[]string{"invite", "-a", "Backend", "Ada <ada@example.com>"}, "send at most 1 invitation e-mail of " + assessment},
		{[]string{"invitations", "send", "--again", "-a", "Backend", "Ada <ada@example.com>"}, "send an invitation e-mail to the candidate, even if it is the second, of " + assessment},
		{[]string{"invitations", "resend", invitation.ID}, "send the e-mail of the invitation " + invitation.ID + " again, of " + assessment},
		{[]string{"invitations", "revoke", "c0@example.com", "-a", "Backend"}, "revoke the invitation " + invitation.ID + " of " + assessment},
		{[]string{"api", "POST", "/assessments", "-d", "{}"}, "send POST /assessments"},
	} {
		question := "This will " + c.asks + " in Sandbox Live Ltd with a live key. Continue? [y/N] "
		for typed, code := range map[string]int{"\n": exitFailed, "\x03": exitInterrupted} {
			got, _ := u.inDialog([]answer{{question, typed}}, c.args...)
			assert.Equal(t, code, got.code, "%v: %s", c.args, got.stdout)
		}
		got := u.run(c.args...)
		assert.Equal(t, exitUsage, got.code, c.args)
		assert.Contains(t, got.stderr, "with a live key. Confirm with --yes.")
	}
	got := u.run("assessments", "create", "--challenge", challenge, "--name", "Ops\nteam", "--yes")
	assert.Equal(t, result{stderr: "hiring: --name has control characters or line breaks: type it again.\n", code: exitUsage}, got)
	assert.Zero(t, writes(h.server))
	got, _ = u.inDialog([]answer{{"[y/N] ", "y\n"}}, "assessments", "close", h.id)
	assert.Equal(t, exitOK, got.code, got.stdout)
	assert.Equal(t, exitOK, u.run("assessments", "delete", h.id, "--yes").code)
	assert.Equal(t, 2, writes(h.server))
}

// TestKeyIsInNoOutputOrFile: results, errors, the debug log and all files except that of the
// keys have no key.
func TestKeyIsInNoOutputOrFile(t *testing.T) {
	t.Parallel()
	server, u := newKeyedServer(t)
	require.Zero(t, u.runWith(secretTest, "profile", "add", "acme", "--base-url", server.URL()).code)
	for _, line := range []string{
		"account --debug", "account -o json --debug", "api GET /account -i --debug", "profile list -o json", "account --jq env", "account --jq $ENV",
		"submissions list --debug --columns nothing", "assessments get nothing --debug", "version -o json", "--help", "quota --debug",
		"submissions export all.jsonl --debug",
	} {
		for _, got := range []result{u.run(strings.Fields(line)...), u.onTerminal(strings.Fields(line)...)} {
			assert.NotContains(t, got.stdout+got.stderr, "5Vq8Zr", line)
		}
	}
	server.Inject(sandbox.Fault{Route: "GET /account", Times: 1, Status: 502, Body: "<p>Bearer " + secretTest, ContentType: "text/html"})
	server.RevokeKey(secretTest)
	got := u.run("account", "--debug")
	assert.NotContains(t, got.stdout+got.stderr, "5Vq8Zr")
	assert.Equal(t, exitAuth, got.code, got.stderr)
	require.NoError(t, os.Remove(filepath.Join(u.home, ".config", "hiring", "profiles.json")))
	assert.NotContains(t, filesOf(t, u.home), "5Vq8Zr")
}

// filesOf returns the content of all files in a folder.
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

// TestPlainHTTP: every command may use it for a host without a dot, as hiring.FromEnv may, and for
// no other. https to a port that speaks http is one attempt.
func TestPlainHTTP(t *testing.T) {
	t.Parallel()
	server, u := newKeyedServer(t)
	plain := append(slices.Clip(u.env), "HTTP_PROXY="+server.URL(), "XDG_CONFIG_HOME="+u.home)
	for _, line := range []string{"account", "submissions export all.csv", "doctor", "profile add acme --base-url BASE"} {
		for _, c := range []struct{ base, insecure, says string }{
			{"http://sandbox:8780", "true", ""},
			{"http://sandbox:8780", "false", "plain http would show the key to the network: use https, or HIRING_INSECURE_HTTP=true for a private host."},
			{"http://hiring.example.com", "true", "plain http would show the key"},
		} {
			u.env = append(slices.Clip(plain), envBaseURL+"="+c.base, envKey+"="+secretTest, envInsecure+"="+c.insecure)
			got := u.runWith(secretTest, strings.Fields(strings.Replace(line, "BASE", c.base, 1))...)
			assert.Equal(t, c.says != "", strings.Contains(got.stderr, "plain http"), "%s: %s", line, got.stderr)
			assert.Contains(t, got.stderr, c.says, line)
		}
	}
	before := len(server.Journal())
	var connections atomic.Int32
	port := httptest.NewUnstartedServer(server)
	port.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	port.Start()
	t.Cleanup(port.Close)
	u.env = append(u.env, envBaseURL+"="+strings.Replace(port.URL, "http:", "https:", 1))
	got := u.run("account")
	assert.Equal(t, exitFailed, got.code)
	assert.Contains(t, got.stderr, "speaks plain http, not https: correct the scheme or the port of the base URL")
	assert.EqualValues(t, 1, connections.Load())
	assert.Len(t, server.Journal(), before)
}
