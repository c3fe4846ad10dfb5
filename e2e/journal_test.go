package e2e

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// request sends requests that succeed.
func (p *tab) request(times int) {
	p.t.Helper()
	client := p.client(sandbox.TestKey)
	for range times {
		_, err := client.Account.Get(p.t.Context())
		require.NoError(p.t, err)
	}
}

// send sends a request that may fail, with a header for its key.
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
	if res, err := new(http.Client).Do(r); err == nil {
		require.NoError(p.t, res.Body.Close())
	}
}

// TestRequestsAppearWhileAProgramWorks checks that they appear within a second.
func TestRequestsAppearWhileAProgramWorks(t *testing.T) {
	p := open(t)
	p.visit("")
	p.appears(".guide", "No requests yet")
	assert.Contains(t, p.text("#env"), "HIRING_BASE_URL="+p.base)
	client := p.client(sandbox.TestKey)
	var took []time.Duration
	for n := 1; n <= 5; n++ {
		_, err := client.Account.Get(t.Context())
		require.NoError(t, err)
		begun := time.Now()
		p.do(chromedp.WaitVisible(chromedp.CSS(row(n))))
		took = append(took, time.Since(begun))
	}
	t.Log("after", took)
	slices.Sort(took)
	assert.Less(t, took[2], time.Second, "half of them, on a machine that may be busy")
	in := hiring.NewInvitation{Email: "ada@candidates.test", Name: "Ada"}
	for range 2 {
		_, err := client.Invitations.Send(t.Context(), sandbox.AssessmentID, in)
		require.NoError(t, err)
	}
	p.appears(row(7), "repeats #6")
	p.appears(".chips", "995 reads")
	p.appears(".chips", "198 writes")
}

// row returns the selector of a row.
func row(number int) string { return `[data-keep="x` + strconv.Itoa(number) + `"]` }

// TestAClickOpensTheRowThatWasPointedAt at 50 requests a second. HIRING_LONG clicks 50 times.
func TestAClickOpensTheRowThatWasPointedAt(t *testing.T) {
	p := open(t, sandbox.WithQuota(1<<20, 1<<20))
	p.request(40)
	p.visit("")
	p.becomes("document.querySelectorAll('#list .row').length >= 40")
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		client := p.client(sandbox.TestKey)
		ticker := time.NewTicker(20 * time.Millisecond)
		defer ticker.Stop()
		for {
			select {
			case <-stop:
				return
			case <-ticker.C:
				_, _ = client.Account.Get(p.ctx)
			}
		}
	}()
	defer func() { close(stop); <-done }()
	tries := 20
	if os.Getenv("HIRING_LONG") != "" {
		tries = 50
	}
	hits, waited := 0, 0
	for i := range tries {
		x, y := 400.0, 230.0+float64(i%15)*30
		p.point(x, y)
		pointed := evaluate[string](p, fmt.Sprintf("document.elementFromPoint(%v, %v).closest('.row').dataset.keep", x, y))
		p.do(chromedp.Sleep(time.Duration(100+100*(i%4)) * time.Millisecond)) // As long as a person takes to click; there is nothing to wait for.
		if evaluate[bool](p, "!!document.querySelector('.new')") {
			waited++
		}
		p.do(chromedp.MouseClickXY(x, y))
		p.becomes("new URL(location).searchParams.has('request')")
		if "x"+evaluate[string](p, "new URL(location).searchParams.get('request')") == pointed {
			hits++
		}
		p.do(chromedp.KeyEvent("\x1b"))
		p.becomes("!new URL(location).searchParams.has('request')")
		p.leave()
	}
	assert.Equal(t, tries, hits, "clicks that opened the row under the pointer")
	assert.Greater(t, waited, tries/2, "requests arrived meanwhile")
	assert.Greater(t, len(p.server.Journal()), 10*tries)
}

// TestNothingMovesWhileSomebodyReads checks the pointer, the focus, a scrolled list and
// selected text.
func TestNothingMovesWhileSomebodyReads(t *testing.T) {
	p := open(t)
	p.request(60)
	total := 60
	p.visit("")
	p.becomes("document.querySelectorAll('#list .row').length === 60")
	tops := func() string {
		return evaluate[string](p, "JSON.stringify([...document.querySelectorAll('#list .row')].map(e => [e.dataset.keep, Math.round(e.getBoundingClientRect().top)]))")
	}
	for name, read := range map[string]func(){
		"pointer":  func() { p.point(400, 300) },
		"focus":    func() { evaluate[string](p, "document.querySelectorAll('#list .row')[5].focus(), ''") },
		"scrolled": func() { evaluate[string](p, "list.scrollTop = 400, ''") },
		"selection": func() {
			evaluate[string](p, "getSelection().selectAllChildren(document.querySelectorAll('#list .row')[3]), ''")
		},
	} {
		read()
		before, selected := tops(), evaluate[string](p, "String(getSelection())")
		p.request(3)
		total += 3
		p.appears(".new", "3 new")
		assert.Equal(t, before, tops(), name)
		assert.Equal(t, selected, evaluate[string](p, "String(getSelection())"), name)
		evaluate[string](p, "getSelection().removeAllRanges(), list.scrollTop = 0, ''")
		p.leave()
		p.becomes(fmt.Sprintf("document.querySelector('#list .row').dataset.keep === 'x%d'", total))
	}
	p.point(400, 300)
	p.request(2)
	p.appears(".new", "2 new")
	p.press(".new")
	p.becomes(fmt.Sprintf("document.querySelector('#list .row').dataset.keep === 'x%d'", total+2))
	assert.False(t, evaluate[bool](p, "!!document.querySelector('.new')"))
}

// TestTheFocusStaysWhenUpdatesArrive, so that the page can be used meanwhile.
func TestTheFocusStaysWhenUpdatesArrive(t *testing.T) {
	p := open(t)
	p.request(1)
	p.visit("")
	p.do(chromedp.WaitVisible(chromedp.CSS(row(1))))
	evaluate[string](p, "document.querySelector('#list .row').focus(), ''")
	p.request(2)
	p.appears(".new", "2 new")
	assert.Equal(t, "x1", evaluate[string](p, "document.activeElement.dataset.keep"))
}

// TestShortcuts move through the rows, open one, and go to the search.
func TestShortcuts(t *testing.T) {
	p := open(t)
	p.request(3)
	p.visit("")
	p.do(chromedp.WaitVisible(chromedp.CSS(row(3))))
	press := func(key string) string {
		p.do(chromedp.KeyEvent(key))
		return evaluate[string](p, "document.activeElement.dataset.keep ?? document.activeElement.name ?? ''")
	}
	assert.Equal(t, "x3", press("j"))
	assert.Equal(t, "x2", press("j"))
	assert.Equal(t, "x3", press("k"))
	press("\r")
	p.appears(".pane .meta", "#3")
	assert.Equal(t, "?request=3", evaluate[string](p, "location.search"), "the number is in the URL")
	press("j")
	p.appears(".pane .meta", "#2")
	press("k")
	p.appears(".pane .meta", "#3")
	assert.Equal(t, "x3", press("\x1b"), "the focus is where it was")
	p.becomes("!document.querySelector('.pane')")
	press("?")
	p.appears("#dialog", "next and previous row")
	press("\x1b")
	assert.Equal(t, "text", press("/"))
	press("\x1b")
	press("2")
	p.becomes("location.pathname === '/_sandbox/console/pipeline'")
}

// troubled is the page of a sandbox with requests that fail, repeat, are slow or met a
// fault.
func troubled(t *testing.T) *tab {
	t.Helper()
	p := open(t)
	p.request(1)                                                          // 1
	p.send("POST", invitationsPath, sandbox.TestKey, invitation)          // 2
	p.send("POST", invitationsPath, sandbox.TestKey, invitation)          // 3
	p.server.Inject(sandbox.Fault{Reset: true, Route: "POST *"})          //
	p.send("POST", invitationsPath, sandbox.TestKey, invitation)          // 4
	p.send("GET", "/api/v1/members", "sk_test_never_added", "")           // 5
	p.send("POST", "/api/v1/assessments", sandbox.TestKey, `{"name":""}`) // 6
	p.server.Inject(sandbox.Fault{Delay: 300 * time.Millisecond})
	p.send("GET", "/api/v1/challenges?page_size=5", sandbox.LiveKey, "") // 7
	p.send("GET", "/api/v1/submissions/"+sandbox.UnknownID, "", "")      // 8
	return p
}

const (
	invitationsPath = "/api/v1/assessments/" + sandbox.AssessmentID + "/invitations"
	invitation      = `{"candidate_email":"Ada@candidates.test","candidate_name":"Ada"}`
)

// TestFilters also checks that the text is found in responses, in any case.
func TestFilters(t *testing.T) {
	p := troubled(t)
	p.visit("")
	p.appears(row(3), "repeats #2")
	p.appears(row(4), "none")
	p.appears(row(4), "fault")
	p.appears(row(6), "INVALID_INPUT")
	rejected := evaluate[string](p, `[...document.querySelector('[aria-label="Key"]').options].find(o => o.text.includes("(unknown)")).value`)
	for query, want := range map[string][]int{
		"":                        {8, 7, 6, 5, 4, 3, 2, 1},
		"status=2xx":              {7, 3, 2, 1},
		"status=failed":           {8, 6, 5, 4},
		"status=401":              {8, 5},
		"status=none":             {4},
		"route=GET":               {8, 7, 5, 1},
		"route=POST+/assessments": {6},
		"only=repeated":           {4, 3},
		"only=faults":             {7, 4},
		"slower=200ms":            {7},
		"text=ADA%40candidates":   {4, 3, 2},
		"text=sandbox+hiring+ltd": {1},
		"text=invalid_input":      {6},
		"key=" + rejected:         {5},
		"key=none":                {8},
		"sort=took":               nil,
		"route=POST&status=2xx":   {3, 2},
	} {
		p.visit("?" + query)
		if want == nil {
			p.becomes("Number(document.querySelector('#list .row .no')?.textContent) === 7")
			continue
		}
		p.becomes(fmt.Sprintf("JSON.stringify([...document.querySelectorAll('#list .row .no')].map(e => Number(e.textContent))) === %q", strings.ReplaceAll(fmt.Sprint(want), " ", ",")))
		p.appears(".axis", strconv.Itoa(len(want))+" request")
	}
	p.visit("?status=503")
	p.appears(".none", "No request matches.")
	assert.False(t, evaluate[bool](p, "!!document.getElementById('sparkline')"))
	p.press(".none button")
	p.becomes("document.querySelectorAll('#list .row').length === 8")
	evaluate[string](p, `(s => { s.value = "failed"; s.dispatchEvent(new Event("change")); return "" })(document.querySelector('[aria-label="Status"]'))`)
	p.becomes("document.querySelectorAll('#list .row').length === 4")
	p.do(chromedp.SendKeys(chromedp.CSS("input[type=search]"), "INVALID_INPUT"))
	p.becomes("document.querySelectorAll('#list .row').length === 1 && location.search === '?status=failed&text=INVALID_INPUT'")
	assert.Equal(t, "(4 failed) Journal · Hiring sandbox", evaluate[string](p, "document.title"))
}

// TestSortByDuration finds the slowest request with one click.
func TestSortByDuration(t *testing.T) {
	p := troubled(t)
	p.visit("")
	p.do(chromedp.WaitVisible(chromedp.CSS(row(8))))
	p.press(".columns .took button")
	p.becomes("Number(document.querySelector('#list .row .no').textContent) === 7")
	assert.Regexp(t, `^3\d\d ms$`, p.text("#list .row .took"))
}

// TestARangeOfTheSparkline filters by time, by the pointer and by the keyboard.
func TestARangeOfTheSparkline(t *testing.T) {
	now := time.Date(2026, 3, 14, 23, 59, 0, 0, time.UTC)
	p := open(t, sandbox.WithClock(func() time.Time { return now }))
	for range 10 {
		p.request(2)
		now = now.Add(10 * time.Second)
	}
	p.visit("")
	p.becomes("document.querySelectorAll('#list .row').length === 20")
	assert.Equal(t, []string{"Sun, 15 Mar 2026", "Sat, 14 Mar 2026"}, evaluate[[]string](p, "[...document.querySelectorAll('#list .day')].map(e => e.innerText)"), "separators of the dates")
	box := evaluate[[]float64](p, "(b => [b.left, b.top, b.width, b.height])(document.getElementById('sparkline').getBoundingClientRect())")
	assert.LessOrEqual(t, box[3], 48.0)
	p.point(box[0]+1, box[1]+10)
	p.do(chromedp.MouseEvent("mousePressed", box[0]+1, box[1]+10, chromedp.ButtonLeft))
	p.point(box[0]+box[2]*0.45, box[1]+10)
	p.do(chromedp.MouseEvent("mouseReleased", box[0]+box[2]*0.45, box[1]+10, chromedp.ButtonLeft))
	p.becomes("new URL(location).searchParams.has('since')")
	p.becomes("document.querySelectorAll('#list .row').length === 10")
	assert.Equal(t, 1, slices.Min(p.rows()))
	p.press(".axis button")
	p.becomes("document.querySelectorAll('#list .row').length === 20")
	evaluate[string](p, "document.getElementById('sparkline').focus(), ''")
	p.do(chromedp.KeyEvent("\u0303")) // ArrowRight
	p.becomes("document.querySelectorAll('#list .row').length === 2")
}

// TestTheTableIsDense checks the number of visible rows, and that they have one height.
func TestTheTableIsDense(t *testing.T) {
	p := troubled(t)
	p.request(40)
	p.visit("")
	p.becomes("document.querySelectorAll('#list .row').length === 48")
	const visible = "[...document.querySelectorAll('#list .row')].filter(e => e.getBoundingClientRect().bottom <= innerHeight).length"
	assert.GreaterOrEqual(t, evaluate[int](p, visible), 16)
	assert.Equal(t, 1, evaluate[int](p, "new Set([...document.querySelectorAll('#list .row')].map(e => e.getBoundingClientRect().height)).size"))
	for _, width := range []int64{390, 1280, 1440} {
		p.do(chromedp.EmulateViewport(width, 844))
		assert.LessOrEqual(t, evaluate[int](p, "document.documentElement.scrollWidth - innerWidth"), 0, width)
		assert.GreaterOrEqual(t, evaluate[int](p, visible), 16, width)
	}
}

// TestOlderRequestsFollow when the list is scrolled to its end.
func TestOlderRequestsFollow(t *testing.T) {
	p := open(t)
	p.request(450)
	p.visit("")
	p.becomes("document.querySelectorAll('#list .row').length === 200")
	for _, want := range []int{400, 450} {
		evaluate[string](p, "list.scrollTop = 1e6, ''")
		p.becomes(fmt.Sprintf("document.querySelectorAll('#list .row').length === %d", want))
	}
	for i, n := range p.rows() {
		require.Equal(t, 450-i, n)
	}
}

// TestOneRequest shows all that is known of it.
func TestOneRequest(t *testing.T) {
	p := open(t)
	client := p.client(sandbox.LiveKey)
	_, err := client.Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: "c0000000-0000-4000-8000-000000000001", Name: "It's <b>&\n$HOME `id`"})
	require.NoError(t, err)
	p.server.Inject(sandbox.Fault{Status: 503, RetryAfter: 2 * time.Second})
	_, err = client.Account.Get(t.Context())
	require.Error(t, err)
	p.visit("?request=1")
	for _, shown := range []string{"POST", "201", "req_0000000000000001", "sk_live_sandbox", "199 of 200 remaining", `"status": "active"`} {
		p.appears(".pane", shown)
	}
	evaluate[string](p, "document.querySelectorAll('.pane details').forEach(d => d.open = true), ''")
	p.appears(".pane", "hiring-go/")
	p.press(`[aria-label="Previous request (k)"]`)
	for _, shown := range []string{"503", "INTERNAL_ERROR", "Injected fault: 503, Retry-After 2 s for every request"} {
		p.appears(".pane", shown)
	}
	p.visit("?request=99")
	p.appears(".pane", "The journal no longer has request #99.")
}

func TestJSONIsHighlighted(t *testing.T) {
	p := open(t)
	p.request(1)
	p.visit("?request=1")
	p.do(chromedp.WaitVisible(chromedp.CSS(".body .json-key")))
	colour := func(class string) string {
		return evaluate[string](p, `getComputedStyle(document.querySelector(".body .`+class+`")).color`)
	}
	assert.Equal(t, `"data"`, p.text(".body .json-key"))
	assert.NotEqual(t, colour("json-key"), colour("json-text"))
	assert.NotEqual(t, colour("json-text"), colour("json-number"))
	assert.JSONEq(t, evaluate[string](p, `document.querySelector(".pane .body").textContent`), evaluate[string](p, `document.querySelector(".pane .body").innerText`))
}

// TestSendAgainUsesTheKeyItself: two keys look the same when they are redacted.
func TestSendAgainUsesTheKeyItself(t *testing.T) {
	p := open(t)
	for _, name := range []string{"alpha", "bravo"} {
		p.server.AddKey(sandbox.Key{Token: "sk_live_" + name + "_2026", Scope: sandbox.ScopeAdmin, Organization: name})
	}
	_, err := p.client("sk_live_bravo_2026").Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: "c0000000-0000-4000-8000-000000000001", Name: "Theirs"})
	require.NoError(t, err)
	p.visit("?request=1")
	p.appears(`[aria-label="Send again"]`, "The write takes effect a second time.")
	p.press("#send-again")
	p.appears(".pane", "This write was sent twice: first as #1.")
	assert.Equal(t, "?request=2", evaluate[string](p, "location.search"))
	p.press(".note a")
	p.appears(".pane", "This write was sent again as #2.")
	for name, want := range map[string]int{"alpha": 0, "bravo": 2} {
		all, err := p.client("sk_live_" + name + "_2026").Assessments.List().Collect(t.Context())
		require.NoError(t, err)
		assert.Len(t, all, want, name)
	}
	p.server.RevokeKey("sk_live_bravo_2026")
	p.press("#send-again")
	p.appears(".said.bad", "key")
}

// TestAWriteWithoutEffectIsNotAnnounced: a 4xx took no effect.
func TestAWriteWithoutEffectIsNotAnnounced(t *testing.T) {
	p := troubled(t)
	p.visit("?request=6")
	p.appears(".pane", "INVALID_INPUT")
	assert.NotContains(t, p.text(`[aria-label="Send again"]`), "a second time")
}

// TestTheJournalIsCleared after a question.
func TestTheJournalIsCleared(t *testing.T) {
	p := troubled(t)
	p.visit("")
	p.do(chromedp.WaitVisible(chromedp.CSS(row(8))))
	p.press(".tools button")
	p.appears("#dialog", "Clear the journal?")
	p.press("#dialog .plain")
	p.becomes(`!document.getElementById("dialog").open`)
	assert.Len(t, p.server.Journal(), 8, "cancelled")
	p.press(".tools button")
	p.agree()
	p.appears(".guide", "No requests yet")
	assert.Empty(t, p.server.Journal())
}
