package sandbox

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/urls"
)

func init() {
	addRoutes(func(hiring.Dialect) []*route {
		return []*route{
			newRoute("OpenAPI", "GET /openapi.json", noDrift, getOpenAPI),
		}
	})
}

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
	document.moveRoutes(defaults, d)
	document.renameParameters(d)
	document.renameInvitation(defaults, d)
	return encodeJSON(document)
}

// openAPINode is a JSON object of the document.
type openAPINode map[string]any

// object returns a nested object that exists.
func (n openAPINode) object(names ...string) openAPINode {
	for _, name := range names {
		n = n[name].(map[string]any)
	}
	return n
}

// moveRoutes moves the operations whose routes the dialect changes. It removes all of
// them before it adds any, because two may swap places.
func (n openAPINode) moveRoutes(from, to hiring.Dialect) {
	paths, moved := n.object("paths"), make(map[string]any, 6)
	for old, now := range map[string]string{
		from.ListChallenges: to.ListChallenges, from.ListAssessments: to.ListAssessments,
		from.GetAssessment: to.GetAssessment, from.UpdateAssessment: to.UpdateAssessment,
		from.ResendInvitation: to.ResendInvitation, from.RevokeInvitation: to.RevokeInvitation,
	} {
		method, path := splitRoute(old)
		operations := paths.object(path)
		moved[now] = operations[method]
		delete(operations, method)
		if len(operations) == 0 {
			delete(paths, path)
		}
	}
	for _, route := range slices.Sorted(maps.Keys(moved)) {
		method, path := splitRoute(route)
		if paths[path] == nil {
			paths[path] = map[string]any{}
		}
		paths.object(path)[method] = moved[route]
	}
}

// splitRoute returns a route's method and path as in a document.
func splitRoute(route string) (method, path string) {
	method, path, _ = strings.Cut(route, " ")
	return strings.ToLower(method), basePath + path[1:]
}

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

// renameKeys returns an object with only the members in names, renamed.
func renameKeys(n openAPINode, names map[string]string) openAPINode {
	result := make(openAPINode, len(n))
	for name, value := range n {
		result[names[name]] = value
	}
	return result
}
