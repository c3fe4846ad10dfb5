package apitest

import (
	"bytes"
	"context"
	"encoding/json"
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

// Shelf is a server of one list. Its items are numbers, its JSON is written by
// hand, and it pages as the service's documentation says or as a test spoils it.
type Shelf struct {
	style   string                                   // "page", "cursor", "seq" or "plain".
	largest int                                      // Page size; larger ones are a 400.
	Before  func(n int)                              // Called with the lock held, before request n is answered.
	Spoil   func(n int, q url.Values, p *ShelfPage)  // May change the answer of request n.
	Instead func(n int, r *http.Request) (int, bool) // A status to answer with instead; may block.

	mu      sync.Mutex
	Items   []int
	Queries []url.Values
}

type ShelfPage struct {
	Items []int
	Meta  map[string]any
}

func NewShelf(style string, n int) *Shelf {
	s := &Shelf{style: style, largest: 100}
	if style == "seq" {
		s.largest = 500
	}
	for i := range n {
		s.Items = append(s.Items, i+1)
	}
	return s
}

func (s *Shelf) Client(t testing.TB, opts ...hiring.Option) *hiring.Client {
	t.Helper()
	opts = append([]hiring.Option{
		hiring.WithHTTPClient(&http.Client{Transport: s}),
		hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}),
	}, opts...)
	client, err := hiring.New("https://shelf.test", "sk_test_shelf", opts...)
	require.NoError(t, err)
	return client
}

func (s *Shelf) Requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.Queries)
}

func (s *Shelf) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Queries = nil
}

func (s *Shelf) RoundTrip(r *http.Request) (*http.Response, error) {
	q := r.URL.Query()
	s.mu.Lock()
	s.Queries = append(s.Queries, q)
	n := len(s.Queries)
	s.mu.Unlock()
	if s.Instead != nil {
		if status, ok := s.Instead(n, r); ok {
			if err := r.Context().Err(); err != nil {
				return nil, err
			}
			return ShelfReply(r, status, fmt.Sprintf(`{"error":{"code":"CODE_%d","message":"no","request_id":"req_%d"}}`, status, n)), nil
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Before != nil {
		s.Before(n)
	}
	page, problem := s.Page(q)
	if problem != "" {
		return ShelfReply(r, 400, `{"error":{"code":"INVALID_INPUT","message":"`+problem+`"}}`), nil
	}
	if s.Spoil != nil {
		s.Spoil(n, q, &page)
	}
	page.Meta["request_id"] = fmt.Sprintf("req_%d", n)
	return ShelfReply(r, 200, page.json()), nil
}

func (p ShelfPage) json() string {
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

func ShelfReply(r *http.Request, status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   io.NopCloser(bytes.NewReader([]byte(body))), ContentLength: int64(len(body)), Request: r,
	}
}

func (s *Shelf) Page(q url.Values) (p ShelfPage, problem string) {
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
			if from = slices.Index(s.Items, after) + 1; (err != nil || from == 0) && s.Spoil == nil {
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
	p = ShelfPage{Items: slices.Clone(s.Items[from:to]), Meta: map[string]any{}}
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

func (s *Shelf) size(q url.Values) (int, string) {
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

// AnyPager is a Pager whatever its items, which it gives as numbers.
type AnyPager struct {
	Size     func(int) AnyPager
	From     func(string) AnyPager
	Prefetch func(int) AnyPager
	All      func(context.Context) iter.Seq2[int, error]
	Pages    func(context.Context) iter.Seq2[anyPage, error]
	Page     func(context.Context) (anyPage, error)
	Collect  func(context.Context) ([]int, error)
}

type anyPage struct {
	Items []int
	Meta  hiring.Meta
	Next  string
}

func AnyOf[T any](p hiring.Pager[T], number func(T) int) AnyPager {
	page := func(p hiring.Page[T]) anyPage { return anyPage{numbers(p.Items, number), p.Meta, p.Next} }
	return AnyPager{
		Size:     func(n int) AnyPager { return AnyOf(p.PageSize(n), number) },
		From:     func(token string) AnyPager { return AnyOf(p.From(token), number) },
		Prefetch: func(n int) AnyPager { return AnyOf(p.Prefetch(n), number) },
		All: func(ctx context.Context) iter.Seq2[int, error] {
			items := p.All(ctx)
			return func(yield func(int, error) bool) {
				items(func(item T, err error) bool { return yield(number(item), err) })
			}
		},
		Pages: func(ctx context.Context) iter.Seq2[anyPage, error] {
			pages := p.Pages(ctx)
			return func(yield func(anyPage, error) bool) {
				pages(func(p hiring.Page[T], err error) bool { return yield(page(p), err) })
			}
		},
		Page: func(ctx context.Context) (anyPage, error) {
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

func NumberOf(id string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(id, "item-"))
	if err != nil {
		return -1
	}
	return n
}

const ShelfID = "5b000000-0000-4000-8000-000000000001"

// ShelfList is a list of the client and the way in which its server pages it.
type ShelfList struct {
	Name, Style string
	Largest     int
	Open        func(*hiring.Client) AnyPager
}

func InvitationsOf(c *hiring.Client) AnyPager {
	return AnyOf(c.Invitations.List(ShelfID), func(i hiring.Invitation) int { return NumberOf(i.ID) })
}

func SubmissionsOf(c *hiring.Client) AnyPager {
	filter := hiring.SubmissionFilter{Status: hiring.SubmissionEvaluated}
	return AnyOf(c.Submissions.List(filter), func(s hiring.Submission) int { return NumberOf(s.ID) })
}

func EventsOf(c *hiring.Client) AnyPager {
	return AnyOf(c.Events.List(ShelfID, hiring.EventFilter{}), func(e hiring.Event) int { return int(e.Seq) })
}

func ChallengesOf(c *hiring.Client) AnyPager {
	return AnyOf(c.Challenges.List(), func(c hiring.Challenge) int { return NumberOf(c.ID) })
}

func AssessmentsOf(c *hiring.Client) AnyPager {
	return AnyOf(c.Assessments.List(), func(a hiring.Assessment) int { return NumberOf(a.ID) })
}

func MembersOf(c *hiring.Client) AnyPager {
	return AnyOf(c.Members.List(), func(m hiring.Member) int { return NumberOf(m.ID) })
}

// The style of challenges and assessments is not documented: the client has to
// find out.
var ShelfLists = []ShelfList{
	{"invitations", "page", 100, InvitationsOf},
	{"submissions", "cursor", 100, SubmissionsOf},
	{"events", "seq", 500, EventsOf},
	{"challenges by page", "page", 100, ChallengesOf},
	{"assessments by page", "page", 100, AssessmentsOf},
	{"challenges by cursor", "cursor", 100, ChallengesOf},
	{"assessments by cursor", "cursor", 100, AssessmentsOf},
}

func UpTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i + 1
	}
	return all
}
