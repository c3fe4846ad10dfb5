package e2e

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
	"github.com/hiring-assessment/hiring-go/sandbox/console"
)

// TestALostWriteSaysWhetherItWasDone in its row and in the first line of the pane, with the candidate.
func TestALostWriteSaysWhetherItWasDone(t *testing.T) {
	t.Parallel()
	p := open(t)
	path := "/api/v1/assessments/" + p.server.AddAssessment("Backend") + "/invitations"
	invite := func(name string, f sandbox.Fault) {
		f.Route = "POST *"
		p.server.Inject(f)
		p.send("POST", path, sandbox.LiveKey, `{"candidate_email":"`+name+`@candidates.test","candidate_name":"Søren `+name+`"}`)
	}
	invite("ada", sandbox.Fault{After: true})
	invite("bea", sandbox.Fault{Reset: true})
	invite("cyd", sandbox.Fault{After: true, Status: 503})
	invite("dee", sandbox.Fault{Status: 500})
	p.server.SetPlan(sandbox.LiveKey, 2000, 2000)
	p.send("POST", path, sandbox.LiveKey, `{"candidate_email":"eve@candidates.test","candidate_name":"Eve"}`) // 5, whose reason is long.
	p.visit("")
	p.appears(row(5), "the plan's invitations")
	p.appears(row(1), "done · response lost")
	p.appears(row(2), "not done · connection reset")
	p.appears(row(3), "done · 503")
	p.appears(row(4), "not done · 500")
	assert.Equal(t, []bool{true}, evaluate[[]bool](p, "[...new Set([...document.querySelectorAll('.row .marks > *')].map(e => e.getBoundingClientRect().left === document.querySelector('.reason').getBoundingClientRect().left))]"), "under their head")
	p.press(row(1))
	p.appears(".headline", "Done · invitation to Søren ada, but the response was lost")
	p.becomes("(e => e.scrollWidth <= e.clientWidth)(document.querySelector('.row .mark.good'))") // Not cut beside the pane.
	p.appears(".pane .withheld", "Response that was lost")
	p.appears(".pane .withheld", `"candidate_email": "ada@candidates.test"`)
	p.press(row(3))
	p.appears(".headline", "Done · invitation to Søren cyd, but the client got 503")
	p.press(row(2))
	p.appears(".headline", "Not done · connection reset")
	p.becomes("document.querySelector(" + quote(row(5)) + ").querySelector('.subject').offsetWidth > 50") // Beside a long reason.
	p.dress(appearance{width: 1150, height: 800})
	p.becomes("[...document.querySelectorAll('.row')].every(r => r.scrollWidth <= r.clientWidth && r.querySelector('.what').offsetWidth > 100)") // The path and the number are beside the reason.
	p.press(row(1))
	p.appears(".headline", "ada")
	p.press(".headline a")
	p.appears(".pane.candidate h2", "Søren ada")
	p.server.Inject(sandbox.Fault{Route: "GET /assessments/{id}/invitations", Status: 502, Delay: time.Second, Body: "Bad gateway, from a proxy"})
	p.dress(appearance{width: 390, height: 844})
	p.visit("")
	p.appears("#list .action", "Injected fault 5")
	p.becomes("[...document.querySelectorAll('.action > span')].every(e => e.offsetHeight <= 46 && e.title)")
	p.appears(row(1), "done · response lost")
	assert.Equal(t, []any{false, true, true}, evaluate[[]any](p, "(r => [(e => e.scrollWidth > e.clientWidth)(r.querySelector('.mark')), r.querySelector('.what').offsetWidth > 60, r.querySelector('.subject').offsetWidth > 20])(document.querySelector("+quote(row(1))+"))"), "all of it, with the request and the candidate")
}

// TestARefusedParameterIsInTheRow, with the reason, and in the headline.
func TestARefusedParameterIsInTheRow(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.send("GET", "/api/v1/submissions?page_size=500", sandbox.TestKey, "")
	p.send("POST", "/api/v1/assessments", sandbox.TestKey, `{"challenge_id":"c0000000-0000-4000-8000-000000000001"}`)
	p.send("POST", invitationsPath, sandbox.ReadOnlyKey, invitation)
	p.send("GET", "/account", sandbox.TestKey, "")
	p.visit("?q=route:none")
	p.listed(4)
	p.appears(row(4), "no such route")
	p.press(row(4))
	p.appears(".headline", "404 · no such route; did you mean /api/v1/account?")
	p.send("GET", "/api/v1/submissions/"+sandbox.SubmissionID, sandbox.LiveKey, "")
	p.visit("")
	p.appears(row(5), "test data has it; this key sees live data")
	p.appears(row(3), "requires the write scope")
	p.appears(row(1), "page_size: at most 100")
	p.appears(row(2), "name: required")
	p.press(row(1))
	p.appears(".headline", "400 · page_size must be at most 100")
	p.appears(".target .warn", "page_size=500")
	p.appears(row(1), "?page_size=500") // Also beside the pane.
	p.dress(appearance{width: 1200, height: 800})
	p.becomes("document.querySelector('#list .row').parentElement.offsetHeight === 30")
	assert.NotContains(t, p.text(".pane"), "No body.", "of a GET")
	p.press(row(2))
	p.appears(".headline", "400 · name is required")
	p.send("POST", invitationsPath, sandbox.TestKey, `{"candidate_name":"Ada","candidate_email":"nope"}`)
	p.send("POST", invitationsPath, sandbox.TestKey, `{}`)
	p.visit("?request=6")
	p.appears(row(7), "candidate_email, candidate_name refused")
	p.becomes(`[...document.querySelectorAll(".refused")].map(e => e.innerText).join() === '"candidate_email","nope"'`)
	p.send("POST", invitationsPath, sandbox.TestKey, `{"candidate_name":"","candidate_email":"nope"}`)
	p.visit("?request=8")
	p.appears(".headline", "400 · candidate_email: expected an email address; candidate_name must have at least 1 character")
	p.becomes(`[...document.querySelectorAll(".refused")].map(e => e.innerText).join() === '"candidate_name","","candidate_email","nope"'`)
	p.do(chromedp.KeyEvent("d"))
	p.appears(".said:not(.bad)", "No other request of this route succeeded")
}

// TestAHiddenPageHasNoStream, because a browser allows six connections to a server. It resumes without a loss.
func TestAHiddenPageHasNoStream(t *testing.T) {
	t.Parallel()
	p := open(t)
	var streams atomic.Int32
	page := console.Handler(p.server)
	p.page.Store(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/_sandbox/events" {
			streams.Add(1)
			defer streams.Add(-1)
		}
		page.ServeHTTP(w, r)
	}))
	p.request(1)
	p.visit("")
	p.do(chromedp.WaitVisible(chromedp.CSS(row(1))))
	require.Eventually(t, func() bool { return streams.Load() == 1 }, patience, 10*time.Millisecond)
	hide := func(hidden bool) {
		evaluate[string](p, fmt.Sprintf(`Object.defineProperty(document, "hidden", { value: %t, configurable: true }), document.dispatchEvent(new Event("visibilitychange")), ""`, hidden))
	}
	hide(true)
	require.Eventually(t, func() bool { return streams.Load() == 0 }, patience, 10*time.Millisecond)
	p.request(2)
	p.becomes("fetch('/_sandbox/health').then(r => window.healthy = r.ok), window.healthy")
	assert.Zero(t, streams.Load(), "no other stream takes its place")
	hide(false)
	p.do(chromedp.WaitVisible(chromedp.CSS(row(3))))
	assert.Equal(t, int32(1), streams.Load())
	p.visit("console/faults") // A view whose stream has no position to resume from.
	p.appears("main .quiet", "No fault is active.")
	hide(true)
	p.server.Inject(sandbox.Fault{Status: 500})
	hide(false)
	p.appears(".faults tr.waiting", "1 left")
}

// TestATypingErrorIsSaidAndUndone: the notice names the assessment that was added.
func TestATypingErrorIsSaidAndUndone(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.server.AddAssessment("Backend engineer")
	p.visit(pipelinePath)
	p.press("[popovertarget=inviting]")
	for id, text := range map[string]string{"assessment": "backend engineers", "name": "Ada Lovelace", "email": "ada@candidates.test"} {
		p.fill("#invite-"+id, text)
	}
	names := "[...document.querySelectorAll('#assessment option')].map(o => o.text).join()"
	assert.Equal(t, "Backend engineer", evaluate[string](p, "[...document.querySelectorAll('#assessment-names option')].map(o => o.value).join()"), "suggested")
	p.press("#invite > button:not(.clear)")
	p.appears(".said", "Ada Lovelace invited · new assessment “backend engineers”")
	evaluate[string](p, "document.querySelector('.said a').click(), ''")
	p.appears(".pane.candidate h2", "Ada Lovelace")
	p.becomes(names + ` === "All assessments,backend engineers,Backend engineer"`)
	p.press("#undo")
	p.becomes(names + ` === "All assessments,Backend engineer"`)
	assert.Empty(t, p.server.Mails())
	p.dress(appearance{width: 390, height: 844})
	p.visit(pipelinePath)
	p.press("[popovertarget=inviting]")
	p.becomes("(r => r.width > 300 && r.left >= 0 && r.right <= innerWidth)(document.getElementById('inviting').getBoundingClientRect())") // Also on a phone.
	for id, text := range map[string]string{"assessment": "backend engineers", "name": "Ada Lovelace", "email": "nowhere"} {
		p.fill("#invite-"+id, text)
	}
	p.press("#invite > button:not(.clear)")
	p.appears("#invite-email-error", "email")
	all, err := p.client(sandbox.LiveKey).Assessments.List().Collect(t.Context())
	require.NoError(t, err)
	assert.Len(t, all, 1, "the assessment that was added is removed")
	assert.Equal(t, "nowhere", evaluate[string](p, "document.getElementById('invite-email').value"), "kept")
}

// TestWhatIsNotThereIsSaid: an unknown candidate, a search without a match and a name in a sentence.
func TestWhatIsNotThereIsSaid(t *testing.T) {
	t.Parallel()
	p := open(t)
	assessment := p.server.AddAssessment("Backend")
	_, err := p.server.Invite(assessment, "a@candidates.test", "محمد علي")
	require.NoError(t, err)
	p.visit(pipelinePath + "?candidate=" + sandbox.UnknownID)
	p.appears(".pane", "The live data has no such candidate")
	p.do(chromedp.KeyEvent(kb.Escape))
	p.becomes("!document.querySelector('.pane')")
	p.visit(pipelinePath + "?text=nobody")
	p.appears(".none", "No candidate matches.")
	p.press(".none button")
	p.appears(".card", "محمد علي")
	p.press("#upcoming")
	p.appears("#ahead", "invitation expires unused: ")
	p.becomes("document.activeElement.id === 'advance'")
	p.fill("#advance", "40d")
	p.appears("#ahead", "Enter advances to ")
	assert.True(t, evaluate[bool](p, "[...document.querySelectorAll('#ahead bdi')].some(e => e.innerText === 'محمد علي')"), "the name alone is isolated")
	p.do(chromedp.SendKeys(chromedp.ID("advance"), kb.Enter))
	p.becomes(`/^The clock is at .*: \d+ events?$/.test(document.querySelector(".said > span")?.innerText)`)
}

// TestGroups answers which causes failures have, and who used up the reads.
func TestGroups(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.server.SetQuota(sandbox.TestKey, sandbox.ClassRead, 6)
	p.send("GET", "/api/v1/submissions?page_size=500", sandbox.TestKey, "")
	p.send("GET", "/api/v1/submissions?page_size=500", sandbox.TestKey, "")
	for range 3 {
		p.send("GET", "/api/v1/members", sandbox.TestKey, "")
	}
	p.server.SetQuota(sandbox.TestKey, sandbox.ClassWrite, 5) // Hides no limit of reads.
	p.request(3)                                              // The last two get a 429.
	p.visit("")
	p.do(chromedp.WaitVisible(chromedp.CSS(row(8))))
	p.do(chromedp.KeyEvent("e"), chromedp.KeyEvent("g"))
	p.becomes(`[...document.querySelectorAll(".groups tbody tr")].map(r => r.innerText.replace(/\s+/g, " ")).filter(t => / 2 /.test(t)).length === 2`)
	p.appears(".groups tbody", "page_size: at most 100")
	p.appears(".groups tbody", "no reads left")
	p.becomes(`new Set([...document.querySelectorAll(".groups tbody tr")].map(r => r.querySelector(".trend").viewBox.baseVal.width)).size === 1 && /M.* 20V0/.test(document.querySelector(".trend path").getAttribute("d"))`)
	p.appears("nav a[href*=keys] .badge", "1") // Has few requests left.
	p.becomes("document.activeElement.dataset.keep === 'g0'")
	p.do(chromedp.KeyEvent("j"))
	p.becomes("document.activeElement.dataset.keep === 'g1'")
	p.do(chromedp.KeyEvent("u"), chromedp.KeyEvent("y"), chromedp.KeyEvent("d"), chromedp.KeyEvent("k"))
	p.becomes("document.activeElement.dataset.keep === 'g0'")
	p.becomes("fetch('/_sandbox/health').then(r => window.healthy = r.ok), window.healthy")
	assert.Equal(t, []any{"g0", false, false}, evaluate[[]any](p, "[document.activeElement.dataset.keep, location.search.includes('request'), !!document.querySelector('.said')]"), "a group is no request")
	evaluate[string](p, "[...document.querySelectorAll('.groups tr')].find(r => r.innerText.includes('page_size')).querySelector('a').focus(), ''")
	p.do(chromedp.KeyEvent(kb.Enter))
	p.listed(2, 1)
	p.becomes("document.activeElement.dataset.keep === 'x2'")
	p.server.SetQuota(sandbox.TestKey, sandbox.ClassRead, 900)
	p.send("GET", "/api/v1/submissions/"+sandbox.UnknownID+"/report", sandbox.TestKey, "")
	p.visit("?request=8")
	p.appears(".headline", "429 · no reads left until")
	p.appears(".pane .note", "Remaining set to 6 reads for sk_test_sandbox at ") // The limit at that time, not a later one.
	p.becomes(`/X-Ratelimit-Reset\s*\d+ \(\d\d:\d\d/.test(document.querySelector(".pane").textContent)`)
	p.appears(".pane .note", "Used up by no User-Agent (")
	evaluate[string](p, "[...document.querySelectorAll('.note a')].find(a => a.innerText === 'Which requests?').click(), ''")
	p.appears(".groups tbody", "/members")
	p.becomes(`[...document.querySelectorAll(".groups tbody td.number b")].map(e => e.innerText).join() === "2,3,1"`) // Failures first, and not the requests after the 429.
	assert.Contains(t, evaluate[string](p, "decodeURIComponent(location.search)"), p.server.Journal()[0].At.UTC().Format("after:2006-01-02T15:04:05"), "of this window")
	assert.NotContains(t, p.text(".groups"), "429", "a refused request uses up nothing")
	p.dress(appearance{width: 390, height: 844})
	p.appears(".groups tbody tr", sandbox.TestKey)                                                                                                        // Also where the table is narrow.
	p.becomes(`(all => all.length && all.every(e => e.offsetHeight < 30))([...document.querySelectorAll(".groups tbody th")])`)                           // No route is broken into many lines.
	p.becomes(`new Set([...document.querySelectorAll(".groups td:nth-child(4) code")].map(e => Math.round(e.getBoundingClientRect().right))).size === 1`) // With a reason and without.
	for _, f := range []sandbox.Fault{{Code: "NOT_FOUND"}, {Status: 404, Code: "NOT_FOUND"}, {Code: "NOT_FOUND", Route: "GET *"}} {
		p.server.Inject(f)
		p.send("GET", "/api/v1/submissions/"+sandbox.UnknownID+"/report", sandbox.TestKey, "") // 10, 11 and 12, like 9.
	}
	p.visit("?view=groups")
	p.becomes(`[...document.querySelectorAll(".groups tr:has(.mark)")].map(r => [".mark", ".number"].map(s => r.querySelector(s).innerText).join()).join(" ") === "fault: NOT_FOUND,2 17 % fault: 404, NOT_FOUND,1 8 %"`)
	p.press(".groups tr:has(.mark) a")
	p.listed(12, 10)
	p.send("GET", "/api/v1/submissions?page_size=500", sandbox.WriteKey, "")  // 13
	p.send("GET", "/api/v1/submissions?page_size=none", sandbox.WriteKey, "") // 14
	p.visit("?view=groups&q=took:<10s+field:page_size+key:" + sandbox.WriteKey)
	p.becomes("new URL(document.querySelector('.groups tbody a')?.href ?? 'http://none').searchParams.get('q')?.startsWith('took:<10s ')")
	p.press(".groups tbody a")
	p.listed(13)
	_, err := p.client(sandbox.WriteKey).Account.Get(t.Context()) // 15
	require.NoError(t, err)
	p.send("GET", "/api/v1/account", sandbox.WriteKey, "") // 16
	p.visit("?view=groups&q=route:account+key:" + sandbox.WriteKey)
	p.appears(".groups tbody tr:last-child td small", "no User-Agent") // Two programs with one key.
	p.appears(".groups tbody tr:first-child td small", "hiring-go/")
	p.becomes(`/^Sent by hiring-go.* 1 \(50 %\) · no User-Agent 1 \(50 %\)$/.test(document.querySelector("#programs").innerText)`)
	p.press(".groups tbody tr:first-child a")
	p.listed(15)
	_, err = p.client("sk_live_wrong").Account.Get(t.Context()) // 17
	require.Error(t, err)
	p.send("GET", "/api/v1/account", "sk_live_wrong", "") // 18
	p.visit("?view=groups&q=status:401")
	p.becomes(`/^401 GET .account unknown key sk_live_…(hiring-go.*|no User-Agent), (no User-Agent|hiring-go.*) 2 100 %/.test(document.querySelector(".groups tbody")?.innerText.replace(/\s+/g, " "))`) // One cause, from two programs.
	p.press(".groups tbody a")
	p.listed(18, 17)
	p.dress(appearance{width: 1440, height: 900})
	p.visit("")
	p.appears(".columns .program", "Program")
	p.becomes(`(e => /^hiring-go\/\S+$/.test(e.innerText) && e.title.startsWith(e.innerText + " ") && e.offsetWidth > 100)(document.querySelector("[data-keep=x15] .program"))`)
	p.appears(row(16), "no User-Agent")
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.base+"/api/v1/nowhere", http.NoBody)
	require.NoError(t, err)
	request.Header.Set("User-Agent", "acme-sync/2.1 hiring-go/0.1.0 (go1.26; linux/amd64)")
	response, err := p.web.Client().Do(request) // 19
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	p.becomes(`document.querySelector("[data-keep=x19] .program")?.innerText === "acme-sync/2.1"`) // And not this SDK.
	p.press(row(15))
	p.becomes("!!document.querySelector('.pane .meta') && !document.querySelector('.row .program').offsetWidth") // There is no place.
	for name, want := range map[string][]int{"key": {16, 15, 14, 13}, "program": {17, 15}} {                     // Others like it, from the pane.
		p.visit("?request=15")
		p.appears(".pane .meta", "hiring-go/")
		evaluate[string](p, "document.querySelector('.facts a[href*="+name+"]').focus(), ''")
		p.do(chromedp.KeyEvent(kb.Enter))
		p.listed(want...)
		p.becomes("document.activeElement.dataset.keep === " + quote("x"+strconv.Itoa(want[0])))
	}
	p.visit("console/keys")
	p.appears(".keys", "Requests")
	p.press(`[aria-label="Requests of ` + sandbox.LiveKey + `"]`)
	p.becomes("location.search.includes('view=groups') && !!document.querySelector('.none')") // It sent nothing.
	p.server.SetQuota(sandbox.WriteKey, sandbox.ClassRead, 1)
	for range 2 { // 20, and 21 gets a 429.
		p.send("GET", "/api/v1/members", sandbox.WriteKey, "")
	}
	p.visit("?request=21")
	p.appears(".pane .note", "set to 1 reads for sk_test_sandbox_write at ")
	evaluate[string](p, "[...document.querySelectorAll('.note a')].find(a => a.innerText === 'Which requests?').click(), ''")
	p.appears("#programs", "Sent by no User-Agent 1 (100 %)")
	p.becomes(`[...document.querySelectorAll(".groups tbody tr")].map(r => r.querySelector("code").innerText).join() === "/members"`) // Earlier reads of the key used up nothing of the limit.
}

// TestTheSearchCompletes names and values, excludes, and says what is wrong without losing the rows.
func TestTheSearchCompletes(t *testing.T) {
	t.Parallel()
	p := troubled(t)
	p.visit("")
	p.do(chromedp.WaitVisible(chromedp.CSS(row(8))))
	p.do(chromedp.KeyEvent("/"))
	p.fill("input[name=q]", "-sta") // The protocol's key press is typed as well.
	p.appears(".suggest", "-status:")
	choose := func(word string) {
		p.appears(".suggest", word)
		evaluate[string](p, "[...document.querySelectorAll('.suggest button')].find(b => b.innerText === "+quote(word)+").click(), ''")
	}
	choose("-status:")
	p.becomes("document.activeElement.name === 'q'")
	choose("-status:2xx")
	p.listed(8, 6, 5, 4)
	p.do(chromedp.KeyEvent(kb.Escape)) // Which empties neither the field nor the filter.
	p.becomes("document.activeElement === document.body && document.querySelector('input[name=q]').value.trim() === '-status:2xx'")
	p.appears(".axis", "4 of 8 requests")
	p.press("#clear-search")
	p.listed(8, 7, 6, 5, 4, 3, 2, 1)
	p.do(chromedp.KeyEvent("/"))
	p.fill("input[name=q]", "candidate:aD") // From the rows.
	p.do(chromedp.KeyEvent(kb.Tab))
	p.listed(4, 3, 2)
	p.do(chromedp.KeyEvent(kb.Tab))
	p.becomes("document.activeElement.name !== 'q'") // After the last word it leaves the field.
	p.do(chromedp.KeyEvent("/"))
	p.fill("input[name=q]", "method:")
	p.do(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown))
	p.becomes(`(f => f.ariaExpanded === "true" && document.getElementById(f.getAttribute("aria-activedescendant"))?.innerText)(document.activeElement) === "method:POST"`)
	p.do(chromedp.KeyEvent(kb.Enter))
	p.listed(6, 4, 3, 2)
	p.fill("input[name=q]", "status:201,no")
	p.do(chromedp.KeyEvent(kb.Tab)) // One more of a list.
	p.listed(4, 3, 2)
	assert.Equal(t, "status:201,none ", evaluate[string](p, "document.querySelector('input[name=q]').value"))
	p.becomes("!document.getElementById('words')") // Nothing more over the rows.
	for term, suggested := range map[string]string{"repeats:": "repeats:2", "fault:": "fault:1", "program:": "program:none"} {
		p.fill("input[name=q]", term)
		p.appears(".suggest", suggested)
	}
	for word, suggested := range map[string]string{"aD": "candidate:Ada@candidates.test", "a": "status:,program:,candidate:,after:,fault:,repeats:,candidate:Ada@candidates.test"} { // Names first.
		p.fill("input[name=q]", word)
		p.becomes("[...document.querySelectorAll('#words button')].map(e => e.innerText).join() === " + quote(suggested))
	}
	p.fill("input[name=q]", "candidates")
	p.becomes("!document.getElementById('words')")
	p.fill("input[name=q]", "foo:1 bar:2 -foo:3")
	p.becomes("[...document.querySelectorAll('.suggest .error')].map(e => e.innerText).join('/').startsWith('foo and bar are not names of the search. The names are status, route, ')")
	assert.Equal(t, 1, strings.Count(p.text(".suggest"), "The names are"))
	p.fill("input[name=q]", "#5")
	p.listed(5)
	p.fill("input[name=q]", "took:>soon")
	p.appears(".suggest .error", "must be a duration")
	evaluate[string](p, "(later => { window.setTimeout = (f, ms) => ms === 1000 ? (window.pause = f, -1) : later(f, ms) })(setTimeout), ''")
	p.fill("input[name=q]", "")
	p.listed(8, 7, 6, 5, 4, 3, 2, 1)
	p.fill("input[name=q]", "after:23:0")
	p.becomes("document.querySelector('[aria-keyshortcuts=e]').innerText === 'Failed'")
	p.becomes("document.querySelector('.axis span').innerText.startsWith('8 requests, 4 failed')")
	p.becomes("!document.querySelector('.suggest .error, [aria-invalid=true]') && !document.querySelector('main > [role=status]').innerText") // Until a pause.
	evaluate[string](p, "window.pause(), ''")
	p.appears(".suggest .error", "after: must be a time")
	p.fill("input[name=q]", "after:noon")
	p.do(chromedp.KeyEvent(kb.Enter)) // Ends the typing, and no row gets the focus.
	p.becomes("/must be a time/.test(document.querySelector('.suggest .error')?.innerText)")
	p.becomes("document.activeElement.name === 'q'")
	assert.True(t, evaluate[bool](p, "!!document.querySelector('#list .row')"), "the rows stay")
	p.becomes("(all => all.length > 1 && new Set(all.map(e => getComputedStyle(e).color)).size === 1)([...document.querySelectorAll('#list .row *')])") // All grey.
	before := evaluate[float64](p, "document.querySelector('#list').getBoundingClientRect().top")
	p.visit("")
	p.do(chromedp.WaitVisible(chromedp.CSS(row(8))))
	assert.InDelta(t, before, evaluate[float64](p, "document.querySelector('#list').getBoundingClientRect().top"), 0, "nothing moves while somebody types")
	p.do(chromedp.SendKeys(chromedp.CSS("input[name=q]"), "took:soon"+kb.Enter))
	p.becomes("document.querySelector('[name=q]').ariaInvalid === 'true'")
	p.press("#clear-search") // Back to the search that was shown before.
	p.becomes("!document.querySelector('[aria-invalid=true]')")
	replace := func(text string) { // Without the empty search between, as fill has it.
		evaluate[string](p, "(e => { e.value = "+quote(text)+"; e.dispatchEvent(new Event('input')); return '' })(document.querySelector('input[name=q]'))")
	}
	for _, view := range []string{"", "?view=groups"} {
		p.visit(view)
		evaluate[string](p, "(last => { for (let i = 0; i <= last; i++) clearInterval(i) })(setInterval(() => {}, 1e9)), ''") // At once, and not by a timer.
		p.fill("input[name=q]", "status:201")
		p.appears(".axis", "2 of 8 requests, 0 failed")
		replace("took:>abc")
		p.becomes("document.querySelector('.axis span').innerText.startsWith('8 requests, 4 failed')") // None is counted as found.
		replace("status:201")
		p.appears(".axis", "2 of 8 requests, 0 failed")
		replace("took:>abc")
		p.becomes("!!document.querySelector('.stale')")
		evaluate[string](p, "document.activeElement.blur(), ''")
		p.appears("#list .none", "took: must be a duration")
		p.becomes("![...document.querySelectorAll('#list .row, .groups')].some(e => e.checkVisibility())")
		p.do(chromedp.KeyEvent("j"))
		p.becomes("document.activeElement === document.body")
		p.press("#list .none button")
		p.becomes("[...document.querySelectorAll('#list .row, .groups tr')].some(e => e.checkVisibility())")
	}
}

// TestCompare shows the lines in which a failure differs from the last success like it, and then another row.
func TestCompare(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.send("GET", "/api/v1/submissions?page_size=100", sandbox.TestKey, "") // 1
	p.request(1)                                                            // 2
	p.send("GET", "/api/v1/submissions?page_size=1", sandbox.TestKey, "")   // 3
	p.send("GET", "/api/v1/submissions?page_size=500", sandbox.TestKey, "") // 4
	p.visit("?request=4")
	p.appears(".headline", "page_size")
	p.do(chromedp.KeyEvent("d"))
	p.appears(".differences .less", "page_size=1")
	p.becomes("/Request: 2 lines differ. Response: 200 → 400/.test(document.querySelector('main > [role=status]').innerText) && document.documentElement.scrollHeight <= 800") // Said, and one scrollbar.
	p.appears(".differences .more", "page_size=500")
	p.press(".less details > summary")
	p.appears(".less details[open]", `"submission_id"`) // The body of the success.
	p.appears(row(3), "compared")
	p.appears("p.less", "#3 success before it: 200")
	p.appears("p.more", "#4 this request: 400")
	p.do(chromedp.SetValue(chromedp.CSS(".pane input.number"), "99"), chromedp.SendKeys(chromedp.CSS(".pane input.number"), kb.Enter))
	p.appears(".said", "Request #99 is not in the journal")
	p.press(".said button")
	p.do(chromedp.SetValue(chromedp.CSS(".pane input.number"), "1"), chromedp.SendKeys(chromedp.CSS(".pane input.number"), kb.Enter))
	p.appears(".differences .less", "page_size=100")
	p.send("GET", "/api/v1/submissions?page_size=1", sandbox.TestKey, "") // 5
	p.visit("?request=3&with=5")
	p.appears("p.less", "#3 this request") // The older one first.
	p.visit("?request=5&with=3")
	p.appears(".pane h3", "Only ids and times differ")
	p.becomes(`/GET .api.v1.submissions\s+\d+ lines, equal but for ids and times/.test(document.querySelector(".differences")?.innerText)`) // The request line is always there.
	p.do(chromedp.KeyEvent(kb.Escape))
	p.becomes("!document.querySelector('.differences') && !!document.querySelector('.pane')")
	p.do(chromedp.KeyEvent(kb.Escape))
	p.becomes("!document.querySelector('.pane')")
	p.server.Inject(sandbox.Fault{CutAfter: 20})
	p.send("GET", "/api/v1/submissions?page_size=2", sandbox.TestKey, "")   // 6
	p.send("GET", "/api/v1/submissions?page_size=500", sandbox.TestKey, "") // 7
	p.visit("?request=6")
	p.appears(".headline .bad", "200")
	p.appears(".headline", "200 · cut after 20 bytes")
	p.appears(".pane", "Full response, of which 20 bytes were sent")
	p.appears(".pane", "— cut here, after 20 bytes —")
	p.appears(row(6)+".bad", "200 cut")
	p.do(chromedp.KeyEvent("k"))
	p.appears(".headline", "page_size")
	p.do(chromedp.KeyEvent("d"))
	p.becomes("location.search.includes('with=5')") // Not the one that was cut.
	p.server.Inject(sandbox.Fault{Body: strings.Repeat("long ", 1000)})
	p.send("GET", "/api/v1/submissions/"+sandbox.UnknownID, sandbox.TestKey, "")    // 8
	p.send("GET", "/api/v1/submissions/"+sandbox.AssessmentID, sandbox.TestKey, "") // 9
	p.visit("?q=is:failed")
	p.listed(9, 7, 6, 4)
	p.visit("?request=7&with=8")
	p.appears(".differences", "(a body of 5000 bytes)")
	p.visit("?request=9&with=8")
	p.appears(".differences .less", "GET /api/v1/submissions/"+sandbox.UnknownID)
	p.appears(".differences .more", "GET /api/v1/submissions/"+sandbox.AssessmentID)                                                        // The only cause.
	for _, path := range []string{"", "?page_size=1", "/" + sandbox.SubmissionID + "/report", "/" + sandbox.BusySubmissionID + "/report"} { // 10 to 13
		p.send("GET", "/api/v1/submissions"+path, sandbox.TestKey, "")
	}
	p.server.Inject(sandbox.Fault{Status: 503, Times: 2})
	p.send("GET", "/api/v1/submissions", sandbox.TestKey, "")                                 // 14
	p.send("GET", "/api/v1/submissions/"+sandbox.SubmissionID+"/report", sandbox.TestKey, "") // 15
	for number, partner := range map[int]int{14: 10, 15: 12} {                                // Of the same path and query.
		p.visit("?request=" + strconv.Itoa(number))
		p.appears(".headline", "503")
		p.do(chromedp.KeyEvent("d"))
		p.becomes("location.search.includes('with=" + strconv.Itoa(partner) + "')")
	}
	p.appears(".differences", "(a body of ")
	p.send("GET", "/api/v1/account", "sk_test_nothing", "") // 16
	p.visit("?request=16")
	p.appears(".headline", "401")
	p.do(chromedp.KeyEvent("d"))
	p.appears("p.less", "#2 success of another key before it: 200")
	p.visit("?request=1")
	p.appears(".pane", "more bytes")
	p.becomes(`/^\{\n  "data": \[\n    \{\n      "id": "/.test(document.querySelector(".body").textContent)`) // Indented, although its end is missing.
	p.send("POST", invitationsPath, sandbox.TestKey, invitation)
	p.send("POST", invitationsPath, sandbox.TestKey, invitation)
	n := len(p.server.Journal())
	p.visit(fmt.Sprintf("?request=%d", n))
	p.press("#compare")
	p.appears("p.less", fmt.Sprintf("#%d", n-1)) // The write that was sent again.
	p.send("GET", "/api/v1/submissions?status=evaluated", sandbox.TestKey, "")
	p.send("GET", "/api/v1/submissions?page_size=500", sandbox.TestKey, "")
	p.visit(fmt.Sprintf("?request=%d", len(p.server.Journal())))
	p.press("#compare")
	p.appears(".differences .less", "page_size=1") // The same parameters before a later success.
	for _, body := range []string{"x\n\ny", "x\n\nz"} {
		p.send("POST", "/api/v1/assessments", sandbox.TestKey, body)
	}
	n = len(p.server.Journal())
	p.visit(fmt.Sprintf("?request=%d&with=%d", n, n-1))
	p.appears(".pane h3", "Request: 2 lines differ. Response: the same") // A body may have blank lines.
	p.send("POST", "/api/v1/assessments", sandbox.TestKey, "{bad")
	p.visit(fmt.Sprintf("?request=%d", n+1))
	p.becomes("document.querySelector('[aria-label=Request] .body')?.textContent === '{bad'") // As it was sent.
	p.server.ClearJournal()
	for _, id := range []string{sandbox.SubmissionID, sandbox.PendingSubmissionID, sandbox.UnknownID} {
		p.send("GET", "/api/v1/submissions/"+id+"/report", sandbox.ReadOnlyKey, "")
	}
	p.visit("?q=status:404+key:" + sandbox.ReadOnlyKey)
	p.press("#list .row")
	p.appears(".headline", "404")
	p.do(chromedp.KeyEvent("d"))
	p.becomes(fmt.Sprintf(`!!document.querySelector("p.less")?.innerText.includes("success before it: 200") && document.querySelector(".differences").innerText.includes(%q)`, sandbox.SubmissionID+"/report"))
}

// TestATimeWindow is chosen by dragging over the bars, and is in the address.
func TestATimeWindow(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 28, 17, 10, 0, 0, time.UTC)
	p := open(t, sandbox.WithClock(func() time.Time { return now }))
	for range 10 {
		p.request(1)
		now = now.Add(time.Minute)
	}
	now = now.Add(-57 * time.Second)
	p.send("GET", "/api/v1/submissions?page_size=500", sandbox.TestKey, "") // 11, in the bar of 10.
	now = now.Add(57 * time.Second)
	p.visit("")
	p.do(chromedp.WaitVisible(chromedp.CSS(row(11))))
	p.becomes("document.querySelectorAll('.gap').length === 1 && !document.querySelector('.bar.broken')") // Between what was refused and the rest.
	p.appears(".axis", "17:19:05")                                                                        // The end of the last bar.
	type box struct{ X, Y, Width float64 }
	bar := func(n int) (x, y float64) {
		b := evaluate[box](p, fmt.Sprintf("(r => ({X: r.x, Y: r.y, Width: r.width}))([...document.querySelectorAll('.over-time .bar')].filter(e => e.getBBox().height)[%d].getBoundingClientRect())", n))
		return b.X + b.Width/2, b.Y + 5
	}
	mouse := func(kind input.DispatchMouseEventType, x, y float64) {
		p.do(chromedp.MouseEvent(kind, x, y, chromedp.ButtonType(input.MouseButtonLeft), chromedp.ClickCount(1)))
	}
	firstX, _ := bar(0)
	lastX, lastY := bar(9)
	p.point(lastX, lastY)
	p.appears(".axis", "17:19:00 – 17:19:05: 2 requests, 1 failed")
	p.point(lastX-(lastX-firstX)/18, lastY)
	p.appears(".axis", "17:18:30 – 17:18:35: 0 requests, 0 failed")
	fromX, fromY := bar(3)
	toX, _ := bar(5)
	mouse(input.DispatchMouseEventTypeMousePressed, fromX, fromY)
	mouse(input.DispatchMouseEventTypeMouseMoved, toX, fromY)
	p.appears(".axis", "17:13:00 – 17:15:05: 3 requests, 0 failed")
	mouse(input.DispatchMouseEventTypeMouseReleased, toX, fromY)
	p.listed(6, 5, 4)
	p.becomes("[...document.querySelectorAll('.axis time:not(.tick)')].map(e => e.innerText).join() === '17:13:00,17:15:06'") // Of the window, in bars of 2 s.
	p.becomes("[...document.querySelectorAll('.tick')].map(e => e.innerText).join() === '17:13:30,17:14:30'")
	assert.Equal(t, "after:2026-11-28T17:13 before:2026-11-28T17:15:05", evaluate[string](p, "document.querySelector('[name=q]').value"))
	p.dress(appearance{width: 390, height: 844})
	p.becomes("document.querySelector('.over-time svg').getBoundingClientRect().height === 28 && document.querySelector('.filters').offsetHeight < 110")
	p.dress(appearance{width: 1280, height: 800})
	p.becomes("document.querySelector('.filters').offsetHeight < 40") // A long text moves no button to another line.
	p.press("#clear-search")
	p.listed(11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)
	assert.True(t, evaluate[bool](p, "document.activeElement === document.body"), "after a click no suggestions cover the bars")
	evaluate[string](p, "document.querySelector('.over-time svg').focus(), ''")
	p.do(chromedp.KeyEvent(kb.ArrowLeft))
	p.appears(".axis", "17:19:00 – 17:19:05: 2 requests, 1 failed")
	p.do(chromedp.KeyEvent(kb.ArrowLeft))
	p.appears(".axis", "17:18:00 – 17:18:05: 1 request, 0 failed") // Not the empty bars between them.
	p.do(chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	p.appears(".axis", "17:19:00 – 17:19:05: 2 requests, 1 failed")
	p.dress(appearance{width: 720, height: 450}) // As when zoomed.
	p.do(chromedp.KeyEvent(kb.Home))
	p.appears(".axis", "17:10:00 – 17:10:05: 1 request, 0 failed")
	p.dress(appearance{width: 1280, height: 800})
	p.do(chromedp.KeyEvent(kb.PageUp), chromedp.KeyEvent(kb.PageDown), chromedp.KeyEvent(kb.End))
	p.appears(".axis", "17:19:00 – 17:19:05: 2 requests, 1 failed")
	p.do(chromedp.KeyEvent("e")) // Fewer bars than the chosen one's number.
	p.listed(11)
	p.do(chromedp.KeyEvent("e"))
	p.listed(11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)
	evaluate[string](p, "document.querySelector('.over-time svg').focus(), ''")
	p.do(chromedp.KeyEvent(kb.End))
	p.appears(".axis", "17:19:00 – 17:19:05: 2 requests, 1 failed")
	p.do(chromedp.KeyEvent(kb.Enter))
	p.listed(11, 10)
	p.visit("?q=after:2026-11-28T17:13:00.000+before:2026-11-28T17:13:00.332")
	p.listed(4)
	now = now.Add(50 * time.Hour)
	p.visit("?q=after:17:12+before:17:14") // As the rows show it, whichever day.
	p.listed(4, 3)
	p.visit("?q=after:2026-11-01+before:2026-12-01")
	p.becomes("document.querySelectorAll('#list .day').length === 1") // None is of today.
	p.visit("?q=staus:400+status:abc")
	p.becomes("/^status: must be .* or failed\\.\\s+staus is not a name of the search/s.test(document.querySelector('.none')?.innerText)")
	p.visit("?q=staus:400")
	p.appears(".none", "staus is not a name of the search: did you mean status? The names are status, route, ")
	p.do(chromedp.KeyEvent("/"))
	p.appears(".suggest", "staus is not a name of the search") // Above what hides the other.
	p.request(1)                                               // Of another day.
	p.visit("")
	p.do(chromedp.WaitVisible(chromedp.CSS(row(12))))
}

// TestOneCandidate: reads that fail, a late report, e-mails, the log and undo.
func TestOneCandidate(t *testing.T) {
	t.Parallel()
	p := open(t)
	assessment, invitation := p.candidate()
	get := func() int {
		p.server.ClearJournal()
		c, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.base+"/api/v1/submissions/"+evaluate[string](p, "document.querySelectorAll('.pane .meta code')[1].title")+"/report", http.NoBody)
		require.NoError(t, err)
		c.Header.Set("Authorization", "Bearer "+sandbox.LiveKey)
		res, err := p.server.Transport().RoundTrip(c)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		return res.StatusCode
	}
	p.press("#candidate-mails")
	p.appears(".mail-row[aria-current] .topic", "Invitation: Backend engineer Hello Ada, Sandbox Live Ltd")
	p.appears(".letter", "Sandbox Live Ltd invites you to the assessment \"Backend engineer\".")
	p.becomes("document.querySelector('.pane h2 a').href.endsWith('?candidate=" + invitation + "')")
	p.appears(".letter", "no request in the journal")
	p.press(".pane .line button") // Open as candidate.
	p.appears(".said", "Ada opened")
	p.becomes("document.querySelectorAll('.pane .line button').length === 1 && !document.querySelector('.unread')") // One copies the link.
	p.do(chromedp.NavigateBack())
	p.appears(".pane .meta", "opened")
	p.do(chromedp.KeyEvent("z"))
	p.appears(".said", "Undone: ada@candidates.test opened")
	p.appears(".pane .meta", "sent")
	submission, err := p.server.Begin(invitation)
	require.NoError(t, err)
	require.NoError(t, p.server.AppendEvents(submission, "ai_prompt", `{"text":"why"}`))
	p.press("#candidate-log summary")
	p.appears(".log", `ai_prompt`)
	p.becomes("[...document.querySelectorAll('.column h2')].every(e => e.scrollWidth <= e.clientWidth)")
	for _, fault := range []string{"503", "Cut"} {
		evaluate[string](p, "[...document.querySelectorAll('[aria-label=\"Next read of the report\"] button')].find(b => b.innerText === "+quote(fault)+").click(), ''")
		p.appears(".said", "The next read of the report: "+strings.ToLower(fault))
	}
	p.appears("#armed", "Next read: 503, Retry-After 1 s; then: cut after 20 bytes")
	p.appears(".card", "fault")
	assert.Equal(t, 503, get())
	p.appears("#armed", "Next read: cut after 20 bytes")
	p.press("#armed button")
	p.becomes("!document.querySelector('#armed')")
	assert.Equal(t, 200, get())
	p.visit("")
	p.appears("#list .row", "not evaluated yet")
	p.do(chromedp.NavigateBack())
	p.press("[popovertarget=late]")
	p.fill("#lateness-seconds", "soon")
	p.press("#lateness > button:not(.clear)")
	p.do(chromedp.WaitVisible(chromedp.ID("lateness-seconds-error")))
	p.fill("#lateness-seconds", "90")
	p.press("#lateness > button:not(.clear)")
	p.appears(".said", "Ada report late by 1 min 30 s")
	p.becomes("!document.querySelector(':popover-open')")
	p.press("[popovertarget=late]")
	p.press("#late [value='300']")
	p.appears(".said", "Ada report late by 5 min")
	p.appears(".card .badges", "late")
	p.appears("#delayed", "ready 5 min after the evaluation")
	result := sandbox.Result{ShipScore: new(31), Verdict: "no", IntegrityStatus: "flagged", LowConfidence: []hiring.PillarID{"craft"}}
	require.NoError(t, p.server.Evaluate(submission, result))
	p.appears("#delayed", "The report is not ready yet. It will be on")
	p.appears(".pane .report h3", "Report, ready on ")
	p.becomes(`/late \d\d:\d\d/.test(document.querySelector(".card .badges").innerText)`)
	p.appears(".card .score", "31 no")
	p.fill("#advance", "10m")
	p.appears("#ahead", "late report ready: Ada")
	p.press("#delayed button")
	p.appears(".said", "Ada report on time")
	p.appears(".pane .verdict", "31")
	for _, shown := range []string{"31", "no", "⚑", "low confidence: craft"} {
		p.appears(".card", shown)
	}
	result.Confidence = "low"
	require.NoError(t, p.server.Evaluate(submission, result))
	p.appears(".card", "low confidence") // Of the whole report.
	p.choose("#verdict", "yes")
	p.appears(".none", "No candidate matches.")
	p.choose("#verdict", "flagged")
	p.appears(".card .score", "31")
	p.visit("console/mails")
	p.appears(".mails", "opened")
	for width, height := range map[int64]int{1000: 64, 390: 96} {
		p.dress(appearance{width: width, height: 800})
		p.becomes(fmt.Sprintf("document.querySelector('.mail-row')?.offsetHeight < %d", height))
	}
	p.dress(appearance{width: 1280, height: 800})
	p.press(".mail-row")
	bea, err := p.server.Invite(assessment, "bea@candidates.test", "Bea")
	require.NoError(t, err)
	p.becomes("(all => all.length === 2 && !all[0].ariaCurrent && !!all[1].ariaCurrent)(document.querySelectorAll('.mail-row'))")
	p.appears(".pane h2", "Ada")
	for _, press := range [][2]string{{"k", "Bea"}, {"k", "Bea"}, {"j", "Ada"}} {
		p.do(chromedp.KeyEvent(press[0]))
		p.appears(".pane h2", press[1])
	}
	p.do(chromedp.KeyEvent(kb.Escape))
	p.becomes("!document.querySelector('.pane') && document.activeElement.innerText.includes('ada@candidates.test')")
	p.do(chromedp.KeyEvent("k"), chromedp.KeyEvent(kb.Enter))
	p.becomes("document.activeElement.matches('.pane') && document.querySelector('.pane h2').innerText === 'Bea'")
	p.send("POST", "/api/v1/assessments/"+assessment+"/invitations/"+bea+"/resend", sandbox.LiveKey, "")
	p.becomes("document.querySelectorAll('.mail-row[aria-current]').length === 2")
	p.do(chromedp.KeyEvent("j"))
	p.appears(".pane h2", "Ada") // Below both e-mails to Bea.
	p.server.AddKey(sandbox.Key{Token: "sk_live_other", Organization: "other"})
	p.visit("console/mails?text=nobody")
	p.appears("main", "No e-mail matches.")
	p.fill("input[name=text]", "ADA@")
	p.becomes("document.querySelectorAll('.mail-row').length === 1")
	p.press(".mail-row")
	p.becomes(`/From\s+Sandbox Live Ltd\s+Sent\s+\w+, .* \d\d:\d\d:\d\d\.\d{3}/.test(document.querySelector(".letter")?.innerText)`)
	assert.NotContains(t, p.text(".pane"), "default")
	assert.Contains(t, p.text(".filters"), "1 of 3 e-mails")
	p.visit("console/faults")
	p.fill("#inject-candidate", "ada@candidates.test")
	p.press("#inject > button:not(.clear)")
	p.appears(".faults tr.waiting", "500 for every request about ada@candidates.test")
}

// TestEachActionIsUndone by its notice: also a reset, whose requests come back.
func TestEachActionIsUndone(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.request(3)
	p.server.AddAssessment("Backend")
	p.visit("")
	p.do(chromedp.WaitVisible(chromedp.CSS(row(3))))
	p.startOver("#reset")
	p.appears(".said", "The sandbox is reset")
	p.appears(".guide", "No requests yet")
	p.press("#undo")
	p.do(chromedp.WaitVisible(chromedp.CSS(row(3))))
	p.press(`[aria-label="Advance the clock by 1 d"]`)
	p.appears("#now", "1 d ahead")
	p.send("POST", "/api/v1/assessments", sandbox.LiveKey, `{"challenge_id":"c0000000-0000-4000-8000-000000000001","name":"Mine"}`)
	evaluate[string](p, `navigator.clipboard.writeText = () => Promise.resolve(), ""`)
	p.do(chromedp.WaitVisible(chromedp.CSS(row(4))))
	evaluate[string](p, `["j", "y"].forEach(key => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }))), ""`) // Before a frame is drawn.
	p.appears(".said", "is copied as curl")
	p.do(chromedp.Reload())
	p.appears("#list .action [title^='Undo, with 1 write of your program: ']", "Undo (1 write")
	p.do(chromedp.KeyEvent("z"))
	p.appears("#undo", "Undo, with 1 write of your program") // It asks first.
	p.appears("#now", "1 d ahead")
	p.press("#undo")
	p.becomes("!document.querySelector('#now').innerText.includes('ahead')")
	p.becomes(`document.querySelector(".said > span")?.innerText === "Undone, with 1 write of your program: Clock moved by 1 d"`)
	p.appears("#list", "Undone, with #4: Clock moved by 1 d")
	p.appears(row(4), "undone")
	p.press(row(4))
	p.appears(".headline", "201 · made Mine, then undone at")
	p.candidate()
	evaluate[string](p, `document.querySelector("#later:not([popover]), [popovertarget=later]").focus(), ""`)
	for _, press := range [][2]string{{kb.ArrowDown, ""}, {kb.Enter, "started"}, {kb.Tab, "submitted"}, {kb.Tab, "evaluated"}} {
		p.do(chromedp.KeyEvent(press[0]))
		p.becomes("document.activeElement.value === " + quote(press[1]))
		p.appears(".pane .meta", "sent") // Only the choice acts.
	}
	p.do(chromedp.KeyEvent(kb.Enter))
	p.appears(".said", "Ada evaluated: ")
	p.appears(".pane .verdict", "confidence")
	p.press("#undo") // All steps were one action.
	p.appears(".pane .meta", "sent")
	p.press("#next")
	p.appears(".said", "Ada opened")
	p.appears(".pane .meta", "opened") // The buttons move then.
	p.press("#revoke")
	p.appears(".card.ended .mark", "revoked")
	p.appears(".timeline li:last-child", "revoked")
	p.becomes("!document.querySelector('[aria-label=\"Next read of the report\"]')")
	p.do(chromedp.Reload())
	p.appears(".card.ended .mark", "revoked")
	p.do(chromedp.KeyEvent("z"))
	p.appears(".said", "Undo: ada@candidates.test revoked?") // Nothing had said what it would be.
	p.do(chromedp.KeyEvent("z"))
	p.do(chromedp.WaitVisible(chromedp.ID("revoke")))
	p.appears("#undo", "Undo next: ada@candidates.test opened")
	p.do(chromedp.KeyEvent("z"))
	p.appears(".pane .meta", "sent")
	p.do(chromedp.KeyEvent("1"))
	p.appears("#list .action", "5 actions, the last: Undone: ada@candidates.test opened")
	p.press("#list .action [aria-expanded]")
	p.appears("#list", strings.ReplaceAll("Undone: ADA started, ADA evaluated: ", "ADA", "ada@candidates.test"))
	p.do(chromedp.KeyEvent("z"))
	p.appears(".said", "There is nothing to undo")
	p.send("GET", "/api/v1/account", sandbox.LiveKey, "") // 5
	p.server.SetQuota(sandbox.LiveKey, sandbox.ClassRead, 1)
	p.press("[aria-label='Advance the clock by 1 h']")
	p.appears(".said", "The clock is at")
	p.fill("#advance", "never")
	p.do(chromedp.SendKeys(chromedp.ID("advance"), kb.Enter))
	p.do(chromedp.WaitVisible(chromedp.CSS(".clock [role=alert]"))) // Refused: nothing to undo.
	p.server.SetArchives(false)
	p.server.SetQuota(sandbox.LiveKey, sandbox.ClassRead, 3)
	evaluate[string](p, "document.activeElement.blur(), ''")
	p.do(chromedp.KeyEvent("z"))
	p.appears(".said", "Undo: Clock moved by 1 h?") // It asks, because a program made the others.
	p.appears("#undo", "Undo, with 2 actions of the control API")
	p.press("#undo")
	p.appears(".said", "Undone, with 2 actions of the control API: Clock moved by 1 h")
	p.becomes("!document.querySelector('#now small')")
	p.send("GET", "/api/v1/account", sandbox.LiveKey, "") // 6
	p.send("GET", "/api/v1/account", sandbox.LiveKey, "") // 7
	p.visit("?request=7")
	p.appears(".pane .note", "Remaining set to 1 reads for ") // Not to 3, which is undone.
}

// TestUndoOfSeveralActions says how many, before and after.
func TestUndoOfSeveralActions(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.visit("")
	for i, step := range []string{"d", "h"} {
		p.press(`[aria-label="Advance the clock by 1 ` + step + `"]`)
		p.appears("#now", "1 d")
		p.request(1)
		p.do(chromedp.WaitVisible(chromedp.CSS(row(i + 1))))
	}
	p.becomes(`[...document.querySelectorAll("#list .action button")].map(e => e.innerText).join() === "Undo,Undo 2 actions"`)
	p.press(`#list [aria-label^="Undo 2 actions: Clock moved by 1 d"]`)
	p.appears(".said", "Undone: Clock moved by 1 h and 1 more")
	p.becomes("!document.querySelector('#now').innerText.includes('ahead')")
}

// TestSendAgain sends the same request with the same key.
func TestSendAgain(t *testing.T) {
	t.Parallel()
	p := open(t)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.base+"/api/v1/assessments?x=1", strings.NewReader(`{"challenge_id":"c0000000-0000-4000-8000-000000000001","name":"Søren"}`))
	require.NoError(t, err)
	r.Header = http.Header{"Authorization": {"Bearer " + sandbox.LiveKey}, "Content-Type": {"application/json"}, "Accept-Language": {"sv"}, "X-Api-Key": {sandbox.LiveKey}} // The last one is recorded redacted.
	response, err := p.server.Transport().RoundTrip(r)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	p.visit("?request=1")
	evaluate[string](p, "(later => { window.ends = []; window.setTimeout = (f, ms) => ms < 5000 ? later(f, ms) : ends.push(f) })(setTimeout), ''")
	p.press("#again")
	p.appears(".said", "Sent again as #2: 201")
	p.appears("p.more", "#2 this request: 201") // Beside the first one.
	p.becomes("/no User-Agent$/.test(document.querySelector('p.less').innerText) && /this page$/.test(document.querySelector('p.more').innerText)")
	p.appears(".pane h3", "Request: 1 line differs. Response: the same")
	evaluate[string](p, "document.querySelector('.said button').focus(), ends.forEach(f => f()), requestAnimationFrame(() => requestAnimationFrame(() => { window.drawn = true })), ''")
	p.becomes("window.drawn")
	p.becomes("document.activeElement.closest('.said')?.offsetHeight > 0") // As long as it has the focus.
	evaluate[string](p, "document.activeElement.blur(), ''")
	p.becomes("!document.querySelector('.said')")
	journal := p.server.Journal()
	require.Len(t, journal, 2)
	assert.Equal(t, []string{journal[0].Path, journal[0].Query, string(journal[0].Body), journal[0].Key}, []string{journal[1].Path, journal[1].Query, string(journal[1].Body), journal[1].Key})
	assert.Equal(t, []string{"application/json", "sv"}, []string{journal[1].Header.Get("Content-Type"), journal[1].Header.Get("Accept-Language")})
	p.press("[popovertarget=editing]")
	p.becomes(`document.activeElement.matches("#editing input")`)
	assert.Equal(t, "/api/v1/assessments?x=1", evaluate[string](p, "document.querySelector('#editing input').value"))
	p.fill("#editing label:last-of-type textarea", `{"name":"Søren"}`)
	p.press("#editing form button")
	p.appears(".said", "Sent edited as #3: 400")
	p.becomes("!document.querySelector(':popover-open')")
	journal = p.server.Journal()
	assert.Equal(t, []string{"x=1", `{"name":"Søren"}`}, []string{journal[2].Query, string(journal[2].Body)})
	p.server.ClearJournal()
	p.send("GET", "/api/v1/account", sandbox.LiveKey, "")
	p.visit("")
	p.press(row(4))
	p.press("[popovertarget=editing]")
	p.fill("#editing input", "/not-sent")
	p.do(chromedp.KeyEvent(kb.Escape))
	p.send("GET", "/api/v1/account", sandbox.LiveKey, "") // 5, with the same path.
	p.visit("")
	p.press(row(5))
	p.appears(".pane .meta", "#5")
	p.do(chromedp.KeyEvent("j"))
	p.appears(".pane .meta", "#4")
	p.press("[popovertarget=editing]")
	p.fill("#editing input", "/not-sent")
	p.do(chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent("k"))
	p.appears(".pane .meta", "#5")
	assert.Equal(t, "/api/v1/account", evaluate[string](p, "document.querySelector('#editing input').value"), "another request has fields of its own")
	p.do(chromedp.KeyEvent("j"))
	p.appears(".pane .meta", "#4")
	p.press("[popovertarget=editing]")
	p.fill("#editing input", "/api/v1/assessments?page_size=5?0")
	p.press("#editing form button")
	p.appears(".said", ": 400")
	p.appears("p.more", "#6 this request")
	p.press("[popovertarget=editing]")
	p.choose("#editing select", "")
	p.press("#editing form button")
	p.appears(".said", ": 401")
	assert.Equal(t, "page_size=5?0", p.server.Journal()[2].Query, "a body only of a write, and whatever follows the first question mark")
	p.visit("?request=5")
	p.press("[popovertarget=editing]")
	p.choose("#editing label:nth-of-type(2) select", "PUT")
	p.fill("#editing textarea", "Content-Type: text/plain\nnone")
	p.press("#editing form button")
	p.appears(".said", "“none” is no header.")
	p.press("[popovertarget=editing]")
	p.fill("#editing textarea", "Content-Type: text/plain\nAccept-Language:  sv\n")
	p.fill("#editing label:last-of-type textarea", "a text")
	p.press("#editing form button")
	p.appears(".said", "Sent edited as #8: 405")
	sent := p.server.Journal()[4]
	assert.Equal(t, []string{"PUT", "text/plain", "sv", "a text"}, []string{sent.Method, sent.Header.Get("Content-Type"), sent.Header.Get("Accept-Language"), string(sent.Body)})
}

// TestWhatThePageSent is no request of the program.
func TestWhatThePageSent(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.send("POST", "/api/v1/assessments", sandbox.LiveKey, `{"challenge_id":"c0000000-0000-4000-8000-000000000001","name":"Søren"}`)
	p.visit("?request=1")
	p.press("#again")
	p.appears(".said", "Sent again as #2: 201")
	p.visit("")
	p.appears(row(2), "this page") // Not by the program, which repeated nothing.
	p.becomes("!document.querySelector('.twice')")
	p.press("[aria-label='Advance the clock by 1 d']")
	p.appears("#list .action", "Clock moved by 1 d")
	p.appears(".said", "The clock is at") // The row may come before the end of the action, which z undoes.
	p.do(chromedp.KeyEvent("z"))
	p.appears("#list .action s", "Clock moved by 1 d") // One row for both.
	p.appears("#undo", "Undo next: Sent again")
	p.do(chromedp.KeyEvent("z"))
	p.appears(row(2), "undone")
	p.visit("?view=groups")
	p.appears("#programs", "this page 1 (50 %)")
	p.becomes("[...document.querySelectorAll('.groups td small[title]')].some(e => e.innerText === 'this page')")
	p.press("#groups") // The link above covers no button.
	p.listed(2, 1)
}

// TestAnExportIsOpened by dropping it on the page, read-only.
func TestAnExportIsOpened(t *testing.T) {
	t.Parallel()
	p := troubled(t)
	p.candidate()
	p.press("#next")
	p.appears(".said", "opened")
	for number, together := range map[int]string{3: "2,3,4", 6: "6"} { // A write with those that repeat it.
		p.visit(fmt.Sprintf("?request=%d", number))
		p.appears(".pane .meta", fmt.Sprintf("#%d", number))
		evaluate[string](p, `HTMLAnchorElement.prototype.click = function () { fetch(this.href).then(r => r.json()).then(f => window.together = f.entries.map(e => e.number).join()) }, ""`)
		p.press("#export")
		p.becomes("window.together === " + quote(together))
	}
	p.visit("")
	p.appears("#list .action:has(a) button", "Undo")
	evaluate[string](p, `fetch(document.querySelector("a[download]").href).then(r => r.blob()).then(b => { window.zipped = b; return new Response(b.stream().pipeThrough(new DecompressionStream("gzip"))).text() }).then(t => window.exported = t), ""`)
	p.becomes("!!window.exported && window.exported.length > 3 * window.zipped.size")
	evaluate[string](p, "document.querySelector('a[download]').click(), ''")
	p.appears(".said", "Saved as journal.json.gz")
	text := evaluate[string](p, "window.exported")

	evaluate[string](p, `fetch("/_sandbox/journal?details=true&export=true&zipped=true&limit=1&after=6").then(r => r.blob()).then(b => { window.zippedOne = b }), ""`)
	p.becomes("!!window.zippedOne")
	p.server.ClearJournal()
	drop := func(text, name string) {
		evaluate[string](p, `(d => { d.items.add(new File([`+text+`], `+quote(name)+`)); dispatchEvent(new DragEvent("drop", { dataTransfer: d, bubbles: true, cancelable: true })); return "" })(new DataTransfer())`)
	}
	drop(`"[]"`, "other.json")
	p.appears(".said", "other.json is not an exported journal")
	p.do(chromedp.KeyEvent(kb.Escape)) // An error stays until it is closed.
	p.becomes("!document.querySelector('.said')")
	drop(`'{"entries":[],"actions":[],"stats":{"count":0,"failed":0,"buckets":[]}}'`, "none.json")
	p.appears(".banner", "From a file: none.json")
	p.press(".banner button")
	drop("window.zippedOne", "one.json.gz")
	p.appears(".pane .meta", "#7")
	p.do(chromedp.KeyEvent("d"))
	p.appears(".said", "No other request of this route in this file succeeded")
	p.appears(".banner", "From a file: one.json.gz, 1 of the 8 requests that its sandbox received, read-only.")
	p.appears(".axis", "1 request, 0 failed")
	p.becomes(`(all => all.length === 1 && /^Injected fault 2/.test(all[0].innerText))(document.querySelectorAll(".action"))`) // No other candidate is named.
	drop("window.zipped", "journal.json.gz")
	p.appears(".banner", "From a file: journal.json.gz, 8 requests, read-only. Reloading the page closes it.")
	p.listed(8, 7, 6, 5, 4, 3, 2, 1)
	p.appears("#list", "Injected fault 1: connection reset for POST *")
	p.becomes(`/ada@candidates.test opened/.test(document.querySelector(".action").innerText) && !document.querySelector(".action :is(a, button)")`) // The server may be another one.
	p.press(row(6))
	p.appears(".headline", "challenge_id is required")
	assert.Empty(t, evaluate[string](p, "location.search"), "it would mean a request of the server")
	p.press(row(3))
	p.appears(".head + .note.odd", "Sent again")
	assert.False(t, evaluate[bool](p, "!!document.querySelector('#again')"))
	p.press(row(4))
	p.appears(".pane .meta", "#4")
	p.press("#compare")
	p.appears("p.less", "#2 success before it: 201")
	p.press("#groups")
	p.becomes(`(all => all.length === 7 && all.findIndex(e => /^201.POST .* 2 25 %/.test(e.innerText.replace(/\s+/g, " "))) === 4 && !!all[0].querySelector("path").getAttribute("d"))([...document.querySelectorAll(".groups tbody tr")])`)
	p.press(".groups tr:nth-child(5) a")
	p.listed(3, 2)
	for search, found := range map[string][]int{"members": {5}, "陳": {6}, "-program:none": nil, "#6": {6}, `"not done"`: {4}, "status:reset": {4}, "repeats:2,7": {7, 4, 3, 2}, "done": {4}, `"unknown key"`: {5}, "status:4xx -method:get": {6}, "is:failed": {8, 6, 5, 4}, `route:"GET /submissions"`: nil, "fault:9,2": {7}, "status:401,none": {8, 5, 4}, "-status:2xx key:none": {8}, "took:>1s": {7}, "field:challenge_id": {6}, "-code:invalid_token is:failed": {6, 4}, `"Must have at least" -members`: {6}} {
		p.fill("input[name=q]", search)
		p.becomes("document.querySelector('h1').textContent === " + quote("Journal "+search)) // Several find the same.
		p.listed(found...)
	}
	p.fill("input[name=q]", "took:>soon")
	p.appears(".none", "took:>soon does not work in a file")
	at := evaluate[string](p, "JSON.parse(window.exported).entries[7].at") // Seconds after the others.
	p.fill("input[name=q]", "after:"+at)
	p.listed(8)
	p.fill("input[name=q]", "before:"+at[11:])
	p.listed(7, 6, 5, 4, 3, 2, 1)
	p.becomes("!!document.querySelector('.bar.broken')") // The response of 4 was lost.
	p.fill("input[name=q]", "after:5m")
	p.appears(".none", "after:5m does not work in a file")
	p.press(".banner button")
	p.appears(".guide", "No requests yet")
	choose := func(text string) {
		name := filepath.Join(t.TempDir(), "chosen.json")
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
		p.do(chromedp.SetUploadFiles(chromedp.CSS("input[type=file]"), []string{name}))
	}
	choose(`{"newest":3,"entries":[{"number":1,"at":"2026-11-28T10:00:00.000Z","method":"GET","path":"/","query":"","key":""},{"number":2,"at":"2026-11-30T10:00:00.000Z","method":"GET","path":"/","query":"","key":""}],"stats":{"buckets":[{"at":"2026-11-28T10:00:00.000Z","count":1,"failed":0,"refused":0},{"at":"2026-11-28T10:00:01.000Z","count":0,"failed":0,"refused":0},{"at":"2026-11-30T10:00:00.000Z","count":1,"failed":0,"refused":0,"idle":172800}],"length":1}}`)
	p.appears(".jump", "idle 2 d")
	p.appears(".banner", "2 of the 3 requests that its sandbox received, read-only.")
	evaluate[string](p, `history.replaceState("?request=3", "", "?"), dispatchEvent(new Event("popstate")), ""`) // As a link to it does.
	p.appears(".pane", "Request #3 is not in the file.")
	choose(text) // Not compressed.
	p.appears(".banner", "From a file: chosen.json, 8 requests")
	p.send("GET", "/api/v1/account", "", "") // In the server.
	p.becomes("document.title.startsWith('(1 failed)')")
	p.listed(8, 7, 6, 5, 4, 3, 2, 1)
}

// TestThePageIsSmall: ten requests, all compressed, show it, and twelve grey rows before the first answer.
func TestThePageIsSmall(t *testing.T) {
	t.Parallel()
	p := open(t)
	var requests atomic.Int32
	page := console.Handler(p.server)
	p.page.Store(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		page.ServeHTTP(w, r)
	}))
	p.request(400)
	p.visit("")
	p.do(chromedp.WaitVisible(chromedp.CSS(row(400))))
	p.becomes("!!document.querySelector('#now b')")
	assert.LessOrEqual(t, requests.Load(), int32(10))
	sizes := evaluate[[]int](p, "performance.getEntriesByType('resource').filter(e => /static|journal/.test(e.name)).map(e => e.encodedBodySize / Math.max(1, e.decodedBodySize) * 100 | 0)")
	for _, percent := range sizes {
		assert.Less(t, percent, 80, "%d", sizes)
	}
	p.visit("?view=groups")
	p.appears(".groups tbody", "400 100 %")
	assert.Less(t, evaluate[int](p, "Math.max(...performance.getEntriesByType('resource').filter(e => /journal/.test(e.name)).map(e => e.decodedBodySize))"), 20_000, "the server groups: a page of rows is 38,000; the bars of a slow machine are 5,000 bytes")
	evaluate[string](p, "fetch('/_sandbox/', { headers: { Accept: 'text/html' } }).then(r => r.text()).then(t => window.home = t), ''")
	p.becomes("(window.home ?? '').split('<i>').length === 13")
}

// TestPrintingAndColours: the pane alone is printed, whole; a theme is kept; more contrast is more.
func TestPrintingAndColours(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.request(40)
	p.visit("?request=7")
	p.appears(".headline", "200")
	p.media("print", "prefers-reduced-motion", "reduce")
	p.becomes("!document.getElementById('header').offsetHeight && !document.getElementById('list').offsetHeight && !document.querySelector('#again').offsetHeight")
	p.becomes("(e => e.scrollHeight <= e.clientHeight + 2)(document.querySelector('.pane'))")
	p.becomes("/X-Request-Id/.test(document.querySelector('.pane').innerText) && !document.querySelector('h1').offsetHeight") // The headers are open.
	p.media("", "prefers-contrast", "more")
	more := evaluate[string](p, "getComputedStyle(document.querySelector('.meta')).color")
	p.media("", "prefers-color-scheme", "light")
	light := evaluate[string](p, "getComputedStyle(document.body).backgroundColor")
	assert.NotEqual(t, more, evaluate[string](p, "getComputedStyle(document.querySelector('.meta')).color"))
	p.do(chromedp.KeyEvent("?"))
	p.press("#single-keys")
	p.choose("#theme", "dark")
	p.becomes("getComputedStyle(document.body).backgroundColor !== " + quote(light))
	p.do(chromedp.Reload())
	p.becomes("document.documentElement.dataset.theme === 'dark' && getComputedStyle(document.body).backgroundColor !== " + quote(light))
	p.do(chromedp.WaitVisible(chromedp.CSS(row(7))))
	p.do(chromedp.KeyEvent("2")) // No shortcut any more.
	p.do(chromedp.KeyEvent(kb.Escape))
	p.becomes("!document.querySelector('.pane') && location.pathname === '/_sandbox/'")
	assert.Regexp(t, `(?s)^200\s+GET.*took .*number 7$`, evaluate[string](p, "document.querySelector('#list .row[data-keep=x7]').textContent.trim()"), "words, not columns")
}

// TestWhatIsNewStandsOut: a new row fades in, and a card slides into its column, but not under reduced motion.
func TestWhatIsNewStandsOut(t *testing.T) {
	t.Parallel()
	p := open(t)
	assessment := p.server.AddAssessment("Backend")
	p.request(1)
	for number, motion := range []string{"reduce", "no-preference"} {
		p.media("", "prefers-reduced-motion", motion)
		p.visit("")
		p.do(chromedp.WaitVisible(chromedp.CSS(row(number + 1))))
		evaluate[string](p, "addEventListener('animationstart', e => { window.faded = e.animationName + ' ' + e.target.dataset.keep }), ''")
		p.request(1)
		p.do(chromedp.WaitVisible(chromedp.CSS(row(number + 2))))
		p.becomes("!document.getAnimations().length")
		assert.Equal(t, motion != "reduce", evaluate[bool](p, "window.faded === "+quote(fmt.Sprintf("fresh x%d", number+2))), motion)
		invitation, err := p.server.Invite(assessment, "ada@candidates.test", "Ada")
		require.NoError(t, err)
		p.visit(pipelinePath)
		card := `[data-keep="` + invitation + `"]`
		p.do(chromedp.WaitVisible(chromedp.CSS(card)))
		evaluate[string](p, "(animate => { Element.prototype.animate = function (...all) { window.slid = this.dataset.keep; return animate.apply(this, all) } })(Element.prototype.animate), ''")
		p.press(card + " button")
		p.becomes("!!document.querySelector('.column:nth-child(2) " + strings.ReplaceAll(card, `"`, `\"`) + "')")
		p.appears(".said", "Ada opened")
		p.becomes(fmt.Sprintf("(window.slid === %q) === %t", invitation, motion != "reduce"))
	}
	p.visit("")
	p.do(chromedp.WaitVisible(chromedp.CSS(row(3))))
	evaluate[string](p, "addEventListener('animationstart', () => { window.fades = (window.fades ?? 0) + 1 }), ''")
	p.request(40) // The first may come alone.
	p.do(chromedp.WaitVisible(chromedp.CSS(row(43))))
	p.becomes("!document.getAnimations().length")
	assert.LessOrEqual(t, evaluate[int](p, "window.fades ?? 0"), 10, "many at once do not")
}
