package server

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/timelayout"
)

func init() {
	addRoutes(func(hiring.Dialect) []route {
		return []route{
			newRoute("OpenAPI", "GET /openapi.json", noDrift, getOpenAPI),
		}
	})
}

// getOpenAPI returns the document without an envelope, because tools that read OpenAPI
// documents expect none.
func getOpenAPI(c *call) response {
	return response{status: http.StatusOK, body: openAPIFor(c.config.OpenAPI, c.config.Dialect)}
}

// openAPIFor returns the document in a dialect. A document in a dialect other than the
// default is not cached, because only tests of dialects need it.
func openAPIFor(openAPI []byte, d hiring.Dialect) []byte {
	defaults := hiring.DefaultDialect()
	if d == defaults {
		return openAPI
	}
	var document node
	if err := json.Unmarshal(openAPI, &document); err != nil {
		panic(err) // The document is embedded.
	}
	document.moveRoutes(defaults, d)
	document.renameParameters(d)
	document.renameInvitation(defaults, d)
	return render(document)
}

// node is a JSON object of the document.
type node map[string]any

// at returns a nested object that exists.
func (n node) at(names ...string) node {
	for _, name := range names {
		n = n[name].(map[string]any)
	}
	return n
}

// moveRoutes moves the operations whose routes the dialect changes. It removes all of
// them before it adds any, because two may swap places.
func (n node) moveRoutes(from, to hiring.Dialect) {
	paths, moved := n.at("paths"), make(map[string]any, 6)
	for old, now := range map[string]string{
		from.ListChallenges: to.ListChallenges, from.ListAssessments: to.ListAssessments,
		from.GetAssessment: to.GetAssessment, from.UpdateAssessment: to.UpdateAssessment,
		from.ResendInvitation: to.ResendInvitation, from.RevokeInvitation: to.RevokeInvitation,
	} {
		method, path := splitRoute(old)
		operations := paths.at(path)
		moved[now] = operations[method]
		if delete(operations, method); len(operations) == 0 {
			delete(paths, path)
		}
	}
	for _, route := range slices.Sorted(maps.Keys(moved)) {
		method, path := splitRoute(route)
		if paths[path] == nil {
			paths[path] = map[string]any{}
		}
		paths.at(path)[method] = moved[route]
	}
}

// splitRoute returns a route's method and path as in a document.
func splitRoute(route string) (method, path string) {
	method, path, _ = strings.Cut(route, " ")
	return strings.ToLower(method), basePath + path[1:]
}

func (n node) renameParameters(d hiring.Dialect) {
	parameters := n.at("components", "parameters")
	parameters.at("Page")["name"] = d.PageParam
	parameters.at("PageSize")["name"] = d.PageSizeParam
	parameters.at("Cursor")["name"] = d.CursorParam
	parameters.at("EventPageSize")["name"] = d.EventPageSizeParam
	if d.SinceLayout == hiring.DefaultDialect().SinceLayout {
		return
	}
	since := parameters.at("FilterSince")
	since["example"] = timelayout.Format(d.SinceLayout, sinceExample)
	delete(since.at("schema"), "format") // RFC 3339 has it no longer
}

// sinceExample is the example time in the document.
var sinceExample = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func (n node) renameInvitation(from, to hiring.Dialect) {
	schema := n.at("components", "schemas", "NewInvitation")
	operation := n.at("paths", basePath+"assessments/{id}/invitations", "post")
	example := operation.at("requestBody", "content", "application/json", "example")
	names := map[string]string{from.InvitationEmail: to.InvitationEmail, from.InvitationName: to.InvitationName}
	schema["properties"], operation.at("requestBody", "content", "application/json")["example"] =
		renamed(schema.at("properties"), names), renamed(example, names)
	schema["required"] = []string{to.InvitationEmail, to.InvitationName}
}

func renamed(n node, names map[string]string) node {
	result := make(node, len(n))
	for name, value := range n {
		result[names[name]] = value
	}
	return result
}
