// Command reports writes the results of an assessment as one HTML file with
// charts, which needs nothing else to be looked at. README.md beside it says
// what it shows, and what it leaves out of an average.
//
// Without HIRING_BASE_URL and HIRING_API_KEY it reports on the sample data of an
// embedded sandbox.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "reports:", strings.ReplaceAll(err.Error(), "\n", "; "))
		os.Exit(1)
	}
}

// run reads the results, and writes a file only if all of them came.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("reports", flag.ContinueOnError)
	flags.SetOutput(stderr)
	out := flags.String("o", "report.html", "the `file` to write, which holds names")
	assessment := flags.String("assessment", "", "the `id` of the assessment to report on")
	if err := flags.Parse(args); err != nil {
		return err
	}
	client, err := connect(assessment)
	if err != nil {
		return err
	}
	all, err := read(ctx, client, *assessment)
	if err != nil {
		return err
	}
	all.At = time.Now()
	text, err := render(all)
	if err != nil {
		return err
	}
	if err := write(*out, text); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "wrote %s: %d submissions, for %d of the reads of this hour\n", *out, len(all.Submissions), all.Reads)
	return err
}

// connect returns a client of the API or, without one, of the sample data.
func connect(assessment *string) (*hiring.Client, error) {
	if os.Getenv("HIRING_BASE_URL") == "" && os.Getenv("HIRING_API_KEY") == "" {
		if *assessment == "" {
			*assessment = sandbox.AssessmentID
		}
		return sandbox.New().Client(), nil
	}
	if *assessment == "" {
		return nil, errors.New("give the assessment to report on, as in -assessment ID")
	}
	return hiring.FromEnv(hiring.WithUserAgent("hiring-reports"))
}
