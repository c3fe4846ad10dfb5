package hiring

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/statefile"
	"github.com/hiring-assessment/hiring-go/internal/waiting"
)

// Polled is what one round of a watch found.
type Polled struct {
	Submissions []Submission  // Newly evaluated, each with its report as far as it can be read, else nil: see Watch.
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
// that is no error: Wait says how long. Scope read; costs 60 reads at most, and one
// more for each submission that is shown without its report; few when there is
// little news.
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
		if found = append(found, ready...); err != nil && !passes(err) {
			return found, w.pause.next(), err
		}
	}
}

// Checkpoint keeps the state of a watch, so that another process goes on where
// one has stopped. Load returns what was saved last, "" when nothing was.
// A state is at most 256 KB of text; it holds no candidate's data.
//
// One watch at a time uses a checkpoint.
type Checkpoint interface {
	Load(ctx context.Context) (string, error)
	Save(ctx context.Context, state string) error
}

// FileCheckpoint keeps the state in a file, which need not exist yet; its folder
// must. The file is replaced as a whole and is on the disk when Save returns: a
// crash leaves the state before or the new one. A symbolic link stays: what is
// replaced is its target, which need not exist either, unlike its folder.
//
// Load and Save fail on what is no regular file, Load on an empty, a damaged and
// a foreign file and on one above 1 MB: that is never a fresh start. Delete the
// file if one is meant. Save writes to a temporary file in the same folder,
// hiring-checkpoint-*.tmp, and removes those that killed saves have left there
// more than ten minutes ago, or more than ten of them.
func FileCheckpoint(path string) Checkpoint { return fileCheckpoint{statefile.At(path)} }

type fileCheckpoint struct{ file *statefile.File }

func (f fileCheckpoint) Load(ctx context.Context) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	state, err := f.file.Load()
	return state, checkpointError(err)
}

func (f fileCheckpoint) Save(ctx context.Context, state string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return checkpointError(f.file.Save(state))
}

func checkpointError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("hiring: checkpoint: %w", err)
}
