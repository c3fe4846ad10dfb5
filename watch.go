package hiring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/defaults"
	"github.com/hiring-assessment/hiring-go/internal/poll"
	"github.com/hiring-assessment/hiring-go/internal/sealed"
	"github.com/hiring-assessment/hiring-go/internal/statefile"
)

// WatchOptions configures Watch and Poll. A zero field means the default.
type WatchOptions struct {
	AssessmentID string // Only of this assessment. Empty: of the whole organization.
	// Evaluations since then. Zero: since the call, by the server's clock. A state that is given
	// takes precedence.
	Since time.Time

	MinInterval time.Duration // The shortest interval between two polls. Default 30 s.
	// The longest, unless the rate limit requires a longer one. Default 60 s. The interval is
	// random between both. A request that failed is repeated after a minute, or after what the API
	// asked for, also if the interval is longer.
	MaxInterval time.Duration
	// How long after its creation a submission's evaluation is found: 30 days. It may change between runs.
	Lookback time.Duration

	Checkpoint Checkpoint         // Where Watch keeps its state. Nil: a restart begins anew. Not for Poll.
	Progress   func(WaitProgress) // Called after each poll, in the goroutine of the call. Nil: not called.
}

// Checkpoint keeps the state of a Watch, so that another process can resume. Load returns the state
// that was saved last, or "" when none was. A state grows by at most 100 bytes for each result
// of the two days before the newest submission and each unfinished submission. It holds ids
// and times, but no names and no addresses.
//
// Only one Watch may use a checkpoint at a time.
type Checkpoint interface {
	Load(ctx context.Context) (string, error)
	Save(ctx context.Context, state string) error
}

// FileCheckpoint returns a Checkpoint that stores the state in a file. Two processes must not use
// one file: each would receive everything, and they overwrite each other's state. The file need
// not exist yet, but its folder must. Save replaces the file atomically and returns
// when it is on the disk: a crash leaves the old state or the new one. Save replaces
// the target of a symbolic link, not the link. The target may be missing.
//
// The file holds the state as it is. Watch rejects a damaged state and a file of
// another program. Load and Save fail on a path that is not a regular file. Load also fails on
// an empty file and on one above 16 MB. None of these is a fresh start. To start afresh,
// delete the file. Save writes to a temporary file hiring-checkpoint-*.tmp in the same
// folder. A killed save leaves that file. Save removes those older than ten minutes.
func FileCheckpoint(path string) Checkpoint { return fileCheckpoint(path) }

type fileCheckpoint string

func (f fileCheckpoint) Load(context.Context) (string, error) { return statefile.Load(string(f)) }

func (f fileCheckpoint) Save(_ context.Context, state string) error {
	return statefile.Save(string(f), state)
}

// PollResult is the result of [SubmissionService.Poll]. Process Submissions and Errors before you
// save State: a state that was saved earlier loses them in a crash.
type PollResult struct {
	Submissions []Submission // Newly evaluated, each with a ready report.
	Errors      []error      // An *ItemError for each newly evaluated submission that cannot be decoded.
	State       string       // For the next Poll, also after an error. Text without candidate data.
	// The poll ended before all that is due was read: poll again after Wait. False after an error
	// that ends a Watch.
	More     bool
	Wait     time.Duration // Until the next Poll is due. With More, 0 means immediately.
	Progress WaitProgress
}

// ItemError is returned for a submission that cannot be decoded, or that has the report of another.
type ItemError struct {
	ID  string
	Err error // What is wrong with the JSON, without its values.
}

func (e *ItemError) Error() string {
	text := "hiring: the submission " + e.ID + " cannot be decoded"
	if e.Err == nil {
		return text
	}
	return text + ": " + e.Err.Error()
}

// Unwrap makes Err and its causes reachable for errors.Is and errors.As.
func (e *ItemError) Unwrap() error { return e.Err }

// Watch yields every newly evaluated submission, without end. It yields an error that is not
// transient last, such as 401. It also yields the error of an ended context last, which matches
// [context.Canceled] or [context.DeadlineExceeded].
//
//   - Watch yields each submission once within a run, when its report is ready, however late that
//     is within Lookback after its creation. A submission that is graded again may be yielded again
//     or not.
//   - With a Checkpoint, a restart resumes where the last run stopped. A submission is saved as
//     delivered when the loop asks for the next one. A crash or a break repeats at most the
//     submissions that were not saved.
//   - A zero Since means the time of the call, by the server's clock.
//   - A submission that cannot be decoded is yielded once as an [*ItemError] and counts as
//     delivered. The watch continues if the loop does.
//   - Failures are handled as in [SubmissionService.WaitReports]. A wrong clock and a restart delay
//     no request.
//   - At up to 2,000 evaluations a day, 95 % of the results come within a minute if grading takes
//     minutes and the API filters by status, and none later than six and a half hours while the API
//     responds. [Waiting] has the figures for other conditions.
//   - If AssessmentID does not exist, Watch yields [ErrNotFound].
//
// Ranging over the result twice starts over. Watch works with any meaning of since (assumed:
// meaning of since). It leaves a tenth of each rate-limit window to others, or the share of
// [WithQuotaReserve]. Scope read; 130 to 230 reads an hour at 500 evaluations a day.
//
// [Waiting]: https://github.com/hiring-assessment/hiring-go/blob/main/docs/waiting.md
func (s *SubmissionService) Watch(ctx context.Context, o WatchOptions) iter.Seq2[Submission, error] {
	called := time.Now()
	return iterate(ctx, (*service)(s), "Submissions.Watch", func(ctx context.Context, yield func(Submission, error) bool) error {
		return s.runWatch(ctx, o, called, yield)
	})
}

func (s *SubmissionService) runWatch(ctx context.Context, o WatchOptions, called time.Time, yield func(Submission, error) bool) error {
	w, err := newWatcher(s.core, "Submissions.Watch", o)
	if err == nil {
		err = w.load(ctx, called)
	}
	if err != nil {
		return err
	}
	return w.run(ctx, func(ctx context.Context) (wait time.Duration, done bool, err error) {
		if wait, err = w.pollOnce(ctx, yield); errors.Is(err, errBreak) {
			return 0, false, err
		}
		return wait, false, cmp.Or(w.save(), err)
	})
}

// Poll is one poll of [SubmissionService.Watch], for cron jobs, functions and job engines. state is
// the state of the previous Poll, "" at first.
//
//   - Save PollResult.State after processing the submissions, also when Poll fails. The same state
//     returns the same submissions again.
//   - Poll sends at least one request, unless the rate limit is used up, and at most 100. Call it
//     again after Wait while More is true.
//   - A used up rate limit is not an error: More is true, and Wait is the time until the window
//     ends. After an error that Watch would retry, More is true and Wait is a minute, or what the
//     API asked for.
//   - A damaged state, one of another account or filter, and a Checkpoint are a [ParamError].
//
// The state grows with the results of the two days before the newest submission and with the
// unfinished submissions, by at most 100 bytes each. Scope read; in addition, Poll costs one read
// of the account for an empty state and for each key in each process, and one for an AssessmentID
// without submissions.
func (s *SubmissionService) Poll(ctx context.Context, state string, o WatchOptions) (polled PollResult, err error) {
	err = s.mustCore().traces.composed(ctx, "Submissions.Poll", func(ctx context.Context) error {
		polled, err = s.runPoll(ctx, state, o)
		return err
	})
	return polled, err
}

func (s *SubmissionService) runPoll(ctx context.Context, state string, o WatchOptions) (PollResult, error) {
	w, err := newWatcher(s.core, "Submissions.Poll", o)
	polled := PollResult{State: state, Wait: w.interval.shortest}
	if o.Checkpoint != nil {
		err = joinParams(err, &ParamError{Param: "Checkpoint", Problem: "must be nil: Poll takes and returns its state"})
	}
	if err == nil {
		err = w.resume(state, time.Now())
	}
	if err != nil {
		return polled, err
	}
	wait, err := w.pollOnce(ctx, func(found Submission, problem error) bool {
		if problem != nil {
			polled.Errors = append(polled.Errors, problem)
		} else {
			polled.Submissions = append(polled.Submissions, found)
		}
		return true
	})
	next, _, final := w.followUp(ctx, wait, err)
	if final != nil {
		err = final
	} else {
		polled.More, polled.Wait = err != nil || wait == 0 || w.machine.IsListing(), next
		if failureIn(err).isDeferred() {
			err = nil // A used-up rate limit is no error of a Poll.
		}
	}
	polled.State = w.sealed()
	polled.Progress = w.reportProgress(time.Now().Add(polled.Wait))
	return polled, err
}

// watchState is the state of a Watch.
type watchState struct {
	Account    string        `json:"account,omitzero"` // Empty until the first response.
	Assessment string        `json:"assessment,omitzero"`
	Since      time.Time     `json:"since,omitzero"`  // WatchOptions.Since of the call without a state.
	Called     time.Time     `json:"called,omitzero"` // When the call without a state was made, by the local clock.
	Exists     bool          `json:"exists,omitzero"` // The assessment is known to exist.
	Machine    *poll.Machine `json:"machine,omitzero"`
}

// watchStates is the text form of a watchState: kind, version, checksum and JSON.
var watchStates = sealed.Kind{Name: "watch", Version: 5}

// watcher is one watch or one Poll.
type watcher struct {
	*poller

	options WatchOptions
	state   watchState
}

// newWatcher returns a watcher. It sends no request.
func newWatcher(k *core, operation string, o WatchOptions) (*watcher, error) {
	between, err := newInterval(o.MinInterval, o.MaxInterval)
	err = joinParams(err, checkNotNegative("Lookback", o.Lookback))
	if !o.Since.IsZero() && o.Since.Unix() > maxUnix {
		err = joinParams(err, &ParamError{Param: "Since", Problem: "must be before the year 10000"})
	}
	o.Lookback = cmp.Or(o.Lookback, defaults.Lookback)
	w := &watcher{poller: newPoller(k, operation, between, o.AssessmentID, o.Progress), options: o}
	w.otherAccount = &ParamError{Param: "state", Problem: "is of another account: to start afresh, give none"}
	return w, err
}

// load resumes from the checkpoint, if there is one, and has the watcher save to it.
func (w *watcher) load(ctx context.Context, called time.Time) error {
	checkpoint := w.options.Checkpoint
	if checkpoint == nil {
		return w.resume("", called)
	}
	text, err := checkpoint.Load(ctx)
	if err != nil {
		return fmt.Errorf("hiring: %s: load checkpoint: %w", w.operation, join(ctx, err))
	}
	w.save = func() error {
		if err := checkpoint.Save(context.WithoutCancel(ctx), w.sealed()); err != nil {
			return fmt.Errorf("hiring: %s: save checkpoint: %w", w.operation, join(ctx, err))
		}
		return nil
	}
	if err = w.resume(text, called); err != nil || text != "" {
		return err
	}
	return w.save() // So that a restart after a crash before the first response begins at the same time.
}

// resume continues from a state, which is "" for a new watch that was called at a local time.
func (w *watcher) resume(text string, called time.Time) error {
	w.machine = new(poll.Machine) // It answers the calls of a watch that has not begun.
	w.state = watchState{Assessment: w.options.AssessmentID, Since: w.options.Since, Called: called}
	if text == "" {
		return nil
	}
	var saved watchState
	switch err := watchStates.Open(text, &saved); {
	case err != nil:
		return &ParamError{Param: "state", Problem: err.Error() + ": restore it, or to start afresh, give none"}
	case saved.Assessment != w.options.AssessmentID:
		return &ParamError{Param: "state", Problem: "is of a watch of another assessment: to start afresh, give none"}
	}
	w.state = saved
	if saved.Account != "" {
		w.account, w.machine = saved.Account, saved.Machine
		w.machine.Resume(w.interval.options(w.options.Lookback), w.now())
	}
	return nil
}

// sealed returns the state as text.
func (w *watcher) sealed() string {
	w.state.Account, w.state.Machine = w.account, w.machine
	return watchStates.Seal(w.state)
}

// pollOnce begins the watch if it has not begun, and polls. The first poll checks that the
// assessment exists.
func (w *watcher) pollOnce(ctx context.Context, yield func(Submission, error) bool) (wait time.Duration, err error) {
	if err = w.begin(ctx); err == nil {
		wait, err = w.poller.sendDue(ctx, yield)
	}
	if err == nil && w.filter.AssessmentID != "" && !w.state.Exists {
		w.state.Exists, err = w.checkAssessment(ctx)
	}
	return wait, err
}

// begin reads the account of a new watch, and makes its machine. The response shows the server's
// clock too, by which a zero Since is set.
func (w *watcher) begin(ctx context.Context) (err error) {
	if w.account != "" {
		return nil
	}
	if w.account, err = w.readAccount(ctx, nil); err != nil {
		return err
	}
	since := poll.TimeOf(w.state.Since.Truncate(time.Millisecond)) // The API shows times in milliseconds.
	if w.state.Since.IsZero() {
		since = poll.TimeOf(w.core.shared.clock.at(w.state.Called).Truncate(time.Second))
	}
	w.machine = poll.NewWatch(w.interval.options(w.options.Lookback), w.now(), w.serverNow(), since, w.state.Since.IsZero())
	return nil
}

// checkAssessment reports whether the assessment certainly exists: a submission of it is listed, or
// its invitations can be. A failure that does not say either is no error.
func (w *watcher) checkAssessment(ctx context.Context) (exists bool, err error) {
	if w.machine.HasListed() {
		return true, nil
	}
	_, err = (&InvitationService{w.core}).List(w.filter.AssessmentID).sending(w.prepare).PageSize(1).Page(ctx)
	if failed := w.requestEnded(ctx, err); failed != nil {
		return false, failed
	}
	if isMissing(err) {
		failure := failureIn(err)
		failure.Hint = "check WatchOptions.AssessmentID: no submission is listed for the assessment either"
		return false, failure
	}
	return err == nil, nil
}
