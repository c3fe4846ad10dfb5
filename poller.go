package hiring

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/quota"
	"github.com/hiring-assessment/hiring-go/internal/waiting"
)

// leftToOthers is the share of each rate-limit window that polling leaves to other users
// of the key.
const leftToOthers = 0.1

// poller sends the requests that a waiting.Machine wants, and turns the responses into
// facts for the machine. All times in these facts are the server's, except LocalTime.
type poller struct {
	submissions *SubmissionService
	assessment  string // Lists only its submissions. "": all.
	interval    interval
	requests    int // Made so far, also those that the rate limit refused.

	// check is called after each successful response with its number of items. Nil: not
	// called.
	check func(ctx context.Context, action waiting.Action, items int) error

	// isNew reports whether to warn of a submission that cannot be decoded. warned is
	// called when that was done, which is only after the last attempt.
	isNew  func(s *Submission, named bool) bool
	warned func(bad *badSubmission)

	// withoutReport holds the evaluated submissions that a listing showed without their
	// report, by ID in lower case, so that only the report is read. Nil for a watch, which
	// needs the current submission.
	withoutReport map[string]Submission
}

// now returns the server's time.
func (p *poller) now() time.Time { return p.serverTime(time.Now()) }

// serverTime returns the server's time at a local time.
func (p *poller) serverTime(local time.Time) time.Time {
	return p.submissions.core.shared.pollClock.Server(local)
}

// budget returns the reads that the rate limit leaves to polling.
func (p *poller) budget() waiting.Budget {
	k := p.submissions.core
	limit, remaining, ends := k.shared.quotas.Left(k.keys.lastUsed().id, quota.Read, time.Now())
	others := int(math.Ceil(max(leftToOthers, k.config.reserveShare) * float64(limit)))
	return waiting.Budget{Left: remaining - others, Whole: limit - others, Ends: ends}
}

// ration returns an error when the remaining requests are reserved for other users of the key.
func (p *poller) ration(operation string) error {
	b := p.budget()
	if b.Left > 0 {
		return nil
	}
	return &Error{
		Code: ErrRateLimited, Message: "not sent, because the remaining requests are reserved for other users of the key",
		Operation: operation, Method: http.MethodGet, RetryAfter: b.Ends + time.Duration(jitter()*float64(p.interval.shortest)/10),
		cause: func() error { return ErrQuotaExhausted },
	}
}

// fulfilled is the result of an action of a machine.
type fulfilled struct {
	deliver    []Submission // Submissions to deliver.
	unreadable []string     // IDs of submissions that cannot be decoded, if isNew accepted them.
	reportErr  error        // Why the report of the submission that was read singly cannot be decoded.
}

// fulfil makes the request of an action and passes the response to the machine. It
// returns transient errors too, which the machine retries.
func (p *poller) fulfil(ctx context.Context, m *waiting.Machine, action waiting.Action) (fulfilled, error) {
	got := p.request(ctx, action)
	facts := p.facts(&got, action)
	if got.err == nil && p.check != nil {
		if got.err = p.check(ctx, action, len(got.submissions)); got.err != nil {
			// It says nothing about the request, such as that its filter was rejected.
			facts = waiting.Response{LocalTime: got.sentAt, RetryAfter: retryAfter(got.err), Failed: IsTransient(got.err)}
		}
	}
	if got.err != nil && !facts.Rejected && !facts.NotFound && !facts.Failed {
		return fulfilled{}, got.err
	}
	indexes, err := m.Handle(p.serverTime(got.sentAt), facts) // The response has set the server's clock.
	result := fulfilled{deliver: make([]Submission, len(indexes)), reportErr: got.reportErr}
	for i, index := range indexes {
		result.deliver[i] = got.submissions[index]
		if !result.deliver[i].Report.Ready() {
			result.deliver[i].Report = nil
		}
	}
	if got.err == nil {
		result.unreadable = got.decoding.fresh
		for _, id := range result.unreadable {
			p.warned(got.decoding.find(id))
		}
	}
	switch {
	case errors.Is(err, waiting.ErrCursorIgnored):
		return result, errCursorIgnored()
	case err != nil, facts.Failed:
		return result, got.err
	}
	return result, nil
}

func errCursorIgnored() error {
	err := &Error{
		Message: "the list does not advance: each cursor leads to the first page",
		Status:  http.StatusOK, Method: http.MethodGet, Route: "/submissions", Attempts: 1, Operation: "Submissions.List",
	}
	err.probablyWrong("CursorParam")
	return err
}

// polledPage is the response to an action.
type polledPage struct {
	sentAt      time.Time // By the local clock. All that the response shows was true then.
	submissions []Submission
	cursor      string
	decoding    *submissionLeniency // The submissions that cannot be decoded.
	reportErr   error               // Of a single read: why the report cannot be decoded.
	err         error
}

// request sends the request of an action.
func (p *poller) request(ctx context.Context, action waiting.Action) polledPage {
	got := polledPage{sentAt: time.Now(), decoding: &submissionLeniency{id: action.ID, isNew: p.isNew}}
	p.requests++
	if action.Kind == waiting.Get {
		p.read(ctx, action.ID, &got)
	} else {
		p.list(ctx, action, &got)
	}
	return got
}

// list reads a page of the listing.
func (p *poller) list(ctx context.Context, action waiting.Action, got *polledPage) {
	filter := SubmissionFilter{AssessmentID: p.assessment, Status: SubmissionStatus(action.Status), Since: action.Since}
	listing := p.submissions.List(filter)
	listing.list.request.leniency = got.decoding
	page, err := listing.From(action.Cursor).Page(ctx)
	got.submissions, got.cursor, got.err = page.Items, page.Next, err
}

// read reads a submission. It reads the report with a second request where the
// submission came without it, and only the report when a listing showed the rest.
func (p *poller) read(ctx context.Context, id string, got *polledPage) {
	s, listed := p.withoutReport[strings.ToLower(id)]
	if !listed {
		s, got.err = p.readSubmission(ctx, id, got.decoding)
		if got.err != nil {
			return
		}
		undecoded := got.decoding.find(s.ID) != nil
		watching := p.withoutReport == nil
		if undecoded && watching || !undecoded && (s.Report != nil || s.Status != SubmissionEvaluated) {
			got.submissions = []Submission{s}
			return
		}
		p.requests++
	}
	report, err := p.submissions.Report(ctx, id)
	switch {
	case isUndecodable(err):
		got.reportErr, s.Report = err, nil
	default:
		got.err, s.Report = err, &report
	}
	got.submissions = []Submission{s}
}

// readSubmission reads a submission. Of one that cannot be decoded at all, it returns
// the ID.
func (p *poller) readSubmission(ctx context.Context, id string, decoding *submissionLeniency) (Submission, error) {
	r := newRequest("Submissions.Get", "GET /submissions/{id}", pathID{"id", id})
	r.leniency = decoding
	s, err := do[Submission](ctx, p.submissions.core, r)
	if !isUndecodable(err) {
		return s, err
	}
	s = Submission{}
	decoding.begin()
	decoding.add(&s, "", "")
	return s, nil
}

// isUndecodable reports whether err is of an API response that cannot be decoded.
func isUndecodable(err error) bool {
	failure, ok := errors.AsType[*Error](err)
	return ok && failure.invalidBody
}

// facts returns what the machine needs of a response. A wait for reports needs nothing
// else of a submission that cannot be decoded: it counts as evaluated without a report,
// so that its report is read singly.
func (p *poller) facts(got *polledPage, action waiting.Action) waiting.Response {
	facts := waiting.Response{
		Cursor:     got.cursor,
		LocalTime:  got.sentAt,
		RetryAfter: retryAfter(got.err),
		Rejected:   errors.Is(got.err, ErrInvalidInput) && (action.Cursor != "" || action.Status != ""),
		NotFound:   errors.Is(got.err, ErrNotFound) && action.Kind == waiting.Get,
		Failed:     IsTransient(got.err),
	}
	waitsForReports := p.withoutReport != nil
	for i := range got.submissions {
		s := &got.submissions[i]
		it := itemOf(s)
		it.Ready = it.Ready || got.reportErr != nil // A report that cannot be decoded is not awaited.
		if bad := got.decoding.find(s.ID); bad != nil {
			it.Unreadable = !waitsForReports || !bad.named
			switch {
			case !bad.named:
				it.ID = ""
			case waitsForReports:
				it.Status = waiting.Evaluated
			}
		}
		facts.Items = append(facts.Items, it)
		if waitsForReports && it.Status == waiting.Evaluated && !it.Ready {
			p.withoutReport[strings.ToLower(it.ID)] = *s
		}
	}
	return facts
}

// itemOf returns the facts of a submission.
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

// defaultLookback is the default of WatchOptions.Lookback.
const defaultLookback = 30 * 24 * time.Hour

// options returns the options of a machine with the poller's intervals.
func (p *poller) options() waiting.Options {
	seed := rand.Uint64() //nolint:gosec // spreads requests; nothing secret depends on it
	return waiting.Options{Lookback: defaultLookback, Min: p.interval.shortest, Max: p.interval.longest, Seed: seed}
}

// sleep sleeps for an interval after a poll, longer if last or the rate limit requires
// it. It ends at once when the context would end before the next window. When the
// context ends, the error has last as well.
func (p *poller) sleep(ctx context.Context, wait time.Duration, last error) error {
	if last == nil {
		last = p.ration("Submissions.List")
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

// retryAfter returns how long to wait after a failed poll, a window at most.
func retryAfter(err error) time.Duration {
	if failure, ok := errors.AsType[*Error](err); ok {
		return min(failure.RetryAfter, quota.Longest)
	}
	return 0
}
