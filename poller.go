package hiring

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/waiting"
)

// poller polls as a waiting.Machine decides: it sends the requests that the machine wants,
// and turns the responses into facts for the machine. All times in these facts are the
// server's, except LocalTime.
type poller struct {
	pollLoop

	assessment string // Lists only its submissions. "": all.
	machine    *waiting.Machine

	// check returns an error if a response must not reach the machine. Nil: each response may.
	check func(ctx context.Context, action waiting.Action, items int) error

	// Of a wait for known ids, by the ID in lower case.
	spelling map[string]string     // The caller's spelling.
	listed   map[string]Submission // Those whose report alone must be read.
}

// defaultLookback is the default of WatchOptions.Lookback.
const defaultLookback = 30 * 24 * time.Hour

// machineOptions returns the options of a machine with these intervals.
func machineOptions(between interval) waiting.Options {
	seed := rand.Uint64() //nolint:gosec // spreads requests; nothing secret depends on it
	return waiting.Options{Lookback: defaultLookback, Min: between.shortest, Max: between.longest, Seed: seed}
}

// progress returns the progress of the machine. For a watch, Pending counts the
// submissions whose evaluation is expected.
func (p *poller) progress() WaitProgress {
	progress := p.machine.Progress(p.now())
	return WaitProgress{
		Pending: p.machine.Pending(), Missing: len(p.machine.Missing()),
		SinceMeaning: progress.SinceMeaning, AwaitingGrading: progress.Unfinished,
		ReadsLastHour: progress.ReadsLastHour, SlowReason: progress.SlowReason,
	}
}

// The limits of a batch.
const (
	maxBatchPages = 10
	maxBatchReads = 50
)

// sendBatch sends the next requests of the poll of the machine, within the limits of a batch, and passes
// the response to each to take. It returns the time until the next batch: 0 when this one has reached its
// limits and there is more to read. It ends when take returns false, which more reports, and when a
// failed request must not be followed by another one for a while.
func (p *poller) sendBatch(ctx context.Context, take func(*polledPage) bool) (wait time.Duration, more bool, err error) {
	for pages, reads := 0, 0; ; {
		action := p.machine.Next(p.now(), p.budget())
		switch action.Kind {
		case waiting.Wait:
			if err == nil && reads >= maxBatchReads && p.machine.ReadsAreDue() && p.budget().Left > 0 {
				return 0, true, nil
			}
			return action.Until.Sub(p.now()), true, cmp.Or(err, p.ration("Submissions.List"))
		case waiting.List:
			pages++
		default:
			reads++
		}
		if pages > maxBatchPages || reads > maxBatchReads || retryAfter(err) > 0 {
			return 0, true, err
		}
		page := p.fulfil(ctx, action)
		if !take(page) {
			return 0, false, nil
		}
		if err = page.err; err != nil && !IsTransient(err) {
			return p.interval.next(), true, err
		}
	}
}

// polledPage is the response to an action.
type polledPage struct {
	sentAt      time.Time // By the local clock. All that the response shows was true then.
	submissions []Submission
	cursor      string
	decoding    *submissionLeniency // The submissions that cannot be decoded.
	reportErr   error               // Of a single read: why the report cannot be decoded.
	err         error               // Why the request failed. The machine retries transient errors.

	deliver    []Submission // Submissions to deliver.
	unreadable []string     // IDs of submissions that cannot be decoded, each once.
}

// fulfil makes the request of an action and passes the response to the machine.
func (p *poller) fulfil(ctx context.Context, action waiting.Action) *polledPage {
	page := p.request(ctx, action)
	if p.check != nil && (page.err == nil || action.Kind == waiting.Get && errors.Is(page.err, ErrNotFound)) {
		if err := p.check(ctx, action, len(page.submissions)); err != nil {
			page = &polledPage{sentAt: page.sentAt, err: err}
			if !IsTransient(err) {
				return page
			}
		}
	}
	facts := page.facts(action)
	if page.err != nil && !facts.Rejected && !facts.NotFound && !facts.Failed {
		return page
	}
	at := page.sentAt
	if facts.Failed { // The delay begins at the failure: a call may take minutes to fail.
		at = time.Now()
	}
	indexes, err := p.machine.Handle(p.serverTime(at), facts) // The response has set the server's clock.
	for _, index := range indexes {
		s := page.submissions[index]
		if !s.Report.Ready() {
			s.Report = nil
		}
		page.deliver = append(page.deliver, s)
	}
	if page.err == nil {
		page.unreadable = page.decoding.fresh
	}
	switch {
	case errors.Is(err, waiting.ErrCursorIgnored):
		page.err = notAdvancing(&p.listing(action).request, "each cursor leads to the first page: Dialect.CursorParam is probably wrong")
	case err == nil && !facts.Failed:
		page.err = nil // The machine continues without the cursor, the filter or the submission.
	}
	return page
}

// request sends the request of an action.
func (p *poller) request(ctx context.Context, action waiting.Action) *polledPage {
	p.requests++
	id := cmp.Or(p.spelling[action.ID], action.ID)
	page := &polledPage{sentAt: time.Now(), decoding: &submissionLeniency{id: id, machine: p.machine}}
	if action.Kind == waiting.Get {
		p.read(ctx, action.ID, page)
	} else {
		p.list(ctx, action, page)
	}
	return page
}

// list reads a page of the listing.
func (p *poller) list(ctx context.Context, action waiting.Action, page *polledPage) {
	listing := p.listing(action)
	listing.request.leniency = page.decoding
	listed, err := newPager(*listing).From(action.Cursor).Page(ctx)
	page.submissions, page.cursor, page.err = listed.Items, listed.Next, err
}

// listing returns the listing of an action.
func (p *poller) listing(action waiting.Action) *list[Submission] {
	filter := SubmissionFilter{AssessmentID: p.assessment, Status: SubmissionStatus(action.Status), Since: action.Since}
	return (&SubmissionService{p.core}).List(filter).list
}

// read reads a submission. It reads the report with a second request where the
// submission came without it, and only the report when the rest is known.
func (p *poller) read(ctx context.Context, key string, page *polledPage) {
	s, listed := p.listed[key]
	if !listed {
		if s, page.err = p.readSubmission(ctx, page.decoding); page.err != nil {
			return
		}
		page.submissions = []Submission{s}
		if s.Report != nil || s.Status != SubmissionEvaluated || page.decoding.has(s.ID) {
			return
		}
		p.requests++
	}
	report, err := (&SubmissionService{p.core}).Report(ctx, page.decoding.id)
	if isUndecodable(err) {
		page.reportErr, s.Report = err, nil
	} else {
		page.err, s.Report = err, &report
	}
	page.submissions = []Submission{s}
}

// readSubmission reads a submission. Of one that cannot be decoded at all, it returns
// the ID.
func (p *poller) readSubmission(ctx context.Context, decoding *submissionLeniency) (Submission, error) {
	r := newRequest("Submissions.Get", "GET /submissions/{id}", pathID{"id", decoding.id})
	r.leniency = decoding
	s, err := do[Submission](ctx, p.core, r)
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

// facts returns what the machine needs of a response.
func (page *polledPage) facts(action waiting.Action) waiting.Response {
	facts := waiting.Response{
		Cursor:     page.cursor,
		LocalTime:  page.sentAt,
		RetryAfter: retryAfter(page.err),
		Rejected:   errors.Is(page.err, ErrInvalidInput) && (action.Cursor != "" || action.Status != ""),
		NotFound:   errors.Is(page.err, ErrNotFound) && action.Kind == waiting.Get,
		Failed:     IsTransient(page.err),
	}
	for i := range page.submissions {
		it := page.decoding.item(&page.submissions[i])
		it.Ready = it.Ready || page.reportErr != nil // A report that cannot be decoded is not awaited.
		facts.Items = append(facts.Items, it)
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
