package waiting

import (
	"time"
)

// purpose is why the machine reads a listing.
type purpose int

const (
	opening    purpose = iota // All submissions, at the start.
	sample                    // One page, which may show a new status or an item for the experiment.
	experiment                // The experiment for the since meaning.
	fresh                     // Evaluations since the cutoff.
	search                    // Evaluated submissions from the oldest wanted one on.
	unfinished                // The unfinished submissions of one status.
	sweep                     // Submissions that were missed, in the background.
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
	Serial       int       `json:",omitzero"` // Of unfinished submissions, and of a sweep over all of Lookback: the serial number that listed items get.
	Level        int       `json:",omitzero"` // Of a sweep: its level. Of new evaluations: 1 when it looks back further, so that its pages say nothing about an ordinary one.
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

// handlePage updates the state with a page of the current listing, and returns the
// indexes of the items to deliver.
func (m *Machine) handlePage(now time.Time, a Response) (ready []int, err error) {
	l := m.Poll.currentListing()
	switch {
	case l == nil:
		return nil, nil
	case a.Failed:
		m.Poll.Running = l.rank() == 0 // After a sweep of all of Lookback a new poll begins, with the other listings first.
		m.interruptPoll(now, a.RetryAfter)
		return nil, nil
	case a.Rejected && l.Cursor != "":
		if now.Sub(l.CursorAt) < freshCursor { // An older cursor may have expired.
			m.Poll.RejectedCursors++
		}
		return nil, m.restartListing(now, l)
	case a.Rejected:
		return nil, m.filterRejected(now, l)
	case m.isFirstPageAgain(l, a):
		m.Poll.RepeatedPages++
		return nil, m.restartListing(now, l)
	case l.Pages > 0:
		m.Poll.RepeatedPages, m.Poll.RejectedCursors = 0, 0
	default:
		l.StartedAt = now
		if l.Purpose == fresh {
			m.News.NextCutoff = earlier(m.News.Newest, now)
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
	m.Poll.DeliveriesByPage += len(ready)
	m.advance(now, l, a)
	m.planner.limitMemory()
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
	case m.Poll.RejectedCursors > maxRejectedCursors:
		return ErrRejected
	case m.Poll.RepeatedPages >= maxRepeatedPages:
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
		m.Poll.PageSize = min(max(m.Poll.PageSize, len(a.Items)), largestPage)
	}
	if l.Purpose == sweep {
		m.Poll.Deepened = m.Poll.Deepened || l.Level == deepest
		m.Watch.Sweeps.readPage(now, l.Level)
	}
	complete := a.Cursor == "" || l.isPast(l.CreatedSince) || m.planner.shows(l)
	full := l.MaxPollPages > 0 && l.PollPages >= l.MaxPollPages
	if l.Purpose == experiment {
		m.readExperiment(now, l, a.Items, complete)
		return // l is no longer valid: the listing of the next step may have moved it.
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
		m.OpenedAt = l.StartedAt
	case fresh:
		m.News.listed(l, complete)
	case search:
		m.Poll.SearchedAll = complete
	case unfinished:
		m.scheduleLeavers(now, l, complete)
	}
	m.planner.ended(l, complete)
}
