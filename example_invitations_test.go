package hiring_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"slices"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func ExampleAccountService_Get() {
	ctx := context.Background()
	client := sandbox.New().Client()

	account, err := client.Account.Get(ctx)
	if err != nil {
		log.Fatal(err)
	}
	left, limited := account.InvitationsLeft()
	fmt.Println(account.Name, left, limited)
	// Output: Sandbox Hiring Ltd 119 true
}

func ExampleMemberService_List() {
	ctx := context.Background()
	client := sandbox.New().Client()

	members, err := client.Members.List().Collect(ctx)
	if err != nil {
		log.Fatal(err)
	}
	admins := 0
	for _, member := range members {
		if member.Role == hiring.MemberRoleAdmin {
			admins++
		}
	}
	fmt.Println(admins > 0)
	// Output: true
}

func ExampleChallengeService_List() {
	ctx := context.Background()
	client := sandbox.New().Client()

	for challenge, err := range client.Challenges.List().All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		if challenge.IsMultiTask {
			fmt.Printf("%s: %d tasks\n", challenge.Name, len(challenge.Tasks))
		}
	}
	// Output: Payments backend: 3 tasks
}

func ExampleChallengeService_Get() {
	ctx := context.Background()
	client := sandbox.New().Client()
	assessment, err := client.Assessments.Get(ctx, sandbox.AssessmentID)
	if err != nil {
		log.Fatal(err)
	}

	challenge, err := client.Challenges.Get(ctx, assessment.ChallengeID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(challenge.Name)
	for _, task := range challenge.Tasks {
		fmt.Printf("%d minutes: %s\n", task.TimeLimitMinutes, task.Title)
	}
	// Output:
	// Payments backend
	// 30 minutes: Customers are charged twice
	// 35 minutes: Partial refunds
	// 25 minutes: The ledger takes nine seconds
}

func ExampleAssessmentService_List() {
	ctx := context.Background()
	client := sandbox.New().Client()

	for assessment, err := range client.Assessments.List().All(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		if assessment.Status == hiring.AssessmentClosed {
			fmt.Println(assessment.Name)
		}
	}
	// Output: Data analyst (filled)
}

func ExampleAssessmentService_Create() {
	ctx := context.Background()
	client := sandbox.New().Client()
	challenges, err := client.Challenges.List().Collect(ctx)
	if err != nil {
		log.Fatal(err)
	}

	assessment, err := client.Assessments.Create(ctx, hiring.NewAssessment{
		ChallengeID: challenges[0].ID,
		Name:        "Backend engineer, Berlin",
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(assessment.Name, assessment.Status)
	// Output: Backend engineer, Berlin active
}

func ExampleAssessmentService_Get() {
	ctx := context.Background()
	client := sandbox.New().Client()

	assessment, err := client.Assessments.Get(ctx, sandbox.AssessmentID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(assessment.Name, assessment.Status, assessment.TimeLimitMinutes)
	// Output: Senior payments engineer active 90
}

// A closed assessment is opened again.
func ExampleAssessmentService_Update() {
	ctx := context.Background()
	client := sandbox.New().Client()

	update := hiring.AssessmentUpdate{Status: hiring.AssessmentActive}
	assessment, err := client.Assessments.Update(ctx, sandbox.ClosedAssessmentID, update)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(assessment.Status)
	// Output: active
}

func ExampleAssessmentService_Close() {
	ctx := context.Background()
	client := sandbox.New().Client()

	assessment, err := client.Assessments.Close(ctx, sandbox.AssessmentID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(assessment.Status)
	// Output: closed
}

func ExampleAssessmentService_Delete() {
	ctx := context.Background()
	client := sandbox.New().LiveClient()
	assessment := newAssessment(ctx, client)

	if err := client.Assessments.Delete(ctx, assessment.ID); err != nil {
		log.Fatal(err)
	}
	_, err := client.Assessments.Get(ctx, assessment.ID)
	fmt.Println(errors.Is(err, hiring.ErrNotFound))
	// Output: true
}

func ExampleAccount_InvitationsLeft() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.LiveClient()
	server.SetPlan(sandbox.LiveKey, 47, 50)

	account, err := client.Account.Get(ctx)
	if err != nil {
		log.Fatal(err)
	}
	if left, limited := account.InvitationsLeft(); limited && left < 10 {
		fmt.Println("only", left, "invitations are left in this period")
	}
	// Output: only 3 invitations are left in this period
}

// Undocumented members can be set too.
func ExampleNewAssessment() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.Client()
	challenges, err := client.Challenges.List().Collect(ctx)
	if err != nil {
		log.Fatal(err)
	}

	_, err = client.Assessments.Create(ctx, hiring.NewAssessment{
		ChallengeID:      challenges[0].ID,
		Name:             "Backend engineer",
		TimeLimitMinutes: 60,
		Extra:            map[string]any{"team": "payments"},
	})
	if err != nil {
		log.Fatal(err)
	}
	sent, err := server.Journal().Find("POST", "/assessments")
	fmt.Println(strings.Contains(string(sent.Body), `"team":"payments"`), err)
	// Output: true <nil>
}

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

// inviteAgain sends a second e-mail to a candidate whose invitation was revoked or has expired. revoked has the ids of the
// invitations that your program has revoked.
func inviteAgain(ctx context.Context, client *hiring.Client, assessmentID string, candidate hiring.NewInvitation, revoked map[string]bool) error {
	invited, err := client.Invitations.Ensure(ctx, assessmentID, candidate)
	old := invited.Invitation
	useless := revoked[old.ID] || old.ExpiresAt.Before(time.Now())
	if err == nil && invited.Outcome == hiring.InviteExisting && useless && old.StartedAt == nil { // Not to who has begun.
		_, err = client.Invitations.Send(ctx, assessmentID, candidate)
	}
	return err
}

// A candidate whose invitation was revoked, or has expired, is invited again on purpose, once.
func ExampleInvitationService_Ensure_again() {
	ctx := context.Background()
	ada := hiring.NewInvitation{Email: "ada@example.com", Name: "Ada Example"}
	server := sandbox.New()
	client, assessmentID := server.LiveClient(), server.AddAssessment("Backend engineer")
	invited, err := client.Invitations.Ensure(ctx, assessmentID, ada)
	if err != nil {
		log.Fatal(err)
	}

	if err := client.Invitations.Revoke(ctx, assessmentID, invited.Invitation.ID); err != nil {
		log.Fatal(err)
	}
	revoked := map[string]bool{invited.Invitation.ID: true}
	for range 2 {
		err := inviteAgain(ctx, client, assessmentID, ada, revoked)
		fmt.Println(err, len(server.Mails()))
	}

	lastYear := sandbox.New(sandbox.WithClock(func() time.Time { return time.Now().AddDate(-1, 0, 0) }))
	client, assessmentID = lastYear.LiveClient(), lastYear.AddAssessment("Backend engineer")
	if _, err := lastYear.Invite(assessmentID, ada.Email, ada.Name); err != nil {
		log.Fatal(err)
	}
	err = inviteAgain(ctx, client, assessmentID, ada, nil)
	fmt.Println(err, len(lastYear.Mails()))

	bob := hiring.NewInvitation{Email: "bob@example.com", Name: "Bob Example"} // Has a report.
	if _, err := lastYear.AddResult(assessmentID, bob.Email, sandbox.Result{}); err != nil {
		log.Fatal(err)
	}
	err = inviteAgain(ctx, client, assessmentID, bob, nil)
	fmt.Println(err, len(lastYear.Mails()))
	// Output:
	// <nil> 2
	// <nil> 2
	// <nil> 2
	// <nil> 3
}

// A run that was stopped can be run again.
func ExampleInvitationService_EnsureAll() {
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
	err := client.Invitations.EnsureAll(ctx, assessment.ID, slices.Values(candidates), hiring.EnsureAllOptions{Each: func(invited hiring.InviteResult, err error) bool {
		count[invited.Outcome]++
		if invited.Outcome == hiring.InviteRejected {
			fmt.Println(invited.Candidate.Name, "must be corrected:", hiring.FieldErrors(err))
		}
		return true // false ends the run.
	}})
	fmt.Println(count)
	fmt.Println(errors.Is(err, hiring.ErrPlanLimitReached))

	server.SetPlan(sandbox.LiveKey, 2, 10)
	err = client.Invitations.EnsureAll(ctx, assessment.ID, slices.Values(candidates), hiring.EnsureAllOptions{Each: func(invited hiring.InviteResult, _ error) bool {
		fmt.Println(invited.Candidate.Name, invited.Outcome)
		return true
	}})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// Bob Example must be corrected: map[candidate_email:[Expected an email address.]]
	// map[existing:1 not_sent:1 rejected:1 sent:2]
	// true
	// Ada Example existing
	// Bob Example rejected
	// Ada Example existing
	// Eve Example existing
	// Kim Example sent
}

// Before records each request, so that a restart after a crash can wait until a listing shows
// what was sent: the attempt's timeout of 30 s and a minute.
func ExampleInvitationService_EnsureAll_restart() {
	ctx := context.Background()
	server := sandbox.New()
	assessmentID := server.AddAssessment("Backend engineer")
	candidates := []hiring.NewInvitation{{Email: "ada@example.com", Name: "Ada Example"}, {Email: "eve@example.com", Name: "Eve Example"}}

	client := server.LiveClient()
	var last time.Time // In a file or a database that survives a crash.
	time.Sleep(time.Until(last.Add(90 * time.Second)))
	err := client.Invitations.EnsureAll(ctx, assessmentID, slices.Values(candidates), hiring.EnsureAllOptions{
		Before: func(hiring.NewInvitation) error {
			last = time.Now()
			return nil // An error ends the run, and nothing is sent.
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(server.Mails()), "e-mails,", last.IsZero())
	// Output: 2 e-mails, false
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

func ExampleNewInvitation_Validate() {
	err := hiring.NewInvitation{Email: "ada@candidates.test"}.Validate()
	fmt.Println(hiring.FieldErrors(err))
	// Output: map[candidate_name:[must not be empty]]
}

func ExampleAddressKey() {
	fmt.Println(hiring.AddressKey(" Ada@Candidates.test") == hiring.AddressKey("ada@candidates.test"))
	// Output: true
}
