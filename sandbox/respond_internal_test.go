package sandbox

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestSampleRecordsAreEncoded checks that the records that servers share have their JSON
// before the first use. Otherwise two servers could write it at once.
func TestSampleRecordsAreEncoded(t *testing.T) {
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
		encoded := newest.Call([]reflect.Value{reflect.ValueOf(0)})[0].Elem().FieldByName("Encoded")
		assert.False(t, encoded.IsNil(), "%s: sample does not encode the records", name)
	}
	assert.Greater(t, lists, 3)
}
