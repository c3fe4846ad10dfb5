package jobs

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
)

// clock is the clock of the database, which all workers share. The zero value is
// the clock of this process, until the first sync.
//
// River computes the times of retries and snoozes with the clock of its process,
// and compares them with that of the database. Without a common clock, a worker
// that is an hour ahead would stop an organization for an hour. River takes the
// clock from Config.Test.Time, which is meant for tests, and has no other place
// for it.
type clock struct {
	offset atomic.Int64 // To be added to the clock of this process, in nanoseconds.
	synced atomic.Int64 // Unix time in nanoseconds; 0 before the first sync.
}

// Now implements rivertype.TimeGenerator.
func (c *clock) Now() time.Time { return time.Now().Add(time.Duration(c.offset.Load())) }

// NowOrNil implements rivertype.TimeGenerator: nil lets the database use its own
// clock in queries.
func (c *clock) NowOrNil() *time.Time { return nil }

// syncEvery is how long the difference of two clocks is taken as constant.
const syncEvery = time.Minute

// install sets the clock of a configuration, when it has none, and returns it.
func install[D riverdriver.Driver[TTx], TTx any](config *river.Config) *clock {
	if c, ok := config.Test.Time.(*clock); ok {
		return c // Of another call for the same configuration.
	}
	c := new(clock)
	if config.Test.Time == nil {
		config.Test.Time = c
	}
	var driver D
	if driver.DatabaseName() == postgres {
		config.Hooks = append(config.Hooks, river.HookInsertBeginFunc(dueNow))
	}
	return c
}

// dueNow makes PostgreSQL choose the time of a job that is due at once. River would
// use the clock of its process. River's SQL replaces the zero time.
func dueNow(_ context.Context, params *rivertype.JobInsertParams) error {
	if params.State == rivertype.JobStateAvailable && strings.HasPrefix(params.Kind, "hiring_") {
		params.ScheduledAt = new(time.Time)
	}
	return nil
}

// due corrects the time of a job that was inserted by a client without that hook.
func (t table) due(ctx context.Context, id int64) error {
	if t.database != postgres {
		return nil
	}
	return t.Exec(ctx, "UPDATE "+t.rivers+" SET scheduled_at = now() WHERE id = $1 AND state = 'available' AND scheduled_at > now()", id)
}

// sync measures the difference to the database's clock at most once a minute.
// SQLite has no clock of its own.
func (c *clock) sync(ctx context.Context, t table) error {
	before := time.Now()
	if t.database == sqlite || before.UnixNano()-c.synced.Load() < int64(syncEvery) {
		return nil
	}
	var now time.Time
	if err := t.QueryRow(ctx, "SELECT now()").Scan(&now); err != nil {
		return err
	}
	elapsed := time.Since(before)
	offset := now.Sub(before.Add(elapsed / 2))
	if offset.Abs() <= elapsed+time.Second { // Equal, as far as this measurement shows.
		offset = 0
	}
	c.offset.Store(int64(offset))
	c.synced.Store(before.UnixNano())
	return nil
}

// local returns the time that the clock of this process shows at a time of the
// database.
func (c *clock) local(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(-time.Duration(c.offset.Load()))
}
