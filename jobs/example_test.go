package jobs_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// On PostgreSQL any number of processes can run this function.
func ExampleWatch() {
	_ = func(ctx context.Context, client *hiring.Client, pool *pgxpool.Pool) error {
		config := &river.Config{SoftStopTimeout: 10 * time.Second} // Running handlers have 10 s to finish.
		err := jobs.Watch[*riverpgxv5.Driver](config, jobs.Results[pgx.Tx]{
			Organizations: []jobs.Organization{{Name: "acme", Client: client}},
			Handle: func(ctx context.Context, tx pgx.Tx, d jobs.Delivery) error {
				_, err := tx.Exec(ctx, "INSERT INTO results (id, score) VALUES ($1, $2)", d.Submission.ID, d.Report.ShipScore)
				return err
			},
		})
		if err != nil {
			return err
		}
		workers, err := river.NewClient(riverpgxv5.New(pool), config)
		if err != nil {
			return err
		}
		if err := workers.Start(ctx); err != nil {
			return err
		}
		<-workers.Stopped() // They stop when ctx ends.
		return nil
	}
	// Output:
}

// One process can use a SQLite file instead of a database server.
func Example_sqlite() {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	service := sandbox.New()
	defer service.Close()
	addEvaluated(service, "Ada", 91)

	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "jobs.sqlite")+"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)")
	if err != nil {
		log.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	driver := riversqlite.New(db)
	if err := jobs.Migrate(ctx, driver, nil); err != nil {
		log.Fatal(err)
	}
	if _, err := db.ExecContext(ctx, "CREATE TABLE results (candidate text, score integer)"); err != nil {
		log.Fatal(err)
	}

	stored := make(chan string)
	config := &river.Config{Logger: slog.New(slog.DiscardHandler)}
	err = jobs.Watch[*riversqlite.Driver](config, jobs.Results[*sql.Tx]{
		Organizations: []jobs.Organization{{
			Name: "acme", Client: service.LiveClient(),
			Watch: hiring.WatchOptions{Since: time.Now().Add(-time.Hour)},
		}},
		Handle: func(ctx context.Context, tx *sql.Tx, d jobs.Delivery) error {
			_, err := tx.ExecContext(ctx, "INSERT INTO results (candidate, score) VALUES ($1, $2)", d.Submission.Candidate.Name, d.Report.ShipScore)
			if err == nil {
				stored <- d.Submission.Candidate.Name
			}
			return err
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	workers, err := river.NewClient(driver, config)
	if err != nil {
		log.Fatal(err)
	}
	if err := workers.Start(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println("stored the result of", <-stored)
	if err := workers.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	// Output: stored the result of Ada
}

// apply stores an application and queues the invitation of its candidate in one
// transaction.
func apply(ctx context.Context, db *sql.DB, workers *river.Client[*sql.Tx], assessmentID string, who hiring.NewInvitation) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // Has no effect after the commit.
	if _, err := tx.ExecContext(ctx, "INSERT INTO applications (email) VALUES ($1)", who.Email); err != nil {
		return err
	}
	if _, err := jobs.Invite(ctx, workers, tx, "acme", assessmentID, who); err != nil {
		return err
	}
	return tx.Commit()
}

// A candidate who applies twice is invited once.
func ExampleInvite() {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	service := sandbox.New()
	defer service.Close()
	db, remove, err := open(ctx) // See the example of the package.
	if err != nil {
		log.Fatal(err)
	}
	defer remove()
	if _, err := db.ExecContext(ctx, "CREATE TABLE applications (email text)"); err != nil {
		log.Fatal(err)
	}

	sent := make(chan int, 2)
	client := service.LiveClient(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
		if e.Operation == "Invitations.Send" {
			sent <- e.Status
		}
	}))
	config := &river.Config{Logger: slog.New(slog.DiscardHandler)}
	err = jobs.SendInvitations[*riversqlite.Driver](config, jobs.Invitations{Organizations: []jobs.Organization{{Name: "acme", Client: client}}})
	if err != nil {
		log.Fatal(err)
	}
	workers, err := river.NewClient(riversqlite.New(db), config)
	if err != nil {
		log.Fatal(err)
	}
	assessmentID := service.AddAssessment("Backend engineer")
	for _, email := range []string{"ada@candidates.test", "ADA@candidates.test"} {
		if err := apply(ctx, db, workers, assessmentID, hiring.NewInvitation{Email: email, Name: "Ada"}); err != nil {
			log.Fatal(err)
		}
	}
	if err := workers.Start(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println("the API responded with", <-sent)
	if err := workers.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println("further invitations:", len(sent))
	// Output:
	// the API responded with 201
	// further invitations: 0
}

// addEvaluated adds an evaluated submission.
func addEvaluated(service *sandbox.Server, name string, score int) {
	ctx := context.Background()
	invitation, err := service.LiveClient().Invitations.Send(ctx, service.AddAssessment("Backend engineer"), hiring.NewInvitation{Email: "ada@candidates.test", Name: name})
	if err != nil {
		log.Fatal(err)
	}
	submission, err := service.Begin(invitation.ID)
	if err == nil {
		err = service.Submit(submission)
	}
	if err == nil {
		err = service.Evaluate(submission, sandbox.Result{ShipScore: new(score)})
	}
	if err != nil {
		log.Fatal(err)
	}
}
