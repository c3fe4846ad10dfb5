package compare

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"
)

// TestEqual shows that every peer makes the same values of the same responses, and
// loses nothing: what each holds is what was sent.
func TestEqual(t *testing.T) {
	for i, transport := range transports {
		peers := connect(t, i)
		for _, w := range works[:4] { // A walk counts its events.
			want := sent(t, w.path)
			for j, p := range peers {
				t.Run(w.name+"/"+transport.name+"/"+makers[j].name, func(t *testing.T) {
					require.NoError(t, w.do(p, t.Context()))
					got, err := neutral(reflect.ValueOf(p.last(w.name)))
					require.NoError(t, err)
					require.Equal(t, want, got)
				})
			}
		}
	}
}

// sent is the data of a recorded response.
func sent(t *testing.T, path string) any {
	t.Helper()
	responses, err := record()
	require.NoError(t, err)
	var response struct {
		Data any `json:"data"`
	}
	require.NoError(t, json.Unmarshal(responses[key(path, "")].body, &response))
	return plain(response.Data)
}

// plain writes times in one way and drops null members, which are to the peers
// what absent ones are.
func plain(v any) any {
	switch v := v.(type) {
	case string:
		if at, err := time.Parse(time.RFC3339, v); err == nil {
			return at.UTC()
		}
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = plain(v[name])
			if v[name] == nil {
				delete(v, name)
			}
		}
	}
	return v
}

// neutral is a value of any peer's types as plain decodes what it came from.
// It does not use the types' own encoders: ogen's drops milliseconds.
func neutral(v reflect.Value) (any, error) {
	if moment := reflect.TypeFor[time.Time](); v.CanConvert(moment) {
		return v.Convert(moment).Interface().(time.Time).UTC(), nil
	}
	switch v.Kind() {
	case reflect.Array:
		return v.Convert(reflect.TypeFor[uuid.UUID]()).Interface().(uuid.UUID).String(), nil
	case reflect.String:
		return v.String(), nil
	case reflect.Bool:
		return v.Bool(), nil
	case reflect.Int, reflect.Int64:
		return float64(v.Int()), nil
	case reflect.Float64:
		return v.Float(), nil
	case reflect.Pointer:
		if v.IsNil() {
			return nil, nil
		}
		return neutral(v.Elem())
	case reflect.Slice:
		return list(v)
	case reflect.Struct:
		return object(v)
	}
	return nil, fmt.Errorf("a %s was not expected", v.Type())
}

func list(v reflect.Value) (any, error) {
	if v.Type().Elem().Kind() == reflect.Uint8 { // JSON as it came.
		var held any
		err := json.Unmarshal(v.Bytes(), &held)
		return plain(held), err
	}
	items := make([]any, v.Len())
	for i := range items {
		var err error
		if items[i], err = neutral(v.Index(i)); err != nil {
			return nil, fmt.Errorf("%d: %w", i, err)
		}
	}
	return items, nil
}

func object(v reflect.Value) (any, error) {
	if value := v.FieldByName("Value"); value.IsValid() { // What ogen makes of optional and nullable members.
		null, set := v.FieldByName("Null"), v.FieldByName("Set")
		if null.IsValid() && null.Bool() || set.IsValid() && !set.Bool() {
			return nil, nil
		}
		return neutral(value)
	}
	members := make(map[string]any)
	for field, held := range v.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if held.Kind() == reflect.Map && held.Len() == 0 {
			continue // The client's Extra, in which nothing is.
		}
		value, err := neutral(held)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if value != nil {
			members[name] = value
		}
	}
	return members, nil
}
