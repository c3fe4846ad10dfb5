package console_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestSendAgainRepeatsTheRequestWithItsKey(t *testing.T) {
	v := visit(t)
	assessmentID, _ := v.invited("Ada")
	client := v.client(sandbox.LiveKey)
	_, err := client.Invitations.Send(t.Context(), assessmentID, hiring.NewInvitation{Email: "bob@candidates.test", Name: "Bob"})
	require.NoError(t, err)
	first := len(v.server.Journal())

	text := v.submit("/exchanges/1/send")
	assert.Contains(t, text, "The request was sent again.")
	assert.Contains(t, text, "sent twice, first as #1", "a write that is sent again is a second write")
	journal := v.server.Journal()
	require.Len(t, journal, first+1)
	sent, again := journal[0], journal[first]
	assert.Equal(t, [4]string{sent.Method, sent.Path, sent.Query, string(sent.Body)}, [4]string{again.Method, again.Path, again.Query, string(again.Body)})
	assert.Equal(t, sent.Key, again.Key)
	assert.Equal(t, 201, again.Status)
	assert.Len(t, v.server.Mails(), 3, "Ada, and Bob twice")

	for _, number := range []string{"0", "99", "x"} {
		status, _ := v.try("/exchanges/" + number + "/send")
		assert.Equal(t, 404, status, number)
	}
	v.server.RevokeKey(sandbox.LiveKey)
	status, text := v.try("/exchanges/1/send")
	assert.Equal(t, 400, status)
	assert.Contains(t, text, "the key of the request is revoked or expired")
}

func TestSendAgainReturnsWhenAFaultTakesTheConnection(t *testing.T) {
	v := visit(t)
	_, err := v.client(sandbox.TestKey).Account.Get(t.Context())
	require.NoError(t, err)
	v.server.Inject(sandbox.Fault{Reset: true, Times: -1})
	assert.Contains(t, v.submit("/exchanges/1/send"), "no response")
	assert.Len(t, v.server.Journal(), 2, "it is sent once")
}

func TestAnInvitationIsRevokedAndAnAssessmentClosed(t *testing.T) {
	v := visit(t)
	assessmentID, invitationID := v.invited("Ada")
	text := v.submit("/candidates/" + invitationID + "/revoke")
	assert.Contains(t, text, "The invitation is revoked.")
	assert.NotContains(t, text, "/revoke\"", "once")
	status, text := v.try("/candidates/" + invitationID + "/revoke")
	assert.Equal(t, 400, status)
	assert.Contains(t, text, "the invitation was used or revoked")
	invitations, err := v.client(sandbox.LiveKey).Invitations.List(assessmentID).Collect(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "revoked", string(invitations[0].Status))

	text = v.submit("/assessments/"+assessmentID+"/close", "org", "")
	assert.Contains(t, text, "The assessment is closed.")
	closed, err := v.client(sandbox.LiveKey).Assessments.Get(t.Context(), assessmentID)
	require.NoError(t, err)
	assert.Equal(t, hiring.AssessmentClosed, closed.Status)
	assert.WithinDuration(t, time.Now(), closed.UpdatedAt, time.Minute)
	status, _ = v.try("/assessments/" + assessmentID + "/close")
	assert.Equal(t, 400, status)
}

func TestAPartOfThePlanAndOfARateLimitIsLeft(t *testing.T) {
	v := visit(t)
	key := regexp.MustCompile(`keys/plan"><input type="hidden" name="token" value="\w+"><input type="hidden" name="key" value="(\w+)"`).FindStringSubmatch(v.see("/_sandbox/console/trouble"))
	require.NotNil(t, key)
	v.submit("/keys/plan", "key", key[1], "limit", "2000", "left", "3")
	account, err := v.client(sandbox.LiveKey).Account.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 1997, account.Usage.AssessmentsUsed)
	assert.Contains(t, v.submit("/keys/quota", "key", key[1], "class", "write", "remaining", "3"), "<b>3</b> of 200 left")
	for _, left := range []string{"-1", "2001", "x"} {
		status, _ := v.try("/keys/plan", "key", key[1], "limit", "2000", "left", left)
		assert.Equal(t, 400, status, left)
	}
}

func TestJSONIsHighlightedAndEscaped(t *testing.T) {
	v := visit(t)
	status, _, _ := v.do(http.MethodGet, "/api/v1/account", nil, func(r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+sandbox.TestKey)
	})
	require.Equal(t, 200, status)
	assert.Contains(t, v.see("/_sandbox/console/exchanges/1"), `<span class="json-key">&#34;data&#34;</span>: {`)

	client := v.client(sandbox.LiveKey)
	_, err := client.Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: "c0000000-0000-4000-8000-000000000001", Name: `</pre><script>alert("\")</script>`})
	require.NoError(t, err)
	text := v.see("/_sandbox/console/exchanges/2")
	assert.NotContains(t, text, "<script>alert")
	assert.Contains(t, text, `<span class="json-key">&#34;name&#34;</span>: <span class="json-text">`)
	assert.Contains(t, text, `<span class="json-word">null</span>`)
	assert.Contains(t, text, `<span class="json-number">`)
}

func TestIDsAreShortenedWithTheWholeAndACopy(t *testing.T) {
	v := visit(t)
	assessmentID, invitationID := v.invited("Ada")
	short := invitationID[:8] + "…" + invitationID[32:]
	text := v.see("/_sandbox/console/candidates/" + invitationID)
	assert.Contains(t, text, `<code title="`+invitationID+`">`+short+`</code>`)
	assert.Contains(t, text, `data-text="`+invitationID+`"`)
	assert.Contains(t, v.see("/_sandbox/console/pipeline?org=&assessment="+assessmentID), `data-text="`+assessmentID+`"`)
	_, err := v.client(sandbox.LiveKey).Assessments.Get(t.Context(), assessmentID)
	require.NoError(t, err)
	text = v.see("/_sandbox/console/exchanges/1")
	heading := text[strings.Index(text, "<h1"):strings.Index(text, "</h1>")]
	assert.Contains(t, heading, "…"+assessmentID[32:])
	assert.Contains(t, heading, `title="/api/v1/assessments/`+assessmentID+`"`)
}
