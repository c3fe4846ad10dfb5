// Command invite invites the candidates of a CSV file (name,email) to an assessment. It can
// be killed and run again at any moment, and no candidate gets a second e-mail: it keeps a
// checkpoint beside the file. Without HIRING_BASE_URL and HIRING_API_KEY it uses an embedded
// sandbox. Without a file it then invites the candidates of the embedded candidates.csv.
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

// run is the program. An interrupt ends the current request or wait. The next run looks
// up the outcome of that request.
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
		return fmt.Errorf("this sends e-mails to real candidates (%d in the file): to confirm, put -yes before the file", len(candidates))
	}
	return invite(ctx, client, assessment, candidates, set.checkpoint(), stdout, log.New(stderr, "", 0))
}

// connect returns a client and the assessment to invite to, which is a new one on the
// embedded sandbox.
func connect(set settings) (client *hiring.Client, assessment string, err error) {
	if set.embedded {
		server := sandbox.New()
		return server.LiveClient(), server.AddAssessment("Backend engineer"), nil
	}
	client, err = hiring.FromEnv()
	return client, set.assessment, err
}
