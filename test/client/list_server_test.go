package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
)

// listServer is a server of one list of numbered items. It pages as the API's
// documentation says, unless a test changes a page with Spoil or Instead.
type listServer struct {
	style   string                                   // "page", "cursor", "seq" or "plain".
	largest int                                      // Page size; larger ones are a 400.
	Before  func(n int)                              // Called before the response to request n, with the lock held.
	Spoil   func(n int, q url.Values, p *listPage)   // May change the page of request n.
	Instead func(n int, r *http.Request) (int, bool) // Returns a status to respond with instead of a page; may block.

	mu      sync.Mutex
	Items   []int
	Queries []url.Values
}

// listPage is a page before it is encoded.
type listPage struct {
	Items []int
	Meta  map[string]any
}

// newListServer returns a server of n items. The style is "page", "cursor", "seq" or "plain".
func newListServer(style string, n int) *listServer {
	s := &listServer{style: style, largest: 100}
	if style == "seq" {
		s.largest = 500
	}
	for i := range n {
		s.Items = append(s.Items, i+1)
	}
	return s
}

// Client returns a client whose transport is the server, without retries.
func (s *listServer) Client(t testing.TB, opts ...hiring.Option) *hiring.Client {
	t.Helper()
	opts = append([]hiring.Option{
		hiring.WithHTTPClient(&http.Client{Transport: s}),
		hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}),
	}, opts...)
	client, err := hiring.New("https://shelf.test", "sk_test_shelf", opts...)
	require.NoError(t, err)
	return client
}

// Requests returns the number of requests so far.
func (s *listServer) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.Queries)
}

// Forget forgets the requests so far.
func (s *listServer) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Queries = nil
}

// RoundTrip responds with the page that the query asks for.
func (s *listServer) RoundTrip(r *http.Request) (*http.Response, error) {
	q := r.URL.Query()
	s.mu.Lock()
	s.Queries = append(s.Queries, q)
	n := len(s.Queries)
	s.mu.Unlock()
	if n > 2000 {
		return nil, errors.New("the iteration does not end")
	}
	if s.Instead != nil {
		if status, ok := s.Instead(n, r); ok {
			if err := r.Context().Err(); err != nil {
				return nil, err
			}
			return newListResponse(r, status, fmt.Sprintf(`{"error":{"code":"CODE_%d","message":"no","request_id":"req_%d"}}`, status, n)), nil
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Before != nil {
		s.Before(n)
	}
	page, problem := s.Page(q)
	if problem != "" {
		return newListResponse(r, 400, `{"error":{"code":"INVALID_INPUT","message":"`+problem+`"}}`), nil
	}
	if s.Spoil != nil {
		s.Spoil(n, q, &page)
	}
	id := fmt.Sprintf("req_%d", n)
	page.Meta["request_id"] = id
	resp := newListResponse(r, 200, page.encode())
	resp.Header.Set("X-Request-Id", id)
	return resp, nil
}

func (p listPage) encode() string {
	texts := make([]string, len(p.Items))
	for i, item := range p.Items {
		texts[i] = fmt.Sprintf(`{"id":"item-%d","seq":%d}`, item, item)
		if item < 0 {
			texts[i] = `{}`
		}
	}
	meta, err := json.Marshal(p.Meta)
	if err != nil {
		panic(err)
	}
	return `{"data":[` + strings.Join(texts, ",") + `],"meta":` + string(meta) + `}`
}

// newListResponse returns a JSON response.
func newListResponse(r *http.Request, status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   io.NopCloser(bytes.NewReader([]byte(body))), ContentLength: int64(len(body)), Request: r,
	}
}

// Page returns the documented page of a query, or the problem of the query.
func (s *listServer) Page(q url.Values) (p listPage, problem string) {
	size, problem := s.size(q)
	if problem != "" {
		return p, problem
	}
	from, number := 0, 1
	switch s.style {
	case "page":
		if q.Has("page") {
			number, _ = strconv.Atoi(q.Get("page"))
		}
		from = (number - 1) * size
	case "cursor":
		if q.Has("cursor") {
			after, err := strconv.Atoi(strings.TrimPrefix(q.Get("cursor"), "after:"))
			from = slices.Index(s.Items, after) + 1
			if (err != nil || from == 0) && s.Spoil == nil {
				return p, "no such cursor"
			}
		}
	case "seq":
		if q.Has("since_seq") {
			since, err := strconv.Atoi(q.Get("since_seq"))
			if err != nil || since < 0 {
				return p, "no such seq"
			}
			for from < len(s.Items) && s.Items[from] <= since {
				from++
			}
		}
	}
	from = min(from, len(s.Items))
	to := min(from+size, len(s.Items))
	p = listPage{Items: slices.Clone(s.Items[from:to]), Meta: map[string]any{}}
	more := to < len(s.Items)
	switch s.style {
	case "page":
		p.Meta["page"], p.Meta["page_size"], p.Meta["total"], p.Meta["has_more"] = number, size, len(s.Items), more
	case "cursor":
		p.Meta["has_more"], p.Meta["next_cursor"] = more, nil
		if more {
			p.Meta["next_cursor"] = fmt.Sprintf("after:%d", s.Items[to-1])
		}
	case "seq":
		p.Meta["has_more"], p.Meta["next_cursor"] = more, nil
		if more {
			p.Meta["next_cursor"] = strconv.Itoa(s.Items[to-1])
		}
	}
	return p, ""
}

func (s *listServer) size(q url.Values) (int, string) {
	if s.style == "plain" {
		return len(s.Items), ""
	}
	if !q.Has("page_size") {
		return 20, ""
	}
	size, err := strconv.Atoi(q.Get("page_size"))
	if err != nil || size < 1 || size > s.largest {
		return 0, "no such size"
	}
	return size, ""
}

// intPager is a Pager of any item type. It returns the numbers of the items.
type intPager struct {
	Size    func(int) intPager
	From    func(string) intPager
	At      func(int) intPager
	All     func(context.Context) iter.Seq2[int, error]
	Pages   func(context.Context) iter.Seq2[intPage, error]
	Page    func(context.Context) (intPage, error)
	Collect func(context.Context) ([]int, error)
}

// intPage is a page of numbers.
type intPage struct {
	Items []int
	Meta  hiring.Meta
	Next  string
}

// intPagerOf returns p with items replaced by their numbers.
func intPagerOf[T any](p hiring.Pager[T], number func(T) int) intPager {
	page := func(p hiring.Page[T]) intPage { return intPage{numbers(p.Items, number), p.Meta, p.Next} }
	return intPager{
		Size: func(n int) intPager { return intPagerOf(p.PageSize(n), number) },
		From: func(token string) intPager { return intPagerOf(p.From(token), number) },
		At:   func(page int) intPager { return intPagerOf(p.FromPage(page), number) },
		All: func(ctx context.Context) iter.Seq2[int, error] {
			items := p.All(ctx)
			return func(yield func(int, error) bool) {
				items(func(item T, err error) bool { return yield(number(item), err) })
			}
		},
		Pages: func(ctx context.Context) iter.Seq2[intPage, error] {
			pages := p.Pages(ctx)
			return func(yield func(intPage, error) bool) {
				pages(func(p hiring.Page[T], err error) bool { return yield(page(p), err) })
			}
		},
		Page: func(ctx context.Context) (intPage, error) {
			got, err := p.Page(ctx)
			return page(got), err
		},
		Collect: func(ctx context.Context) ([]int, error) {
			items, err := p.Collect(ctx)
			return numbers(items, number), err
		},
	}
}

func numbers[T any](items []T, number func(T) int) []int {
	all := make([]int, len(items))
	for i, item := range items {
		all[i] = number(item)
	}
	return all
}

// numberOf returns the number in an item id, or -1.
func numberOf(id string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(id, "item-"))
	if err != nil {
		return -1
	}
	return n
}

// parentID is the id of the assessment or submission that the list belongs to.
const parentID = "5b000000-0000-4000-8000-000000000001"

// listCase is a list of the client and how its server pages the list.
type listCase struct {
	Name, Style string
	Largest     int
	Open        func(*hiring.Client) intPager
}

// invitationsOf lists invitations by number.
func invitationsOf(c *hiring.Client) intPager {
	return intPagerOf(c.Invitations.List(parentID), func(i hiring.Invitation) int { return numberOf(i.ID) })
}

// submissionsOf lists evaluated submissions by number.
func submissionsOf(c *hiring.Client) intPager {
	filter := hiring.SubmissionFilter{Status: hiring.SubmissionEvaluated}
	return intPagerOf(c.Submissions.List(filter), func(s hiring.Submission) int { return numberOf(s.ID) })
}

// eventsOf lists events by number.
func eventsOf(c *hiring.Client) intPager {
	return intPagerOf(c.Events.List(parentID, hiring.EventFilter{}), func(e hiring.Event) int { return int(e.Seq) })
}

// challengesOf lists challenges by number.
func challengesOf(c *hiring.Client) intPager {
	return intPagerOf(c.Challenges.List(), func(c hiring.Challenge) int { return numberOf(c.ID) })
}

// assessmentsOf lists assessments by number.
func assessmentsOf(c *hiring.Client) intPager {
	return intPagerOf(c.Assessments.List(), func(a hiring.Assessment) int { return numberOf(a.ID) })
}

// membersOf lists members by number.
func membersOf(c *hiring.Client) intPager {
	return intPagerOf(c.Members.List(), func(m hiring.Member) int { return numberOf(m.ID) })
}

// listCases are the paged lists. The API's documentation does not show how challenges and assessments are
// paged: the client accepts both ways.
var listCases = []listCase{
	{"invitations", "page", 100, invitationsOf},
	{"submissions", "cursor", 100, submissionsOf},
	{"events", "seq", 500, eventsOf},
	{"challenges by page", "page", 100, challengesOf},
	{"assessments by page", "page", 100, assessmentsOf},
	{"challenges by cursor", "cursor", 100, challengesOf},
	{"assessments by cursor", "cursor", 100, assessmentsOf},
}

// numbersTo returns the numbers 1 to n.
func numbersTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i + 1
	}
	return all
}
