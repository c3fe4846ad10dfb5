package jobs_test

import (
	"context"
	"sync"
	"time"

	"github.com/hiring-assessment/hiring-go/jobs"
)

// recorder is a Telemetry that records its calls.
type recorder struct {
	sync.Mutex

	events map[string]int       // By organization, kind and event.
	counts map[string]int       // By organization and state.
	oldest map[string]time.Time // By organization and state.
	due    map[string]time.Time // The latest time by organization.
}

func newRecorder() *recorder {
	return &recorder{events: make(map[string]int), counts: make(map[string]int), oldest: make(map[string]time.Time), due: make(map[string]time.Time)}
}

var _ jobs.Telemetry = (*recorder)(nil)

// recordedOrganization returns the organization acme, and the recorder of its telemetry.
func (api *fakeAPI) recordedOrganization() (jobs.Organization, *recorder) {
	o, r := api.organization("acme"), newRecorder()
	o.Telemetry = r
	return o, r
}

func (r *recorder) JobDelivered(ctx context.Context, organization string, _ *time.Time) {
	r.JobEvent(ctx, organization, "hiring_delivery", "delivered")
}

func (r *recorder) JobEvent(_ context.Context, organization, kind, event string) {
	r.Lock()
	defer r.Unlock()
	r.events[organization+" "+kind+" "+event]++
}

func (r *recorder) PollDue(_ context.Context, organization string, at time.Time) {
	r.Lock()
	defer r.Unlock()
	if at.After(r.due[organization]) {
		r.due[organization] = at
	}
}

func (r *recorder) Deliveries(_ context.Context, organization, state string, count int, oldest time.Time) {
	r.Lock()
	defer r.Unlock()
	r.counts[organization+" "+state], r.oldest[organization+" "+state] = count, oldest
}

// event returns the number of reports of an event of deliveries of acme.
func (r *recorder) event(event string) int {
	r.Lock()
	defer r.Unlock()
	return r.events["acme hiring_delivery "+event]
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
