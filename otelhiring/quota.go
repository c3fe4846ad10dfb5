package otelhiring

import (
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

type quotaKey struct{ organization, server, class string }

// quota is the state of a rate limit that a response reported.
type quota struct {
	hiring.RateLimit

	arrived time.Time
}

// learnQuota keeps the rate limit that a response reports. A response to a request
// that began after the current state arrived replaces that state. Among
// overlapping responses the later window counts, then the smaller remainder.
func (t *Telemetry) learnQuota(organization string, e hiring.Exchange) {
	if !isAPI(e.Route) || !e.RateLimit.Known() || e.Status == 401 { // A 401 does not describe the rate limit of a key.
		return
	}
	server, _ := hostPort(e.Server)
	key := quotaKey{organization, server, class(e.Method)}
	known, ok := t.quotas[key]
	later := e.RateLimit.Reset.After(known.Reset)
	less := e.RateLimit.Reset.Equal(known.Reset) && e.RateLimit.Remaining < known.Remaining
	if !ok || e.Started.After(known.arrived) || later || less {
		t.quotas[key] = quota{e.RateLimit, time.Now()}
	}
}
