package sandbox_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// documented are the documented members of every resource, with their JSON types.
var documented = map[string]string{
	"challenge": "id:s slug:s name:s domain:s difficulty:s level:s stack:s time_limit_minutes:i budget_dollars_cap:n " +
		"is_platform:b is_multi_task:b published_at:t created_at:t brief_md:s tasks:a?",
	"task":       "id:s task_key:s kind:s title:s order_index:i weight:n time_limit_minutes:i",
	"assessment": "id:s name:s challenge_id:s status:s time_limit_minutes:i budget_dollars_cap:n0 selected_task_ids:a0 created_at:t updated_at:t",
	"invitation": "id:s assessment_id:s candidate_email:s candidate_name:s status:s recruiter_decision:s " +
		"sent_at:t0 opened_at:t0 started_at:t0 submitted_at:t0 expires_at:t created_at:t",
	"submission": "id:s assessment_id:s challenge:o candidate:o status:s started_at:t submitted_at:t0 evaluated_at:t0 " +
		"paused_total_seconds:i budget:o created_at:t workspace_archive_url:s0 report:o",
	"ref": "name:s slug:s", "candidate": "email:s name:s", "budget": "dollars_used:n dollars_cap:n",
	"report": "submission_id:s status:s evaluated:b ship_score:i0 verdict:s verdict_label:s confidence:s summary:s scored_as_role:s0 " +
		"pillars:a strengths:a flags:a interview_questions:a facts:o scope_exclusions:a integrity_status:s pipeline_rank:o0 " +
		"percentile:n? tasks:a generated_at:t0",
	"pillar": "id:s label:s score:i0 low_confidence:b summary:s not_assessed:a",
	"facts": "time_used_minutes:n0 time_allotted_minutes:i budget_used_dollars:n budget_allotted_dollars:n " +
		"ai_authored_pct:n0 churn_pct:n0 ai_exchange_count:i",
	"rank": "rank:i total:i", "event": "seq:i kind:s ts_ms:i payload:o",
	"member":   "id:s email:s name:s role:s created_at:t",
	"account":  "id:s name:s slug:s plan:o usage:o branding:o custom_domain:s0 custom_domain_verified:b created_at:t",
	"plan":     "id:s subscription_status:s billing_currency:s limits_enforced:b",
	"usage":    "period_start:t assessments_used:i assessments_limit:i",
	"branding": "accent_color:s primary_color:s0 logo_url:s0 sender_name:s0 support_email:s0",
}

var (
	timestamp = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
	uuid      = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
)

// fields is an object with undecoded members.
type fields map[string]json.RawMessage

func (f fields) text(name string) string { return strings.Trim(string(f[name]), `"`) }

func (f fields) null(name string) bool { return string(f[name]) == "null" }

// conforms checks that an object has exactly the documented members, in the documented
// order and with the documented types.
func conforms(t *testing.T, kind string, raw json.RawMessage) fields {
	t.Helper()
	var o fields
	require.NoError(t, json.Unmarshal(raw, &o), "%s: %s", kind, raw)
	var names []string
	for rule := range strings.SplitSeq(documented[kind], " ") {
		name, types, _ := strings.Cut(rule, ":")
		member, present := o[name]
		if !present {
			require.Contains(t, types, "?", "%s.%s is missing in %s", kind, name, raw)
			continue
		}
		names = append(names, name)
		var value any
		require.NoError(t, json.Unmarshal(member, &value))
		require.True(t, hasType(value, types), "%s.%s is %v", kind, name, value)
		if name == "id" && kind != "pillar" && kind != "plan" {
			require.Regexp(t, uuid, value)
		}
	}
	require.Equal(t, names, memberNames(t, raw), kind)
	return o
}

func memberNames(t *testing.T, raw json.RawMessage) []string {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(raw)))
	_, err := d.Token()
	require.NoError(t, err)
	var names []string
	for d.More() {
		name, err := d.Token()
		require.NoError(t, err)
		names = append(names, name.(string))
		var value json.RawMessage
		require.NoError(t, d.Decode(&value))
	}
	return names
}

func hasType(value any, types string) bool {
	switch v := value.(type) {
	case nil:
		return strings.Contains(types, "0")
	case string:
		return types[0] == 's' || types[0] == 't' && timestamp.MatchString(v)
	case float64:
		return types[0] == 'n' || types[0] == 'i' && v == float64(int64(v))
	case bool:
		return types[0] == 'b'
	case []any:
		return types[0] == 'a'
	default:
		return types[0] == 'o'
	}
}

// everything reads a whole list as raw items.
func everything(t *testing.T, d transport, path string) []json.RawMessage {
	t.Helper()
	var all []json.RawMessage
	query := "?page_size=100"
	for page := 1; ; {
		a := d.get(t, path+query)
		all = append(all, into[[]json.RawMessage](t, a)...)
		switch {
		case a.Meta.HasMore == nil || !*a.Meta.HasMore:
			return all
		case a.Meta.NextCursor != nil && strings.HasSuffix(path, "/events"):
			query = "?page_size=500&since_seq=" + *a.Meta.NextCursor
		case a.Meta.NextCursor != nil:
			query = "?page_size=100&cursor=" + *a.Meta.NextCursor
		default:
			page++
			query = fmt.Sprintf("?page_size=100&page=%d", page)
		}
	}
}
