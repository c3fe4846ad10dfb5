package main

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/top"
)

func (a *app) topCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "top",
		Short: "Show the pipeline, the latest results and the rate limits, live",
		Long: `Show how many candidates were invited, opened their invitation, started, submitted and
were evaluated, with the latest results and the remaining requests. The command costs as
much as watch and one list of invitations a minute: one assessment after the other. Press
q to quit.`,
		Args: cobra.NoArgs,
	}
	assessment := a.assessmentFilter(c, "only the assessment with this `id`")
	since := a.sinceFlag(c, "show results since a `time`, as in 2026-03-15, 36h or 7d (default 7d)")
	every := intervalFlag(c)
	c.RunE = a.withTask(func(ctx context.Context, t task) error {
		if !a.interactive || !a.out.Terminal {
			return adviceError{usagef("top needs a terminal"), "hiring watch writes results as JSON Lines"}
		}
		source := top.Source{Client: t.client, AssessmentID: *assessment, Since: *since, Every: time.Minute, Interval: *every}
		if since.IsZero() {
			source.Since = time.Now().AddDate(0, 0, -7)
		}
		a.fullScreen = true
		screen := top.Screen{Style: a.out, Zone: a.zone}
		return top.Run(ctx, a.in, a.out.Writer, os.Environ(), source, screen)
	})
	return c
}
