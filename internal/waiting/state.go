package waiting

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/envelope"
)

// state is what a saved machine keeps. All times are the server's, except CalledAt and NoReportLocal, which are the
// caller's.
type state struct {
	Account    string    `json:",omitzero"`
	Assessment string    `json:",omitzero"`
	WatchStart time.Time // Earlier evaluations are not delivered.
	CalledAt   time.Time `json:",omitzero"` // Start of the watch by the caller's clock, until the server's clock is known.
	OpenedAt   time.Time `json:",omitzero"` // Start of the first listing.

	Poll  poll
	Pace  pace
	Since sinceMeaning
	News  newEvaluations
	Set   waitingSet
	Watch *watch `json:",omitempty"` // Nil for known ids.
}

func newState(o Options) state {
	return state{
		WatchStart: o.Start,
		Pace:       pace{Random: o.Seed},
		News:       newEvaluations{Newest: o.Start, Cutoff: o.Start, Pages: 1, LongestGrading: minGrading},
		Set:        waitingSet{Statuses: make(map[string]*status), Items: make(map[string]*pendingItem)},
	}
}

// MaxState is the size of the longest state, in bytes.
const MaxState = 256 << 10

// savedWatch is the kind of a saved state.
var savedWatch = envelope.Kind{Name: "watch", Version: 1}

// String returns the state of a watch for Resume, of MaxState bytes at most. While it would be longer, it
// drops unfinished submissions from the machine in the order of waitingSet.drop, then deliveries in any order.
func (m *Machine) String() string {
	for {
		s := m.state
		s.Set.Packed = m.Set.pack()
		text := savedWatch.Seal(&s)
		if len(text) <= MaxState || len(m.Set.Items)+len(m.Watch.Memory.Delivered) == 0 {
			return text
		}
		if len(m.Set.Items) == 0 {
			m.Watch.Memory.dropDeliveries(len(m.Watch.Memory.Delivered)/10 + 1)
		}
		m.Watch.dropItems(m.Set.size() * 9 / 10)
	}
}

// Resume returns a machine with a saved state. o.Start is not used: the state has
// its own.
func Resume(o Options, text string) (*Machine, error) {
	if len(text) > MaxState {
		return nil, envelope.ErrDamaged
	}
	m := &Machine{Options: o}
	if err := savedWatch.Open(text, &m.state); err != nil {
		return nil, err
	}
	if !m.valid() {
		return nil, envelope.ErrDamaged
	}
	m.Set.unpack(m.Poll.StartedAt)
	m.Watch.Machine, m.planner = m, m.Watch
	return m, nil
}

// valid reports whether String can have written the state. The checksum does not show it.
func (s *state) valid() bool {
	return s.Watch != nil && s.Watch.Memory.Delivered != nil && s.Set.Statuses != nil && s.Since.Meaning >= Unknown && s.Since.Meaning <= Other &&
		s.Watch.Sweeps.Halvings >= 0 && s.Watch.Sweeps.Halvings <= maxSweepHalvings && s.Pace.Failures >= 0 && s.Pace.Failures < math.MaxInt32 &&
		!slices.Contains(slices.Collect(maps.Values(s.Set.Statuses)), nil) && s.Set.Packed.valid() &&
		!slices.ContainsFunc(s.Poll.Listings, func(l listing) bool { return l.Level < 0 || l.Level >= sweepLevels })
}
