package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/candidates"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// importTimeout is the timeout of an attempt of an import, whatever --timeout is: a later
// run counts with it.
const importTimeout = 30 * time.Second

// settleTime is how long after the request of an earlier run the listing may not show its
// invitation: the timeout of the attempt, and 60 s as EnsureAll waits for a lookup.
const settleTime = importTimeout + time.Minute

// importer invites candidates and records the result of each. It runs once.
type importer struct {
	app      *app
	client   *hiring.Client
	plan     importPlan
	people   []hiring.NewInvitation
	lines    []int // Line of the file for each candidate.
	results  *candidates.Results
	file     string // The file of results, as the user named it.
	progress *output.Progress

	// The state of the run.
	summary  importSummary
	begun    map[string]bool // Addresses with a request of this run.
	done     map[string]bool // Addresses with a result of this run.
	writeErr error           // The error of writing the file of results.
}

// importSummary counts the results.
type importSummary struct {
	Sent     int    `json:"sent"`         // By this run.
	Earlier  int    `json:"sent_earlier"` // By earlier runs with the same file of results.
	Existing int    `json:"existing"`
	Revoked  int    `json:"revoked"` // Existing ones with which the candidate cannot start.
	Expired  int    `json:"expired"`
	Rejected int    `json:"rejected"`
	NotSent  int    `json:"not_sent"`
	Unknown  int    `json:"unknown"`
	Results  string `json:"results"`
}

// run invites all candidates. It can be killed and started again at any moment.
func (im *importer) run(ctx context.Context) (importSummary, error) {
	im.begun, im.done = make(map[string]bool), make(map[string]bool, len(im.people))
	im.summary = importSummary{Results: im.file}
	open := im.open()
	sending := im.settle(ctx)
	if sending == nil {
		sending = im.client.Invitations.EnsureAll(ctx, im.plan.ID, slices.Values(open), hiring.EnsureAllOptions{Before: im.begin, Each: im.record})
	}
	for _, person := range im.people { // EnsureAll reported nothing about the others.
		if !im.done[hiring.AddressKey(person.Email)] {
			im.record(hiring.InviteResult{Candidate: person, Outcome: hiring.InviteNotSent}, nil)
		}
	}
	im.progress.Clear()
	im.app.warnOfEnded(revoked, im.summary.Revoked)
	im.app.warnOfEnded(expired, im.summary.Expired)
	im.writeErr = cmp.Or(im.writeErr, im.results.Finish(im.plan.ID, im.people))
	return im.summary, im.finalError(sending)
}

// settle waits until a listing shows the invitation of every request of an earlier run.
func (im *importer) settle(ctx context.Context) error {
	var last time.Time
	for _, person := range im.people {
		if row := im.results.Row(im.plan.ID, person.Email); row.Outcome == hiring.InviteUnknown && row.At.After(last) {
			last = row.At
		}
	}
	wait := min(time.Until(last.Add(settleTime)), settleTime)
	if last.IsZero() || wait <= 0 {
		return nil
	}
	im.progress.Note("checking the outcomes of an earlier run at " + im.app.clock(time.Now().Add(wait)))
	return sleep(ctx, wait)
}

// open records the candidates whose row says that an earlier run sent the invitation, which
// a listing may not show yet, and returns the others.
func (im *importer) open() []hiring.NewInvitation {
	var open []hiring.NewInvitation
	for _, person := range im.people {
		if row := im.results.Row(im.plan.ID, person.Email); row.Outcome == hiring.InviteSent && row.InvitationID != "" {
			im.record(hiring.InviteResult{Candidate: person, Outcome: hiring.InviteExisting, Invitation: hiring.Invitation{ID: row.InvitationID}}, nil)
			continue
		}
		open = append(open, person)
	}
	return open
}

// begin records a request before EnsureAll sends it.
func (im *importer) begin(p hiring.NewInvitation) error {
	im.begun[hiring.AddressKey(p.Email)] = true
	im.writeErr = im.results.Begin(im.plan.ID, p)
	return im.writeErr
}

// record records the result of a candidate and reports whether the run continues.
func (im *importer) record(invited hiring.InviteResult, err error) bool {
	result := im.resultOf(invited, err)
	im.writeErr = im.results.Add(result)
	im.done[hiring.AddressKey(result.Email)] = true
	*im.summary.counter(result, result.Outcome == hiring.InviteSent && invited.Outcome != hiring.InviteSent)++
	im.show(result)
	return im.writeErr == nil
}

// resultOf returns the row of a candidate, for which the earlier row and the listing of the plan
// count, too.
func (im *importer) resultOf(invited hiring.InviteResult, err error) candidates.Result {
	key := hiring.AddressKey(invited.Candidate.Email)
	before := im.results.Row(im.plan.ID, invited.Candidate.Email)
	mayBeSent := before.Outcome == hiring.InviteSent || before.Outcome == hiring.InviteUnknown
	existing, listed := im.plan.invited[key]
	if !listed {
		existing = invited.Invitation
	}
	result := candidates.Result{
		Email: invited.Candidate.Email, Name: invited.Candidate.Name, InvitationID: cmp.Or(invited.Invitation.ID, existing.ID),
		AssessmentID: im.plan.ID, Outcome: invited.Outcome, Problem: problemText(invited.Outcome, err), At: time.Now(), Status: statusOf(existing),
	}
	failed := invited.Outcome == hiring.InviteRejected || invited.Outcome == hiring.InviteNotSent
	found := invited.Outcome == hiring.InviteExisting || failed && listed
	switch {
	case found && mayBeSent: // By an earlier run.
		result.Outcome, result.Problem = hiring.InviteSent, cannotStart(result.Status)
	case found:
		result.Outcome, result.Problem = hiring.InviteExisting, cannotStart(result.Status)
	case failed && mayBeSent && !im.begun[key]:
		return before // No request of this run has decided otherwise.
	}
	return result
}

// counter returns the counter of a result. Each candidate counts once.
func (s *importSummary) counter(r candidates.Result, earlier bool) *int {
	switch {
	case r.Status == revoked:
		return &s.Revoked
	case r.Status == expired:
		return &s.Expired
	case earlier:
		return &s.Earlier
	case r.Outcome == hiring.InviteSent:
		return &s.Sent
	case r.Outcome == hiring.InviteExisting:
		return &s.Existing
	case r.Outcome == hiring.InviteRejected:
		return &s.Rejected
	case r.Outcome == hiring.InviteNotSent:
		return &s.NotSent
	}
	return &s.Unknown
}

// problemText returns an error as the file of results shows it.
func problemText(outcome hiring.InviteOutcome, err error) string {
	switch {
	case err == nil && outcome == hiring.InviteNotSent:
		return "the run ended before"
	case err == nil:
		return ""
	case errors.Is(err, context.Canceled):
		return errInterrupted.Error()
	}
	return errorText(err)
}

// show updates the progress. It names rejected candidates by line, because logs must not
// have names.
func (im *importer) show(result candidates.Result) {
	if result.Outcome == hiring.InviteRejected {
		key := hiring.AddressKey(result.Email)
		i := slices.IndexFunc(im.people, func(p hiring.NewInvitation) bool { return hiring.AddressKey(p.Email) == key })
		im.progress.Say(fmt.Sprintf("Line %d was rejected: %s", im.lines[i], result.Problem))
	}
	if result.Outcome != hiring.InviteNotSent {
		im.progress.Show(len(im.done)-im.summary.NotSent, len(im.people), im.summary.text())
	}
}

func (s importSummary) text() string {
	parts := []string{fmt.Sprintf("%d sent", s.Sent)}
	for _, other := range []struct {
		n    int
		what string
	}{{s.Earlier, "sent earlier"}, {s.Existing, "existing"}, {s.Revoked, revoked}, {s.Expired, expired}, {s.Rejected, "rejected"}, {s.Unknown, "unknown"}, {s.NotSent, "not sent"}} {
		if other.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", other.n, other.what))
		}
	}
	return strings.Join(parts, ", ")
}

// finalError returns nil when every candidate has an invitation.
func (im *importer) finalError(sending error) error {
	again, rejected := im.summary.Unknown+im.summary.NotSent, im.summary.Rejected
	const resume = "Run the same command again: it resumes and sends no second e-mail"
	switch {
	case im.writeErr != nil:
		return adviceError{fmt.Errorf("The results cannot be written to %s: %w", im.file, im.writeErr), resume}
	case errors.Is(sending, hiring.ErrPlanLimitReached):
		return sending
	case sending != nil:
		return adviceError{sending, resume}
	case again+rejected > 0:
		err := fmt.Errorf("%d of %d candidates have no invitation: %d rejected, to be corrected, and %d to be tried again", again+rejected, len(im.people), rejected, again)
		return adviceError{err, im.file + " has the reasons"}
	}
	return nil
}

func importSummaryTable() output.Table[importSummary] {
	return output.Table[importSummary]{
		Shown: []string{"sent", "sent_earlier", "existing", revoked, expired, "rejected", "not_sent", "unknown", "results"},
		Verbose: func(p *output.Printer, s importSummary) error {
			_, err := fmt.Fprintf(p, "%s. Results: %s\n", s.text(), output.Clean(s.Results))
			return err
		},
	}
}
