package operations

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// The checks use the standard library alone: this is not a test file, so its imports would
// be dependencies of every user of the client. Each check reports the difference as a
// test error, and most report whether they held. The argument about describes what was
// checked.

// need ends the test when a check did not hold, because nothing can follow.
func need(t *testing.T, held bool) {
	t.Helper()
	if !held {
		t.FailNow()
	}
}

// works ends the test on an error.
func works(t *testing.T, err error, about ...any) {
	t.Helper()
	if err != nil {
		t.Fatalf("%sfailed: %v", words(about), err)
	}
}

func holds(t *testing.T, condition bool, about ...any) bool {
	t.Helper()
	if !condition {
		t.Errorf("%sdoes not hold", words(about))
	}
	return condition
}

// equal compares deeply, and names the first place where the two differ.
func equal(t *testing.T, want, got any, about ...any) bool {
	t.Helper()
	difference := differ(reflect.ValueOf(want), reflect.ValueOf(got), "")
	if difference != "" {
		t.Errorf("%s%s", words(about), difference)
	}
	return difference == ""
}

// present wants anything but a zero value: of a pointer, that it is not nil, and
// of a list or a map, that something is in it.
func present(t *testing.T, value any, about ...any) bool {
	t.Helper()
	is := isPresent(value)
	if !is {
		t.Errorf("%sthe value is missing: %#v", words(about), value)
	}
	return is
}

// absent wants a zero value: of a pointer, a list or a map, nil.
func absent(t *testing.T, value any, about ...any) {
	t.Helper()
	if value != nil && !reflect.ValueOf(value).IsZero() {
		t.Errorf("%sthere should be nothing, but there is %+v", words(about), pointed(value))
	}
}

func isPresent(value any) bool {
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.Invalid:
		return false
	case reflect.Slice, reflect.Map:
		return v.Len() > 0
	default:
		return !v.IsZero()
	}
}

// pointed is what a pointer points at.
func pointed(value any) any {
	if v := reflect.ValueOf(value); v.Kind() == reflect.Pointer && !v.IsNil() {
		return v.Elem().Interface()
	}
	return value
}

// size wants so many bytes, items or members.
func size(t *testing.T, value any, want int) bool {
	t.Helper()
	got := reflect.ValueOf(value).Len()
	if got != want {
		t.Errorf("%d instead of %d: %.2000v", got, want, value)
	}
	return got == want
}

func more[T cmp.Ordered](t *testing.T, value, than T, about ...any) bool {
	t.Helper()
	if value <= than {
		t.Errorf("%s%v, which is not above %v", words(about), value, than)
	}
	return value > than
}

func contains(t *testing.T, text, part string, about ...any) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%s%q does not contain %q", words(about), text, part)
	}
}

// words are what a check is about: a format with its values, or values.
func words(about []any) string {
	if len(about) == 0 {
		return ""
	}
	if format, ok := about[0].(string); ok && strings.Contains(format, "%") {
		return fmt.Sprintf(format, about[1:]...) + ": "
	}
	return strings.TrimSpace(fmt.Sprintln(about...)) + ": "
}

// differ describes the first difference, "" when there is none.
func differ(want, got reflect.Value, at string) string {
	if reflect.DeepEqual(valueOf(want), valueOf(got)) {
		return ""
	}
	here := strings.TrimPrefix(at+": ", ": ") + fmt.Sprintf("want %s, got %s", show(want), show(got))
	if !want.IsValid() || !got.IsValid() || want.Type() != got.Type() {
		return here
	}
	switch want.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !want.IsNil() && !got.IsNil() {
			return cmp.Or(differ(want.Elem(), got.Elem(), at), here)
		}
	case reflect.Struct:
		for i := range want.NumField() {
			if field := want.Type().Field(i); field.IsExported() {
				if found := differ(want.Field(i), got.Field(i), at+"."+field.Name); found != "" {
					return found
				}
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range min(want.Len(), got.Len()) {
			if found := differ(want.Index(i), got.Index(i), fmt.Sprintf("%s[%d]", at, i)); found != "" {
				return found
			}
		}
		if want.Len() != got.Len() {
			return fmt.Sprintf("%s: want %d items, got %d: %s", strings.TrimPrefix(at, "."), want.Len(), got.Len(), show(got))
		}
	default:
	}
	return here
}

func valueOf(v reflect.Value) any {
	if !v.IsValid() {
		return nil
	}
	return v.Interface()
}

func show(v reflect.Value) string {
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return "nil"
	}
	return fmt.Sprintf("%.2000s", fmt.Sprintf("%+v", pointed(v.Interface())))
}
