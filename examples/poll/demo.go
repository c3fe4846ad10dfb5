package main

import (
	"context"
	"log/slog"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// demonstrate makes a world of its own, in which five candidates are invited one
// after the other and are through within seconds. The job ends with the last.
func demonstrate(ctx context.Context, set *settings, log *slog.Logger, options ...hiring.Option) (*hiring.Client, error) {
	server := sandbox.New(sandbox.WithTimeline(sandbox.Timeline{Open: time.Second, Begin: time.Second, Submit: time.Second, Evaluate: time.Second}))
	recruiter := server.LiveClient()
	challenges, err := recruiter.Challenges.List().Collect(ctx)
	if err != nil {
		return nil, err
	}
	assessment, err := recruiter.Assessments.Create(ctx, hiring.NewAssessment{ChallengeID: challenges[0].ID, Name: "Demonstration"})
	if err != nil {
		return nil, err
	}
	candidates := []string{"ada", "grace", "edsger", "barbara", "tony"}
	set.most = len(candidates)
	set.watch.MinInterval, set.watch.MaxInterval = time.Second, time.Second
	go func() {
		for _, name := range candidates {
			if _, err := recruiter.Invitations.Send(ctx, assessment.ID, hiring.NewInvitation{Email: name + "@candidates.test", Name: name}); err != nil {
				log.Error("a candidate was not invited", "error", err)
				return
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(2 * time.Second):
			}
		}
	}()
	return server.LiveClient(options...), nil
}
