package console

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/oldpage"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// controlsPage is the page Faults & limits: faults, keys, rate limits and the clock.
type controlsPage struct {
	oldpage.Conditions

	Keys     []oldpage.KeyInfo
	Plans    map[string]organization
	Faults   []pendingFault
	Routes   []string
	Presets  []preset
	Codes    []string
	Advance  time.Duration
	Upcoming []event
	More     int // Future events that are not listed.
}

// pendingFault is a fault with requests left.
type pendingFault struct {
	sandbox.Fault

	ID            int
	RemainingSkip int // Requests that pass first.
	Remaining     int // Requests that still fail.
	Fired         bool
}

func (c *console) controls(r *http.Request) (page, error) {
	by, err := parseDuration(r.URL.Query().Get("by"))
	if err != nil {
		return page{}, err
	}
	by = cmp.Or(by, time.Hour)
	p := controlsPage{Conditions: c.server.Conditions(), Keys: c.server.Keys(), Plans: make(map[string]organization),
		Routes: routeNames(), Presets: presets, Codes: codes, Advance: by}
	c.server.VisitFaults(func(id int, f sandbox.Fault, skip, left int, fired bool) {
		p.Faults = append(p.Faults, pendingFault{f, id, skip, left, fired})
	})
	c.server.VisitLive(func(l *world.Live, now time.Time) {
		for _, name := range l.Names() {
			p.Plans[name] = organizationOf(name, l.Organization(name, now))
		}
	})
	p.Upcoming = c.upcoming(p.Conditions, p.Keys, by)
	p.More = max(len(p.Upcoming)-maxUpcoming, 0)
	p.Upcoming = p.Upcoming[:len(p.Upcoming)-p.More]
	return page{Template: "controls", Data: p}, nil
}

// formKey returns the token of the key that a form names.
func (c *console) formKey(r *http.Request) (string, error) {
	token, ok := c.server.Token(r.PostForm.Get("key"))
	if !ok {
		return "", errors.New("the key no longer exists; reload the page")
	}
	return token, nil
}

func (c *console) setQuota(r *http.Request) (string, error) {
	token, err := c.formKey(r)
	if err != nil {
		return "", err
	}
	class := sandbox.Class(r.PostForm.Get("class"))
	if class != sandbox.ClassRead && class != sandbox.ClassWrite {
		return "", errors.New("there is no such class of requests")
	}
	remaining, err := strconv.Atoi(r.PostForm.Get("remaining"))
	if err != nil || remaining < 0 {
		return "", errors.New("give the number of remaining requests, from 0")
	}
	return pageURL("/trouble", "quota"), c.server.SetQuota(token, class, remaining)
}

func (c *console) setPlan(r *http.Request) (string, error) {
	token, err := c.formKey(r)
	if err != nil {
		return "", err
	}
	remaining, err := strconv.Atoi(r.PostForm.Get("left"))
	limit, limitErr := strconv.Atoi(r.PostForm.Get("limit"))
	if err != nil || limitErr != nil || remaining < 0 || limit < remaining || !strings.HasPrefix(token, "sk_live_") {
		return "", errors.New("give a live key, a limit from 0, and the number of remaining invitations")
	}
	return pageURL("/trouble", "plan"), c.server.SetPlan(token, limit-remaining, limit)
}

// keyToken returns the token that the journal shows as redacted, or "".
func (c *console) keyToken(redacted string) string {
	for _, k := range c.server.Keys() {
		if k.Redacted == redacted {
			token, _ := c.server.Token(k.ID)
			return token
		}
	}
	return ""
}

func (c *console) addKey(r *http.Request) (string, error) {
	key := sandbox.Key{Token: r.PostForm.Get("token_value"), Scope: sandbox.Scope(r.PostForm.Get("scope")),
		Organization: r.PostForm.Get("organization")}
	return pageURL("/trouble", "key") + "#keys", c.server.AddKey(key)
}

func (c *console) revokeKey(r *http.Request) (string, error) {
	token, err := c.formKey(r)
	if err != nil {
		return "", err
	}
	c.server.RevokeKey(token)
	return pageURL("/trouble", "revoked"), nil
}

func (c *console) setThrottle(r *http.Request) (string, error) {
	c.server.SetThrottled(r.PostForm.Get("on") == "true")
	return pageURL("/trouble", "throttle"), nil
}

func (c *console) setArchives(r *http.Request) (string, error) {
	c.server.SetArchives(r.PostForm.Get("available") == "true")
	return pageURL("/trouble", "archives"), nil
}

func (c *console) setDrift(r *http.Request) (string, error) {
	seed, err := strconv.ParseUint(r.PostForm.Get("seed"), 10, 64)
	on := r.PostForm.Get("on") == "true"
	if on && err != nil {
		return "", errors.New("the seed is a number from 0")
	}
	c.server.SetDrift(on, seed)
	return pageURL("/trouble", "drift"), nil
}

func (c *console) reset(*http.Request) (string, error) {
	c.server.Reset()
	return pageURL("/trouble", "reset"), nil
}

// routeNames returns the routes that a fault can have.
func routeNames() []string {
	names := []string{"GET *", "POST *", "POST /assessments", "POST /assessments/{id}/invitations", "PATCH *", "DELETE *",
		"GET /_archive/{id}"}
	names = slices.AppendSeq(names, maps.Keys(clientCalls))
	slices.Sort(names)
	return names
}
