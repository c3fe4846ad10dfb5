package main

import (
	"io"
	"os"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/files"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// checkTarget returns an error when a file cannot be written because its path leads to a
// special file, or when it exists and force is not set. Commands call it before the first
// request. An empty name and -, which means standard output, pass.
func checkTarget(name string, force bool) error {
	if name == "" || name == "-" {
		return nil
	}
	target, err := files.Target(name)
	if err != nil || force {
		return err
	}
	if _, err := os.Stat(target); err == nil {
		return adviceError{usagef("%s exists", name), "--force replaces it"}
	}
	return nil
}

// writeFile writes a file that checkTarget has checked, and says so. The name - means
// standard output.
func (a *app) writeFile(name string, write func(io.Writer) error) error {
	if name == "-" {
		return write(a.out)
	}
	if err := files.Write(name, func(to *os.File) error { return write(to) }); err != nil {
		return err
	}
	return a.printDone("Wrote " + output.Clean(name) + ".")
}
