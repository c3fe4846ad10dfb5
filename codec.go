package hiring

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"time"

	stdjson "encoding/json"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hiring-assessment/hiring-go/internal/bound"
	"github.com/hiring-assessment/hiring-go/internal/fastjson"
)

// Value is a piece of a reply whose shape the service does not document. It is
// kept as it came.
type Value stdjson.RawMessage

// Text returns the value when it is a JSON string.
func (v Value) Text() (string, bool) {
	var s string
	if len(v) == 0 || v[0] != '"' || decode(v, &s) != nil {
		return "", false
	}
	return s, true
}

// texts returns the strings of an array, or the one string that stands alone.
func (v Value) texts(within *bound.Bound) []string {
	if text, ok := v.Text(); ok {
		return []string{text}
	}
	var items []Value
	if len(v) == 0 || v[0] != '[' || decodeWithin(within, v, &items) != nil {
		return nil
	}
	texts := make([]string, 0, len(items))
	for _, item := range items {
		if text, ok := item.Text(); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// MarshalJSON returns the value as it came, null when there is none.
func (v Value) MarshalJSON() ([]byte, error) { return encode(stdjson.RawMessage(v)) }

// UnmarshalJSON keeps a copy of b.
func (v *Value) UnmarshalJSON(b []byte) error {
	*v = append((*v)[:0], b...)
	return nil
}

// resource is a struct of the service. Each has methods that give it, with its
// unknown members, the same JSON under encoding/json and json/v2; inside the
// package they are bypassed, because they would parse every level once more.
type resource interface{ resource() }

// entity is a resource that a call can promise. Its identity is empty only when
// the data that came is something else.
type entity interface {
	resource
	identity() string
}

func (a Account) identity() string    { return a.ID }
func (v Challenge) identity() string  { return v.ID }
func (v Assessment) identity() string { return v.ID }
func (v Invitation) identity() string { return v.ID }
func (v Submission) identity() string { return v.ID }

// A report has no id of its own, and one that is not ready may say little. It is
// something else when all that came is unknown.
func (r Report) identity() string {
	if r.Evaluated || len(r.Extra) == 0 {
		return "report"
	}
	return cmp.Or(r.SubmissionID, string(r.Status), string(r.Extra["id"]))
}

// Replies are read leniently: one lone surrogate in a prompt must not block a
// whole log.
var readOptions = json.JoinOptions(
	jsontext.AllowInvalidUTF8(true),
	jsontext.AllowDuplicateNames(true),
	json.WithUnmarshalers(readResources),
)

var readResources = json.UnmarshalFromFunc(func(d *jsontext.Decoder, v resource) error {
	err := json.UnmarshalDecode(d, withoutMethods(v))
	if event, ok := v.(*Event); ok && string(event.Payload) == "null" {
		event.Payload = nil
	}
	return err
})

// What is written is valid for any reader: invalid text is replaced as every
// reader would, and a nil slice, which is null on the wire, stays null.
var writeOptions = json.JoinOptions(
	jsontext.AllowInvalidUTF8(true),
	jsontext.AllowDuplicateNames(true),
	json.FormatNilSliceAsNull(true),
	json.WithMarshalers(json.JoinMarshalers(
		json.MarshalToFunc(func(e *jsontext.Encoder, v resource) error {
			return json.MarshalEncode(e, withoutMethods(v))
		}),
		json.MarshalFunc(encodeTime),
	)),
)

// encodeTime writes a time as the service does, with milliseconds, and as many
// more digits as it takes to lose nothing. The offset stays as it came.
func encodeTime(t time.Time) ([]byte, error) {
	if _, err := t.MarshalText(); err != nil { // A year or an offset that JSON has no room for.
		return nil, err
	}
	layout := `"2006-01-02T15:04:05.000Z07:00"`
	if t.Nanosecond()%int(time.Millisecond) != 0 {
		layout = `"` + time.RFC3339Nano + `"`
	}
	return []byte(t.Format(layout)), nil
}

func decode(b []byte, v any) error { return json.Unmarshal(b, v, readOptions) }

// decodeWithin is decode for what others wrote: a short text that would make a
// large value, or one that takes too long, is an error.
func decodeWithin(within *bound.Bound, b []byte, v any, options ...json.Options) error {
	counted := json.WithUnmarshalers(within.Unmarshalers(len(b), readResources))
	err := json.Unmarshal(b, v, readOptions, counted, json.JoinOptions(options...))
	switch {
	case errors.Is(within.Stopped, bound.ErrMemory):
		return tooCostly
	case within.Stopped != nil:
		return within.Stopped
	}
	return err
}

const (
	tooCostly   = replyError("the reply would take more memory than four times what WithMaxResponseBytes allows")
	unexplained = replyError("the reply is not the JSON that was promised, and takes too much memory to tell where")
)

func encode(v any) ([]byte, error) { return json.Marshal(v, writeOptions) }

// withoutMethods returns v, a struct or a pointer to one, as the same struct
// without a name.
func withoutMethods(v resource) any {
	value := reflect.ValueOf(v)
	if value.Kind() == reflect.Pointer {
		return value.Convert(reflect.PointerTo(bareType(value.Type().Elem()))).Interface()
	}
	return value.Convert(bareType(value.Type())).Interface()
}

var bareTypes sync.Map // Of reflect.Type to reflect.Type.

func bareType(t reflect.Type) reflect.Type {
	if bare, ok := bareTypes.Load(t); ok {
		return bare.(reflect.Type)
	}
	fields := make([]reflect.StructField, t.NumField())
	for i := range fields {
		fields[i] = t.Field(i)
	}
	bare, _ := bareTypes.LoadOrStore(t, reflect.StructOf(fields))
	return bare.(reflect.Type)
}

// wireMeta is meta as it comes: which of it is there tells how a list is paged.
type wireMeta struct {
	RequestID  string `json:"request_id"`
	Page       *int   `json:"page"`
	PageSize   int    `json:"page_size"`
	Total      *int   `json:"total"`
	HasMore    *bool  `json:"has_more"`
	NextCursor Value  `json:"next_cursor"` // A null one ends a list; an absent one says nothing.
}

// cursor is empty at the end of a list. A bare number is taken for its text:
// the cursor of a log is one.
func (m wireMeta) cursor() string {
	text, isText := m.NextCursor.Text()
	if v := m.NextCursor; !isText && len(v) > 0 && (v[0] == '-' || v[0] >= '0' && v[0] <= '9') {
		return string(v)
	}
	return text
}

func (m wireMeta) public() Meta {
	p := Meta{RequestID: m.RequestID, PageSize: m.PageSize, NextCursor: m.cursor()}
	if m.Page != nil {
		p.Page = *m.Page
	}
	if m.Total != nil {
		p.Total = *m.Total
	}
	if m.HasMore != nil {
		p.HasMore = *m.HasMore
	}
	return p
}

type envelope[T any] struct {
	Data *T       `json:"data"`
	Meta wireMeta `json:"meta"`
}

// replies reads what succeeded, to the values that decode gives.
var replies = fastjson.Reader{Own: reflect.TypeFor[resource](), Raw: reflect.TypeFor[Value](), Options: readOptions}

// readEnvelope decodes an envelope. Of one that replies refuses, json/v2 says
// where and why. A list may lie in the memory of spare, and has at most so many
// items.
func readEnvelope[T any](r *reply, spare any, most int) (*envelope[T], error) {
	e := new(envelope[T])
	err := replies.Read(r.body, e, spare, most, &r.within)
	if errors.Is(err, fastjson.ErrRefused) {
		*e = envelope[T]{}
		if err = decodeWithin(&r.within, r.body, e); errors.Is(err, tooCostly) {
			err = unexplained
		}
	}
	switch {
	case errors.Is(err, bound.ErrMemory):
		err = tooCostly
	case errors.Is(err, fastjson.ErrItems):
		err = replyError(fmt.Sprintf("the page holds more than %d items, ten times what the documentation allows", most))
	}
	return e, err
}

const (
	noData     = replyError("the reply holds no data, which was promised")
	noIdentity = replyError("the reply's data has no id, so it is not the resource that was promised")
)

// open decodes an envelope whose data is there.
func open[T any](r *reply) (*T, wireMeta, error) {
	e, err := readEnvelope[T](r, nil, 0)
	if err != nil {
		return nil, wireMeta{}, err
	}
	if e.Data == nil {
		return nil, wireMeta{}, noData
	}
	return e.Data, e.Meta, nil
}

// where describes a JSON error by place alone: its own text may hold candidates'
// data.
func where(err error) string {
	var at, what string
	var offset int64
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		at, offset, what = string(e.JSONPointer), e.ByteOffset, "has a value of the wrong type"
		if e.JSONKind != 0 && e.GoType != nil {
			what = fmt.Sprintf("has %s instead of %s", kindName(e.JSONKind), typeName(e.GoType))
		}
	} else if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at, offset, what = string(e.JSONPointer), e.ByteOffset, "is not valid JSON"
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		what = "ends too early"
	}
	if what == "" {
		return ""
	}
	if at == "" {
		return fmt.Sprintf(": it %s at byte %d", what, offset)
	}
	return fmt.Sprintf(": %s %s at byte %d", quote([]byte(strings.ToValidUTF8(at, ""))), what, offset)
}

func kindName(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{', '}':
		return "an object"
	}
	return "a list"
}

// typeName says in JSON's words what a Go type holds.
func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return typeName(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "a boolean"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		if t.ConvertibleTo(reflect.TypeFor[time.Time]()) {
			return "a time"
		}
		return "an object"
	case reflect.Chan, reflect.Func, reflect.Interface, reflect.Invalid, reflect.UnsafePointer, reflect.Complex64, reflect.Complex128:
		return "something else"
	}
	return "a whole number"
}

// openList decodes an envelope whose data is an array, of at most so many items
// when that is not 0; null is an empty one. A spare is overwritten.
func openList[T any](r *reply, spare []T, most int) ([]T, wireMeta, error) {
	e, err := readEnvelope[[]T](r, spare, most)
	if err != nil {
		return nil, wireMeta{}, err
	}
	if e.Data != nil {
		return *e.Data, e.Meta, nil
	}
	var members struct {
		Data Value `json:"data"`
	}
	if err := replies.Read(r.body, &members, nil, 0, &r.within); err != nil || members.Data == nil {
		return nil, wireMeta{}, noData
	}
	return nil, e.Meta, nil
}
