package hiring

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"net/http"
	"slices"
	"time"
)

// TailOptions configures Tail. A zero field means the default.
type TailOptions struct {
	SinceSeq    int64         // Only entries with a higher seq; 0 for all.
	MinInterval time.Duration // The interval while entries come: 30 s.
	MaxInterval time.Duration // The interval that it grows to without entries: 60 s.
}

// Tail yields the log of a submission's attempt while the log grows, each entry once
// and in order of seq. It ends when the submission is evaluated and the log has been
// read to its end (assumed: end of a log). For an attempt that is never evaluated, it
// ends only with the context. Gaps in seq are accepted. To resume in another process,
// pass the last Seq as SinceSeq.
//
// Tail retries 429, 5xx and connection errors, and waits for the next rate-limit
// window. It yields any other error last, also that of an ended context. A payload that
// the caller keeps retains at most a few KB of memory. Scope read; up to about 120 reads an hour.
func (s *EventService) Tail(ctx context.Context, submissionID string, o TailOptions) iter.Seq2[Event, error] {
	return iterate(ctx, (*service)(s), "Events.Tail", func(ctx context.Context, yield func(Event, error) bool) error {
		between, err := newInterval(o.MinInterval, o.MaxInterval)
		if err = joinParams(err, s.List(submissionID, EventFilter{SinceSeq: o.SinceSeq}).err); err != nil {
			return err
		}
		t := follower{
			pollLoop: pollLoop{core: s.core, operation: "Events.Tail", pending: "the attempt was not evaluated yet: ", interval: between},
			id:       submissionID, yield: yield, last: cmp.Or(o.SinceSeq, -1),
		}
		return t.run(ctx, func() WaitProgress { return WaitProgress{} }, t.poll)
	})
}

// follower is one range over Tail.
type follower struct {
	pollLoop

	id        string
	yield     func(Event, error) bool
	last      int64     // The seq of the last entry; -1 before the first.
	checkedAt time.Time // When Tail last read whether the attempt is evaluated.
	evaluated bool
	idle      int // Consecutive polls without new entries.
	emptyEnds int // Consecutive polls whose last page had a cursor and no new entry.
}

// poll reads the log once. Before the first poll it also checks whether the attempt is
// evaluated. Without new entries it checks again when the next poll would come more than the
// longest interval after the last check. A wait that the rate limit lengthens may exceed this.
func (t *follower) poll(ctx context.Context) (wait time.Duration, more bool, err error) {
	start := time.Now()
	if t.checkedAt.IsZero() {
		if err := t.checkEvaluated(ctx); err != nil {
			return t.nextInterval(), true, err
		}
	}
	news, more, err := t.read(ctx)
	switch {
	case !more, err == nil && t.evaluated && t.emptyEnds == 0: // The log was read after the evaluation.
		return 0, false, nil
	case news:
		t.idle = 0
	case err == nil:
		t.idle++
	}
	wait = t.nextInterval()
	if err == nil && !news && !t.evaluated && t.checkedAt.Before(start) && time.Since(t.checkedAt)+wait > t.interval.longest { // The next poll is too late.
		err = t.checkEvaluated(ctx)
	}
	if t.evaluated && err == nil && t.emptyEnds == 0 {
		wait = 0 // Read once more, for entries that were added meanwhile.
	}
	return wait, true, cmp.Or(err, t.ration())
}

// ration returns an error when the remaining requests are reserved for other users of the key.
func (t *follower) ration() error {
	if left, _, resetIn := t.readsLeft(); left <= 0 {
		return t.usedUp(resetIn)
	}
	return nil
}

// claim counts a request, unless ration returns an error.
func (t *follower) claim() error {
	err := t.ration()
	if err == nil {
		t.requests++
	}
	return err
}

// read yields the entries after the last one. It reports whether there were any, and
// whether the range continues.
func (t *follower) read(ctx context.Context) (news, more bool, err error) {
	for {
		if err := t.claim(); err != nil {
			return news, true, err
		}
		log := (&EventService{t.core}).List(t.id, EventFilter{SinceSeq: max(0, t.last)}).reader()
		page, promised, err := log.next(ctx)
		if err != nil && log.stuck == nil { // A page that does not advance is like an empty one.
			return news, true, err
		}
		promised = promised || log.stuck != nil
		found, more := t.deliver(page.Items)
		news = news || found
		if found || !t.evaluated && err == nil { // The log of a running attempt may end with a cursor.
			t.emptyEnds = 0
		}
		switch {
		case !more:
			return news, false, nil
		case !promised:
			t.emptyEnds = 0
			return news, true, nil
		case found:
			continue
		}
		t.emptyEnds++
		if t.emptyEnds == 3 {
			return news, true, &Error{
				Message: "the list does not advance: pages have a cursor and no entries", Operation: "Events.List",
				Method: http.MethodGet, Route: log.list.request.route, Status: http.StatusOK, Attempts: 1,
			}
		}
		return news, true, nil
	}
}

// deliver yields the new entries of a page in order of seq.
func (t *follower) deliver(page []Event) (news, more bool) {
	slices.SortFunc(page, func(a, b Event) int { return cmp.Compare(a.Seq, b.Seq) })
	for _, e := range page {
		if e.Seq <= t.last {
			continue
		}
		t.last, news = e.Seq, true
		e.Payload = bytes.Clone(e.Payload)
		if !t.yield(e, nil) {
			return news, false
		}
	}
	return news, true
}

// checkEvaluated reads the report and sets evaluated.
func (t *follower) checkEvaluated(ctx context.Context) error {
	if err := t.claim(); err != nil {
		return err
	}
	t.checkedAt = time.Now()
	report, err := (&SubmissionService{t.core}).Report(ctx, t.id)
	t.evaluated = err == nil && report.Ready()
	return err
}

// nextInterval returns an interval that grows from the shortest to the longest while no
// entries come.
func (t *follower) nextInterval() time.Duration {
	after := func(idle int) time.Duration {
		return t.interval.shortest + (t.interval.longest-t.interval.shortest)/4*time.Duration(min(max(idle, 0), 4))
	}
	shortest := after(t.idle - 1)
	return shortest + interval{shortest, after(t.idle + 1)}.beyond()
}
