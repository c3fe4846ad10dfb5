package doctor

import (
	"maps"
	"slices"
	"strings"

	hiring "github.com/hiring-assessment/hiring-go"
)

// knownValues are the documented values of enums, by route (or its field of Dialect) and
// path of the field in its response.
var knownValues = map[string][]string{
	"GET /members role": {string(hiring.MemberRoleAdmin), string(hiring.MemberRoleMember)},
	"GET /challenges/{id} tasks.kind": {string(hiring.TaskKindBug), string(hiring.TaskKindFeature),
		string(hiring.TaskKindEfficiency)},
	listInvitations + " status": {string(hiring.InvitationSent), string(hiring.InvitationOpened),
		string(hiring.InvitationStarted), string(hiring.InvitationEvaluated)},
	listInvitations + " recruiter_decision":         {string(hiring.DecisionNone), string(hiring.DecisionShortlisted)},
	"GET /submissions/{id} status":                  {string(hiring.SubmissionEvaluated)},
	"GET /submissions/{id}/report verdict":          {string(hiring.VerdictStrongYes)},
	"GET /submissions/{id}/report confidence":       {string(hiring.ConfidenceLow)},
	"GET /submissions/{id}/report integrity_status": {string(hiring.IntegrityFlagged)},
	"GET /submissions/{id}/report pillars.id": {
		string(hiring.PillarCorrectness), string(hiring.PillarCraft), string(hiring.PillarAIFluency), string(hiring.PillarRigor),
	},
	listEvents + " kind":   {string(hiring.EventAttemptStarted), string(hiring.EventAIPrompt), string(hiring.EventAIResponse)},
	"GetAssessment status": {string(hiring.AssessmentActive), string(hiring.AssessmentClosed)},
}

// checkValues compares the documented values with the enums of the document. A field
// without an enum is open.
func checkValues(e *examination) Finding {
	if e.doc == nil || len(e.doc.operations) == 0 {
		return noDocument(e)
	}
	var d difference
	enums := 0
	for _, place := range slices.Sorted(maps.Keys(knownValues)) {
		at := strings.LastIndex(place, " ")
		route, path := place[:at], place[at+1:]
		values := e.operation(route).reply.within(strings.Split(path, ".")).texts("enum")
		if len(values) == 0 {
			continue
		}
		enums++
		d.compare(path+" ", knownValues[place], nil, values)
	}
	if enums == 0 {
		return undecided("the document has no enums for these fields")
	}
	return compared(d, "the enums of the document", "none: the client keeps unknown values")
}

// within returns the schema of a nested field. It descends into the items of arrays.
func (s schema) within(path []string) schema {
	for _, name := range path {
		s = s.resource().property(name)
	}
	return s
}
