package sandbox_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

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
