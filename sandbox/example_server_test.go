package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"syscall"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// printing is used instead of a *testing.T.
type printing struct{ cleanups []func() }

func (p *printing) Helper() {}

func (p *printing) Cleanup(f func()) { p.cleanups = append(p.cleanups, f) }

func (p *printing) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// A test fails if one of its faults never fired, because it did not test what it meant
// to.
func ExampleStart() {
	t := &printing{} // A test has its own.
	server := sandbox.Start(t)
	server.Inject(sandbox.Fault{Route: "GET /members", Status: http.StatusInternalServerError})

	_, err := server.Client().Account.Get(context.Background())
	fmt.Println(err)

	for _, cleanup := range t.cleanups { // As at the end of a test.
		cleanup()
	}
	// Output:
	// <nil>
	// sandbox: this fault never fired: {"route":"GET /members","status":500}
}

// Two environments, as in the API.
func ExampleServer_Client() {
	ctx := context.Background()
	server := sandbox.New()

	for _, client := range []*hiring.Client{server.Client(), server.LiveClient()} {
		assessments, err := client.Assessments.List().Collect(ctx)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(client.Environment(), len(assessments))
	}
	// Output:
	// test 6
	// live 0
}

// A program under test receives an address and a key.
func ExampleServer_URL() {
	server := sandbox.New()
	defer server.Close()

	client, err := hiring.New(server.URL(), sandbox.TestKey)
	if err != nil {
		log.Fatal(err)
	}
	account, err := client.Account.Get(context.Background())
	fmt.Println(account.Name, err)
	// Output: Sandbox Hiring Ltd <nil>
}

func ExampleServer_Close() {
	server := sandbox.New()
	client, err := hiring.New(server.URL(), sandbox.TestKey, hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}))
	if err != nil {
		log.Fatal(err)
	}
	server.Close() // Start does it at the end of a test.

	_, err = client.Account.Get(context.Background())
	fmt.Println(errors.Is(err, syscall.ECONNREFUSED))
	// Output: true
}

// A Server is a handler: here below a path of another server.
func ExampleServer_ServeHTTP() {
	mux := http.NewServeMux()
	mux.Handle("/hiring/", http.StripPrefix("/hiring", sandbox.New()))
	web := httptest.NewServer(mux)
	defer web.Close()

	client, err := hiring.New(web.URL+"/hiring", sandbox.TestKey)
	if err != nil {
		log.Fatal(err)
	}
	account, err := client.Account.Get(context.Background())
	fmt.Println(account.Name, err)
	// Output: Sandbox Hiring Ltd <nil>
}
