package redact

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
)

// Clean returns err unless err, or an error that it leads to, shows the key in its text
// or in a field. Then it returns an error with the same text without the key.
// errors.Is finds in it whatever it finds in err. errors.As finds only the errors that
// do not show the key.
func (f Finder) Clean(err error) error {
	if len(f.anchors) == 0 && f.exact == "" {
		return err
	}
	c := cleaner{f, 100}
	_, clean := c.clean(err)
	return clean
}

// cleaner cleans one error.
type cleaner struct {
	Finder

	remaining int // Steps until only the text is kept.
}

// clean returns err unless it shows the key.
func (c *cleaner) clean(err error) (changed bool, clean error) {
	if err == nil {
		return false, nil
	}
	var causes []error
	c.remaining--
	if c.remaining < 0 {
		changed = true
	} else {
		for _, cause := range causesOf(err) {
			replaced, cause := c.clean(cause)
			causes, changed = append(causes, cause), changed || replaced
		}
	}
	if !changed && !c.shows(err) {
		return false, err
	}
	return true, &cleanError{c.ScrubString(textOf(err)), causes, func(target error) bool { return errors.Is(err, target) }}
}

func causesOf(err error) []error {
	switch err := err.(type) { //nolint:errorlint // this visits every error of the tree
	case interface{ Unwrap() error }:
		if cause := err.Unwrap(); cause != nil {
			return []error{cause}
		}
	case interface{ Unwrap() []error }:
		return err.Unwrap()
	}
	return nil
}

// cleanError replaces an error that shows the key.
type cleanError struct {
	text   string
	causes []error
	is     func(error) bool // Of the error that it replaces. A closure, because no printer looks into one.
}

func (e *cleanError) Error() string        { return e.text }
func (e *cleanError) Unwrap() []error      { return e.causes }
func (e *cleanError) Is(target error) bool { return e.is(target) }

// textOf returns err's text, also when its method panics.
func textOf(err error) string { return fmt.Sprintf("%v", err) }

// shows reports whether any way to print err, or its fields, show the key.
func (f Finder) shows(err error) bool {
	texts := []string{textOf(err), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err), slog.AnyValue(err).Resolve().String(), marshalled(err)}
	search := valueSearch{finder: f, remaining: 50_000, visited: make(map[any]bool)}
	return slices.ContainsFunc(texts, f.InString) || search.contains(reflect.ValueOf(err), true)
}

// marshalled returns the JSON that err's own methods write, or "".
func marshalled(err error) string {
	defer func() { _ = recover() }() // A method that panics writes nothing.
	switch err.(type) {              //nolint:errorlint // of this very error
	case json.Marshaler, encoding.TextMarshaler:
		b, _ := json.Marshal(err)
		return string(b)
	}
	return ""
}

// valueSearch searches a value as deep as a printer or a program can see: through pointers
// only where fields are exported.
type valueSearch struct {
	finder    Finder
	remaining int // Values until the rest counts as showing the key.
	visited   map[any]bool
}

func (l *valueSearch) contains(v reflect.Value, exported bool) bool {
	l.remaining--
	if l.remaining < 0 {
		return true
	}
	switch v.Kind() {
	case reflect.String:
		return l.finder.InString(v.String())
	case reflect.Interface:
		return l.contains(v.Elem(), exported)
	case reflect.Pointer:
		place := [2]any{v.Pointer(), v.Type()}
		if v.IsNil() || !exported || l.visited[place] {
			return false
		}
		l.visited[place] = true
		return l.contains(v.Elem(), true)
	case reflect.Struct:
		for field, value := range v.Fields() {
			if l.contains(value, exported && field.IsExported()) {
				return true
			}
		}
	case reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			if l.contains(entries.Key(), exported) || l.contains(entries.Value(), exported) {
				return true
			}
		}
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			if v.Kind() == reflect.Slice {
				return l.finder.In(v.Bytes())
			}
			text := make([]byte, v.Len())
			for i := range text {
				text[i] = byte(v.Index(i).Uint()) //nolint:gosec // It is a uint8.
			}
			return l.finder.In(text)
		}
		for i := range v.Len() {
			if l.contains(v.Index(i), exported) {
				return true
			}
		}
	}
	return false
}
