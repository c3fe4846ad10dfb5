package waiting

import (
	"time"
)

// purpose is why the machine reads a listing.
type purpose int

const (
	opening    purpose = iota // All submissions, at the start.
	sample                    // A page, or a few in rare polls, for a new status, an item for the experiment, or recent evaluations.
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
	AtOnce       bool      `json:",omitzero"` // It reads all its pages in one poll. The next poll resets it if a page was read.
	Paused       bool      `json:",omitzero"` // It reads no more pages in this poll.
	Ended        bool      `json:",omitzero"`
	Serial       int       `json:",omitzero"` // Of unfinished submissions, and of a sweep over all of Lookback: the serial number that listed items get.
	Level        int       `json:",omitzero"` // Of a sweep: its level.
	Depth        int       `json:",omitzero"` // How many of the depths it reaches.
	TruncatedAt  time.Time `json:",omitzero"` // Of a sweep over all of Lookback that began with a complete waiting set: when submissions had last been dropped.
	LastCreated  time.Time `json:",omitzero"` // Creation time of the last item.
	Unordered    bool      `json:",omitzero"` // The items are not ordered by creation.
	Failures     int       `json:",omitzero"` // Consecutive failed requests for its next page. From maxFailures on, only those that follow a response.
	Restarts     int       `json:",omitzero"` // How often it began again because its cursor failed.
	FirstHash    uint64    `json:",omitzero"` // Hash of the first item of the first page.

	WithoutReport int `json:",omitzero"` // Evaluated items without a report, since the last report that it showed.
}

// showsEvaluated reports whether the listing is one of evaluated submissions that may take many pages.
func (l *listing) showsEvaluated() bool {
	return l.Purpose == sweep || l.Purpose == search || l.Purpose == fresh
}

// The ranks of listings, in the order in which a poll reads them.
const (
	decidesOthers = iota // The experiment: what the others list depends on its result.
	ordinary
	afterReads // Sweeps over all of Lookback come after the single reads.
)

func (l *listing) rank() int {
	switch {
	case l.Purpose == experiment:
		return decidesOthers
	case l.Purpose == sweep && l.Level == deepest:
		return afterReads
	}
	return ordinary
}

const (
	maxRestarts        = 2
	maxFailures        = 3 // In a row, until the poll continues without the listing.
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
	l := m.Poll.currentListing(m.listingsWait())
	switch {
	case l == nil:
		return nil, nil
	case a.Failed:
		if l.rank() == afterReads { // After a sweep of all of Lookback a new poll begins, with the other listings first.
			m.Poll.end()
		}
		outage := m.Pace.Failures > 0
		m.interruptPoll(now, a.RetryAfter)
		m.listingFailed(now, l, outage)
		return nil, nil
	case a.Rejected && l.Cursor != "":
		return nil, m.restartListing(now, l, true)
	case a.Rejected:
		return nil, m.filterRejected(now, l)
	case l.isFirstPageAgain(&a):
		return nil, m.restartListing(now, l, false)
	case l.Pages > 0:
		m.Poll.countGoodCursor()
	default:
		l.StartedAt = now
		if l.Purpose == fresh {
			m.News.beginListing(now)
		}
	}
	m.Poll.judgeReports(l, a.Items)
	for i := range a.Items {
		l.saw(&a.Items[i])
		if m.handleItem(now, &a.Items[i], l) {
			ready = append(ready, i)
		}
	}
	m.Poll.countPage(&a)
	m.advance(now, l, &a)
	m.planner.limitMemory()
	return ready, nil
}

// isFirstPageAgain reports whether a page repeats the first page.
func (l *listing) isFirstPageAgain(a *Response) bool {
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
func (m *Machine) restartListing(now time.Time, l *listing, rejected bool) error {
	if err := m.Poll.countBadCursor(now, l, rejected); err != nil {
		return err
	}
	if l.restart(); l.Ended {
		m.interruptPoll(now, 0)
	}
	return nil
}

// restart makes the listing begin again. It keeps Failures: after a failed first page the listing is paused at once.
func (l *listing) restart() {
	l.Restarts++
	l.Ended = l.Restarts > maxRestarts
	l.Cursor, l.Pages, l.LastCreated, l.MaxPollPages, l.WithoutReport = "", 0, time.Time{}, 0, 0
}

// saw records the order of the items.
func (l *listing) saw(it *Item) {
	if !it.Created.IsZero() {
		l.Unordered = l.Unordered || !l.LastCreated.IsZero() && it.Created.After(l.LastCreated)
		l.LastCreated = it.Created
	}
}

// pageRead records a page.
func (l *listing) pageRead(now time.Time, a *Response) {
	l.Pages, l.PollPages = l.Pages+1, l.PollPages+1
	l.Cursor, l.CursorAt, l.Failures = a.Cursor, now, 0
}

// listingFailed pauses a listing after maxFailures failures in a row, so that the poll continues with the others.
// It ends the listing instead if a later poll plans the same listing again, or reads its first pages again. A sweep
// over all of Lookback is not ended in an outage, because it takes long. outage reports whether the request before
// failed too.
func (m *Machine) listingFailed(now time.Time, l *listing, outage bool) {
	if l.Failures < maxFailures || !outage {
		l.Failures++
	}
	switch {
	case l.Failures < maxFailures:
	case l.Purpose == experiment:
		l.end()
		m.Since.step(now, false, false)
	case l.Purpose == opening && l.Cursor != "" && l.Restarts < maxRestarts: // Known ids that it has not shown would be read singly.
		l.restart()
	case l.Purpose == sample, l.Purpose == search, l.Cursor != "" && (l.rank() != afterReads || !outage):
		l.end()
		m.listingEnded(now, l, false)
	default:
		l.Paused = true
	}
}

func (l *listing) end() { l.Ended = true }

// pauseOrEnd ends the listing if it is complete. At the most pages of a poll it pauses if it resumes, or ends.
func (l *listing) pauseOrEnd(complete bool) {
	full := l.MaxPollPages > 0 && l.PollPages >= l.MaxPollPages
	l.Ended = l.Ended || complete || full && !l.Resumes
	l.Paused = full && !l.Ended
}

// advance continues with the next page, or pauses or ends the listing.
func (m *Machine) advance(now time.Time, l *listing, a *Response) {
	l.pageRead(now, a)
	if l.Purpose == sweep {
		m.Watch.Sweeps.readPage(now, l.Level)
	}
	complete := a.Cursor == "" || l.isPast(l.CreatedSince) || m.planner.shows(l)
	if l.Purpose == experiment {
		m.readExperiment(now, l, a.Items, complete)
		return
	}
	if l.pauseOrEnd(complete); l.Ended {
		m.listingEnded(now, l, complete)
	}
}

// listingEnded updates the state after a listing. complete reports whether the listing has read all pages that
// it needs.
func (m *Machine) listingEnded(now time.Time, l *listing, complete bool) {
	switch l.Purpose {
	case opening:
		m.OpenedAt = l.StartedAt
	case fresh:
		m.News.listed(l, complete)
	case search:
		m.Poll.searched(l, complete)
	case unfinished:
		m.Set.listed(now, l, complete, m.Max)
	}
	m.planner.ended(l, complete)
}
