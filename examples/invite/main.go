// Command invite invites the candidates of a CSV file (name,email) to an assessment, each once, however often it is
// killed and run again. Without HIRING_BASE_URL and HIRING_API_KEY it uses an embedded sandbox.
package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"
	"unicode"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "invite:", strings.Map(printable, err.Error()))
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout io.Writer) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt) // Ends the current request.
	defer stop()
	confirmed := slices.Contains(args, "-yes")
	args = slices.DeleteFunc(args, func(arg string) bool { return arg == "-yes" })
	embedded := os.Getenv("HIRING_BASE_URL") == "" && os.Getenv("HIRING_API_KEY") == ""
	if embedded && len(args) != 1 || !embedded && len(args) != 2 {
		return errors.New("usage: invite [-yes] <file.csv> <assessment-id>, or on the embedded sandbox: invite <file.csv>")
	}
	candidates, err := read(args[0])
	if err != nil {
		return err
	}
	if embedded { // It keeps nothing, so no record of requests is needed.
		return invite(ctx, sandbox.New().Client(), sandbox.AssessmentID, candidates, "", stdout)
	}
	client, err := hiring.FromEnv()
	if err == nil && !confirmed && client.Environment() != hiring.EnvironmentTest {
		err = fmt.Errorf("this sends e-mails to real candidates (%d in the file): to confirm, add -yes", len(candidates))
	}
	if err != nil {
		return err
	}
	return invite(ctx, client, args[1], candidates, args[0]+"."+args[1]+".last", stdout)
}

// settle waits until a listing shows everything that a killed run has sent: until the timeout of its last request, and a
// minute.
func settle(ctx context.Context, last string) error {
	info, err := os.Stat(last)
	if err != nil {
		return nil //nolint:nilerr // This is the first run.
	}
	wait := min(time.Until(info.ModTime().Add(90*time.Second)), 90*time.Second)
	if wait > time.Second {
		fmt.Fprintf(os.Stderr, "waiting %s: an earlier run may have sent an invitation that is not listed yet\n", wait.Round(time.Second))
	}
	select {
	case <-time.After(wait):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// read returns the candidates of a file. It reads the whole file first, so that a mistake at its end is found before the
// first e-mail. For a file that does not fit into memory, see docs/inviting.md.
func read(name string) (candidates []hiring.NewInvitation, _ error) {
	text, err := os.ReadFile(name)
	rows := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(text), "\ufeff"))) // Spreadsheets write this mark.
	rows.FieldsPerRecord = 2
	all, csvErr := rows.ReadAll()
	for i, row := range all {
		if strings.Contains(row[1], "@") {
			candidates = append(candidates, hiring.NewInvitation{Name: row[0], Email: strings.TrimSpace(row[1])})
		} else if i > 0 || !strings.EqualFold(row[0]+","+row[1], "name,email") {
			return nil, fmt.Errorf("row %d has no address: the columns must be name,email", i+1)
		}
	}
	if err = errors.Join(err, csvErr); err == nil && len(candidates) == 0 {
		err = errors.New("there are no candidates in the file")
	}
	return candidates, err
}

// invite prints the number of each outcome. Its error names failed candidates by their position in the file. The file
// last exists while an outcome may be unknown; the time of its last change is that of the last request.
func invite(ctx context.Context, client *hiring.Client, assessment string, candidates []hiring.NewInvitation, last string, stdout io.Writer) error {
	var sum hiring.InviteProgress
	options := hiring.EnsureAllOptions{Progress: func(p hiring.InviteProgress) {
		if sum = p; p.Reason == hiring.PauseQuota {
			fmt.Fprintf(os.Stderr, "%d of %d done; waiting until %s\n", p.Done, len(candidates), p.WaitUntil.Format("15:04:05"))
		}
	}}
	if last != "" {
		options.Before = func(hiring.NewInvitation) error {
			return os.WriteFile(last, []byte(time.Now().Format(time.RFC3339)), 0o600)
		}
		if err := settle(ctx, last); err != nil {
			return err
		}
	}
	err := client.Invitations.EnsureAll(ctx, assessment, slices.Values(candidates), options)
	if err == nil && last != "" {
		_ = os.Remove(last) // It may not exist. Leaving it costs the next run a wait.
	}
	_, printErr := fmt.Fprintf(stdout, "%d sent, %d existing, %d failed\n", sum.Sent, sum.Existing, sum.Failed)
	return errors.Join(err, printErr)
}

// printable replaces control characters, which a terminal would execute: the text may contain names from outside.
func printable(r rune) rune {
	if unicode.IsGraphic(r) || r == '\u200c' || r == '\u200d' { // The last two join letters.
		return r
	}
	return unicode.ReplacementChar
}
