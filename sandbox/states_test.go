package sandbox_test

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestAnAttemptIsSubmittedAtItsTimeLimit(t *testing.T) {
	s := sandbox.Start(t, at(noon))
	invitation, err := s.Invite(s.AddAssessment("Backend"), "ada@candidates.test", "Ada")
	require.NoError(t, err)
	id, err := s.Begin(invitation)
	require.NoError(t, err)
	s.Advance(30 * 24 * time.Hour)
	submission, err := s.LiveClient().Submissions.Get(t.Context(), id)
	require.NoError(t, err)
	assert.Equal(t, noon.Add(75*time.Minute).Truncate(time.Millisecond).UTC(), submission.SubmittedAt.UTC())
	require.NoError(t, s.Submit(id), "has no effect")
	require.NoError(t, s.AppendEvents(id, "ai_prompt", "{}"), "a log may arrive late")
	require.NoError(t, s.Evaluate(id, sandbox.Result{ShipScore: new(50)}))
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

// TestAControlBodyThatIsTooLongIsAnswered sends everything before it reads, over a socket.
func TestAControlBodyThatIsTooLongIsAnswered(t *testing.T) {
	s := sandbox.Start(t)
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(s.URL(), "http://"))
	require.NoError(t, err)
	const size = 8 << 20
	_, err = fmt.Fprintf(conn, "POST /_sandbox/clock HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", size, strings.Repeat(" ", size))
	require.NoError(t, err)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	assert.Contains(t, readAll(t, response.Body), "longer than 1048576 bytes")
	require.NoError(t, conn.Close())
}
