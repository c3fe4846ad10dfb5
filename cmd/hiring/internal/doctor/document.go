package doctor

import (
	"encoding/json"
	"slices"
	"strings"
)

// document is the server's OpenAPI document. Parts that are missing or malformed are empty.
type document struct{ root node }

// node is an object of the document. A nil node is empty.
type node map[string]any

func (n node) object(names ...string) node {
	for _, name := range names {
		n, _ = n[name].(map[string]any)
	}
	return n
}

func readDocument(text []byte) (d document) {
	_ = json.Unmarshal(text, &d.root) // A text that is no object leaves the document empty.
	return d
}

// resolve follows a reference within the document.
func (d document) resolve(n node) node {
	reference, _ := n["$ref"].(string)
	pointer, ok := strings.CutPrefix(reference, "#/")
	if !ok {
		return n
	}
	return d.root.object(strings.Split(pointer, "/")...)
}

// operations returns the operations by route, as Dialect writes routes, with {} for each
// placeholder.
func (d document) operations() map[string]node {
	all := make(map[string]node)
	paths := d.root.object("paths")
	for path := range paths {
		for method := range paths.object(path) {
			route := strings.ToUpper(method) + " " + strings.TrimPrefix(path, "/api/v1") // Some documents have the prefix in servers instead.
			all[pattern(route, "")] = paths.object(path, method)
		}
	}
	return all
}

// names returns what a field of Dialect may be by the document. Of parameters, these are all
// of its operation: requests show which is right. Of others it is the assumed value, if the
// document has it, or else one name.
func (d document) names(field, assumed string) (names []string) {
	operations := d.operations()
	switch field {
	case "PageParam":
		return d.parameters(operations["GET /assessments/{}/invitations"])
	case "PageSizeParam", "CursorParam":
		return d.parameters(operations["GET /submissions"])
	case "EventPageSizeParam":
		return d.parameters(operations["GET /submissions/{}/events"])
	case "InvitationEmail", "InvitationName":
		body := d.resolve(d.resolve(operations["POST /assessments/{}/invitations"].object("requestBody")).object("content", "application/json", "schema"))
		required, _ := body["required"].([]any)
		for name := range body.object("properties") {
			format, _ := body.object("properties", name)["format"].(string)
			if isAddress := strings.HasSuffix(format, "email"); name == assumed || isAddress == (field == "InvitationEmail") && slices.Contains(required, any(name)) {
				names = append(names, name)
			}
		}
	default:
		for route, o := range operations {
			id, _ := o["operationId"].(string)
			if route == pattern(assumed, "") || strings.EqualFold(strings.NewReplacer("_", "", "-", "").Replace(id), field) {
				names = append(names, pattern(route, assumed))
			}
		}
	}
	if slices.Contains(names, assumed) {
		return []string{assumed}
	}
	return names
}

// pattern replaces the placeholders of a route by those of another in their order, or by {}.
func pattern(route, like string) string {
	names := slices.DeleteFunc(strings.Split(like, "/"), func(segment string) bool { return !strings.HasPrefix(segment, "{") })
	segments := strings.Split(route, "/")
	for i, segment := range segments {
		if strings.HasPrefix(segment, "{") {
			segments[i] = "{}"
			if len(names) > 0 {
				segments[i], names = names[0], names[1:]
			}
		}
	}
	return strings.Join(segments, "/")
}

// parameters returns the names of the query parameters of an operation.
func (d document) parameters(operation node) (names []string) {
	list, _ := operation["parameters"].([]any)
	for _, item := range list {
		parameter, _ := item.(map[string]any)
		p := d.resolve(parameter)
		if name, _ := p["name"].(string); p["in"] == "query" && name != "" {
			names = append(names, name)
		}
	}
	return names
}
