package waiting

import (
	"maps"
	"slices"
	"time"
)

// pendingItem is a pending known id, or a submission that a watch has seen and not
// delivered.
type pendingItem struct {
	Created       time.Time // Zero: not known.
	Status        string
	ConfirmedAt   time.Time // Last response that showed that it exists.
	LateSince     time.Time // It is evaluated, and its report is not ready, since then.
	NoReportAt    time.Time // First single read that found no report.
	NoReportLocal time.Time // The same by the caller's clock.
	WithoutReport bool      // Single reads found no report for an hour. It is delivered without one.
	ReadAt        time.Time // When to read it singly. Zero: never.
	Serial        int       // Of the last listing of unfinished submissions that showed it.
	Misses        int       // Consecutive single reads that failed or showed what a listing should have shown.
	LeftListing   bool      // The listing of its status no longer shows it.
	UnreadableAt  time.Time // First response that could not be decoded. Zero: none.
	Unreadable    bool      // The last response that showed it could not be decoded.
}

// status is what the machine knows of the unfinished submissions with one status.
type status struct {
	ListedAt time.Time `json:",omitzero"` // When they were last listed completely.
	Pages    int       `json:",omitzero"` // Pages of the last listing.
	Direct   float64   `json:",omitzero"` // Submissions that left this status and were found evaluated,
	Indirect float64   `json:",omitzero"` // and those that were found with another status.
	HandedIn bool      `json:",omitzero"` // Its submissions are handed in.
}

const (
	maxStatuses        = 20
	maxTextLength      = 64
	maxStatusPages     = 10 // Pages a poll, of a status that is listed in every poll.
	fewLeavers         = 5  // Fewer say nothing about a status.
	directShare        = 0.1
	rareListingPerPage = 90 * time.Second // Interval between two listings of a rare status, for each page.
	maxFilterBad       = 5
	filterOffFor       = 24 * time.Hour
)

// listedEveryPoll reports whether to list the status in every poll, because
// evaluations come directly from it.
func (s *status) listedEveryPoll() bool {
	all := s.Direct + s.Indirect
	return all < fewLeavers || s.Direct > directShare*all
}

// indirect reports whether no evaluation came directly from the status lately, so
// that another status shows each submission before its evaluation.
func (s *status) indirect() bool {
	return s.Direct+s.Indirect >= fewLeavers && s.Direct < 0.5
}

func (s *status) countLeavers(directly, indirectly float64) {
	s.Direct, s.Indirect = s.Direct+directly, s.Indirect+indirectly
	if s.Direct+s.Indirect > 50 {
		s.Direct, s.Indirect = s.Direct/2, s.Indirect/2
	}
}

// trackUnfinished records an unfinished item. A watch adds it to the waiting set. l is nil
// for a single read.
func (m *Machine) trackUnfinished(now time.Time, id string, it *Item, l *listing) {
	pending := m.Items[id]
	if pending == nil {
		if m.forKnownIDs || m.Delivered.has(id) && !m.Regraded || it.Created.Before(m.watchedSince()) || len(id) > maxTextLength {
			return
		}
		pending = &pendingItem{}
		m.Items[id] = pending
	}
	if s := m.Statuses[pending.Status]; s != nil && pending.Status != it.Status {
		s.countLeavers(0, 1)
	}
	if m.Statuses[it.Status] == nil && it.Status != "" && len(it.Status) <= maxTextLength && len(m.Statuses) < maxStatuses {
		if len(m.Statuses) == 0 { // No listing of the waiting set was possible until now.
			m.UnlistedUntil = later(m.UnlistedUntil, now)
		}
		m.Statuses[it.Status] = &status{Pages: 1}
	}
	if s := m.Statuses[it.Status]; s != nil && !it.Submitted.IsZero() {
		s.HandedIn = true
	}
	if !it.Created.IsZero() {
		pending.Created = second(it.Created)
	}
	pending.Status, pending.ConfirmedAt = it.Status, now
	if l != nil && l.Purpose == unfinished {
		pending.Serial, pending.Misses, pending.LeftListing, pending.ReadAt = l.Serial, 0, false, time.Time{}
		return
	}
	pending.Serial = max(pending.Serial, m.Serial)
}

// countFilterEvidence counts evidence for and against the filter by the status of
// unfinished submissions.
func (m *Machine) countFilterEvidence(good, bad float64) {
	m.FilterGood, m.FilterBad = m.FilterGood+good, m.FilterBad+bad
	if m.FilterGood+m.FilterBad > 50 {
		m.FilterGood, m.FilterBad = m.FilterGood/2, m.FilterBad/2
	}
}

// reviewStatusFilter turns the filter by the status of unfinished submissions off for a day
// if the evidence is against it, and reports whether it can be used.
func (m *Machine) reviewStatusFilter(now time.Time) bool {
	if m.FilterBad >= maxFilterBad && m.FilterBad > m.FilterGood {
		m.turnFilterOff(now)
	}
	return !now.Before(m.FilterOffUntil) || m.FilterOffUntil.Sub(now) > filterOffFor+clockError
}

// turnFilterOff stops using the filter for a day.
func (m *Machine) turnFilterOff(now time.Time) {
	m.FilterOffUntil, m.FilterGood, m.FilterBad = now.Add(filterOffFor), 0, 0
	m.UnlistedUntil = later(m.UnlistedUntil, m.FilterOffUntil) // The waiting set is not complete until then.
	m.endListings(unfinished)
}

// filterRejected stops using a status filter that the API has rejected.
func (m *Machine) filterRejected(now time.Time, l *listing) error {
	switch l.Status {
	case "":
		return ErrRejected
	case Evaluated:
		m.EvaluatedFilterRejected = true
		l.Status = ""
	default:
		m.turnFilterOff(now)
	}
	return nil
}

// evaluatedFilter returns the status filter for evaluated submissions.
func (m *Machine) evaluatedFilter() string {
	if m.EvaluatedFilterRejected {
		return ""
	}
	return Evaluated
}

// listWaitingSet lists the unfinished submissions. Statuses that are listed rarely come
// first, so that a submission that moves to another status meanwhile is seen there.
// For confirming, statuses of every poll are listed only when they are due.
func (m *Machine) listWaitingSet(now time.Time, confirming bool) {
	var hot, rare []listing
	for _, name := range slices.Sorted(maps.Keys(m.Statuses)) {
		s := m.Statuses[name]
		rest := rareListingPerPage * time.Duration(s.Pages)
		if m.forKnownIDs {
			rest = min(rest, confirmAfter)
		}
		due := now.Sub(s.ListedAt) >= rest || s.ListedAt.After(now)
		switch {
		case m.findListing(unfinished, name) != nil:
		case !confirming && s.listedEveryPoll() && (!due || s.Pages <= maxStatusPages):
			hot = append(hot, listing{Purpose: unfinished, Status: name, MaxPollPages: min(s.Pages+2, m.scaleToPollInterval(maxStatusPages))})
		case due:
			rare = append(rare, listing{Purpose: unfinished, Status: name, MaxPollPages: m.scaleToPollInterval(maxStatusPages), Resumes: true})
		}
	}
	for _, l := range append(rare, hot...) {
		m.addUnfinishedListing(l)
	}
}

func (m *Machine) addUnfinishedListing(l listing) {
	m.Serial++
	l.Serial, l.CreatedSince = m.Serial, m.oldestWatched()
	m.addListing(l)
}

// waitingSetCost estimates the reads of a poll that lists the waiting set.
func (m *Machine) waitingSetCost() float64 {
	cost := min(m.DeliveredPerPoll, leaversForSearch+m.DeliveredPerPoll/float64(m.pageSize()))
	for _, s := range m.Statuses {
		if s.listedEveryPoll() {
			cost += float64(s.Pages)
		}
	}
	return max(1, cost)
}

// waitingSetExtraCost estimates the other reads of a watch's poll that lists the
// waiting set: a page of evaluated submissions and a share of the rare statuses.
func (m *Machine) waitingSetExtraCost() float64 {
	cost := 1.0
	for _, s := range m.Statuses {
		if !s.listedEveryPoll() {
			cost += min(m.Max.Seconds()/rareListingPerPage.Seconds(), float64(s.Pages))
		}
	}
	return cost
}

// scheduleLeavers schedules single reads of the submissions that the listing of their
// status no longer shows.
func (m *Machine) scheduleLeavers(now time.Time, l *listing, complete bool) {
	if s := m.Statuses[l.Status]; s != nil {
		s.Pages = l.Pages
		if complete {
			s.ListedAt = l.StartedAt
		} else {
			s.Pages += 2
		}
	}
	for _, it := range m.Items {
		judged := (it.Status == l.Status || l.Status == "") && it.Serial < l.Serial && it.LateSince.IsZero() && !it.Unreadable
		reached := complete || l.isPast(it.Created)
		if !judged || !reached || it.Created.Before(l.CreatedSince) || it.Created.IsZero() {
			continue
		}
		it.LeftListing = true
		if it.ReadAt.IsZero() {
			it.ReadAt = second(now.Add(m.backoff(it.Misses, confirmAfter)))
		}
	}
}
