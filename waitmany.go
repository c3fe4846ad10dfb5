package hiring

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"
)

// WaitReports waits for the reports of many submissions and yields each once, as
// it lands. One page of the listing tells of a hundred submissions, so the cost
// is a few reads a round, not one for each id; rounds are 30 to 60 s apart, and
// further where the quota asks for it: what is left of the window, but for a
// tenth, is spread over its time. Submissions that stay unfinished for days are
// asked for less and less often.
//
// It rides out 429, 5xx and broken connections. At the end of the context, at an
// error that stays, and when some ids turn out to be missing, a [*WaitError]
// comes last. Scope read.
func (s *SubmissionService) WaitReports(ctx context.Context, ids []string, o WaitOptions) iter.Seq2[Report, error] {
	ids = slices.Clone(ids)
	return func(yield func(Report, error) bool) {
		err := s.core.probed(ctx, ProbeCall{Operation: "Submissions.WaitReports"}, func(ctx context.Context) error {
			w, err := newWaiter(s, ids, o, yield)
			if err == nil {
				err = w.run(ctx)
			}
			if w.stopped {
				return nil
			}
			return err
		})
		if err != nil {
			yield(Report{}, err)
		}
	}
}

// waiter is one range over WaitReports.
type waiter struct {
	poller

	options WaitOptions
	yield   func(Report, error) bool
	stopped bool // The range was left.

	order   []string          // The ids, once each.
	names   map[string]string // Which of them the service's own spelling, in lower case, stands for.
	pending map[string]awaited
	missing map[string]bool
	ready   int
	news    time.Time // When a report landed, by the local clock.

	looking bool   // The first look at the listing is not over.
	token   string // Where it goes on,
	pages   int    // and how far it came.
	unseen  int    // Pending submissions that nothing was seen of.

	increment
	edges    []time.Time // The creation of the last item on each page of a scan.
	scanned  time.Time   // When a scan was made last, by the local clock.
	grading  time.Duration
	aside    int // Requests of a round that do not delay the next.
	overlook int // Evaluations that an increment should have had if since were about them.
	failures int // Single reads of this round that failed,
	failed   error
}

// awaited is what is known of a pending submission.
type awaited struct {
	seen    bool
	created time.Time
	apart   bool // Listings do not help: it is of another assessment, or evaluated and hard to read.
}

func newWaiter(s *SubmissionService, ids []string, o WaitOptions, yield func(Report, error) bool) (*waiter, error) {
	w := &waiter{options: o, yield: yield, looking: true, news: time.Now(), missing: make(map[string]bool)}
	var err error
	w.poller, err = newPoller(s, o.MinInterval, o.MaxInterval)
	if err = joinParams(err, refuseIDs(ids)); err != nil {
		return w, err
	}
	w.pending, w.names = make(map[string]awaited, len(ids)), make(map[string]string, len(ids))
	for _, id := range ids {
		if name := strings.ToLower(id); w.names[name] == "" {
			w.names[name] = id
			w.pending[id] = awaited{}
			w.order = append(w.order, id)
		}
	}
	w.unseen = len(w.order)
	return w, nil
}

// refuseIDs judges all of them, and says where to look.
func refuseIDs(ids []string) error {
	bad := 0
	for _, id := range ids {
		if badSegment(id) {
			bad++
		}
	}
	if bad == 0 {
		return nil
	}
	first := slices.IndexFunc(ids, badSegment)
	return &ParamError{Param: "ids", Problem: fmt.Sprintf(`%d of %d are empty, "." or "..", the first of them at index %d`, bad, len(ids), first), wire: "id"}
}

func (w *waiter) run(ctx context.Context) error {
	for {
		before := w.requests
		err := w.round(ctx)
		if err == nil {
			err = w.failed
		}
		switch {
		case w.stopped:
			return nil
		case len(w.pending) == 0:
			w.tell(time.Time{})
			if len(w.missing) == 0 {
				return nil
			}
			return w.end(ErrNotFound)
		case err != nil && !passes(err):
			return w.end(err)
		case outlasts(ctx, retryAfter(err)):
			return w.end(&endedError{context.DeadlineExceeded, err})
		}
		wait := max(w.next(w.requests-before-w.aside), retryAfter(err))
		w.tell(time.Now().Add(wait))
		if ended := sleep(ctx, wait, PausePoll); ended != nil {
			if err != nil {
				ended = &endedError{ended, err}
			}
			return w.end(ended)
		}
	}
}

// end is the error that comes last.
func (w *waiter) end(err error) *WaitError {
	e := &WaitError{Err: err}
	for _, id := range w.order {
		if _, pending := w.pending[id]; pending {
			e.Pending = append(e.Pending, id)
		} else if w.missing[id] {
			e.Missing = append(e.Missing, id)
		}
	}
	return e
}

func (w *waiter) tell(next time.Time) {
	w.options.tell(WaitProgress{
		Total: len(w.order), Ready: w.ready, Pending: len(w.pending), Missing: len(w.missing),
		Requests: w.requests, NextPoll: next,
	})
}

const (
	patience    = 24 * time.Hour // Without news, until rounds become rare.
	rarestRound = 15 * time.Minute
)

// next is the pause after a round that took so many requests. Dear rounds come
// at steady distances: what varies there costs more than it hides.
func (w *waiter) next(cost int) time.Duration {
	wait := w.pause.next()
	if cost > 1 {
		wait = max(w.pause.shortest, time.Duration((0.85+0.1*jitter())*float64(w.pause.longest)))
	}
	idle := time.Since(w.news) - patience
	return max(wait, w.pace(cost), min(idle/100, rarestRound))
}

// meet looks whether an item of a listing was waited for.
func (w *waiter) meet(ctx context.Context, s *Submission) error {
	id := w.names[strings.ToLower(s.ID)]
	known, pending := w.pending[id]
	if !pending || w.stopped {
		return nil
	}
	if !known.seen {
		w.unseen--
		w.pending[id] = awaited{seen: true, created: s.CreatedAt, apart: w.isApart(s)}
	}
	if !isEvaluated(s) {
		return nil
	}
	w.grading = max(w.grading, gradingTime(s))
	if s.Report == nil || !s.Report.Ready() {
		if known.apart { // It is asked for once a round.
			return nil
		}
		return w.ask(ctx, id)
	}
	w.land(id, *s.Report)
	return nil
}

// isApart tells whether listings will not show a submission.
func (w *waiter) isApart(s *Submission) bool {
	asked := w.options.AssessmentID
	return asked != "" && s.AssessmentID != "" && !strings.EqualFold(s.AssessmentID, asked)
}

// ask reads one report.
func (w *waiter) ask(ctx context.Context, id string) error {
	report, err := w.report(ctx, id)
	if errors.Is(err, ErrNotFound) {
		w.miss(id)
		return nil
	}
	if err == nil && report.Ready() {
		w.land(id, report)
	}
	if w.spares(err) {
		known := w.pending[id]
		known.apart = true // Whatever showed it may not do so again.
		w.pending[id] = known
		return nil
	}
	return err
}

// spares lets a round go on after a single read that failed at the service: one
// submission in trouble must not hold up the others.
func (w *waiter) spares(err error) bool {
	if !isTrouble(err) {
		return false
	}
	w.failures++
	w.failed = err
	return w.failures < mayFail
}

func (w *waiter) land(id string, r Report) {
	if r.SubmissionID == "" { // It stood inside a submission.
		r.SubmissionID = id
	}
	delete(w.pending, id)
	w.ready++
	w.news = time.Now()
	w.stopped = !w.yield(r, nil)
}

func (w *waiter) miss(id string) {
	if known, pending := w.pending[id]; pending {
		if !known.seen {
			w.unseen--
		}
		delete(w.pending, id)
		w.missing[id] = true
	}
}
