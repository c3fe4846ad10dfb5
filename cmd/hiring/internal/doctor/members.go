package doctor

import (
	"cmp"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// resource is what the responses with one kind of resource show.
type resource struct {
	labels           []string
	problem          string // Why the client cannot read a response.
	missing, unknown []string
	reason           string // Why no response was read.
}

// check records a call whose response contains a resource or several. A response that the
// client could not read is a problem.
func (e *examination) check(name string, of any, r reply) {
	res := e.resources[name]
	if res == nil {
		res = new(resource)
		e.resources[name] = res
	}
	failure, failed := errors.AsType[*hiring.Error](r.err)
	elsewhere := failed && strings.Contains(failure.Hint, "Dialect.") || e.stop.err != nil && errors.Is(r.err, e.stop.err) // Other rows are about it.
	switch {
	case r.label == "" || r.timedOut() || r.forbidden() || elsewhere:
		res.reason = r.summary()
		return
	case !r.ok():
		res.problem = cmp.Or(res.problem, r.summary())
		return
	}
	if !slices.Contains(res.labels, r.label) {
		res.labels = append(res.labels, r.label)
	}
	for _, item := range resourcesIn(r) {
		missing, unknown := compareMembers(item, reflect.TypeOf(of), "")
		res.missing, res.unknown = append(res.missing, missing...), append(res.unknown, unknown...)
	}
}

// decideResources sets the findings about resources.
func (e *examination) decideResources() {
	for name, res := range e.resources {
		slices.Sort(res.missing)
		slices.Sort(res.unknown)
		missing, unknown := slices.Compact(res.missing), slices.Compact(res.unknown)
		evidence := strings.Join(res.labels, ", ")
		switch {
		case res.problem != "":
			e.found[name] = wrong("cannot be read", res.problem, "commands that read it fail: update the client, or report it to the API's support")
		case len(missing) > 0:
			e.found[name] = wrong("missing: "+list(missing), evidence, "the client shows these members as empty: update the client, or report it to the API's support")
		case len(res.labels) == 0:
			e.found[name] = undecided(res.reason, "run it again when that is solved")
		case len(unknown) > 0:
			e.found[name] = added("new: "+list(unknown), evidence)
		default:
			e.found[name] = ok("as documented", evidence)
		}
	}
}

// list joins names and shortens a long list.
func list(names []string) string {
	const most = 6
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + ", …"
}

// notYet are members that may be absent before their time (assumed: not yet).
var notYet = []string{"submitted_at", "evaluated_at", "report", "generated_at", "pipeline_rank"}

// compareMembers compares the names of the members of an object in a response with those
// that the client reads into t: it returns the paths of those that are missing and of
// those that the client does not know, as in report.pillars[].score.
func compareMembers(raw json.RawMessage, t reflect.Type, path string) (missing, unknown []string) {
	var object map[string]json.RawMessage
	if json.Unmarshal(raw, &object) != nil || object == nil {
		return nil, nil // The client has accepted it.
	}
	for m := range t.Fields() {
		name, options, _ := strings.Cut(m.Tag.Get("json"), ",")
		if name == "" {
			continue // Extra has the unknown members.
		}
		value, has := object[name]
		delete(object, name)
		if !has {
			if m.Type == reflect.TypeFor[time.Time]() || !strings.Contains(options, "omitzero") && !slices.Contains(notYet, name) {
				missing = append(missing, path+name)
			}
			continue
		}
		inner, at := m.Type, path+name+"."
		items := []json.RawMessage{value}
		if inner.Kind() == reflect.Slice {
			at = path + name + "[]."
			if json.Unmarshal(value, &items) != nil {
				continue
			}
		}
		for inner.Kind() == reflect.Slice || inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if inner.Kind() != reflect.Struct || inner == reflect.TypeFor[time.Time]() {
			continue
		}
		for _, item := range items {
			lacking, more := compareMembers(item, inner, at)
			missing, unknown = append(missing, lacking...), append(unknown, more...)
		}
	}
	for name := range object {
		unknown = append(unknown, path+name)
	}
	return missing, unknown
}

// lacks reports whether the resource in a response, or the first of a list, lacks members
// that the client reads. An empty list fits any resource.
func lacks(r reply, of any) bool {
	items := resourcesIn(r)
	if len(items) == 0 {
		return false
	}
	missing, _ := compareMembers(items[0], reflect.TypeOf(of), "")
	return len(missing) > 0
}

// resourcesIn returns the resources in the data of a response, for their members' names.
func resourcesIn(r reply) []json.RawMessage {
	var envelope struct {
		Data json.RawMessage `json:"data"`
	}
	_ = json.Unmarshal(r.Body, &envelope) // The client has read it.
	var items []json.RawMessage
	if json.Unmarshal(envelope.Data, &items) != nil {
		items = []json.RawMessage{envelope.Data}
	}
	return items
}
