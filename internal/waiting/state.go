package waiting

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
)

const leastGrading = 15 * time.Minute

// state is all that a machine knows. All times are the server's.
type state struct {
	Account    string    `json:"account,omitzero"`
	Assessment string    `json:"assessment,omitzero"`
	Begin      time.Time `json:"start"` // What was evaluated before is not wanted.
	Chance     uint64    `json:"seed"`

	Running bool          `json:"running,omitzero"` // A round is not over.
	Resting bool          `json:"resting,omitzero"` // Until then, for so long.
	Until   time.Time     `json:"until,omitzero"`
	Rest    time.Duration `json:"rest,omitzero"`

	Round   int       `json:"round,omitzero"`
	Began   time.Time `json:"began,omitzero"`   // The round.
	Steady  time.Time `json:"steady,omitzero"`  // Rounds have come regularly since then.
	Opened  time.Time `json:"opened,omitzero"`  // When the first walk began.
	Cost    int       `json:"cost,omitzero"`    // Requests of the round,
	Singles int       `json:"singles,omitzero"` // single reads among them,
	Fails   int       `json:"fails,omitzero"`   // and those of them that failed.
	Found   int       `json:"found,omitzero"`   // Deliveries of the round.
	Chased  bool      `json:"chased,omitzero"`  // Leavers were looked for in a listing.
	Walks   []walk    `json:"walks,omitzero"`

	Meaning   Meaning       `json:"meaning,omitzero"`
	Probe     probe         `json:"probe,omitzero"`
	Newest    time.Time     `json:"newest,omitzero"` // The latest evaluation seen.
	Base      time.Time     `json:"base,omitzero"`   // All evaluated before has shown, if the meaning is right.
	Pinned    time.Time     `json:"pinned,omitzero"` // The next base, when the walk is through.
	Grading   time.Duration `json:"grading,omitzero"`
	NewsPages float64       `json:"news,omitzero"`
	PeekAt    time.Time     `json:"peek,omitzero"`
	VouchAt   time.Time     `json:"vouch,omitzero"`

	Statuses   map[string]*status `json:"statuses,omitzero"`
	Serial     int                `json:"serial,omitzero"`
	Leaving    float64            `json:"leaving,omitzero"` // Deliveries a round.
	Good       float64            `json:"good,omitzero"`    // What speaks for the filter of the unfinished,
	Bad        float64            `json:"bad,omitzero"`     // and against it.
	FilterOff  time.Time          `json:"off,omitzero"`
	Offs       int                `json:"offs,omitzero"`       // So often it was.
	Unfiltered bool               `json:"unfiltered,omitzero"` // The status evaluated was refused.
	Repeats    int                `json:"repeats,omitzero"`    // Pages that were the first one again, in a row.
	Size       int                `json:"size,omitzero"`       // Of a page.
	Edges      []time.Time        `json:"edges,omitzero"`      // The creation of the last evaluated item of each page.
	Fresh      int                `json:"fresh,omitzero"`      // Deliveries since those were found.

	Mark    time.Time     `json:"mark,omitzero"` // When the last sweep began that is through.
	SweepAt time.Time     `json:"sweep,omitzero"`
	Turn    int           `json:"turn,omitzero"`
	Levels  [levels]level `json:"levels"`
	GrantAt time.Time     `json:"grant,omitzero"`
	Proofs  []proof       `json:"proofs,omitzero"`

	Window   window       `json:"window"`
	Requests int          `json:"requests,omitzero"`
	Reads    [buckets]int `json:"reads"`
	Bucket   int          `json:"bucket,omitzero"`
	Halts    int          `json:"halts,omitzero"`

	Ready int              `json:"-"` // Known ids.
	News  time.Time        `json:"-"` // When one of them was found.
	Items map[string]*item `json:"-"`

	Packed    string     `json:"items,omitzero"`
	Delivered deliveries `json:"delivered,omitzero"`
}

func newState(o Options) state {
	s := state{
		Begin: o.Start, Mark: o.Start, Newest: o.Start, Base: o.Start, Chance: o.Seed, NewsPages: 1, Grading: leastGrading,
		Statuses: make(map[string]*status), Items: make(map[string]*item), Delivered: make(deliveries),
		Proofs: []proof{{Until: o.Start}},
	}
	for l := range s.Levels {
		s.Levels[l].Credit = firstCredit
	}
	return s
}

const (
	format      = "hiring-watch-2"
	firstFormat = "hiring-watch-1"
	// MaxState is the size of the longest state, in bytes.
	MaxState = 256 << 10
)

// String is the state of a machine that watches, from which Resume goes on.
func (m *Machine) String() string {
	s := m.state
	s.Packed = m.pack()
	text, err := json.Marshal(&s)
	if err != nil {
		panic(err) // Nothing in it can fail.
	}
	return fmt.Sprintf("%s %08x %s", format, crc32.ChecksumIEEE(text), text)
}

// Resume goes on from a state. Its beginning is the state's. A state of the
// first edition is taken as far as it tells what was delivered.
func Resume(o Options, text string) (*Machine, error) {
	name, rest, _ := strings.Cut(text, " ")
	sum, body, ok := strings.Cut(rest, " ")
	switch {
	case name != format && name != firstFormat:
		return nil, errors.New("is not the state of a watch, or of another version")
	case !ok || len(text) > MaxState || sum != fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(body))):
		return nil, errors.New("is damaged")
	}
	m := New(o)
	if name == firstFormat {
		return m, m.migrate(body)
	}
	if err := json.Unmarshal([]byte(body), &m.state); err != nil {
		return nil, errors.New("cannot be read")
	}
	if err := m.unpack(); err != nil {
		return nil, err
	}
	return m, nil
}

// migrate begins anew where a watch of the first edition stands.
func (m *Machine) migrate(body string) error {
	var first struct {
		Account    string     `json:"account"`
		Assessment string     `json:"assessment"`
		Floor      time.Time  `json:"floor"`
		Delivered  deliveries `json:"delivered"`
	}
	if err := json.Unmarshal([]byte(body), &first); err != nil {
		return errors.New("cannot be read")
	}
	o := m.Options
	o.Start = first.Floor
	m.state = newState(o)
	m.Account, m.Assessment = first.Account, first.Assessment
	if first.Delivered != nil {
		m.Delivered = first.Delivered
	}
	return nil
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

// weightOf is what an item takes in a state, in bytes before they are text.
func weightOf(id string) int {
	if _, ok := bare(id); ok {
		return 17 + 12
	}
	return len(id) + 1 + 12
}

// bare returns the bytes of an id that is a UUID in its usual form.
func bare(id string) ([]byte, bool) {
	digits := strings.ReplaceAll(id, "-", "")
	b, err := hex.DecodeString(digits)
	return b, err == nil && len(b) == 16 && id == spell(b)
}

func spell(b []byte) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// pack writes the unfinished. A length of 0 announces a UUID.
func (m *Machine) pack() string {
	names := slices.Sorted(maps.Keys(m.Statuses))
	var b []byte
	for _, id := range m.sorted() {
		it := m.Items[id]
		if raw, ok := bare(id); ok {
			b = append(append(b, 0), raw...)
		} else {
			b = append(append(b, byte(min(len(id), 64))), id...)
		}
		place, _ := slices.BinarySearch(names, it.Status)
		left := 0
		if it.Left {
			left = 1
		}
		for _, n := range []int64{
			int64(seconds(it.Created)), int64(place), int64(seconds(it.Held)), int64(seconds(it.Due)),
			int64(it.Serial), int64(it.Misses), int64(left),
		} {
			b = binary.AppendVarint(b, n)
		}
	}
	return base64.RawStdEncoding.EncodeToString(b)
}

var errPacked = errors.New("cannot be read: its unfinished are cut")

func (m *Machine) unpack() error {
	names := slices.Sorted(maps.Keys(m.Statuses))
	b, err := base64.RawStdEncoding.DecodeString(m.Packed)
	m.Packed = ""
	for err == nil && len(b) > 0 {
		n := int(b[0])
		if b = b[1:]; len(b) < max(n, 16*(1-min(n, 1))) {
			return errPacked
		}
		id := string(b[:n])
		if n == 0 {
			n = 16
			id = spell(b[:n])
		}
		b = b[n:]
		var f [7]int64
		for i := range f {
			var size int
			if f[i], size = binary.Varint(b); size <= 0 {
				return errPacked
			}
			b = b[size:]
		}
		it := &item{Created: at(f[0]), Held: at(f[2]), Due: at(f[3]), Serial: int(f[4]), Misses: int(f[5]), Left: f[6] == 1}
		if f[1] >= 0 && f[1] < int64(len(names)) {
			it.Status = names[f[1]]
		}
		it.Seen = m.Began
		m.Items[id] = it
	}
	return err
}

func at(seconds int64) time.Time {
	if seconds <= 0 || seconds > math.MaxUint32 {
		return time.Time{}
	}
	return time.Unix(seconds, 0).UTC()
}
