package sandbox

import (
	"cmp"
	"net/http"
	"regexp"
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
	Field   string `json:"field,omitzero"`   // The parameter or member that was refused.
	Problem string `json:"problem,omitzero"` // Why; without a field, why the whole request was refused.
}

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

// failed reports whether an exchange ended without a success.
func (e *exchange) failed() bool {
	return e.Status >= http.StatusBadRequest || e.Status == 0 && e.Ended
}

// journalFilter selects exchanges.
type journalFilter struct {
	Key        string        `json:"key"` // A token, an id, or none.
	Method     string        `json:"method"`
	Route      string        `json:"route"`
	Status     string        `json:"status"`
	Text       string        `json:"text"`
	Repeated   bool          `json:"repeated"` // Writes that repeat another one, and the first of them.
	Repeats    int           `json:"repeats"`  // A write and those that repeat it, by its number.
	Faults     bool          `json:"faults"`
	Fault      int           `json:"fault"` // The id of the fault that acted.
	SlowerThan time.Duration `json:"slower_than"`
	Field      string        `json:"field"`  // The parameter or member that was refused.
	Search     string        `json:"search"` // See parseSearch.

	// Of terms of a search only.
	Code, routePart, keyPart string
	tookLess                 bool
	from, to                 time.Time
	terms                    []term
}

const noKey = "none" // Selects requests without a key.

// parse checks the filter and parses its search. now gives a time of day its day.
func (f *journalFilter) parse(now time.Time) (err error) {
	if err = f.check(); err == nil {
		f.terms, err = parseSearch(f.Search, now)
	}
	return err
}

// check checks the filter, and replaces a token by its id.
func (f *journalFilter) check() error {
	if isToken(f.Key) {
		f.Key = keyID(f.Key)
	}
	number, _ := strconv.Atoi(f.Status)
	if number < 100 && !slices.Contains([]string{"", noKey, "failed", "2xx", "3xx", "4xx", "5xx"}, f.Status) {
		return inputError{"status", "must be a status such as 404, 2xx, 4xx, 5xx, failed or none"}
	}
	return nil
}

// find returns the exchanges that a filter selects among those that changed after a revision.
func (f *journalFilter) find(exchanges []*exchange, after int) (found []*exchange) {
	text := strings.ToLower(f.Text)
	for _, e := range exchanges {
		if e.revision > after && f.selects(e) && (text == "" || e.contains(text)) &&
			!slices.ContainsFunc(f.terms, func(t term) bool { return !t.matches(e) }) {
			found = append(found, e)
		}
	}
	return found
}

// selects reports whether a filter selects an exchange by anything but a text.
func (f *journalFilter) selects(e *exchange) bool {
	switch {
	case f.Key == noKey && e.KeyID != "", f.Key != noKey && f.Key != "" && f.Key != e.KeyID,
		f.Method != "" && e.Method != f.Method,
		f.Route != "" && f.Route != e.Route && f.Route != e.operation(),
		f.Repeated && e.Repeats == 0 && e.RepeatedBy == 0,
		f.Repeats != 0 && f.Repeats != e.Repeats && f.Repeats != e.Number,
		f.Faults && e.Fault == nil,
		f.Fault != 0 && f.Fault != e.FaultID,
		f.SlowerThan > 0 && (e.Took <= f.SlowerThan) != f.tookLess,
		f.Field != "" && (e.Error == nil || e.Error.Field != f.Field),
		f.Code != "" && (e.Error == nil || e.Error.Code != f.Code),
		f.routePart != "" && !strings.Contains(strings.ToLower(e.operation()), f.routePart),
		f.keyPart != "" && e.KeyID != f.keyPart && !strings.Contains(e.Key, f.keyPart),
		e.At.Before(f.from), !f.to.IsZero() && !e.At.Before(f.to):
		return false
	}
	switch f.Status {
	case "":
		return true
	case "failed":
		return e.failed()
	case noKey:
		return e.Status == 0
	}
	return f.Status == strconv.Itoa(e.Status) || f.Status == strconv.Itoa(e.Status/100)+"xx"
}

// contains reports whether an exchange contains a text in lower case.
func (e *exchange) contains(text string) bool {
	has := func(part string) bool { return strings.Contains(strings.ToLower(part), text) }
	return has(e.Method+" "+e.Path+"?"+e.Query) || has(e.Subject) || e.Error != nil && has(e.Error.Code) || strconv.Itoa(e.Status) == text ||
		has(string(e.Body)) || has(e.RequestID) || has(string(e.Response)) || has(e.Header.Get("User-Agent"))
}

type journalJSON struct {
	Entries  []exchange `json:"entries"`
	Actions  []action   `json:"actions"` // Of the test, since the first of these entries.
	More     bool       `json:"more"`
	Run      string     `json:"run"`      // Numbers begin anew in each run of the server: from its start, or from a reset.
	Newest   int        `json:"newest"`   // Number of the newest exchange, also of one that is not in the journal.
	Position int        `json:"position"` // For the event stream.
	Stats    statsJSON  `json:"stats"`    // Of all exchanges that match, and were before Before.
	// How often they match by status, route, key and field, if asked for.
	Groups []groupJSON `json:"groups,omitzero"`
}

const defaultJournalLimit = 500

// readJournal takes the lock only to copy the list of exchanges.
func (s *Server) readJournal(_ string, q struct {
	journalFilter

	After   *int   `json:"after"`
	Before  *int   `json:"before"`
	Limit   *int   `json:"limit"`
	Sort    string `json:"sort"`
	Details bool   `json:"details"`
	Groups  bool   `json:"groups"`
},
) (out journalJSON, err error) {
	if err := q.parse(s.now()); err != nil {
		return out, err
	}
	s.mu.Lock()
	exchanges, position := slices.Clone(s.journal.exchanges), s.changes.revision
	_, unknown := s.knownKey("key", q.Key)
	out.Newest = s.journal.count
	out.Actions, out.Run = slices.Clone(s.journal.actions), s.journal.run
	s.mu.Unlock()
	limit := *cmp.Or(q.Limit, new(defaultJournalLimit))
	switch {
	case limit < 1 || limit > maxExchanges:
		return out, inputError{"limit", "must be from 1 to " + strconv.Itoa(maxExchanges)}
	case q.After != nil && q.Before != nil:
		return out, inputError{"before", "give after or before, not both"}
	case q.Sort != "" && q.Sort != "took":
		return out, inputError{"sort", "must be took"}
	case unknown != nil && q.Key != "" && q.Key != noKey && !slices.ContainsFunc(exchanges, func(e *exchange) bool { return e.KeyID == q.Key }):
		return out, unknown
	}
	found := slices.DeleteFunc(q.find(exchanges, 0), func(e *exchange) bool { return q.Before != nil && e.Number >= *q.Before })
	var buckets []int
	out.Stats, buckets = newStats(found)
	out.Position = position
	if q.Groups {
		out.Groups = newGroups(found, buckets, len(out.Stats.Buckets))
	}
	found = slices.DeleteFunc(found, func(e *exchange) bool { return q.After != nil && e.Number <= *q.After })
	if q.Sort != "" {
		slices.SortStableFunc(found, func(a, b *exchange) int { return cmp.Compare(b.Took, a.Took) })
	}
	if out.More = len(found) > limit; out.More {
		if q.After != nil || q.Sort != "" {
			found = found[:limit]
		} else {
			found = found[len(found)-limit:]
		}
	}
	out.Entries = copies(found, q.Details)
	out.Actions = slices.DeleteFunc(out.Actions, func(a action) bool { return len(exchanges) > 0 && (len(found) == 0 || a.After < found[0].Number-1) })
	return out, nil
}

const (
	// maxBuckets is the number of buckets of the statistics.
	maxBuckets = 60
	// maxIdle is the longest time without an exchange that the buckets show.
	maxIdle = time.Minute
)

type statsJSON struct {
	Count   int          `json:"count"`
	Failed  int          `json:"failed"`
	Buckets []bucketJSON `json:"buckets"`
}

// bucketJSON counts exchanges. A bucket begins with its first exchange, or is empty.
type bucketJSON struct {
	At     *world.Moment `json:"at,omitzero"`
	Count  int           `json:"count"`
	Failed int           `json:"failed"`
}

// newStats counts exchanges in buckets of equal time. A longer time without an exchange, as
// after the clock was moved, counts as maxIdle.
//
// It also returns the index of the bucket of each exchange.
func newStats(found []*exchange) (out statsJSON, bucket []int) {
	if len(found) == 0 {
		return out, nil
	}
	bucket = make([]int, len(found))
	active := make([]time.Duration, len(found)) // Since the first exchange.
	for i := 1; i < len(found); i++ {
		idle := found[i].At.Sub(found[i-1].At)
		active[i] = active[i-1] + min(max(idle, 0), maxIdle) // A test's clock may have been set back.
	}
	length := active[len(active)-1]/maxBuckets + 1
	out.Buckets = make([]bucketJSON, active[len(active)-1]/length+1)
	for i, e := range found {
		bucket[i] = int(active[i] / length)
		b := &out.Buckets[bucket[i]]
		if b.Count++; b.Count == 1 {
			b.At = new(world.MomentOf(e.At))
		}
		out.Count++
		if e.failed() {
			b.Failed++
			out.Failed++
		}
	}
	return out, bucket
}

type fullEntryJSON struct {
	exchange

	ResponseCut bool              `json:"response_cut"`
	Candidates  map[string]string `json:"candidates"` // Names of live candidates, by each of their ids in the exchange.
}

var uuids = regexp.MustCompile(uuidPattern)

func (s *Server) readEntry(id string, _ none) (out fullEntryJSON, err error) {
	s.mu.Lock()
	exchanges := slices.Clone(s.journal.exchanges)
	s.mu.Unlock()
	at := slices.IndexFunc(exchanges, func(e *exchange) bool { return strconv.Itoa(e.Number) == id })
	if at < 0 {
		return out, world.ErrUnknown
	}
	e := exchanges[at]
	out = fullEntryJSON{exchange: *e, ResponseCut: e.ResponseSize > maxResponse, Candidates: make(map[string]string)}
	text := e.Path + string(e.Body) + string(e.Response)
	if e.Withheld != nil {
		text += string(e.Withheld.Response)
	}
	ids := uuids.FindAllString(text, -1)
	return out, s.withLock("", func(c *control) error {
		for _, id := range ids {
			if one, err := c.live.Candidate(canonicalID(id), c.now); err == nil {
				out.Candidates[id] = one.CandidateName
			}
		}
		return nil
	})
}
