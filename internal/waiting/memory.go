package waiting

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

const (
	maxLateness   = 24 * time.Hour // A listing may show an evaluation this late. Less where memory was short.
	maxDelivered  = 4000
	keptDelivered = 3000    // The latest deliveries, which stay in memory because they may be regraded.
	maxItemBytes  = 168_200 // Of the unfinished submissions beside maxDelivered deliveries, so that the state fits into MaxState: 2,900 with a short row.
	deliveryBytes = entrySize * 4.0 / 3
)

// memory is the part of a watch that knows what was delivered. It keeps a delivery until the times
// of a submission alone prove it.
type memory struct {
	Delivered        deliveries `json:",omitzero"`
	Coverages        []coverage `json:",omitzero"`
	ForgottenUntil   time.Time  `json:",omitzero"` // Deliveries of evaluations until then were dropped early. Later listings of them deliver nothing.
	UnreadableHashes unnamed    `json:",omitzero"`
}

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

// isRegraded reports whether a delivered item was graded again since its delivery.
func (d deliveries) isRegraded(id string, it *Item) bool {
	entry, ok := d[hashOf(id)]
	return ok && entry.evaluated != math.MaxUint32 && newDelivery(it).evaluated > entry.evaluated && !it.Evaluated.IsZero()
}

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

// completeSince returns the creation since which a listing of evaluated submissions shows all of them at its end.
// Where since filters on the evaluation, earlier listings have shown what a listing of new evaluations leaves out.
func (w *watch) completeSince(l *listing) time.Time {
	switch {
	case l.Purpose == fresh && w.Since.Meaning == Evaluation:
		return time.Time{}
	case l.Since.IsZero():
		return l.CreatedSince
	}
	return l.Since.Add(rounding)
}

func (w *watch) addCoverage(since, saw time.Time) {
	if !since.After(w.oldest()) {
		w.Sweeps.lookbackRead(saw)
	}
	w.Memory.addCoverage(coverage{since, saw})
}

func (m *memory) addCoverage(p coverage) {
	if !slices.ContainsFunc(m.Coverages, func(q coverage) bool { return q.covers(p) }) {
		m.Coverages = append(slices.DeleteFunc(m.Coverages, p.covers), p)
	}
}

func (p coverage) covers(q coverage) bool {
	return !p.CreatedSince.After(q.CreatedSince) && !p.EvaluatedUntil.Before(q.EvaluatedUntil)
}

// isCovered reports whether the times of an item show that it was delivered, or that it
// is from before the start.
func (w *watch) isCovered(it *Item) bool {
	return w.beforeStart(it) || w.Memory.proves(it)
}

// proves reports whether the times of an item show that it was delivered.
func (m *memory) proves(it *Item) bool {
	lateness := maxLateness
	if !it.Evaluated.After(m.ForgottenUntil) {
		lateness = lookBackUnit
	}
	return !it.Evaluated.IsZero() && m.covers(it, lateness)
}

// covers reports whether a completed listing has shown an item, if listings show an evaluation after
// lateness at the latest.
func (m *memory) covers(it *Item, lateness time.Duration) bool {
	shown := it.Evaluated.Add(lateness)
	return slices.ContainsFunc(m.Coverages, func(p coverage) bool {
		return !it.Created.Before(p.CreatedSince) && shown.Before(p.EvaluatedUntil)
	})
}

// beforeStart reports whether an item was evaluated before the start of the watch.
func (w *watch) beforeStart(it *Item) bool {
	return !it.Evaluated.IsZero() && it.Evaluated.Before(w.WatchStart)
}

// limitMemory keeps the memory within its limits. It drops unfinished submissions in the order of
// waitingSet.drop. A listing shows them again when they are evaluated: that of new evaluations
// where since filters on the evaluation, and otherwise a sweep.
func (w *watch) limitMemory() {
	w.limitDeliveries()
	if most := w.Memory.roomForItems(); w.Set.size() > most {
		w.dropItems(most * 7 / 8)
	}
}

func (w *watch) limitDeliveries() {
	if len(w.Memory.Delivered) <= maxDelivered {
		return
	}
	for i := range w.Poll.Listings { // A running listing covers what it has passed.
		l := &w.Poll.Listings[i]
		if l.showsEvaluated() && !l.Unordered && !l.LastCreated.IsZero() {
			w.addCoverage(later(l.LastCreated.Add(time.Second), w.completeSince(l)), l.StartedAt)
		}
	}
	w.Memory.dropCoveredDeliveries(w.WatchStart)
	if n := len(w.Memory.Delivered) - maxDelivered - maxItemBytes*3/4/entrySize; n > 0 {
		// More deliveries within ten minutes than fit into the state.
		w.Memory.dropDeliveries(n)
	}
}

// roomForItems returns how long the unfinished submissions may be in the state beside the deliveries.
func (m *memory) roomForItems() int {
	return max(0, maxItemBytes-int(float64(max(0, len(m.Delivered)-maxDelivered))*deliveryBytes))
}

// listingsWait reports whether submissions that await only their report, which scheduled single reads
// find, occupy half of what a watch can hold. A listing of evaluated submissions might then show more
// than fit, and count what is dropped as delivered. A submission without a scheduled read waits for a sweep.
func (m *Machine) listingsWait() bool {
	if m.Watch == nil || !m.Poll.Bare {
		return false
	}
	awaited := 0
	for id, it := range m.Set.Items {
		if !it.AwaitedSince.IsZero() && !it.WithoutReport && !it.ReadAt.IsZero() {
			awaited += it.size(id)
		}
	}
	return awaited > m.Watch.Memory.roomForItems()/2
}

// dropDeliveries drops n deliveries in any order. These may be delivered twice.
func (m *memory) dropDeliveries(n int) {
	for _, hash := range slices.Sorted(maps.Keys(m.Delivered))[:n] {
		delete(m.Delivered, hash)
	}
}

// dropItems drops unfinished submissions until the others have most bytes in the state. Their evaluations say
// nothing about the status filter.
func (w *watch) dropItems(most int) {
	w.Set.reviewDropped(w.Pace.RegularSince)
	w.Pace.distrust(w.Set.drop(most, w.Pace.RespondedAt, w.Poll.Bare))
}

// dropCoveredDeliveries drops the oldest deliveries that the times of a submission prove, except
// the latest. While there are too many, it also drops deliveries that are proved from now on,
// because ForgottenUntil advances.
func (m *memory) dropCoveredDeliveries(start time.Time) {
	item := func(hash uint64) *Item {
		d := m.Delivered[hash]
		return &Item{Evaluated: time.Unix(int64(d.evaluated), 0), Created: time.Unix(int64(d.created), 0)}
	}
	var covered []uint64
	for hash := range m.Delivered {
		if it := item(hash); it.Evaluated.Before(start) || m.covers(it, lookBackUnit) {
			covered = append(covered, hash)
		}
	}
	slices.SortFunc(covered, func(a, b uint64) int {
		return cmp.Or(cmp.Compare(m.Delivered[a].evaluated, m.Delivered[b].evaluated), cmp.Compare(a, b))
	})
	for _, hash := range covered {
		it, n := item(hash), len(m.Delivered)
		switch {
		case n <= keptDelivered:
			return
		case it.Evaluated.Before(start), m.proves(it):
		case n <= maxDelivered:
			continue
		default:
			m.ForgottenUntil = later(m.ForgottenUntil, it.Evaluated)
		}
		delete(m.Delivered, hash)
	}
}

const entrySize = 16

// MarshalText encodes each delivery in 16 bytes, in base64.
func (d deliveries) MarshalText() ([]byte, error) {
	b := make([]byte, 0, len(d)*entrySize)
	for _, hash := range slices.Sorted(maps.Keys(d)) {
		b = binary.BigEndian.AppendUint64(b, hash)
		b = binary.BigEndian.AppendUint32(b, d[hash].evaluated)
		b = binary.BigEndian.AppendUint32(b, d[hash].created)
	}
	return base64.RawStdEncoding.AppendEncode(nil, b), nil
}

// UnmarshalText is the inverse of MarshalText.
func (d *deliveries) UnmarshalText(text []byte) error {
	b, err := base64.RawStdEncoding.AppendDecode(nil, text)
	if err != nil {
		return err
	}
	if len(b)%entrySize != 0 {
		return fmt.Errorf("%d bytes are not a multiple of an entry", len(b))
	}
	*d = make(deliveries, len(b)/entrySize)
	for ; len(b) > 0; b = b[entrySize:] {
		(*d)[binary.BigEndian.Uint64(b)] = delivery{binary.BigEndian.Uint32(b[8:]), binary.BigEndian.Uint32(b[12:])}
	}
	return nil
}
