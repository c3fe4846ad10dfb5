package hiring_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"reflect"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// Scores without enough evidence are not shown.
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
		if !report.Ready() {
			continue // Listings may lack reports (assumed). Submissions.Report always returns it.
		}
		fmt.Print(report.Verdict, ":")
		for _, pillar := range report.Pillars {
			if score, ok := pillar.ReliableScore(); ok {
				fmt.Print(" ", score)
			} else {
				fmt.Print(" ?") // Not enough data, which does not mean 0.
			}
		}
		fmt.Println()
	}
	// Output:
	// strong_no: 25 43 ? 31
	// strong_yes: 84 79 88 78
	// yes: ? ? ? ?
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

// An invitation has no submission id. The address leads to the submission.
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

// The stored JSON is what the API sent, and can be read again.
func ExampleSubmission_json() {
	ctx := context.Background()
	client := sandbox.New(sandbox.WithDrift(2)).Client() // With unknown fields.

	submission, err := client.Submissions.Get(ctx, sandbox.SubmissionID)
	if err != nil {
		log.Fatal(err)
	}
	stored, err := json.Marshal(submission)
	if err != nil {
		log.Fatal(err)
	}
	var again hiring.Submission
	if err := json.Unmarshal(stored, &again); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(again.Extra) > 0, reflect.DeepEqual(submission, again))
	// Output: true true
}

func ExampleSubmissionService_Report() {
	ctx := context.Background()
	client := sandbox.New().Client()

	report, err := client.Submissions.Report(ctx, sandbox.PendingSubmissionID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("ready:", report.Ready()) // A report that is not ready is not an error.

	report, err = client.Submissions.Report(ctx, sandbox.SubmissionID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("ready:", report.Ready())
	if craft, ok := report.Pillar(hiring.PillarCraft); ok {
		if score, ok := craft.ReliableScore(); ok {
			fmt.Println("craft:", score)
		} else {
			fmt.Println("craft: not enough data") // It does not mean 0.
		}
	}
	// Output:
	// ready: false
	// ready: true
	// craft: 88
}

// Show a score only if there is one. The report of a listed submission is assumed and may
// be nil, which Score accepts.
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
			fmt.Println("not enough data") // It does not mean 0.
		}
	}
	// Output:
	// 91
	// not enough data
}

func ExampleReport_Ready() {
	ctx := context.Background()
	client := sandbox.New().Client()

	for _, id := range []string{sandbox.PendingSubmissionID, sandbox.SubmissionID} {
		report, err := client.Submissions.Report(ctx, id)
		if err != nil {
			log.Fatal(err)
		}
		if report.Ready() {
			fmt.Println(report.VerdictLabel)
		} else {
			fmt.Println("is being graded")
		}
	}
	// Output:
	// is being graded
	// Strong yes
}

func ExampleReport_Pillar() {
	ctx := context.Background()
	client := sandbox.New().Client()

	report, err := client.Submissions.Report(ctx, sandbox.SubmissionID)
	if err != nil {
		log.Fatal(err)
	}
	if pillar, ok := report.Pillar(hiring.PillarRigor); ok {
		fmt.Println(pillar.Label)
	}
	_, ok := report.Pillar("charm")
	fmt.Println(ok)
	// Output:
	// Rigor
	// false
}

// A score with low confidence is not shown.
func ExamplePillar_ReliableScore() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.LiveClient()
	invitationID, err := server.Invite(server.AddAssessment("Backend engineer"), "ada@example.com", "Ada")
	if err != nil {
		log.Fatal(err)
	}
	submissionID, err := server.Begin(invitationID)
	if err != nil {
		log.Fatal(err)
	}
	err = server.Evaluate(submissionID, sandbox.Result{
		ShipScore:     new(70),
		Pillars:       map[hiring.PillarID]*int{"craft": new(64), "rigor": new(81)},
		LowConfidence: []hiring.PillarID{"craft"},
	})
	if err != nil {
		log.Fatal(err)
	}

	report, err := client.Submissions.Report(ctx, submissionID)
	if err != nil {
		log.Fatal(err)
	}
	for _, pillar := range report.Pillars {
		if score, ok := pillar.ReliableScore(); ok {
			fmt.Println(pillar.ID, score)
		} else {
			fmt.Println(pillar.ID, "not enough data") // It does not mean 0.
		}
	}
	// Output:
	// correctness not enough data
	// craft not enough data
	// ai_fluency not enough data
	// rigor 81
}

// Extra contains fields that this version does not know.
func ExampleReport_extra() {
	server := sandbox.New()
	invitationID, err := server.Invite(server.AddAssessment("Backend engineer"), "ada@example.com", "Ada")
	if err != nil {
		log.Fatal(err)
	}
	submissionID, err := server.Begin(invitationID)
	if err != nil {
		log.Fatal(err)
	}
	if err := server.Evaluate(submissionID, sandbox.Result{ShipScore: new(70), Extra: map[string]any{"badge": "gold"}}); err != nil {
		log.Fatal(err)
	}
	report, err := server.LiveClient().Submissions.Report(context.Background(), submissionID)
	if err != nil {
		log.Fatal(err)
	}

	var badge string
	if raw, ok := report.Extra["badge"]; ok { // A field that a later version of the API adds.
		if err := json.Unmarshal(raw, &badge); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(badge)
	// Output: gold
}

// Elements without a documented shape are strings or other JSON.
func ExampleRawValue_Text() {
	ctx := context.Background()
	client := sandbox.New().Client()

	report, err := client.Submissions.Report(ctx, sandbox.SubmissionID)
	if err != nil {
		log.Fatal(err)
	}
	for _, strength := range report.Strengths {
		if text, ok := strength.Text(); ok {
			fmt.Println(text)
		} else {
			fmt.Println(string(strength))
		}
	}
	// Output:
	// Reproduces before repairing
	// {"title":"Idempotency","evidence":{"file":"charge.go","line":88}}
}

// archive is the code under test. The README has it too.
func archive(ctx context.Context, client *hiring.Client, submissionID, path string) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	_, err = client.Submissions.DownloadArchive(ctx, submissionID, file)
	return err // After an error the file is incomplete.
}

func ExampleSubmissionService_DownloadArchive() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.LiveClient()
	submissionID := submitted(ctx, server, client) // A submitted attempt.

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

// submitted invites a candidate and submits the attempt.
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
