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

// Clean returns err as it is, unless it or an error that it leads to holds the
// key, in its text or in a field. Then it returns one that says the same without
// the key and that errors.Is finds everything in as before. errors.As finds what
// could be copied without the key: types whose fields with the key are exported.
func (f Finder) Clean(err error) error {
	if f.letters == "" && f.exact == "" {
		return err
	}
	c := cleaner{f, 100}
	_, clean := c.clean(err)
	return clean
}

// cleaner makes one error clean.
type cleaner struct {
	Finder

	left int // Steps until it gives up and leaves nothing but a text.
}

// clean returns err itself unless that shows the key.
func (c *cleaner) clean(err error) (changed bool, clean error) {
	if err == nil {
		return false, nil
	}
	if c.left--; c.left < 0 {
		return true, &said{text: c.ScrubString(textOf(err))}
	}
	causes := causesOf(err)
	cleaned := make([]error, len(causes))
	for i, cause := range causes {
		var dirty bool
		dirty, cleaned[i] = c.clean(cause)
		changed = changed || dirty
	}
	if !changed && !c.shows(err) {
		return false, err
	}
	shown := c.copyOf(err, causes, cleaned)
	if shown == nil {
		shown = &said{c.ScrubString(textOf(err)), cleaned}
	}
	return true, &replaced{shown, func(target error) bool { return errors.Is(err, target) }}
}

func causesOf(err error) []error {
	switch err := err.(type) { //nolint:errorlint // this walks the tree
	case interface{ Unwrap() error }:
		if cause := err.Unwrap(); cause != nil {
			return []error{cause}
		}
	case interface{ Unwrap() []error }:
		return append([]error(nil), err.Unwrap()...)
	}
	return nil
}

// replaced stands for an error that holds the key.
type replaced struct {
	shown error
	is    func(error) bool // A closure on the error itself, because no printer looks into one.
}

func (r *replaced) Error() string        { return r.shown.Error() }
func (r *replaced) Unwrap() error        { return r.shown }
func (r *replaced) Is(target error) bool { return r.is(target) }

// said is the text of an error that could not be copied, and what it led to.
type said struct {
	text   string
	causes []error
}

func (s *said) Error() string   { return s.text }
func (s *said) Unwrap() []error { return s.causes }

// textOf is err's text, whatever its method does.
func textOf(err error) string { return fmt.Sprintf("%v", err) }

// shows tells whether any way to print err, or a look into it, gives the key.
func (f Finder) shows(err error) bool {
	texts := []string{textOf(err), fmt.Sprintf("%+v", err), fmt.Sprintf("%#v", err), slog.AnyValue(err).Resolve().String(), marshalled(err)}
	if slices.ContainsFunc(texts, f.InString) {
		return true
	}
	return f.holds(reflect.ValueOf(err), true)
}

func (f Finder) holds(v reflect.Value, exported bool) bool {
	look := look{finder: f, left: 50_000, seen: make(map[any]bool)}
	return look.into(v, exported)
}

// marshalled is what err's own methods make of it in JSON.
func marshalled(err error) (text string) {
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	switch err.(type) { //nolint:errorlint // of this very error
	case json.Marshaler, encoding.TextMarshaler:
		b, _ := json.Marshal(err)
		return string(b)
	}
	return ""
}

// look is a walk through a value, as deep as a printer or a program can see:
// through pointers only where fields are exported.
type look struct {
	finder Finder
	left   int // Values until it gives up, and takes the rest for the key's.
	seen   map[any]bool
}

func (l *look) into(v reflect.Value, exported bool) bool {
	if l.left--; l.left < 0 {
		return true
	}
	switch v.Kind() {
	case reflect.String:
		return l.finder.InString(v.String())
	case reflect.Interface:
		return l.into(v.Elem(), exported)
	case reflect.Pointer:
		if v.IsNil() || !exported || l.seen[[2]any{v.Pointer(), v.Type()}] {
			return false
		}
		l.seen[[2]any{v.Pointer(), v.Type()}] = true
		return l.into(v.Elem(), true)
	case reflect.Struct:
		for field, value := range v.Fields() {
			if l.into(value, exported && field.IsExported()) {
				return true
			}
		}
	case reflect.Slice, reflect.Array:
		return l.intoAll(v, exported)
	case reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			if l.into(entries.Key(), exported) || l.into(entries.Value(), exported) {
				return true
			}
		}
	}
	return false
}

func (l *look) intoAll(v reflect.Value, exported bool) bool {
	switch v.Type().Elem().Kind() {
	case reflect.Uint8:
		b := make([]byte, v.Len())
		for i := range b {
			b[i] = byte(v.Index(i).Uint()) //nolint:gosec // it is one of uint8
		}
		return l.finder.In(b)
	case reflect.String, reflect.Interface, reflect.Pointer, reflect.Struct, reflect.Slice, reflect.Array, reflect.Map:
		for i := range v.Len() {
			if l.into(v.Index(i), exported) {
				return true
			}
		}
	}
	return false
}
