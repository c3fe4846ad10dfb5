// Command guide writes the tables of operations in docs/operations.md and sandbox/doc.go.
// go generate runs it in the root folder.
package main

import (
	"log"
	"os"

	"github.com/hiring-assessment/hiring-go/internal/testing/generate"
	"github.com/hiring-assessment/hiring-go/internal/testing/operations"
)

func main() {
	rows := operations.Rows()
	guide, err := generate.OperationsGuide(".", rows)
	write("docs/operations.md", guide, err)
	doc, err := generate.SandboxDoc(".", rows)
	write("sandbox/doc.go", doc, err)
}

func write(file string, content []byte, err error) {
	if err == nil {
		err = os.WriteFile(file, content, 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}
