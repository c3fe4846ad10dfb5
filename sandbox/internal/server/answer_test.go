package server

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestTheSampleIsMadeWhole: each record that servers share has its JSON before
// the first of them sees it, or two would write it at once.
func TestTheSampleIsMadeWhole(t *testing.T) {
	shared, lists := reflect.ValueOf(sample()), 0
	for i := range shared.NumMethod() {
		name, method := shared.Type().Method(i).Name, shared.Method(i)
		if method.Type().NumIn() > 0 || method.Type().NumOut() != 1 {
			continue
		}
		newest := method.Call(nil)[0].MethodByName("Newest")
		if !newest.IsValid() {
			continue
		}
		lists++
		shown := newest.Call([]reflect.Value{reflect.ValueOf(0)})[0].Elem().FieldByName("Shown")
		assert.False(t, shown.IsNil(), "%s: sample does not prepare them", name)
	}
	assert.Greater(t, lists, 3)
}
