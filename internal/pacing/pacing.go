// Package pacing decides how fast a long run of writes goes that shares an
// hourly quota with others whom it cannot see.
//
// What is known comes with each reply: how many requests the window has left and
// when it ends. What of the rest others took, and not this client, is known by
// counting one's own. They are taken to go on at the rate seen, of which a new
// window keeps a little, so that it does not begin with a collision.
//
// Half of a window goes without a pause: a run of a hundred ends at once. The
// rest is spread evenly over what is left of the window, less what the others
// will use of it by then and less a share that is always left to them. The
// others count for half of the quota at most: who takes all of it does not stop
// a run for good.
package pacing

import "time"

const (
	// length is how long a window lasts.
	length = time.Hour

	// memory is how much observed time the rate of the window before counts for.
	memory = time.Minute

	// probe is the longest pause for the sake of others, whose use shows in
	// nothing but the replies to requests of one's own: they may be gone.
	probe = length / 4
)

// Usage is what is known of a window, and who used what of it.
type Usage struct {
	limit, remaining int
	at, ends         time.Time // When that was said, and when the window ends, by the local clock.
	own              int       // Requests of this client in the window.
	before           float64   // What others were seen to use in an hour of the window before.
}

// Begin counts a request of one's own.
func (u *Usage) Begin() { u.own++ }

// Learn keeps what a reply said; onTheWay are the requests that have begun and
// not ended, the one of the reply included.
func (u *Usage) Learn(limit, remaining, onTheWay int, ends, now time.Time) {
	// Both ends are rounded to seconds, and a sliding window has a later end in
	// each reply: only one that begins where the last ended is another.
	if ends.Sub(u.ends) > time.Minute && now.After(u.ends.Add(-2*time.Second)) {
		rate := u.others()
		if now.Sub(u.ends) > length {
			rate = 0 // Of long ago.
		}
		u.before, u.own, u.ends = rate, onTheWay, ends
	}
	u.limit, u.remaining, u.at = limit, remaining, now
}

// others is how many requests an hour others are taken to make.
func (u *Usage) others() float64 {
	seen := float64(max(0, u.limit-u.remaining-u.own))
	passed := max(0, length-u.ends.Sub(u.at))
	rate := (seen + u.before*memory.Hours()) / (passed + memory).Hours()
	return min(rate, float64(u.limit)/2)
}

// Wait returns how long from now on the next request waits when onTheWay others
// of one's own have begun since the last reply, and reserve requests of each
// window are left to others. wholly is true when that is until the window's end.
func (u *Usage) Wait(reserve, onTheWay int, now time.Time) (wait time.Duration, wholly bool) {
	if !u.ends.After(now) {
		return 0, false // A new window, of which nothing is known yet.
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
	pause := time.Duration(float64(left) / (free + 1)) // So that the last of them goes before the end.
	if expected > 0 {
		pause = min(pause, probe)
	}
	return max(0, u.at.Add(pause).Sub(now)), false
}
