package quota

import "time"

const (
	// previousWeight is the weight of the previous window's rate, as a duration of observation.
	previousWeight = time.Minute

	// maxDelayForOthers is the longest delay caused by the expected requests of other users of the
	// key. Their requests are visible only in responses to this client's requests, so they
	// may have ended.
	maxDelayForOthers = Length / 4
)

// usage is the state of one window: the remaining requests and who used the rest. It paces
// a long run of writes that shares the window with other users of the key.
//
// The first half of a window is used without delay, so that a run of a hundred requests is
// not slowed down. The rest is spread evenly over the remaining time, minus the expected
// requests of others and minus a reserve. A request that was sent late because those
// before it took long does not delay the next ones: the time in which the server keeps
// requests unanswered is made up for. Others are expected to continue at the observed
// rate. A new window begins with a small part of the previous window's rate. Others count
// for at most half of the limit, so that they cannot stop a run entirely.
type usage struct {
	limit, remaining int
	at, ends         time.Time // Time of the last response, and end of the window, by the local clock.
	own              int       // Requests of this client in the window.
	previousRate     float64   // Requests an hour that others made in the previous window.

	planned time.Time // When the last request would have begun if those before it had taken no time.
	ended   time.Time // When a request of this client ended last.
}

// begin counts a request of this client. The arguments are those of wait.
func (u *usage) begin(reserve, inFlight int, now time.Time) {
	due, _ := u.next(reserve, inFlight, now)
	late := max(0, u.ended.Sub(due)) // Idle time after the previous request is not made up for.
	u.own, u.planned = u.own+1, now.Add(-late)
}

// learn records a response. inFlight is the number of this client's requests in flight,
// including the request of the response.
func (u *usage) learn(limit, remaining, inFlight int, ends, now time.Time) {
	// Both ends are rounded to seconds, and a sliding window has a later end in each
	// response. A new window is one that begins where the last one ended.
	if ends.Sub(u.ends) > time.Minute && now.After(u.ends.Add(-2*time.Second)) {
		rate := u.others()
		if now.Sub(u.ends) > Length {
			rate = 0 // The previous window ended long ago.
		}
		u.previousRate, u.own, u.ends = rate, inFlight, ends
	}
	u.limit, u.remaining, u.at = limit, remaining, now
}

// others returns the number of requests an hour that others are expected to make.
func (u *usage) others() float64 {
	seen := float64(max(0, u.limit-u.remaining-u.own))
	passed := max(0, Length-u.ends.Sub(u.at))
	rate := (seen + u.previousRate*previousWeight.Hours()) / (passed + previousWeight).Hours()
	return min(rate, float64(u.limit)/2)
}

// wait returns the delay before the next request when inFlight requests are in flight and
// reserve requests of each window stay free for others. wholly reports whether the delay
// lasts until the end of the window.
func (u *usage) wait(reserve, inFlight int, now time.Time) (wait time.Duration, wholly bool) {
	due, wholly := u.next(reserve, inFlight, now)
	return max(0, due.Sub(now)), wholly
}

// next returns when the next request is due.
func (u *usage) next(reserve, inFlight int, now time.Time) (due time.Time, wholly bool) {
	if !u.ends.After(now) {
		return now, false // A new window; nothing is known about it yet.
	}
	spare := u.remaining - inFlight - reserve
	if spare < 1 {
		return u.ends, true
	}
	expected := u.others() * u.ends.Sub(u.at).Hours()
	free := max(0, float64(spare)-expected)
	if used := u.limit - u.remaining + inFlight; free >= 1 && used < u.limit/2 {
		return u.planned, false
	}
	pause := time.Duration(float64(u.ends.Sub(u.planned)) / (free + 1)) // The last request is sent before the window ends.
	if expected > 0 {
		pause = min(pause, maxDelayForOthers)
	}
	return u.planned.Add(pause), false
}
