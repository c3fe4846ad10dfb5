package docs_test

import (
	"os"
	"testing"
)

// TestMain runs the tests in the root folder of the repository, because they read its files.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
