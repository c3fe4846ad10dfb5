package hiring

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/headers"
	"github.com/hiring-assessment/hiring-go/internal/waiting"
)

// WatchOptions says what to watch and how. A zero field means the default.
type WatchOptions struct {
	AssessmentID string    // Only of this assessment. Empty: of the whole organization.
	Since        time.Time // Evaluations since then. Zero: from now on, by the server's clock. A state that is given goes before.

	MinInterval time.Duration // The shortest pause between two rounds: 30 s.
	MaxInterval time.Duration // The longest, unless the quota asks for more: 60 s. The pause is random between both.
	Lookback    time.Duration // How long after its creation a submission may be evaluated and still be noticed for sure: 30 days.

	Checkpoint Checkpoint         // Where Watch keeps its state. Nil: a restart begins anew. Poll does not use it.
	Progress   func(WaitProgress) // Called after each round of Watch, in the goroutine of the call. Nil: not called.
}

// judge refuses what cannot be meant, and returns the pause between two rounds.
func (o WatchOptions) judge() (interval, error) {
	pause, err := newInterval(o.MinInterval, o.MaxInterval)
	if o.Lookback < 0 {
		err = joinParams(err, &ParamError{Param: "Lookback", Problem: "must not be negative"})
	}
	if o.Since.Unix() > headers.MaxUnix {
		err = joinParams(err, &ParamError{Param: "Since", Problem: "must be before the year 10000"})
	}
	return pause, err
}

// Watch yields every submission that is evaluated from now on, or since a time,
// forever: it ends with the context, with an error that stays, such as 401, or
// when the range is left; 429, 5xx and broken connections it rides out.
//
// With a Checkpoint a restart goes on where the last run stopped. An item is
// saved as delivered when the loop asks for the next one, so a crash or a break
// repeats at most the item that was being worked on, and none is lost. Within a
// run there are no duplicates, unless more than some 11,000 are evaluated within ten
// minutes; one that is graded again is not yielded again as long as it is
// remembered, which is for the latest 3,000 at least.
//
// The documentation does not say which time the listing's since filter is about;
// Watch finds out by an experiment, and again every day, and is right in each
// case. Where it is about creation, Watch lists the unfinished and reads who left
// them, and sweeps what is evaluated in the background; an evaluation later than
// Lookback after creation may then be missed. In any case one is missed that the
// listing shows more than a day late; once more than some 4,000 were delivered
// within a day, later than those reach back, and ten minutes at worst.
//
// An item comes when its report is ready; one whose report is not there an hour
// after its status comes without it, and so, at once, does one whose report cannot
// be read: the log shows its read fail, and [SubmissionService.Report] says why.
//
// Scope read; 80 to 220 reads an hour. Where since is about creation, up to 600 if
// gradings take seconds, and up to 900 if the service does not filter by the status
// of the unfinished.
func (s *SubmissionService) Watch(ctx context.Context, o WatchOptions) iter.Seq2[Submission, error] {
	return func(yield func(Submission, error) bool) {
		err := s.core.probed(ctx, ProbeCall{Operation: "Submissions.Watch"}, func(ctx context.Context) error {
			return s.watch(ctx, o, func(item Submission) bool { return yield(item, nil) })
		})
		if err != nil {
			yield(Submission{}, err)
		}
	}
}

// watch is the loop. It returns nil when yield does not want more.
func (s *SubmissionService) watch(ctx context.Context, o WatchOptions, yield func(Submission) bool) error {
	w, err := newWatcher(s, o)
	if err != nil {
		return err
	}
	state := ""
	if o.Checkpoint != nil {
		if state, err = o.Checkpoint.Load(ctx); err != nil {
			return err
		}
	}
	for err = w.begin(ctx, state); err != nil; err = w.begin(ctx, state) {
		if !passes(err) {
			return err
		}
		if ended := w.rest(ctx, max(w.pause.next(), retryAfter(err)), err); ended != nil {
			return ended
		}
	}
	if state == "" { // A crash in the first round must not move the beginning.
		if err := w.save(ctx, w.machine); err != nil {
			return err
		}
	}
	for {
		goOn, err := w.turn(ctx, yield)
		if !goOn {
			return err
		}
	}
}

// turn is one round: it asks, delivers and sleeps.
func (w *watcher) turn(ctx context.Context, yield func(Submission) bool) (goOn bool, err error) {
	before := w.state()
	found, wait, err := w.round(ctx)
	if goOn, failure := w.deliver(ctx, before, found, yield); !goOn || failure != nil {
		return false, failure
	}
	if err != nil && !passes(err) {
		return false, err
	}
	if w.options.Progress != nil {
		w.options.Progress(w.progressOf(w.machine, time.Now().Add(wait)))
	}
	if ended := w.rest(ctx, wait, err); ended != nil {
		return false, ended
	}
	return true, nil
}

// deliver yields what a round found. Until all is delivered, what is saved is the
// state before the round with those added that were.
func (w *watcher) deliver(ctx context.Context, before string, found []Submission, yield func(Submission) bool) (goOn bool, err error) {
	ctx = context.WithoutCancel(ctx) // What was delivered is saved, come what may.
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
			machine.Took(itemOf(&found[i]))
			if err := w.save(ctx, machine); err != nil {
				return false, err
			}
		}
	}
	err = w.save(ctx, w.machine)
	return err == nil, err
}

func (w *watcher) save(ctx context.Context, m *waiting.Machine) error {
	if w.options.Checkpoint == nil {
		return nil
	}
	return w.options.Checkpoint.Save(ctx, m.String())
}

func (w *watcher) state() string {
	if w.options.Checkpoint == nil {
		return ""
	}
	return w.machine.String()
}

// watcher is a watch with its machine.
type watcher struct {
	asker

	options WatchOptions
	machine *waiting.Machine
}

func newWatcher(s *SubmissionService, o WatchOptions) (*watcher, error) {
	pause, err := o.judge()
	o.Lookback = cmp.Or(o.Lookback, defaultLookback)
	return &watcher{asker: asker{submissions: s, assessment: o.AssessmentID, pause: pause}, options: o}, err
}

// begin takes up a state, or makes that of a watch that has seen nothing yet.
func (w *watcher) begin(ctx context.Context, state string) (err error) {
	o := w.asker.options()
	o.Lookback = w.options.Lookback
	if state != "" {
		m, err := waiting.Resume(o, state)
		switch {
		case err != nil:
			return &ParamError{Param: "state", Problem: err.Error() + ": restore it, or to start afresh, give none"}
		case m.Assessment != w.options.AssessmentID:
			return &ParamError{Param: "state", Problem: "is of a watch of another assessment: to start afresh, give none"}
		}
		w.machine, w.check = m, w.sameAccount
		if err = w.sameAccount(ctx); errors.Is(err, errForeign) { // So was the last request's key: the next may have another.
			err = w.judgeAccount(w.account(ctx, true))
		}
		return err
	}
	account, err := w.account(ctx, true)
	if err != nil {
		return err
	}
	o.Start = w.options.Since.UTC().Truncate(time.Millisecond)
	if o.Start.Before(time.Unix(0, 0)) { // Beyond, neither a query nor a state could hold it.
		o.Start = time.Unix(0, 0).UTC()
	}
	if w.options.Since.IsZero() {
		o.Start = w.now().UTC().Truncate(time.Second)
	}
	w.machine = waiting.New(o)
	w.machine.Account, w.machine.Assessment = account, w.options.AssessmentID
	w.check = w.sameAccount
	return nil
}

var errForeign = &ParamError{Param: "state", Problem: "is of another account: to start afresh, give none"}

// sameAccount makes sure that a request was not answered for another account: a
// key source may hand out another key at any time.
func (w *watcher) sameAccount(ctx context.Context) error {
	return w.judgeAccount(w.account(ctx, false))
}

func (w *watcher) judgeAccount(account string, err error) error {
	if err == nil && account != w.machine.Account {
		return errForeign
	}
	return err
}

// account returns the id of the key's account, which is asked for once a key.
func (w *watcher) account(ctx context.Context, anew bool) (string, error) {
	k := w.submissions.core
	if id := k.family.account(k.keys.lastUsed().id); id != "" && !anew {
		return id, nil
	}
	if err := w.ration("Account.Get"); err != nil {
		return "", err
	}
	var reply Response
	asked := time.Now()
	account, err := (&AccountService{k}).Get(WithResponse(ctx, &reply))
	if err != nil {
		return "", err
	}
	w.set(&reply, asked)
	k.family.keep(k.keys.lastUsed().id, account.ID)
	return account.ID, nil
}
