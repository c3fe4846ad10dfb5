package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/candidates"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

func (a *app) invitationsImportCommand() *cobra.Command {
	var dryRun bool
	var results string
	c := &cobra.Command{
		Use:   "import FILE.csv --assessment ID",
		Short: "Invite everybody in a CSV file who has no invitation yet",
		Long: `Import invites everybody in a CSV file, whose first line names the columns name and
email, unless the address has an invitation in the assessment already. It says first
how many that are and what it takes, and asks. It waits for as many windows of the
quota as it takes, and writes what became of each into FILE.csv.results.csv.

Stopped at any moment, run the same command again a minute later: it goes on, and
nobody is mailed twice. Two imports of the same people take turns; what they cannot
notice is that both begin within the same second: then somebody may be mailed twice.`,
		Example: "  hiring invitations import people.csv --assessment ID --dry-run\n  hiring invitations import people.csv --assessment ID",
		Args:    cobra.ExactArgs(1),
	}
	assessment := assessmentFlag(c)
	c.Flags().BoolVar(&dryRun, "dry-run", false, "only say what would be done")
	c.Flags().StringVar(&results, "results", "", "the `file` of results, rather than FILE.csv.results.csv")
	c.RunE = func(c *cobra.Command, args []string) error {
		list, err := candidates.Read(args[0])
		if err != nil {
			return advised{usageError{err}, "nobody was invited"}
		}
		if results == "" {
			results = args[0] + ".results.csv"
		}
		return a.importList(c.Context(), *assessment, list, results, dryRun)
	}
	return c
}

func (a *app) importList(ctx context.Context, assessment string, list candidates.List, results string, dryRun bool) error {
	printer, err := a.printer()
	if err != nil {
		return err
	}
	progress := a.err.Progress("invited")
	client, err := a.client(a.patience(progress)...)
	if err != nil {
		return err
	}
	plan, err := newImportPlan(ctx, client, assessment, list)
	if err != nil {
		return err
	}
	if dryRun {
		return output.One(printer, importPlanTable(), plan)
	}
	_, _ = fmt.Fprintln(a.err, plan.text())
	if plan.ToInvite > 0 {
		if err := a.guard(ctx, client, "mail invitations to "+counted(plan.ToInvite, "person", "people")); err != nil {
			return err
		}
	}
	im := importer{client: client, assessment: assessment, people: list.People, rows: list.Rows, invited: plan.invited, file: results, progress: progress}
	summary, err := im.run(ctx)
	if summary.Results != "" {
		err = firstOf(err, output.One(printer, importSummaryTable(), summary))
	}
	return err
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// importPlan is what an import takes.
type importPlan struct {
	People     int      `json:"people"`
	Repeats    int      `json:"repeats"`
	Ignored    []string `json:"ignored_columns"`
	Existing   int      `json:"existing"`
	ToInvite   int      `json:"to_invite"`
	PlanLeft   *int     `json:"plan_left"` // Nil: not limited.
	Windows    int      `json:"quota_windows"`
	AssessedAs string   `json:"assessment"`

	invited map[string]hiring.Invitation // By address.
}

// writesAnHour are what the documentation allows a key; a tenth is left to others.
const writesAnHour = 200

// newImportPlan looks at the account, the assessment and who is invited already.
func newImportPlan(ctx context.Context, client *hiring.Client, assessment string, list candidates.List) (importPlan, error) {
	plan := importPlan{People: len(list.People), Repeats: list.Repeats, Ignored: list.Ignored}
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
		return plan, advised{errors.New("the assessment is closed, nobody can be invited to it"), "hiring assessments list shows those that are active"}
	}
	plan.AssessedAs = about.Name
	plan.invited = make(map[string]hiring.Invitation)
	for invitation, err := range client.Invitations.List(assessment).All(ctx) {
		if err != nil {
			return plan, err
		}
		if key := candidates.Key(invitation.CandidateEmail); plan.invited[key].ID == "" { // The newest.
			plan.invited[key] = invitation
		}
	}
	for _, person := range list.People {
		if _, found := plan.invited[candidates.Key(person.Email)]; found {
			plan.Existing++
		}
	}
	plan.ToInvite = plan.People - plan.Existing
	limit := writesAnHour
	if known := client.Quota().Write; known.Known() {
		limit = known.Limit
	}
	usable := max(limit-limit/10, 1)
	plan.Windows = (plan.ToInvite + usable - 1) / usable
	return plan, nil
}

// text is the plan in a few lines.
func (p importPlan) text() string {
	lines := []string{fmt.Sprintf("%s for %s: %d already invited, %d to invite.", counted(p.People, "person", "people"), output.Clean(p.AssessedAs), p.Existing, p.ToInvite)}
	if p.Repeats > 0 {
		lines = append(lines, counted(p.Repeats, "row repeats an address and is left out.", "rows repeat an address and are left out."))
	}
	if p.Ignored != nil {
		lines = append(lines, "These columns are not used: "+output.Clean(strings.Join(p.Ignored, ", "))+".")
	}
	if p.ToInvite == 0 {
		return strings.Join(lines, "\n")
	}
	switch {
	case p.PlanLeft == nil:
		lines = append(lines, "The plan does not limit invitations.")
	case *p.PlanLeft < p.ToInvite:
		lines = append(lines, fmt.Sprintf("The plan has only %s left: it will stop there.", counted(*p.PlanLeft, "invitation", "invitations")))
	default:
		lines = append(lines, fmt.Sprintf("The plan has %s left.", counted(*p.PlanLeft, "invitation", "invitations")))
	}
	if p.Windows > 1 {
		lines = append(lines, fmt.Sprintf("The quota of requests makes it last: %d windows of an hour.", p.Windows))
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
		Shown: []string{"assessment", "people", "repeats", "ignored_columns", "existing", "to_invite", "plan_left", "quota_windows"},
		Verbose: func(p *output.Printer, plan importPlan) error {
			_, err := fmt.Fprintln(p, plan.text())
			return err
		},
	}
}
