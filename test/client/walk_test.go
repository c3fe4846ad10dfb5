package client_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

func TestIterationSendsOneRequestPerPage(t *testing.T) {
	t.Parallel()
	for _, list := range listCases {
		sizes, counts := []int{1, 7, 100}, []int{0, 1, 99, 100, 101}
		if list.Largest == 500 {
			sizes, counts = append(sizes, 500), append(counts, 499, 500, 501)
		}
		for _, size := range sizes {
			for _, n := range counts {
				t.Run(fmt.Sprintf("%s/%d by %d", list.Name, n, size), func(t *testing.T) {
					s := newListServer(list.Style, n)
					got, err := list.Open(s.Client(t)).Size(size).Collect(t.Context())
					require.NoError(t, err)
					require.Equal(t, numbersTo(n), got)
					require.Len(t, s.Queries, max(1, (n+size-1)/size))
					requireQueries(t, list.Style, size, s.Queries)
				})
			}
		}
	}
}

// requireQueries checks that every request has the page size, and all but the first a
// position.
func requireQueries(t *testing.T, style string, size int, queries []url.Values) {
	t.Helper()
	place := map[string]string{"page": "page", "cursor": "cursor", "seq": "since_seq"}[style]
	for i, q := range queries {
		require.Equal(t, []string{strconv.Itoa(size)}, q["page_size"], "request %d", i+1)
		require.Equal(t, i > 0, q.Has(place), "request %d: %v", i+1, q)
		want := 1
		if i > 0 {
			want++
		}
		if q.Has("status") {
			require.Equal(t, "evaluated", q.Get("status"))
			want++
		}
		require.Len(t, q, want, "request %d: %v", i+1, q)
	}
}

func TestIterationAsksForTheLargestPagesByDefault(t *testing.T) {
	for _, list := range listCases {
		s := newListServer(list.Style, 501)
		got, err := list.Open(s.Client(t)).Collect(t.Context())
		require.NoError(t, err, list.Name)
		assert.Equal(t, numbersTo(501), got, list.Name)
		assert.Len(t, s.Queries, (501+list.Largest-1)/list.Largest, list.Name)
		assert.Equal(t, strconv.Itoa(list.Largest), s.Queries[0].Get("page_size"), list.Name)
	}
}

func TestIterationOverALogThatCountsFromZero(t *testing.T) {
	for _, size := range []int{1, 2, 500} {
		s := newListServer("seq", 0)
		s.Items = []int{0, 1, 2, 5, 9}
		got, err := eventsOf(s.Client(t)).Size(size).Collect(t.Context())
		require.NoError(t, err)
		assert.Equal(t, s.Items, got)
		assert.Len(t, s.Queries, (5+size-1)/size)
	}
}

// growing is a list to which items are added at its beginning while it is read.
func growing(style string, n, by, times int) *listServer {
	s := newListServer(style, n)
	added := 0
	s.Before = func(request int) {
		if request == 1 || request > times+1 {
			return
		}
		for range by {
			added++
			s.Items = slices.Insert(s.Items, 0, 1000+added)
		}
	}
	return s
}

func TestIterationOverAGrowingListYieldsNothingTwice(t *testing.T) {
	for _, list := range listCases {
		if list.Style == "seq" {
			continue // Items are added at its end.
		}
		for _, size := range []int{1, 7, 100} {
			for _, by := range []int{1, 7, 20} {
				t.Run(fmt.Sprintf("%s/by %d/%d more", list.Name, size, by), func(t *testing.T) {
					s := growing(list.Style, 101, by, 4)
					got, err := list.Open(s.Client(t)).Size(size).Collect(t.Context())
					require.NoError(t, err)
					old := slices.DeleteFunc(slices.Clone(got), func(n int) bool { return n > 1000 })
					assert.Equal(t, numbersTo(101), old)
					slices.Sort(got)
					assert.Len(t, slices.Compact(slices.Clone(got)), len(got))
				})
			}
		}
	}
}

func TestIterationOverAGrowingLogReadsItsEnd(t *testing.T) {
	s := newListServer("seq", 10)
	s.Before = func(request int) {
		if request == 2 {
			s.Items = append(s.Items, 11, 12, 20)
		}
	}
	got, err := eventsOf(s.Client(t)).Size(6).Collect(t.Context())
	require.NoError(t, err)
	assert.Equal(t, append(numbersTo(12), 20), got)
}

// spoiled is an iteration over a list of a faulty server.
type spoiled struct {
	name     string
	list     func(*hiring.Client) intPager
	style    string
	spoil    func(n int, q url.Values, p *listPage)
	want     []int // Nil: all 30.
	requests int
	err      string // Part of the error's text.
}

func set(name string, value any) func(int, url.Values, *listPage) {
	return func(_ int, _ url.Values, p *listPage) { p.Meta[name] = value }
}

func without(names ...string) func(int, url.Values, *listPage) {
	return func(_ int, _ url.Values, p *listPage) {
		for _, name := range names {
			delete(p.Meta, name)
		}
	}
}

// ignoring responds as if the request had no position.
func ignoring(first listPage) func(int, url.Values, *listPage) {
	return func(_ int, _ url.Values, p *listPage) {
		*p = listPage{Items: slices.Clone(first.Items), Meta: map[string]any{}}
		maps.Copy(p.Meta, first.Meta)
	}
}

var spoiledWalks = []spoiled{
	{name: "no meta of a page at all", list: invitationsOf, style: "page", spoil: without("has_more", "total", "page", "page_size"), requests: 1, want: numbersTo(10)},
	{name: "has_more null", list: submissionsOf, style: "cursor", spoil: set("has_more", nil), requests: 3},
	{name: "a first page of another number", list: invitationsOf, style: "page", requests: 1, want: []int{}, err: "requested page 1 but received page 0",
		spoil: set("page", 0)},
	{name: "a page that repeats", list: invitationsOf, style: "page", requests: 2, want: numbersTo(10), err: "Dialect.PageParam",
		spoil: ignoring(listPage{Items: numbersTo(10), Meta: map[string]any{"has_more": true}})},
	{name: "ever new cursors that are not heeded", list: submissionsOf, style: "cursor", requests: 2, want: numbersTo(10), err: "Dialect.CursorParam",
		spoil: func(n int, _ url.Values, p *listPage) {
			p.Items, p.Meta["has_more"], p.Meta["next_cursor"] = numbersTo(10), true, fmt.Sprint("new:", n)
		}},
	{name: "cursors of items without ids", list: submissionsOf, style: "cursor", requests: 3, want: []int{-1, -1, -1},
		spoil: func(n int, _ url.Values, p *listPage) {
			p.Items, p.Meta["has_more"], p.Meta["next_cursor"] = []int{-1}, n < 3, fmt.Sprint(n)
		}},
	{name: "pages of items without ids", list: invitationsOf, style: "page", requests: 2, want: []int{-1, -1, -1, -1},
		spoil: func(n int, _ url.Values, p *listPage) { p.Items, p.Meta["has_more"] = []int{-1, -1}, n < 2 }},
	{name: "a last page that repeats all", list: submissionsOf, style: "cursor", requests: 2, want: numbersTo(10),
		spoil: func(n int, _ url.Values, p *listPage) {
			p.Items, p.Meta["has_more"] = numbersTo(10), n == 1
		}},
	{name: "a log whose cursor runs ahead", list: eventsOf, style: "seq", requests: 3,
		spoil: func(_ int, _ url.Values, p *listPage) { p.Meta["next_cursor"] = "29" }},
	{name: "two empty pages, twice, by cursor", list: submissionsOf, style: "cursor", requests: 6, want: []int{3, 6},
		spoil: func(n int, _ url.Values, p *listPage) {
			p.Items, p.Meta["has_more"], p.Meta["next_cursor"] = nil, n < 6, fmt.Sprint(n)
			if n%3 == 0 {
				p.Items = []int{n}
			}
		}},

	{name: "unknown style, only a page number", list: challengesOf, style: "page", spoil: without("has_more", "total"), requests: 1, want: numbersTo(10)},
	{name: "unknown style, page number and a null cursor", list: challengesOf, style: "page", spoil: set("next_cursor", nil), requests: 3},
	{name: "unknown style, a null cursor at the end", list: assessmentsOf, style: "cursor", requests: 1, want: numbersTo(10),
		spoil: func(_ int, _ url.Values, p *listPage) { p.Meta = map[string]any{"next_cursor": nil} }},
	{name: "unknown style, has_more and a null cursor", list: assessmentsOf, style: "cursor", requests: 1, want: []int{}, err: "no cursor",
		spoil: set("next_cursor", nil)},
	{name: "unknown style, has_more, page not heeded", list: challengesOf, style: "plain", requests: 2, err: "Dialect.PageParam",
		spoil: set("has_more", true)},
	{name: "unknown style, neither, has_more false", list: assessmentsOf, style: "plain", spoil: set("has_more", false), requests: 1},
}

func TestIterationOverAFaultyList(t *testing.T) {
	for _, c := range spoiledWalks {
		t.Run(c.name, func(t *testing.T) {
			s := newListServer(c.style, 30)
			s.Spoil = c.spoil
			want := c.want
			if want == nil {
				want = numbersTo(30)
			}
			got, err := c.list(s.Client(t)).Size(10).Collect(t.Context())
			assert.Equal(t, want, got)
			assert.Equal(t, c.requests, s.Requests())
			if c.err == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.err)
			var failure *hiring.Error
			require.ErrorAs(t, err, &failure)
			assert.Equal(t, http.StatusOK, failure.Status)
			assert.Equal(t, fmt.Sprintf("req_%d", c.requests), failure.RequestID)
			assert.Equal(t, http.MethodGet, failure.Method)
			assert.NotEmpty(t, failure.Route)
			assert.Empty(t, failure.Code)
			assert.Equal(t, 1, failure.Attempts)
		})
	}
}

// since_seq is documented: a log that stands still is not attributed to a Dialect field.
func TestIterationOverALogBlamesNoAssumedName(t *testing.T) {
	s := newListServer("seq", 30)
	s.Spoil = ignoring(listPage{Items: numbersTo(10), Meta: map[string]any{"has_more": true, "next_cursor": "10"}})
	_, err := eventsOf(s.Client(t)).Size(10).Collect(t.Context())
	require.ErrorContains(t, err, "Events.List")
	assert.NotContains(t, err.Error(), "Dialect")
}

func TestIterationErrorIsYieldedOnceAndLast(t *testing.T) {
	for _, list := range listCases {
		for _, bad := range []int{1, 3} {
			t.Run(fmt.Sprintf("%s/request %d", list.Name, bad), func(t *testing.T) {
				s := newListServer(list.Style, 40)
				s.Instead = func(n int, _ *http.Request) (int, bool) { return 500, n == bad }
				pager := list.Open(s.Client(t)).Size(7)

				got, err := pager.Collect(t.Context())
				require.ErrorIs(t, err, hiring.ErrorCode("CODE_500"))
				assert.Equal(t, numbersTo(7*(bad-1)), got)
				assert.Equal(t, bad, s.Requests())

				s.Forget()
				items := []int{}
				var failures []error
				for item, err := range pager.All(t.Context()) {
					if err != nil {
						failures = append(failures, err)
						continue
					}
					require.Empty(t, failures)
					items = append(items, item)
				}
				assert.Len(t, failures, 1)
				assert.Equal(t, numbersTo(7*(bad-1)), items)

				s.Forget()
				count := 0
				for page, err := range pager.Pages(t.Context()) {
					count++
					if err != nil {
						assert.Empty(t, page.Items)
						assert.Empty(t, page.Next)
					}
				}
				assert.Equal(t, bad, count)
			})
		}
	}
}

// The token of the last good page leads to the page that failed.
func TestIterationResumesAfterAnError(t *testing.T) {
	for _, list := range listCases {
		s := newListServer(list.Style, 40)
		s.Instead = func(n int, _ *http.Request) (int, bool) { return 502, n == 4 }
		pager := list.Open(s.Client(t)).Size(7)
		var got []int
		var token string
		var failure error
		for page, err := range pager.Pages(t.Context()) {
			failure = err
			if err == nil {
				got, token = append(got, page.Items...), page.Next
			}
		}
		require.Error(t, failure)
		rest, err := pager.From(token).Collect(t.Context())
		require.NoError(t, err, list.Name)
		assert.Equal(t, numbersTo(40), append(got, rest...), list.Name)
	}
}

func TestIterationRefusedLocallySendsNothing(t *testing.T) {
	s := newListServer("page", 10)
	_, err := s.Client(t).Invitations.List("..").Collect(t.Context())
	require.ErrorIs(t, err, hiring.ErrInvalidInput)
	_, err = s.Client(t).Events.List(parentID, hiring.EventFilter{SinceSeq: -1}).Page(t.Context())
	var param *hiring.ParamError
	require.ErrorAs(t, err, &param)
	assert.Equal(t, "SinceSeq", param.Param)
	assert.Zero(t, s.Requests())
}

func TestIterationReadsResponses(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want int
		err  string
	}{
		"data null":           {`{"data":null,"meta":{}}`, 0, ""},
		"data null, meta not": {`{"data":null}`, 0, ""},
		"data absent":         {`{"meta":{"has_more":false}}`, 0, "the response has no data"},
		"data an object":      {`{"data":{},"meta":{}}`, 0, "cannot be decoded"},
		"data a string":       {`{"data":"x","meta":{}}`, 0, "cannot be decoded"},
		"meta null":           {`{"data":[{"id":"item-1"}],"meta":null}`, 1, ""},
		"meta absent":         {`{"data":[{"id":"item-1"}]}`, 1, ""},
		"meta nulls": {`{"data":[{"id":"item-1"}],"meta":{"request_id":null,"page":null,"page_size":null,` +
			`"total":null,"has_more":null,"next_cursor":null}}`, 1, ""},
		"page a string": {`{"data":[],"meta":{"page":"1"}}`, 0, "cannot be decoded"},
		"not an object": {`[]`, 0, "not the API's envelope"},
	} {
		for _, list := range []func(*hiring.Client) intPager{invitationsOf, submissionsOf, eventsOf, challengesOf, membersOf} {
			transport := apitest.RoundTripper(func(r *http.Request) (*http.Response, error) { return newListResponse(r, 200, c.body), nil })
			got, err := list(newListServer("plain", 0).Client(t, hiring.WithHTTPClient(&http.Client{Transport: transport}))).Collect(t.Context())
			assert.Len(t, got, c.want, name)
			if c.err == "" {
				assert.NoError(t, err, name)
			} else {
				assert.ErrorContains(t, err, c.err, name)
			}
		}
	}
}

// A numeric cursor is accepted like its text.
func TestIterationTakesNumericCursors(t *testing.T) {
	s := newListServer("seq", 12)
	s.Spoil = func(_ int, _ url.Values, p *listPage) {
		delete(p.Meta, "has_more")
		if text, ok := p.Meta["next_cursor"].(string); ok {
			p.Meta["next_cursor"] = json.RawMessage(text)
		}
	}
	items, err := s.Client(t).Events.List("a", hiring.EventFilter{}).PageSize(5).Collect(t.Context())
	require.NoError(t, err)
	require.Len(t, items, 12)
}
