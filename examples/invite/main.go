// Command invite invites the candidates of a CSV file (name,email) to an assessment. It can be killed and run again at any moment: no
// candidate gets a second e-mail. It keeps a checkpoint beside the file for that. Without HIRING_BASE_URL and HIRING_API_KEY it runs on an embedded sandbox that starts empty,
// and without a file then with candidates.csv, which lies beside this program.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "invite:", printable(err.Error()))
		os.Exit(1)
	}
}

// run is the program. An interrupt ends the request or the pause that it is in; the
// next run finds out what became of the request.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt)
	defer stop()
	set, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return nil
	}
	if err != nil {
		return err
	}
	candidates, err := readCandidates(set.file)
	if err != nil {
		return err
	}
	client, assessment, err := connect(set)
	if err != nil {
		return err
	}
	if !set.embedded && !set.yes && client.Environment() != hiring.EnvironmentTest {
		return fmt.Errorf("this would mail up to %d candidates: put -yes before the file if that is meant", len(candidates))
	}
	return invite(ctx, client, assessment, candidates, set.checkpoint(), stdout, log.New(stderr, "", 0))
}

// connect returns a client, and the assessment to invite to. That of the embedded
// sandbox is made afresh.
func connect(set settings) (client *hiring.Client, assessment string, err error) {
	if set.embedded {
		server := sandbox.New()
		return server.LiveClient(), server.AddAssessment("Backend engineer"), nil
	}
	client, err = hiring.FromEnv()
	return client, set.assessment, err
}
