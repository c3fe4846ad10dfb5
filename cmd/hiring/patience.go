package main

import (
	"context"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// longRunOptions returns options for work that lasts several rate-limit windows. The
// progress shows what the client waits for.
func (a *app) longRunOptions(progress *output.Progress) []hiring.Option {
	return []hiring.Option{
		hiring.WithRetry(hiring.RetryPolicy{MaxWait: 2 * time.Hour}),
		hiring.WithTrace(hiring.Trace{Pause: func(_ context.Context, pause hiring.TracePause) {
			until := a.clock(pause.Until)
			progress.Note(map[hiring.PauseReason]string{
				hiring.PauseQuota:  "waiting for the rate limit until " + until,
				hiring.PauseLookup: "checking the outcome of a lost response at " + until,
				hiring.PauseRetry:  "retrying at " + until,
			}[pause.Reason])
		}}),
	}
}

// clock returns the time of day in the user's zone, with the name of the zone.
func (a *app) clock(t time.Time) string { return t.In(a.zone).Format("15:04:05 MST") }
