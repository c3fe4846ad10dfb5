package hiring_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"

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
