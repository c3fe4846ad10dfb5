package doctor

import (
	"encoding/json"
	"regexp"
	"strings"
)

// node is an object of the server's OpenAPI document. A nil node is empty.
type node map[string]any

func (n node) object(names ...string) node {
	for _, name := range names {
		n, _ = n[name].(map[string]any)
	}
	return n
}

// resolve follows a reference within the document n.
func (n node) resolve(of node) node {
	reference, _ := of["$ref"].(string)
	if pointer, ok := strings.CutPrefix(reference, "#/"); ok {
		return n.object(strings.Split(pointer, "/")...)
	}
	return of
}

// placeholder matches an id in a route. Documents name ids in other ways than Dialect.
var placeholder = regexp.MustCompile(`{[^}]*}`)

func withoutNames(route string) string { return placeholder.ReplaceAllString(route, "{}") }

// namesIn returns the routes of an OpenAPI document without the names of ids, and the members of an
// invitation. Parts that are missing or malformed are empty.
func namesIn(text []byte) map[string]bool {
	var document node
	_ = json.Unmarshal(text, &document)
	names := make(map[string]bool)
	paths := document.object("paths")
	for path := range paths {
		for method := range paths.object(path) {
			route := withoutNames(strings.ToUpper(method) + " " + strings.TrimPrefix(path, "/api/v1")) // Some documents have the prefix in servers instead.
			names[route] = true
			if route == "POST /assessments/{}/invitations" {
				body := document.resolve(paths.object(path, method, "requestBody"))
				for member := range document.resolve(body.object("content", "application/json", "schema")).object("properties") {
					names[member] = true
				}
			}
		}
	}
	return names
}
