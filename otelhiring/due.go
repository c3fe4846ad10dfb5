package otelhiring

import (
	"context"
	"errors"
	"slices"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// pollingOperations are the operations that send requests until they end, so that
// their next request is due at some time.
var pollingOperations = []string{"Submissions.WaitReport", "Submissions.WaitReports", operationWatch, "Events.Tail"}

const (
	operationWatch = "Submissions.Watch"
	operationPoll  = "Submissions.Poll"
)

// call is a call in progress. It is guarded by Telemetry.mu.
type call struct {
	operation string
	handling  bool      // The caller handles results, or the call has just begun: no attempt is in progress, and the call does not wait.
	failing   bool      // The last attempt failed.
	due       time.Time // When the next request is due. Failures do not move it.
}

// attemptEnded records the end of an attempt. The next request is due at once,
// unless the attempt failed: then the time stays as it was.
func (c *call) attemptEnded(e hiring.Exchange, now time.Time) {
	c.handling = true
	c.failing = !isHealthy(e)
	if !c.failing {
		c.due = now
	}
}

// pauseBegan records a wait. The next request is due at its end, but not when it
// only delays a retry: then the request has been due since the first failure.
func (c *call) pauseBegan(p hiring.TracePause) {
	c.handling = false
	if !c.failing {
		c.due = p.Until
	}
}

// isHealthy reports whether an attempt shows a working API. A used-up rate limit
// is healthy, because the wait for the next window is known. A resource that is
// not found and a rejected filter are healthy, because polling calls handle them.
func isHealthy(e hiring.Exchange) bool {
	quotaUsedUp := errors.Is(e.Err, hiring.ErrRateLimited) && e.RateLimit.Known() && e.RateLimit.Remaining == 0
	return e.Err == nil || quotaUsedUp || errors.Is(e.Err, hiring.ErrNotFound) || errors.Is(e.Err, hiring.ErrInvalidInput)
}

// callBegan adds a call.
func (t *Telemetry) callBegan(operation string) *call {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := &call{operation: operation, handling: true, due: time.Now()}
	t.calls[c] = struct{}{}
	delete(t.failed, operation)
	return c
}

// callEnded removes a call. A watch is meant to run without end: one that ended
// with an error stays due until the next one begins.
func (t *Telemetry) callEnded(c *call, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.calls, c)
	stopped := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	if c.operation == operationWatch && err != nil && !stopped {
		t.failed[c.operation] = c.due
	}
}

// postpone makes the requests of calls due now whose results are being handled.
func (t *Telemetry) postpone() {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	for c := range t.calls {
		if c.handling && !c.failing {
			c.due = now
		}
	}
}

// PollDue records when the next poll of an organization is due, for programs that
// call [hiring.SubmissionService.Poll] by themselves: call it before the first
// poll, and after each poll that did not fail with the time at which the next one
// begins. An alert fires when that time has passed by five minutes. Several
// processes may share the polls of an organization: the latest time of all
// processes counts. A zero time means that no poll follows, because the organization was
// removed. Module jobs calls PollDue for each of its organizations.
//
// With an empty organization, the attribute of [WithOrganization] applies.
func (t *Telemetry) PollDue(_ context.Context, organization string, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at.IsZero() {
		delete(t.pollDue, organization)
		return
	}
	t.pollDue[organization] = at
}

// dueKey identifies one series of hiring.poll.overdue.
type dueKey struct{ operation, organization string }

// due returns the earliest time of each operation.
func (t *Telemetry) due() map[dueKey]time.Time {
	earliest := make(map[dueKey]time.Time)
	for operation, at := range t.failed {
		earliest[dueKey{operation: operation}] = at
	}
	for c := range t.calls {
		key := dueKey{operation: c.operation}
		known, ok := earliest[key]
		if slices.Contains(pollingOperations, c.operation) && (!ok || c.due.Before(known)) {
			earliest[key] = c.due
		}
	}
	for organization, at := range t.pollDue {
		earliest[dueKey{operationPoll, organization}] = at
	}
	return earliest
}
