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
	"github.com/riverqueue/river/riverdriver"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// Environment variables of a worker process.
const (
	databaseVariable = "HIRING_JOBS_TEST_DATABASE"
	serviceVariable  = "HIRING_JOBS_TEST_SERVICE"
	nameVariable     = "HIRING_JOBS_TEST_NAME"
	dieVariable      = "HIRING_JOBS_TEST_DIE"       // The process kills itself during requests and transactions.
	realWaitVariable = "HIRING_JOBS_TEST_REAL_WAIT" // Invitations wait as long as in production. With dieVariable the process kills itself after its first invitation.
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

func openAndRun[D riverdriver.Driver[TTx], TTx any](s *store[D, TTx], _ func(), err error) error {
	if err != nil {
		return err
	}
	jobs.SetHealthInterval(time.Second)
	jobs.SetAliveTimes(300*time.Millisecond, 3*time.Second)
	jobs.ShortenInvitationTimes(12*time.Second, time.Second)
	realWait := os.Getenv(realWaitVariable) != ""
	if !realWait {
		jobs.ShortenInvitationWait(5*time.Second, 5*time.Second)
	}
	client, err := hiring.New(os.Getenv(serviceVariable), sandbox.LiveKey, hiring.WithTrace(hiring.Trace{
		Attempt: func(ctx context.Context, a hiring.TraceAttempt) (context.Context, func(hiring.Exchange)) {
			switch a.Operation { // Before, during or after the request and its transaction.
			case "Invitations.Send":
				die(0.1)
			case "Submissions.List":
				die(0.03)
			}
			return ctx, func(e hiring.Exchange) {
				if realWait && e.Operation == "Invitations.Send" && os.Getenv(dieVariable) != "" {
					killSelf() // The API has sent the e-mail, and the row does not have the result.
				}
			}
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
		JobTimeout: 10 * time.Second, RescueStuckJobsAfter: 11 * time.Second, // River rescues the health job of a killed process.
	}
	err = jobs.Watch[D](config, jobs.Results[TTx]{
		Organizations: organizations, Retry: jobs.RetryPolicy{First: time.Second, Max: 4 * time.Second},
		Handle: func(ctx context.Context, tx TTx, d jobs.Delivery) error {
			die(0.01)
			return s.insertResult(ctx, tx, d)
		},
	})
	if err != nil {
		return err
	}
	if err := jobs.SendInvitations[D, TTx](config, jobs.Invitations{Organizations: organizations}); err != nil {
		return err
	}
	config.Hooks = append(config.Hooks, river.HookInsertBeginFunc(skipScheduler))
	workers, err := river.NewClient(s.driver, config)
	if err != nil {
		return err
	}
	if err := workers.Start(context.Background()); err != nil {
		return err
	}
	<-workers.Stopped()
	return nil
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
