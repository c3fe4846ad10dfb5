// Package backstage is the way from a sandbox's page to its server, for what the
// page needs and tests do not.
package backstage

import "time"

// Door returns what the page sees of a *sandbox.Server, as a value that has the
// methods that the page asks for. Package sandbox puts it here.
var Door func(server any) any

// Key is a key that a server accepts, without its token.
type Key struct {
	ID           string // Stands for the token, in forms.
	Redacted     string
	Scope        string
	Live         bool
	Organization string
	Expires      time.Time // Zero: never.
	Read, Write  Quota
}

// Quota is one of a key's two quotas, as the headers of a reply would tell it.
type Quota struct {
	Limit, Remaining int
	Reset            time.Time
	Opened           bool // Its window has begun.
}

// State is what goes wrong for all keys alike.
type State struct {
	Now            time.Time
	ThrottledUntil time.Time // Zero: no address is refused.
	Archives       bool
	Drift          bool
	Seed           uint64
	Late           []time.Time // When work is done whose reply was lost, in order.
}
