package jsoncodec_test

import (
	"context"
	jsonv1 "encoding/json"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/jsoncodec"
)

type own interface{ own() }

type thing struct {
	ID    string            `json:"id"`
	At    time.Time         `json:"at,omitzero"`
	Small int8              `json:"small,omitzero"`
	List  []*thing          `json:"list"`
	Raw   jsonv1.RawMessage `json:"raw,omitzero"`
}

func (*thing) own() {}

var codec = jsoncodec.New[own]()

func TestDecodesInvalidUTF8AndDuplicateNames(t *testing.T) {
	var v thing
	require.NoError(t, codec.Decode([]byte(`{"id":"a\ud800`+"\xff"+`","id":"b\ud800","list":[{"id":"c"}]}`), &v))
	assert.Equal(t, "b\ufffd", v.ID)
	assert.Equal(t, "c", v.List[0].ID)
	require.NoError(t, codec.Decode([]byte(`{"raw":null,"list":[{"raw":null},{"raw":"null"}]}`), &v))
	assert.Equal(t, []jsonv1.RawMessage{nil, nil, []byte(`"null"`)}, []jsonv1.RawMessage{v.Raw, v.List[0].Raw, v.List[1].Raw})
	require.Error(t, codec.Decode([]byte(`{"id":7}`), &v))
	require.Error(t, codec.Decode([]byte(`{"id":"a"} 7`), &v))
}

func TestWritesValidJSON(t *testing.T) {
	b, err := codec.Encode(&thing{ID: "a\xff", List: []*thing{{ID: "b", List: []*thing{}}}})
	require.NoError(t, err)
	assert.JSONEq(t, `{"id":"a\ufffd","list":[{"id":"b","list":[]}]}`, string(b))
	b, err = codec.Encode(&thing{})
	require.NoError(t, err)
	assert.JSONEq(t, `{"id":"","list":null}`, string(b))
}

// TestTimes checks that times have milliseconds, and more digits if necessary.
func TestTimes(t *testing.T) {
	berlin := time.FixedZone("", 2*60*60)
	for want, at := range map[string]time.Time{
		`"2026-03-01T12:00:00.000Z"`:          time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		`"2026-03-01T12:00:00.120Z"`:          time.Date(2026, 3, 1, 12, 0, 0, 120e6, time.UTC),
		`"2026-03-01T12:00:00.120001Z"`:       time.Date(2026, 3, 1, 12, 0, 0, 120_001_000, time.UTC),
		`"2026-03-01T12:00:00.000000001Z"`:    time.Date(2026, 3, 1, 12, 0, 0, 1, time.UTC),
		`"2026-03-01T12:00:00.000+02:00"`:     time.Date(2026, 3, 1, 12, 0, 0, 0, berlin),
		`"2026-03-01T12:00:00.0000001+02:00"`: time.Date(2026, 3, 1, 12, 0, 0, 100, berlin),
	} {
		b, err := codec.Encode(at)
		require.NoError(t, err)
		assert.Equal(t, want, string(b))
	}
	_, err := codec.Encode(time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC))
	assert.Error(t, err, "a year that JSON has no room for")
}

// TestWhereNamesThePlaceAndNoData checks the description of errors.
func TestWhereNamesThePlaceAndNoData(t *testing.T) {
	type all struct {
		Text   *string           `json:"text"`
		Bool   bool              `json:"bool"`
		Whole  int               `json:"whole"`
		Small  uint8             `json:"small"`
		Number float64           `json:"number"`
		Single float32           `json:"single"`
		List   []string          `json:"list"`
		Array  [2]string         `json:"array"`
		Object struct{}          `json:"object"`
		Map    map[string]string `json:"map"`
		Time   time.Time         `json:"time"`
		Odd    chan int          `json:"odd"`
	}
	for text, want := range map[string]string{
		`{"text":7}`:                  `: /text has a number instead of a string at byte 8`,
		`{"bool":"secret"}`:           `: /bool has a string instead of a boolean at byte 8`,
		`{"bool":[]}`:                 `: /bool has a list instead of a boolean at byte 8`,
		`{"whole":true}`:              `: /whole has a boolean instead of a whole number at byte 9`,
		`{"whole":false}`:             `: /whole has a boolean instead of a whole number at byte 9`,
		`{"small":300}`:               `: /small has a number instead of a whole number at byte 9`,
		`{"number":{}}`:               `: /number has an object instead of a number at byte 10`,
		`{"single":{}}`:               `: /single has an object instead of a number at byte 10`,
		`{"list":{}}`:                 `: /list has an object instead of a list at byte 8`,
		`{"array":{}}`:                `: /array has an object instead of a list at byte 9`,
		`{"object":[]}`:               `: /object has a list instead of an object at byte 10`,
		`{"map":[]}`:                  `: /map has a list instead of an object at byte 7`,
		`{"time":"secret"}`:           `: /time has a string instead of a time at byte 8`,
		`{"odd":7}`:                   `: /odd has a value of the wrong type at byte 7`,
		`{"list":[null,"secret",{}]}`: `: /list/2 has an object instead of a string at byte 23`,
		`[]`:                          `: it has a list instead of an object at byte 0`,
		`{"text":secret}`:             `: /text is not valid JSON at byte 8`,
		`secret`:                      `: it is not valid JSON at byte 0`,
		`{"text":"sec`:                `: /text ends too early at byte 12`,
		`{"text"`:                     `: /text ends too early at byte 7`,
		``:                            `: it ends too early at byte 0`,
	} {
		err := json.Unmarshal([]byte(text), new(all))
		require.Error(t, err, text)
		assert.Equal(t, want, jsoncodec.Where(err), text)
	}
	assert.Empty(t, jsoncodec.Where(context.Canceled), "it is not about JSON")
}
