package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
	"github.com/hiring-assessment/hiring-go/sandbox/console"
)

// request sends requests that succeed. Consecutive requests differ, so that the list does not fold them.
func (p *tab) request(times int) {
	p.t.Helper()
	for range times {
		p.requests++
		p.send("GET", "/api/v1/account"+[]string{"?even", ""}[p.requests%2], sandbox.TestKey, "")
	}
}

// send sends a request that may fail, with a header for its key, while a browser shows the
// page.
func (p *tab) send(method, path, key, body string) {
	p.t.Helper()
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.base+path, strings.NewReader(body))
	require.NoError(p.t, err)
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if res, err := p.server.Transport().RoundTrip(r); err == nil {
		require.NoError(p.t, res.Body.Close())
	}
}

// row returns the selector of a row.
func row(number int) string { return `[data-keep="x` + strconv.Itoa(number) + `"]` }

// listed waits until the list has exactly these requests.
func (p *tab) listed(numbers ...int) {
	p.t.Helper()
	text := strings.ReplaceAll(fmt.Sprint(numbers), " ", ",")
	p.becomes(fmt.Sprintf("JSON.stringify([...document.querySelectorAll('#list .row .no')].map(e => Number(e.textContent))) === %q", text))
}

// isInView waits until an element is within the list's window.
func (p *tab) isInView(selector string) {
	p.t.Helper()
	p.becomes(`(l => (r => r && r.top >= l.top + 60 && r.bottom <= l.bottom + 1)(document.querySelector(` + quote(selector) +
		`)?.getBoundingClientRect()))(document.getElementById("list").getBoundingClientRect())`)
}

// TestRequestsAppearWhileAProgramWorks without a click.
func TestRequestsAppearWhileAProgramWorks(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.visit("")
	p.appears(".guide", "No requests yet")
	assert.Contains(t, p.text("#env"), "HIRING_BASE_URL="+p.base)
	client := p.client(sandbox.TestKey)
	for n := 1; n <= 2; n++ {
		_, err := client.Account.Get(t.Context())
		require.NoError(t, err)
		p.do(chromedp.WaitVisible(chromedp.CSS(row(n))))
	}
	for range 2 {
		_, err := client.Invitations.Send(t.Context(), sandbox.AssessmentID, hiring.NewInvitation{Email: "ada@candidates.test", Name: "Ada"})
		require.NoError(t, err)
	}
	p.appears(row(4), "ada@candidates.test")
	p.server.Advance(24 * time.Hour)
	const day = "Mon, 2 Jan 2006"
	then := p.server.Journal()[3].At.UTC()
	p.appears("#list .action:nth-child(2)", "Clock moved by 1 d")
	p.becomes("document.querySelector('#list .action > [title]').title.includes(" + quote(" to "+then.Add(24*time.Hour).Format(day)) + ")")
	p.appears("#list .day:nth-child(1)", then.Add(24*time.Hour).Format(day))
	p.appears("#list .day:nth-child(3)", then.Format(day)) // Below the move.
	p.appears(".axis", "4 requests, 0 failed")
	fetched := evaluate[int](p, "performance.getEntriesByType('resource').filter(e => /journal\\?limit=100/.test(e.name)).length")
	assert.LessOrEqual(t, fetched, 1, "the events carry the entries")
}

// TestNothingMovesWhileSomebodyReads checks the pointer, the focus, a scrolled list, selected
// text, an open pane and a touch screen.
func TestNothingMovesWhileSomebodyReads(t *testing.T) {
	t.Parallel()
	p := open(t)
	total := 60
	p.request(total)
	p.visit("")
	p.do(chromedp.WaitVisible(chromedp.CSS(row(60))))
	tops := func() string { // Of the rows in view. The list draws the others when it has been scrolled.
		return evaluate[string](p, "JSON.stringify([...document.querySelectorAll('#list .row')].map(e => [e.dataset.keep, Math.round(e.getBoundingClientRect().top)]).filter(([, top]) => top >= 0 && top < innerHeight))")
	}
	newest := func() { p.becomes(fmt.Sprintf("document.querySelector('#list .row').dataset.keep === 'x%d'", total)) }
	for name, read := range map[string]string{
		"pointer": "''", "focus": "document.querySelectorAll('#list .row')[5].focus(), ''", "scrolled": "list.scrollTop = 400, ''",
		"selection": "getSelection().selectAllChildren(document.querySelectorAll('#list .row')[3]), ''",
	} {
		if name == "pointer" {
			p.point(400, 300)
		}
		evaluate[string](p, read)
		before, selected := tops(), evaluate[string](p, "String(getSelection())")
		p.request(3)
		total += 3
		p.appears(".new", "3 new")
		assert.Equal(t, before, tops(), name)
		assert.Equal(t, selected, evaluate[string](p, "String(getSelection())"), name)
		evaluate[string](p, "getSelection().removeAllRanges(), list.scrollTop = 0, ''")
		p.leave()
		newest()
	}
	p.point(400, 300)
	pointed := evaluate[string](p, "document.elementFromPoint(400, 300).closest('.row').dataset.keep")
	p.request(2)
	total += 2
	p.appears(".new", "2 new")
	p.do(chromedp.MouseClickXY(400, 300))
	p.appears(".pane .meta", "#"+pointed[1:])
	p.leave()
	p.request(1)
	total++
	p.appears(".new", "3 new")
	p.isInView(`[data-keep="` + pointed + `"]`)
	p.press(".new")
	newest()
	assert.False(t, evaluate[bool](p, "!!document.querySelector('.new')"))
	for _, show := range []func(){func() { p.press(".new") }, func() {
		evaluate[string](p, "document.querySelector('.new').focus(), ''")
		p.do(chromedp.KeyEvent(kb.Enter))
	}} {
		p.do(chromedp.KeyEvent("j"))
		p.request(1)
		total++
		p.appears(".new", "1 new")
		show()
		p.becomes(fmt.Sprintf("document.activeElement.dataset.keep === 'x%d'", total))
	}
	p.leave()

	p.touch()
	p.visit("")
	p.do(chromedp.WaitVisible(chromedp.CSS(row(total))))
	before := tops()
	p.request(1)
	p.appears(".new", "1 new")
	assert.Equal(t, before, tops(), "touch")
}

// TestATouchScreen: a tap opens a row, presses a toggle, and opens, fills and sends a form.
func TestATouchScreen(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.server.AddAssessment("Backend engineer")
	p.request(2)
	p.touch()
	p.visit("")
	tap := func(selector string) {
		p.t.Helper()
		p.do(chromedp.Tap(chromedp.CSS(selector)))
	}
	tap(row(1))
	p.appears(".pane .meta", "#1")
	tap(".pane [aria-label='Close (Esc)']")
	tap("[popovertarget=help]")
	tap("#help > .close")
	p.becomes("!document.querySelector(':popover-open')")
	tap("[aria-keyshortcuts=e]")
	p.appears(".none", "No request matches.")
	tap("nav a[href$=pipeline]")
	tap("[popovertarget=inviting]")
	for field, text := range map[string]string{"name": "Ada", "email": "ada@candidates.test"} {
		tap("#invite-" + field)
		p.becomes("document.activeElement.id === " + quote("invite-"+field))
		p.do(chromedp.KeyEvent(text))
	}
	tap("#invite > button:not(.clear)")
	p.appears(".card", "ada@candidates.test")
	p.becomes("!document.querySelector(':popover-open')")
	for view, shown := range map[string]string{"console/keys": ".keys td button", "console/mails": ".mail-row"} {
		p.visit(view)
		p.do(chromedp.WaitVisible(chromedp.CSS(shown)))
		assert.Empty(t, evaluate[[]string](p, `(all => all.flatMap(([e, a], i) => [...(a.height < 32 ? [e.outerHTML] : []),
			...all.slice(0, i).filter(([, b]) => Math.max(a.left - b.right, b.left - a.right, a.top - b.bottom, b.top - a.bottom) < 7.5).map(([o]) => o.outerHTML + " is at " + e.outerHTML)]))(
			[...document.querySelectorAll("main :is(a, button, summary, input)")].filter(e => e.checkVisibility() && !e.closest("form, details > :not(summary)")).map(e => [e, e.getBoundingClientRect()]))`), "%s: a finger hits one target", view)
	}
}

// TestEqualReadsAreFolded checks that consecutive polls are one row with their number, whose button and arrow keys show and hide the others.
func TestEqualReadsAreFolded(t *testing.T) {
	t.Parallel()
	p := open(t)
	poll := func(times int) {
		for range times {
			p.send("GET", "/api/v1/submissions", sandbox.TestKey, "")
		}
	}
	poll(5)
	p.send("GET", "/api/v1/submissions", "sk_test_wrong", "") // 6
	p.send("GET", "/api/v1/submissions", "sk_test_wrong", "")
	p.send("GET", "/api/v1/submissions?n", "sk_test_wrong", "") // 8
	poll(2)
	p.visit("")
	p.listed(10, 9, 8, 7, 6, 5)
	poll(1)
	p.listed(11, 8, 7, 6, 5)
	p.becomes("[...document.querySelectorAll('.run')].map(e => e.innerText).join() === '×3,×5'")
	p.do(chromedp.KeyEvent("j"), chromedp.KeyEvent(kb.End))
	p.becomes("document.activeElement.dataset.keep === 'x5'")
	p.do(chromedp.KeyEvent(kb.ArrowRight))
	p.listed(11, 8, 7, 6, 5, 4, 3, 2, 1)
	p.becomes("[...document.querySelectorAll('.member .no')].map(e => e.innerText).join() === '4,3,2,1'")
	p.do(chromedp.KeyEvent("j"))
	p.becomes("document.activeElement.dataset.keep === 'x4'")
	p.do(chromedp.KeyEvent("k"), chromedp.KeyEvent("h"))
	p.listed(11, 8, 7, 6, 5)
	p.press("li:first-of-type > .run")
	p.listed(11, 10, 9, 8, 7, 6, 5)
	p.press("li:first-of-type > .run")
	p.listed(11, 8, 7, 6, 5)
	p.press(row(11))
	p.appears(".pane .meta", "#11")
	poll(1)
	p.becomes("document.querySelector('.new')?.innerText === '1 new'")
	p.do(chromedp.KeyEvent("n"))
	p.do(chromedp.WaitVisible(chromedp.CSS(row(12) + "[aria-current]"))) // The row that shows #11.
	p.do(chromedp.KeyEvent("j"))
	p.appears(".pane .meta", "#8")
	p.do(chromedp.KeyEvent(kb.Escape))
	p.visit("?q=-status:401")
	p.listed(12, 5) // Requests that the search hides are between the runs.
	p.visit("?request=2")
	p.do(chromedp.WaitVisible(chromedp.CSS(row(2) + "[aria-current]")))
	p.do(chromedp.KeyEvent(kb.Escape))
	p.becomes("document.activeElement.dataset.keep === 'x2'")
}

// TestTouchTargets: what a finger presses is 44 px high, with the area around small buttons, and no area covers another one.
func TestTouchTargets(t *testing.T) {
	t.Parallel()
	p, report, submitted := lived(t)
	p.touch()
	for view, shown := range map[string]string{"": "#list .row", "?request=12": ".pane .body", "console/pipeline": ".card", "console/pipeline?candidate=" + report: ".pane .report", "console/pipeline?candidate=" + submitted: "#evaluate", "console/keys": ".keys td button", "console/mails": ".mail-row", "console/faults": "#inject"} {
		p.visit(view)
		p.do(chromedp.WaitVisible(chromedp.CSS(shown)))
		assert.Empty(t, evaluate[[]string](p, `(all => all.flatMap(([e, a], i) => [...(a.bottom - a.top < 43 ? [e.outerHTML] : []),
			...all.slice(0, i).filter(([, b]) => Math.max(a.left - b.right, b.left - a.right, a.top - b.bottom, b.top - a.bottom) < -1).map(([o]) => o.outerHTML + " is at " + e.outerHTML)]))(
			[...document.querySelectorAll("#header :is(a, button, input), main :is(a, button, summary, select, label:has([type=checkbox], [type=radio]), input:not([type=checkbox], [type=radio]))")]
				.filter(e => e.checkVisibility() && !e.matches(".gone, .card a, .headline a, .note a, h4 a, .differences a, #list .action a, .row:has(+ .run)")).map(e => {
					const r = e.getBoundingClientRect(), before = getComputedStyle(e, "::before"), more = before.position === "absolute" ? Math.max(0, -parseFloat(before.top)) : 0;
					return [e, {left: r.left, right: r.right, top: r.top - more, bottom: r.bottom + more}]; }).filter(([e, r]) => r.bottom < innerHeight - 60 || e.closest("nav")))`), view)
	}
	p.visit("")
	p.do(chromedp.Tap(chromedp.CSS("#advance")))
	p.do(chromedp.Tap(chromedp.CSS("[aria-label='Advance the clock by 1 d']")))
	p.appears(".said", "The clock is at Sun, 15 Mar 2026")
}

// TestShortcuts move through the rows, into a request and back.
func TestShortcuts(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.request(60)
	p.visit("")
	p.do(chromedp.WaitVisible(chromedp.CSS(row(60))))
	const focused = "(e => e.dataset.keep ?? (e.matches('.pane') ? 'pane' : e.name))(document.activeElement)"
	press := func(key, becomes string) {
		t.Helper()
		p.do(chromedp.KeyEvent(key))
		p.becomes(focused + " === " + quote(becomes))
	}
	press(kb.End, "x1") // At once.
	press(kb.Home, "x60")
	press(kb.ArrowDown, "x59")
	press("k", "x60")
	press(kb.Enter, "pane")
	assert.Regexp(t, `^\?request=60&run=\w+$`, evaluate[string](p, "location.search"), "the number is in the URL")
	press("j", "pane")
	p.appears(".pane .meta", "#59")
	press(kb.Escape, "x59")
	p.becomes("!document.querySelector('.pane')")
	for _, far := range [][2]string{{kb.End, "x1"}, {kb.PageUp, "x16"}, {kb.Home, "x60"}, {kb.PageDown, "x45"}, {kb.PageDown, "x30"}} {
		press(far[0], far[1])
		p.becomes("(r => r.top > 80 && r.bottom < innerHeight)(document.activeElement.getBoundingClientRect())")
	}
	for n := 29; n >= 20; n-- {
		press("j", "x"+strconv.Itoa(n))
	}
	p.isInView(row(20))
	evaluate[string](p, `navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }, ""`)
	p.do(chromedp.KeyEvent("y"))
	p.appears(".said", "Request #20 is copied as curl")
	assert.Contains(t, evaluate[string](p, "window.copied"), "curl -g")
	p.do(chromedp.KeyEvent(kb.Tab))
	assert.NotEqual(t, "x19", evaluate[string](p, focused+" ?? ''"), "the list is one stop of Tab")
	evaluate[string](p, "window.before = document.activeElement, ''")
	p.do(chromedp.KeyEvent("?"))
	p.appears("#help", "next row, card or column")
	evaluate[string](p, `Promise.all([...document.querySelectorAll("#help .terms code")].map(e => fetch("/_sandbox/journal?limit=1&search=" + encodeURIComponent(e.innerText)).then(r => r.status))).then(all => { window.examples = all.join() }), ""`)
	p.becomes("/^(200,){14}200$/.test(window.examples)") // The server understands each example.
	p.do(chromedp.KeyEvent(kb.Escape))
	p.becomes("document.activeElement === window.before && window.before !== document.body")
	press("/", "q")
	p.do(chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent("2"))
	p.becomes("location.pathname === '/_sandbox/console/pipeline' && document.activeElement.id === 'main'")
	p.do(chromedp.KeyEvent("f")) // In any view.
	p.becomes("location.pathname === '/_sandbox/console/faults' && document.activeElement.value === '500 Internal error'")
	p.do(chromedp.KeyEvent("1"))
	p.press("[popovertarget=start-over]")
	p.becomes("document.activeElement.id === 'clear'")
	evaluate[string](p, "document.querySelector('nav a').focus(), ''") // As Tab after the last button.
	p.becomes("!document.querySelector(':popover-open') && document.activeElement.matches('nav a')")
}

// troubled is the page of a sandbox with requests that fail, repeat, are slow or met a
// fault.
func troubled(t *testing.T) *tab {
	t.Helper()
	p := open(t)
	p.request(1)                                                                          // 1
	p.send("POST", invitationsPath, sandbox.TestKey, invitation)                          // 2
	p.send("POST", invitationsPath, sandbox.TestKey, invitation)                          // 3
	p.server.Inject(sandbox.Fault{Reset: true, Route: "POST *"})                          //
	p.send("POST", invitationsPath, sandbox.TestKey, invitation)                          // 4
	p.send("GET", "/api/v1/members", "sk_test_never_added", "")                           // 5
	p.send("POST", "/api/v1/assessments", sandbox.TestKey, `{"name":"","team":"\u9673"}`) // 6
	p.server.Inject(sandbox.Fault{Delay: 3 * time.Second})
	p.send("GET", "/api/v1/challenges?page_size=5", sandbox.LiveKey, "") // 7
	p.send("GET", "/api/v1/submissions/"+sandbox.UnknownID, "", "")      // 8
	return p
}

const (
	invitationsPath = "/api/v1/assessments/" + sandbox.AssessmentID + "/invitations"
	invitation      = `{"candidate_email":"Ada@candidates.test","candidate_name":"Ada"}`
)

// TestFilters also checks that the text is found in responses, in any case, and that the list
// grows by what matches.
func TestFilters(t *testing.T) {
	t.Parallel()
	p := troubled(t)
	p.visit("")
	p.appears(row(4), "not done · connection reset")
	p.appears(row(5), "unknown key")
	p.becomes("/submissions\\/…0404[^]*no key/.test(document.querySelector('" + row(8) + "')?.innerText)")
	for query, want := range map[string][]int{
		"":                   {8, 7, 6, 5, 4, 3, 2, 1},
		"q=status:2xx":       {7, 3, 2, 1},
		"q=is:failed":        {8, 6, 5, 4},
		"q=method:GET":       {8, 7, 5, 1},
		"q=ADA%40candidates": {4, 3, 2},
		"q=%E9%99%B3":        {6}, // Escaped in the body.
		"q=%E2%80%A60404":    {8},
		"q=%22not+done%22":   {4},
		"q=status:reset":     {4},
		"q=status:":          {8, 7, 6, 5, 4, 3, 2, 1},
	} {
		p.visit("?" + query)
		p.listed(want...)
		p.appears(".axis", map[bool]string{true: "8 requests, 4 failed", false: strconv.Itoa(len(want)) + " of 8 requests"}[query == ""])
	}
	p.visit("?request=6&q=team+%E9%99%B3+%22name%22%3A") // Of the words, the row shows none.
	p.becomes("[...document.querySelectorAll('.pane [aria-label=Request] mark')].map(e => e.innerText).join() === 'name,team,陳'")
	p.visit("?q=ADA%40candidates+-team+method:POST+%E2%80%A60001+after:5m")
	p.listed(4, 3, 2)
	p.send("GET", "/api/v1/account", sandbox.TestKey, "")                // 9, which does not match
	p.send("POST", "/api/v1/assessments", sandbox.TestKey, `{"name":1}`) // 10
	p.visit("?q=method:POST")
	p.listed(10, 6, 4, 3, 2)
	p.send("POST", invitationsPath, sandbox.TestKey, invitation) // 11
	p.listed(11, 10, 6, 4, 3, 2)
	p.appears(row(2), "sent again: #3")
	p.appears(row(11), "again after #4: reset")
	p.visit("?q=status:503")
	p.appears("main > .gone[role=status]", "No request matches.")
	p.appears(".axis", "0 of 11 requests") // With the bars of all, and the head of the list.
	p.becomes("!!document.querySelector('.bar') && document.querySelector('#list .columns').innerText.includes('Request')")
	p.press(".none button")
	p.listed(11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)
	p.appears("[aria-keyshortcuts=e]", "Failed 5")
	p.becomes("[...document.querySelectorAll('.filters button[title]')].map(e => e.title).join() === 'Shortcut: e,Shortcut: w,Shortcut: g,What you did between the requests'")
	p.fill("input[name=q]", "method:POST")
	p.appears("[aria-keyshortcuts=e]", "Failed 3") // As many as it would show.
	p.fill("input[name=q]", "status:x")
	p.becomes("document.querySelector('[aria-keyshortcuts=e]').innerText === 'Failed'")
	p.fill("input[name=q]", "method:POST")
	p.becomes("[...document.querySelectorAll('.filters [aria-pressed]')].slice(0, 4).map(e => e.innerText).join() === 'Failed 3,Repeated 4,No response 1,Faults 1'")
	p.press(row(2))
	p.appears(".pane .meta", "#2")
	p.fill("input[name=q]", "-#2")
	p.appears(".pane .note", "The search hides it in the list.")
	p.press(".pane .note button")
	p.becomes("!/hides/.test(document.querySelector('.pane').innerText)")
	p.do(chromedp.KeyEvent(kb.Escape))
	p.fill("input[name=q]", "")
	p.listed(11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)
	p.press("[aria-keyshortcuts=e]")
	p.listed(10, 8, 6, 5, 4)
	p.do(chromedp.KeyEvent(kb.ArrowDown)) // To the list, as from the search.
	p.becomes("document.activeElement.dataset.keep === 'x10'")
	p.becomes("(all => all.length && all.every(e => e.getBBox().height === e.previousElementSibling.getBBox().height))([...document.querySelectorAll('.bar.failed')])") // All of it failed.
	p.do(chromedp.SendKeys(chromedp.CSS("input[type=search]"), `name":""`))
	p.listed(6)
	p.appears(".tools a", "Export")
	assert.Regexp(t, "search=is%3Afailed\\+name", evaluate[string](p, "document.querySelector('.tools a').search"), "the export has the filters")
	p.becomes(`document.title === "(5 failed) Journal · Hiring sandbox"`)
	p.do(chromedp.NavigateBack()) // To before Failed.
	p.listed(11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)
	for n := range 6 {
		p.server.SetQuota(sandbox.TestKey, sandbox.ClassRead, n)
	}
	p.server.SetArchives(true) // Of another kind.
	p.server.Inject(sandbox.Fault{Status: 500})
	p.server.Inject(sandbox.Fault{Status: 500})
	p.server.ClearFaults()
	p.visit("?q=after:1h") // With the actions of the time.
	p.appears("#list .action", "10 actions, the last: Faults removed 2")
	p.becomes("document.querySelectorAll('#list .action').length === 3")
	p.press("#list .action button")
	p.becomes("document.querySelectorAll('#list .action').length === 13 && document.activeElement.innerText === 'Hide'")
	p.press("#alone")
	p.do(chromedp.Reload()) // It is remembered.
	p.becomes("!document.querySelector('#list .action') && document.querySelectorAll('#list .row').length === 11")
	p.server.ClearJournal()
	p.request(1)
	p.visit("?q=status:503")
	p.appears(".none", "No request matches among the newest 1, since ")
}

// TestALongJournalIsWindowed: few rows are in the document, older ones follow when the list is
// scrolled, and a link to one shows it.
func TestALongJournalIsWindowed(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 14, 23, 59, 0, 0, time.UTC)
	p := open(t, sandbox.WithClock(func() time.Time { return now }), sandbox.WithQuota(1<<20, 1<<20))
	for i := range 2000 {
		p.send("GET", fmt.Sprintf("/api/v1/nothing?n=%d", i), sandbox.TestKey, "")
	}
	now = now.Add(48 * time.Hour)
	p.request(1000)
	p.visit("")
	p.do(chromedp.WaitVisible(chromedp.CSS(row(3000))))
	assert.False(t, evaluate[bool](p, "!!document.querySelector('#list .day')"), "no row for the only day")
	p.becomes("(li => li.ariaPosInSet + li.ariaSetSize)(document.querySelector(" + quote(row(3000)) + ").parentElement) === '1-1'") // Older ones follow.
	const rows = "[...document.querySelectorAll('#list .row')]"
	assert.Less(t, evaluate[int](p, rows+".length"), 120)
	evaluate[string](p, "(f => f(f))(f => { const l = document.getElementById('list'); l.scrollTop = 1e7; if (l.scrollHeight < 3000 * 30) setTimeout(f, 100, f) }), ''")
	p.do(chromedp.WaitVisible(chromedp.CSS(row(1))))
	assert.Equal(t, "Sat, 14 Mar 2026", p.text("#list .day"), "of the first row in the window")
	assert.Less(t, evaluate[int](p, rows+".length"), 120)
	assert.Equal(t, 1, evaluate[int](p, "new Set("+rows+".map(e => e.getBoundingClientRect().height)).size"), "of one height")
	p.appears(".axis", "3,000 requests, 2,000 failed")
	p.appears(".jump", "idle 2 d")
	p.fill("input[name=q]", "method:GET")
	p.becomes("document.getElementById('list').scrollTop === 0 && !!document.querySelector(" + quote(row(3000)) + ")") // A search begins at the top.
	p.visit("?request=77")
	p.appears(".pane .meta", "#77")
	p.isInView(row(77))
	for _, pressed := range []string{"true", "false"} { // The list is read again.
		p.press("#alone")
		p.becomes("document.getElementById('alone').ariaPressed === " + quote(pressed) + " && !!document.querySelector(" + quote(row(77)) + ") && !/hides/.test(document.querySelector('.pane').innerText)")
	}
	_, err := chromedp.Call(p.ctx, page.SetFontSizes, page.SetFontSizesParams{FontSizes: &page.FontSizes{Standard: 20}})
	require.NoError(t, err)
	p.becomes("(li => li.offsetHeight > 36 && li.ariaPosInSet > 9 && Math.abs(li.getBoundingClientRect().height * (li.ariaPosInSet - 1) - list.querySelector('.space').offsetHeight) < 2)(list.querySelector('li'))") // Measured again.
	_, err = chromedp.Call(p.ctx, page.SetFontSizes, page.SetFontSizesParams{FontSizes: &page.FontSizes{Standard: 16}})
	require.NoError(t, err)
	assert.True(t, evaluate[bool](p, rows+".every(e => (n => n.scrollWidth <= n.clientWidth)(e.querySelector('.no')))"), "no number is cut")
	p.dress(appearance{width: 390, height: 800})
	p.visit("?request=77")
	p.becomes("!!document.querySelector('.pane .meta') && performance.getEntriesByType('resource').some(e => e.name.includes('after=57'))") // The list has the row, which the pane covers.
	p.do(chromedp.KeyEvent(kb.Escape))
	p.isInView(row(77))
	assert.Equal(t, []any{48.0}, evaluate[[]any](p, "[...new Set([...document.querySelectorAll('#list ol > li')].map(e => e.offsetHeight))]"), "two lines each")
	p.visit("?request=3000&with=3")
	p.appears(".differences", "NOT_FOUND") // Kept, because it failed.
	p.request(1)
	p.visit("?request=3001&with=2001")
	p.appears(".pane", "that of #2001 is no longer kept")
	p.visit("?request=9999")
	p.appears(".pane", "Request #9999 does not exist: the newest is #3001.")
	p.do(chromedp.KeyEvent("y"), chromedp.KeyEvent("d"))
	p.becomes("fetch('/_sandbox/health').then(r => window.healthy = r.ok), window.healthy")
	assert.False(t, evaluate[bool](p, "!!document.querySelector('.said')"), "there is nothing to copy")
	p.visit("")
	p.do(chromedp.WaitVisible(chromedp.CSS(row(3001))))
	p.do(chromedp.KeyEvent(kb.End))
	p.becomes("document.activeElement.dataset.keep === 'x1'") // At once, from the list's first page.
}

// TestOneRequest shows all that is known of it, and fails the next of its route.
func TestOneRequest(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.send("POST", "/api/v1/assessments", sandbox.LiveKey, `{"challenge_id":"c0000000-0000-4000-8000-000000000001","name":"It's <b>&\n$HOME"}`)
	p.server.Inject(sandbox.Fault{Status: 503, RetryAfter: 2 * time.Second})
	p.send("GET", "/api/v1/account", sandbox.LiveKey, "")
	p.visit("?request=1")
	for _, shown := range []string{"POST", "201", "req_0000000000000001", "sk_live_sandbox", "199 of 200", `"status": "active"`} {
		p.appears(".pane", shown)
	}
	assert.Equal(t, `"data"`, p.text("[aria-label=Response] .body .json-key"))
	assert.JSONEq(t, evaluate[string](p, `document.querySelector(".pane .body").textContent`), p.text(".pane .body"))
	evaluate[string](p, `HTMLAnchorElement.prototype.click = function () { fetch(this.href).then(r => r.text()).then(t => { window.exported = this.download + JSON.parse(t).entries.map(e => e.number) }) }, ""`)
	p.press("#export")
	p.becomes("window.exported === 'request-1.json1'")
	p.do(chromedp.KeyEvent("k"))
	for _, shown := range []string{"503", "INTERNAL_ERROR", "Injected fault: 503, Retry-After 2 s for every request"} {
		p.appears(".pane", shown)
	}
	p.server.Inject(sandbox.Fault{Route: "GET /members", Delay: time.Minute})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := p.server.LiveClient().Members.List().Collect(ctx)
	require.Error(t, err)
	p.visit("?request=3")
	p.appears(".headline", "No response · the client gave up after ")
	p.do(chromedp.KeyEvent("j"))
	p.appears(".pane .meta", "#2")
	p.do(chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent("f")) // Of the row that has the focus.
	p.becomes("document.getElementById('inject-route')?.value === 'GET /account' && document.activeElement.value === '500 Internal error'")
	p.press("#inject > button:not(.clear)") // The first: 500 Internal error.
	p.appears(".faults tr.waiting", "500 for GET /account of sk_live_sandbox")
	p.server.ClearFaults()
	p.send("GET", "/api/v1/account", sandbox.LiveKey, "")
	p.visit("?request=2")
	p.appears(".headline", "503")
	evaluate[string](p, `HTMLAnchorElement.prototype.click = function () { fetch(this.href).then(r => r.text()).then(t => { window.saved = new File([t], this.download) }) }, ""`)
	p.press("#export")
	p.appears("#said", "Saved as request-2.json, with #4 to compare")
	p.becomes("!!window.saved")
	evaluate[string](p, `(d => { d.items.add(window.saved); dispatchEvent(new DragEvent("drop", { dataTransfer: d })) })(new DataTransfer()), ""`)
	p.appears("p.more", "#4 success after it: 200")
	p.appears("p.less", "#2 this request: 503")
	p.press(".banner button")
	p.becomes("!document.querySelector('.banner')")
	p.send("GET", "/api/v1/account", sandbox.LiveKey, "")
	p.visit("?request=2&with=5")
	p.appears("p.more", "#5 success after it: 200")
	p.press("#export")
	p.appears("#said", "Saved as request-2.json, with #5 to compare")
}

// TestAnOpenRequestDoesNotOutliveItsRun: after a reset, after the journal was cleared and after a
// restart the list continues, and a link to an earlier request says so.
func TestAnOpenRequestDoesNotOutliveItsRun(t *testing.T) {
	t.Parallel()
	p := open(t)
	for name, again := range map[string]func() (rows int){
		"reset": func() int { p.startOver("#reset"); return 0 },
		"clear": func() int { p.startOver("#clear"); return 0 },
		"restart": func() int {
			p.stop()
			p.appears(".link", "Not connected")
			p.becomes(`/start it again, or let it go on if a debugger holds it\. Searches and other views wait\./.test(document.querySelector("#lost .banner")?.innerText)`)
			p.startOver("#reset")
			p.appears(".said", "The sandbox does not respond")
			p.start()
			p.request(30) // More than the last server has changed.
			p.appears(".said", "The sandbox was started again: earlier requests are gone")
			p.becomes("!document.querySelector('.banner')")
			p.do(chromedp.KeyEvent("5"))
			p.becomes("!!document.querySelector('.keys') && !document.querySelector('.said')") // It was of the journal.
			p.do(chromedp.KeyEvent("1"))
			return 30
		},
	} {
		p.request(3)
		p.visit("")
		p.press("#list .row")
		p.appears(".pane .meta", "sk_test_sandbox")
		link := evaluate[string](p, "location.search")
		rows := again()
		p.becomes("location.search === '' && !document.querySelector('.pane') && document.querySelectorAll('#list .row').length === " + strconv.Itoa(rows))
		p.visit(link)
		p.appears(".pane", map[bool]string{true: "no longer in the journal", false: "from an earlier run"}[name == "clear"])
		p.request(1)
		p.becomes("document.querySelectorAll('#list .row').length === " + strconv.Itoa(rows+1))
		p.server.ClearJournal()
	}
}

// TestTheViewIsReadAgainWhenTheServerIsBack, at once and not by a timer: the pipeline, also while the pointer is on it, and the mails.
func TestTheViewIsReadAgainWhenTheServerIsBack(t *testing.T) {
	t.Parallel()
	p := open(t)
	for _, view := range []struct {
		path, shown string
		isRestarted bool
	}{{pipelinePath, ".card a bdi", true}, {"console/mails", ".from b", true}, {pipelinePath, ".card a bdi", false}} {
		p.start()
		p.candidate()
		p.visit(view.path)
		p.appears(view.shown, "Ada")
		p.point(100, 200)
		p.becomes("document.querySelector('.board')?.matches(':hover') ?? true")
		evaluate[string](p, "(last => { for (let i = 0; i <= last; i++) clearInterval(i) })(setInterval(() => {}, 1e9)), ''")
		p.stop()
		p.appears(".link", "Not connected")
		if view.isRestarted {
			p.server = sandbox.New()
		}
		_, err := p.server.Invite(p.server.AddAssessment("Frontend"), "bea@candidates.test", "Bea")
		require.NoError(t, err)
		p.page.Store(http.HandlerFunc(console.Handler(p.server).ServeHTTP))
		names := map[bool]string{true: "Bea", false: "Bea,Ada"}[view.isRestarted]
		p.becomes(fmt.Sprintf("document.querySelector('.link').innerText === 'Live' && [...document.querySelectorAll('%s')].map(e => e.innerText).join() === %q", view.shown, names))
		if view.isRestarted {
			p.appears(".said", "The sandbox was started again")
		}
	}
}

// TestRowsOfAnEarlierSearch are grey while the server does not respond to a new one.
func TestRowsOfAnEarlierSearch(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.request(1)
	p.visit("")
	p.do(chromedp.WaitVisible(chromedp.CSS(row(1))))
	p.stop()
	p.appears(".link", "Not connected")
	assert.False(t, evaluate[bool](p, "!!document.querySelector('.stale')"))
	p.do(chromedp.KeyEvent("5"))
	p.do(chromedp.WaitVisible(chromedp.CSS(".keys")), chromedp.KeyEvent("1"))
	p.listed(1) // Still there.
	p.press("[aria-keyshortcuts=e]")
	p.becomes("!!document.querySelector('.stale') && /^[^]*\\b1 request, /.test(document.querySelector('.axis').innerText) && !document.querySelector('.axis').innerText.includes('1 of')")
	p.page.Store(http.HandlerFunc(console.Handler(p.server).ServeHTTP))
	p.appears(".none", "No request matches.")
	assert.False(t, evaluate[bool](p, "!!document.querySelector('.stale')"))
	p.press("#clear-search")
	p.listed(1)
	p.stop()
	p.appears(".link", "Not connected")
	p.do(chromedp.KeyEvent("5"))
	p.do(chromedp.WaitVisible(chromedp.CSS(".keys")))
	p.send("GET", "/api/v1/account?while=away", sandbox.TestKey, "")
	p.page.Store(http.HandlerFunc(console.Handler(p.server).ServeHTTP))
	p.appears(".link", "Live")
	p.do(chromedp.KeyEvent("1"))
	p.listed(2, 1) // Also what was sent meanwhile.
}

// TestARequestThatChangesWhileItIsRead: the pane of a write shows a repeat that was sent while the page read the write's candidate.
func TestARequestThatChangesWhileItIsRead(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.send("POST", invitationsPath, sandbox.TestKey, invitation) // 1
	p.visit("")
	p.do(chromedp.WaitVisible(chromedp.CSS(row(1))))
	handler, read, goOn := p.page.Load().(http.Handler), make(chan struct{}, 1), make(chan struct{})
	p.page.Store(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/_sandbox/candidates" {
			<-goOn
		}
		handler.ServeHTTP(w, r)
		if strings.HasPrefix(r.URL.Query().Get("search"), "repeats:") {
			select {
			case read <- struct{}{}:
			default:
			}
		}
	}))
	p.press(row(1))
	<-read
	p.send("POST", invitationsPath, sandbox.TestKey, invitation) // 2
	p.appears(row(1), "again: #2")
	close(goOn)
	p.appears(".pane .note", "later as #2")
}

// TestAServerThatHangsIsNotLive: neither the header nor the clock says that it responds, an action says that it does not, and all of
// that ends with its next response.
func TestAServerThatHangsIsNotLive(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.request(1)
	p.visit("")
	p.do(chromedp.WaitVisible(chromedp.CSS(row(1))))
	p.becomes("!!document.querySelector('#now b')")
	handler, goOn, asked := p.page.Load().(http.Handler), make(chan struct{}), make(chan string, 1)
	p.page.Store(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case asked <- r.URL.Path:
		default:
		}
		select {
		case <-goOn:
			handler.ServeHTTP(w, r)
		case <-r.Context().Done():
		}
	}))
	p.becomes(`/^The sandbox does not respond: start it again, or let it go on if a debugger holds it\. Searches and other views wait\./.test(document.querySelector("#lost .banner")?.innerText)`)
	assert.Equal(t, "/_sandbox/clock", <-asked, "each five seconds")
	stopped := p.text("#now b")
	assert.Equal(t, "Not connected", p.text(".link"))
	assert.False(t, evaluate[bool](p, "!!document.querySelector('.said')"), "the banner says it")
	p.press(`[aria-label="Advance the clock by 1 h"]`)
	p.appears(".said", "The sandbox does not respond") // After five seconds.
	p.press(".said button")
	p.startOver("#reset")
	p.appears(".said", "The sandbox does not respond") // After five seconds.
	assert.False(t, evaluate[bool](p, "!!document.querySelector('.clock [aria-invalid], .clock .error')"), "the time is not wrong")
	p.press("nav a[href*=pipeline]")
	for range 2 { // Also when it is drawn again.
		p.becomes("document.body.dataset.view === 'pipeline' && document.querySelectorAll('main .skeleton i').length === 12")
		evaluate[string](p, "dispatchEvent(new Event('resize')), ''")
	}
	p.press("nav a[href='/_sandbox/']")
	assert.Equal(t, stopped, p.text("#now b"))
	p.send("GET", "/api/v1/account", "", "")
	close(goOn)
	p.becomes("!document.querySelector('.banner, .said') && document.querySelector('.link').innerText === 'Live' && document.querySelector('#now b').innerText !== " + quote(stopped))
	p.becomes("document.title.startsWith('(1 failed)')")
	p.send("POST", "/_sandbox/reset", "", "")
	p.appears(".guide", "No requests yet")
	assert.False(t, evaluate[bool](p, "!!document.querySelector('.said')"), "it was not started again")
}

// TestTheStoryOfARepeatedWrite leads from the row to the reason, and to the candidate.
func TestTheStoryOfARepeatedWrite(t *testing.T) {
	t.Parallel()
	p := open(t)
	path := "/api/v1/assessments/" + p.server.AddAssessment("Backend") + "/invitations"
	p.server.Inject(sandbox.Fault{Route: "POST *", Candidate: "ada@candidates.test", After: true})
	p.send("POST", path, sandbox.LiveKey, invitation) // 1
	p.send("POST", path, sandbox.LiveKey, invitation) // 2
	p.request(1)                                      // 3
	p.visit("")
	p.appears("#list .action", "Injected fault 1: response lost for POST * about ada@candidates.test")
	p.appears(row(2), "again after #1: lost")
	p.press(row(2))
	p.appears(".pane .note.odd", "after #1, whose response was lost (injected fault). Both were done: 2 invitations to Ada@candidates.test.")
	p.becomes("(all => all.length === 2 && all.every(e => e.scrollWidth <= e.clientWidth))([...document.querySelectorAll('#list .row.bad .mark')])") // Beside the pane both marks are whole.
	p.press(".pane .note.odd a")
	p.appears(".pane .note.odd", "later as #2. Both were done")
	p.press(".pane .note.odd a")
	p.appears(".pane .note.odd", "after #1")
	p.press(".headline a")
	p.appears(".pane.candidate", "invited twice")
	p.becomes(`document.querySelectorAll(".card b.odd").length === 2`)
	p.press(".pane a.mark")
	p.becomes(`!document.querySelector(".pane") && document.querySelectorAll(".card").length === 2`)
	p.do(chromedp.NavigateBack())
	p.appears(".pane.candidate", "invited twice")
	evaluate[string](p, "[...document.querySelectorAll('.pane a')].find(a => a.innerText === 'Requests about this candidate').click(), ''")
	p.listed(2, 1)
	p.press("[popovertarget=start-over]") // Not the list, so that it may move.
	p.do(chromedp.KeyEvent(kb.Escape))
	require.NoError(t, p.server.Open("f0000000-0000-4000-8000-000000000002"))
	p.appears("#list .action", "Ada@candidates.test opened") // Also with a search.
	assert.Equal(t, 1, evaluate[int](p, "document.querySelectorAll('#list .action').length"), "the fault does not concern the candidate")
	p.send("POST", path+"/f0000000-0000-4000-8000-000000000002/resend", sandbox.LiveKey, "") // 4
	p.send("POST", path+"/f0000000-0000-4000-8000-000000000002/resend", sandbox.LiveKey, "") // 5
	p.visit("?request=5")
	p.appears(".pane .note.odd", "Both were done: 2 e-mails to Ada@candidates.test.")
	p.press(".pane .note.odd a[href*=mails]")
	p.do(chromedp.WaitVisible(chromedp.CSS(".mail-row")))
	p.press(".mail-row")
	p.becomes("[...document.querySelectorAll('.letter [href*=request]')].map(e => e.innerText).join() === 'request #5,request #4,request #1'") // Also of a lost response.
	p.press("li:nth-child(3) > .mail-row")
	p.becomes("[...document.querySelectorAll('.letter [href*=request]')].map(e => e.innerText).join() === 'request #2'")
	p.do(chromedp.KeyEvent("j"))
	p.becomes("document.querySelectorAll('.mail-row[aria-current]').length === 3") // All e-mails of the other invitation.
	p.do(chromedp.KeyEvent("k"))
	p.becomes("!!document.querySelector('li:nth-child(3) > .mail-row[aria-current]')") // Back, though a row above is also of that invitation.
	p.visit("?request=5")
	p.appears(".pane .note.odd", "Sent again")
	p.do(chromedp.KeyEvent("f"))
	p.press("#failing [value='503']")
	p.appears(".said", "503, Retry-After 1 s for POST /assessments/{id}/invitations/{invitation_id}/resend of sk_live_sandbox about Ada@candidates.test")
	p.press("[popovertarget=failing]")
	p.press("#fail-next")
	p.becomes("document.getElementById('inject-candidate')?.value === 'Ada@candidates.test'")
	p.visit("console/faults")
	p.press("#ended a")
	p.listed(1)
	p.visit("?q=key:" + sandbox.TestKey)
	p.listed(3)
	p.do(chromedp.SendKeys(chromedp.CSS("input[type=search]"), "Hiring"+kb.Enter))
	p.becomes("document.activeElement.dataset.keep === 'x3'")
	p.do(chromedp.KeyEvent(kb.Enter))
	p.appears(".pane .meta", "#3")
}

// TestRowsLeaveNothingBehind counts the nodes of the list, comments included, while requests
// arrive: 3,000, and with HIRING_LONG 100,000.
func TestRowsLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	batch := 300
	if os.Getenv("HIRING_LONG") != "" {
		batch = 10_000
	}
	p := open(t, sandbox.WithQuota(1<<20, 1<<20))
	p.visit("")
	p.appears(".guide", "No requests yet")
	nodes := make([]int, 10)
	for i := range nodes {
		p.request(batch)
		p.do(chromedp.WaitVisible(chromedp.CSS(row((i + 1) * batch))))
		if i < 10_000/batch {
			assert.NotContains(t, p.text(".axis"), "the newest of", "the journal has all of them")
		}
		nodes[i] = evaluate[int](p, "(w => { let n = 0; while (w.nextNode()) n++; return n })(document.createTreeWalker(list))")
	}
	assert.Less(t, slices.Max(nodes)-slices.Min(nodes), 200, "%d", nodes)
}
