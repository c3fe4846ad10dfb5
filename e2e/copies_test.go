package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

func (p *tab) shell(command ...string) {
	p.t.Helper()
	run := exec.CommandContext(p.t.Context(), command[0], command[1:]...)
	run.Env = append(os.Environ(), "NO_PROXY=127.0.0.1")
	run.Dir = p.t.TempDir()
	out, err := run.CombinedOutput()
	require.NoError(p.t, err, "%s", out)
	left, err := os.ReadDir(run.Dir)
	require.NoError(p.t, err)
	assert.Empty(p.t, left, "the command does nothing else")
}

// TestCopy puts the command on the clipboard, also where the browser has none for pages of
// plain http. A key that the sandbox accepts is in it.
func TestCopy(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.request(1)
	p.send("GET", "/api/v1/account", "sk_live_a_real_key", "")
	for language, want := range map[string]string{"curl": "Bearer " + sandbox.TestKey, "Python": "import urllib.request"} {
		text := p.copied(1, language)
		assert.Contains(t, text, want)
		evaluate[string](p, `Object.defineProperty(navigator, "clipboard", { value: undefined, configurable: true }),
			document.execCommand = (name) => { window.copied = document.activeElement.value; return name === "copy" }, ""`)
		p.press(".tabs .copy")
		p.becomes("document.querySelector('.tabs .copy').matches('[data-copied]')")
		assert.Equal(t, text, evaluate[string](p, "window.copied"))
		assert.Contains(t, p.copied(2, language), "HIRING_API_KEY", "a key that the sandbox does not know is not shown")
	}
}

// TestCopiesSendTheSameRequest for any body, and do nothing else: curl does not interpret a
// body as a file, a query as a range or a path as relative.
func TestCopiesSendTheSameRequest(t *testing.T) {
	t.Parallel()
	p := open(t)
	const path, query = "/api/v1/a/../b", "x=[1-3]&y={a,b}"
	for i, body := range []string{"@/etc/hostname", "{\"name\":\"It's <b>&\\n$HOME `touch x` \\\\ \\\"q\\\" é \U0001F600\"}"} {
		number := 3*i + 1
		p.send("POST", path+"?"+query, sandbox.TestKey, body)
		p.shell("bash", "-c", p.copied(number, "curl"))
		p.shell("python3", "-c", p.copied(number, "Python"))
		journal := p.server.Journal()
		require.Len(t, journal, number+2)
		for _, e := range journal[number-1:] {
			assert.Equal(t, []string{"POST", path, query, body}, []string{e.Method, e.Path, e.Query, string(e.Body)})
			assert.Equal(t, []string{"application/json"}, e.Header["Content-Type"])
			assert.Equal(t, 404, e.Status, "with the key")
		}
	}
}

// TestLongBodiesAreNotCopied, and shown in part.
func TestLongBodiesAreNotCopied(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.send("POST", "/api/v1/assessments", sandbox.TestKey, strings.Repeat("<", 500<<10))
	p.visit("?request=1")
	p.appears(".pane", "The body is too long to be copied.")
	p.appears(".pane", "more bytes")
	assert.Less(t, evaluate[int](p, "document.body.innerText.length"), 300<<10)
}
