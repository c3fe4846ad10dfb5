package server

import (
	"bytes"
	"encoding/json"
)

// render is for the server's own wire types, which cannot fail to encode.
func render(value any) []byte {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// takeApart takes an object apart and keeps the order.
func takeApart(raw []byte) (names []string, values []json.RawMessage) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if _, err := decoder.Token(); err != nil {
		panic(err) // the server's own JSON
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
		names, values = append(names, name.(string)), append(values, value) // names are strings
	}
	return names, values
}
