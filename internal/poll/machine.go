package poll

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"
)

// Time is a duration, or a time by the server's clock as the duration since 1970. 0 means none.
type Time = time.Duration

const (
	longestPeriod = 330 * time.Minute // Between listings of all of Lookback.
	rememberFor   = 24 * time.Hour    // How much longer than necessary delivered ids are remembered.
	sharedReplies = 300               // Shares are of about so many replies.
	initialCredit = 0.03              // Replies that each source is credited with.
	cheapRequests = 10                // Requests of a listing that need no spare reads, and single reads of one comparison.
	maxSources    = 20

	evaluated = "evaluated"
)

// Options configures a machine. They are not part of its state.
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

// Machine decides which requests to send. Create it with New or Load.
type Machine struct {
	Sources []*source       `json:"sources"`
	Reads   map[string]read `json:"reads"`            // Submissions to be read singly.
	Known   set             `json:"known,omitzero"`   // Given ids that are to be delivered. Nil: all evaluations are.
	Done    map[string]Time `json:"done"`             // Delivered ids with the times of evaluation.
	DoneTo  Time            `json:"done_to"`          // What was evaluated earlier counts as delivered.
	Missing []string        `json:"missing,omitzero"` // Given ids that do not exist.
	Asked   bool            `json:"asked"`            // A request succeeded.
	Left    int             `json:"left"`
	Limit   int             `json:"limit"`
	Reset   Time            `json:"reset"`
	Hour    hour            `json:"hour"`
	Reach   Time            `json:"lookback"` // Options.Lookback of the sources.

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
	m := &Machine{DoneTo: from, Left: 1, Limit: 1, Done: map[string]Time{}, Reads: map[string]read{}, Reach: o.Lookback, options: o}
	m.Sources = depths(o.Lookback, from)
	if ids == nil {
		return m
	}
	m.Known = set{}
	for _, id := range ids {
		m.Known[id] = true
	}
	all, known := m.Sources[len(m.Sources)-1], &source{Depth: knownIDs, Began: from, Cost: float64(len(ids))}
	m.Sources = append(m.Sources, known)
	if len(ids) <= cheapRequests {
		all = known
	}
	all.Began -= longestPeriod // The first poll reads all known ids, or lists all of Lookback.
	return m
}

// Load returns the machine with this JSON. Lookback may be another one than before.
func Load(o Options, state []byte) (*Machine, error) {
	m := &Machine{}
	if err := json.Unmarshal(state, m); err != nil {
		return nil, err
	}
	if m.options = o; m.Reach == o.Lookback {
		return m, nil
	}
	before := m.Sources
	deepest := slices.IndexFunc(before, func(s *source) bool { return s.Depth == m.Reach })
	m.Reach, m.Sources = o.Lookback, depths(o.Lookback, before[deepest].Began)
	for _, s := range before {
		if s.Status != "" {
			m.Sources = append(m.Sources, s)
		}
	}
	for id, r := range m.Reads {
		r.Source = 0
		m.Reads[id] = r
	}
	return m, nil
}

// BeginPoll makes the base due, however long ago it was listed.
func (m *Machine) BeginPoll() { m.begin = true }

// State returns the machine as JSON.
func (m *Machine) State() []byte {
	state, err := json.Marshal(m)
	if err != nil {
		panic("hiring: a state cannot be encoded: " + err.Error()) // It has no value that can fail.
	}
	return state
}

// Next returns the request to send at now, or the time to wait for. A poll is the requests until Next returns a time.
func (m *Machine) Next(now Time) (r Request, until Time) {
	m.now = now
	if now >= m.Reset {
		m.Left = m.Limit
	}
	switch {
	case m.Left <= 0:
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
	m.Hour.count(now)
	return m.asked, 0
}

// Got takes the reply to the request of Next, and returns the results in it. Each must be passed to Delivered. A reply
// with a code of 500 or more changes nothing but the window: call Next again after a while.
func (m *Machine) Got(r Reply) (results []Item) {
	if r.Limit > 0 {
		m.Left, m.Limit, m.Reset = r.Left, r.Limit, r.Reset
	}
	for _, s := range m.Sources {
		s.beganBy(r.At)
	}
	single := m.asked.ID != ""
	m.Asked = m.Asked || r.Code < 429
	switch {
	case r.Code == 429:
		m.Left, m.Reset = 0, max(r.Reset, m.now+m.options.Interval)
	case single && (r.Code == 200 || r.Code == 404):
		return m.gotRead(r)
	case r.Code == 200:
		return m.gotPage(r)
	case r.Code < 500 && !single: // The API rejects the status or the cursor: later, or from the first page.
		if m.from.Open = nil; m.from.Status != "" {
			m.from.Began = m.now
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

// ReadsLastHour estimates the requests of the last hour.
func (m *Machine) ReadsLastHour() int {
	passed := m.now - m.Hour.Began
	return m.Hour.Now + int(float64(m.Hour.Before)*max(0, 1-passed.Hours()))
}

// hour counts requests.
type hour struct {
	Began  Time `json:"began"`
	Now    int  `json:"now"`
	Before int  `json:"before"` // Of the hour before.
}

func (h *hour) count(now Time) {
	switch passed := now - h.Began; {
	case passed >= 2*time.Hour:
		*h = hour{Began: now}
	case passed >= time.Hour:
		*h = hour{Began: h.Began + time.Hour, Before: h.Now}
	}
	h.Now++
}

// evaluatedAt returns the time of evaluation, or an earlier one that stands for it.
func (it Item) evaluatedAt() Time { return cmp.Or(it.Evaluated, it.Submitted, it.Created) }
