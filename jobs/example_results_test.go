package jobs_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// open creates a SQLite database in a temporary file, with the tables of River and of
// this module.
func open(ctx context.Context) (db *sql.DB, remove func(), err error) {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		return nil, nil, err
	}
	db, err = sql.Open("sqlite", "file:"+filepath.Join(dir, "jobs.sqlite")+"?_txlock=immediate&_pragma=busy_timeout(5000)&_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)")
	if err != nil {
		return nil, nil, err
	}
	db.SetMaxOpenConns(1)
	remove = func() {
		_ = db.Close()
		_ = os.RemoveAll(dir)
	}
	return db, remove, jobs.Migrate(ctx, jobs.SQLite(db), "")
}

// operate runs the command of an operator in a transaction, as its program does, and prints the states of deliveries. The client has no workers.
func operate(command func(ctx context.Context, client *river.Client[*sql.Tx], tx *sql.Tx) error) {
	ctx := context.Background()
	db, remove, err := open(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer remove()
	client, err := river.NewClient(riversqlite.New(db), &river.Config{})
	if err != nil {
		log.Fatal(err)
	}
	// Workers have polled acme, whose delivery 1 was discarded. Delivery 2 waits for its next attempt.
	if _, err := db.ExecContext(ctx, `INSERT INTO hiring_jobs (organization, assessment_id, address, status, detail) VALUES ('acme', '', '', 'watching', '');
		INSERT INTO river_job (args, kind, max_attempts, attempt, state, scheduled_at, finalized_at) VALUES
			('{"organization": "acme"}', 'hiring_delivery', 9, 9, 'discarded', '2026-01-02', '2026-01-02'),
			('{"organization": "acme"}', 'hiring_delivery', 9, 2, 'retryable', '2999-01-02', NULL)`); err != nil {
		log.Fatal(err)
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := command(ctx, client, tx); err != nil {
		log.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		log.Fatal(err)
	}
	list, err := client.JobList(ctx, river.NewJobListParams().Kinds(jobs.KindDelivery))
	if err != nil {
		log.Fatal(err)
	}
	for _, job := range list.Jobs {
		fmt.Println(job.ID, job.State)
	}
}

// A result is delivered again.
func ExampleDeliver() {
	operate(func(ctx context.Context, client *river.Client[*sql.Tx], tx *sql.Tx) error {
		return jobs.Deliver(ctx, client, tx, "acme", sandbox.SubmissionID)
	})
	// Output:
	// 1 discarded
	// 2 retryable
	// 3 available
}

// What was discarded gets one more attempt, and what waits for its next attempt starts now. What runs is not changed.
func ExampleRetryAll() {
	operate(func(ctx context.Context, client *river.Client[*sql.Tx], tx *sql.Tx) error {
		started, err := jobs.RetryAll(ctx, client, tx, "acme")
		fmt.Println("started:", started)
		return err
	})
	// Output:
	// started: 2
	// 1 available
	// 2 available
}

// During the pause, deliveries that run finish, and the others wait, also when RetryAll starts them. Resume starts those that
// wait for their next attempt. What was discarded needs RetryAll.
func ExamplePause() {
	operate(func(ctx context.Context, client *river.Client[*sql.Tx], tx *sql.Tx) error {
		if err := jobs.Pause(ctx, client, tx, "acme"); err != nil {
			return err
		}
		return jobs.Resume(ctx, client, tx, "acme") // In a later transaction.
	})
	// Output:
	// 1 discarded
	// 2 available
}

// storeOnce stores the id of a post in the transaction that stores the result, so that a
// repeated post has no effect.
func storeOnce(ctx context.Context, db *sql.DB, id string, s hiring.Submission) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // Has no effect after the commit.
	done, err := tx.ExecContext(ctx, "INSERT INTO received (id) VALUES ($1) ON CONFLICT DO NOTHING", id)
	if err != nil {
		return err
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		return err // Received before.
	}
	if _, err := tx.ExecContext(ctx, "INSERT INTO results (candidate, score) VALUES ($1, $2)", s.Candidate.Name, s.Report.ShipScore); err != nil {
		return err
	}
	return tx.Commit()
}

// receive returns the handler of a receiver.
func receive(db *sql.DB, secret string) (http.HandlerFunc, error) {
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		return nil, err
	}
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 4<<20))
		if err != nil || verifier.Verify(body, r.Header) != nil { // Also rejects posts older than five minutes.
			http.Error(w, "the signature is not valid", http.StatusUnauthorized)
			return
		}
		var post struct {
			Data hiring.Submission `json:"data"`
		}
		if json.Unmarshal(body, &post) != nil || post.Data.Report == nil {
			http.Error(w, "this is not a result", http.StatusBadRequest)
			return
		}
		if err := storeOnce(r.Context(), db, r.Header.Get("Webhook-Id"), post.Data); err != nil {
			http.Error(w, "try again later", http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}, nil
}

// A receiver verifies the signature and ignores an id that it has stored.
func ExampleWebhook_Send() {
	ctx := context.Background()
	db, remove, err := open(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer remove()
	if _, err := db.ExecContext(ctx, "CREATE TABLE received (id text PRIMARY KEY); CREATE TABLE results (candidate text, score integer)"); err != nil {
		log.Fatal(err)
	}
	const secret = "whsec_dGhlIGN1cnJlbnQgc2VjcmV0IGlzIGxvbmc="
	handler, err := receive(db, secret)
	if err != nil {
		log.Fatal(err)
	}
	receiver := httptest.NewServer(handler)
	defer receiver.Close()

	submission, err := sandbox.New().Client().Submissions.Get(ctx, sandbox.SubmissionID)
	if err != nil {
		log.Fatal(err)
	}
	delivery := jobs.Delivery{ID: submission.ID, Submission: submission, Report: *submission.Report}
	const next = "whsec_c29tZSBvdGhlciBzZWNyZXQgb2Ygc29tZW9uZQ=="
	for _, secrets := range [][]string{{secret}, {next, secret}, {next}} {
		hook, err := jobs.NewWebhook(receiver.URL, jobs.WebhookOptions{Secrets: secrets, AllowPrivate: true})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(hook.Send(ctx, delivery) == nil) // With Results.Send = hook.Send, River calls it.
	}
	var stored int
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM results").Scan(&stored)
	fmt.Println(stored, err)
	// Output:
	// true
	// true
	// false
	// 1 <nil>
}
