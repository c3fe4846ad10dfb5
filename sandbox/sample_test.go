package sandbox_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestSampleDataHasWhatIsPromised looks for what tests of users rely on.
func TestSampleDataHasWhatIsPromised(t *testing.T) {
	d := inProcess(sandbox.New(unlimited()))
	count := func(path string, parts ...string) map[string]int {
		seen := make(map[string]int)
		for _, raw := range everything(t, d, path) {
			for _, part := range parts {
				if strings.Contains(string(raw), part) {
					seen[part]++
				}
			}
		}
		return seen
	}
	for path, parts := range map[string][]string{
		"/challenges":  {`"is_multi_task":true`, `"is_multi_task":false`},
		"/assessments": {`"status":"active"`, `"status":"closed"`},
		invitations:    {`"status":"sent"`, `"status":"opened"`, `"status":"started"`, `"status":"evaluated"`},
		"/submissions": {
			`"status":"submitted"`, `"status":"started"`, `"evaluated":false`, `"percentile":`, `"summary":"",`, `"low_confidence":true`, `"score":null`,
			`"flags":["`, `"not_assessed":["`, `"workspace_archive_url":null`, `"time_used_minutes":null`,
		},
	} {
		seen := count(path, parts...)
		for _, part := range parts {
			assert.Positive(t, seen[part], "%s: %s", path, part)
		}
	}
	assert.Len(t, everything(t, d, "/assessments"), 6)
	assert.Len(t, everything(t, d, invitations), 360)
	assert.Len(t, everything(t, d, "/submissions"), 293)
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
