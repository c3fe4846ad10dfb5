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

// What a worker process is told.
const (
	roleVariable     = "HIRING_JOBS_TEST_ROLE"
	databaseVariable = "HIRING_JOBS_TEST_DATABASE"
	serviceVariable  = "HIRING_JOBS_TEST_SERVICE"
	nameVariable     = "HIRING_JOBS_TEST_NAME"
	untilVariable    = "HIRING_JOBS_TEST_UNTIL"
)

// work is the program of a worker process, which ends only by being killed.
func work() (status int) {
	ctx := context.Background()
	at := os.Getenv(databaseVariable)
	var err error
	if strings.HasPrefix(at, "postgres") {
		s, _, failure := openPostgres(ctx, at)
		err = failure
		if err == nil {
			err = employ(ctx, s)
		}
	} else {
		s, _, failure := openSQLite(at)
		err = failure
		if err == nil {
			err = employ(ctx, s)
		}
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

func employ[D riverdriver.Driver[TTx], TTx any](ctx context.Context, s *store[D, TTx]) error {
	jobs.HurryInvitations(12*time.Second, 2*time.Second)
	client, err := hiring.New(os.Getenv(serviceVariable), sandbox.LiveKey, hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
		if e.Operation == "Submissions.List" && dangerous(0.03) {
			time.AfterFunc(time.Duration(rand.IntN(10))*time.Millisecond, die) // Before or after what follows is committed.
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
			err := s.put(ctx, tx, d)
			if dangerous(0.001) {
				die()
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

// dangerous is true now and then, as long as there is killing.
func dangerous(probability float64) bool {
	until, err := strconv.ParseInt(os.Getenv(untilVariable), 10, 64)
	return err == nil && time.Now().UnixMilli() < until && rand.Float64() < probability
}

func die() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
}
