package main

import (
	"context"
	"log/slog"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// demonstrate returns a client of a sandbox in which five candidates are invited
// one after the other and are through within seconds, and the settings of a job
// that looks every second and ends with the last of them.
func demonstrate(ctx context.Context, set settings, log *slog.Logger, health *health) (*hiring.Client, settings) {
	server := sandbox.New(sandbox.WithTimeline(sandbox.Timeline{
		Open: time.Second, Begin: time.Second, Submit: time.Second, Evaluate: time.Second,
	}))
	candidates := []string{"ada", "grace", "edsger", "barbara", "tony"}
	go func() {
		if err := inviteSlowly(ctx, server, candidates); err != nil && ctx.Err() == nil {
			log.Error("a candidate was not invited", "error", err)
		}
	}()
	set.watch.MinInterval, set.watch.MaxInterval = time.Second, time.Second
	set.most = len(candidates)
	return server.LiveClient(clientOptions(log, health)...), set
}

func inviteSlowly(ctx context.Context, server *sandbox.Server, candidates []string) error {
	assessment := server.AddAssessment("Demonstration")
	recruiter := server.LiveClient()
	for _, name := range candidates {
		candidate := hiring.NewInvitation{Email: name + "@candidates.test", Name: name}
		if _, err := recruiter.Invitations.Send(ctx, assessment, candidate); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(2 * time.Second):
		}
	}
	return nil
}
