package hiring

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	stdjson "encoding/json"
)

const (
	stateFormat  = "hiring-watch-1"
	maxState     = 256 << 10
	entrySize    = 16
	maxDelivered = 10_500 // Fits into a state.
	manyEntries  = 4000   // From here on, a scan's progress is used to forget entries,
	tooMany      = 8000   // and from here on, nothing is done but the scan that lets most be forgotten.
)

// watchState is what a watch knows. All times are the server's.
type watchState struct {
	Account    string    `json:"account"`
	Assessment string    `json:"assessment,omitzero"`
	Floor      time.Time `json:"floor"` // What was evaluated before is delivered or not wanted.
	Newest     time.Time `json:"newest"`
	Until      time.Time `json:"until"`  // All before was listed, if since is about evaluation.
	Before     time.Time `json:"before"` // The same of the listing before: a page that shifts can hide an item once.
	Meaning    sinceOn   `json:"meaning"`
	At         time.Time `json:"at"`   // Of the round before.
	More       bool      `json:"more"` // That round stopped at its limit.

	Scans    [levels]scan `json:"scans"`
	Ages     histogram    `json:"ages"`    // From creation to evaluation.
	Gradings histogram    `json:"grading"` // From submission to evaluation.

	Delivered deliveries `json:"delivered"`
}

// scan is a walk over a listing that goes on over many rounds.
type scan struct {
	Running bool      `json:"running,omitzero"`
	Since   time.Time `json:"since,omitzero"`
	Began   time.Time `json:"began,omitzero"`
	Until   time.Time `json:"until,omitzero"` // What was evaluated before shows on its pages.
	Token   string    `json:"token,omitzero"`
	Pages   int       `json:"pages,omitzero"`
	Cost    int       `json:"cost,omitzero"` // The pages of the last one that was completed.
	Credit  float64   `json:"credit,omitzero"`
	Last    time.Time `json:"last,omitzero"` // The creation of the last item so far.
	Mixed   bool      `json:"mixed,omitzero"`
	Cut     time.Time `json:"cut,omitzero"`  // What was created later is dealt with, and forgotten.
	Held    bool      `json:"held,omitzero"` // Some of it could not be delivered: nothing follows from this scan.
}

// deliveries holds what was delivered, by a hash of the id.
type deliveries map[uint64]delivery

// delivery is an item's times in seconds, the first rounded up.
type delivery struct{ evaluated, created uint32 }

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

func hashOf(id string) uint64 {
	sum := sha256.Sum256([]byte(id))
	return binary.BigEndian.Uint64(sum[:])
}

// add remembers an item. One without a time of evaluation is never forgotten
// for its sake.
func (d deliveries) add(s *Submission) {
	entry := delivery{math.MaxUint32, seconds(s.CreatedAt)}
	if at := evaluatedAt(s); !at.IsZero() {
		entry.evaluated = seconds(at.Add(time.Second - 1))
	}
	d[hashOf(s.ID)] = entry
}

// take remembers an item as others remember it, if they still do.
func (d deliveries) take(s *Submission, others deliveries) {
	if entry, ok := others[hashOf(s.ID)]; ok {
		d[hashOf(s.ID)] = entry
		return
	}
	d.add(s)
}

func seconds(t time.Time) uint32 { return uint32(min(max(t.Unix(), 0), math.MaxUint32)) }

// deepest is the scan that has seen all when it is through.
func (s *watchState) deepest() *scan {
	if s.Meaning == sinceEvaluation {
		return &s.Scans[increments]
	}
	return &s.Scans[lookback]
}

// done tells whether an item with these times was dealt with, whatever the
// entries say.
func (s *watchState) done(evaluated, created time.Time) bool {
	if evaluated.IsZero() {
		return false
	}
	for i := range s.Scans {
		if scan := &s.Scans[i]; !scan.Cut.IsZero() && created.After(scan.Cut) && evaluated.Before(scan.Until) {
			return true
		}
	}
	return evaluated.Before(s.Floor)
}

// forget drops the entries that done replaces.
func (s *watchState) forget() {
	if deepest := s.deepest(); len(s.Delivered) > manyEntries && deepest.Running && !deepest.Mixed && !deepest.Held && !deepest.Last.IsZero() &&
		(deepest.Cut.IsZero() || deepest.Last.Before(deepest.Cut)) { // A scan that begins again must not take back what is forgotten.
		deepest.Cut = deepest.Last
	}
	maps.DeleteFunc(s.Delivered, func(_ uint64, d delivery) bool {
		return s.done(time.Unix(int64(d.evaluated), 0), time.Unix(int64(d.created), 0))
	})
	if len(s.Delivered) <= maxDelivered {
		return
	}
	// Only a listing in no order at all leads here: rather repeat than stop.
	oldest := slices.SortedFunc(maps.Keys(s.Delivered), func(a, b uint64) int {
		return cmp.Compare(s.Delivered[a].evaluated, s.Delivered[b].evaluated)
	})
	for _, hash := range oldest[:len(oldest)-tooMany] {
		delete(s.Delivered, hash)
	}
}

func (s *watchState) String() string {
	text, err := stdjson.Marshal(s)
	if err != nil {
		panic(err) // Nothing in it can fail.
	}
	return fmt.Sprintf("%s %08x %s", stateFormat, crc32.ChecksumIEEE(text), text)
}

// parseState reads what String wrote.
func parseState(text string) (*watchState, error) {
	format, rest, _ := strings.Cut(text, " ")
	sum, body, ok := strings.Cut(rest, " ")
	s := new(watchState)
	switch {
	case format != stateFormat:
		return nil, &ParamError{Param: "state", Problem: "is not the state of a watch, or of another version: to start afresh, give none"}
	case !ok || len(text) > maxState || sum != fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(body))):
		return nil, &ParamError{Param: "state", Problem: "is damaged: restore it, or to start afresh, give none"}
	}
	if err := stdjson.Unmarshal([]byte(body), s); err != nil {
		return nil, &ParamError{Param: "state", Problem: "cannot be read: restore it, or to start afresh, give none"}
	}
	if s.Delivered == nil {
		s.Delivered = make(deliveries)
	}
	return s, nil
}

// histogram counts durations by their order of magnitude.
type histogram struct {
	Counts []int `json:"counts"`
	Total  int   `json:"total"`
}

const (
	histogramSize = 50   // Up to a year.
	histogramFull = 4000 // From here on, what is old counts less.
)

func (h *histogram) add(d time.Duration) {
	if len(h.Counts) != histogramSize {
		h.Counts = make([]int, histogramSize)
	}
	i := int(2 * math.Log2(max(1, d.Seconds())))
	h.Counts[min(i, histogramSize-1)]++
	if h.Total++; h.Total >= histogramFull {
		h.Total = 0
		for i := range h.Counts {
			h.Counts[i] /= 2
			h.Total += h.Counts[i]
		}
	}
}

// quantile returns a duration that such a share of all do not exceed.
func (h *histogram) quantile(share float64) time.Duration {
	left := share * float64(h.Total)
	for i, n := range h.Counts {
		if n := float64(n); n > 0 && left <= n {
			return time.Duration(math.Exp2((float64(i)+left/n)/2) * float64(time.Second))
		}
		left -= float64(n)
	}
	return 0
}
