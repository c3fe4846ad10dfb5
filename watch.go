package hiring

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"net/http"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/waiting"
)

// WatchOptions configures Watch and Poll. A zero field means the default.
type WatchOptions struct {
	AssessmentID string    // Only of this assessment. Empty: of the whole organization.
	Since        time.Time // Evaluations since then. Zero: since the call, by the server's clock. A state that is given takes precedence.

	MinInterval time.Duration // The shortest interval between two polls: 30 s.
	MaxInterval time.Duration // The longest, unless the rate limit requires a longer one: 60 s. The interval is random between both.
	Lookback    time.Duration // How long after its creation an evaluation is found for certain: 30 days.

	Regraded bool // Yield a submission again when it is graded again: when its evaluation time becomes later.

	Checkpoint Checkpoint         // Where Watch keeps its state. Nil: a restart begins anew. Not for Poll.
	Progress   func(WaitProgress) // Called after each poll, in the goroutine of the call. Nil: not called.
}

// PollResult is the result of [SubmissionService.Poll]: the newly evaluated submissions, the
// state for the next call, and the wait before it. Process Submissions before you save State: a state that was saved earlier loses
// them in a crash.
type PollResult struct {
	Submissions []Submission  // Newly evaluated. Report is nil where Watch would yield nil.
	State       string        // For the next Poll, also after an error. At most 256 KB of text without candidate data.
	Wait        time.Duration // Until the next Poll; 0 when there is more to read already.
	Progress    WaitProgress

	// Unreadable holds the IDs of submissions that cannot be decoded, each once. They
	// come when a listing or a read can be decoded that shows them. Until then, polls
	// list all evaluated submissions since the oldest of them every 45 minutes, within the
	// reads to spare. An ID that cannot be decoded is replaced by a text that begins with "unknown-".
	Unreadable []string
}

// Watch yields every newly evaluated submission, without end. An error that is not
// transient, such as 401, is yielded last. So is the error of an ended context: it
// matches [context.Canceled] or [context.DeadlineExceeded].
//
//   - Each submission is yielded at least once, without duplicates within a run. After
//     an hour without a ready report, its Report is nil.
//   - A zero Since means the time of the call, by the server's clock.
//   - With a Checkpoint, a restart resumes. A submission is saved as delivered when the
//     loop asks for the next one.
//   - After the context ends, the other submissions of the current poll are yielded
//     before the error. A loop that checks the context's Err and returns receives them
//     after a restart with the same Checkpoint.
//   - A result comes within an hour after a listing can show it (91 minutes with more
//     than 2,900 unfinished), while the API responds and requests remain.
//   - A submission that cannot be decoded delays no other. Until it can be, Watch lists
//     all evaluated submissions since its creation every 45 minutes: at 1,000 a day and
//     one of 20 days ago 278 to 474 reads an hour.
//   - If AssessmentID does not exist, Watch yields [ErrNotFound].
//
// Watch works with any meaning of since (assumed: meaning of since). Scope read; 80 to
// 220 reads an hour, more where since filters on creation.
func (s *SubmissionService) Watch(ctx context.Context, o WatchOptions) iter.Seq2[Submission, error] {
	called := time.Now()
	return iterate(ctx, (*service)(s), "Submissions.Watch", func(ctx context.Context, yield func(Submission) bool) error {
		return s.watch(ctx, o, called, yield)
	})
}

// watch polls until the context ends, an error cannot be retried or yield returns false.
func (s *SubmissionService) watch(ctx context.Context, o WatchOptions, called time.Time, yield func(Submission) bool) error {
	w, err := newWatcher(s.core, "Submissions.Watch", o, called)
	if err != nil {
		return err
	}
	state := ""
	if o.Checkpoint != nil {
		if state, err = o.Checkpoint.Load(ctx); err != nil {
			return checkpointFailure("Watch", "load", join(ctx, err))
		}
	}
	if err = w.resume(state); err != nil {
		return err
	}
	if state == "" { // A restart after a crash before the first response keeps the start.
		if err = w.save(ctx, w.machine); err != nil {
			return err
		}
	}
	return w.run(ctx, w.progress, func(ctx context.Context) (time.Duration, bool, error) {
		before := ""
		if o.Checkpoint != nil {
			before = w.machine.String()
		}
		found, err := w.pollOnce(ctx)
		if more, failure := w.deliver(ctx, before, found.Submissions, yield); !more {
			return 0, false, failure
		}
		return found.Wait, true, err
	})
}

// Poll is one poll of [SubmissionService.Watch], for cron jobs. state is the state of the
// previous Poll, "" at first.
//
//   - Save PollResult.State after processing the submissions, also when Poll fails. The
//     same state returns the same submissions again.
//   - Call Poll again immediately while Wait is 0. Otherwise Wait is at most 20 minutes, or
//     MaxInterval if that is longer, while requests remain.
//   - A result comes within 3 hours with one such series of calls an hour (6 with more
//     than 2,900 unfinished), and within 2 days with one a day.
//   - A used up rate limit is not an error: Wait is its duration.
//   - A damaged state, one of another account or filter, and a Checkpoint are a
//     [ParamError].
//
// Scope read; costs at most 10 pages of listings and 50 single submissions (a second read
// each where the submission comes without its report), one read for the account in each
// process and for each new key of a key source, and one for an AssessmentID without submissions.
func (s *SubmissionService) Poll(ctx context.Context, o WatchOptions, state string) (polled PollResult, err error) {
	err = s.use().composed(ctx, "Submissions.Poll", func(ctx context.Context) error {
		polled, err = s.poll(ctx, o, state)
		return err
	})
	return polled, err
}

func (s *SubmissionService) poll(ctx context.Context, o WatchOptions, state string) (PollResult, error) {
	w, err := newWatcher(s.core, "Submissions.Poll", o, time.Now())
	if o.Checkpoint != nil {
		err = joinParams(err, &ParamError{Param: "Checkpoint", Problem: "must be nil: Poll takes and returns its state"})
	}
	if err != nil {
		return PollResult{State: state}, err
	}
	if err = w.resume(state); err != nil {
		return PollResult{State: state, Wait: w.interval.next()}, err
	}
	w.machine.EndInterval()
	w.renewKey(ctx)
	result, err := w.pollOnce(ctx)
	if w.budget().Left > 0 {
		result.Wait = min(result.Wait, max(longestWait, w.interval.longest))
	}
	result.Wait = max(result.Wait, retryAfter(err))
	result.State = w.machine.String()
	result.Progress = w.reportProgress(w.progress(), time.Now().Add(result.Wait))
	if errors.Is(err, ErrRateLimited) && ctx.Err() == nil {
		err = nil
	}
	return result, err
}

// longestWait is the longest interval that Poll returns while requests remain.
const longestWait = 20 * time.Minute

// watcher is one watch or one Poll.
type watcher struct {
	poller

	checkpoint Checkpoint
}

// newWatcher returns a watcher. A zero Since means called, by the local clock. It sends no request.
func newWatcher(k *core, operation string, o WatchOptions, called time.Time) (*watcher, error) {
	between, err := newInterval(o.MinInterval, o.MaxInterval)
	if o.Lookback < 0 {
		err = joinParams(err, &ParamError{Param: "Lookback", Problem: "must not be negative"})
	}
	if o.Since.Unix() > maxUnix {
		err = joinParams(err, &ParamError{Param: "Since", Problem: "must be before the year 10000"})
	}
	if err != nil {
		return nil, err
	}
	start, calledAt := o.Since, time.Time{}
	if start.IsZero() {
		start, calledAt = called, called
	}
	options := machineOptions(between)
	options.Start, options.Lookback, options.Regraded = startOfWatch(start), cmp.Or(o.Lookback, defaultLookback), o.Regraded
	w := &watcher{
		poller: poller{
			pollLoop:   pollLoop{core: k, operation: operation, interval: between, report: o.Progress},
			assessment: o.AssessmentID, machine: waiting.New(options),
		},
		checkpoint: o.Checkpoint,
	}
	w.machine.CalledAt, w.machine.Assessment = calledAt, o.AssessmentID
	w.check = w.checkResponse
	return w, nil
}

// resume continues from a state, which is "" for a new watch.
func (w *watcher) resume(state string) error {
	if state == "" {
		return nil
	}
	machine, err := waiting.Resume(w.machine.Options, state)
	switch {
	case err != nil:
		return &ParamError{Param: "state", Problem: err.Error() + ": restore it, or to start afresh, give none"}
	case machine.Assessment != w.assessment:
		return &ParamError{Param: "state", Problem: "is of a watch of another assessment: to start afresh, give none"}
	}
	w.machine = machine
	return nil
}

// pollOnce sends the requests of one poll. It returns what the poll found, and the interval
// until the next one.
func (w *watcher) pollOnce(ctx context.Context) (found PollResult, err error) {
	if err = w.begin(ctx); err != nil {
		found.Wait = w.machine.Interrupt(w.now(), w.budget(), retryAfter(err)).Sub(w.now())
		return found, err
	}
	found.Wait, _, err = w.sendBatch(ctx, func(page *polledPage) bool {
		found.Submissions = append(found.Submissions, page.deliver...)
		found.Unreadable = append(found.Unreadable, page.unreadable...)
		return true
	})
	return found, err
}

// deliver yields the submissions that a poll found. Until the last one is delivered, it
// saves the state before the poll with the deliveries so far, so that a restart finds
// the rest again.
func (w *watcher) deliver(ctx context.Context, before string, found []Submission, yield func(Submission) bool) (more bool, err error) {
	ctx = context.WithoutCancel(ctx) // Deliveries are saved also after the end of the context.
	machine := w.machine
	if before != "" && len(found) > 1 {
		if machine, err = waiting.Resume(w.machine.Options, before); err != nil {
			return false, err
		}
	}
	for i := range found {
		if !yield(found[i]) {
			return false, nil
		}
		if i < len(found)-1 {
			machine.MarkDelivered(itemOf(&found[i]))
			if err := w.save(ctx, machine); err != nil {
				return false, err
			}
		}
	}
	err = w.save(ctx, w.machine)
	return err == nil, err
}

func (w *watcher) save(ctx context.Context, m *waiting.Machine) error {
	if w.checkpoint == nil {
		return nil
	}
	if err := w.checkpoint.Save(ctx, m.String()); err != nil {
		return checkpointFailure("Watch", "save", join(ctx, err))
	}
	return nil
}

// startOfWatch rounds a start to what a query and a state can hold.
func startOfWatch(at time.Time) time.Time {
	at = at.UTC().Truncate(time.Millisecond)
	if at.Before(time.Unix(0, 0)) {
		at = time.Unix(0, 0).UTC()
	}
	return at
}

var errOtherAccount = &ParamError{Param: "state", Problem: "is of another account: to start afresh, give none"}

// begin checks that the state is of the key's account. The first response of a new
// watch shows the account and the server's clock, by which a zero Since is set.
func (w *watcher) begin(ctx context.Context) error {
	if w.machine.Account != "" && w.machine.Account == w.knownAccount() {
		return nil
	}
	account, _, err := w.readAccount(ctx) // A key source may have changed the key since the last request.
	switch {
	case err != nil:
		return err
	case w.machine.Account == "":
		if called := w.machine.CalledAt; !called.IsZero() {
			w.machine.SetStart(startOfWatch(w.now().Add(-max(0, time.Since(called))).Truncate(time.Second)))
		}
		w.machine.Account = account
	case w.machine.Account != account:
		return errOtherAccount
	}
	return nil
}

// checkResponse checks that a response is of the account of the state, because a key source
// may return another key at any time, and that the assessment exists when the first
// listing is empty.
func (w *watcher) checkResponse(ctx context.Context, action waiting.Action, items int) error {
	account, err := w.accountOf(ctx, w.core.keys.lastUsed().id) // The key of the response.
	first := action.Kind == waiting.List && action.Status == "" && action.Since.IsZero() && action.Cursor == ""
	switch {
	case err != nil:
		return err
	case account != w.machine.Account:
		return errOtherAccount
	case first && items == 0 && w.assessment != "" && w.machine.OpenedAt.IsZero():
		return w.checkAssessment(ctx)
	}
	return nil
}

// accountOf returns the ID of the account of a key. It reads the account if no response has shown it, again while the
// key source returns known keys of the same account in turn. When such a key comes again, it returns a transient
// error, so that the request is retried. It accepts the account of a key that is new as well: a key source may return
// another key for each attempt.
func (w *watcher) accountOf(ctx context.Context, key keyID) (string, error) {
	for read := make(map[keyID]bool); ; {
		if account := w.core.shared.account(key); account != "" {
			return account, nil
		}
		used := w.core.keys.lastUsed().id
		if read[used] {
			return "", &Error{
				Message:   "the key source returned other keys before the account of the first was known",
				Operation: "Account.Get", Method: http.MethodGet, Route: "/account", Attempts: 1,
			}
		}
		read[used] = true
		if account, known, err := w.readAccount(ctx); err != nil || !known || account != w.machine.Account {
			return account, err
		}
	}
}

// checkAssessment returns an error if the assessment does not exist.
func (w *watcher) checkAssessment(ctx context.Context) error {
	if w.claim("Invitations.List") == nil {
		invitations := (&InvitationService{core: w.core}).List(w.assessment).PageSize(1)
		_, err := invitations.Page(ctx)
		if failure, ok := errors.AsType[*Error](err); ok && failure.Code == ErrNotFound {
			failure.Hint = "check WatchOptions.AssessmentID: no submission is listed for the assessment either"
			return failure
		}
	}
	return nil // The assessment may exist.
}

// knownAccount returns the ID of the account of the last key, "" if no response has shown it.
func (w *watcher) knownAccount() string {
	return w.core.shared.account(w.core.keys.lastUsed().id)
}

// readAccount reads the ID of the key's account. known reports whether a response had shown it before.
func (w *watcher) readAccount(ctx context.Context) (id string, known bool, err error) {
	if err := w.claim("Account.Get"); err != nil {
		return "", false, err
	}
	account, err := (&AccountService{w.core}).Get(ctx)
	if err != nil {
		return "", false, err
	}
	known = w.knownAccount() != ""
	w.core.shared.setAccount(w.core.keys.lastUsed().id, account.ID)
	return account.ID, known, nil
}
