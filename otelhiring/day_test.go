package otelhiring_test

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/otelhiring"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// day is two processes that run module jobs for twelve organizations, each with its own key.
type day struct {
	*environment

	t       *testing.T
	both    []process
	running []process                      // The first reports what is in the database. Without any, nothing is scraped.
	stop    []func()                       // Of the polls. Without any, the processes cannot read the database.
	lag     time.Duration                  // Of the result of acme that is delivered each minute.
	burst   int                            // Results of five hours ago that are delivered each minute.
	counts  map[string]otelhiring.JobCount // What is in the database besides, by state.
}

var organizations = []string{"acme", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"}

// start starts processes that share the polls of all organizations.
func (d *day) start(processes ...process) {
	d.running = processes
	for _, organization := range organizations {
		var replicas []process
		for _, p := range processes {
			client, err := hiring.New("http://sandbox.test", "sk_live_"+organization, hiring.WithInsecureHTTP(),
				hiring.WithTrace(p.recorder.TraceOf(organization)), hiring.WithHTTPClient(&http.Client{Transport: d.server.Transport()}))
			require.NoError(d.t, err)
			replicas = append(replicas, process{p.recorder, client})
		}
		d.stop = append(d.stop, d.poll(d.t, organization, hiring.WatchOptions{MinInterval: 2 * time.Minute, MaxInterval: 4 * time.Minute}, replicas...))
	}
}

// report reports what is in the database, and delivers a result.
func (d *day) report(ctx context.Context) {
	evaluated, reporter := time.Now().Add(-d.lag), d.running[0].recorder
	reporter.JobWorkers(ctx, otelhiring.JobWorkers{Alive: len(d.running)})
	reporter.JobDelivered(ctx, otelhiring.JobDelivered{Organization: "acme", EvaluatedAt: &evaluated})
	old := time.Now().Add(-5 * time.Hour)
	for range d.burst {
		reporter.JobDelivered(ctx, otelhiring.JobDelivered{Organization: "acme", EvaluatedAt: &old})
	}
	for _, state := range []string{"waiting", "failing", "unfinished", "stuck"} {
		c := d.counts[state]
		c.Organization, c.Kind, c.State = "acme", "hiring_delivery", state
		if state == "stuck" {
			c.Kind = "hiring_invitations"
		}
		reporter.JobCount(ctx, c)
	}
}

// stopAll stops the work of all processes. They export metrics as before.
func (d *day) stopAll() {
	for _, stop := range d.stop {
		stop()
	}
	d.stop = nil
}

// restart replaces the processes by others.
func (d *day) restart(processes ...process) {
	d.stopAll()
	d.start(processes...)
}

func (d *day) collect(duration time.Duration) {
	var recorders []*recorder
	for _, p := range d.running {
		if !slices.Contains(recorders, p.recorder) {
			recorders = append(recorders, p.recorder)
		}
	}
	for range duration / time.Minute {
		if len(d.stop) > 0 {
			d.report(d.t.Context())
		}
		d.environment.collect(d.t, time.Minute, recorders...)
	}
}

// enter puts n deliveries or invitations into a state until the returned function is called.
func (d *day) enter(state string, n int) (leave func()) {
	d.counts[state] = otelhiring.JobCount{Count: n, Oldest: time.Now()}
	return func() { delete(d.counts, state) }
}

// dayIncidents are what happens in a day, one after the other: ten faults with their alerts, and
// troubles that no alert is for. Each lasts 40 minutes unless it says otherwise.
var dayIncidents = []struct {
	name   string
	begin  func(d *day) (end func())
	want   map[string]labels
	within time.Duration // Zero: ten minutes.
	lasts  time.Duration
}{
	{"trouble: a deployment has four processes for two minutes", func(d *day) func() {
		d.restart(slices.Repeat(d.both, 2)...)
		return func() { d.restart(d.both...) }
	}, nil, 0, 2 * time.Minute},
	{"one of two processes is killed", func(d *day) func() {
		d.restart(d.both[0])
		return func() { d.restart(d.both...) }
	}, map[string]labels{"HiringWorkerMissing": {"instance": ""}}, 0, 0},
	{"trouble: the API is down for two minutes", func(d *day) func() {
		d.server.Inject(sandbox.Fault{Route: "*", Times: -1, Reset: true})
		return d.server.ClearFaults
	}, nil, 0, 2 * time.Minute},
	{"the API is down", func(d *day) func() {
		d.server.Inject(sandbox.Fault{Route: "*", Times: -1, Reset: true})
		return d.server.ClearFaults
	}, map[string]labels{"HiringPollsOverdue": {"instance": "", "cause": "the API"}}, 15 * time.Minute, 0},
	{"the database is down", func(d *day) func() {
		d.stopAll()
		return func() { d.start(d.both...) }
	}, map[string]labels{"HiringPollsOverdue": {"instance": "", "cause": "the database"}}, 15 * time.Minute, 0},
	{"both processes are killed", func(d *day) func() {
		d.stopAll()
		d.running = nil
		return func() { d.start(d.both...) }
	}, map[string]labels{"HiringWorkerGone": {"instance": ""}}, 0, 0},
	{"the key of one organization is revoked", func(d *day) func() {
		d.server.RevokeKey("sk_live_acme")
		return func() { d.addKey("acme") }
	}, map[string]labels{
		"HiringKeyRefused":  {"hiring_organization": "acme", "instance": "a:1 b:1"},
		"HiringPollOverdue": acme(labels{"hiring_operation": "Submissions.Poll"}),
	}, 15 * time.Minute, 0},
	{"trouble: a delivery fails for five minutes", func(d *day) func() { return d.enter("failing", 1) }, nil, 0, 5 * time.Minute},
	{"the receiver of one organization hangs", func(d *day) func() { return d.enter("failing", 1) },
		map[string]labels{"HiringDeliveriesFailing": acme(nil)}, 15 * time.Minute, 0},
	{"a handler does not return", func(d *day) func() {
		d.JobEvent(d.t.Context(), otelhiring.JobEvent{Organization: "acme", Kind: "hiring_delivery", Event: "stuck"})
		return func() {}
	}, map[string]labels{"HiringHandlerStuck": {"hiring_organization": "acme"}}, 0, 0},
	{"trouble: a long queue, of which something is delivered", func(d *day) func() { return d.enter("waiting", 1000) }, nil, 0, 30 * time.Minute},
	{"results are found and not delivered", func(d *day) func() { return d.enter("unfinished", 3) },
		map[string]labels{"HiringResultsLate": acme(nil)}, 64 * time.Minute, 90 * time.Minute},
	{"the run of invitations fails", func(d *day) func() { return d.enter("stuck", 5) },
		map[string]labels{"HiringInvitationsStuck": acme(nil)}, 15 * time.Minute, 0},
	{"results arrive two hours after their evaluation", func(d *day) func() {
		d.lag = 2 * time.Hour
		return func() { d.lag = time.Minute }
	}, map[string]labels{"HiringResultsArriveLate": acme(nil)}, 45 * time.Minute, 0},
	{"trouble: a burst of old results", func(d *day) func() {
		d.burst = 20
		return func() { d.burst = 0 }
	}, nil, 0, 0},
}

func (d *day) addKey(organization string) {
	d.server.AddKey(sandbox.Key{Token: "sk_live_" + organization, Scope: sandbox.ScopeRead, Organization: organization})
}

// aDay runs dayIncidents with time to recover after each. Alerts end in that time.
func aDay(t *testing.T, env *environment) {
	d := &day{environment: env, t: t, both: []process{env.process(), env.replica(t)}, lag: time.Minute, counts: make(map[string]otelhiring.JobCount)}
	for _, organization := range organizations {
		d.addKey(organization)
	}
	d.start(d.both...)
	d.collect(2 * time.Hour)
	for _, i := range dayIncidents {
		lasts := i.lasts
		if lasts == 0 {
			lasts = 40 * time.Minute
		}
		d.faultWithin(max(i.within, 10*time.Minute), i.want)
		end := i.begin(d)
		d.collect(lasts)
		end()
		d.collect(40 * time.Minute)
	}
}
