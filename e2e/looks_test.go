package e2e

import (
	_ "embed"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// axe is axe-core 4.10.3, unchanged.
//
//go:embed testdata/axe.min.js
var axe string

var update = flag.Bool("update", false, "write the screenshots of the documentation to pictures/")

// lived returns the page of a sandbox after three hours, with candidates at each stage and
// failed requests, and the candidates with a report and with an attempt to evaluate.
func lived(t *testing.T) (p *tab, report, submitted string) {
	t.Helper()
	now := time.Date(2026, 3, 14, 9, 0, 0, 0, time.UTC)
	p = open(t, sandbox.WithClock(func() time.Time { return now }), sandbox.WithTimeline(sandbox.Timeline{Open: 26 * time.Hour}))
	s := p.server
	posting := s.AddAssessment("Backend engineer")
	s.AddAssessment("Data engineer")
	client := s.LiveClient(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}))
	must := func(err error) { require.NoError(t, err) }
	for i, name := range []string{
		"Ada Lovelace", "Grace Hopper", "Barbara Liskov", "Radia Perlman", "Frances Allen", "Katherine Johnson", "نور الهدى", "Margaret Hamilton", "Edith Clarke", "Joan Clarke",
	} {
		invitation, err := client.Invitations.Send(t.Context(), posting, hiring.NewInvitation{Email: fmt.Sprintf("candidate%d@candidates.test", i+1), Name: name})
		must(err)
		now = now.Add(7 * time.Second)
		if i < 7 {
			must(s.Open(invitation.ID))
		}
		if i >= 5 {
			continue
		}
		submission, err := s.Begin(invitation.ID)
		must(err)
		must(s.AppendEvents(submission, "ai_prompt", `{"text":"Which of these tests is flaky, and why?"}`))
		if i < 4 {
			now = now.Add(50 * time.Second)
			must(s.Submit(submission))
			submitted = invitation.ID
		}
		if i < 2 {
			must(s.Evaluate(submission, sandbox.Result{
				ShipScore: new(91 - 17*i), Pillars: map[hiring.PillarID]*int{"correctness": new(94 - 9*i), "craft": new(88), "ai_fluency": new(90)}, LowConfidence: []hiring.PillarID{"craft"},
				Summary: "Found the race before the tests did, and said what was left undone.",
				Extra:   map[string]any{"percentile": 96.5, "strengths": []string{"Tests before the change", "Small commits"}},
			}))
			if report == "" {
				report = invitation.ID
			}
		}
	}
	s.Inject(sandbox.Fault{Route: "GET /submissions", Status: 503, RetryAfter: 2 * time.Second, Skip: 3, Times: 2})
	s.Inject(sandbox.Fault{Route: "POST *", After: true, Skip: 1})
	for range 9 {
		_, _ = client.Submissions.List(hiring.SubmissionFilter{Status: "evaluated"}).Page(t.Context())
		now = now.Add(4 * time.Second)
	}
	for range 2 {
		_, _ = s.LiveClient(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1})).Invitations.Send(t.Context(), posting, hiring.NewInvitation{Email: "mary@candidates.test", Name: "Mary Jackson"})
		now = now.Add(9 * time.Second)
	}
	s.SetQuota(sandbox.TestKey, sandbox.ClassRead, 2)
	for range 4 {
		_, _ = s.Client(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1})).Account.Get(t.Context())
		now = now.Add(3 * time.Second)
	}
	s.Inject(sandbox.Fault{Route: "GET /submissions/{id}/report", Delay: 3 * time.Second, Times: -1})
	return p, report, submitted
}

// isPicture has the names of the pictures in the documentation.
var isPicture = map[string]bool{
	"journal-light": true, "request-light": true, "pipeline-light": true, "candidate-light": true, "faults-light": true, "keys-light": true,
	"journal-dark": true, "candidate-dark": true, "journal-phone": true,
}

type appearance struct {
	name          string
	width, height int64
	dark          bool
}

// withAxe is the number of appearances on which axe runs. The others have the same colours and elements.
const withAxe = 3

// largeFont ends the names of the appearances with twice the usual font size of the browser.
const largeFont = "large font"

var appearances = []appearance{
	{"light", 1280, 800, false}, {"dark", 1280, 800, true}, {"phone", 390, 844, false}, {"half", 960, 800, false}, {"narrow", 760, 800, false}, {"zoomed", 320, 256, false}, {largeFont, 1280, 800, false}, {"phone, " + largeFont, 390, 844, false}, {"wide", 1440, 900, false}, {"wide-dark", 1440, 900, true},
}

func (p *tab) dress(l appearance) {
	p.t.Helper()
	scheme := "light"
	if l.dark {
		scheme = "dark"
	}
	p.do(chromedp.EmulateViewport(l.width, l.height))
	_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}},
	})
	require.NoError(p.t, err)
}

// TestLooks shows each view in each appearance: nothing overflows, and axe finds nothing in light,
// dark and on a phone. Without HIRING_LONG axe runs on each view in one of the three, because a
// run takes seconds. With -update the test takes the screenshots of the documentation.
func TestLooks(t *testing.T) {
	t.Parallel()
	views := map[string]string{ // What each shows.
		"journal": "#list .row", "pipeline": ".card", "faults": "#inject", "keys": ".keys td", "mails": ".mails", "groups": ".groups td", "compare": ".differences", "candidate": ".pane .report", "request": ".pane .body",
		"grading": "#evaluate", "none": ".none",
	}
	for i, name := range slices.Sorted(maps.Keys(views)) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, report, submitted := lived(t)
			p.visit(map[string]string{
				"pipeline": "console/pipeline", "faults": "console/faults", "keys": "console/keys", "candidate": "console/pipeline?candidate=" + report,
				"request": "?request=12", "mails": "console/mails", "groups": "?view=groups&request=12", "compare": "?request=15&with=13", "grading": "console/pipeline?candidate=" + submitted, "none": "?q=status:402",
			}[name])
			p.do(chromedp.WaitVisible(chromedp.CSS(views[name])))
			for at, l := range appearances {
				p.dress(l)
				isLarge := strings.HasSuffix(l.name, largeFont)
				fonts := page.SetFontSizesParams{FontSizes: &page.FontSizes{Standard: map[bool]int64{false: 16, true: 32}[isLarge]}}
				_, err := chromedp.Call(p.ctx, page.SetFontSizes, fonts)
				require.NoError(t, err)
				if at < withAxe && (at == i%withAxe || os.Getenv("HIRING_LONG") != "") {
					p.checkWithAxe(l.name)
				}
				if name == "request" {
					assert.Equal(t, l.width > 900 && !isLarge, evaluate[bool](p, "!!document.getElementById('list').offsetHeight"), "%s: a pane replaces the list", l.name)
					assert.True(t, evaluate[bool](p, `[...document.querySelectorAll(".head .line > *")].every(e => { const [text, box] = [new Range(), e].map((of, i) => (i || of.selectNodeContents(e), of.getBoundingClientRect())); return Math.abs(text.y + text.height / 2 - box.y - box.height / 2) < 1 })`), "%s: each name is in the middle of its button", l.name)
				}
				const over = `[document.documentElement, document.querySelector("main"), document.querySelector("nav"), ...document.querySelectorAll("main .panel, main .listing, main .pane")]`
				assert.LessOrEqual(t, evaluate[int](p, "Math.max(..."+over+".map(e => e.scrollWidth - e.clientWidth))"), 0, "%s: nothing overflows", l.name)
				assert.True(t, evaluate[bool](p, `["journal", "pipeline"].includes(`+quote(name)+`) <= (document.querySelector("#list, .board")?.offsetHeight > 120)`), "%s: the list has a height", l.name)
				assert.True(t, evaluate[bool](p, "[...document.querySelectorAll('.row time, .row .status, .row .no, input.number')].every(e => e.scrollWidth <= e.clientWidth)"), "%s: no cell is cut", l.name)
				assert.NotRegexp(t, `\dfalse|undefined|NaN|\[object`, evaluate[string](p, "document.querySelector('main').innerText"), l.name)
				if *update && isPicture[name+"-"+l.name] {
					require.NoError(t, os.WriteFile(filepath.Join("pictures", name+"-"+l.name+".webp"), p.picture(), 0o644))
				}
			}
			if name == "journal" {
				p.press("[popovertarget=start-over]")
				p.checkWithAxe("menu")
				p.visit("")
				p.fill("#advance", "90d")
				p.appears("#ahead", "7 invitations expire unused: Katherine Johnson · ")
				p.checkWithAxe("clock")
				p.press("#list .row")
				p.becomes("!document.getElementById('ahead').offsetHeight") // What has the focus is not covered.
			}
		})
	}
}

// TestEmptyViews runs axe on what a new server shows.
func TestEmptyViews(t *testing.T) {
	t.Parallel()
	p := open(t)
	for _, path := range []string{"", "console/pipeline", "console/faults", "console/mails"} {
		p.visit(path)
		p.do(chromedp.WaitVisible(chromedp.CSS("main .panel")))
		p.checkWithAxe(path)
	}
	p.appears(".guide a", "Invite a candidate")
}

// picture is what the window shows.
func (p *tab) picture() []byte {
	p.t.Helper()
	taken, err := chromedp.Call(p.ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{
		Format: page.CaptureScreenshotFormatWebp, Quality: new(int64(85)),
	})
	require.NoError(p.t, err)
	return taken.Data
}

// checkWithAxe runs axe on the page. Its rules of the levels A and AA, and those
// of good practice, must find nothing.
func (p *tab) checkWithAxe(where string) {
	p.t.Helper()
	_ = evaluate[bool](p, axe+"; true")
	violations, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]string](
		`axe.run(document, {resultTypes: ["violations"], rules: {"label-content-name-mismatch": {enabled: true}}}).then(r => r.violations.map(v => [v.id, v.impact, v.help, ...v.nodes.slice(0, 3).map(n => n.html.slice(0, 200))].join("\n")))`,
		chromedp.EvalAwaitPromise))
	require.NoError(p.t, err)
	assert.Empty(p.t, violations, where)
}
