package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// A key of another organization sees nothing of this one.
func ExampleServer_AddKey() {
	ctx := context.Background()
	server := sandbox.New()
	server.AddKey(sandbox.Key{Token: "sk_live_of_globex", Scope: sandbox.ScopeWrite, Organization: "Globex"})
	ours := server.AddAssessment("Backend engineer")

	theirs, err := hiring.New("https://hiring.example.com", "sk_live_of_globex",
		hiring.WithHTTPClient(&http.Client{Transport: server.Transport()}))
	if err != nil {
		log.Fatal(err)
	}
	_, err = theirs.Assessments.Get(ctx, ours)
	fmt.Println(errors.Is(err, hiring.ErrNotFound))
	// Output: true
}

// A key that is about to expire.
func ExampleWithKey() {
	ctx := context.Background()
	server := sandbox.New(sandbox.WithKey(sandbox.Key{
		Token:   "sk_test_for_an_hour",
		Scope:   sandbox.ScopeRead,
		Expires: time.Now().Add(time.Hour),
	}))
	client, err := hiring.New("https://hiring.example.com", "sk_test_for_an_hour",
		hiring.WithHTTPClient(&http.Client{Transport: server.Transport()}))
	if err != nil {
		log.Fatal(err)
	}

	_, err = client.Account.Get(ctx)
	fmt.Println(err)
	err = client.Assessments.Delete(ctx, sandbox.AssessmentID)
	fmt.Println(errors.Is(err, hiring.ErrInsufficientScope))
	server.Advance(2 * time.Hour)
	_, err = client.Account.Get(ctx)
	fmt.Println(errors.Is(err, hiring.ErrInvalidToken))
	// Output:
	// <nil>
	// true
	// true
}

// A plan that is used up.
func ExampleServer_SetPlan() {
	server := sandbox.New()
	server.SetPlan(sandbox.LiveKey, 50, 50)

	_, err := server.LiveClient().Invitations.Send(context.Background(), server.AddAssessment("Backend engineer"),
		hiring.NewInvitation{Email: "ada@candidates.test", Name: "Ada"})
	fmt.Println(errors.Is(err, hiring.ErrPlanLimitReached))
	// Output: true
}

// Small rate limits, for a test of their end.
func ExampleWithQuota() {
	ctx := context.Background()
	client := sandbox.New(sandbox.WithQuota(2, 1)).Client()

	for range 3 {
		_, err := client.Account.Get(ctx)
		fmt.Println(errors.Is(err, hiring.ErrQuotaExhausted))
	}
	// Output:
	// false
	// false
	// true
}
