package poll

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// isAwaited reports whether a submission may still have to be delivered.
func (m *Machine) isAwaited(id string) bool {
	if m.Awaited != nil {
		return m.Awaited[id]
	}
	_, delivered := m.Done[id]
	return !delivered
}

// receiveItem takes an item that a source showed, and reports whether it is a result. It schedules single reads of an
// evaluated submission until its result is delivered.
func (m *Machine) receiveItem(it Item, s *source) (result bool) {
	if it.Status != Finished {
		return false
	}
	if at, delivered := m.Done[it.ID]; delivered { // It is remembered while it may be shown with a later time.
		m.Done[it.ID] = max(at, m.shownUntil(it))
	}
	r, reading := m.Reads[it.ID]
	since := cmp.Or(it.Evaluated, it.Submitted, it.Created)
	wanted := m.Awaited != nil || it.Undated || since >= m.DoneTo || r.First > 0 || reading && m.FromNow
	if !wanted || !m.isAwaited(it.ID) {
		return false
	}
	if !reading {
		r = read{Source: slices.Index(m.Sources, s), Due: m.Clock.Add(m.options.Interval)}
	}
	r.First, r.Failed = cmp.Or(r.First, m.Clock), false
	if it.Ready {
		r.Due = m.Clock
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
func (m *Machine) nextRead() (first string, due Local) {
	due = math.MaxInt64
	for id, r := range m.Reads {
		if r.Due < due || r.Due == due && id < first {
			first, due = id, r.Due
		}
	}
	return first, due
}

// receiveRead takes the reply to a single read, of Reads or of the awaited ids.
func (m *Machine) receiveRead(r Reply) (results []Item) {
	if m.source == nil {
		return m.receiveSubmission(r, m.Sources[m.Reads[m.asked.ID].Source])
	}
	m.source.Open.Cursor = m.asked.ID
	_, more := m.awaitedAfter(m.asked.ID)
	results = m.receiveSubmission(r, m.source) // Before the request is counted, because it may show a new status.
	m.countRequest(m.source, !more)
	return results
}

// receiveSubmission takes the reply to a single read to which a source led.
func (m *Machine) receiveSubmission(r Reply, s *source) (results []Item) {
	id := m.asked.ID
	switch {
	case r.Outcome == Missing:
		delete(m.Reads, id)
		if m.Awaited[id] {
			delete(m.Awaited, id)
			m.Missing = append(m.Missing, id)
		}
		return nil
	case r.Outcome != Answered: // The API fails for this submission, which other requests do not wait for.
		m.readAgain(id, read{Source: slices.Index(m.Sources, s), First: cmp.Or(m.Reads[id].First, m.Clock), Failed: true})
		return nil
	}
	it := r.Items[0]
	m.addStatus(it.Status)
	if m.receiveItem(it, s) {
		m.credit(s)
		return r.Items
	}
	scheduled := m.Reads[id]
	if scheduled.First == 0 || !it.Undated && it.latest().Add(m.options.Lookback) < m.past() {
		delete(m.Reads, id) // It only left the listing of a status, or its report never came.
	} else {
		scheduled.Failed = false
		m.readAgain(id, scheduled)
	}
	return nil
}

// readAgain schedules the next single read of a submission whose report is not ready, or that cannot be read.
func (m *Machine) readAgain(id string, r read) {
	r.Due = m.Clock.Add(max(m.options.Interval, m.Clock.Sub(r.First)/4, m.options.Interval/4*time.Duration(len(m.Reads))))
	m.Reads[id] = r
}
