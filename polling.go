package hiring

import (
	"context"
	"errors"
	"iter"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/quota"
	"github.com/hiring-assessment/hiring-go/internal/waiting"
)

// WaitProgress is the state of a wait after a poll.
type WaitProgress struct {
	Total, Ready, Pending, Missing int       // Submissions; Missing: the API responds with 404.
	Requests                       int       // Calls made so far.
	NextPoll                       time.Time // Zero when there is none.

	SinceMeaning    string // What the listing's since filters on: "evaluation", "submission" or "other"; "" while unknown.
	AwaitingGrading int    // Known submissions whose evaluation or report is awaited.
	ReadsLastHour   int    // An estimate.
	SlowReason      string // Why the wait is slow; "" when it is not.
}

// leftToOthers is the share of each rate-limit window that polling leaves to other users
// of the key.
const leftToOthers = 0.1

// interval is the range of the random interval between two polls.
type interval struct{ shortest, longest time.Duration }

func newInterval(shortest, longest time.Duration) (interval, error) {
	if err := joinParams(checkUnit("MinInterval", shortest), checkUnit("MaxInterval", longest)); err != nil {
		return interval{}, err
	}
	switch {
	case shortest < 0 || longest < 0:
		return interval{}, &ParamError{Param: "MinInterval, MaxInterval", Problem: "must not be negative"}
	case shortest == 0 && longest == 0:
		shortest, longest = 30*time.Second, 60*time.Second
	case shortest == 0:
		shortest = min(30*time.Second, longest)
	case longest == 0:
		longest = max(60*time.Second, shortest)
	case longest < shortest:
		return interval{}, &ParamError{Param: "MaxInterval", Problem: "must not be shorter than MinInterval"}
	}
	return interval{shortest, longest}, nil
}

func (i interval) next() time.Duration {
	return i.shortest + time.Duration(jitter()*float64(i.longest-i.shortest))
}

// pollLoop is the loop of WaitReport, WaitReports, Watch and Tail. Each of them is a step.
type pollLoop struct {
	core      *core
	operation string // The method that polls.
	pending   string // What is unfinished when the context ends, for the error.
	interval  interval
	requests  int                // Made so far.
	report    func(WaitProgress) // Called after each poll. Nil: not called.
}

// run calls step, which polls once and returns the interval until the next poll and whether there is one. It
// reports the progress before it sleeps. It retries transient errors, no earlier than their Retry-After. With a key
// source and a used up rate limit it polls sooner, because another key has a window of its own. It returns any
// other error, and at the end of the context an endedCall.
func (l *pollLoop) run(ctx context.Context, progress func() WaitProgress, step func(context.Context) (wait time.Duration, more bool, err error)) error {
	for {
		l.renewKey(ctx)
		wait, more, err := step(ctx)
		switch {
		case !more:
			return err
		case err == nil || IsTransient(err):
			least := retryAfter(err)
			if l.core.config.source != nil && l.budget().Left <= 0 {
				longest := max(time.Minute, l.interval.longest)
				wait = min(wait, longest)
				if failure, _ := errors.AsType[*Error](err); errors.Is(err, ErrQuotaExhausted) || failure.usedUp() {
					least = min(least, longest)
				}
			}
			wait = max(wait, least)
			l.reportProgress(progress(), time.Now().Add(wait))
			if err = sleepAfter(ctx, wait, least, err); err == nil {
				continue
			}
		case !errors.Is(err, ctx.Err()):
			return err
		}
		return &endedCall{l.operation, l.pending, err}
	}
}

// reportProgress passes the progress after a poll to the caller, and returns it. next is
// the time of the next poll, zero when there is none.
func (l *pollLoop) reportProgress(progress WaitProgress, next time.Time) WaitProgress {
	progress.Requests, progress.NextPoll = l.requests, next
	if l.report != nil {
		l.report(progress)
	}
	return progress
}

// iterate returns an iterator over the results that run passes to yield. It yields the error
// of run last.
func iterate[T any](ctx context.Context, s *service, operation string, run func(ctx context.Context, yield func(T) bool) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		left := false
		err := s.use().composed(ctx, operation, func(ctx context.Context) error {
			err := run(ctx, func(item T) bool {
				left = !yield(item, nil)
				return !left
			})
			if left {
				return nil
			}
			return err
		})
		if err != nil {
			yield(*new(T), err)
		}
	}
}

// sleepAfter sleeps until the next poll. It returns immediately if the context ends before least has passed, because
// the next poll must not begin earlier. When the context ends, the error has last as well.
func sleepAfter(ctx context.Context, wait, least time.Duration, last error) error {
	ended := context.DeadlineExceeded
	if !outlasts(ctx, least) {
		ended = sleep(ctx, wait, PausePoll)
	}
	if ended != nil && last != nil {
		return &endedError{ended, last}
	}
	return ended
}

// now returns the server's time.
func (l *pollLoop) now() time.Time { return l.serverTime(time.Now()) }

// serverTime returns the server's time at a local time.
func (l *pollLoop) serverTime(local time.Time) time.Time {
	return l.core.shared.clock.Latest(local)
}

// budget returns the reads that the rate limit leaves to polling.
func (l *pollLoop) budget() waiting.Budget {
	limit, remaining, ends := l.core.shared.quotas.Left(l.core.keys.lastUsed().id, quota.Read, time.Now())
	others := int(math.Ceil(max(leftToOthers, l.core.config.reserveShare) * float64(limit)))
	return waiting.Budget{Left: remaining - others, Whole: limit - others, Ends: ends}
}

// renewKey calls the key source if the rate limit of the last key leaves no requests to polling. Without requests no
// attempt would call it. The next attempt reports an error of the source.
func (l *pollLoop) renewKey(ctx context.Context) {
	if l.budget().Left <= 0 {
		_, _ = l.core.keys.current(ctx)
	}
}

// ration returns an error when the remaining requests are reserved for other users of the key.
func (l *pollLoop) ration(operation string) error {
	b := l.budget()
	if b.Left > 0 {
		return nil
	}
	return &Error{
		Code: ErrRateLimited, Message: "not sent, because the remaining requests are reserved for other users of the key",
		Operation: operation, Method: http.MethodGet, RetryAfter: b.Ends + time.Duration(jitter()*float64(min(l.interval.shortest, time.Minute))/10),
		cause: func() error { return ErrQuotaExhausted },
	}
}

// claim counts a request. It returns an error instead when the remaining requests are
// reserved for other users of the key.
func (l *pollLoop) claim(operation string) error {
	if err := l.ration(operation); err != nil {
		return err
	}
	l.requests++
	return nil
}

// retryAfter returns how long to wait after a failed poll, a window at most.
func retryAfter(err error) time.Duration {
	if failure, ok := errors.AsType[*Error](err); ok {
		return min(failure.RetryAfter, quota.Longest)
	}
	return 0
}

// endedCall is the end of the context of a method that waits. A request in flight is an
// operation of its own.
type endedCall struct {
	operation, pending string
	err                error
}

func (e *endedCall) Error() string {
	return "hiring: " + e.operation + ": " + e.pending + strings.TrimPrefix(e.err.Error(), "hiring: ")
}

func (e *endedCall) Unwrap() error { return e.err }

// notAdvancing returns the error of polling that would repeat the same requests.
func notAdvancing(r *request, what string) *Error {
	return &Error{Message: "the list does not advance: " + what, Operation: r.operation, Method: r.method, Route: r.route, Status: http.StatusOK, Attempts: 1}
}
