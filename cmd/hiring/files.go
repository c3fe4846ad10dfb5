package main

import (
	"errors"
	"strings"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/files"
)

// checkTarget returns an error when a file cannot be written because its path leads to a
// special file. Commands call it before the first request. An empty name and -, which
// means standard output, pass.
func checkTarget(name string) error {
	if name == "" || name == "-" {
		return nil
	}
	_, err := files.Target(name)
	if errors.Is(err, files.ErrSpecial) && strings.HasPrefix(name, "/dev/") {
		return adviceError{err, "Use - for standard output"}
	}
	return err
}

// checkFile is checkTarget for a file that must not be standard output. what is the flag
// or argument that names it, and why is the reason.
func checkFile(what, name, why string) error {
	if name == "-" {
		return adviceError{usagef("%s: - is not possible, because %s", what, why), "Give the name of a file"}
	}
	_, err := files.Target(name)
	return err
}
