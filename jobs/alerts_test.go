package jobs_test

import (
	"os"
	"regexp"
	"testing"
	"time"

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
		`hiring_delivery_state="` + string(jobs.DeliveriesWaiting) + `"`,
		`hiring_delivery_state="` + string(jobs.DeliveriesFailing) + `"`,
		`hiring_delivery_state="` + string(jobs.DeliveriesPaused) + `"`,
		`hiring_delivery_state=~"` + string(jobs.DeliveriesCancelled) + `|` + string(jobs.DeliveriesDiscarded) + `"`,
		`hiring_delivery_state="` + string(jobs.DeliveriesUnreadable) + `"`,
		`hiring_delivery_state="` + string(jobs.DeliveriesRescued) + `"`,
		`hiring_delivery_state="` + string(jobs.DeliveriesUnlisted) + `"`,
		`hiring_invitation_state="` + string(jobs.InvitationsStuck) + `"`,
		`hiring_invitation_state="` + string(jobs.InvitationsQueued) + `"`,
		`hiring_job_event="` + string(jobs.EventStuck) + `"`,
		`hiring_invitation_state="` + string(jobs.InvitationsRejected) + `"`,
	} {
		require.Contains(t, string(rules), selector)
	}
	telemetry, scrape := newTelemetry(t)
	telemetry.Job(t.Context(), jobs.JobEvent{Organization: "acme", Kind: jobs.KindDelivery, Event: jobs.EventStuck})
	for _, kind := range []string{jobs.KindDelivery, jobs.KindInvitations} {
		telemetry.Count(t.Context(), jobs.CountEvent{Organization: "acme", Kind: kind, State: jobs.DeliveriesWaiting})
	}
	telemetry.Clock(t.Context(), jobs.ClockEvent{Ahead: time.Minute})
	dashboard, err := os.ReadFile("../otelhiring/deploy/dashboard.json")
	require.NoError(t, err)
	page := scrape()
	for _, metric := range regexp.MustCompile(`hiring_jobs_[a-z_]+`).FindAllString(string(rules)+string(dashboard), -1) {
		require.Regexp(t, `\n`+metric+`[ {]`, page)
	}
}
