package waiting

import (
	"slices"
	"strings"
	"time"
)

// purpose is why the machine reads a listing.
type purpose int

const (
	opening        purpose = iota // All submissions, at the start.
	sample                        // One page, which may show a new status or an item for the experiment.
	experiment                    // The experiment for the since meaning.
	newEvaluations                // Evaluations since the cutoff.
	search                        // Evaluated submissions from the oldest wanted one on.
	unfinished                    // The unfinished submissions of one status.
	sweep                         // Submissions that were missed, in the background.
)

// listing is a listing that is read page by page. It may take many polls.
type listing struct {
	Purpose      purpose   `json:",omitzero"`
	Status       string    `json:",omitzero"`
	Since        time.Time `json:",omitzero"`
	CreatedSince time.Time `json:",omitzero"` // An ordered listing ends at items that were created earlier.
	Cursor       string    `json:",omitzero"`
	CursorAt     time.Time `json:",omitzero"` // Time of the response with the cursor.
	StartedAt    time.Time `json:",omitzero"` // Time of the first page.
	Pages        int       `json:",omitzero"` // Pages read so far.
	PollPages    int       `json:",omitzero"` // Pages read in this poll.
	MaxPollPages int       `json:",omitzero"` // Pages that one poll may read; 0 means no limit.
	Resumes      bool      `json:",omitzero"` // At MaxPollPages it pauses until the next poll. Otherwise it ends.
	AtOnce       bool      `json:",omitzero"` // It reads all its pages in one poll.
	Paused       bool      `json:",omitzero"` // It reads no more pages in this poll.
	Ended        bool      `json:",omitzero"`
	Serial       int       `json:",omitzero"` // Of unfinished submissions: the serial number that listed items get.
	Level        int       `json:",omitzero"` // Of a sweep: its level. Of new evaluations: 1 when it looks back further.
	LastCreated  time.Time `json:",omitzero"` // Creation time of the last item.
	Unordered    bool      `json:",omitzero"` // The items are not ordered by creation.
	Restarts     int       `json:",omitzero"` // How often it began again because its cursor failed.
	FirstHash    uint64    `json:",omitzero"` // Hash of the first item of the first page.
}

// rank orders the listings of a poll: sweeps of all of Lookback come last.
func (l *listing) rank() int {
	if l.Purpose == sweep && l.Level == deepest {
		return 1
	}
	return 0
}

const (
	maxRestarts        = 2
	maxRepeatedPages   = 3
	maxRejectedCursors = 3 // Of fresh cursors, in a row.
	freshCursor        = 10 * time.Second
	largestPage        = 100
)

// isPast reports whether all items that were created since that time were listed, which
// an ordered listing shows.
func (l *listing) isPast(since time.Time) bool {
	return !l.Unordered && !l.LastCreated.IsZero() && l.LastCreated.Before(since)
}

// currentListing returns the listing to continue in this poll, or nil.
func (m *Machine) currentListing() *listing {
	for i := range m.Listings {
		if l := &m.Listings[i]; !l.Paused && !l.Ended {
			return l
		}
	}
	return nil
}

func (m *Machine) addListing(l listing) { m.Listings = append(m.Listings, l) }

// findListing returns the listing with a purpose and a status, or nil.
func (m *Machine) findListing(p purpose, status string) *listing {
	for i := range m.Listings {
		if l := &m.Listings[i]; l.Purpose == p && l.Status == status && !l.Ended {
			return l
		}
	}
	return nil
}

func (m *Machine) endListings(purposes ...purpose) {
	for i := range m.Listings {
		m.Listings[i].Ended = m.Listings[i].Ended || slices.Contains(purposes, m.Listings[i].Purpose)
	}
}

// handlePage updates the state with a page of the current listing, and returns the
// indexes of the items to deliver.
func (m *Machine) handlePage(now time.Time, a Response) (ready []int, err error) {
	l := m.currentListing()
	switch {
	case l == nil:
		return nil, nil
	case a.Failed:
		m.Polling = l.rank() == 0 // After a sweep of all of Lookback a new poll begins, with the other listings first.
		m.interruptPoll(now, a.RetryAfter)
		return nil, nil
	case a.Rejected && l.Cursor != "":
		if now.Sub(l.CursorAt) < freshCursor { // An older cursor may have expired.
			m.RejectedCursors++
		}
		return nil, m.restartListing(now, l)
	case a.Rejected:
		return nil, m.filterRejected(now, l)
	case m.isFirstPageAgain(l, a):
		m.RepeatedPages++
		return nil, m.restartListing(now, l)
	case l.Pages > 0:
		m.RepeatedPages, m.RejectedCursors = 0, 0
	default:
		l.StartedAt = now
		if l.Purpose == newEvaluations {
			m.NextCutoff = earlier(m.NewestEvaluation, now)
		}
	}
	for i := range a.Items {
		it := &a.Items[i]
		if !it.Created.IsZero() {
			l.Unordered = l.Unordered || !l.LastCreated.IsZero() && it.Created.After(l.LastCreated)
			l.LastCreated = it.Created
		}
		if m.handleItem(now, it, l) {
			ready = append(ready, i)
		}
	}
	m.DeliveredByPage += len(ready)
	m.advance(now, l, a)
	m.limitMemory()
	return ready, nil
}

// isFirstPageAgain reports whether a page repeats the first page.
func (m *Machine) isFirstPageAgain(l *listing, a Response) bool {
	if len(a.Items) == 0 {
		return false
	}
	first := hashOf(a.Items[0].ID)
	if l.Cursor == "" {
		l.FirstHash = first
		return false
	}
	return first == l.FirstHash || a.Cursor == l.Cursor
}

// restartListing begins a listing again because its cursor failed, perhaps because it
// expired. Now the listing is read without pauses. It ends after maxRestarts.
func (m *Machine) restartListing(now time.Time, l *listing) error {
	switch {
	case m.RejectedCursors > maxRejectedCursors:
		return ErrRejected
	case m.RepeatedPages >= maxRepeatedPages:
		return ErrCursorIgnored
	}
	l.Restarts++
	if l.Restarts > maxRestarts {
		l.Ended = true
		m.interruptPoll(now, 0)
	}
	l.Cursor, l.Pages, l.LastCreated, l.MaxPollPages = "", 0, time.Time{}, 0
	return nil
}

// advance continues with the next page, or pauses or ends the listing.
func (m *Machine) advance(now time.Time, l *listing, a Response) {
	l.Pages, l.PollPages = l.Pages+1, l.PollPages+1
	l.Cursor, l.CursorAt = a.Cursor, now
	if a.Cursor != "" {
		m.PageSize = min(max(m.PageSize, len(a.Items)), largestPage)
	}
	if l.Purpose == sweep {
		if l.Level == deepest {
			m.LookbackPageAt, m.Deepened = now, true
		}
		m.Levels[l.Level].Credit = max(0, m.Levels[l.Level].Credit-1)
	}
	complete := a.Cursor == "" || l.isPast(l.CreatedSince)
	full := l.MaxPollPages > 0 && l.PollPages >= l.MaxPollPages
	switch {
	case l.Purpose == experiment:
		m.readExperiment(now, l, a.Items, complete)
		return // l is no longer valid: the listing of the next step may have moved it.
	case l.Purpose == opening && m.forKnownIDs && m.countUnconfirmed() <= l.Pages:
		complete = true
	}
	switch {
	case complete, full && !l.Resumes:
		l.Ended = true
		m.listingEnded(now, l, complete)
	case full:
		l.Paused = true
	}
}

// listingEnded updates the state after a listing. complete reports whether all its
// pages were read.
func (m *Machine) listingEnded(now time.Time, l *listing, complete bool) {
	switch l.Purpose {
	case opening:
		m.openingEnded(l)
	case newEvaluations:
		if l.Level == 0 {
			m.NewPages = float64(l.Pages)
		}
		if complete {
			m.advanceCutoff(l)
		}
	case search:
		m.SearchedAll = complete
		m.SearchPages = float64(l.Pages)
		if !complete {
			m.SearchPages += 2
		}
	case unfinished:
		m.scheduleLeavers(now, l, complete)
	case sweep:
		if complete {
			m.sweepEnded(l)
		}
	}
}

// handleItem updates the state with a listed or read item, and reports whether to deliver
// the item. l is nil for a single read.
func (m *Machine) handleItem(now time.Time, it *Item, l *listing) bool {
	id := m.keyOf(it.ID)
	if it.Unreadable {
		m.trackUnreadable(now, id, it)
		return false
	}
	if pending := m.Items[id]; pending != nil && pending.Unreadable {
		pending.Unreadable, pending.ReadAt = false, (time.Time{})
		if !m.forKnownIDs && it.isEvaluated() && m.beforeStart(it) {
			m.Delivered.add(id, it) // A listing may continue to show it undecodable.
			delete(m.Items, id)
			return false
		}
	}
	if l != nil && l.Purpose == unfinished && l.Status != "" {
		if it.Status == l.Status {
			m.countFilterEvidence(0.1, 0)
		} else {
			m.countFilterEvidence(0, 1)
		}
	}
	m.considerForExperiment(it)
	if !it.isEvaluated() {
		m.trackUnfinished(now, id, it, l)
		return false
	}
	m.NewestEvaluation = later(m.NewestEvaluation, earlier(it.Evaluated, now))
	if m.Meaning == Unknown { // Earlier evaluations show how long gradings take.
		m.learnGrading(it)
	}
	pending := m.Items[id]
	switch {
	case id == "", m.forKnownIDs && pending == nil, pending == nil && m.isCovered(it): // The usual case, cheaper than a hash.
		return false
	case !m.forKnownIDs && m.Delivered.has(id) && !m.regraded(id, it):
		delete(m.Items, id)
		return false
	case !it.Ready && m.awaitReport(now, id, it):
		return false
	}
	if l != nil && l.Purpose == sweep && pending == nil && it.Evaluated.After(m.RegularSince) {
		m.UnexpectedEvaluations++
	}
	m.deliver(now, id, it)
	return true
}

// keyOf returns the key of an id in Items. The case of known ids may differ from the
// API's.
func (m *Machine) keyOf(id string) string {
	if m.forKnownIDs {
		return strings.ToLower(id)
	}
	return id
}

// deliver records the delivery of an item.
func (m *Machine) deliver(now time.Time, id string, it *Item) {
	again := !m.forKnownIDs && m.Delivered.has(id)
	if !m.forKnownIDs {
		m.Delivered.add(id, it)
	}
	if !m.forKnownIDs && !again {
		m.noteLate(now, it, m.Items[id] != nil)
	}
	delete(m.Items, id)
	m.LastDelivery = now
	m.DeliveredInPoll++
	m.SearchPages += 1 / float64(m.pageSize())
	if it.Evaluated.After(m.OpenedAt) && !again {
		m.learnGrading(it)
	}
}

// learnGrading updates the longest grading time.
func (m *Machine) learnGrading(it *Item) {
	if !it.Submitted.IsZero() {
		m.LongestGrading = max(m.LongestGrading, min(it.Evaluated.Sub(it.Submitted), m.Lookback))
	}
}

func (m *Machine) pageSize() int {
	if m.PageSize == 0 {
		return largestPage
	}
	return m.PageSize
}
