package jobs

import "time"

// HurryInvitations shortens the times that runs of invitations keep to.
func HurryInvitations(timeout, arrival time.Duration) { inviteTimeout, onItsWay = timeout, arrival }
