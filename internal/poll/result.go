package poll

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"
)

// read is a submission to be read singly.
type read struct {
	Source    int   `json:"s"` // The index of the source that showed the submission.
	Due       Local `json:"d"`
	Evaluated Local `json:"e,omitempty"` // When it was first seen evaluated, without a ready report. 0: it left the listing of a status.
	Failing   Local `json:"f,omitempty"` // Since when the API cannot answer the reads. 0: it answered the last one, or there was none.

	DoneTo Server `json:"t,omitempty"` // Machine.DoneTo when the first read failed. 0: the reads do not fail.
}

// IsAwaited reports whether a submission may still have to be delivered.
func (m *Machine) IsAwaited(id string) bool {
	if m.Awaited != nil {
		return m.Awaited[id]
	}
	_, delivered := m.Done[id]
	return !delivered
}

// isWanted reports whether an evaluated submission has to be delivered: in a wait, each that is awaited.
func (m *Machine) isWanted(it Item) bool {
	r, reading := m.Reads[it.ID]
	switch {
	case !m.IsAwaited(it.ID):
		return false
	case m.Awaited != nil, it.Undated:
		return true
	case r.Evaluated > 0: // An earlier response showed it without a ready report.
		return true
	case reading && m.FromNow: // It was seen unfinished.
		return true
	}
	return cmp.Or(it.Evaluated, it.Submitted, it.Created) >= cmp.Or(r.DoneTo, m.DoneTo)
}

// receiveItem takes an item that a source showed, and reports whether it is a result. It schedules
// single reads of an evaluated submission until its result is delivered.
func (m *Machine) receiveItem(it Item, s *source) (result bool) {
	result = it.Ready || it.Unreadable && m.Awaited != nil // A watch reads an unreadable one again.
	if it.Status != Finished && !result {
		return false
	}
	if at, delivered := m.Done[it.ID]; delivered { // It is remembered while it may be shown with a later time.
		m.Done[it.ID] = max(at, m.shownUntil(it))
	}
	if !m.isWanted(it) {
		return false
	}
	r, reading := m.Reads[it.ID]
	if !reading {
		r = read{Source: slices.Index(m.Sources, s), Due: m.Now.Add(m.options.Interval)}
	}
	r.Evaluated, r.Failing, r.DoneTo = cmp.Or(r.Evaluated, m.Now), 0, 0
	if result {
		r.Due = m.Now
	}
	m.Reads[it.ID] = r
	return result
}

// shownUntil returns the latest time that a submission has or may get. Without an evaluation that
// is the present: an API may show its time later. Without any Date the present may seem earlier
// than DoneTo.
func (m *Machine) shownUntil(it Item) Server {
	if it.Undated || it.Evaluated == 0 {
		return max(it.latest(), m.server(), m.DoneTo)
	}
	return it.latest()
}

// forget moves DoneTo, when a listing of all of Lookback is complete, and forgets the ids of what
// was evaluated before.
func (m *Machine) forget() {
	m.DoneTo = max(m.DoneTo, m.past().Add(-rememberFor))
	maps.DeleteFunc(m.Done, func(_ string, evaluated Server) bool { return evaluated < m.DoneTo })
}

// past returns a time of the server's clock that has certainly passed. Neither a submission with a
// time in the future nor a wrong clock makes it too late.
func (m *Machine) past() Server { return min(m.Latest, m.Complete) }

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

// receiveAwaited takes the reply to a single read of the next awaited id.
func (m *Machine) receiveAwaited(id string, r Reply, s *source) (results []Item) {
	s.Open.Cursor = id
	s.Open.Pages++
	_, more := m.awaitedAfter(id)
	results = m.receiveRead(id, r, s)
	m.endRequest(s, !more)
	return results
}

// receiveRead takes the reply to a single read to which a source led.
func (m *Machine) receiveRead(id string, r Reply, s *source) (results []Item) {
	switch {
	case r.Kind == Missing:
		delete(m.Reads, id)
		if m.Awaited[id] {
			delete(m.Awaited, id)
			m.Missing = append(m.Missing, id)
		}
		return nil
	case r.Kind != Answered, r.Items[0].Unreadable && m.Awaited == nil: // Other requests do not wait for this submission.
		again := m.Reads[id]
		again.Source = slices.Index(m.Sources, s)
		if again.Failing == 0 {
			again.Failing, again.DoneTo = m.Now, max(1, m.DoneTo)
		}
		m.readAgain(id, again)
		return nil
	}
	it := r.Items[0]
	m.addStatus(it.Status)
	if m.receiveItem(it, s) {
		m.credit(s)
		return r.Items
	}
	again := m.Reads[id]
	if again.Evaluated == 0 || !it.Undated && it.latest().Add(m.options.Lookback) < m.past() {
		delete(m.Reads, id) // The submission only left the listing of a status, or its report never came.
	} else {
		again.Failing, again.DoneTo = 0, 0
		m.readAgain(id, again)
	}
	return nil
}

// readAgain schedules the next single read of a submission whose report is not ready, or that cannot be read.
func (m *Machine) readAgain(id string, r read) {
	r.Due = m.Now.Add(max(m.options.Interval, m.Now.Sub(cmp.Or(r.Evaluated, r.Failing))/4, m.options.Interval/4*time.Duration(len(m.Reads))))
	m.Reads[id] = r
}
