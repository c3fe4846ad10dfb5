package sandbox_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

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
