package hiring_test

import (
	"context"
	"errors"
	"fmt"
	"log"
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

// Reports of many submissions, for the price of a listing.
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
		if report.Ready() {
			ready++
		}
	}
	fmt.Println(ready, "ready")
	// Output:
	// 1 missing, 0 pending
	// 2 ready
}

// Each new result once, until the loop is left or the context ends.
func ExampleSubmissionService_Watch() {
	ctx := context.Background()
	client := sandbox.New().Client()

	since := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	results := 0
	for submission, err := range client.Submissions.Watch(ctx, hiring.WatchOptions{Since: since}) {
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

// One round of a watch, as a cron job or a function would make it.
func ExampleSubmissionService_Poll() {
	ctx := context.Background()
	client := sandbox.New().Client()

	state := "" // Of the round before, from a file or a database.
	polled, err := client.Submissions.Poll(ctx, hiring.WatchOptions{}, state)
	if err != nil {
		log.Fatal(err)
	}
	for _, submission := range polled.Submissions {
		fmt.Println(submission.Candidate.Name)
	}
	state = polled.State // Keep it once the submissions are dealt with.
	fmt.Println(len(state) > 0, polled.Wait >= 30*time.Second)
	// Output: true true
}
