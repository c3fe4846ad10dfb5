// First stores each new result in a SQLite file, exactly once.
package main

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	_ "modernc.org/sqlite"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	client, err := hiring.FromEnv() // HIRING_BASE_URL and HIRING_API_KEY.
	if err != nil {
		return err
	}
	db, err := sql.Open("sqlite", "file:results.sqlite?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	if err := jobs.Migrate(ctx, jobs.SQLite(db), ""); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, "CREATE TABLE IF NOT EXISTS results (submission text PRIMARY KEY, score integer)"); err != nil {
		return err
	}

	config := &river.Config{SoftStopTimeout: 10 * time.Second} // Running handlers have 10 s to finish.
	err = jobs.Watch(config, jobs.SQLite(db), jobs.Results[*sql.Tx]{
		Organizations: []jobs.Organization{{
			Name: "acme", Client: client, Watch: hiring.WatchOptions{Since: time.Now().Add(-24 * time.Hour)}, // Used by the first start only.
		}},
		Handle: func(ctx context.Context, tx *sql.Tx, d jobs.Delivery) error {
			_, err := tx.ExecContext(ctx, "INSERT INTO results (submission, score) VALUES ($1, $2) ON CONFLICT (submission) DO UPDATE SET score = excluded.score", d.Submission.ID, d.Report.ShipScore)
			return err
		},
	})
	if err != nil {
		return err
	}
	workers, err := river.NewClient(riversqlite.New(db), config)
	if err != nil {
		return err
	}
	if err := workers.Start(ctx); err != nil { // The workers stop when ctx ends.
		return err
	}
	<-ctx.Done()
	select {
	case <-workers.Stopped():
	case <-time.After(12 * time.Second): // A handler hangs.
	}
	fmt.Println("stopped")
	return nil
}
