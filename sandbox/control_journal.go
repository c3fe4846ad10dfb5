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
	Number          int            `json:"number"`
	At              world.Moment   `json:"at"`
	Method          string         `json:"method"`
	Route           string         `json:"route"`
	Path            string         `json:"path"`
	Query           string         `json:"query"`
	Status          *int           `json:"status"` // Null when no response was sent.
	Ended           bool           `json:"ended"`
	Key             string         `json:"key"`
	KeyID           *string        `json:"key_id"`
	Organization    *string        `json:"organization"` // Null for a key that the server did not know.
	Body            string         `json:"body"`
	Repeats         *int           `json:"repeats"`     // Number of the first write that this one repeats.
	RepeatedBy      *int           `json:"repeated_by"` // Number of the last write that repeats this one.
	RequestID       *string        `json:"request_id"`
	Error           *errorJSON     `json:"error"`
	Took            *time.Duration `json:"took"`
	ResponseSize    *int           `json:"response_size"`
	Limit           *int           `json:"limit"`
	Remaining       *int           `json:"remaining"`
	Throttled       bool           `json:"throttled"`
	Fault           *Fault         `json:"fault"`
	Headers         http.Header    `json:"headers,omitzero"`
	ResponseHeaders http.Header    `json:"response_headers,omitzero"`
	Response        *string        `json:"response,omitzero"`
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

// newEntryJSON returns an exchange without keys.
func newEntryJSON(e *record, redactor *strings.Replacer, details bool) entryJSON {
	shown := e.redacted(redactor)
	out := entryJSON{
		Number: e.number, At: world.MomentOf(e.At), Method: e.Method, Route: e.Route, Path: shown.Path, Query: shown.Query, Status: known(e.Status),
		Ended: e.Detail == nil || e.Detail.Ended, Key: shown.Key, KeyID: known(keyID(e.Key)), Organization: e.organization, Body: string(shown.Body),
		Repeats: known(e.repeats), RepeatedBy: known(e.repeatedBy),
	}
	d := shown.Detail
	if d == nil {
		return out
	}
	out.Fault = d.Fault
	if d.Ended {
		out.RequestID, out.Error, out.Took, out.ResponseSize = known(d.RequestID), e.apiError(), &d.Took, &d.ResponseSize
		out.Throttled = d.Throttled
	}
	if d.Limit > 0 {
		out.Limit, out.Remaining = &d.Limit, &d.Remaining
	}
	if details {
		out.Headers, out.ResponseHeaders = d.Header, d.ResponseHeader
		if d.ResponseHeader != nil {
			out.Response = new(strings.ToValidUTF8(string(d.Response), "\uFFFD"))
		}
	}
	return out
}

// apiError returns the error in the response, or nil.
func (e *record) apiError() *errorJSON {
	var body struct {
		Error *errorJSON `json:"error"`
	}
	if e.Status < http.StatusBadRequest || e.Detail == nil || json.Unmarshal(e.Detail.Response, &body) != nil {
		return nil
	}
	return body.Error
}

// failed reports whether an exchange ended without a success.
func (e *record) failed() bool {
	return e.Status >= http.StatusBadRequest || e.Status == 0 && (e.Detail == nil || e.Detail.Ended)
}

// repeated reports whether a write repeats one that may have taken effect.
func (e *record) repeated() bool { return e.repeats > 0 }

// journalQuery selects exchanges.
type journalQuery struct {
	Organization *string       `json:"organization"`
	Key          string        `json:"key"` // A token, an id, or none.
	Method       string        `json:"method"`
	Route        string        `json:"route"`
	Status       string        `json:"status"`
	Text         string        `json:"text"`
	Repeated     bool          `json:"repeated"`
	Faults       bool          `json:"faults"`
	SlowerThan   time.Duration `json:"slower_than"`
	Since        time.Time     `json:"since"`
	Until        time.Time     `json:"until"`
	After        *int          `json:"after"`
	Before       *int          `json:"before"`
	Limit        *int          `json:"limit"`
	Sort         string        `json:"sort"`
	Details      bool          `json:"details"`
}

const (
	defaultJournalLimit = 500
	noKey               = "none" // Selects requests without a key.
)

// find returns the exchanges that a query selects.
func (c *control) find(q *journalQuery) (found []*record, err error) {
	token, text := "", strings.ToLower(q.Text)
	if q.Organization != nil {
		if err := c.checkOrganization(*q.Organization); err != nil {
			return nil, err
		}
	}
	if q.Key != "" && q.Key != noKey {
		known, found := c.knownToken(q.Key)
		if !found {
			return nil, inputError{"key", "the server has seen no such key"}
		}
		token = known
	}
	switch number, _ := strconv.Atoi(q.Status); {
	case q.Limit != nil && (*q.Limit < 1 || *q.Limit > JournalEntries):
		return nil, inputError{"limit", "must be from 1 to " + strconv.Itoa(JournalEntries)}
	case q.After != nil && q.Before != nil:
		return nil, inputError{"before", "give after or before, not both"}
	case q.Sort != "" && q.Sort != "took":
		return nil, inputError{"sort", "must be took"}
	case number < 100 && !slices.Contains([]string{"", noKey, "failed", "2xx", "3xx", "4xx", "5xx"}, q.Status):
		return nil, inputError{"status", "must be a status such as 404, 2xx, 4xx, 5xx, failed or none"}
	}
	for e := range c.journal.all() {
		if (token == "" || e.Key == token) && q.selects(e) && (text == "" || e.contains(text)) {
			found = append(found, e)
		}
	}
	return found, nil
}

// selects reports whether a query selects an exchange, without its text and its key.
func (q *journalQuery) selects(e *record) bool {
	d := e.Detail
	switch {
	case q.Organization != nil && (e.organization == nil || *e.organization != *q.Organization),
		q.Key == noKey && e.Key != "",
		q.Method != "" && e.Method != q.Method,
		q.Route != "" && q.Route != e.Route && q.Route != e.Method+" "+e.Route,
		q.Repeated && !e.repeated(),
		q.Faults && (d == nil || d.Fault == nil),
		q.SlowerThan > 0 && (d == nil || d.Took <= q.SlowerThan),
		e.At.Before(q.Since), !q.Until.IsZero() && e.At.After(q.Until):
		return false
	}
	return e.hasStatus(q.Status)
}

// knownToken returns the token with a token or an id, of a key that the server accepts,
// has revoked, or has seen in a request.
func (c *control) knownToken(key string) (token string, found bool) {
	if k, err := c.knownKey("", key); err == nil {
		return k.Token, true
	}
	for _, k := range c.revoked {
		if k.Token == key || keyID(k.Token) == key {
			return k.Token, true
		}
	}
	for e := range c.journal.all() {
		if e.Key == key || keyID(e.Key) == key {
			return e.Key, true
		}
	}
	return "", false
}

// hasStatus reports whether an exchange has a status such as 404, 4xx, failed or none.
func (e *record) hasStatus(status string) bool {
	switch status {
	case "":
		return true
	case "failed":
		return e.failed()
	case noKey:
		return e.Status == 0
	}
	return status == strconv.Itoa(e.Status) || status == strconv.Itoa(e.Status/100)+"xx"
}

// contains reports whether an exchange contains a text in lower case.
func (e *record) contains(text string) bool {
	has := func(part string) bool { return strings.Contains(strings.ToLower(part), text) }
	return has(e.Method+" "+e.Path+"?"+e.Query) || has(string(e.Body)) ||
		e.Detail != nil && (has(e.Detail.RequestID) || has(string(e.Detail.Response)))
}

type journalJSON struct {
	Entries  []entryJSON `json:"entries"`
	Repeated []entryJSON `json:"repeated"` // Of the entries, those that repeat a write.
	More     bool        `json:"more"`
	Position int         `json:"position"` // For the event stream.
}

func (c *control) readJournal(q journalQuery) (out journalJSON, err error) {
	found, err := c.find(&q)
	if err != nil {
		return out, err
	}
	limit, redactor := *cmp.Or(q.Limit, new(defaultJournalLimit)), c.redactor()
	found = slices.DeleteFunc(found, func(e *record) bool {
		return q.After != nil && e.number <= *q.After || q.Before != nil && e.number >= *q.Before
	})
	if q.Sort != "" {
		took := func(e *record) time.Duration {
			if e.Detail == nil {
				return 0
			}
			return e.Detail.Took
		}
		slices.SortStableFunc(found, func(a, b *record) int { return cmp.Compare(took(b), took(a)) })
	}
	if out.More = len(found) > limit; out.More {
		if q.After != nil || q.Sort != "" {
			found = found[:limit]
		} else {
			found = found[len(found)-limit:]
		}
	}
	for _, e := range found {
		shown := newEntryJSON(e, redactor, q.Details)
		out.Entries = append(out.Entries, shown)
		if e.repeated() {
			out.Repeated = append(out.Repeated, shown)
		}
	}
	out.Position = c.changes.revision
	return out, nil
}

// maxBuckets is the number of buckets of the statistics.
const maxBuckets = 60

type statsJSON struct {
	bucketJSON

	Begin   *world.Moment `json:"begin"`
	End     *world.Moment `json:"end"`
	Buckets []bucketJSON  `json:"buckets"`
}

type bucketJSON struct {
	At       *world.Moment `json:"at,omitzero"`
	Count    int           `json:"count"`
	Failed   int           `json:"failed"`
	Repeated int           `json:"repeated"`
}

func (b *bucketJSON) add(e *record) {
	b.Count++
	if e.failed() {
		b.Failed++
	}
	if e.repeated() {
		b.Repeated++
	}
}

func (c *control) readStats(q journalQuery) (out statsJSON, err error) {
	found, err := c.find(&q)
	if err != nil || len(found) == 0 {
		return out, err
	}
	begin, end := found[0].At.Truncate(time.Millisecond), found[len(found)-1].At
	out.Begin, out.End = new(world.MomentOf(begin)), new(world.MomentOf(end))
	length := (max(end.Sub(begin), 0) / maxBuckets).Truncate(time.Millisecond) + time.Millisecond // The precision of times in JSON.
	out.Buckets = make([]bucketJSON, int(max(end.Sub(begin), 0)/length)+1)
	for i := range out.Buckets {
		out.Buckets[i].At = new(world.MomentOf(begin.Add(time.Duration(i) * length)))
	}
	for _, e := range found { // A test's clock may have been set back.
		out.Buckets[min(max(int(e.At.Sub(begin)/length), 0), len(out.Buckets)-1)].add(e)
		out.add(e)
	}
	return out, nil
}

// entry returns the exchange whose number is the id.
func (c *control) entry() (*record, error) {
	n, err := strconv.Atoi(c.id)
	if e := c.journal.get(n); err == nil && e != nil {
		return e, nil
	}
	return nil, world.ErrUnknown
}

type fullEntryJSON struct {
	entryJSON

	ResponseCut bool `json:"response_cut"`
	Older       *int `json:"older"`
	Newer       *int `json:"newer"`
}

func (c *control) readEntry(none) (out fullEntryJSON, err error) {
	e, err := c.entry()
	if err != nil {
		return out, err
	}
	out.entryJSON = newEntryJSON(e, c.redactor(), true)
	out.ResponseCut = e.Detail != nil && e.Detail.ResponseSize > len(e.Detail.Response)
	for other := range c.journal.all() {
		switch {
		case other.number < e.number:
			out.Older = &other.number
		case other.number > e.number && out.Newer == nil:
			out.Newer = &other.number
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
}, err error) {
	ctx, cancel := context.WithTimeout(context.WithValue(context.Background(), sentAgain{}, &out.Number), sendTimeout)
	defer cancel()
	var request *http.Request
	err = s.run(id, func(c *control) (err error) {
		request, err = c.requestAgain(ctx)
		return err
	})
	if err != nil {
		return out, err
	}
	var handler http.Handler = s // Not ServeHTTP itself, which needs the table of operations.
	response, err := wire.Transport{Handler: handler}.RoundTrip(request)
	if err == nil { // An error is one that a fault made.
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	}
	return out, nil
}

// requestAgain returns a copy of the request of an exchange.
func (c *control) requestAgain(ctx context.Context) (*http.Request, error) {
	e, err := c.entry()
	switch {
	case err != nil:
		return nil, err
	case e.Detail == nil:
		return nil, world.Conflict("the headers of the request are no longer kept")
	case e.organization != nil && c.keys[e.Key] == nil:
		return nil, world.Conflict("the key of the request was revoked")
	}
	request, err := http.NewRequestWithContext(ctx, e.Method, "http://sandbox"+e.Path, bytes.NewReader(e.Body))
	if err != nil {
		return nil, world.Conflict("the request cannot be sent again: " + err.Error())
	}
	request.URL.RawQuery = e.Query
	request.Header = e.Detail.Header.Clone()
	request.Header.Del("Authorization")
	if e.Key != "" {
		request.Header.Set("Authorization", "Bearer "+e.Key)
	}
	return request, nil
}
