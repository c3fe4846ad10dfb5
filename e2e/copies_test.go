package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// copied opens a request and returns its copy in a language.
func (p *tab) copied(number int, language string) string {
	p.t.Helper()
	p.visit(fmt.Sprintf("?request=%d", number))
	p.becomes(fmt.Sprintf("[...document.querySelectorAll('.pane .meta span')].some(e => e.innerText === '#%d') && !!document.querySelector('.tabs')", number))
	evaluate[string](p, "[...document.querySelectorAll('.tabs button')].find(b => b.innerText === "+quote(language)+").click(), ''")
	p.becomes("[...document.querySelectorAll('.tabs [aria-pressed=true]')].some(b => b.innerText === " + quote(language) + ")")
	return evaluate[string](p, "document.getElementById('copied').textContent")
}

func (p *tab) shell(command, key string) string {
	p.t.Helper()
	run := exec.CommandContext(p.t.Context(), "bash", "-c", command)
	run.Env = append(os.Environ(), "HIRING_API_KEY="+key, "NO_PROXY=127.0.0.1")
	run.Dir = p.t.TempDir()
	out, err := run.CombinedOutput()
	require.NoError(p.t, err, "%s", out)
	left, err := os.ReadDir(run.Dir)
	require.NoError(p.t, err)
	assert.Empty(p.t, left, "the command does nothing else")
	return string(out)
}

// TestCopy puts the command on the clipboard.
func TestCopy(t *testing.T) {
	p := open(t)
	p.request(1)
	for language, want := range map[string]string{"curl": "/api/v1/account", "Go": "client.Account.Get(ctx)", "HTTP": "GET /api/v1/account HTTP/1.1", "JavaScript": "await fetch("} {
		text := p.copied(1, language)
		assert.Contains(t, text, want)
		assert.NotContains(t, text, sandbox.TestKey)
		evaluate[string](p, `navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }, ""`)
		p.press(".tabs .copy")
		p.becomes("document.querySelector('.tabs .copy').matches('[data-copied]')")
		assert.Equal(t, text, evaluate[string](p, "window.copied"))
	}
}

// TestCopiedCurlDoesItAgain checks that the command sends the same request for any body,
// and does nothing else.
func TestCopiedCurlDoesItAgain(t *testing.T) {
	p := open(t)
	name := "It's <b>&\n$HOME `touch x` \\ \"q\" é"
	_, err := p.client(sandbox.LiveKey).Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: "c0000000-0000-4000-8000-000000000001", Name: name})
	require.NoError(t, err)
	out := p.shell(p.copied(1, "curl"), sandbox.LiveKey)
	journal := p.server.Journal()
	require.Len(t, journal, 2)
	assert.Equal(t, 201, journal[1].Status, "%s", out)
	assert.Equal(t, journal[0].Body, journal[1].Body)
	assert.Len(t, journal.Repeated(), 1)
}

// TestCopiedCurlQuotesEverything checks that curl does not interpret a body as a file,
// a query as a range or a path as relative.
func TestCopiedCurlQuotesEverything(t *testing.T) {
	p := open(t)
	p.send("POST", "/api/v1/a/../b?x=[1-3]&y={a,b}", sandbox.TestKey, "@/etc/hostname")
	p.shell(p.copied(1, "curl"), sandbox.TestKey)
	journal := p.server.Journal()
	require.Len(t, journal, 2)
	for _, e := range journal {
		assert.Equal(t, []string{"/api/v1/a/../b", "x=[1-3]&y={a,b}", "@/etc/hostname"}, []string{e.Path, e.Query, string(e.Body)})
	}
}

// TestLongBodiesAreNotCopied, and shown in part.
func TestLongBodiesAreNotCopied(t *testing.T) {
	p := open(t)
	p.send("POST", "/api/v1/assessments", sandbox.TestKey, strings.Repeat("<", 500<<10))
	p.visit("?request=1")
	p.appears(".pane", "The body is too long to be copied.")
	p.appears(".pane", "more bytes")
	assert.Less(t, evaluate[int](p, "document.body.innerText.length"), 300<<10)
}

// TestCopiedGoIsGo compiles all copies in one program and runs the first.
func TestCopiedGoIsGo(t *testing.T) {
	p := open(t)
	programs := []string(nil)
	for i, call := range []string{
		"GET /account", "GET /members", "GET /challenges", "GET /challenges/c0000000-0000-4000-8000-000000000001", "GET /assessments?page_size=5&q=%22",
		"GET /assessments", "GET /assessments/" + sandbox.AssessmentID, "GET /assessments/" + sandbox.AssessmentID + "/invitations", "GET /submissions",
		"GET /submissions/" + sandbox.SubmissionID, "GET /submissions/" + sandbox.SubmissionID + "/report", "GET /submissions/a%22%60%0Ab/events",
		"POST /assessments", "DELETE /assessments/" + sandbox.AssessmentID, "PATCH /assessments/" + sandbox.AssessmentID,
		"POST /assessments/" + sandbox.AssessmentID + "/invitations",
	} {
		method, path, _ := strings.Cut(call, " ")
		body := "{\"name\": \"a`b\\\"\\u2028\U0001F600\\n\"}"
		if strings.HasPrefix(call, "POST") && strings.HasSuffix(call, "/invitations") {
			body = `{"candidate_email": "ada@candidates.test", "candidate_name": "Ada \"é\""}`
		}
		if method == http.MethodGet {
			body = ""
		}
		p.send(method, "/api/v1"+path, sandbox.TestKey, body)
		program := p.copied(i+1, "Go")
		assert.Equal(t, strings.HasSuffix(path, "/invitations") && method == "POST", strings.Contains(program, "client.Invitations.Send("), call)
		programs = append(programs, strings.Replace(program, "func main() {", fmt.Sprintf("func main%d() {", i), 1))
	}
	name := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(name, []byte(together(programs)), 0o600))
	formatted, err := exec.CommandContext(t.Context(), "gofmt", "-l", name).CombinedOutput()
	require.NoError(t, err)
	assert.Empty(t, string(formatted), "it is formatted: %s", together(programs))
	run := exec.CommandContext(t.Context(), "go", "run", name)
	run.Env = append(os.Environ(), "HIRING_API_KEY="+sandbox.TestKey)
	out, err := run.CombinedOutput()
	require.NoError(t, err, "%s\n%s", out, together(programs))
	assert.Contains(t, string(out), "Sandbox Hiring Ltd")
}

// together combines programs that differ only in their functions.
func together(programs []string) string {
	imports, text := make(map[string]bool), ""
	for _, program := range programs {
		head, function, _ := strings.Cut(program, "\nfunc ")
		for line := range strings.Lines(head) {
			if strings.Contains(line, `"`) {
				imports[line] = true
			}
		}
		text += "\nfunc " + function
	}
	own := "\thiring \"github.com/hiring-assessment/hiring-go\"\n"
	delete(imports, own)
	return "package main\n\nimport (\n" + strings.Join(slices.Sorted(maps.Keys(imports)), "") + "\n" + own + ")\n" + text + "\nfunc main() { main0() }\n"
}
