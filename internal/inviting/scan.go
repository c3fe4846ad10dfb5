package inviting

import (
	"cmp"
	"maps"
	"time"
)

// Item has the fields of a listed invitation that a [Scan] compares.
type Item struct {
	ID      string
	Address string // In the form of [Address].
	Created time.Time
}

// Scans is the memory of all scans of an assessment's invitations; Scan is one of them. The zero value
// means that there was no scan.
type Scans struct {
	LatestAt time.Time // When the last scan began that read every item that earlier scans had not shown.
	WholeAt  time.Time // When the last scan began that read the whole listing.

	listed    map[string]bool // The ids that these scans have shown; nil before the first.
	total     int             // The number of items that the last of them reported; 0 when it reported none.
	unordered bool            // The listing is not newest first.
}

// Scan is one read of a listing from its first page on.
type Scan struct {
	scans  *Scans
	idOf   func(address string) (id string)
	wanted string
	whole  bool
	began  time.Time

	ids        map[string]bool // Of the items so far.
	items      int             // The number of different items so far.
	firstTotal int             // The number of items in the listing by the first page that stated it; 0 when none did.
	total      int             // The same by the last page that stated it.
	created    time.Time       // When the previous item was created.
	shifted    bool            // Items left the listing: others may have moved to a page that was read before.
	found      bool            // The wanted address is listed.
	ended      bool            // The last page was read.
}

// Begin returns a scan that ends at the wanted address, if there is one, or else at the
// first page with nothing new. It reads the whole listing the first time, when whole is
// set, when the listing is not in order and when it has shrunk. idOf returns the id of the
// invitation that the caller knows of an address.
func (l *Scans) Begin(idOf func(address string) (id string), wanted string, whole bool, now time.Time) *Scan {
	return &Scan{scans: l, idOf: idOf, wanted: wanted, whole: whole || l.listed == nil, began: now, ids: make(map[string]bool)}
}

// Page adds a page. total is the number of items in the listing, 0 when the page does not
// state it. Page reports whether the scan needs no further page.
//
// A listing changes while it is read, and a missed invitation is a second e-mail. Items
// that are added move others to later pages, where they are read twice, which is harmless.
// Items that leave move others to pages that were read before, which hides them. Only a
// total that shrinks, or that the items do not reach, shows that.
func (s *Scan) Page(items []Item, total int, last bool) (done bool) {
	news := s.hasNews(items)
	if total > 0 {
		s.firstTotal = cmp.Or(s.firstTotal, total)
		s.shifted = s.shifted || total < s.total
		s.whole = s.whole || total < s.scans.total
		s.total = total
	}
	for _, item := range items {
		s.add(item)
	}
	s.shifted = s.shifted || last && s.items < s.firstTotal
	s.ended = last
	return s.found || !news && !s.whole && !s.shifted && !s.scans.unordered
}

// hasNews reports whether the next page may show something new. Invitations that this
// client sent are not new, but other processes may have sent invitations before them. So
// the last page is one that shows an item of an earlier scan, and otherwise only
// invitations that this client knows.
func (s *Scan) hasNews(items []Item) bool {
	reachedListed := false
	for _, item := range items {
		switch {
		case item.ID != "" && s.scans.listed[item.ID]:
			reachedListed = true
		case item.ID == "" || s.idOf(item.Address) != item.ID:
			return true
		}
	}
	return !reachedListed
}

// add adds an item, unless an earlier page has shown it: items move to the next page when
// the listing grows.
func (s *Scan) add(item Item) {
	if item.ID != "" && s.ids[item.ID] {
		return
	}
	s.ids[item.ID] = true
	s.items++
	s.found = s.found || s.wanted != "" && item.Address == s.wanted
	if !item.Created.IsZero() {
		s.scans.unordered = s.scans.unordered || !s.created.IsZero() && item.Created.After(s.created)
		s.created = item.Created
	}
}

// End ends a scan that did not fail. It reports whether the scan cannot have missed the
// wanted address. A later scan ends at what this one has shown, so a scan that ended early
// leaves nothing behind.
func (s *Scan) End() (conclusive bool) {
	whole := s.ended && !s.shifted
	if whole {
		s.scans.WholeAt = s.began
	}
	if whole || !s.shifted && !s.found {
		if s.scans.listed == nil {
			s.scans.listed = make(map[string]bool)
		}
		maps.Copy(s.scans.listed, s.ids)
		s.scans.LatestAt, s.scans.total = s.began, s.total
	}
	return s.found || !s.shifted
}
