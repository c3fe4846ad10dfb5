package e2e

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestNamesAreShownAndNothingElse: nothing in them runs, and nothing makes the
// page wider than the window.
func TestNamesAreShownAndNothingElse(t *testing.T) {
	names := []string{
		`<script>document.title="taken"</script>`, `"><img src=x onerror='document.title="taken"'>`, "\u202eevil\u202c", "نور الهدى", "a\r\n\r\ndata: b",
		strings.Repeat("W", 10<<10),
	}
	p := open(t)
	posting := p.server.AddAssessment(names[0])
	p.server.AddKey(sandbox.Key{Token: "sk_live_x", Organization: names[1]})
	harmless := func(path string) {
		p.visit(path)
		assert.NotEqual(t, "taken", evaluate[string](p, "document.title"), path)
		assert.Zero(t, evaluate[int](p, `document.querySelectorAll("main script, main img").length`), path)
		assert.LessOrEqual(t, evaluate[int](p, "document.documentElement.scrollWidth - innerWidth"), 0, path)
	}
	for _, name := range names {
		id, err := p.server.Invite(posting, "ada@candidates.test", name)
		require.NoError(t, err)
		submission, err := p.server.Begin(id)
		require.NoError(t, err)
		require.NoError(t, p.server.Evaluate(submission, sandbox.Result{ShipScore: 50, Summary: name, Verdict: name}))
		harmless("console/candidates/" + id)
		if strings.HasPrefix(name, "<") {
			p.visit("console/candidates/" + id)
			assert.Equal(t, name, evaluate[string](p, `document.querySelector("h1 bdi").textContent`))
		}
	}
	for _, path := range []string{"console/pipeline", "console/pipeline?stage=evaluated", "console/trouble?by=31d", ""} {
		harmless(path)
	}
}
