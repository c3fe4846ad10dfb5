package sandbox_test

import (
	"encoding/json"
	"testing"
	"time"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// inBothJSON encodes and decodes a value with both packages.
func inBothJSON[T any](t *testing.T, value T, want string) {
	t.Helper()
	for name, marshal := range map[string]func(any) ([]byte, error){
		"encoding/json": json.Marshal,
		"json/v2":       func(v any) ([]byte, error) { return jsonv2.Marshal(v) },
	} {
		for _, v := range []any{value, &value, struct{ T T }{value}} {
			raw, err := marshal(v)
			require.NoError(t, err, name)
			assert.Contains(t, []string{want, `{"T":` + want + `}`}, string(raw), name)
		}
	}
	for name, unmarshal := range map[string]func([]byte, any) error{
		"encoding/json": json.Unmarshal,
		"json/v2":       func(raw []byte, v any) error { return jsonv2.Unmarshal(raw, v) },
	} {
		var got T
		require.NoError(t, unmarshal([]byte(want), &got), name)
		assert.Equal(t, value, got, name)
		require.NoError(t, unmarshal([]byte("null"), &got), name)
	}
}

// TestDurationsInJSONAreSeconds encodes exported types as a program that sends them to the
// control API does.
func TestDurationsInJSONAreSeconds(t *testing.T) {
	inBothJSON(t, sandbox.Fault{Route: "GET /account", Status: 503, RetryAfter: 8 * time.Second, Delay: 1500 * time.Millisecond, Late: time.Hour},
		`{"route":"GET /account","status":503,"retry_after":8,"delay":1.5,"late":3600}`)
	inBothJSON(t, sandbox.Timeline{Open: time.Minute, Polls: 3}, `{"open":60,"begin":0,"submit":0,"evaluate":0,"polls":3}`)
	inBothJSON(t, sandbox.Result{ShipScore: 82, ReportDelay: time.Minute, Pillars: map[string]int{"craft": 90, "rigor": sandbox.NoScore}},
		`{"report_delay":60,"ship_score":82,"pillars":{"craft":90,"rigor":null}}`)
	inBothJSON(t, sandbox.Result{Pillars: map[string]int{}, Extra: map[string]any{"ship_score": nil}}, `{"extra":{"ship_score":null},"ship_score":null,"pillars":{}}`)

	var fault sandbox.Fault
	require.NoError(t, json.Unmarshal([]byte(`{"delay":"8s","retry_after":0.25}`), &fault))
	assert.Equal(t, sandbox.Fault{Delay: 8 * time.Second, RetryAfter: 250 * time.Millisecond}, fault)
	for _, wrong := range []string{`{"delay":"soon"}`, `{"Delay":1}`, `{"delay":1,"delay":2}`, `[]`} {
		require.Error(t, json.Unmarshal([]byte(wrong), &fault), wrong)
	}
	require.ErrorContains(t, json.Unmarshal([]byte(`{"delay":true}`), &fault), `delay: give a number of seconds, or a text like "1m30s"`)
	var result sandbox.Result
	require.ErrorContains(t, json.Unmarshal([]byte(`{"ship_score":1.5}`), &result), "ship_score: give a whole number or null")
	require.NoError(t, json.Unmarshal([]byte(`{"summary":"s"}`), &result))
	assert.Equal(t, sandbox.Result{Summary: "s", Pillars: map[string]int{}}, result)
}
