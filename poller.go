package hiring

import (
	"context"
	"math"
	"net/http"
	"time"
)

const (
	// slack is how much later than its time an evaluation may show in a listing.
	slack = 2 * time.Minute
	// proof is by how much a time must lie before since to prove anything: the
	// service may round what it is asked.
	proof = time.Minute
	// leftToOthers is the share of each quota window that the waiters do not touch.
	leftToOthers = 0.1
	// ahead is by what share of what is left the waiters may run ahead of an even
	// use of the window before they slow down: a fresh window slows nobody.
	ahead = 0.1
)

// poller makes the calls of a waiter and keeps what their replies tell beside
// the data. All times that it compares are the server's own.
type poller struct {
	submissions *SubmissionService
	pause       interval
	requests    int
	meaning     sinceOn
	newest      time.Time // The latest evaluation seen.
	now         time.Time // The server's clock when it was asked last.
	settled     time.Time // What was evaluated before has come to light by then.
}

func newPoller(s *SubmissionService, shortest, longest time.Duration) (poller, error) {
	pause, err := newInterval(shortest, longest)
	return poller{submissions: s, pause: pause}, err
}

// listing reads a page of what is listed for a filter, from a token on. It sets
// now to a time at which all that the page shows was true already, and settled.
func (p *poller) listing(ctx context.Context, filter SubmissionFilter, token string) (Page[Submission], error) {
	if err := p.ration("Submissions.List"); err != nil {
		return Page[Submission]{}, err
	}
	var reply Response
	asked := time.Now()
	p.requests++
	page, err := p.submissions.List(filter).From(token).Page(WithResponse(ctx, &reply))
	if err != nil {
		return page, err
	}
	arrived := time.Now()
	p.now = serverTime(reply.Header, arrived).Add(asked.Sub(arrived))
	p.meaning = p.meaning.learn(page.Items, p.sent(filter.Since))
	for i := range page.Items {
		if at := evaluatedAt(&page.Items[i]); at.After(p.newest) {
			p.newest = at
		}
	}
	p.settled = p.now
	if p.newest.Before(p.now) { // The clock of the replies may be ahead of the one that evaluations are dated by.
		p.settled = p.newest
	}
	p.settled = p.settled.Add(-slack)
	if p.meaning == sinceIgnored && !filter.Since.IsZero() && endsBefore(page.Items, filter.Since) {
		page.Next = ""
	}
	return page, nil
}

// sent returns since as the service reads it: a layout may leave out its seconds.
func (p *poller) sent(since time.Time) time.Time {
	layout := p.submissions.core.dialect.SinceLayout
	at, err := time.Parse(layout, since.UTC().Format(layout))
	if since.IsZero() || err != nil {
		return time.Time{}
	}
	return at
}

func (p *poller) get(ctx context.Context, id string) (Submission, error) {
	if err := p.ration("Submissions.Get"); err != nil {
		return Submission{}, err
	}
	p.requests++
	return p.submissions.Get(WithResponse(ctx, nil), id)
}

func (p *poller) report(ctx context.Context, id string) (Report, error) {
	if err := p.ration("Submissions.Report"); err != nil {
		return Report{}, err
	}
	p.requests++
	return p.submissions.Report(WithResponse(ctx, nil), id)
}

// left returns how many reads the window still has for a waiter, how many a
// whole one has, and how long this one lasts.
func (p *poller) left() (requests, whole int, ends time.Duration) {
	k := p.submissions.core
	limit, remaining, ends := k.family.left(k.keys.lastUsed().id, http.MethodGet, time.Now())
	others := int(math.Ceil(max(leftToOthers, k.config.reserve) * float64(limit)))
	return remaining - others, limit - others, ends
}

// rate is how many requests a second use up what is left just when the window
// ends. It is never more than that of a whole window.
func (p *poller) rate() float64 {
	requests, whole, ends := p.left()
	return max(0, min(float64(requests)/ends.Seconds(), float64(whole)/window.Seconds()))
}

// pace is the least pause after a round that took so many requests, so that what
// is left lasts until the window ends.
func (p *poller) pace(cost int) time.Duration {
	requests, whole, ends := p.left()
	even := float64(whole) * ends.Seconds() / window.Seconds()
	rate := p.rate()
	if rate == 0 || float64(requests) >= (1-ahead)*even {
		return 0
	}
	return time.Duration(float64(cost) / rate * float64(time.Second))
}

// ration refuses a request that is to be left to others.
func (p *poller) ration(operation string) error {
	requests, _, ends := p.left()
	if requests > 0 {
		return nil
	}
	return &Error{
		Code: ErrRateLimited, Message: "not sent, because what the read quota has left is for others",
		operation: operation, Method: http.MethodGet, RetryAfter: ends + time.Duration(jitter()*float64(p.pause.shortest)/10),
		cause: func() error { return ErrQuotaExhausted },
	}
}

// sinceOn is which of a submission's times the since filter is about. The
// documentation does not say, but what is listed may prove it.
type sinceOn int

const (
	sinceUnknown    sinceOn = iota // Creation for all that is known.
	sinceLater                     // Submission or evaluation.
	sinceEvaluation                // Each listing has all that was evaluated since.
	sinceIgnored                   // None of them: the filter is not heeded, or means something else.
)

// learn looks for proofs in what was listed for a since. What is wrong with an
// assumption only costs requests; so a proof against all three is final.
func (m sinceOn) learn(items []Submission, since time.Time) sinceOn {
	if since.IsZero() {
		return m
	}
	limit := since.Add(-proof)
	before := func(at time.Time) bool { return !at.IsZero() && at.Before(limit) }
	for i := range items {
		s := &items[i]
		switch {
		case before(evaluatedAt(s)):
			return sinceIgnored
		case evaluatedAt(s).IsZero():
		case s.SubmittedAt != nil && before(*s.SubmittedAt) && before(s.CreatedAt): // One of them alone may be wrong.
			m = max(m, sinceEvaluation)
		case before(s.CreatedAt):
			m = max(m, sinceLater)
		}
	}
	return m
}

// evaluatedAt is zero when the service does not tell.
func evaluatedAt(s *Submission) time.Time {
	switch {
	case s.EvaluatedAt != nil:
		return *s.EvaluatedAt
	case s.Report != nil && s.Report.GeneratedAt != nil:
		return *s.Report.GeneratedAt
	}
	return time.Time{}
}

func isEvaluated(s *Submission) bool {
	return s.Status == SubmissionEvaluated || s.Report != nil && s.Report.Ready()
}

// endsBefore: listings are newest first.
func endsBefore(items []Submission, at time.Time) bool {
	return len(items) > 0 && items[len(items)-1].CreatedAt.Before(at)
}

// gradingTime is how long a submission was waiting for its evaluation.
func gradingTime(s *Submission) time.Duration {
	at := evaluatedAt(s)
	if s.SubmittedAt == nil {
		return 0
	}
	return max(0, at.Sub(*s.SubmittedAt))
}
