package sandbox_test

import (
	"context"
	"fmt"
	"log"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

func ExampleServer_AddResult() {
	server := sandbox.New()
	posting := server.AddAssessment("Backend engineer")
	id, err := server.AddResult(posting, "ada@candidates.test", sandbox.Result{
		ShipScore: new(82), Pillars: map[string]*int{"craft": new(90), "rigor": sandbox.NoScore},
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
