package jobs

import "time"

// IsPublic is isPublic.
var IsPublic = isPublic

// PollTimeout is pollTimeout.
var PollTimeout = pollTimeout

// Attempts returns the number of attempts that a policy allows.
func (p RetryPolicy) Attempts() int { return p.withDefaults().attempts() }

// Delay returns the delay after a failed attempt.
func (p RetryPolicy) Delay(attempt int) time.Duration { return p.withDefaults().delay(attempt) }

// ShortenInvitationTimes sets the timeout of runs of invitations and the delay after
// their failures.
func ShortenInvitationTimes(timeout, delay time.Duration) {
	inviteTimeout, retryDelay = timeout, delay
}

// ShortenInvitationWait sets the timeout of a request, and how long after it a listing does not show its invitation.
func ShortenInvitationWait(timeout, settle time.Duration) {
	attemptTimeout, settleTime = timeout, settle
}

// SetHealthInterval sets the time between two reports of deliveries.
func SetHealthInterval(interval time.Duration) { healthInterval = interval }

// SetAliveTimes sets how often workers announce themselves, and how long they are alive
// without.
func SetAliveTimes(interval, alive time.Duration) { announceInterval, aliveFor = interval, alive }

// SetRefreshInterval sets the time after which directories are read again.
func SetRefreshInterval(d time.Duration) { refreshInterval = d }

// SetUnlistedSnoozes sets the number of snoozes before the deliveries of a removed organization end, and how long a job waits for
// another process.
func SetUnlistedSnoozes(n int, d time.Duration) { unlistedSnoozes, unlistedSnooze = n, d }

// PollArgs are pollArgs.
type PollArgs = pollArgs
