// Command invite invites the candidates of a CSV file (name,email) to an assessment, each once, however often it is
// killed and run again. Without HIRING_BASE_URL and HIRING_API_KEY it uses an embedded sandbox.
package main

import (
	"context"
	_ "embed" // for the sample
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"unicode"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

//go:embed candidates.csv
var sample string

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "invite:", printable(err.Error()))
		os.Exit(1)
	}
}

// run is the program. A signal ends the current request or wait. The next run looks that invitation up.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	confirmed := len(args) > 0 && args[0] == "-yes"
	if confirmed {
		args = args[1:]
	}
	embedded := os.Getenv("HIRING_BASE_URL") == "" && os.Getenv("HIRING_API_KEY") == ""
	if len(args) != 2 && !embedded || len(args) > 2 || len(args) > 0 && strings.HasPrefix(args[0], "-") {
		return errors.New("usage: invite [-yes] <file.csv> <assessment-id>")
	}
	text := []byte(sample)
	if len(args) > 0 {
		var err error
		if text, err = os.ReadFile(args[0]); err != nil {
			return err
		}
	}
	candidates, err := parse(string(text))
	if err != nil {
		return err
	}
	if embedded { // It keeps nothing, so it needs no checkpoint.
		server := sandbox.New()
		return invite(ctx, server.LiveClient(), server.AddAssessment("Backend engineer"), candidates, nil, stdout, stderr)
	}
	client, err := hiring.FromEnv()
	if err != nil {
		return err
	}
	if !confirmed && client.Environment() != hiring.EnvironmentTest {
		return fmt.Errorf("this sends e-mails to real candidates (%d in the file): to confirm, put -yes before the file", len(candidates))
	}
	checkpoint := hiring.FileCheckpoint(args[0] + "." + url.PathEscape(args[1]) + ".state")
	return invite(ctx, client, args[1], candidates, checkpoint, stdout, stderr)
}

// printable replaces control characters, which a terminal would execute: the text may
// contain names from outside.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		joinsLetters := r == '\u200c' || r == '\u200d'
		if unicode.IsGraphic(r) || joinsLetters {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}
