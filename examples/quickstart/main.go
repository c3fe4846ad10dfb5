// Command quickstart shows an account. It uses the embedded sandbox unless HIRING_BASE_URL and HIRING_API_KEY are set.
// It reads the first page of each list. With a test key, for which the API stores nothing, it also creates an
// assessment and invites a candidate.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"text/tabwriter"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", strings.Map(printable, err.Error()))
		os.Exit(1)
	}
}

// run is the program. An interrupt ends the current request or wait.
func run(ctx context.Context, out io.Writer) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	client, err := connect()
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	return show(ctx, client, out)
}

// connect returns a client of the embedded sandbox if the environment names no server.
// Your program needs only the last line.
func connect() (*hiring.Client, error) {
	if os.Getenv("HIRING_BASE_URL") == "" && os.Getenv("HIRING_API_KEY") == "" {
		return sandbox.New().Client(), nil
	}
	return hiring.FromEnv()
}

const next = `
TRY NEXT
go run ./examples/backend     a form that invites each candidate once
go run ./examples/poll        new results as they come
go run ./cmd/hiring-sandbox   this sandbox with a web page, for any language
docs/getting-started.md       your own key, and a first test
`

// show prints every part, or nothing if a part cannot be read.
func show(ctx context.Context, client *hiring.Client, out io.Writer) error {
	var text bytes.Buffer
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, part := range []struct {
		name string
		show func(context.Context, *hiring.Client, io.Writer) error
	}{
		{"account", showAccount},
		{"assessments", showAssessments},
		{"candidates", showCandidates},
		{"rate limits", showRateLimits},
	} {
		if err := part.show(ctx, client, table); err != nil {
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	_ = table.Flush() // Writes to a buffer, which never fails.
	text.WriteString(next)
	if _, err := text.WriteTo(out); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}
