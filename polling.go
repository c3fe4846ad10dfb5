package hiring

import (
	"context"
	"errors"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/waiting"
)

// Polled is what one round of a watch found.
type Polled struct {
	Submissions []Submission  // Newly evaluated, with their reports as far as these could be read.
	State       string        // For the next round. At most 256 KB; it holds hashes of ids, and no candidate's data.
	Wait        time.Duration // Until the next round; 0 when there is more to read already.
	Progress    WaitProgress
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
// A round reads at most 10 pages of listings and 50 submissions; Wait is 0 when
// there is more to read, and else at most 20 minutes, or MaxInterval if that is
// more, while the quota's window has something left. A state of another account
// or assessment and a damaged one are refused with a [ParamError]. On any other
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
	w, err := newWatcher(s, o)
	if err != nil {
		return Polled{State: state}, err
	}
	result := Polled{State: state, Wait: w.pause.next()}
	if err = w.begin(ctx, state); err == nil {
		w.machine.Wake()
		result.Submissions, result.Wait, err = w.round(ctx)
		if w.budget().Left > 0 {
			result.Wait = min(result.Wait, max(longestWait, w.pause.longest))
		}
		result.State, result.Progress = w.machine.String(), w.progressOf(w.machine, time.Now().Add(result.Wait))
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
	for pages, reads := 0, 0; ; {
		wish := w.machine.Next(w.now(), w.budget())
		switch wish.Kind {
		case waiting.Pause:
			return found, wish.Until.Sub(w.now()), err
		case waiting.List:
			pages++
		default:
			reads++
		}
		if pages > roundPages || reads > roundReads {
			return found, 0, nil
		}
		var ready []Submission
		ready, err = w.fulfil(ctx, w.machine, wish)
		if found = append(found, ready...); err != nil && !passes(err) {
			return found, w.pause.next(), err
		}
	}
}
