package e2e

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func click(selector string) chromedp.Action[chromedp.Void] {
	return chromedp.Click(chromedp.CSS(selector))
}

// TestExchangesAppearWhileAProgramWorks, within a second.
func TestExchangesAppearWhileAProgramWorks(t *testing.T) {
	p := open(t)
	p.visit("")
	p.appears("#connection", "Live")
	p.appears("#guide", "No requests yet")
	client := p.client(sandbox.TestKey)
	var took []time.Duration
	for n := 1; n <= 5; n++ {
		_, err := client.Account.Get(t.Context())
		require.NoError(t, err)
		begun := time.Now()
		p.do(chromedp.WaitVisible(chromedp.ID("x" + strconv.Itoa(n))))
		took = append(took, time.Since(begun))
	}
	t.Log("after", took)
	slices.Sort(took)
	assert.Less(t, took[2], time.Second, "half of them, on a machine that may be busy")
	in := hiring.NewInvitation{Email: "ada@candidates.test", Name: "Ada"}
	for range 2 {
		_, err := client.Invitations.Send(t.Context(), sandbox.AssessmentID, in)
		require.NoError(t, err)
	}
	p.appears(".journal", "sent twice, first as #6")
	p.appears("#quotas + .gauge, .overview", "995 of 1000 left")

	p.visit("console/pipeline")
	p.appears("#connection", "Live")
	p.server.AddAssessment("Elsewhere")
	live := p.client(sandbox.LiveKey)
	posting, err := live.Assessments.List().Page(t.Context())
	require.NoError(t, err)
	_, err = live.Invitations.Send(t.Context(), posting.Items[0].ID, hiring.NewInvitation{Email: "b@candidates.test", Name: "Barbara Liskov"})
	require.NoError(t, err)
	p.appears(".board", "Barbara Liskov")
}

// TestTheFocusStaysWhenUpdatesArrive, so that the page can be used meanwhile.
func TestTheFocusStaysWhenUpdatesArrive(t *testing.T) {
	p := open(t)
	client := p.client(sandbox.TestKey)
	_, err := client.Account.Get(t.Context())
	require.NoError(t, err)
	p.visit("")
	p.appears("#connection", "Live")
	p.do(chromedp.WaitVisible(chromedp.ID("x1")))
	evaluate[string](p, "document.getElementById('x1').focus(), document.activeElement.id") // By script: the row may be replaced at any moment.
	_, err = client.Members.List().Page(t.Context())
	require.NoError(t, err)
	p.do(chromedp.WaitVisible(chromedp.ID("x2")))
	assert.Equal(t, "x1", evaluate[string](p, "document.activeElement.id"))
}

// TestCopy puts the command on the clipboard.
func TestCopy(t *testing.T) {
	p := open(t)
	_, err := p.client(sandbox.TestKey).Account.Get(t.Context())
	require.NoError(t, err)
	p.visit("console/exchanges/1")
	for _, kind := range []string{"curl", "go"} {
		p.do(click(`[data-copy="` + kind + `"]`))
		p.do(chromedp.WaitVisible(chromedp.CSS(`[data-copy="` + kind + `"][data-copied]`)))
		assert.Contains(t, p.text("#"+kind), map[string]string{"curl": "/api/v1/account", "go": "client.Account.Get(ctx)"}[kind])
	}
}
