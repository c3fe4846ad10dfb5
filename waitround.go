package hiring

import (
	"context"
	"errors"
	"slices"
	"sort"
	"strings"
	"time"
)

const (
	rareScan   = 10 * time.Minute // Between scans that are only for safety's sake,
	rarePage   = 90 * time.Second // and for each page of one.
	rarestScan = 6 * time.Hour    // Between them where increments are known to show everything.
	verifyOnce = 100              // Ids that are read singly in the first round because no listing showed them,
	verifyMore = 5                // and in each further round.
	overlooked = 2                // So many make sure that since is not about evaluation.
	mayFail    = 3                // Fewer single reads may fail in a round without ending it.
)

// increment is what the listings of the latest evaluations have covered.
type increment struct {
	until  time.Time // All before was listed, if since is about evaluation.
	before time.Time // The same of the listing before: a page that shifts can hide an item once.
	began  time.Time // When the last one was asked for, by the server's clock.
}

// round asks, as cheaply as can be, about all that is pending.
func (w *waiter) round(ctx context.Context) error {
	verify := verifyMore
	w.failures, w.failed = 0, nil
	if w.looking {
		if err := w.look(ctx); err != nil || w.stopped {
			return err
		}
		verify = verifyOnce
	}
	if err := w.verify(ctx, verify); err != nil || w.stopped {
		return err
	}
	if err := w.readApart(ctx); err != nil || w.stopped {
		return err
	}
	p := w.plan()
	trust := w.trust(p.cost())
	w.aside = 0
	switch {
	case len(w.pending) == w.unseen: // Nothing to look for in a listing.
		return nil
	case p.cost() <= 1:
		return w.follow(ctx, p)
	case w.meaning != sinceIgnored && w.overlook < overlooked:
		if err := w.latest(ctx); err != nil || w.stopped || time.Since(w.scanned) < trust {
			return err
		}
	}
	before := w.requests
	err := w.follow(ctx, p)
	if trust > 0 {
		w.aside = w.requests - before
	}
	return err
}

// trust is how long increments do without a scan, which finds what the service
// lists much later than it should.
func (w *waiter) trust(cost int) time.Duration {
	switch w.meaning {
	case sinceLater:
		return max(rareScan, time.Duration(cost)*rarePage)
	case sinceEvaluation:
		return rarestScan
	}
	return 0
}

// look walks the listing of all there is, newest first, until every id was seen
// or single reads are cheaper. So it finds out who is ready and since when the
// others have to be looked for.
func (w *waiter) look(ctx context.Context) error {
	filter := SubmissionFilter{AssessmentID: w.options.AssessmentID}
	for w.unseen > max(1, w.pages) {
		page, err := w.listing(ctx, filter, w.token)
		if err != nil {
			return w.lost(err)
		}
		if w.began.IsZero() {
			w.increment = increment{until: w.settled, before: w.settled, began: w.now}
		}
		for i := range page.Items {
			if err := w.meet(ctx, &page.Items[i]); err != nil || w.stopped {
				return err
			}
		}
		w.pages, w.token = w.pages+1, page.Next
		if page.Next == "" || endsBefore(page.Items, w.options.Since) {
			break
		}
	}
	if !w.began.IsZero() {
		w.scanned = time.Now()
	}
	w.looking = false
	return nil
}

// lost goes back to the beginning when a cursor has grown too old.
func (w *waiter) lost(err error) error {
	if w.token != "" && errors.Is(err, ErrInvalidInput) {
		w.token = ""
		return nil
	}
	return err
}

// verify reads some of the submissions that no listing has shown.
func (w *waiter) verify(ctx context.Context, most int) error {
	if w.unseen == 0 {
		return nil
	}
	for _, id := range w.order {
		if known, pending := w.pending[id]; !pending || known.seen {
			continue
		}
		if most--; most < 0 || w.stopped {
			return nil
		}
		s, err := w.get(ctx, id)
		switch {
		case errors.Is(err, ErrNotFound):
			w.miss(id)
		case err != nil && !w.spares(err):
			return err
		case err == nil:
			w.names[strings.ToLower(s.ID)] = id // However the service spells it.
			if err := w.meet(ctx, &s); err != nil {
				return err
			}
		}
	}
	return nil
}

// readApart reads those that no listing helps with.
func (w *waiter) readApart(ctx context.Context) error {
	for _, id := range w.order {
		if !w.pending[id].apart {
			continue
		}
		if err := w.ask(ctx, id); err != nil || w.stopped {
			return err
		}
	}
	return nil
}

// latest lists what was evaluated since the last time, which is all there is to
// do where since is about evaluation. Where it may be about submission, it
// reaches back by the longest grading seen, which also is how that is learned.
func (w *waiter) latest(ctx context.Context) error {
	since := w.before
	if w.meaning != sinceEvaluation {
		since = since.Add(-w.grading - w.grading/2)
	}
	if oldest := w.oldest(); since.Before(oldest) || since.Year() < 1 {
		since = oldest
	}
	done, err := w.list(ctx, since, func(bool, []Submission) {})
	if err != nil || w.stopped {
		return err
	}
	done.before = w.until
	w.increment = done
	return nil
}

// list walks a listing of what is evaluated, and returns what that covers. It
// begins again, once, when a cursor is lost.
func (w *waiter) list(ctx context.Context, since time.Time, each func(first bool, items []Submission)) (done increment, err error) {
	filter := SubmissionFilter{AssessmentID: w.options.AssessmentID, Status: SubmissionEvaluated, Since: since}
	for token, lost := "", false; ; {
		page, err := w.listing(ctx, filter, token)
		if token != "" && !lost && errors.Is(err, ErrInvalidInput) {
			token, lost = "", true
			continue
		}
		if err != nil {
			return done, err
		}
		if done.began.IsZero() {
			done.began, done.until = w.now, w.settled
		}
		each(token == "", page.Items)
		for i := range page.Items {
			if err := w.meet(ctx, &page.Items[i]); err != nil || w.stopped {
				return done, err
			}
		}
		if token = page.Next; token == "" || len(w.pending) == 0 {
			return done, nil
		}
	}
}

// oldest is the creation of the oldest pending submission that was seen.
func (w *waiter) oldest() time.Time {
	var oldest time.Time
	for _, known := range w.pending {
		if known.seen && (oldest.IsZero() || known.created.Before(oldest)) {
			oldest = known.created
		}
	}
	return oldest
}

// plan is the cheapest way to look at all that is pending: pages of the listing
// for the younger ones, single reads for the older.
type plan struct {
	pages   int
	since   time.Time // Of the listing.
	singles []string
}

func (p plan) cost() int { return p.pages + len(p.singles) }

func (w *waiter) plan() plan {
	ids := make([]string, 0, len(w.pending))
	for id, known := range w.pending {
		if known.seen && !known.apart {
			ids = append(ids, id)
		}
	}
	created := func(i int) time.Time { return w.pending[ids[i]].created }
	slices.SortFunc(ids, func(a, b string) int { return w.pending[b].created.Compare(w.pending[a].created) })
	best := plan{singles: ids}
	for n := 1; n <= len(ids); n++ {
		since := created(n - 1)
		pages := 1 + sort.Search(len(w.edges), func(i int) bool { return w.edges[i].Before(since) })
		if pages >= len(ids) {
			break
		}
		if pages+len(ids)-n < best.cost() {
			best = plan{pages, since, ids[n:]}
		}
	}
	return best
}

// follow does what was planned. A scan also shows where the next one's pages
// will end, and whether since can be about evaluation.
func (w *waiter) follow(ctx context.Context, p plan) error {
	if p.pages > 0 {
		var edges []time.Time
		_, err := w.list(ctx, p.since, func(first bool, items []Submission) {
			if first {
				edges = nil
			}
			for i := range items {
				w.judge(&items[i])
			}
			if n := len(items); n == maxPageSize {
				edges = append(edges, items[n-1].CreatedAt)
			}
		})
		if err != nil || w.stopped {
			return err
		}
		w.edges, w.scanned = pageEnds(edges, w.edges, p.since), time.Now()
	}
	for _, id := range p.singles {
		if _, pending := w.pending[id]; !pending {
			continue
		}
		if err := w.ask(ctx, id); err != nil || w.stopped {
			return err
		}
	}
	return nil
}

// pageEnds adds to what a scan showed what the one before showed of the pages
// behind it: of those that both saw, the ends have moved.
func pageEnds(scan, before []time.Time, since time.Time) []time.Time {
	for _, end := range before[min(len(scan), len(before)):] {
		if end.Before(since) {
			scan = append(scan, end)
		}
	}
	return scan
}

// judge notices what the last increment should have shown.
func (w *waiter) judge(s *Submission) {
	at := evaluatedAt(s)
	if _, pending := w.pending[w.names[strings.ToLower(s.ID)]]; pending && w.meaning == sinceUnknown &&
		at.After(w.before) && at.Before(w.began.Add(-slack/4)) {
		w.overlook++
	}
}
