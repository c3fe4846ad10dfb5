package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

const pipelinePath = "console/pipeline"

// TestAWholeHireByClicks goes from an empty pipeline to a report, which the client then
// reads.
func TestAWholeHireByClicks(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.visit(pipelinePath)
	p.appears(".guide", "No candidates yet")
	p.press("[popovertarget=adding]")
	for name, text := range map[string]string{"assessment": "Backend engineer", "email": "ada@candidates.test", "ship_score": "400"} {
		p.fill("#result-"+name, text)
	}
	p.press("#result > button:not(.clear)")
	p.appears("#adding:popover-open #result-ship_score-error", "from 0 to 100") // The empty view comes back.
	p.do(chromedp.KeyEvent(kb.Escape))
	p.becomes("!document.querySelector(':popover-open')")
	p.fill("#invite-assessment", "Backend engineer")
	p.fill("#invite-name", "Ada Lovelace")
	p.fill("#invite-email", "ada@candidates.test")
	p.press("#invite > button:not(.clear)")
	for _, step := range []string{"Mark opened", "Start", "Submit", "Evaluate"} {
		p.appears(".card button", step)
		p.press(".card button")
	}
	p.becomes(`document.activeElement.id === "evaluate-ship_score"`)
	p.do(chromedp.KeyEvent("88"))
	spread := `(all => Math.max(...all) - Math.min(...all))([...document.querySelectorAll("#evaluate .short input")].map(e => e.getBoundingClientRect().top))`
	assert.Less(t, evaluate[float64](p, spread), 8.0, "in one row")
	assert.Equal(t, "auto", evaluate[string](p, "document.getElementById('evaluate-rigor').placeholder"))
	for name, score := range map[string]string{"correctness": "91", "craft": "87", "ai_fluency": "76"} {
		p.fill("#evaluate-"+name, score)
	}
	p.becomes("document.getElementById('evaluate-rigor').placeholder === 'no score'") // With another pillar given.
	p.press("#evaluate summary")
	p.press("#evaluate-low_confidence-craft")
	p.do(chromedp.SendKeys(chromedp.CSS("#evaluate-summary"), "Careful, and quick."))
	p.press("#evaluate > button:not(.clear)")
	for _, shown := range []string{"Careful, and quick.", "88", "AI Fluency above most candidates", "no score: not enough data", "87\nlow confidence"} {
		p.appears(".report", shown)
	}
	p.becomes("document.activeElement.matches('.pane')") // The button that had the focus is gone.
	p.becomes("document.querySelector('.card').getBoundingClientRect().right <= document.querySelector('.board').getBoundingClientRect().right")
	for _, step := range []string{"sent", "opened", "started", "submitted", "evaluated"} { // As the columns.
		p.appears(".timeline", step)
	}
	p.appears(".card .score", "88")

	all, err := p.client(sandbox.LiveKey).Submissions.List(hiring.SubmissionFilter{}).Collect(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1)
	report := all[0].Report
	assert.Equal(t, 88, *report.ShipScore)
	craft, _ := report.Pillar(hiring.PillarCraft)
	assert.True(t, craft.LowConfidence)
	assert.Equal(t, 87, *craft.Score)
	rigor, _ := report.Pillar(hiring.PillarRigor)
	assert.Nil(t, rigor.Score, "an empty pillar is null")
}

// tabTo presses Tab until the focus is where an expression about it says so.
func (p *tab) tabTo(where string) {
	p.t.Helper()
	for range 40 {
		p.do(chromedp.KeyEvent(kb.Tab))
		if evaluate[bool](p, "(e => "+where+")(document.activeElement)") {
			assert.NotEqual(p.t, "none", evaluate[string](p, "getComputedStyle(document.activeElement).outlineStyle"), "the focus is visible: %s", where)
			return
		}
	}
	require.Fail(p.t, "nothing like that has the focus", where)
}

// TestWithTheKeyboardAlone takes a candidate to a score of 82. The focus stays with the
// candidate.
func TestWithTheKeyboardAlone(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.visit("")
	p.appears(".guide", "No requests yet")
	p.do(chromedp.KeyEvent(kb.Tab))
	assert.Equal(t, "Skip to the content", evaluate[string](p, "document.activeElement.innerText"), "first of all")
	p.do(chromedp.KeyEvent("i")) // From the journal.
	p.becomes(`document.activeElement.matches(".guide #invite-assessment")`)
	p.do(chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent("1"))
	p.appears(".guide", "No requests yet")
	p.do(chromedp.KeyEvent("2"))
	p.appears(".guide", "No candidates yet")
	p.tabTo(`e.id === "invite-assessment"`)
	for _, text := range []string{"Backend", kb.Tab, "Grace Hopper", kb.Tab, "grace@candidates.test", kb.Enter} {
		p.do(chromedp.KeyEvent(text))
	}
	p.appears(".card button", "Mark opened")
	p.tabTo(`e.innerText === "Mark opened"`)
	for _, next := range []string{"Start", "Submit", "Evaluate…"} {
		p.do(chromedp.KeyEvent(kb.Enter))
		p.becomes("document.activeElement.innerText === " + quote(next))
	}
	p.do(chromedp.KeyEvent(kb.Enter))
	p.becomes(`document.activeElement.id === "evaluate-ship_score"`)
	p.do(chromedp.KeyEvent("82"), chromedp.KeyEvent(kb.Enter))
	p.appears(".said", "Grace Hopper evaluated: 82, strong yes")
	p.do(chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent(kb.Escape))
	p.becomes("!document.querySelector('.pane')")
	assessment, err := p.client(sandbox.LiveKey).Assessments.List().Collect(t.Context())
	require.NoError(t, err)
	for _, name := range []string{"Ada", "Bea"} {
		_, err := p.server.Invite(assessment[0].ID, name+"@candidates.test", name)
		require.NoError(t, err)
	}
	p.appears(".filters", "2 changes")
	p.do(chromedp.KeyEvent("n"))
	p.appears(".column:first-child .card", "Bea")
	const focused = "(document.activeElement.title || document.activeElement.className)"
	for _, press := range [][2]string{
		{"h", "Bea"}, {"j", "Ada"}, {kb.ArrowUp, "Bea"}, {"l", "Grace Hopper"}, {kb.ArrowLeft, "Bea"}, {"l", "Grace Hopper"},
		{kb.Enter, "pane candidate"}, {kb.Escape, "Grace Hopper"},
	} {
		p.do(chromedp.KeyEvent(press[0]))
		p.becomes(focused + " === " + quote(press[1]))
	}
	p.do(chromedp.KeyEvent("3"))
	p.appears("h1", "Mails")
	for _, name := range []string{"Édith Clarke", "Edith Clarke"} {
		p.do(chromedp.KeyEvent("a"))
		p.becomes(`document.activeElement.matches(":popover-open #result-name")`)
		p.do(chromedp.KeyEvent(name))
		p.becomes(`document.getElementById("result-email").placeholder === "auto: edith.clarke@candidates.test"`)
		p.do(chromedp.KeyEvent(kb.Enter))
		p.appears(".said", name+" evaluated")
		p.becomes("!document.querySelector(':popover-open')")
	}
	p.appears(".column:last-child", "edith.clarke-2@candidates.test") // The first address was taken.
	assert.Len(t, p.server.Journal(), 1, "the request of this test; the page sends none to the API")
}

// TestTheFocusStays near a button that goes away when a key presses it.
func TestTheFocusStays(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.request(1)
	assessment, invitation := p.server.AddAssessment("Backend engineer"), ""
	for _, name := range []string{"Ada", "Bea"} {
		i, err := p.server.Invite(assessment, name+"@candidates.test", name)
		require.NoError(t, err)
		invitation = i
		p.server.Inject(sandbox.Fault{Status: 500, Candidate: name + "@candidates.test"})
	}
	p.server.Inject(sandbox.Fault{Status: 500})
	path := ""
	for _, press := range []struct{ path, button, next string }{
		{"?q=-is:failed", "#clear-search", `e.name === "q"`},
		{"console/faults", "[aria-label^='Remove: 500 for every request about Ada']", `e.id === "undo"`},
		{"console/faults", "#remove-all", `e.id === "undo"`},
		{"console/keys", "[aria-label='Revoke " + sandbox.LiveKey + "']", `e.id === "undo"`}, // A second Enter revokes no other key.
		{"console/mails?mail=" + invitation, ".pane .line button:not(.copy)", `e.matches(".pane")`},
	} {
		if path != press.path {
			path = press.path
			p.visit(path)
		}
		p.do(chromedp.WaitVisible(chromedp.CSS(press.button)))
		p.tabTo(`e.matches(` + quote(press.button) + `)`)
		evaluate[string](p, "met = '', addEventListener('focusin', e => met += e.target.className), ''")
		p.do(chromedp.KeyEvent(kb.Enter))
		p.becomes(`!document.querySelector(` + quote(press.button) + `) && (e => ` + press.next + `)(document.activeElement)`)
		assert.NotContains(t, evaluate[string](p, "met"), "danger", press.button)
	}
	p.appears(".said", "opened")
	p.do(chromedp.KeyEvent("5"))
	p.becomes(`!!document.querySelector(".keys")`)
	p.appears("#undo", "Undo") // Also in another view.
}

// candidate invites Ada and opens the pipeline with her.
func (p *tab) candidate() (assessmentID, invitationID string) {
	p.t.Helper()
	assessmentID = p.server.AddAssessment("Backend engineer")
	invitationID, err := p.server.Invite(assessmentID, "ada@candidates.test", "Ada")
	require.NoError(p.t, err)
	p.visit(pipelinePath + "?candidate=" + invitationID)
	p.do(chromedp.WaitVisible(chromedp.CSS(".pane")))
	return assessmentID, invitationID
}

// TestARefusedFormKeepsWhatWasTyped and says why beside the field.
func TestARefusedFormKeepsWhatWasTyped(t *testing.T) {
	t.Parallel()
	p := open(t)
	_, invitationID := p.candidate()
	submission, err := p.server.Begin(invitationID)
	require.NoError(t, err)
	require.NoError(t, p.server.Submit(submission))
	p.do(chromedp.WaitVisible(chromedp.ID("evaluate")))
	refused := func(form, field string, values map[string]string, says string) {
		evaluate[string](p, "(f => { for (const d of f.querySelectorAll('details')) d.open = true; return '' })(document.getElementById("+quote(form)+"))")
		for id, value := range values {
			evaluate[string](p, fmt.Sprintf("(e => { e.value = %q; e.dispatchEvent(new Event('input')); return '' })(document.getElementById(%q))", value, form+"-"+id))
		}
		evaluate[string](p, "document.getElementById("+quote(form)+").closest('[popover]:not(:popover-open)')?.showPopover(), ''")
		p.press("#" + form + " > button:not(.clear)")
		p.appears("#"+form+"-"+field+"-error", says)
		assert.Equal(t, "true", evaluate[string](p, fmt.Sprintf("document.getElementById(%q).getAttribute('aria-invalid')", form+"-"+field)))
		assert.Equal(t, form+"-"+field, evaluate[string](p, "document.activeElement.id"))
		for id, value := range values {
			assert.Equal(t, value, evaluate[string](p, fmt.Sprintf("document.getElementById(%q).value", form+"-"+id)), "kept")
		}
		isOpen := evaluate[bool](p, "!!document.querySelector('#"+form+" > .further[open]')")
		p.fill("#"+form+"-"+field, "1")
		p.becomes("!document.querySelector('#" + form + " [aria-invalid]')") // No longer wrong.
		assert.Equal(t, isOpen, evaluate[bool](p, "!!document.querySelector('#"+form+" > .further[open]')"), "the section of the field stays open")
	}
	refused("evaluate", "ship_score", map[string]string{"ship_score": "500", "summary": "A long text"}, "0 to 100")
	refused("invite", "email", map[string]string{"name": "Bea", "email": "nowhere"}, "email")
	refused("invite", "assessment", map[string]string{"assessment": " "}, "Must not be empty")
	p.fill("#invite-assessment", " ")
	p.fill("#invite-name", " ")
	p.press("#invite > button:not(.clear)")
	p.becomes(`document.activeElement.id === "invite-assessment"`)
	p.fill("#invite-assessment", "Backend engineer")
	p.fill("#invite-email", "")
	p.press("#invite > button:not(.clear)")
	p.becomes(`[...document.querySelectorAll("#invite .error")].map(e => e.id).join() === "invite-name-error"`)
	p.press("#invite > .clear")
	p.becomes(`document.activeElement.id === "invite-assessment" && !document.querySelector("#invite .error, #invite .clear:enabled")`)
	p.fill("#invite-assessment", "Backend engine")
	p.appears("#invite .field", "New assessment")
	p.fill("#invite-assessment", "Backend engineer")
	p.becomes(`/^Assessment/.test(document.querySelector("#invite .field").innerText)`)
	p.fill("#invite-name", "Łucja Ørsted Weiß")
	p.becomes(`document.getElementById("invite-email").placeholder === "auto: lucja.orsted.weiss@candidates.test"`)
	p.fill("#invite-name", "Bea Smith")
	p.press("#invite > button:not(.clear)")
	p.appears(".said", "Bea Smith invited")
	p.becomes("!document.querySelector(':popover-open')")
	assert.Equal(t, "bea.smith@candidates.test", p.server.Mails()[1].Email)
	p.visit("console/faults")
	p.do(chromedp.WaitVisible(chromedp.ID("inject")))
	refused("inject", "status", map[string]string{"status": "99", "delay": "3s"}, "599") // Of a section that is folded at first.
	assert.Len(t, p.server.Mails(), 2)
}

// TestDraftsSurvive a reload, another view and Esc, which gives the focus back.
func TestDraftsSurvive(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.candidate()
	p.press("[popovertarget=adding]")
	p.becomes(`document.activeElement.id === "result-name"`)
	p.do(chromedp.SendKeys(chromedp.ID("result-email"), "bea@candidates.test"), chromedp.KeyEvent(kb.Escape))
	p.becomes(`document.activeElement.matches("[popovertarget=adding]") && !document.querySelector(":popover-open") && !!document.querySelector(".pane")`)
	for _, path := range []string{"console/faults", pipelinePath} {
		p.visit(path)
		p.do(chromedp.Reload())
	}
	p.press("[popovertarget=adding]")
	for id, text := range map[string]string{"name": "Beatrix", "ship_score": "31", "verdict": "no", "integrity_status": "flagged"} {
		evaluate[string](p, fmt.Sprintf("(e => { e.value = %q; e.dispatchEvent(new Event(e.matches('select') ? 'change' : 'input')); return '' })(document.getElementById('result-%s'))", text, id))
	}
	assert.Equal(t, "bea@candidates.test", evaluate[string](p, `document.getElementById("result-email").value`))
	p.press("#result > button:not(.clear)")
	for _, shown := range []string{"Beatrix", "31", "no", "⚑"} {
		p.appears(".column:last-child .card", shown)
	}
	assert.NotContains(t, p.text(".column:last-child .card"), "late", "the page's clock may be slow")
	p.becomes(`!document.querySelector(":popover-open") && document.getElementById("result-email").value === ""`)
	p.visit("console/faults")
	p.choose("#inject-times", "3")
	p.press("#inject > button:not(.clear)")
	p.appears(".faults tr.waiting", "3 left")
	p.becomes(`document.getElementById("inject-times").value === "3"`) // The form keeps it for the next one.
}

// TestTheBoardIsLiveAndHoldsStill checks that an invitation over the API appears, and that it
// waits and no card moves while the pointer or the focus is on the board.
func TestTheBoardIsLiveAndHoldsStill(t *testing.T) {
	t.Parallel()
	p := open(t)
	assessment, _ := p.candidate()
	p.visit(pipelinePath)
	p.appears(".column:first-child .count", "1")
	invite := func(name string) {
		_, err := p.client(sandbox.LiveKey).Invitations.Send(t.Context(), assessment, hiring.NewInvitation{Email: name + "@candidates.test", Name: name})
		require.NoError(t, err)
	}
	invite("Bea")
	p.appears(".column:first-child .card", "Bea")
	tops := func() string {
		return evaluate[string](p, "JSON.stringify([...document.querySelectorAll('.card')].map(e => [e.dataset.keep, Math.round(e.getBoundingClientRect().top)]))")
	}
	for name, read := range map[string]func(){
		"pointer": func() { p.point(100, 200) }, "focus": func() { evaluate[string](p, "document.querySelector('.card a').focus(), ''") },
	} {
		read()
		before := tops()
		invite("during-" + name)
		p.appears(".filters", "1 change")
		assert.Equal(t, before, tops(), name)
		p.leave()
		p.appears(".column:first-child .card", "during-"+name)
	}
	assert.Equal(t, 1, evaluate[int](p, "new Set([...document.querySelectorAll('.card')].map(e => e.getBoundingClientRect().height)).size"), "cards of one height")
}

// TestACardIsDragged to a later stage, and not back.
func TestACardIsDragged(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.candidate()
	to := func(stage string) {
		p.do(chromedp.WaitVisible(chromedp.CSS(".card")))
		evaluate[string](p, `(d => { const fire = (at, kind) => document.querySelector(at).dispatchEvent(new DragEvent(kind, { dataTransfer: d, bubbles: true, cancelable: true }));
			fire(".card", "dragstart"); fire("[aria-label=`+stage+`]", "dragover"); fire("[aria-label=`+stage+`]", "drop"); return "" })(new DataTransfer())`)
	}
	to("started")
	p.appears(".said", "Ada started")
	p.appears("[aria-label=started] .card", "Ada")
	to("opened")
	p.appears(".said", "Ada is started: undo takes steps back")
	to("evaluated")
	p.appears("[aria-label=evaluated] .score", "")
}

// TestAColumnShowsTheNewestAndThenMore.
func TestAColumnShowsTheNewestAndThenMore(t *testing.T) {
	t.Parallel()
	p := open(t)
	assessment, other := p.server.AddAssessment("Backend"), p.server.AddAssessment("Frontend")
	for i := range 120 {
		_, err := p.server.Invite(assessment, fmt.Sprintf("a%d@candidates.test", i), fmt.Sprintf("Number %03d.", i))
		require.NoError(t, err)
	}
	_, err := p.server.Invite(other, "b@candidates.test", "Elsewhere")
	require.NoError(t, err)
	p.visit(pipelinePath + "?assessment=" + assessment)
	p.becomes("document.querySelectorAll('.card').length === 30")
	p.appears(".card", "Number 119.")
	p.press(".column > button")
	p.becomes("document.querySelectorAll('.card').length === 120")
	p.choose("#sort", "name")
	p.appears(".card", "Number 000.")
	assert.NotContains(t, p.text(".card"), "Backend", "the chosen assessment")
	p.visit(pipelinePath)
	p.appears(".card", "\nFrontend")
	p.do(chromedp.SendKeys(chromedp.CSS("input[type=search]"), "ELSEwhere"+kb.Enter))
	p.becomes("document.querySelectorAll('.card').length === 1 && document.activeElement.title === 'Elsewhere'")
}

func TestOrganizations(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.server.AddKey(sandbox.Key{Token: "sk_live_acme", Organization: "Acme & Sons"})
	ours := p.server.AddAssessment("Ours")
	p.visit(pipelinePath)
	p.appears(`[aria-label="Organization"]`, "Acme & Sons")
	assert.Equal(t, "Ours", evaluate[string](p, "document.getElementById('invite-assessment').value"), "the default organization has no name")
	acme := evaluate[string](p, `[...document.querySelector('[aria-label="Organization"]').options].find(o => o.text.includes("Acme")).value`)
	p.choose(`[aria-label="Organization"]`, acme)
	p.appears(".guide", "No candidates yet")
	p.fill("#invite-assessment", "Theirs")
	p.fill("#invite-name", "Ada Lovelace")
	p.fill("#invite-email", "ada@candidates.test")
	p.press("#invite > button:not(.clear)")
	p.becomes("document.querySelectorAll('.card').length === 1")
	all, err := p.client("sk_live_acme").Assessments.List().Collect(t.Context())
	require.NoError(t, err)
	assert.Len(t, all, 1)
	_, err = p.server.Invite(ours, "bea@candidates.test", "Bea")
	require.NoError(t, err)
	p.choose(`[aria-label="Organization"]`, "")
	p.appears(`.card:has([title="Ada Lovelace"]) .mail`, "Acme & Sons")
	p.becomes(`[...document.querySelectorAll("#assessment option")].some(o => o.text.endsWith(" · Acme & Sons"))`)
}

// TestATimelineIsShownAhead, and an expired candidate has no next step.
func TestATimelineIsShownAhead(t *testing.T) {
	t.Parallel()
	p := open(t, sandbox.WithTimeline(sandbox.Timeline{Open: time.Hour}))
	p.candidate()
	p.do(chromedp.WaitVisible(chromedp.ID("next")))
	p.appears(".timeline .later", "invitation expires")
	p.server.Advance(90 * time.Minute)
	p.appears(".timeline li:nth-child(2):not(.later)", "opened")
	p.server.Advance(31 * 24 * time.Hour)
	p.appears(".card.ended .mark", "expired")
	p.becomes("!document.getElementById('next')")
	p.appears(".timeline", "invitation expired")
	p.server.Inject(sandbox.Fault{Status: 500, Candidate: "ada@candidates.test"})
	p.press("#armed button") // Also without a next report.
	p.appears(".said", "The faults are removed")
}

// TestNamesAreShownAndNothingElse: nothing in them runs, and nothing makes the page wider
// than the window.
func TestNamesAreShownAndNothingElse(t *testing.T) {
	t.Parallel()
	names := []string{
		`<script>document.title="taken"</script>`, `"><img src=x onerror='document.title="taken"'>`, "\u202eevil\u202c", "نور الهدى", "a\r\n\r\ndata: b",
		"${alert(1)}", strings.Repeat("W", 10<<10),
	}
	p := open(t)
	assessment := p.server.AddAssessment(names[0])
	p.server.AddKey(sandbox.Key{Token: "sk_live_x", Organization: names[1]})
	harmless := func(path, shown string) {
		p.visit(path)
		p.do(chromedp.WaitReady(chromedp.CSS(shown)))
		assert.NotEqual(t, "taken", evaluate[string](p, "document.title"), path)
		assert.Zero(t, evaluate[int](p, `document.querySelectorAll("main script, main img, #header script").length`), path)
		assert.LessOrEqual(t, evaluate[int](p, "document.documentElement.scrollWidth - innerWidth"), 0, path)
		assert.Empty(t, evaluate[string](p, `innerWidth > 390 ? "" : [...document.querySelectorAll("main :is(a, button, summary, select, input, label:has(input))")].filter(e => e.checkVisibility() &&
			!["checkbox", "radio"].includes(e.type) && !e.closest(".row, .card, .action") && e.getBoundingClientRect().height < 24).map(e => e.outerHTML.slice(0, 160)).join("; ")`), "large enough for a finger: %s", path)
	}
	for _, name := range names {
		id, err := p.server.Invite(assessment, "ada@candidates.test", name)
		require.NoError(t, err)
		submission, err := p.server.Begin(id)
		require.NoError(t, err)
		require.NoError(t, p.server.Evaluate(submission, sandbox.Result{ShipScore: new(50), Summary: name}))
		harmless(pipelinePath+"?candidate="+id, ".pane .report")
		if strings.HasPrefix(name, "<") {
			assert.Equal(t, name, evaluate[string](p, `document.querySelector(".pane h2 bdi").textContent`))
		}
		p.send("POST", "/api/v1/assessments", sandbox.LiveKey, fmt.Sprintf(`{"name":%q}`, name))
	}
	for path, shown := range map[string]string{
		pipelinePath: ".card", "console/mails": ".mail-row", "console/faults": "#inject", "console/keys": ".keys td", "": ".row", "?request=1": ".pane .body", "?q=" + "%3Cscript": ".row",
	} {
		for _, width := range []int64{390, 1280} {
			p.do(chromedp.EmulateViewport(width, 844))
			harmless(path, shown)
		}
	}
}
