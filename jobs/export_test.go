package jobs

import "time"

// What decides how long a run of invitations pauses.
var (
	Passes      = passes
	OutagePause = outagePause
)

// HurryInvitations shortens the times that runs of invitations keep to.
func HurryInvitations(timeout, arrival time.Duration) { inviteTimeout, onItsWay = timeout, arrival }
