package jobs

import "time"

// IsPublic is isPublic.
var IsPublic = isPublic

// WaitsFor is waitsFor.
var WaitsFor = waitsFor

// CauseOf is causeOf.
var CauseOf = causeOf

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

// SetRefreshInterval sets the time after which directories are read again.
func SetRefreshInterval(d time.Duration) { refreshInterval = d }
