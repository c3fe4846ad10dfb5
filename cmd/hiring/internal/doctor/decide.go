package doctor

import (
	"reflect"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
)

// evidence is all that is known of a field of Dialect.
type evidence struct {
	field, assumed string
	probed         clue     // What was seen to be true.
	refuted        string   // How what was tried was seen not to be.
	said           string   // By the document.
	liedAbout      []string // What the document says otherwise than was seen.
	why            string   // Why nothing was seen.
	over           string   // Why nothing more was asked.
}

func (e *examination) evidence(field string, liedAbout []string) evidence {
	return evidence{
		field: field, assumed: e.assumed[field], probed: e.probed[field], refuted: e.refuted[field],
		said: e.said(field), liedAbout: liedAbout, why: e.why[field], over: e.over,
	}
}

// liedAbout are the fields of which the document says what was seen not to be so.
func (e *examination) liedAbout() []string {
	var fields []string
	for field := range reflect.TypeFor[hiring.Dialect]().Fields() {
		said, seen := e.said(field.Name), e.probed[field.Name].value
		if said != "" && (seen != "" && said != seen || seen == "" && e.refuted[field.Name] != "") {
			fields = append(fields, field.Name)
		}
	}
	return fields
}

// decide says what a field is, and gives its value when it is not what is assumed.
// What was seen counts more than what the document says.
func decide(e evidence) (f Finding, value string) {
	f = Finding{Group: "dialect", Name: e.field, Assumed: e.assumed}
	believed := e.said != "" && len(e.liedAbout) == 0
	switch {
	case e.probed.value != "":
		f.Found, f.Evidence = e.probed.value, e.probed.evidence
		if e.said != "" && e.said != e.probed.value {
			f.Evidence += "; the document says " + e.said
		}
	case e.refuted != "":
		f.Verdict, f.Evidence, f.Change = Wrong, e.refuted, "ask the service's support, then set Dialect."+e.field
		return f, ""
	case believed:
		f.Found, f.Evidence = e.said, "the document says so"
	case e.said != "":
		f.Verdict, f.Evidence = Undecided, "the document says "+e.said+", but is wrong about "+strings.Join(e.liedAbout, ", ")
		return f, ""
	case e.over != "":
		f.Verdict, f.Evidence = Untried, e.over
		return f, ""
	default:
		f.Verdict, f.Evidence = Undecided, e.undecided()
		return f, ""
	}
	if f.Verdict = Holds; f.Found != e.assumed {
		f.Verdict, f.Change, value = Wrong, "set Dialect."+e.field+" to "+quoted(f.Found), f.Found
	}
	return f, value
}

// undecided says why neither asking nor the document tells.
func (e evidence) undecided() string {
	const silent = "the document says nothing of it"
	if e.why == "" {
		return silent
	}
	return e.why + "; " + silent
}

func quoted(s string) string { return `"` + s + `"` }
