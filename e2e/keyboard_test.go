package e2e

import (
	"context"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tabTo presses Tab until the focus is where an expression about it says so.
func (p *tab) tabTo(where string) {
	p.t.Helper()
	for range 120 {
		p.do(chromedp.KeyEvent(kb.Tab))
		if evaluate[bool](p, "(e => "+where+")(document.activeElement)") {
			assert.NotEqual(p.t, "none", evaluate[string](p, "getComputedStyle(document.activeElement).outlineStyle"), "the focus is seen: %s", where)
			return
		}
	}
	require.Fail(p.t, "nothing like that has the focus", where)
}

// enter follows a link, or sends a form.
func (p *tab) enter() {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	_, err := chromedp.RunResponse(ctx, chromedp.KeyEvent(kb.Enter))
	require.NoError(p.t, err)
}

// TestWithTheKeyboardAlone invites a candidate and opens the invitation.
func TestWithTheKeyboardAlone(t *testing.T) {
	p := open(t)
	p.visit("")
	p.do(chromedp.KeyEvent(kb.Tab))
	assert.Equal(t, "Skip to the content", evaluate[string](p, "document.activeElement.innerText"), "first of all")
	p.tabTo(`e.innerText === "Pipeline"`)
	p.enter()
	p.tabTo(`e.name === "name"`)
	p.do(chromedp.KeyEvent("Backend"))
	p.enter()
	p.tabTo(`e.name === "name" && e.form.action.endsWith("/invitations")`)
	p.do(chromedp.KeyEvent("Grace Hopper"), chromedp.KeyEvent(kb.Tab), chromedp.KeyEvent("grace@candidates.test"))
	p.enter()
	p.tabTo(`e.innerText.startsWith("Open")`)
	p.enter()
	p.appears("#stage-opened + .cards", "Grace Hopper")
	p.tabTo(`e.classList.contains("who")`)
	p.enter()
	assert.Equal(t, "Grace Hopper", p.text("h1"))
	journal := p.server.Journal()
	assert.Empty(t, journal, "nothing of it was a request to the API: %v", journal)
}
