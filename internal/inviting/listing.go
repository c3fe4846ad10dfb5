package inviting

import (
	"cmp"
	"maps"
	"time"
)

// Facts are the fields of an invitation that a [Scan] compares.
type Facts struct {
	ID, Email string
	Created   time.Time
}

// Listing holds the invitations of an assessment that scans of its listing have shown. It
// keeps an invitation that a later scan does not show any more.
type Listing[I any] struct {
	Known     map[string]I // By Address; nil before the first scan.
	ScannedAt time.Time    // When the last scan began that caught up.
	WholeAt   time.Time    // When the last scan began that covered the whole listing.

	listed    map[string]bool // The ids that scans have shown which caught up.
	total     int             // The number of items that the last of them reported; 0 when it reported none.
	unordered bool            // A scan has shown that the listing is not newest first.
}

// Scan is one read of a listing from its first page on.
type Scan[I any] struct {
	CaughtUp     bool // The scan read every item that earlier scans had not shown.
	Inconclusive bool // Items left the listing during the scan, which may have missed the wanted address.

	listing *Listing[I]
	facts   func(*I) Facts
	sentID  func(address string) (id string)
	wanted  string
	whole   bool
	began   time.Time

	found      map[string]I    // By address; the newest invitation of each.
	ids        map[string]bool // Of the items so far.
	items      int             // The number of different items so far.
	firstTotal int             // The number of items in the listing by the first page that stated it; 0 when none did.
	total      int             // The same by the last page that stated it.
	shifted    bool            // Items left the listing: others may have moved to a page that was read before.
	covered    bool            // The scan reached the end, and no item left the listing meanwhile.
	created    time.Time       // When the previous item was created.
	unordered  bool            // An item is newer than the previous one.
}

// Scan begins a scan that ends at the wanted address, if there is one, or else at the
// first page with nothing new. It reads the whole listing the first time, when whole is
// set, when the listing is not in order and when it has shrunk. facts returns the fields
// of an invitation. sentID returns the id of the invitation that this client sent to an
// address.
func (l *Listing[I]) Scan(
	facts func(*I) Facts, sentID func(address string) (id string), wanted string, whole bool, now time.Time,
) *Scan[I] {
	return &Scan[I]{
		CaughtUp: true, listing: l, facts: facts, sentID: sentID, wanted: wanted, whole: whole, began: now,
		found: make(map[string]I), ids: make(map[string]bool),
	}
}

// Page adds a page. total is the number of items in the listing, 0 when the page does not
// state it. Page reports whether the scan needs no further page.
func (s *Scan[I]) Page(items []I, total int, last bool) (done bool) {
	nothingNew := s.listing.listed != nil && !s.hasNews(items)
	s.addTotal(total)
	for i := range items {
		s.add(&items[i])
	}
	// Items that were added meanwhile are on pages that the scan had read before.
	s.shifted = s.shifted || last && s.items < s.firstTotal
	s.whole = s.whole || s.shifted || s.total > 0 && s.total < s.listing.total
	s.covered = last && !s.shifted
	if _, found := s.found[s.wanted]; found && s.wanted != "" {
		s.CaughtUp, s.Inconclusive = s.covered, false
		return true
	}
	s.CaughtUp, s.Inconclusive = !s.shifted, s.shifted
	s.listing.unordered = s.listing.unordered || s.unordered
	return nothingNew && !s.whole && !s.listing.unordered
}

// hasNews reports whether the next page may show something new. Invitations that this
// client sent are not new, but other processes may have sent invitations before them. So
// the last page is one that shows an item of an earlier scan, and otherwise only
// invitations that this client sent.
func (s *Scan[I]) hasNews(items []I) bool {
	reachedListed := false
	for i := range items {
		f := s.facts(&items[i])
		if f.ID != "" && s.listing.listed[f.ID] {
			reachedListed = true
			continue
		}
		if f.ID == "" || s.knownID(Address(f.Email)) != f.ID {
			return true
		}
	}
	return !reachedListed
}

// knownID returns the id of the known invitation of an address.
func (s *Scan[I]) knownID(address string) string {
	if known, found := s.listing.Known[address]; found {
		return s.facts(&known).ID
	}
	return s.sentID(address)
}

// addTotal takes the number of items in the listing that a page states.
func (s *Scan[I]) addTotal(total int) {
	if total > 0 {
		s.firstTotal = cmp.Or(s.firstTotal, total)
		s.shifted = s.shifted || total < s.total
		s.total = total
	}
}

// add adds an item, unless an earlier page has shown it: items move to the next page when
// the listing grows.
func (s *Scan[I]) add(item *I) {
	f := s.facts(item)
	if f.ID != "" && s.ids[f.ID] {
		return
	}
	s.ids[f.ID] = true
	s.items++
	address := Address(f.Email)
	if newest, found := s.found[address]; !found || s.facts(&newest).ID == "" {
		s.found[address] = *item
	}
	if !f.Created.IsZero() {
		s.unordered = s.unordered || !s.created.IsZero() && f.Created.After(s.created)
		s.created = f.Created
	}
}

// End adds the result of a scan that did not fail to its listing. Only the items of a scan
// that caught up count as listed, because a later scan ends at them.
func (s *Scan[I]) End() {
	l := s.listing
	if l.Known == nil {
		l.Known = make(map[string]I)
	}
	maps.Copy(l.Known, s.found)
	if s.covered {
		l.WholeAt = s.began
	}
	if !s.CaughtUp {
		return
	}
	if l.listed == nil {
		l.listed = make(map[string]bool)
	}
	maps.Copy(l.listed, s.ids)
	l.ScannedAt, l.total = s.began, s.total
}
