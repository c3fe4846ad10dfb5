package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// Without requests, for tests of what follows.
func ExampleServer_AddAssessment() {
	server := sandbox.New()
	id := server.AddAssessment("Backend engineer")

	assessment, err := server.LiveClient().Assessments.Get(context.Background(), id)
	fmt.Println(assessment.Name, assessment.Status, err)
	// Output: Backend engineer active <nil>
}

// invited is an invited candidate of the live data.
func invited(server *sandbox.Server) (invitationID string) {
	invitationID, err := server.Invite(server.AddAssessment("Backend engineer"), "ada@candidates.test", "Ada")
	if err != nil {
		log.Fatal(err)
	}
	return invitationID
}

// newAttempt returns a submission that has begun.
func newAttempt(server *sandbox.Server) (submissionID string) {
	submissionID, err := server.Begin(invited(server))
	if err != nil {
		log.Fatal(err)
	}
	return submissionID
}

func ExampleServer_AppendEvents() {
	server := sandbox.New()
	id := newAttempt(server)
	err := server.AppendEvents(id, "ai_prompt", `{"text": "Where is the charge retried?"}`, `{"text": "And the refund?"}`)
	if err != nil {
		log.Fatal(err)
	}

	for event, err := range server.LiveClient().Events.List(id, hiring.EventFilter{}).All(context.Background()) {
		if err != nil {
			log.Fatal(err)
		}
		if prompt, ok := event.AIPrompt(); ok {
			fmt.Println(event.Seq, prompt.Text)
		}
	}
	// Output:
	// 2 Where is the charge retried?
	// 3 And the refund?
}

// A server at another time.
func ExampleWithClock() {
	christmas := time.Date(2030, time.December, 24, 18, 0, 0, 0, time.UTC)
	server := sandbox.New(sandbox.WithClock(func() time.Time { return christmas }))
	id := server.AddAssessment("Backend engineer")

	assessment, err := server.LiveClient().Assessments.Get(context.Background(), id)
	fmt.Println(assessment.CreatedAt, err)
	// Output: 2030-12-24 18:00:00 +0000 UTC <nil>
}

// Storage that is unavailable, as after an outage.
func ExampleServer_SetArchives() {
	ctx := context.Background()
	server := sandbox.New()
	id := newAttempt(server)
	if err := server.Submit(id); err != nil {
		log.Fatal(err)
	}

	server.SetArchives(false)
	_, err := server.LiveClient().Submissions.DownloadArchive(ctx, id, io.Discard)
	fmt.Println(errors.Is(err, hiring.ErrNoArchive))
	// Output: true
}

// All members that a report can have, including unknown ones.
func ExampleResult() {
	server := sandbox.New()
	id := newAttempt(server)
	err := server.Evaluate(id, sandbox.Result{
		ShipScore:       new(40),
		Verdict:         "maybe",
		IntegrityStatus: "flagged",
		Extra:           map[string]any{"reviewer_note": "please call", "percentile": 61.5},
	})
	if err != nil {
		log.Fatal(err)
	}

	report, err := server.LiveClient().Submissions.Report(context.Background(), id)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Verdict, report.IntegrityStatus, *report.Percentile, string(report.Extra["reviewer_note"]))
	// Output: maybe flagged 61.5 "please call"
}
