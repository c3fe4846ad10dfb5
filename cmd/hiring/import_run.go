package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/candidates"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// importer invites candidates and records the result of each. It runs once. The rows of
// the file of results are the record of outcomes, and SendAll's checkpoint is that of
// requests under way. Each suffices to prevent a second e-mail after a kill.
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
	state    *importState
	summary  importSummary
	begun    map[string]bool // Addresses with a row of this run: a request may have been sent.
	done     map[string]bool // Addresses with a result of this run.
	ended    bool            // No more invitations are sent.
	writeErr error           // The first error of writing a result.
}

// importSummary counts the results. Each candidate counts once.
type importSummary struct {
	Sent        int    `json:"sent"`         // By this run.
	Earlier     int    `json:"sent_earlier"` // By earlier runs with the same file of results.
	Existing    int    `json:"existing"`
	CannotStart int    `json:"cannot_start"` // Invited already, but the invitation expired or was revoked.
	Refused     int    `json:"refused"`
	NotSent     int    `json:"not_sent"`
	Unknown     int    `json:"unknown"`
	NoRow       int    `json:"without_row"` // Candidates without a row in the file of results.
	Results     string `json:"results"`

	people int
}

// run invites all candidates. It can be killed and started again at any moment.
func (im *importer) run(ctx context.Context) (importSummary, error) {
	im.begun, im.done = make(map[string]bool), make(map[string]bool, len(im.people))
	im.summary = importSummary{Results: im.file, people: len(im.people)}
	im.state = &importState{Checkpoint: hiring.FileCheckpoint(stateFile(im.results, im.plan.ID)), results: im.results}
	im.recordInvited()
	sending := im.settle(ctx)
	if sending == nil {
		sending = im.client.Invitations.SendAll(ctx, im.plan.ID, im.candidates, hiring.SendAllOptions{Each: im.record, Checkpoint: im.state})
	}
	if unreadable := im.state.unreadable(sending); unreadable != nil {
		sending = adviceError{fmt.Errorf("%s cannot be read: %w", stateFile(im.results, im.plan.ID), unreadable),
			"Remove that file and run the same command again: the rows sent and unknown of " + im.file +
				" protect their addresses from a second e-mail without it"}
	}
	im.recordRest(sending)
	im.progress.End()
	missing, finished := im.results.Finish(im.plan.ID, im.people)
	im.summary.NoRow = missing
	return im.summary, im.finalError(sending, cmp.Or(im.writeErr, im.state.saveErr, finished))
}

// importState is the checkpoint of SendAll. Before each request it also sets the time of
// the file of results, so that a run without the checkpoint knows when all requests of
// earlier runs have ended.
type importState struct {
	hiring.Checkpoint

	results          *candidates.Results
	loadErr, saveErr error
}

func (s *importState) Load(ctx context.Context) (state string, err error) {
	state, s.loadErr = s.Checkpoint.Load(ctx)
	return state, s.loadErr
}

func (s *importState) Save(ctx context.Context, state string) error {
	err := cmp.Or(s.results.Touch(), s.Checkpoint.Save(ctx, state))
	if ctx.Err() == nil {
		s.saveErr = err
	}
	return err
}

// unreadable returns why the checkpoint could not be loaded, or nil. ended is the error of
// the run.
func (s *importState) unreadable(ended error) error {
	rejected, ok := errors.AsType[*hiring.ParamError](ended)
	path, inSystem := errors.AsType[*fs.PathError](s.loadErr)
	switch {
	case inSystem:
		return path.Err
	case s.loadErr != nil && !errors.Is(s.loadErr, context.Canceled) && !errors.Is(s.loadErr, context.DeadlineExceeded),
		ok && rejected.Param == "Checkpoint":
		return errors.New("it is damaged, or another program or version wrote it")
	}
	return nil
}

// stateFile returns the path of SendAll's checkpoint. It depends on nothing but the file of
// results and the assessment, so that every later run finds it.
func stateFile(results *candidates.Results, assessmentID string) string {
	return results.Target() + "." + safeName(assessmentID) + ".state"
}

// settleTime is how long after the last request of a killed run the listing may not show
// the invitation: a request ends after 30 s, and a lookup 60 s later decides.
const settleTime = 91 * time.Second

// settle waits until a listing shows every invitation of a killed run. Only a run without
// the checkpoint waits: SendAll looks up the addresses of the checkpoint itself.
func (im *importer) settle(ctx context.Context) error {
	open := slices.ContainsFunc(im.people, func(p hiring.NewInvitation) bool {
		return im.results.Row(im.plan.ID, p.Email).Outcome == candidates.Unknown
	})
	if _, err := os.Stat(stateFile(im.results, im.plan.ID)); !open || !errors.Is(err, os.ErrNotExist) {
		return nil
	}
	wait := min(time.Until(im.results.LastChange().Add(settleTime)), settleTime)
	if wait <= 0 {
		return nil
	}
	im.progress.Note("checking the outcomes of an earlier run at "+im.app.clock(time.Now().Add(wait)), true)
	select {
	case <-time.After(wait):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// recordInvited records the candidates whose row says that an earlier run sent the
// invitation. A listing may not show it yet.
func (im *importer) recordInvited() {
	for _, person := range im.people {
		if id, invited := im.results.Invited(im.plan.ID, person.Email); invited {
			im.record(hiring.InviteResult{Candidate: person, Outcome: hiring.InviteExisting,
				Invitation: hiring.Invitation{ID: id}}, nil)
		}
	}
}

// candidates yields the other candidates in random order. Another machine may import the
// same candidates, and two runs in the same order would send to each candidate at the same
// time. Each candidate gets a row before the request is sent. When the row cannot be
// written, the run stops. An address that was listed or has a row is spelled as there,
// because SendAll and its checkpoint compare spellings less liberally than this program.
func (im *importer) candidates(yield func(hiring.NewInvitation) bool) {
	order := slices.Clone(im.people)
	rand.Shuffle(len(order), func(i, j int) { //nolint:gosec // an order, not a secret
		order[i], order[j] = order[j], order[i]
	})
	for _, person := range order {
		if im.done[candidates.Key(person.Email)] {
			continue
		}
		existing, listed := im.plan.invited[candidates.Key(person.Email)]
		person.Email = cmp.Or(existing.CandidateEmail, im.results.Row(im.plan.ID, person.Email).Email, person.Email)
		if !listed && !im.ended {
			im.writeErr = im.results.Begin(im.plan.ID, person)
			im.begun[candidates.Key(person.Email)] = im.writeErr == nil
		}
		if im.writeErr != nil || !yield(person) {
			return
		}
	}
}

// record records the result of a candidate and reports whether the run continues. After
// the end of the run, an existing invitation is still recorded as existing.
func (im *importer) record(invited hiring.InviteResult, err error) bool {
	im.ended = im.ended || errors.Is(err, hiring.ErrRunEnded)
	existing, listed := im.plan.invited[candidates.Key(invited.Candidate.Email)]
	if listed && im.ended {
		invited.Invitation, invited.Outcome, err = existing, hiring.InviteExisting, nil
	}
	if !listed {
		existing = invited.Invitation
	}
	before := im.results.Row(im.plan.ID, invited.Candidate.Email)
	result, earlier := im.result(invited, err), false
	switch {
	case result.Outcome == candidates.Existing && (before.Outcome == candidates.Sent || before.Outcome == candidates.Unknown):
		result.Outcome, earlier = candidates.Sent, true
		if before.Outcome == candidates.Sent {
			result.InvitationID, result.At = cmp.Or(before.InvitationID, result.InvitationID), before.At
		}
	case result.Outcome == candidates.NotSent && before.Outcome == candidates.Unknown && !decided(err):
		result.Outcome = candidates.Unknown
	}
	if result.Outcome == candidates.Unknown && (invited.Outcome == hiring.InviteNotSent || errors.Is(err, hiring.ErrRunEnded)) {
		result.Problem = candidates.EndedEarly // The error concerns the run, not this candidate.
	}
	reason := unusable(existing)
	if reason != "" && invited.Outcome == hiring.InviteExisting {
		result.Problem = "the candidate cannot start: the invitation is " + reason
	}
	im.writeErr = cmp.Or(im.writeErr, im.results.Add(result))
	im.done[candidates.Key(result.Email)] = true
	switch {
	case reason != "" && invited.Outcome == hiring.InviteExisting:
		im.summary.CannotStart++
	case earlier:
		im.summary.Earlier++
	default:
		im.summary.count(result.Outcome)
	}
	im.show(result)
	return im.writeErr == nil
}

// decided reports whether an error shows that the candidate has no invitation: SendAll
// sends a request only after its lookups, and the API rejected the request.
func decided(err error) bool {
	failure, ok := errors.AsType[*hiring.Error](err)
	return ok && failure.Operation == "Invitations.Send" && failure.Status != 0 && failure.Outcome == hiring.OutcomeNotDone &&
		!errors.Is(err, hiring.ErrRunEnded)
}

// recordRest records the candidates for whom SendAll reported nothing. For those with a
// row of this run a request may have been sent.
func (im *importer) recordRest(why error) {
	ended := &hiring.RunEndedError{Cause: cmp.Or(im.writeErr, why)}
	for _, person := range im.people {
		key := candidates.Key(person.Email)
		if im.done[key] {
			continue
		}
		outcome := hiring.InviteNotSent
		if im.begun[key] {
			outcome = hiring.InviteUnknown
		}
		im.record(hiring.InviteResult{Candidate: person, Outcome: outcome}, ended)
	}
}

// concernsOneCandidate reports whether an error concerns one candidate only. An error of
// the checkpoint concerns all of them.
func concernsOneCandidate(err error) bool {
	if rejected, ok := errors.AsType[*hiring.ParamError](err); ok && rejected.Param == "Checkpoint" {
		return false
	}
	return !errors.Is(err, hiring.ErrRunEnded) && (errors.Is(err, hiring.ErrInvalidInput) || errors.Is(err, hiring.ErrConflict))
}

func (im *importer) result(invited hiring.InviteResult, err error) candidates.Result {
	r := candidates.Result{
		Email: invited.Candidate.Email, Name: invited.Candidate.Name, InvitationID: invited.Invitation.ID,
		AssessmentID: im.plan.ID, Outcome: candidates.Outcome(invited.Outcome), Problem: im.problem(err), At: time.Now(),
	}
	if r.Outcome == candidates.NotSent && concernsOneCandidate(err) {
		r.Outcome = candidates.Refused
	}
	return r
}

// problem returns an error as the file of results shows it.
func (im *importer) problem(err error) string {
	before := ""
	if ended, ok := errors.AsType[*hiring.RunEndedError](err); ok {
		before, err = "not invited yet: ", ended.Cause
	}
	switch unreadable := im.state.unreadable(err); {
	case err == nil:
		return ""
	case errors.Is(err, context.Canceled):
		return before + errInterrupted.Error()
	case unreadable != nil:
		return before + "the .state file cannot be read"
	case im.state.saveErr != nil:
		return before + "the results cannot be written"
	}
	return before + errorText(err)
}

func (s *importSummary) count(outcome candidates.Outcome) {
	counter := map[candidates.Outcome]*int{
		candidates.Sent: &s.Sent, candidates.Existing: &s.Existing, candidates.Refused: &s.Refused,
		candidates.NotSent: &s.NotSent, candidates.Unknown: &s.Unknown,
	}[outcome]
	*counter++
}

// show updates the progress. It names rejected candidates by line, because logs must not
// have names.
func (im *importer) show(result candidates.Result) {
	s := im.summary
	done := s.Sent + s.Earlier + s.Existing + s.CannotStart + s.Refused + s.Unknown
	if result.Outcome == candidates.Refused {
		i := slices.IndexFunc(im.people, func(p hiring.NewInvitation) bool { return candidates.Key(p.Email) == candidates.Key(result.Email) })
		im.progress.Say(fmt.Sprintf("Line %d was rejected: %s", im.lines[i], result.Problem))
	}
	if result.Outcome != candidates.NotSent {
		im.progress.Show(done, len(im.people), s.text())
	}
}

func (s importSummary) text() string {
	parts := []string{fmt.Sprintf("%d sent", s.Sent)}
	for _, other := range []struct {
		n    int
		what string
	}{{s.Earlier, "sent earlier"}, {s.Existing, "existing"}, {s.CannotStart, "cannot start"}, {s.Refused, "refused"}, {s.Unknown, "unknown"}, {s.NotSent, "not sent"}} {
		if other.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", other.n, other.what))
		}
	}
	return strings.Join(parts, ", ")
}

// finalError returns nil when every candidate has an invitation.
func (im *importer) finalError(sending, keeping error) error {
	without := im.summary.Refused + im.summary.Unknown + im.summary.NotSent
	_, advised := errors.AsType[adviceError](sending)
	const again = "Run the same command again: it resumes and sends no second e-mail"
	switch {
	case keeping != nil:
		return adviceError{fmt.Errorf("The results cannot be written to %s: %w", im.file, keeping), again}
	case errors.Is(sending, hiring.ErrPlanLimitReached), advised:
		return sending
	case sending != nil:
		return adviceError{sending, again}
	case im.summary.CannotStart > 0 && without == 0:
		return adviceError{fmt.Errorf("%d of %d candidates cannot start with their invitation: %s has the reasons and the ids",
			im.summary.CannotStart, len(im.people), im.file), resendAdvice(im.plan.ID)}
	case without > 0:
		return adviceError{fmt.Errorf("%d of %d candidates have no invitation", without, len(im.people)), im.file + " has the reasons"}
	}
	return nil
}

func importSummaryTable() output.Table[importSummary] {
	return output.Table[importSummary]{
		Shown: []string{"sent", "sent_earlier", "existing", "cannot_start", "refused", "not_sent", "unknown", "without_row", "results"},
		Verbose: func(p *output.Printer, s importSummary) error {
			if s.NoRow > 0 {
				notSent := ""
				if s.NotSent > s.NoRow {
					notSent = fmt.Sprintf(", %d not sent", s.NotSent-s.NoRow)
				}
				_, err := fmt.Fprintf(p, "Stopped: %d of %d sent%s; %d have no row in %s.\n", s.Sent+s.Earlier, s.people, notSent,
					s.NoRow, output.Clean(s.Results))
				return err
			}
			_, err := fmt.Fprintf(p, "%s. Results: %s\n", s.text(), output.Clean(s.Results))
			return err
		},
	}
}
