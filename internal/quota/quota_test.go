package quota

import (
	"encoding/binary"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

var now = time.Unix(1e9, 0)

func numbered(n int) (key Key) {
	binary.BigEndian.PutUint64(key[:], uint64(n))
	return key
}

// begin begins a request, which must be admitted.
func begin(t *testing.T, b *Tracker, key Key, class Class, now time.Time) (begun uint64) {
	t.Helper()
	closed, begun := b.Enter(key, class, 0, false, now)
	if closed != (Barrier{}) || begun == 0 {
		t.Fatalf("closed by %+v", closed)
	}
	return begun
}

// known returns a tracker that knows the remaining requests of a key's class for half an
// hour.
func known(t *testing.T, limit, remaining int) *Tracker {
	t.Helper()
	b := new(Tracker)
	said := Window{limit, remaining, now.Add(30 * time.Minute)}
	b.Learn(Key{}, Read, begin(t, b, Key{}, Read, now), said, 30*time.Minute, now)
	b.Leave(Key{}, Read, now)
	return b
}

func TestEnter(t *testing.T) {
	for name, c := range map[string]struct {
		limit, remaining, onTheWay int
		reserve                    float64
		hurry                      bool
		want                       Reason
		wait                       time.Duration
	}{
		"much is left":                        {limit: 1000, remaining: 10},
		"the last":                            {limit: 1000, remaining: 1},
		"nothing is left":                     {limit: 1000, want: Used, wait: 30 * time.Minute},
		"nothing is left, in a hurry":         {limit: 1000, hurry: true, want: Used, wait: 30 * time.Minute},
		"the last is on its way":              {limit: 1000, remaining: 1, onTheWay: 1, want: Crowded, wait: CrowdWait},
		"the last is on its way, in a hurry":  {limit: 1000, remaining: 1, onTheWay: 1, hurry: true},
		"one above the reserve":               {limit: 1000, remaining: 201, reserve: 0.2},
		"the reserve":                         {limit: 1000, remaining: 200, reserve: 0.2, want: Used, wait: 30 * time.Minute},
		"the reserve, in a hurry":             {limit: 1000, remaining: 200, reserve: 0.2, hurry: true, want: Used, wait: 30 * time.Minute},
		"the one above the reserve is on way": {limit: 1000, remaining: 201, onTheWay: 1, reserve: 0.2, want: Used, wait: 30 * time.Minute},
		"a reserve is rounded up":             {limit: 15, remaining: 3, reserve: 0.15, want: Used, wait: 30 * time.Minute},
		"a service that grants nothing":       {limit: 0, want: Used, wait: 30 * time.Minute},
	} {
		b := known(t, c.limit, c.remaining)
		for range c.onTheWay {
			begin(t, b, Key{}, Read, now)
		}
		closed, begun := b.Enter(Key{}, Read, c.reserve, c.hurry, now)
		assert.Equal(t, c.want, closed.Reason, name)
		assert.Equal(t, c.wait, closed.Wait, name)
		assert.Equal(t, c.want == Open, begun > 0, name)
		assert.Equal(t, c.want == Crowded, closed.Freed != nil, name)
		if c.want != Open {
			assert.Equal(t, c.remaining, closed.Window.Remaining, name)
		}
		begin(t, b, Key{}, Write, now)
		begin(t, b, numbered(7), Read, now)
		closed, _ = b.Enter(Key{}, Read, c.reserve, c.hurry, now.Add(30*time.Minute))
		assert.Equal(t, Open, closed.Reason, "%s: the window has turned", name)
	}
}

func TestWhoWaitsForTheLastHearsOfItsEnd(t *testing.T) {
	b := known(t, 1000, 1)
	begin(t, b, Key{}, Read, now)
	first, _ := b.Enter(Key{}, Read, 0, false, now)
	second, _ := b.Enter(Key{}, Read, 0, false, now)
	select {
	case <-first.Freed:
		t.Fatal("nothing has ended yet")
	default:
	}
	b.Leave(Key{}, Read, now)
	<-first.Freed
	<-second.Freed
	begin(t, b, Key{}, Read, now)
}

func TestLearn(t *testing.T) {
	at := func(remaining int, reset int64) Window { return Window{100, remaining, time.Unix(reset, 0)} }
	type reply struct {
		request int // Index of a request that has begun.
		said    Window
	}
	for name, c := range map[string]struct {
		replies []reply
		want    Window
	}{
		"the first": {[]reply{{0, at(9, 1000)}}, at(9, 1000)},
		"overlapping: the smaller remainder first": {[]reply{{1, at(8, 1000)}, {0, at(9, 1000)}}, at(8, 1000)},
		"overlapping: the smaller remainder last":  {[]reply{{1, at(8, 1000)}, {2, at(7, 1000)}}, at(7, 1000)},
		"overlapping: the later window last":       {[]reply{{0, at(1, 1000)}, {1, at(99, 2000)}}, at(99, 2000)},
		"overlapping: the later window first":      {[]reply{{0, at(99, 2000)}, {1, at(1, 1000)}}, at(99, 2000)},
	} {
		b := new(Tracker)
		begun := []uint64{begin(t, b, Key{}, Read, now), begin(t, b, Key{}, Read, now), begin(t, b, Key{}, Read, now)}
		for _, r := range c.replies {
			b.Learn(Key{}, Read, begun[r.request], r.said, time.Hour, now)
		}
		assert.Equal(t, c.want, b.Known(Key{}, Read), name)
		for _, later := range []Window{at(5, 500), at(50, 500)} {
			b.Learn(Key{}, Read, begin(t, b, Key{}, Read, now), later, time.Hour, now)
			assert.Equal(t, later, b.Known(Key{}, Read), "%s: a request begun later is always believed", name)
		}
		assert.Zero(t, b.Known(Key{}, Write), "another class")
		assert.Zero(t, b.Known(Key{2}, Read), "another key")
	}
}

// TestEqualHeadersChangeNothing checks that the response to a later request counts, even if
// an overlapping response repeats the older values meanwhile.
func TestEqualHeadersChangeNothing(t *testing.T) {
	b := new(Tracker)
	said := Window{100, 9, time.Unix(1000, 0)}
	first, second := begin(t, b, Key{}, Read, now), begin(t, b, Key{}, Read, now)
	b.Learn(Key{}, Read, first, said, time.Hour, now)
	third := begin(t, b, Key{}, Read, now)
	b.Learn(Key{}, Read, second, said, time.Hour, now)
	later := Window{100, 50, time.Unix(1000, 0)}
	b.Learn(Key{}, Read, third, later, time.Hour, now)
	assert.Equal(t, later, b.Known(Key{}, Read))
}

func TestInvalidRateLimitHeadersDoNotBlockForever(t *testing.T) {
	b := new(Tracker)
	b.Learn(Key{}, Read, begin(t, b, Key{}, Read, now), Window{1000, 0, now.Add(999 * time.Hour)}, 999*time.Hour, now)
	closed, _ := b.Enter(Key{}, Read, 0, false, now)
	assert.Equal(t, Longest, closed.Wait)
	begin(t, b, Key{}, Read, now.Add(Longest))
}

func TestIsThrottle(t *testing.T) {
	for name, c := range map[string]struct {
		known int // The limit, or 0 if unknown.
		class Class
		said  Window
		want  bool
	}{
		"used up, as documented":         {0, Read, Window{Limit: 1000}, false},
		"used up, writes":                {0, Write, Window{Limit: 200}, false},
		"used up, of an unknown limit":   {0, Write, Window{Limit: 39}, false},
		"the limit of the other class":   {1000, Read, Window{Limit: 200}, true},
		"another limit":                  {1000, Read, Window{Limit: 20}, true},
		"of a limit that is not shown":   {1000, Write, Window{Limit: 39}, false},
		"something is left":              {0, Read, Window{Limit: 1000, Remaining: 1}, true},
		"used up, of a limit of its own": {5000, Read, Window{Limit: 5000}, false},
		"as documented, but not so here": {5000, Read, Window{Limit: 1000}, true},
	} {
		b := new(Tracker)
		if c.known > 0 {
			b = known(t, c.known, 10)
		}
		assert.Equal(t, c.want, b.IsThrottle(Key{}, c.class, c.said), name)
	}
}

func TestThrottleHoldsEverythingAndIsNotShortened(t *testing.T) {
	b := new(Tracker)
	b.Block(now.Add(time.Minute))
	b.Block(now.Add(time.Second))
	for _, class := range []Class{Read, Write} {
		closed, _ := b.Enter(numbered(int(class)), class, 0, true, now)
		assert.Equal(t, Barrier{Reason: Throttled, Wait: time.Minute}, closed)
	}
	begin(t, b, Key{}, Read, now.Add(time.Minute))
}

func TestKeyThatIsRejectedIsTriedOnceAMinute(t *testing.T) {
	b, at := new(Tracker), now
	for range MaxRefusals {
		begin(t, b, Key{}, Read, at)
		b.RecordAuthentication(Key{}, true, at)
	}
	for range 3 {
		closed, _ := b.Enter(Key{}, Write, 0, true, at.Add(time.Second))
		assert.Equal(t, Barrier{Reason: Braked, Wait: brakePause - time.Second}, closed)
		begin(t, b, numbered(1), Read, at)
		at = at.Add(brakePause)
		begin(t, b, Key{}, Read, at)
	}
	b.RecordAuthentication(Key{}, false, at)
	begin(t, b, Key{}, Read, at)
	begin(t, b, Key{}, Read, at)
}

func TestLeft(t *testing.T) {
	b := known(t, 900, 300)
	begin(t, b, Key{}, Read, now)
	for name, c := range map[string]struct {
		key              Key
		class            Class
		at               time.Time
		limit, remaining int
		ends             time.Duration
	}{
		"a window":             {Key{}, Read, now, 900, 299, 30 * time.Minute},
		"a window, later":      {Key{}, Read, now.Add(29 * time.Minute), 900, 299, time.Minute},
		"the next window":      {Key{}, Read, now.Add(30 * time.Minute), 900, 900, Length},
		"nothing is known":     {Key{}, Write, now, 200, 200, Length},
		"another key's window": {Key{1}, Read, now, 1000, 1000, Length},
	} {
		limit, remaining, ends := b.Left(c.key, c.class, c.at)
		assert.Equal(t, []any{c.limit, c.remaining, c.ends}, []any{limit, remaining, ends}, name)
	}
}

// pace_test.go has the tests of the pace.
func TestPaceLeavesATenthOrTheReserve(t *testing.T) {
	for name, c := range map[string]struct {
		remaining int
		reserve   float64
		wholly    bool
	}{
		"above a tenth":     {remaining: 21},
		"a tenth":           {remaining: 20, wholly: true},
		"above the reserve": {remaining: 101, reserve: 0.5},
		"the reserve":       {remaining: 100, reserve: 0.5, wholly: true},
		"a small reserve":   {remaining: 20, reserve: 0.01, wholly: true},
	} {
		b := new(Tracker)
		said := Window{200, c.remaining, now.Add(time.Hour)}
		b.Learn(Key{}, Write, begin(t, b, Key{}, Write, now), said, time.Hour, now)
		b.Leave(Key{}, Write, now)
		wait, wholly, known := b.Pace(Key{}, c.reserve, now)
		assert.Equal(t, c.wholly, wholly, name)
		assert.Equal(t, c.wholly, wait == time.Hour, "%s: %s", name, wait)
		assert.Equal(t, said, known, name)
	}
}

func TestKeysThatRotateDoNotPileUp(t *testing.T) {
	b, at, most := new(Tracker), now, 0
	for n := range 20_000 {
		key := numbered(n)
		b.Learn(key, Read, begin(t, b, key, Read, at), Window{1000, 0, at.Add(time.Hour)}, time.Hour, at)
		b.Leave(key, Read, at)
		most = max(most, len(b.keys))
		at = at.Add(time.Minute)
	}
	assert.LessOrEqual(t, most, 3*60, "60 keys have a window at a time")
}

func TestKnownLimitsAreNotForgotten(t *testing.T) {
	b := new(Tracker)
	closed, onItsWay := numbered(1), numbered(2)
	b.Learn(closed, Write, begin(t, b, closed, Write, now), Window{200, 0, now.Add(time.Hour)}, time.Hour, now)
	b.Leave(closed, Write, now)
	begin(t, b, onItsWay, Read, now)
	for n := range 1000 {
		begin(t, b, numbered(10+n), Read, now)
		b.Leave(numbered(10+n), Read, now)
	}
	assert.Less(t, len(b.keys), 100, "keys that nothing is known of")
	barrier, _ := b.Enter(closed, Write, 0, false, now)
	assert.Equal(t, time.Hour, barrier.Wait, "a window that has not turned")
	assert.Equal(t, 1, b.of(onItsWay, Read).inFlight, "a request on its way")
	assert.LessOrEqual(t, len(b.keys), 100)

	for n := range minSweep - len(b.keys) {
		begin(t, b, numbered(5000+n), Read, now)
	}
	assert.NotZero(t, b.Known(closed, Write), "minSweep keys are kept")
}

func TestCrowdOfKeysIsForgottenOnceItsWindowsTurn(t *testing.T) {
	b := new(Tracker)
	for n := range 10 * minSweep {
		b.Learn(numbered(n), Read, begin(t, b, numbered(n), Read, now), Window{1000, 0, now.Add(time.Hour)}, time.Hour, now)
		b.Leave(numbered(n), Read, now)
	}
	assert.Len(t, b.keys, 10*minSweep, "each has a window")
	for n := range 20 * minSweep {
		begin(t, b, numbered(100_000+n), Read, now.Add(time.Hour))
		b.Leave(numbered(100_000+n), Read, now)
	}
	assert.Less(t, len(b.keys), 10*minSweep)
}

func TestRefusalsOfFewKeysAreNotForgotten(t *testing.T) {
	b := new(Tracker)
	for range MaxRefusals - 1 {
		b.RecordAuthentication(Key{}, true, now)
	}
	later := now.Add(3 * Length)
	b.RecordAuthentication(numbered(1), true, later)
	b.RecordAuthentication(Key{}, true, later)
	closed, _ := b.Enter(Key{}, Read, 0, false, later)
	assert.Equal(t, Braked, closed.Reason)
}

func TestRefusedKeysThatRotateDoNotPileUp(t *testing.T) {
	b, at, most := new(Tracker), now, 0
	for n := range 20_000 {
		b.RecordAuthentication(numbered(n), true, at)
		most = max(most, len(b.brakes))
		at = at.Add(time.Minute)
	}
	assert.LessOrEqual(t, most, minSweep, "60 keys were refused within an hour")
	for range MaxRefusals {
		b.RecordAuthentication(numbered(1), true, at)
	}
	for n := range 1000 {
		b.RecordAuthentication(numbered(30_000+n), true, at)
	}
	closed, _ := b.Enter(numbered(1), Read, 0, false, at)
	assert.Equal(t, Barrier{Reason: Braked, Wait: brakePause}, closed, "one that was refused a moment ago is not forgotten")
}

func TestEndedWindowCountsForItsLimitOnly(t *testing.T) {
	ended := Window{500, 99, now.Add(-time.Minute)}
	for name, c := range map[string]struct {
		before    int // Remaining requests for half an hour; -1: unknown.
		left      time.Duration
		wantLeft  int
		wantState Window
		reason    Reason
	}{
		"nothing is known":  {-1, -time.Minute, 499, Window{}, Open}, // One request was sent.
		"used up":           {0, -time.Minute, 0, Window{500, 0, now.Add(30 * time.Minute)}, Used},
		"some are left":     {7, -time.Hour, 7, Window{500, 7, now.Add(30 * time.Minute)}, Open},
		"ends this second":  {0, 0, 0, Window{500, 0, now.Add(30 * time.Minute)}, Used},
		"ends soon":         {0, time.Second, 99, ended, Open},
		"absurd, long past": {0, -1 << 63, 0, Window{500, 0, now.Add(30 * time.Minute)}, Used},
	} {
		b := new(Tracker)
		if c.before >= 0 {
			b = known(t, 1000, c.before)
		}
		_, begun := b.Enter(Key{}, Write, 0, false, now) // Any class counts toward the order.
		b.Learn(Key{}, Read, begun, ended, c.left, now)
		assert.Equal(t, c.wantState, b.Known(Key{}, Read), name)
		limit, left, _ := b.Left(Key{}, Read, now)
		assert.Equal(t, [2]int{500, c.wantLeft}, [2]int{limit, left}, name)
		closed, _ := b.Enter(Key{}, Read, 0, false, now)
		assert.Equal(t, c.reason, closed.Reason, name)
		assert.False(t, b.IsThrottle(Key{}, Read, Window{Limit: 500}), "%s: its Limit is that of the class", name)
	}
	b := new(Tracker)
	old := begin(t, b, Key{}, Read, now)
	b.Learn(Key{}, Read, begin(t, b, Key{}, Read, now), Window{1000, 5, now.Add(time.Hour)}, time.Hour, now)
	b.Learn(Key{}, Read, old, ended, -time.Minute, now)
	assert.Equal(t, Window{1000, 5, now.Add(time.Hour)}, b.Known(Key{}, Read), "a response that overlaps with the state says nothing")
}

// Date and Reset are whole seconds, so the last response of a window may seem to come after it.
func TestAWindowEndsDespiteRoundedTimes(t *testing.T) {
	for _, left := range []time.Duration{0, -time.Second} {
		b := known(t, 100, 9)
		at := now.Add(30*time.Minute + time.Second/2)
		b.Learn(Key{}, Read, begin(t, b, Key{}, Read, at), Window{100, 9, now.Add(30 * time.Minute)}, left, at)
		b.Leave(Key{}, Read, at)
		_, remaining, ends := b.Left(Key{}, Read, at)
		assert.Equal(t, 100, remaining, left)
		assert.Equal(t, Length, ends, left)
	}
}

// A server whose Reset is always its Date reports no current window, so its responses are counted.
func TestWindowsThatEndAtOnceAreCounted(t *testing.T) {
	b := new(Tracker)
	for range 3 {
		b.Learn(Key{}, Read, begin(t, b, Key{}, Read, now), Window{100, 99, now}, 0, now)
		b.Leave(Key{}, Read, now)
	}
	_, remaining, _ := b.Left(Key{}, Read, now)
	assert.Equal(t, 97, remaining)
}

// If responses report only ended windows, Left counts the requests of this client since
// the Reset that they name.
func TestLeftCountsRequestsWhenWindowsHaveEnded(t *testing.T) {
	book, key := new(Tracker), Key{}
	at := start
	said := func(reset time.Time, left time.Duration) {
		_, begun := book.Enter(key, Read, 0, false, at)
		book.Learn(key, Read, begun, Window{Limit: 100, Remaining: 99, Reset: reset}, left, at)
		book.Leave(key, Read, at)
	}
	left := func() (int, time.Duration) {
		_, remaining, ends := book.Left(key, Read, at)
		return remaining, ends
	}
	for range 30 {
		said(start.Add(-time.Hour), -time.Hour)
	}
	remaining, ends := left()
	assert.Equal(t, 70, remaining)
	assert.Equal(t, Length, ends)
	said(start.Add(-2*time.Hour), -2*time.Hour) // An older window, such as from a cache.
	remaining, _ = left()
	assert.Equal(t, 69, remaining)

	at = start.Add(40 * time.Minute)
	said(start, -time.Minute) // Another window.
	remaining, ends = left()
	assert.Equal(t, 99, remaining)
	assert.Equal(t, Length, ends)

	at = at.Add(Length) // It must be over.
	remaining, _ = left()
	assert.Equal(t, 100, remaining)
	said(start, -time.Hour) // It is not over.
	remaining, ends = left()
	assert.Equal(t, 0, max(remaining, 0))
	assert.Equal(t, Length/2, ends)

	said(at.Add(time.Minute), time.Minute) // A current window has its own remaining requests.
	remaining, ends = left()
	assert.Equal(t, 99, remaining)
	assert.Equal(t, time.Minute, ends)
	at = at.Add(2 * time.Minute)
	said(at.Add(-time.Minute), -time.Minute) // The same window continues.
	remaining, ends = left()
	assert.Equal(t, 98, remaining)
	assert.Equal(t, Length/2, ends)
}
