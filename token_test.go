package hiring_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
)

func TestTokenOfEveryPageLeadsOn(t *testing.T) {
	for _, list := range shelfLists {
		for _, size := range []int{1, 7, 100} {
			n := 30
			if size == 100 {
				n = 250
			}
			t.Run(fmt.Sprintf("%s by %d", list.name, size), func(t *testing.T) {
				s := newShelf(list.style, n)
				pager := list.open(s.client(t)).size(size)
				read := 0
				for page, err := range pager.pages(t.Context()) {
					require.NoError(t, err)
					read += len(page.items)
					if read == n {
						require.Empty(t, page.next)
						continue
					}
					require.NotEmpty(t, page.next)
					requireResumed(t, s, n, read, size, map[string]anyPager{
						"same pager":          pager,
						"pager built anew":    list.open(s.client(t)),
						"another size before": list.open(s.client(t)).size(3),
						"read ahead":          list.open(s.client(t)).prefetch(2),
					}, page.next)
				}
				require.Equal(t, n, read)
			})
		}
	}
}

func requireResumed(t *testing.T, s *shelf, n, read, size int, pagers map[string]anyPager, token string) {
	t.Helper()
	for name, pager := range pagers {
		s.forget()
		got, err := pager.from(token).size(5).collect(t.Context()) // The token's size wins, also over a later one.
		require.NoError(t, err, name)
		require.Equal(t, upTo(n)[read:], got, name)
		require.Equal(t, (n-read+size-1)/size, s.requests(), name)
	}
}

func TestTokenEmptyMeansTheBeginning(t *testing.T) {
	s := newShelf("page", 30)
	list := invitationsOf(s.client(t)).size(10)
	first, err := list.page(t.Context())
	require.NoError(t, err)
	second, err := list.from(first.next).page(t.Context())
	require.NoError(t, err)
	assert.Equal(t, upTo(20)[10:], second.items)
	again, err := list.from(first.next).from("").page(t.Context())
	require.NoError(t, err)
	assert.Equal(t, first.items, again.items)
	// From changes nothing of the pager that it was called on.
	again, err = list.page(t.Context())
	require.NoError(t, err)
	assert.Equal(t, first.items, again.items)
}

// tokens returns the first token of each of these lists.
func tokens(t *testing.T, lists map[string]anyPager) map[string]string {
	t.Helper()
	all := make(map[string]string, len(lists))
	for name, list := range lists {
		page, err := list.page(t.Context())
		require.NoError(t, err, name)
		require.NotEmpty(t, page.next, name)
		all[name] = page.next
	}
	return all
}

func TestTokenOfAnotherListIsRefused(t *testing.T) {
	const otherID = "5b000000-0000-4000-8000-000000000002"
	number := func(s hiring.Submission) int { return numberOf(s.ID) }
	lists := func(t *testing.T) (map[string]anyPager, []*shelf) {
		pages, cursors, seqs := newShelf("page", 101), newShelf("cursor", 101), newShelf("seq", 600)
		p, c, q := pages.client(t), cursors.client(t), seqs.client(t)
		submissions := func(f hiring.SubmissionFilter) anyPager { return anyOf(c.Submissions.List(f), number) }
		event := func(e hiring.Event) int { return int(e.Seq) }
		return map[string]anyPager{
			"invitations":               invitationsOf(p),
			"invitations of another":    anyOf(p.Invitations.List(otherID), func(i hiring.Invitation) int { return numberOf(i.ID) }),
			"challenges":                challengesOf(p),
			"assessments":               assessmentsOf(p),
			"submissions":               submissions(hiring.SubmissionFilter{}),
			"submissions by status":     submissions(hiring.SubmissionFilter{Status: "a"}),
			"submissions by another":    submissions(hiring.SubmissionFilter{Status: "b"}),
			"submissions of assessment": submissions(hiring.SubmissionFilter{AssessmentID: "a"}),
			"events":                    eventsOf(q),
			"events of another":         anyOf(q.Events.List(otherID, hiring.EventFilter{}), event),
			"events since 1":            anyOf(q.Events.List(shelfID, hiring.EventFilter{SinceSeq: 1}), event),
		}, []*shelf{pages, cursors, seqs}
	}
	all, shelves := lists(t)
	given := tokens(t, all)
	for _, s := range shelves {
		s.forget()
	}
	for name, list := range all {
		for from, token := range given {
			if from == name {
				continue
			}
			got, err := list.from(token).collect(t.Context())
			requireParam(t, err, "From", name+" from "+from)
			require.ErrorContains(t, err, "another")
			require.Empty(t, got)
			_, err = list.from(token).prefetch(1).collect(t.Context())
			requireParam(t, err, "From", name+" from "+from)
		}
	}
	for _, s := range shelves {
		assert.Zero(t, s.requests())
	}
}

func requireParam(t *testing.T, err error, param, what string) {
	t.Helper()
	var problem *hiring.ParamError
	require.ErrorAs(t, err, &problem, what)
	require.Equal(t, param, problem.Param, what)
	require.NotEmpty(t, problem.Problem, what)
	require.ErrorIs(t, err, hiring.ErrInvalidInput, what)
}

func TestTokenThatIsNoneIsRefused(t *testing.T) {
	s := newShelf("page", 30)
	list := invitationsOf(s.client(t)).size(10)
	page, err := list.page(t.Context())
	require.NoError(t, err)
	s.forget()
	bad := []string{"x", "1", "null", "e30", "bnVsbA", "W10", page.next + "AA", "A" + page.next, page.next + "=", " " + page.next}
	for i := 1; i < len(page.next); i++ {
		bad = append(bad, page.next[:i])
	}
	for _, token := range bad {
		_, err := list.from(token).page(t.Context())
		requireParam(t, err, "From", token)
		if len(token) < 8 {
			require.ErrorContains(t, err, "is not a resume token")
		}
		require.NotContains(t, err.Error(), token+":")
	}
	assert.Zero(t, s.requests())
}

// A token whose list is right but whose place cannot be is refused, whoever
// made it.
func TestTokenOfAnImpossiblePlaceIsRefused(t *testing.T) {
	for _, c := range []struct {
		list  func(*hiring.Client) anyPager
		style string
		place map[string]any
	}{
		{invitationsOf, "page", map[string]any{"p": 0}},
		{invitationsOf, "page", map[string]any{"p": -1}},
		{invitationsOf, "page", map[string]any{"p": int64(math.MaxInt64)}},
		{invitationsOf, "page", map[string]any{"p": 1<<24 + 1}},
		{invitationsOf, "page", map[string]any{"p": json.Number("9223372036854775808")}},
		{invitationsOf, "page", map[string]any{"p": json.Number("1e400")}},
		{invitationsOf, "page", map[string]any{"s": int64(math.MaxInt64)}},
		{invitationsOf, "page", map[string]any{"y": int64(math.MaxInt64)}},
		{invitationsOf, "page", map[string]any{"q": int64(math.MinInt64)}},
		{challengesOf, "page", map[string]any{"p": int64(math.MaxInt64)}},
		{submissionsOf, "cursor", map[string]any{"p": int64(math.MaxInt64)}},
		{eventsOf, "seq", map[string]any{"p": int64(math.MaxInt64)}},
		{eventsOf, "seq", map[string]any{"q": json.Number("9223372036854775808")}},
		{invitationsOf, "page", map[string]any{"s": -1}},
		{invitationsOf, "page", map[string]any{"s": 0}},
		{invitationsOf, "page", map[string]any{"s": 101}},
		{invitationsOf, "page", map[string]any{"q": -2}},
		{invitationsOf, "page", map[string]any{"y": 2}},
		{invitationsOf, "page", map[string]any{"y": -1}},
		{invitationsOf, "page", map[string]any{"y": 4}},
		{invitationsOf, "page", map[string]any{"p": "2"}},
		{challengesOf, "page", map[string]any{"y": 3}}, // Entries of a log have numbers, challenges none.
		{challengesOf, "page", map[string]any{"y": 4}},
		{challengesOf, "page", map[string]any{"y": -1}},
		{eventsOf, "seq", map[string]any{"s": 501}},
		{eventsOf, "seq", map[string]any{"y": 1}},
		{submissionsOf, "cursor", map[string]any{"y": 1}},
	} {
		s := newShelf(c.style, 501)
		list := c.list(s.client(t))
		page, err := list.page(t.Context())
		require.NoError(t, err)
		s.forget()
		_, err = list.from(forge(t, page.next, nil)).page(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 1, s.requests())
		_, err = list.from(forge(t, page.next, c.place)).collect(t.Context())
		requireParam(t, err, "From", fmt.Sprint(c.place))
		assert.Equal(t, 1, s.requests())
	}
}

// The furthest places that a token can name lead to the end of a list, or to
// what is there, and no further.
func TestTokenOfAFarPlaceIsRead(t *testing.T) {
	for _, c := range []struct {
		list  func(*hiring.Client) anyPager
		style string
		place map[string]any
		asked string
	}{
		{invitationsOf, "page", map[string]any{"p": 1 << 24}, "16777216"},
		{eventsOf, "seq", map[string]any{"q": int64(math.MaxInt64)}, "9223372036854775807"},
	} {
		s := newShelf(c.style, 501)
		list := c.list(s.client(t))
		page, err := list.page(t.Context())
		require.NoError(t, err)
		for _, pageSize := range []any{100, int64(math.MaxInt64), nil} {
			s.forget()
			s.spoil = func(_ int, _ url.Values, p *shelfPage) {
				delete(p.meta, "has_more")
				p.meta["page_size"] = pageSize
			}
			got, err := list.from(forge(t, page.next, c.place)).collect(t.Context())
			require.NoError(t, err)
			assert.Empty(t, got)
			require.Len(t, s.queries, 1)
			assert.Contains(t, s.queries[0].Encode(), "="+c.asked)
		}
	}
}

// forge changes the place of a token.
func forge(t *testing.T, token string, place map[string]any) string {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(token)
	require.NoError(t, err)
	var parts map[string]any
	require.NoError(t, json.Unmarshal(b, &parts))
	at := parts["a"].(map[string]any)
	for name, value := range place {
		require.Contains(t, at, name)
		at[name] = value
	}
	b, err = json.Marshal(parts)
	require.NoError(t, err)
	return base64.RawURLEncoding.EncodeToString(b)
}

func TestTokenNamesNothing(t *testing.T) {
	s := newShelf("cursor", 30)
	filter := hiring.SubmissionFilter{AssessmentID: "secret-assessment"}
	page, err := s.client(t).Submissions.List(filter).PageSize(10).Page(t.Context())
	require.NoError(t, err)
	b, err := base64.RawURLEncoding.DecodeString(page.Next)
	require.NoError(t, err)
	assert.NotContains(t, string(b), "secret")
	assert.NotContains(t, string(b), "ubmissions")
	assert.Less(t, len(page.Next), 200)
}

// Whatever a cursor holds, its token brings it back.
func TestTokenKeepsAnyCursor(t *testing.T) {
	for _, cursor := range []string{"a b&c=d", "\"\\\x00\n", "ü日本\u2028", "<script>", "%2e", "+", "null", "after:1"} {
		s := newShelf("cursor", 0)
		s.spoil = func(n int, _ url.Values, p *shelfPage) {
			p.items = []int{n}
			if n == 1 {
				p.meta["has_more"], p.meta["next_cursor"] = true, cursor
			}
		}
		list := submissionsOf(s.client(t))
		page, err := list.page(t.Context())
		require.NoError(t, err)
		got, err := list.from(page.next).collect(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []int{2}, got)
		assert.Equal(t, cursor, s.queries[1].Get("cursor"))
	}
}
