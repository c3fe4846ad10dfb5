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

// splitObject returns the members of a JSON object in their order.
func splitObject(raw []byte) (names []string, values []json.RawMessage) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if _, err := decoder.Token(); err != nil {
		panic(err) // The server encoded it.
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			panic(err)
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			panic(err)
		}
		names, values = append(names, name.(string)), append(values, value) // Names are strings.
	}
	return names, values
}
