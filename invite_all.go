package hiring

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"
)

// EnsureAllOptions configures [InvitationService.EnsureAll]. A nil function is not called. EnsureAll
// calls the functions in the goroutine that called it.
type EnsureAllOptions struct {
	// Each is called once per visited candidate, in order, with the candidate's error. It
	// may call other methods of the client. When it returns false, EnsureAll returns nil.
	// Nil: EnsureAll returns the failures of single candidates.
	Each func(InviteResult, error) bool

	// Before is called directly before each request, after all waits, so that a program
	// can record that an e-mail may be on its way. After a crash, a call that begins no
	// earlier than the attempt's timeout plus 60 s after the last record sends no second
	// e-mail. Before must not invite, and must return within a minute. Its error ends the
	// run before the request is sent.
	Before func(NewInvitation) error

	// Progress is called after each candidate, and before each wait of more than a second.
	// It must not invite.
	Progress func(InviteProgress)
}

// InviteProgress reports how many candidates [InvitationService.EnsureAll] has processed, and
// whether it waits.
type InviteProgress struct {
	Done, Sent, Existing, Failed int         // Numbers of candidates. Failed: rejected, not sent or unknown. Done: the sum of the others.
	WaitUntil                    time.Time   // By the local clock; zero when the run is not waiting.
	Reason                       PauseReason // Why the run waits; "" when it is not waiting.
}

// EnsureAll invites the candidates whose addresses have no invitation in the assessment, each
// by the rules of [InvitationService.Ensure], in order and one at a time.
//
//   - EnsureAll lists the existing invitations once, and again before a request when the
//     listing began more than a minute ago: from the first page to the first page whose
//     invitations were all created more than two minutes before the Date of the previous
//     listing. Without a Date each listing is complete.
//   - When invitations disappear from the listing meanwhile, it is made again, three times at
//     most. Then it has failed, and nothing is sent.
//   - An address that candidates name twice is sent once. The second result is
//     InviteExisting or the first one's outcome.
//   - EnsureAll continues after InviteRejected and InviteUnknown. Three unknown outcomes in a
//     row end the run. So do ten rejections by the API in a row with one code in a run that has
//     sent nothing, because they concern every candidate.
//   - Any other error ends the run and is returned. Later candidates are not visited.
//   - With Each, which receives every failure, EnsureAll returns nil at the end of candidates.
//     Without Each, it joins the failures of the first ten candidates, each with its position
//     in candidates, counted from 1, and says how many more failed. The text contains no
//     address.
//   - EnsureAll waits for windows of the rate limit regardless of RetryPolicy.MaxWait, and
//     leaves a tenth of each window to others.
//
// Scope write; costs one write a candidate, one read for each 100 invitations of the
// assessment, about one read a minute while it sends, and two or more reads for each unknown
// outcome.
func (s *InvitationService) EnsureAll(ctx context.Context, assessmentID string, candidates iter.Seq[NewInvitation], o EnsureAllOptions) error {
	return s.mustCore().traces.composed(ctx, "Invitations.EnsureAll", func(ctx context.Context) error {
		q := newRequest("Invitations.EnsureAll", inviteRoute, pathID("assessmentID", assessmentID))
		if q.err != nil || candidates == nil {
			return q.err
		}
		r := bulkRun{options: o, failed: make(map[string]inviteFailure)}
		r.inviteRun = inviteRun{service: s, assessmentID: assessmentID, priority: priorityBulk, before: o.Before, invitations: make(map[string]Invitation)}
		if o.Progress != nil {
			ctx = s.core.traces.withProgress(ctx, "Invitations.EnsureAll", func(pause TracePause) {
				p := r.progress
				p.Reason, p.WaitUntil = pause.Reason, pause.Until
				o.Progress(p)
			})
		}
		return r.run(ctx, candidates)
	})
}

const (
	// maxUnknown is the number of unknown outcomes in a row that end a run: the API is probably
	// down, and each further request may send an e-mail that is not confirmed.
	maxUnknown = 3

	// maxRejected is the number of rejections in a row with one code that end a run that has sent
	// nothing: the assessment is probably closed, or a name of the Dialect wrong.
	maxRejected = 10
)

// bulkRun is one call of EnsureAll.
type bulkRun struct {
	inviteRun

	options  EnsureAllOptions
	progress InviteProgress
	failed   map[string]inviteFailure // The candidates who failed, by address.
	unknown  int                      // Unknown outcomes in a row, of different addresses.
	rejected int                      // Rejections by the API in a row with the same code, of different addresses.
	code     ErrorCode                // The code of these rejections.
}

// inviteFailure is the result of a candidate who was not invited.
type inviteFailure struct {
	outcome InviteOutcome
	err     error
}

func (r *bulkRun) run(ctx context.Context, candidates iter.Seq[NewInvitation]) error {
	var failures inviteFailures
	for in := range candidates {
		result, err, last := r.next(ctx, in)
		if err != nil && !last && r.options.Each == nil {
			failures.add(r.progress.Done, in.Email, err)
		}
		stop := r.options.Each != nil && !r.options.Each(result, err)
		if r.options.Progress != nil {
			r.options.Progress(r.progress)
		}
		switch {
		case stop:
			return nil
		case last:
			return failures.summary(err)
		case r.unknown == maxUnknown:
			return failures.summary(&describedError{errUnknownInRow.Error(), []error{errUnknownInRow, err}})
		case r.rejected == maxRejected && r.progress.Sent == 0:
			return failures.summary(&describedError{errRejectedInRow.Error(), []error{errRejectedInRow, err}})
		}
	}
	return failures.summary(nil)
}

// Why a run ends although each failure concerns one candidate.
var (
	errUnknownInRow  = fmt.Errorf("hiring: Invitations.EnsureAll: ended, because %d outcomes in a row are unknown: call it again later", maxUnknown)
	errRejectedInRow = fmt.Errorf("hiring: Invitations.EnsureAll: ended, because the API rejected %d candidates in a row "+
		"with one code: check the assessment and the Dialect", maxRejected)
)

// next invites the next candidate, unless its address has failed before. last reports that the
// error ends the run.
func (r *bulkRun) next(ctx context.Context, in NewInvitation) (result InviteResult, err error, last bool) { //nolint:revive // last qualifies err
	address := AddressKey(in.Email)
	if first, again := r.failed[address]; again {
		r.addToProgress(first.outcome)
		return InviteResult{Candidate: in, Outcome: first.outcome}, first.err, false
	}
	result, err = r.invite(ctx, in)
	failure, isFailure := errors.AsType[*Error](err)
	if isFailure { // A ParamError is not remembered, because the same address may come again with a correct name.
		r.failed[address] = inviteFailure{result.Outcome, err}
	}
	r.countInRow(result.Outcome, failure)
	r.addToProgress(result.Outcome)
	return result, err, err != nil && (ctx.Err() != nil || result.Outcome == InviteNotSent)
}

// addToProgress counts a candidate who was visited.
func (r *bulkRun) addToProgress(outcome InviteOutcome) {
	r.progress.Done++
	switch outcome {
	case InviteSent:
		r.progress.Sent++
	case InviteExisting:
		r.progress.Existing++
	default:
		r.progress.Failed++
	}
}

// countInRow counts the outcomes in a row that may end the run. InviteExisting and a ParamError, without
// an *Error, say nothing about requests.
func (r *bulkRun) countInRow(outcome InviteOutcome, failure *Error) {
	switch {
	case outcome == InviteUnknown:
		r.unknown, r.rejected = r.unknown+1, 0
	case outcome == InviteSent:
		r.unknown, r.rejected = 0, 0
	case outcome == InviteRejected && failure != nil:
		if failure.Code != r.code {
			r.code, r.rejected = failure.Code, 0
		}
		r.unknown, r.rejected = 0, r.rejected+1
	}
}

// inviteFailures are the failures of single candidates of a run without Each.
type inviteFailures struct {
	errs  []error // The first maxFailures failures.
	texts []string
	more  int // Failures that are not in errs.
}

const maxFailures = 10

// add adds the failure of a candidate, whose position in the input begins at 1. The text
// has no address, which the API's message may quote.
func (f *inviteFailures) add(position int, email string, err error) {
	if len(f.errs) == maxFailures {
		f.more++
		return
	}
	text := withoutAddress(strings.TrimPrefix(err.Error(), "hiring: "), email)
	f.errs = append(f.errs, err)
	f.texts = append(f.texts, fmt.Sprintf("candidate %d: %s", position, strings.TrimSuffix(text, ".")))
}

// withoutAddress replaces an address in a text: as it was given, and in lower and upper case. What
// has no @ stays, because the text may have the same word, as when the columns of a file were
// exchanged.
func withoutAddress(text, email string) string {
	email = strings.TrimSpace(email)
	for _, address := range []string{email, AddressKey(email), strings.ToUpper(email)} {
		if strings.Contains(address, "@") {
			text = strings.ReplaceAll(text, address, "the address")
		}
	}
	return text
}

// summary returns the failures and the error that ended the run, nil without any. The latter comes
// first, so that errors.As finds it.
func (f *inviteFailures) summary(ended error) error {
	if len(f.errs) == 0 {
		return ended
	}
	errs, texts := f.errs, f.texts
	if ended != nil {
		errs = append([]error{ended}, errs...)
		texts = append([]string{strings.TrimPrefix(ended.Error(), "hiring: ")}, texts...)
	}
	if f.more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more candidates failed", f.more))
	}
	return &describedError{"hiring: Invitations.EnsureAll: " + strings.Join(texts, "; "), errs}
}
