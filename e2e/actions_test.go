package e2e

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestSendAgainShowsTheNewExchange(t *testing.T) {
	p := open(t)
	assessmentID := p.server.AddAssessment("Backend engineer")
	_, err := p.client(sandbox.LiveKey).Invitations.Send(t.Context(), assessmentID, hiring.NewInvitation{Email: "ada@candidates.test", Name: "Ada"})
	require.NoError(t, err)
	p.visit("console/exchanges/1")
	assert.Contains(t, p.text("section[aria-labelledby=again]"), "A write takes effect a second time.")
	p.submit("#send-again")
	p.appears(".said", "The request was sent again.")
	assert.Equal(t, "No. 2", p.text(".crumbs")[len("Journal / "):][:len("No. 2")])
	assert.Contains(t, p.text(".facts"), "sent twice, first as #1")
	assert.Len(t, p.server.Mails(), 2)
}

func TestRevokeAndCloseByClicks(t *testing.T) {
	p := open(t)
	assessmentID := p.server.AddAssessment("Backend engineer")
	invitationID, err := p.server.Invite(assessmentID, "ada@candidates.test", "Ada")
	require.NoError(t, err)
	p.visit("console/candidates/" + invitationID)
	p.submit("#revoke")
	p.appears(".said", "The invitation is revoked.")
	assert.Contains(t, p.text(".facts"), "revoked")
	p.visit("console/pipeline?org=&assessment=" + assessmentID)
	assert.Equal(t, "revoked", p.text(".card.revoked .mark"), "a revoked card looks different")
	p.submit("#close-assessment")
	p.appears(".said", "The assessment is closed.")
	found, err := p.client(sandbox.LiveKey).Assessments.Get(t.Context(), assessmentID)
	require.NoError(t, err)
	assert.Equal(t, hiring.AssessmentClosed, found.Status)
}

func TestAPartOfThePlanAndOfARateLimitIsLeftByClicks(t *testing.T) {
	p := open(t)
	p.visit("console/trouble")
	p.fill(`.keys li:first-child form[action$="/plan"].leave input[name="left"]`, "3")
	p.submit(`.keys li:first-child form[action$="/plan"].leave button`)
	p.appears(".said", "The plan is set.")
	account, err := p.client(sandbox.LiveKey).Account.Get(t.Context())
	require.NoError(t, err)
	left, _ := account.InvitationsLeft()
	assert.Equal(t, 3, left)
	p.fill(`.keys li:first-child form[action$="/quota"].leave input[name="remaining"]`, "5")
	p.submit(`.keys li:first-child form[action$="/quota"].leave button`)
	p.appears(".keys li:first-child", "5 of 1000 left")
}

func TestIDsAreShortenedAndCopiedWhole(t *testing.T) {
	p := open(t)
	assessmentID := p.server.AddAssessment("Backend engineer")
	invitationID, err := p.server.Invite(assessmentID, "ada@candidates.test", "Ada")
	require.NoError(t, err)
	p.visit("console/candidates/" + invitationID)
	id := `code[title="` + invitationID + `"]`
	assert.Equal(t, invitationID[:8]+"…"+invitationID[32:], p.text(id))
	copyButton := id + ` + [data-text]`
	evaluate[string](p, `navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }, ""`)
	p.do(click(copyButton), chromedp.WaitVisible(chromedp.CSS(copyButton+"[data-copied]")))
	assert.Equal(t, invitationID, evaluate[string](p, "window.copied"))
}

func TestJSONIsHighlighted(t *testing.T) {
	p := open(t)
	_, err := p.client(sandbox.TestKey).Account.Get(t.Context())
	require.NoError(t, err)
	p.visit("console/exchanges/1")
	colour := func(class string) string {
		return evaluate[string](p, `getComputedStyle(document.querySelector(".body .`+class+`")).color`)
	}
	assert.Equal(t, `"data"`, p.text(".body .json-key"))
	assert.NotEqual(t, colour("json-key"), colour("json-text"))
	assert.NotEqual(t, colour("json-text"), colour("json-number"))
	assert.JSONEq(t, evaluate[string](p, `document.querySelector("section[aria-labelledby=response] .body").textContent`), evaluate[string](p, `document.querySelector("section[aria-labelledby=response] .body").innerText`))
}
