package hiring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/limits"
	"github.com/hiring-assessment/hiring-go/internal/waiting"
)

// WaitOptions configures WaitReport and WaitReports. A zero field means the default.
type WaitOptions struct {
	MinInterval time.Duration // The shortest interval between two polls: 30 s.
	MaxInterval time.Duration // The longest, unless the rate limit requires a longer one: 60 s. The interval is random between both.

	AssessmentID string    // Of WaitReports: the assessment of all submissions. Shortens the listings.
	Since        time.Time // Of WaitReports: at or before the creation of the oldest. Zero: determined by one pass through the listing.

	Progress func(WaitProgress) // Called after each poll, in the goroutine of the call. Nil: not called.
}

// WaitProgress is the state of a wait after a poll.
type WaitProgress struct {
	Total, Ready, Pending, Missing int       // Submissions; Missing: the API responds with 404.
	Requests                       int       // Calls made so far.
	NextPoll                       time.Time // Zero when there is none.

	SinceMeaning    string // What the listing's since filters on: "evaluation", "submission" or "other"; "" while unknown.
	AwaitingGrading int    // Known submissions whose evaluation is awaited.
	ReadsLastHour   int    // An estimate.
	SlowReason      string // Why the wait is slow; "" when it is not.
}

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

// WaitReport polls a submission until its report is ready, and returns the report.
// It polls every 30 to 60 s, unless WaitOptions says otherwise.
//
// It retries 429, 5xx and connection errors, and waits for the next rate-limit
// window regardless of RetryPolicy.MaxWait. Any other error ends the wait. When the
// context ends, the error is a [*WaitError] that holds the context's error and the
// last failure.
//
// Call it only for a submission that awaits its report. Scope read; costs one read a
// poll, 60 to 120 an hour.
func (s *SubmissionService) WaitReport(ctx context.Context, id string, o WaitOptions) (report Report, err error) {
	err = s.use().composed(ctx, "Submissions.WaitReport", func(ctx context.Context) error {
		report, err = s.waitReport(ctx, id, o)
		return err
	})
	return report, err
}

func (s *SubmissionService) waitReport(ctx context.Context, id string, o WaitOptions) (Report, error) {
	pause, err := newInterval(o.MinInterval, o.MaxInterval)
	if err = joinParams(err, newRequest("Submissions.WaitReport", "GET /submissions/{id}/report", pathID{"id", id}).err); err != nil {
		return Report{}, err
	}
	progress := WaitProgress{Total: 1, Pending: 1}
	ended := func(err error) error {
		return &WaitError{Pending: []string{id}, Err: namedEnd("Submissions.WaitReport", err)}
	}
	for {
		report, err := s.Report(ctx, id)
		progress.Requests++
		if err == nil && report.Ready() {
			progress.Ready, progress.Pending, progress.NextPoll = 1, 0, time.Time{}
			o.report(progress)
			return report, nil
		}
		switch {
		case err != nil && errors.Is(err, ctx.Err()):
			return Report{}, ended(err)
		case err != nil && !IsTransient(err):
			return Report{}, err
		}
		wait := max(pause.next(), retryAfter(err))
		if outlasts(ctx, retryAfter(err)) {
			return Report{}, ended(&endedError{context.DeadlineExceeded, err})
		}
		progress.NextPoll = time.Now().Add(wait)
		o.report(progress)
		if ctxErr := sleep(ctx, wait, PausePoll); ctxErr != nil {
			if err != nil {
				ctxErr = &endedError{ctxErr, err}
			}
			return Report{}, ended(ctxErr)
		}
	}
}

// WaitError lists the submissions that had no report when a wait ended.
type WaitError struct {
	Missing    []string // The API responds with 404.
	Unreadable []string // Their reports cannot be decoded.
	Pending    []string // Not evaluated when the wait ended.

	// Err is why the wait ended. If only missing or undecodable reports remain, it is the
	// error of the first undecodable report, or ErrNotFound without one.
	Err error
}

// Error returns one line: why the wait ended, and how many reports are pending, missing
// and unreadable.
func (e *WaitError) Error() string {
	line := "hiring: the wait ended"
	if amounts := limits.Amounts(limits.Amount{N: len(e.Pending), What: "report", State: "pending"},
		limits.Amount{N: len(e.Missing), What: "submission", State: "missing"},
		limits.Amount{N: len(e.Unreadable), What: "report", State: "unreadable"}); amounts != "" {
		line += " with " + amounts
	}
	if e.Err == nil {
		return line
	}
	return line + ": " + strings.TrimPrefix(e.Err.Error(), "hiring: ")
}

// Unwrap returns Err.
func (e *WaitError) Unwrap() error { return e.Err }

func (o WaitOptions) report(p WaitProgress) {
	if o.Progress != nil {
		o.Progress(p)
	}
}

// progressOf returns the progress of a machine. For a watch, Pending counts the
// submissions whose evaluation is expected.
func (p *poller) progressOf(m *waiting.Machine, next time.Time) WaitProgress {
	progress := m.Progress(p.now())
	return WaitProgress{
		Pending: m.Pending(), Missing: len(m.Missing()), Requests: p.requests, NextPoll: next,
		SinceMeaning: progress.SinceMeaning, AwaitingGrading: progress.Unfinished,
		ReadsLastHour: progress.ReadsLastHour, SlowReason: progress.SlowReason,
	}
}

// WaitReports waits for the reports of many submissions and yields each once, when
// it is ready. It reads listings of up to a hundred submissions instead of each
// report. Ids may be given in any order.
//
//   - Polls are 30 to 60 s apart. After a day without a report they become rarer, up to
//     15 minutes apart, unless MaxInterval is set. WaitReports leaves a tenth of each
//     rate-limit window to others.
//   - Each id is confirmed within an hour, by a listing or a single read, as far as the
//     rate limit allows. A deleted id is reported as missing.
//   - A submission that cannot be decoded does not delay the others.
//   - WaitReports retries 429, 5xx and connection errors.
//
// A [*WaitError] comes last when the context ends, after any other error, and when
// ids are missing or reports cannot be decoded. Scope read; costs a few reads a poll.
func (s *SubmissionService) WaitReports(ctx context.Context, ids []string, o WaitOptions) iter.Seq2[Report, error] {
	ids = slices.Clone(ids)
	return func(yield func(Report, error) bool) {
		err := s.use().composed(ctx, "Submissions.WaitReports", func(ctx context.Context) error {
			pause, err := newInterval(o.MinInterval, o.MaxInterval)
			if err = joinParams(err, checkIDs(ids)); err != nil {
				return err
			}
			return newWaiter(s, o, pause, ids, yield).run(ctx)
		})
		if err != nil {
			yield(Report{}, err)
		}
	}
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

// waiter is one range over WaitReports.
type waiter struct {
	poller

	options    WaitOptions
	yield      func(Report, error) bool
	machine    *waiting.Machine
	order      []string          // The ids, once each.
	names      map[string]string // The caller's spelling of each id, by the id in lower case.
	ready      int
	unreadable []string        // IDs whose reports cannot be decoded.
	readError  error           // Why the first of these reports cannot be decoded.
	warnedOf   map[string]bool // IDs of submissions that were warned of, in lower case.
}

func newWaiter(s *SubmissionService, o WaitOptions, pause interval, ids []string, yield func(Report, error) bool) *waiter {
	w := &waiter{
		poller:   poller{submissions: s, assessment: o.AssessmentID, interval: pause, withoutReport: make(map[string]Submission)},
		options:  o,
		yield:    yield,
		names:    make(map[string]string, len(ids)),
		warnedOf: make(map[string]bool),
	}
	w.isNew = w.warns
	w.warned = func(bad *badSubmission) { w.warnedOf[strings.ToLower(bad.id)] = true }
	for _, id := range ids {
		if name := strings.ToLower(id); w.names[name] == "" {
			w.names[name] = id
			w.order = append(w.order, id)
		}
	}
	options := w.poller.options()
	options.Known, options.Start, options.Patient = append([]string{}, w.order...), o.Since, o.MaxInterval == 0
	w.machine = waiting.New(options)
	return w
}

// warns reports whether to warn of a submission that cannot be decoded: once for each
// submission that is awaited or may be.
func (w *waiter) warns(s *Submission, named bool) bool {
	id := strings.ToLower(s.ID)
	return (!named || w.machine.IsPending(id)) && !w.warnedOf[id]
}

// run polls until no report is pending. It returns nil when the range was left.
func (w *waiter) run(ctx context.Context) error {
	var last error
	for w.machine.Pending() > 0 {
		action := w.machine.Next(w.now(), w.budget())
		if action.Kind == waiting.Wait {
			wait := action.Until.Sub(w.now())
			w.reportProgress(time.Now().Add(wait))
			if ended := w.sleep(ctx, wait, last); ended != nil {
				return w.end(namedEnd("Submissions.WaitReports", ended))
			}
			last = nil
			continue
		}
		action.ID = w.names[action.ID]
		result, err := w.fulfil(ctx, w.machine, action)
		for i := range result.deliver {
			if !w.deliver(&result.deliver[i], result.reportErr) {
				return nil
			}
		}
		if err != nil && !IsTransient(err) {
			return w.end(namedEnd("Submissions.WaitReports", err))
		}
		last = cmp.Or(err, last)
	}
	w.reportProgress(time.Time{})
	switch {
	case w.readError != nil:
		return w.end(w.readError)
	case len(w.machine.Missing()) > 0:
		return w.end(ErrNotFound)
	}
	return nil
}

// deliver yields the report of a submission, or records that it cannot be decoded. It
// reports whether the range continues.
func (w *waiter) deliver(s *Submission, reportErr error) bool {
	id := strings.ToLower(s.ID)
	delete(w.withoutReport, id)
	if s.Report == nil {
		w.unreadable = append(w.unreadable, w.names[id])
		w.readError = cmp.Or(w.readError, reportErr)
		return true
	}
	report := *s.Report
	if report.SubmissionID == "" { // A report inside a submission has no id of its own.
		report.SubmissionID = s.ID
	}
	w.ready++
	return w.yield(report, nil)
}

// end returns the error that comes last.
func (w *waiter) end(err error) *WaitError {
	e := &WaitError{Unreadable: w.unreadable, Err: err}
	for _, id := range w.order {
		if w.machine.IsPending(id) {
			e.Pending = append(e.Pending, id)
		} else if slices.Contains(w.machine.Missing(), strings.ToLower(id)) {
			e.Missing = append(e.Missing, id)
		}
	}
	return e
}

func (w *waiter) reportProgress(next time.Time) {
	p := w.progressOf(w.machine, next)
	p.Total, p.Ready = len(w.order), w.ready
	w.options.report(p)
}
