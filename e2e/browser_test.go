package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
	"github.com/hiring-assessment/hiring-go/sandbox/console"
)

// browser is one for all tests; each has a tab with a profile of its own.
var browser context.Context

func TestMain(m *testing.M) {
	// Most of a test is waiting for the browser.
	if err := flag.Set("test.parallel", "6"); err != nil {
		panic(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.Flag("disable-dev-shm-usage", true))
	// The variant without browser windows takes a third of the time.
	if shell, err := exec.LookPath("chromium-headless-shell"); err == nil {
		options = append(options, chromedp.ExecPath(shell))
	}
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox) // Chromium refuses to run as root with it
	}
	allocated, stop := chromedp.NewExecAllocator(context.Background(), options...)
	started, quit := chromedp.NewContext(allocated)
	code := 1
	if err := chromedp.Do(started); errors.Is(err, exec.ErrNotFound) && os.Getenv("HIRING_SKIP_NOTHING") == "" {
		fmt.Fprintln(os.Stderr, "skipped, no browser: apt-get install chromium-headless-shell; .ci/run does that")
		code = 0
	} else if err != nil {
		fmt.Fprintln(os.Stderr, "no browser: apt-get install chromium-headless-shell:", err)
	} else {
		browser = started
		code = m.Run()
	}
	quit()
	stop()
	os.Exit(code)
}

// patience is how long anything on the page may take on a busy machine.
const patience = 30 * time.Second

// tab is a browser tab that shows a server's page.
type tab struct {
	t      testing.TB
	ctx    context.Context
	server *sandbox.Server
	base   string
	web    *httptest.Server
	page   atomic.Value // The http.Handler of the server.

	requests int // Number of requests that request has sent.

	mu       sync.Mutex
	problems []string
}

// open starts a server with its page. Whatever the page does wrong by the end of
// the test fails it: an error on the browser's console, what its policy kept it
// from, or a request to another host.
func open(t testing.TB, opts ...sandbox.Option) *tab {
	t.Helper()
	p := &tab{t: t}
	p.start(opts...)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.page.Load().(http.Handler).ServeHTTP(w, r) }))
	ctx, closeTab := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	ctx, giveUp := context.WithTimeout(ctx, 5*time.Minute)
	p.ctx, p.base, p.web = ctx, web.URL, web
	require.NoError(t, chromedp.Do(ctx))
	p.do(chromedp.EmulateViewport(1280, 800))
	p.media("", "prefers-reduced-motion", "reduce") // As most tests need it; one looks at the motion.
	messages, requests := chromedp.Console(ctx), chromedp.Events(ctx, network.RequestWillBeSent)
	var reading sync.WaitGroup
	reading.Go(func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.Type != "info" && m.Type != "log" && m.Type != "debug" && !strings.Contains(m.Text, "status of 4") && !strings.Contains(m.Text, "net::ERR_") {
				p.report(m.String())
			}
		}
	})
	reading.Go(func() {
		for r, err := range requests {
			if err != nil {
				return
			}
			if to, err := url.Parse(r.Request.URL); err != nil || "http://"+to.Host != web.URL && to.Scheme != "data" {
				p.report("a request to " + r.Request.URL)
			}
		}
	})
	t.Cleanup(func() {
		giveUp()
		closeTab()
		reading.Wait()
		web.CloseClientConnections()
		web.Close()
		assert.Empty(t, p.problems)
	})
	return p
}

// start starts the server, or another one in its place.
func (p *tab) start(opts ...sandbox.Option) {
	p.server = sandbox.New(opts...)
	p.page.Store(http.HandlerFunc(console.Handler(p.server).ServeHTTP))
}

// stop makes the server respond to nothing.
func (p *tab) stop() {
	p.page.Store(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	p.web.CloseClientConnections()
}

func (p *tab) report(problem string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.problems = append(p.problems, problem)
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	require.NoError(p.t, chromedp.Do(ctx, steps...))
}

// visit opens a page by its path below /_sandbox/.
func (p *tab) visit(path string) {
	p.t.Helper()
	p.do(chromedp.Navigate(p.base + "/_sandbox/" + path))
}

// press clicks on an element. Live updates may replace it meanwhile.
func (p *tab) press(selector string) {
	p.t.Helper()
	p.do(chromedp.Click(chromedp.CSS(selector)))
}

func (p *tab) fill(selector, text string) {
	p.t.Helper()
	p.do(chromedp.WaitVisible(chromedp.CSS(selector)))
	evaluate[string](p, fmt.Sprintf("(e => { e.value = %q; e.dispatchEvent(new Event('input')); return '' })(document.querySelector(%q))", text, selector))
}

// startOver chooses from the menu.
func (p *tab) startOver(choice string) {
	p.t.Helper()
	p.press("[popovertarget=start-over]")
	p.becomes("!!document.activeElement.closest('#start-over:popover-open')") // It is where it stays.
	p.press(choice)
}

// text returns the visible text of an element.
func (p *tab) text(selector string) string {
	p.t.Helper()
	return evaluate[string](p, "document.querySelector("+quote(selector)+").innerText")
}

// appears waits until an element has a text.
func (p *tab) appears(selector, text string) {
	p.t.Helper()
	p.becomes("document.querySelector(" + quote(selector) + ")?.innerText.includes(" + quote(text) + ")")
}

// becomes waits until an expression is true.
func (p *tab) becomes(expression string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	_, err := chromedp.Run(ctx, chromedp.Poll[bool](expression))
	require.NoError(p.t, err, "%s; there is %s", expression, p.text("body"))
}

// media emulates a medium and a media feature.
func (p *tab) media(medium, name, value string) {
	p.t.Helper()
	_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: medium, Features: []*emulation.MediaFeature{{Name: name, Value: value}},
	})
	require.NoError(p.t, err)
}

// point moves the pointer.
func (p *tab) point(x, y float64) {
	p.t.Helper()
	p.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y))
}

// leave moves the pointer and the focus out of the list.
func (p *tab) leave() {
	p.t.Helper()
	p.point(640, 5)
	evaluate[string](p, "document.activeElement.blur(), ''")
}

// choose selects an option of a menu.
func (p *tab) choose(selector, value string) {
	p.t.Helper()
	p.becomes(fmt.Sprintf("[...document.querySelector(%q)?.options ?? []].some(o => o.value === %q)", selector, value))
	evaluate[string](p, fmt.Sprintf("(s => { s.value = %q; s.dispatchEvent(new Event('change', {bubbles: true})); return '' })(document.querySelector(%q))", value, selector))
}

// touch makes the tab one of a touch screen.
func (p *tab) touch() {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch))
}

func evaluate[T any](p *tab, expression string) T {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	answer, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	require.NoError(p.t, err, expression)
	return answer
}

func quote(text string) string { return fmt.Sprintf("%q", text) }

// client is a program that uses the API while a browser shows the console.
func (p *tab) client(key string) *hiring.Client {
	p.t.Helper()
	client, err := hiring.New(p.base, key, hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}))
	require.NoError(p.t, err)
	return client
}
