package jobs_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riversqlite"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// open makes a database in a file, for one process.
func open(ctx context.Context) (db *sql.DB, remove func(), err error) {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		return nil, nil, err
	}
	db, err = sql.Open("sqlite", "file:"+filepath.Join(dir, "jobs.sqlite")+"?_pragma=journal_mode(WAL)&_pragma=synchronous(NORMAL)")
	if err != nil {
		return nil, nil, err
	}
	db.SetMaxOpenConns(1)
	remove = func() {
		_ = db.Close()
		_ = os.RemoveAll(dir)
	}
	return db, remove, jobs.Migrate(ctx, riversqlite.New(db), nil)
}

// Again and again, by any number of processes: what is up to date is left alone.
func ExampleMigrate() {
	ctx := context.Background()
	db, remove, err := open(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer remove()

	if err := jobs.Migrate(ctx, riversqlite.New(db), nil); err != nil {
		log.Fatal(err)
	}
	var rows int
	err = db.QueryRowContext(ctx, "SELECT count(*) FROM hiring_jobs").Scan(&rows)
	fmt.Println(rows, err)
	// Output: 0 <nil>
}

// For a tool of one's own that migrates databases.
func ExampleMigrator() {
	ctx := context.Background()
	db, remove, err := open(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer remove()

	migrator, err := jobs.Migrator(riversqlite.New(db), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(migrator.AllVersions()) > 0)
	valid, err := migrator.Validate(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(valid.OK)
	// Output:
	// true
	// true
}

// What is added to the configuration of a River client.
func ExampleWatch_configuration() {
	config := &river.Config{}
	err := jobs.Watch[*riversqlite.Driver](config, jobs.Results[*sql.Tx]{
		Organizations: []jobs.Organization{{Name: "acme", Client: sandbox.New().LiveClient()}},
		Send: func(_ context.Context, submission hiring.Submission, _ hiring.Report) error {
			fmt.Println(submission.Candidate.Name)
			return nil
		},
	})
	fmt.Println(err, config.RescueStuckJobsAfter, len(config.PeriodicJobs), "periodic job")

	// Names are how organizations are told apart.
	err = jobs.Watch[*riversqlite.Driver](config, jobs.Results[*sql.Tx]{
		Organizations: []jobs.Organization{{Client: sandbox.New().LiveClient()}},
	})
	fmt.Println(err != nil)
	// Output:
	// <nil> 5m0s 1 periodic job
	// true
}

func ExampleSendInvitations() {
	config := &river.Config{}
	err := jobs.SendInvitations[*riversqlite.Driver, *sql.Tx](config, jobs.Invitations{
		Organizations: []jobs.Organization{{Name: "acme", Client: sandbox.New().LiveClient()}},
		PlanWait:      30 * time.Minute, // After the plan's limit was reached; an hour by default.
	})
	_, registered := config.Queues[jobs.QueueInvitations]
	fmt.Println(err, registered)
	// Output: <nil> true
}

// A result that is wanted once more, whatever became of its first delivery.
func ExampleDeliver() {
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	service := sandbox.New()
	grade(service, "Ada", 91)
	db, remove, err := open(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer remove()

	delivered := make(chan string)
	config := &river.Config{Logger: slog.New(slog.DiscardHandler)}
	err = jobs.Watch[*riversqlite.Driver](config, jobs.Results[*sql.Tx]{
		Organizations: []jobs.Organization{{
			Name: "acme", Client: service.LiveClient(),
			Watch: hiring.WatchOptions{Since: time.Now().Add(-time.Hour)},
		}},
		Send: func(_ context.Context, submission hiring.Submission, _ hiring.Report) error {
			delivered <- submission.ID
			return nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	workers, err := river.NewClient(riversqlite.New(db), config)
	if err != nil {
		log.Fatal(err)
	}
	completed, cancel := workers.Subscribe(river.EventKindJobCompleted)
	defer cancel()
	if err := workers.Start(ctx); err != nil {
		log.Fatal(err)
	}
	first := <-delivered
	for event := range completed {
		if event.Job.Kind == (jobs.DeliveryArgs{}).Kind() {
			break
		}
	}

	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := jobs.Deliver(ctx, workers, tx, "acme", first); err != nil {
		log.Fatal(err)
	}
	if err := tx.Commit(); err != nil {
		log.Fatal(err)
	}
	fmt.Println("again:", <-delivered == first)
	if err := workers.Stop(ctx); err != nil {
		log.Fatal(err)
	}
	// Output: again: true
}

func ExampleNewWebhook() {
	_, err := jobs.NewWebhook("/hooks/hiring", "whsec_c2VjcmV0IG9mIHRoZSByZWNlaXZlcg==", nil)
	fmt.Println(err)
	_, err = jobs.NewWebhook("https://example.com/hooks/hiring", "no base64", nil)
	fmt.Println(err)
	// Output:
	// jobs: NewWebhook: the receiver is no absolute http or https URL
	// jobs: NewWebhook: the secret is not base64, with or without whsec_ before it
}

// A receiver checks the signature by the Standard Webhooks scheme, and drops an id
// that it has had.
func ExampleWebhook_Send() {
	ctx := context.Background()
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println(r.Header.Get("Webhook-Id"), r.Header.Get("Webhook-Signature") != "")
		w.WriteHeader(http.StatusNoContent)
	}))
	defer receiver.Close()
	hook, err := jobs.NewWebhook(receiver.URL, "whsec_c2VjcmV0IG9mIHRoZSByZWNlaXZlcg==", nil)
	if err != nil {
		log.Fatal(err)
	}

	submission, err := sandbox.New().Client().Submissions.Get(ctx, sandbox.SubmissionID)
	if err != nil {
		log.Fatal(err)
	}
	err = hook.Send(ctx, submission, *submission.Report) // As Results.Send, River calls it.
	fmt.Println(err)
	// Output:
	// msg_5b000000-0000-4000-8001-000000000001 true
	// <nil>
}
