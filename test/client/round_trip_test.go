package client_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/big"
	"reflect"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
)

// dataOf returns the data of an envelope.
func dataOf(t *testing.T, body []byte) []byte {
	t.Helper()
	var reply struct {
		Data json.RawMessage `json:"data"`
	}
	require.NoError(t, json.Unmarshal(body, &reply))
	require.NotEmpty(t, reply.Data)
	return reply.Data
}

// golden checks that a resource encodes to what the server sent, member by member: as the
// client returned it, and decoded and encoded again by both JSON packages. In variants it
// also checks the resource with unknown members, with null in every nullable member, and
// without its optional members.
func golden(t *testing.T, shape shape, raw []byte, got reflect.Value, variants bool) {
	t.Helper()
	sent := parse(t, raw).(map[string]any)
	encoded, err := json.Marshal(got.Interface())
	require.NoError(t, err)
	requireSame(t, sent, parse(t, encoded))
	kind := got.Type()
	requireRoundTrips(t, kind, raw)
	if !variants {
		return
	}
	requireRoundTrips(t, kind, unparse(t, withUnknown(sent)))
	requireRoundTrips(t, kind, unparse(t, withNulls(shape, sent)))
	requireRoundTrips(t, kind, unparse(t, withUnknown(withNulls(shape, sent))))
	requireRoundTrips(t, kind, unparse(t, withoutOptional(shape, sent)))
	requireDecodesNulls(t, kind, sent)
}

func requireRoundTrips(t *testing.T, kind reflect.Type, raw []byte) {
	t.Helper()
	sent := parse(t, raw)
	lenient := jsonv2.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

	v1 := reflect.New(kind)
	require.NoError(t, json.Unmarshal(raw, v1.Interface()))
	encoded, err := json.Marshal(v1.Elem().Interface())
	require.NoError(t, err)
	requireSame(t, sent, parse(t, encoded))
	encoded, err = json.Marshal(v1.Interface())
	require.NoError(t, err)
	requireSame(t, sent, parse(t, encoded))

	v2 := reflect.New(kind)
	require.NoError(t, jsonv2.Unmarshal(raw, v2.Interface(), lenient))
	require.Equal(t, v1.Elem().Interface(), v2.Elem().Interface())
	encoded, err = jsonv2.Marshal(v2.Elem().Interface()) // Without options: what is written must be valid for any reader.
	require.NoError(t, err)
	requireSame(t, sent, parse(t, encoded))

	again := reflect.New(kind)
	require.NoError(t, jsonv2.Unmarshal(encoded, again.Interface()))
	twice, err := json.Marshal(again.Elem().Interface())
	require.NoError(t, err)
	requireSame(t, sent, parse(t, twice))

	inside, err := json.Marshal([]any{map[string]any{"value": v1.Elem().Interface()}})
	require.NoError(t, err)
	requireSame(t, sent, parse(t, inside).([]any)[0].(map[string]any)["value"])
}

// requireDecodesNulls sets one member after the other to null. Each must decode.
func requireDecodesNulls(t *testing.T, kind reflect.Type, sent map[string]any) {
	t.Helper()
	for name := range sent {
		changed := maps.Clone(sent)
		changed[name] = nil
		v := reflect.New(kind)
		require.NoError(t, json.Unmarshal(unparse(t, changed), v.Interface()), name)
		_, err := json.Marshal(v.Elem().Interface())
		require.NoError(t, err, name)
	}
}

// parse decodes JSON and keeps numbers as text.
func parse(t *testing.T, raw []byte) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	require.NoError(t, d.Decode(&v), "%.200s", raw)
	return v
}

func unparse(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return b
}

// requireSame checks that JSON has the members that were sent, no fewer and no more, and each with its value: times letter
// by letter, numbers as numbers.
func requireSame(t *testing.T, sent, encoded any) {
	t.Helper()
	require.Equal(t, withNumbers(sent), withNumbers(encoded))
}

// withNumbers writes each number in one way, so that 1.50 equals 1.5.
func withNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		w := make(map[string]any, len(v))
		for name, value := range v {
			w[name] = withNumbers(value)
		}
		return w
	case []any:
		w := make([]any, len(v))
		for i, element := range v {
			w[i] = withNumbers(element)
		}
		return w
	case json.Number:
		if number, ok := new(big.Rat).SetString(v.String()); ok {
			return number.RatString()
		}
	}
	return v
}

// withUnknown adds to every object what a later version of the API might,
// and names that lie in wait: of the SDK's own fields, of another case, empty.
func withUnknown(v any) any {
	switch v := v.(type) {
	case map[string]any:
		w := map[string]any{
			"added_later": map[string]any{"deep": []any{json.Number("1"), nil, "ü\u2028", map[string]any{}}},
			"big":         json.Number("12345678901234567890.50"),
			"Extra":       "mine",
			"extra":       map[string]any{"Extra": nil},
			"ID":          "loud",
			"Name":        []any{},
			"CreatedAt":   json.Number("0"),
			"absent":      nil,
			"":            true,
			"a\"b\\c<é":   false,
		}
		for name, value := range v {
			w[name] = withUnknown(value)
		}
		return w
	case []any:
		w := make([]any, len(v))
		for i, element := range v {
			w[i] = withUnknown(element)
		}
		return w
	}
	return v
}

// withNulls sets every member to null that may be.
func withNulls(s shape, v map[string]any) map[string]any {
	w := maps.Clone(v)
	for name, m := range s {
		value, there := v[name]
		switch {
		case m.Kind&nullable != 0:
			w[name] = nil
		case !there:
		case m.Kind&object != 0:
			w[name] = withNulls(m.Fields, value.(map[string]any))
		case m.Kind&objects != 0:
			var elements []any
			for _, element := range value.([]any) {
				elements = append(elements, withNulls(m.Fields, element.(map[string]any)))
			}
			w[name] = elements
		}
	}
	return w
}

// withoutOptional leaves out every member that may be absent.
func withoutOptional(s shape, v map[string]any) map[string]any {
	w := maps.Clone(v)
	for name, m := range s {
		switch inner := v[name].(type) {
		case map[string]any:
			w[name] = withoutOptional(m.Fields, inner)
		default:
			if m.Kind&optional != 0 {
				delete(w, name)
			}
		}
	}
	return w
}
