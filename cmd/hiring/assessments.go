package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

func (a *app) assessmentsCommand() *cobra.Command {
	return group("assessments", "assessment", "Manage assessments (job postings that candidates are invited to)",
		listCommand(a, command("list", "List assessments, newest first"), assessmentTable(), func(_ context.Context, t task) (hiring.Pager[hiring.Assessment], error) {
			return sized(t, t.client.Assessments.List()), nil
		}),
		getCommand(a, command("get <assessment>", "Show an assessment"), assessmentTable(), a.assessmentID,
			func(client *hiring.Client) getter[hiring.Assessment] { return client.Assessments.Get }),
		a.assessmentsCreateCommand(), a.assessmentsCloseCommand(), a.assessmentsDeleteCommand())
}

func assessmentTable() output.Table[hiring.Assessment] {
	return output.Table[hiring.Assessment]{
		Things: "assessments",
		Shown:  []string{"name", "status", "minutes", "created_at", "id"},
		More:   []string{"challenge_id", "budget_dollars_cap", "selected_task_ids", "updated_at"},
		Own:    map[string]func(hiring.Assessment) any{"minutes": func(a hiring.Assessment) any { return a.TimeLimitMinutes }},
	}
}

func (a *app) assessmentsCreateCommand() *cobra.Command {
	var in hiring.NewAssessment
	c := command("create --challenge <challenge> --name <name>", "Create an assessment from a challenge", "new")
	c.Flags().StringVar(&in.ChallengeID, "challenge", "", "the id, the slug or the whole `name` of the challenge (required)")
	c.Flags().StringVar(&in.Name, "name", "", "the `name` of the assessment, which candidates see (required)")
	c.Flags().IntVar(&in.TimeLimitMinutes, "minutes", 0, "time limit in `minutes`; 0 means the challenge's limit")
	budget := c.Flags().Float64("budget", 0, "a candidate's budget for AI in `dollars`; without it the challenge's budget")
	c.Flags().StringSliceVar(&in.SelectedTaskIDs, "tasks", nil, "the `ids` of the tasks to use, for a challenge with several tasks")
	_ = c.RegisterFlagCompletionFunc("challenge", a.complete(challenges))
	c.RunE = showItem(a, assessmentTable(), func(ctx context.Context, t task) (hiring.Assessment, error) {
		switch {
		case in.ChallengeID == "":
			return hiring.Assessment{}, adviceError{usagef("--challenge is missing"), "hiring challenges list shows the challenges"}
		case in.Name == "":
			return hiring.Assessment{}, usagef("--name is missing")
		case output.HasControls(in.Name):
			return hiring.Assessment{}, usagef("--name has control characters or line breaks: type it again")
		}
		id, err := a.idOf(in.ChallengeID, "challenge", false, challenges(ctx, t.client))
		if err == nil {
			err = a.guard(ctx, t.client, "create the assessment "+in.Name+" of the challenge "+id, "")
		}
		if err != nil {
			return hiring.Assessment{}, err
		}
		in.ChallengeID = id
		if c.Flags().Changed("budget") {
			in.BudgetDollarsCap = budget
		}
		return t.client.Assessments.Create(ctx, in)
	})
	return c
}

func (a *app) assessmentsCloseCommand() *cobra.Command {
	c := command("close <assessment>", "Close an assessment, so that no candidate can start it")
	c.RunE = showItem(a, assessmentTable(), func(ctx context.Context, t task) (hiring.Assessment, error) {
		id, err := a.guardedAssessment(ctx, t.client, "close the assessment", t.args[0])
		if err != nil {
			return hiring.Assessment{}, err
		}
		return t.client.Assessments.Close(ctx, id)
	})
	return c
}

func (a *app) assessmentsDeleteCommand() *cobra.Command {
	c := command("delete <assessment>", "Delete an assessment; its invitations and reports stay", "rm", "remove")
	c.RunE = a.withTask(func(ctx context.Context, t task) error {
		id, err := a.guardedAssessment(ctx, t.client, "delete the assessment", t.args[0])
		if err == nil {
			err = t.client.Assessments.Delete(ctx, id)
		}
		return a.printDone("Deleted the assessment.", err)
	})
	return c
}

// printDone returns the error of a command without output, or prints on a terminal that there was none. Elsewhere only
// failures and warnings are printed on standard error: cron sends what a command prints by
// e-mail.
func (a *app) printDone(what string, err error) error {
	if err != nil || !a.err.Terminal {
		return err
	}
	_, err = fmt.Fprintln(a.err, a.err.Paint(output.Green, what))
	return err
}
