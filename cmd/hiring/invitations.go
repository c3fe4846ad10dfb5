package main

import (
	"context"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

func (a *app) invitationsCommand() *cobra.Command {
	return group("invitations", "Invite candidates to an assessment",
		a.invitationsListCommand(), a.invitationsSendCommand(), a.invitationsEnsureCommand(), a.invitationsImportCommand(),
		a.invitationsResendCommand(), a.invitationsRevokeCommand())
}

func invitationTable() output.Table[hiring.Invitation] {
	return output.Table[hiring.Invitation]{
		Things: "invitations",
		Shown:  []string{"id", "candidate", "email", "status", "sent_at", "expires_at"},
		Own: map[string]func(hiring.Invitation) any{
			"candidate": func(i hiring.Invitation) any { return i.CandidateName },
			"email":     func(i hiring.Invitation) any { return i.CandidateEmail },
		},
		More: []string{"recruiter_decision", "opened_at", "started_at", "submitted_at", "created_at", "assessment_id"},
	}
}

func (a *app) invitationsListCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "list --assessment ID",
		Short: "List the invitations of an assessment, newest first",
		Args:  cobra.NoArgs,
	}
	assessment := assessmentFlag(c)
	return listing(a, c, invitationTable(), func(t task) (hiring.Pager[hiring.Invitation], error) {
		return t.client.Invitations.List(*assessment), nil
	})
}

// candidateFlags are whom to invite, and to what.
type candidateFlags struct {
	assessment *string
	candidate  hiring.NewInvitation
}

func newCandidateFlags(c *cobra.Command) *candidateFlags {
	f := &candidateFlags{assessment: assessmentFlag(c)}
	c.Flags().StringVar(&f.candidate.Email, "email", "", "the candidate's `address`")
	c.Flags().StringVar(&f.candidate.Name, "name", "", "the candidate's `name`")
	return f
}

func (f *candidateFlags) check() error {
	if f.candidate.Email == "" || f.candidate.Name == "" {
		return usagef("say whom to invite with --email ADDRESS and --name NAME")
	}
	return nil
}

func (a *app) invitationsSendCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "send --assessment ID --email ADDRESS --name NAME",
		Short: "Invite a candidate, also one who was invited before",
		Long: `Send invites a candidate, who gets an e-mail when the key is live, also when the
address has an invitation already. To invite somebody only once, use ensure.`,
		Args: cobra.NoArgs,
	}
	flags := newCandidateFlags(c)
	c.RunE = a.does(func(ctx context.Context, t task) error {
		if err := flags.check(); err != nil {
			return err
		}
		if err := a.guard(ctx, t.client, "mail an invitation to the candidate"); err != nil {
			return err
		}
		invitation, err := t.client.Invitations.Send(ctx, *flags.assessment, flags.candidate)
		if err != nil {
			return err
		}
		return output.One(t.Printer, invitationTable(), invitation)
	})
	return c
}

func (a *app) invitationsEnsureCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "ensure --assessment ID --email ADDRESS --name NAME",
		Short: "Invite a candidate unless the address has an invitation already",
		Long: `Ensure looks whether the address has an invitation in the assessment, of any
status, and sends one if not. It can be repeated: nobody is mailed twice, also
when a reply got lost.`,
		Args: cobra.NoArgs,
	}
	flags := newCandidateFlags(c)
	c.RunE = a.does(func(ctx context.Context, t task) error {
		if err := flags.check(); err != nil {
			return err
		}
		if err := a.guard(ctx, t.client, "mail an invitation to the candidate, unless the address has one"); err != nil {
			return err
		}
		invited, err := t.client.Invitations.Ensure(ctx, *flags.assessment, flags.candidate)
		if err != nil {
			return err
		}
		what := "sent"
		if invited.Outcome == hiring.InviteExisting {
			what = "there is one already, nothing was sent"
		}
		if err := a.done(what); err != nil {
			return err
		}
		return output.One(t.Printer, invitationTable(), invited.Invitation)
	})
	return c
}

func (a *app) invitationsResendCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "resend ID --assessment ID",
		Short: "Mail an invitation once more",
		Args:  cobra.ExactArgs(1),
	}
	assessment := assessmentFlag(c)
	c.RunE = a.does(func(ctx context.Context, t task) error {
		if err := a.guard(ctx, t.client, "mail the invitation again"); err != nil {
			return err
		}
		invitation, err := t.client.Invitations.Resend(ctx, *assessment, t.args[0])
		if err != nil {
			return err
		}
		return output.One(t.Printer, invitationTable(), invitation)
	})
	return c
}

func (a *app) invitationsRevokeCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "revoke ID --assessment ID",
		Short: "Take an invitation back",
		Args:  cobra.ExactArgs(1),
	}
	assessment := assessmentFlag(c)
	c.RunE = a.does(func(ctx context.Context, t task) error {
		if err := a.guard(ctx, t.client, "revoke the invitation"); err != nil {
			return err
		}
		if err := t.client.Invitations.Revoke(ctx, *assessment, t.args[0]); err != nil {
			return err
		}
		return a.done("revoked")
	})
	return c
}
