package main

import (
	"context"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// patience is for work that goes on over several windows of the quota, and says
// what it waits for.
func (a *app) patience(progress *output.Progress) []hiring.Option {
	return []hiring.Option{
		hiring.WithRetry(hiring.RetryPolicy{MaxWait: 2 * time.Hour}),
		hiring.WithProbe(hiring.Probe{Pause: func(_ context.Context, pause hiring.ProbePause) {
			long := time.Until(pause.Until) > 2*time.Minute
			progress.Note(a.pauseText(pause, long), long)
		}}),
	}
}

// pauseText says why nothing happens, and until when.
func (a *app) pauseText(pause hiring.ProbePause, long bool) string {
	until := pause.Until.In(a.zone)
	switch {
	case pause.Reason == hiring.PauseQuota && long:
		return "waiting for the quota until " + until.Format("15:04")
	case pause.Reason == hiring.PauseQuota:
		return "going easy on the quota, next at " + until.Format("15:04:05")
	case pause.Reason == hiring.PauseThrottle:
		return "held back by the service until " + until.Format("15:04")
	case pause.Reason == hiring.PauseSettle:
		return "looking what became of a lost reply at " + until.Format("15:04:05")
	case pause.Reason == hiring.PauseRetry:
		return "trying again at " + until.Format("15:04:05")
	}
	return ""
}
