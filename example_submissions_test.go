package hiring_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// Scores are shown as far as there is evidence for them.
func ExampleSubmissionService_List() {
	ctx := context.Background()
	client := sandbox.New().Client()

	filter := hiring.SubmissionFilter{
		AssessmentID: sandbox.AssessmentID,
		Status:       hiring.SubmissionEvaluated,
	}
	page, err := client.Submissions.List(filter).PageSize(4).Page(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, submission := range page.Items {
		report := submission.Report
		if report == nil || !report.Ready() {
			continue // That listings hold reports is assumed; Submissions.Report always reads it.
		}
		fmt.Print(report.Verdict, ":")
		for _, pillar := range report.Pillars {
			if score, ok := pillar.Reported(); ok {
				fmt.Print(" ", score)
			} else {
				fmt.Print(" ?") // Not enough data, which does not mean 0.
			}
		}
		fmt.Println()
	}
	// Output:
	// no: 25 43 38 31
	// strong_yes: 84 79 88 78
	// no: ? ? ? ?
	// yes: 81 70 ? ?
}

func ExampleSubmissionService_Get() {
	ctx := context.Background()
	client := sandbox.New().Client()

	submission, err := client.Submissions.Get(ctx, sandbox.SubmissionID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(submission.Candidate.Name, submission.Status)
	fmt.Printf("%.2f of %.2f dollars\n", submission.Budget.DollarsUsed, submission.Budget.DollarsCap)
	// Output:
	// Björn Bergström evaluated
	// 2.90 of 10.00 dollars
}

// An invitation carries no submission id: the address leads to it.
func ExampleSubmissionService_FindByEmail() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.LiveClient()
	assessment := newAssessment(ctx, client)
	invited, err := client.Invitations.Ensure(ctx, assessment.ID, hiring.NewInvitation{
		Email: "ada@example.com",
		Name:  "Ada Example",
	})
	if err != nil {
		log.Fatal(err)
	}

	_, err = client.Submissions.FindByEmail(ctx, assessment.ID, "ada@example.com")
	fmt.Println(errors.Is(err, hiring.ErrNotFound)) // The candidate has not begun.

	take(server, invited.Invitation.ID)
	submission, err := client.Submissions.FindByEmail(ctx, assessment.ID, "Ada@Example.com")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(submission.Candidate.Name, submission.Status)
	// Output:
	// true
	// Ada Example evaluated
}

func ExampleSubmissionService_Report() {
	ctx := context.Background()
	client := sandbox.New().Client()

	report, err := client.Submissions.Report(ctx, sandbox.PendingSubmissionID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("ready:", report.Ready()) // Not graded yet is an answer, not an error.

	report, err = client.Submissions.Report(ctx, sandbox.SubmissionID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("ready:", report.Ready())
	if craft, ok := report.Pillar(hiring.PillarCraft); ok {
		if score, ok := craft.Reported(); ok {
			fmt.Println("craft:", score)
		} else {
			fmt.Println("craft: not enough data") // Which does not mean 0.
		}
	}
	// Output:
	// ready: false
	// ready: true
	// craft: 88
}

// A score is shown only where there is one. The report of a listed submission is
// assumed, and may be nil; Score takes that too.
func ExampleReport_Score() {
	ctx := context.Background()
	client := sandbox.New().Client()

	for _, id := range []string{sandbox.SubmissionID, sandbox.PendingSubmissionID} {
		submission, err := client.Submissions.Get(ctx, id)
		if err != nil {
			log.Fatal(err)
		}
		if score, ok := submission.Report.Score(); ok {
			fmt.Println(score)
		} else {
			fmt.Println("not enough data") // Which does not mean 0.
		}
	}
	// Output:
	// 91
	// not enough data
}

// archive is code under test below and in the README.
func archive(ctx context.Context, client *hiring.Client, submissionID, path string) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	_, err = client.Submissions.DownloadArchive(ctx, submissionID, file)
	return err // Unless it is nil, the file is no whole archive.
}

func ExampleSubmissionService_DownloadArchive() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.LiveClient()
	submissionID := submitted(ctx, server, client) // A candidate who handed in.

	path := filepath.Join(os.TempDir(), submissionID+".zip")
	defer func() { _ = os.Remove(path) }()
	err := archive(ctx, client, submissionID, path)
	fmt.Println(err)

	// In test mode there are no archives.
	err = archive(ctx, server.Client(), sandbox.SubmissionID, path)
	fmt.Println(errors.Is(err, hiring.ErrNoArchive))
	// Output:
	// <nil>
	// true
}

// submitted invites a candidate and lets the candidate hand in.
func submitted(ctx context.Context, server *sandbox.Server, client *hiring.Client) (submissionID string) {
	challenges, err := client.Challenges.List().Collect(ctx)
	if err != nil {
		log.Fatal(err)
	}
	assessment, err := client.Assessments.Create(ctx, hiring.NewAssessment{ChallengeID: challenges[0].ID, Name: "Backend engineer"})
	if err != nil {
		log.Fatal(err)
	}
	invitation, err := client.Invitations.Send(ctx, assessment.ID, hiring.NewInvitation{Email: "ada@example.com", Name: "Ada Example"})
	if err != nil {
		log.Fatal(err)
	}
	if submissionID, err = server.Begin(invitation.ID); err == nil {
		err = server.Submit(submissionID)
	}
	if err != nil {
		log.Fatal(err)
	}
	return submissionID
}
