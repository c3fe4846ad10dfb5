package main

import (
	"context"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/top"
)

func (a *app) topCommand() *cobra.Command {
	source := top.Source{Every: time.Minute}
	c := &cobra.Command{
		Use:   "top",
		Short: "Show the pipeline, the latest results and the quotas, live",
		Long: `Top shows how many candidates were invited, opened their invitation, started, handed
in and were evaluated, the latest results, and what is left of the quotas. It costs
what watch does and one listing of invitations a minute: with several assessments, one
after the other. q quits.`,
		Args: cobra.NoArgs,
	}
	c.Flags().StringVarP(&source.AssessmentID, "assessment", "a", "", "only the assessment with this `id`")
	since := a.sinceFlag(c, "show results since that `time`, as in 2026-03-15, 36h or 7d (default 7d)")
	every := intervalFlag(c)
	c.RunE = a.does(func(ctx context.Context, t task) error {
		if !a.interactive || !a.out.Terminal {
			return usagef("top needs a terminal; hiring watch tells of results without one")
		}
		source.Client, source.Since, source.Interval = t.client, *since, *every
		if since.IsZero() {
			source.Since = time.Now().AddDate(0, 0, -7)
		}
		screen := top.Screen{Style: a.out, Zone: a.zone}
		return top.Run(ctx, a.in, a.out.Writer, os.Environ(), source, screen)
	})
	return c
}
