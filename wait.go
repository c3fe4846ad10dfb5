package hiring

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// WaitOptions says how to wait for reports. A zero field means the default.
type WaitOptions struct {
	MinInterval time.Duration // The shortest pause between two polls: 30 s.
	MaxInterval time.Duration // The longest, unless the quota asks for more: 60 s. The pause is random between both.

	AssessmentID string    // Of WaitReports: all are of this assessment. Makes listings shorter.
	Since        time.Time // Of WaitReports: none was created before. Zero: found out.

	Progress func(WaitProgress) // Called after each poll, in the goroutine of the call. Nil: not called.
}

// WaitProgress is the state of a wait after a poll.
type WaitProgress struct {
	Total, Ready, Pending, Missing int       // Submissions; Missing: the service does not know them.
	Requests                       int       // Calls made so far.
	NextPoll                       time.Time // Zero when there is none.
}

// interval is how the waiters pause between two polls.
type interval struct{ shortest, longest time.Duration }

func newInterval(shortest, longest time.Duration) (interval, error) {
	if shortest < 0 || longest < 0 {
		return interval{}, &ParamError{Param: "MinInterval, MaxInterval", Problem: "must not be negative"}
	}
	if shortest == 0 && longest == 0 {
		return interval{30 * time.Second, 60 * time.Second}, nil
	}
	if shortest == 0 {
		shortest = min(30*time.Second, longest)
	}
	if longest == 0 {
		longest = max(60*time.Second, shortest)
	}
	if longest < shortest {
		return interval{}, &ParamError{Param: "MaxInterval", Problem: "must not be shorter than MinInterval"}
	}
	return interval{shortest, longest}, nil
}

func (i interval) next() time.Duration {
	return i.shortest + time.Duration(jitter()*float64(i.longest-i.shortest))
}

// WaitReport polls a submission until its report is ready, and returns it. It
// rides out 429, 5xx and broken connections, and waits for the quota's next
// window if it must; anything else ends it, as does the context: then a
// [*WaitError] joins how that ended with the last failure, if there was one. It
// polls every 30 to 60 s, which is the service's guidance, as is to poll only for
// submissions that await a report. Scope read; costs one read a poll, 60 to 120
// an hour.
func (s *SubmissionService) WaitReport(ctx context.Context, id string, o WaitOptions) (report Report, err error) {
	err = s.core.probed(ctx, ProbeCall{Operation: "Submissions.WaitReport"}, func(ctx context.Context) error {
		report, err = s.waitReport(ctx, id, o)
		return err
	})
	return report, err
}

func (s *SubmissionService) waitReport(ctx context.Context, id string, o WaitOptions) (Report, error) {
	pause, err := newInterval(o.MinInterval, o.MaxInterval)
	if err = joinParams(err, newRequest("Submissions.WaitReport", "GET /submissions/{id}/report", id).err); err != nil {
		return Report{}, err
	}
	ctx = WithResponse(ctx, nil)
	progress := WaitProgress{Total: 1, Pending: 1}
	for {
		report, err := s.Report(ctx, id)
		progress.Requests++
		if err == nil && report.Ready() {
			progress.Ready, progress.Pending, progress.NextPoll = 1, 0, time.Time{}
			o.tell(progress)
			return report, nil
		}
		if err != nil && !passes(err) {
			return Report{}, err
		}
		wait := max(pause.next(), retryAfter(err))
		if outlasts(ctx, retryAfter(err)) {
			return Report{}, &WaitError{Pending: []string{id}, Err: &endedError{context.DeadlineExceeded, err}}
		}
		progress.NextPoll = time.Now().Add(wait)
		o.tell(progress)
		if ctxErr := sleep(ctx, wait, PausePoll); ctxErr != nil {
			if err != nil {
				ctxErr = &endedError{ctxErr, err}
			}
			return Report{}, &WaitError{Pending: []string{id}, Err: ctxErr}
		}
	}
}

// WaitError says what became of the submissions whose reports did not come.
type WaitError struct {
	Missing []string // The service answers 404.
	Pending []string // Not evaluated when waiting ended.
	Err     error    // Why it ended: ErrNotFound when only some were missing.
}

func (e *WaitError) Error() string {
	var parts []string
	if n := len(e.Pending); n > 0 {
		parts = append(parts, amount(n, "report", "pending"))
	}
	if n := len(e.Missing); n > 0 {
		parts = append(parts, amount(n, "submission", "missing"))
	}
	text := "hiring: the wait ended"
	if len(parts) > 0 {
		text += " with " + strings.Join(parts, " and ")
	}
	if e.Err == nil {
		return text
	}
	return text + ": " + strings.TrimPrefix(e.Err.Error(), "hiring: ")
}

func amount(n int, what, state string) string {
	if n == 1 {
		return "1 " + what + " " + state
	}
	return fmt.Sprintf("%d %ss %s", n, what, state)
}

// Unwrap returns Err.
func (e *WaitError) Unwrap() error { return e.Err }

func (o WaitOptions) tell(p WaitProgress) {
	if o.Progress != nil {
		o.Progress(p)
	}
}

// passes tells whether a failed poll may succeed later as it is.
func passes(err error) bool {
	if errors.Is(err, ErrQuotaExhausted) {
		return !errors.Is(err, context.Canceled)
	}
	failure, ok := errors.AsType[*Error](err)
	if !ok || failure.Attempts == 0 || errors.Is(err, context.Canceled) {
		return false
	}
	switch {
	case failure.Code == ErrInvalidToken: // Also when it was refused locally between two attempts.
		return false
	case failure.Status == 0:
		return !isPermanent(failure)
	case failure.Status < 300:
		return errors.Unwrap(failure) != nil // The reply broke off.
	}
	return failure.Status == http.StatusTooManyRequests || failure.Status >= 500
}

// isTrouble tells whether the service failed at what was asked of it.
func isTrouble(err error) bool {
	failure, ok := errors.AsType[*Error](err)
	return ok && failure.Status >= http.StatusInternalServerError && passes(err)
}

// retryAfter is how long a failed poll asks to wait, within reason: no window is
// longer.
func retryAfter(err error) time.Duration {
	if failure, ok := errors.AsType[*Error](err); ok {
		return min(failure.RetryAfter, longestWindow)
	}
	return 0
}
