package hiring

import "time"

// The levels of scans. Where since is about creation, none of them alone will
// do: what was created recently is listed often, all of Lookback seldom.
const (
	increments = iota // Since the last one.
	common            // The age at which nearly all submissions are evaluated.
	late              // Nearly all of the rest.
	lookback          // All.
	levels
)

const (
	roundPages      = 10
	maxCredit       = 30.0 // Pages that a level may be behind.
	firstCredit     = 3.0
	longestIdle     = 5 * time.Minute // No more time than this gives credit.
	enoughSamples   = 100
	heldBack        = time.Hour // An item is delivered without its report when that could not be read for so long.
	defaultLookback = 30 * 24 * time.Hour
)

// shares are those of each level in the requests that a window has.
var shares = [levels]float64{common: 0.6, late: 0.12, lookback: 0.12}

// rests are between two scans of a level, in longest intervals.
var rests = [levels]int64{late: 5, lookback: 15}

// grant gives each level its share of the requests that the time since the last
// round allows for.
func (r *round) grant() {
	s := r.state
	if r.now.IsZero() {
		return
	}
	pages := max(0, min(r.now.Sub(s.At), longestIdle).Seconds()) * r.rate()
	s.At = r.now
	for level := range s.Scans {
		share := shares[level]
		if level == lookback && r.meaning == sinceLater {
			share /= 3 // For safety's sake only.
		}
		s.Scans[level].Credit = min(s.Scans[level].Credit+share*pages, maxCredit)
	}
}

// due tells whether a level has a page to read now.
func (r *round) due(level int) bool {
	s := r.state
	if len(s.Delivered) > tooMany && level != lookback {
		return false
	}
	scan := &s.Scans[level]
	forced := level == lookback && len(s.Delivered) > tooMany
	if !forced && (scan.Credit < 1 || level <= r.merged()) {
		return false
	}
	pause := max(time.Duration(rests[level]*int64(r.pause.longest)), r.pause.shortest)
	age := s.At.Sub(scan.Began) // Less than nothing after the server's clock was put back.
	return scan.Running || forced || age < 0 || age >= pause
}

// merged is the deepest level that fits on one page, and so into the increments.
func (r *round) merged() int {
	for level := lookback; level > increments; level-- {
		if r.state.Scans[level].Cost == 1 {
			return level
		}
	}
	return increments
}

// reach is how far back a level looks.
func (r *round) reach(level int) time.Duration {
	ages, usual := &r.state.Ages, [levels]time.Duration{common: 48 * time.Hour, late: 7 * 24 * time.Hour}
	if r.meaning == sinceLater {
		ages, usual = &r.state.Gradings, [levels]time.Duration{common: time.Hour, late: 24 * time.Hour}
	}
	if level == lookback {
		return r.options.Lookback
	}
	far := usual[level]
	if ages.Total >= enoughSamples {
		far = max(10*time.Minute, ages.quantile([levels]float64{common: 0.98, late: 0.997}[level]))
	}
	if level == increments {
		far = 0
	}
	return min(far, r.options.Lookback)
}

func (r *round) since(level int) time.Time {
	from := r.state.Before
	switch level {
	case increments:
		level = r.merged()
	case lookback: // The scan before may be long ago.
		from = r.state.Floor
	}
	return later(from.Add(-r.reach(level)).Truncate(time.Millisecond), firstTime)
}

// firstTime is before all that a service has seen. What options reckon beyond it
// could lead to years that neither a query nor a state can hold.
var firstTime = time.Unix(0, 0).UTC()

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}
