package main

import (
	"cmp"
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
		Use:   "import <file.csv> --assessment <assessment-id>",
		Short: "Invite every candidate in a CSV file who has no invitation yet",
		Long: `Invite every candidate in a CSV file whose address has no invitation in the assessment.
The first line of the file names the columns name and email. The command shows how many
candidates it will invite and asks for confirmation. It waits for as many rate-limit
windows as it needs, and writes the result of each candidate to <file.csv>.results.csv.

The command can be interrupted at any moment. Run it again: it resumes and sends no second
e-mail. A second import with the same file of results is refused on the same machine. Do
not import the same candidates with two files of results or on two machines at the same
time: a candidate may get two e-mails.`,
		Example: "  hiring invitations import people.csv --assessment <assessment-id> --dry-run\n" +
			"  hiring invitations import people.csv --assessment <assessment-id>",
		Args: cobra.ExactArgs(1),
	}
	assessment := a.assessmentFlag(c)
	c.Flags().BoolVar(&dryRun, "dry-run", false, "show what would be done, and do nothing")
	c.Flags().StringVar(&results, "results", "", "the `file` of results (default <file.csv>.results.csv)")
	c.RunE = func(c *cobra.Command, args []string) error {
		list, err := candidates.Read(args[0])
		if err != nil {
			return adviceError{usageError{err}, "No invitations were sent"}
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
	if err := checkFile("--results", results, "a later run reads the file of results"); err != nil {
		return err
	}
	progress := a.err.Progress("invited")
	client, err := a.client(a.longRunOptions(progress)...)
	if err != nil {
		return err
	}
	var kept *candidates.Results
	if !dryRun { // Two imports must not read the same plan.
		if kept, err = openResults(results); err != nil {
			return err
		}
		defer kept.Close()
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
		if err := a.guard(ctx, client, "send invitation e-mails to "+counted(plan.ToInvite, "candidate", "candidates")); err != nil {
			return err
		}
	}
	im := importer{client: client, assessment: assessment, people: list.People, lines: list.Lines, invited: plan.invited,
		results: kept, file: results, progress: progress}
	summary, err := im.run(ctx)
	if summary.Results != "" {
		err = cmp.Or(err, output.One(printer, importSummaryTable(), summary))
	}
	return err
}

// openResults opens and locks the file of results. It returns an error when another
// process has locked it.
func openResults(file string) (*candidates.Results, error) {
	results, err := candidates.OpenResults(file)
	if errors.Is(err, candidates.ErrInUse) {
		return nil, adviceError{usageError{err}, "No invitations were sent"}
	}
	return results, err
}

// importPlan is what an import would do.
type importPlan struct {
	People     int      `json:"people"`
	Repeats    int      `json:"repeats"`
	Ignored    []string `json:"ignored_columns"`
	Existing   int      `json:"existing"`
	ToInvite   int      `json:"to_invite"`
	PlanLeft   *int     `json:"plan_left"` // Nil means unlimited.
	Windows    int      `json:"quota_windows"`
	AssessedAs string   `json:"assessment"`

	invited map[string]hiring.Invitation // By address.
}

// writesAnHour is the documented write limit of a key.
const writesAnHour = 200

// newImportPlan reads the account, the assessment and its invitations.
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
		return plan, adviceError{errors.New("The assessment is closed"), "hiring assessments list shows the active ones"}
	}
	plan.AssessedAs = about.Name
	plan.invited = make(map[string]hiring.Invitation)
	for invitation, err := range client.Invitations.List(assessment).All(ctx) {
		if err != nil {
			return plan, err
		}
		if key := candidates.Key(invitation.CandidateEmail); plan.invited[key].ID == "" { // The newest comes first.
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

// text returns the plan in a few lines.
func (p importPlan) text() string {
	lines := []string{fmt.Sprintf("%s for %s: %d already invited, %d to invite.", counted(p.People, "candidate", "candidates"),
		output.Clean(p.AssessedAs), p.Existing, p.ToInvite)}
	if p.Repeats > 0 {
		lines = append(lines, counted(p.Repeats, "row repeats an address and is skipped.", "rows repeat an address and are skipped."))
	}
	if p.Ignored != nil {
		lines = append(lines, "Unused columns: "+output.Clean(strings.Join(p.Ignored, ", "))+".")
	}
	if p.ToInvite == 0 {
		return strings.Join(lines, "\n")
	}
	switch {
	case p.PlanLeft == nil:
		lines = append(lines, "The plan does not limit invitations.")
	case *p.PlanLeft < p.ToInvite:
		lines = append(lines, fmt.Sprintf("The plan has only %s left. The import will stop there.",
			counted(*p.PlanLeft, "invitation", "invitations")))
	default:
		lines = append(lines, fmt.Sprintf("The plan has %s left.", counted(*p.PlanLeft, "invitation", "invitations")))
	}
	if p.Windows > 1 {
		lines = append(lines, fmt.Sprintf("The rate limit spreads the import over %d windows of an hour.", p.Windows))
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
