package waiting

import (
	"slices"
	"time"
)

const minBare = 5 // Evaluated submissions of a listing, all without a report, that show that listings show none.

// poll is the current poll: its listings, its single reads and what it found. Its listings
// may continue in later polls.
type poll struct {
	Running   bool      `json:",omitzero"` // It has not ended.
	Again     bool      `json:",omitzero"` // The next poll starts without an interval.
	StartedAt time.Time `json:",omitzero"`
	Listings  []listing `json:",omitzero"`
	pollCounts

	UsualDeliveries         float64   `json:",omitzero"` // Submissions delivered in a poll, as a moving average.
	PageSize                int       `json:",omitzero"` // Items of a full page.
	Bare                    bool      `json:",omitzero"` // Listings show evaluated submissions without their reports, so they replace no single reads.
	RepeatedPages           int       `json:",omitzero"` // Consecutive pages that repeated the first page.
	RejectedCursors         int       `json:",omitzero"` // Consecutive cursors that were rejected.
	EvaluatedFilterOffUntil time.Time `json:",omitzero"` // The API rejected the status evaluated as a filter. It is tried again then.
}

// pollCounts is what a machine counts in one poll.
type pollCounts struct {
	ReadsFrom        time.Time `json:",omitzero"` // When single reads were planned: only what was due then is read. Zero: not planned yet.
	ListedSinceReads bool      `json:",omitzero"` // A page of a listing was read since ReadsFrom: single reads may be due because of it.
	MaxSingleReads   int       `json:",omitzero"`
	ReadsEnded       bool      `json:",omitzero"` // One failed: the poll makes no more.
	ReadsAfterSearch int       `json:",omitzero"` // Single reads of submissions that the search did not show.
	Requests         int       `json:",omitzero"`
	SingleReads      int       `json:",omitzero"`
	Deliveries       int       `json:",omitzero"`
	Failed           bool      `json:",omitzero"` // A failed request interrupted the poll.
	SearchBegan      bool      `json:",omitzero"` // A search for submissions that left their listing has begun.
	SearchedFrom     time.Time `json:",omitzero"` // A search was read to its end: submissions created since then that it did not show are unfinished.
}

// begin begins the next poll. It resets what belongs to the last one. singleReads is how many
// submissions it may read singly.
func (p *poll) begin(now time.Time, singleReads int) {
	p.UsualDeliveries += (float64(p.Deliveries) - p.UsualDeliveries) / 8
	if p.SearchBegan && p.Deliveries == 0 { // The burst has ended.
		p.UsualDeliveries = 0
	}
	p.Running, p.Again, p.StartedAt = true, false, now
	p.pollCounts = pollCounts{MaxSingleReads: singleReads}
	p.Listings = slices.DeleteFunc(p.Listings, func(l listing) bool { return l.Ended })
	for i := range p.Listings {
		l := &p.Listings[i]
		l.Paused, l.PollPages, l.AtOnce = false, 0, l.AtOnce && l.Pages == 0
	}
}

// abandon ends the poll and its listings. A sweep and a listing of new evaluations continue where they
// were: they may need more than one window of the rate limit.
func (p *poll) abandon() {
	p.Running = false
	for i := range p.Listings {
		if l := &p.Listings[i]; l.Purpose != sweep && l.Purpose != fresh {
			l.Ended = true
		}
	}
}

// clockPutBack moves times in the future to now.
func (p *poll) clockPutBack(now time.Time) { p.StartedAt = earlier(p.StartedAt, now) }

// evaluatedFilter returns the status filter for evaluated submissions.
func (p *poll) evaluatedFilter() string {
	if isOff(p.StartedAt, p.EvaluatedFilterOffUntil) {
		return ""
	}
	return Evaluated
}

func (p *poll) pageSize() int {
	if p.PageSize == 0 {
		return largestPage
	}
	return p.PageSize
}

// currentListing returns the listing to continue in this poll, or nil. Listings of evaluated submissions may
// have to wait for room in the state.
func (p *poll) currentListing(wait bool) *listing {
	for i := range p.Listings {
		if l := &p.Listings[i]; !l.Paused && !l.Ended && (!wait || !l.showsEvaluated()) {
			return l
		}
	}
	return nil
}

// addListing adds a listing behind all of its rank.
func (p *poll) addListing(l listing) {
	i := slices.IndexFunc(p.Listings, func(other listing) bool { return other.rank() > l.rank() })
	if i < 0 {
		i = len(p.Listings)
	}
	p.Listings = slices.Insert(p.Listings, i, l)
}

// findListing returns the listing with a purpose, and for unfinished submissions with a status, or nil.
func (p *poll) findListing(why purpose, status string) *listing {
	for i := range p.Listings {
		if l := &p.Listings[i]; l.Purpose == why && (why != unfinished || l.Status == status) && !l.Ended {
			return l
		}
	}
	return nil
}

func (p *poll) end() { p.Running = false }

// endSingleReads lets the poll make no more single reads.
func (p *poll) endSingleReads() { p.ReadsEnded = true }

// repeat lets the next poll begin without an interval.
func (p *poll) repeat() { p.Again = true }

// interrupt records that a request failed. Single reads are planned anew.
func (p *poll) interrupt() { p.ReadsFrom, p.Failed = time.Time{}, true }

// readFrom lets the poll read singly what is due now.
func (p *poll) readFrom(now time.Time) { p.ReadsFrom, p.ListedSinceReads = now, false }

// beginSearch records that the search for submissions that left the waiting set has begun.
func (p *poll) beginSearch() { p.SearchBegan = true }

// searched records a listing of evaluated submissions, read completely or not. One that an earlier poll
// began says nothing about what left its listing since then.
func (p *poll) searched(l *listing, complete bool) {
	p.SearchedFrom = time.Time{}
	if complete && !l.StartedAt.Before(p.StartedAt) {
		p.SearchedFrom = l.CreatedSince
	}
}

func (p *poll) countRequest() { p.Requests++ }

func (p *poll) countDelivery() { p.Deliveries++ }

// judgeReports records whether listings show reports: one report shows that they do. Only several evaluated
// submissions of a listing without one show that they do not, because the report of a single one may be late.
func (p *poll) judgeReports(l *listing, items []Item) {
	for i := range items {
		switch it := &items[i]; {
		case it.Unreadable:
		case it.Ready:
			p.Bare, l.WithoutReport = false, 0
			return
		case it.isEvaluated():
			l.WithoutReport++
		}
	}
	p.Bare = p.Bare || l.WithoutReport >= minBare
}

// countPage counts a page of a listing.
func (p *poll) countPage(a *Response) {
	p.ListedSinceReads = p.ListedSinceReads || !p.ReadsFrom.IsZero()
	if a.Cursor != "" {
		p.PageSize = min(max(p.PageSize, len(a.Items)), largestPage)
	}
}

// countRead counts a single read. pending is nil if nothing awaits it.
func (p *poll) countRead(pending *pendingItem) {
	p.SingleReads++
	if pending != nil && p.isShownUnfinished(pending) {
		p.ReadsAfterSearch++
	}
}

// countBadCursor counts a cursor that was rejected, or that led to the first page. It returns an error
// when cursors do not work.
func (p *poll) countBadCursor(now time.Time, l *listing, rejected bool) error {
	switch {
	case !rejected:
		p.RepeatedPages++
	case now.Sub(l.CursorAt) < freshCursor: // An older cursor may have expired.
		p.RejectedCursors++
	}
	switch {
	case p.RejectedCursors > maxRejectedCursors:
		return ErrRejected
	case p.RepeatedPages >= maxRepeatedPages:
		return ErrCursorIgnored
	}
	return nil
}

func (p *poll) countGoodCursor() { p.RepeatedPages, p.RejectedCursors = 0, 0 }

// turnEvaluatedFilterOff stops filtering by the status evaluated, for a day from the start of the poll.
func (p *poll) turnEvaluatedFilterOff(l *listing) {
	p.EvaluatedFilterOffUntil, l.Status = p.StartedAt.Add(filterOffFor), ""
}

// continueSweep lets the running sweep of a level read so many pages, and reports
// whether there is one. A sweep with AtOnce, or whose cursor failed, is read
// without pauses.
func (p *poll) continueSweep(level, most int) bool {
	for i := range p.Listings {
		if l := &p.Listings[i]; l.Purpose == sweep && l.Level == level && !l.Ended {
			if l.Restarts == 0 && !l.AtOnce {
				l.MaxPollPages, l.Paused = most, most < 1
			}
			return true
		}
	}
	return false
}

func (p *poll) endListings(purposes ...purpose) {
	for i := range p.Listings {
		p.Listings[i].Ended = p.Listings[i].Ended || slices.Contains(purposes, p.Listings[i].Purpose)
	}
}
