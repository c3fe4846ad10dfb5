package waiting

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
)

// pendingItem is a pending known id, or a submission that a watch has seen and not
// delivered.
type pendingItem struct {
	Created       time.Time // Zero: not known.
	Status        string
	ConfirmedAt   time.Time // Last response that showed that it exists.
	AwaitedSince  time.Time // It is evaluated, and its report is not ready, since then.
	NoReportAt    time.Time // First single read that found no report.
	NoReportLocal time.Time // The same by the caller's clock.
	WithoutReport bool      // Single reads found no report for an hour. It is delivered without one.
	ReadAt        time.Time // When to read it singly. Zero: never.
	Serial        int       // Of the last listing with a serial number that showed it.
	Misses        int       // Consecutive single reads that failed or showed what a listing should have shown.
	LeftListing   bool      // The listing of its status no longer shows it.
	NotFound      bool      // The last single read with a response got a 404.
	UnreadableAt  time.Time // First response that could not be decoded. Zero: none.
	Unreadable    bool      // The last response that showed it could not be decoded.

	UnreadableEvaluated bool // A response that could not be decoded showed it evaluated.
}

// decoded records that a response showed the item as it is.
func (it *pendingItem) decoded(now time.Time) {
	it.Unreadable, it.ReadAt = false, time.Time{}
	if !it.AwaitedSince.IsZero() { // Its report is awaited.
		it.ReadAt = it.nextReportRead(now)
	}
}

// nextReportRead returns when to read a late item again: after a quarter of the time that it is
// late, after maxReadInterval at most, and when reportTimeout since the first read without a
// report ends.
func (it *pendingItem) nextReportRead(now time.Time) time.Time {
	rest := min(max(now.Sub(it.AwaitedSince)/4, 0), maxReadInterval)
	if left := reportTimeout - now.Sub(it.NoReportAt); left > 0 {
		rest = min(rest, left)
	}
	return nextSecond(now.Add(rest))
}

// latestRead returns when a read that is scheduled now is due at the latest.
func (it *pendingItem) latestRead(now time.Time) time.Time {
	switch {
	case !it.AwaitedSince.IsZero():
		now = now.Add(maxReadInterval)
	case it.Misses > 0:
		now = now.Add(confirmAfter)
	}
	return second(now)
}

// unschedule forgets when to read the item singly: a response showed that it exists.
func (it *pendingItem) unschedule() { it.ReadAt, it.NotFound = time.Time{}, false }

// confirm records that a response showed the item.
func (it *pendingItem) confirm(now time.Time) { it.ConfirmedAt = now }

// wasRead records that a single read showed the item.
func (it *pendingItem) wasRead(now time.Time) {
	it.LeftListing, it.ReadAt, it.NotFound, it.ConfirmedAt = false, time.Time{}, false, now
}

// missed records a single read that did not show what it was for, and schedules the next one.
func (it *pendingItem) missed(next time.Time) { it.Misses, it.ReadAt = it.Misses+1, nextSecond(next) }

// notFound records a single read that got a 404, and schedules the next one.
func (it *pendingItem) notFound(next time.Time) {
	it.NotFound = true
	it.missed(next)
}

// awaitReport records that the item is evaluated and its report is not ready.
func (it *pendingItem) awaitReport(now time.Time) {
	it.confirm(now)
	if it.AwaitedSince.IsZero() || it.AwaitedSince.After(now) {
		it.AwaitedSince, it.ReadAt = second(now), second(now)
	}
}

// leaveListing records that the listing of its status no longer shows the item, and schedules a single read.
func (it *pendingItem) leaveListing(read time.Time) {
	it.LeftListing = true
	if it.ReadAt.IsZero() {
		it.ReadAt = second(read)
	}
}

// foundNoReport records that a single read found no report. It reports whether the first such read was
// an hour ago, by the clocks of the server and of the caller, because one of them may be wrong.
func (it *pendingItem) foundNoReport(now, local time.Time) bool {
	if it.NoReportAt.IsZero() || it.NoReportLocal.IsZero() || it.NoReportAt.After(now) || it.NoReportLocal.After(local) {
		it.NoReportAt, it.NoReportLocal = second(now), second(local)
	}
	return now.Sub(it.NoReportAt) >= reportTimeout && local.Sub(it.NoReportLocal) >= reportTimeout
}

// packedItems are the items by status and id. A row holds the fields of an item in the
// columns below, without trailing zeros.
type packedItems map[string]map[string][]int64

const (
	createdColumn = iota
	serialColumn
	readAtColumn
	flagsColumn
	missesColumn
	awaitedSinceColumn
	unreadableAtColumn
	unreadableColumn
	noReportAtColumn
	noReportLocalColumn
	columns
)

// The flags of an item.
const (
	leftListingFlag = 1 << iota
	withoutReportFlag
	notFoundFlag
)

// The flags of an item that could not be decoded.
const (
	unreadableFlag = 1 << iota
	unreadableEvaluatedFlag
)

// fields returns the row of the item, with trailing zeros.
func (it *pendingItem) fields() [columns]int64 {
	fields := [columns]int64{
		createdColumn:       it.Created.Unix(),
		serialColumn:        int64(it.Serial),
		readAtColumn:        packTime(it.ReadAt),
		missesColumn:        int64(it.Misses),
		awaitedSinceColumn:  packTime(it.AwaitedSince),
		unreadableAtColumn:  packTime(it.UnreadableAt),
		noReportAtColumn:    packTime(it.NoReportAt),
		noReportLocalColumn: packTime(it.NoReportLocal),
	}
	if it.LeftListing {
		fields[flagsColumn] |= leftListingFlag
	}
	if it.WithoutReport {
		fields[flagsColumn] |= withoutReportFlag
	}
	if it.NotFound {
		fields[flagsColumn] |= notFoundFlag
	}
	if it.Unreadable {
		fields[unreadableColumn] |= unreadableFlag
	}
	if it.UnreadableEvaluated {
		fields[unreadableColumn] |= unreadableEvaluatedFlag
	}
	return fields
}

// size returns the length of the item in the state, in bytes.
func (it *pendingItem) size(id string) int {
	size, zeros := len(id)+len(`"":[]`), 0
	for _, field := range it.fields() {
		if field == 0 {
			zeros++
			continue
		}
		size, zeros = size+zeros*len("0,")+len(","), 0
		for ; field != 0; field /= 10 { // A creation before 1970 is a digit more, for its sign.
			size++
		}
	}
	return size
}

// size returns the length of the items in the state, in bytes.
func (s *waitingSet) size() (size int) {
	for id, it := range s.Items {
		size += it.size(id)
	}
	return size
}

func (s *waitingSet) pack() packedItems {
	packed := make(packedItems)
	for id, it := range s.Items {
		fields := it.fields()
		row := fields[:]
		for len(row) > 1 && row[len(row)-1] == 0 {
			row = row[:len(row)-1]
		}
		if packed[it.Status] == nil {
			packed[it.Status] = make(map[string][]int64)
		}
		packed[it.Status][id] = row
	}
	return packed
}

// unpack is the inverse of pack. Items count as confirmed at a time.
func (s *waitingSet) unpack(confirmed time.Time) {
	s.Items = make(map[string]*pendingItem)
	for status, items := range s.Packed {
		for id, row := range items {
			var fields [columns]int64
			copy(fields[:], row)
			s.Items[id] = &pendingItem{
				Status:        status,
				Created:       time.Unix(fields[createdColumn], 0).UTC(),
				Serial:        int(fields[serialColumn]),
				ReadAt:        unpackTime(fields[readAtColumn]),
				LeftListing:   fields[flagsColumn]&leftListingFlag != 0,
				WithoutReport: fields[flagsColumn]&withoutReportFlag != 0,
				NotFound:      fields[flagsColumn]&notFoundFlag != 0,
				Misses:        int(min(max(fields[missesColumn], 0), math.MaxInt32)),
				AwaitedSince:  unpackTime(fields[awaitedSinceColumn]),
				UnreadableAt:  unpackTime(fields[unreadableAtColumn]),
				Unreadable:    fields[unreadableColumn]&unreadableFlag != 0,
				NoReportAt:    unpackTime(fields[noReportAtColumn]),
				NoReportLocal: unpackTime(fields[noReportLocalColumn]),
				ConfirmedAt:   confirmed,

				UnreadableEvaluated: fields[unreadableColumn]&unreadableEvaluatedFlag != 0,
			}
		}
	}
	s.Packed = nil
}

// valid reports whether pack can have written the creations. Others may not be saved again as the
// start of a listing.
func (p packedItems) valid() bool {
	for _, items := range p {
		for _, row := range items {
			if len(row) > createdColumn && (row[createdColumn] < time.Time{}.Unix() || row[createdColumn] > latestTime.Unix()) {
				return false
			}
		}
	}
	return true
}

// second returns the second of a time, as a saved item has it.
func second(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return time.Unix(t.Unix(), 0).UTC()
}

// nextSecond returns the second after a time. A read that is due then is not due in the
// same poll.
func nextSecond(t time.Time) time.Time { return second(t).Add(time.Second) }

func packTime(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

func unpackTime(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}

// rankedItem is an item with its place in an order.
type rankedItem struct {
	*pendingItem

	id      string
	rank    int
	created int64
}

// sorted returns the items by rank, then by creation, the oldest first, then by id. A nil
// rank means that all ranks are equal.
func (s *waitingSet) sorted(rank func(*pendingItem) int) []rankedItem {
	items := make([]rankedItem, 0, len(s.Items))
	for id, it := range s.Items {
		r := rankedItem{pendingItem: it, id: id, created: it.Created.UnixMicro()}
		if rank != nil {
			r.rank = rank(it)
		}
		items = append(items, r)
	}
	slices.SortFunc(items, func(a, b rankedItem) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.created, b.created), strings.Compare(a.id, b.id))
	})
	return items
}
