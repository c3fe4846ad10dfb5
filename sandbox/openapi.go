package sandbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/urls"
)

// getOpenAPI returns the document without an envelope, because tools that read OpenAPI
// documents expect none.
func getOpenAPI(c *call) response {
	return response{status: http.StatusOK, body: openAPIFor(c.server.config.dialect)}
}

// openAPIFor returns the document in a dialect. A document in a dialect other than the
// default is not cached, because only tests of dialects need it.
func openAPIFor(d hiring.Dialect) []byte {
	defaults := hiring.DefaultDialect()
	if d == defaults {
		return openAPI
	}
	var document openAPINode
	if err := json.Unmarshal(openAPI, &document); err != nil {
		panic(err) // The document is embedded.
	}
	document.moveRoutes(defaultRoutes(), newRoutes(d))
	document.renameParameters(d)
	document.renameInvitation(defaults, d)
	return encodeJSON(document)
}

// openAPINode is a JSON object of the document.
type openAPINode map[string]any

// object returns a nested object that exists.
func (n openAPINode) object(names ...string) openAPINode {
	for _, name := range names {
		nested, ok := n[name].(map[string]any)
		if !ok {
			panic(fmt.Sprintf("sandbox: openapi.json has no %q, of %q", name, names))
		}
		n = nested
	}
	return n
}

// moveRoutes moves each operation to its route in another dialect.
func (n openAPINode) moveRoutes(from, to []*route) {
	operations := make(map[string]any, len(from))
	for _, r := range from {
		operations[r.name] = n.object("paths", r.path())[strings.ToLower(r.method)]
		if operations[r.name] == nil {
			panic("sandbox: openapi.json has no operation " + r.method + " " + r.path())
		}
	}
	paths := make(openAPINode, len(to))
	for _, r := range to {
		if paths[r.path()] == nil {
			paths[r.path()] = map[string]any{}
		}
		paths.object(r.path())[strings.ToLower(r.method)] = operations[r.name]
	}
	n["paths"] = map[string]any(paths)
}

// path returns the path as in a document.
func (r *route) path() string { return basePath + r.template[1:] }

// renameParameters sets the names of query parameters and the layout of times.
func (n openAPINode) renameParameters(d hiring.Dialect) {
	parameters := n.object("components", "parameters")
	parameters.object("Page")["name"] = d.PageParam
	parameters.object("PageSize")["name"] = d.PageSizeParam
	parameters.object("Cursor")["name"] = d.CursorParam
	parameters.object("EventPageSize")["name"] = d.EventPageSizeParam
	if d.SinceLayout == hiring.DefaultDialect().SinceLayout {
		return
	}
	since := parameters.object("FilterSince")
	since["example"] = urls.FormatTime(d.SinceLayout, sinceExample)
	delete(since.object("schema"), "format") // The format date-time means RFC 3339.
}

// sinceExample is the example time in the document.
var sinceExample = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// renameInvitation renames the members of a new invitation.
func (n openAPINode) renameInvitation(from, to hiring.Dialect) {
	schema := n.object("components", "schemas", "NewInvitation")
	media := n.object("paths", basePath+"assessments/{id}/invitations", "post", "requestBody", "content", "application/json")
	names := map[string]string{from.InvitationEmail: to.InvitationEmail, from.InvitationName: to.InvitationName}
	schema["properties"] = renameKeys(schema.object("properties"), names)
	media["example"] = renameKeys(media.object("example"), names)
	schema["required"] = []string{to.InvitationEmail, to.InvitationName}
}

// renameKeys returns an object whose members in names are renamed.
func renameKeys(n openAPINode, names map[string]string) openAPINode {
	result := make(openAPINode, len(n))
	for name, value := range n {
		result[cmp.Or(names[name], name)] = value
	}
	return result
}
