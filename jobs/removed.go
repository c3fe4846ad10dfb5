package jobs

import (
	"context"
	"time"

	"github.com/riverqueue/river"
)

// StatusRemoved is the status of the row of an organization that no worker lists and
// that has deliveries. Its assessment_id is empty, and its address is " removed". Ten
// minutes after the row was inserted, the deliveries are cancelled. The row is deleted
// when the organization is listed again.
const StatusRemoved Status = "removed"

// removedAddress begins with a space, unlike the address of a candidate.
const removedAddress = " removed"

// removedGrace is the time before the deliveries of a removed organization are cancelled.
// During a deployment it may be listed by a process that has not begun to work.
var removedGrace = 10 * time.Minute

// awaitRemoval records that no worker lists an organization, and returns a snooze.
func (t table) awaitRemoval(ctx context.Context, organization string) error {
	err := t.insert(ctx, rowKey{organization, "", removedAddress}, savedRow{status: StatusRemoved, version: 1})
	if err != nil {
		return err
	}
	return river.JobSnooze(removedSnooze)
}

// removedSnooze is the time after which a delivery of a removed organization checks
// whether it is listed again.
const removedSnooze = time.Minute

// endRemoved cancels the deliveries of organizations that were removed some time ago, and
// deletes the rows of those that are listed again. It finds an organization
// whose deliveries all wait for a retry, too.
func (w *healthWorker[D, TTx]) endRemoved(ctx context.Context, t table) error {
	var candidates []struct {
		Organization string  `json:"organization"`
		Age          float64 `json:"age"` // In seconds; -1 without a row.
	}
	err := t.queryJSON(ctx, t.object("'organization', organization, 'age', age"), `
		SELECT organization, max(age) AS age FROM (
			SELECT organization, `+t.epochSQL(t.now())+` - `+t.epochSQL("updated_at")+` AS age FROM hiring_jobs WHERE status = '`+string(StatusRemoved)+`'
			UNION ALL
			SELECT DISTINCT args->>'organization', -1 FROM river_job WHERE queue = '`+QueueDeliveries+`' AND state IN ('available', 'retryable', 'scheduled')
		) AS u GROUP BY 1`, &candidates)
	if err != nil {
		return err
	}
	for _, c := range candidates {
		_, unlisted := w.watched.entry(c.Organization)
		listed := unlisted == nil
		if !listed {
			if listed, err = t.listedByAny(ctx, c.Organization); err != nil {
				return err
			}
		}
		key := rowKey{c.Organization, "", removedAddress}
		switch {
		case listed && c.Age >= 0:
			err = t.Exec(ctx, "DELETE FROM hiring_jobs WHERE organization = $1 AND assessment_id = '' AND address = $2", key.organization, key.address)
		case !listed && c.Age < 0:
			err = t.insert(ctx, key, savedRow{status: StatusRemoved, version: 1})
		case !listed && c.Age > removedGrace.Seconds():
			err = w.cancelDeliveries(ctx, t, c.Organization)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// cancelDeliveries cancels the unfinished deliveries of an organization.
func (w *healthWorker[D, TTx]) cancelDeliveries(ctx context.Context, t table, organization string) error {
	var cancelled int
	where := "queue = '" + QueueDeliveries + "' AND state IN ('available', 'retryable', 'scheduled') AND args->>'organization' = $1"
	if err := t.QueryRow(ctx, "SELECT count(*) FROM river_job WHERE "+where, organization).Scan(&cancelled); err != nil || cancelled == 0 {
		return err
	}
	if err := t.Exec(ctx, "UPDATE river_job SET state = 'cancelled', finalized_at = "+t.now()+" WHERE "+where, organization); err != nil {
		return err
	}
	w.logger().WarnContext(ctx, "jobs: the organization is no longer listed: its deliveries are cancelled", "organization", organization, "deliveries", cancelled)
	return nil
}
