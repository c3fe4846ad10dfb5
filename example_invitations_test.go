package hiring_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func ExampleInvitationService_Send() {
	ctx := context.Background()
	client := sandbox.New().Client()

	invitation, err := client.Invitations.Send(ctx, sandbox.AssessmentID, hiring.NewInvitation{
		Email: "ada@example.com",
		Name:  "Ada Example",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(invitation.CandidateName, invitation.Status)
	// Output: Ada Example sent
}

func ExampleInvitationService_List() {
	ctx := context.Background()
	client := sandbox.New().Client()

	count := make(map[hiring.InvitationStatus]int)
	for invitation, err := range client.Invitations.List(sandbox.AssessmentID).All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		count[invitation.Status]++
	}
	fmt.Println(count[hiring.InvitationSent] > 0, count[hiring.InvitationEvaluated] > 0)
	// Output: true true
}

// Candidates who have not opened the invitation receive the e-mail again.
func ExampleInvitationService_Resend() {
	ctx := context.Background()
	client := sandbox.New().Client()

	for invitation, err := range client.Invitations.List(sandbox.AssessmentID).All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		if invitation.Status != hiring.InvitationSent {
			continue
		}
		again, err := client.Invitations.Resend(ctx, sandbox.AssessmentID, invitation.ID)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(again.Status, again.SentAt.After(*invitation.SentAt))
		break
	}
	// Output: sent true
}

func ExampleInvitationService_Revoke() {
	ctx := context.Background()
	client := sandbox.New().LiveClient()
	assessment := newAssessment(ctx, client)
	invitation, err := client.Invitations.Send(ctx, assessment.ID, hiring.NewInvitation{Email: "ada@example.com", Name: "Ada Example"})
	if err != nil {
		log.Fatal(err)
	}

	if err := client.Invitations.Revoke(ctx, assessment.ID, invitation.ID); err != nil {
		log.Fatal(err)
	}
	err = client.Invitations.Revoke(ctx, assessment.ID, invitation.ID)
	fmt.Println(errors.Is(err, hiring.ErrConflict)) // It can be taken back once.
	// Output: true
}

// A lost response does not lead to a second e-mail.
func ExampleInvitationService_Ensure() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.LiveClient()
	assessment := newAssessment(ctx, client)

	// The API does its work, and then the connection breaks.
	server.Inject(sandbox.Fault{Route: "POST /assessments/{id}/invitations", After: true, CutAfter: 20})
	for range 2 {
		invited, err := client.Invitations.Ensure(ctx, assessment.ID, hiring.NewInvitation{
			Email: "ada@example.com",
			Name:  "Ada Example",
		})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(invited.Outcome, invited.Invitation.CandidateEmail)
	}
	// Output:
	// sent ada@example.com
	// existing ada@example.com
}

// A candidate whose invitation has expired is invited again on purpose.
func ExampleInvitationService_Ensure_again() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.LiveClient()
	assessment := newAssessment(ctx, client)
	ada := hiring.NewInvitation{Email: "ada@example.com", Name: "Ada Example"}
	_, err := client.Invitations.Send(ctx, assessment.ID, ada)
	if err != nil {
		log.Fatal(err)
	}

	invited, err := client.Invitations.Ensure(ctx, assessment.ID, ada)
	if err != nil {
		log.Fatal(err)
	}
	if invited.Outcome == hiring.InviteExisting && invited.Invitation.ExpiresAt.Before(time.Now()) {
		_, err = client.Invitations.Send(ctx, assessment.ID, ada) // An intended second e-mail.
	}
	fmt.Println(invited.Outcome, err)
	// Output: existing <nil>
}

// A run that was stopped can be run again.
func ExampleInvitationService_SendAll() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.LiveClient()
	assessment := newAssessment(ctx, client)
	server.SetPlan(sandbox.LiveKey, 0, 2) // Two invitations are left in this period.
	candidates := []hiring.NewInvitation{
		{Email: "ada@example.com", Name: "Ada Example"},
		{Email: "bob", Name: "Bob Example"},
		{Email: "ADA@example.com", Name: "Ada Example"},
		{Email: "eve@example.com", Name: "Eve Example"},
		{Email: "kim@example.com", Name: "Kim Example"},
	}

	count := make(map[hiring.InviteOutcome]int)
	err := client.Invitations.SendAll(ctx, assessment.ID, slices.Values(candidates), hiring.SendAllOptions{Each: func(invited hiring.InviteResult, err error) bool {
		count[invited.Outcome]++
		if errors.Is(err, hiring.ErrInvalidInput) {
			fmt.Println(invited.Candidate.Name, "needs another address")
		}
		return true // false ends the run.
	}})
	fmt.Println(count)
	fmt.Println(errors.Is(err, hiring.ErrPlanLimitReached))

	server.SetPlan(sandbox.LiveKey, 2, 10)
	err = client.Invitations.SendAll(ctx, assessment.ID, slices.Values(candidates), hiring.SendAllOptions{Each: func(invited hiring.InviteResult, _ error) bool {
		fmt.Println(invited.Candidate.Name, invited.Outcome)
		return true
	}})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// Bob Example needs another address
	// map[existing:1 not sent:2 sent:2]
	// true
	// Ada Example existing
	// Bob Example not sent
	// Ada Example existing
	// Eve Example existing
	// Kim Example sent
}

// With a checkpoint a process can be killed and restarted at any moment.
func ExampleInvitationService_SendAll_restart() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "hiring")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	server := sandbox.New()
	assessmentID := server.AddAssessment("Backend engineer")
	candidates := []hiring.NewInvitation{{Email: "ada@example.com", Name: "Ada Example"}, {Email: "eve@example.com", Name: "Eve Example"}}

	client := server.LiveClient()
	options := hiring.SendAllOptions{Checkpoint: hiring.FileCheckpoint(filepath.Join(folder, "invite.state"))}
	err = client.Invitations.SendAll(ctx, assessmentID, slices.Values(candidates), options) // Killed at any moment,
	if err == nil {
		err = client.Invitations.SendAll(ctx, assessmentID, slices.Values(candidates), options) // it can be called again immediately.
	}
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(server.Journal().Repeated()), "repeated requests")
	// Output: 0 repeated requests
}

func newAssessment(ctx context.Context, client *hiring.Client) hiring.Assessment {
	challenges, err := client.Challenges.List().Collect(ctx)
	if err != nil {
		log.Fatal(err)
	}
	assessment, err := client.Assessments.Create(ctx, hiring.NewAssessment{ChallengeID: challenges[0].ID, Name: "Backend engineer"})
	if err != nil {
		log.Fatal(err)
	}
	return assessment
}

// Additional members of the body.
func ExampleNewInvitation() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.Client()

	_, err := client.Invitations.Send(ctx, sandbox.AssessmentID, hiring.NewInvitation{
		Email: "ada@example.com",
		Name:  "Ada Example",
		Extra: map[string]any{"language": "de"},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(server.Journal()[0].Body)) // The body that was sent.
	// Output: {"candidate_email":"ada@example.com","candidate_name":"Ada Example","language":"de"}
}
