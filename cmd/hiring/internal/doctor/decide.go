package doctor

import (
	"reflect"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
)

// evidence is what is known of a field of Dialect.
type evidence struct {
	field, assumed  string
	observed        observation // The value that a response showed.
	disproved       string      // How responses showed that the tried names are wrong.
	documented      string      // The value in the document.
	wrongInDocument []string    // Fields about which responses contradict the document.
	reason          string      // Why no response decided the field.
	stopped         string      // Why no more requests were sent.
}

func (e *examination) evidence(field string, wrongInDocument []string) evidence {
	return evidence{
		field: field, assumed: e.assumed[field], observed: e.observed[field], disproved: e.disproved[field],
		documented: e.documented(field), wrongInDocument: wrongInDocument, reason: e.reason[field], stopped: e.stopped,
	}
}

// wrongInDocument returns the fields about which responses contradict the document.
func (e *examination) wrongInDocument() []string {
	var fields []string
	for field := range reflect.TypeFor[hiring.Dialect]().Fields() {
		documented, seen := e.documented(field.Name), e.observed[field.Name].value
		if documented != "" && (seen != "" && documented != seen || seen == "" && e.disproved[field.Name] != "") {
			fields = append(fields, field.Name)
		}
	}
	return fields
}

// decide returns the finding about a field, and its value when that differs from the
// assumed one. A response counts more than the document.
func decide(e evidence) (f Finding, value string) {
	seen := e.observed
	switch {
	case seen.value != "" && e.documented != "" && e.documented != seen.value:
		seen.evidence += "; the document says " + e.documented
	case seen.value != "":
	case e.disproved != "":
		return wrong("", e.disproved, "ask the API's support, then set Dialect."+e.field), ""
	case e.documented != "" && len(e.wrongInDocument) > 0:
		return undecided("the document says " + e.documented + ", but responses contradict it about " +
			strings.Join(e.wrongInDocument, ", ")), ""
	case e.documented != "":
		seen = observation{e.documented, "the document says so"}
	case e.stopped != "":
		return notChecked(e.stopped), ""
	default:
		return undecided(strings.TrimPrefix(e.reason+"; the document does not say", "; ")), ""
	}
	if seen.value != e.assumed {
		return wrong(seen.value, seen.evidence, "set Dialect."+e.field+" to "+quoted(seen.value)), seen.value
	}
	return ok(seen.value, seen.evidence), ""
}

func quoted(s string) string { return `"` + s + `"` }
