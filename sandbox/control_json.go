package sandbox

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// inputError is the error of one member of an input.
type inputError struct{ field, problem string }

func (e inputError) Error() string { return e.field + ": " + e.problem }

// decodeOptions refuse unknown and duplicate members and names in another case, because a
// misspelt member would otherwise be ignored.
var decodeOptions = jsonv2.JoinOptions(jsonv2.RejectUnknownMembers(true), jsonv2.WithUnmarshalers(jsonv2.UnmarshalFunc(decodeDuration)))

// queryOptions also accept numbers and booleans as texts.
var queryOptions = jsonv2.JoinOptions(decodeOptions, jsonv2.StringifyNumbers(true), jsonv2.WithUnmarshalers(
	jsonv2.JoinUnmarshalers(jsonv2.UnmarshalFunc(decodeDuration), jsonv2.UnmarshalFunc(decodeBool))))

// encodeOptions encode durations as seconds, times with milliseconds, and bodies as texts.
var encodeOptions = jsonv2.JoinOptions(jsonv2.Deterministic(true), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true),
	jsonv2.WithMarshalers(jsonv2.JoinMarshalers(
		jsonv2.MarshalFunc(func(d time.Duration) ([]byte, error) { return json.Marshal(d.Seconds()) }),
		jsonv2.MarshalFunc(func(t time.Time) ([]byte, error) { return json.Marshal(world.MomentOf(t)) }),
		jsonv2.MarshalFunc(func(body []byte) ([]byte, error) { return json.Marshal(string(body)) }),
	)))

// decodeControl decodes an input, a JSON object. Without one, every member is missing.
func decodeControl(input []byte, into any) error {
	if input == nil {
		return nil
	}
	if jsontext.Value(input).Kind() != '{' && json.Valid(input) {
		return errors.New("send a JSON object")
	}
	return inputProblem(jsonv2.Unmarshal(input, into, decodeOptions))
}

// decodeQuery decodes the query of a request.
func decodeQuery(r *http.Request, into any) error {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return errors.New("the query string is malformed")
	}
	object := make(map[string]string, len(query))
	for name, values := range query {
		if len(values) > 1 {
			return inputError{name, "the parameter is given twice"}
		}
		object[name] = values[0]
	}
	return inputProblem(jsonv2.Unmarshal(encodeJSON(object), into, queryOptions))
}

// inputProblem returns the error of decoding an input, in which it says what to send.
func inputProblem(err error) error {
	var meaning *jsonv2.SemanticError
	var syntax *jsontext.SyntacticError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &meaning):
		field := strings.ReplaceAll(strings.TrimPrefix(string(meaning.JSONPointer), "/"), "/", ".")
		switch {
		case errors.Is(err, jsonv2.ErrUnknownName):
			return inputError{field, "there is no such member"}
		case meaning.GoType == reflect.TypeFor[none]():
			return errors.New("this operation takes no input")
		}
		return inputError{field, expected(meaning.GoType)}
	case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &syntax):
		return inputError{syntax.JSONPointer.LastToken(), "the member is given twice"}
	}
	return errors.New("the body is not valid JSON")
}

// expected returns what to send for a Go type.
func expected(t reflect.Type) string {
	switch {
	case t == nil:
		return "the value is not valid"
	case t == reflect.TypeFor[time.Duration]():
		return `give a number of seconds, or a text like "1m30s"`
	case t == reflect.TypeFor[time.Time]():
		return `give a time like "2026-12-24T10:00:00Z"`
	}
	switch t.Kind() {
	case reflect.Pointer:
		return expected(t.Elem())
	case reflect.Bool:
		return "give true or false"
	case reflect.String:
		return "give a text"
	case reflect.Slice:
		return "give an array"
	case reflect.Map, reflect.Struct:
		return "give an object"
	default: // Inputs have no other types than integers.
		return "give a whole number"
	}
}

// decodeDuration accepts a number of seconds, and a text like "1m30s" or "2d12h".
func decodeDuration(raw []byte, d *time.Duration) error {
	const most = float64(1<<62) / float64(time.Second)
	text := strings.Trim(string(raw), `"`)
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds >= -most && seconds <= most {
		*d = time.Duration(seconds * float64(time.Second))
		return nil
	}
	if days, rest, ok := strings.Cut(text, "d"); ok { // ParseDuration knows no days.
		n, err := strconv.ParseUint(days, 10, 16)
		if err != nil {
			return err
		}
		*d, text = time.Duration(n)*24*time.Hour, cmp.Or(rest, "0s")
	}
	further, err := time.ParseDuration(text)
	*d += further
	return err
}

func decodeBool(raw []byte, b *bool) (err error) {
	*b, err = strconv.ParseBool(strings.Trim(string(raw), `"`))
	return err
}

// encodeControl encodes an output of the server's own types, which cannot fail.
func encodeControl(output any) []byte {
	raw, err := jsonv2.Marshal(output, encodeOptions)
	if err != nil {
		panic(err)
	}
	return raw
}

// none is the input of an operation without one, and the output of one that returns 204.
type none struct{}
