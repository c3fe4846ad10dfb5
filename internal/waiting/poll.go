package waiting

import (
	"slices"
	"time"
)

// poll is the current poll: its listings, its single reads and what it found. Its listings
// may continue in later polls.
type poll struct {
	Running   bool      `json:",omitzero"` // It has not ended.
	Again     bool      `json:",omitzero"` // The next poll starts without an interval.
	StartedAt time.Time `json:",omitzero"`
	Number    int       `json:",omitzero"`
	Listings  []listing `json:",omitzero"`
	pollCounts

	UsualDeliveries         float64 `json:",omitzero"` // Submissions delivered in a poll, as a moving average.
	PageSize                int     `json:",omitzero"` // Items of a full page.
	RepeatedPages           int     `json:",omitzero"` // Consecutive pages that repeated the first page.
	RejectedCursors         int     `json:",omitzero"` // Consecutive cursors that were rejected.
	EvaluatedFilterRejected bool    `json:",omitzero"` // The API rejected the status evaluated as a filter.
}

// pollCounts is what a machine counts in one poll.
type pollCounts struct {
	ReadsFrom        time.Time `json:",omitzero"` // When single reads were planned: only what was due then is read. Zero: not planned yet.
	Deepened         bool      `json:",omitzero"` // A sweep over all of Lookback was read since ReadsFrom.
	MaxSingleReads   int       `json:",omitzero"`
	ReadsAfterSearch int       `json:",omitzero"` // Single reads of submissions that the search did not show.
	Requests         int       `json:",omitzero"`
	SingleReads      int       `json:",omitzero"`
	FailedReads      int       `json:",omitzero"` // Single reads that failed.
	Deliveries       int       `json:",omitzero"`
	DeliveriesByPage int       `json:",omitzero"` // Deliveries that a page of a listing showed.
	Failed           bool      `json:",omitzero"` // A failed request interrupted the poll.
	Searched         bool      `json:",omitzero"` // A search has begun: a listing of evaluated submissions.
	SearchedAll      bool      `json:",omitzero"` // The search was read to its end: submissions that it did not show are unfinished.
}

// begin begins the next poll. It resets what belongs to the last one. singleReads is how many
// submissions it may read singly.
func (p *poll) begin(now time.Time, singleReads int) {
	p.UsualDeliveries += (float64(p.Deliveries) - p.UsualDeliveries) / 8
	if p.Searched && p.Deliveries == 0 { // The burst has ended.
		p.UsualDeliveries = 0
	}
	p.Running, p.Again, p.StartedAt, p.Number = true, false, now, p.Number+1
	p.pollCounts = pollCounts{MaxSingleReads: singleReads}
	p.Listings = slices.DeleteFunc(p.Listings, func(l listing) bool { return l.Ended })
	for i := range p.Listings {
		p.Listings[i].Paused, p.Listings[i].PollPages = false, 0
	}
}

// abandon ends the poll and its listings. A sweep continues where it was.
func (p *poll) abandon() {
	p.Running = false
	for i := range p.Listings {
		if l := &p.Listings[i]; l.Purpose != sweep {
			l.Ended = true
		}
	}
}

// clockPutBack moves times in the future to now.
func (p *poll) clockPutBack(now time.Time) { p.StartedAt = earlier(p.StartedAt, now) }

// evaluatedFilter returns the status filter for evaluated submissions.
func (p *poll) evaluatedFilter() string {
	if p.EvaluatedFilterRejected {
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

// currentListing returns the listing to continue in this poll, or nil.
func (p *poll) currentListing() *listing {
	for i := range p.Listings {
		if l := &p.Listings[i]; !l.Paused && !l.Ended {
			return l
		}
	}
	return nil
}

func (p *poll) addListing(l listing) { p.Listings = append(p.Listings, l) }

// findListing returns the listing with a purpose and a status, or nil.
func (p *poll) findListing(why purpose, status string) *listing {
	for i := range p.Listings {
		if l := &p.Listings[i]; l.Purpose == why && l.Status == status && !l.Ended {
			return l
		}
	}
	return nil
}

func (p *poll) endListings(purposes ...purpose) {
	for i := range p.Listings {
		p.Listings[i].Ended = p.Listings[i].Ended || slices.Contains(purposes, p.Listings[i].Purpose)
	}
}
