package hiring_test

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

// shelf is a server of one list. Its items are numbers, its JSON is written by
// hand, and it pages as the service's documentation says or as a test spoils it.
type shelf struct {
	style   string                                   // "page", "cursor", "seq" or "plain".
	largest int                                      // Page size; larger ones are a 400.
	before  func(n int)                              // Called with the lock held, before request n is answered.
	spoil   func(n int, q url.Values, p *shelfPage)  // May change the answer of request n.
	instead func(n int, r *http.Request) (int, bool) // A status to answer with instead; may block.

	mu      sync.Mutex
	items   []int
	queries []url.Values
}

type shelfPage struct {
	items []int
	meta  map[string]any
}

func newShelf(style string, n int) *shelf {
	s := &shelf{style: style, largest: 100}
	if style == "seq" {
		s.largest = 500
	}
	for i := range n {
		s.items = append(s.items, i+1)
	}
	return s
}

func (s *shelf) client(t testing.TB, opts ...hiring.Option) *hiring.Client {
	t.Helper()
	opts = append([]hiring.Option{
		hiring.WithHTTPClient(&http.Client{Transport: s}),
		hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}),
	}, opts...)
	client, err := hiring.New("https://shelf.test", "sk_test_shelf", opts...)
	require.NoError(t, err)
	return client
}

func (s *shelf) requests() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.queries)
}

func (s *shelf) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.queries = nil
}

func (s *shelf) RoundTrip(r *http.Request) (*http.Response, error) {
	q := r.URL.Query()
	s.mu.Lock()
	s.queries = append(s.queries, q)
	n := len(s.queries)
	s.mu.Unlock()
	if s.instead != nil {
		if status, ok := s.instead(n, r); ok {
			if err := r.Context().Err(); err != nil {
				return nil, err
			}
			return shelfReply(r, status, fmt.Sprintf(`{"error":{"code":"CODE_%d","message":"no","request_id":"req_%d"}}`, status, n)), nil
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.before != nil {
		s.before(n)
	}
	page, problem := s.page(q)
	if problem != "" {
		return shelfReply(r, 400, `{"error":{"code":"INVALID_INPUT","message":"`+problem+`"}}`), nil
	}
	if s.spoil != nil {
		s.spoil(n, q, &page)
	}
	page.meta["request_id"] = fmt.Sprintf("req_%d", n)
	return shelfReply(r, 200, page.json()), nil
}

func (p shelfPage) json() string {
	texts := make([]string, len(p.items))
	for i, item := range p.items {
		texts[i] = fmt.Sprintf(`{"id":"item-%d","seq":%d}`, item, item)
		if item < 0 {
			texts[i] = `{}`
		}
	}
	meta, err := json.Marshal(p.meta)
	if err != nil {
		panic(err)
	}
	return `{"data":[` + strings.Join(texts, ",") + `],"meta":` + string(meta) + `}`
}

func shelfReply(r *http.Request, status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}},
		Body:   io.NopCloser(bytes.NewReader([]byte(body))), ContentLength: int64(len(body)), Request: r,
	}
}

func (s *shelf) page(q url.Values) (p shelfPage, problem string) {
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
			if from = slices.Index(s.items, after) + 1; (err != nil || from == 0) && s.spoil == nil {
				return p, "no such cursor"
			}
		}
	case "seq":
		if q.Has("since_seq") {
			since, err := strconv.Atoi(q.Get("since_seq"))
			if err != nil || since < 0 {
				return p, "no such seq"
			}
			for from < len(s.items) && s.items[from] <= since {
				from++
			}
		}
	}
	from = min(from, len(s.items))
	to := min(from+size, len(s.items))
	p = shelfPage{items: slices.Clone(s.items[from:to]), meta: map[string]any{}}
	more := to < len(s.items)
	switch s.style {
	case "page":
		p.meta["page"], p.meta["page_size"], p.meta["total"], p.meta["has_more"] = number, size, len(s.items), more
	case "cursor":
		p.meta["has_more"], p.meta["next_cursor"] = more, nil
		if more {
			p.meta["next_cursor"] = fmt.Sprintf("after:%d", s.items[to-1])
		}
	case "seq":
		p.meta["has_more"], p.meta["next_cursor"] = more, nil
		if more {
			p.meta["next_cursor"] = strconv.Itoa(s.items[to-1])
		}
	}
	return p, ""
}

func (s *shelf) size(q url.Values) (int, string) {
	if s.style == "plain" {
		return len(s.items), ""
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

// anyPager is a Pager whatever its items, which it gives as numbers.
type anyPager struct {
	size     func(int) anyPager
	from     func(string) anyPager
	prefetch func(int) anyPager
	all      func(context.Context) iter.Seq2[int, error]
	pages    func(context.Context) iter.Seq2[anyPage, error]
	page     func(context.Context) (anyPage, error)
	collect  func(context.Context) ([]int, error)
}

type anyPage struct {
	items []int
	meta  hiring.Meta
	next  string
}

func anyOf[T any](p hiring.Pager[T], number func(T) int) anyPager {
	page := func(p hiring.Page[T]) anyPage { return anyPage{numbers(p.Items, number), p.Meta, p.Next} }
	return anyPager{
		size:     func(n int) anyPager { return anyOf(p.PageSize(n), number) },
		from:     func(token string) anyPager { return anyOf(p.From(token), number) },
		prefetch: func(n int) anyPager { return anyOf(p.Prefetch(n), number) },
		all: func(ctx context.Context) iter.Seq2[int, error] {
			items := p.All(ctx)
			return func(yield func(int, error) bool) {
				items(func(item T, err error) bool { return yield(number(item), err) })
			}
		},
		pages: func(ctx context.Context) iter.Seq2[anyPage, error] {
			pages := p.Pages(ctx)
			return func(yield func(anyPage, error) bool) {
				pages(func(p hiring.Page[T], err error) bool { return yield(page(p), err) })
			}
		},
		page: func(ctx context.Context) (anyPage, error) {
			got, err := p.Page(ctx)
			return page(got), err
		},
		collect: func(ctx context.Context) ([]int, error) {
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

func numberOf(id string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(id, "item-"))
	if err != nil {
		return -1
	}
	return n
}

const shelfID = "5b000000-0000-4000-8000-000000000001"

// shelfList is a list of the client and the way in which its server pages it.
type shelfList struct {
	name, style string
	largest     int
	open        func(*hiring.Client) anyPager
}

func invitationsOf(c *hiring.Client) anyPager {
	return anyOf(c.Invitations.List(shelfID), func(i hiring.Invitation) int { return numberOf(i.ID) })
}

func submissionsOf(c *hiring.Client) anyPager {
	filter := hiring.SubmissionFilter{Status: hiring.SubmissionEvaluated}
	return anyOf(c.Submissions.List(filter), func(s hiring.Submission) int { return numberOf(s.ID) })
}

func eventsOf(c *hiring.Client) anyPager {
	return anyOf(c.Events.List(shelfID, hiring.EventFilter{}), func(e hiring.Event) int { return int(e.Seq) })
}

func challengesOf(c *hiring.Client) anyPager {
	return anyOf(c.Challenges.List(), func(c hiring.Challenge) int { return numberOf(c.ID) })
}

func assessmentsOf(c *hiring.Client) anyPager {
	return anyOf(c.Assessments.List(), func(a hiring.Assessment) int { return numberOf(a.ID) })
}

func membersOf(c *hiring.Client) anyPager {
	return anyOf(c.Members.List(), func(m hiring.Member) int { return numberOf(m.ID) })
}

// The style of challenges and assessments is not documented: the client has to
// find out.
var shelfLists = []shelfList{
	{"invitations", "page", 100, invitationsOf},
	{"submissions", "cursor", 100, submissionsOf},
	{"events", "seq", 500, eventsOf},
	{"challenges by page", "page", 100, challengesOf},
	{"assessments by page", "page", 100, assessmentsOf},
	{"challenges by cursor", "cursor", 100, challengesOf},
	{"assessments by cursor", "cursor", 100, assessmentsOf},
}

func upTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i + 1
	}
	return all
}

// served answers with pages of a size of its own.
func served(style string, size int, saysSo bool) func(int, url.Values, *shelfPage) {
	return func(_ int, q url.Values, p *shelfPage) {
		own := newShelf(style, 70)
		q.Set("page_size", strconv.Itoa(size))
		*p, _ = own.page(q)
		if !saysSo {
			delete(p.meta, "page_size")
		}
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

// spoilingClient answers request n with a 400 of that body, unless it is empty.
func spoilingClient(s *shelf, body func(n int) string) *http.Client {
	return &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		resp, err := s.RoundTrip(r)
		if text := body(s.requests()); text != "" {
			return shelfReply(r, http.StatusBadRequest, text), nil
		}
		return resp, err
	})}
}
