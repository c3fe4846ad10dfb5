package poll

import (
	"cmp"
	"time"
)

// Time is a duration, or a time by the server's clock as the duration since 1970. 0 means none.
type Time = time.Duration

const (
	longestPeriod = 330 * time.Minute // Between listings of all of Lookback.
	newestPeriod  = time.Hour         // Between listings of the newest page, which shows new statuses.
	rememberFor   = 24 * time.Hour    // How much longer than necessary delivered ids are remembered.
	sharedReplies = 300               // Shares are of about so many replies.
	initialCredit = 0.03              // Replies that each source is credited with.
	cheapRequests = 10                // Requests of a listing that need no spare reads, and single reads of one comparison.
	maxSources    = 20

	evaluated = "evaluated"
)

// Options configures a machine. It is not part of the state.
type Options struct {
	Interval      Time // The mean time between polls.
	ShortestPause Time // The shortest time between polls. The caller may wait longer than Next says.
	Lookback      Time // Above 0.
}

// Item is a submission as a reply shows it.
type Item struct {
	ID, Status                    string
	Created, Submitted, Evaluated Time
	Ready                         bool // Its report is ready.
}

// Request is a single read, if it has an ID, or a page of a listing.
type Request struct {
	ID             string
	Status, Cursor string
	Since          Time
}

// Reply is the response to a request. A reply to a single read has one item.
type Reply struct {
	Code        int
	Items       []Item
	Next        string // Cursor of the next page.
	At          Time   // When the reply came.
	Left, Limit int    // Reads of the rate limit's window. Limit 0: not known.
	Reset       Time   // When the window ends.
}

// Machine decides which requests to send. Create it with New. After it was decoded from JSON, call Resume.
type Machine struct {
	Sources []*source       `json:"sources"`          // First the newest page, then the depths from the deepest.
	Reads   map[string]read `json:"reads"`            // Submissions to be read singly.
	Known   set             `json:"known,omitzero"`   // Given ids that were not delivered yet. Nil: all evaluations count.
	Done    map[string]Time `json:"done"`             // Delivered ids with the times of evaluation.
	DoneTo  Time            `json:"done_to"`          // What was evaluated earlier counts as delivered.
	Missing []string        `json:"missing,omitzero"` // Given ids that do not exist.
	Left    int             `json:"left"`
	Limit   int             `json:"limit"`
	Reset   Time            `json:"reset"`

	options Options
	now     Time
	asked   Request
	from    *source // The source of the request; nil for a single read of Reads.
	begin   bool    // The base is due.
}

type set map[string]bool

// read is a submission to be read singly.
type read struct {
	Source int  `json:"s"`           // The index of the source that led to it.
	First  Time `json:"f,omitempty"` // When it was first seen evaluated. 0: it left the listing of a status.
	Due    Time `json:"d"`
}

// New returns a machine that finds evaluations after from, or, if ids is not nil, those of the ids.
func New(o Options, from Time, ids []string) *Machine {
	m := &Machine{
		Sources: depths(o.Lookback, from), Reads: map[string]read{}, Done: map[string]Time{}, DoneTo: from, Left: 1, Limit: 1, options: o, begin: true,
	}
	if ids == nil {
		return m
	}
	m.Known = set{}
	for _, id := range ids {
		m.Known[id] = true
	}
	first, known := m.allOfLookback(), &source{Depth: knownIDs, Began: from, Cost: float64(len(ids))}
	m.Sources = append(m.Sources, known)
	if len(ids) <= cheapRequests {
		first = known
	}
	first.Began -= longestPeriod // The first poll reads all known ids, or lists all of Lookback.
	return m
}

// Resume continues a machine that was decoded from JSON. With another Lookback than before it learns its sources anew.
func (m *Machine) Resume(o Options) {
	m.options = o
	if all := m.allOfLookback(); all.Depth != o.Lookback {
		m.Sources = depths(o.Lookback, all.Began)
		for id, r := range m.Reads {
			r.Source = 0
			m.Reads[id] = r
		}
	}
}

func (m *Machine) allOfLookback() *source { return m.Sources[1] }

// BeginPoll makes the base due, however long ago it was listed.
func (m *Machine) BeginPoll() { m.begin = true }

// Next returns the request to send at now, or the time to wait for. A poll is the requests until Next returns a time.
func (m *Machine) Next(now Time) (r Request, until Time) {
	m.now = now
	if now >= m.Reset {
		m.Left = m.Limit
	}
	switch {
	case m.WindowUsedUp():
		return Request{}, m.Reset
	case m.Known != nil && len(m.Known) == 0:
		return Request{}, now + m.options.Interval
	}
	source, until := m.nextSource()
	id, due := m.nextRead()
	switch {
	case due <= now && (source == nil || source.Cost > 1):
		m.from, m.asked = nil, Request{ID: id}
	case source != nil:
		m.from, m.asked, m.begin = source, m.nextPage(source), false
	default:
		return Request{}, min(until, due)
	}
	return m.asked, 0
}

// Got takes the reply to the request of Next, and returns the results in it. Each must be passed to Delivered. A reply
// with another code than 200, 400 and 404 changes nothing but the window: call Next again after a while.
func (m *Machine) Got(r Reply) (results []Item) {
	if r.Limit > 0 {
		m.Left, m.Limit, m.Reset = r.Left, r.Limit, r.Reset
	}
	m.now = r.At
	for _, s := range m.Sources { // The server's clock may have been put back, or was not known before its first reply.
		s.Began = min(s.Began, r.At)
	}
	single := m.asked.ID != ""
	switch {
	case single && (r.Code == 200 || r.Code == 404):
		return m.gotRead(r)
	case r.Code == 200:
		return m.gotPage(r)
	case r.Code == 400 && !single: // The API rejects the status or the cursor: later, or from the first page.
		if m.from.Open = nil; m.from.Status != "" {
			m.from.Began = r.At
		}
	}
	return nil
}

// Delivered records that a result of Got was delivered, or that its submission does not exist.
func (m *Machine) Delivered(it Item) {
	delete(m.Reads, it.ID)
	if m.Known != nil {
		delete(m.Known, it.ID)
	} else {
		m.Done[it.ID] = it.evaluatedAt()
	}
}

// Begun reports whether the newest page was listed.
func (m *Machine) Begun() bool { return m.Sources[0].Cost == 1 }

// WindowUsedUp reports whether Next waits for the end of the window.
func (m *Machine) WindowUsedUp() bool { return m.Left <= 0 }

// Late returns how many evaluated submissions have had no ready report for so long.
func (m *Machine) Late(d Time) (n int) {
	for _, r := range m.Reads {
		if r.First > 0 && m.now-r.First >= d {
			n++
		}
	}
	return n
}

// evaluatedAt returns the time of evaluation, or an earlier time if that is unknown.
func (it Item) evaluatedAt() Time { return cmp.Or(it.Evaluated, it.Submitted, it.Created) }
