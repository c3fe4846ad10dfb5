package sandbox_test

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

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
