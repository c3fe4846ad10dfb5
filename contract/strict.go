package contract

import (
	"encoding/json"
	"fmt"
	"net/mail"
	"net/url"
	"regexp"

	"github.com/getkin/kin-openapi/openapi3"
)

// strict finds differences that JSON Schema allows: members that no schema describes, and
// strings that do not have their format.
func strict(schema *openapi3.SchemaRef, raw []byte, prefix string) []string {
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return []string{prefix + "not JSON: " + err.Error()}
	}
	w := strictChecker{prefix: prefix}
	w.check([]*openapi3.Schema{schema.Value}, value, "")
	return w.faults
}

type strictChecker struct {
	prefix string
	faults []string
}

func (w *strictChecker) fault(pointer, format string, args ...any) {
	w.faults = append(w.faults, w.prefix+pointer+": "+fmt.Sprintf(format, args...))
}

// check compares a value with all schemas that apply to it.
func (w *strictChecker) check(schemas []*openapi3.Schema, value any, pointer string) {
	schemas = flatten(schemas)
	switch value := value.(type) {
	case map[string]any:
		w.object(schemas, value, pointer)
	case []any:
		items := below(schemas, func(s *openapi3.Schema) *openapi3.SchemaRef { return s.Items })
		for i, item := range value {
			w.check(items, item, fmt.Sprintf("%s/%d", pointer, i))
		}
	case string:
		for _, s := range schemas {
			if check := formats[s.Format]; check != nil && !check(value) {
				w.fault(pointer, "%q is no %s", value, s.Format)
			}
		}
	}
}

// object requires a description of each member, unless no schema describes any, which
// means that the members are not fixed.
func (w *strictChecker) object(schemas []*openapi3.Schema, value map[string]any, pointer string) {
	free := true
	for _, s := range schemas {
		free = free && len(s.Properties) == 0 && s.AdditionalProperties.Schema == nil
	}
	if free {
		return
	}
	for name, member := range value {
		at := pointer + "/" + name
		described := below(schemas, func(s *openapi3.Schema) *openapi3.SchemaRef { return s.Properties[name] })
		if len(described) == 0 {
			described = below(schemas, func(s *openapi3.Schema) *openapi3.SchemaRef { return s.AdditionalProperties.Schema })
		}
		if len(described) == 0 {
			w.fault(at, "undocumented member")
			continue
		}
		w.check(described, member, at)
	}
}

func below(schemas []*openapi3.Schema, part func(*openapi3.Schema) *openapi3.SchemaRef) []*openapi3.Schema {
	var found []*openapi3.Schema
	for _, s := range schemas {
		if ref := part(s); ref != nil {
			found = append(found, ref.Value)
		}
	}
	return found
}

// flatten adds the schemas of allOf.
func flatten(schemas []*openapi3.Schema) []*openapi3.Schema {
	var flat []*openapi3.Schema
	for _, s := range schemas {
		flat = append(flat, s)
		for _, parts := range []openapi3.SchemaRefs{s.AllOf, s.AnyOf, s.OneOf} {
			for _, part := range parts {
				flat = append(flat, flatten([]*openapi3.Schema{part.Value})...)
			}
		}
	}
	return flat
}

var uuid = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// formats are the formats that kin-openapi checks only when they are registered.
var formats = map[string]func(string) bool{
	"uuid": uuid.MatchString,
	"idn-email": func(text string) bool {
		address, err := mail.ParseAddress(text)
		return err == nil && address.Address == text
	},
	"uri": func(text string) bool {
		u, err := url.Parse(text)
		return err == nil && u.IsAbs()
	},
}

// validateRequestID compares the request ids of the header and the body.
func (x *exchange) validateRequestID() []string {
	type named struct {
		RequestID string `json:"request_id"`
	}
	var body struct {
		Meta  named `json:"meta"`
		Error named `json:"error"`
	}
	if json.Unmarshal(x.body, &body) != nil {
		return nil // Reported already.
	}
	id := body.Meta.RequestID + body.Error.RequestID
	if id != "" && id != x.reply.Header.Get("X-Request-Id") {
		return []string{"X-Request-Id is not the request_id of the body"}
	}
	return nil
}
