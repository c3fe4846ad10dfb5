package client_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
)

// resourceTypes returns the types with an Extra that the methods of the services return, as pointers to zero values.
func resourceTypes() (all []any) {
	seen := make(map[reflect.Type]bool)
	var visit func(reflect.Type)
	visit = func(of reflect.Type) {
		switch {
		case of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice:
			visit(of.Elem())
		case of.Kind() == reflect.Struct && !seen[of]:
			seen[of] = true
			for field := range of.Fields() {
				visit(field.Type)
			}
			if extra, ok := of.FieldByName("Extra"); ok && extra.Type == reflect.TypeFor[map[string]json.RawMessage]() {
				all = append(all, reflect.New(of).Interface())
			}
		}
	}
	for service := range reflect.TypeFor[hiring.Client]().Fields() {
		for method := range service.Type.Methods() {
			result := method.Type.Out(0)
			if page, isList := result.MethodByName("Page"); isList {
				result = page.Type.Out(0)
			}
			visit(result)
		}
	}
	return all
}

func TestExtraIsEncodedInOneOrderAndSkipsKnownNames(t *testing.T) {
	for _, v := range resourceTypes() {
		value := reflect.ValueOf(v).Elem()
		name := value.Type().Name()
		extra := map[string]json.RawMessage{}
		for i := range 20 {
			extra[fmt.Sprintf("x%02d", i)] = json.RawMessage("1")
		}
		value.FieldByName("Extra").Set(reflect.ValueOf(extra))
		want, err := json.Marshal(v)
		require.NoError(t, err, name)
		known := 0
		for field := range value.Type().Fields() {
			tag, options, _ := strings.Cut(field.Tag.Get("json"), ",")
			if field.Type == reflect.TypeFor[time.Time]() {
				assert.Equal(t, "omitzero", options, "%s.%s: a zero time is not written", name, field.Name)
			}
			if tag != "" {
				extra[tag] = json.RawMessage(`"from Extra"`)
				known++
			}
		}
		require.Positive(t, known, name)
		for range 10 {
			for way, encode := range map[string]func(any) ([]byte, error){
				"encoding/json": json.Marshal,
				"json/v2":       func(v any) ([]byte, error) { return jsonv2.Marshal(v) },
			} {
				got, err := encode(v)
				require.NoError(t, err, "%s %s", name, way)
				assert.Equal(t, string(want), string(got), "%s %s of a pointer", name, way)
				got, err = encode(value.Interface())
				require.NoError(t, err, "%s %s", name, way)
				assert.Equal(t, string(want), string(got), "%s %s of a value", name, way)
				got, err = encode([]any{value.Interface()})
				require.NoError(t, err, "%s %s", name, way)
				assert.Equal(t, "["+string(want)+"]", string(got), "%s %s within a list", name, way)
			}
		}
		assert.Len(t, value.FieldByName("Extra").Interface(), 20+known, "%s: the caller's map is not changed", name)
		assert.NotContains(t, string(want), "from Extra", name)
	}
}

func TestExtraOfNestedResourcesIsEncodedInOneOrder(t *testing.T) {
	extra := map[string]json.RawMessage{"zz": json.RawMessage(`{"b":1,"a":2}`), "aa": json.RawMessage("1"), "mm": json.RawMessage("2"), "id": json.RawMessage(`"y"`), "name": json.RawMessage(`"z"`)}
	account := hiring.Account{ID: "x", Plan: hiring.Plan{ID: "p", Extra: extra}, Extra: extra}
	texts := map[string]bool{}
	for range 100 {
		text, err := json.Marshal(account)
		require.NoError(t, err)
		texts[string(text)] = true
	}
	require.Len(t, texts, 1)
	for text := range texts {
		assert.Contains(t, text, `"aa":1,"mm":2,"zz":{"b":1,"a":2}}`)
		var again hiring.Account
		require.NoError(t, json.Unmarshal([]byte(text), &again))
		assert.Equal(t, "x", again.ID)
		assert.Len(t, again.Extra, 3)
		assert.Len(t, again.Plan.Extra, 4, "a plan has no name of its own")
	}
}
