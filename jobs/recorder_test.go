package jobs_test

import (
	"context"
	"sync"
	"time"

	"github.com/hiring-assessment/hiring-go/jobs"
)

// recorder records the events of a Telemetry.
type recorder struct {
	sync.Mutex

	events map[string]int       // By organization, kind and event.
	counts map[string]int       // By organization and state.
	oldest map[string]time.Time // By organization and state.
	due    map[string]time.Time // By organization.
	clock  []time.Duration
}

func newRecorder() *recorder {
	return &recorder{events: make(map[string]int), counts: make(map[string]int), oldest: make(map[string]time.Time), due: make(map[string]time.Time)}
}

// recordedOrganization returns the organization acme, and a recorder.
func (api *fakeAPI) recordedOrganization() (jobs.Organization, *recorder) {
	return api.organization("acme"), newRecorder()
}

// telemetry returns the functions that record.
func (r *recorder) telemetry() jobs.Telemetry {
	return jobs.Telemetry{
		Delivered: func(_ context.Context, e jobs.DeliveredEvent) {
			if e.EvaluatedAt != nil {
				r.record(jobs.JobEvent{Organization: e.Organization, Kind: jobs.KindDelivery, Event: "delivered"})
			}
		},
		Job: func(_ context.Context, e jobs.JobEvent) { r.record(e) },
		PollDue: func(_ context.Context, e jobs.PollDueEvent) {
			r.Lock()
			defer r.Unlock()
			r.due[e.Organization] = e.At
		},
		Count: func(_ context.Context, e jobs.CountEvent) {
			r.Lock()
			defer r.Unlock()
			key := e.Organization + " " + string(e.State)
			r.counts[key], r.oldest[key] = e.Count, e.Oldest
		},
		Clock: func(_ context.Context, e jobs.ClockEvent) {
			r.Lock()
			defer r.Unlock()
			r.clock = append(r.clock, e.Ahead)
		},
	}
}

func (r *recorder) record(e jobs.JobEvent) {
	r.Lock()
	defer r.Unlock()
	r.events[e.Organization+" "+e.Kind+" "+string(e.Event)]++
}

// event returns the number of reports of an event of deliveries of acme.
func (r *recorder) event(event jobs.Event) int { return r.eventOf(jobs.KindDelivery, event) }

// eventOf returns the number of reports of an event of jobs of a kind of acme.
func (r *recorder) eventOf(kind string, event jobs.Event) int {
	r.Lock()
	defer r.Unlock()
	return r.events["acme "+kind+" "+string(event)]
}

// deliveries returns the last reported number of deliveries of acme in a state.
func (r *recorder) deliveries(state jobs.State) int {
	r.Lock()
	defer r.Unlock()
	return r.counts["acme "+string(state)]
}

// since returns when the oldest delivery of acme entered a state, as last reported.
func (r *recorder) since(state jobs.State) time.Time {
	r.Lock()
	defer r.Unlock()
	return r.oldest["acme "+string(state)]
}

// dueOf returns when the next poll of an organization is due, as last reported.
func (r *recorder) dueOf(organization string) time.Time {
	r.Lock()
	defer r.Unlock()
	return r.due[organization]
}

// ahead returns the last reported difference of the clocks, and how many were reported.
func (r *recorder) ahead() (d time.Duration, n int) {
	r.Lock()
	defer r.Unlock()
	if n = len(r.clock); n > 0 {
		d = r.clock[n-1]
	}
	return d, n
}
