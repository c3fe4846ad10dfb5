package hiring_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
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

// A deployment sets HIRING_BASE_URL and HIRING_API_KEY.
func ExampleFromEnv() {
	for name, value := range map[string]string{
		"HIRING_BASE_URL": "https://hiring.example.com",
		"HIRING_API_KEY":  "sk_test_0123456789",
	} {
		if err := os.Setenv(name, value); err != nil {
			log.Fatal(err)
		}
		defer func() { _ = os.Unsetenv(name) }()
	}

	client, err := hiring.FromEnv()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(client.Environment())

	_ = os.Unsetenv("HIRING_API_KEY")
	_, err = hiring.FromEnv()
	fmt.Println(err)
	// Output:
	// test
	// hiring: HIRING_API_KEY: is empty: set an API key created in the dashboard
}

// A client with the same key and connections, and with other options.
func ExampleClient_With() {
	ctx := context.Background()
	client := sandbox.New().Client()

	patient, err := client.With(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 10, MaxWait: time.Hour}))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := patient.Account.Get(ctx); err != nil {
		log.Fatal(err)
	}
	fmt.Println(client.Quota().Read.Remaining) // Both know the rate limits that either has received.
	// Output: 999
}

func ExampleClient_Environment() {
	server := sandbox.New()

	for _, client := range []*hiring.Client{server.Client(), server.LiveClient()} {
		switch client.Environment() {
		case hiring.EnvironmentTest:
			fmt.Println("no e-mail is sent")
		case hiring.EnvironmentLive:
			fmt.Println("candidates get mails")
		default:
			fmt.Println("a key of a new kind")
		}
	}
	// Output:
	// no e-mail is sent
	// candidates get mails
}

// Endpoints that the API adds to v1 can be called before they have a method here.
func ExampleClient_Do_patch() {
	ctx := context.Background()
	client := sandbox.New().Client()

	body := map[string]any{"status": "closed"}
	var assessment hiring.Assessment
	meta, err := client.Do(ctx, http.MethodPatch, "/assessments/"+sandbox.AssessmentID, nil, body, &assessment)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(assessment.Status, meta.RequestID)
	// Output: closed req_0000000000000001
}

// No way of printing a client shows its key.
func ExampleClient_print() {
	client := sandbox.New().Client()

	fmt.Println(client)
	text := fmt.Sprintf("%v %+v %#v", client, client, client)
	fmt.Println(strings.Contains(text, sandbox.TestKey))
	// Output:
	// hiring.Client(test, sandbox.invalid)
	// false
}

func ExampleClient_String() {
	client, err := hiring.New("https://hiring.example.com", "sk_live_ab3dE5fG7hI9jK1lM3nO5pQ7")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(client.String())
	// Output: hiring.Client(live, hiring.example.com)
}

// A Dialect from a file that hiring doctor has written.
func ExampleWithDialect_file() {
	ctx := context.Background()
	found := []byte(`{"page_size_param": "per_page", "list_assessments": "GET /job-postings"}`)
	server := sandbox.New(sandbox.WithDialect(hiring.Dialect{PageSizeParam: "per_page", ListAssessments: "GET /job-postings"}))

	var dialect hiring.Dialect
	if err := json.Unmarshal(found, &dialect); err != nil {
		log.Fatal(err)
	}
	client := server.Client(hiring.WithDialect(dialect))
	assessments, err := client.Assessments.List().Collect(ctx)
	fmt.Println(len(assessments), err)
	// Output: 6 <nil>
}
