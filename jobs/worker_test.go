package jobs_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"strconv"
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
	roleVariable     = "HIRING_JOBS_TEST_ROLE"
	databaseVariable = "HIRING_JOBS_TEST_DATABASE"
	serviceVariable  = "HIRING_JOBS_TEST_SERVICE"
	nameVariable     = "HIRING_JOBS_TEST_NAME"
	untilVariable    = "HIRING_JOBS_TEST_UNTIL"
)

// runWorker is the program of a worker process. It runs until the process is killed.
func runWorker() (status int) {
	ctx := context.Background()
	database := os.Getenv(databaseVariable)
	var err error
	if strings.HasPrefix(database, "postgres") {
		s, _, openErr := openPostgres(ctx, database)
		err = openErr
		if err == nil {
			err = runWorkerOn(ctx, s)
		}
	} else {
		s, _, openErr := openSQLite(database)
		err = openErr
		if err == nil {
			err = runWorkerOn(ctx, s)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

func runWorkerOn[D riverdriver.Driver[TTx], TTx any](ctx context.Context, s *store[D, TTx]) error {
	jobs.ShortenInvitationTimes(12*time.Second, 2*time.Second)
	client, err := hiring.New(os.Getenv(serviceVariable), sandbox.LiveKey, hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
		if e.Operation == "Submissions.List" && shouldDie(0.03) {
			time.AfterFunc(time.Duration(rand.IntN(10))*time.Millisecond, killSelf) // Before or after the poll is committed.
		}
	}))
	if err != nil {
		return err
	}
	organizations := []jobs.Organization{{Name: "acme", Client: client, Watch: hiring.WatchOptions{
		Since: time.Now().Add(-time.Hour), MinInterval: time.Second, MaxInterval: time.Second,
	}}}
	config := &river.Config{
		ID: os.Getenv(nameVariable), JobTimeout: 15 * time.Second, RescueStuckJobsAfter: 16 * time.Second, TestOnly: true,
		Logger: slog.New(slog.DiscardHandler),
	}
	err = jobs.Watch[D](config, jobs.Results[TTx]{
		Organizations: organizations,
		Handle: func(ctx context.Context, tx TTx, d jobs.Delivery) error {
			err := s.insertResult(ctx, tx, d)
			if shouldDie(0.001) {
				killSelf()
			}
			return err
		},
	})
	if err != nil {
		return err
	}
	if err := jobs.SendInvitations[D, TTx](config, jobs.Invitations{Organizations: organizations}); err != nil {
		return err
	}
	workers, err := river.NewClient(s.driver, config)
	if err != nil {
		return err
	}
	if err := workers.Start(ctx); err != nil {
		return err
	}
	<-workers.Stopped()
	return nil
}

// shouldDie returns true with a probability, and false after the time in untilVariable.
func shouldDie(probability float64) bool {
	until, err := strconv.ParseInt(os.Getenv(untilVariable), 10, 64)
	return err == nil && time.Now().UnixMilli() < until && rand.Float64() < probability
}

func killSelf() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
}
