// Package defaults states the defaults of the client's options once, for the client and its tests.
package defaults

import "time"

// Of New.
const (
	Timeout          = 30 * time.Second // Of an attempt.
	MaxResponseBytes = 64 << 20

	MaxAttempts = 4 // Of a call.
	BaseBackoff = 500 * time.Millisecond
	MaxBackoff  = 30 * time.Second
	MaxWait     = time.Minute // For a Retry-After or a window.
)
