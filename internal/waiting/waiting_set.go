package waiting

import (
	"maps"
	"slices"
	"time"
)

// waitingSet is the part that knows the submissions whose evaluation is awaited, and how the API lists
// them: the known ids that are left, or what a watch has seen and not delivered.
type waitingSet struct {
	Items    map[string]*pendingItem `json:"-"` // By planner.key(id).
	Packed   packedItems             `json:",omitzero"`
	Statuses map[string]*status
	Serial   int `json:",omitzero"` // Of the last listing with a serial number.

	SampledAt             time.Time `json:",omitzero"` // Last page without a status filter.
	Samples               int       `json:",omitzero"` // Number of such pages.
	WithoutReportListedAt time.Time `json:",omitzero"`
	HandedInListedAt      time.Time `json:",omitzero"` // When a listing of the submissions that are handed in and unfinished was last planned.

	FilterGood     float64   `json:",omitzero"` // Evidence that the filter by the status of unfinished submissions works,
	FilterBad      float64   `json:",omitzero"` // and that it does not.
	FilterOffUntil time.Time `json:",omitzero"`

	TruncatedAt   time.Time `json:",omitzero"` // When an unfinished submission was last dropped. Zero: a sweep has shown what was dropped since.
	DroppedAt     time.Time `json:",omitzero"` // When one was last dropped that another status shows before its evaluation. Zero: each status was listed since.
	UnlistedUntil time.Time `json:",omitzero"` // Submissions that were unfinished before this time may never have been listed.
}

// status is what the machine knows of the unfinished submissions with one status.
type status struct {
	ListedAt time.Time `json:",omitzero"` // When they were last listed completely.
	Pages    int       `json:",omitzero"` // Pages of the last listing, two more if it was incomplete.
	Direct   float64   `json:",omitzero"` // Submissions that left this status and were found evaluated,
	Indirect float64   `json:",omitzero"` // and those that were found with another status.
	HandedIn bool      `json:",omitzero"` // Its submissions are handed in.
}

const (
	maxStatuses        = 20
	maxTextLength      = 64
	maxStatusPages     = 10 // Pages of a status that a poll reads; more where polls are rare.
	fewLeavers         = 5  // Fewer say nothing about a status.
	directShare        = 0.1
	coldListingPerPage = 90 * time.Second // Interval between two listings of a status that is not listed in every poll, for each page.
	maxFilterBad       = 5
	filterOffFor       = 24 * time.Hour
)

// listedEveryPoll reports whether to list the status in every poll, because evaluations come directly
// from it, or too few submissions left it to know.
func (s *status) listedEveryPoll() bool {
	all := s.Direct + s.Indirect
	return all < fewLeavers || s.Direct > directShare*all
}

// indirect reports whether no evaluation came directly from the status lately, so that another status shows
// each submission before its evaluation, if polls are regular.
func (s *status) indirect() bool {
	return s.Direct+s.Indirect >= fewLeavers && s.Direct < 0.5
}

func (s *status) countLeavers(directly, indirectly float64) {
	s.Direct, s.Indirect = s.Direct+directly, s.Indirect+indirectly
	if s.Direct+s.Indirect > 50 {
		s.Direct, s.Indirect = s.Direct/2, s.Indirect/2
	}
}

// listed records that the submissions with the status were listed, completely or not.
func (s *status) listed(l *listing, complete bool) {
	s.Pages = l.Pages
	if complete {
		s.ListedAt = l.StartedAt
	} else {
		s.Pages += 2
	}
}

// remove removes an item that needs nothing any more.
func (s *waitingSet) remove(id string) { delete(s.Items, id) }

// add returns the item with an id, a new one if there is none.
func (s *waitingSet) add(id string, created time.Time) *pendingItem {
	if s.Items[id] == nil {
		s.Items[id] = &pendingItem{Created: second(created)}
	}
	return s.Items[id]
}

// listUntil records that submissions that were unfinished before a time may never have been listed.
func (s *waitingSet) listUntil(at time.Time) { s.UnlistedUntil = later(s.UnlistedUntil, at) }

// nextSerial returns the serial number of a new listing of unfinished submissions.
func (s *waitingSet) nextSerial() int {
	s.Serial++
	return s.Serial
}

// learn records the status of an unfinished item.
func (s *waitingSet) learn(now time.Time, it *Item) {
	if s.Statuses[it.Status] == nil && it.Status != "" && len(it.Status) <= maxTextLength && len(s.Statuses) < maxStatuses {
		if len(s.Statuses) == 0 { // No listing of the waiting set was possible until now.
			s.listUntil(now)
		}
		s.Statuses[it.Status] = &status{Pages: 1}
	}
	if one := s.Statuses[it.Status]; one != nil && !it.Submitted.IsZero() {
		one.HandedIn = true
	}
}

// trackUnfinished records an unfinished item. A watch adds it to the waiting set. l is nil
// for a single read.
func (m *Machine) trackUnfinished(now time.Time, id string, it *Item, l *listing) {
	if m.Set.Items[id] == nil && m.planner.ignores(id, it) {
		return
	}
	m.Set.track(now, id, it, l)
}

func (s *waitingSet) track(now time.Time, id string, it *Item, l *listing) {
	pending := s.add(id, time.Time{})
	if one := s.Statuses[pending.Status]; one != nil && pending.Status != it.Status {
		one.countLeavers(0, 1)
	}
	s.learn(now, it)
	if !it.Created.IsZero() {
		pending.Created = second(it.Created)
	}
	pending.Status, pending.ConfirmedAt = it.Status, now
	if l != nil && l.Purpose == unfinished {
		pending.Serial, pending.Misses, pending.LeftListing = l.Serial, 0, false
		if pending.AwaitedSince.IsZero() { // Only single reads show a late report: the page may be from a stale replica.
			pending.unschedule()
		}
		return
	}
	pending.Serial = max(pending.Serial, s.Serial)
}

// countFilterEvidence counts evidence for and against the filter by the status of
// unfinished submissions.
func (s *waitingSet) countFilterEvidence(good, bad float64) {
	s.FilterGood, s.FilterBad = s.FilterGood+good, s.FilterBad+bad
	if s.FilterGood+s.FilterBad > 50 {
		s.FilterGood, s.FilterBad = s.FilterGood/2, s.FilterBad/2
	}
}

// reviewFilter turns the filter by the status of unfinished submissions off for a day if the
// evidence is against it, and reports whether it can be used.
func (s *waitingSet) reviewFilter(now time.Time, p *poll) bool {
	if s.FilterBad >= maxFilterBad && s.FilterBad > s.FilterGood {
		s.turnFilterOff(now, p)
	}
	return !isOff(now, s.FilterOffUntil)
}

// canListStatuses reports whether to list the unfinished submissions by their status: the status filter works, and
// no such listing fails in poll after poll while the API responds to other requests. A caller that can still use
// the listings of other statuses calls reviewFilter instead.
func (m *Machine) canListStatuses(now time.Time) bool {
	fails := func(l listing) bool {
		return l.Purpose == unfinished && l.Status != "" && !l.Ended && l.Failures >= 2*maxFailures
	}
	return m.Set.reviewFilter(now, &m.Poll) && !slices.ContainsFunc(m.Poll.Listings, fails)
}

// isOff reports whether a filter is off until a time. A time further away than a filter is ever off shows
// that the server's clock was put back.
func isOff(now, until time.Time) bool {
	return now.Before(until) && until.Sub(now) <= filterOffFor+clockError
}

// turnFilterOff stops using the filter for a day.
func (s *waitingSet) turnFilterOff(now time.Time, p *poll) {
	s.FilterOffUntil, s.FilterGood, s.FilterBad = now.Add(filterOffFor), 0, 0
	s.listUntil(s.FilterOffUntil) // The waiting set is not complete until then.
	p.endListings(unfinished)
}

// filterRejected stops using a status filter for a day that the API has rejected. Without a status filter it
// returns ErrRejected.
func (m *Machine) filterRejected(now time.Time, l *listing) error {
	switch l.Status {
	case "":
		return ErrRejected
	case Evaluated:
		m.Poll.turnEvaluatedFilterOff(l)
	default:
		m.Set.turnFilterOff(now, &m.Poll)
	}
	return nil
}

// listWaitingSet lists the unfinished submissions. Statuses that are listed rarely come
// first, so that a submission that moves to another status meanwhile is seen there.
// They are listed again after longest at the latest. A status of more than ten pages is listed so when it
// is due, and like the others in between. For confirming, statuses of every poll are listed only
// when they are due.
func (m *Machine) listWaitingSet(now time.Time, longest time.Duration, confirming bool) {
	var hot, cold []listing
	for _, name := range slices.Sorted(maps.Keys(m.Set.Statuses)) {
		s := m.Set.Statuses[name]
		rest := min(coldListingPerPage*time.Duration(s.Pages), longest)
		due := now.Sub(s.ListedAt) >= rest
		switch {
		case m.Poll.findListing(unfinished, name) != nil:
		case !confirming && s.listedEveryPoll() && (!due || s.Pages <= maxStatusPages):
			hot = append(hot, listing{Purpose: unfinished, Status: name, MaxPollPages: min(s.Pages+2, m.Pace.scaleToPollInterval(maxStatusPages))})
		case due:
			cold = append(cold, listing{Purpose: unfinished, Status: name, MaxPollPages: m.Pace.scaleToPollInterval(maxStatusPages), Resumes: true})
		}
	}
	for _, l := range append(cold, hot...) {
		m.addUnfinishedListing(l)
	}
}

func (m *Machine) addUnfinishedListing(l listing) {
	l.Serial, l.CreatedSince = m.Set.nextSerial(), m.planner.oldest()
	m.Poll.addListing(l)
}

// sampleUnfiltered lists a page without a status filter once an hour, because it may show
// a new status.
func (m *Machine) sampleUnfiltered(now time.Time) {
	if since, due := m.Set.sample(now); due {
		m.Poll.addListing(listing{Purpose: sample, Since: since, MaxPollPages: 1})
	}
}

// sample records a page without a status filter if one is due. It returns since when the page lists.
func (s *waitingSet) sample(now time.Time) (since time.Time, due bool) {
	if !isDue(&s.SampledAt, now, sampleEvery) {
		return since, false
	}
	if s.Samples++; s.Samples%2 == 0 {
		since = filterTime(now.Add(-sampleBack))
	}
	return since, true
}

// isDue reports whether the time since at is every or longer, and sets at to now then.
func isDue(at *time.Time, now time.Time, every time.Duration) bool {
	if now.Sub(*at) < every {
		return false
	}
	*at = now
	return true
}

// handedInIsDue reports whether to list what is handed in and unfinished.
func (s *waitingSet) handedInIsDue(now time.Time) bool {
	return isDue(&s.HandedInListedAt, now, confirmAfter)
}

// withoutReportAreDue reports whether to list what has no report after an hour of single reads.
func (s *waitingSet) withoutReportAreDue(now time.Time) bool {
	return isDue(&s.WithoutReportListedAt, now, maxReadInterval)
}

// planHandedIn lists the submissions that are handed in and unfinished, so that the machine
// knows those whose grading takes longer than the listing of new evaluations reaches back. After
// a truncation it lists all unfinished ones, or the waiting set would count as truncated forever.
func (m *Machine) planHandedIn(now time.Time) {
	if !m.Set.reviewFilter(now, &m.Poll) || !m.Set.handedInIsDue(now) {
		return
	}
	m.sampleUnfiltered(now)
	for _, name := range slices.Sorted(maps.Keys(m.Set.Statuses)) {
		if s := m.Set.Statuses[name]; (s.HandedIn || m.Set.isTruncated()) && m.Poll.findListing(unfinished, name) == nil {
			m.addUnfinishedListing(listing{Purpose: unfinished, Status: name, MaxPollPages: m.Pace.scaleToPollInterval(maxStatusPages), Resumes: true})
		}
	}
}

// waitingSetCost estimates the reads of a poll that lists the waiting set.
func (m *Machine) waitingSetCost() float64 {
	cost := min(m.Poll.UsualDeliveries, leaversForSearch+m.Poll.UsualDeliveries/float64(m.Poll.pageSize()))
	for _, s := range m.Set.Statuses {
		if s.listedEveryPoll() {
			cost += float64(s.Pages)
		}
	}
	return max(1, cost)
}

// waitingSetExtraCost estimates the other reads of a watch's poll that lists the
// waiting set: a page of evaluated submissions and a share of the statuses that are not listed in every poll.
func (m *Machine) waitingSetExtraCost() float64 {
	cost := 1.0
	for _, s := range m.Set.Statuses {
		if !s.listedEveryPoll() {
			cost += min(m.Max.Seconds()/coldListingPerPage.Seconds(), float64(s.Pages))
		}
	}
	return cost
}

// listed schedules single reads of the submissions that the listing of their
// status no longer shows. unit is the shortest delay before another read.
func (s *waitingSet) listed(now time.Time, l *listing, complete bool, unit time.Duration) {
	if one := s.Statuses[l.Status]; one != nil {
		one.listed(l, complete)
	}
	for _, it := range s.Items {
		judged := (it.Status == l.Status || l.Status == "") && it.Serial < l.Serial && it.AwaitedSince.IsZero()
		reached := complete || l.isPast(it.Created)
		if !judged || !reached || it.Created.Before(l.CreatedSince) || it.Created.IsZero() {
			continue
		}
		it.leaveListing(now.Add(backoff(unit, it.Misses, confirmAfter)))
	}
}

// drop drops items until the others have most bytes in the state: first those whose status is unknown or
// does not lead to an evaluation, then others that are not handed in, then those that are, last those that
// are evaluated and await their report: a coverage may count these as delivered. Where listings are bare,
// those that left their listing also come last, because no search finds them again. The oldest come first.
// It returns the creation of the newest one.
func (s *waitingSet) drop(most int, now time.Time, bare bool) (newest time.Time) {
	rank := func(it *pendingItem) int {
		switch one := s.Statuses[it.Status]; {
		case !it.AwaitedSince.IsZero(), it.UnreadableEvaluated, it.LeftListing && bare:
			return 3
		case one == nil:
			return 0
		case one.HandedIn:
			return 2
		case one.listedEveryPoll():
			return 1
		}
		return 0
	}
	size := s.size()
	for _, dropped := range s.sorted(rank) {
		if size <= most {
			break
		}
		size -= dropped.size(dropped.id)
		if one := s.Statuses[dropped.Status]; one != nil && one.indirect() {
			s.DroppedAt = now
		} else {
			s.TruncatedAt = now
		}
		newest = later(newest, dropped.Created)
		s.remove(dropped.id)
	}
	return newest
}

// reviewDropped counts submissions that were dropped as a truncation if polls were irregular before each status
// was listed again: another status, which precedes their evaluation, may not have been listed in time.
func (s *waitingSet) reviewDropped(regularSince time.Time) {
	switch {
	case s.DroppedAt.IsZero():
		return
	case regularSince.After(s.DroppedAt):
		s.TruncatedAt = later(s.TruncatedAt, regularSince)
	case s.isUnlistedSince(s.DroppedAt):
		return
	}
	s.DroppedAt = time.Time{}
}

// isTruncated reports whether the waiting set was truncated and a status has not been listed
// completely since: perhaps the unfinished submissions still do not fit.
func (s *waitingSet) isTruncated() bool {
	return !s.TruncatedAt.IsZero() && s.isUnlistedSince(s.TruncatedAt)
}

// isUnlistedSince reports whether a status has not been listed completely since a time.
func (s *waitingSet) isUnlistedSince(at time.Time) bool {
	for _, one := range s.Statuses {
		if !one.ListedAt.After(at) {
			return true
		}
	}
	return false
}

// swept ends the search for dropped submissions after a sweep over all of Lookback, unless submissions
// were dropped since, or when it began a status had not been listed again.
func (s *waitingSet) swept(l *listing) {
	if s.TruncatedAt.Equal(l.TruncatedAt) {
		s.TruncatedAt = time.Time{}
	}
}

// clockPutBack moves times in the future to now, and reads to when they are due at the latest.
func (s *waitingSet) clockPutBack(now time.Time) {
	for _, t := range []*time.Time{&s.SampledAt, &s.HandedInListedAt, &s.WithoutReportListedAt, &s.TruncatedAt, &s.DroppedAt, &s.UnlistedUntil} {
		*t = earlier(*t, now)
	}
	for _, one := range s.Statuses {
		one.ListedAt = earlier(one.ListedAt, now)
	}
	for _, it := range s.Items {
		it.ReadAt, it.ConfirmedAt = earlier(it.ReadAt, it.latestRead(now)), earlier(it.ConfirmedAt, now)
	}
}
