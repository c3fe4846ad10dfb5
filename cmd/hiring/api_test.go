package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestAPISendsABody given as an argument, a file and standard input. With a body the
// default method is POST.
func TestAPISendsABody(t *testing.T) {
	t.Parallel()
	server := sandbox.New()
	u := newUser(t, server, sandbox.LiveKey)
	id := server.AddAssessment("Backend")
	const body = `{"status": "closed"}`
	u.write("body.json", body)
	path := "/assessments/" + id
	for _, line := range []string{"-d @body.json", "-d @-", "-d " + strings.ReplaceAll(body, " ", "")} {
		before := len(server.Journal())
		got := u.runWith(body, append([]string{"api", "-X", "PATCH", path, "--yes", "--jq", ".data.status"}, strings.Fields(line)...)...)
		require.Zero(t, got.code, "%s: %s", line, got.stderr)
		assert.Equal(t, "closed\n", got.stdout, line)
		journal := server.Journal()
		require.Len(t, journal, before+1, line)
		assert.JSONEq(t, body, string(journal[before].Body), line)
	}
	before := len(server.Journal())
	u.write("invitation.json", `{"candidate_email": "a@example.com", "candidate_name": "Ada"}`)
	got := u.run("api", path+"/invitations", "-d", "@invitation.json", "--yes", "--debug")
	assert.Contains(t, got.stderr, " rate_limit=200 rate_remaining=196", "as hiring quota says")
	journal := server.Journal()
	require.Len(t, journal, before+1)
	assert.Equal(t, "POST", journal[before].Method, got.stderr)

	got = u.run("api", "/assessments", "-f", "name=Ops", "-f", "challenge_id=c0000000-0000-4000-8000-000000000001", "--yes")
	journal = server.Journal()
	assert.JSONEq(t, `{"name":"Ops","challenge_id":"c0000000-0000-4000-8000-000000000001"}`, string(journal[before+1].Body), got.stderr)
	before++

	u.write("broken.json", `{"status": `)
	for line, says := range map[string]string{
		"-d @none.json":           "hiring: --data: open none.json: no such file or directory.\n",
		"-d @broken.json":         "hiring: --data: the body is not valid JSON. Use -f name=value, which is a query in hiring api GET " + path + " -f name=value, or a body such as -d '{\"name\": \"value\"}'.\n",
		"-o csv":                  "hiring: api writes only JSON: -o csv and --columns have no meaning, and --jq selects.\n",
		"--input body.json":       "hiring: api has no flag --input. Use -d @body.json.\n",
		"-d @body.json -f name=a": "hiring: --field and --data: give the body once.\n",
	} {
		got := u.run(append([]string{"api", "-X", "PATCH", path, "--yes"}, strings.Fields(line)...)...)
		assert.Equal(t, exitUsage, got.code, line)
		assert.Equal(t, says, got.stderr, line)
	}
	assert.Equal(t, result{stderr: "hiring: api needs <path>. Usage: hiring api [<method>] <path>.\n", code: exitUsage}, u.run("api", "DELETE"))
	for _, rewritten := range []string{"C:/Program Files/Git/account", `c:\\msys64\\account`, "https://hiring.example.com/api/v1/account"} {
		u.fails(exitUsage, "is no path of the API. Give it below /api/v1 and without the first slash, as in account: Git Bash rewrites", "api", rewritten)
	}
	assert.Len(t, server.Journal(), before+1, "a body that cannot be read is not sent")
}
