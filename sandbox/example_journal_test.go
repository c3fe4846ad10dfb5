package sandbox_test

import (
	"context"
	"fmt"
	"log"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// A test checks the writes of a program.
func ExampleJournal_Find() {
	server := sandbox.New()
	_, err := server.Client().Invitations.Send(context.Background(), sandbox.AssessmentID,
		hiring.NewInvitation{Email: "ada@candidates.test", Name: "Ada"})
	if err != nil {
		log.Fatal(err)
	}

	entry, err := server.Journal().Find("POST", "/assessments/{id}/invitations")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(entry.Status, string(entry.Body))

	_, err = server.Journal().Find("POST", "/assessments")
	fmt.Println(err)
	server.ClearJournal()
	_, err = server.Journal().Find("GET", "/account")
	fmt.Println(err)
	// Output:
	// 201 {"candidate_email":"ada@candidates.test","candidate_name":"Ada"}
	// sandbox: no POST /assessments in the journal, which has ["POST /assessments/{id}/invitations"]
	// sandbox: no GET /account in the journal, which has []
}
