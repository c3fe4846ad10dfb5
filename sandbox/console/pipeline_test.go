package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestAWholeHireByForms works without JavaScript.
func TestAWholeHireByForms(t *testing.T) {
	v := visit(t)
	client := v.client(sandbox.LiveKey)
	assert.Contains(t, v.see("/_sandbox/console/pipeline"), "No assessment yet")
	text := v.submit("/assessments", "org", "", "name", "Backend engineer", "challenge", "c0000000-0000-4000-8000-000000000002")
	assert.Contains(t, text, "The assessment is added.")
	all, err := client.Assessments.List().Collect(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1)
	assert.Equal(t, "c0000000-0000-4000-8000-000000000002", all[0].ChallengeID)

	text = v.submit("/invitations", "org", "", "assessment", all[0].ID, "name", "Ada Lovelace", "email", "ada@candidates.test")
	assert.Contains(t, text, "Ada Lovelace")
	found, err := client.Invitations.List(all[0].ID).Collect(t.Context())
	require.NoError(t, err)
	require.Len(t, found, 1)
	candidate := "/candidates/" + found[0].ID

	text = v.submit(candidate+"/open", "board", "1")
	assert.Contains(t, text, candidate+"/begin", "the board has the next step")
	text = v.submit(candidate + "/begin")
	assert.Contains(t, text, "attempt_started")
	submission := regexp.MustCompile(`name="submission" value="([^"]+)"`).FindStringSubmatch(text)
	require.NotNil(t, submission)
	text = v.submit(candidate+"/submit", "submission", submission[1])
	assert.Contains(t, text, "Not evaluated yet")
	text = v.submit(candidate+"/evaluate", "submission", submission[1], "ship_score", "71", "correctness", "80", "craft", "65", "rigor", "0",
		"low_confidence", "craft", "summary", "Solid & calm", "extra", `{"percentile": 91.5, "strengths": ["Tests first"], "pipeline_rank": {"rank": 3, "total": 9}}`)
	for _, shown := range []string{"<b>71</b>", "Yes", "Solid &amp; calm", "Not enough data", "percentile 91.5", "Tests first", "rank 3 of 9", `<span class="json-key">&#34;evaluated&#34;</span>: <span class="json-word">true</span>`} {
		assert.Contains(t, text, shown)
	}
	for _, step := range []string{"invited", "opened the invitation", "began", "handed in", "evaluated"} {
		assert.Contains(t, text, "<span>"+step+"</span>")
	}
	report, err := client.Submissions.Report(t.Context(), submission[1])
	require.NoError(t, err)
	assert.Equal(t, 71, *report.ShipScore)
	craft, _ := report.Pillar(hiring.PillarCraft)
	assert.True(t, craft.LowConfidence)
	fluency, _ := report.Pillar(hiring.PillarAIFluency)
	assert.Nil(t, fluency.Score)
	rigor, _ := report.Pillar(hiring.PillarRigor)
	assert.Equal(t, 0, *rigor.Score, "none is null, zero is zero")
}

func TestStepsThatCannotBeTaken(t *testing.T) {
	v := visit(t)
	_, id := v.invited("Ada")
	_, err := v.server.Begin(id)
	require.NoError(t, err)
	for path, says := range map[string]string{
		"/candidates/" + id + "/open":                                          "was opened before",
		"/candidates/" + id + "/begin":                                         "has begun before",
		"/candidates/x/open":                                                   "no such id",
		"/candidates/" + id + "/submit?submission=x":                           "no such id",
		"/candidates/" + id + "/evaluate?ship_score=high":                      "a whole number from 0 to 100",
		"/candidates/" + id + "/evaluate?ship_score=500":                       "must be from 0 to 100",
		"/candidates/" + id + "/evaluate?ship_score=5&craft=x":                 "the score of craft",
		"/candidates/" + id + "/evaluate?ship_score=5&extra=[]":                "must be a JSON object",
		"/candidates/" + id + "/evaluate?ship_score=5&low_confidence=stardust": "there is no pillar",
		"/assessments?name=":                                                   "name: must not be empty",
		"/assessments?name=x&org=nobody":                                       "there is no organization",
		"/invitations?assessment=x&name=A&email=a@b.test":                      "no such id",
		"/invitations?assessment=x&name=A&email=nowhere":                       "give an email address",
	} {
		path, query, _ := strings.Cut(path, "?")
		fields, err := url.ParseQuery(query)
		require.NoError(t, err)
		var pairs []string
		for name := range fields {
			pairs = append(pairs, name, fields.Get(name))
		}
		status, text := v.try(path, pairs...)
		assert.Equal(t, 400, status, path)
		assert.Contains(t, text, says, path)
		assert.Contains(t, text, `role="alert"`)
	}
}

func TestTheBoardShowsAFewAndPagesTheRest(t *testing.T) {
	v := visit(t)
	posting := v.server.AddAssessment("Backend")
	other := v.server.AddAssessment("Frontend")
	for i := range 120 {
		_, err := v.server.Invite(posting, "a@candidates.test", fmt.Sprintf("Number %03d.", i))
		require.NoError(t, err)
	}
	opened, err := v.server.Invite(other, "b@candidates.test", "Elsewhere")
	require.NoError(t, err)
	require.NoError(t, v.server.Open(opened))
	cards := func(text string) int { return strings.Count(text, `class="card"`) }
	text := v.see("/_sandbox/console/pipeline")
	assert.Equal(t, 9, cards(text))
	assert.Contains(t, text, "Number 119.")
	assert.Contains(t, text, "All 120")
	text = v.see("/_sandbox/console/pipeline?stage=sent&page=2&assessment=" + posting)
	assert.Equal(t, 20, cards(text))
	assert.Contains(t, text, "Number 000.")
	assert.Contains(t, text, ">Newer<")
	assert.NotContains(t, text, ">Older<")
	assert.Equal(t, 1, cards(v.see("/_sandbox/console/pipeline?assessment="+other)))
}

func TestCandidatesWithoutANextStep(t *testing.T) {
	v := visit(t)
	client := v.client(sandbox.LiveKey)
	posting, revoked := v.invited("Ada")
	require.NoError(t, client.Invitations.Revoke(t.Context(), posting, revoked))
	assert.Contains(t, v.see("/_sandbox/console/pipeline"), `<span class="mark">revoked</span>`)
	_, expired := v.invited("Bea")
	v.server.Advance(31 * 24 * time.Hour)
	text := v.see("/_sandbox/console/candidates/" + expired)
	assert.Contains(t, text, `<span class="mark">expired</span>`)
	assert.NotContains(t, text, `id="next"`)
	status, _, _ := v.do(http.MethodGet, "/_sandbox/console/candidates/"+revoked, nil)
	assert.Equal(t, 200, status)
}

func TestOrganizationsOfKeys(t *testing.T) {
	v := visit(t)
	v.server.AddKey(sandbox.Key{Token: "sk_live_acme", Organization: "Acme & Sons"})
	text := v.see("/_sandbox/console/pipeline")
	assert.Contains(t, text, "Acme &amp; Sons")
	v.submit("/assessments", "org", "Acme & Sons", "name", "Theirs")
	assert.Contains(t, v.see("/_sandbox/console/pipeline?org=Acme+%26+Sons"), "Theirs")
	assert.NotContains(t, v.see("/_sandbox/console/pipeline"), "Theirs")
}

// TestATimelineIsShownAhead checks the list of future steps.
func TestATimelineIsShownAhead(t *testing.T) {
	v := visit(t, sandbox.WithTimeline(sandbox.Timeline{Open: time.Hour, Begin: time.Hour}))
	_, id := v.invited("Ada")
	text := v.see("/_sandbox/console/candidates/" + id)
	assert.Contains(t, text, "opens the invitation by itself")
	assert.Contains(t, text, "begins by itself")
	assert.Contains(t, v.see("/_sandbox/console/trouble?by=90m"), "opens the invitation")
	assert.NotContains(t, v.see("/_sandbox/console/trouble?by=90m"), "</a> begins")
	v.submit("/clock", "by", "2h")
	assert.Contains(t, v.see("/_sandbox/console/candidates/"+id), "<span>began</span>")
}
