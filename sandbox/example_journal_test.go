package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// The requests that reached the server, with the keys redacted.
func ExampleServer_Journal() {
	ctx := context.Background()
	server := sandbox.New()
	client := server.Client()
	if _, err := client.Account.Get(ctx); err != nil {
		log.Fatal(err)
	}
	_, err := client.Submissions.Report(ctx, sandbox.UnknownID)
	fmt.Println(errors.Is(err, hiring.ErrNotFound))

	for _, entry := range server.Journal() {
		fmt.Println(entry.Key, entry.Method, entry.Route, entry.Status)
	}
	server.ClearJournal()
	fmt.Println(len(server.Journal()))
	// Output:
	// true
	// sk_test_…dbox GET /account 200
	// sk_test_…dbox GET /submissions/{id}/report 404
	// 0
}

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
	// Output:
	// 201 {"candidate_email":"ada@candidates.test","candidate_name":"Ada"}
	// sandbox: no POST /assessments in the journal, which has ["POST /assessments/{id}/invitations"]
}

// A mistake that this client does not make: a write that is sent again although its
// outcome is unknown.
func ExampleJournal_Repeated() {
	server := sandbox.New()
	defer server.Close()

	for range 2 {
		body := strings.NewReader(`{"candidate_email":"ada@candidates.test","candidate_name":"Ada"}`)
		request, err := http.NewRequest(http.MethodPost, server.URL()+"/api/v1/assessments/"+sandbox.AssessmentID+"/invitations", body)
		if err != nil {
			log.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+sandbox.TestKey)
		request.Header.Set("Content-Type", "application/json")
		reply, err := http.DefaultClient.Do(request)
		if err != nil {
			log.Fatal(err)
		}
		_ = reply.Body.Close()
	}
	fmt.Println(len(server.Journal().Repeated()), "mail too many")
	// Output: 1 mail too many
}
