package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/doctor"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// foreignWords are the names of a server that differs from every assumption.
var renamedDialect = hiring.Dialect{
	PageParam: "p", PageSizeParam: "per_page", CursorParam: "after", EventPageSizeParam: "limit", SinceLayout: "20060102T150405.000Z",
	ListChallenges: "GET /library", ListAssessments: "GET /postings", GetAssessment: "GET /postings/{id}",
	UpdateAssessment: "PUT /postings/{id}/settings", ResendInvitation: "POST /postings/{id}/{invitation_id}/again",
	RevokeInvitation: "DELETE /postings/{id}/{invitation_id}", InvitationEmail: "email", InvitationName: "name",
}

// doctorUnstable matches addresses and the spaces after them, which differ from run to
// run.
var doctorUnstable = regexp.MustCompile(`127\.0\.0\.1:\d+ *`)

// TestDoctorGolden compares the output for several servers and keys.
func TestDoctorGolden(t *testing.T) {
	for name, c := range map[string]struct {
		options []sandbox.Option
		key     string
		args    string
	}{
		"doctor":             {nil, sandbox.TestKey, "doctor"},
		"doctor-all":         {nil, sandbox.TestKey, "doctor --all"},
		"doctor-live":        {nil, sandbox.LiveKey, "doctor"},
		"doctor-foreign":     {[]sandbox.Option{sandbox.WithDialect(renamedDialect)}, sandbox.TestKey, "doctor"},
		"doctor-revoked":     {nil, "sk_test_revoked", "doctor"},
		"doctor-csv":         {nil, sandbox.TestKey, "doctor -o csv --columns group,name,verdict,found"},
		"doctor-json":        {[]sandbox.Option{sandbox.WithDialect(renamedDialect)}, sandbox.TestKey, "doctor --jq .dialect"},
		"doctor-unwritten":   {nil, "sk_test_revoked", "doctor --write dialect.json -o csv --columns name,verdict"},
		"doctor-no-writes":   {nil, sandbox.TestKey, "doctor --no-writes -o csv --columns name,verdict,evidence"},
		"doctor-as-assumed":  {nil, sandbox.TestKey, "doctor -o jsonl --jq .name"},
		"doctor-no-argument": {nil, sandbox.TestKey, "doctor now"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(c.args)
			piped := newUser(t, sandbox.New(c.options...), c.key).run(args...)
			screen := newUser(t, sandbox.New(c.options...), c.key).onTerminal(args...)
			text := doctorUnstable.ReplaceAllString(stable(transcript(args, piped, screen)), "127.0.0.1:… ")
			golden(t, "golden/"+name+".txt", text)
		})
	}
}

// TestDoctorBehindASignInPage: a captive network is reported, and the exit status is 1.
func TestDoctorBehindASignInPage(t *testing.T) {
	portal := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("<html><title>Sign in</title>"))
	}))
	defer portal.Close()
	u := newUser(t, nil, "")
	u.env = append(u.env, envBaseURL+"="+portal.URL, envKey+"="+sandbox.TestKey)
	r := u.run("doctor")
	assert.Equal(t, exitFailed, r.code)
	assert.Contains(t, r.stdout, "the response is not from the API: <html><title>Sign in</title>")
	assert.Contains(t, r.stdout, "sign in to this network")
	assert.Contains(t, r.stderr, "checks were left out, because the responses do not come from the API. See above what to change.\n")
	assert.NotContains(t, r.stdout, sandbox.TestKey)
}

// TestDoctorWritesADialect: the written file works for the next command, for the sandbox
// program, for the SDK and for doctor itself.
func TestDoctorWritesADialect(t *testing.T) {
	server := sandbox.New(sandbox.WithDialect(renamedDialect))
	u := newUser(t, server, sandbox.TestKey)
	r := u.run("doctor", "--write", "dialect.json")
	assert.Equal(t, exitFailed, r.code, r.stderr)
	assert.Contains(t, r.stderr, "dialect.json holds the 13 names that were decided")
	file := filepath.Join(u.home, "dialect.json")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var found hiring.Dialect
	require.NoError(t, json.Unmarshal(text, &found))
	assert.Equal(t, renamedDialect, found)

	assert.Equal(t, exitNotFound, u.run("assessments", "list").code)
	assert.Equal(t, exitOK, u.run("--dialect", "dialect.json", "assessments", "list").code)
	again := u.run("--dialect", "dialect.json", "doctor", "-o", "json")
	assert.Equal(t, exitOK, again.code, again.stderr)
	var report doctor.Report
	require.NoError(t, json.Unmarshal([]byte(again.stdout), &report))
	assert.Empty(t, report.With(doctor.Wrong))
	assert.Equal(t, renamedDialect, report.Dialect)
	assert.LessOrEqual(t, report.Reads, doctor.MaxReads)

	base := sandboxProgram(t, file)
	client, err := hiring.New(base, sandbox.TestKey, hiring.WithDialect(found))
	require.NoError(t, err)
	listed, err := client.Challenges.List().Collect(t.Context())
	require.NoError(t, err)
	assert.NotEmpty(t, listed)
}

// TestDoctorWritesOnlyDecidedValues uses a live key in an empty organization, where little
// is decided. The file has the decided names only, and the exit status says that commands
// need more.
func TestDoctorWritesOnlyDecidedValues(t *testing.T) {
	t.Parallel()
	server := sandbox.New(sandbox.WithDialect(hiring.Dialect{ListAssessments: "GET /job-postings", GetAssessment: "GET /job-postings/{id}"}))
	server.Inject(sandbox.Fault{Route: "GET /openapi.json", Times: -1, Status: 404, Code: hiring.ErrNotFound})
	u := newUser(t, server, sandbox.LiveKey)
	got := u.run("doctor", "--write", "dialect.json")
	assert.Equal(t, exitFailed, got.code)
	var found map[string]string
	require.NoError(t, json.Unmarshal([]byte(u.read("dialect.json")), &found))
	assert.Equal(t, "GET /job-postings", found["list_assessments"])
	assert.Equal(t, "GET /challenges", found["list_challenges"])
	for _, undecided := range []string{"get_assessment", "update_assessment", "resend_invitation", "invitation_email"} {
		assert.NotContains(t, found, undecided)
	}
	assert.Contains(t, got.stderr, fmt.Sprintf("dialect.json holds the %d names that were decided", len(found)))
	assert.Contains(t, got.stderr, "Undecided names, which the file does not have: ")
	assert.Contains(t, got.stderr, "UpdateAssessment")

	again := u.run("--dialect", "dialect.json", "doctor", "--write", "again.json")
	assert.Equal(t, exitFailed, again.code, "nothing contradicts, but names of writes were not decided")
	assert.Contains(t, again.stderr, "hiring: Commands may need names that are undecided: ")
	assert.Contains(t, again.stderr, "InvitationEmail")
	assert.Equal(t, exitFailed, u.run("--dialect", "dialect.json", "doctor").code)
}

// TestDoctorWritesForAKeyThatMayOnlyRead: a read-only key needs no names of writes.
func TestDoctorWritesForAKeyThatMayOnlyRead(t *testing.T) {
	t.Parallel()
	server := sandbox.New()
	server.Inject(sandbox.Fault{Route: "GET /openapi.json", Times: -1, Status: 404, Code: hiring.ErrNotFound})
	u := newUser(t, server, sandbox.ReadOnlyKey)
	got := u.run("doctor", "--write", "dialect.json")
	assert.Equal(t, exitOK, got.code, got.stderr)
	assert.NotContains(t, got.stderr, "Undecided")
}

// sandboxProgram runs cmd/hiring-sandbox with a dialect and returns its base URL.
func sandboxProgram(t *testing.T, dialect string) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "hiring-sandbox")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "github.com/hiring-assessment/hiring-go/cmd/hiring-sandbox")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	program := exec.CommandContext(t.Context(), binary, "-addr", "127.0.0.1:0", "-dialect", dialect)
	stdout, err := program.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, program.Start())
	t.Cleanup(func() {
		_ = program.Process.Kill()
		_ = program.Wait()
	})
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if base, found := strings.CutPrefix(strings.TrimSpace(lines.Text()), "HIRING_BASE_URL="); found {
			return base
		}
	}
	require.Fail(t, "the program printed no address")
	return ""
}
