package sandbox_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// searched is a server after eight exchanges, one a minute.
func searched(t *testing.T) *sandbox.Server {
	t.Helper()
	now := time.Date(2026, 3, 10, 17, 10, 0, 0, time.UTC)
	s := sandbox.New(sandbox.WithClock(func() time.Time { return now }))
	d := inProcess(s)
	send := func(method, path, key string, with ...any) {
		_ = d.do(t, method, "/api/v1"+path, key, with...)
		now = now.Add(time.Minute)
	}
	send("GET", "/account", sandbox.TestKey)                                                                                                    // 1, 17:10
	send("GET", "/submissions?page_size=500", sandbox.TestKey)                                                                                  // 2
	send("GET", "/submissions/"+sandbox.SubmissionID+"/report", sandbox.ReadOnlyKey)                                                            // 3
	send("POST", "/assessments", sandbox.TestKey, `{"name":"","team":"\u00c5sa \ud83d\ude00"}`, http.Header{"User-Agent": {"Batch/2 (linux)"}}) // 4
	send("GET", "/submissions?page_size=200", sandbox.LiveKey)                                                                                  // 5
	s.Inject(sandbox.Fault{Status: 500, Route: "GET /members"})
	d.send(t.Context(), t, http.MethodGet, "/members", "") // 6
	now = now.Add(time.Minute)
	send("GET", "/submissions/"+sandbox.UnknownID, sandbox.TestKey) // 7
	send("GET", "/submissions/"+sandbox.UnknownID, "")              // 8, 17:17
	now = now.Add(20 * 24 * time.Hour)
	return s
}

// TestASearchHasALanguage: each operator, its negation, and several at once.
func TestASearchHasALanguage(t *testing.T) {
	s := searched(t)
	for search, want := range map[string][]int{
		"status:4xx":                          {2, 4, 5, 7, 8},
		"status:4xx -route:/submissions":      {4},
		"status:4xx -route:submissions/{id}":  {2, 4, 5},
		`route:"GET /submissions" status:4xx`: {2, 5},
		"-is:failed":                          {1, 3},
		"is:fault":                            {6},
		"fault:1":                             {6},
		"fault:7,1":                           {6},
		"status:2xx,404 -status:3xx,500":      {1, 3, 7},
		"code:not_found,internal_error":       {6, 7},
		"key:none,live":                       {5, 8},
		`"at most 100"`:                       {2, 5},
		`"Åsa 😀"`:                             {4}, // The body has escapes.
		"repeats:4":                           {4},
		"repeats:4,2":                         {2, 4},
		"field:page_size":                     {2, 5},
		"field:page_size -key:live":           {2},
		"code:not_found":                      {7},
		"key:none":                            {8},
		"key:" + sandbox.ReadOnlyKey:          {3},
		"method:post":                         {4},
		"program:batch/":                      {4},
		"-program:none":                       {4},
		"#3":                                  {3},
		"3 route:report":                      {3},
		"after:17:12 before:17:14":            {3, 4},
		"-after:17:12":                        {1, 2},
		"after:2026-03-10T17:16:00Z":          {7, 8},
		"after:20d3m":                         {6, 7, 8},
		"before:480h7m30s":                    {1},
		"after:2026-03-11T00:00 after:17:12":  nil,
		"before:2026-03-10":                   nil,
		"took:>1h":                            nil,
		"took:<1h -status:4xx":                {1, 3, 6},
		"…0404":                               {7, 8},
		"POST 400":                            {4},
		`"sandbox hiring ltd"`:                {1},
		`name":""`:                            {4},
		"nothing:here":                        nil,
		"candidate:BJORN.BERGSTROM@candidates.test": {3},
		"candidate:Bjorn":           {3},
		"candidate:candidates.test": nil,
	} {
		_, body := steer(t, s, http.MethodGet, "journal?"+url.Values{"search": {search}}.Encode(), "")
		var got journalNumbers
		require.NoError(t, json.Unmarshal([]byte(body), &got), body)
		assert.Equal(t, want, got.numbers(), search)
		assert.Equal(t, len(want), got.Stats.Count, search)
	}
	for search, says := range map[string]string{
		"status:abc": "must be a status", "status:2xx,abc": "must be a status", "status:abc,2xx": "must be a status", "took:soon": "took: must be a duration", "after:soon": "after: must be a time", "is:odd": "is: must be failed",
	} {
		status, body := steer(t, s, http.MethodGet, "journal?"+url.Values{"search": {search}}.Encode(), "")
		assert.Equal(t, 400, status)
		assert.Contains(t, body, says)
	}
	_, body := steer(t, s, http.MethodGet, "journal?search=nothing:here", "")
	assert.Contains(t, body, `"Injected fault"`, "the page shows what the test did also where no request matches")
}

// TestASearchKnowsTheWordsOfThePage for what no response says.
func TestASearchKnowsTheWordsOfThePage(t *testing.T) {
	s := sandbox.New()
	d := inProcess(s)
	for i, fault := range []sandbox.Fault{{Reset: true}, {After: true}, {CutAfter: 5}, {Status: 500}} {
		s.Inject(fault)
		d.send(t.Context(), t, http.MethodPost, "/assessments/"+sandbox.AssessmentID+"/invitations", candidateBody(fmt.Sprint("ada", i, "@candidates.test"))) // 1 to 4
	}
	d.do(t, http.MethodGet, "/api/v1/account", "")                    // 5
	d.do(t, http.MethodGet, "/api/v1/account", "sk_test_never_added") // 6
	s.SetQuota(sandbox.TestKey, sandbox.ClassRead, 0)
	d.do(t, http.MethodGet, "/api/v1/account", sandbox.TestKey) // 7
	for search, want := range map[string][]int{
		"status:reset": {1}, "status:lost": {2}, "status:cut": {3}, "lost": {2}, "done": {1, 2, 4}, `"not done"`: {1, 4}, "repeats:1,": {1}, "repeats:abc": nil, `"no key"`: {5}, `"unknown key"`: {6}, `"no reads left"`: {7},
	} {
		_, body := steer(t, s, http.MethodGet, "journal?"+url.Values{"search": {search}}.Encode(), "")
		var found journalNumbers
		require.NoError(t, json.Unmarshal([]byte(body), &found))
		assert.Equal(t, want, found.numbers(), search)
	}
}

// TestAWithheldResponseIsKept: the entry of a write whose response was lost, cut or replaced says what the work
// would have returned, and the first refused field is in the row.
func TestAWithheldResponseIsKept(t *testing.T) {
	l := liveWorld()
	assessment := l.assess(t)
	for name, fault := range map[string]sandbox.Fault{
		"lost": {After: true}, "replaced": {After: true, Status: 503}, "cut": {CutAfter: 5}, "before": {Status: 500}, "late": {Delay: time.Nanosecond},
	} {
		l.s.ClearJournal()
		fault.Route = "POST *"
		l.s.Inject(fault)
		l.with(sandbox.LiveKey).send(t.Context(), t, http.MethodPost, assessment+"/invitations", candidateBody(name+"@candidates.test"))
		_, list := steer(t, l.s, http.MethodGet, "journal", "")
		assert.NotContains(t, list, "withheld", "the list has no bodies")
		var numbers journalNumbers
		require.NoError(t, json.Unmarshal([]byte(list), &numbers))
		assert.Equal(t, name != "late", numbers.Stats.Failed == 1, "%s: also a response that was cut", name)
		_, body := steer(t, l.s, http.MethodGet, "journal/"+strconv.Itoa(numbers.numbers()[0]), "")
		var entry struct {
			Done     bool `json:"done"`
			Withheld *struct {
				Status   int    `json:"status"`
				Response string `json:"response"`
			} `json:"withheld"`
		}
		require.NoError(t, json.Unmarshal([]byte(body), &entry))
		withheld := name != "before" && name != "late"
		assert.Equal(t, withheld, entry.Withheld != nil, name)
		assert.Equal(t, name != "before", entry.Done, name)
		if withheld {
			assert.Equal(t, 201, entry.Withheld.Status, name)
			assert.Contains(t, entry.Withheld.Response, name+"@candidates.test")
		}
	}
}

// TestAFaultOfOneCandidate concerns requests with the address or an id of the candidate only.
func TestAFaultOfOneCandidate(t *testing.T) {
	l := liveWorld()
	assessment := l.assess(t)
	ada, bea := l.begin(t, l.invite(t, assessment, "ada@candidates.test")), l.begin(t, l.invite(t, assessment, "bea@candidates.test"))
	l.s.Inject(sandbox.Fault{Route: "GET *", Candidate: "ADA@candidates.test", Status: 409, Times: 2})
	assert.Equal(t, 200, l.get(t, "/submissions/"+bea+"/report").status)
	assert.Equal(t, 200, l.get(t, "/submissions").status)
	assert.Equal(t, 409, l.get(t, "/submissions/"+ada).status)
	assert.Equal(t, 409, l.get(t, "/submissions/"+ada+"/report").status)
	assert.Equal(t, 200, l.get(t, "/submissions/"+ada+"/report").status)
}

// TestAReportIsMadeLate for one candidate, before and after the evaluation.
func TestAReportIsMadeLate(t *testing.T) {
	l := liveWorld(sandbox.WithClock(func() time.Time { return time.Date(2026, 11, 28, 17, 0, 0, 0, time.UTC) })) // In 40 days a month begins with used invitations.
	assessment := l.assess(t)
	id := l.begin(t, l.invite(t, assessment, "ada@candidates.test"))
	ready := func() bool { _, report := l.submission(t, id); return string(report["evaluated"]) == "true" }
	delay := func(input string, want int) {
		status, body := steer(t, l.s, http.MethodPost, "candidates/"+id+"/delay", input)
		assert.Equal(t, want, status, body)
	}
	delay(`{"seconds":300}`, 204)
	_, candidate := steer(t, l.s, http.MethodGet, "candidates/"+id, "")
	assert.Contains(t, candidate, `"report_delay":300`)
	assert.NotContains(t, candidate, `"coming"`)
	require.NoError(t, l.s.Evaluate(id, sandbox.Result{ShipScore: new(70)}))
	assert.False(t, ready())
	_, candidate = steer(t, l.s, http.MethodGet, "candidates/"+id, "")
	assert.Regexp(t, `"coming":{[^}]*"ship_score":70`, candidate)
	l.s.Advance(5 * time.Minute)
	assert.True(t, ready())
	_, candidate = steer(t, l.s, http.MethodGet, "candidates/"+id, "")
	assert.NotContains(t, candidate, `"coming"`)
	delay(`{"seconds":"1m"}`, 204)
	assert.False(t, ready())
	l.s.Advance(time.Minute)
	assert.True(t, ready())
	delay(`{"seconds":-1}`, 204)
	l.s.Advance(time.Hour)
	assert.False(t, ready(), "never")
	require.NoError(t, l.s.Evaluate(id, sandbox.Result{ShipScore: new(71)}))
	assert.True(t, ready(), "the next evaluation has a delay of its own")
	delay(`{}`, 400)
	status, body := steer(t, l.s, http.MethodPost, "clock", `{"seconds":"40d"}`)
	assert.Equal(t, 200, status, body)
	_, body = steer(t, l.s, http.MethodGet, "journal", "")
	assert.Regexp(t, `"report late by 300 s"[^]]*"report never ready"[^]]*"Clock moved","subject":"3456000","events":1`, body)
}

// TestASnapshotIsReturnedTo after each kind of action: candidates, faults, keys, settings and clock are those of
// before, requests of the time between stay, and no number or id is given out twice.
func TestASnapshotIsReturnedTo(t *testing.T) {
	l := liveWorld(sandbox.WithTimeline(sandbox.Timeline{Open: time.Hour}))
	assessment := l.s.AddAssessment("Backend")
	invitation := l.invite(t, "/assessments/"+assessment, "ada@candidates.test")
	seen := map[string]bool{invitation: true}
	state := func() string {
		text := ""
		for _, path := range []string{"candidates", "faults", "keys", "settings", "mails", "assessments"} {
			_, body := steer(t, l.s, http.MethodGet, path, "")
			text += body
		}
		return text
	}
	for name, act := range map[string]func(){
		"step": func() { _, err := l.s.Begin(invitation); require.NoError(t, err) },
		"evaluate": func() {
			id, err := l.s.Begin(invitation)
			require.NoError(t, err)
			require.NoError(t, l.s.AppendEvents(id, "x", "{}"))
			require.NoError(t, l.s.Evaluate(id, sandbox.Result{}))
		},
		"clock": func() { l.s.Advance(26 * time.Hour) },
		"fault": func() { l.s.Inject(sandbox.Fault{Status: 500, Times: 3, Route: "GET /members"}) },
		"key":   func() { l.s.RevokeKey(sandbox.TestKey) },
		"quota": func() { l.s.SetQuota(sandbox.LiveKey, sandbox.ClassRead, 3) },
		"set":   func() { l.s.SetArchives(false) },
		"clear": l.s.ClearJournal,
		"reset": func() { _, _ = steer(t, l.s, http.MethodPost, "reset", "") },
		"invite": func() {
			id, err := l.s.Invite(assessment, "bea@candidates.test", "Bea")
			require.NoError(t, err)
			assert.False(t, seen[id], "the id is new")
			seen[id] = true
		},
		"revoke": func() { _, _ = steer(t, l.s, http.MethodPost, "invitations/"+invitation+"/revoke", "") },
	} {
		before, count := state(), len(l.s.Journal())
		_, body := steer(t, l.s, http.MethodPost, "snapshots", "")
		var made struct {
			ID int `json:"id"`
		}
		require.NoError(t, json.Unmarshal([]byte(body), &made))
		act()
		if name != "set" && name != "clear" {
			assert.NotEqual(t, before, state(), name)
		}
		path := "snapshots/" + strconv.Itoa(made.ID) + "/restore"
		status, body := steer(t, l.s, http.MethodPost, path, "")
		require.Equal(t, 200, status, body)
		assert.JSONEq(t, `{"writes":0}`, body, "the tester's own actions are no writes of a program")
		assert.Equal(t, before, state(), name)
		assert.Len(t, l.s.Journal(), count, name)
		status, _ = steer(t, l.s, http.MethodPost, path, "")
		assert.Equal(t, 404, status, "only once")
	}
	_, _ = steer(t, l.s, http.MethodPost, "snapshots", "")
	l.invite(t, "/assessments/"+assessment, "cyd@candidates.test")
	l.with(sandbox.TestKey).send(t.Context(), t, http.MethodPost, "/assessments/"+sandbox.AssessmentID+"/invitations", candidateBody("dee@candidates.test"))
	l.with(sandbox.LiveKey).send(t.Context(), t, http.MethodPost, "/assessments", `{}`)
	_, body := steer(t, l.s, http.MethodPost, "snapshots/12/restore", "")
	assert.JSONEq(t, `{"writes":1}`, body, "neither what test mode stores nor what was refused")
	_, body = steer(t, l.s, http.MethodGet, "journal", "")
	assert.Regexp(t, `(?s)"undone":".* with #`, body)
	for range 25 {
		_, _ = steer(t, l.s, http.MethodPost, "snapshots", "")
	}
	status, _ := steer(t, l.s, http.MethodPost, "snapshots/15/restore", "")
	assert.Equal(t, 404, status, "the newest 20 are kept")
}

// TestResultsAndInvitationsTakeAKey whose organization has the assessment.
func TestResultsAndInvitationsTakeAKey(t *testing.T) {
	l := liveWorld()
	assessment := l.s.AddAssessment("Backend")
	l.s.AddKey(sandbox.Key{Token: "sk_live_acme", Organization: "acme"})
	for _, path := range []string{"results", "invitations"} {
		for key, want := range map[string]int{sandbox.LiveKey: 200, "sk_live_acme": 404, "sk_live_nobody": 400} {
			status, body := steer(t, l.s, http.MethodPost, path, `{"key":"`+key+`","assessment_id":"`+assessment+`","email":"ada@candidates.test","name":"Ada"}`)
			assert.Equal(t, want, status, "%s %s: %s", path, key, body)
		}
	}
}

// TestTheAccountOfLiveDataHasWhatTheSampleLacks, so that each nullable member is seen with and without a value.
func TestTheAccountOfLiveDataHasWhatTheSampleLacks(t *testing.T) {
	s := sandbox.New()
	values := func(key string) map[string]bool {
		account := into[map[string]any](t, inProcess(s).do(t, http.MethodGet, "/api/v1/account", key))
		branding := account["branding"].(map[string]any)
		given := map[string]bool{"custom_domain": account["custom_domain"] != nil}
		for _, name := range []string{"logo_url", "support_email", "primary_color", "sender_name"} {
			given[name] = branding[name] != nil
		}
		return given
	}
	sample, live := values(sandbox.TestKey), values(sandbox.LiveKey)
	for name := range sample {
		assert.NotEqual(t, sample[name], live[name], name)
	}
}
