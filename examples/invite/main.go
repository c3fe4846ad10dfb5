// Command invite invites the candidates of a CSV file (name,email) to an assessment. Killed at any moment and run again, a minute later
// at the earliest, it mails nobody twice. Without HIRING_BASE_URL and HIRING_API_KEY it runs on an embedded sandbox that starts empty,
// and without a file then with candidates.csv, which lies beside this program.
package main

import (
	"context"
	_ "embed" // for the sample
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"unicode"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

//go:embed candidates.csv
var sample string

func main() {
	yes := flag.Bool("yes", false, "mail real candidates, which a live key does")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, flag.Arg(0), flag.Arg(1), *yes); err != nil {
		fmt.Fprintln(os.Stderr, "invite:", printable(strings.ReplaceAll(err.Error(), "\n", "; ")))
		os.Exit(1)
	}
}

func run(ctx context.Context, file, assessment string, yes bool) error {
	embedded := os.Getenv("HIRING_BASE_URL")+os.Getenv("HIRING_API_KEY") == ""
	client, err := hiring.FromEnv()
	if embedded {
		client = sandbox.New().LiveClient()
		assessment, err = assess(ctx, client)
	}
	if err != nil {
		return err
	}
	if assessment == "" || file == "" && !embedded {
		return errors.New("usage: invite [-yes] file.csv assessment")
	}
	candidates, err := read(file)
	if err != nil {
		return err
	}
	if !embedded && !yes && client.Environment() != hiring.EnvironmentTest {
		return fmt.Errorf("this would mail up to %d candidates: put -yes before the file if that is meant", len(candidates))
	}
	return invite(ctx, client, assessment, candidates)
}

// assess makes an assessment to invite to.
func assess(ctx context.Context, client *hiring.Client) (id string, err error) {
	challenges, err := client.Challenges.List().Page(ctx)
	if err != nil {
		return "", err
	}
	made, err := client.Assessments.Create(ctx, hiring.NewAssessment{ChallengeID: challenges.Items[0].ID, Name: "Invite"})
	return made.ID, err
}

// invite shows how far it is, and at the end what came of all.
func invite(ctx context.Context, client *hiring.Client, assessment string, candidates []hiring.NewInvitation) error {
	count, done := make(map[hiring.InviteOutcome]int), 0
	err := client.Invitations.SendAll(ctx, assessment, slices.Values(candidates), func(invited hiring.Invited, err error) bool {
		count[invited.Outcome]++
		done++
		if errors.Is(err, hiring.ErrInvalidInput) || errors.Is(err, hiring.ErrConflict) {
			fmt.Fprintf(os.Stderr, "\r\033[K%s: %s\n", printable(invited.Candidate.Name), printable(err.Error()))
		}
		if err == nil {
			fmt.Fprintf(os.Stderr, "\r\033[K%d of %d, %d writes left this hour", done, len(candidates), client.Quota().Write.Remaining)
		}
		return true
	})
	invited := count[hiring.InviteSent] + count[hiring.InviteExisting]
	if invited > 0 {
		fmt.Fprintln(os.Stderr)
	}
	fmt.Printf("%d sent, %d had one, %d not sent, %d unknown\n", count[hiring.InviteSent], count[hiring.InviteExisting], count[hiring.InviteNotSent], count[hiring.InviteUnknown])
	if err == nil && invited == 0 {
		err = errors.New("nobody was invited")
	}
	return err
}

// printable takes from a text what a terminal would obey: names come from outside.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) || r == '\u200c' || r == '\u200d' { // The last two join letters.
			return r
		}
		return '\ufffd'
	}, text)
}
