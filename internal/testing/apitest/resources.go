package apitest

import (
	"encoding/json"

	jsonv2 "github.com/go-json-experiment/json"
)

var Codecs = map[string]struct {
	Marshal   func(any) ([]byte, error)
	Unmarshal func([]byte, any) error
}{
	"encoding/json": {json.Marshal, json.Unmarshal},
	"json/v2": {
		func(v any) ([]byte, error) { return jsonv2.Marshal(v) },
		func(b []byte, v any) error { return jsonv2.Unmarshal(b, v) },
	},
}
