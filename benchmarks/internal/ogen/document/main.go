// Program document makes of the service's OpenAPI document the one that ogen is
// given. In the service's, an event's payload is an object without declared
// members, of which ogen keeps nothing: it would do less than the others. Without
// a type, ogen keeps it as it came, as the others do.
package main

import (
	"log"
	"os"
	"regexp"
)

// As seen from where `go generate` runs.
const (
	from = "../../../sandbox/openapi.json"
	to   = "../../../.cache/ogen.json"
)

var payload = regexp.MustCompile(`("payload":\s*\{)\s*"type":\s*"object",`)

func main() {
	document, err := os.ReadFile(from)
	if err != nil {
		log.Fatal(err)
	}
	if n := len(payload.FindAll(document, -1)); n != 1 {
		log.Fatalf("%s declares %d payloads, want 1", from, n)
	}
	if err := os.WriteFile(to, payload.ReplaceAll(document, []byte("$1")), 0o600); err != nil { //nolint:gosec // the path is a constant
		log.Fatal(err)
	}
}
