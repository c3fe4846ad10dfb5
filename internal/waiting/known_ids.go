package waiting

import (
	"math"
	"slices"
	"strings"
	"time"
)

// knownIDs is the planner that waits for given ids. It is not saved: a process that starts again waits
// for the ids that are left.
type knownIDs struct {
	*Machine

	notFound         []string
	openingPages     int       // Pages of the first listing.
	searchPages      float64   // Pages of the evaluated submissions back to the oldest pending one, estimated.
	confirmedAt      time.Time // When all submissions were last listed without a filter, to confirm ids.
	listedUnfinished bool      // The last poll listed the waiting set.
	lastDelivery     time.Time
	bad              unnamed
}

func newKnownIDs(m *Machine) *knownIDs {
	k := &knownIDs{Machine: m}
	for _, id := range m.Known {
		m.Set.Items[k.key(id)] = &pendingItem{}
	}
	return k
}

// key returns the id in lower case: the case of known ids may differ from the API's.
func (*knownIDs) key(id string) string { return strings.ToLower(id) }

// leastInterval lets intervals grow after a day without a delivery.
func (k *knownIDs) leastInterval(now time.Time) time.Duration {
	if !k.Patient || k.lastDelivery.IsZero() {
		return 0
	}
	return min((now.Sub(k.lastDelivery)-patience)/100, longestInterval)
}

func (k *knownIDs) open() {
	if len(k.Set.Items) > 1 {
		k.Poll.addListing(listing{Purpose: opening, CreatedSince: k.Start})
		return
	}
	k.OpenedAt = k.Poll.StartedAt
	k.ended(&listing{StartedAt: k.Poll.StartedAt}, true) // One id needs no listing: a single read finds it.
}

// shows reports whether the first listing has read as many pages as single reads of the ids that it
// has not shown would cost.
func (k *knownIDs) shows(l *listing) bool {
	return l.Purpose == opening && k.countUnconfirmed() <= l.Pages
}

func (k *knownIDs) ended(l *listing, complete bool) {
	switch l.Purpose {
	case opening:
		k.lastDelivery, k.openingPages, k.News.Cutoff = l.StartedAt, l.Pages, l.StartedAt
		k.readUnconfirmed()
	case search:
		k.searchPages = float64(l.Pages)
		if !complete {
			k.searchPages += 2
		}
	}
}

func (*knownIDs) meaningChanged(time.Time) {}

func (*knownIDs) limitMemory() {}

func (*knownIDs) givesUp() bool { return false }

func (k *knownIDs) unnamed() *unnamed { return &k.bad }

// unreadable lets an item that cannot be decoded count as evaluated without a report, so that its
// report is read.
func (k *knownIDs) unreadable(now time.Time, id string, it *Item, _ *listing) bool {
	if pending := k.Set.Items[id]; pending != nil {
		pending.UnreadableAt = now
	}
	it.Status, it.Unreadable = Evaluated, false
	return false
}

func (*knownIDs) blamesFilter(pending *pendingItem) bool { return pending.Misses == 1 }

func (k *knownIDs) missing() []string { return k.notFound }

func (k *knownIDs) clockPutBack(now time.Time) { k.confirmedAt = earlier(k.confirmedAt, now) }

func (k *knownIDs) ignores(id string, _ *Item) bool { return k.Set.Items[id] == nil }

func (k *knownIDs) delivered(now time.Time, _ string, _ *Item, _ *listing) bool {
	k.lastDelivery = now
	k.searchPages += 1 / float64(k.Poll.pageSize())
	return true
}

func (k *knownIDs) isGone(id string, _ *pendingItem) bool {
	k.notFound = append(k.notFound, id)
	return true
}

// plan plans a poll in the way that costs the fewest reads: single
// reads, new evaluations, a search or the waiting set.
func (k *knownIDs) plan(now time.Time) {
	n, oldest := 0, k.oldest()
	for _, it := range k.Set.Items {
		if !it.ConfirmedAt.IsZero() && it.AwaitedSince.IsZero() {
			n++
		}
	}
	find, set, list := max(1, k.searchPages), math.Inf(1), math.Inf(1)
	if k.canListStatuses(now) && len(k.Set.Statuses) > 0 {
		set = k.waitingSetCost()
	}
	switch k.Since.Meaning {
	case Evaluation:
		list = 1
	case Submission:
		list = k.News.expectedPages(now)
	}
	bySet := k.listedUnfinished
	k.listedUnfinished = false
	switch least := min(find, set, list); {
	case n == 0:
	case float64(n) <= least:
		for _, it := range k.Set.Items {
			if it.ReadAt.IsZero() {
				it.ReadAt = second(now)
			}
		}
	case list == least:
		k.listNewEvaluations(now, oldest)
	case find == least:
		k.searchEvaluated(oldest, int(find)+2)
	default:
		k.listedUnfinished = true
		if k.listWaitingSet(now, confirmAfter, false); !bySet { // No listing of the waiting set precedes those that have left it.
			k.searchEvaluated(oldest, int(find)+2)
		}
	}
	k.confirm(now)
}

// confirm confirms each known id within the hour.
func (k *knownIDs) confirm(now time.Time) {
	var stale []string
	for _, it := range k.Set.sorted(nil) {
		if !it.ConfirmedAt.IsZero() && now.Sub(it.ConfirmedAt) >= confirmAfter {
			stale = append(stale, it.id)
		}
	}
	pages := 0
	for _, s := range k.Set.Statuses {
		pages += s.Pages
	}
	switch works := k.canListStatuses(now); {
	case works && pages > 0 && pages < len(stale):
		k.listWaitingSet(now, confirmAfter, true)
	case !works && k.openingPages < len(stale) && k.Poll.findListing(unfinished, "") == nil && now.Sub(k.confirmedAt) >= confirmAfter:
		k.confirmedAt = now
		k.addUnfinishedListing(listing{Purpose: unfinished, MaxPollPages: maxStatusPages, Resumes: true})
	}
	lists := func(name string) bool {
		l := k.Poll.findListing(unfinished, name)
		return l != nil && l.Failures < maxFailures
	}
	stale = slices.DeleteFunc(stale, func(id string) bool { // A read or a listing is planned for these.
		it := k.Set.Items[id]
		return !it.ReadAt.IsZero() || lists(it.Status) || lists("")
	})
	for _, id := range stale[:min(len(stale), max(5, len(stale)/10))] {
		k.Set.Items[id].ReadAt = second(now)
	}
}

// oldest returns the creation of the oldest pending id that was seen and does not await its report.
func (k *knownIDs) oldest() time.Time {
	var oldest time.Time
	for _, it := range k.Set.Items {
		if !it.Created.IsZero() && it.AwaitedSince.IsZero() && (oldest.IsZero() || it.Created.Before(oldest)) {
			oldest = it.Created
		}
	}
	return oldest
}

// countUnconfirmed returns the number of known ids that no response has shown.
func (k *knownIDs) countUnconfirmed() (n int) {
	for _, it := range k.Set.Items {
		if it.ConfirmedAt.IsZero() {
			n++
		}
	}
	return n
}

// readUnconfirmed schedules single reads of the known ids that no listing showed.
func (k *knownIDs) readUnconfirmed() {
	for _, it := range k.Set.Items {
		if it.ConfirmedAt.IsZero() {
			it.ReadAt = second(k.Poll.StartedAt)
		}
	}
}
