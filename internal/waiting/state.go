package waiting

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"slices"
	"strings"
	"time"
)

const leastGrading = 15 * time.Minute

// state is all that a machine knows. All times are the server's.
type state struct {
	Account     string    `json:"account,omitzero"`
	Assessment  string    `json:"assessment,omitzero"`
	Begin       time.Time `json:"start"`           // What was evaluated before is not wanted.
	Called      time.Time `json:"called,omitzero"` // When the watch was begun, by the caller's clock, until the server's is known.
	RandomState uint64    `json:"seed"`

	Hurry   bool          `json:"hurry,omitzero"`   // The next round needs no pause.
	Running bool          `json:"running,omitzero"` // A round is not over.
	Resting bool          `json:"resting,omitzero"` // Until then, for so long.
	Until   time.Time     `json:"until,omitzero"`
	Rest    time.Duration `json:"rest,omitzero"`
	Halted  bool          `json:"halted,omitzero"` // For trouble.

	Round            int       `json:"round,omitzero"`
	Began            time.Time `json:"began,omitzero"`   // The round.
	RespondedAt      time.Time `json:"heard,omitzero"`   // Time of the last response.
	RegularSince     time.Time `json:"steady,omitzero"`  // Responses have come at regular intervals since this time.
	Opened           time.Time `json:"opened,omitzero"`  // When the first walk began.
	DeliveredPerPoll float64   `json:"leaving,omitzero"` // Submissions delivered in a poll, as a moving average.
	tally
	Walks []walk `json:"walks,omitzero"`

	Meaning         Meaning       `json:"meaning,omitzero"`
	Probe           probe         `json:"probe,omitzero"`
	Newest          time.Time     `json:"newest,omitzero"` // The latest evaluation seen.
	Base            time.Time     `json:"base,omitzero"`   // All evaluated before has shown, if the meaning is right.
	Pinned          time.Time     `json:"pinned,omitzero"` // The next base, when the walk is through.
	LongListingBase time.Time     `json:"dear,omitzero"`   // Base after the last listing of more than one page; such a listing is not repeated while nothing new comes.
	Grading         time.Duration `json:"grading,omitzero"`
	NewsPages       float64       `json:"news,omitzero"`
	PeekAt          time.Time     `json:"peek,omitzero"`
	ByNews          bool          `json:"by_news,omitzero"` // The last poll listed what is new.
	Peeks           int           `json:"peeks,omitzero"`
	HeldAt          time.Time     `json:"held,omitzero"`

	Statuses   map[string]*status `json:"statuses,omitzero"`
	Serial     int                `json:"serial,omitzero"`
	Good       float64            `json:"good,omitzero"` // What speaks for the filter of the unfinished,
	Bad        float64            `json:"bad,omitzero"`  // and against it.
	FilterOff  time.Time          `json:"off,omitzero"`
	Unfiltered bool               `json:"unfiltered,omitzero"` // The status evaluated was refused.
	Repeats    int                `json:"repeats,omitzero"`    // Pages that were the first one again, in a row.
	Refusals   int                `json:"refusals,omitzero"`   // Of cursors, in a row.
	Size       int                `json:"size,omitzero"`       // Of a page.

	LookbackReadAt        time.Time     `json:"deep,omitzero"`      // Latest evaluation that a completed sweep over all of Lookback has seen.
	SweptUntil            time.Time     `json:"mark,omitzero"`      // Latest evaluation that a completed sweep has seen.
	SweepDepths           []time.Time   `json:"depths,omitzero"`    // When a sweep last looked back 1 h, 2 h, 4 h and so on.
	LookBacks             []time.Time   `json:"rulers,omitzero"`    // When a listing of new evaluations last looked back 10 min, 20 min, 40 min and so on.
	UnlistedUntil         time.Time     `json:"gap,omitzero"`       // Submissions that were unfinished before this time may never have been listed.
	AllListedAt           time.Time     `json:"snapped,omitzero"`   // Start of the last completed listing of all submissions.
	Unordered             bool          `json:"unordered,omitzero"` // That was not ordered by creation.
	LookbackPageAt        time.Time     `json:"depth,omitzero"`     // When a sweep over all of Lookback last read a page.
	TruncatedAt           time.Time     `json:"cut,omitzero"`       // When the waiting set was last truncated.
	UnexpectedEvaluations int           `json:"strays,omitzero"`    // Evaluations that this sweep found and no listing of the unfinished had shown.
	SweepHalvings         int           `json:"strayed,omitzero"`   // How often the interval between two sweeps is halved because of them.
	HandedInListedAt      time.Time     `json:"slow,omitzero"`      // When the submissions that are handed in and unfinished were last listed.
	Levels                [levels]level `json:"levels"`
	GrantAt               time.Time     `json:"grant,omitzero"`
	Proofs                []proof       `json:"proofs,omitzero"`
	Lateness              time.Duration `json:"lateness"`

	Window    window     `json:"window"`
	Hour      [2]int     `json:"hour"` // Requests in this hour and the one before.
	HourAt    time.Time  `json:"hour_at,omitzero"`
	Packed    rows       `json:"items,omitzero"`
	Delivered deliveries `json:"delivered,omitzero"`

	Noted []uint64 `json:"noted,omitzero"` // Hashes of unreadable items without an id.

	Items map[string]*item `json:"-"`

	// Of known ids.
	OpenPages int       `json:"-"` // Of the first walk.
	FindPages float64   `json:"-"` // Of what is evaluated, back to the oldest pending.
	VouchAt   time.Time `json:"-"`
	BySet     bool      `json:"-"` // The last round looked at the unfinished.
	News      time.Time `json:"-"` // When one was found.
}

// tally is what is counted in a round.
type tally struct {
	Cost    int  `json:"cost,omitzero"`    // Requests,
	Singles int  `json:"singles,omitzero"` // single reads among them,
	Fails   int  `json:"fails,omitzero"`   // and those of them that failed.
	Found   int  `json:"found,omitzero"`   // Deliveries.
	Stopped bool `json:"stopped,omitzero"` // A failed request has interrupted it.
	Fresh   int  `json:"fresh,omitzero"`   // Those of them that a page showed.
	Chased  bool `json:"chased,omitzero"`  // Leavers were looked for in a listing,
	Settled bool `json:"settled,omitzero"` // which was read to its end: those that it does not show are unfinished.
}

func newState(o Options) state {
	s := state{
		Begin: o.Start, SweptUntil: o.Start, LookbackReadAt: o.Start, Newest: o.Start, Base: o.Start, RandomState: o.Seed, NewsPages: 1, Grading: leastGrading,
		Statuses: make(map[string]*status), Items: make(map[string]*item), Delivered: make(deliveries),
		Lateness: lateness,
	}
	for l := range s.Levels {
		s.Levels[l].Credit = firstCredit
	}
	return s
}

const (
	format = "hiring-watch-2"
	// MaxState is the size of the longest state, in bytes.
	MaxState = 256 << 10
)

// String is the state of a machine that watches, from which Resume goes on.
func (m *Machine) String() string {
	for {
		s := m.state
		s.Packed = m.pack()
		body, err := json.Marshal(&s)
		if err != nil {
			panic(err) // Nothing in it can fail.
		}
		text := fmt.Sprintf("%s %08x %s", format, crc32.ChecksumIEEE(body), body)
		if len(text) <= MaxState || len(m.Items)+len(m.Delivered) == 0 {
			return text
		}
		if len(m.Items) == 0 {
			m.forgetAny(len(m.Delivered)/10 + 1)
		}
		m.forgetItems(len(m.Items)/10 + 1)
	}
}

// Resume goes on from a state. Its beginning is the state's.
func Resume(o Options, text string) (*Machine, error) {
	name, rest, _ := strings.Cut(text, " ")
	sum, body, ok := strings.Cut(rest, " ")
	switch {
	case name != format:
		return nil, errors.New("is not the state of a watch, or of another version")
	case !ok || len(text) > MaxState || sum != fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(body))):
		return nil, errors.New("is damaged")
	}
	m := New(o)
	if err := json.Unmarshal([]byte(body), &m.state); err != nil || !m.sound() {
		return nil, errors.New("cannot be read")
	}
	m.unpack()
	if m.UnlistedUntil.IsZero() && !m.Opened.IsZero() { // It is of a release that did not note that.
		m.UnlistedUntil = later(m.Opened, m.RespondedAt)
	}
	return m, nil
}

// sound tells whether String can have written it, which a checksum does not show.
func (s *state) sound() bool {
	return s.Statuses != nil && s.Delivered != nil && s.Meaning >= Unknown && s.Meaning <= Other &&
		!slices.Contains(slices.Collect(maps.Values(s.Statuses)), nil) &&
		!slices.ContainsFunc(s.Walks, func(w walk) bool { return w.Level < 0 || w.Level >= levels })
}

const entrySize = 16

// MarshalText packs the entries.
func (d deliveries) MarshalText() ([]byte, error) {
	b := make([]byte, 0, len(d)*entrySize)
	for _, hash := range slices.Sorted(maps.Keys(d)) {
		b = binary.BigEndian.AppendUint64(b, hash)
		b = binary.BigEndian.AppendUint32(b, d[hash].evaluated)
		b = binary.BigEndian.AppendUint32(b, d[hash].created)
	}
	return base64.RawStdEncoding.AppendEncode(nil, b), nil
}

// UnmarshalText unpacks them.
func (d *deliveries) UnmarshalText(text []byte) error {
	b, err := base64.RawStdEncoding.AppendDecode(nil, text)
	if err != nil {
		return err
	}
	if len(b)%entrySize != 0 {
		return fmt.Errorf("%d bytes are no entries", len(b))
	}
	*d = make(deliveries, len(b)/entrySize)
	for ; len(b) > 0; b = b[entrySize:] {
		(*d)[binary.BigEndian.Uint64(b)] = delivery{binary.BigEndian.Uint32(b[8:]), binary.BigEndian.Uint32(b[12:])}
	}
	return nil
}

// rows are the unfinished by status and id: when they were created, and what else
// is known of them, without the zeros at the end.
type rows map[string]map[string][]int64

func (m *Machine) pack() rows {
	packed := make(rows)
	for id, it := range m.Items {
		left, garbled := int64(0), int64(0)
		if it.Left {
			left = 1
		}
		if it.Garbled {
			garbled = 1
		}
		if it.Over {
			left |= 2
		}
		row := []int64{it.Created.Unix(), int64(it.Serial), unix(it.Due), left, int64(it.Misses), unix(it.Held), unix(it.Unread), garbled, unix(it.Bare), unix(it.Local)}
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

func (m *Machine) unpack() {
	for status, items := range m.Packed {
		for id, row := range items {
			var f [10]int64
			copy(f[:], row)
			m.Items[id] = &item{
				Status: status, Created: time.Unix(f[0], 0), Serial: int(f[1]), Due: at(f[2]), Left: f[3]&1 != 0, Over: f[3]&2 != 0,
				Misses: max(int(f[4]), 0), Held: at(f[5]), Unread: at(f[6]), Garbled: f[7] == 1, Bare: at(f[8]), Local: at(f[9]), Seen: m.Began,
			}
		}
	}
	m.Packed = nil
}

func unix(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

func at(seconds int64) time.Time {
	if seconds == 0 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}
