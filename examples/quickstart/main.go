// Command quickstart shows an account: the embedded sandbox's unless HIRING_BASE_URL and HIRING_API_KEY are set.
// It reads the first page of each list, and writes only with a test key, for which nothing persists.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"text/tabwriter"
	"unicode"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	client, err := hiring.FromEnv()
	if os.Getenv("HIRING_BASE_URL")+os.Getenv("HIRING_API_KEY") == "" {
		client, err = sandbox.New().Client(), nil
	}
	table := tabwriter.NewWriter(screen{os.Stdout}, 0, 0, 2, ' ', 0)
	account := must(must(client, err).Account.Get(ctx))
	left, limited := account.InvitationsLeft()
	fmt.Fprintf(table, "%s, plan %s: %d invitations left (limit enforced: %t)\n", account.Name, account.Plan.ID, left, limited)
	assessments := must(client.Assessments.List().PageSize(20).Page(ctx)).Items
	fmt.Fprintf(table, "\nASSESSMENTS, the newest %d\nSTATUS\tCREATED\tNAME\n", len(assessments))
	for _, a := range assessments {
		fmt.Fprintf(table, "%s\t%s\t%s\n", a.Status, a.CreatedAt.Format("2006-01-02"), a.Name)
	}
	must(0, table.Flush())
	writes := "not known before the first one"
	if len(assessments) > 0 {
		a, counts := assessments[len(assessments)-1], map[hiring.InvitationStatus]int{}
		page := must(client.Invitations.List(a.ID).Page(ctx))
		for _, i := range page.Items {
			counts[i.Status]++
		}
		fmt.Fprintf(table, "\nINVITATIONS to %s by status, the newest %d of %d: %v\n", a.Name, len(page.Items), page.Meta.Total, counts)
		if client.Environment() == hiring.EnvironmentTest && a.Status == hiring.AssessmentActive { // Nothing persists, hence two assessments.
			fmt.Fprintln(table, "\nCREATED", must(client.Assessments.Create(ctx, hiring.NewAssessment{ChallengeID: a.ChallengeID, Name: "Quickstart"})).Name)
			fmt.Fprintln(table, "INVITED", must(client.Invitations.Send(ctx, a.ID, hiring.NewInvitation{Email: "ada@example.com", Name: "Ada Example"})).CandidateName)
			writes = fmt.Sprintf("%d of %d", client.Quota().Write.Remaining, client.Quota().Write.Limit)
		}
	}
	unranked := func(s hiring.Submission) bool {
		_, scored := s.Report.Score()
		return !scored || s.Report.PipelineRank == nil
	}
	evaluated := client.Submissions.List(hiring.SubmissionFilter{Status: hiring.SubmissionEvaluated}).PageSize(25)
	ranked := slices.DeleteFunc(must(evaluated.Page(ctx)).Items, unranked)
	slices.SortFunc(ranked, func(a, b hiring.Submission) int { return a.Report.PipelineRank.Rank - b.Report.PipelineRank.Rank })
	fmt.Fprintf(table, "\nCANDIDATES, the newest %d\nRANK\tSHIP SCORE\tVERDICT\tCORRECTNESS\tCRAFT\tAI FLUENCY\tRIGOR\tNAME\n", len(ranked))
	for _, s := range ranked {
		score, _ := s.Report.Score()
		fmt.Fprintf(table, "%d of %d\t%d\t%s\t", s.Report.PipelineRank.Rank, s.Report.PipelineRank.Total, score, s.Report.Verdict)
		for _, id := range []hiring.PillarID{hiring.PillarCorrectness, hiring.PillarCraft, hiring.PillarAIFluency, hiring.PillarRigor} {
			pillar, _ := s.Report.Pillar(id)
			if score, ok := pillar.Reported(); ok {
				fmt.Fprintf(table, "%d\t", score)
			} else {
				fmt.Fprint(table, "not enough data\t")
			}
		}
		fmt.Fprintln(table, s.Candidate.Name)
	}
	fmt.Fprintf(table, "\nQUOTA left this hour: %d of %d reads; writes: %s\n", client.Quota().Read.Remaining, client.Quota().Read.Limit, writes)
	must(0, table.Flush())
}

// screen takes from what it writes what a terminal would obey: names come from outside.
type screen struct{ io.Writer }

func (s screen) Write(text []byte) (int, error) {
	_, err := s.Writer.Write(bytes.Map(func(r rune) rune {
		if unicode.IsGraphic(r) || r == '\n' || r == '\u200c' || r == '\u200d' { // The last two join letters.
			return r
		}
		return '\ufffd'
	}, text))
	return len(text), err
}

// must ends the program with one line when a call failed.
func must[T any](result T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", strings.ReplaceAll(err.Error(), "\n", "; "))
		os.Exit(1)
	}
	return result
}
