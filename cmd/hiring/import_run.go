package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/candidates"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/output"
)

// importer invites people and keeps what became of each.
type importer struct {
	client     *hiring.Client
	assessment string
	people     []hiring.NewInvitation
	rows       []int                        // Of the file, for each of them.
	invited    map[string]hiring.Invitation // Who has one already, by address, as far as it is known.
	file       string                       // Of the results.
	progress   *output.Progress
}

// importSummary is how many went which way.
type importSummary struct {
	Sent     int    `json:"sent"`
	Existing int    `json:"existing"`
	Refused  int    `json:"refused"`
	NotSent  int    `json:"not_sent"`
	Unknown  int    `json:"unknown"`
	Results  string `json:"results"`
}

// run can be killed at any moment. What it did stands in the results, and at the
// service, which is what the next run goes by.
func (im importer) run(ctx context.Context) (importSummary, error) {
	results, err := candidates.OpenResults(im.file)
	if err != nil {
		return importSummary{}, err
	}
	r := importRun{importer: im, results: results, turns: newTurns(im, results)}
	if r.client, err = im.client.With(hiring.WithProbe(r.turns.probe())); err != nil {
		return importSummary{}, err
	}
	r.turns.client = r.client
	err = r.inviteAll(ctx)
	im.progress.End()
	emails := make([]string, len(im.people))
	for i, person := range im.people {
		emails[i] = person.Email
	}
	finished := results.Finish(im.assessment, emails)
	r.summary.Results = im.file
	return r.summary, im.verdict(r.summary, err, firstOf(r.unkept, finished))
}

// importRun is one run of an importer.
type importRun struct {
	importer

	results *candidates.Results
	turns   *turns
	summary importSummary
	unkept  error // Why a result could not be kept.
}

// inviteAll invites everybody, in an order of chance: two runs that begin at the
// same moment begin with different people.
func (r *importRun) inviteAll(ctx context.Context) error {
	pending := slices.Clone(r.people)
	rand.Shuffle(len(pending), func(i, j int) { //nolint:gosec // an order, no secret
		pending[i], pending[j] = pending[j], pending[i]
	})
	for len(pending) > 0 && r.unkept == nil {
		n := 0
		err := r.turns.listen(ctx, func(why string) { r.progress.Note(why, true) })
		if err == nil {
			n, err = r.turn(ctx, pending)
		}
		pending = pending[n:]
		if err == nil {
			err = r.turns.rest(ctx)
		}
		if err != nil {
			r.leave(pending, err)
			return err
		}
	}
	return nil
}

// turn invites people as long as nobody else does and no long pause comes. It
// returns how many it has dealt with.
func (r *importRun) turn(ctx context.Context, people []hiring.NewInvitation) (n int, err error) {
	during, giveUp := context.WithCancel(ctx)
	defer giveUp()
	r.turns.begin(giveUp)
	var ended error
	mine := func(yield func(hiring.NewInvitation) bool) {
		for _, person := range people {
			lasts, err := r.turns.lasts(during)
			if ended = err; !lasts {
				return
			}
			n++
			if !yield(person) {
				return
			}
		}
	}
	err = r.client.Invitations.SendAll(during, r.assessment, mine, func(invited hiring.Invited, err error) bool {
		if err != nil && (r.gaveUp() || invited.Outcome == hiring.InviteNotSent && !refuses(err)) {
			ended, n = err, n-1 // This person's turn comes again.
			return false
		}
		if invited.Outcome == hiring.InviteSent {
			r.turns.sentOne(invited.Invitation.ID)
		}
		r.keep(invited, err)
		return r.unkept == nil && !r.turns.clash(invited) // Without a record nobody else is invited.
	})
	if r.gaveUp() && ctx.Err() == nil {
		return n, nil
	}
	return n, firstOf(err, ended)
}

// gaveUp tells whether the turn was given up, for a pause.
func (r *importRun) gaveUp() bool { return !r.turns.until.IsZero() }

// refuses tells an error that concerns one candidate alone.
func refuses(err error) bool {
	return errors.Is(err, hiring.ErrInvalidInput) || errors.Is(err, hiring.ErrConflict)
}

func (r *importRun) keep(invited hiring.Invited, err error) {
	result := r.result(invited, err)
	r.summary.count(result.Outcome)
	r.unkept = firstOf(r.unkept, r.results.Add(result))
	r.show(r.summary, result)
}

// leave records those whose turn did not come, with what is known of them.
func (r *importRun) leave(people []hiring.NewInvitation, why error) {
	if errors.Is(why, context.Canceled) {
		why = errInterrupted
	}
	for _, person := range people {
		if invitation, found := r.invited[candidates.Key(person.Email)]; found {
			r.keep(hiring.Invited{Candidate: person, Invitation: invitation, Outcome: hiring.InviteExisting}, nil)
			continue
		}
		r.keep(hiring.Invited{Candidate: person, Outcome: hiring.InviteNotSent}, fmt.Errorf("not invited yet: %w", why))
	}
}

func (im importer) result(invited hiring.Invited, err error) candidates.Result {
	r := candidates.Result{
		Email: invited.Candidate.Email, Name: invited.Candidate.Name, InvitationID: invited.Invitation.ID,
		AssessmentID: im.assessment, At: time.Now(),
	}
	if err != nil {
		r.Problem = plainWords(joinLines(err.Error()))
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
		if refuses(err) {
			r.Outcome = candidates.Refused
		}
	}
	return r
}

func (s *importSummary) count(outcome candidates.Outcome) {
	counter := map[candidates.Outcome]*int{
		candidates.Sent: &s.Sent, candidates.Existing: &s.Existing, candidates.Refused: &s.Refused,
		candidates.NotSent: &s.NotSent, candidates.Unknown: &s.Unknown,
	}[outcome]
	*counter++
}

// show tells of those who were refused by row and not by name: logs are kept.
func (im importer) show(s importSummary, result candidates.Result) {
	done := s.Sent + s.Existing + s.Refused + s.Unknown
	if result.Outcome == candidates.Refused {
		i := slices.IndexFunc(im.people, func(p hiring.NewInvitation) bool { return p.Email == result.Email })
		im.progress.Say(fmt.Sprintf("row %d was refused: %s", im.rows[i], result.Problem))
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
	}{{s.Existing, "existing"}, {s.Refused, "refused"}, {s.Unknown, "unknown"}, {s.NotSent, "not sent"}} {
		if other.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", other.n, other.what))
		}
	}
	return strings.Join(parts, ", ")
}

// verdict is nil when everybody has an invitation.
func (im importer) verdict(s importSummary, sending, keeping error) error {
	const again = "run the same command again, a minute later: it goes on, and mails nobody twice"
	switch {
	case keeping != nil:
		return advised{fmt.Errorf("what became of the candidates cannot be kept: %w", keeping), again}
	case errors.Is(sending, hiring.ErrPlanLimitReached):
		return sending
	case sending != nil:
		return advised{sending, again}
	case s.Refused+s.Unknown+s.NotSent > 0:
		return advised{fmt.Errorf("%d of %d candidates have no invitation", s.Refused+s.Unknown+s.NotSent, len(im.people)), im.file + " says why"}
	}
	return nil
}

func importSummaryTable() output.Table[importSummary] {
	return output.Table[importSummary]{
		Shown: []string{"sent", "existing", "refused", "not_sent", "unknown", "results"},
		Verbose: func(p *output.Printer, s importSummary) error {
			_, err := fmt.Fprintf(p, "%s; %s has them all.\n", s.text(), output.Clean(s.Results))
			return err
		},
	}
}
