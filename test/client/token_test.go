package client_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/sealed"
)

func TestTokenOfEveryPageResumes(t *testing.T) {
	for _, list := range listCases {
		for _, size := range []int{1, 7, 100} {
			n := 30
			if size == 100 {
				n = 250
			}
			t.Run(fmt.Sprintf("%s by %d", list.Name, size), func(t *testing.T) {
				s := newListServer(list.Style, n)
				pager := list.Open(s.Client(t)).Size(size)
				read := 0
				for page, err := range pager.Pages(t.Context()) {
					require.NoError(t, err)
					read += len(page.Items)
					if read == n {
						require.Empty(t, page.Next)
						continue
					}
					require.NotEmpty(t, page.Next)
					requireResumed(t, s, n, read, size, map[string]intPager{
						"same pager":          pager,
						"pager built anew":    list.Open(s.Client(t)),
						"another size before": list.Open(s.Client(t)).Size(3),
					}, page.Next)
				}
				require.Equal(t, n, read)
			})
		}
	}
}

func requireResumed(t *testing.T, s *listServer, n, read, size int, pagers map[string]intPager, token string) {
	t.Helper()
	for name, pager := range pagers {
		s.Forget()
		got, err := pager.From(token).Size(5).Collect(t.Context()) // The token's size takes precedence, also over a later PageSize.
		require.NoError(t, err, name)
		require.Equal(t, numbersTo(n)[read:], got, name)
		require.Equal(t, (n-read+size-1)/size, s.Requests(), name)
	}
}

func TestTokenEmptyMeansTheBeginning(t *testing.T) {
	s := newListServer("page", 30)
	list := invitationsOf(s.Client(t)).Size(10)
	first, err := list.Page(t.Context())
	require.NoError(t, err)
	second, err := list.From(first.Next).Page(t.Context())
	require.NoError(t, err)
	assert.Equal(t, numbersTo(20)[10:], second.Items)
	again, err := list.From(first.Next).From("").Page(t.Context())
	require.NoError(t, err)
	assert.Equal(t, first.Items, again.Items)
	// From does not change the pager that it was called on.
	again, err = list.Page(t.Context())
	require.NoError(t, err)
	assert.Equal(t, first.Items, again.Items)
}

// tokens returns the first token of each of these lists.
func tokens(t *testing.T, lists map[string]intPager) map[string]string {
	t.Helper()
	all := make(map[string]string, len(lists))
	for name, list := range lists {
		page, err := list.Page(t.Context())
		require.NoError(t, err, name)
		require.NotEmpty(t, page.Next, name)
		all[name] = page.Next
	}
	return all
}

func TestTokenOfAnotherListIsRejected(t *testing.T) {
	const otherID = "5b000000-0000-4000-8000-000000000002"
	number := func(s hiring.Submission) int { return numberOf(s.ID) }
	lists := func(t *testing.T) (map[string]intPager, []*listServer) {
		pages, cursors, seqs := newListServer("page", 101), newListServer("cursor", 101), newListServer("seq", 600)
		p, c, q := pages.Client(t), cursors.Client(t), seqs.Client(t)
		submissions := func(f hiring.SubmissionFilter) intPager {
			return intPagerOf(c.Submissions.List(f), number)
		}
		event := func(e hiring.Event) int { return int(e.Seq) }
		return map[string]intPager{
			"invitations":               invitationsOf(p),
			"invitations of another":    intPagerOf(p.Invitations.List(otherID), func(i hiring.Invitation) int { return numberOf(i.ID) }),
			"challenges":                challengesOf(p),
			"assessments":               assessmentsOf(p),
			"submissions":               submissions(hiring.SubmissionFilter{}),
			"submissions by status":     submissions(hiring.SubmissionFilter{Status: "a"}),
			"submissions by another":    submissions(hiring.SubmissionFilter{Status: "b"}),
			"submissions of assessment": submissions(hiring.SubmissionFilter{AssessmentID: "a"}),
			"events":                    eventsOf(q),
			"events of another":         intPagerOf(q.Events.List(otherID, hiring.EventFilter{}), event),
			"events since 1":            intPagerOf(q.Events.List(parentID, hiring.EventFilter{SinceSeq: 1}), event),
		}, []*listServer{pages, cursors, seqs}
	}
	all, shelves := lists(t)
	given := tokens(t, all)
	for _, s := range shelves {
		s.Forget()
	}
	for name, list := range all {
		for from, token := range given {
			if from == name {
				continue
			}
			got, err := list.From(token).Collect(t.Context())
			requireParam(t, err, "From", name+" from "+from)
			require.ErrorContains(t, err, "another")
			require.Empty(t, got)
		}
	}
	for _, s := range shelves {
		assert.Zero(t, s.Requests())
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

func TestInvalidTokenIsRejected(t *testing.T) {
	s := newListServer("page", 30)
	list := invitationsOf(s.Client(t)).Size(10)
	page, err := list.Page(t.Context())
	require.NoError(t, err)
	s.Forget()
	bad := []string{"x", "1", "null", "e30", "bnVsbA", "W10", page.Next + "AA", "A" + page.Next, page.Next + "=", " " + page.Next}
	for i := 1; i < len(page.Next); i++ {
		bad = append(bad, page.Next[:i])
	}
	for _, token := range bad {
		_, err := list.From(token).Page(t.Context())
		requireParam(t, err, "From", token)
		if len(token) < 8 {
			require.ErrorContains(t, err, "is not a resume token")
		}
		require.NotContains(t, err.Error(), token+":")
	}
	assert.Zero(t, s.Requests())
}

// A token of the right list with an impossible position is rejected.
func TestTokenOfAnImpossiblePositionIsRejected(t *testing.T) {
	for _, c := range []struct {
		list  func(*hiring.Client) intPager
		style string
		place map[string]any
	}{
		{invitationsOf, "page", map[string]any{"Page": 0}},
		{invitationsOf, "page", map[string]any{"Page": 1<<24 + 1}},
		{invitationsOf, "page", map[string]any{"Page": json.Number("9223372036854775808")}},
		{invitationsOf, "page", map[string]any{"Size": 0}},
		{invitationsOf, "page", map[string]any{"Size": 101}},
		{invitationsOf, "page", map[string]any{"Seq": -2}},
		{invitationsOf, "page", map[string]any{"Style": 2}},
		{invitationsOf, "page", map[string]any{"Page": "2"}},
		{challengesOf, "page", map[string]any{"Style": 3}}, // Entries of a log have numbers, challenges none.
		{challengesOf, "page", map[string]any{"Style": 4}},
		{challengesOf, "page", map[string]any{"Style": -1}},
		{eventsOf, "seq", map[string]any{"Size": 501}},
		{submissionsOf, "cursor", map[string]any{"Style": 1}},
	} {
		s := newListServer(c.style, 501)
		list := c.list(s.Client(t))
		page, err := list.Page(t.Context())
		require.NoError(t, err)
		s.Forget()
		_, err = list.From(forge(t, page.Next, nil)).Page(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 1, s.Requests())
		_, err = list.From(forge(t, page.Next, c.place)).Collect(t.Context())
		requireParam(t, err, "From", fmt.Sprint(c.place))
		assert.Equal(t, 1, s.Requests())
	}
}

// listTokens is the kind of the text in resume tokens.
var listTokens = sealed.Kind{Name: "list", Version: 1}

// forge changes the position of a token, with a checksum that fits.
func forge(t *testing.T, token string, place map[string]any) string {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(token)
	require.NoError(t, err)
	var parts map[string]any
	require.NoError(t, listTokens.Open(string(b), &parts))
	at := parts["At"].(map[string]any)
	for name, value := range place {
		require.Contains(t, at, name)
		at[name] = value
	}
	return base64.RawURLEncoding.EncodeToString([]byte(listTokens.Seal(parts)))
}

func TestTokenDoesNotRevealTheFilter(t *testing.T) {
	s := newListServer("cursor", 30)
	filter := hiring.SubmissionFilter{AssessmentID: "secret-assessment"}
	page, err := s.Client(t).Submissions.List(filter).PageSize(10).Page(t.Context())
	require.NoError(t, err)
	b, err := base64.RawURLEncoding.DecodeString(page.Next)
	require.NoError(t, err)
	assert.NotContains(t, string(b), "secret")
	assert.NotContains(t, string(b), "ubmissions")
	assert.Less(t, len(page.Next), 200)
}

// The token returns any cursor unchanged.
func TestTokenKeepsAnyCursor(t *testing.T) {
	for _, cursor := range []string{"a b&c=d", "\"\\\x00\n", "ü日本\u2028", "<script>", "%2e", "+", "null", "after:1"} {
		s := newListServer("cursor", 0)
		s.Spoil = func(n int, _ url.Values, p *listPage) {
			p.Items = []int{n}
			if n == 1 {
				p.Meta["has_more"], p.Meta["next_cursor"] = true, cursor
			}
		}
		list := submissionsOf(s.Client(t))
		page, err := list.Page(t.Context())
		require.NoError(t, err)
		got, err := list.From(page.Next).Collect(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []int{2}, got)
		assert.Equal(t, cursor, s.Queries[1].Get("cursor"))
	}
}
