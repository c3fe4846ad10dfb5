package waiting

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/envelope"
)

// state is the memory of a machine. All times are the server's, except CalledAt and
// NoReportLocal, which are the caller's.
type state struct {
	Account    string    `json:",omitzero"`
	Assessment string    `json:",omitzero"`
	WatchStart time.Time // Earlier evaluations are not delivered.
	CalledAt   time.Time `json:",omitzero"` // Start of the watch by the caller's clock, until the server's clock is known.

	RandomState uint64

	// The current poll or interval.

	Polling     bool          `json:",omitzero"` // A poll has not ended.
	PollAgain   bool          `json:",omitzero"` // The next poll starts without an interval.
	InInterval  bool          `json:",omitzero"` // An interval has not ended.
	IntervalEnd time.Time     `json:",omitzero"`
	Interval    time.Duration `json:",omitzero"`
	Interrupted bool          `json:",omitzero"` // The interval follows a failure.
	Failures    int           `json:",omitzero"` // Consecutive failed requests that interrupted a poll.
	Polls       int           `json:",omitzero"`
	Gap         time.Duration `json:",omitzero"` // From the start of the previous poll to the start of the last one.
	Paced       time.Duration `json:",omitzero"` // The last interval, if the rate limit required it.
	Scheduled   time.Duration `json:",omitzero"` // Gap without the interval that the rate limit required.
	PollStart   time.Time     `json:",omitzero"` // Start of the last poll.
	pollCounts
	Listings []listing `json:",omitzero"`

	RespondedAt      time.Time `json:",omitzero"` // Time of the last response.
	RegularSince     time.Time `json:",omitzero"` // Responses have come at regular intervals since this time.
	OpenedAt         time.Time `json:",omitzero"` // Start of the first listing.
	DeliveredPerPoll float64   `json:",omitzero"` // Submissions delivered in a poll, as a moving average.

	// New evaluations.

	Meaning          Meaning         `json:",omitzero"`
	Probe            experimentState `json:",omitzero"`
	NewestEvaluation time.Time       `json:",omitzero"` // Latest evaluation seen.
	Cutoff           time.Time       `json:",omitzero"` // Every evaluation before this time has been listed, if Meaning is right.
	NextCutoff       time.Time       `json:",omitzero"` // The cutoff once the running listing has ended.
	LongestGrading   time.Duration   `json:",omitzero"`
	NewPages         float64         `json:",omitzero"` // Pages of a listing of new evaluations, estimated.
	ListedNew        bool            `json:",omitzero"` // The last poll listed new evaluations.

	// Cutoff after the last listing of more than one page. While it stays, such a
	// listing is not repeated.
	LongListingCutoff time.Time `json:",omitzero"`

	// When a listing of new evaluations last looked back 10 min, 20 min, 40 min and so on.
	LookBackDepths []time.Time `json:",omitzero"`

	// The waiting set.

	SampledAt           time.Time          `json:",omitzero"` // Last page without a status filter.
	Samples             int                `json:",omitzero"` // Number of such pages.
	LateReportsListedAt time.Time          `json:",omitzero"`
	HandedInListedAt    time.Time          `json:",omitzero"` // When the submissions that are handed in and unfinished were last listed.
	Statuses            map[string]*status `json:",omitzero"`
	Serial              int                `json:",omitzero"` // Of the last listing of unfinished submissions.
	FilterGood          float64            `json:",omitzero"` // Evidence that the filter by the status of unfinished submissions works,
	FilterBad           float64            `json:",omitzero"` // and that it does not.
	FilterOffUntil      time.Time          `json:",omitzero"`
	TruncatedAt         time.Time          `json:",omitzero"` // When the waiting set was last truncated.

	EvaluatedFilterRejected bool `json:",omitzero"` // The API rejected the status evaluated as a filter.
	RepeatedPages           int  `json:",omitzero"` // Consecutive pages that repeated the first page.
	RejectedCursors         int  `json:",omitzero"` // Consecutive cursors that were rejected.
	PageSize                int  `json:",omitzero"` // Items of a full page.

	// Sweeps.

	LookbackReadAt time.Time   `json:",omitzero"` // Latest evaluation that a completed sweep over all of Lookback has seen.
	LookbackPageAt time.Time   `json:",omitzero"` // When a sweep over all of Lookback last read a page.
	SweptUntil     time.Time   `json:",omitzero"` // Latest evaluation that a completed sweep has seen.
	SweepDepths    []time.Time `json:",omitzero"` // When a sweep last looked back 1 h, 2 h, 4 h and so on.
	UnlistedUntil  time.Time   `json:",omitzero"` // Submissions that were unfinished before this time may never have been listed.
	AllListedAt    time.Time   `json:",omitzero"` // Start of the last completed listing of all submissions.
	Unordered      bool        `json:",omitzero"` // The last listing of all submissions was not ordered by creation.

	UnexpectedEvaluations int `json:",omitzero"` // Evaluations that this sweep found and no listing of the unfinished had shown.
	SweepHalvings         int `json:",omitzero"` // How often the interval between two sweeps is halved because of them.

	Levels     [sweepLevels]sweepLevel
	CreditedAt time.Time `json:",omitzero"` // When the levels last got their share of the rate limit.

	// Memory and use of the rate limit.

	Coverages        []coverage `json:",omitzero"`
	MaxLateness      time.Duration
	Window           window
	HourlyReads      [2]int      // Requests in this hour and the previous one.
	HourStart        time.Time   `json:",omitzero"`
	Packed           packedItems `json:",omitzero"`
	Delivered        deliveries  `json:",omitzero"`
	UnreadableHashes []uint64    `json:",omitzero"` // Hashes of undecodable items without an id.

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
	ReadsFrom        time.Time `json:",omitzero"` // The submissions whose read was due then are read singly. Zero: not planned yet.
	Deepened         bool      `json:",omitzero"` // A sweep over all of Lookback was read since ReadsFrom.
	MaxSingleReads   int       `json:",omitzero"`
	ReadsAfterSearch int       `json:",omitzero"` // Single reads of submissions that the search did not show.
	Requests         int       `json:",omitzero"`
	SingleReads      int       `json:",omitzero"`
	FailedReads      int       `json:",omitzero"` // Single reads that failed.
	DeliveredInPoll  int       `json:",omitzero"`
	DeliveredByPage  int       `json:",omitzero"` // Deliveries that a page of a listing showed.
	Failed           bool      `json:",omitzero"` // A failed request interrupted the poll.
	Searched         bool      `json:",omitzero"` // A search has begun: a listing of evaluated submissions.
	SearchedAll      bool      `json:",omitzero"` // The search was read to its end: submissions that it did not show are unfinished.
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

// MaxState is the size of the longest state, in bytes.
const MaxState = 256 << 10

// savedWatch is the kind of a saved state.
var savedWatch = envelope.Kind{Name: "watch", Version: 1}

// String returns the state of a watch for Resume, of MaxState bytes at most. It drops
// the oldest items from the machine when the state would be longer.
func (m *Machine) String() string {
	for {
		s := m.state
		s.Packed = m.pack()
		text := savedWatch.Seal(&s)
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
	if len(text) > MaxState {
		return nil, envelope.ErrDamaged
	}
	m := &Machine{Options: o, state: state{Items: make(map[string]*pendingItem)}}
	if err := savedWatch.Open(text, &m.state); err != nil {
		return nil, err
	}
	if !m.valid() {
		return nil, envelope.ErrDamaged
	}
	m.unpack()
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
				Created:       time.Unix(fields[createdColumn], 0).UTC(),
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

// second returns the second of a time, as a saved item has it.
func second(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return time.Unix(t.Unix(), 0).UTC()
}

// nextSecond returns the second after a time. A read that is due then is not due in the
// same poll.
func nextSecond(t time.Time) time.Time { return second(t).Add(time.Second) }

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
