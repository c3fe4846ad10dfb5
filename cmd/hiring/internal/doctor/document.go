package doctor

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// document is the server's OpenAPI document. Parts that are missing or malformed are
// ignored.
type document struct {
	root       node
	operations []*operation
}

// node is an object of the document. A nil node is empty.
type node map[string]any

func (n node) object(name string) node {
	inner, _ := n[name].(map[string]any)
	return inner
}

func (n node) text(name string) string {
	text, _ := n[name].(string)
	return text
}

// objects returns the objects of a list.
func (n node) objects(name string) []node {
	var objects []node
	for _, object := range listOf[map[string]any](n[name]) {
		objects = append(objects, object)
	}
	return objects
}

// texts returns the strings of a list, or a single string as a list.
func (n node) texts(name string) []string {
	if one := n.text(name); one != "" {
		return []string{one}
	}
	return listOf[string](n[name])
}

// listOf returns the items of a list that have a type.
func listOf[T any](list any) []T {
	items, _ := list.([]any)
	var kept []T
	for _, item := range items {
		if item, ok := item.(T); ok {
			kept = append(kept, item)
		}
	}
	return kept
}

// operation is a method of a path.
type operation struct {
	method     string
	path       string // Below /api/v1, with the placeholders of the document.
	words      string // Its operationId and summary.
	parameters []parameter
	body       schema // Of the request.
	reply      schema // Schema of data in the 2xx response.
}

type parameter struct {
	name, in string
	words    string // Its description.
	example  string
	schema   schema
}

// readDocument returns nil when text is not an OpenAPI document.
func readDocument(text []byte) *document {
	var root node
	_ = json.Unmarshal(text, &root) // A text that is no object leaves the node empty.
	if root.text("openapi") == "" {
		root = root.object("data") // Of the envelope.
	}
	if root.text("openapi") == "" {
		return nil
	}
	d := &document{root: root}
	paths := root.object("paths")
	for path := range paths {
		item := d.resolve(paths.object(path))
		for _, method := range []string{"get", "post", "put", "patch", "delete"} {
			if op := item.object(method); op != nil {
				d.operations = append(d.operations, d.operation(method, path, item, op))
			}
		}
	}
	slices.SortFunc(d.operations, func(a, b *operation) int { return strings.Compare(a.route(), b.route()) })
	return d
}

// basePath matches the prefix of a path. Some documents have the prefix in servers
// instead.
var basePath = regexp.MustCompile(`^(.*/api/v1)?/`)

func (d *document) operation(method, path string, item, op node) *operation {
	o := &operation{
		method: strings.ToUpper(method),
		path:   basePath.ReplaceAllString(path, "/"),
		words:  strings.ToLower(op.text("operationId") + " " + op.text("summary")),
	}
	for _, p := range slices.Concat(item.objects("parameters"), op.objects("parameters")) {
		p = d.resolve(p)
		o.parameters = append(o.parameters, parameter{
			name: p.text("name"), in: p.text("in"), words: strings.ToLower(p.text("description")),
			example: exampleOf(p), schema: d.schema(p.object("schema")),
		})
	}
	o.body = d.content(d.resolve(op.object("requestBody")))
	for _, status := range []string{"200", "201", "202", "2XX", "default"} {
		if reply := d.resolve(op.object("responses").object(status)); reply != nil {
			o.reply = d.content(reply).property("data")
			break
		}
	}
	return o
}

func exampleOf(p node) string {
	s := p.object("schema")
	texts := slices.Concat([]string{p.text("example"), s.text("example"), s.text("default")}, s.texts("examples"))
	if text := cmp.Or(texts...); text != "" {
		return text
	}
	examples := p.object("examples")
	for name := range examples {
		if text := examples.object(name).text("value"); text != "" {
			return text
		}
	}
	return ""
}

func (d *document) content(n node) schema {
	content := n.object("content")
	for kind := range content {
		if media := content.object(kind); media != nil && strings.Contains(kind, "json") {
			return d.schema(media.object("schema"))
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

// route returns the operation in the form of a Dialect route. Placeholders may have other
// names.
func (o *operation) route() string { return o.method + " " + o.path }

// known reports whether the document has the operation.
func (o *operation) known() bool { return o.method != "" }

// ids returns the number of ids in the path.
func (o *operation) ids() int { return strings.Count(o.path, "{") }

// query returns the names of the query parameters.
func (o *operation) query() []string {
	var names []string
	for _, p := range o.parameters {
		if p.in == "query" {
			names = append(names, p.name)
		}
	}
	return names
}

// parameter returns the query parameter with a name, or a zero parameter.
func (o *operation) parameter(name string) parameter {
	for _, p := range o.parameters {
		if p.name == name && p.in == "query" {
			return p
		}
	}
	return parameter{}
}

var placeholder = regexp.MustCompile(`\{[^}]*\}`)

// withoutNames returns a route without the names of its placeholders.
func withoutNames(route string) string { return placeholder.ReplaceAllString(route, "{}") }

// find returns the operation of a route, or a zero operation. The names of placeholders do
// not matter.
func (d *document) find(route string) *operation {
	if d == nil {
		return &operation{}
	}
	plain := withoutNames(route)
	for _, o := range d.operations {
		if withoutNames(o.route()) == plain {
			return o
		}
	}
	return &operation{}
}
