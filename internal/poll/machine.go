package poll

import (
	"math"
	"slices"
	"time"
)

// Finished is the status by which listings of evaluated submissions filter. A submission whose report is ready
// has it, whatever status the API shows, so a new finished status needs no change here. All others
// are unfinished.
const Finished = "evaluated"

const (
	longestPeriod   = 330 * time.Minute // Between listings of all of Lookback, which take up to an hour: no result comes after 6.5 h.
	newestPeriod    = time.Hour         // Between listings of the newest page, which shows what statuses exist.
	rememberFor     = 24 * time.Hour    // How much longer than necessary delivered ids are remembered.
	initialCost     = 4                 // Cost of a source before its first listing.
	cheapRequests   = 10                // Requests of a listing that need no spare reads, and single reads of one comparison.
	maxPageFailures = 3                 // How often a page fails until its source has failed.

	// Shares are of about so many replies. With fewer they vary by chance, with more a change is
	// noticed late.
	sharedReplies = 300
	// Replies that each source is credited with, so that one that shows nothing is still listed. Ten
	// times as many cost three times the reads for nothing, a tenth notices a change three times as
	// late.
	initialCredit = 0.03
)

// Options configures a machine. It is not part of the state.
type Options struct {
	Interval      time.Duration // The mean time between polls.
	ShortestPause time.Duration // The shortest time between polls. The caller may wait longer than Next says.
	Lookback      time.Duration // How far back evaluations are listed. Above 0.
	CreatedSince  Server        // With given ids: when all of Lookback begins. 0: Lookback ago.
}

// Budget is the rate limit of reads, less what is left to others. When nothing is left, the caller
// does not call Next.
type Budget struct {
	Left, Limit int           // Limit above 0.
	Ends        time.Duration // The time until the window ends.
}

// Request is a single read, if it has an ID, or a page of a listing.
type Request struct {
	ID             string
	Status, Cursor string
	Since          Server

	source *source // The source whose listing the request belongs to; nil for a single read of Machine.Reads.
}

// ReplyKind is what happened to a request.
type ReplyKind int

// The kinds of replies.
const (
	Answered ReplyKind = iota
	CursorExpired
	UnknownStatus // The API knows no listing of the unfinished status.
	Missing       // The submission of a single read does not exist.
	Failed        // The API cannot answer this request. It may answer others.
)

// Reply is the response to a request. A reply to a single read has one item.
type Reply struct {
	Kind       ReplyKind
	Items      []Item        // Each submission once.
	Next       string        // Cursor of the next page.
	RetryAfter time.Duration // After a failure: how long the API asks to wait. 0: it does not.
	At         Caller        // When the reply came, by the caller's clock.
	Server     Server        // When the reply came, by the server's clock.
}

// Machine decides which requests to send. Create it with NewWatch or NewWait. After it was decoded from JSON, call Resume.
type Machine struct {
	Sources []*source       `json:"sources"`
	Reads   map[string]read `json:"reads"`            // Submissions to be read singly.
	Awaited set             `json:"awaited,omitzero"` // Given ids that were not delivered yet. Nil: all evaluations count.
	Missing []string        `json:"missing,omitzero"` // Given ids that do not exist.

	// What was delivered, by the server's clock.
	Done     map[string]Server `json:"done"`              // Delivered ids, each with the latest time that it may be shown with.
	DoneTo   Server            `json:"done_to"`           // A submission that was evaluated earlier counts as delivered.
	FromNow  bool              `json:"from_now,omitzero"` // DoneTo was the present: what was seen unfinished comes later, whatever its times say.
	Latest   Server            `json:"latest"`            // The latest time of a submission that a listing has shown.
	Complete Server            `json:"complete"`          // When the last complete listing of all of Lookback began.

	clock

	options Options
}

type set map[string]bool

// NewWatch returns a machine that finds evaluations after since. fromNow reports that since is the
// present. caller and server are the present time by both clocks. The server's is an estimate until
// the first reply.
func NewWatch(o Options, caller Caller, server, since Server, fromNow bool) *Machine {
	m := newMachine(o, caller, server, since)
	m.FromNow = fromNow
	m.sourceOf(newestPage).makeDue()
	return m
}

// NewWait returns a machine that finds the evaluations of ids. The times are those of NewWatch.
func NewWait(o Options, caller Caller, server Server, ids []string) *Machine {
	m := newMachine(o, caller, server, server)
	m.Awaited = set{}
	for _, id := range ids {
		m.Awaited[id] = true
	}
	first, given := m.sourceOf(allOfLookback), &source{Kind: givenIDs, Depth: math.MaxInt64, Began: Local(server), Cost: float64(len(ids))}
	m.Sources = append(m.Sources, given)
	if len(ids) <= cheapRequests {
		first = given
	}
	first.makeDue()
	return m
}

func newMachine(o Options, caller Caller, server, since Server) *Machine {
	return &Machine{
		Sources: firstSources(o.Lookback, Local(min(since, server))), Reads: map[string]read{}, Done: map[string]Server{}, DoneTo: since,
		clock: clock{Now: Local(server), caller: caller}, options: o,
	}
}

// IsDone reports whether all given ids were delivered or do not exist.
func (m *Machine) IsDone() bool { return m.Awaited != nil && len(m.Awaited) == 0 }

// Resume continues a machine that was decoded from JSON. Lookback may be another than before.
func (m *Machine) Resume(o Options, caller Caller) {
	m.options, m.caller, m.resumed = o, caller, true
	m.sourceOf(allOfLookback).Depth = o.Lookback
}

// Next returns the request to send now, or the time to wait. It opens the listing that the request
// belongs to. A poll is the requests until Next returns a time: first the page of the opener, then
// the single reads that are due, then the sources that are due. After Resume a poll begins at once.
func (m *Machine) Next(caller Caller, b Budget) (r Request, wait time.Duration) {
	m.advance(caller)
	if m.IsDone() {
		return Request{}, m.options.Interval
	}
	opener := m.opener()
	begins := m.nextPoll(opener, b)
	id, due := m.nextRead()
	source := m.nextSource(opener, b)
	switch {
	case begins <= m.Now:
		return m.openPage(opener), 0
	case due <= m.Now:
		return Request{ID: id}, 0
	case source != nil:
		return m.openPage(source), 0
	case m.resumed:
		return m.openPage(opener), 0
	}
	return Request{}, min(begins, due).Sub(m.Now)
}

// Receive takes the reply to a request of Next, and returns the results in it. A result that is not
// passed to Delivered, because of a crash for example, is read singly by the next poll, for one
// request each. ignoresCursors reports that the API ignores cursors: the second page repeats the first one
// when the listing has begun again. If a request gets no reply, call Next again after a while.
func (m *Machine) Receive(request Request, reply Reply) (results []Item, ignoresCursors bool) {
	passed, s := m.synchronise(reply), request.source
	if s != nil && s.Open.Cursor == "" { // The listing began with this request.
		s.Open.Began += passed
	}
	switch {
	case s == nil:
		return m.receiveRead(request.ID, reply, m.Sources[m.Reads[request.ID].Source]), false
	case s.Kind == givenIDs:
		return m.receiveAwaited(request.ID, reply, s), false
	}
	switch reply.Kind {
	case Answered:
		return m.receivePage(reply, s)
	case Failed:
		m.failPage(s, reply.RetryAfter)
	case CursorExpired:
		m.beginAgain(s)
	case UnknownStatus, Missing: // Missing is no reply to a page.
		m.abandon(s)
	}
	return nil, false
}

// Delivered records that a result of Receive was delivered.
func (m *Machine) Delivered(it Item) {
	delete(m.Reads, it.ID)
	if m.Awaited != nil {
		delete(m.Awaited, it.ID)
	} else {
		m.Done[it.ID] = m.shownUntil(it)
	}
}

// IsListing reports whether a listing has pages left for a later poll.
func (m *Machine) IsListing() bool {
	return slices.ContainsFunc(m.Sources, func(s *source) bool { return s.Open != nil && s.Open.Pages+s.Open.Failures > 0 })
}

// Failing returns the listings that failed last, and the submissions whose last single read failed.
func (m *Machine) Failing() (listings, ids []string) {
	for _, s := range m.Sources {
		if s.FailedAt > 0 {
			listings = append(listings, s.name())
		}
	}
	for id, r := range m.Reads {
		if r.Failing > 0 {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return listings, ids
}

// HasListed reports whether a listing has shown a submission.
func (m *Machine) HasListed() bool { return m.Latest > 0 }

// Pending returns how many given ids are awaited, or in a watch how many evaluated submissions have no
// ready report.
func (m *Machine) Pending() int {
	if m.Awaited == nil {
		return m.Late(0)
	}
	return len(m.Awaited)
}

// Late returns how many evaluated submissions have had no ready report for so long.
func (m *Machine) Late(d time.Duration) (n int) {
	for _, r := range m.Reads {
		if r.Evaluated > 0 && m.Now.Sub(r.Evaluated) >= d {
			n++
		}
	}
	return n
}
