package sandbox

import (
	"encoding/json"
	"net/mail"
	"regexp"
	"strings"
)

// problems are the validation messages in the details of a 400.
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

// readMember decodes a member of the body, and adds the problem "expected" for null or
// another type. ok is false without a valid value.
func readMember[T any](p *problems, object map[string]json.RawMessage, name, expected string) (value T, ok bool) {
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

// readNullable is like readMember, and returns nil for null.
func readNullable[T any](p *problems, object map[string]json.RawMessage, name, expected string) (value *T, ok bool) {
	if string(object[name]) == "null" {
		return nil, true
	}
	read, ok := readMember[T](p, object, name, expected)
	return &read, ok
}

// requiredString reads a string that must be present and not empty.
func requiredString(p *problems, object map[string]json.RawMessage, name string) (string, bool) {
	if _, present := object[name]; !present {
		p.add(name, "Required.")
		return "", false
	}
	value, ok := readMember[string](p, object, name, "Expected a string.")
	if ok && value == "" {
		p.add(name, "Must have at least 1 character.")
	}
	return value, ok && value != ""
}

// isEmailAddress reports whether text is an address without a name.
func isEmailAddress(text string) bool {
	address, err := mail.ParseAddress(text)
	return err == nil && address.Address == text
}

// canonicalID returns an id in lower case, because UUIDs are case-insensitive.
func canonicalID(id string) string { return strings.ToLower(id) }

// uuid is the form of a UUID of any version.
var uuid = regexp.MustCompile("^" + uuidPattern + "$")

const uuidPattern = `[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`
