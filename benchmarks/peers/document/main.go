// The command document writes the OpenAPI document that ogen reads. In the API's document,
// the payload of an event is an object without declared members, and ogen drops all
// members of such an object. Without a type, ogen keeps the raw JSON, as the other clients
// do.
package main

import (
	"log"
	"os"
	"path/filepath"
	"regexp"
)

// Seen from the folder in which go generate runs.
const (
	from = "../../sandbox/openapi.json"
	to   = "../internal/ogen.json"
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
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(to, payload.ReplaceAll(document, []byte("$1")), 0o600); err != nil { //nolint:gosec // The path is a constant.
		log.Fatal(err)
	}
}
