package hiring

import (
	"context"
	"errors"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/waiting"
)

// PollResult is what one round of a watch found.
type PollResult struct {
	Submissions []Submission  // Newly evaluated, each with its report as far as it can be read, else nil: see Watch.
	State       string        // For the next round. At most 256 KB; it holds hashes of ids, and no candidate's data.
	Wait        time.Duration // Until the next round; 0 when there is more to read already.
	Progress    WaitProgress

	// Unreadable holds the IDs of submissions that cannot be decoded, each once. They are
	// read again later and come when they can be decoded. An ID that cannot be decoded
	// is replaced by a text that begins with "unknown-".
	Unreadable []string
}

const (
	roundPages  = 10
	roundReads  = 50
	longestWait = 20 * time.Minute
)

// Poll is one round of [SubmissionService.Watch] without the loop, for cron jobs,
// functions and job engines: it takes the state that the round before returned,
// "" at first, and returns what was newly evaluated, the new state and how long
// to wait. Save the state once the submissions are dealt with: a round that is
// repeated with the same state finds them again.
//
// When the first Poll fails, the state that it returns holds the beginning of the
// watch: Since, or else the time of the call. Pass it to the next Poll, so that what is
// evaluated in between is found. A state of a watch that has begun stays as it was
// when Poll fails before its first listing.
//
// A round reads at most 10 pages of listings and 50 submissions; Wait is 0 when
// there is more to read, and else at most 20 minutes, or MaxInterval if that is
// more, while the quota's window has something left. A state of another account
// or assessment and a damaged one are refused with a [ParamError]. On any other
// error what was found before it is returned beside it, with a state to go on
// from. When nothing is left in the quota's window, or the service answers 429,
// that is no error: Wait says how long.
//
// Call Poll again at once while Wait is 0, however rarely it is called otherwise. Then a
// submission is returned within 3 hours with one such series of calls an hour, and
// within 2 days with one a day, counted from when a listing can show it with a ready
// report, as long as the API responds and the rate limit has remaining requests.
// When more than 2,900 submissions are unfinished, that is 6 hours with one an hour.
//
// Scope read; costs 60 reads at most, and one
// more for each submission that is shown without its report, one for the account in
// each new process, and one for an AssessmentID without submissions at first; few when
// there is little news.
func (s *SubmissionService) Poll(ctx context.Context, o WatchOptions, state string) (polled PollResult, err error) {
	err = s.use().composed(ctx, "Submissions.Poll", func(ctx context.Context) error {
		polled, err = s.poll(ctx, o, state)
		return err
	})
	return polled, err
}

func (s *SubmissionService) poll(ctx context.Context, o WatchOptions, state string) (PollResult, error) {
	w, err := newWatcher(s, o)
	if err != nil {
		return PollResult{State: state}, err
	}
	if err = w.load(state); err != nil {
		return PollResult{State: state, Wait: w.pause.next()}, err
	}
	result := PollResult{State: state, Wait: w.pause.next()}
	if err = w.begin(ctx); err == nil {
		w.machine.Wake()
		result.Submissions, result.Wait, err = w.round(ctx)
		if w.budget().Left > 0 {
			result.Wait = min(result.Wait, max(longestWait, w.pause.longest))
		}
		result.Progress = w.progressOf(w.machine, time.Now().Add(result.Wait))
		result.State, result.Unreadable = w.machine.String(), w.told
	} else if state == "" {
		result.State = w.machine.String()
	}
	result.Wait = max(result.Wait, retryAfter(err))
	if errors.Is(err, ErrRateLimited) && ctx.Err() == nil {
		err = nil
	}
	return result, err
}

// round asks until the machine pauses or the round is long enough: then the pause
// is 0.
func (w *watcher) round(ctx context.Context) (found []Submission, wait time.Duration, err error) {
	for pages, reads, each := 0, 0, 1; ; {
		wish := w.machine.Next(w.now(), w.budget())
		switch wish.Kind {
		case waiting.Pause:
			return found, wish.Until.Sub(w.now()), err
		case waiting.List:
			pages++
		default:
			reads += each
		}
		if pages > roundPages || reads > roundReads {
			return found, 0, nil
		}
		var ready []Submission
		before := w.requests
		ready, err = w.fulfil(ctx, w.machine, wish)
		each = max(each, w.requests-before) // A report that its submission came without takes another.
		if found = append(found, ready...); err != nil && !IsTransient(err) {
			return found, w.pause.next(), err
		}
	}
}
