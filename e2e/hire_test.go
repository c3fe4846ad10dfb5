package e2e

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestAWholeHireByClicks goes from an empty pipeline to a report, which the
// client then reads.
func TestAWholeHireByClicks(t *testing.T) {
	p := open(t)
	p.visit("console/pipeline")
	p.fill(`input[name="name"]`, "Backend engineer")
	p.submit(`form[action$="/assessments"] button`)
	p.fill(`form[action$="/invitations"] input[name="name"]`, "Ada Lovelace")
	p.fill(`form[action$="/invitations"] input[name="email"]`, "ada@candidates.test")
	p.submit(`form[action$="/invitations"] button`)
	for _, step := range []string{"open", "begin", "submit"} {
		p.submit(`.card form[action$="/` + step + `"] button`)
	}
	p.submit(`.card a.button`) // to the form of the report
	p.fill(`input[name="ship_score"]`, "88")
	p.fill(`input[name="correctness"]`, "91")
	p.fill(`input[name="craft"]`, "84")
	p.do(click(`input[name="low_confidence"][value="craft"]`))
	p.fill(`textarea[name="summary"]`, "Careful, and quick.")
	p.submit(`form[action$="/evaluate"] button`)
	p.appears(".report", "Careful, and quick.")
	assert.Contains(t, p.text(".report .score"), "88")
	assert.Contains(t, p.text(".report .pillars"), "Not enough data")

	client := p.client(sandbox.LiveKey)
	all, err := client.Submissions.List(hiring.SubmissionFilter{}).Collect(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1)
	assert.Equal(t, 88, *all[0].Report.ShipScore)
	craft, _ := all[0].Report.Pillar(hiring.PillarCraft)
	assert.True(t, craft.LowConfidence)
	p.visit("console/pipeline")
	assert.Contains(t, p.text(".board"), "Ada Lovelace")
}
