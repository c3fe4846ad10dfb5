package hiring

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/defaults"
	"github.com/hiring-assessment/hiring-go/internal/poll"
)

// WaitOptions configures WaitReport and WaitReports. A zero field means the default.
type WaitOptions struct {
	MinInterval time.Duration // The shortest interval between two polls. Default 30 s.
	// The longest, unless the rate limit requires a longer one. Default 60 s. The interval is
	// random between both.
	MaxInterval time.Duration

	AssessmentID string // The assessment of all submissions. Shortens the listings.
	// A time before the creation of all submissions. Default 30 days ago. The later it is, the
	// shorter are the listings.
	CreatedSince time.Time

	Progress func(WaitProgress) // Called after each poll, in the goroutine of the call. Nil: not called.
}

// WaitProgress is the state of a wait or a watch after a poll.
type WaitProgress struct {
	Total, Ready int // Submissions that are waited for or were found, and those that were yielded.
	Pending      int // In a wait: not ready. In a watch: evaluated without a ready report.
	Missing      int // The API responds with 404.

	// The listings that the API could not answer last, such as "status=grading", and the
	// submissions that it could not show or for which it showed another, with at most ten ids. Name
	// them to its support.
	Failing string

	Requests      int       // Requests sent so far, without retries.
	ReadsLastHour int       // Requests that this call has sent within the last hour.
	NextPoll      time.Time // Zero when no poll follows.
}

// WaitError lists the submissions that had no report when a wait ended.
type WaitError struct {
	Missing []string // The API responds with 404.
	Pending []string // Not ready when the wait ended.

	// Err is why the wait ended: an [*Error], with the code ErrNotFound if missing ids are the only
	// problem. At the end of the context it matches the context's error.
	Err error
}

// Error returns one line: why the wait ended, how many reports are pending and missing, and the ids
// of the first ten of each.
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

// Unwrap makes Err and its causes reachable for errors.Is and errors.As.
func (e *WaitError) Unwrap() error { return e.Err }

// WaitReport waits until the report of a submission is ready, and returns it. It is WaitReports for
// one id: it returns the [*WaitError] or [*ItemError] that WaitReports yields. A 404 ends the wait
// with [ErrNotFound].
//
// Call it only for a submission that awaits its report. Scope read; costs one read a poll, 60 to 120 an hour.
func (s *SubmissionService) WaitReport(ctx context.Context, id string, o WaitOptions) (report Report, err error) {
	const operation = "Submissions.WaitReport"
	// The error is returned and not only stored, so that the trace of the call gets an *ItemError too.
	err = s.mustCore().traces.composed(ctx, operation, func(ctx context.Context) (err error) {
		for r, failure := range s.waitReports(ctx, operation, []string{id}, o) {
			report, err = r, failure
		}
		return err
	})
	return report, err
}

// WaitReports waits for the reports of many submissions and yields each once, when it is ready. It
// reads listings of up to a hundred submissions instead of each report. Ids may be given in any
// order. Ranging over the result twice starts over.
//
//   - Polls are 30 to 60 s apart. Each id is confirmed by a listing or a single read within six hours.
//   - WaitReports leaves a tenth of each rate-limit window to others, or the share of [WithQuotaReserve].
//   - A failed poll is repeated after a minute, doubled with each failure up to MaxInterval: after
//     an error that is transient ([IsTransient]) and, once a poll of the client has succeeded, a
//     response that is not from the API. A redirect ends the wait after an hour. When the API cannot answer one
//     listing or one submission, the others still come.
//   - It waits for the next rate-limit window regardless of RetryPolicy.MaxWait, and ends at once
//     when the context's deadline comes before.
//   - With [WithKeySource] a response of another account than the first key's ends it with a [ParamError].
//   - A submission that cannot be decoded is yielded as an [*ItemError], and is not awaited any
//     more, unless it is unfinished by a readable status. The wait continues if the loop does.
//   - A response that has another submission than the requested one counts as a failed read of its id.
//   - The last error is a [*WaitError]: when the context ends, when another error ends the wait,
//     and, after all reports, when ids are missing.
//
// Scope read; costs a few reads a poll: about 150 an hour for 100 ids and 420 for 1,000. A key
// source costs one read more for each key.
func (s *SubmissionService) WaitReports(ctx context.Context, ids []string, o WaitOptions) iter.Seq2[Report, error] {
	return s.waitReports(ctx, "Submissions.WaitReports", slices.Clone(ids), o)
}

func (s *SubmissionService) waitReports(ctx context.Context, operation string, ids []string, o WaitOptions) iter.Seq2[Report, error] {
	return iterate(ctx, (*service)(s), operation, func(ctx context.Context, yield func(Report, error) bool) error {
		return s.runWait(ctx, operation, ids, o, yield)
	})
}

func (s *SubmissionService) runWait(ctx context.Context, operation string, ids []string, o WaitOptions, yield func(Report, error) bool) error {
	between, err := newInterval(o.MinInterval, o.MaxInterval)
	var badID error
	for _, id := range ids {
		badID = cmp.Or(badID, newRequest(operation, submissionRoute, pathID("id", id)).err)
	}
	if err = joinParams(err, badID); err != nil || len(ids) == 0 {
		return err
	}
	p := newPoller(s.core, operation, between, o.AssessmentID, o.Progress)
	keys := p.setGiven(ids)
	now, options := p.serverNow(), between.options(defaults.Lookback)
	if !o.CreatedSince.IsZero() {
		options.CreatedSince = max(1, poll.TimeOf(o.CreatedSince))
		options.Lookback = max(time.Hour, time.Duration(now-options.CreatedSince))
	}
	p.machine = poll.NewWait(options, p.now(), now, keys)
	err = p.run(ctx, func(ctx context.Context) (wait time.Duration, done bool, err error) {
		wait, err = p.sendDue(ctx, func(s Submission, err error) bool { return yield(reportOf(s), err) })
		return wait, p.machine.IsDone(), err
	})
	return p.waitError(keys, err)
}

// reportOf returns the report of a submission with the submission's id, which a report inside a
// submission may lack.
func reportOf(s Submission) (report Report) {
	if s.Report != nil {
		report = *s.Report
	}
	report.SubmissionID = cmp.Or(report.SubmissionID, s.ID)
	return report
}

// setGiven records the ids of the caller, and returns the key of each once.
func (p *poller) setGiven(ids []string) (keys []string) {
	p.given = make(map[string]string, len(ids))
	for _, id := range ids {
		if key := idKey(id); p.given[key] == "" {
			p.given[key], keys = id, append(keys, key)
		}
	}
	return keys
}

// waitError returns the error of a wait for ids that ended with err, nil if each report was yielded.
func (p *poller) waitError(keys []string, err error) error {
	refused, isRefused := errors.AsType[*ParamError](err)
	switch {
	case isRefused && refused != p.otherAccount: // One of the ids is the key, which the text of a WaitError would show.
		return err
	case err == nil && len(p.machine.Missing) == 0:
		return nil
	case err == nil:
		err = &Error{Operation: p.operation, Code: ErrNotFound, Message: "the API does not know these submissions"}
	}
	e := &WaitError{Err: err}
	for _, key := range keys {
		if p.machine.IsAwaited(key) {
			e.Pending = append(e.Pending, p.given[key])
		} else if slices.Contains(p.machine.Missing, key) {
			e.Missing = append(e.Missing, p.given[key])
		}
	}
	return e
}
