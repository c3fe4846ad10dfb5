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

// state is the memory of a machine. All times are the server's, except CalledAt and
// NoReportLocal, which are the caller's. The names in JSON are
// those of earlier releases, whose states are accepted.
type state struct {
	Account    string    `json:"account,omitzero"`
	Assessment string    `json:"assessment,omitzero"`
	WatchStart time.Time `json:"start"`           // Earlier evaluations are not delivered.
	CalledAt   time.Time `json:"called,omitzero"` // Start of the watch by the caller's clock, until the server's clock is known.

	RandomState uint64 `json:"seed"`

	// The current poll or interval.

	Polling     bool          `json:"running,omitzero"` // A poll has not ended.
	PollAgain   bool          `json:"hurry,omitzero"`   // The next poll starts without an interval.
	InInterval  bool          `json:"resting,omitzero"` // An interval has not ended.
	IntervalEnd time.Time     `json:"until,omitzero"`
	Interval    time.Duration `json:"rest,omitzero"`
	Interrupted bool          `json:"halted,omitzero"` // The interval follows a failure.
	Polls       int           `json:"round,omitzero"`
	PollStart   time.Time     `json:"began,omitzero"` // Start of the last poll.
	pollCounts
	Listings []listing `json:"walks,omitzero"`

	RespondedAt      time.Time `json:"heard,omitzero"`   // Time of the last response.
	RegularSince     time.Time `json:"steady,omitzero"`  // Responses have come at regular intervals since this time.
	OpenedAt         time.Time `json:"opened,omitzero"`  // Start of the first listing.
	DeliveredPerPoll float64   `json:"leaving,omitzero"` // Submissions delivered in a poll, as a moving average.

	// New evaluations.

	Meaning          Meaning         `json:"meaning,omitzero"`
	Probe            experimentState `json:"probe,omitzero"`
	NewestEvaluation time.Time       `json:"newest,omitzero"` // Latest evaluation seen.
	Cutoff           time.Time       `json:"base,omitzero"`   // Every evaluation before this time has been listed, if Meaning is right.
	NextCutoff       time.Time       `json:"pinned,omitzero"` // The cutoff once the running listing has ended.
	LongestGrading   time.Duration   `json:"grading,omitzero"`
	NewPages         float64         `json:"news,omitzero"`    // Pages of a listing of new evaluations, estimated.
	ListedNew        bool            `json:"by_news,omitzero"` // The last poll listed new evaluations.

	// Cutoff after the last listing of more than one page. While it stays, such a
	// listing is not repeated.
	LongListingCutoff time.Time `json:"dear,omitzero"`

	// When a listing of new evaluations last looked back 10 min, 20 min, 40 min and so on.
	LookBackDepths []time.Time `json:"rulers,omitzero"`

	// The waiting set.

	SampledAt           time.Time          `json:"peek,omitzero"`  // Last page without a status filter.
	Samples             int                `json:"peeks,omitzero"` // Number of such pages.
	LateReportsListedAt time.Time          `json:"held,omitzero"`
	HandedInListedAt    time.Time          `json:"slow,omitzero"` // When the submissions that are handed in and unfinished were last listed.
	Statuses            map[string]*status `json:"statuses,omitzero"`
	Serial              int                `json:"serial,omitzero"` // Of the last listing of unfinished submissions.
	FilterGood          float64            `json:"good,omitzero"`   // Evidence that the filter by the status of unfinished submissions works,
	FilterBad           float64            `json:"bad,omitzero"`    // and that it does not.
	FilterOffUntil      time.Time          `json:"off,omitzero"`
	TruncatedAt         time.Time          `json:"cut,omitzero"` // When the waiting set was last truncated.

	EvaluatedFilterRejected bool `json:"unfiltered,omitzero"` // The API rejected the status evaluated as a filter.
	RepeatedPages           int  `json:"repeats,omitzero"`    // Consecutive pages that repeated the first page.
	RejectedCursors         int  `json:"refusals,omitzero"`   // Consecutive cursors that were rejected.
	PageSize                int  `json:"size,omitzero"`       // Items of a full page.

	// Sweeps.

	LookbackReadAt time.Time   `json:"deep,omitzero"`      // Latest evaluation that a completed sweep over all of Lookback has seen.
	LookbackPageAt time.Time   `json:"depth,omitzero"`     // When a sweep over all of Lookback last read a page.
	SweptUntil     time.Time   `json:"mark,omitzero"`      // Latest evaluation that a completed sweep has seen.
	SweepDepths    []time.Time `json:"depths,omitzero"`    // When a sweep last looked back 1 h, 2 h, 4 h and so on.
	UnlistedUntil  time.Time   `json:"gap,omitzero"`       // Submissions that were unfinished before this time may never have been listed.
	AllListedAt    time.Time   `json:"snapped,omitzero"`   // Start of the last completed listing of all submissions.
	Unordered      bool        `json:"unordered,omitzero"` // The last listing of all submissions was not ordered by creation.

	UnexpectedEvaluations int `json:"strays,omitzero"`  // Evaluations that this sweep found and no listing of the unfinished had shown.
	SweepHalvings         int `json:"strayed,omitzero"` // How often the interval between two sweeps is halved because of them.

	Levels     [sweepLevels]sweepLevel `json:"levels"`
	CreditedAt time.Time               `json:"grant,omitzero"` // When the levels last got their share of the rate limit.

	// Memory and use of the rate limit.

	Coverages        []coverage    `json:"proofs,omitzero"`
	MaxLateness      time.Duration `json:"lateness"`
	Window           window        `json:"window"`
	HourlyReads      [2]int        `json:"hour"` // Requests in this hour and the previous one.
	HourStart        time.Time     `json:"hour_at,omitzero"`
	Packed           packedItems   `json:"items,omitzero"`
	Delivered        deliveries    `json:"delivered,omitzero"`
	UnreadableHashes []uint64      `json:"noted,omitzero"` // Hashes of undecodable items without an id.

	Items map[string]*pendingItem `json:"-"` // By keyOf(id).

	// Of known ids only, which are not saved.

	OpeningPages     int       `json:"-"` // Pages of the first listing.
	SearchPages      float64   `json:"-"` // Pages of the evaluated submissions back to the oldest pending one, estimated.
	ConfirmedAt      time.Time `json:"-"` // When all unfinished submissions were last listed to confirm ids.
	ListedUnfinished bool      `json:"-"` // The last poll listed the waiting set.
	LastDelivery     time.Time `json:"-"`
}

// pollCounts is what a machine counts in one poll.
type pollCounts struct {
	Requests        int  `json:"cost,omitzero"`
	SingleReads     int  `json:"singles,omitzero"`
	FailedReads     int  `json:"fails,omitzero"` // Single reads that failed.
	DeliveredInPoll int  `json:"found,omitzero"`
	DeliveredByPage int  `json:"fresh,omitzero"`   // Deliveries that a page of a listing showed.
	Failed          bool `json:"stopped,omitzero"` // A failed request interrupted the poll.
	Searched        bool `json:"chased,omitzero"`  // A search has begun: a listing of evaluated submissions.
	SearchedAll     bool `json:"settled,omitzero"` // The search was read to its end: submissions that it did not show are unfinished.
}

func newState(o Options) state {
	s := state{
		WatchStart:       o.Start,
		SweptUntil:       o.Start,
		LookbackReadAt:   o.Start,
		NewestEvaluation: o.Start,
		Cutoff:           o.Start,
		RandomState:      o.Seed,
		NewPages:         1,
		LongestGrading:   minGrading,
		MaxLateness:      maxLateness,
		Statuses:         make(map[string]*status),
		Items:            make(map[string]*pendingItem),
		Delivered:        make(deliveries),
	}
	for i := range s.Levels {
		s.Levels[i].Credit = firstCredit
	}
	return s
}

const (
	stateFormat = "hiring-watch-2"
	// MaxState is the size of the longest state, in bytes.
	MaxState = 256 << 10
)

// String returns the state of a watch for Resume, of MaxState bytes at most. It drops
// the oldest items from the machine when the state would be longer.
func (m *Machine) String() string {
	for {
		s := m.state
		s.Packed = m.pack()
		body, err := json.Marshal(&s)
		if err != nil {
			panic(err) // All fields can be encoded.
		}
		text := fmt.Sprintf("%s %08x %s", stateFormat, crc32.ChecksumIEEE(body), body)
		if len(text) <= MaxState || len(m.Items)+len(m.Delivered) == 0 {
			return text
		}
		if len(m.Items) == 0 {
			m.dropDeliveries(len(m.Delivered)/10 + 1)
		}
		m.dropItems(len(m.Items)/10 + 1)
	}
}

// Resume returns a machine with a saved state. The state's start replaces o.Start.
func Resume(o Options, text string) (*Machine, error) {
	name, rest, _ := strings.Cut(text, " ")
	sum, body, ok := strings.Cut(rest, " ")
	switch {
	case name != stateFormat:
		return nil, errors.New("is not the state of a watch, or of another version")
	case !ok || len(text) > MaxState || sum != fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(body))):
		return nil, errors.New("is damaged")
	}
	m := New(o)
	if err := json.Unmarshal([]byte(body), &m.state); err != nil || !m.valid() {
		return nil, errors.New("cannot be read")
	}
	m.unpack()
	if m.UnlistedUntil.IsZero() && !m.OpenedAt.IsZero() { // An earlier release wrote the state.
		m.UnlistedUntil = later(m.OpenedAt, m.RespondedAt)
	}
	return m, nil
}

// valid reports whether String can have written the state. The checksum does not show it.
func (s *state) valid() bool {
	return s.Statuses != nil && s.Delivered != nil && s.Meaning >= Unknown && s.Meaning <= Other &&
		!slices.Contains(slices.Collect(maps.Values(s.Statuses)), nil) &&
		!slices.ContainsFunc(s.Listings, func(l listing) bool { return l.Level < 0 || l.Level >= sweepLevels })
}

const entrySize = 16

// MarshalText encodes each delivery in 16 bytes, in base64.
func (d deliveries) MarshalText() ([]byte, error) {
	b := make([]byte, 0, len(d)*entrySize)
	for _, hash := range slices.Sorted(maps.Keys(d)) {
		b = binary.BigEndian.AppendUint64(b, hash)
		b = binary.BigEndian.AppendUint32(b, d[hash].evaluated)
		b = binary.BigEndian.AppendUint32(b, d[hash].created)
	}
	return base64.RawStdEncoding.AppendEncode(nil, b), nil
}

// UnmarshalText is the inverse of MarshalText.
func (d *deliveries) UnmarshalText(text []byte) error {
	b, err := base64.RawStdEncoding.AppendDecode(nil, text)
	if err != nil {
		return err
	}
	if len(b)%entrySize != 0 {
		return fmt.Errorf("%d bytes are not a multiple of an entry", len(b))
	}
	*d = make(deliveries, len(b)/entrySize)
	for ; len(b) > 0; b = b[entrySize:] {
		(*d)[binary.BigEndian.Uint64(b)] = delivery{binary.BigEndian.Uint32(b[8:]), binary.BigEndian.Uint32(b[12:])}
	}
	return nil
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
	lateSinceColumn
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
)

func (m *Machine) pack() packedItems {
	packed := make(packedItems)
	for id, it := range m.Items {
		fields := [columns]int64{
			createdColumn:       it.Created.Unix(),
			serialColumn:        int64(it.Serial),
			readAtColumn:        packTime(it.ReadAt),
			missesColumn:        int64(it.Misses),
			lateSinceColumn:     packTime(it.LateSince),
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
		if it.Unreadable {
			fields[unreadableColumn] = 1
		}
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

func (m *Machine) unpack() {
	for status, items := range m.Packed {
		for id, row := range items {
			var fields [columns]int64
			copy(fields[:], row)
			m.Items[id] = &pendingItem{
				Status:        status,
				Created:       time.Unix(fields[createdColumn], 0),
				Serial:        int(fields[serialColumn]),
				ReadAt:        unpackTime(fields[readAtColumn]),
				LeftListing:   fields[flagsColumn]&leftListingFlag != 0,
				WithoutReport: fields[flagsColumn]&withoutReportFlag != 0,
				Misses:        max(int(fields[missesColumn]), 0),
				LateSince:     unpackTime(fields[lateSinceColumn]),
				UnreadableAt:  unpackTime(fields[unreadableAtColumn]),
				Unreadable:    fields[unreadableColumn] == 1,
				NoReportAt:    unpackTime(fields[noReportAtColumn]),
				NoReportLocal: unpackTime(fields[noReportLocalColumn]),
				ConfirmedAt:   m.PollStart,
			}
		}
	}
	m.Packed = nil
}

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
