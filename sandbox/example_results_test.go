package sandbox_test

import (
	"context"
	"fmt"
	"log"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func ExampleServer_AddResult() {
	server := sandbox.New()
	posting := server.AddAssessment("Backend engineer")
	id, err := server.AddResult(posting, "ada@candidates.test", sandbox.Result{
		ShipScore: 82, Pillars: map[string]int{"craft": 90, "rigor": sandbox.NoScore},
	})
	if err != nil {
		log.Fatal(err)
	}
	report, err := server.LiveClient().Submissions.Report(context.Background(), id)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range report.Pillars {
		fmt.Println(p.ID, p.Score != nil)
	}
	// Output:
	// correctness false
	// craft true
	// ai_fluency false
	// rigor false
}

func ExampleServer_Regrade() {
	server := sandbox.New()
	id, err := server.AddResult(server.AddAssessment("Backend"), "ada@candidates.test", sandbox.Result{ShipScore: 82})
	if err != nil {
		log.Fatal(err)
	}
	if err := server.Regrade(id, sandbox.Result{ShipScore: 64}); err != nil {
		log.Fatal(err)
	}
	report, err := server.LiveClient().Submissions.Report(context.Background(), id)
	fmt.Println(*report.ShipScore, report.Verdict, err)
	// Output: 64 yes <nil>
}

func ExampleServer_Decide() {
	server := sandbox.New()
	posting := server.AddAssessment("Backend")
	id, err := server.Invite(posting, "ada@candidates.test", "Ada")
	if err != nil {
		log.Fatal(err)
	}
	if err := server.Decide(id, string(hiring.DecisionShortlisted)); err != nil {
		log.Fatal(err)
	}
	invitations, err := server.LiveClient().Invitations.List(posting).Collect(context.Background())
	fmt.Println(invitations[0].RecruiterDecision, err)
	// Output: shortlisted <nil>
}

func ExampleServer_Pause() {
	server := sandbox.New()
	invitation, err := server.Invite(server.AddAssessment("Backend"), "ada@candidates.test", "Ada")
	if err != nil {
		log.Fatal(err)
	}
	id, err := server.Begin(invitation)
	if err != nil {
		log.Fatal(err)
	}
	server.Advance(15 * time.Minute)
	if err := server.Pause(id, 10*time.Minute); err != nil {
		log.Fatal(err)
	}
	submission, err := server.LiveClient().Submissions.Get(context.Background(), id)
	fmt.Println(submission.PausedTotalSeconds, err)
	// Output: 600 <nil>
}

func ExampleServer_RemoveArchive() {
	server := sandbox.New()
	id, err := server.AddResult(server.AddAssessment("Backend"), "ada@candidates.test", sandbox.Result{ShipScore: 82})
	if err != nil {
		log.Fatal(err)
	}
	if err := server.RemoveArchive(id); err != nil {
		log.Fatal(err)
	}
	submission, err := server.LiveClient().Submissions.Get(context.Background(), id)
	fmt.Println(submission.WorkspaceArchiveURL == nil, err)
	// Output: true <nil>
}

func ExampleServer_AddMember() {
	server := sandbox.New()
	server.AddMember("sam@sandbox.test", "Sam", "member")
	members, err := server.LiveClient().Members.List().Collect(context.Background())
	fmt.Println(members[0].Name, err)
	// Output: Sam <nil>
}

func ExampleServer_AddChallenge() {
	server := sandbox.New()
	id := server.AddChallenge("Search", "Index", "Ranking")
	challenge, err := server.LiveClient().Challenges.Get(context.Background(), id)
	fmt.Println(challenge.IsMultiTask, len(challenge.Tasks), err)
	// Output: true 2 <nil>
}

func ExampleServer_IgnoreLimits() {
	server := sandbox.New()
	server.SetPlan(sandbox.LiveKey, 5, 5)
	server.IgnoreLimits(sandbox.LiveKey)
	_, err := server.Invite(server.AddAssessment("Backend"), "ada@candidates.test", "Ada")
	fmt.Println(err)
	// Output: <nil>
}

func ExampleServer_Mails() {
	server := sandbox.New()
	if _, err := server.Invite(server.AddAssessment("Backend"), "ada@candidates.test", "Ada"); err != nil {
		log.Fatal(err)
	}
	for _, mail := range server.Mails() {
		fmt.Println(mail.Email, mail.Resent)
	}
	// Output: ada@candidates.test false
}

func ExampleServer_ClearJournal() {
	server := sandbox.New()
	_, err := server.Client().Account.Get(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	server.ClearJournal()
	fmt.Println(len(server.Journal()))
	// Output: 0
}
