package world

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestACloneSharesNothingThatChanges compares the pointers and maps of an organization with those of its copy: what a new
// field of it or of a candidate points to is copied too, unless it never changes.
func TestACloneSharesNothingThatChanges(t *testing.T) {
	o := NewSample()
	require.NotZero(t, o.Submissions.Len())
	original := make(map[uintptr]string)
	eachReference(reflect.ValueOf(o), "organization", func(path string, at uintptr) bool {
		_, seen := original[at]
		original[at] = path
		return !seen
	})
	require.Greater(t, len(original), 20)
	seen := make(map[uintptr]bool)
	eachReference(reflect.ValueOf(o.clone()), "organization", func(path string, at uintptr) bool {
		assert.Empty(t, original[at], "%s is shared", path)
		again := seen[at]
		seen[at] = true
		return !again
	})
}

// eachReference calls visit with the pointers to structs and the maps that v leads to, except to what never changes. It
// follows those for which visit returns true.
func eachReference(v reflect.Value, path string, visit func(path string, at uintptr) bool) {
	switch v.Type() {
	case reflect.TypeFor[*Live](), reflect.TypeFor[*Collection[*Record[Member]]](), reflect.TypeFor[*Collection[*Record[Challenge]]](),
		reflect.TypeFor[*Record[Challenge]](), reflect.TypeFor[Result](), reflect.TypeFor[Report](), reflect.TypeFor[time.Time]():
		return
	}
	switch v.Kind() { //nolint:exhaustive // other kinds refer to nothing
	case reflect.Pointer:
		if v.Type().Elem().Kind() == reflect.Struct && !v.IsNil() && visit(path, v.Pointer()) {
			eachReference(v.Elem(), path, visit)
		}
	case reflect.Map:
		if v.IsNil() || !visit(path, v.Pointer()) {
			return
		}
		for _, key := range v.MapKeys() {
			eachReference(v.MapIndex(key), path, visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			eachReference(v.Index(i), path, visit)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			eachReference(v.Field(i), path+"."+v.Type().Field(i).Name, visit)
		}
	}
}
