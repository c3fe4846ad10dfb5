package sandbox

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestAResetForgetsEverything: what is not in state is either settled by the
// options or about the doors. Whoever adds a field has to choose.
func TestAResetForgetsEverything(t *testing.T) {
	kept := []string{
		"settings", "clock", "timeline", "routes", "anyHost", "options", "detailed", // by the options
		"mu", "doors", "news",
		"ahead", // set to 0 by reset
	}
	var others []string
	for field := range reflect.TypeFor[Server]().Fields() {
		if field.Name != "state" {
			others = append(others, field.Name)
		}
	}
	assert.ElementsMatch(t, kept, others)
}
