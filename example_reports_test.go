package hiring_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

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
		ShipScore:     70,
		Pillars:       map[string]int{"craft": 64, "rigor": 81},
		LowConfidence: []string{"craft"},
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
	if err := server.Evaluate(submissionID, sandbox.Result{ShipScore: 70, Extra: map[string]any{"badge": "gold"}}); err != nil {
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
