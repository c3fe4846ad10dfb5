package console

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// codes are the codes of the API.
var codes = []string{
	string(hiring.ErrInvalidInput), string(hiring.ErrInvalidToken), string(hiring.ErrPlanLimitReached), string(hiring.ErrInsufficientScope),
	string(hiring.ErrNotFound), string(hiring.ErrConflict), string(hiring.ErrRateLimited), string(hiring.ErrInternal),
}

// preset is a fault that a button injects.
type preset struct {
	Name  string // For the form, and for the template to describe it.
	Fault sandbox.Fault
}

var presets = []preset{
	{"internal", sandbox.Fault{Code: hiring.ErrInternal}},
	{"unavailable", sandbox.Fault{Status: http.StatusServiceUnavailable, RetryAfter: 2 * time.Second}},
	{"limited", sandbox.Fault{RetryAfter: 5 * time.Second}},
	{"conflict", sandbox.Fault{Code: hiring.ErrConflict}},
	{"slow", sandbox.Fault{Delay: 3 * time.Second}},
	{"reset", sandbox.Fault{Reset: true}},
	{"lost", sandbox.Fault{After: true}},
	{"late", sandbox.Fault{Late: 30 * time.Second}},
	{"cut", sandbox.Fault{CutAfter: 40}},
	{"proxy", sandbox.Fault{Status: http.StatusBadGateway, Body: "<html><h1>Bad gateway</h1></html>\n", ContentType: "text/html"}},
}

func (c *console) inject(r *http.Request) (string, error) {
	f, err := faultOf(r.PostForm)
	if err == nil {
		err = c.server.Inject(f)
	}
	return pageURL("/trouble", "injected") + "#faults", err
}

func (c *console) clearFaults(r *http.Request) (string, error) {
	if id := parseNumber(r.PostForm.Get("id")); id > 0 {
		c.server.ClearFault(id)
	} else {
		c.server.ClearFaults()
	}
	return pageURL("/trouble", "cleared") + "#faults", nil
}

// faultOf returns the fault of a form: a preset, or the form's own fields, with the form's
// route and counts.
func faultOf(form url.Values) (f sandbox.Fault, err error) {
	if name := form.Get("preset"); name != "" {
		i := slices.IndexFunc(presets, func(p preset) bool { return p.Name == name })
		if i < 0 {
			return f, errors.New("there is no preset of this name")
		}
		f = presets[i].Fault
	} else if f, err = customFault(form); err != nil {
		return f, err
	}
	f.Route = form.Get("route")
	for name, field := range map[string]*int{"skip": &f.Skip, "times": &f.Times} {
		if *field, err = parseInt(form, name); err != nil {
			return f, err
		}
	}
	return f, nil
}

// customFault returns the fault of the form's own fields.
func customFault(form url.Values) (f sandbox.Fault, err error) {
	f = sandbox.Fault{
		Code: hiring.ErrorCode(form.Get("code")), After: form.Get("after") != "", Reset: form.Get("reset") != "",
		Body: form.Get("body"), ContentType: form.Get("content_type"),
	}
	for name, field := range map[string]*int{"status": &f.Status, "cut_after": &f.CutAfter} {
		if *field, err = parseInt(form, name); err != nil {
			return f, err
		}
	}
	for name, field := range map[string]*time.Duration{"retry_after": &f.RetryAfter, "delay": &f.Delay, "late": &f.Late} {
		if *field, err = parseDuration(form.Get(name)); err != nil {
			return f, err
		}
	}
	return f, nil
}

// parseInt reads an optional whole number.
func parseInt(form url.Values, name string) (int, error) {
	text := strings.TrimSpace(form.Get(name))
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("%s: %.100q is no whole number", name, text)
	}
	return n, nil
}

// maxAdvance is the longest time by which the page advances the clock.
const maxAdvance = 10 * 366 * 24 * time.Hour

// parseDuration parses a number of seconds, or a text such as 1h30m or 7d.
func parseDuration(text string) (time.Duration, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, nil
	}
	days, isDays := strings.CutSuffix(text, "d")
	seconds, err := strconv.ParseFloat(days, 64)
	var d time.Duration
	switch {
	case err == nil && isDays && seconds >= 0 && seconds <= maxAdvance.Hours()/24:
		d = time.Duration(seconds * float64(24*time.Hour))
	case err == nil && !isDays && seconds >= 0 && seconds <= maxAdvance.Seconds():
		d = time.Duration(seconds * float64(time.Second))
	default:
		d, err = time.ParseDuration(text)
		if err != nil || d < 0 || d > maxAdvance {
			return 0, fmt.Errorf("%.100q is no duration: give seconds, or a text like 90s, 1h30m or 7d, at most ten years", text)
		}
	}
	return d, nil
}
