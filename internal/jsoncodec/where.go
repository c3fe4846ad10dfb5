package jsoncodec

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Problem is like Where without the offset.
func Problem(err error) string {
	at, what, _ := split(err)
	return clipPointer(at) + " " + cmp.Or(what, "cannot be read")
}

// In returns the JSON pointer of an error after " in ", or "" for the whole JSON.
func In(err error) string {
	at, _, _ := split(err)
	if at == "" {
		return ""
	}
	return " in " + clipPointer(at)
}

// maxPointer is the longest JSON pointer that is quoted, in bytes.
const maxPointer = 300

// clipPointer returns the beginning of a JSON pointer, which may be as long as a response.
func clipPointer(pointer string) string {
	if len(pointer) <= maxPointer {
		return pointer
	}
	return strings.ToValidUTF8(pointer[:maxPointer], "") + "…"
}

// Where describes the position and kind of a JSON error. It omits the error's own text,
// which may contain candidates' data.
func Where(err error) string {
	at, what, offset := split(err)
	if what == "" {
		return ""
	}
	if at == "" {
		return fmt.Sprintf(": it %s at byte %d", what, offset)
	}
	return fmt.Sprintf(": %s %s at byte %d", clipPointer(at), what, offset)
}

// split returns the JSON pointer of an error, a description, and the offset. The
// description is empty when err is not about JSON.
func split(err error) (at, what string, offset int64) {
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		at, offset, what = string(e.JSONPointer), e.ByteOffset, "has a value of the wrong type"
		if e.JSONKind != 0 && e.GoType != nil {
			what = fmt.Sprintf("has %s that does not fit the Go type %s", kindName(e.JSONKind), typeName(e.GoType))
		}
	} else if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at, offset, what = string(e.JSONPointer), e.ByteOffset, "is not valid JSON"
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		what = "ends too early"
	}
	return at, what, offset
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

// typeName returns the name of a type, or "struct" for one that lists its fields.
func typeName(t reflect.Type) string {
	if t.Kind() == reflect.Struct && t.Name() == "" {
		return "struct"
	}
	return t.String()
}
