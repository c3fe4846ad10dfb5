package poll

import "time"

// LongestRetryAfter is the longest time for which the API can ask polls to wait after a failure. A
// window of the rate limit is not longer.
const LongestRetryAfter = time.Hour

// Outage is a row of polls that failed. Its zero value is none.
type Outage struct {
	Began time.Time // When the first poll failed.

	polls      int
	logged     time.Time // When the outage was logged last.
	redirected time.Time // When the first of the polls in a row was redirected. Zero: the last poll was not redirected.
}

// Pause returns the time until the next poll: a minute, doubled with each further poll that failed,
// up to longest.
func (o *Outage) Pause(longest time.Duration) time.Duration {
	return min(time.Minute<<min(max(0, o.polls-1), 10), longest)
}

// Add adds a poll that failed at a time. misdirected reports that polls have been redirected for an
// hour, so that the address is probably wrong.
func (o *Outage) Add(now time.Time, redirected bool) (misdirected bool) {
	if o.polls++; o.polls == 1 {
		o.Began = now
	}
	switch {
	case !redirected:
		o.redirected = time.Time{}
		return false
	case o.redirected.IsZero():
		o.redirected = now
	}
	return now.Sub(o.redirected) >= time.Hour
}

// ShouldLog reports whether to log the outage now, and records it: when it begins, and each hour.
func (o *Outage) ShouldLog(now time.Time) bool {
	if o.polls == 0 || now.Sub(o.logged) < time.Hour {
		return false
	}
	o.logged = now
	return true
}
