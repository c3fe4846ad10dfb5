package main

import (
	"context"
	"os"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/otelhiring"
)

// newClient returns a client of the API of the environment variables.
func newClient(telemetry *otelhiring.Telemetry) (*hiring.Client, error) {
	trace := hiring.WithTrace(telemetry.TraceOf("acme"))
	if file := os.Getenv("HIRING_API_KEY_FILE"); file != "" {
		return hiring.New(os.Getenv("HIRING_BASE_URL"), "", trace, hiring.WithKeySource(keyFrom(file)))
	}
	return hiring.FromEnv(trace)
}

// keyFrom returns a key source that reads the key from a file before each attempt, so that a rotated key is used without
// a restart.
func keyFrom(path string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) {
		key, err := os.ReadFile(path)
		return strings.TrimSpace(string(key)), err
	}
}
