package sandbox

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
)

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
