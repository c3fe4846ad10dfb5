package hiring

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

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
	requests    int
	unreadable  error                                                         // Why the report of the submission that was read last cannot be.
	check       func(ctx context.Context, wish waiting.Action, items int) error // Called after each response that succeeded; nil: not called.
	bare        map[string]Submission                                         // Evaluated submissions whose report must be read singly, of a waiter. Nil: a watcher.

	isNew func(s *Submission, named bool) bool // Reports whether a submission that cannot be decoded is news.
	told  []string                             // IDs of those that were.
}

// now returns the server's time.
func (a *asker) now() time.Time { return a.serverTime(time.Now()) }

// serverTime returns the server's time at a local time.
func (a *asker) serverTime(local time.Time) time.Time {
	return a.submissions.core.shared.pollClock.Server(local)
}

// budget is what the read quota leaves to waiters.
func (a *asker) budget() waiting.Budget {
	k := a.submissions.core
	limit, remaining, ends := k.shared.left(k.keys.lastUsed().id, http.MethodGet, time.Now())
	others := int(math.Ceil(max(leftToOthers, k.config.reserve) * float64(limit)))
	return waiting.Budget{Left: remaining - others, Whole: limit - others, Ends: ends}
}

// ration returns an error when the remaining requests are reserved for other users of the key.
func (a *asker) ration(operation string) error {
	b := a.budget()
	if b.Left > 0 {
		return nil
	}
	return &Error{
		Code: ErrRateLimited, Message: "not sent, because what the read quota has left is for others",
		Operation: operation, Method: http.MethodGet, RetryAfter: b.Ends + time.Duration(jitter()*float64(a.pause.shortest)/10),
		cause: func() error { return ErrQuotaExhausted },
	}
}

// answer is the result of a wish: the facts, the submissions behind them, and the
// error.
type answer struct {
	waiting.Response

	at          time.Time // By the server's clock: all that it shows was true then.
	submissions []Submission
	err         error
}

// ask makes the request of a wish.
func (a *asker) ask(ctx context.Context, wish waiting.Action) answer {
	var got answer
	asked := time.Now()
	a.requests, a.unreadable = a.requests+1, nil
	decoding := &oneByOne{id: wish.ID, isNew: a.isNew}
	if wish.Kind == waiting.Get {
		got.submissions, got.err = a.get(ctx, wish.ID, decoding)
	} else {
		var page Page[Submission]
		listing := a.submissions.List(SubmissionFilter{AssessmentID: a.assessment, Status: SubmissionStatus(wish.Status), Since: wish.Since})
		listing.list.request.leniency = decoding
		page, got.err = listing.From(wish.Cursor).Page(ctx)
		got.submissions, got.Cursor = page.Items, page.Next
	}
	if got.err == nil && a.check != nil {
		got.err = a.check(ctx, wish, len(got.submissions))
	}
	got.at, got.LocalTime = a.serverTime(asked), asked // After the response has shown the server's clock.
	got.RetryAfter = retryAfter(got.err)
	got.Rejected = errors.Is(got.err, ErrInvalidInput) && (wish.Cursor != "" || wish.Status != "")
	got.NotFound = wish.Kind == waiting.Get && errors.Is(got.err, ErrNotFound)
	got.Failed = got.err != nil && IsTransient(got.err)
	a.facts(&got, decoding)
	return got
}

// facts sets the facts that a machine needs of the submissions of a response. A waiter
// needs only reports: its machine treats a submission that cannot be decoded as
// evaluated and without a report, and reads the report singly.
func (a *asker) facts(got *answer, decoding *oneByOne) {
	waiter := a.bare != nil
	for i := range got.submissions {
		s := &got.submissions[i]
		it := itemOf(s)
		it.Ready = it.Ready || a.unreadable != nil // Nothing is gained by waiting for it.
		if bad := decoding.find(s.ID); bad != nil {
			switch it.Unreadable = !waiter || !bad.named; {
			case !bad.named:
				it.ID = ""
			case waiter:
				it.Status = waiting.Evaluated
			}
		}
		got.Items = append(got.Items, it)
		if waiter && it.Status == waiting.Evaluated && !it.Ready {
			a.bare[strings.ToLower(it.ID)] = *s
		}
	}
	if got.err == nil {
		a.told = append(a.told, decoding.fresh...)
	}
}

// get reads a submission, or only its report when a listing showed the rest.
func (a *asker) get(ctx context.Context, id string, decoding *oneByOne) ([]Submission, error) {
	s, bare := a.bare[strings.ToLower(id)]
	if !bare {
		r := newRequest("Submissions.Get", "GET /submissions/{id}", pathID{"id", id})
		r.leniency = decoding
		var err error
		s, err = do[Submission](ctx, a.submissions.core, r)
		if failure, ok := errors.AsType[*Error](err); ok && failure.garbled {
			s, err = Submission{}, nil
			decoding.begin()
			decoding.add(&s, "", "")
		}
		bad := decoding.find(s.ID) != nil
		switch {
		case err != nil:
			return nil, err
		case bad && a.bare == nil, !bad && (s.Report != nil || s.Status != SubmissionEvaluated):
			return []Submission{s}, nil
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

// fulfil makes the request that a machine wants and passes the response to the machine.
// It returns the submissions to deliver. The machine retries transient errors.
func (a *asker) fulfil(ctx context.Context, m *waiting.Machine, wish waiting.Action) ([]Submission, error) {
	got := a.ask(ctx, wish)
	if got.err != nil && !got.Rejected && !got.NotFound && !got.Failed {
		return nil, got.err
	}
	places, err := m.Handle(got.at, got.Response)
	ready := make([]Submission, len(places))
	for i, place := range places {
		if ready[i] = got.submissions[place]; !ready[i].Report.Ready() {
			ready[i].Report = nil
		}
	}
	switch {
	case errors.Is(err, waiting.ErrCursorIgnored):
		stuck := &Error{
			Message: "the list does not advance: each cursor leads to the first page",
			Status:  http.StatusOK, Method: http.MethodGet, Route: "/submissions", Attempts: 1, Operation: "Submissions.List",
		}
		stuck.probablyWrong("CursorParam")
		return ready, stuck
	case err != nil, got.Failed:
		return ready, got.err
	}
	return ready, nil
}

// itemOf is what a machine knows a submission by.
func itemOf(s *Submission) waiting.Item {
	it := waiting.Item{ID: s.ID, Created: s.CreatedAt, Status: string(s.Status), Ready: s.Report.Ready()}
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

// retryAfter is how long a failed poll asks to wait, within reason: no window is
// longer.
func retryAfter(err error) time.Duration {
	if failure, ok := errors.AsType[*Error](err); ok {
		return min(failure.RetryAfter, longestWindow)
	}
	return 0
}
