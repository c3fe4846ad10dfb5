package inviting

import (
	"cmp"
	"maps"
	"time"
)

// Facts are the fields of an invitation that decide.
type Facts struct {
	ID, Email string
	Created   time.Time
}

// Listing holds the invitations of an assessment that reads of its list have shown. It
// keeps an invitation that a later read does not show any more.
type Listing[I any] struct {
	Known  map[string]I // By Address; nil before the first look.
	Looked time.Time    // When the last look began that went far enough.

	LookedWhole time.Time // When the last look began that covered the whole listing.

	listed    map[string]bool // The ids that these looks have shown.
	total     int             // What the last of them was told there are; 0 when it was not.
	unordered bool            // The listing was not newest first.
}

// Look is one pass over the listing, or over the beginning of it.
type Look[I any] struct {
	Enough bool // It went as far as it must for the next to stop where it shows nothing new.
	Moved  bool // Items left the listing meanwhile: the wanted address may have been missed.

	of     *Listing[I]
	facts  func(*I) Facts
	own    func(address string) (id string)
	wanted string
	whole  bool
	began  time.Time

	covered   bool         // The look reached the end, and nothing moved meanwhile.
	found     map[string]I // By address, the newest.
	ids       map[string]bool
	seen      int       // Items.
	first     int       // How many there are, as the service said first; 0 when it did not.
	total     int       // As it said last.
	moved     bool      // Others may have slipped to a page read before.
	last      time.Time // When the item before was created.
	unordered bool
}

// Begin starts a look, as far as a wanted address, or else as far as there is
// anything new: to the first page with nothing new, but all of it the first time,
// if that is asked for, if the listing is not in order, and if it has shrunk. own
// is the id of an address's invitation that is known without the listing.
func (l *Listing[I]) Begin(facts func(*I) Facts, own func(address string) (id string), wanted string, whole bool, now time.Time) *Look[I] {
	return &Look[I]{
		Enough: true, of: l, facts: facts, own: own, wanted: wanted, whole: whole, began: now,
		found: make(map[string]I), ids: make(map[string]bool),
	}
}

// Page takes a page and the total number of items, 0 when the page does not state it.
// It reports whether the look is over.
func (k *Look[I]) Page(items []I, total int, last bool) (over bool) {
	old := k.of.listed != nil && !k.hasNews(items)
	k.take(items, total, last)
	k.whole = k.whole || k.moved || k.total > 0 && k.total < k.of.total
	k.covered = last && !k.moved
	if _, found := k.found[k.wanted]; found && k.wanted != "" {
		k.Enough, k.Moved = last && !k.moved, false
		return true
	}
	k.Enough, k.Moved = !k.moved, k.moved
	k.of.unordered = k.of.unordered || k.unordered
	return old && !k.whole && !k.of.unordered
}

// take adds a page.
func (k *Look[I]) take(items []I, total int, last bool) {
	if total > 0 {
		k.first = cmp.Or(k.first, total)
		k.moved = k.moved || total < k.total
		k.total = total
	}
	for i := range items {
		f := k.facts(&items[i])
		if f.ID != "" && k.ids[f.ID] {
			continue // The listing has grown meanwhile: this was on the page before.
		}
		k.ids[f.ID] = true
		k.seen++
		address := Address(f.Email)
		if newest, found := k.found[address]; !found || k.facts(&newest).ID == "" {
			k.found[address] = items[i]
		}
		if !f.Created.IsZero() {
			k.unordered = k.unordered || !k.last.IsZero() && f.Created.After(k.last)
			k.last = f.Created
		}
	}
	k.moved = k.moved || last && k.seen < k.first // What was added meanwhile is no item of this walk.
}

// hasNews tells whether more that is new may follow on a page. What this client
// sent is no news, but others may have sent below it: only a page that shows
// something of an earlier look, and else nothing but our own, is the last.
func (k *Look[I]) hasNews(items []I) bool {
	reached := false
	for i := range items {
		f := k.facts(&items[i])
		if f.ID != "" && k.of.listed[f.ID] {
			reached = true
			continue
		}
		if f.ID == "" || k.id(Address(f.Email)) != f.ID {
			return true
		}
	}
	return !reached
}

// id is that of an address's invitation, as far as it is known.
func (k *Look[I]) id(address string) string {
	if known, found := k.of.Known[address]; found {
		return k.facts(&known).ID
	}
	return k.own(address)
}

// End keeps what a look has shown that did not fail. One that did not go far
// enough must not keep the next from going on.
func (k *Look[I]) End() {
	l := k.of
	if l.Known == nil {
		l.Known = k.found
	} else {
		maps.Copy(l.Known, k.found)
	}
	if k.covered {
		l.LookedWhole = k.began
	}
	if !k.Enough {
		return
	}
	l.Looked, l.total = k.began, k.total
	if l.listed == nil {
		l.listed = k.ids
	} else {
		maps.Copy(l.listed, k.ids)
	}
}
