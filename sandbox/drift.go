package sandbox

import (
	"encoding/json"
	"hash/fnv"
	"strconv"
	"strings"
)

// drift adds unknown members and values to responses.
type drift struct{ seed uint64 }

// nullableMembers are the members that drift may set to null.
const nullableMembers = " custom_domain primary_color logo_url sender_name support_email selected_task_ids sent_at " +
	"workspace_archive_url scored_as_role score time_used_minutes ai_authored_pct churn_pct "

// openMembers are the members with an open set of values, and the values that drift may
// replace, each between spaces. Values that calls depend on stay.
var openMembers = map[string]string{
	"domain": anyValue, "difficulty": anyValue, "level": anyValue, "stack": anyValue, "role": anyValue, "subscription_status": anyValue,
	"verdict": anyValue, "confidence": anyValue, "integrity_status": anyValue, "recruiter_decision": " shortlisted ",
	"kind": " bug feature efficiency file_edit test_run ", "status": " opened submitted ",
}

// anyValue in openMembers means that every value may change.
const anyValue = "*"

// unchangedMembers are those whose shape is not documented, and the details of an error.
const unchangedMembers = " payload details strengths flags interview_questions scope_exclusions "

// unknownMembers are the members that drift adds.
var unknownMembers = []struct{ name, value string }{
	{"drift_text", `"new"`}, {"drift_number", "12.5"}, {"drift_flag", "true"}, {"drift_nothing", "null"},
	{"drift_list", `[1,"two",{"three":3}]`}, {"drift_object", `{"id":7,"status":null}`},
}

// change returns the value of a member, changed by drift. path is the path of the value and
// seeds the random choices, so that the same object always drifts in the same way.
func (d *drift) change(raw json.RawMessage, path, name string) json.RawMessage {
	var object map[string]json.RawMessage
	var list []json.RawMessage
	is := func(set string) bool { return strings.Contains(set, " "+name+" ") }
	values := openMembers[name]
	switch chance := d.random(path) % 4; {
	case is(unchangedMembers):
	case chance == 0 && is(nullableMembers):
		return json.RawMessage("null")
	case raw[0] == '[' && json.Unmarshal(raw, &list) == nil:
		for i := range list {
			list[i] = d.change(list[i], path, name)
		}
		raw = encodeJSON(list)
	case raw[0] == '{' && json.Unmarshal(raw, &object) == nil:
		d.changeMembers(object, path)
		raw = encodeJSON(object)
	case chance == 0 && len(raw) > 2 && (values == anyValue || strings.Contains(values, " "+string(raw[1:len(raw)-1])+" ")):
		return json.RawMessage(`"drifted_` + strconv.FormatUint(d.random(path)/4%9, 10) + `"`)
	}
	return raw
}

// changeMembers changes the members of an object and adds unknown ones.
func (d *drift) changeMembers(object map[string]json.RawMessage, path string) {
	path += "/" + string(object["id"]) + string(object["seq"]) + string(object["request_id"])
	if id, isReport := object["submission_id"]; isReport {
		path = "/report/" + string(id) // The same path as inside its submission.
	}
	for member, value := range object {
		object[member] = d.change(value, path+"/"+member, member)
	}
	for i, unknown := range unknownMembers {
		if d.random(path+"/"+unknown.name)%uint64(len(unknownMembers)) == uint64(i) {
			object[unknown.name] = json.RawMessage(unknown.value)
		}
	}
}

// random returns a random number that depends only on the seed and the path.
func (d *drift) random(path string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(strconv.AppendUint(nil, d.seed, 10))
	_, _ = h.Write([]byte(path))
	x := h.Sum64() // The low bits of FNV alone are too regular.
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	return x ^ x>>33
}
