// Command invite invites the candidates of a CSV file (name,email) to an assessment, each once, however often it is
// killed and run again. Without HIRING_BASE_URL and HIRING_API_KEY it uses an embedded sandbox.
package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "invite:", printable(err.Error()))
		os.Exit(1)
	}
}

// run is the program. A signal ends the current request or wait. The next run looks that invitation up.
func run(ctx context.Context, args []string, stdout io.Writer) error {
	confirmed := len(args) > 0 && args[0] == "-yes"
	if confirmed {
		args = args[1:]
	}
	embedded := os.Getenv("HIRING_BASE_URL") == "" && os.Getenv("HIRING_API_KEY") == ""
	if embedded && len(args) != 1 || !embedded && len(args) != 2 {
		return errors.New("usage: invite [-yes] <file.csv> <assessment-id>, or on the embedded sandbox: invite <file.csv>")
	}
	candidates, err := read(args[0])
	if err != nil {
		return err
	}
	if embedded { // It keeps nothing, so it needs no checkpoint.
		server := sandbox.New()
		return invite(ctx, server.LiveClient(), server.AddAssessment("Backend engineer"), candidates, nil, stdout)
	}
	client, err := hiring.FromEnv()
	if err != nil {
		return err
	}
	if !confirmed && client.Environment() != hiring.EnvironmentTest {
		return fmt.Errorf("this sends e-mails to real candidates (%d in the file): to confirm, put -yes before the file", len(candidates))
	}
	checkpoint := hiring.FileCheckpoint(args[0] + "." + url.PathEscape(args[1]) + ".state")
	return invite(ctx, client, args[1], candidates, checkpoint, stdout)
}

// read returns the candidates of a file. It reads the whole file first, so that a mistake at its end is found before the
// first e-mail. For a file that does not fit into memory, see docs/inviting.md.
func read(name string) (candidates []hiring.NewInvitation, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	rows := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(text), "\ufeff"))) // Spreadsheets write this mark.
	rows.FieldsPerRecord = 2
	all, err := rows.ReadAll()
	for i, row := range all {
		switch {
		case strings.Contains(row[1], "@"):
			candidates = append(candidates, hiring.NewInvitation{Name: row[0], Email: strings.TrimSpace(row[1])})
		case i > 0 || !strings.EqualFold(row[0]+","+row[1], "name,email"):
			return nil, fmt.Errorf("row %d has no address: the columns must be name,email", i+1)
		}
	}
	if err == nil && len(candidates) == 0 {
		err = errors.New("there are no candidates in the file")
	}
	return candidates, err
}

// invite prints the number of each outcome. Its error names failed candidates by their position in the file.
func invite(ctx context.Context, client *hiring.Client, assessment string, candidates []hiring.NewInvitation,
	checkpoint hiring.Checkpoint, stdout io.Writer,
) error {
	var progress hiring.InviteProgress
	err := client.Invitations.SendAll(ctx, assessment, slices.Values(candidates), hiring.SendAllOptions{
		Progress: func(p hiring.InviteProgress) {
			if progress = p; p.Reason == hiring.PauseQuota {
				fmt.Fprintf(os.Stderr, "%d of %d done; waiting until %s\n", p.Done, len(candidates), p.WaitUntil.Format(time.TimeOnly))
			}
		},
		Checkpoint: checkpoint,
	})
	if err != nil {
		err = fmt.Errorf("%w; to try again, run this again: no candidate gets a second e-mail", err)
	}
	_, printErr := fmt.Fprintf(stdout, "%d sent, %d existing, %d failed\n", progress.Sent, progress.Existing, progress.Failed)
	return errors.Join(err, printErr)
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
