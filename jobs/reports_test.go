package jobs_test

import (
	"context"
	"sync"
	"time"

	"github.com/hiring-assessment/hiring-go/jobs"
)

// reports is a Telemetry that keeps what it receives.
type reports struct {
	sync.Mutex

	events map[string]int       // By organization, kind and event.
	counts map[string]int       // By organization and state.
	oldest map[string]time.Time // By organization and state.
	due    map[string]time.Time // The latest, by organization.
}

func newReports() *reports {
	return &reports{events: make(map[string]int), counts: make(map[string]int), oldest: make(map[string]time.Time), due: make(map[string]time.Time)}
}

var _ jobs.Telemetry = (*reports)(nil)

func (r *reports) JobDelivered(ctx context.Context, organization string, _ *time.Time) {
	r.JobEvent(ctx, organization, "hiring_delivery", "delivered")
}

func (r *reports) JobEvent(_ context.Context, organization, kind, event string) {
	r.Lock()
	defer r.Unlock()
	r.events[organization+" "+kind+" "+event]++
}

func (r *reports) PollDue(_ context.Context, organization string, at time.Time) {
	r.Lock()
	defer r.Unlock()
	if at.After(r.due[organization]) {
		r.due[organization] = at
	}
}

func (r *reports) Deliveries(_ context.Context, organization, state string, count int, oldest time.Time) {
	r.Lock()
	defer r.Unlock()
	r.counts[organization+" "+state], r.oldest[organization+" "+state] = count, oldest
}

// event returns how often an event of a delivery of acme was reported.
func (r *reports) event(event string) int {
	r.Lock()
	defer r.Unlock()
	return r.events["acme hiring_delivery "+event]
}

// deliveries returns the number for acme that was reported last.
func (r *reports) deliveries(state string) int {
	r.Lock()
	defer r.Unlock()
	return r.counts["acme "+state]
}

// since returns the time of the oldest of acme that was reported last.
func (r *reports) since(state string) time.Time {
	r.Lock()
	defer r.Unlock()
	return r.oldest["acme "+state]
}
