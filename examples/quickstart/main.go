// Command quickstart shows an account: the embedded sandbox's unless HIRING_BASE_URL and HIRING_API_KEY are set.
// It reads the first page of each list, and writes only with a test key, for which nothing persists.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func main() {
	if err := run(context.Background(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", printable(err.Error()))
		os.Exit(1)
	}
}

// run is the program. An interrupt ends the request or the pause that it is in.
func run(ctx context.Context, out io.Writer) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	client, err := connect()
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	return show(ctx, client, out)
}

// connect returns a client of the API that the environment names, or of an
// embedded sandbox when it names none. A program of yours needs the last line only.
func connect() (*hiring.Client, error) {
	if os.Getenv("HIRING_BASE_URL") == "" && os.Getenv("HIRING_API_KEY") == "" {
		return sandbox.New().Client(), nil
	}
	return hiring.FromEnv()
}
