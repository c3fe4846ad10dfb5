package jobs_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"strings"
	"time"

	"github.com/riverqueue/river"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// Environment variables of a worker process.
const (
	databaseVariable = "HIRING_JOBS_TEST_DATABASE"
	serviceVariable  = "HIRING_JOBS_TEST_SERVICE"
	nameVariable     = "HIRING_JOBS_TEST_NAME"
	dieVariable      = "HIRING_JOBS_TEST_DIE"  // The process kills itself during requests and transactions.
	roleVariable     = "HIRING_JOBS_TEST_ROLE" // The process only watches, with watch, or only invites, with invite.
)

// runWorker is the program of a worker process. It runs until the process is killed. The
// status is 1 when it cannot start.
func runWorker() (status int) {
	database := os.Getenv(databaseVariable)
	var err error
	if strings.HasPrefix(database, "postgres") {
		err = openAndRun(openPostgres(context.Background(), database))
	} else {
		err = openAndRun(openSQLite(database))
	}
	fmt.Fprintln(os.Stderr, "the workers stopped by themselves:", err)
	return 1
}

func openAndRun[TTx any](s *store[TTx], _ func(), err error) error {
	if err != nil {
		return err
	}
	jobs.SetHealthInterval(time.Second)
	jobs.ShortenInvitationTimes(4*time.Second, time.Second)
	jobs.ShortenInvitationWait(time.Second, 2*time.Second)
	client, err := hiring.New(os.Getenv(serviceVariable), sandbox.LiveKey, hiring.WithTrace(hiring.Trace{
		Attempt: func(ctx context.Context, a hiring.TraceAttempt) (context.Context, func(hiring.Exchange)) {
			switch a.Operation { // Before, during or after the request and its transaction.
			case "Invitations.Send":
				die(0.1)
			case "Submissions.List":
				die(0.03)
			}
			return ctx, nil
		},
	}))
	if err != nil {
		return err
	}
	organizations := []jobs.Organization{{Name: "acme", Client: client, Watch: hiring.WatchOptions{
		Since: time.Now().Add(-4 * time.Hour), MinInterval: time.Second, MaxInterval: time.Second,
	}}}
	config := &river.Config{
		ID: os.Getenv(nameVariable), TestOnly: true, Logger: slog.New(slog.DiscardHandler),
		JobTimeout: 4 * time.Second, RescueStuckJobsAfter: 8 * time.Second,
	}
	role := os.Getenv(roleVariable)
	if role != "invite" {
		err = jobs.Watch(config, s.database, jobs.Results[TTx]{
			Organizations: organizations, Retry: jobs.RetryPolicy{First: time.Second, Max: 4 * time.Second},
			Handle: func(ctx context.Context, tx TTx, d jobs.Delivery) error {
				die(0.01)
				return s.insertResult(ctx, tx, d)
			},
		})
	}
	if err == nil && role != "watch" {
		err = jobs.SendInvitations(config, s.database, jobs.Invitations{Organizations: organizations})
	}
	if err != nil {
		return err
	}
	config.Hooks = append(config.Hooks, river.HookInsertBeginFunc(skipScheduler))
	return jobs.Run(context.Background(), s.database, config)
}

// die kills the process within a few milliseconds, with a probability.
func die(probability float64) {
	if os.Getenv(dieVariable) != "" && rand.Float64() < probability {
		time.AfterFunc(rand.N(10*time.Millisecond), killSelf)
	}
}

func killSelf() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {}
}
