package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// copied opens a request and returns its copy as curl.
func (p *tab) copied(number int) string {
	p.t.Helper()
	p.visit(fmt.Sprintf("?request=%d", number))
	p.appears(".pane .meta", fmt.Sprintf("#%d", number))
	evaluate[string](p, `navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }, ""`)
	p.press("#copy-curl")
	p.becomes("!!window.copied")
	return evaluate[string](p, "window.copied")
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

// TestCopy puts the command on the clipboard, unless the body is too long. A key that the sandbox accepts is in it.
func TestCopy(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.request(1)
	p.send("GET", "/api/v1/account", "sk_live_a_real_key", "")
	assert.Contains(t, p.copied(1), "Bearer "+sandbox.TestKey)
	assert.Contains(t, p.copied(2), "HIRING_API_KEY", "a key that the sandbox does not know is not shown")
	p.send("POST", "/api/v1/assessments", sandbox.TestKey, strings.Repeat("<", 500<<10))
	p.visit("?request=3")
	p.press("#copy-curl")
	p.appears(".said", "The body is too long for a command")
	p.appears(".pane", "more bytes") // It is shown in part.
	assert.Less(t, evaluate[int](p, "document.body.innerText.length"), 300<<10)
	p.visit("?request=1")
	evaluate[string](p, `Object.defineProperty(navigator, "clipboard", { value: undefined, configurable: true }), ""`)
	p.press("#copy-curl")
	p.appears(".said", "The browser does not let the page copy. Copy this text:")
	p.becomes("document.activeElement.id === 'to-copy' && getSelection().toString().startsWith('curl -g')") // Selected.
	p.do(chromedp.KeyEvent(kb.Escape))
	p.becomes("document.activeElement.id === 'copy-curl' && !document.querySelector('.said')")
	p.press("#copy-link")
	p.becomes("document.querySelector('#to-copy')?.value === location.href && location.search.includes('request=1')")
}

// TestCopiesSendTheSameRequest for any body, and do nothing else: curl does not interpret a
// body as a file, a query as a range or a path as relative.
func TestCopiesSendTheSameRequest(t *testing.T) {
	t.Parallel()
	p := open(t)
	const path, query = "/api/v1/a/../b", "x=[1-3]&y={a,b}"
	for i, body := range []string{"@/etc/hostname", "{\"name\":\"It's <b>&\\n$HOME `touch x` \\\\ \\\"q\\\" é \U0001F600\"}"} {
		number := 2*i + 1
		p.send("POST", path+"?"+query, sandbox.TestKey, body)
		p.shell("bash", "-c", p.copied(number))
		journal := p.server.Journal()
		require.Len(t, journal, number+1)
		for _, e := range journal[number-1:] {
			assert.Equal(t, []string{"POST", path, query, body}, []string{e.Method, e.Path, e.Query, string(e.Body)})
			assert.Equal(t, []string{"application/json"}, e.Header["Content-Type"])
			assert.Equal(t, 404, e.Status, "with the key")
		}
	}
}
