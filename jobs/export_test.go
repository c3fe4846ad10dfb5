package jobs

import "time"

// What decides how long a run of invitations pauses.
var OutagePause = outagePause

// PollTimeout is the timeout of polls with a configuration's JobTimeout.
var PollTimeout = pollTimeout

// Attempts returns how many attempts a policy allows.
func (p RetryPolicy) Attempts() int { return p.withDefaults().attempts() }

// Delay returns the delay after a failed attempt.
func (p RetryPolicy) Delay(attempt int) time.Duration { return p.withDefaults().delay(attempt) }

// HurryInvitations shortens the times that runs of invitations keep to.
func HurryInvitations(timeout, pause time.Duration) { inviteTimeout, retryPause = timeout, pause }

// HurryHealth shortens the time between two counts of the deliveries.
func HurryHealth(every time.Duration) { healthEvery = every }
