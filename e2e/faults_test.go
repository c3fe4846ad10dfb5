package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestEachFaultIsInjected by its name, is seen by the client and then in the journal.
func TestEachFaultIsInjected(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.visit("console/faults")
	p.appears("#inject", "Inject fault")
	number := 0
	for preset, says := range map[string]string{
		"500 Internal error": "INTERNAL_ERROR", "503 with Retry-After": "INTERNAL_ERROR", "429 Rate limited": "RATE_LIMITED", "409 Conflict": "CONFLICT",
		"Delayed by 3 s": "<nil>", "Connection reset before the work": "connection reset", "Response lost after the work": "connection reset",
		"502 from an intermediary": "Bad gateway", "Cut after 20 bytes": "EOF",
	} {
		p.press("#inject [value=" + quote(preset) + "]")
		p.press("#inject > button:not(.clear)")
		p.appears(".faults tr.waiting", "1 left")
		p.appears("nav .badge", "1")
		_, err := p.client(sandbox.TestKey).Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: "c0000000-0000-4000-8000-000000000001", Name: "n"})
		assert.Contains(t, fmt.Sprint(err), says, preset)
		number++
		p.becomes(fmt.Sprintf("document.querySelectorAll('#ended tr.done').length === %d && !document.querySelector('.faults tr.waiting')", number))
	}
	p.press("#inject [value='500 Internal error']")
	p.fill("#inject-status", "404")
	p.press("#inject > button:not(.clear)")
	p.appears(".faults tr.waiting", "1 left")
	_, err := p.client(sandbox.TestKey).Account.Get(t.Context())
	require.ErrorIs(t, err, hiring.ErrNotFound, "the code of the status, not of the usual fault")
}

// TestFailTheNextThreeRequests of a route that is chosen, and remove the fault from the list.
func TestFailTheNextThreeRequests(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.visit("console/faults")
	p.choose("#inject-route", "GET /account")
	p.choose("#inject-times", "3")
	p.press("#inject > button:not(.clear)")
	p.appears(".faults tr.waiting", "500 for GET /account")
	get := func() error { _, err := p.client(sandbox.TestKey).Account.Get(t.Context()); return err }
	require.ErrorIs(t, get(), hiring.ErrInternal)
	p.appears(".faults tr.waiting", "2 left")
	p.appears(".faults tr.waiting", "1 time")
	p.press(".faults tr.waiting button")
	p.becomes("!!document.querySelector('#ended tr.done')")
	require.NoError(t, get())
	p.press("#ended button")
	p.appears(".faults tr.waiting", "3 left") // As it was injected.
	p.press("#undo")
	p.becomes("!document.querySelector('.faults tr.waiting')")
	assert.Equal(t, "3", evaluate[string](p, "document.getElementById('inject-times').value"), "the form keeps its values")
	for _, f := range []sandbox.Fault{
		{Route: "POST *", Times: -1, Skip: 1, Status: 418, Code: hiring.ErrConflict, RetryAfter: 90 * time.Second, Delay: time.Millisecond, After: true},
		{CutAfter: -1, Times: 2}, {Status: 200, Body: "<html>", ContentType: "text/html"},
	} {
		p.server.Inject(f)
	}
	for _, shown := range []string{
		"418, CONFLICT, Retry-After 1 min 30 s, delayed by 1 ms, after the work is done for POST *", "always",
		"cut after 0 bytes for every request", "2 left", "200, response from an intermediary for every request",
	} {
		p.appears(".faults", shown)
	}
	p.press("#remove-all")
	p.becomes("!document.querySelector('.faults tr.waiting')")
}

// TestKeysAreATable whose fields save on change.
func TestKeysAreATable(t *testing.T) {
	t.Parallel()
	p := open(t)
	p.visit("console/keys")
	p.appears(".keys", sandbox.LiveKey)
	save := func(label, value string) {
		field := `[aria-label="Remaining ` + label + ` of ` + sandbox.LiveKey + `"]`
		evaluate[string](p, "(e => { e.value = '"+value+"'; e.dispatchEvent(new Event('change')); return '' })(document.querySelector(`"+field+"`))")
	}
	save("reads", "3")
	p.appears(".said", "Remaining set to")
	account, err := p.client(sandbox.LiveKey).Account.Get(t.Context())
	require.NoError(t, err)
	p.becomes("document.querySelector('[aria-label=\"Remaining reads of sk_live_sandbox\"]').value === '2'")
	assert.Equal(t, 1, evaluate[int](p, "document.querySelectorAll('.limit.low').length"), "which the badge of the view counts")
	left, _ := account.InvitationsLeft()
	assert.Equal(t, 2000, left)
	for label, refused := range map[string]string{"invitations": "-1", "writes": ""} {
		save(label, refused)
		p.becomes("[...document.querySelectorAll('.limit:has([aria-label*=" + label + "]) .error')].map(e => e.innerText).join() === 'Type a number, 0 or more'")
	}
	save("invitations", "3")
	p.appears(".said", "invitations")
	account, err = p.client(sandbox.LiveKey).Account.Get(t.Context())
	require.NoError(t, err)
	left, _ = account.InvitationsLeft()
	assert.Equal(t, 3, left)
	save("writes", "5000")
	p.appears(".limit .error", "200")
	assert.Equal(t, "5000", evaluate[string](p, "document.querySelector('[aria-invalid=true]').value"), "kept")
	// The page is drawn between the change and the response.
	evaluate[string](p, `(send => { window.fetch = async (...all) => { await new Promise(f => setTimeout(f, 300)); return send(...all) }; return "" })(window.fetch)`)
	save("writes", "6000")
	evaluate[string](p, `(dispatchEvent(new Event("popstate")), "")`)
	p.appears(".limit .error", "200")
	assert.Equal(t, "6000", evaluate[string](p, "document.querySelector('[aria-invalid=true]').value"), "kept while it was being saved")
	evaluate[string](p, `(document.querySelector('[aria-label="Remaining reads of sk_live_sandbox"]').select(), "")`)
	p.do(chromedp.KeyEvent("0"), chromedp.KeyEvent(kb.Enter))
	p.becomes(`document.querySelector('.said')?.innerText.includes("Remaining set to 0 reads for sk_live_sandbox") && document.activeElement === document.body`) // The next key is a shortcut.
	_, err = p.client(sandbox.LiveKey).Account.Get(t.Context())
	require.ErrorIs(t, err, hiring.ErrRateLimited)

	p.fill("#add-key-token", "sk_live_acme")
	p.fill("#add-key-organization", "acme")
	p.fill("#add-key-expires", "soon")
	p.press("#add-key > button:not(.clear)")
	p.appears("#add-key-expires-error", "time like")
	p.fill("#add-key-expires", "2099-12-31")
	p.press("#add-key > button:not(.clear)")
	p.appears(".said", "sk_live_acme is added")
	p.appears(".keys", "expires Thu, 31 Dec 2099")
	_, err = p.client("sk_live_acme").Account.Get(t.Context())
	require.NoError(t, err)
	p.server.SetQuota("sk_live_acme", sandbox.ClassRead, 7)
	p.press(`[aria-label="Revoke sk_live_acme"]`)
	p.appears(".said", "sk_live_acme is revoked")
	p.appears(".keys tr.revoked", "sk_live_acme")
	_, err = p.client("sk_live_acme").Account.Get(t.Context())
	require.ErrorIs(t, err, hiring.ErrInvalidToken)
	p.visit(fmt.Sprintf("?request=%d", len(p.server.Journal())))
	p.appears(".headline", "401 · the key was revoked at ")
	p.visit("console/keys")
	p.press(`[aria-label="Restore sk_live_acme"]`)
	p.appears(".said", "sk_live_acme is valid again")
	p.becomes("!document.querySelector('tr.revoked') && document.querySelector('.keys').innerText.includes('expires Thu, 31 Dec 2099')")
	p.becomes(`document.querySelector('[aria-label="Remaining reads of sk_live_acme"]').value === "7"`) // As before.
	_, err = p.client("sk_live_acme").Account.Get(t.Context())
	require.NoError(t, err)
	p.visit("")
	p.appears("#list .action", "Key restored")
}

// TestTheClock is in the header of each page, shows what will happen, and moves on Enter.
func TestTheClock(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 22, 0, 0, 0, time.UTC)
	p := open(t, sandbox.WithClock(func() time.Time { return now }))
	p.server.SetPlan(sandbox.LiveKey, 3, 2000)
	p.server.AddKey(sandbox.Key{Token: "sk_test_short_lived", Expires: now.Add(30 * time.Minute)})
	advanceTo := func(text string) {
		evaluate[string](p, "document.activeElement.blur(), ''")
		p.do(chromedp.KeyEvent("c"))
		require.Equal(t, "advance", evaluate[string](p, "document.activeElement.id"))
		evaluate[string](p, "(e => { e.value = ''; e.dispatchEvent(new Event('input')); return '' })(document.getElementById('advance'))") // The protocol's key press is typed as well.
		p.do(chromedp.KeyEvent(text))
	}
	for _, path := range []string{"", pipelinePath, "console/keys", "console/faults"} {
		p.visit(path)
		p.appears("#now", "30 Nov 2026 22:0")
	}
	p.becomes("document.getElementById('ahead').hidden")
	advanceTo("")
	p.appears("#ahead", "17:15 (the next one) or 2026-12-31 10:00")
	p.appears("#ahead", "Next 40 days, until Sat, 9 Jan 2027 22:0")
	p.do(chromedp.KeyEvent(kb.Tab)) // Into what is shown, which may scroll.
	p.becomes("document.activeElement.id === 'ahead'")
	advanceTo("5m")
	p.appears("#ahead", "nothing happens")
	p.do(chromedp.KeyEvent(kb.Escape))
	advanceTo("2h30m")
	p.appears("#ahead", "Enter advances to Tue, 1 Dec 2026 00:30")
	p.appears("#ahead", "key expires: sk_test_short_lived")
	p.appears("#ahead", "used invitations of the plan go back to 0: organization default")
	p.do(chromedp.KeyEvent(kb.Enter))
	p.appears("#now", "1 Dec 2026 00:3")
	p.appears("#now", "2 h 30 min ahead")
	p.becomes("document.getElementById('ahead').hidden && document.activeElement === document.body") // The next key is a shortcut.
	const step = `[aria-label="Advance the clock by 1 d"]`
	at := evaluate[[]float64](p, "(r => [r.x + 5, r.y + 5])(document.querySelector(`"+step+"`).getBoundingClientRect())")
	p.point(at[0], at[1])
	p.appears("#ahead", "Advances to Wed, 2 Dec 2026 00:3")
	p.leave()
	p.becomes("document.getElementById('ahead').hidden")
	p.tabTo("e.matches(`" + step + "`)")
	p.appears("#ahead", "Advances to Wed, 2 Dec 2026 00:3")
	p.press(step)
	p.appears("#now", "2 Dec 2026 00:3")
	p.leave()
	p.appears("#now", "1 d 2 h ahead")
	p.server.Inject(sandbox.Fault{Status: 500})
	p.server.SetQuota(sandbox.LiveKey, sandbox.ClassRead, 1)
	p.becomes("document.querySelectorAll('nav .badge').length === 2")
	for _, width := range []int64{320, 390, 730, 910, 960, 1280, 1440} {
		p.dress(appearance{width: width, height: 800})
		assert.LessOrEqual(t, evaluate[int64](p, "Math.max(...[...document.querySelectorAll('#header *')].map(e => Math.ceil(e.getBoundingClientRect().right)))"), width, "nothing overflows")
		assert.Equal(t, []any{1.0, true, true}, evaluate[[]any](p, `[new Set([...document.querySelectorAll("nav a")].map(e => e.offsetTop)).size,
			document.getElementById("header").offsetHeight < (innerWidth > 720 ? 46 : 54) && (h => innerWidth > 720 ? h < 36 : h >= 40 && h < 45)(document.querySelector("nav a").offsetHeight), document.querySelector(".help").offsetWidth > 20]`), "views and header have one line each at %d, with the help", width)
		p.fill("#advance", "5m")
		p.becomes(`(r => r.width > 200 && r.left >= 0 && r.right <= innerWidth)(document.getElementById("ahead").getBoundingClientRect())`)
		p.fill("#advance", "")
	}
	advanceTo("2026-12-03 10:00")
	p.do(chromedp.KeyEvent(kb.Enter))
	p.appears("#now", "3 Dec 2026 10:00")
	for text, until := range map[string]string{"10:30": "3 Dec 2026 10:30:00", "9:15": "4 Dec 2026 09:15:00"} { // The next such time.
		advanceTo(text)
		p.appears("#ahead", until)
	}
	for wrong, why := range map[string]string{"soon": "This is no duration, time or date", "2026-01-01": "The clock does not go back"} {
		advanceTo(wrong)
		p.appears("#ahead .error", why) // While it is typed.
		p.do(chromedp.KeyEvent(kb.Enter))
		p.do(chromedp.WaitVisible(chromedp.CSS("#ahead [role=alert]")))
		p.appears("#ahead", "(the next one) or 2026-12-31")
		assert.Equal(t, wrong, evaluate[string](p, "document.getElementById('advance').value"), "kept")
		p.do(chromedp.KeyEvent(kb.Escape))
	}
	p.request(1)
	p.visit("")
	p.appears("#list", "Clock moved by 2 h 30 min: 2 events")
}
