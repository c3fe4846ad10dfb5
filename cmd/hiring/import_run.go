package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/candidates"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// importer invites candidates and records the result of each. It runs once.
type importer struct {
	client     *hiring.Client
	assessment string
	people     []hiring.NewInvitation
	lines      []int                        // Line of the file for each candidate.
	invited    map[string]hiring.Invitation // Existing invitations by address, as listed before the run.
	results    *candidates.Results
	file       string // The file of results.
	progress   *output.Progress

	// The state of the run.
	summary  importSummary
	done     map[string]bool // Addresses with a result of this run.
	ended    bool            // No more invitations are sent.
	writeErr error           // The first error of writing a result.
}

// importSummary counts the results.
type importSummary struct {
	Sent     int    `json:"sent"`         // By this run.
	Earlier  int    `json:"sent_earlier"` // By earlier runs with the same file of results.
	Existing int    `json:"existing"`
	Refused  int    `json:"refused"`
	NotSent  int    `json:"not_sent"`
	Unknown  int    `json:"unknown"`
	NoRow    int    `json:"without_row"` // Candidates without a row in the file of results.
	Results  string `json:"results"`

	people int
}

// run invites all candidates. It can be killed and started again at any moment: the
// checkpoint has the address whose request was being sent.
func (im *importer) run(ctx context.Context) (importSummary, error) {
	im.done = make(map[string]bool, len(im.people))
	im.summary = importSummary{Results: im.file, people: len(im.people)}
	checkpoint := checkpointFile(im.file, im.assessment)
	sending := im.client.Invitations.SendAll(ctx, im.assessment, im.candidates, hiring.SendAllOptions{
		Each: im.record, Checkpoint: hiring.FileCheckpoint(checkpoint),
	})
	im.recordRest(sending)
	im.progress.End()
	missing, finished := im.results.Finish(im.assessment, im.people)
	im.summary.NoRow = missing
	err := im.finalError(sending, cmp.Or(im.writeErr, finished))
	if im.summary.NotSent+im.summary.Unknown+missing == 0 { // Every outcome is known and written.
		if removed := os.Remove(checkpoint); !errors.Is(removed, os.ErrNotExist) {
			err = cmp.Or(err, removed)
		}
	}
	return im.summary, err
}

// checkpointFile returns the file beside the results that records the address whose
// request is being sent. Each assessment has its own file.
func checkpointFile(results, assessment string) string {
	return results + "." + safeName(assessment) + ".state"
}

// candidates yields the candidates in random order. Another machine may import the same
// candidates, and two runs in the same order would send to each candidate at the same
// time. Each candidate gets a row before the request is sent. When the row cannot be
// written, the run stops. An address that SendAll would not recognize in the list is
// replaced by the listed spelling.
func (im *importer) candidates(yield func(hiring.NewInvitation) bool) {
	order := slices.Clone(im.people)
	rand.Shuffle(len(order), func(i, j int) { //nolint:gosec // an order, not a secret
		order[i], order[j] = order[j], order[i]
	})
	for _, person := range order {
		existing, found := im.invited[candidates.Key(person.Email)]
		switch {
		case found && strings.ToLower(person.Email) != strings.ToLower(existing.CandidateEmail): //nolint:staticcheck // SendAll compares in the same way
			person.Email = existing.CandidateEmail
		case !found && !im.ended:
			im.writeErr = im.results.Begin(im.assessment, person)
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
	if existing, found := im.invited[candidates.Key(invited.Candidate.Email)]; found && im.ended {
		invited.Invitation, invited.Outcome, err = existing, hiring.InviteExisting, nil
	}
	result, earlier, writeErr := im.results.Add(im.result(invited, err))
	im.writeErr = cmp.Or(im.writeErr, writeErr)
	im.done[candidates.Key(result.Email)] = true
	if earlier {
		im.summary.Earlier++
	} else {
		im.summary.count(result.Outcome)
	}
	im.show(result)
	return im.writeErr == nil
}

// recordRest records the candidates that SendAll did not process.
func (im *importer) recordRest(why error) {
	ended := &hiring.RunEndedError{Cause: cmp.Or(im.writeErr, why)}
	for _, person := range im.people {
		if !im.done[candidates.Key(person.Email)] {
			im.record(hiring.InviteResult{Candidate: person, Outcome: hiring.InviteNotSent}, ended)
		}
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
		AssessmentID: im.assessment, Problem: problem(err), At: time.Now(),
	}
	switch invited.Outcome {
	case hiring.InviteSent:
		r.Outcome = candidates.Sent
	case hiring.InviteExisting:
		r.Outcome = candidates.Existing
	case hiring.InviteUnknown:
		r.Outcome = candidates.Unknown
	default:
		r.Outcome = candidates.NotSent
		if concernsOneCandidate(err) {
			r.Outcome = candidates.Refused
		}
	}
	return r
}

// problem returns an error as the file of results shows it.
func problem(err error) string {
	before := ""
	if ended, ok := errors.AsType[*hiring.RunEndedError](err); ok {
		before, err = "not invited yet: ", ended.Cause
	}
	switch {
	case err == nil:
		return ""
	case errors.Is(err, context.Canceled):
		return before + errInterrupted.Error()
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
	done := s.Sent + s.Earlier + s.Existing + s.Refused + s.Unknown
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
	}{{s.Earlier, "sent earlier"}, {s.Existing, "existing"}, {s.Refused, "refused"}, {s.Unknown, "unknown"}, {s.NotSent, "not sent"}} {
		if other.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", other.n, other.what))
		}
	}
	return strings.Join(parts, ", ")
}

// finalError returns nil when every candidate has an invitation.
func (im *importer) finalError(sending, keeping error) error {
	without := im.summary.Refused + im.summary.Unknown + im.summary.NotSent
	const again = "Run the same command again: it resumes and sends no second e-mail"
	switch {
	case keeping != nil:
		return adviceError{fmt.Errorf("The results cannot be written to %s: %w", im.file, keeping), again}
	case errors.Is(sending, hiring.ErrPlanLimitReached):
		return sending
	case sending != nil:
		return adviceError{sending, again}
	case without > 0:
		return adviceError{fmt.Errorf("%d of %d candidates have no invitation", without, len(im.people)), im.file + " has the reasons"}
	}
	return nil
}

func importSummaryTable() output.Table[importSummary] {
	return output.Table[importSummary]{
		Shown: []string{"sent", "sent_earlier", "existing", "refused", "not_sent", "unknown", "without_row", "results"},
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
