package sandbox_test

import (
	"context"
	"fmt"
	"log"
	"net/http"

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
		log.Fatal(err) // There is no such request.
	}
	fmt.Println(entry.Status, string(entry.Body))
	reads := 0
	for _, entry := range server.Journal() {
		if entry.Method == http.MethodGet {
			reads++
		}
	}
	fmt.Println(reads, "reads")

	_, err = server.Journal().Find("POST", "/assessments")
	fmt.Println(err)
	server.ClearJournal()
	_, err = server.Journal().Find("GET", "/account")
	fmt.Println(err)
	// Output:
	// 201 {"candidate_email":"ada@candidates.test","candidate_name":"Ada"}
	// 0 reads
	// sandbox: no POST /assessments in the journal, which has ["POST /assessments/{id}/invitations"]
	// sandbox: no GET /account in the journal, which has []
}
