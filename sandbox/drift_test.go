package sandbox_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// drifts collects the changes of many seeds.
type drifts struct{ news, nulls, values map[string]bool }

// nullable are the members that drift may set to null.
var nullable = map[string]string{
	"assessment": "selected_task_ids", "invitation": "sent_at", "submission": "workspace_archive_url",
	"report": "scored_as_role", "pillar": "score", "own task": "score", "facts": "time_used_minutes ai_authored_pct churn_pct", "account": "custom_domain",
	"branding": "primary_color logo_url sender_name support_email",
}

// inside are the documented nested objects.
var inside = map[string]map[string]string{
	"submission": {"challenge": "ref", "candidate": "candidate", "budget": "budget", "report": "report"},
	"report":     {"pillars": "pillar", "facts": "facts", "pipeline_rank": "rank", "tasks": "own task"},
	"challenge":  {"tasks": "task"},
	"account":    {"plan": "plan", "usage": "usage", "branding": "branding"},
}

// compare compares a resource with drift with the same resource without drift.
func (d *drifts) compare(t *testing.T, kind string, plain, drifted json.RawMessage) {
	t.Helper()
	known, now := fields{}, fields{}
	require.NoError(t, json.Unmarshal(plain, &known))
	require.NoError(t, json.Unmarshal(drifted, &now), "%s", drifted)
	for _, name := range memberNames(t, drifted) {
		if _, documented := known[name]; !documented {
			assert.True(t, strings.HasPrefix(name, "drift_"), name)
			d.news[kind] = true
		}
	}
	for name, was := range known {
		switch is := now[name]; {
		case inside[kind][name] != "" && was[0] == '[':
			var before, after []json.RawMessage
			require.NoError(t, json.Unmarshal(was, &before))
			require.NoError(t, json.Unmarshal(is, &after))
			d.compareAll(t, inside[kind][name], before, after)
		case inside[kind][name] != "" && was[0] == '{':
			d.compare(t, inside[kind][name], was, is)
		case string(is) == string(was):
		case string(is) == "null":
			assert.Contains(t, strings.Fields(nullable[kind]), name, kind)
			d.nulls[kind+"."+name] = true
		default:
			assert.Regexp(t, `^"drifted_\d"$`, string(is), "%s.%s", kind, name)
			assert.NotContains(t, []string{`"evaluated"`, `"closed"`, `"sent"`, `"revoked"`, `""`}, string(was))
			d.values[kind+"."+name] = true
		}
	}
}

func (d *drifts) compareAll(t *testing.T, kind string, plain, drifted []json.RawMessage) {
	t.Helper()
	require.Len(t, drifted, len(plain))
	for i := range plain {
		if plain[i][0] != '{' {
			assert.Equal(t, plain[i], drifted[i])
			continue
		}
		d.compare(t, kind, plain[i], drifted[i])
	}
}

var driftedLists = map[string]string{
	"/members": "member", "/challenges": "challenge", "/assessments": "assessment", invitations: "invitation",
	busyEvents + "?since_seq=2370": "event", "/submissions?since=2026-02-20T00:00:00Z": "submission",
}

func TestDriftBreaksNothingDocumented(t *testing.T) {
	plain := inProcess(sandbox.New(unlimited()))
	before := map[string][]json.RawMessage{}
	for path := range driftedLists {
		before[path] = pages(t, plain, path)
	}
	all := &drifts{map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for seed := range uint64(4) {
		d := inProcess(sandbox.New(unlimited(), sandbox.WithDrift(seed)))
		for path, kind := range driftedLists {
			all.compareAll(t, kind, before[path], pages(t, d, path))
		}
		for _, path := range []string{"", "/report"} {
			path = "/submissions/" + sandbox.SubmissionID + path
			once := string(d.get(t, path).Data)
			assert.JSONEq(t, once, string(d.get(t, path).Data), "a record looks the same each time")
		}
		s := fields{}
		require.NoError(t, json.Unmarshal(d.get(t, "/submissions/"+sandbox.SubmissionID).Data, &s))
		assert.JSONEq(t, string(s["report"]), string(d.get(t, "/submissions/"+sandbox.SubmissionID+"/report").Data))
		d.get(t, "/submissions?page_size=101").invalid(t, "page_size")
		assert.Equal(t, 201, d.post(t, "/assessments", newAssessment).status)
	}
	for seed := range uint64(20) { // There is one account and there are few assessments.
		d := inProcess(sandbox.New(unlimited(), sandbox.WithDrift(seed)))
		all.compareAll(t, "assessment", before["/assessments"], pages(t, d, "/assessments"))
		all.compare(t, "account", plain.get(t, "/account").Data, d.get(t, "/account").Data)
	}
	for kind := range documented {
		assert.True(t, all.news[kind], "new members of %s", kind)
	}
	assert.Equal(t, []string{
		"assessment.selected_task_ids", "branding.primary_color", "branding.sender_name", "facts.ai_authored_pct",
		"facts.churn_pct", "facts.time_used_minutes", "invitation.sent_at", "own task.score", "pillar.score", "report.scored_as_role",
	}, slices.Sorted(maps.Keys(all.nulls)))
	assert.Equal(t, []string{
		"challenge.difficulty", "challenge.domain", "challenge.level", "challenge.stack", "event.kind", "invitation.recruiter_decision",
		"invitation.status", "member.role", "own task.kind", "plan.subscription_status", "report.confidence", "report.integrity_status", "report.status",
		"report.verdict", "submission.status", "task.kind",
	}, slices.Sorted(maps.Keys(all.values)))
}

// pages reads a whole list. The path may have filters.
func pages(t *testing.T, d transport, path string) []json.RawMessage {
	t.Helper()
	var all []json.RawMessage
	if !strings.Contains(path, "?") {
		return everything(t, d, path)
	}
	for next := "&page_size=50"; next != ""; {
		a := d.get(t, path+next)
		all = append(all, into[[]json.RawMessage](t, a)...)
		next = ""
		if a.Meta.NextCursor != nil {
			next = "&page_size=50&cursor=" + *a.Meta.NextCursor
		}
	}
	return all
}

func TestDriftIsDeterminedByTheSeed(t *testing.T) {
	list := func(seed uint64) string {
		return string(inProcess(sandbox.New(sandbox.WithDrift(seed))).get(t, "/submissions").raw)
	}
	once := list(3)
	assert.Equal(t, once, list(3))
	assert.NotEqual(t, once, list(4))
}

func TestMetaAndErrorsDriftToo(t *testing.T) {
	d := inProcess(sandbox.New(sandbox.WithDrift(1)))
	var met, failed bool
	for range 30 {
		var body struct {
			Meta fields `json:"meta"`
		}
		require.NoError(t, json.Unmarshal(d.get(t, "/account").raw, &body))
		met = met || len(body.Meta) > 1
		failed = failed || strings.Contains(string(d.get(t, "/nowhere").raw), "drift_")
	}
	assert.True(t, met)
	assert.True(t, failed)
}
