package sandbox

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// errorJSON is the error in a response, with the first of its details.
type errorJSON struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	// The parameter or member that was refused, and others.
	Field   string   `json:"field,omitzero"`
	Others  []string `json:"others,omitempty"`
	Problem string   `json:"problem,omitzero"` // Why the field was refused, or without one, the whole request.
}

// text returns what a search finds.
func (e errorJSON) text() string { return e.Code + " " + e.Message + " " + e.Problem }

// withheldJSON is a response that the client did not receive.
type withheldJSON struct {
	Status   int        `json:"status"`
	Response []byte     `json:"response"`
	Error    *errorJSON `json:"error,omitzero"`
}

// copies returns exchanges for an output. Details are headers and bodies.
func copies(found []*exchange, details bool) []exchange {
	all := make([]exchange, len(found))
	for i, e := range found {
		all[i] = *e
		if !details {
			all[i].Header, all[i].Body, all[i].ResponseHeader, all[i].Response, all[i].Withheld = nil, nil, nil, nil, nil
		}
	}
	return all
}

// failed reports whether an exchange ended without a success, or with a response that was cut.
func (e *exchange) failed() bool {
	return e.Status >= http.StatusBadRequest || e.Ended && (e.Status == 0 || e.Fault != nil && e.Fault.CutAfter != 0)
}

// failure returns the error in the response, which is empty without one.
func (e *exchange) failure() errorJSON { return *cmp.Or(e.Error, &errorJSON{}) }

type journalJSON struct {
	Entries  []exchange `json:"entries"`
	Actions  []action   `json:"actions"` // Of the test, since the first of these entries; with groups, all; in an export of few entries, those that concern them.
	More     bool       `json:"more"`
	Run      string     `json:"run"`      // Numbers begin anew in each run of the server: from its start, or from a reset.
	Newest   int        `json:"newest"`   // Number of the newest exchange, also of one that is not in the journal.
	Position int        `json:"position"` // For the event stream.
	Stats    statsJSON  `json:"stats"`    // Of all exchanges that match, and were before Before.
	// Of the oldest exchange in the journal, if it is not the first of the run.
	Since time.Time `json:"since,omitzero"`
	// The snapshots that can be restored.
	Snapshots []snapshotJSON `json:"snapshots"`
	Groups    []*groupJSON   `json:"groups,omitzero"` // Of all exchanges that the statistics count.
}

const defaultJournalLimit = 500

// readJournal takes the lock only to copy the list of exchanges.
func (s *Server) readJournal(_ string, q struct {
	journalFilter

	After   *int `json:"after"`
	Before  *int `json:"before"`
	Limit   *int `json:"limit"`
	Details bool `json:"details"`
	Export  bool `json:"export"`  // The response is to keep: it has nothing of the exchanges that it leaves out.
	Zipped  bool `json:"zipped"`  // The response is a file in gzip.
	Grouped bool `json:"grouped"` // The response has groups.
},
) (out journalJSON, err error) {
	now := s.now()
	conditions, err := q.conditions(now)
	if err != nil {
		return out, err
	}
	s.mu.Lock()
	exchanges, position := slices.Clone(s.journal.exchanges), s.changes.revision
	_, unknown := s.knownKey("key", q.Key)
	out.Newest = s.journal.count
	out.Actions, out.Run = slices.Clone(s.journal.actions), s.journal.run
	snapshots := slices.Clone(s.snapshots)
	s.mu.Unlock()
	if len(exchanges) > 0 && exchanges[0].Number > 1 {
		out.Since = exchanges[0].At
	}
	out.Snapshots = newSnapshots(snapshots, exchanges, out.Actions, out.Run)
	limit := *cmp.Or(q.Limit, new(defaultJournalLimit))
	switch {
	case limit < 1 || limit > maxExchanges:
		return out, inputError{"limit", "must be from 1 to " + strconv.Itoa(maxExchanges)}
	case q.After != nil && q.Before != nil:
		return out, inputError{"before", "give after or before, not both"}
	case unknown != nil && q.Key != "" && q.Key != noKey && !slices.ContainsFunc(exchanges, hasKey(q.Key)):
		return out, unknown
	}
	found := slices.DeleteFunc(matching(exchanges, 0, conditions), func(e *exchange) bool { return q.Before != nil && e.Number >= *q.Before })
	var ends []time.Time
	if len(found) > 0 {
		ends = q.window(exchanges[0].At, now)
	}
	out.Stats = newStats(found, out.Actions, ends...)
	if q.Grouped {
		out.Groups = newGroups(found, out.Stats.Buckets)
	}
	out.Position = position
	found = slices.DeleteFunc(found, func(e *exchange) bool { return q.After != nil && e.Number <= *q.After })
	if out.More = len(found) > limit; out.More {
		if q.After != nil {
			found = found[:limit]
		} else {
			found = found[len(found)-limit:]
		}
	}
	if q.Export { // Others may read it.
		out.Snapshots, out.Stats = nil, newStats(found, out.Actions)
		if len(found) == 1 || len(found) > 0 && len(found) < min(fewExchanges, len(exchanges)) {
			out.Actions = concerning(found, out.Actions)
		}
	}
	out.Entries = copies(found, q.Details)
	out.Actions = slices.DeleteFunc(out.Actions, func(a action) bool { return out.More && !q.Grouped && a.After < found[0].Number-1 })
	return out, nil
}

// fewExchanges is the number of exchanges from which on all actions are kept with them.
const fewExchanges = 10

// concerning returns the actions about the candidates of exchanges, their faults and keys, and the last move of the clock before them.
func concerning(found []*exchange, actions []action) (all []action) {
	for _, a := range actions {
		isMove := a.Kind == clockMoved && a.After < found[len(found)-1].Number
		isAbout := func(e *exchange) bool {
			return a.ID != "" && a.Subject == e.Subject || a.Fault != nil && a.Subject == strconv.Itoa(e.FaultID) || a.KeyID != "" && a.KeyID == e.KeyID && a.After < e.Number
		}
		if isMove {
			all = slices.DeleteFunc(all, func(b action) bool { return b.Kind == a.Kind })
		}
		if isMove || slices.ContainsFunc(found, isAbout) {
			all = append(all, a)
		}
	}
	return all
}

const (
	// maxBuckets is the number of buckets of the statistics.
	maxBuckets = 120
	// neverShortened is the longest idle time between two exchanges that the buckets never shorten.
	neverShortened = time.Minute
)

type statsJSON struct {
	Count   int           `json:"count"`
	Failed  int           `json:"failed"`
	Buckets []bucketJSON  `json:"buckets"`
	Length  time.Duration `json:"length"` // Of each bucket.
	// The number of exchanges that each of the usual terms finds.
	Terms map[string]int `json:"terms"`
}

// usualTerms are the terms of a search that have a button on the page.
var usualTerms = []string{"is:failed", "is:repeated", "is:fault", "status:none"}

// bucketJSON counts the exchanges from a time on, before that of the next bucket.
type bucketJSON struct {
	At      world.Moment  `json:"at"`
	Count   int           `json:"count"`
	Failed  int           `json:"failed"`
	Refused int           `json:"refused"`        // Those that failed with a 4xx.
	Idle    time.Duration `json:"idle,omitzero"`  // Time without an exchange before this bucket that the buckets shorten.
	Moved   bool          `json:"moved,omitzero"` // Most of the idle time is a move of the clock.
}

// bucketLengths are round: a person can read where a bucket begins.
var bucketLengths = [...]time.Duration{
	1e6, 2e6, 5e6, 1e7, 2e7, 5e7, 1e8, 2e8, 5e8, 1e9, 2e9, 5e9, 1e10, 15e9, 30e9,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 6 * time.Hour, 24 * time.Hour, 48 * time.Hour,
	7 * 24 * time.Hour, 28 * 24 * time.Hour, 364 * 24 * time.Hour,
}

// newStats counts exchanges in buckets of the shortest round length that needs at most maxBuckets. The buckets also cover ends, the
// ends of a time window. The times of exchanges are not in the order of their numbers after the undo of a move of the clock.
func newStats(found []*exchange, actions []action, ends ...time.Time) (out statsJSON) {
	out.Terms = map[string]int{}
	for _, term := range usualTerms {
		name, value, _ := strings.Cut(term, ":")
		matches, _ := newCondition(name, value, time.Time{})
		out.Terms[term] = len(matching(found, 0, []condition{matches}))
	}
	for _, at := range ends {
		found = slices.Concat(found, []*exchange{{Entry: Entry{At: at}}}) // Without a number, so that it is not counted.
	}
	found = slices.SortedStableFunc(slices.Values(found), func(a, b *exchange) int { return a.At.Compare(b.At) })
	shortened := minShortened(found)
	for _, out.Length = range bucketLengths {
		if out.Buckets = newBuckets(found, actions, out.Length, shortened); len(out.Buckets) <= maxBuckets {
			break
		}
	}
	for _, b := range out.Buckets {
		out.Count, out.Failed = out.Count+b.Count, out.Failed+b.Failed
	}
	return out
}

// minShortened returns the shortest idle time between two exchanges that the buckets shorten. From the longest on, an idle time is
// shortened if it is at least a quarter of the time that is left without the longer ones. The others are to scale.
func minShortened(found []*exchange) time.Duration {
	var all []time.Duration
	for i := 1; i < len(found); i++ {
		if idle := found[i].At.Sub(found[i-1].At); idle > neverShortened {
			all = append(all, idle)
		}
	}
	slices.Sort(all)
	shortened := time.Duration(math.MaxInt64)
	if len(all) > 0 {
		rest := found[len(found)-1].At.Sub(found[0].At)
		for _, idle := range slices.Backward(all) {
			if idle < rest/4 {
				break
			}
			shortened, rest = idle, rest-idle
		}
	}
	return shortened
}

// newBuckets counts exchanges, oldest first, in buckets of a length, and returns as soon as there are too many. An idle time
// of shortened or more has one bucket.
func newBuckets(found []*exchange, actions []action, length, shortened time.Duration) (all []bucketJSON) {
	var end time.Time // Of the last bucket.
	for i, e := range found {
		if at := e.At.Truncate(length); !at.Before(end) {
			b := bucketJSON{At: world.MomentOf(at)}
			if i > 0 && e.At.Sub(found[i-1].At) >= shortened && at.After(end) {
				b.Idle = e.At.Sub(found[i-1].At)
				b.Moved = moved(actions, found[i-1].At, e.At) > b.Idle/2
				all = append(all, bucketJSON{At: world.MomentOf(end)})
			} else {
				for ; i > 0 && end.Before(at) && len(all) <= maxBuckets; end = end.Add(length) {
					all = append(all, bucketJSON{At: world.MomentOf(end)})
				}
			}
			end = at.Add(length)
			if all = append(all, b); len(all) > maxBuckets {
				return all
			}
		}
		b := &all[len(all)-1]
		if e.Number == 0 {
			continue
		}
		if b.Count++; e.failed() {
			b.Failed++
		}
		if e.Status/100 == 4 {
			b.Refused++
		}
	}
	return all
}

// moved returns how far the clock was moved between two times.
func moved(actions []action, from, to time.Time) (sum time.Duration) {
	for _, a := range actions {
		if seconds, _ := strconv.ParseFloat(a.Subject, 64); a.Kind == clockMoved && a.At.After(from) && !a.At.After(to) {
			sum += time.Duration(seconds * float64(time.Second))
		}
	}
	return sum
}

// groupJSON is the newest of exchanges that are alike, and the number of them.
type groupJSON struct {
	exchange

	Count    int   `json:"count"`
	Times    []int `json:"times"` // How many are in each bucket of the statistics.
	FaultIDs []int `json:"fault_ids"`
}

const maxGroups = 200

// newGroups groups exchanges by what they have in common, and returns the largest groups. Faults are alike that do the same,
// whomever they concern.
func newGroups(found []*exchange, buckets []bucketJSON) []*groupJSON {
	groups, all := make(map[string]*groupJSON), []*groupJSON{}
	for _, e := range found {
		fault := *cmp.Or(e.Fault, &Fault{})
		fault.Route, fault.Key, fault.Candidate, fault.Skip, fault.Times = "", "", "", 0, 0
		name := fmt.Sprint(e.Status, e.Ended, e.operation(), e.KeyID, e.Agent, e.failure(), fault)
		g := groups[name]
		if g == nil {
			g = &groupJSON{Times: make([]int, len(buckets))}
			groups[name], all = g, append(all, g)
		}
		g.exchange = copies([]*exchange{e}, false)[0]
		g.Count++
		bucket := len(buckets) - 1
		for bucket > 0 && buckets[bucket].At > world.MomentOf(e.At) {
			bucket--
		}
		g.Times[bucket]++
		g.FaultIDs = slices.Compact(append(g.FaultIDs, e.FaultID))
	}
	slices.SortStableFunc(all, func(a, b *groupJSON) int { return b.Count - a.Count })
	return all[:min(len(all), maxGroups)]
}

func (c *control) readEntry(none) (out exchange, err error) {
	number, _ := strconv.Atoi(c.id)
	i, ok := c.journal.find(number)
	if !ok {
		return out, world.ErrUnknown
	}
	return *c.journal.exchanges[i], nil
}
