package main

import (
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
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
	assert.Contains(t, got.stdout, "Added profile acme for Sandbox Hiring Ltd at "+server.URL()+", a test key. The key is in "+filepath.Join(u.home, ".config", "hiring", "profiles.json")+", which only you can read.")

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

// TestProfileAddWithoutTerminal: the address is that of the flag, else of the profile that gets another key, else of the
// variable.
func TestProfileAddWithoutTerminal(t *testing.T) {
	t.Parallel()
	server, u := newKeyedServer(t)
	u.env = append(u.env, envBaseURL+"="+server.URL())
	assert.Equal(t, result{}, u.runWith(secretTest+"\n", "profile", "add", "work"))
	u.env = append(u.env, envBaseURL+"=https://other.invalid")
	assert.Equal(t, result{stderr: "hiring: warning: Profile work existed: its server and key are replaced.\n"}, u.runWith(secretLive+"\n", "profile", "add", "work"))
	assert.Equal(t, server.URL()+" live\n", u.run("profile", "list", "--jq", `.[] | "\(.base_url) \(.environment)"`).stdout)
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
		{"", []string{"account", "--profile", ""}, exitUsage, "--profile is empty"},
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

// TestPrecedenceOfServers: the order is --sandbox, --profile, HIRING_PROFILE, the variables and the
// profile in use, as profile list says. A key is never sent to another address than its own.
func TestPrecedenceOfServers(t *testing.T) {
	t.Parallel()
	server, u := newKeyedServer(t)
	require.Zero(t, u.runWith(secretTest, "profile", "add", "trial", "--base-url", server.URL()).code)
	require.Zero(t, u.runWith(secretLive, "profile", "add", "prod", "--base-url", server.URL()).code)
	require.Zero(t, u.run("profile", "use", "prod").code)
	variables := slices.Concat(u.env, []string{envBaseURL + "=" + server.URL(), envKey + "=" + secretLive})
	for set, env := range map[string][]string{envBaseURL + " " + envKey: variables, envProfile: append(slices.Clip(u.env), envProfile+"=trial")} {
		shadowed := &user{t: t, home: u.home, env: env}
		assert.Equal(t, result{stderr: "hiring: warning: Variables come first: unset " + set + ", or use -p prod.\n"}, shadowed.run("profile", "use", "prod"))
	}
	assert.Equal(t, result{}, u.run("profile", "use", "prod"))
	const base, key, trial, other = envBaseURL + "=", envKey + "=" + secretLive, envProfile + "=trial", envProfile + "=other"
	plain := slices.Clip(u.env)
	for _, c := range []struct {
		env  []string
		args string
		used string // The name and the environment in profile list, or what the error says.
	}{
		{nil, "", "prod live"},
		{[]string{base + server.URL(), key}, "", "(variables) live"},
		{[]string{base + server.URL(), key}, "--sandbox", ""},
		{[]string{base + server.URL(), key}, "--profile trial", "trial test"},
		{[]string{base + server.URL(), key, trial}, "", "trial test"},
		{[]string{base + server.URL(), trial}, "", "trial test"},
		{[]string{trial}, "-p prod", "prod live"},
		{[]string{base + server.URL()}, "", "hiring: No server is configured. Only one of the variables HIRING_BASE_URL and HIRING_API_KEY is set: set both, or use a profile."},
		{[]string{key}, "", "hiring: No server is configured. Only one of the variables HIRING_BASE_URL and HIRING_API_KEY is set: set both, or use a profile."},
		{[]string{base + server.URL(), key, other}, "", "hiring: There is no profile other. HIRING_PROFILE names it; hiring profile list shows the profiles, and hiring profile add other makes it."},
		{[]string{other}, "", "hiring: There is no profile other. HIRING_PROFILE names it; hiring profile list shows the profiles, and hiring profile add other makes it."},
		{[]string{base + server.URL(), key}, "-p other", "hiring: There is no profile other. hiring profile list shows the profiles, and hiring profile add other adds one."},
	} {
		u.env = append(plain, c.env...)
		server.ClearJournal()
		got := u.run(append(strings.Fields(c.args), "account", "--jq", ".slug")...)
		if strings.HasPrefix(c.used, "hiring: ") {
			assert.Equal(t, c.used+"\n", got.stderr, "%v", c)
			assert.Empty(t, server.Journal())
			continue
		}
		listed := u.run(append(strings.Fields(c.args), "profile", "list", "--jq", `.[] | select(.in_use) | "\(.name) \(.environment)"`)...)
		assert.Equal(t, c.used, strings.TrimSpace(listed.stdout), "%v: %s", c, listed.stderr)
		for _, entry := range server.Journal() {
			assert.Contains(t, entry.Key, strings.Fields(c.used)[1], "%v", c)
		}
		assert.Equal(t, c.used != "", len(server.Journal()) == 1, "%v: %s", c, got.stderr)
	}
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
			"account --jq .name+\"" + secretLive + "\"", "--profile " + secretLive + " account", "submissions export " + secretLive,
		},
		unusual: {"api GET /account?key=" + unusual, "submissions get " + unusual, "account --dialect " + unusual},
	} {
		u.env = append(u.env, envBaseURL+"="+server.URL(), envKey+"="+key)
		for _, line := range arguments {
			got := u.fails(exitUsage, "An argument looks like a key", strings.Fields(line)...)
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

// TestWritesWithALiveKeyNeedConfirmation: the question names what would be changed, its id and
// the organization, and only yes sends a write.
func TestWritesWithALiveKeyNeedConfirmation(t *testing.T) {
	t.Parallel()
	h, u := newImport(t, 2)
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
		{[]string{"invite", "-a", "Backend", "Ada <ada@example.com>"}, "send an invitation e-mail to Ada <ada@example.com>, unless there was one, of " + assessment},
		{[]string{"invitations", "send", "--again", "-a", "Backend", "Ada <ada@example.com>"}, "send an invitation e-mail to Ada <ada@example.com>, even if it is the second, of " + assessment},
		{[]string{"invitations", "resend", invitation.ID}, "send the e-mail of the invitation of Candidate 0 <c0@example.com> again, of " + assessment},
		{[]string{"invitations", "revoke", "c0@example.com", "-a", "Backend"}, "revoke the invitation of Candidate 0 <c0@example.com> of " + assessment},
		{[]string{"invitations", "revoke", invitation.ID, "-a", h.id}, "revoke the invitation of Candidate 0 <c0@example.com> of " + assessment},
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

// TestPrivateHosts compares the rule of the program with that of hiring.FromEnv.
func TestPrivateHosts(t *testing.T) {
	t.Setenv(envKey, secretTest)
	t.Setenv(envInsecure, "true")
	for _, host := range []string{"sandbox", "SANDBOX:8780", "10.0.0.1", "192.168.1.2:80", "[fd00::1]", "8.8.8.8", "134744072", "hiring.example.com", "[2001:db8::1]", "[fe80::1%25eth0]", "0x8080808"} {
		t.Setenv(envBaseURL, "http://"+host)
		server, err := url.Parse("http://" + host)
		require.NoError(t, err)
		_, err = hiring.FromEnv()
		assert.Equal(t, err == nil, isPrivate(server.Hostname()), "%s: %v", host, err)
	}
}

// TestPlainHTTP: every command may use it for a host without a dot, as hiring.FromEnv may, and for
// no other. https to a port that speaks http is one attempt.
func TestPlainHTTP(t *testing.T) {
	t.Parallel()
	server, u := newKeyedServer(t)
	plain := append(slices.Clip(u.env), "HTTP_PROXY="+server.URL(), "XDG_CONFIG_HOME="+u.home)
	for _, line := range []string{"account", "submissions export all.csv --force", "doctor", "profile add acme --base-url BASE"} {
		for _, c := range []struct{ base, insecure, says string }{
			{"http://sandbox:8780", "true", ""},
			{"http://sandbox:8780", "false", "plain http would show the key to the network: use https, or HIRING_INSECURE_HTTP=true for a private host."},
			{"http://hiring.example.com", "true", "plain http would show the key"},
			{"http://134744072", "true", "plain http would show the key"}, // 8.8.8.8 as a number.
		} {
			u.env = append(slices.Clip(plain), envBaseURL+"="+c.base, envKey+"="+secretTest, envInsecure+"="+c.insecure)
			got := u.runWith(secretTest, strings.Fields(strings.Replace(line, "BASE", c.base, 1))...)
			assert.Equal(t, c.says != "", strings.Contains(got.stderr, "plain http"), "%s: %s", line, got.stderr)
			assert.Contains(t, got.stderr, c.says, line)
		}
	}
	u.env = append(u.env, envBaseURL+"="+strings.Replace(server.URL(), "http:", "https:", 1))
	got := u.run("account")
	assert.Contains(t, got.stderr, " speaks plain http, not https: correct the scheme or the port of the base URL.", "and not after 4 attempts")
}

// TestVariablesThatWouldBeIgnored are refused before a request, without their value.
func TestVariablesThatWouldBeIgnored(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ variable, base, says string }{
		{"HTTPS_PROXY=http://ada:top%secret@proxy:8080", "https://hiring.example.com", "The variable HTTPS_PROXY is not the address of a proxy. Give it as http://host:port"},
		{"https_proxy=ht tp://secret", "https://hiring.example.com", "The variable HTTPS_PROXY is not"},
		{"HIRING_INSECURE_HTTP=TRUE", "http://127.0.0.1:1", "The variable HIRING_INSECURE_HTTP must be true, false or empty.\n"},
	} {
		u := newUser(t, nil, "")
		u.env = append(u.env, c.variable, envBaseURL+"="+c.base, envKey+"="+sandbox.TestKey)
		for _, line := range []string{"account", "doctor", "submissions export all.csv --force", "profile add acme --base-url " + c.base} {
			got := u.runWith(sandbox.TestKey, strings.Fields(line)...)
			assert.Equal(t, exitUsage, got.code, "%s: %s", line, got.stderr)
			assert.Contains(t, got.stderr, c.says, line)
			assert.NotContains(t, got.stderr, "secret")
		}
		if strings.Contains(c.variable, "PROXY") {
			assert.Zero(t, u.run("--sandbox", "account").code)
		}
	}
}

func TestIgnoredProxy(t *testing.T) {
	for _, c := range []struct {
		variable, value, base string
		ignored               bool
	}{
		{"HTTP_PROXY", "a proxy", "http://hiring.example.com", true},
		{"http_proxy", "http://a b:80", "http://hiring.example.com", true},
		{"HTTP_PROXY", "a proxy", "https://hiring.example.com", false},
		{"HTTPS_PROXY", "proxy:8080", "https://hiring.example.com", false},
		{"HTTPS_PROXY", "http://ada:top%40@proxy:8080", "https://hiring.example.com", false},
		{"HTTPS_PROXY", "a proxy", "https://10.0.0.1", false},
		{"HTTPS_PROXY", "a proxy", "https://hiring.internal", false},
		{"HTTPS_PROXY", "a proxy", "https://127.0.0.1:8080", false},
		{"HTTPS_PROXY", "a proxy", "https://localhost", false},
	} {
		t.Run(c.variable+c.base, func(t *testing.T) {
			t.Setenv(c.variable, c.value)
			t.Setenv("NO_PROXY", "10.0.0.0/8,.internal")
			server, err := url.Parse(c.base)
			require.NoError(t, err)
			assert.Equal(t, c.ignored, ignoredProxy(server))
		})
	}
}

// TestASystemWithoutCertificates: the text names the package to install.
func TestASystemWithoutCertificates(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	u := newUser(t, nil, "")
	u.env = append(u.env, envBaseURL+"="+server.URL, envKey+"="+sandbox.TestKey)
	const advice = "This system has no CA certificates: install the package ca-certificates."
	assert.NotContains(t, u.run("account").stderr, advice)
	u.env = append(u.env, "SSL_CERT_FILE="+filepath.Join(u.home, "none"), "SSL_CERT_DIR="+filepath.Join(u.home, "none"))
	u.fails(exitFailed, advice, "account")
	assert.Contains(t, u.run("doctor", "-o", "json").stdout, "install the package ca-certificates")
}

// TestAProfileAsksForNoKeyInVain: the address is checked before the key is typed.
func TestAProfileAsksForNoKeyInVain(t *testing.T) {
	t.Parallel()
	u := newUser(t, nil, "")
	for base, says := range map[string]string{"hiring.example.com": "The base URL: ", "http://hiring.example.com": "plain http would show the key", "https://hiring.example.com?x=1": "must have no query"} {
		got, _ := u.inDialog([]answer{{"server: ", base + "\n"}}, "profile", "add", "acme")
		assert.Equal(t, exitUsage, got.code)
		assert.Contains(t, strings.ReplaceAll(got.stdout, "\n", " "), says)
		assert.NotContains(t, got.stdout, "API key (it is not shown)")
	}
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
