// Command reports waits for the reports of the submissions that its arguments name, and prints each when it is ready.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func main() {
	client := sandbox.New().Client() // The API itself: client, err := hiring.FromEnv()
	ids := os.Args[1:]
	if len(ids) == 0 {
		ids = []string{sandbox.SubmissionID, sandbox.BusySubmissionID}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, 24*time.Hour) // A candidate may never finish.
	defer cancel()
	if err := printReports(ctx, client, ids, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "reports:", err)
		os.Exit(1)
	}
}

func printReports(ctx context.Context, client *hiring.Client, ids []string, out io.Writer) error {
	for report, err := range client.Submissions.WaitReports(ctx, ids, hiring.WaitOptions{}) {
		if bad, ok := errors.AsType[*hiring.ItemError](err); ok {
			fmt.Fprintln(os.Stderr, bad) // A report that cannot be decoded. The wait continues for the others.
			continue
		}
		if err != nil {
			return err // A *WaitError: Pending has the ids without a report, Missing those that the API does not know.
		}
		score, ok := report.Score() // Not ok means not enough data, never 0.
		if _, err := fmt.Fprintln(out, report.SubmissionID, score, ok); err != nil {
			return err
		}
	}
	return nil
}
