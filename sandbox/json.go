package sandbox

import (
	"bytes"
	"encoding/json"
)

// encodeJSON encodes a value of the server's own types, which cannot fail.
func encodeJSON(value any) []byte { return appendJSON(nil, value) }

// appendJSON appends an encoded value to b.
func appendJSON(b []byte, value any) []byte {
	out := bytes.NewBuffer(b)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}
