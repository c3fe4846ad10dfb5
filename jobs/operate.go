package jobs

import (
	"context"
	"fmt"

	"github.com/riverqueue/river"
)

// Pause pauses the deliveries of an organization, as [ErrReceiverGone] does, until [Resume] or
// [Deliver] is called. It begins with the commit of the caller's transaction. Running deliveries
// finish. Pausing twice is no error. An organization that [Watch] has never polled is one.
func Pause[TTx any](ctx context.Context, client *river.Client[TTx], tx TTx, organization string) error {
	t := callerTable(client, tx)
	watch, err := t.load(ctx, organization, watchAddress)
	if err == nil && watch.status == "" {
		err = fmt.Errorf("jobs: organization %q was never polled: check the name", organization)
	}
	if err != nil {
		return err
	}
	return t.pause(ctx, organization, "by hand")
}

// Resume ends the pause of an organization, and starts its deliveries with the commit of the
// caller's transaction, also those that failed before the pause and wait for their next attempt.
// It is an error if the deliveries are not paused.
func Resume[TTx any](ctx context.Context, client *river.Client[TTx], tx TTx, organization string) error {
	resumed, err := callerTable(client, tx).resume(ctx, organization)
	if err == nil && !resumed {
		err = fmt.Errorf("jobs: the deliveries of organization %q are not paused", organization)
	}
	return err
}

// RetryAll starts jobs of an organization with the commit of the caller's transaction, and returns
// their number. An empty name means all organizations. Use it when the cause of failures is
// repaired, or after a wrong clock.
//
//   - Polls, deliveries and runs of invitations that wait for their time start now. For all
//     organizations, so do the jobs that insert missing ones.
//   - Deliveries that were discarded, or cancelled by a handler or because the API does not have the submission, get one more attempt.
//   - Deliveries that an operator cancelled with [river.Client.JobCancel] stay so, and those whose
//     handler ended the transaction, which may have stored the result. [Deliver] retries one of them.
//   - Deliveries of a paused organization count as started, and wait until [Resume].
//   - Running and completed jobs, and those of other packages, are not changed.
func RetryAll[TTx any](ctx context.Context, client *river.Client[TTx], tx TTx, organization string) (started int, err error) {
	t := callerTable(client, tx)
	n, err := t.retry(ctx, organization, t.waitingSQL()+" OR kind = '"+KindDelivery+"' AND (state = 'discarded' OR state = 'cancelled' AND "+
		notByOperatorSQL+" AND "+t.errorsSQL("count", "LIKE '%"+txEnded+"%'")+" = 0)")
	return int(n), err
}

// resume ends the pause of an organization, and starts its deliveries that wait. It reports whether there was a pause.
func (t table) resume(ctx context.Context, organization string) (resumed bool, err error) {
	resumed, err = t.remove(ctx, organization, receiverAddress)
	if err == nil && resumed {
		_, err = t.retry(ctx, organization, t.waitingSQL()+" AND kind = '"+KindDelivery+"'")
	}
	return resumed, err
}

// waitingSQL returns the condition for jobs that wait for their time.
func (t table) waitingSQL() string {
	return "state IN ('available', 'retryable', 'scheduled') AND scheduled_at > " + t.now()
}

// retry starts the jobs of this package, of an organization or of all, that meet a condition. It sets what River's JobRetry sets,
// which would also start a delivery that has been completed since the condition was checked. Jobs that are locked are about to start.
func (t table) retry(ctx context.Context, organization, condition string) (started int64, err error) {
	lock := " FOR UPDATE SKIP LOCKED"
	if t.sqlite {
		lock = ""
	}
	return t.exec(ctx, `UPDATE river_job SET state = 'available', finalized_at = NULL, scheduled_at = `+t.now()+`,
			max_attempts = CASE WHEN attempt >= max_attempts THEN attempt + 1 ELSE max_attempts END
		WHERE id IN (SELECT id FROM river_job WHERE kind IN ('`+KindPoll+`', '`+KindDelivery+`', '`+KindInvitations+`', '`+KindHealth+`')
			AND $1 IN ('', args->>'organization') AND (`+condition+`)`+lock+`)`, organization)
}
