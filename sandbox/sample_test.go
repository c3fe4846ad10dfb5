package sandbox_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestAccountAndMembers(t *testing.T) {
	d := inProcess(sandbox.New())
	account := conforms(t, "account", d.get(t, "/account").Data)
	conforms(t, "plan", account["plan"])
	conforms(t, "usage", account["usage"])
	branding := conforms(t, "branding", account["branding"])
	assert.True(t, branding.null("logo_url"))
	assert.False(t, branding.null("primary_color"))
	roles := map[string]bool{}
	for _, m := range everything(t, d, "/members") {
		roles[conforms(t, "member", m).text("role")] = true
	}
	assert.Equal(t, map[string]bool{"admin": true, "member": true}, roles)
}

func TestChallengesAndAssessments(t *testing.T) {
	d := inProcess(sandbox.New())
	single, domains, kinds := 0, map[string]bool{}, map[string]bool{}
	for _, raw := range everything(t, d, "/challenges") {
		c := conforms(t, "challenge", raw)
		domains[c.text("domain")] = true
		assert.Equal(t, c.text("is_multi_task") == "true", c["tasks"] != nil)
		assert.JSONEq(t, string(raw), string(d.get(t, "/challenges/"+c.text("id")).Data))
		if c["tasks"] == nil {
			single++
			continue
		}
		var tasks []json.RawMessage
		require.NoError(t, json.Unmarshal(c["tasks"], &tasks))
		for i, raw := range tasks {
			task := conforms(t, "task", raw)
			kinds[task.text("kind")] = true
			assert.Equal(t, fmt.Sprint(i), task.text("order_index"))
		}
	}
	assert.GreaterOrEqual(t, single, 2)
	assert.GreaterOrEqual(t, len(domains), 3)
	assert.Equal(t, map[string]bool{"bug": true, "feature": true, "efficiency": true}, kinds)

	seen := map[string]int{}
	for _, raw := range everything(t, d, "/assessments") {
		a := conforms(t, "assessment", raw)
		seen[a.text("status")]++
		seen[fmt.Sprintf("budget null %v", a.null("budget_dollars_cap"))]++
		seen[fmt.Sprintf("tasks null %v", a.null("selected_task_ids"))]++
		assert.Equal(t, 200, d.get(t, "/challenges/"+a.text("challenge_id")).status)
		assert.JSONEq(t, string(raw), string(d.get(t, "/assessments/"+a.text("id")).Data))
	}
	assert.Equal(t, map[string]int{
		"active": 5, "closed": 1, "budget null true": 2, "budget null false": 4, "tasks null true": 5, "tasks null false": 1,
	}, seen)
	closed := into[object](t, d.get(t, "/assessments/"+sandbox.ClosedAssessmentID))
	assert.Equal(t, "closed", closed["status"])
}

func TestInvitationsAgreeWithTheirStatus(t *testing.T) {
	d := inProcess(sandbox.New())
	statuses, decisions, addresses := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, raw := range everything(t, d, invitations) {
		i := conforms(t, "invitation", raw)
		status := i.text("status")
		statuses[status]++
		decisions[i.text("recruiter_decision")]++
		addresses[i.text("candidate_email")] = true
		assert.Equal(t, sandbox.AssessmentID, i.text("assessment_id"))
		assert.False(t, i.null("sent_at"))
		assert.Equal(t, status == "sent", i.null("opened_at"), status)
		assert.Equal(t, status == "sent" || status == "opened", i.null("started_at"), status)
		if status != "started" {
			assert.Equal(t, status != "evaluated", i.null("submitted_at"), status)
		}
		last := i.text("created_at")
		for _, at := range []string{"sent_at", "opened_at", "started_at", "submitted_at", "expires_at"} {
			if !i.null(at) {
				require.Greater(t, i.text(at), last, at)
				last = i.text(at)
			}
		}
	}
	assert.Equal(t, map[string]int{"sent": 40, "opened": 40, "started": 20, "evaluated": 260}, statuses)
	assert.NotZero(t, decisions["none"])
	assert.NotZero(t, decisions["shortlisted"])
	assert.Len(t, addresses, 360)
	for id, n := range map[string]int{"2": 0, "3": 1, "4": 5, "5": 12, "6": 3} {
		assert.Len(t, everything(t, d, "/assessments/a0000000-0000-4000-8000-00000000000"+id+"/invitations"), n)
	}
}

func TestSubmissionsAgreeWithTheirReports(t *testing.T) {
	d := inProcess(sandbox.New(unlimited()))
	seen, ranks, scores := map[string]int{}, map[int]int{}, []int{}
	for _, raw := range everything(t, d, "/submissions") {
		s := conforms(t, "submission", raw)
		conforms(t, "ref", s["challenge"])
		conforms(t, "candidate", s["candidate"])
		budget := conforms(t, "budget", s["budget"])
		r := conforms(t, "report", s["report"])
		facts := conforms(t, "facts", r["facts"])
		assert.True(t, s.null("workspace_archive_url"))
		assert.Equal(t, string(raw), string(d.get(t, "/submissions/"+s.text("id")).Data))
		assert.Equal(t, string(s["report"]), string(d.get(t, "/submissions/"+s.text("id")+"/report").Data))
		assert.Equal(t, s.text("id"), r.text("submission_id"))
		assert.Equal(t, s.text("status"), r.text("status"))
		assert.Equal(t, budget.text("dollars_used"), facts.text("budget_used_dollars"))
		assert.Equal(t, budget.text("dollars_cap"), facts.text("budget_allotted_dollars"))
		done := s.text("status") == "evaluated"
		assert.Equal(t, done, r.text("evaluated") == "true")
		for _, null := range []bool{s.null("evaluated_at"), r.null("ship_score"), r.null("pipeline_rank"), r.null("generated_at"), r.text("verdict") == ""} {
			assert.Equal(t, !done, null)
		}
		assert.Equal(t, s.text("status") == "started", s.null("submitted_at"))
		if done {
			score, err := strconv.Atoi(r.text("ship_score"))
			require.NoError(t, err)
			rank := into[object](t, apiResponse{Data: r["pipeline_rank"]})
			if was, found := ranks[score]; found {
				assert.EqualValues(t, was, rank["rank"], "a score has one rank")
			}
			ranks[score], scores = int(rank["rank"].(float64)), append(scores, score)
			assert.EqualValues(t, 271, rank["total"])
			assert.Greater(t, s.text("evaluated_at"), s.text("submitted_at"))
		}
		tally(t, seen, r, facts)
	}
	shareRanks(t, scores, ranks)
	for _, want := range []string{
		"percentile", "no percentile", "empty summary", "null score", "low confidence", "reported", "not assessed",
		"strengths string", "strengths object", "flags string", "flags object", "interview_questions string", "interview_questions object",
		"scope_exclusions string", "scope_exclusions object", "tasks string", "tasks object", "tasks none",
		"role null", "role set", "time null", "time set", "ai null", "ai set", "churn null", "churn set",
		"strong_yes", "confidence low", "integrity flagged",
	} {
		assert.NotZero(t, seen[want], want)
	}
}

// shareRanks checks that a rank is one plus the number of better scores.
func shareRanks(t *testing.T, scores []int, ranks map[int]int) {
	t.Helper()
	assert.Len(t, scores, 271)
	assert.Less(t, len(ranks), len(scores), "some share a score")
	for score, rank := range ranks {
		better := 0
		for _, other := range scores {
			if other > score {
				better++
			}
		}
		assert.Equal(t, better+1, rank, "of score %d", score)
	}
}

// tally counts the values of an evaluated report.
func tally(t *testing.T, seen map[string]int, r, facts fields) {
	var pillars []json.RawMessage
	require.NoError(t, json.Unmarshal(r["pillars"], &pillars))
	var order []string
	for _, raw := range pillars {
		p := conforms(t, "pillar", raw)
		order = append(order, p.text("id")+" "+p.text("label"))
		if r.text("evaluated") == "false" {
			require.True(t, p.null("score"))
			continue
		}
		switch {
		case p.null("score"):
			seen["null score"]++
		case p.text("low_confidence") == "true":
			seen["low confidence"]++
		default:
			seen["reported"]++
		}
		if p.text("not_assessed") != "[]" {
			seen["not assessed"]++
		}
	}
	require.Equal(t, []string{"correctness Correctness", "craft Craft", "ai_fluency AI Fluency", "rigor Rigor"}, order)
	if r.text("evaluated") == "false" {
		require.NotContains(t, r, "percentile")
		return
	}
	note := func(name string, yes bool, is, isNot string) {
		if yes {
			seen[name+is]++
		} else {
			seen[name+isNot]++
		}
	}
	note("", r["percentile"] != nil, "percentile", "no percentile")
	note("", r.text("summary") == "", "empty summary", "summary")
	note("role ", r.null("scored_as_role"), "null", "set")
	note("time ", facts.null("time_used_minutes"), "null", "set")
	note("ai ", facts.null("ai_authored_pct"), "null", "set")
	note("churn ", facts.null("churn_pct"), "null", "set")
	seen[r.text("verdict")]++
	seen["confidence "+r.text("confidence")]++
	seen["integrity "+r.text("integrity_status")]++
	for _, name := range []string{"strengths", "flags", "interview_questions", "scope_exclusions", "tasks"} {
		var all []any
		require.NoError(t, json.Unmarshal(r[name], &all))
		for _, element := range all {
			_, isString := element.(string)
			note(name+" ", isString, "string", "object")
		}
		if len(all) == 0 {
			seen[name+" none"]++
		}
	}
}

func TestWellKnownSubmissions(t *testing.T) {
	d := inProcess(sandbox.New())
	done := conforms(t, "report", d.get(t, "/submissions/"+sandbox.SubmissionID+"/report").Data)
	assert.Equal(t, "91", done.text("ship_score"))
	assert.Equal(t, "strong_yes", done.text("verdict"))
	assert.NotContains(t, string(done["pillars"]), `"score":null`)
	assert.NotContains(t, string(done["pillars"]), `"low_confidence":true`)
	assert.NotNil(t, done["percentile"])
	pending := conforms(t, "submission", d.get(t, "/submissions/"+sandbox.PendingSubmissionID).Data)
	assert.Equal(t, "submitted", pending.text("status"))
	report := conforms(t, "report", d.get(t, "/submissions/"+sandbox.PendingSubmissionID+"/report").Data)
	assert.Equal(t, "false", report.text("evaluated"))
	assert.Equal(t, 4, strings.Count(string(report["pillars"]), `"score":null`))
}

func TestEvents(t *testing.T) {
	d := inProcess(sandbox.New(unlimited()))
	kinds, longest, all := map[string]int{}, 0, everything(t, d, busyEvents)
	assert.Len(t, all, 2400)
	at := ""
	for _, raw := range all {
		e := conforms(t, "event", raw)
		kinds[e.text("kind")]++
		longest = max(longest, len(e["payload"]))
		require.Greater(t, e.text("ts_ms"), at)
		at = e.text("ts_ms")
	}
	assert.Equal(t, `{}`, string(conforms(t, "event", all[0])["payload"]))
	for _, kind := range []string{"attempt_started", "ai_prompt", "ai_response", "file_edit", "test_run"} {
		assert.NotZero(t, kinds[kind], kind)
	}
	assert.Zero(t, kinds[""], "that is left to drift")
	assert.Equal(t, 1, kinds["attempt_started"])
	assert.Greater(t, longest, 100<<10)
	text := string(d.get(t, busyEvents+"?page_size=500").raw)
	for _, odd := range []string{`\ud800"`, "👩🏽‍💻", `"text":null`, `"tokens":9007199254740993`, `\u0000`} {
		assert.Contains(t, text, odd)
	}
	counts := map[int]int{}
	for n := 1; n <= 13; n++ {
		counts[len(everything(t, d, fmt.Sprintf("/submissions/5b000000-0000-4000-8001-%012d/events", n)))]++
	}
	assert.NotZero(t, counts[0], "some have no log")
	assert.NotZero(t, counts[7])
	var facts fields
	report := conforms(t, "report", d.get(t, "/submissions/"+sandbox.BusySubmissionID+"/report").Data)
	require.NoError(t, json.Unmarshal(report["facts"], &facts))
	assert.Equal(t, fmt.Sprint(kinds["ai_prompt"]), facts.text("ai_exchange_count"))
}

// The sum changes with any byte of the sample data, which golden files of users may
// contain. A change must be intended and listed in the changelog.
func TestSampleDataIsTheSameEverywhere(t *testing.T) {
	d := inProcess(sandbox.New(unlimited()))
	sum := sha256.New()
	sum.Write(d.get(t, "/account").Data)
	lists := []string{"/members", "/challenges", "/assessments"}
	for _, id := range ids(t, d.get(t, "/assessments")) {
		lists = append(lists, "/assessments/"+id+"/invitations")
	}
	lists = append(lists, "/submissions")
	for _, raw := range everything(t, d, "/submissions") {
		lists = append(lists, "/submissions/"+conforms(t, "submission", raw).text("id")+"/events")
	}
	for _, path := range lists {
		for _, raw := range everything(t, d, path) {
			sum.Write(raw)
		}
	}
	assert.Equal(t, "faa6e7a93f1c0d88f08a814f601652c0e070c28cfa46761227ce7c5cc9a6f12b", hex.EncodeToString(sum.Sum(nil)))
}
