package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

func (a *app) assessmentsCommand() *cobra.Command {
	return group("assessments", "Job postings that candidates are invited to",
		a.assessmentsListCommand(), a.assessmentsGetCommand(), a.assessmentsCreateCommand(),
		a.assessmentsCloseCommand(), a.assessmentsDeleteCommand())
}

func assessmentTable() output.Table[hiring.Assessment] {
	return output.Table[hiring.Assessment]{
		Things: "assessments",
		Shown:  []string{"id", "name", "status", "minutes", "created_at"},
		More:   []string{"challenge_id", "budget_dollars_cap", "selected_task_ids", "updated_at"},
		Own:    map[string]func(hiring.Assessment) any{"minutes": func(a hiring.Assessment) any { return a.TimeLimitMinutes }},
	}
}

func (a *app) assessmentsListCommand() *cobra.Command {
	return listing(a, &cobra.Command{
		Use:   "list",
		Short: "List the assessments that were not deleted, newest first",
		Args:  cobra.NoArgs,
	}, assessmentTable(), func(t task) (hiring.Pager[hiring.Assessment], error) {
		return t.client.Assessments.List(), nil
	})
}

func (a *app) assessmentsGetCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "get ID",
		Short: "Show an assessment",
		Args:  cobra.ExactArgs(1),
		RunE: a.does(func(ctx context.Context, t task) error {
			assessment, err := t.client.Assessments.Get(ctx, t.args[0])
			if err != nil {
				return err
			}
			return output.One(t.Printer, assessmentTable(), assessment)
		}),
	}
}

func (a *app) assessmentsCreateCommand() *cobra.Command {
	var in hiring.NewAssessment
	c := &cobra.Command{
		Use:     "create --challenge ID --name NAME",
		Short:   "Make an assessment from a challenge; it consumes nothing of the plan",
		Example: "  hiring challenges list\n  hiring assessments create --challenge ID --name \"Backend engineer\"",
		Args:    cobra.NoArgs,
	}
	c.Flags().StringVar(&in.ChallengeID, "challenge", "", "the `id` of the challenge")
	c.Flags().StringVar(&in.Name, "name", "", "the `name` of the assessment, which candidates see")
	c.Flags().IntVar(&in.TimeLimitMinutes, "minutes", 0, "time limit; 0 for that of the challenge")
	c.Flags().Float64Var(&in.BudgetDollarsCap, "budget", 0, "cap of what a candidate may spend on AI, in `dollars`; 0 for that of the challenge")
	c.Flags().StringSliceVar(&in.SelectedTaskIDs, "tasks", nil, "the `ids` of the tasks, of a challenge with several")
	c.RunE = a.does(func(ctx context.Context, t task) error {
		if in.ChallengeID == "" || in.Name == "" {
			return usagef("say --challenge ID and --name NAME; hiring challenges list shows the challenges")
		}
		if err := a.guard(ctx, t.client, "create an assessment"); err != nil {
			return err
		}
		assessment, err := t.client.Assessments.Create(ctx, in)
		if err != nil {
			return err
		}
		return output.One(t.Printer, assessmentTable(), assessment)
	})
	return c
}

func (a *app) assessmentsCloseCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "close ID",
		Short: "Stop new work on an assessment, which stays in the list",
		Args:  cobra.ExactArgs(1),
		RunE: a.does(func(ctx context.Context, t task) error {
			if err := a.guard(ctx, t.client, "close the assessment"); err != nil {
				return err
			}
			assessment, err := t.client.Assessments.Close(ctx, t.args[0])
			if err != nil {
				return err
			}
			return output.One(t.Printer, assessmentTable(), assessment)
		}),
	}
}

func (a *app) assessmentsDeleteCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "delete ID",
		Short: "Take an assessment off the list; its invitations and reports stay",
		Args:  cobra.ExactArgs(1),
		RunE: a.does(func(ctx context.Context, t task) error {
			if err := a.guard(ctx, t.client, "delete the assessment"); err != nil {
				return err
			}
			if err := t.client.Assessments.Delete(ctx, t.args[0]); err != nil {
				return err
			}
			return a.done("deleted")
		}),
	}
}

// done says on standard error that something without a result was done.
func (a *app) done(what string) error {
	_, err := fmt.Fprintln(a.err, a.err.Paint(output.Green, what))
	return err
}
