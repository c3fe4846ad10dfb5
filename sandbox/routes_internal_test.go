package sandbox

import (
	"net/http"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	hiring "github.com/hiring-assessment/hiring-go"
)

// TestAFurtherCodeOfAStatusChangesNoOther: a fault with the status alone keeps the code that was documented first.
func TestAFurtherCodeOfAStatusChangesNoOther(t *testing.T) {
	defer func(before []codeStatus) { codes = before }(codes)
	codes = append(slices.Clone(codes), codeStatus{"LIMIT_REACHED", http.StatusConflict})
	assert.Equal(t, http.StatusConflict, statusOf("LIMIT_REACHED"))
	for status, code := range map[int]hiring.ErrorCode{
		400: "INVALID_INPUT", 401: "INVALID_TOKEN", 402: "PLAN_LIMIT_REACHED", 403: "INSUFFICIENT_SCOPE", 404: "NOT_FOUND", 405: "NOT_FOUND",
		409: "CONFLICT", 418: "INVALID_INPUT", 429: "RATE_LIMITED", 500: "INTERNAL_ERROR", 503: "INTERNAL_ERROR",
	} {
		assert.Equal(t, code, codeOf(status), "the usual code of %d: list a further one below it", status)
	}
}

// TestAResetForgetsEverything checks that each field of Server outside state belongs to
// the options or to the listeners. A new field must be placed in one of them.
func TestAResetForgetsEverything(t *testing.T) {
	kept := []string{
		"config", "routes", // Set by the options.
		"mu", "listener", "closed", "changes",
		"advanced",                   // Reset sets it to 0.
		"snapshots", "snapshotCount", // A reset can be undone.
	}
	var others []string
	for field := range reflect.TypeFor[Server]().Fields() {
		if field.Name != "state" {
			others = append(others, field.Name)
		}
	}
	assert.ElementsMatch(t, kept, others)
}
