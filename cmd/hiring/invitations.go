package main

import (
	"context"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/candidates"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

func (a *app) invitationsCommand() *cobra.Command {
	return group("invitations", "invitation", "Invite candidates to an assessment",
		a.invitationsListCommand(), a.invitationsSendCommand(), a.invitationsEnsureCommand(), a.invitationsImportCommand(),
		a.invitationsResendCommand(), a.invitationsRevokeCommand())
}

func invitationTable() output.Table[hiring.Invitation] {
	return output.Table[hiring.Invitation]{
		Things: "invitations",
		Shown:  []string{"candidate", "email", "status", "sent_at", "expires_at", "id"},
		Own: map[string]func(hiring.Invitation) any{
			"candidate": func(i hiring.Invitation) any { return i.CandidateName },
			"email":     func(i hiring.Invitation) any { return i.CandidateEmail },
		},
		More: []string{"recruiter_decision", "opened_at", "started_at", "submitted_at", "created_at", "assessment_id"},
	}
}

func (a *app) invitationsListCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "list --assessment <assessment>",
		Short: "List the invitations of an assessment, newest first",
	}
	assessment := a.assessmentFlag(c)
	return listCommand(a, c, invitationTable(), func(ctx context.Context, t task) (hiring.Pager[hiring.Invitation], error) {
		id, err := assessment.id(ctx, t.client)
		return t.client.Invitations.List(id), err
	})
}

// candidateFlags are the flags that name a candidate and an assessment.
type candidateFlags struct {
	assessment assessmentRef
	candidate  hiring.NewInvitation
}

func (a *app) newCandidateFlags(c *cobra.Command) *candidateFlags {
	f := &candidateFlags{assessment: a.assessmentFlag(c)}
	c.Flags().StringVar(&f.candidate.Email, "email", "", "the candidate's e-mail `address` (required)")
	c.Flags().StringVar(&f.candidate.Name, "name", "", "the candidate's `name` (required)")
	return f
}

// confirmed checks the flags and returns the id of the assessment after the user has
// confirmed what the command will do.
func (f *candidateFlags) confirmed(ctx context.Context, a *app, client *hiring.Client, what string) (string, error) {
	if f.candidate.Email == "" || f.candidate.Name == "" {
		return "", usagef("--email and --name are required")
	}
	if problem := candidates.EmailProblem(f.candidate.Email); problem != "" {
		return "", usagef("--email: %s", problem)
	}
	if problem := candidates.NameProblem(f.candidate.Name); problem != "" {
		return "", usagef("--name: %s", problem)
	}
	id, err := f.assessment.id(ctx, client)
	if err == nil {
		err = a.guard(ctx, client, what)
	}
	return id, err
}

func (a *app) invitationsSendCommand() *cobra.Command {
	c := &cobra.Command{
		Use:     "send --assessment <assessment> --email <address> --name <name>",
		Aliases: []string{"create", "invite"},
		Short:   "Invite a candidate, even if the address already has an invitation",
		Long: `Invite a candidate, even if the address already has an invitation. With a live key the
candidate gets an e-mail. To invite an address only once, use ensure.`,
	}
	flags := a.newCandidateFlags(c)
	c.RunE = showItem(a, invitationTable(), func(ctx context.Context, t task) (hiring.Invitation, error) {
		id, err := flags.confirmed(ctx, a, t.client, "send an invitation e-mail to the candidate")
		if err != nil {
			return hiring.Invitation{}, err
		}
		return t.client.Invitations.Send(ctx, id, flags.candidate)
	})
	return c
}

func (a *app) invitationsEnsureCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "ensure --assessment <assessment> --email <address> --name <name>",
		Short: "Invite a candidate unless the address already has an invitation",
		Long: `List the invitations of the assessment and invite the candidate if the address has none,
of any status. The command can be repeated: it does not send a second e-mail, even if a
response was lost.`,
	}
	flags := a.newCandidateFlags(c)
	c.RunE = a.withTask(func(ctx context.Context, t task) error {
		id, err := flags.confirmed(ctx, a, t.client, "send an invitation e-mail to the candidate, unless the address has an invitation")
		if err != nil {
			return err
		}
		invited, err := t.client.Invitations.Ensure(ctx, id, flags.candidate)
		if err != nil {
			return err
		}
		what := "Sent the invitation."
		if invited.Outcome == hiring.InviteExisting {
			what = "The address already has an invitation. Nothing was sent."
		}
		if err := a.printDone(what); err != nil {
			return err
		}
		return output.One(t.Printer, invitationTable(), invited.Invitation)
	})
	return c
}

// withoutAssessment says what resend and revoke do without --assessment.
const withoutAssessment = `

Without --assessment the command looks for the invitation in all assessments, newest
first: one read for each assessment and each 100 of its invitations.`

func (a *app) invitationsResendCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "resend <invitation-id>",
		Short: "Send the e-mail of an invitation again",
		Long:  "Send the e-mail of an invitation again." + withoutAssessment,
	}
	assessment := a.invitationFlag(c)
	c.RunE = showItem(a, invitationTable(), func(ctx context.Context, t task) (hiring.Invitation, error) {
		id, err := invitationsAssessment(ctx, t.client, assessment, t.args[0])
		if err == nil {
			err = a.guard(ctx, t.client, "send the invitation e-mail again")
		}
		if err != nil {
			return hiring.Invitation{}, err
		}
		return t.client.Invitations.Resend(ctx, id, t.args[0])
	})
	return c
}

func (a *app) invitationsRevokeCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "revoke <invitation-id>",
		Short: "Revoke an invitation",
		Long:  "Revoke an invitation." + withoutAssessment,
	}
	assessment := a.invitationFlag(c)
	c.RunE = a.withTask(func(ctx context.Context, t task) error {
		id, err := invitationsAssessment(ctx, t.client, assessment, t.args[0])
		if err == nil {
			err = a.guard(ctx, t.client, "revoke the invitation")
		}
		if err == nil {
			err = t.client.Invitations.Revoke(ctx, id, t.args[0])
		}
		if err != nil {
			return err
		}
		return a.printDone("Revoked the invitation.")
	})
	return c
}

// invitationFlag adds the optional flag --assessment to a command with the id of an
// invitation, and the completion of that id.
func (a *app) invitationFlag(c *cobra.Command) assessmentRef {
	ref := a.assessmentFilter(c, assessmentHelp)
	c.ValidArgsFunction = a.complete(invitationIDs(ref))
	return ref
}
