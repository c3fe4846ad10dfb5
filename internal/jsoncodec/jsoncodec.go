// Package jsoncodec reads and writes the JSON of resources. The JSON methods of the
// resource structs call this package, so it converts each struct to a type without methods
// first.
//
// Reading is lenient: invalid UTF-8 and duplicate names are accepted, so that one lone
// surrogate in a prompt does not make a whole log unreadable. Written JSON is valid and
// deterministic: invalid UTF-8 is replaced, no name occurs twice, and a nil slice is null
// as in the API's JSON.
package jsoncodec

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"strings"
	"sync"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Codec reads and writes the resources of one package. It is safe for concurrent use.
type Codec struct {
	Reading jsonv2.Options
	writing jsonv2.Options
}

// New returns the codec of all structs that implement the interface R.
func New[R any]() *Codec {
	read := jsonv2.UnmarshalFromFunc(func(d *jsontext.Decoder, v R) error {
		err := jsonv2.UnmarshalDecode(d, withoutMethods(v))
		dropNulls(v)
		return err
	})
	write := jsonv2.MarshalToFunc(func(e *jsontext.Encoder, v R) error { return jsonv2.MarshalEncode(e, withoutMethods(withoutKnown(v))) })
	common := jsonv2.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
	return &Codec{
		Reading: jsonv2.JoinOptions(common, jsonv2.WithUnmarshalers(read)),
		writing: jsonv2.JoinOptions(common, jsonv2.FormatNilSliceAsNull(true), jsonv2.Deterministic(true),
			jsonv2.WithMarshalers(jsonv2.JoinMarshalers(write, jsonv2.MarshalFunc(encodeTime)))),
	}
}

// Encode returns the JSON of v.
func (c *Codec) Encode(v any) ([]byte, error) { return jsonv2.Marshal(v, c.writing) }

// Decode reads b into v, which must be a pointer. Its error does not quote a value, which may be
// candidates' data.
func (c *Codec) Decode(b []byte, v any, options ...jsonv2.Options) error {
	err := jsonv2.Unmarshal(b, v, c.Reading, jsonv2.JoinOptions(options...))
	if semantic, ok := errors.AsType[*jsonv2.SemanticError](err); ok {
		semantic.JSONValue, semantic.Err = nil, nil
	}
	return err
}

// encodeTime writes a time as the API does, with milliseconds, or with more digits if the
// time has them. It keeps the offset.
func encodeTime(t time.Time) ([]byte, error) {
	if _, err := t.MarshalText(); err != nil { // The year or the offset is one that RFC 3339 cannot represent.
		return nil, err
	}
	layout := `"2006-01-02T15:04:05.000Z07:00"`
	if t.Nanosecond()%int(time.Millisecond) != 0 {
		layout = `"` + time.RFC3339Nano + `"`
	}
	return []byte(t.Format(layout)), nil
}

// withoutMethods converts v, a struct or a pointer to one, to an unnamed struct type
// without methods.
func withoutMethods(v any) any {
	value := reflect.ValueOf(v)
	if value.Kind() == reflect.Pointer {
		return value.Convert(reflect.PointerTo(formOf(value.Type().Elem()).bare)).Interface()
	}
	return value.Convert(formOf(value.Type()).bare).Interface()
}

// withoutKnown returns v, a struct or a pointer to one, without the unknown members whose
// name equals a field's. Otherwise a name would be written twice.
func withoutKnown(v any) any {
	value := reflect.Indirect(reflect.ValueOf(v))
	form := formOf(value.Type())
	if form.extra < 0 {
		return v
	}
	extra, _ := reflect.TypeAssert[map[string]json.RawMessage](value.Field(form.extra))
	others := maps.Clone(extra)
	maps.DeleteFunc(others, func(name string, _ json.RawMessage) bool { return form.known[name] })
	if len(others) == len(extra) {
		return v
	}
	copied := reflect.New(value.Type())
	copied.Elem().Set(value)
	copied.Elem().Field(form.extra).Set(reflect.ValueOf(others))
	return copied.Interface()
}

// dropNulls makes each field of type json.RawMessage nil that has read null, as null is the zero
// value of every other field. v is a pointer to a struct.
func dropNulls(v any) {
	value := reflect.ValueOf(v).Elem()
	for _, i := range formOf(value.Type()).raw {
		if field := value.Field(i); string(field.Bytes()) == "null" {
			field.SetZero()
		}
	}
}

// form describes a struct type.
type form struct {
	bare  reflect.Type    // The same fields in a type without methods.
	known map[string]bool // The JSON names of the fields.
	raw   []int           // The indexes of the fields of type json.RawMessage.
	extra int             // The index of the field for unknown members, or -1.
}

var forms sync.Map // reflect.Type to *form.

func formOf(t reflect.Type) *form {
	if known, ok := forms.Load(t); ok {
		return known.(*form)
	}
	f := &form{known: make(map[string]bool), extra: -1}
	fields := make([]reflect.StructField, t.NumField())
	for i := range fields {
		fields[i] = t.Field(i)
		name, options, _ := strings.Cut(fields[i].Tag.Get("json"), ",")
		if options == "unknown,embed" {
			f.extra = i
		} else {
			f.known[name] = true
		}
		if fields[i].Type == reflect.TypeFor[json.RawMessage]() {
			f.raw = append(f.raw, i)
		}
	}
	f.bare = reflect.StructOf(fields)
	forms.Store(t, f)
	return f
}
