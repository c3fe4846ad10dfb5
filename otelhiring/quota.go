package otelhiring

import hiring "github.com/hiring-assessment/hiring-go"

type quotaKey struct{ organization, server, class string }

// learnQuota keeps the rate limit that a response reports.
func (t *Telemetry) learnQuota(organization string, e hiring.Exchange) {
	if !isAPI(e.Route) || !e.RateLimit.Known() || e.Status == 401 { // A 401 does not describe the rate limit of a key.
		return
	}
	server, _ := hostPort(e.Server)
	t.quotas[quotaKey{organization, server, class(e.Method)}] = e.RateLimit
}
