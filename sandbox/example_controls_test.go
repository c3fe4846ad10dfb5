package sandbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func ExampleServer_EndThrottle() {
	ctx := context.Background()
	server := sandbox.New()
	once := hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1})

	server.Throttle()
	_, err := server.Client(once).Account.Get(ctx)
	fmt.Println(errors.Is(err, hiring.ErrRateLimited))
	server.EndThrottle()
	_, err = server.Client(once).Account.Get(ctx)
	fmt.Println(err)
	// Output:
	// true
	// <nil>
}

func ExampleServer_StopDrift() {
	server := sandbox.New(sandbox.WithDrift(1))
	server.StopDrift()
	account, err := server.Client().Account.Get(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(account.Extra))
	// Output: 0
}

func ExampleServer_EnforceLimits() {
	server := sandbox.New()
	server.SetPlan(sandbox.LiveKey, 5, 5)
	server.IgnoreLimits(sandbox.LiveKey)
	server.EnforceLimits(sandbox.LiveKey)
	_, err := server.Invite(server.AddAssessment("Backend"), "ada@candidates.test", "Ada")
	fmt.Println(err)
	// Output: sandbox: Invite("f0000000-0000-4000-8000-000000000001"): the plan's invitations for this period are used up
}

func ExampleServer_EvaluateInvented() {
	server := sandbox.New()
	invitation, err := server.Invite(server.AddAssessment("Backend"), "ada@candidates.test", "Ada")
	if err != nil {
		log.Fatal(err)
	}
	id, err := server.Begin(invitation)
	if err != nil {
		log.Fatal(err)
	}
	if err := server.EvaluateInvented(id); err != nil {
		log.Fatal(err)
	}
	report, err := server.LiveClient().Submissions.Report(context.Background(), id)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(*report.ShipScore, report.Verdict)
	// Output: 72 yes
}

func ExampleServer_KeepDetails() {
	server := sandbox.New()
	server.KeepDetails()
	if _, err := server.Client().Account.Get(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(server.Journal()[0].Detail.Remaining)
	// Output: 999
}

func ExampleServer_RestoreArchive() {
	server := sandbox.New()
	id, err := server.AddResult(server.AddAssessment("Backend"), "ada@candidates.test", sandbox.Result{ShipScore: 82})
	if err != nil {
		log.Fatal(err)
	}
	for _, change := range []func(string) error{server.RemoveArchive, server.RestoreArchive} {
		if err := change(id); err != nil {
			log.Fatal(err)
		}
		submission, err := server.LiveClient().Submissions.Get(context.Background(), id)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(submission.WorkspaceArchiveURL != nil)
	}
	// Output:
	// false
	// true
}

func ExampleWithControlFromAnyHost() {
	// A server in a container, whose tests run in another one.
	server := sandbox.New(sandbox.WithControlFromAnyHost())
	request := httptest.NewRequest(http.MethodGet, "http://sandbox:8780/_sandbox/clock", http.NoBody)
	request.RemoteAddr = "192.168.1.7:5000"
	response := httptest.NewRecorder()
	server.ServeHTTP(response, request)
	fmt.Println(response.Code)
	// Output: 200
}

func ExampleWithNoContent() {
	ctx := context.Background()
	for _, options := range [][]sandbox.Option{nil, {sandbox.WithNoContent()}} {
		server := sandbox.New(options...)
		if err := server.Client().Assessments.Delete(ctx, sandbox.AssessmentID); err != nil {
			log.Fatal(err)
		}
		fmt.Println(server.Journal()[0].Status)
	}
	// Output:
	// 200
	// 204
}

// A test suite in another process sends faults to the control API as JSON.
func ExampleFault_json() {
	raw, err := json.Marshal(sandbox.Fault{Route: "GET /account", Status: 503, RetryAfter: 8 * time.Second})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(raw))
	var fault sandbox.Fault
	if err := json.Unmarshal([]byte(`{"route":"GET /account","delay":"1m30s"}`), &fault); err != nil {
		log.Fatal(err)
	}
	fmt.Println(fault)
	// Output:
	// {"route":"GET /account","status":503,"retry_after":8}
	// Fault{Route: "GET /account", Delay: 1m30s}
}
