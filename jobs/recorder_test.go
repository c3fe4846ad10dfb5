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
}

func newRecorder() *recorder {
	return &recorder{events: make(map[string]int), counts: make(map[string]int), oldest: make(map[string]time.Time)}
}

// recordedOrganization returns the organization acme, and a recorder.
func (api *fakeAPI) recordedOrganization() (jobs.Organization, *recorder) {
	return api.organization("acme"), newRecorder()
}

// telemetry returns the functions that record.
func (r *recorder) telemetry() jobs.Telemetry {
	return jobs.Telemetry{
		Delivered: func(_ context.Context, e jobs.DeliveredEvent) {
			r.record(jobs.JobEvent{Organization: e.Organization, Kind: jobs.KindDelivery, Event: "delivered"})
		},
		Job: func(_ context.Context, e jobs.JobEvent) { r.record(e) },
		Count: func(_ context.Context, e jobs.CountEvent) {
			r.Lock()
			defer r.Unlock()
			r.counts[e.Organization+" "+e.State], r.oldest[e.Organization+" "+e.State] = e.Count, e.Oldest
		},
	}
}

func (r *recorder) record(e jobs.JobEvent) {
	r.Lock()
	defer r.Unlock()
	r.events[e.Organization+" "+e.Kind+" "+e.Event]++
}

// event returns the number of reports of an event of deliveries of acme.
func (r *recorder) event(event string) int { return r.eventOf(jobs.KindDelivery, event) }

// eventOf returns the number of reports of an event of jobs of a kind of acme.
func (r *recorder) eventOf(kind, event string) int {
	r.Lock()
	defer r.Unlock()
	return r.events["acme "+kind+" "+event]
}

// deliveries returns the last reported number of deliveries of acme in a state.
func (r *recorder) deliveries(state string) int {
	r.Lock()
	defer r.Unlock()
	return r.counts["acme "+state]
}

// since returns when the oldest delivery of acme entered a state, as last reported.
func (r *recorder) since(state string) time.Time {
	r.Lock()
	defer r.Unlock()
	return r.oldest["acme "+state]
}
