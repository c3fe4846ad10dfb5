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

// An operator's program delivers a result again. Its client has no workers.
func ExampleDeliver() {
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

	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := jobs.Deliver(ctx, client, tx, "acme", sandbox.SubmissionID); err != nil {
		log.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		log.Fatal(err)
	}
	list, err := client.JobList(ctx, river.NewJobListParams().Kinds(jobs.KindDelivery))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(list.Jobs), list.Jobs[0].State)
	// Output: 1 available
}

func ExampleNewWebhook() {
	current, next := "whsec_dGhlIGN1cnJlbnQgc2VjcmV0IGlzIGxvbmc=", "whsec_dGhlIG5leHQgc2VjcmV0IGlzIGxvbmcgdG9v"
	_, err := jobs.NewWebhook("https://example.com/hooks/hiring", jobs.WebhookOptions{Secrets: []string{current, next}})
	fmt.Println(err)
	_, err = jobs.NewWebhook("http://example.com/hooks/hiring", jobs.WebhookOptions{Secrets: []string{current}})
	fmt.Println(err)
	_, err = jobs.NewWebhook("https://example.com/hooks/hiring", jobs.WebhookOptions{Secrets: []string{"whsec_"}})
	fmt.Println(err)
	// Output:
	// <nil>
	// jobs: NewWebhook: plain http would send candidate data unencrypted: use https, or set AllowPrivate in your own network
	// jobs: NewWebhook: secret 1 must be base64 of 24 to 64 bytes, with or without the prefix whsec_
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
