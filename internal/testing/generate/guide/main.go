// Command guide writes the table of docs/operations.md.
// go generate runs it in the root folder.
package main

import (
	"log"
	"os"

	"github.com/hiring-assessment/hiring-go/internal/testing/generate"
	"github.com/hiring-assessment/hiring-go/internal/testing/operations"
)

func main() {
	content, err := generate.OperationsGuide(".", operations.Rows())
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("docs/operations.md", content, 0o644); err != nil {
		log.Fatal(err)
	}
}
