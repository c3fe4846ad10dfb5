// Command jsonmethods writes zz_json.go. It imports nothing of package hiring, which does
// not compile without that file. go generate runs it in the root folder.
package main

import (
	"log"
	"os"

	"github.com/hiring-assessment/hiring-go/internal/testing/generate"
)

func main() {
	content, err := generate.JSONMethods(".")
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("zz_json.go", content, 0o644); err != nil {
		log.Fatal(err)
	}
}
