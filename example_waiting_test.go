package hiring_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func ExampleSubmissionService_WaitReport() {
	client := sandbox.New().Client()

	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Hour)
	defer cancel()
	report, err := client.Submissions.WaitReport(ctx, sandbox.SubmissionID, hiring.WaitOptions{
		Progress: func(p hiring.WaitProgress) { fmt.Printf("%d of %d\n", p.Ready, p.Total) },
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.VerdictLabel)
	// Output:
	// 1 of 1
	// Strong yes
}

// Reports of many submissions, at the cost of a listing.
func ExampleSubmissionService_WaitReports() {
	ctx := context.Background()
	client := sandbox.New().Client()

	ids := []string{sandbox.SubmissionID, sandbox.BusySubmissionID, sandbox.UnknownID}
	ready := 0
	for report, err := range client.Submissions.WaitReports(ctx, ids, hiring.WaitOptions{}) {
		if failure, ok := errors.AsType[*hiring.WaitError](err); ok {
			fmt.Println(len(failure.Missing), "missing,", len(failure.Pending), "pending")
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		if report.Ready() {
			ready++
		}
	}
	fmt.Println(ready, "ready")
	// Output:
	// 1 missing, 0 pending
	// 2 ready
}

// The error of a wait that ends early lists the missing reports.
func ExampleWaitError() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	client := sandbox.New().Client()

	ids := []string{sandbox.SubmissionID, sandbox.PendingSubmissionID}
	options := hiring.WaitOptions{Progress: func(p hiring.WaitProgress) {
		if p.Ready == 1 {
			cancel() // Instead of a deadline.
		}
	}}
	for report, err := range client.Submissions.WaitReports(ctx, ids, options) {
		if failure, ok := errors.AsType[*hiring.WaitError](err); ok {
			fmt.Println(failure.Pending[0] == sandbox.PendingSubmissionID, len(failure.Missing))
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(report.Verdict)
	}
	// Output:
	// strong_yes
	// true 0
}

// Each new result once, until the loop or the context ends.
func ExampleSubmissionService_Watch() {
	ctx := context.Background()
	client := sandbox.New().Client()

	since := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	results := 0
	for submission, err := range client.Submissions.Watch(ctx, hiring.WatchOptions{Since: since}) {
		if ctx.Err() != nil {
			return // The service ends. Results of the poll may still come.
		}
		if err != nil {
			log.Fatal(err)
		}
		if _, scored := submission.Report.Score(); scored {
			results++
		}
		if results == 3 {
			break
		}
	}
	fmt.Println(results)
	// Output: 3
}

// One poll, for a cron job or a function.
func ExampleSubmissionService_Poll() {
	ctx := context.Background()
	client := sandbox.New().Client()

	state := "" // The state of the previous run, from a file or a database.
	for {
		polled, err := client.Submissions.Poll(ctx, state, hiring.WatchOptions{})
		for _, submission := range polled.Submissions {
			score, ok := submission.Report.Score()
			fmt.Println(submission.Candidate.Name, score, ok)
		}
		for _, err := range polled.Errors {
			log.Print(err) // An *ItemError: a submission that cannot be decoded.
		}
		state = polled.State // Save it after both are processed, also when the poll failed.
		if !polled.More {
			if err != nil {
				log.Fatal(err) // Such as a refused key.
			}
			break // All that is due was read.
		}
		select {
		case <-time.After(polled.Wait):
		case <-ctx.Done():
			return
		}
	}
	fmt.Println(len(state) > 0)
	// Output: true
}

// A watch resumes after a restart.
func ExampleFileCheckpoint() {
	ctx := context.Background()
	client := sandbox.New().Client()
	folder, err := os.MkdirTemp("", "hiring")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	options := hiring.WatchOptions{
		Since:      time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		Checkpoint: hiring.FileCheckpoint(filepath.Join(folder, "watch.state")),
	}

	seen := make(map[string]int)
	for range 3 { // Three processes, one after the other.
		results := 0
		for submission, err := range client.Submissions.Watch(ctx, options) {
			if ctx.Err() != nil {
				return // The service ends. The next process receives this result.
			}
			if err != nil {
				log.Fatal(err)
			}
			if results == 2 {
				break // This one was not processed: the next process receives it.
			}
			seen[submission.ID]++
			results++
		}
	}
	fmt.Println(len(seen), "results")
	// Output: 6 results
}

// inDatabase is a checkpoint of your own: here in memory, elsewhere a row.
type inDatabase struct{ state string }

func (d *inDatabase) Load(context.Context) (string, error) { return d.state, nil }

func (d *inDatabase) Save(_ context.Context, state string) error {
	d.state = state
	return nil
}

func ExampleCheckpoint() {
	ctx := context.Background()
	client := sandbox.New().Client()
	options := hiring.WatchOptions{
		Since:      time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
		Checkpoint: &inDatabase{},
	}

	var came []string
	for range 2 {
		for submission, err := range client.Submissions.Watch(ctx, options) {
			if ctx.Err() != nil {
				return // The service ends. The next process receives this result.
			}
			if err != nil {
				log.Fatal(err)
			}
			came = append(came, submission.ID)
			break // Before the submission was processed, so it is delivered again.
		}
	}
	fmt.Println(len(came), came[0] == came[1])
	// Output: 2 true
}
