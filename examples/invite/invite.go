package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"log"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// invite logs the outcome of each candidate and prints the number of each outcome at the
// end. With the checkpoint it can be killed and run again at any moment.
func invite(
	ctx context.Context, client *hiring.Client, assessment string, candidates []candidate, checkpoint hiring.Checkpoint,
	out io.Writer, progress *log.Logger,
) error {
	counts := make(map[hiring.InviteOutcome]int)
	next := 0 // SendAll reports the candidates in order.
	err := client.Invitations.SendAll(ctx, assessment, invitations(candidates), hiring.SendAllOptions{
		Each: func(invited hiring.InviteResult, err error) bool {
			logResult(progress, candidates[next].line, invited.Outcome, err, client.Quota().Write)
			counts[invited.Outcome]++
			next++
			return true // SendAll ends on an error that concerns all candidates.
		},
		Progress: func(p hiring.InviteProgress) {
			if p.Reason == hiring.PauseQuota || p.Reason == hiring.PauseSettle {
				progress.Printf("%d of %d done; waiting until %s (%s)", p.Done, len(candidates), p.WaitUntil.Format(time.TimeOnly), p.Reason)
			}
		},
		Checkpoint: checkpoint,
	})
	_, printErr := fmt.Fprintf(out, "%d sent, %d existing, %d not sent, %d unknown\n",
		counts[hiring.InviteSent], counts[hiring.InviteExisting], counts[hiring.InviteNotSent], counts[hiring.InviteUnknown])
	switch {
	case err != nil:
		return fmt.Errorf("%w; %s", err, advice(err))
	case counts[hiring.InviteSent]+counts[hiring.InviteExisting] == 0:
		return errors.New("no candidate was invited")
	case printErr != nil:
		return fmt.Errorf("print: %w", printErr)
	}
	return nil
}

// logResult logs a candidate's outcome with the line of the file. It omits an error that ended
// the run, which is logged once at the end.
func logResult(progress *log.Logger, line int, outcome hiring.InviteOutcome, err error, writes hiring.RateLimit) {
	switch {
	case err == nil && outcome == hiring.InviteSent:
		progress.Printf("line %d: %s; %d writes left this hour", line, outcome, writes.Remaining)
	case err == nil:
		progress.Printf("line %d: %s", line, outcome)
	case concernsOne(err):
		progress.Printf("line %d: %s: %s", line, outcome, printable(err.Error()))
	}
}

func invitations(candidates []candidate) iter.Seq[hiring.NewInvitation] {
	return func(yield func(hiring.NewInvitation) bool) {
		for _, candidate := range candidates {
			if !yield(candidate.invitation) {
				return
			}
		}
	}
}

// concernsOne reports whether an error concerns one candidate and not the whole run.
func concernsOne(err error) bool {
	if errors.Is(err, hiring.ErrRunEnded) {
		return false
	}
	if errors.Is(err, hiring.ErrInvalidInput) || errors.Is(err, hiring.ErrConflict) {
		return true
	}
	failure, ok := errors.AsType[*hiring.Error](err)
	return ok && failure.Outcome == hiring.OutcomeDone // A 2xx, but the listing does not show the invitation.
}

// advice returns what to do after an error that ended the run.
func advice(err error) string {
	switch {
	case errors.Is(err, hiring.ErrOutcomeUnknown):
		return "an invitation may have been sent: run this again, which looks for it first"
	case errors.Is(err, hiring.ErrPlanLimitReached):
		return "run this again when the plan has invitations left"
	case errors.Is(err, hiring.ErrInvalidToken), errors.Is(err, hiring.ErrInsufficientScope):
		return "run this again with a key that may write"
	case errors.Is(err, hiring.ErrNotFound):
		return "check the id of the assessment"
	case errors.Is(err, context.Canceled):
		return "run this again for the rest"
	}
	return "run this again later: no candidate gets a second invitation"
}
