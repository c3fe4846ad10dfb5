package server

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestAResetForgetsEverything: a field outside of state belongs to the options
// or to the listeners. A new field must be placed in one of them.
func TestAResetForgetsEverything(t *testing.T) {
	kept := []string{
		"config", "routes", "detailed", // set by the options
		"mu", "listeners", "news",
		"ahead", // Reset sets it to 0
		"test",  // like ahead
	}
	var others []string
	for field := range reflect.TypeFor[Server]().Fields() {
		if field.Name != "state" {
			others = append(others, field.Name)
		}
	}
	assert.ElementsMatch(t, kept, others)
}
