package main

import (
	"errors"
	"strings"

	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/files"
)

// checkTarget fails before anything is requested when a file cannot be written: its
// path leads to a special file. An empty name and -, standard output, pass.
func checkTarget(name string) error {
	if name == "" || name == "-" {
		return nil
	}
	_, err := files.Target(name)
	if errors.Is(err, files.ErrSpecial) && strings.HasPrefix(name, "/dev/") {
		return advised{err, "Use - for standard output"}
	}
	return err
}
