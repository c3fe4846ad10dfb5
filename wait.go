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

func (s *SubmissionService) waitReport(ctx context.Context, id string, o WaitOptions) (report Report, err error) {
	between, err := newInterval(o.MinInterval, o.MaxInterval)
	if err = joinParams(err, newRequest("Submissions.WaitReport", "GET /submissions/{id}/report", pathID{"id", id}).err); err != nil {
		return Report{}, err
	}
	l := pollLoop{core: s.core, operation: "Submissions.WaitReport", interval: between, report: o.Progress}
	progress := func() WaitProgress { return WaitProgress{Total: 1, Pending: 1} }
	err = l.run(ctx, progress, func(ctx context.Context) (time.Duration, bool, error) {
		l.requests++
		report, err = s.Report(ctx, id)
		return between.next(), err != nil || !report.Ready(), err
	})
	if _, ended := errors.AsType[*endedCall](err); ended {
		err = &WaitError{Pending: []string{id}, Err: err}
	}
	if err != nil {
		return Report{}, err
	}
	l.reportProgress(WaitProgress{Total: 1, Ready: 1}, time.Time{})
	return report, nil
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

// Error returns one line: why the wait ended, how many reports are pending, missing and
// unreadable, and the ids of the first three of each.
func (e *WaitError) Error() string {
	line := "hiring: the wait ended"
	if amounts := limits.Amounts(limits.Amount{IDs: e.Pending, What: "report", State: "pending"},
		limits.Amount{IDs: e.Missing, What: "submission", State: "missing"},
		limits.Amount{IDs: e.Unreadable, What: "report", State: "unreadable"}); amounts != "" {
		line += " with " + amounts
	}
	if e.Err == nil {
		return line
	}
	return line + ": " + strings.TrimPrefix(e.Err.Error(), "hiring: ")
}

// Unwrap returns Err.
func (e *WaitError) Unwrap() error { return e.Err }

// WaitReports waits for the reports of many submissions and yields each once, when
// it is ready. It reads listings of up to a hundred submissions instead of each
// report. Ids may be given in any order.
//
//   - Polls are 30 to 60 s apart. After a day without a report they become rarer, up to
//     15 minutes apart, unless MaxInterval is set. WaitReports leaves a tenth of each
//     rate-limit window to others.
//   - Each id is confirmed within an hour, by a listing or a single read, while requests
//     remain. A deleted id is reported as missing.
//   - A submission that cannot be decoded does not delay the others.
//   - WaitReports retries 429, 5xx and connection errors.
//
// A [*WaitError] comes last when the context ends, after any other error, and when
// ids are missing or reports cannot be decoded. Scope read; costs a few reads a poll.
func (s *SubmissionService) WaitReports(ctx context.Context, ids []string, o WaitOptions) iter.Seq2[Report, error] {
	ids = slices.Clone(ids)
	return iterate(ctx, (*service)(s), "Submissions.WaitReports", func(ctx context.Context, yield func(Report) bool) error {
		between, err := newInterval(o.MinInterval, o.MaxInterval)
		if err = joinParams(err, checkIDs(ids)); err != nil {
			return err
		}
		return newWaiter(s.core, o, between, ids, yield).wait(ctx)
	})
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

	yield      func(Report) bool
	ready      int
	unreadable []string // IDs whose reports cannot be decoded.
	readError  error    // Why the first of these reports cannot be decoded.
}

func newWaiter(k *core, o WaitOptions, between interval, ids []string, yield func(Report) bool) *waiter {
	options, spelling := machineOptions(between), make(map[string]string, len(ids))
	options.Known, options.Start, options.Patient = []string{}, o.Since, o.MaxInterval == 0
	for _, id := range ids {
		if key := strings.ToLower(id); spelling[key] == "" {
			spelling[key], options.Known = id, append(options.Known, id)
		}
	}
	return &waiter{
		poller: poller{
			pollLoop:   pollLoop{core: k, operation: "Submissions.WaitReports", interval: between, report: o.Progress},
			assessment: o.AssessmentID, machine: waiting.New(options),
			spelling: spelling, listed: make(map[string]Submission),
		},
		yield: yield,
	}
}

func (w *waiter) progress() WaitProgress {
	progress := w.poller.progress()
	progress.Total, progress.Ready = len(w.machine.Known), w.ready
	return progress
}

// wait polls until no report is pending.
func (w *waiter) wait(ctx context.Context) error {
	err := w.run(ctx, w.progress, func(ctx context.Context) (time.Duration, bool, error) {
		if w.machine.Pending() == 0 {
			return 0, false, nil
		}
		return w.sendBatch(ctx, w.take)
	})
	switch {
	case err != nil:
		return w.end(err)
	case w.machine.Pending() > 0: // The range was left.
		return nil
	}
	w.reportProgress(w.progress(), time.Time{})
	switch {
	case w.readError != nil:
		return w.end(w.readError)
	case len(w.machine.Missing()) > 0:
		return w.end(ErrNotFound)
	}
	return nil
}

// take yields the reports of a page, and keeps the submissions whose report alone must be
// read. It reports whether the wait continues.
func (w *waiter) take(page *polledPage) (more bool) {
	for i := range page.deliver {
		if !w.deliver(&page.deliver[i], page.reportErr) {
			return false
		}
	}
	for i := range page.submissions {
		s := &page.submissions[i]
		onlyReport := s.Status == SubmissionEvaluated || page.decoding.has(s.ID)
		if onlyReport && w.machine.IsPending(s.ID) {
			w.listed[strings.ToLower(s.ID)] = *s
		}
	}
	return w.machine.Pending() > 0
}

// deliver yields the report of a submission, or records that it cannot be decoded. It
// reports whether the range continues.
func (w *waiter) deliver(s *Submission, reportErr error) bool {
	key := strings.ToLower(s.ID)
	delete(w.listed, key)
	if s.Report == nil {
		w.unreadable = append(w.unreadable, w.spelling[key])
		w.readError = cmp.Or(w.readError, reportErr)
		return true
	}
	report := *s.Report
	if report.SubmissionID == "" { // A report inside a submission has no id of its own.
		report.SubmissionID = s.ID
	}
	w.ready++
	return w.yield(report)
}

// end returns the error that comes last.
func (w *waiter) end(err error) *WaitError {
	e := &WaitError{Unreadable: w.unreadable, Err: err}
	for _, id := range w.machine.Known {
		if w.machine.IsPending(id) {
			e.Pending = append(e.Pending, id)
		} else if slices.Contains(w.machine.Missing(), strings.ToLower(id)) {
			e.Missing = append(e.Missing, id)
		}
	}
	return e
}
