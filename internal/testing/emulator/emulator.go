// Package emulator is a service that evaluates submissions, for tests of what
// waits for them. It was written from the API's documentation alone, and
// shares nothing with the sandbox. What the documentation leaves open is a knob.
// Time is whatever the caller says.
package emulator

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Since is what the since filter of the listing is about.
type Since int

// The meanings of since.
const (
	OnCreation Since = iota
	OnSubmission
	OnEvaluation
	Ignored
)

func (s Since) String() string {
	return [...]string{"creation", "submission", "evaluation", "ignored"}[s]
}

// Filter is how the API treats a status that is not documented.
type Filter int

// The ways to treat it.
const (
	Filters Filter = iota
	ShowsNone
	Refuses
	ShowsAll
)

// Order is the order of a listing.
type Order int

// The orders.
const (
	NewestCreated Order = iota
	NewestEvaluated
	NoOrder
)

// Cursors is what a cursor is made of.
type Cursors int

// The kinds of cursors.
const (
	Keyed Cursors = iota
	Offset
	Expiring // Keyed, and refused after a minute.
	Unheeded // Each page is the first one.
)

// Behavior is the undocumented behaviour and the failures of the emulated API.
type Behavior struct {
	Since     Since
	Exclusive bool          // What is exactly at since does not show.
	Cut       time.Duration // since is cut to a multiple, such as a day.
	Filter    Filter
	Order     Order
	Cursors   Cursors
	PageSize  int           // At most; 0: 100.
	Lag       time.Duration // The report comes so much later than the status.
	Finished  bool          // Only what is evaluated is listed.
	Bare      bool          // Submissions come without their reports, which are read by themselves.

	Spoil func(now time.Time, listed bool, id string, members map[string]any) // Over HTTP: changes the JSON of a submission. Nil: not.

	Limit  int           // Reads in a window; 0: 1000.
	Window time.Duration // 0: an hour.
	Rivals int           // Reads an hour of others with the same key.

	Faults float64                       // The share of requests that fail.
	Down   func(time.Time) bool          // Outages. Nil: none.
	Skew   func(time.Time) time.Duration // By how much the clock of the responses is wrong. Nil: not.
}

// Service is the emulated service.
type Service struct {
	Behavior
	Reads  int // That were counted against the quota,
	Denied int // and refused for it.

	random     *rand.Rand
	all        []*Submission // By creation.
	byID       map[string]*Submission
	open       []*Submission // Those of them that may still be unfinished.
	ends       []*Submission // By the time from which listings show them as evaluated.
	again      bool          // Some are graded once more.
	byName     []*Submission // By id, once that is asked for.
	page       []*Submission // The page that is being collected.
	dropped    int           // So many of ends were removed from open.
	sorted     []*Submission // A part of ends by creation,
	sortedSpan [2]int        // and its bounds in ends.
	events     []event       // What happens, by time, once that is asked for.
	opens      time.Time     // The window.
	used       int
	rivalled   time.Time
	owed       float64
}

// New is a service with submissions.
func New(k Behavior, seed uint64, all []*Submission) *Service {
	k.Limit, k.Window, k.PageSize = cmp.Or(k.Limit, 1000), cmp.Or(k.Window, time.Hour), cmp.Or(k.PageSize, 100)
	s := &Service{Behavior: k, random: rand.New(rand.NewPCG(seed, 3)), byID: make(map[string]*Submission, len(all))}
	s.all = slices.Clone(all)
	slices.SortFunc(s.all, func(a, b *Submission) int {
		return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
	})
	s.open = slices.Clone(s.all)
	for _, it := range all {
		s.byID[it.ID] = it
		s.again = s.again || !it.Again.IsZero()
		if !it.Evaluated.IsZero() {
			s.ends = append(s.ends, it)
		}
	}
	slices.SortFunc(s.ends, func(a, b *Submission) int { return a.shown().Compare(b.shown()) })
	return s
}

// Response is a response of the API.
type Response struct {
	Status           int // Of HTTP; 0: it was not reached.
	Items            []Row
	Cursor           string
	Limit, Remaining int
	Reset            time.Time
	Date             time.Time
}

// Row is a submission as a response shows it.
type Row struct {
	Submission
	State string
	Ready bool
}

// Quota is what a client knows of its window.
func (s *Service) Quota(now time.Time) (limit, remaining int, ends time.Duration) {
	s.window(now)
	return s.Limit, s.Limit - s.used, s.opens.Add(s.Window).Sub(now)
}

func (s *Service) window(now time.Time) {
	if s.opens.IsZero() || !now.Before(s.opens.Add(s.Window)) {
		s.opens, s.used = now, 0
		if now.Sub(s.rivalled) > s.Window { // What others used lies in windows that have ended.
			s.rivalled = now
		}
	}
	if !s.rivalled.IsZero() && s.Rivals > 0 {
		s.owed += now.Sub(s.rivalled).Hours() * float64(s.Rivals)
		n := int(s.owed)
		s.owed -= float64(n)
		s.used = min(s.Limit, s.used+n)
	}
	s.rivalled = now
}

// admit counts a read. It returns a response if that is all there is.
func (s *Service) admit(now time.Time) (Response, bool) {
	if s.Down != nil && s.Down(now) {
		return Response{Date: now}, false
	}
	s.window(now)
	r := Response{Status: 200, Date: now}
	if s.Skew != nil {
		r.Date = now.Add(s.Skew(now))
	}
	if s.used >= s.Limit {
		s.Denied++
		r.Status = 429
	} else {
		s.used++
		s.Reads++
		if s.Faults > 0 && s.random.Float64() < s.Faults {
			r.Status = 500
		}
	}
	r.Limit, r.Remaining, r.Reset = s.Limit, s.Limit-s.used, s.opens.Add(s.Window)
	return r, r.Status == 200
}

// Get reads one submission.
func (s *Service) Get(now time.Time, id string) Response {
	r, ok := s.admit(now)
	if !ok {
		return r
	}
	it := s.byID[id]
	if it == nil || now.Before(it.Created) || gone(it, now) {
		r.Status = 404
		return r
	}
	r.Items = []Row{s.row(it, now, now)}
	return r
}

func gone(it *Submission, now time.Time) bool { return !it.Deleted.IsZero() && !now.Before(it.Deleted) }

// row shows a submission as it was at a time.
func (s *Service) row(it *Submission, at, now time.Time) Row {
	r := Row{Submission: *it, State: it.Status(at)}
	if at.Before(it.Submitted) {
		r.Submitted = time.Time{}
	}
	r.Evaluated = time.Time{}
	if r.State == "evaluated" {
		r.Evaluated = it.Stamp(at)
		r.Ready = !now.Before(it.Evaluated.Add(s.Lag))
	}
	if it.Untold {
		r.Submitted, r.Evaluated = time.Time{}, time.Time{}
	}
	return r
}

// List reads a page of the listing.
func (s *Service) List(now time.Time, status string, since time.Time, cursor string) Response {
	r, ok := s.admit(now)
	if !ok {
		return r
	}
	if status != "" && status != "evaluated" {
		switch s.Filter {
		case ShowsNone:
			return r
		case Refuses:
			r.Status = 400
			return r
		case ShowsAll:
			status = ""
		}
	}
	if s.Cut > 0 {
		since = since.Truncate(s.Cut)
	}
	place, ok := s.place(now, cursor)
	if !ok {
		r.Status = 400
		return r
	}
	rows, more := s.rows(now, status, since, place)
	for i := range rows {
		rows[i].Ready = rows[i].Ready && !s.Bare
	}
	r.Items = rows
	if more {
		r.Cursor = s.cursor(now, place, &rows[len(rows)-1])
	}
	return r
}

// place is where a page begins: behind a submission, or so many.
type place struct {
	id     string
	behind int
}

func (s *Service) place(now time.Time, cursor string) (place, bool) {
	if cursor == "" || s.Cursors == Unheeded {
		return place{}, true
	}
	made, id, _ := strings.Cut(cursor, "/")
	if s.Cursors == Offset {
		n, err := strconv.Atoi(id)
		return place{behind: n}, err == nil
	}
	at, err := strconv.ParseInt(made, 10, 64)
	if err != nil || s.Cursors == Expiring && now.Unix()-at >= 60 {
		return place{}, false
	}
	return place{id: id}, s.byID[id] != nil
}

func (s *Service) cursor(now time.Time, from place, last *Row) string {
	if s.Cursors == Offset {
		return fmt.Sprintf("%d/%d", now.Unix(), from.behind+s.PageSize)
	}
	return fmt.Sprintf("%d/%s", now.Unix(), last.ID)
}
