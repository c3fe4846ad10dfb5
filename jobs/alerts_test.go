package jobs_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs"
)

// TestAlertsUseTheNamesOfThisPackage checks the names that the alert rules and
// this package share: a rule with another name would never fire.
func TestAlertsUseTheNamesOfThisPackage(t *testing.T) {
	t.Parallel()
	rules, err := os.ReadFile("../otelhiring/deploy/alerts.yaml")
	require.NoError(t, err)
	for _, selector := range []string{
		`hiring_delivery_state="` + jobs.DeliveriesWaiting + `"`,
		`hiring_delivery_state="` + jobs.DeliveriesFailing + `"`,
		`hiring_delivery_state="` + jobs.DeliveriesPaused + `"`,
		`hiring_delivery_state=~"` + jobs.DeliveriesCancelled + `|` + jobs.DeliveriesDiscarded + `"`,
		`hiring_delivery_state="` + jobs.DeliveriesUnreadable + `"`,
		`hiring_delivery_state="` + jobs.DeliveriesUnfinished + `"`,
		`hiring_invitation_state="` + jobs.InvitationsStuck + `"`,
		`hiring_job_event="` + jobs.EventStuck + `"`,
		`hiring_job_event="` + jobs.EventDiscarded + `",hiring_job_kind!="` + jobs.KindDelivery + `"`,
	} {
		require.Contains(t, string(rules), selector)
	}
}
