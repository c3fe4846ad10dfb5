package main

import (
	"context"
	"os"
	"strings"
)

// keyFrom returns a key source that reads the key from a file before each attempt.
// A rotated key is therefore used without a restart.
func keyFrom(path string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) {
		key, err := os.ReadFile(path)
		return strings.TrimSpace(string(key)), err
	}
}
