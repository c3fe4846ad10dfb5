package hiring

import (
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// largeState is as large as one gets: full, with the found of a round added.
func largeState() *watchState {
	s := &watchState{Account: "a", Assessment: fmt.Sprintf("%036d", 1), Delivered: make(deliveries)}
	at := time.Date(2026, 3, 1, 12, 0, 0, 123e6, time.UTC)
	s.Floor, s.Newest, s.Until, s.Before, s.At = at, at, at, at, at
	for i := range s.Scans {
		s.Scans[i] = scan{
			Running: true, Since: at, Began: at, Until: at, Token: strings.Repeat("x", 2000), Pages: 1000, Cost: 1000,
			Credit: 1.0 / 3, Last: at, Mixed: true, Cut: at,
		}
	}
	random := rand.New(rand.NewPCG(7, 8))
	for range maxDelivered + roundPages*maxPageSize {
		s.Delivered[random.Uint64()] = delivery{random.Uint32(), random.Uint32()}
		s.Ages.add(time.Hour)
		s.Gradings.add(time.Minute)
	}
	return s
}

func TestTheLargestState(t *testing.T) {
	s := largeState()
	text := s.String()
	assert.LessOrEqual(t, len(text), maxState)
	again, err := parseState(text)
	require.NoError(t, err)
	assert.Equal(t, s, again)
}

// TestForgetKeepsWithinAState: also when nothing can be forgotten rightly.
func TestForgetKeepsWithinAState(t *testing.T) {
	s := largeState()
	s.Scans = [levels]scan{}
	s.Floor = time.Time{}
	var youngest uint64
	for hash, d := range s.Delivered {
		if d.evaluated >= s.Delivered[youngest].evaluated {
			youngest = hash
		}
	}
	s.forget()
	assert.Len(t, s.Delivered, tooMany)
	assert.Contains(t, s.Delivered, youngest)
}

// TestADamagedStateIsRefused flips bits all over one.
func TestADamagedStateIsRefused(t *testing.T) {
	s := largeState()
	s.Delivered = deliveries{1: {2, 3}, 4: {5, 6}}
	text := []byte(s.String())
	for i := range text {
		for _, flip := range []byte{1, 0x20, 0x80} {
			text[i] ^= flip
			_, err := parseState(string(text))
			require.ErrorIs(t, err, ErrInvalidInput, "byte %d", i)
			text[i] ^= flip
		}
	}
	for cut := range len(text) {
		_, err := parseState(string(text[:cut]))
		require.ErrorIs(t, err, ErrInvalidInput, "cut at %d", cut)
	}
	_, err := parseState(string(text))
	require.NoError(t, err)
	body := "{}" + strings.Repeat(" ", maxState)
	_, err = parseState(fmt.Sprintf("%s %08x %s", stateFormat, crc32.ChecksumIEEE([]byte(body)), body))
	require.ErrorIs(t, err, ErrInvalidInput, "too long")
}

// FuzzState: what is read can be worked with and is written as it was.
func FuzzState(f *testing.F) {
	s := largeState()
	s.Delivered = deliveries{1: {2, 3}}
	_, body, _ := strings.Cut(strings.TrimPrefix(s.String(), stateFormat+" "), " ")
	for _, text := range []string{
		body, "{}", "[]", `{"delivered":"AAAA"}`, `{"delivered":"!"}`, `{"scans":[{"running":true}]}`,
		`{"ages":{"counts":[-1,9223372036854775807],"total":200}}`, `{"floor":"0000-01-01T00:00:00Z","before":"9999-12-31T23:59:59Z"}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, body string) {
		if s, err := parseState(body); err == nil {
			t.Fatalf("without a checksum: %v", s)
		}
		s, err := parseState(fmt.Sprintf("%s %08x %s", stateFormat, crc32.ChecksumIEEE([]byte(body)), body))
		if err != nil {
			return
		}
		text := s.String()
		again, err := parseState(text)
		if len(text) <= maxState && (err != nil || again.String() != text) {
			t.Fatalf("%q: %v", text, err)
		}
		s.forget()
		for level := range levels {
			r := round{state: s, options: WatchOptions{Lookback: defaultLookback}}
			if far := r.reach(level); far < 0 || far > defaultLookback {
				t.Fatalf("level %d of %q reaches %s", level, body, far)
			}
		}
	})
}

func TestDone(t *testing.T) {
	at := func(s int64) time.Time { return time.Unix(s, 0) }
	cut := func(s *watchState) { s.Scans[lookback].Cut, s.Scans[lookback].Until = at(50), at(200) }
	for _, c := range []struct {
		evaluated, created int64
		given              func(*watchState)
		want               bool
	}{
		{99, 10, nil, true},
		{100, 10, nil, false},
		{150, 60, nil, false},
		{150, 51, cut, true},
		{150, 50, cut, false},
		{199, 60, cut, true},
		{200, 60, cut, false},
	} {
		s := &watchState{Floor: at(100)}
		if c.given != nil {
			c.given(s)
		}
		assert.Equal(t, c.want, s.done(at(c.evaluated), at(c.created)), "%+v", c)
		assert.False(t, s.done(time.Time{}, at(c.created)), "the service does not tell")
	}
}

func TestForgetFollowsTheDeepestScan(t *testing.T) {
	last := time.Unix(500, 0)
	for name, c := range map[string]struct {
		entries int
		given   func(*watchState, *scan)
		want    time.Time
	}{
		"many":             {manyEntries + 1, nil, last},
		"few":              {manyEntries, nil, time.Time{}},
		"not running":      {manyEntries + 1, func(_ *watchState, s *scan) { s.Running = false }, time.Time{}},
		"in no order":      {manyEntries + 1, func(_ *watchState, s *scan) { s.Mixed = true }, time.Time{}},
		"not delivered":    {manyEntries + 1, func(_ *watchState, s *scan) { s.Held = true }, time.Time{}},
		"not begun":        {manyEntries + 1, func(_ *watchState, s *scan) { s.Last = time.Time{} }, time.Time{}},
		"further":          {manyEntries + 1, func(_ *watchState, s *scan) { s.Cut = last.Add(time.Second) }, last},
		"not so far again": {manyEntries + 1, func(_ *watchState, s *scan) { s.Cut = last.Add(-time.Second) }, last.Add(-time.Second)},
		"of another scan":  {manyEntries + 1, func(s *watchState, _ *scan) { s.Meaning = sinceEvaluation }, time.Time{}},
	} {
		s := &watchState{Floor: time.Unix(0, 0), Delivered: entries(c.entries)}
		deepest := &s.Scans[lookback]
		*deepest = scan{Running: true, Last: last}
		if c.given != nil {
			c.given(s, deepest)
		}
		s.forget()
		assert.Equal(t, c.want, deepest.Cut, name)
		assert.Zero(t, s.Scans[increments].Cut, name)
		assert.Len(t, s.Delivered, c.entries, name)
	}
}

func TestADeliveryIsRememberedByTheLaterSecond(t *testing.T) {
	at, created := time.Unix(100, 1), time.Unix(50, 999)
	d := make(deliveries)
	d.add(&Submission{ID: "a", CreatedAt: created, EvaluatedAt: &at})
	d.add(&Submission{ID: "b", CreatedAt: created})
	d.add(&Submission{ID: "c", CreatedAt: time.Unix(-1, 0)})
	assert.Equal(t, deliveries{hashOf("a"): {101, 50}, hashOf("b"): {math.MaxUint32, 50}, hashOf("c"): {math.MaxUint32, 0}}, d)

	mine := make(deliveries)
	mine.take(&Submission{ID: "a", CreatedAt: at}, d) // Its times have changed since.
	mine.take(&Submission{ID: "e", CreatedAt: created}, d)
	assert.Equal(t, deliveries{hashOf("a"): {101, 50}, hashOf("e"): {math.MaxUint32, 50}}, mine)
}
