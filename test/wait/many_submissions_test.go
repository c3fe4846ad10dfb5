package wait_test

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// largeService is a transport that simulates an API with very many submissions. It
// computes pages from sorted times and stores nothing else. Its fields enable behaviour
// that the sandbox does not have.
type largeService struct {
	on    sandbox.SinceField
	limit int // Reads an hour.
	zero  time.Time

	created, submitted, evaluated []int64 // Milliseconds since zero, by creation.
	lag                           []int64 // Delay until a submission shows its evaluation. Nil: none.
	byEvaluation, bySubmission    []int32

	ignoresSince, ignoresStatus bool
	filtersUnfinished           bool          // The listing can be filtered by the status of unfinished submissions.
	byOffset                    bool          // Cursors are offsets, so that pages shift.
	cursorAge                   time.Duration // Older cursors are rejected. 0: none is.
	date                        time.Duration // How far the Date header is ahead.
	noDate                      bool
	bare                        func(i int) bool                // The listing shows no report,
	undated                     func(i int) bool                // or no time of evaluation.
	garbled                     func(i int) string              // Replaces the report, unless it is empty.
	changeItem                  func(i int, item string) string // Replaces a submission.
	hides                       func(i int) bool                // The first page that should have it omits it, because pages have shifted.
	hidden                      map[int32]bool
	single                      func(i int, path string) (int, string)      // Responds to a single read, if the status is not 0.
	intercept                   func(*http.Request) (*http.Response, error) // Responds before everything else, if it returns a response.

	opens    time.Time // Of the current window.
	used     int
	requests int
	refused  int // Responses of 429.
}

// newLargeService spreads submissions over a span from now on.
func newLargeService(on sandbox.SinceField, n int, over time.Duration, grading func(*rand.Rand) time.Duration) *largeService {
	random := rand.New(rand.NewPCG(3, 4))
	c := &largeService{on: on, limit: 1000, zero: time.Now().Truncate(time.Millisecond)}
	c.created = make([]int64, n)
	for i := range c.created {
		c.created[i] = random.Int64N(over.Milliseconds())
	}
	slices.Sort(c.created)
	c.submitted, c.evaluated = make([]int64, n), make([]int64, n)
	for i, at := range c.created {
		delay := grading(random).Milliseconds()
		c.submitted[i] = at + random.Int64N(delay/2+1)
		c.evaluated[i] = at + delay
	}
	c.index()
	return c
}

func (c *largeService) index() {
	order := func(times []int64) []int32 {
		all := make([]int32, len(times))
		for i := range all {
			all[i] = int32(i)
		}
		slices.SortStableFunc(all, func(a, b int32) int { return cmp.Compare(times[a], times[b]) })
		return all
	}
	c.byEvaluation, c.bySubmission = order(c.evaluated), order(c.submitted)
}

// lognormal returns durations of evaluations: half of them are below the median.
func lognormal(median, p99, longest time.Duration) func(*rand.Rand) time.Duration {
	deviation := math.Log(p99.Seconds()/median.Seconds()) / 2.326
	return func(random *rand.Rand) time.Duration {
		return min(longest, time.Duration(median.Seconds()*math.Exp(deviation*random.NormFloat64())*float64(time.Second)))
	}
}

func (c *largeService) client(t *testing.T, opts ...hiring.Option) *hiring.Client {
	t.Helper()
	client, err := hiring.New(apitest.BaseURL, apitest.Key, append(opts, hiring.WithHTTPClient(&http.Client{Transport: c}))...)
	require.NoError(t, err)
	return client
}

func (c *largeService) now() int64 { return time.Since(c.zero).Milliseconds() }

func (c *largeService) shows(i int32, now int64) bool {
	at := c.evaluated[i]
	if c.lag != nil {
		at += c.lag[i]
	}
	return at <= now
}

// crowdID and crowdIndex convert a number to an id and back.
func crowdID(i int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012x", i) }

func crowdIndex(id string) int {
	i, err := strconv.ParseInt(id[max(0, len(id)-12):], 16, 64)
	if err != nil {
		return -1
	}
	return int(i)
}

func (c *largeService) RoundTrip(r *http.Request) (*http.Response, error) {
	c.requests++
	if c.intercept != nil {
		if res, err := c.intercept(r); res != nil || err != nil {
			return res, err
		}
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if now := time.Now(); now.Sub(c.opens) >= time.Hour {
		c.opens, c.used = now, 0
	}
	c.used++
	if c.used > c.limit {
		c.refused++
		return c.respond(r, 429, `{"error":{"code":"RATE_LIMITED","message":"too much","request_id":"req_0e"}}`), nil
	}
	switch path := strings.TrimPrefix(r.URL.Path, "/api/v1/"); path {
	case "account":
		return c.respond(r, 200, `{"data":{"id":"a"},"meta":{"request_id":"req_0a"}}`), nil
	case "submissions":
		return c.list(r), nil
	default:
		return c.one(r, strings.Split(path, "/")), nil
	}
}

func (c *largeService) respond(r *http.Request, status int, body string) *http.Response {
	res := apitest.NewResponse(r, status, io.NopCloser(strings.NewReader(body)),
		"X-Ratelimit-Limit: "+strconv.Itoa(c.limit), "X-Ratelimit-Remaining: "+strconv.Itoa(max(0, c.limit-c.used)),
		"X-Ratelimit-Reset: "+strconv.FormatInt(c.opens.Add(time.Hour+c.date+time.Second-1).Unix(), 10), "Content-Type: application/json")
	if !c.noDate {
		res.Header.Set("Date", time.Now().Add(c.date).UTC().Format(http.TimeFormat))
	}
	if status == 429 {
		res.Header.Set("Retry-After", strconv.Itoa(int(time.Until(c.opens.Add(time.Hour)).Seconds())+1))
	}
	return res
}

func (c *largeService) one(r *http.Request, parts []string) *http.Response {
	i := crowdIndex(parts[1])
	if i < 0 || i >= len(c.created) || c.created[i] > c.now() {
		return c.respond(r, 404, `{"error":{"code":"NOT_FOUND","message":"none","request_id":"req_0e"}}`)
	}
	if len(parts) == 3 && parts[2] == "events" {
		return c.respond(r, 200, `{"data":[],"meta":{"request_id":"req_0a","has_more":false,"next_cursor":null}}`)
	}
	if c.single != nil {
		if status, body := c.single(i, r.URL.Path); status != 0 {
			return c.respond(r, status, body)
		}
	}
	var b bytes.Buffer
	b.WriteString(`{"data":`)
	if len(parts) == 3 {
		c.report(&b, int32(i), c.shows(int32(i), c.now()))
	} else {
		c.item(&b, int32(i), c.now(), true)
	}
	b.WriteString(`,"meta":{"request_id":"req_0a"}}`)
	return c.respond(r, 200, b.String())
}

// list responds with a page of the listing.
func (c *largeService) list(r *http.Request) *http.Response {
	query, now := r.URL.Query(), c.now()
	since := int64(math.MinInt64)
	if at, err := time.Parse("2006-01-02T15:04:05.000Z", query.Get("since")); err == nil && !c.ignoresSince {
		since = at.Sub(c.zero).Milliseconds()
	}
	onlyEvaluated := query.Get("status") == "evaluated" && !c.ignoresStatus
	onlyUnfinished := query.Get("status") == "submitted" && c.filtersUnfinished
	from, offset := int32(math.MaxInt32), 0
	if cursor := query.Get("cursor"); cursor != "" {
		var given int64
		_, err := fmt.Sscanf(cursor, "%d-%d", &from, &given)
		if err != nil || c.cursorAge > 0 && now-given > c.cursorAge.Milliseconds() {
			return c.respond(r, 400, `{"error":{"code":"INVALID_INPUT","message":"cursor","request_id":"req_0e"}}`)
		}
		if c.byOffset {
			from, offset = math.MaxInt32, int(from)
		}
	}
	const size = 100
	skip := offset
	items := make([]int32, 0, size+1)
	for i := range c.listed(since, now, from) {
		if onlyEvaluated && !c.shows(i, now) || onlyUnfinished && c.shows(i, now) || c.hide(i, now) {
			continue
		}
		if skip > 0 {
			skip--
			continue
		}
		items = append(items, i)
		if len(items) > size {
			break
		}
	}
	var b bytes.Buffer
	b.Grow(len(items) * 400)
	b.WriteString(`{"data":[`)
	for n, i := range items[:min(size, len(items))] {
		if n > 0 {
			b.WriteByte(',')
		}
		c.item(&b, i, now, false)
	}
	if b.WriteString(`],"meta":{"request_id":"req_0a",`); len(items) <= size {
		b.WriteString(`"has_more":false,"next_cursor":null}}`)
		return c.respond(r, 200, b.String())
	}
	next := int64(items[size-1])
	if c.byOffset {
		next = int64(offset + size)
	}
	fmt.Fprintf(&b, `"has_more":true,"next_cursor":"%d-%d"}}`, next, now)
	return c.respond(r, 200, b.String())
}

// hide reports whether to omit an evaluation. Each is omitted once at most.
func (c *largeService) hide(i int32, now int64) bool {
	if c.hides == nil || !c.hides(int(i)) || !c.shows(i, now) || c.hidden[i] {
		return false
	}
	if c.hidden == nil {
		c.hidden = make(map[int32]bool)
	}
	c.hidden[i] = true
	return true
}

// listed iterates over the submissions that since selects, newest first, from a position
// on.
func (c *largeService) listed(since, now int64, from int32) func(func(int32) bool) {
	if c.on == sandbox.SinceCreated || since == math.MinInt64 {
		return func(yield func(int32) bool) {
			i := int32(sort.Search(len(c.created), func(i int) bool { return c.created[i] > now }))
			for i = min(i, from) - 1; i >= 0 && c.created[i] >= since; i-- {
				if !yield(i) {
					return
				}
			}
		}
	}
	times, order := c.evaluated, c.byEvaluation
	if c.on == sandbox.SinceSubmitted {
		times, order = c.submitted, c.bySubmission
	}
	first := sort.Search(len(order), func(n int) bool { return times[order[n]] >= since })
	last := sort.Search(len(order), func(n int) bool { return times[order[n]] > now })
	all := slices.Clone(order[min(first, last):last])
	slices.SortFunc(all, func(a, b int32) int { return cmp.Compare(b, a) })
	return func(yield func(int32) bool) {
		for _, i := range all {
			if i < from && !yield(i) {
				return
			}
		}
	}
}

func (c *largeService) time(b *bytes.Buffer, name string, at int64) {
	b.WriteString(`,"` + name + `":"`)
	b.Write(c.zero.Add(time.Duration(at)*time.Millisecond).UTC().AppendFormat(b.AvailableBuffer(), "2006-01-02T15:04:05.000Z"))
	b.WriteByte('"')
}

func (c *largeService) item(b *bytes.Buffer, i int32, now int64, whole bool) {
	if c.changeItem != nil {
		var sound bytes.Buffer
		c.soundItem(&sound, i, now, whole)
		b.WriteString(c.changeItem(int(i), sound.String()))
		return
	}
	c.soundItem(b, i, now, whole)
}

func (c *largeService) soundItem(b *bytes.Buffer, i int32, now int64, whole bool) {
	fmt.Fprintf(b, `{"id":"00000000-0000-4000-8000-%012x","assessment_id":"p"`, i)
	c.time(b, "created_at", c.created[i])
	if c.submitted[i] <= now {
		c.time(b, "submitted_at", c.submitted[i])
	}
	if !c.shows(i, now) {
		b.WriteString(`,"status":"submitted"`)
		if c.garbled != nil && c.garbled(int(i)) != "" {
			b.WriteString(`,"report":` + c.garbled(int(i)))
		}
		b.WriteByte('}')
		return
	}
	b.WriteString(`,"status":"evaluated"`)
	if c.undated == nil || !c.undated(int(i)) {
		c.time(b, "evaluated_at", c.evaluated[i])
	}
	if whole || c.bare == nil || !c.bare(int(i)) {
		b.WriteString(`,"report":`)
		c.report(b, i, true)
	}
	b.WriteByte('}')
}

func (c *largeService) report(b *bytes.Buffer, i int32, ready bool) {
	if c.garbled != nil && c.garbled(int(i)) != "" {
		b.WriteString(c.garbled(int(i)))
		return
	}
	fmt.Fprintf(b, `{"submission_id":"00000000-0000-4000-8000-%012x","evaluated":%t,"summary":"Works, and is well tested."`, i, ready)
	if ready && (c.undated == nil || !c.undated(int(i))) {
		c.time(b, "generated_at", c.evaluated[i])
	}
	b.WriteByte('}')
}

// deliveredOf counts the deliveries of a large service.
type deliveredOf struct {
	crowd *largeService
	times []uint8
	total int
	log   []delivery
}

type delivery struct {
	i  int
	at time.Duration // Since zero.
}

func newDelivered(c *largeService) *deliveredOf {
	return &deliveredOf{crowd: c, times: make([]uint8, len(c.created))}
}

func (d *deliveredOf) take(id string) {
	i := crowdIndex(id)
	d.times[i]++
	d.total++
	d.log = append(d.log, delivery{i, time.Since(d.crowd.zero)})
}

// late returns the time from the evaluation to the delivery of each submission.
func (d *deliveredOf) late() []time.Duration {
	all := make([]time.Duration, len(d.log))
	for n, came := range d.log {
		all[n] = came.at - time.Duration(d.crowd.evaluated[came.i])*time.Millisecond
	}
	return all
}

// missed returns the number of evaluated submissions that were not delivered by then.
// twice is the number of repeated deliveries.
func (d *deliveredOf) missed(to time.Duration) (missed, twice int) {
	for i, n := range d.times {
		if at := d.crowd.evaluated[i]; n == 0 && at < to.Milliseconds() {
			missed++
		}
		if n > 1 {
			twice++
		}
	}
	return missed, twice
}
