package waiting

import "time"

// planner decides what the polls of a machine are for. A watch and a wait for known ids share the
// listings, the single reads and the experiment.
type planner interface {
	key(id string) string                                           // Returns the key of an id in waitingSet.Items.
	open()                                                          // Plans the first poll.
	plan(now time.Time)                                             // Plans a later poll.
	shows(l *listing) bool                                          // Reports whether a listing has shown enough before its end.
	ended(l *listing, complete bool)                                // Updates the planner after a listing.
	meaningChanged(now time.Time)                                   // Updates the planner after a change of the since meaning.
	ignores(id string, it *Item) bool                               // Reports whether not to deliver, read or track an item.
	delivered(now time.Time, id string, it *Item, l *listing) bool  // Records a delivery and reports whether it is the first of the item.
	unreadable(now time.Time, id string, it *Item, l *listing) bool // Records an item that cannot be decoded and reports whether nothing else is done with it.
	unnamed() *unnamed                                              // Returns the items without an id.
	isGone(id string, pending *pendingItem) bool                    // Records and reports whether an item whose read found nothing does not exist.
	missing() []string                                              // Returns the known ids that do not exist.
	blamesFilter(pending *pendingItem) bool                         // Reports whether a wrong status of an item that left its listing counts against the status filter.
	givesUp() bool                                                  // Reports whether an item is delivered without its report after an hour.
	limitMemory()                                                   // Keeps the memory within its limits.
	clockPutBack(now time.Time)                                     // Moves times in the future to now.
	oldest() time.Time                                              // Returns the creation time from which listings are needed.
	leastInterval(now time.Time) time.Duration                      // Returns the shortest interval between two polls, 0 for that of Options.
}

// watch is the planner that delivers each new evaluation once.
type watch struct {
	*Machine `json:"-"`

	Sweeps sweeps
	Memory memory
}

func newWatch(m *Machine) *watch {
	w := &watch{
		Machine: m,
		Sweeps:  newSweeps(m.Options.Start),
		Memory:  memory{Delivered: make(deliveries)},
	}
	return w
}

func (*watch) key(id string) string { return id }

func (*watch) leastInterval(time.Time) time.Duration { return 0 }

func (*watch) shows(*listing) bool { return false }

func (*watch) missing() []string { return nil }

func (*watch) givesUp() bool { return true }

func (w *watch) unnamed() *unnamed { return &w.Memory.UnreadableHashes }

func (*watch) blamesFilter(pending *pendingItem) bool { return pending.Misses <= maxFilterBad }

// oldest returns the earliest creation that a watch considers: Lookback before the last
// evaluation that a listing of all of Lookback has seen.
func (w *watch) oldest() time.Time { return w.Sweeps.LookbackReadAt.Add(-w.Lookback) }

func (w *watch) open() { w.Poll.addListing(listing{Purpose: opening, MaxPollPages: 1}) }

// plan lists what is new, in the way that the since meaning allows, and sweeps for what is missing.
func (w *watch) plan(now time.Time) {
	w.Set.reviewDropped(w.Pace.RegularSince)
	switch {
	case w.Since.Meaning == Evaluation:
		w.listNewEvaluations(now, time.Time{})
		w.sweepEvaluated(now, w.Pace.spareReads(), false)
	case w.Since.Meaning == Submission && (w.News.expectedPages(now) <= w.waitingSetCost()+w.waitingSetExtraCost() || !w.canListStatuses(now)):
		w.News.Listed = true
		w.listNewEvaluations(now, time.Time{})
		w.planHandedIn(now)
		w.planDeepSweep(now)
	case w.canListStatuses(now) && len(w.Set.Statuses) > 0:
		w.sampleUnfiltered(now)
		if w.Since.Meaning == Submission { // A page a minute shows evaluations of submissions that were handed in lately.
			since := filterTime(now.Add(-max(w.Pace.Scheduled, minGrading)))
			w.Poll.addListing(listing{Purpose: sample, Status: w.Poll.evaluatedFilter(), Since: since, MaxPollPages: w.Pace.scaleToPollInterval(1)})
			if w.News.Listed { // No listing of the waiting set preceded the evaluations since the last poll.
				w.News.Listed = !w.listNewEvaluations(now, time.Time{})
			}
		}
		w.listWaitingSet(now, longestGap, false)
		w.planSweep(now)
		w.planDeepSweep(now)
	default:
		w.planSweepLevels(now)
	}
}

func (w *watch) ended(l *listing, complete bool) {
	if l.Purpose == fresh && l.StartedAt.Before(w.Poll.StartedAt) { // It says nothing about the time since then.
		w.Poll.repeat()
	}
	switch {
	case l.Purpose == opening:
		w.Poll.repeat() // The unfinished are listed before the first pause.
		w.Set.listUntil(l.StartedAt)
		if w.Since.NextItem.ID == "" { // An evaluated submission is needed for the experiment.
			w.Poll.addListing(listing{Purpose: sample, Status: w.Poll.evaluatedFilter(), MaxPollPages: 1})
		}
	case !complete:
	case l.Purpose == fresh:
		w.addCoverage(w.completeSince(l), w.News.Cutoff)
	case l.Purpose == sweep:
		w.sweepEnded(l)
	}
}

// meaningChanged sweeps the last two days again, because the old meaning may have hidden evaluations.
func (w *watch) meaningChanged(now time.Time) {
	w.Sweeps.repeatFrom(w.startOfRepeat(now))
	w.Poll.endListings(sweep)
}

// ignores reports whether an item was delivered, is from before the start, or is unfinished and too old. An
// undecodable item that proves to be from before the start counts as delivered: a listing may
// continue to show it undecodable.
func (w *watch) ignores(id string, it *Item) bool {
	pending := w.Set.Items[id]
	evaluated := it.isEvaluated() && !it.Unreadable
	switch {
	case id == "":
		return true
	case !evaluated && pending != nil:
		return false
	case !evaluated && (len(id) > maxTextLength || it.Created.Before(w.oldest()) && (!it.Unreadable || !it.Created.IsZero())):
		return true
	case (evaluated || it.Unreadable) && pending == nil && w.isCovered(it): // The usual case, cheaper than a hash.
		return true
	case evaluated && pending != nil && !pending.UnreadableAt.IsZero() && w.beforeStart(it):
		w.Memory.Delivered.add(id, it)
		return true
	}
	regraded := w.Regraded && (w.Memory.Delivered.isRegraded(id, it) || !it.isEvaluated() && !it.Unreadable)
	return w.Memory.Delivered.has(id) && !regraded
}

func (w *watch) delivered(now time.Time, id string, it *Item, l *listing) (first bool) {
	pending := w.Set.Items[id] != nil
	if l != nil && l.Purpose == sweep && !pending && it.Evaluated.After(w.Pace.RegularSince) {
		w.Sweeps.countUnexpected()
	}
	first = !w.Memory.Delivered.has(id)
	w.Memory.Delivered.add(id, it)
	if first {
		w.noteLate(now, it, pending)
	}
	return first
}

// isGone reports whether an item does not exist any more: a second read in a row found nothing. One that a
// listing showed evaluated counts as existing for notFoundFor after the first read without a report.
func (w *watch) isGone(_ string, pending *pendingItem) bool {
	return pending.AwaitedSince.IsZero() && pending.NotFound || pending.WithoutReport && w.Pace.RespondedAt.Sub(pending.NoReportAt) >= notFoundFor
}

// clockPutBack moves times in the future to now.
func (w *watch) clockPutBack(now time.Time) { w.Sweeps.clockPutBack(now, w.Set.UnlistedUntil) }

// noteLate checks whether a watch should have found an evaluation earlier: by its meaning
// or in the waiting set. expected reports whether the item was in the waiting set.
func (w *watch) noteLate(now time.Time, it *Item, expected bool) {
	late := it.Evaluated.After(w.Pace.RegularSince) && now.Sub(it.Evaluated) > showMargin+2*w.Max
	trusted := w.Since.Meaning == Evaluation || w.Since.Meaning == Submission
	if trusted && late {
		w.Since.noteLate(now)
	}
	switch {
	case expected:
		w.Set.countFilterEvidence(1, 0)
	case trusted:
	case len(w.Set.Statuses) == 0 && it.Evaluated.After(w.Pace.RegularSince): // The API lists no unfinished submissions.
		w.Set.countFilterEvidence(0, 2)
	case it.Created.After(w.Pace.RegularSince): // A listing should have shown it unfinished.
		w.Set.countFilterEvidence(0, 1)
	}
}
