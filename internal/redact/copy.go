package redact

import (
	"errors"
	"reflect"
	"slices"
	"strings"
)

// copier copies one error without the key.
type copier struct {
	*cleaner

	causes, cleaned []error // What the error leads to, as it is and without the key.
}

// copyOf returns a copy of err without the key, nil when its type allows none.
func (c *cleaner) copyOf(err error, causes, cleaned []error) (shown error) {
	defer func() {
		if recover() != nil { // Of a type with methods or fields that this does not foresee.
			shown = nil
		}
	}()
	copied, ok := copier{c, causes, cleaned}.without(reflect.ValueOf(err))
	if !ok {
		return nil
	}
	shown, _ = reflect.TypeAssert[error](copied) // Of err's type: it is one.
	if strings.Contains(textOf(shown), "(PANIC=") || c.shows(shown) || slices.ContainsFunc(causesOf(shown), c.isDirty) {
		return nil
	}
	return shown
}

// isDirty tells whether a copy leads to what it was to be without: by a field or a
// method that no copy changes.
func (c *cleaner) isDirty(cause error) bool {
	switch cause.(type) { //nolint:errorlint // of this very error
	case *replaced, *said:
		return false
	}
	changed, _ := c.clean(cause)
	return changed
}

// without returns a copy of v without the key. Only what is exported can be
// changed.
func (c copier) without(v reflect.Value) (reflect.Value, bool) {
	if c.left--; c.left < 0 {
		return v, false
	}
	to := reflect.New(v.Type()).Elem()
	to.Set(v)
	ok := true
	switch v.Kind() {
	case reflect.String:
		to.SetString(c.ScrubString(v.String()))
	case reflect.Interface:
		ok = v.IsNil() || c.setElem(to, v)
	case reflect.Pointer:
		if !v.IsNil() {
			to.Set(reflect.New(v.Type().Elem()))
			ok = c.set(to.Elem(), v.Elem())
		}
	case reflect.Struct:
		ok = c.setFields(to, v)
	case reflect.Slice:
		to.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		ok = c.setItems(to, v)
	case reflect.Map:
		to.Set(reflect.MakeMap(v.Type()))
		ok = c.setEntries(to, v)
	}
	return to, ok
}

func (c copier) set(to, v reflect.Value) bool {
	clean, ok := c.without(v)
	if ok {
		to.Set(clean)
	}
	return ok
}

func (c copier) setElem(to, v reflect.Value) bool {
	elem := v.Elem()
	if err, ok := reflect.TypeAssert[error](v); ok {
		elem = reflect.ValueOf(c.cause(err))
	} else if elem, ok = c.without(elem); !ok {
		return false
	}
	ok := elem.Type().AssignableTo(to.Type())
	if ok {
		to.Set(elem)
	}
	return ok
}

// cause returns err without the key: what was made of it already, if it is one of
// the causes.
func (c copier) cause(err error) error {
	for i, cause := range c.causes {
		if reflect.TypeOf(cause).Comparable() && errors.Is(cause, err) {
			return c.cleaned[i]
		}
	}
	_, clean := c.clean(err)
	return clean
}

func (c copier) setFields(to, v reflect.Value) bool {
	for field, value := range v.Fields() {
		holds := c.holds(value, field.IsExported())
		switch {
		case strings.HasPrefix(field.Type.PkgPath(), "sync"):
			return false // A lock that is held would be so for ever in a copy.
		case !field.IsExported():
			if holds {
				return false
			}
		case holds || value.Kind() == reflect.Interface:
			if !c.set(to.FieldByIndex(field.Index), value) {
				return false
			}
		}
	}
	return true
}

func (c copier) setItems(to, v reflect.Value) bool {
	if v.Type().Elem().Kind() == reflect.Uint8 {
		clean := c.Scrub(v.Bytes())
		to.Set(reflect.MakeSlice(v.Type(), len(clean), len(clean)))
		reflect.Copy(to, reflect.ValueOf(clean))
		return true
	}
	for i := range v.Len() {
		if !c.set(to.Index(i), v.Index(i)) {
			return false
		}
	}
	return true
}

func (c copier) setEntries(to, v reflect.Value) bool {
	for entries := v.MapRange(); entries.Next(); {
		key, ok := c.without(entries.Key())
		value, fine := c.without(entries.Value())
		if !ok || !fine {
			return false
		}
		to.SetMapIndex(key, value)
	}
	return true
}
