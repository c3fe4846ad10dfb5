package doctor

import (
	"cmp"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
)

// document is the server's OpenAPI document. Parts that are missing or malformed are
// ignored.
type document struct {
	root       node
	operations map[string]operation // By method and path, without the names of placeholders.
}

// node is an object of the document. A nil node is empty.
type node map[string]any

func (n node) object(names ...string) node {
	for _, name := range names {
		n, _ = n[name].(map[string]any)
	}
	return n
}

func (n node) text(name string) string {
	text, _ := n[name].(string)
	return text
}

// listOf returns the items of a list that have a type.
func listOf[T any](list any) []T {
	var kept []T
	items, _ := list.([]any)
	for _, item := range items {
		if item, ok := item.(T); ok {
			kept = append(kept, item)
		}
	}
	return kept
}

// operation is a method of a path.
type operation struct {
	route      string // In the form of Dialect, with the placeholders of the document.
	id         string // Its operationId, in lower case without separators.
	parameters []node // Of the query.
	body       schema // Of the request.
}

// Documented routes.
const (
	createAssessment = "POST /assessments"
	listInvitations  = "GET /assessments/{id}/invitations"
	sendInvitation   = "POST /assessments/{id}/invitations"
	listSubmissions  = "GET /submissions"
	listEvents       = "GET /submissions/{id}/events"
)

// readDocument returns nil when text is not an OpenAPI document.
func readDocument(text []byte) *document {
	var root node
	_ = json.Unmarshal(text, &root) // A text that is no object leaves the node empty.
	if root.text("openapi") == "" {
		return nil
	}
	d := &document{root: root, operations: make(map[string]operation)}
	paths := root.object("paths")
	for path := range paths {
		item := d.resolve(paths.object(path))
		for _, method := range []string{"get", "post", "put", "patch", "delete"} {
			if op := item.object(method); op != nil {
				o := d.operation(method, path, item, op)
				d.operations[withPlaceholders(o.route, "")] = o
			}
		}
	}
	return d
}

func (d *document) operation(method, path string, item, op node) operation {
	if _, below, found := strings.Cut(path, "/api/v1/"); found { // Some documents have the prefix in servers instead.
		path = "/" + below
	}
	o := operation{route: strings.ToUpper(method) + " " + path, id: plainName(op.text("operationId"))}
	for _, p := range slices.Concat(listOf[map[string]any](item["parameters"]), listOf[map[string]any](op["parameters"])) {
		if p := d.resolve(p); p.text("in") == "query" {
			o.parameters = append(o.parameters, p)
		}
	}
	o.body = d.content(d.resolve(op.object("requestBody")))
	return o
}

// plainName returns a name in lower case without separators, as in listchallenges.
func plainName(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "").Replace(name))
}

func (d *document) content(n node) schema {
	content := n.object("content")
	for kind := range content {
		if strings.Contains(kind, "json") {
			return schema{d, content.object(kind, "schema")}
		}
	}
	return schema{}
}

// resolve follows up to ten references within the document.
func (d *document) resolve(n node) node {
	for range 10 {
		pointer, ok := strings.CutPrefix(n.text("$ref"), "#/")
		if !ok {
			return n
		}
		n = d.root
		for name := range strings.SplitSeq(pointer, "/") {
			n = n.object(strings.NewReplacer("~1", "/", "~0", "~").Replace(name))
		}
	}
	return n
}

// schema is a JSON schema together with its document. The zero value is an unknown schema.
type schema struct {
	in *document
	node
}

// parts returns the resolved schema and those that it consists of.
func (s schema) parts(depth int) []node {
	if s.in == nil || depth == 0 {
		return nil
	}
	n := s.in.resolve(s.node)
	all := []node{n}
	for _, part := range listOf[map[string]any](n["allOf"]) {
		all = append(all, schema{s.in, part}.parts(depth-1)...)
	}
	return all
}

// properties returns the properties of an object, those of its allOf schemas included.
func (s schema) properties() map[string]node {
	all := make(map[string]node)
	for _, part := range s.parts(5) {
		properties := part.object("properties")
		for name := range properties {
			all[name] = properties.object(name)
		}
	}
	return all
}

// required returns the names of the required properties.
func (s schema) required() []string {
	var names []string
	for _, part := range s.parts(5) {
		names = append(names, listOf[string](part["required"])...)
	}
	return names
}

// find returns the operation of a route, or a zero operation. The names of placeholders do
// not matter.
func (d *document) find(route string) operation {
	if d == nil {
		return operation{}
	}
	return d.operations[withPlaceholders(route, "")]
}

// withPlaceholders replaces the placeholders of a route by those of another in their
// order, or by {}.
func withPlaceholders(route, like string) string {
	names := slices.DeleteFunc(strings.Split(like, "/"), func(segment string) bool { return !strings.HasPrefix(segment, "{") })
	segments := strings.Split(route, "/")
	for i, segment := range segments {
		if !strings.HasPrefix(segment, "{") {
			continue
		}
		segments[i] = "{}"
		if len(names) > 0 {
			segments[i], names = names[0], names[1:]
		}
	}
	return strings.Join(segments, "/")
}

// values returns what the document says about a field of Dialect. When it has the assumed
// value, that is returned. Several layouts may fit an example.
func (d *document) values(field, assumed string) []string {
	var names []string
	usual := usualNames[field]
	switch field {
	case "PageParam":
		names = without(d.parameters(listInvitations, false), d.parameters(listInvitations, true))
	case "PageSizeParam":
		names = d.parameters(listInvitations, true)
	case "EventPageSizeParam":
		names = without(d.parameters(listEvents, false), []string{"since_seq"})
	case "CursorParam":
		known := append(d.parameters(listSubmissions, true), "assessment_id", "status", "since")
		names = without(d.parameters(listSubmissions, false), known)
	case "SinceLayout":
		return d.layouts(assumed)
	case "InvitationEmail", "InvitationName":
		names = d.invitationMembers(field == "InvitationEmail")
	default:
		return d.routes(field, assumed)
	}
	switch {
	case slices.Contains(names, assumed):
		return []string{assumed}
	case len(names) > 1:
		names = slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(usual, name) })
	}
	if len(names) != 1 {
		return nil
	}
	return names
}

// parameters returns the names of the query parameters of a route, or only of those with a
// maximum, as page sizes have.
func (d *document) parameters(route string, withMaximum bool) []string {
	var names []string
	for _, p := range d.find(route).parameters {
		if !withMaximum || d.resolve(p.object("schema"))["maximum"] != nil {
			names = append(names, p.text("name"))
		}
	}
	return names
}

// invitationMembers returns the members of a new invitation that are addresses by their
// format, or the other required ones.
func (d *document) invitationMembers(addresses bool) []string {
	body := d.find(sendInvitation).body
	var names []string
	for name, property := range body.properties() {
		isAddress := strings.HasSuffix(d.resolve(property).text("format"), "email")
		if isAddress && addresses || !isAddress && !addresses && slices.Contains(body.required(), name) {
			names = append(names, name)
		}
	}
	return names
}

// routes returns the assumed route if the document has it, or else that of the operation
// whose id is the name of the field.
func (d *document) routes(field, assumed string) []string {
	if d.find(assumed).route != "" {
		return []string{assumed}
	}
	for _, o := range d.operations {
		dialect, route := hiring.Dialect{}, withPlaceholders(o.route, assumed)
		reflect.ValueOf(&dialect).Elem().FieldByName(field).SetString(route)
		if _, err := dialect.WithDefaults(); err == nil && o.id == plainName(field) { // The client can use it.
			return []string{route}
		}
	}
	return nil
}

// layouts returns the assumed layout if the document's example of since has it, or else at
// most two that the example has.
func (d *document) layouts(assumed string) (fit []string) {
	for _, p := range d.find(listSubmissions).parameters {
		s := d.resolve(p.object("schema"))
		example := cmp.Or(p.text("example"), s.text("example"), strings.Join(listOf[string](s["examples"]), ""))
		if p.text("name") != "since" || example == "" {
			continue
		}
		for _, layout := range append([]string{assumed}, usualLayouts()...) {
			if hasLayout(example, layout) {
				fit = append(fit, layout)
			}
		}
	}
	if len(fit) > 0 && fit[0] == assumed {
		return fit[:1]
	}
	return fit[:min(2, len(fit))]
}
