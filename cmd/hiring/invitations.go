package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/candidates"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

func (a *app) invitationsCommand() *cobra.Command {
	return group("invitations", "invitation, invites", "Invite candidates to an assessment",
		a.invitationsListCommand(), a.invitationsFindCommand(), a.invitationsInviteCommand(), a.invitationsImportCommand(), a.invitationsSendCommand(),
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
	c := command("list --assessment <assessment>", "List the invitations of an assessment, newest first")
	assessment := a.assessmentFlag(c, assessmentHelp)
	known := []string{string(hiring.InvitationSent), string(hiring.InvitationOpened), string(hiring.InvitationStarted), string(hiring.InvitationEvaluated), revoked, expired}
	status := a.statusFlag(c, "read the whole list, and show the invitations with this `status`: "+strings.Join(known, ", "), known...)
	return listCommand(a, c, invitationTable(), func(ctx context.Context, t task) (hiring.Pager[hiring.Invitation], error) {
		only, err := status()
		if err != nil {
			return hiring.PagerOf[hiring.Invitation](), err
		}
		id, err := a.assessmentID(ctx, t.client, *assessment)
		if err != nil || only == "" {
			return sized(t, t.client.Invitations.List(id)), err
		}
		found, err := matching(invitationsOf(ctx, t.client, id), func(i hiring.Invitation) bool {
			return string(i.Status) == only || statusOf(i) == only // An expired one keeps its status in the API.
		})
		return hiring.PagerOf(found...), err
	})
}

func (a *app) invitationsFindCommand() *cobra.Command {
	table := invitationTable()
	table.Shown = slices.Insert(table.Shown, len(table.Shown)-1, "assessment_id")
	c := command("find <email>", "Show the invitations of a candidate")
	assessment := a.assessmentFilter(c, assessmentHelp)
	return listCommand(a, c, table, func(ctx context.Context, t task) (hiring.Pager[hiring.Invitation], error) {
		id, err := a.assessmentID(ctx, t.client, *assessment)
		if err != nil {
			return hiring.PagerOf[hiring.Invitation](), err
		}
		given := copied(t.args[0])
		found, err := matching(invitationsOf(ctx, t.client, id), func(i hiring.Invitation) bool {
			isPart := cutID.MatchString(given) && strings.HasPrefix(i.ID, strings.TrimRight(strings.ToLower(given), ".…"))
			return isPart || strings.EqualFold(i.ID, given) || hiring.AddressKey(i.CandidateEmail) == hiring.AddressKey(given) ||
				given != "" && strings.Contains(folded(i.CandidateName+" "+i.CandidateEmail), folded(given))
		})
		if err == nil && len(found) == 0 {
			err = adviceError{causedError{fmt.Errorf("There is no invitation of %s", quoted([]string{given})), hiring.ErrNotFound}, "hiring invitations list -a <assessment> shows the invitations"}
		}
		return hiring.PagerOf(found...), err
	})
}

// person returns a candidate for a question.
func person(name, email string) string { return strings.TrimSpace(name + " <" + email + ">") }

// about returns what a question calls an invitation.
func about(i hiring.Invitation) string {
	if i.CandidateEmail == "" {
		return "the invitation " + i.ID
	}
	return "the invitation of " + person(i.CandidateName, i.CandidateEmail)
}

func (a *app) invitationsInviteCommand() *cobra.Command {
	c := command("invite <candidate>... --assessment <assessment>", "Invite candidates, each address once")
	assessment := a.assessmentFlag(c, changedAssessmentHelp)
	name := c.Flags().String("name", "", "the `name` of a candidate whose address is given alone")
	c.RunE = a.withTask(func(ctx context.Context, t task) error {
		people, err := newCandidates(t.args, *name)
		if err != nil {
			return err
		}
		what := "send at most " + counted(len(people), "invitation e-mail", "invitation e-mails")
		if len(people) == 1 {
			what = "send an invitation e-mail to " + person(people[0].Name, people[0].Email) + ", unless there was one,"
		}
		id, err := a.guardedAssessment(ctx, t.client, what+" of the assessment", *assessment)
		if err != nil {
			return err
		}
		run := inviting{app: a, client: t.client, assessment: id, people: people, ended: make(map[string]int)}
		err = output.List(t.Printer, invitedTable(), run.results(ctx))
		a.warnOfEnded(revoked, run.ended[revoked])
		a.warnOfEnded(expired, run.ended[expired])
		if err != nil {
			return err
		}
		return run.done()
	})
	return c
}

// inviting invites the candidates of a command line.
type inviting struct {
	app        *app
	client     *hiring.Client
	assessment string
	people     []hiring.NewInvitation

	existing, rejected int
	rejection          error          // The last one.
	ended              map[string]int // Existing invitations by status.
}

// results invites the candidates in their order. An error other than a rejection ends them.
func (r *inviting) results(ctx context.Context) iter.Seq2[invited, error] {
	return func(yield func(invited, error) bool) {
		for i, person := range r.people {
			result, err := r.client.Invitations.Ensure(ctx, r.assessment, person)
			shown := invited{InviteResult: result}
			switch {
			case result.Outcome == hiring.InviteExisting:
				status := statusOf(result.Invitation)
				r.existing++
				r.ended[status]++
				shown.Invitation.Status, shown.problem = hiring.InvitationStatus(status), cannotStart(status)
			case result.Outcome == hiring.InviteRejected:
				shown.problem = errorText(err)
				r.rejected, r.rejection, err = r.rejected+1, err, nil
				r.app.note("Argument %d was rejected: %s", i+1, shown.problem)
			case err != nil && len(r.people) > 1:
				r.app.note("To be tried again: the candidates from argument %d on.", i+1)
			}
			if !yield(shown, err) {
				return
			}
		}
	}
}

// done says how many candidates were invited, or returns an error when some were rejected.
func (r *inviting) done() error {
	if r.rejected > 0 {
		err := fmt.Errorf("%d of %d candidates have no invitation, because they were rejected", r.rejected, len(r.people))
		return adviceError{causedError{err, r.rejection}, "Correct them, and run the command again"}
	}
	what := counted(len(r.people)-r.existing, "invitation", "invitations") + " sent."
	if r.existing > 0 {
		what += " " + counted(r.existing, "address already has an invitation and got", "addresses already have an invitation and got") + " no e-mail."
	}
	return r.app.printDone(what, nil)
}

// note writes a line about the work to standard error.
func (a *app) note(format string, values ...any) {
	_, _ = fmt.Fprintln(a.err, output.Clean(fmt.Sprintf(format, values...)))
}

// invited is the result of inviting a candidate. Its JSON is the invitation, or the candidate, with
// the outcome.
type invited struct {
	hiring.InviteResult

	problem string
}

func (i invited) MarshalJSON() ([]byte, error) {
	if i.Outcome == hiring.InviteRejected {
		return json.Marshal(map[string]any{"candidate_email": i.Candidate.Email, "candidate_name": i.Candidate.Name, "outcome": i.Outcome, "problem": i.problem})
	}
	extra := make(map[string]json.RawMessage)
	maps.Copy(extra, i.Invitation.Extra)
	extra["outcome"], _ = json.Marshal(i.Outcome) // A text always encodes.
	if i.problem != "" {
		extra["problem"], _ = json.Marshal(i.problem)
	}
	i.Invitation.Extra = extra
	return json.Marshal(i.Invitation)
}

func invitedTable() output.Table[invited] {
	of := invitationTable()
	return output.Table[invited]{
		Things: of.Things,
		Shown:  slices.Insert(of.Shown, 2, "outcome"),
		Own: map[string]func(invited) any{
			"candidate": func(i invited) any { return cmp.Or(i.Invitation.CandidateName, i.Candidate.Name) },
			"email":     func(i invited) any { return cmp.Or(i.Invitation.CandidateEmail, i.Candidate.Email) },
		},
		More: append(of.More, "problem"),
	}
}

// newCandidates reads arguments such as "Ada <ada@example.com>", or one address with a
// name.
func newCandidates(args []string, name string) ([]hiring.NewInvitation, error) {
	var people []hiring.NewInvitation
	if name != "" && len(args) > 1 {
		return nil, adviceError{usagef("--name is for one address"), "Give several as '" + person(name, args[0]) + "'"}
	}
	for i, text := range args {
		one := hiring.NewInvitation{Name: name, Email: strings.TrimSpace(text)}
		if before, address, ok := strings.Cut(strings.TrimSuffix(one.Email, ">"), "<"); ok {
			one = hiring.NewInvitation{Name: cmp.Or(name, strings.Trim(strings.TrimSpace(before), `"`)), Email: strings.TrimSpace(address)}
		}
		if problem := candidates.Problem(one); problem != "" {
			advice := "Give 'Ada <ada@example.com>', or one address and --name"
			if candidates.AddressProblem(one.Email) == "" {
				advice = strings.Replace(advice, "ada@example.com", one.Email, 1)
			}
			if text == "-" || strings.HasPrefix(text, "@") || strings.HasSuffix(text, ".csv") {
				advice = "hiring invitations import <file.csv> reads a file of candidates"
			}
			return nil, adviceError{usagef("Argument %d: %s", i+1, problem), advice}
		}
		people = append(people, one)
	}
	return people, nil
}

func (a *app) invitationsSendCommand() *cobra.Command {
	var again bool
	c := command("send <candidate> --assessment <assessment>", "Send a further invitation to an address that may have one")
	assessment := a.assessmentFlag(c, changedAssessmentHelp)
	c.Flags().BoolVar(&again, "again", false, "send although the address may have an invitation (required)")
	name := c.Flags().String("name", "", "the `name` of the candidate, if the address is given alone")
	c.RunE = showItem(a, invitationTable(), func(ctx context.Context, t task) (hiring.Invitation, error) {
		if !again {
			return hiring.Invitation{}, useInstead(usagef("invitations send needs --again, because the candidate may get a second e-mail"), "invitations send more")
		}
		people, err := newCandidates(t.args, *name)
		if err != nil {
			return hiring.Invitation{}, err
		}
		id, err := a.guardedAssessment(ctx, t.client, "send an invitation e-mail to "+person(people[0].Name, people[0].Email)+", even if it is the second, of the assessment", *assessment)
		if err != nil {
			return hiring.Invitation{}, err
		}
		return t.client.Invitations.Send(ctx, id, people[0])
	})
	return c
}

func (a *app) invitationsResendCommand() *cobra.Command {
	c := command("resend <invitation>", "Send the e-mail of an invitation again")
	assessment := a.assessmentFilter(c, changedAssessmentHelp)
	c.RunE = showItem(a, invitationTable(), func(ctx context.Context, t task) (hiring.Invitation, error) {
		found, err := a.findInvitation(ctx, t.client, *assessment, t.args[0])
		if err == nil {
			err = a.guard(ctx, t.client, "send the e-mail of "+about(found)+" again, of the assessment", found.AssessmentID)
		}
		if err != nil {
			return hiring.Invitation{}, err
		}
		resent, err := t.client.Invitations.Resend(ctx, found.AssessmentID, found.ID)
		if errors.Is(err, hiring.ErrConflict) {
			err = adviceError{err, "hiring invitations send <candidate> -a <assessment> --again sends a further invitation"}
		}
		return resent, err
	})
	return c
}

func (a *app) invitationsRevokeCommand() *cobra.Command {
	c := command("revoke <invitation>", "Revoke an invitation")
	assessment := a.assessmentFilter(c, changedAssessmentHelp)
	c.RunE = a.withTask(func(ctx context.Context, t task) error {
		found, err := a.findInvitation(ctx, t.client, *assessment, t.args[0])
		if err == nil {
			err = a.guard(ctx, t.client, "revoke "+about(found)+" of the assessment", found.AssessmentID)
		}
		if err == nil {
			err = t.client.Invitations.Revoke(ctx, found.AssessmentID, found.ID)
		}
		return a.printDone("Revoked the invitation.", err)
	})
	return c
}
