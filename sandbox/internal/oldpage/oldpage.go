// Package oldpage gives the page of package sandbox/console access to a server until it is
// a client of the control API.
package oldpage

import "time"

// Of returns what the page needs of a *sandbox.Server.
var Of func(server any) any

// KeyInfo is a key that a server accepts, without its token.
type KeyInfo struct {
	ID           string // Replaces the token in forms.
	Redacted     string // The token, redacted as in the journal.
	Scope        string
	Live         bool
	Organization string
	Expires      time.Time // Zero: never.
	Read, Write  QuotaInfo
}

// QuotaInfo is a rate limit of a key as response headers would show it.
type QuotaInfo struct {
	Limit, Remaining int
	Reset            time.Time
	Opened           bool // Whether its window has begun.
}

// Conditions are the settings that affect the requests of all keys.
type Conditions struct {
	Now               time.Time
	ThrottledUntil    time.Time // Zero: no address is throttled.
	ArchivesAvailable bool
	Drifting          bool
	DriftSeed         uint64
	LateCalls         []time.Time // When the late calls take effect, in order.
}
