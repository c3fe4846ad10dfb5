// Package defaults states the defaults of the client and of the methods that poll once, for the
// code and its tests.
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

// Reserve is the part of each rate-limit window that EnsureAll and the methods that poll leave to others.
const Reserve = 0.1

// Of the methods that poll.
const (
	MinInterval = 30 * time.Second
	MaxInterval = 60 * time.Second
	Lookback    = 30 * 24 * time.Hour // Of Watch and Poll.
)
