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

// objects returns the objects of a list.
func (n node) objects(name string) []node {
	var objects []node
	items, _ := n[name].([]any)
	for _, item := range items {
		object, _ := item.(map[string]any)
		objects = append(objects, object)
	}
	return objects
}

// texts returns the strings of a list.
func (n node) texts(name string) []string {
	var texts []string
	items, _ := n[name].([]any)
	for _, item := range items {
		if text, ok := item.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// operation is a method of a path.
type operation struct {
	route      string // In the form of Dialect, with the placeholders of the document.
	id         string // Its operationId, in lower case without separators.
	parameters []node // Of the query.
	body       schema // Of the request.
	data       node   // The schema of data in the 2xx response, or of an array's items.
	isList     bool
	hasBody    bool // A body is required.
}

// Documented routes.
const (
	createAssessment = "POST /assessments"
	listInvitations  = "GET /assessments/{id}/invitations"
	sendInvitation   = "POST /assessments/{id}/invitations"
	listSubmissions  = "GET /submissions"
	listEvents       = "GET /submissions/{id}/events"
	getChallenge     = "GET /challenges/{id}"
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
	for _, p := range slices.Concat(item.objects("parameters"), op.objects("parameters")) {
		if p = d.resolve(p); p.text("in") == "query" {
			o.parameters = append(o.parameters, p)
		}
	}
	body := d.resolve(op.object("requestBody"))
	o.hasBody, _ = body["required"].(bool)
	o.body = d.content(body)
	for _, status := range []string{"200", "201", "202", "2XX", "default"} {
		if response := d.resolve(op.object("responses", status)); response != nil {
			o.data = d.content(response).properties()["data"]
			if items := d.resolve(o.data).object("items"); items != nil {
				o.data, o.isList = items, true
			}
			break
		}
	}
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
	for _, part := range n.objects("allOf") {
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
		names = append(names, part.texts("required")...)
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
// with the id of the field, or else that of the only operation of the same form.
func (d *document) routes(field, assumed string) []string {
	var byID, byForm []string
	for _, o := range d.operations {
		route := withPlaceholders(o.route, assumed)
		dialect := hiring.Dialect{}
		reflect.ValueOf(&dialect).Elem().FieldByName(field).SetString(route)
		if _, err := dialect.WithDefaults(); err != nil {
			continue // The client could not use it.
		}
		switch {
		case withPlaceholders(o.route, "") == withPlaceholders(assumed, ""):
			return []string{assumed}
		case o.id == plainName(field):
			byID = append(byID, route)
		case d.hasForm(o, field):
			byForm = append(byForm, route)
		}
	}
	for _, routes := range [][]string{byID, byForm} {
		if len(routes) == 1 {
			return routes
		}
	}
	return nil
}

// hasForm reports whether an operation has the form of a route of Dialect: the documented
// operations show the schema of its resource.
func (d *document) hasForm(o operation, field string) bool {
	method, path, _ := strings.Cut(o.route, " ")
	ids := strings.Count(path, "{")
	like := func(route string) bool { return o.data != nil && reflect.DeepEqual(o.data, d.find(route).data) }
	switch field {
	case "ListChallenges":
		return method == "GET" && ids == 0 && o.isList && like(getChallenge)
	case "ListAssessments":
		return method == "GET" && ids == 0 && o.isList && like(createAssessment)
	case "GetAssessment":
		return method == "GET" && ids == 1 && !o.isList && like(createAssessment)
	case "UpdateAssessment":
		return method != "GET" && ids == 1 && o.body.properties()["status"] != nil && like(createAssessment)
	}
	return false
}

// layouts returns the assumed layout if the document's example of since has it, or else at
// most two that the example has.
func (d *document) layouts(assumed string) (fit []string) {
	for _, p := range d.find(listSubmissions).parameters {
		s := d.resolve(p.object("schema"))
		example := cmp.Or(p.text("example"), s.text("example"), strings.Join(s.texts("examples"), ""))
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
