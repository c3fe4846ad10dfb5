package apitest

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

// ListServer is a server of one list of numbered items. It pages as the API's
// documentation says, unless a test changes a page with Spoil or Instead.
type ListServer struct {
	style   string                                   // "page", "cursor", "seq" or "plain".
	largest int                                      // Page size; larger ones are a 400.
	Before  func(n int)                              // Called before the response to request n, with the lock held.
	Spoil   func(n int, q url.Values, p *ListPage)   // May change the page of request n.
	Instead func(n int, r *http.Request) (int, bool) // Returns a status to respond with instead of a page; may block.

	mu      sync.Mutex
	Items   []int
	Queries []url.Values
}

// ListPage is a page before it is encoded.
type ListPage struct {
	Items []int
	Meta  map[string]any
}

// NewListServer returns a server of n items. The style is "page", "cursor", "seq" or "plain".
func NewListServer(style string, n int) *ListServer {
	s := &ListServer{style: style, largest: 100}
	if style == "seq" {
		s.largest = 500
	}
	for i := range n {
		s.Items = append(s.Items, i+1)
	}
	return s
}

// Client returns a client whose transport is the server, without retries.
func (s *ListServer) Client(t testing.TB, opts ...hiring.Option) *hiring.Client {
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
func (s *ListServer) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.Queries)
}

// Forget forgets the requests so far.
func (s *ListServer) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Queries = nil
}

// RoundTrip responds with the page that the query asks for.
func (s *ListServer) RoundTrip(r *http.Request) (*http.Response, error) {
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
			return NewListResponse(r, status, fmt.Sprintf(`{"error":{"code":"CODE_%d","message":"no","request_id":"req_%d"}}`, status, n)), nil
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Before != nil {
		s.Before(n)
	}
	page, problem := s.Page(q)
	if problem != "" {
		return NewListResponse(r, 400, `{"error":{"code":"INVALID_INPUT","message":"`+problem+`"}}`), nil
	}
	if s.Spoil != nil {
		s.Spoil(n, q, &page)
	}
	id := fmt.Sprintf("req_%d", n)
	page.Meta["request_id"] = id
	resp := NewListResponse(r, 200, page.encode())
	resp.Header.Set("X-Request-Id", id)
	return resp, nil
}

func (p ListPage) encode() string {
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

// NewListResponse returns a JSON response.
func NewListResponse(r *http.Request, status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   io.NopCloser(bytes.NewReader([]byte(body))), ContentLength: int64(len(body)), Request: r,
	}
}

// Page returns the documented page of a query, or the problem of the query.
func (s *ListServer) Page(q url.Values) (p ListPage, problem string) {
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
	p = ListPage{Items: slices.Clone(s.Items[from:to]), Meta: map[string]any{}}
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

func (s *ListServer) size(q url.Values) (int, string) {
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

// IntPager is a Pager of any item type. It returns the numbers of the items.
type IntPager struct {
	Size    func(int) IntPager
	From    func(string) IntPager
	All     func(context.Context) iter.Seq2[int, error]
	Pages   func(context.Context) iter.Seq2[IntPage, error]
	Page    func(context.Context) (IntPage, error)
	Collect func(context.Context) ([]int, error)
}

// IntPage is a page of numbers.
type IntPage struct {
	Items []int
	Meta  hiring.Meta
	Next  string
}

// IntPagerOf returns p with items replaced by their numbers.
func IntPagerOf[T any](p hiring.Pager[T], number func(T) int) IntPager {
	page := func(p hiring.Page[T]) IntPage { return IntPage{numbers(p.Items, number), p.Meta, p.Next} }
	return IntPager{
		Size: func(n int) IntPager { return IntPagerOf(p.PageSize(n), number) },
		From: func(token string) IntPager { return IntPagerOf(p.From(token), number) },
		All: func(ctx context.Context) iter.Seq2[int, error] {
			items := p.All(ctx)
			return func(yield func(int, error) bool) {
				items(func(item T, err error) bool { return yield(number(item), err) })
			}
		},
		Pages: func(ctx context.Context) iter.Seq2[IntPage, error] {
			pages := p.Pages(ctx)
			return func(yield func(IntPage, error) bool) {
				pages(func(p hiring.Page[T], err error) bool { return yield(page(p), err) })
			}
		},
		Page: func(ctx context.Context) (IntPage, error) {
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

// NumberOf returns the number in an item id, or -1.
func NumberOf(id string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(id, "item-"))
	if err != nil {
		return -1
	}
	return n
}

// ParentID is the id of the assessment or submission that the list belongs to.
const ParentID = "5b000000-0000-4000-8000-000000000001"

// ListCase is a list of the client and how its server pages the list.
type ListCase struct {
	Name, Style string
	Largest     int
	Open        func(*hiring.Client) IntPager
}

// InvitationsOf lists invitations by number.
func InvitationsOf(c *hiring.Client) IntPager {
	return IntPagerOf(c.Invitations.List(ParentID), func(i hiring.Invitation) int { return NumberOf(i.ID) })
}

// SubmissionsOf lists evaluated submissions by number.
func SubmissionsOf(c *hiring.Client) IntPager {
	filter := hiring.SubmissionFilter{Status: hiring.SubmissionEvaluated}
	return IntPagerOf(c.Submissions.List(filter), func(s hiring.Submission) int { return NumberOf(s.ID) })
}

// EventsOf lists events by number.
func EventsOf(c *hiring.Client) IntPager {
	return IntPagerOf(c.Events.List(ParentID, hiring.EventFilter{}), func(e hiring.Event) int { return int(e.Seq) })
}

// ChallengesOf lists challenges by number.
func ChallengesOf(c *hiring.Client) IntPager {
	return IntPagerOf(c.Challenges.List(), func(c hiring.Challenge) int { return NumberOf(c.ID) })
}

// AssessmentsOf lists assessments by number.
func AssessmentsOf(c *hiring.Client) IntPager {
	return IntPagerOf(c.Assessments.List(), func(a hiring.Assessment) int { return NumberOf(a.ID) })
}

// MembersOf lists members by number.
func MembersOf(c *hiring.Client) IntPager {
	return IntPagerOf(c.Members.List(), func(m hiring.Member) int { return NumberOf(m.ID) })
}

// ListCases are the paged lists. The API's documentation does not show how challenges and assessments are
// paged: the client accepts both ways.
var ListCases = []ListCase{
	{"invitations", "page", 100, InvitationsOf},
	{"submissions", "cursor", 100, SubmissionsOf},
	{"events", "seq", 500, EventsOf},
	{"challenges by page", "page", 100, ChallengesOf},
	{"assessments by page", "page", 100, AssessmentsOf},
	{"challenges by cursor", "cursor", 100, ChallengesOf},
	{"assessments by cursor", "cursor", 100, AssessmentsOf},
}

// NumbersTo returns the numbers 1 to n.
func NumbersTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i + 1
	}
	return all
}
