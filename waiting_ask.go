package hiring

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/headers"
	"github.com/hiring-assessment/hiring-go/internal/lenient"
	"github.com/hiring-assessment/hiring-go/internal/trouble"
	"github.com/hiring-assessment/hiring-go/internal/waiting"
)

// leftToOthers is the share of each quota window that the waiters do not touch.
const leftToOthers = 0.1

// asker makes the calls of a waiter, and turns what they bring into facts. All
// times of these are the server's.
type asker struct {
	submissions *SubmissionService
	assessment  string
	pause       interval
	skew        time.Duration // By how much the server's clock is ahead.
	requests    int
	unreadable  error                       // Why the report of the submission that was read last cannot be.
	check       func(context.Context) error // Whether a reply was of the right account; nil: any.
	bare        map[string]Submission       // Evaluated, without a report: that is read by itself. Nil: it is not.
}

func (a *asker) now() time.Time { return time.Now().Add(a.skew) }

// set takes the server's time from a reply. It comes in whole seconds, so it tells
// only when the clocks differ by more.
func (a *asker) set(reply *Response, asked time.Time) {
	arrived := time.Now()
	date := headers.ServerTime(reply.Header, arrived)
	if at := arrived.Add(a.skew); at.Before(date) || at.After(date.Add(time.Second+arrived.Sub(asked))) {
		a.skew = date.Sub(arrived)
	}
}

// budget is what the read quota leaves to waiters.
func (a *asker) budget() waiting.Budget {
	k := a.submissions.core
	limit, remaining, ends := k.family.left(k.keys.lastUsed().id, http.MethodGet, time.Now())
	others := int(math.Ceil(max(leftToOthers, k.config.reserve) * float64(limit)))
	return waiting.Budget{Left: remaining - others, Whole: limit - others, Ends: ends}
}

// ration refuses a request that is to be left to others.
func (a *asker) ration(operation string) error {
	b := a.budget()
	if b.Left > 0 {
		return nil
	}
	return &Error{
		Code: ErrRateLimited, Message: "not sent, because what the read quota has left is for others",
		operation: operation, Method: http.MethodGet, RetryAfter: b.Ends + time.Duration(jitter()*float64(a.pause.shortest)/10),
		cause: func() error { return ErrQuotaExhausted },
	}
}

// answer is what came of a wish: the facts, the submissions behind them, and what
// went wrong.
type answer struct {
	waiting.Answer

	at          time.Time // By the server's clock: all that it shows was true then.
	submissions []Submission
	err         error
}

// ask does what a machine wishes.
func (a *asker) ask(ctx context.Context, wish waiting.Wish) answer {
	var reply Response
	var got answer
	asked := time.Now()
	a.requests, a.unreadable = a.requests+1, nil
	ctx = WithResponse(ctx, &reply)
	if wish.Kind == waiting.Get {
		got.submissions, got.err = a.get(ctx, wish.ID)
	} else {
		var page Page[Submission]
		listing := a.submissions.List(SubmissionFilter{AssessmentID: a.assessment, Status: SubmissionStatus(wish.Status), Since: wish.Since})
		a.forgive(&listing.list.request)
		page, got.err = listing.From(wish.Cursor).Page(ctx)
		got.submissions, got.Cursor = page.Items, page.Next
	}
	if got.err == nil && a.check != nil {
		got.err = a.check(WithResponse(ctx, nil))
	}
	if len(reply.Header) > 0 {
		a.set(&reply, asked)
	}
	got.at = asked.Add(a.skew)
	got.Retry = retryAfter(got.err)
	got.Refused = errors.Is(got.err, ErrInvalidInput) && (wish.Cursor != "" || wish.Status != "")
	got.Gone = wish.Kind == waiting.Get && errors.Is(got.err, ErrNotFound)
	got.Trouble = got.err != nil && passes(got.err)
	for i := range got.submissions {
		it := itemOf(&got.submissions[i])
		it.Ready = it.Ready || a.unreadable != nil // Nothing is gained by waiting for it.
		if got.Items = append(got.Items, it); a.bare != nil && it.Status == waiting.Evaluated && !it.Ready {
			a.bare[strings.ToLower(it.ID)] = got.submissions[i]
		}
	}
	return got
}

// A waiter is told of a hundred submissions by one reply. One whose report cannot
// be read must not hold up the others: it is taken for one without a report, that
// is read by itself, and if it cannot be read either, the submission goes without.
func (a *asker) forgive(r *request) {
	a.submissions.core.forgiving.CompareAndSwap(nil, wire.Forgiving(lenient.OrNil[Report]()))
	r.forgiving = true
}

// get reads a submission, or of one that was shown without its report, that.
func (a *asker) get(ctx context.Context, id string) ([]Submission, error) {
	s, bare := a.bare[strings.ToLower(id)]
	if !bare {
		r := newRequest("Submissions.Get", "GET /submissions/{id}", pathID{"id", id})
		a.forgive(&r)
		var err error
		if s, err = do[Submission](ctx, a.submissions.core, r); err != nil || s.Report != nil || s.Status != SubmissionEvaluated {
			return []Submission{s}, err
		}
		a.requests++
	}
	report, err := a.submissions.Report(ctx, id)
	s.Report = &report
	if failure, ok := errors.AsType[*Error](err); ok && failure.garbled {
		a.unreadable, s.Report, err = err, nil, nil
	}
	return []Submission{s}, err
}

// fulfil does what a machine wishes and tells it. It returns what is to be
// delivered; an error that passes is one that the machine rides out.
func (a *asker) fulfil(ctx context.Context, m *waiting.Machine, wish waiting.Wish) ([]Submission, error) {
	got := a.ask(ctx, wish)
	if got.err != nil && !got.Refused && !got.Gone && !got.Trouble {
		return nil, got.err
	}
	places, err := m.Got(got.at, got.Answer)
	ready := make([]Submission, len(places))
	for i, place := range places {
		ready[i] = got.submissions[place]
	}
	switch {
	case errors.Is(err, waiting.ErrCursor):
		return ready, &Error{
			Message: "the list does not advance: each cursor leads to the first page: Dialect.CursorParam is probably wrong",
			Status:  http.StatusOK, Method: http.MethodGet, Route: "/submissions", Attempts: 1, operation: "Submissions.List",
		}
	case err != nil, got.Trouble:
		return ready, got.err
	}
	return ready, nil
}

// itemOf is what a machine knows a submission by.
func itemOf(s *Submission) waiting.Item {
	it := waiting.Item{ID: s.ID, Created: s.CreatedAt, Status: string(s.Status), Ready: s.Report != nil && s.Report.Ready()}
	if s.SubmittedAt != nil {
		it.Submitted = *s.SubmittedAt
	}
	switch {
	case s.EvaluatedAt != nil:
		it.Evaluated = *s.EvaluatedAt
	case s.Report != nil && s.Report.GeneratedAt != nil:
		it.Evaluated = *s.Report.GeneratedAt
	}
	return it
}

// defaultLookback is also how far since may reach back for slow gradings.
const defaultLookback = 30 * 24 * time.Hour

// options are those of a machine with the asker's pauses.
func (a *asker) options() waiting.Options {
	return waiting.Options{Lookback: defaultLookback, Min: a.pause.shortest, Max: a.pause.longest, Seed: rand.Uint64()} //nolint:gosec // spreads requests; nothing secret depends on it
}

// rest sleeps until a wish's time, but not for a window that comes after the
// context's deadline. It joins the end of the context with what was known last.
func (a *asker) rest(ctx context.Context, wait time.Duration, last error) error {
	if last == nil {
		last = a.ration("Submissions.List")
	}
	if outlasts(ctx, retryAfter(last)) {
		return &endedError{context.DeadlineExceeded, last}
	}
	ended := sleep(ctx, max(wait, retryAfter(last)), PausePoll)
	if ended != nil && last != nil {
		return &endedError{ended, last}
	}
	return ended
}

// passes tells whether a failed poll may succeed later as it is.
func passes(err error) bool {
	if errors.Is(err, ErrQuotaExhausted) {
		return !errors.Is(err, context.Canceled)
	}
	failure, ok := errors.AsType[*Error](err)
	if !ok || failure.Attempts == 0 || errors.Is(err, context.Canceled) ||
		failure.Code == ErrInvalidToken { // Also when it was refused locally between two attempts.
		return false
	}
	switch {
	case failure.Status == 0:
		return !trouble.Permanent(failure)
	case failure.Status < 300:
		return errors.Unwrap(failure) != nil // The reply broke off.
	}
	return failure.Status == http.StatusTooManyRequests || failure.Status >= 500
}

// retryAfter is how long a failed poll asks to wait, within reason: no window is
// longer.
func retryAfter(err error) time.Duration {
	if failure, ok := errors.AsType[*Error](err); ok {
		return min(failure.RetryAfter, longestWindow)
	}
	return 0
}
