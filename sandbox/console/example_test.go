package console_test

import (
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/hiring-assessment/hiring-go/sandbox"
	"github.com/hiring-assessment/hiring-go/sandbox/console"
)

// The fake server and its web page at one address.
func ExampleHandler() {
	web := httptest.NewServer(console.Handler(sandbox.New()))
	defer web.Close()

	for _, path := range []string{"/", "/api/v1/account"} {
		reply, err := http.Get(web.URL + path)
		if err != nil {
			log.Fatal(err)
		}
		body, err := io.ReadAll(reply.Body)
		if err != nil {
			log.Fatal(err)
		}
		_ = reply.Body.Close()
		fmt.Println(reply.StatusCode, strings.Contains(string(body), "<html"))
	}
	// Output:
	// 200 true
	// 401 false
}
