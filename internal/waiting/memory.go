package waiting

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

const (
	maxLateness       = 24 * time.Hour // A listing may show an evaluation this late. Less where memory is short.
	maxDelivered      = 4000
	keptDelivered     = 3000 // The latest deliveries, which stay in memory because they may be regraded.
	maxItems          = 2900 // Unfinished submissions, so that the state fits into MaxState.
	deliveriesPerItem = 2.5  // Deliveries that take as much memory as an item.
)

// deliveries holds the delivered submissions by a hash of their ids.
type deliveries map[uint64]delivery

// delivery holds the times of a delivered item in Unix seconds, evaluated rounded up.
type delivery struct{ evaluated, created uint32 }

func hashOf(id string) uint64 {
	sum := sha256.Sum256([]byte(strings.ToLower(id)))
	return binary.BigEndian.Uint64(sum[:])
}

func (d deliveries) has(id string) bool {
	_, ok := d[hashOf(id)]
	return ok
}

// regraded reports whether a delivered item was graded again and Options.Regraded is
// set.
func (m *Machine) regraded(id string, it *Item) bool {
	entry, ok := m.Delivered[hashOf(id)]
	return ok && m.Regraded && entry.evaluated != math.MaxUint32 && newDelivery(it).evaluated > entry.evaluated && !it.Evaluated.IsZero()
}

// add records a delivery. One without an evaluation time is dropped only when memory is
// short.
func (d deliveries) add(id string, it *Item) {
	d[hashOf(id)] = newDelivery(it)
}

func newDelivery(it *Item) delivery {
	entry := delivery{math.MaxUint32, seconds(it.Created)}
	if !it.Evaluated.IsZero() {
		entry.evaluated = seconds(it.Evaluated.Add(time.Second - 1))
	}
	return entry
}

func seconds(t time.Time) uint32 { return uint32(min(max(t.Unix(), 0), math.MaxUint32)) }

// ages returns the times from creation to evaluation, sorted.
func (d deliveries) ages() []time.Duration {
	ages := make([]time.Duration, 0, len(d))
	for _, entry := range d {
		if entry.evaluated != math.MaxUint32 && entry.evaluated >= entry.created {
			ages = append(ages, time.Duration(entry.evaluated-entry.created)*time.Second)
		}
	}
	slices.Sort(ages)
	return ages
}

// coverage is what a completed listing has shown: all submissions created since
// CreatedSince and evaluated until EvaluatedUntil.
type coverage struct {
	CreatedSince   time.Time
	EvaluatedUntil time.Time
}

func (m *Machine) addCoverage(since, saw time.Time) {
	if !since.After(m.watchedSince()) {
		m.LookbackReadAt = later(m.LookbackReadAt, saw)
	}
	p := coverage{since, saw}
	if !slices.ContainsFunc(m.Coverages, func(q coverage) bool { return q.covers(p) }) {
		m.Coverages = append(slices.DeleteFunc(m.Coverages, p.covers), p)
	}
}

func (p coverage) covers(q coverage) bool {
	return !p.CreatedSince.After(q.CreatedSince) && !p.EvaluatedUntil.Before(q.EvaluatedUntil)
}

// isCovered reports whether the times of an item show that it was delivered, or that it
// is from before the start.
func (m *Machine) isCovered(it *Item) bool {
	if it.Evaluated.IsZero() || m.beforeStart(it) {
		return !it.Evaluated.IsZero()
	}
	shown := it.Evaluated.Add(m.MaxLateness) // The latest time at which a listing shows it.
	return slices.ContainsFunc(m.Coverages, func(p coverage) bool {
		return !it.Created.Before(p.CreatedSince) && shown.Before(p.EvaluatedUntil)
	})
}

// beforeStart reports whether an item was evaluated before the start of the watch.
func (m *Machine) beforeStart(it *Item) bool {
	return !it.Evaluated.IsZero() && it.Evaluated.Before(m.WatchStart)
}

// limitMemory keeps the memory within its limits. It drops the oldest unfinished
// submissions first, which a sweep finds again.
func (m *Machine) limitMemory() {
	if m.forKnownIDs {
		return
	}
	if most := maxItems - int(float64(max(0, len(m.Delivered)-maxDelivered))/deliveriesPerItem); len(m.Items) > most {
		m.dropItems(len(m.Items) - most*7/8)
	}
	if len(m.Delivered) > maxDelivered {
		m.dropCoveredDeliveries()
	}
	if len(m.Delivered) <= maxDelivered {
		return
	}
	for i := range m.Listings { // A running listing covers what it has passed.
		l := &m.Listings[i]
		ofEvaluated := l.Purpose == sweep || l.Purpose == search || l.Purpose == newEvaluations
		if ofEvaluated && !l.Unordered && !l.LastCreated.IsZero() {
			m.addCoverage(l.LastCreated.Add(time.Second), l.StartedAt)
		}
	}
	for m.dropCoveredDeliveries(); len(m.Delivered) > maxDelivered && m.MaxLateness > lookBackUnit; m.dropCoveredDeliveries() {
		m.MaxLateness /= 2
	}
	if n := len(m.Delivered) - maxDelivered - maxItems*deliveriesPerItem; n > 0 {
		// More deliveries within ten minutes than fit into the state.
		m.dropDeliveries(n)
	}
}

// dropDeliveries drops n deliveries in any order. These may be delivered twice.
func (m *Machine) dropDeliveries(n int) {
	for _, hash := range slices.Sorted(maps.Keys(m.Delivered))[:n] {
		delete(m.Delivered, hash)
	}
}

// dropItems drops n unfinished submissions: first those with a status from which no
// evaluation comes directly, last those that are handed in, and the oldest first.
func (m *Machine) dropItems(n int) {
	rank := func(it *pendingItem) int {
		switch s := m.Statuses[it.Status]; {
		case s == nil:
			return 0
		case s.HandedIn:
			return 2
		case s.listedEveryPoll():
			return 1
		}
		return 0
	}
	items := m.sorted(rank)
	for _, dropped := range items[:min(n, len(items))] {
		it := dropped.pendingItem
		if s := m.Statuses[it.Status]; s == nil || !s.indirect() || m.Gap > m.regularGap() {
			m.TruncatedAt = later(m.TruncatedAt, m.RespondedAt)
		}
		m.RegularSince = later(m.RegularSince, it.Created) // Its evaluation says nothing about the status filter.
		delete(m.Items, dropped.id)
	}
}

// isTruncated reports whether the waiting set was truncated and a status has not been listed
// completely since: perhaps the unfinished submissions still do not fit.
func (m *Machine) isTruncated() bool {
	for _, s := range m.Statuses {
		if !m.TruncatedAt.IsZero() && !s.ListedAt.After(m.TruncatedAt) {
			return true
		}
	}
	return false
}

// dropCoveredDeliveries drops the deliveries that isCovered shows, except the latest.
func (m *Machine) dropCoveredDeliveries() {
	var covered []uint64
	for hash, d := range m.Delivered {
		if m.isCovered(&Item{Evaluated: time.Unix(int64(d.evaluated), 0), Created: time.Unix(int64(d.created), 0)}) {
			covered = append(covered, hash)
		}
	}
	slices.SortFunc(covered, func(a, b uint64) int {
		return cmp.Or(cmp.Compare(m.Delivered[a].evaluated, m.Delivered[b].evaluated), cmp.Compare(a, b))
	})
	for _, hash := range covered[:min(len(covered), max(0, len(m.Delivered)-keptDelivered))] {
		delete(m.Delivered, hash)
	}
}

// rankedItem is an item with its place in an order.
type rankedItem struct {
	*pendingItem

	id      string
	rank    int
	created int64
}

// sorted returns the items by rank, then by creation, the oldest first, then by id. A nil
// rank means that all ranks are equal.
func (m *Machine) sorted(rank func(*pendingItem) int) []rankedItem {
	items := make([]rankedItem, 0, len(m.Items))
	for id, it := range m.Items {
		r := rankedItem{pendingItem: it, id: id, created: it.Created.UnixMicro()}
		if rank != nil {
			r.rank = rank(it)
		}
		items = append(items, r)
	}
	slices.SortFunc(items, func(a, b rankedItem) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.created, b.created), strings.Compare(a.id, b.id))
	})
	return items
}
