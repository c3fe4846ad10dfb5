package poll

import (
	"slices"
	"time"
)

// Local is a time by the machine's clock, or in arguments by the caller's. 0 means none. Only New, Receive and serverAt
// convert it into a time of the server.
type Local time.Duration

// Server is a time by the server's clock, since 1970. 0 means none.
type Server time.Duration

// Add returns the time d later.
func (t Local) Add(d time.Duration) Local { return t + Local(d) }

// Sub returns the time from u to t.
func (t Local) Sub(u Local) time.Duration { return time.Duration(t - u) }

// Add returns the time d later.
func (t Server) Add(d time.Duration) Server { return t + Server(d) }

// Finished is the status that listings of the depths filter by. The caller gives it to each submission whose report is
// ready, whatever status the API shows, so a new finished status needs no change here. All others are unfinished.
const Finished = "evaluated"

const (
	longestPeriod = 330 * time.Minute // Between listings of all of Lookback.
	newestPeriod  = time.Hour         // Between listings of the newest page.
	rememberFor   = 24 * time.Hour    // How much longer than necessary delivered ids are remembered.
	sharedReplies = 300               // Shares are of about so many replies.
	initialCredit = 0.03              // Replies that each source is credited with.
	initialCost   = 4                 // Of a listing before the first one.
	cheapRequests = 10                // Requests of a listing that need no spare reads, and single reads of one comparison.
	maxFailed     = 3                 // How often a page fails until its source has failed.
)

// Options configures a machine. It is not part of the state.
type Options struct {
	Interval      time.Duration // The mean time between polls.
	ShortestPause time.Duration // The shortest time between polls. The caller may wait longer than Next says.
	Lookback      time.Duration // Above 0.
	CreatedSince  Server        // Of given ids: all of Lookback begins then. 0: Lookback ago.
}

// Window is the rate limit of reads, less what is left to others.
type Window struct {
	Left, Limit int           // Limit above 0.
	Ends        time.Duration // The time until then.
}

// Item is a submission as a reply shows it.
type Item struct {
	ID, Status                    string
	Created, Submitted, Evaluated Server
	Undated                       bool // One of the times cannot be read, or there is none.
	Ready                         bool // Its report is ready.
}

// Request is a single read, if it has an ID, or a page of a listing.
type Request struct {
	ID             string
	Status, Cursor string
	Since          Server
}

// Outcome is what happened to a request.
type Outcome int

// The outcomes.
const (
	Answered Outcome = iota + 1
	Expired          // The cursor, or the API knows no listing of an unfinished status.
	Missing          // Of a single read: the submission does not exist.
	Failed           // The API cannot answer this request. It may answer others.
)

// Reply is the response to a request. A reply to a single read has one item.
type Reply struct {
	Outcome    Outcome
	Items      []Item        // Each submission once.
	Next       string        // Cursor of the next page.
	RetryAfter time.Duration // Of a failure: how long the API asks to wait. 0: it does not.
	At         Local         // When the reply came, by the caller's clock.
	Server     Server        // The same by the server's clock.
}

// Machine decides which requests to send. Create it with New. After it was decoded from JSON, call Resume.
type Machine struct {
	Sources []*source       `json:"sources"`          // First the newest page, then the depths from the deepest.
	Reads   map[string]read `json:"reads"`            // Submissions to be read singly.
	Awaited set             `json:"known,omitzero"`   // Given ids that were not delivered yet. Nil: all evaluations count.
	Missing []string        `json:"missing,omitzero"` // Given ids that do not exist.

	// What was delivered, by the server's clock.
	Done     map[string]Server `json:"done"`              // Delivered ids, each with the latest time that it may be shown with.
	DoneTo   Server            `json:"done_to"`           // What was evaluated earlier counts as delivered.
	FromNow  bool              `json:"from_now,omitzero"` // DoneTo was the present: what was seen unfinished is evaluated later, whatever its times say.
	Latest   Server            `json:"latest"`            // The latest time of a submission that a listing has shown.
	Complete Server            `json:"complete"`          // When the last complete listing of all of Lookback began.

	Clock Local         `json:"clock"` // The machine's clock. It begins as the server's and never goes back.
	Ahead time.Duration `json:"ahead"` // Of the server's clock.

	options Options
	caller  Local // The caller's clock at Clock.
	resumed bool  // The time between the save and the load is not known yet: no reply has come.
	sent    bool  // A request was sent since New or Resume.
	asked   Request
	source  *source // Of the request; nil for a single read of Reads.
}

type set map[string]bool

// read is a submission to be read singly.
type read struct {
	Source int   `json:"s"`           // The index of the source that led to it.
	First  Local `json:"f,omitempty"` // When it was first seen evaluated, or could not be read. 0: it left the listing of a status.
	Due    Local `json:"d"`
	Failed bool  `json:"x,omitempty"` // The API could not answer the last read.
}

// New returns a machine that finds evaluations after since, or, if ids is not nil, those of the ids. caller and server
// are the present time by both clocks. The server's is an estimate until the first reply.
func New(o Options, caller Local, server, since Server, ids []string) *Machine {
	m := &Machine{
		Sources: depths(o.Lookback, Local(min(since, server))), Reads: map[string]read{}, Done: map[string]Server{}, DoneTo: since,
		Clock: Local(server), options: o, caller: caller,
	}
	if ids == nil {
		return m
	}
	m.Awaited = set{}
	for _, id := range ids {
		m.Awaited[id] = true
	}
	first, awaited := m.allOfLookback(), &source{Depth: awaitedIDs, Began: Local(since), Cost: float64(len(ids))}
	m.Sources = append(m.Sources, awaited)
	if len(ids) <= cheapRequests {
		first = awaited
	}
	first.Began = first.Began.Add(-longestPeriod) // The first poll reads all awaited ids, or lists all of Lookback.
	return m
}

// Resume continues a machine that was decoded from JSON. With another Lookback than before its sources begin anew.
func (m *Machine) Resume(o Options, caller Local) {
	m.options, m.caller, m.resumed = o, caller, true
	if all := m.allOfLookback(); all.Depth != o.Lookback {
		m.Sources = depths(o.Lookback, all.Began)
		for id, r := range m.Reads {
			r.Source = 0
			m.Reads[id] = r
		}
	}
}

func (m *Machine) allOfLookback() *source { return m.Sources[1] }

// Next returns the request to send now, or the time to wait. A poll is the requests until Next returns a time. The
// first call returns a request unless the window is used up.
func (m *Machine) Next(caller Local, w Window) (r Request, wait time.Duration) {
	m.advance(caller)
	switch {
	case w.Left <= 0:
		return Request{}, w.Ends
	case m.Awaited != nil && len(m.Awaited) == 0:
		return Request{}, m.options.Interval
	}
	opener := m.opener()
	source, until := m.nextSource(opener, w)
	id, due := m.nextRead()
	switch {
	case due <= m.Clock && (source == nil || source.cost() > 1):
		m.source, m.asked = nil, Request{ID: id}
	case source != nil:
		m.source, m.asked = source, m.nextPage(source)
	case !m.sent:
		m.source, m.asked = opener, m.nextPage(opener)
	default:
		return Request{}, min(until, due).Sub(m.Clock)
	}
	m.sent = true
	return m.asked, 0
}

// advance moves the machine's clock on by what has passed on the caller's.
func (m *Machine) advance(caller Local) {
	m.Clock += max(0, caller-m.caller)
	m.caller = caller
}

// Receive takes the reply to the request of Next, and returns the results in it. Each must be passed to Delivered.
// endless reports that the API ignores cursors: each second page repeats the first one. If a request gets no reply, call Next
// again after a while.
func (m *Machine) Receive(r Reply) (results []Item, endless bool) {
	m.synchronise(r)
	switch {
	case m.asked.ID != "":
		return m.receiveRead(r), false
	case r.Outcome == Answered:
		return m.receivePage(r)
	case r.Outcome == Expired && m.asked.Cursor != "" && !m.source.Open.Again: // The cursor has expired.
		m.source.Open.beginAgain()
		m.source.Open.Again = true
	case r.Outcome == Failed:
		m.failPage(m.source, r.RetryAfter)
	default:
		m.source.Open, m.source.FailedAt = nil, m.Clock
	}
	return nil, false
}

// synchronise sets the clocks by a reply. The first one after Resume shows how much time passed since the save.
func (m *Machine) synchronise(r Reply) {
	m.advance(r.At)
	if m.resumed {
		m.resumed = false
		passed := max(0, Local(r.Server.Add(-m.Ahead))-m.Clock)
		m.Clock += passed
		if m.source != nil && m.source.Open.Pages == 0 {
			m.source.Open.Began += passed
		}
	}
	m.Ahead = time.Duration(r.Server) - time.Duration(m.Clock)
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

// shownUntil returns the latest time that a submission has or may get. Without an evaluation that is the present: an API may
// show its time later. Without any Date the present may seem earlier than DoneTo.
func (m *Machine) shownUntil(it Item) Server {
	if it.Undated || it.Evaluated == 0 {
		return max(it.latest(), m.server(), m.DoneTo)
	}
	return it.latest()
}

// server returns the present time by the server's clock.
func (m *Machine) server() Server { return m.serverAt(m.Clock) }

// serverAt returns the server's time at a time of the machine's clock.
func (m *Machine) serverAt(at Local) Server { return Server(at.Add(m.Ahead)) }

// Begun reports whether the newest page was listed.
func (m *Machine) Begun() bool { return m.Sources[0].Listed }

// IsListing reports whether a listing has pages left for a later poll.
func (m *Machine) IsListing() bool {
	return slices.ContainsFunc(m.Sources, func(s *source) bool { return s.Open != nil && s.Open.requests()+s.Open.Failures > 0 })
}

// Failing returns the listings that failed last.
func (m *Machine) Failing() (names []string) {
	for _, s := range m.Sources {
		if s.FailedAt > 0 {
			names = append(names, s.name())
		}
	}
	return names
}

// FailingReads returns the submissions whose last single read failed.
func (m *Machine) FailingReads() (ids []string) {
	for id, r := range m.Reads {
		if r.Failed {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Late returns how many evaluated submissions have had no ready report for so long.
func (m *Machine) Late(d time.Duration) (n int) {
	for _, r := range m.Reads {
		if r.First > 0 && m.Clock.Sub(r.First) >= d {
			n++
		}
	}
	return n
}

// latest returns the latest time of the submission.
func (it Item) latest() Server { return max(it.Created, it.Submitted, it.Evaluated) }
