package sandbox_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// readControl decodes the response of a GET of the control API.
func readControl[T any](t *testing.T, s *sandbox.Server, path string) (out T) {
	t.Helper()
	status, body := steer(t, s, http.MethodGet, path, "")
	require.Equal(t, 200, status, body)
	require.NoError(t, json.Unmarshal([]byte(body), &out))
	return out
}

func TestEvaluationWithoutAResultIsInvented(t *testing.T) {
	for _, body := range []string{"", "{}", `{"summary":"s"}`} {
		s := sandbox.Start(t)
		invitation, err := s.Invite(s.AddAssessment("Backend"), "ada@candidates.test", "Ada")
		require.NoError(t, err)
		id, err := s.Begin(invitation)
		require.NoError(t, err)
		steered(t, s, "submissions/"+id+"/evaluate", body)
		r, err := s.LiveClient().Submissions.Report(t.Context(), id)
		require.NoError(t, err)
		require.NotNil(t, r.ShipScore, body)
		assert.Equal(t, []any{72, "yes"}, []any{*r.ShipScore, string(r.Verdict)}, "as a timeline makes it")
		for _, p := range r.Pillars {
			assert.NotNil(t, p.Score, p.ID)
		}
	}
	s := sandbox.Start(t)
	id, err := s.AddResult(s.AddAssessment("Backend"), "ada@candidates.test", sandbox.Result{})
	require.NoError(t, err)
	r, err := s.LiveClient().Submissions.Report(t.Context(), id)
	require.NoError(t, err)
	assert.Equal(t, 0, *r.ShipScore, "in Go 0 is 0")
	for body, says := range map[string]string{
		`{"ship_score":82.5}`: "ship_score: give a whole number", `{"ship_score":99,"verdict":"strong_no"}`: "does not fit", `{"ship_score":101}`: "from 0 to 100",
	} {
		status, text := steer(t, s, http.MethodPost, "submissions/"+id+"/regrade", body)
		assert.Equal(t, 400, status)
		assert.Contains(t, text, says)
		assert.NotContains(t, text, "Go ")
	}
}

func TestNothingHappensAfterTheSubmission(t *testing.T) {
	s := sandbox.Start(t)
	invitation, err := s.Invite(s.AddAssessment("Backend"), "ada@candidates.test", "Ada")
	require.NoError(t, err)
	id, err := s.Begin(invitation)
	require.NoError(t, err)
	require.ErrorContains(t, s.Pause(id, time.Hour), "has lasted", "a pause fits into the time that has passed")
	s.Advance(10 * time.Minute)
	require.NoError(t, s.Pause(id, 10*time.Minute))
	require.ErrorContains(t, s.Pause(id, time.Second), "has lasted")
	require.NoError(t, s.Submit(id))
	require.ErrorContains(t, s.AppendEvents(id, "ai_prompt", "{}"), "submitted before")
	require.ErrorContains(t, s.Pause(id, time.Second), "submitted before")
	require.NoError(t, s.Evaluate(id, sandbox.Result{ShipScore: 50}))
	require.ErrorContains(t, s.AppendEvents(id, "ai_prompt", "{}"), "submitted before")
}

func TestAnAttemptIsSubmittedAtItsTimeLimit(t *testing.T) {
	s := sandbox.Start(t, at(noon))
	invitation, err := s.Invite(s.AddAssessment("Backend"), "ada@candidates.test", "Ada")
	require.NoError(t, err)
	id, err := s.Begin(invitation)
	require.NoError(t, err)
	s.Advance(30 * time.Minute)
	require.NoError(t, s.Pause(id, 20*time.Minute))
	s.Advance(30 * 24 * time.Hour)
	submission, err := s.LiveClient().Submissions.Get(t.Context(), id)
	require.NoError(t, err)
	assert.Equal(t, noon.Add(95*time.Minute).Truncate(time.Millisecond).UTC(), submission.SubmittedAt.UTC(), "75 minutes and the pause")
	require.NoError(t, s.Submit(id), "has no effect")
	require.NoError(t, s.AppendEvents(id, "ai_prompt", "{}"), "a log may arrive late")
	require.NoError(t, s.Evaluate(id, sandbox.Result{ShipScore: 50}))
	report, err := s.LiveClient().Submissions.Report(t.Context(), id)
	require.NoError(t, err)
	assert.InDelta(t, 75, *report.Facts.TimeUsedMinutes, 0)
}

func TestAResultIsABelievableAttempt(t *testing.T) {
	s := sandbox.Start(t, at(noon))
	assessment := s.AddAssessment("Backend")
	id := steeredID(t, s, "results", `{"assessment_id":"`+assessment+`","email":"ada.lovelace@candidates.test","ship_score":90}`, "submission_id")
	client := s.LiveClient()
	submission, err := client.Submissions.Get(t.Context(), id)
	require.NoError(t, err)
	a, err := client.Assessments.Get(t.Context(), assessment)
	require.NoError(t, err)
	invitations, err := client.Invitations.List(assessment).Collect(t.Context())
	require.NoError(t, err)
	i := invitations[0]
	before := a.CreatedAt
	for _, step := range []time.Time{*i.SentAt, *i.OpenedAt, *i.StartedAt, *submission.SubmittedAt, *submission.EvaluatedAt} {
		assert.True(t, before.Before(step), "%s and then %s", before, step)
		before = step
	}
	assert.Equal(t, noon.Truncate(time.Millisecond).UTC(), before.UTC(), "it ends now")
	assert.Equal(t, "Ada Lovelace", submission.Candidate.Name)
	r := submission.Report
	assert.Positive(t, *r.Facts.TimeUsedMinutes)
	assert.Positive(t, r.Facts.AIExchangeCount)
	assert.Positive(t, *r.Facts.AIAuthoredPct)
	assert.NotEmpty(t, r.Strengths)
	for _, p := range r.Pillars {
		assert.InDelta(t, 90, *p.Score, 3, "around the score")
	}
}

func TestResendingKeepsTimesInOrder(t *testing.T) {
	s := sandbox.Start(t, at(noon))
	assessment := s.AddAssessment("Backend")
	id, err := s.Invite(assessment, "ada@candidates.test", "Ada")
	require.NoError(t, err)
	require.NoError(t, s.Open(id))
	s.Advance(time.Hour)
	i, err := s.LiveClient().Invitations.Resend(t.Context(), assessment, id)
	require.NoError(t, err)
	assert.False(t, i.SentAt.After(*i.OpenedAt))
	mails := s.Mails()
	assert.Equal(t, []any{true, time.Hour}, []any{mails[1].Resent, mails[1].At.Sub(mails[0].At)})
}

func TestSampleDataFollowsTheLiveRules(t *testing.T) {
	for submission, err := range sandbox.New().Client().Submissions.List(hiring.SubmissionFilter{Status: hiring.SubmissionEvaluated}).All(t.Context()) {
		require.NoError(t, err)
		r := submission.Report
		want := "strong_no"
		for least, verdict := range map[int]string{40: "no", 60: "yes", 80: "strong_yes"} {
			if *r.ShipScore >= least && (verdict == "strong_yes" || *r.ShipScore < least+20) {
				want = verdict
			}
		}
		assert.Equal(t, want, string(r.Verdict), "%d", *r.ShipScore)
		if used := r.Facts.TimeUsedMinutes; used != nil {
			worked := submission.SubmittedAt.Sub(submission.StartedAt) - time.Duration(submission.PausedTotalSeconds)*time.Second
			assert.InDelta(t, worked.Minutes(), *used, 0.01)
		}
	}
}

func TestTasksAreSelectedOnce(t *testing.T) {
	s := sandbox.Start(t)
	d := inProcess(s)
	const task, other = "7a5c0000-0000-4000-8000-000000000001", "7a5c0000-0000-4000-8000-000000000002"
	selected := func(ids ...string) string { return `"selected_task_ids":["` + strings.Join(ids, `","`) + `"]` }
	const create = `{"name":"n","challenge_id":"c0000000-0000-4000-8000-000000000001",`
	for _, twice := range []string{selected(task, task), selected(task, other, task), selected(task, strings.ToUpper(task)), selected()} {
		d.post(t, "/assessments", create+twice+"}").invalid(t, "selected_task_ids")
		d.do(t, http.MethodPatch, "/api/v1/assessments/"+sandbox.AssessmentID, sandbox.TestKey, "{"+twice+"}").invalid(t, "selected_task_ids")
	}
	assert.Equal(t, 201, d.post(t, "/assessments", create+selected(task, other)+"}").status)
}

func TestTasksShareWeightAndTime(t *testing.T) {
	for _, count := range []int{1, 3, 7, 20} {
		s := sandbox.Start(t)
		id := s.AddChallenge("Search", slices.Repeat([]string{"Index"}, count)...)
		challenge, err := s.LiveClient().Challenges.Get(t.Context(), id)
		require.NoError(t, err)
		require.Len(t, challenge.Tasks, count)
		cents := 0
		for _, task := range challenge.Tasks {
			assert.Positive(t, task.TimeLimitMinutes)
			weight := int(math.Round(100 * task.Weight))
			assert.InDelta(t, float64(weight)/100, task.Weight, 1e-12, "two decimal places")
			cents += weight
		}
		assert.Equal(t, 100, cents, "%d tasks", count)
	}
}

func TestControlInputsAreStrict(t *testing.T) {
	s := sandbox.Start(t)
	for _, c := range [][3]string{
		{"advance", `{"SECONDS":5}`, "SECONDS: there is no such member"},
		{"advance", `{"seconds":5,"seconds":6}`, "given twice"},
		{"advance", `null`, "send a JSON object"},
		{"reset", `{"organisation":"b"}`, "there is no such member"},
		{"faults/1/remove", `{"x":1}`, "there is no such member"},
		{"quota", `{"key":"sk_test_sandbox","class":"read","remaining":5000}`, "from 0 to 1000"},
		{"faults", `{"key":"sk_live_nobody","status":500}`, "knows no such key"},
		{"keys", `{"token":"sk_live_"}`, "token: must be"},
		{"keys", `{"token":"sk_live_a b"}`, "token: must be"},
		{"keys", `{"token":"sk_live_` + strings.Repeat("a", 300) + `"}`, "token: must be"},
		{"members", `{"organization":"nobody","email":"a@b.test","name":"A","role":"member"}`, `there is no organization`},
		{"challenges", `{"organization":"nobody","name":"A"}`, `there is no organization`},
		{"challenges", `{"name":"A","tasks":[""]}`, "tasks: the title of a task must not be empty"},
		{"challenges", `{"name":"A","tasks":["` + strings.Repeat(`a","`, 60) + `b"]}`, "at most 20 tasks"},
		{"seed", `{"count":0}`, "from 1 to 1000"},
	} {
		status, body := steer(t, s, http.MethodPost, c[0], c[1])
		assert.Equal(t, 400, status, "%s %s: %s", c[0], c[1], body)
		assert.Contains(t, body, c[2])
		for _, goWord := range []string{"Go value", "struct", "unmarshal", "server."} {
			assert.NotContains(t, body, goWord)
		}
	}
	for _, body := range []string{"", "{}"} {
		assert.Empty(t, steered(t, s, "faults/clear", body), "an empty object counts as no body")
	}
	status, _ := steer(t, s, http.MethodGet, "journal?limit=0", "")
	assert.Equal(t, 400, status)
}

func TestHealthChecksAreNoFailedLogins(t *testing.T) {
	s := sandbox.Start(t)
	d := inProcess(s)
	for range 150 {
		for _, path := range []string{"/", "/health", "/favicon.ico"} {
			d.do(t, http.MethodGet, path, "")
		}
	}
	assert.Equal(t, 200, d.get(t, "/account").status)
	status, body := steer(t, s, http.MethodGet, "health", "", func(r *http.Request) { r.Host = "sandbox:8780" })
	assert.Equal(t, []any{200, "{\"status\":\"ok\"}\n"}, []any{status, body})
	for range 100 {
		d.do(t, http.MethodGet, "/api/v1/account", "sk_test_wrong")
	}
	assert.Equal(t, 429, d.get(t, "/account").status)
}

// TestSuitesShareAServer uses two keys whose redactions are equal.
func TestSuitesShareAServer(t *testing.T) {
	const alpha, bravo = "sk_live_alpha_2026", "sk_live_bravo_2026"
	s := sandbox.Start(t, sandbox.WithDetails(), sandbox.WithKey(sandbox.Key{Token: alpha, Organization: "alpha"}),
		sandbox.WithKey(sandbox.Key{Token: bravo, Organization: "bravo"}))
	for _, organization := range []string{"alpha", "bravo"} {
		steered(t, s, "seed", `{"count":3,"organization":"`+organization+`"}`)
		steered(t, s, "faults", `{"organization":"`+organization+`","status":418,"skip":100}`)
	}
	d := inProcess(s)
	create := `{"challenge_id":"c0000000-0000-4000-8000-000000000001","name":"Of bravo"}`
	require.Equal(t, 200, d.do(t, http.MethodGet, "/api/v1/account", alpha).status)
	require.Equal(t, 201, d.with(bravo).send(t.Context(), t, http.MethodPost, "/assessments", create).status)
	type journal struct {
		Entries []struct {
			Number       int
			Organization *string
		}
		Repeated []struct{ Repeats int }
	}
	assert.Len(t, readControl[journal](t, s, "journal?key="+alpha).Entries, 1, "by the key itself")
	sent := readControl[journal](t, s, "journal?organization=bravo").Entries
	require.Len(t, sent, 1)
	assert.JSONEq(t, `{"number":3}`, steered(t, s, "journal/2/send", ""))
	again := readControl[journal](t, s, "journal?repeated=true")
	require.Len(t, again.Entries, 1)
	assert.Equal(t, []any{"bravo", 2}, []any{*again.Entries[0].Organization, again.Repeated[0].Repeats}, "with the key of the first")

	steered(t, s, "reset", `{"organization":"bravo"}`)
	assert.Empty(t, readControl[journal](t, s, "journal?key="+bravo).Entries)
	assert.Len(t, readControl[journal](t, s, "journal?key="+alpha).Entries, 1)
	for organization, want := range map[string]int{"alpha": 3, "bravo": 0} {
		assert.Len(t, readControl[struct{ Mails []any }](t, s, "mails?organization="+organization).Mails, want, organization)
	}
	type faults struct{ Faults []struct{ State string } }
	assert.Equal(t, "waiting", readControl[faults](t, s, "faults?organization=alpha").Faults[0].State)
	assert.Equal(t, "removed", readControl[faults](t, s, "faults?organization=bravo").Faults[0].State)
	keys := readControl[struct {
		Keys []struct{ Token, Organization string }
	}](t, s, "keys")
	tokens := make(map[string]bool)
	for _, k := range keys.Keys {
		tokens[k.Token] = true
	}
	assert.True(t, tokens[alpha] && tokens[bravo] && tokens[sandbox.LiveKey], "keys of a fake are shown")
	s.ClearFaults()
}

func TestWhatCanBeSetCanBeRead(t *testing.T) {
	s := sandbox.Start(t, sandbox.WithDetails(), at(noon))
	steered(t, s, "quota", `{"key":"sk_live_sandbox","class":"read","remaining":3}`)
	steered(t, s, "plan", `{"key":"sk_live_sandbox","used":7}`)
	keys := readControl[struct {
		Keys []struct {
			Name string
			Read *struct{ Remaining int }
			Plan *struct{ Used int }
		}
	}](t, s, "keys").Keys
	require.Equal(t, "LiveKey", keys[0].Name)
	assert.Equal(t, []int{3, 7}, []int{keys[0].Read.Remaining, keys[0].Plan.Used})

	steered(t, s, "faults", `{"route":"GET /account","status":503,"delay":"1ms","times":2}`)
	inProcess(s).send(t.Context(), t, http.MethodGet, "/account", "")
	_, body := steer(t, s, http.MethodGet, "faults", "")
	assert.JSONEq(t, `{"faults":[{"id":1,"state":"active","fired":1,"skip_left":0,"times_left":1,"fault":{"route":"GET /account","times":2,"status":503,"delay":0.001}}]}`, body)
	inProcess(s).send(t.Context(), t, http.MethodGet, "/account", "")
	assert.Contains(t, readFaults(t, s), `"state":"done"`)

	steered(t, s, "clock", `{"to":"2026-03-12T12:00:00Z"}`)
	clock := readControl[struct {
		Now   time.Time
		Ahead float64
	}](t, s, "clock")
	assert.Equal(t, "2026-03-12T12:00:00Z", clock.Now.Format(time.RFC3339))
	status, _ := steer(t, s, http.MethodPost, "clock", `{"to":"2026-03-11T12:00:00Z"}`)
	assert.Equal(t, 400, status, "the clock does not go back")

	steered(t, s, "settings", `{"page_cap":5,"timeline":{"open":"1h"}}`)
	_, body = steer(t, s, http.MethodGet, "settings", "")
	assert.Contains(t, body, `"page_cap":5`)
	assert.Contains(t, body, `"timeline":{"open":3600,`)
	id := s.AddAssessment("Backend")
	_, err := s.Invite(id, "ada@candidates.test", "Ada")
	require.NoError(t, err)
	_, body = steer(t, s, http.MethodGet, "clock?seconds=7200", "")
	assert.Contains(t, body, `"kind":"opened","subject":"Ada"`)

	for range 30 {
		inProcess(s).get(t, "/submissions")
	}
	page := readControl[struct {
		Entries []struct{ Number int }
		More    bool
	}](t, s, "journal?after=2&limit=10")
	assert.Equal(t, []any{10, 3, true}, []any{len(page.Entries), page.Entries[0].Number, page.More})
	_, body = steer(t, s, http.MethodGet, "journal/1", "")
	assert.Contains(t, body, `"response":`)
}

func readFaults(t *testing.T, s *sandbox.Server) string {
	t.Helper()
	_, body := steer(t, s, http.MethodGet, "faults", "")
	return body
}

// TestEventsResume reads the stream over a socket, and again from a position.
func TestEventsResume(t *testing.T) {
	s := sandbox.Start(t)
	position := readControl[struct{ Position int }](t, s, "journal").Position
	require.Zero(t, position)
	s.SetQuota(sandbox.TestKey, sandbox.ClassRead, 5)
	read := func(after, until string) (ids []string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL()+"/_sandbox/events?after="+after, http.NoBody)
		require.NoError(t, err)
		response, err := new(http.Client).Do(request)
		require.NoError(t, err)
		defer func() { _ = response.Body.Close() }()
		lines := bufio.NewScanner(response.Body)
		for lines.Scan() {
			if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
				ids = append(ids, id)
			}
			if strings.Contains(lines.Text(), until) {
				return ids
			}
		}
		return nil
	}
	first := read("0", `"changed":["keys"]`)
	require.Len(t, first, 1)
	inProcess(s).get(t, "/account")
	require.NotNil(t, read(first[0], `"path":"/api/v1/account"`), "from there on")
	require.NotNil(t, read("99999", "event: reset"), "an unknown position")
	steered(t, s, "reset", "")
	require.NotNil(t, read(first[0], "event: reset"))
}

func TestSeedAddsBelievableCandidates(t *testing.T) {
	s := sandbox.Start(t)
	id := steeredID(t, s, "seed", `{"count":100}`, "assessment_id")
	all := readControl[struct {
		Candidates []struct {
			Name, Stage            string
			SentAt, OpenedAt       *time.Time
			StartedAt, SubmittedAt *time.Time
		}
		Counts map[string]int
	}](t, s, "candidates?limit=1000&assessment_id="+id)
	assert.Len(t, all.Candidates, 100)
	for _, stage := range []string{"sent", "opened", "started", "submitted", "evaluated"} {
		assert.Positive(t, all.Counts[stage], stage)
	}
	names := make(map[string]bool)
	for _, c := range all.Candidates {
		names[c.Name] = true
	}
	assert.Greater(t, len(names), 90)
}

// TestAControlBodyThatIsTooLongIsAnswered sends everything before it reads, over a socket.
func TestAControlBodyThatIsTooLongIsAnswered(t *testing.T) {
	s := sandbox.Start(t)
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.URL(), "http://"))
	require.NoError(t, err)
	const size = 8 << 20
	_, err = fmt.Fprintf(conn, "POST /_sandbox/advance HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", size, strings.Repeat(" ", size))
	require.NoError(t, err)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	assert.Contains(t, readAll(t, response.Body), "longer than 1048576 bytes")
	require.NoError(t, conn.Close())
}
