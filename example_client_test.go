package hiring_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func ExampleNew() {
	client, err := hiring.New("https://hiring.example.com", "sk_test_0123456789",
		hiring.WithUserAgent("acme-ats/1.2"),
		hiring.WithTimeout(10*time.Second),
		hiring.WithEnvironment(hiring.EnvironmentTest)) // Fails on a live key.
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(client.Environment())

	_, err = hiring.New("http://hiring.example.com", "sk_test_0123456789")
	fmt.Println(err)
	// Output:
	// test
	// hiring: baseURL: plain http would show the key to the network: use https, or WithInsecureHTTP if that is meant
}

func ExampleClient_OpenAPI() {
	ctx := context.Background()
	client := sandbox.New().Client()

	raw, err := client.OpenAPI(ctx)
	if err != nil {
		log.Fatal(err)
	}
	var document struct {
		OpenAPI string                     `json:"openapi"`
		Paths   map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(raw, &document); err != nil {
		log.Fatal(err)
	}
	_, found := document.Paths["/api/v1/submissions/{id}"]
	fmt.Println(document.OpenAPI, found)
	// Output: 3.1.0 true
}

func ExampleClient_Do() {
	ctx := context.Background()
	client := sandbox.New().Client()

	var account struct {
		Name string `json:"name"`
	}
	_, err := client.Do(ctx, http.MethodGet, "/account", nil, nil, &account)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(account.Name)
	// Output: Sandbox Hiring Ltd
}

func ExampleClient_Quota() {
	ctx := context.Background()
	client := sandbox.New().Client()

	if _, err := client.Account.Get(ctx); err != nil {
		log.Fatal(err)
	}
	quota := client.Quota()
	fmt.Println(quota.Read.Remaining, "of", quota.Read.Limit)
	fmt.Println(quota.Write.Known()) // Nothing was written yet.
	// Output:
	// 999 of 1000
	// false
}

func Example_quotaExhausted() {
	ctx := context.Background()
	server := sandbox.New()
	server.SetQuota(sandbox.TestKey, sandbox.ClassRead, 1)
	client := server.Client()

	_, err := client.Account.Get(ctx)
	fmt.Println(err)

	// The service said that nothing is left, so this call is not sent.
	_, err = client.Account.Get(ctx)
	if errors.Is(err, hiring.ErrQuotaExhausted) {
		if failure, ok := errors.AsType[*hiring.Error](err); ok {
			fmt.Println("try again in an hour:", failure.RetryAfter > 59*time.Minute)
		}
	}

	// A batch job may wait for the next window instead. Windows are an hour.
	patient, err := client.With(hiring.WithRetry(hiring.RetryPolicy{MaxWait: 65 * time.Minute}))
	fmt.Println(patient != nil, err)
	// Output:
	// <nil>
	// try again in an hour: true
	// true <nil>
}

func ExampleWithRetry() {
	ctx := context.Background()
	server := sandbox.New()
	server.SetQuota(sandbox.TestKey, sandbox.ClassRead, 0)
	client := server.Client(hiring.WithRetry(hiring.RetryPolicy{
		MaxAttempts: 6,                // 4 by default.
		MaxWait:     10 * time.Second, // 1 minute by default.
	}))

	// The next window opens in an hour: too long to wait, so the error comes at once.
	_, err := client.Account.Get(ctx)
	if failure, ok := errors.AsType[*hiring.Error](err); ok {
		fmt.Println(failure.Code, failure.RetryAfter > 10*time.Second)
	}
	// Output: RATE_LIMITED true
}

// A nightly job and the people at their screens use the same key.
func ExampleWithQuotaReserve() {
	ctx := context.Background()
	server := sandbox.New()
	server.SetQuota(sandbox.TestKey, sandbox.ClassRead, 202)
	client := server.Client()

	background, err := client.With(hiring.WithQuotaReserve(0.2)) // Leaves the last 200 of 1000.
	if err != nil {
		log.Fatal(err)
	}
	done := 0
	for err == nil {
		if _, err = background.Account.Get(ctx); err == nil {
			done++
		}
	}
	fmt.Println(done, errors.Is(err, hiring.ErrQuotaExhausted))

	_, err = client.Account.Get(ctx)
	fmt.Println(err, client.Quota().Read.Remaining)
	// Output:
	// 2 true
	// <nil> 199
}

func ExampleWithDialect() {
	ctx := context.Background()
	dialect := hiring.Dialect{
		PageSizeParam:   "per_page",
		ListAssessments: "GET /job-postings",
	}
	server := sandbox.New(sandbox.WithDialect(dialect)) // A service that differs from the assumptions.

	_, err := server.Client().Assessments.List().Collect(ctx)
	fmt.Println(errors.Is(err, hiring.ErrNotFound))

	client := server.Client(hiring.WithDialect(dialect))
	assessments, err := client.Assessments.List().Collect(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(assessments))
	// Output:
	// true
	// 6
}
