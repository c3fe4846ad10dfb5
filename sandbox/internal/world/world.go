// Package world holds the data of the fake API in memory: accounts, assessments,
// candidates and their steps.
//
// [Live] has an [Organization] for each name and keeps what is written. Its candidates move
// when a test calls Open, Begin, Submit or Evaluate, or along a [Timeline]. The data of test
// mode is an Organization too, made by [NewSample] with the same steps: always the same,
// shared by all servers of the process, and never changed.
//
// The package has no HTTP, JSON, keys, clock or lock. Callers pass the current time. A
// call first makes the steps that are due by then. Goroutines that share a Live must
// lock it.
package world

import "time"

// InvitationLifetime is how long an invitation is valid after it was sent.
const InvitationLifetime = 30 * 24 * time.Hour
