package sandbox

import (
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// settings are what the options settle: a reset leaves them alone.
type settings struct {
	dialect      hiring.Dialect
	lenientSince bool // the default layout is a guess, so any RFC 3339 time will do
	sinceOn      SinceField
	newest       SinceField    // the time that the order of submissions goes by; empty: creation
	listingLag   time.Duration // listings show an evaluation so much later
	pageCap      int           // submissions a page, at most; 0: what is asked for
	drift        *drift        // nil without
	limits       limits
}

// SinceField is the time that the since filter of submissions is about, which
// the service's documentation does not say.
type SinceField string

// The times of a submission. One that has not come yet matches no filter.
const (
	SinceCreated   SinceField = "created"
	SinceSubmitted SinceField = "submitted"
	SinceEvaluated SinceField = "evaluated"
)
