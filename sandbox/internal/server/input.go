package server

import (
	"encoding/json"
	"net/mail"
	"strings"
)

// problems are the details of a 400.
type problems struct {
	FormErrors  []string            `json:"formErrors"`
	FieldErrors map[string][]string `json:"fieldErrors"`
}

func (p *problems) any() bool { return len(p.FormErrors)+len(p.FieldErrors) > 0 }

func (p *problems) addForm(message string) { p.FormErrors = append(p.FormErrors, message) }

func (p *problems) add(field, message string) {
	if p.FieldErrors == nil {
		p.FieldErrors = make(map[string][]string)
	}
	p.FieldErrors[field] = append(p.FieldErrors[field], message)
}

// read decodes a member of the body and says what was expected of it when it
// is of another type. An absent one, or null, gives false; the latter is a
// problem too when null is not an answer.
func read[T any](p *problems, object map[string]json.RawMessage, name, expected string) (value T, ok bool) {
	raw, present := object[name]
	if !present {
		return value, false
	}
	if string(raw) == "null" || json.Unmarshal(raw, &value) != nil {
		p.add(name, expected)
		return value, false
	}
	return value, true
}

// required reads a member that must be there and must not be empty.
func required(p *problems, object map[string]json.RawMessage, name string) (string, bool) {
	if _, present := object[name]; !present {
		p.add(name, "Required.")
		return "", false
	}
	value, ok := read[string](p, object, name, "Expected a string.")
	if ok && value == "" {
		p.add(name, "Must have at least 1 character.")
	}
	return value, ok && value != ""
}

func isAddress(text string) bool {
	address, err := mail.ParseAddress(text)
	return err == nil && address.Address == text
}

// canonical gives an id as records have it: UUIDs are the same in capitals.
func canonical(id string) string { return strings.ToLower(id) }

// isUUID reports whether text has the form of a UUID, of any version.
func isUUID(text string) bool {
	if len(text) != 36 {
		return false
	}
	for i, r := range text {
		switch {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if r != '-' {
				return false
			}
		case !strings.ContainsRune("0123456789abcdefABCDEF", r):
			return false
		}
	}
	return true
}
