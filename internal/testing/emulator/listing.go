package emulator

import (
	"cmp"
	"iter"
	"slices"
	"sort"
	"strings"
	"time"
)

// rows are those of a page, and whether there are more behind it.
func (s *Service) rows(now time.Time, status string, since time.Time, from place) (rows []Row, more bool) {
	skip, behind := from.behind, from.id == "" || s.Order == NewestCreated
	s.page = s.page[:0]
	for _, it := range s.candidates(now, status, since, from) {
		if it.ID == from.id {
			behind = true
			continue
		}
		switch {
		case !behind || !s.shows(now, it, status, since):
		case skip > 0:
			skip--
		case len(s.page) == s.PageSize:
			return s.show(now), true
		default:
			s.page = append(s.page, it)
		}
	}
	return s.show(now), false
}

// show returns the rows of the page that was collected.
func (s *Service) show(now time.Time) []Row {
	rows := make([]Row, len(s.page))
	for i, it := range s.page {
		rows[i] = s.row(it, s.listedAt(now, it), now)
	}
	return rows
}

// compare is the order of a listing that is newest first.
func compare(a, b *Submission) int {
	return -cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
}

// listedAt is the time at which listings see a submission.
func (s *Service) listedAt(now time.Time, it *Submission) time.Time {
	if it.Late > 0 && !it.Evaluated.IsZero() && !now.Before(it.Evaluated) && now.Before(it.shown()) {
		return it.Evaluated.Add(-time.Millisecond)
	}
	return now
}

// candidates are more than what shows, in the order of the listing.
func (s *Service) candidates(now time.Time, status string, since time.Time, from place) iter.Seq2[int, *Submission] {
	switch s.Order {
	case NewestEvaluated:
		return s.byLatest(now)
	case NoOrder:
		if s.byName == nil {
			s.byName = slices.SortedFunc(slices.Values(s.all), func(a, b *Submission) int { return strings.Compare(a.ID, b.ID) })
		}
		return slices.All(s.byName)
	}
	list := s.all
	if status != "" && status != "evaluated" {
		s.dropFinished(now)
		list = s.open
	}
	first, end := 0, sort.Search(len(list), func(i int) bool { return list[i].Created.After(now) })
	if s.Since == OnCreation {
		first = sort.Search(end, func(i int) bool { return !list[i].Created.Before(since) })
	}
	list = list[first:end]
	narrow := status == "evaluated" && (s.Since == OnEvaluation && !s.again || s.Since == OnSubmission) && !since.IsZero()
	if narrow { // What shows as evaluated since, was evaluated since.
		n := sort.Search(len(s.ends), func(i int) bool { return !s.ends[i].shown().Before(since) })
		m := sort.Search(len(s.ends), func(i int) bool { return s.ends[i].shown().After(now) })
		if span := [2]int{n, max(n, m)}; s.sortedSpan != span || span[0] == span[1] {
			s.sortedSpan = span
			s.sorted = slices.SortedFunc(slices.Values(s.ends[n:max(n, m)]), func(a, b *Submission) int { return -compare(a, b) })
		}
		list = s.sorted
	}
	if last := s.byID[from.id]; last != nil {
		list = list[:sort.Search(len(list), func(i int) bool { return compare(list[i], last) <= 0 })]
	}
	return slices.Backward(list)
}

// dropFinished removes submissions from open that listings show as evaluated, once
// they are an eighth of it.
func (s *Service) dropFinished(now time.Time) {
	finished := sort.Search(len(s.ends), func(i int) bool { return s.ends[i].shown().After(now) })
	if finished-s.dropped <= len(s.open)/8 {
		return
	}
	s.dropped = finished
	s.open = slices.DeleteFunc(s.open, func(it *Submission) bool { return !it.Evaluated.IsZero() && !it.shown().After(now) })
}

// event is something that happens to a submission.
type event struct {
	at time.Time
	of *Submission
}

// eventsOf are all that happens, in its order: of one submission nothing twice at
// the same time.
func eventsOf(all []*Submission) (events []event) {
	for _, it := range all {
		for _, at := range []time.Time{it.Created, it.Submitted, it.Evaluated} {
			if e := (event{at, it}); !at.IsZero() && (len(events) == 0 || events[len(events)-1] != e) {
				events = append(events, e)
			}
		}
	}
	slices.SortFunc(events, func(a, b event) int {
		return cmp.Or(a.at.Compare(b.at), strings.Compare(a.of.ID, b.of.ID))
	})
	return events
}

// byLatest are the submissions by what happened to them last, the latest first.
func (s *Service) byLatest(now time.Time) iter.Seq2[int, *Submission] {
	if s.events == nil {
		s.events = eventsOf(s.all)
	}
	n := sort.Search(len(s.events), func(i int) bool { return s.events[i].at.After(now) })
	return func(yield func(int, *Submission) bool) {
		for i, e := range slices.Backward(s.events[:n]) {
			if e.at.Equal(e.of.latest(now)) && !yield(i, e.of) {
				return
			}
		}
	}
}

// latest is the time of the last thing that happened.
func (s *Submission) latest(now time.Time) time.Time {
	last := s.Created
	for _, at := range []time.Time{s.Submitted, s.Evaluated} {
		if at.After(last) && !at.After(now) {
			last = at
		}
	}
	return last
}

// shows reports whether a submission matches the filters.
func (s *Service) shows(now time.Time, it *Submission, status string, since time.Time) bool {
	if it.Hidden || gone(it, now) || it.Created.After(now) {
		return false
	}
	at := s.listedAt(now, it)
	state := it.Status(at)
	if status != "" && state != status || s.Finished && state != "evaluated" {
		return false
	}
	if since.IsZero() {
		return true
	}
	when := it.Created
	switch s.Since {
	case Ignored:
		return true
	case OnSubmission:
		when = it.Submitted
		if when.After(at) {
			return false
		}
	case OnEvaluation:
		when = it.Stamp(at)
		if state != "evaluated" {
			return false
		}
	}
	return when.After(since) || !s.Exclusive && when.Equal(since)
}
