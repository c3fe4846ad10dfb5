// Command invite invites the candidates of a CSV file (name,email) to an assessment. Killed at any moment and run again, ten seconds later
// at the earliest, it mails nobody twice. Without HIRING_BASE_URL and HIRING_API_KEY it runs on an embedded sandbox that starts empty.
package main

import (
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func main() {
	yes := flag.Bool("yes", false, "mail real candidates, which a live key does")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	client, err := hiring.FromEnv()
	assessment, embedded := flag.Arg(1), os.Getenv("HIRING_BASE_URL")+os.Getenv("HIRING_API_KEY") == ""
	if embedded {
		client, err = sandbox.New().LiveClient(), nil
		challenges := must(client.Challenges.List().Collect(ctx))
		assessment = must(client.Assessments.Create(ctx, hiring.NewAssessment{ChallengeID: challenges[0].ID, Name: "Invite"})).ID
	}
	if must(client, err); flag.Arg(0) == "" || assessment == "" {
		must(0, errors.New("usage: invite [-yes] file.csv assessment"))
	}
	count, done, candidates := make(map[hiring.InviteOutcome]int), 0, read(flag.Arg(0))
	if !embedded && !*yes && client.Environment() != hiring.EnvironmentTest {
		must(0, fmt.Errorf("this would mail up to %d candidates: put -yes before the file if that is meant", len(candidates)))
	}
	err = client.Invitations.SendAll(ctx, assessment, slices.Values(candidates), func(invited hiring.Invited, err error) bool {
		count[invited.Outcome]++
		if errors.Is(err, hiring.ErrInvalidInput) || errors.Is(err, hiring.ErrConflict) {
			fmt.Fprintf(os.Stderr, "\r\033[K%s: %v\n", invited.Candidate.Name, err)
		}
		if done++; err == nil {
			fmt.Fprintf(os.Stderr, "\r\033[K%d of %d, %d writes left this hour", done, len(candidates), client.Quota().Write.Remaining)
		}
		return true
	})
	if count[hiring.InviteSent]+count[hiring.InviteExisting] > 0 {
		fmt.Fprintln(os.Stderr)
	}
	fmt.Printf("%d sent, %d had one, %d not sent, %d unknown\n", count[hiring.InviteSent], count[hiring.InviteExisting], count[hiring.InviteNotSent], count[hiring.InviteUnknown])
	must(0, err)
}

// read takes the order of the columns from a header, if there is one.
func read(name string) (candidates []hiring.NewInvitation) {
	rows := must(csv.NewReader(strings.NewReader(strings.TrimPrefix(string(must(os.ReadFile(name))), "\ufeff"))).ReadAll())
	at, email := 0, 1
	if len(rows) > 0 && !strings.Contains(strings.Join(rows[0], ""), "@") {
		header := strings.Split(strings.ToLower(strings.Join(rows[0], ",")), ",")
		at, email, rows = slices.Index(header, "name"), slices.Index(header, "email"), rows[1:]
	}
	for _, row := range rows {
		if min(at, email) < 0 || max(at, email) >= len(row) {
			must(0, fmt.Errorf("%s: the columns must be name,email", name))
		}
		candidates = append(candidates, hiring.NewInvitation{Name: row[at], Email: strings.TrimSpace(row[email])})
	}
	return candidates
}

// must ends the program with one line when something failed.
func must[T any](result T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, "invite:", strings.ReplaceAll(err.Error(), "\n", "; "))
		os.Exit(1)
	}
	return result
}
