package jobs

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"
)

// clock is the clock of the database, which all workers share. Before the first
// sync it is the clock of this process.
//
// River computes the times of retries and snoozes with the clock of its process,
// and compares them with the clock of the database. Without a common clock, a
// worker whose clock is an hour ahead would stop an organization for an hour. River
// accepts a clock only in Config.Test.Time, which is meant for tests.
type clock struct {
	offset atomic.Int64 // Added to the clock of this process, in nanoseconds.
	synced atomic.Int64 // Unix time in nanoseconds; 0 before the first sync.
}

// Now implements rivertype.TimeGenerator.
func (c *clock) Now() time.Time { return time.Now().Add(time.Duration(c.offset.Load())) }

// NowOrNil implements rivertype.TimeGenerator: nil lets the database use its own
// clock in queries.
func (c *clock) NowOrNil() *time.Time { return nil }

// syncInterval is the time between two measurements of the offset.
const syncInterval = time.Minute

// installClock sets the clock of a configuration that has none, and returns it.
func installClock(config *river.Config) *clock {
	c := new(clock)
	if config.Test.Time == nil {
		config.Test.Time = c
	}
	return c
}

// scheduleByDatabaseClock sets the zero time as the creation time of a job, and as the
// scheduled time of a job that is due at once. River's SQL replaces the zero time by
// now(). Otherwise River would use the clock of its process. A watch without Since
// begins at the creation time of its first job.
func scheduleByDatabaseClock(_ context.Context, params *rivertype.JobInsertParams) error {
	if !strings.HasPrefix(params.Kind, "hiring_") {
		return nil
	}
	params.CreatedAt = new(time.Time)
	if params.State == rivertype.JobStateAvailable {
		params.ScheduledAt = new(time.Time)
	}
	return nil
}

// sync measures the offset of the database's clock, at most once a minute. SQLite
// uses the clock of the process.
func (c *clock) sync(ctx context.Context, t table) error {
	before := time.Now()
	if t.database == sqlite || before.UnixNano()-c.synced.Load() < int64(syncInterval) {
		return nil
	}
	var now time.Time
	if err := t.QueryRow(ctx, "SELECT now()").Scan(&now); err != nil {
		return err
	}
	elapsed := time.Since(before)
	offset := now.Sub(before.Add(elapsed / 2))
	if offset.Abs() <= elapsed+time.Second { // The measurement shows no difference.
		offset = 0
	}
	c.offset.Store(int64(offset))
	c.synced.Store(before.UnixNano())
	return nil
}

// toLocal converts a time of the database's clock to the clock of this process.
func (c *clock) toLocal(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.Add(-time.Duration(c.offset.Load()))
}
