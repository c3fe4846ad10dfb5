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
	lateness      = 24 * time.Hour // How much later than it should a listing may show an item: less where memory is short.
	mostDelivered = 4000
	enough        = 3000 // Of them, the latest, stay when they become too many: one may be graded again.
	mostItems     = 2900 // Unfinished ones: all fits into a state.
	anItem        = 2.5  // So many deliveries take as much room.
)

// deliveries holds what was delivered, by a hash of the id.
type deliveries map[uint64]delivery

// delivery is an item's times in seconds, the first rounded up.
type delivery struct{ evaluated, created uint32 }

func hashOf(id string) uint64 {
	sum := sha256.Sum256([]byte(strings.ToLower(id)))
	return binary.BigEndian.Uint64(sum[:])
}

func (d deliveries) has(id string) bool {
	_, ok := d[hashOf(id)]
	return ok
}

// regraded reports whether a delivered item was graded again since, as far as that
// is wanted.
func (m *Machine) regraded(id string, it *Item) bool {
	entry, ok := m.Delivered[hashOf(id)]
	return ok && m.Regraded && entry.evaluated != math.MaxUint32 && entryOf(it).evaluated > entry.evaluated && !it.Evaluated.IsZero()
}

// add remembers an item. One without a time of evaluation is never forgotten for
// its sake.
func (d deliveries) add(id string, it *Item) {
	d[hashOf(id)] = entryOf(it)
}

func entryOf(it *Item) delivery {
	entry := delivery{math.MaxUint32, seconds(it.Created)}
	if !it.Evaluated.IsZero() {
		entry.evaluated = seconds(it.Evaluated.Add(time.Second - 1))
	}
	return entry
}

func seconds(t time.Time) uint32 { return uint32(min(max(t.Unix(), 0), math.MaxUint32)) }

// ages are the times from creation to evaluation, sorted.
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

// proof is what a completed walk shows: of all that was created since then, it saw
// what was evaluated until then.
type proof struct {
	Since time.Time `json:"since"`
	Saw   time.Time `json:"saw"`
}

func (m *Machine) prove(since, saw time.Time) {
	if !since.After(m.horizon()) {
		m.LookbackReadAt = later(m.LookbackReadAt, saw)
	}
	p := proof{since, saw}
	if !slices.ContainsFunc(m.Proofs, func(q proof) bool { return q.covers(p) }) {
		m.Proofs = append(slices.DeleteFunc(m.Proofs, p.covers), p)
	}
}

func (p proof) covers(q proof) bool { return !p.Since.After(q.Since) && !p.Saw.Before(q.Saw) }

// done tells whether an item is dealt with, whatever the deliveries say.
func (m *Machine) done(it *Item) bool {
	if it.Evaluated.IsZero() || m.tooEarly(it) {
		return !it.Evaluated.IsZero()
	}
	shown := it.Evaluated.Add(m.Lateness) // A listing shows it by then.
	return slices.ContainsFunc(m.Proofs, func(p proof) bool {
		return !it.Created.Before(p.Since) && shown.Before(p.Saw)
	})
}

// tooEarly reports whether an item was evaluated before the beginning of the watch.
func (m *Machine) tooEarly(it *Item) bool {
	return !it.Evaluated.IsZero() && it.Evaluated.Before(m.Begin)
}

// forget keeps the memory within its bounds. What is known of the unfinished goes
// first, the oldest first: a sweep will find them.
func (m *Machine) forget() {
	if m.known {
		return
	}
	if most := mostItems - int(float64(max(0, len(m.Delivered)-mostDelivered))/anItem); len(m.Items) > most {
		m.forgetItems(len(m.Items) - most*7/8)
	}
	if len(m.Delivered) > mostDelivered {
		m.forgetDone()
	}
	if len(m.Delivered) <= mostDelivered {
		return
	}
	for i := range m.Walks { // A walk has dealt with all that it has passed already.
		if w := &m.Walks[i]; (w.For == sweep || w.For == chasing || w.For == news) && !w.Mixed && !w.Last.IsZero() {
			m.prove(w.Last.Add(time.Second), w.Began)
		}
	}
	for m.forgetDone(); len(m.Delivered) > mostDelivered && m.Lateness > ruler; m.forgetDone() {
		m.Lateness /= 2
	}
	if n := len(m.Delivered) - mostDelivered - mostItems*anItem; n > 0 { // More than there is room for within ten minutes.
		m.forgetAny(n)
	}
}

// forgetAny drops so many deliveries without any order: these may come twice.
func (m *Machine) forgetAny(n int) {
	for _, hash := range slices.Sorted(maps.Keys(m.Delivered))[:n] {
		delete(m.Delivered, hash)
	}
}

// forgetItems drops so many of the unfinished: first those from which no evaluation
// comes directly, those that are handed in last, the oldest first.
func (m *Machine) forgetItems(n int) {
	rank := func(it *item) int {
		switch s := m.Statuses[it.Status]; {
		case s == nil:
			return 0
		case s.Handed:
			return 2
		case s.hot():
			return 1
		}
		return 0
	}
	items := m.sorted(rank)
	for _, known := range items[:min(n, len(items))] {
		it := known.item
		if s := m.Statuses[it.Status]; s == nil || !s.indirect() || m.idle > m.steady() {
			m.TruncatedAt = later(m.TruncatedAt, m.RespondedAt)
		}
		m.RegularSince = later(m.RegularSince, it.Created) // Nothing is to be concluded from what becomes of it.
		delete(m.Items, known.id)
	}
}

// forgetDone drops what done knows by itself, but for the latest.
func (m *Machine) forgetDone() {
	var known []uint64
	for hash, d := range m.Delivered {
		if m.done(&Item{Evaluated: time.Unix(int64(d.evaluated), 0), Created: time.Unix(int64(d.created), 0)}) {
			known = append(known, hash)
		}
	}
	slices.SortFunc(known, func(a, b uint64) int {
		return cmp.Or(cmp.Compare(m.Delivered[a].evaluated, m.Delivered[b].evaluated), cmp.Compare(a, b))
	})
	for _, hash := range known[:min(len(known), max(0, len(m.Delivered)-enough))] {
		delete(m.Delivered, hash)
	}
}

// ranked is a pending item with its place in an order.
type ranked struct {
	*item

	id      string
	rank    int
	created int64
}

// sorted returns the items by rank, then by creation, the oldest first, then by id.
// Without a rank, all are equal.
func (m *Machine) sorted(rank func(*item) int) []ranked {
	items := make([]ranked, 0, len(m.Items))
	for id, it := range m.Items {
		r := ranked{item: it, id: id, created: it.Created.UnixMicro()}
		if rank != nil {
			r.rank = rank(it)
		}
		items = append(items, r)
	}
	slices.SortFunc(items, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.created, b.created), strings.Compare(a.id, b.id))
	})
	return items
}
