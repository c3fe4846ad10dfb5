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
	lateness      = 24 * time.Hour // How much later than it should a listing may show an item.
	leastLateness = 10 * time.Minute
	enough        = 4000 // Deliveries that are remembered for longer than they need to be.
	mostDelivered = 6500
	mostWeight    = 80_000 // Bytes for the unfinished.
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

// add remembers an item. One without a time of evaluation is never forgotten for
// its sake.
func (d deliveries) add(id string, it *Item) {
	entry := delivery{math.MaxUint32, seconds(it.Created)}
	if !it.Evaluated.IsZero() {
		entry.evaluated = seconds(it.Evaluated.Add(time.Second - 1))
	}
	d[hashOf(id)] = entry
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

// proof is what a completed walk shows: all that was created since then and
// evaluated until then is dealt with.
type proof struct {
	Since time.Time `json:"since"`
	Until time.Time `json:"until"`
}

// prove adds what follows from a walk that saw all until a time, but for what
// shows late.
func (m *Machine) prove(since, saw time.Time) { m.settled(proof{since, saw.Add(-lateness)}) }

func (m *Machine) settled(p proof) {
	for _, other := range m.Proofs {
		if !other.Since.After(p.Since) && !other.Until.Before(p.Until) {
			return
		}
	}
	m.Proofs = slices.DeleteFunc(m.Proofs, func(other proof) bool {
		return !other.Since.Before(p.Since) && !other.Until.After(p.Until)
	})
	m.Proofs = append(m.Proofs, p)
}

// disprove takes back what was proved since a time.
func (m *Machine) disprove(sure time.Time) {
	for i := range m.Proofs {
		if p := &m.Proofs[i]; p.Until.After(m.Begin) {
			p.Until = later(earlier(p.Until, sure), m.Begin)
		}
	}
	m.Mark = earlier(m.Mark, sure)
}

// deepest is the time until which all is dealt with, whenever it was created.
func (m *Machine) deepest() time.Time {
	if m.known {
		oldest := m.Base
		for _, it := range m.Items {
			if !it.Seen.IsZero() {
				oldest = earlier(oldest, it.Seen)
			}
		}
		return oldest
	}
	end := m.Begin
	limit := m.Began.Add(-m.Lookback)
	for _, p := range m.Proofs {
		if !p.Since.After(limit) {
			end = later(end, p.Until)
		}
	}
	return end
}

// done tells whether an item is dealt with, whatever the deliveries say.
func (m *Machine) done(it *Item) bool {
	return !it.Evaluated.IsZero() && m.doneAt(it.Evaluated, it.Created)
}

func (m *Machine) doneAt(evaluated, created time.Time) bool {
	for _, p := range m.Proofs {
		if !created.Before(p.Since) && evaluated.Before(p.Until) {
			return true
		}
	}
	return false
}

// forget keeps the memory within its bounds.
func (m *Machine) forget() {
	if m.known {
		return
	}
	m.forgetUnfinished()
	if len(m.Delivered) <= enough {
		return
	}
	m.forgetDone()
	if len(m.Delivered) <= mostDelivered {
		return
	}
	// A walk has dealt with all that it has passed already.
	for i := range m.Walks {
		if w := &m.Walks[i]; (w.For == sweep || w.For == finding) && !w.Mixed && !w.Last.IsZero() {
			m.settled(proof{w.Last.Add(time.Second), w.Began.Add(-leastLateness)})
		}
	}
	m.forgetDone()
	if len(m.Delivered) > mostDelivered {
		m.forgetOldest()
	}
}

// forgetDone drops what done knows by itself.
func (m *Machine) forgetDone() {
	maps.DeleteFunc(m.Delivered, func(_ uint64, d delivery) bool {
		return m.doneAt(time.Unix(int64(d.evaluated), 0), time.Unix(int64(d.created), 0))
	})
}

// forgetOldest makes room. Where since is about the evaluation, what shows later
// than that is not taken any more; elsewhere an item may rather come twice.
func (m *Machine) forgetOldest() {
	oldest := slices.SortedFunc(maps.Keys(m.Delivered), func(a, b uint64) int {
		return cmp.Or(cmp.Compare(m.Delivered[a].evaluated, m.Delivered[b].evaluated), cmp.Compare(a, b))
	})
	drop := oldest[:len(oldest)-mostDelivered*3/4]
	until := time.Unix(int64(m.Delivered[drop[len(drop)-1]].evaluated), 0)
	for _, hash := range drop {
		delete(m.Delivered, hash)
	}
	if m.Meaning == Evaluation && until.Before(m.Base) {
		m.settled(proof{time.Time{}, until})
	}
}

// forgetUnfinished lets the oldest go first: a sweep will find them.
func (m *Machine) forgetUnfinished() {
	weight := 0
	for id := range m.Items {
		weight += weightOf(id)
	}
	if weight <= mostWeight {
		return
	}
	ids := m.sorted()
	for _, id := range ids {
		if weight <= mostWeight*7/8 {
			return
		}
		weight -= weightOf(id)
		delete(m.Items, id)
	}
}

// sorted returns the ids of the items, the oldest first.
func (m *Machine) sorted() []string {
	return slices.SortedFunc(maps.Keys(m.Items), func(a, b string) int {
		return cmp.Or(m.Items[a].Created.Compare(m.Items[b].Created), strings.Compare(a, b))
	})
}
