// Command reports writes the results of an assessment as one HTML file with
// charts, which needs nothing else to be looked at. README.md beside it says
// more.
//
// Without HIRING_BASE_URL and HIRING_API_KEY it reports on the sample data of an
// embedded sandbox.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"html/template"
	"io"
	"os"
	"os/signal"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "reports:", strings.ReplaceAll(err.Error(), "\n", "; "))
		os.Exit(1)
	}
}

// run writes the report.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("reports", flag.ContinueOnError)
	flags.SetOutput(stderr)
	out := flags.String("o", "report.html", "the `file` to write")
	assessment := flags.String("assessment", "", "the `id` of the assessment to report on")
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	client, err := connect(assessment)
	if err != nil {
		return err
	}
	submissions, err := client.Submissions.List(hiring.SubmissionFilter{AssessmentID: *assessment}).Collect(ctx)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := page.Execute(&text, submissions); err != nil {
		return err
	}
	if err := os.WriteFile(*out, text.Bytes(), 0o600); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "wrote %s\n", *out)
	return err
}

var page = template.Must(template.New("").Parse(`<!doctype html>
<html lang="en"><title>Results</title>
<table>
{{range .}}<tr><td>{{.Candidate.Name}}</td><td>{{.Status}}</td></tr>
{{end}}</table></html>
`))

// connect returns a client of the service or, without one, of the sample data.
func connect(assessment *string) (*hiring.Client, error) {
	if os.Getenv("HIRING_BASE_URL") != "" || os.Getenv("HIRING_API_KEY") != "" {
		if *assessment == "" {
			return nil, errors.New("give the assessment to report on, as in -assessment ID")
		}
		return hiring.FromEnv()
	}
	if *assessment == "" {
		*assessment = sandbox.AssessmentID
	}
	return sandbox.New().Client(), nil
}
