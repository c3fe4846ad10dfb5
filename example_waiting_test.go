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

// The wait polls until the report is ready. Here each poll advances the sandbox's clock.
func ExampleSubmissionService_WaitReport_later() {
	ctx := context.Background()
	server := sandbox.New(sandbox.WithTimeline(sandbox.Timeline{Submit: time.Hour, Evaluate: 30 * time.Minute}))
	client := server.LiveClient()
	assessmentID := server.AddAssessment("Backend engineer")
	_, err := client.Invitations.Send(ctx, assessmentID, hiring.NewInvitation{Email: "ada@example.com", Name: "Ada"})
	if err != nil {
		log.Fatal(err)
	}
	submission, err := client.Submissions.FindByEmail(ctx, assessmentID, "ada@example.com")
	if err != nil {
		log.Fatal(err)
	}

	report, err := client.Submissions.WaitReport(ctx, submission.ID, hiring.WaitOptions{
		MinInterval: time.Millisecond, // 30 s to 60 s by default.
		MaxInterval: time.Millisecond,
		Progress:    func(hiring.WaitProgress) { server.Advance(10 * time.Minute) },
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(submission.Status, report.Status)
	// Output: started evaluated
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

func ExampleWaitError_Error() {
	ctx := context.Background()
	client := sandbox.New().Client()

	for _, err := range client.Submissions.WaitReports(ctx, []string{sandbox.UnknownID}, hiring.WaitOptions{}) {
		fmt.Println(err)
	}
	// Output: hiring: the wait ended with 1 submission missing (00000000-0000-4000-8000-000000000404): NOT_FOUND
}

func ExampleWaitError_Unwrap() {
	ctx, cancel := context.WithCancel(context.Background())
	client := sandbox.New().Client()

	_, err := client.Submissions.WaitReport(ctx, sandbox.PendingSubmissionID, hiring.WaitOptions{
		Progress: func(hiring.WaitProgress) { cancel() },
	})
	fmt.Println(errors.Is(err, context.Canceled))
	// Output: true
}
