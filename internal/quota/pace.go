package quota

import "time"

const (
	// memory is how much observed time the rate of the previous window counts for.
	memory = time.Minute

	// probe is the longest delay that the expected use of others causes. Their use
	// shows only in responses to own requests, so they may have stopped.
	probe = Length / 4
)

// usage is what is known of one window: what it has left and who used it. It paces a
// long run of writes that shares the window with other users of the key.
//
// Half of a window is used without delay, so that a run of a hundred ends at once.
// The rest is spread evenly over the remaining window, less what others are expected
// to use and less a reserve. Others are expected to continue at the observed rate, of
// which a new window keeps a little, so that it does not begin with a collision.
// They count for at most half of the limit: a user who takes all of it does not stop a
// run for good.
type usage struct {
	limit, remaining int
	at, ends         time.Time // When the last response arrived, and when the window ends, by the local clock.
	own              int       // Requests of this client in the window.
	before           float64   // Requests an hour that others made in the previous window.
}

// begin counts an own request.
func (u *usage) begin() { u.own++ }

// learn records a response. onTheWay is the number of own requests that have begun and
// not ended, including the request of the response.
func (u *usage) learn(limit, remaining, onTheWay int, ends, now time.Time) {
	// Both ends are rounded to seconds, and a sliding window has a later end in each
	// response: only a window that begins where the last ended is a new one.
	if ends.Sub(u.ends) > time.Minute && now.After(u.ends.Add(-2*time.Second)) {
		rate := u.others()
		if now.Sub(u.ends) > Length {
			rate = 0 // The previous window ended long ago.
		}
		u.before, u.own, u.ends = rate, onTheWay, ends
	}
	u.limit, u.remaining, u.at = limit, remaining, now
}

// others returns how many requests an hour others are expected to make.
func (u *usage) others() float64 {
	seen := float64(max(0, u.limit-u.remaining-u.own))
	passed := max(0, Length-u.ends.Sub(u.at))
	rate := (seen + u.before*memory.Hours()) / (passed + memory).Hours()
	return min(rate, float64(u.limit)/2)
}

// wait returns how long the next request waits when onTheWay own requests have begun
// since the last response and reserve requests of each window are left to others.
// wholly reports whether that is until the end of the window.
func (u *usage) wait(reserve, onTheWay int, now time.Time) (wait time.Duration, wholly bool) {
	if !u.ends.After(now) {
		return 0, false // A new window: nothing is known yet.
	}
	left := u.ends.Sub(u.at)
	spare := u.remaining - onTheWay - reserve
	if spare < 1 {
		return u.ends.Sub(now), true
	}
	expected := u.others() * left.Hours()
	free := max(0, float64(spare)-expected)
	if used := u.limit - u.remaining + onTheWay; free >= 1 && used < u.limit/2 {
		return 0, false
	}
	pause := time.Duration(float64(left) / (free + 1)) // So that the last one is sent before the end.
	if expected > 0 {
		pause = min(pause, probe)
	}
	return max(0, u.at.Add(pause).Sub(now)), false
}
