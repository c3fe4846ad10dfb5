package sandbox_test

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestAddAssessment(t *testing.T) {
	now := noon
	s := sandbox.New(sandbox.WithClock(func() time.Time { return now }), sandbox.WithQuota(10, 10))
	s.AddKey(sandbox.Key{Token: "sk_live_acme", Organization: "acme"})
	id := s.AddAssessment("Backend")
	assert.Empty(t, s.Journal())
	client := s.LiveClient()
	challenges, err := client.Challenges.List().Collect(t.Context())
	require.NoError(t, err)
	a, err := client.Assessments.Get(t.Context(), id)
	require.NoError(t, err)
	assert.Equal(t, 8, client.Quota().Read.Remaining, "making it cost nothing")
	assert.Equal(t, []any{"Backend", challenges[0].ID, hiring.AssessmentActive, challenges[0].TimeLimitMinutes, noonUTC, noonUTC}, []any{
		a.Name, a.ChallengeID, a.Status, a.TimeLimitMinutes, a.CreatedAt.Format("2006-01-02T15:04:05.000Z"), a.UpdatedAt.Format("2006-01-02T15:04:05.000Z")})
	_, err = client.Invitations.Send(t.Context(), id, hiring.NewInvitation{Email: "ada@example.test", Name: "Ada"})
	require.NoError(t, err)
	assert.Equal(t, 9, client.Quota().Write.Remaining)

	now = now.Add(time.Minute)
	second := s.AddAssessment("Frontend")
	listed, err := client.Assessments.List().Collect(t.Context())
	require.NoError(t, err)
	require.Len(t, listed, 2)
	assert.Equal(t, []string{second, id}, []string{listed[0].ID, listed[1].ID})
	for _, stranger := range []string{"sk_live_acme", sandbox.TestKey} {
		inProcess(s).do(t, "GET", "/api/v1/assessments/"+id, stranger).fails(t, 404, "NOT_FOUND")
	}
	assert.PanicsWithValue(t, "sandbox: AddAssessment: name: must not be empty", func() { s.AddAssessment("") })
}

func TestStorageThatIsNotAvailable(t *testing.T) {
	l := liveWorld()
	id := l.handedIn(t)
	link := l.link(t, id)
	l.s.SetArchives(false)
	s, _ := l.submission(t, id)
	assert.True(t, s.null("workspace_archive_url"))
	assert.Equal(t, string(s["report"]), string(l.get(t, "/submissions/"+id+"/report").Data))
	assert.Nil(t, into[[]object](t, l.get(t, "/submissions"))[0]["workspace_archive_url"])
	res, _ := fetch(t, l.transport, "GET", link)
	assert.Equal(t, 503, res.StatusCode, "a link from before")
	_, err := l.s.LiveClient().Submissions.DownloadArchive(t.Context(), id, io.Discard)
	require.ErrorIs(t, err, hiring.ErrNoArchive)
	res, _ = fetch(t, l.transport, "GET", strings.Replace(link, "signature=", "signature=0", 1))
	assert.Equal(t, 403, res.StatusCode)

	l.s.SetArchives(true)
	res, _ = fetch(t, l.transport, "GET", link)
	assert.Equal(t, 200, res.StatusCode)
	assert.NotEmpty(t, l.link(t, id))
}

// evaluated returns the report of a new submission, decoded and as members.
func (l live) evaluated(t *testing.T, posting string, r sandbox.Result) (fields, json.RawMessage) {
	t.Helper()
	id := l.begin(t, l.invite(t, posting, "a@example.test"))
	require.NoError(t, l.s.Evaluate(id, r))
	raw := l.get(t, "/submissions/"+id+"/report").Data
	var report, submission fields
	require.NoError(t, json.Unmarshal(raw, &report))
	require.NoError(t, json.Unmarshal(l.get(t, "/submissions/"+id).Data, &submission))
	assert.Equal(t, string(raw), string(submission["report"]), "inline too")
	return report, raw
}

func TestTheRestOfAReport(t *testing.T) {
	l := liveWorld()
	posting := l.assess(t)
	all := map[hiring.PillarID]*int{"correctness": new(90), "craft": new(80), "ai_fluency": new(70), "rigor": new(60)}
	plain, raw := l.evaluated(t, posting, sandbox.Result{ShipScore: new(80), Pillars: all})
	conforms(t, "report", raw)
	assert.Equal(t, []string{"Scored 80 of 100 in the sandbox.", "high", "clear"},
		[]string{plain.text("summary"), plain.text("confidence"), plain.text("integrity_status")})

	given, raw := l.evaluated(t, posting, sandbox.Result{
		ShipScore: new(70), Pillars: all, Summary: "Solid.", Confidence: "very high", IntegrityStatus: "flagged",
	})
	conforms(t, "report", raw)
	assert.Equal(t, []string{"Solid.", "very high", "flagged"},
		[]string{given.text("summary"), given.text("confidence"), given.text("integrity_status")})

	thin, raw := l.evaluated(t, posting, sandbox.Result{
		ShipScore: new(70), Pillars: map[hiring.PillarID]*int{"correctness": new(90), "craft": new(80), "ai_fluency": new(70)}, LowConfidence: []hiring.PillarID{"craft", "ai_fluency", "rigor"},
	})
	conforms(t, "report", raw)
	assert.Equal(t, "low", thin.text("confidence"), "three scores, two of them thin")
	var pillars []hiring.Pillar
	require.NoError(t, json.Unmarshal(thin["pillars"], &pillars))
	var got []string
	for _, p := range pillars {
		score, ok := p.ReliableScore()
		got = append(got, fmt.Sprintf("%s null=%t low=%t reported=%t %d", p.ID, p.Score == nil, p.LowConfidence, ok, score))
	}
	assert.Equal(t, []string{
		"correctness null=false low=false reported=true 90", "craft null=false low=true reported=false 0",
		"ai_fluency null=false low=true reported=false 0", "rigor null=true low=true reported=false 0",
	}, got)
}

func TestExtraMembersOfAReport(t *testing.T) {
	l := liveWorld()
	posting := l.assess(t)
	trap := []any{map[string]any{"pipeline_rank": nil}}
	_, before := l.evaluated(t, posting, sandbox.Result{ShipScore: new(80)})
	extra := map[string]any{"percentile": 93.5, "flags": trap, "new": "<b>", "another": nil, "scored_as_role": "staff", "ship_score": nil}
	r, raw := l.evaluated(t, posting, sandbox.Result{ShipScore: new(60), Extra: extra})
	assert.ElementsMatch(t, append(memberNames(t, before), "another", "new", "percentile"), memberNames(t, raw))
	for name, want := range map[string]string{
		"percentile": "93.5", "flags": `[{"pipeline_rank":null}]`, "new": `"<b>"`, "another": "null", "scored_as_role": `"staff"`,
		"ship_score": "null", "pipeline_rank": `{"rank":2,"total":2}`, "evaluated": "true",
	} {
		assert.JSONEq(t, want, string(r[name]), name)
	}
	id := r.text("submission_id")
	extra["percentile"] = 1.0
	l.evaluated(t, posting, sandbox.Result{ShipScore: new(90)})
	r = l.reportOf(t, id)
	assert.JSONEq(t, `{"rank":3,"total":3}`, string(r["pipeline_rank"]), "it still moves")
	assert.Equal(t, "93.5", string(r["percentile"]), "what was given is what counts")

	r, _ = l.evaluated(t, posting, sandbox.Result{Extra: map[string]any{"pipeline_rank": map[string]*int{"rank": new(7), "total": new(9)}}})
	assert.JSONEq(t, `{"rank":7,"total":9}`, string(r["pipeline_rank"]))
	report, err := l.s.LiveClient().Submissions.Report(t.Context(), r.text("submission_id"))
	require.NoError(t, err)
	assert.Equal(t, 7, report.PipelineRank.Rank)
}

// reportOf reads a report that may differ from the documentation.
func (l live) reportOf(t *testing.T, id string) (report fields) {
	t.Helper()
	require.NoError(t, json.Unmarshal(l.get(t, "/submissions/"+id+"/report").Data, &report))
	return report
}

func TestResultsThatCannotBe(t *testing.T) {
	l := liveWorld()
	id := l.begin(t, l.invite(t, l.assess(t), "a@example.test"))
	for what, r := range map[string]sandbox.Result{
		`no pillar "Craft"`:                   {LowConfidence: []hiring.PillarID{"craft", "Craft"}},
		`the member "x" cannot be JSON: json`: {Extra: map[string]any{"x": make(chan int)}},
		`the member "y" cannot be JSON: json`: {Extra: map[string]any{"y": json.RawMessage("{")}},
	} {
		err := l.s.Evaluate(id, r)
		require.ErrorContains(t, err, what)
		require.ErrorContains(t, err, "sandbox: Evaluate(")
	}
	s, _ := l.submission(t, id)
	assert.Equal(t, "started", s.text("status"))
}

func TestUnusualReportDrifts(t *testing.T) {
	for seed := range uint64(8) {
		l := liveWorld(sandbox.WithDrift(seed))
		id := l.begin(t, l.invite(t, l.assess(t), "a@example.test"))
		odd := map[string]any{"pillars": []any{1, []int{2, 3}, nil, map[string]int{"x": 1}}, "facts": "none", "status": 7}
		require.NoError(t, l.s.Evaluate(id, sandbox.Result{Extra: odd}))
		report := l.reportOf(t, id)
		var pillars []any
		require.NoError(t, json.Unmarshal(report["pillars"], &pillars))
		require.Len(t, pillars, 4)
		assert.Equal(t, []any{1.0, []any{2.0, 3.0}, nil}, pillars[:3])
	}
}
