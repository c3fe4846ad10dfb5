package poll

import (
	"cmp"
	"math"
	"slices"
)

// isWanted reports whether a submission that was evaluated at a time is still to be delivered.
func (m *Machine) isWanted(id string, evaluated Time) bool {
	if m.Known != nil {
		return m.Known[id]
	}
	_, done := m.Done[id]
	return !done && (evaluated >= m.DoneTo || m.Reads[id].First > 0)
}

// see reports whether an item that a source showed is a result. It schedules single reads of an evaluated submission
// until its result is delivered.
func (m *Machine) see(it Item, s *source) bool {
	if it.Status != evaluated || !m.isWanted(it.ID, it.evaluatedAt()) {
		return false
	}
	r, reading := m.Reads[it.ID]
	if !reading {
		r = read{Source: slices.Index(m.Sources, s), Due: m.now + m.options.Interval}
	}
	r.First = cmp.Or(r.First, m.now)
	if it.Ready {
		r.Due = m.now
	}
	m.Reads[it.ID] = r
	return it.Ready
}

// credit counts a reply of a source that showed results first.
func (m *Machine) credit(s *source) {
	for _, other := range m.Sources {
		other.Found *= 1 - 1.0/sharedReplies
	}
	s.Found++
}

// nextRead returns the submission to be read singly first, and when.
func (m *Machine) nextRead() (first string, due Time) {
	due = math.MaxInt64
	for id, r := range m.Reads {
		if r.Due < due || r.Due == due && id < first {
			first, due = id, r.Due
		}
	}
	return first, due
}

// gotRead takes the reply to a single read, of Reads or of the known ids.
func (m *Machine) gotRead(r Reply) (results []Item) {
	id, s := m.asked.ID, m.from
	scheduled, reading := m.Reads[id]
	if s == nil {
		s = m.Sources[scheduled.Source]
	} else {
		s.Open.Cursor = id
		_, more := m.knownAfter(id)
		defer m.turn(s, !more) // After a status was learned.
	}
	if r.Code == 404 {
		delete(m.Reads, id)
		if m.Known[id] {
			delete(m.Known, id)
			m.Missing = append(m.Missing, id)
		}
		return nil
	}
	m.learnStatus(r.Items[0].Status)
	if m.see(r.Items[0], s) {
		m.credit(s)
		return r.Items
	}
	if reading {
		m.readAgain(id)
	}
	return nil
}

// readAgain schedules the next single read of a submission without a ready report, until Lookback has passed. A
// submission that only left the listing of a status is not read again.
func (m *Machine) readAgain(id string) {
	r := m.Reads[id]
	age := m.now - r.First
	if r.First == 0 || age > m.options.Lookback {
		delete(m.Reads, id)
		return
	}
	r.Due = m.now + max(m.options.Interval, age/4, m.options.Interval/4*Time(len(m.Reads)))
	m.Reads[id] = r
}
