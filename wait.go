package hiring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/poll"
)

// WaitOptions configures WaitReport and WaitReports. A zero field means the default.
type WaitOptions struct {
	MinInterval time.Duration // The shortest interval between two polls: 30 s.
	MaxInterval time.Duration // The longest, unless the rate limit requires a longer one: 60 s. The interval is random between both.

	AssessmentID string    // The assessment of all submissions. Shortens the listings.
	Since        time.Time // At or before the creation of the oldest submission: 30 days ago. A later time shortens the listings.

	Progress func(WaitProgress) // Called after each poll, in the goroutine of the call. Nil: not called.
}

// WaitProgress is the state of a wait or a watch after a poll.
type WaitProgress struct {
	Total, Ready int // Submissions that are waited for or were found, and those that were yielded.
	Pending      int // Of a wait: not ready. Of a watch: evaluated without a ready report.
	Missing      int // The API responds with 404.

	Requests      int       // Calls made so far, without retries.
	ReadsLastHour int       // An estimate of the requests of the last hour.
	NextPoll      time.Time // Zero when there is none.
}

// WaitError lists the submissions that had no report when a wait ended.
type WaitError struct {
	Missing []string // The API responds with 404.
	Pending []string // Not ready when the wait ended.
	Err     error    // Why the wait ended: ErrNotFound if missing ids are the only problem.
}

// Error returns one line: why the wait ended, how many reports are pending and missing, and the ids of the first ten of
// each.
func (e *WaitError) Error() string {
	line := "hiring: the wait ended"
	pending, missing := amounts(e.Pending, "report", "pending"), amounts(e.Missing, "submission", "missing")
	if pending != "" && missing != "" {
		pending += " and "
	}
	if pending+missing != "" {
		line += " with " + pending + missing
	}
	if e.Err == nil {
		return line
	}
	return line + ": " + strings.TrimPrefix(e.Err.Error(), "hiring: ")
}

// Unwrap returns Err.
func (e *WaitError) Unwrap() error { return e.Err }

// WaitReport waits until the report of a submission is ready, and returns it. It is WaitReports for one id: it returns
// the [*WaitError] or [*ItemError] that WaitReports yields. A 404 ends the wait with [ErrNotFound].
//
// Call it only for a submission that awaits its report. Scope read; costs one read a poll, 60 to 120 an hour.
func (s *SubmissionService) WaitReport(ctx context.Context, id string, o WaitOptions) (report Report, err error) {
	const operation = "Submissions.WaitReport"
	err = s.use().composed(ctx, operation, func(ctx context.Context) error {
		if isBadSegment(id) {
			_, badInterval := newInterval(o.MinInterval, o.MaxInterval)
			return joinParams(badInterval, newRequest(operation, "GET /submissions/{id}", pathID{"id", id}).err)
		}
		var failure error
		err := s.waitReports(ctx, operation, []string{id}, o, func(r Report, err error) bool {
			report, failure = r, err
			return true
		})
		return cmp.Or(failure, err)
	})
	return report, err
}

// WaitReports waits for the reports of many submissions and yields each once, when it is ready. It reads listings of
// up to a hundred submissions instead of each report. Ids may be given in any order.
//
//   - Polls are 30 to 60 s apart. Each id is confirmed by a listing or a single read within six hours.
//   - WaitReports leaves a tenth of each rate-limit window to others, or the share of [WithQuotaReserve].
//   - It retries 429, 5xx and connection errors, and waits for the next rate-limit window regardless of
//     RetryPolicy.MaxWait. It ends at once when the context's deadline comes before the end of the window.
//   - A submission that cannot be decoded is yielded as an [*ItemError], and is not awaited any more. The wait
//     continues if the loop does.
//   - A [*WaitError] comes last when the context ends, after any other error, and when ids are missing.
//
// Scope read; costs a few reads a poll: about 140 an hour for 100 ids and 440 for 1,000.
func (s *SubmissionService) WaitReports(ctx context.Context, ids []string, o WaitOptions) iter.Seq2[Report, error] {
	ids = slices.Clone(ids)
	return iterate(ctx, (*service)(s), "Submissions.WaitReports", func(ctx context.Context, yield func(Report, error) bool) error {
		return s.waitReports(ctx, "Submissions.WaitReports", ids, o, yield)
	})
}

func (s *SubmissionService) waitReports(ctx context.Context, operation string, ids []string, o WaitOptions, yield func(Report, error) bool) error {
	between, err := newInterval(o.MinInterval, o.MaxInterval)
	if err = joinParams(err, checkIDs(ids)); err != nil || len(ids) == 0 {
		return err
	}
	w := &poller{
		pollLoop: pollLoop{core: s.core, operation: operation, interval: between, report: o.Progress},
		filter:   SubmissionFilter{AssessmentID: o.AssessmentID}, spelling: make(map[string]string, len(ids)),
		delivered: func() error { return nil },
	}
	var keys []string
	for _, id := range ids {
		if key := strings.ToLower(id); w.spelling[key] == "" {
			w.spelling[key], keys = id, append(keys, key)
		}
	}
	now, lookback := w.now(), defaultLookback
	if !o.Since.IsZero() {
		lookback = max(time.Hour, now-pollTime(o.Since))
	}
	w.machine = poll.New(between.options(lookback), now, keys)
	err = w.run(ctx, w.progress, func(ctx context.Context) (time.Duration, bool, error) {
		wait, err := w.poll(ctx, func(s Submission, err error) error {
			report := Report{}
			if s.Report != nil {
				report = *s.Report
			}
			if report.SubmissionID == "" { // A report inside a submission has no id of its own.
				report.SubmissionID = s.ID
			}
			if !yield(report, err) {
				return errLeft
			}
			return nil
		})
		return wait, len(w.machine.Known) > 0, err
	})
	if err == nil && len(w.machine.Missing) > 0 {
		err = ErrNotFound
	}
	if err == nil {
		return nil
	}
	e := &WaitError{Err: err}
	for _, key := range keys {
		if w.machine.Known[key] {
			e.Pending = append(e.Pending, w.spelling[key])
		} else if slices.Contains(w.machine.Missing, key) {
			e.Missing = append(e.Missing, w.spelling[key])
		}
	}
	return e
}

// checkIDs returns one error for all ids that cannot be part of a path.
func checkIDs(ids []string) error {
	first := slices.IndexFunc(ids, isBadSegment)
	if first < 0 {
		return nil
	}
	bad := len(ids) - len(slices.DeleteFunc(slices.Clone(ids), isBadSegment))
	problem := fmt.Sprintf(`%d of %d are empty, "." or "..", the first of them at index %d`, bad, len(ids), first)
	return &ParamError{Param: "ids", Problem: problem, wire: "id"}
}

// interval is the range of the random interval between two polls.
type interval struct{ shortest, longest time.Duration }

func newInterval(shortest, longest time.Duration) (interval, error) {
	if err := joinParams(checkUnit("MinInterval", shortest), checkUnit("MaxInterval", longest)); err != nil {
		return interval{}, err
	}
	if shortest < 0 || longest < 0 {
		return interval{}, &ParamError{Param: "MinInterval, MaxInterval", Problem: "must not be negative"}
	}
	shortest = cmp.Or(shortest, min(30*time.Second, cmp.Or(longest, 30*time.Second)))
	longest = cmp.Or(longest, max(60*time.Second, shortest))
	if longest < shortest {
		return interval{}, &ParamError{Param: "MaxInterval", Problem: "must not be shorter than MinInterval"}
	}
	return interval{shortest, longest}, nil
}

// beyond returns a random part of the time by which an interval may exceed the shortest.
func (i interval) beyond() time.Duration {
	return rand.N(i.longest - i.shortest + 1) //nolint:gosec // spreads requests; nothing secret depends on it
}

// options returns the options of a machine that polls in these intervals.
func (i interval) options(lookback time.Duration) poll.Options {
	return poll.Options{Interval: i.shortest + (i.longest-i.shortest)/2, ShortestPause: i.shortest, Lookback: lookback}
}

// defaultLookback is the default of WatchOptions.Lookback.
const defaultLookback = 30 * 24 * time.Hour

// pollLoop is the loop of WaitReports, Watch and Tail. Each of them passes its own step.
type pollLoop struct {
	core      *core
	operation string // The method that polls.
	pending   string // What is unfinished when the context ends, for the error.
	interval  interval
	requests  int                // Made so far.
	report    func(WaitProgress) // Called after each poll. Nil: not called.
}

// run calls step until no poll follows. step polls once and returns the time until the next poll. After a transient
// error run waits 1, 2, 4 ... 60 s, or for Retry-After. It returns any other error.
func (l *pollLoop) run(ctx context.Context, progress func() WaitProgress, step func(context.Context) (wait time.Duration, more bool, err error)) error {
	for failures := 0; ; {
		wait, more, err := step(ctx)
		if ended := ctx.Err(); ended != nil && err != nil {
			return l.ended(join(ctx, err))
		}
		switch {
		case err == nil:
			failures = 0
		case !IsTransient(err):
			return err
		case !errors.Is(err, ErrRateLimited):
			wait = max(wait, min(time.Minute, time.Second<<min(failures, 6)))
			failures++
		}
		if !more {
			l.reportProgress(progress(), time.Time{})
			return nil
		}
		least := retryAfter(err)
		wait = max(wait, least)
		l.reportProgress(progress(), time.Now().Add(wait))
		if err = sleepAfter(ctx, wait, least, err); err != nil {
			return l.ended(err)
		}
	}
}

// ended returns the error at the end of the context. It names the method, because a request in flight names another.
func (l *pollLoop) ended(err error) error {
	return &describedError{"hiring: " + l.operation + ": " + l.pending + strings.TrimPrefix(err.Error(), "hiring: "), []error{err}}
}

// reportProgress passes the progress after a poll to the caller, and returns it. next is the time of the next poll,
// zero when there is none.
func (l *pollLoop) reportProgress(progress WaitProgress, next time.Time) WaitProgress {
	progress.Requests, progress.NextPoll = l.requests, next
	if l.report != nil {
		l.report(progress)
	}
	return progress
}

// leftToOthers is the share of each rate-limit window that polling leaves to other users of the key.
const leftToOthers = 0.1

// readsLeft returns the reads that the rate limit leaves to polling in this window, and when the window ends.
func (l *pollLoop) readsLeft() (left, limit int, resetIn time.Duration) {
	left, limit, resetIn = l.core.readsLeft(time.Now())
	others := int(math.Ceil(max(leftToOthers, l.core.config.reserveShare) * float64(limit)))
	return left - others, max(1, limit-others), resetIn
}

// usedUp returns the error of a poll that waits for the end of the window.
func (l *pollLoop) usedUp(wait time.Duration) *Error {
	e := &Error{
		Code: ErrRateLimited, Message: "not sent, because the remaining requests are reserved for other users of the key",
		Operation: l.operation, Method: http.MethodGet, RetryAfter: wait,
	}
	e.causedBy(ErrQuotaExhausted)
	return e
}

// now returns the server's time.
func (l *pollLoop) now() poll.Time { return pollTime(l.core.shared.clock.at(time.Now())) }

// pollTime returns a time as package poll represents it. A time that cannot be represented is none.
func pollTime(at time.Time) poll.Time {
	if year := at.Year(); year < 1970 || year > 2250 {
		return 0
	}
	return poll.Time(at.UnixNano())
}

// poller sends the requests of a machine and yields the results.
type poller struct {
	pollLoop

	filter    SubmissionFilter
	machine   *poll.Machine
	spelling  map[string]string                         // Of a wait, the caller's spelling of each id in lower case. Nil for a watch.
	check     func(ctx context.Context, r answer) error // Checks a response before the machine gets it. Nil: not called.
	delivered func() error                              // Called when a result was delivered.

	ready, late int // Results that were yielded; reports that were late at the last poll.
}

// maxRequests is the number of requests after which a poll is interrupted.
const maxRequests = 100

// errLeft is returned by take when the caller left the range.
var errLeft = errors.New("the range was left")

// poll sends requests until the machine is to wait, and passes each result to take. A result counts as delivered when
// take returns nil. poll returns the time until the next poll, 0 if it was interrupted after maxRequests.
func (p *poller) poll(ctx context.Context, take func(Submission, error) error) (wait time.Duration, err error) {
	defer p.logLate(ctx)
	for range maxRequests {
		request, until := p.machine.Next(p.now())
		if until > 0 {
			wait = max(until-p.now(), 0)
			if p.machine.WindowUsedUp() && err == nil {
				err = p.usedUp(wait)
			}
			return wait + p.interval.beyond(), err
		}
		var r answer
		if r, err = p.send(ctx, request); err != nil {
			return 0, err
		}
		for _, item := range p.machine.Got(r.reply) {
			if err := p.deliver(item, r.raw[item.ID], take); err != nil {
				return 0, err
			}
		}
		err = r.refused
	}
	return 0, nil
}

// deliver passes a result to take. A submission that cannot be decoded counts as delivered before, so that a loop that
// ends on each error does not receive it again.
func (p *poller) deliver(item poll.Item, raw RawValue, take func(Submission, error) error) error {
	s, failure := decodeSubmission(item.ID, raw)
	if failure == nil {
		if err := take(s, nil); err != nil {
			return err
		}
	}
	p.machine.Delivered(item)
	p.ready++
	if err := p.delivered(); err != nil || failure == nil {
		return err
	}
	return take(s, failure)
}

// answer is the response to a request of the machine.
type answer struct {
	reply   poll.Reply
	raw     map[string]RawValue // The submissions by id.
	refused error               // The error of a 429.
}

// send sends a request of the machine. It returns an error if the machine must not get the response.
func (p *poller) send(ctx context.Context, request poll.Request) (r answer, err error) {
	p.requests++
	items, single := make([]RawValue, 1), request.ID != ""
	if single {
		id := request.ID
		if spelling, ok := p.spelling[id]; ok {
			id = spelling
		}
		items[0], err = doRaw(ctx, p.core, newRequest("Submissions.Get", "GET /submissions/{id}", pathID{"id", id}))
	} else {
		var page Page[RawValue]
		page, err = p.listing(request).From(request.Cursor).Page(ctx)
		items, r.reply.Next = page.Items, page.Next
	}
	left, limit, resetIn := p.readsLeft()
	r.reply.At, r.reply.Left, r.reply.Limit = p.now(), left, limit
	r.reply.Reset = r.reply.At + resetIn
	unfinished := request.Status != "" && request.Status != string(SubmissionEvaluated)
	switch {
	case err == nil:
		r.reply.Code = http.StatusOK
	case single && errors.Is(err, ErrNotFound):
		r.reply.Code = http.StatusNotFound
	case errors.Is(err, ErrRateLimited):
		r.reply.Code, r.refused = http.StatusTooManyRequests, err
		r.reply.Reset = r.reply.At + retryAfter(err)
		return r, nil
	case errors.Is(err, ErrInvalidInput):
		if r.reply.Code = http.StatusBadRequest; !unfinished {
			p.machine.Got(r.reply) // A rejected cursor must not be in the state that is saved.
			return r, err
		}
	default:
		return r, err
	}
	if err != nil {
		items = nil
	}
	r.raw = make(map[string]RawValue, len(items))
	for _, raw := range items {
		item := looseItem(raw)
		switch {
		case single:
			item.ID = request.ID
		case p.spelling != nil:
			item.ID = strings.ToLower(item.ID)
		}
		if item.ID == "" {
			p.core.warn(ctx, "hiring: a submission without a readable id was skipped", "operation", p.operation)
			continue
		}
		r.raw[item.ID] = raw
		r.reply.Items = append(r.reply.Items, item)
	}
	if p.check != nil {
		return r, p.check(ctx, r)
	}
	return r, nil
}

// listing returns the listing of a request as undecoded submissions.
func (p *poller) listing(request poll.Request) Pager[RawValue] {
	filter := p.filter
	if filter.Status = SubmissionStatus(request.Status); request.Since > 0 {
		filter.Since = time.Unix(0, int64(request.Since)).UTC()
	}
	typed := (&SubmissionService{p.core}).List(filter).list
	return newPager(list[RawValue]{List: typed.List, core: typed.core, request: typed.request})
}

// progress returns the progress of the machine.
func (p *poller) progress() WaitProgress {
	w := WaitProgress{Ready: p.ready, Pending: len(p.machine.Known), Missing: len(p.machine.Missing), ReadsLastHour: p.machine.ReadsLastHour()}
	if p.machine.Known == nil {
		w.Pending = p.machine.Late(0)
	}
	w.Total = w.Ready + w.Pending + w.Missing
	return w
}

// logLate logs when another report has been late for an hour.
func (p *poller) logLate(ctx context.Context) {
	late := p.machine.Late(time.Hour)
	if late > p.late {
		p.core.warn(ctx, "hiring: evaluated submissions have had no ready report for an hour", "operation", p.operation, "submissions", late)
	}
	p.late = late
}

// iterate returns an iterator over the results that run passes to yield. It yields the error of run last.
func iterate[T any](ctx context.Context, s *service, operation string, run func(ctx context.Context, yield func(T, error) bool) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		left := false
		err := s.use().composed(ctx, operation, func(ctx context.Context) error {
			err := run(ctx, func(item T, err error) bool {
				left = !yield(item, err)
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

// retryAfter returns how long to wait after a failed poll, a window at most.
func retryAfter(err error) time.Duration {
	if failure, ok := errors.AsType[*Error](err); ok {
		return min(failure.RetryAfter, time.Hour)
	}
	return 0
}

// sleepAfter sleeps until the next poll. It returns immediately if the context ends before least has passed, because
// the next poll must not begin earlier. When the context ends, the error has last as well.
func sleepAfter(ctx context.Context, wait, least time.Duration, last error) error {
	ended := context.DeadlineExceeded
	if !outlasts(ctx, least) {
		ended = sleep(ctx, wait, PausePoll)
	}
	if ended != nil && last != nil {
		return joinEnded(ended, last)
	}
	return ended
}
