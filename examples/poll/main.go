// Command poll waits for the report of one submission and prints it.
//
//	poll [submission id]
//
// It runs on the embedded sandbox, where there is a submission to begin with,
// unless HIRING_BASE_URL and HIRING_API_KEY are set.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:])
	if ctx.Err() != nil && err != nil {
		err = errors.New("interrupted")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "poll:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	var failure error // Of the latest attempt. Waiting goes on after one that may pass.
	client, id, err := connect(args, hiring.WithObserver(func(_ context.Context, e hiring.Exchange) { failure = e.Err }))
	if err != nil {
		return err
	}
	report, err := client.Submissions.WaitReport(ctx, id, hiring.WaitOptions{
		Progress: func(p hiring.WaitProgress) {
			switch {
			case p.Ready > 0:
				fmt.Fprintf(os.Stderr, "ready after %d requests\n", p.Requests)
			case failure != nil:
				fmt.Fprintf(os.Stderr, "%v; next try at %s\n", failure, p.NextPoll.Format(time.TimeOnly))
			default:
				fmt.Fprintf(os.Stderr, "not ready after %d requests; next look at %s\n", p.Requests, p.NextPoll.Format(time.TimeOnly))
			}
		},
	})
	if err != nil {
		return err
	}
	show(report)
	return nil
}

// connect returns a client and the id of the submission to wait for.
func connect(args []string, opts ...hiring.Option) (*hiring.Client, string, error) {
	embedded := os.Getenv("HIRING_BASE_URL") == "" && os.Getenv("HIRING_API_KEY") == ""
	switch {
	case embedded && len(args) == 0:
		args = []string{sandbox.SubmissionID}
	case len(args) != 1:
		return nil, "", errors.New("name one submission by its id")
	}
	if embedded {
		return sandbox.New().Client(opts...), args[0], nil
	}
	client, err := hiring.FromEnv(opts...)
	return client, args[0], err
}

func show(r hiring.Report) {
	fmt.Printf("verdict: %s (confidence %s)\n", r.VerdictLabel, r.Confidence)
	if r.ShipScore != nil {
		fmt.Printf("ship score: %d\n", *r.ShipScore)
	}
	for _, pillar := range r.Pillars {
		if score, ok := pillar.Reported(); ok {
			fmt.Printf("%s: %d\n", pillar.Label, score)
		} else {
			fmt.Printf("%s: not enough data\n", pillar.Label)
		}
	}
	if r.PipelineRank != nil {
		fmt.Printf("rank: %d of %d\n", r.PipelineRank.Rank, r.PipelineRank.Total)
	}
}
