package hiring

import (
	"context"
	"errors"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/waiting"
)

// PollResult is what [SubmissionService.Poll] found, and when and with which state to call
// it next. Process Submissions before you save State: a state that was saved earlier loses
// them in a crash.
type PollResult struct {
	Submissions []Submission  // Newly evaluated. Report is nil where Watch would yield nil.
	State       string        // For the next Poll, also after an error. At most 256 KB of text without candidate data.
	Wait        time.Duration // Until the next Poll; 0 when there is more to read already.
	Progress    WaitProgress

	// Unreadable holds the IDs of submissions that cannot be decoded, each once. They are
	// read again later and come when they can be decoded. An ID that cannot be decoded
	// is replaced by a text that begins with "unknown-".
	Unreadable []string
}

const (
	maxPollPages = 10
	maxPollReads = 50
	longestWait  = 20 * time.Minute
)

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
// process, and one for an AssessmentID without submissions.
func (s *SubmissionService) Poll(ctx context.Context, o WatchOptions, state string) (polled PollResult, err error) {
	err = s.use().composed(ctx, "Submissions.Poll", func(ctx context.Context) error {
		polled, err = s.poll(ctx, o, state)
		return err
	})
	return polled, err
}

func (s *SubmissionService) poll(ctx context.Context, o WatchOptions, state string) (PollResult, error) {
	w, err := newWatcher(s, o)
	if o.Checkpoint != nil {
		err = joinParams(err, &ParamError{Param: "Checkpoint", Problem: "must be nil: Poll takes and returns its state"})
	}
	if err != nil {
		return PollResult{State: state}, err
	}
	if err = w.load(state); err != nil {
		return PollResult{State: state, Wait: w.interval.next()}, err
	}
	result := PollResult{State: state, Wait: min(w.interval.next(), time.Minute)}
	if err = w.begin(ctx); err == nil {
		w.machine.EndInterval()
		var found fulfilled
		found, result.Wait, err = w.poll(ctx)
		result.Submissions, result.Unreadable = found.deliver, found.unreadable
		if w.budget().Left > 0 {
			result.Wait = min(result.Wait, max(longestWait, w.interval.longest))
		}
		result.Progress = w.progressOf(w.machine, time.Now().Add(result.Wait))
		if o.Progress != nil {
			o.Progress(result.Progress)
		}
		result.State = w.machine.String()
	} else if state == "" {
		result.State = w.machine.String()
	}
	result.Wait = max(result.Wait, retryAfter(err))
	if errors.Is(err, ErrRateLimited) && ctx.Err() == nil {
		err = nil
	}
	return result, err
}

// poll sends the requests of one poll and returns the interval after it: 0 when the
// poll has reached its limits and there is more to read.
func (w *watcher) poll(ctx context.Context) (found fulfilled, wait time.Duration, err error) {
	for pages, reads := 0, 0; ; {
		action := w.machine.Next(w.now(), w.budget())
		switch action.Kind {
		case waiting.Wait:
			if err == nil && reads >= maxPollReads && w.machine.ReadsAreDue() && w.budget().Left > 0 {
				return found, 0, nil
			}
			return found, action.Until.Sub(w.now()), err
		case waiting.List:
			pages++
		default:
			reads++
		}
		if pages > maxPollPages || reads > maxPollReads {
			return found, 0, nil
		}
		var result fulfilled
		result, err = w.fulfil(ctx, w.machine, action)
		found.deliver = append(found.deliver, result.deliver...)
		found.unreadable = append(found.unreadable, result.unreadable...)
		if err != nil && !IsTransient(err) {
			return found, w.interval.next(), err
		}
	}
}
