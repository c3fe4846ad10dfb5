package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/candidates"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/files"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

func (a *app) invitationsImportCommand() *cobra.Command {
	var dryRun bool
	var results string
	c := command("import <file.csv> --assessment <assessment>", "Invite every candidate in a CSV file who has no invitation yet")
	assessment := a.assessmentFlag(c, changedAssessmentHelp)
	c.Flags().BoolVar(&dryRun, "dry-run", false, "show what would be done, and do nothing")
	c.Flags().StringVar(&results, "results", "", "the `file` of results (default <file.csv>.results.csv)")
	c.RunE = func(c *cobra.Command, args []string) error {
		name := args[0]
		switch unnamed := name == "-" || strings.HasPrefix(name, "/dev/"); {
		case results == "" && !unnamed:
			results = name + ".results.csv"
		case results == "" && !dryRun:
			return adviceError{usagef("--results is missing: %s has no name beside which the results could be written", name), notInvited}
		}
		text, err := a.readInput(c.Context(), name)
		if err != nil {
			return adviceError{err, notInvited}
		}
		if name == "-" {
			name = "standard input"
		}
		list, err := candidates.Read(name, text)
		if err != nil {
			return adviceError{usageError{err}, notInvited}
		}
		return a.importList(c.Context(), *assessment, list, results, dryRun)
	}
	return c
}

// notInvited is the advice of an import that ended before its first request.
const notInvited = "No invitations were sent"

func (a *app) importList(ctx context.Context, assessment string, list candidates.List, results string, dryRun bool) error {
	printer, err := a.printer()
	if err != nil {
		return err
	}
	progress := a.err.Progress("invited")
	client, err := a.client(append(a.longRunOptions(progress), hiring.WithTimeout(importTimeout))...)
	if err != nil {
		return err
	}
	kept := new(candidates.Results)
	if !dryRun || results != "" { // A dry run of standard input has none.
		if kept, err = openResults(results); err != nil {
			return err
		}
		defer kept.Close()
	}
	id, err := a.changedAssessmentID(ctx, client, assessment)
	if err != nil {
		return err
	}
	plan, err := newImportPlan(ctx, client, id, list, kept)
	if err != nil {
		return err
	}
	if dryRun {
		return output.One(printer, importPlanTable(), plan)
	}
	if a.err.Terminal {
		_, _ = fmt.Fprintln(a.err, plan.text())
	}
	if plan.ToInvite > 0 {
		if err := a.guard(ctx, client, "send invitation e-mails to "+counted(plan.ToInvite, "candidate", "candidates")+" of the assessment", plan.ID); err != nil {
			return err
		}
	}
	im := importer{app: a, client: client, plan: plan, people: list.People, lines: list.Lines, results: kept, file: results, progress: progress}
	summary, err := im.run(ctx)
	return cmp.Or(err, output.One(printer, importSummaryTable(), summary))
}

// openResults opens the file of results before the plan is made: two imports must not read the same
// plan.
func openResults(file string) (*candidates.Results, error) {
	kept, err := candidates.OpenResults(file)
	switch {
	case errors.Is(err, files.ErrLocked):
		err = adviceError{err, notInvited}
	case errors.Is(err, files.ErrNoLocks):
		err = adviceError{err, notInvited + ". Keep the file of results on a local disk: --results <file>"}
	case errors.Is(err, candidates.ErrNotResults):
		err = usageError{err}
	}
	return kept, err
}

// importPlan is what an import would do.
type importPlan struct {
	People     int    `json:"people"`
	Repeats    int    `json:"repeats"`
	Ignored    int    `json:"ignored_columns"`
	Existing   int    `json:"existing"`
	ToInvite   int    `json:"to_invite"`
	PlanLeft   *int   `json:"plan_left"` // Nil means unlimited.
	AssessedAs string `json:"assessment"`
	ID         string `json:"assessment_id"` // As the API writes it.

	invited map[string]hiring.Invitation // By address.
}

// The statuses of an invitation with which the candidate cannot start. The API does not document
// them.
const (
	revoked = "revoked"
	expired = "expired"
)

// statusOf returns the status of an invitation, which is expired once the candidate cannot start
// any more. Of a status that the API does not document, nothing else is known.
func statusOf(i hiring.Invitation) string {
	waiting := i.Status == hiring.InvitationSent || i.Status == hiring.InvitationOpened
	if waiting && i.StartedAt == nil && !i.ExpiresAt.IsZero() && i.ExpiresAt.Before(time.Now()) {
		return expired
	}
	return string(i.Status)
}

// cannotStart returns the problem of an invitation that is revoked or expired, or "".
func cannotStart(status string) string {
	if status == revoked || status == expired {
		return "the candidate cannot start: the invitation is " + status
	}
	return ""
}

// warnOfEnded says that addresses got no e-mail although their candidates cannot start.
func (a *app) warnOfEnded(status string, n int) {
	if n > 0 {
		a.warnOnce(counted(n, "invitation is ", "invitations are ") + status + ", and got no e-mail. hiring invitations send --again <candidate> -a <assessment> sends another.")
	}
}

// newImportPlan reads the account, the assessment and its invitations.
func newImportPlan(ctx context.Context, client *hiring.Client, assessment string, list candidates.List, results *candidates.Results) (importPlan, error) {
	plan := importPlan{People: len(list.People), Repeats: list.Repeats, Ignored: list.Ignored, invited: make(map[string]hiring.Invitation)}
	account, err := client.Account.Get(ctx)
	if err != nil {
		return plan, err
	}
	if left, limited := account.InvitationsLeft(); limited {
		plan.PlanLeft = &left
	}
	about, err := client.Assessments.Get(ctx, assessment)
	if err != nil {
		return plan, err
	}
	if about.Status == hiring.AssessmentClosed {
		return plan, adviceError{usagef("The assessment is closed"), "hiring assessments list shows the active ones"}
	}
	plan.AssessedAs, plan.ID = about.Name, about.ID
	for invitation, err := range client.Invitations.List(plan.ID).All(ctx) {
		if err != nil {
			return plan, err
		}
		key := hiring.AddressKey(invitation.CandidateEmail)
		if known, found := plan.invited[key]; !found || cannotStart(statusOf(known)) != "" && cannotStart(statusOf(invitation)) == "" { // The newest comes first.
			plan.invited[key] = invitation
		}
	}
	for _, person := range list.People {
		if _, listed := plan.invited[hiring.AddressKey(person.Email)]; listed || results.Row(plan.ID, person.Email).Outcome == hiring.InviteSent {
			plan.Existing++
		}
	}
	plan.ToInvite = plan.People - plan.Existing
	return plan, nil
}

// text returns the plan in a few lines.
func (p importPlan) text() string {
	lines := []string{fmt.Sprintf("%s for %s: %d already invited, %d to invite.", counted(p.People, "candidate", "candidates"), output.Clean(p.AssessedAs), p.Existing, p.ToInvite)}
	if p.Repeats > 0 {
		lines = append(lines, counted(p.Repeats, "row repeats an address and is skipped.", "rows repeat an address and are skipped."))
	}
	if p.Ignored > 0 {
		lines = append(lines, counted(p.Ignored, "column is", "columns are")+" not used.")
	}
	switch {
	case p.ToInvite == 0 || p.PlanLeft == nil: // Unlimited.
	case *p.PlanLeft < p.ToInvite:
		lines = append(lines, fmt.Sprintf("The plan has only %s left. The import will stop there.", counted(*p.PlanLeft, "invitation", "invitations")))
	default:
		lines = append(lines, fmt.Sprintf("The plan has %s left.", counted(*p.PlanLeft, "invitation", "invitations")))
	}
	return strings.Join(lines, "\n")
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func importPlanTable() output.Table[importPlan] {
	return output.Table[importPlan]{
		Shown: []string{"assessment", "people", "repeats", "ignored_columns", "existing", "to_invite", "plan_left"},
		Verbose: func(p *output.Printer, plan importPlan) error {
			_, err := fmt.Fprintln(p, plan.text())
			return err
		},
	}
}
