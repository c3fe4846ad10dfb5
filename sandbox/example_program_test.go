package sandbox_test

import (
	"fmt"
	"log"
	"net/http"
	"strings"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// A test suite in another language sends HTTP requests: to the API with a key, and to the
// control API without one.
func ExampleServer_ServeHTTP_control() {
	// Instead of: hiring-sandbox -addr 127.0.0.1:8780
	server := sandbox.New()
	defer server.Close()

	for _, step := range []struct{ method, path, body string }{
		{"POST", "/_sandbox/faults", `{"route": "GET /account", "status": 500}`},
		{"GET", "/api/v1/account", ""},
		{"POST", "/_sandbox/quota", `{"key": "sk_test_sandbox", "class": "read", "remaining": 0}`},
		{"GET", "/api/v1/account", ""},
		{"POST", "/_sandbox/reset", ""},
		{"GET", "/api/v1/account", ""},
	} {
		request, err := http.NewRequest(step.method, server.URL()+step.path, strings.NewReader(step.body))
		if err != nil {
			log.Fatal(err)
		}
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer sk_test_sandbox") // The control API needs no key.
		reply, err := http.DefaultClient.Do(request)
		if err != nil {
			log.Fatal(err)
		}
		_ = reply.Body.Close()
		fmt.Println(step.method, step.path, reply.StatusCode)
	}
	// Output:
	// POST /_sandbox/faults 200
	// GET /api/v1/account 500
	// POST /_sandbox/quota 204
	// GET /api/v1/account 429
	// POST /_sandbox/reset 204
	// GET /api/v1/account 200
}
