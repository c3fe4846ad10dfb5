package sandbox_test

import (
	"fmt"
	"log"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

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
