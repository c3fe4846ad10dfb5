// Package emulator implements the API's listing of submissions and single reads for tests of
// polling. It was written from the documentation alone and shares nothing with the sandbox. What
// the documentation leaves open is a field of API. Time is whatever the caller says.
package emulator

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/poll"
)

// Submission is a submission with the times at which it changes.
type Submission struct {
	ID                            string
	Created, Submitted, Evaluated time.Duration
	Listed                        time.Duration // From then on listings show it evaluated; at the earliest when it is.
	Ready                         time.Duration // From then on its report is ready; at the earliest when it is evaluated.
	Deleted                       time.Duration // 0: never.

	place int // In the order of creation.
}

// API is the emulated API. Its fields must be set before it is used.
type API struct {
	Since                       string                  // What since filters on: created, submitted, evaluated or ignored.
	Exclusive                   bool                    // What is exactly at since is not listed.
	Cut                         time.Duration           // since is cut to a multiple of it.
	Unfinished                  string                  // How a filter by an unfinished status works: "", empty, refused or ignored.
	OneStatus                   bool                    // There is a single unfinished status.
	NoSubmittedAt               bool                    // Until the evaluation.
	PageSize                    int                     // 0: 100.
	OthersPerHour               float64                 // Reads of others in a window.
	OthersUseUp                 float64                 // The part of the windows that others use up.
	Failing                     float64                 // The part of the requests that fail without a response of the API.
	Refusing                    float64                 // The part of the requests that the API answers with 500.
	RetryAfter                  time.Duration           // Of a 500 of the API. 0: none.
	Broken                      func(poll.Request) bool // Requests that always get a 500. Nil: none.
	Positions                   bool                    // Cursors are positions in the list, so that a list that grows shows items again.
	CursorLife                  time.Duration           // After so long a cursor is refused. 0: never.
	NullFor                     time.Duration           // So long after the evaluation there is no evaluated_at. Then it is the time at which it is set.
	Future                      string                  // The times of the submission with this id are ten years in the future.
	PutBack, BackAt             time.Duration           // From BackAt on the clock, with the times of what happens, is behind by PutBack.
	DateAhead                   time.Duration           // Of the header Date.
	WrongFrom, WrongTo, WrongBy time.Duration           // Between the first two the header Date is further ahead.
	Seed                        uint64

	Reads      int // Requests so far.
	InWindow   int // The most in one window.
	UsedUpTill time.Duration

	all, bySubmitted, byEvaluated, active []*Submission
	byID                                  map[string]*Submission
	born, used                            int
	window, grabbed                       time.Duration
	random                                *rand.Rand
}

const limit = 1000

// Add adds all submissions. It is called once.
func (a *API) Add(subs []*Submission) {
	a.byID, a.random = map[string]*Submission{}, rand.New(rand.NewPCG(a.Seed, 9))
	a.PageSize, a.window = cmp.Or(a.PageSize, 100), -1<<62
	a.Insert(subs...)
}

// Insert adds submissions that are created later than those that a listing has shown.
func (a *API) Insert(subs ...*Submission) {
	subs = append(subs, a.all...)
	by := func(at func(*Submission) time.Duration) []*Submission {
		sorted := slices.Clone(subs)
		slices.SortStableFunc(sorted, func(x, y *Submission) int { return cmp.Compare(at(x), at(y)) })
		return sorted
	}
	a.all = by(func(s *Submission) time.Duration { return s.Created })
	a.bySubmitted = by(func(s *Submission) time.Duration { return s.Submitted })
	a.byEvaluated = by(func(s *Submission) time.Duration { return s.Evaluated })
	for i, s := range a.all {
		s.place, a.byID[s.ID] = i, s
		s.Listed, s.Ready = max(s.Listed, s.Evaluated), max(s.Ready, s.Evaluated)
	}
}

// Submission returns the submission with an id, nil if there is none.
func (a *API) Submission(id string) *Submission { return a.byID[id] }

// IDs returns the ids of all submissions in the order of their creation.
func (a *API) IDs() (ids []string) {
	for _, s := range a.all {
		ids = append(ids, s.ID)
	}
	return ids
}

// Clock returns the server's time.
func (a *API) Clock(now time.Duration) time.Duration {
	if a.PutBack > 0 && now >= a.BackAt {
		return now - a.PutBack
	}
	return now
}

// Date returns the time in the header Date.
func (a *API) Date(now time.Duration) time.Duration {
	date := a.Clock(now) + a.DateAhead
	if now >= a.WrongFrom && now < a.WrongTo {
		date += a.WrongBy
	}
	return date.Truncate(time.Second)
}

// reset returns the time in the header X-RateLimit-Reset.
func (a *API) reset(now time.Duration, w poll.Budget) time.Duration {
	return a.Clock(now) + a.DateAhead + w.Ends
}

// status returns the status of a submission in a listing or a single read.
func (a *API) status(s *Submission, now time.Duration, single bool) string {
	switch {
	case now >= s.Listed || single && now >= s.Evaluated:
		return "evaluated"
	case a.OneStatus:
		return "pending"
	case now >= s.Submitted:
		return "grading"
	}
	return "in_progress"
}

// item returns a submission as a response shows it.
func (a *API) item(s *Submission, now time.Duration, single bool) poll.Item {
	shown := func(at time.Duration) poll.Server {
		if s.ID == a.Future {
			at += 87600 * time.Hour
		}
		return poll.Server(a.Clock(at))
	}
	it := poll.Item{ID: s.ID, Status: a.status(s, now, single), Created: shown(s.Created)}
	if now >= s.Submitted && !a.NoSubmittedAt {
		it.Submitted = shown(s.Submitted)
	}
	if it.Status == "evaluated" {
		it.Submitted, it.Ready = shown(s.Submitted), now >= s.Ready
		if now >= s.Evaluated+a.NullFor {
			it.Evaluated = shown(s.Evaluated + a.NullFor)
		}
	}
	return it
}

// Reply returns the status of the response to a request at now, what it means to a machine, and the
// rate limit, whose Limit is 0 without the headers of the API.
func (a *API) Reply(r poll.Request, now time.Duration) (status int, reply poll.Reply, window poll.Budget) {
	reply.Server = poll.Server(a.Date(now))
	if status, window = a.admit(now); status == http.StatusOK {
		status = a.answer(r, now, &reply)
	}
	reply.Kind = map[int]poll.ReplyKind{200: poll.Answered, 400: poll.UnknownStatus, 404: poll.Missing, 500: poll.Failed}[status]
	if status == http.StatusBadRequest && r.Cursor != "" {
		reply.Kind = poll.CursorExpired
	}
	return status, reply, window
}

// answer answers a request that is admitted, and returns the status.
func (a *API) answer(r poll.Request, now time.Duration, reply *poll.Reply) (status int) {
	issued, _, found := strings.Cut(r.Cursor, "@")
	at, _ := strconv.Atoi(issued)
	switch {
	case a.random.Float64() < a.Refusing, a.Broken != nil && a.Broken(r):
		reply.RetryAfter = a.RetryAfter
		return http.StatusInternalServerError
	case r.ID != "":
		s := a.byID[r.ID]
		if s == nil || now < s.Created || s.Deleted != 0 && now >= s.Deleted {
			return http.StatusNotFound
		}
		reply.Items = []poll.Item{a.item(s, now, true)}
	case r.Status != "" && r.Status != poll.Finished && a.Unfinished == "refused", found && a.CursorLife > 0 && now-time.Duration(at) > a.CursorLife:
		return http.StatusBadRequest
	case r.Status != "" && r.Status != poll.Finished && a.Unfinished == "empty":
	default:
		if r.Status != poll.Finished && a.Unfinished == "ignored" {
			r.Status = ""
		}
		a.list(r, now, reply)
	}
	return http.StatusOK
}

// admit counts a request against the window. The code is 200, or that of a request that is refused or fails.
func (a *API) admit(now time.Duration) (code int, _ poll.Budget) {
	a.Reads++
	if now-a.window >= time.Hour {
		a.window, a.used, a.grabbed = now, 0, 1<<62
		if a.random.Float64() < a.OthersUseUp {
			a.grabbed = now + time.Duration(a.random.Float64()*float64(time.Hour))
		}
	}
	others := int(a.OthersPerHour * (now - a.window).Hours())
	if now >= a.grabbed {
		others = limit
	}
	ends := a.window + time.Hour
	if a.used+others >= limit {
		a.UsedUpTill = ends
		return http.StatusTooManyRequests, poll.Budget{Limit: limit, Ends: ends - now}
	}
	a.used++
	a.InWindow = max(a.InWindow, a.used)
	left := limit - a.used - others
	if a.random.Float64() < a.Failing {
		return http.StatusServiceUnavailable, poll.Budget{}
	}
	if left == 0 {
		a.UsedUpTill = ends
	}
	return http.StatusOK, poll.Budget{Left: left, Limit: limit, Ends: ends - now}
}

// list adds a page of a listing to a reply.
func (a *API) list(r poll.Request, now time.Duration, reply *poll.Reply) {
	since := time.Duration(r.Since)
	if a.Cut > 0 {
		since = since.Truncate(a.Cut)
	}
	pool := a.pool(r.Status, since, now)
	_, last, _ := strings.Cut(r.Cursor, "@")
	place, _ := strconv.Atoi(last)
	end, skip := len(pool), 0
	if a.Positions {
		skip = place
	} else if r.Cursor != "" {
		end = sort.Search(len(pool), func(i int) bool { return pool[i].place >= place })
	}
	for i := end - 1; i >= 0; i-- {
		s := pool[i]
		switch {
		case s.Created > now || s.Deleted != 0 && now >= s.Deleted || r.Status != "" && a.status(s, now, false) != r.Status || !a.since(s, since, now):
			if a.Since == "created" && since != 0 && s.Created+time.Hour < since { // All others are older.
				return
			}
		case skip > 0:
			skip--
		case len(reply.Items) == a.PageSize && a.Positions:
			reply.Next = fmt.Sprintf("%d@%d", now, place+a.PageSize)
			return
		case len(reply.Items) == a.PageSize:
			reply.Next = fmt.Sprintf("%d@%d", now, a.byID[reply.Items[len(reply.Items)-1].ID].place)
			return
		default:
			reply.Items = append(reply.Items, a.item(s, now, false))
		}
	}
}

// since reports whether a submission passes the filter since.
func (a *API) since(s *Submission, since, now time.Duration) bool {
	at := s.Created
	switch {
	case since == 0 || a.Since == "ignored":
		return true
	case a.Since == "submitted":
		at = s.Submitted
	case a.Since == "evaluated":
		at = s.Evaluated
	}
	if a.Since == "evaluated" && now >= at+a.NullFor {
		at += a.NullFor
	}
	shown := a.Clock(at)
	return at <= now && shown >= since && (!a.Exclusive || shown != since)
}

// pool returns the submissions that a listing can show, in the order of creation. It spares tests time.
func (a *API) pool(status string, since, now time.Duration) []*Submission {
	for ; a.born < len(a.all) && a.all[a.born].Created <= now; a.born++ {
		a.active = append(a.active, a.all[a.born])
	}
	sorted := a.byEvaluated
	at := func(s *Submission) time.Duration { return s.Evaluated }
	switch {
	case status != "" && status != "evaluated":
		a.active = slices.DeleteFunc(a.active, func(s *Submission) bool { return s.Listed <= now })
		return a.active
	case since == 0 || a.Since == "ignored" || a.Since == "created" || a.NullFor > 0:
		return a.all[:a.born]
	case a.Since == "submitted":
		sorted, at = a.bySubmitted, func(s *Submission) time.Duration { return s.Submitted }
	}
	from := sort.Search(len(sorted), func(i int) bool { return at(sorted[i]) >= since })
	to := sort.Search(len(sorted), func(i int) bool { return at(sorted[i]) > now })
	if to-from > 1000 { // Most of all.
		return a.all[:a.born]
	}
	pool := slices.Clone(sorted[from:max(from, to)])
	slices.SortFunc(pool, func(x, y *Submission) int { return cmp.Compare(x.place, y.place) })
	return pool
}
