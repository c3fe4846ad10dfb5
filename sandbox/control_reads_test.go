package sandbox_test

import (
	"net/http"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

type journalNumbers struct {
	Entries []struct {
		Number int     `json:"number"`
		KeyID  *string `json:"key_id"`
	} `json:"entries"`
}

// TestTheJournalIsSearched makes one exchange of each kind and finds it by each parameter.
func TestTheJournalIsSearched(t *testing.T) {
	s := sandbox.Start(t, sandbox.WithDetails())
	s.AddKey(sandbox.Key{Token: "sk_live_gone", Scope: sandbox.ScopeRead, Organization: "acme"})
	d := inProcess(s)
	d.do(t, http.MethodGet, "/api/v1/account", sandbox.TestKey)                                                            // 1
	d.do(t, http.MethodGet, "/api/v1/submissions/"+sandbox.UnknownID, "sk_live_gone")                                      // 2
	d.do(t, http.MethodGet, "/api/v1/members", "sk_test_never_added")                                                      // 3
	d.do(t, http.MethodGet, "/api/v1/members", "")                                                                         // 4
	d.do(t, http.MethodPost, "/api/v1/assessments", sandbox.TestKey, `{"challenge_id":"`+sandbox.UnknownID+`","name":""}`) // 5
	s.RevokeKey("sk_live_gone")
	for query, want := range map[string][]int{
		"":                                {1, 2, 3, 4, 5},
		"limit=2":                         {4, 5},
		"limit=2&after=1":                 {2, 3},
		"before=3":                        {1, 2},
		"status=2xx":                      {1},
		"status=404":                      {2},
		"status=4xx":                      {2, 3, 4, 5},
		"status=failed":                   {2, 3, 4, 5},
		"status=none":                     nil,
		"key=none":                        {4},
		"key=sk_live_gone":                {2},
		"key=sk_test_never_added":         {3},
		"key=" + sandbox.TestKey:          {1, 5},
		"text=ACCOUNT":                    {1},
		"text=not_found":                  {2},
		"text=nothing+like+this":          nil,
		"method=POST":                     {5},
		"organization=acme":               {2},
		"slower_than=1h":                  nil,
		"route=GET+%2Fmembers":            {3, 4},
		"until=2001-01-01T00%3A00%3A00Z":  nil,
		"status=4xx&method=GET&limit=500": {2, 3, 4},
	} {
		var numbers []int
		for _, e := range readControl[journalNumbers](t, s, "journal?"+query).Entries {
			numbers = append(numbers, e.Number)
		}
		assert.Equal(t, want, numbers, query)
	}
	assert.Len(t, readControl[journalNumbers](t, s, "journal?sort=took").Entries, 5)
	for _, e := range readControl[journalNumbers](t, s, "journal").Entries { // The id of a key serves as well as the key.
		if e.KeyID != nil {
			assert.NotEmpty(t, readControl[journalNumbers](t, s, "journal?key="+url.QueryEscape(*e.KeyID)).Entries)
		}
	}
	stats := readControl[struct {
		Buckets []struct{ Count, Failed, Repeated int }
	}](t, s, "journal/stats")
	total, failed := 0, 0
	for _, b := range stats.Buckets {
		total, failed = total+b.Count, failed+b.Failed
	}
	assert.Equal(t, []int{5, 4}, []int{total, failed})
	status, body := steer(t, s, http.MethodPost, "journal/2/send", "")
	assert.Equal(t, 409, status, body)
	assert.Contains(t, body, "revoked")
}

// TestBucketsFitTheTime spreads requests over different times.
func TestBucketsFitTheTime(t *testing.T) {
	for step, want := range map[time.Duration][2]int{
		time.Microsecond: {1, 1}, 10 * time.Millisecond: {30, 60}, time.Millisecond: {30, 60}, time.Second: {30, 60}, 26 * time.Hour: {30, 60},
	} {
		now := noon
		s := sandbox.Start(t, sandbox.WithClock(func() time.Time { return now }))
		for range 100 {
			now = now.Add(step)
			inProcess(s).do(t, http.MethodGet, "/api/v1/account", "")
		}
		stats := readControl[struct {
			Begin   time.Time
			Buckets []struct {
				At    time.Time
				Count int
			}
		}](t, s, "journal/stats")
		assert.True(t, len(stats.Buckets) >= want[0] && len(stats.Buckets) <= want[1], "%s: %d buckets", step, len(stats.Buckets))
		assert.Equal(t, stats.Begin, stats.Buckets[0].At)
		total := 0
		for _, b := range stats.Buckets {
			total += b.Count
		}
		assert.Equal(t, 100, total)
	}
}

// TestQueriesOfTheControlAPIAreStrict names what to send for each wrong query or body.
func TestQueriesOfTheControlAPIAreStrict(t *testing.T) {
	s := sandbox.Start(t)
	for path, text := range map[string]string{
		"journal?organization=nobody":              "there is no organization",
		"journal?key=sk_live_nobody":               "has seen no such key",
		"journal?after=1&before=2":                 "not both",
		"journal?sort=size":                        "must be took",
		"journal?status=strange":                   "must be a status such as 404",
		"journal?limit=1&limit=2":                  "given twice",
		"journal?limit=%zz":                        "malformed",
		"journal?limit=many":                       "give a whole number",
		"journal?repeated=perhaps":                 "give true or false",
		"journal?since=today":                      "give a time like",
		"journal/stats?sort=size":                  "must be took",
		"faults?state=lost":                        "must be waiting, active, done or removed",
		"faults?organization=nobody":               "there is no organization",
		"candidates?limit=0":                       "must be from 1",
		"candidates?stage=lost":                    "must be ",
		"clock?seconds=5&to=2090-01-01T00:00:00Z":  "give seconds or to, not both",
		"events?after=never":                       "id of an event",
		"mails?organization=nobody":                "there is no organization",
		"journal?organization=sandbox&unknown=yes": "there is no such member",
	} {
		status, body := steer(t, s, http.MethodGet, path, "")
		assert.Equal(t, 400, status, "%s: %s", path, body)
		assert.Contains(t, body, text, path)
	}
	for _, c := range [][3]string{
		{"clock", `{}`, "give seconds or to"},
		{"clock", `{"seconds":-1}`, "does not go back"},
		{"clock", `{"to":"2001-01-01T00:00:00Z"}`, "does not go back"},
		{"throttle", `{}`, "throttled"},
		{"drift", `{"seed":1}`, "on"},
		{"drift", `{"on":true,"seed":-1}`, "give a whole number from 0"},
		{"drift", `{"on":"yes"}`, "give true or false"},
		{"archives", `{}`, "available"},
		{"plan", `{"key":"sk_live_sandbox"}`, "give used, limit or limits_enforced"},
		{"reset", `{"key":"sk_live_sandbox","organization":"sandbox"}`, "not both"},
		{"reset", `{"organization":5}`, "give a text"},
		{"faults", `{"status":500,"retry_after":-1}`, "must not be negative"},
		{"faults", `{"reset":true,"late":-1}`, "must not be negative"},
		{"members", `{"email":"a@b.test","name":"A","role":""}`, "role"},
		{"challenges", `{"name":"A","tasks":"one"}`, "give an array"},
		{"settings", `{"timeline":5}`, "give an object"},
		{"settings", `{"listing_lag":"-5m"}`, ""},
	} {
		status, body := steer(t, s, http.MethodPost, c[0], c[1])
		assert.Equal(t, 400, status, "%s %s: %s", c[0], c[1], body)
		assert.Contains(t, body, c[2], c[1])
	}
	status, body := steer(t, s, http.MethodPost, "advance?seconds=5", "")
	assert.Equal(t, 400, status, body)
	assert.Contains(t, body, "in the body, not in the query")
}

// TestKeysOfEveryStateAreShown reads keys that are valid, expired, revoked and unknown, and
// sets a rate limit by the id of a key.
func TestKeysOfEveryStateAreShown(t *testing.T) {
	s := sandbox.Start(t)
	s.AddKey(sandbox.Key{Token: "sk_test_old_key", Scope: sandbox.ScopeRead, Expires: time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)})
	s.RevokeKey(sandbox.WriteKey)
	inProcess(s).do(t, http.MethodGet, "/api/v1/members", "sk_test_never_added")
	type key struct {
		ID      string
		State   string
		Token   *string
		Expires *string
		Read    *struct{ Remaining int }
	}
	read := func() map[string][]key {
		states := make(map[string][]key)
		for _, k := range readControl[struct{ Keys []key }](t, s, "keys").Keys {
			states[k.State] = append(states[k.State], k)
		}
		return states
	}
	states := read()
	require.Len(t, states["expired"], 1)
	assert.NotNil(t, states["expired"][0].Expires)
	require.Len(t, states["revoked"], 1)
	require.Len(t, states["unknown"], 1)
	assert.Nil(t, states["unknown"][0].Token, "a key that may be a real one is not shown")
	require.NotEmpty(t, states["valid"])
	id := states["valid"][0].ID
	steered(t, s, "quota", `{"key":"`+id+`","class":"read","remaining":7}`)
	for _, k := range read()["valid"] {
		if k.ID == id {
			assert.Equal(t, 7, k.Read.Remaining)
		}
	}
}

// TestCandidatesAreFound finds candidates by stage, text and position, and reads one in full.
func TestCandidatesAreFound(t *testing.T) {
	s := sandbox.Start(t)
	steered(t, s, "seed", `{"count":30}`)
	type list struct {
		Candidates []struct {
			InvitationID string  `json:"invitation_id"`
			SubmissionID *string `json:"submission_id"`
			Name         string  `json:"candidate_name"`
		}
		Counts map[string]int
		More   bool
	}
	all := readControl[list](t, s, "candidates")
	require.Len(t, all.Candidates, 30)
	first := readControl[list](t, s, "candidates?limit=10")
	assert.True(t, first.More)
	rest := readControl[list](t, s, "candidates?before="+first.Candidates[9].InvitationID)
	assert.Equal(t, all.Candidates[10:], rest.Candidates)
	for stage, count := range all.Counts {
		assert.Len(t, readControl[list](t, s, "candidates?stage="+stage).Candidates, count, stage)
	}
	assert.Empty(t, readControl[list](t, s, "candidates?text=nobody+of+this+name").Candidates)
	for _, c := range all.Candidates {
		full := readControl[struct {
			EventCount int `json:"event_count"`
			Events     []map[string]any
			Report     map[string]any
		}](t, s, "candidates/"+c.InvitationID)
		if c.SubmissionID != nil {
			assert.Len(t, full.Events, min(full.EventCount, 100))
			assert.NotEmpty(t, full.Report)
		}
	}
}

// TestPlanLimitsHoldForTestControls invites beyond the plan, and into a closed or unknown
// assessment.
func TestPlanLimitsHoldForTestControls(t *testing.T) {
	s := sandbox.Start(t)
	assessment := s.AddAssessment("Backend")
	s.SetPlan(sandbox.LiveKey, 5, 5)
	_, err := s.Invite(assessment, "ada@candidates.test", "Ada")
	require.ErrorContains(t, err, "plan")
	status, body := steer(t, s, http.MethodPost, "seed", `{"count":3}`)
	assert.Equal(t, 409, status, body)
	s.SetPlan(sandbox.LiveKey, 0, 100)
	_, err = s.LiveClient().Assessments.Close(t.Context(), assessment)
	require.NoError(t, err)
	_, err = s.Invite(assessment, "ada@candidates.test", "Ada")
	require.ErrorContains(t, err, "closed")
	_, err = s.Invite(sandbox.UnknownID, "ada@candidates.test", "Ada")
	require.Error(t, err)
	status, body = steer(t, s, http.MethodPost, "assessments/"+assessment+"/close", "")
	assert.Equal(t, 409, status, body)
}

// TestReadsAndChangesMayOverlap shows under the race detector whether a response holds what a
// later change writes.
func TestReadsAndChangesMayOverlap(t *testing.T) {
	l := liveWorld()
	posting := l.assess(t)
	invitation := l.invite(t, posting, "a@example.test")
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 25 {
				readControl[any](t, l.s, "clock")
				readControl[any](t, l.s, "candidates/"+invitation)
			}
		})
		group.Go(func() {
			for range 25 {
				l.post(t, posting+"/invitations/"+invitation+"/resend", "")
			}
		})
	}
	group.Wait()
}
