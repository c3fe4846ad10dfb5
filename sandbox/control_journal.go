package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/wire"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// entryJSON is an exchange in the control API. A member that is not known is null, or
// absent if it is a header or a body.
type entryJSON struct {
	Number          int           `json:"number"`
	At              world.Moment  `json:"at"`
	Method          string        `json:"method"`
	Route           string        `json:"route"`
	Path            string        `json:"path"`
	Query           string        `json:"query"`
	Status          *int          `json:"status"` // Null when no response was sent.
	Ended           bool          `json:"ended"`
	Key             string        `json:"key"`
	KeyID           *string       `json:"key_id"`
	Organization    *string       `json:"organization"` // Null for a key that the server did not know.
	Repeats         *int          `json:"repeats"`      // Number of the first write that this one repeats.
	RequestID       *string       `json:"request_id"`
	Error           *errorJSON    `json:"error"`
	Took            time.Duration `json:"took"`
	ResponseSize    int           `json:"response_size"`
	Limit           *int          `json:"limit"`
	Remaining       *int          `json:"remaining"`
	Throttled       bool          `json:"throttled"`
	Fault           *Fault        `json:"fault"`
	Headers         http.Header   `json:"headers,omitzero"`
	Body            *string       `json:"body,omitzero"`
	ResponseHeaders http.Header   `json:"response_headers,omitzero"`
	Response        *string       `json:"response,omitzero"`
}

type errorJSON struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

// known returns a pointer to a value, or nil for the zero value.
func known[T comparable](value T) *T {
	var zero T
	if value == zero {
		return nil
	}
	return &value
}

func newEntries(records []*record, hide redactor, details bool) []entryJSON {
	entries := make([]entryJSON, len(records))
	for i, e := range records {
		entries[i] = newEntryJSON(e, hide, details)
	}
	return entries
}

// newEntryJSON returns an exchange without keys. Details are headers and bodies.
func newEntryJSON(e *record, hide redactor, details bool) entryJSON {
	out := entryJSON{
		Number: e.number, At: world.MomentOf(e.At), Method: e.Method, Route: e.Route, Path: hide.Replace(e.Path), Query: hide.Replace(e.Query),
		Status: known(e.Status), Ended: e.ended, Key: redact(e.Key), KeyID: known(e.keyID), Organization: e.organization,
		Repeats: known(e.repeats), RequestID: known(e.requestID), Error: e.apiError(), Took: e.Took, ResponseSize: e.responseSize,
		Limit: known(e.limit), Throttled: e.throttled, Fault: e.fault,
	}
	if e.limit > 0 {
		out.Remaining = &e.remaining
	}
	if e.fault != nil && e.fault.Key != "" {
		out.Fault = new(*e.fault)
		out.Fault.Key = redact(e.fault.Key)
	}
	if details {
		text := func(raw []byte) *string { return new(strings.ToValidUTF8(string(raw), "\uFFFD")) }
		shown := e.redacted(hide)
		out.Headers, out.Body, out.ResponseHeaders = shown.Header, text(shown.Body), shown.ResponseHeader
		if shown.ResponseHeader != nil {
			out.Response = text(shown.Response)
		}
	}
	return out
}

// apiError returns the error in the response, or nil.
func (e *record) apiError() *errorJSON {
	var body struct {
		Error *errorJSON `json:"error"`
	}
	if e.Status < http.StatusBadRequest || json.Unmarshal(e.Response, &body) != nil {
		return nil
	}
	return body.Error
}

// failed reports whether an exchange ended without a success.
func (e *record) failed() bool { return e.Status >= http.StatusBadRequest || e.Status == 0 && e.ended }

// journalFilter selects exchanges.
type journalFilter struct {
	Key        string        `json:"key"` // A token, an id, or none.
	Method     string        `json:"method"`
	Route      string        `json:"route"`
	Status     string        `json:"status"`
	Text       string        `json:"text"`
	Repeated   bool          `json:"repeated"` // Writes that repeat another one, and the first of them.
	Faults     bool          `json:"faults"`
	SlowerThan time.Duration `json:"slower_than"`
}

const noKey = "none" // Selects requests without a key.

func (f *journalFilter) check() error {
	number, _ := strconv.Atoi(f.Status)
	if number < 100 && !slices.Contains([]string{"", noKey, "failed", "2xx", "3xx", "4xx", "5xx"}, f.Status) {
		return inputError{"status", "must be a status such as 404, 2xx, 4xx, 5xx, failed or none"}
	}
	return nil
}

// find returns the records that a filter selects among those that changed after a revision.
func (f *journalFilter) find(records []*record, after int) (found []*record) {
	originals := make(map[int]bool)
	for _, e := range records {
		if f.Repeated && e.repeats > 0 && e.revision > after {
			originals[e.repeats] = true
		}
	}
	text := strings.ToLower(f.Text)
	for _, e := range records {
		isNew := e.revision > after && (!f.Repeated || e.repeats > 0)
		if (isNew || originals[e.number]) && f.selects(e) && (text == "" || e.contains(text)) {
			found = append(found, e)
		}
	}
	return found
}

// selects reports whether a filter selects an exchange by anything but text and repeats.
func (f *journalFilter) selects(e *record) bool {
	switch {
	case f.Key == noKey && e.Key != "", f.Key != noKey && f.Key != "" && !e.hasKey(f.Key),
		f.Method != "" && e.Method != f.Method,
		f.Route != "" && f.Route != e.Route && f.Route != e.Method+" "+e.Route,
		f.Faults && e.fault == nil,
		f.SlowerThan > 0 && e.Took <= f.SlowerThan:
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

// hasKey reports whether an exchange has the key with a token or an id.
func (e *record) hasKey(key string) bool { return e.Key == key || e.keyID == key }

// contains reports whether an exchange contains a text in lower case.
func (e *record) contains(text string) bool {
	has := func(part string) bool { return strings.Contains(strings.ToLower(part), text) }
	return has(e.Method+" "+e.Path+"?"+e.Query) || has(string(e.Body)) || has(e.requestID) || has(string(e.Response))
}

type journalJSON struct {
	Entries  []entryJSON `json:"entries"`
	More     bool        `json:"more"`
	Position int         `json:"position"` // For the event stream.
	Stats    statsJSON   `json:"stats"`    // Of all exchanges that match.
}

const defaultJournalLimit = 500

// readJournal takes the lock only to copy the list of records.
func (s *Server) readJournal(_ string, q struct {
	journalFilter

	After   *int   `json:"after"`
	Before  *int   `json:"before"`
	Limit   *int   `json:"limit"`
	Sort    string `json:"sort"`
	Details bool   `json:"details"`
},
) (out journalJSON, err error) {
	s.mu.Lock()
	records, hide, position := slices.Clone(s.journal.records), s.redactor(), s.changes.revision
	knownKey := q.Key == "" || q.Key == noKey || s.hasSeen(q.Key)
	s.mu.Unlock()
	limit := *cmp.Or(q.Limit, new(defaultJournalLimit))
	switch err := q.check(); {
	case err != nil:
		return out, err
	case limit < 1 || limit > maxRecords:
		return out, inputError{"limit", "must be from 1 to " + strconv.Itoa(maxRecords)}
	case q.After != nil && q.Before != nil:
		return out, inputError{"before", "give after or before, not both"}
	case q.Sort != "" && q.Sort != "took":
		return out, inputError{"sort", "must be took"}
	case !knownKey && !slices.ContainsFunc(records, func(e *record) bool { return e.hasKey(q.Key) }):
		return out, inputError{"key", "the server has seen no such key"}
	}
	found := q.find(records, 0)
	out.Stats, out.Position = newStats(found), position
	found = slices.DeleteFunc(found, func(e *record) bool {
		return q.After != nil && e.number <= *q.After || q.Before != nil && e.number >= *q.Before
	})
	if q.Sort != "" {
		slices.SortStableFunc(found, func(a, b *record) int { return cmp.Compare(b.Took, a.Took) })
	}
	if out.More = len(found) > limit; out.More {
		if q.After != nil || q.Sort != "" {
			found = found[:limit]
		} else {
			found = found[len(found)-limit:]
		}
	}
	out.Entries = newEntries(found, hide, q.Details)
	return out, nil
}

// hasSeen reports whether the server accepts a key, or has revoked it.
func (s *Server) hasSeen(key string) bool {
	_, err := s.knownKey("", key)
	return err == nil || slices.ContainsFunc(s.revoked, func(k Key) bool { return k.Token == key || keyID(k.Token) == key })
}

const (
	// maxBuckets is the number of buckets of the statistics.
	maxBuckets = 60
	// maxIdle is the longest time without an exchange that the buckets show.
	maxIdle = time.Minute
)

type statsJSON struct {
	bucketJSON

	Begin   *world.Moment `json:"begin"`
	End     *world.Moment `json:"end"`
	Buckets []bucketJSON  `json:"buckets"`
}

// bucketJSON counts exchanges. A bucket begins with its first exchange, or is empty.
type bucketJSON struct {
	At       *world.Moment `json:"at,omitzero"`
	Count    int           `json:"count"`
	Failed   int           `json:"failed"`
	Repeated int           `json:"repeated"`
}

func (b *bucketJSON) add(e *record) {
	if b.Count++; b.At == nil {
		b.At = new(world.MomentOf(e.At))
	}
	if e.failed() {
		b.Failed++
	}
	if e.repeats > 0 {
		b.Repeated++
	}
}

// newStats counts exchanges in buckets of equal time. A longer time without an exchange, as
// after the clock was moved, counts as maxIdle.
func newStats(found []*record) (out statsJSON) {
	if len(found) == 0 {
		return out
	}
	active := make([]time.Duration, len(found)) // Since the first exchange.
	for i := 1; i < len(found); i++ {
		idle := found[i].At.Sub(found[i-1].At)
		active[i] = active[i-1] + min(max(idle, 0), maxIdle) // A test's clock may have been set back.
	}
	length := active[len(active)-1]/maxBuckets + 1
	out.Buckets = make([]bucketJSON, active[len(active)-1]/length+1)
	for i, e := range found {
		out.Buckets[active[i]/length].add(e)
		out.add(e)
	}
	out.Begin, out.End = out.At, new(world.MomentOf(found[len(found)-1].At))
	out.At = nil
	return out
}

type fullEntryJSON struct {
	entryJSON

	ResponseCut bool `json:"response_cut"`
	RepeatedBy  *int `json:"repeated_by"` // Number of the last write that repeats this one.
	Older       *int `json:"older"`
	Newer       *int `json:"newer"`
}

// entry returns the exchange with an id, and the list that has it.
func (s *Server) entry(id string) (records []*record, at int, hide redactor, err error) {
	records, hide = s.records()
	at = slices.IndexFunc(records, func(e *record) bool { return strconv.Itoa(e.number) == id })
	if at < 0 {
		err = world.ErrUnknown
	}
	return records, at, hide, err
}

func (s *Server) readEntry(id string, _ none) (out fullEntryJSON, err error) {
	records, at, hide, err := s.entry(id)
	if err != nil {
		return out, err
	}
	e := records[at]
	out.entryJSON = newEntryJSON(e, hide, true)
	out.ResponseCut = e.responseSize > len(e.Response)
	if at > 0 {
		out.Older = &records[at-1].number
	}
	if at+1 < len(records) {
		out.Newer = &records[at+1].number
	}
	for _, other := range records[at:] {
		if other.repeats == e.number {
			out.RepeatedBy = &other.number
		}
	}
	return out, nil
}

// sendTimeout limits a request that is sent again. A fault may delay its response.
const sendTimeout = 30 * time.Second

// resend sends the request of an exchange again, with the same key. The journal shows the
// result.
func (s *Server) resend(id string, _ none) (out struct {
	Number int `json:"number"`
}, err error,
) {
	records, at, _, err := s.entry(id)
	if err != nil {
		return out, err
	}
	e := records[at]
	ctx, cancel := context.WithTimeout(context.Background(), sendTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, e.Method, "http://sandbox"+e.Path, bytes.NewReader(e.Body))
	if err != nil {
		return out, world.Conflict("the request cannot be sent again: " + err.Error())
	}
	request.URL.RawQuery, request.Header = e.Query, e.Header.Clone()
	if e.Key != "" {
		request.Header.Set("Authorization", "Bearer "+e.Key)
	}
	again := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.exchange(w, r, &out.Number) })
	response, err := wire.Transport{Handler: again}.RoundTrip(request)
	if err == nil { // An error is one that a fault made.
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	}
	return out, nil
}
