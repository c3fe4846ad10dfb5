package apitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"testing"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/stretchr/testify/require"
)

// DataOf returns the data of an envelope.
func DataOf(t *testing.T, body []byte) []byte {
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
func golden(t *testing.T, shape Shape, raw []byte, got reflect.Value, variants bool) {
	t.Helper()
	sent := Parse(t, raw).(map[string]any)
	requireDocumented(t, shape, sent, "")
	encoded, err := json.Marshal(got.Interface())
	require.NoError(t, err)
	requireSame(t, shape, sent, Parse(t, encoded), "")
	kind := got.Type()
	requireRoundTrips(t, kind, shape, raw)
	if !variants {
		return
	}
	requireRoundTrips(t, kind, shape, unparse(t, withUnknown(sent)))
	requireRoundTrips(t, kind, shape, unparse(t, withNulls(shape, sent)))
	requireRoundTrips(t, kind, shape, unparse(t, withUnknown(withNulls(shape, sent))))
	requireRoundTrips(t, kind, shape, unparse(t, withoutOptional(shape, sent)))
	requireDecodesNulls(t, kind, sent)
}

func requireRoundTrips(t *testing.T, kind reflect.Type, shape Shape, raw []byte) {
	t.Helper()
	sent := Parse(t, raw)
	lenient := jsonv2.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

	v1 := reflect.New(kind)
	require.NoError(t, json.Unmarshal(raw, v1.Interface()))
	encoded, err := json.Marshal(v1.Elem().Interface())
	require.NoError(t, err)
	requireSame(t, shape, sent, Parse(t, encoded), "")
	encoded, err = json.Marshal(v1.Interface())
	require.NoError(t, err)
	requireSame(t, shape, sent, Parse(t, encoded), "")

	v2 := reflect.New(kind)
	require.NoError(t, jsonv2.Unmarshal(raw, v2.Interface(), lenient))
	require.Equal(t, v1.Elem().Interface(), v2.Elem().Interface())
	encoded, err = jsonv2.Marshal(v2.Elem().Interface()) // Without options: what is written must be valid for any reader.
	require.NoError(t, err)
	requireSame(t, shape, sent, Parse(t, encoded), "")

	again := reflect.New(kind)
	require.NoError(t, jsonv2.Unmarshal(encoded, again.Interface()))
	twice, err := json.Marshal(again.Elem().Interface())
	require.NoError(t, err)
	requireSame(t, shape, sent, Parse(t, twice), "")

	inside, err := json.Marshal([]any{map[string]any{"value": v1.Elem().Interface()}})
	require.NoError(t, err)
	requireSame(t, shape, sent, Parse(t, inside).([]any)[0].(map[string]any)["value"], "")
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

// Parse decodes JSON and keeps numbers as text.
func Parse(t *testing.T, raw []byte) any {
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

// requireDocumented checks that the sandbox sends every documented member, and
// no other.
func requireDocumented(t *testing.T, shape Shape, sent map[string]any, at string) {
	t.Helper()
	for name := range sent {
		require.Contains(t, shape, name, "%s.%s is not documented", at, name)
	}
	for name, m := range shape {
		value, there := sent[name]
		if !there {
			require.NotZero(t, m.Kind&Optional, "%s.%s is missing", at, name)
			continue
		}
		if value == nil {
			require.NotZero(t, m.Kind&Nullable, "%s.%s is null", at, name)
			continue
		}
		switch {
		case m.Kind&Instant != 0:
			require.Regexp(t, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`, value, "%s.%s", at, name)
		case m.Kind&Object != 0:
			requireDocumented(t, m.Fields, value.(map[string]any), at+"."+name)
		case m.Kind&Objects != 0:
			for i, element := range value.([]any) {
				requireDocumented(t, m.Fields, element.(map[string]any), fmt.Sprintf("%s.%s[%d]", at, name, i))
			}
		}
	}
}

// requireSame checks that an object has the members that were sent, no fewer and
// no more, and each with its value: times letter by letter, numbers as numbers.
func requireSame(t *testing.T, shape Shape, sent, encoded any, at string) {
	t.Helper()
	was, ok := sent.(map[string]any)
	require.True(t, ok, at)
	now, ok := encoded.(map[string]any)
	require.True(t, ok, "%s became %T", at, encoded)
	for name := range now {
		require.Contains(t, was, name, "%s.%s appeared", at, name)
	}
	for name, value := range was {
		place := at + "." + name
		got, there := now[name]
		require.True(t, there, "%s was lost", place)
		m := shape[name]
		switch {
		case value == nil:
			require.Nil(t, got, place)
		case m.Kind&Object != 0:
			requireSame(t, m.Fields, value, got, place)
		case m.Kind&Objects != 0:
			elements, _ := got.([]any)
			require.Len(t, elements, len(value.([]any)), place)
			for i, element := range value.([]any) {
				requireSame(t, m.Fields, element, elements[i], fmt.Sprintf("%s[%d]", place, i))
			}
		default:
			require.True(t, sameJSON(value, got), "%s: %v became %v", place, value, got)
		}
	}
}

// sameJSON compares numbers as numbers.
func sameJSON(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, sameJSON)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, sameJSON)
	case json.Number:
		b, ok := b.(json.Number)
		if !ok {
			return false
		}
		x, xok := new(big.Rat).SetString(a.String())
		y, yok := new(big.Rat).SetString(b.String())
		return xok && yok && x.Cmp(y) == 0
	}
	return a == b
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
func withNulls(s Shape, v map[string]any) map[string]any {
	w := maps.Clone(v)
	for name, m := range s {
		value, there := v[name]
		switch {
		case m.Kind&Nullable != 0:
			w[name] = nil
		case !there:
		case m.Kind&Object != 0:
			w[name] = withNulls(m.Fields, value.(map[string]any))
		case m.Kind&Objects != 0:
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
func withoutOptional(s Shape, v map[string]any) map[string]any {
	w := maps.Clone(v)
	for name, m := range s {
		switch inner := v[name].(type) {
		case map[string]any:
			w[name] = withoutOptional(m.Fields, inner)
		default:
			if m.Kind&Optional != 0 {
				delete(w, name)
			}
		}
	}
	return w
}
