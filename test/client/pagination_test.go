package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

func TestPagerPageSizeIsChecked(t *testing.T) {
	for _, list := range listCases {
		s := newListServer(list.Style, 3)
		pager := list.Open(s.Client(t))
		for _, size := range []int{-1, 0, list.Largest + 1, math.MinInt, math.MaxInt} {
			_, err := pager.Size(size).Collect(t.Context())
			requireParam(t, err, "PageSize", list.Name)
			require.ErrorContains(t, err, fmt.Sprintf("from 1 to %d", list.Largest))
			_, err = pager.Size(size).Page(t.Context())
			requireParam(t, err, "PageSize", list.Name)
			_, err = pager.Size(size).Size(1).Collect(t.Context()) // The first error remains.
			requireParam(t, err, "PageSize", list.Name)
		}
		assert.Zero(t, s.Requests())
		for _, size := range []int{1, list.Largest} {
			_, err := pager.Size(size).Collect(t.Context())
			require.NoError(t, err, list.Name)
		}
	}
}

func TestPagerOfMembersTakesNoPageSize(t *testing.T) {
	s := newListServer("plain", 3)
	for _, size := range []int{0, 1, 100} {
		_, err := membersOf(s.Client(t)).Size(size).Collect(t.Context())
		requireParam(t, err, "PageSize", "members")
		require.ErrorContains(t, err, "takes no page size")
	}
	assert.Zero(t, s.Requests())
}

func TestPagerThatIsEmpty(t *testing.T) {
	page, err := newListServer("seq", 501).Client(t).Events.List(parentID, hiring.EventFilter{}).Page(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, page.Next)
	var zero hiring.Pager[hiring.Event]
	for _, pager := range []hiring.Pager[hiring.Event]{
		zero, zero.PageSize(5), zero.PageSize(-5), zero.From("x"), zero.From(page.Next), zero.From(""),
	} {
		items, err := pager.Collect(t.Context())
		requireParam(t, err, "Pager", "")
		assert.Empty(t, items)
		_, err = pager.Page(t.Context())
		requireParam(t, err, "Pager", "")
		count := 0
		for _, err := range pager.All(t.Context()) {
			count++
			requireParam(t, err, "Pager", "")
		}
		assert.Equal(t, 1, count)
	}
}

func TestPagerPagesCarryTheirMeta(t *testing.T) {
	s := newListServer("page", 25)
	var metas []hiring.Meta
	for page, err := range invitationsOf(s.Client(t)).Size(10).Pages(t.Context()) {
		require.NoError(t, err)
		metas = append(metas, page.Meta)
	}
	assert.Equal(t, []hiring.Meta{
		{RequestID: "req_1", Page: 1, PageSize: 10, Total: 25, HasMore: true},
		{RequestID: "req_2", Page: 2, PageSize: 10, Total: 25, HasMore: true},
		{RequestID: "req_3", Page: 3, PageSize: 10, Total: 25},
	}, metas)
	s = newListServer("cursor", 15)
	metas = nil
	for page, err := range submissionsOf(s.Client(t)).Size(10).Pages(t.Context()) {
		require.NoError(t, err)
		metas = append(metas, page.Meta)
	}
	assert.Equal(t, []hiring.Meta{{RequestID: "req_1", HasMore: true, NextCursor: "after:10"}, {RequestID: "req_2"}}, metas)
}

func TestPagerSendsNothingBeforeTheRange(t *testing.T) {
	for _, list := range listCases {
		s := newListServer(list.Style, 30)
		pager := list.Open(s.Client(t)).Size(10)
		_, _ = pager.All(t.Context()), pager.Pages(t.Context())
		assert.Zero(t, s.Requests())
	}
}

func TestPagerRangesStartOver(t *testing.T) {
	for _, list := range listCases {
		s := newListServer(list.Style, 30)
		all := list.Open(s.Client(t)).Size(7).All(t.Context())
		for range 2 { // The same iterator, left early and then read to its end.
			n := 0
			for item, err := range all {
				require.NoError(t, err)
				n++
				if item == 9 {
					break
				}
			}
			require.Equal(t, 9, n)
			require.Equal(t, 2, s.Requests(), "no page after the one that was left")
			s.Forget()
			got := []int{}
			for item, err := range all {
				require.NoError(t, err)
				got = append(got, item)
			}
			require.Equal(t, numbersTo(30), got)
			s.Forget()
		}
	}
}

// The context ends in the second page, and nothing more is sent.
func TestPagerEndsWithTheContext(t *testing.T) {
	s := newListServer("page", 70)
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	var failures []error
	pages := 0
	for _, err := range invitationsOf(s.Client(t)).Size(7).Pages(ctx) {
		if err != nil {
			failures = append(failures, err)
			continue
		}
		pages++
		if pages == 2 {
			cancel(cause)
		}
	}
	require.Len(t, failures, 1)
	require.ErrorIs(t, failures[0], context.Canceled)
	require.ErrorIs(t, failures[0], cause)
	assert.Equal(t, 2, pages)
	assert.Equal(t, 2, s.Requests())
	got, err := invitationsOf(s.Client(t)).Collect(ctx)
	require.ErrorIs(t, err, context.Canceled)
	assert.Empty(t, got)
	assert.Equal(t, 2, s.Requests())
}

// Each page's response is captured before the page is yielded.
func TestPagerCapturesRawResponses(t *testing.T) {
	s := newListServer("page", 20)
	var raw hiring.Response
	n := 0
	for _, err := range invitationsOf(s.Client(t)).Size(10).Pages(hiring.WithResponse(t.Context(), &raw)) {
		require.NoError(t, err)
		n++
		assert.Equal(t, fmt.Sprintf("item-%d", 10*n-9), firstID(t, raw.Body))
	}
	assert.Equal(t, 2, n)
}

func TestPagerWarnsOncePerIterationOfUnexpectedSizes(t *testing.T) {
	for _, c := range []struct {
		name   string
		list   func(*hiring.Client) intPager
		style  string
		size   int
		served int // Items a page.
		want   string
	}{
		{"smaller", invitationsOf, "page", 30, 20, "requested pages of 30 items but received 20: Dialect.PageSizeParam may be wrong"},
		{"smaller, by cursor", submissionsOf, "cursor", 30, 20, "requested pages of 30 items but received 20: Dialect.PageSizeParam may be wrong"},
		{"larger", submissionsOf, "cursor", 10, 20, "requested pages of 10 items but received 20: Dialect.PageSizeParam may be wrong"},
		{"larger than one", submissionsOf, "cursor", 1, 2, "requested pages of 1 items but received 2: Dialect.PageSizeParam may be wrong"},
		{"of a log", eventsOf, "seq", 30, 20, "requested pages of 30 items but received 20: Dialect.EventPageSizeParam may be wrong"},
		{"as asked", invitationsOf, "page", 20, 20, ""},
		{"as asked, by cursor", submissionsOf, "cursor", 20, 20, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newListServer(c.style, 70)
			s.Spoil = served(c.style, c.served)
			var warnings []string
			client := s.Client(t, hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
				if e.Warning != "" {
					warnings = append(warnings, e.Warning)
				}
			}))
			for range 2 { // Each iteration warns.
				warnings = nil
				got, err := c.list(client).Size(c.size).Collect(t.Context())
				require.NoError(t, err)
				assert.Equal(t, numbersTo(70), got)
				if c.want == "" {
					assert.Empty(t, warnings)
				} else {
					assert.Equal(t, []string{c.want}, warnings)
				}
			}
		})
	}
}

func TestPagerDoesNotWarnOfShortLists(t *testing.T) {
	for _, list := range append(listCases, listCase{Name: "members", Style: "plain", Largest: 0, Open: membersOf}) {
		for _, n := range []int{0, 1, 101} {
			s := newListServer(list.Style, n)
			client := s.Client(t, hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
				assert.Empty(t, e.Warning, list.Name)
			}))
			_, err := list.Open(client).Collect(t.Context())
			require.NoError(t, err)
		}
	}
}

// served responds with pages of its own size.
func served(style string, size int) func(int, url.Values, *listPage) {
	return func(_ int, q url.Values, p *listPage) {
		own := newListServer(style, 70)
		q.Set("page_size", strconv.Itoa(size))
		*p, _ = own.Page(q)
	}
}

func firstID(t *testing.T, body []byte) string {
	t.Helper()
	var reply struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	require.NoError(t, json.Unmarshal(body, &reply))
	require.NotEmpty(t, reply.Data)
	return reply.Data[0].ID
}

func TestPagerFromPage(t *testing.T) {
	for name, c := range map[string]struct {
		style string
		open  func(*hiring.Client) intPager
		from  func(intPager) intPager
		want  []int    // The first and the last item; nil: none.
		pages []string // Of the requests.
		err   string
	}{
		"a page":                {"page", invitationsOf, func(p intPager) intPager { return p.At(7).Size(10) }, []int{61, 95}, []string{"7", "8", "9", "10"}, ""},
		"the first":             {"page", invitationsOf, func(p intPager) intPager { return p.At(1) }, []int{1, 95}, []string{""}, ""},
		"after the end":         {"page", invitationsOf, func(p intPager) intPager { return p.At(2) }, nil, []string{"2"}, ""},
		"after From":            {"page", invitationsOf, func(p intPager) intPager { return p.Size(90).From(listToken(t)).At(2) }, []int{91, 95}, []string{"2"}, ""},
		"before From":           {"page", invitationsOf, func(p intPager) intPager { return p.At(2).From(listToken(t)) }, []int{51, 95}, []string{"2"}, ""},
		"0":                     {"page", invitationsOf, func(p intPager) intPager { return p.At(0) }, nil, nil, "FromPage: must be 1 or more"},
		"by meta":               {"page", challengesOf, func(p intPager) intPager { return p.At(2).Size(60) }, []int{61, 95}, []string{"2"}, ""},
		"the first, by meta":    {"page", challengesOf, func(p intPager) intPager { return p.At(1) }, []int{1, 95}, []string{"1"}, ""},
		"by meta, with cursors": {"cursor", challengesOf, func(p intPager) intPager { return p.At(2) }, nil, []string{"2"}, "Dialect.PageParam is probably wrong"},
		"by cursor":             {"cursor", submissionsOf, func(p intPager) intPager { return p.At(2) }, nil, nil, "FromPage: this list has no page numbers"},
		"by seq":                {"seq", eventsOf, func(p intPager) intPager { return p.At(2) }, nil, nil, "FromPage: this list has no page numbers"},
		"members":               {"plain", membersOf, func(p intPager) intPager { return p.At(2) }, nil, nil, "FromPage: this list has no page numbers"},
	} {
		s := newListServer(c.style, 95)
		items, err := c.from(c.open(s.Client(t))).Collect(t.Context())
		var pages []string
		for _, q := range s.Queries {
			pages = append(pages, q.Get("page"))
		}
		assert.Equal(t, c.pages, pages, name)
		if c.err != "" {
			require.ErrorContains(t, err, c.err, name)
			continue
		}
		require.NoError(t, err, name)
		if c.want == nil {
			assert.Empty(t, items, name)
			continue
		}
		assert.Equal(t, c.want, []int{items[0], items[len(items)-1]}, name)
	}
}

// listToken returns the token of page 2 of a list in pages of 50, read from another server.
func listToken(t *testing.T) string {
	t.Helper()
	page, err := invitationsOf(newListServer("page", 95).Client(t)).Size(50).Page(t.Context())
	require.NoError(t, err)
	return page.Next
}

// The error of an item that cannot be decoded names its id and its page, and no other value of it.
func TestAnItemThatCannotBeDecodedIsNamed(t *testing.T) {
	for _, c := range []struct {
		style string
		item  string
		open  func(*hiring.Client) intPager
		want  string
	}{
		{"page", `{"id":"in_7","candidate_email":7}`, invitationsOf, `/data/1/candidate_email has a number that does not fit the Go type string at byte \d+, in item "in_7" on page 2`},
		{"cursor", `{"id":"sub_7","report":{"ship_score":"high"}}`, submissionsOf, `/data/1/report/ship_score has a string that does not fit the Go type int at byte \d+, in item "sub_7" on page 2`},
		{"seq", `{"seq":7,"kind":{}}`, eventsOf, `/data/1/kind has an object that does not fit the Go type hiring.EventKind at byte \d+, in item 7 on page 2`},
		{"cursor", `{"id":{"email":"ada"},"status":7}`, submissionsOf, `/data/1/id has an object that does not fit the Go type string at byte \d+, in item without an id on page 2`},
		{"cursor", `"ada"`, submissionsOf, `/data/1 has a string that does not fit the Go type struct at byte \d+, in item without an id on page 2`},
	} {
		server := newListServer(c.style, 3)
		client := server.Client(t, hiring.WithHTTPClient(&http.Client{Transport: apitest.RoundTripper(func(r *http.Request) (*http.Response, error) {
			resp, err := server.RoundTrip(r)
			if server.Requests() >= 2 {
				return newListResponse(r, 200, `{"data":[{"id":"a","seq":3},`+c.item+`],"meta":{"request_id":"r"}}`), nil
			}
			return resp, err
		})}))
		_, err := c.open(client).Size(2).Collect(t.Context())
		require.Regexp(t, "200 the response cannot be decoded: "+c.want, err)
		if c.style == "page" {
			_, err := client.Invitations.List("a").FromPage(2).Page(t.Context())
			require.Regexp(t, c.want, err, "FromPage")
		}
		assert.NotContains(t, err.Error(), "ada")
		assert.False(t, hiring.IsTransient(err))
	}
}
