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

func TestWritesValidJSON(t *testing.T) {
	b, err := codec.Encode(&thing{ID: "a\xff", List: []*thing{{ID: "b", List: []*thing{}}}})
	require.NoError(t, err)
	assert.JSONEq(t, `{"id":"a\ufffd","list":[{"id":"b","list":[]}]}`, string(b))
	b, err = codec.Encode(&thing{})
	require.NoError(t, err)
	assert.JSONEq(t, `{"id":"","list":null}`, string(b))
}

// TestWhereNamesThePlaceAndNoData checks the description of errors.
func TestWhereNamesThePlaceAndNoData(t *testing.T) {
	type all struct {
		Text   *string   `json:"text"`
		Bool   bool      `json:"bool"`
		Whole  int       `json:"whole"`
		Small  uint8     `json:"small"`
		List   []string  `json:"list"`
		Object struct{}  `json:"object"`
		Time   time.Time `json:"time"`
		Odd    chan int  `json:"odd"`
	}
	for text, want := range map[string]string{
		`{"text":7}`:                  `: /text has a number that does not fit the Go type string at byte 8`,
		`{"bool":"secret"}`:           `: /bool has a string that does not fit the Go type bool at byte 8`,
		`{"whole":true}`:              `: /whole has a boolean that does not fit the Go type int at byte 9`,
		`{"small":300}`:               `: /small has a number that does not fit the Go type uint8 at byte 9`,
		`{"object":[]}`:               `: /object has a list that does not fit the Go type struct at byte 10`,
		`{"time":"secret"}`:           `: /time has a string that does not fit the Go type time.Time at byte 8`,
		`{"odd":7}`:                   `: /odd has a value of the wrong type at byte 7`,
		`{"list":[null,"secret",{}]}`: `: /list/2 has an object that does not fit the Go type string at byte 23`,
		`[]`:                          `: it has a list that does not fit the Go type jsoncodec_test.all at byte 0`,
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
