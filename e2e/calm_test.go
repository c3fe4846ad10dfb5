package e2e

import (
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestNewRowsDoNotMoveVisibleRows checks a row that is focused, and a row that is visible
// after scrolling.
func TestNewRowsDoNotMoveVisibleRows(t *testing.T) {
	p := open(t)
	client := p.client(sandbox.TestKey)
	request := func(times int) {
		for range times {
			_, err := client.Account.Get(t.Context())
			require.NoError(t, err)
		}
	}
	request(40)
	p.visit("")
	p.appears("#connection", "Live")
	top := func(id string) int {
		return int(evaluate[float64](p, "document.getElementById('"+id+"').getBoundingClientRect().top"))
	}
	evaluate[string](p, "document.getElementById('x20').focus(), scrollTo(0, document.getElementById('x20').getBoundingClientRect().top + scrollY - 300), ''")
	before := top("x20")
	request(1)
	p.do(chromedp.WaitReady(chromedp.ID("x41")))
	assert.InDelta(t, before, top("x20"), 1, "the focused row")
	assert.Equal(t, "x20", evaluate[string](p, "document.activeElement.id"))

	evaluate[string](p, "document.activeElement.blur(), ''")
	first := evaluate[string](p, "[...document.querySelectorAll('tbody a[id]')].find(e => e.getBoundingClientRect().top >= 64).id")
	before = top(first)
	request(3)
	p.do(chromedp.WaitReady(chromedp.ID("x44")))
	assert.InDelta(t, before, top(first), 1, "the first visible row %s", first)
}

// TestNewCardsDoNotMoveOtherColumns: a card that is read stays where it is on the
// screen while another column grows.
func TestNewCardsDoNotMoveOtherColumns(t *testing.T) {
	p := open(t)
	posting := p.server.AddAssessment("Backend engineer")
	for i := range 20 {
		for _, stage := range []string{"sent", "opened"} {
			id, err := p.server.Invite(posting, stage+strconv.Itoa(i)+"@candidates.test", stage)
			require.NoError(t, err)
			if stage == "opened" {
				require.NoError(t, p.server.Open(id))
			}
		}
	}
	p.visit("console/pipeline")
	p.appears("#connection", "Live")
	p.do(chromedp.EmulateViewport(1280, 500))
	evaluate[string](p, "scrollTo(0, 600), ''")
	require.Greater(t, evaluate[int](p, "Math.round(scrollY)"), 300)
	const second = "[...document.querySelectorAll('.column:nth-child(2) .card')].find(e => e.getBoundingClientRect().top >= 64)"
	id := evaluate[string](p, second+".id")
	top := func() float64 {
		return evaluate[float64](p, "document.getElementById('"+id+"').getBoundingClientRect().top")
	}
	before := top()
	_, err := p.server.Invite(posting, "new@candidates.test", "New")
	require.NoError(t, err)
	p.appears(".column:first-child .count", "21")
	assert.InDelta(t, before, top(), 1)
}

// TestPauseHoldsTheJournal until it is resumed, without losing a row.
func TestPauseHoldsTheJournal(t *testing.T) {
	p := open(t)
	client := p.client(sandbox.TestKey)
	_, err := client.Account.Get(t.Context())
	require.NoError(t, err)
	p.visit("")
	p.appears("#connection", "Live")
	p.do(chromedp.WaitVisible(chromedp.ID("x1")))
	p.do(click("#pause"))
	p.appears("#pause", "Resume")
	_, err = client.Account.Get(t.Context())
	require.NoError(t, err)
	p.do(chromedp.Sleep(time.Second)) // longer than news are collected: there is nothing to wait for
	assert.False(t, evaluate[bool](p, "!!document.getElementById('x2')"))
	p.do(click("#pause"))
	p.do(chromedp.WaitVisible(chromedp.ID("x2")))
}

// TestTheConfirmationIsVisible after a preset, although the page is scrolled to
// the faults.
func TestTheConfirmationIsVisible(t *testing.T) {
	p := open(t)
	p.visit("console/trouble")
	p.submit(`button[value="internal"]`)
	p.appears(".said", "The fault is injected")
	assert.True(t, evaluate[bool](p, "(r => r.top >= 0 && r.bottom <= innerHeight)(document.querySelector('.said').getBoundingClientRect())"))
	p.appears(".pending", "INTERNAL_ERROR for every request, 1 of 1 left")
}

// TestOtherPagesUpdateToo: the side panels of the board, and the faults.
func TestOtherPagesUpdateToo(t *testing.T) {
	p := open(t)
	p.visit("console/pipeline")
	p.appears("#connection", "Live")
	posting := p.server.AddAssessment("Made elsewhere")
	p.appears("#postings", "Made elsewhere")
	_, err := p.server.Invite(posting, "ada@candidates.test", "Ada")
	require.NoError(t, err)
	p.appears("#organizations", "1 of 2000 invitations used")

	p.visit("console/trouble")
	p.appears("#connection", "Live")
	p.server.Inject(sandbox.Fault{Route: "GET /account", Status: 502, Times: 3})
	p.appears(".pending", "502 for GET /account, 3 of 3 left")
	_, _ = p.client(sandbox.TestKey).Members.List().Page(t.Context())
	p.appears("#keys + .keys", "999 of 1000 left")
}

// TestShortcuts move through the rows and into the search.
func TestShortcuts(t *testing.T) {
	p := open(t)
	client := p.client(sandbox.TestKey)
	for range 3 {
		_, err := client.Account.Get(t.Context())
		require.NoError(t, err)
	}
	p.visit("")
	p.appears("#connection", "Live")
	press := func(key string) string {
		return evaluate[string](p, `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: `+strconv.Quote(key)+`, bubbles: true})), document.activeElement.id || document.activeElement.name || ""`)
	}
	assert.Equal(t, "x3", press("j"))
	assert.Equal(t, "x2", press("j"))
	assert.Equal(t, "x3", press("k"))
	press("?")
	assert.True(t, evaluate[bool](p, "document.getElementById('shortcuts').open"))
	assert.Equal(t, "text", press("/"))
}

// TestFiltersApplyWithoutAButton as soon as one changes.
func TestFiltersApplyWithoutAButton(t *testing.T) {
	p := open(t)
	client := p.client(sandbox.TestKey)
	_, err := client.Account.Get(t.Context())
	require.NoError(t, err)
	_, err = client.Submissions.Get(t.Context(), sandbox.UnknownID)
	require.Error(t, err)
	p.visit("")
	p.appears("#connection", "Live")
	assert.True(t, evaluate[bool](p, "document.getElementById('apply').hidden"))
	evaluate[string](p, `(s => { s.value = "404"; setTimeout(() => s.dispatchEvent(new Event("change", {bubbles: true})), 100); return "" })(document.querySelector('[name="status"]'))`)
	p.do(chromedp.WaitReady(chromedp.CSS("#filters a.button"))) // the page with the filter has it
	p.appears(".legend", "1 requests")
	p.appears(".journal", "NOT_FOUND")
}
