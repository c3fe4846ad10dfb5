package hiring

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"time"
)

// WatchOptions says what to watch and how. A zero field means the default.
type WatchOptions struct {
	AssessmentID string    // Only of this assessment. Empty: of the whole organization.
	Since        time.Time // Evaluations since then. Zero: from now on, by the server's clock. A state that is given goes before.

	MinInterval time.Duration // The shortest pause between two rounds: 30 s.
	MaxInterval time.Duration // The longest, unless the quota asks for more: 60 s. The pause is random between both.
	Lookback    time.Duration // How long after its creation a submission may be evaluated and still be noticed for sure: 30 days.

	Checkpoint Checkpoint // Where Watch keeps its state. Nil: a restart begins anew. Poll does not use it.
}

// judge refuses what cannot be meant, and returns the pause between two rounds.
func (o WatchOptions) judge() (interval, error) {
	pause, err := newInterval(o.MinInterval, o.MaxInterval)
	if o.Lookback < 0 {
		err = joinParams(err, &ParamError{Param: "Lookback", Problem: "must not be negative"})
	}
	if o.Since.Unix() > maxUnix {
		err = joinParams(err, &ParamError{Param: "Since", Problem: "must be before the year 10000"})
	}
	return pause, err
}

// Polled is what one round of a watch found.
type Polled struct {
	Submissions []Submission  // Newly evaluated, with their reports as far as these could be read.
	State       string        // For the next round. At most 256 KB; it holds hashes of ids, and no candidate's data.
	Wait        time.Duration // Until the next round; 0 when there is more to read already.
}

// Watch yields every submission that is evaluated from now on, or since a time,
// forever: it ends with the context, with an error that stays, such as 401, or
// when the range is left; 429, 5xx and broken connections it rides out.
//
// With a Checkpoint a restart goes on where the last run stopped. An item is
// saved as delivered when the loop asks for the next one, so a crash or a break
// repeats at most the item that was being worked on, and none is lost. Within a
// run there are no duplicates.
//
// The documentation does not say which time the listing's since filter is about;
// Watch is right in each case and learns from the answers. Where it is about
// creation, it lists the time in which most submissions are evaluated every few
// minutes, and all of Lookback as often as the quota allows; an evaluation later
// than Lookback after creation may then be missed, and in any case one that the
// listing shows more than two minutes late. An item whose report cannot be read
// for an hour comes without it.
//
// Scope read; about 80 reads an hour, and up to 900 where since is about
// creation and there are many evaluations.
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
	pause, err := o.judge()
	if err != nil {
		return err
	}
	state := ""
	if o.Checkpoint != nil {
		if state, err = o.Checkpoint.Load(ctx); err != nil {
			return err
		}
	}
	for {
		r, err := s.newRound(ctx, o, state)
		if r == nil {
			if !passes(err) {
				return err
			}
			if ended := rest(ctx, pause.next(), err); ended != nil {
				return ended
			}
			continue
		}
		if state == "" && o.Checkpoint != nil { // A crash in the first round must not move the beginning.
			if err := o.Checkpoint.Save(ctx, r.state.String()); err != nil {
				return err
			}
		}
		before := r.state.copied(o.Checkpoint)
		err = r.run(ctx)
		if goOn, failure := r.deliver(ctx, before, yield); !goOn || failure != nil {
			return failure
		}
		if err != nil && !passes(err) {
			return err
		}
		state = r.state.String()
		if ended := rest(ctx, r.wait(err), err); ended != nil {
			return ended
		}
	}
}

// rest sleeps after a round, but not for what comes after the deadline.
func rest(ctx context.Context, wait time.Duration, err error) error {
	wait = max(wait, retryAfter(err))
	if outlasts(ctx, retryAfter(err)) {
		return &endedError{context.DeadlineExceeded, err}
	}
	ended := sleep(ctx, wait, PausePoll)
	if ended != nil && err != nil {
		return &endedError{ended, err}
	}
	return ended
}

// copied returns a copy to which deliveries can be added, if that is needed.
func (s *watchState) copied(c Checkpoint) *watchState {
	if c == nil {
		return nil
	}
	before := *s
	before.Delivered = maps.Clone(s.Delivered)
	before.Ages.Counts, before.Gradings.Counts = slices.Clone(s.Ages.Counts), slices.Clone(s.Gradings.Counts)
	return &before
}

// deliver yields what a round found. Until all is delivered, what is saved is
// the state before the round with those added that were.
func (r *round) deliver(ctx context.Context, before *watchState, yield func(Submission) bool) (goOn bool, err error) {
	ctx = context.WithoutCancel(ctx) // What was delivered is saved, come what may.
	for i := range r.found {
		if !yield(r.found[i]) {
			return false, nil
		}
		if before != nil && i < len(r.found)-1 {
			before.Delivered.take(&r.found[i], r.state.Delivered)
			if err := r.options.Checkpoint.Save(ctx, before.String()); err != nil {
				return false, err
			}
		}
	}
	if before != nil {
		err = r.options.Checkpoint.Save(ctx, r.state.String())
	}
	return err == nil, err
}

// Poll is one round of [SubmissionService.Watch] without the loop, for cron jobs,
// functions and job engines: it takes the state that the round before returned,
// "" at first, and returns what was newly evaluated, the new state and how long
// to wait. Save the state once the submissions are dealt with: a round that is
// repeated with the same state finds them again.
//
// A round reads at most 10 pages of the listing. A state of another account or
// assessment and a damaged one are refused with a [ParamError]. On any other
// error what was found before it is returned beside it, with a state to go on
// from. When nothing is left in the quota's window, or the service answers 429,
// that is no error: Wait says how long.
func (s *SubmissionService) Poll(ctx context.Context, o WatchOptions, state string) (polled Polled, err error) {
	err = s.core.probed(ctx, ProbeCall{Operation: "Submissions.Poll"}, func(ctx context.Context) error {
		polled, err = s.poll(ctx, o, state)
		return err
	})
	return polled, err
}

func (s *SubmissionService) poll(ctx context.Context, o WatchOptions, state string) (Polled, error) {
	pause, err := o.judge()
	if err != nil {
		return Polled{State: state}, err
	}
	result := Polled{State: state, Wait: pause.next()}
	r, err := s.newRound(ctx, o, state)
	if r != nil {
		err = r.run(ctx)
		result = Polled{Submissions: r.found, State: r.state.String(), Wait: r.wait(err)}
	}
	result.Wait = max(result.Wait, retryAfter(err))
	if errors.Is(err, ErrRateLimited) && ctx.Err() == nil {
		err = nil
	}
	return result, err
}
