package invite_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"

	hiring "github.com/hiring-assessment/hiring-go"
)

// leaving is a service whose listing loses its newest item after a first page,
// so that the rest moves up.
type leaving struct {
	scripted

	listed []string // The addresses, newest first.
	leaves int      // First pages after which an item leaves.
	told   func(total int) string
	looks  []int // The pages read.
	posts  int
}

func (s *leaving) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost {
		s.posts++
		return s.reply(r, 201, s.work(two[0].Email)), nil
	}
	page, err := strconv.Atoi(r.URL.Query().Get("page"))
	if err != nil {
		page = 1
	}
	s.looks = append(s.looks, page)
	var items []string
	total := len(s.listed)
	for _, email := range s.listed[min((page-1)*100, total):min(page*100, total)] {
		items = append(items, fmt.Sprintf(`{"id":"id-of-%s","candidate_email":%q,"status":"pending"}`, email, email))
	}
	if page == 1 && s.leaves > 0 {
		s.leaves--
		s.listed = s.listed[1:]
	}
	return s.reply(r, 200, fmt.Sprintf(`{"data":[%s],"meta":{"request_id":"req_1a","page":%d,"page_size":100,%s"has_more":%t}}`,
		strings.Join(items, ","), page, s.told(total), page*100 < total)), nil
}

func newLeaving(leaves int, told func(int) string) *leaving {
	s := &leaving{leaves: leaves, told: told}
	for n := range 150 {
		s.listed = append(s.listed, fmt.Sprintf("candidate-%d@example.com", n))
	}
	return s
}

func (s *leaving) client(t *testing.T) *hiring.Client {
	t.Helper()
	client, err := hiring.New(apitest.BaseURL, apitest.Key, hiring.WithHTTPClient(&http.Client{Transport: s}))
	require.NoError(t, err)
	return client
}

func truly(total int) string { return fmt.Sprintf(`"total":%d,`, total) }

func TestEnsureSeesWhatMovesUpBetweenPages(t *testing.T) {
	for name, told := range map[string]func(int) string{
		"total falls": truly,
		"total lags":  func(total int) string { return fmt.Sprintf(`"total":%d,`, max(total, 150)) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newLeaving(1, told)
				if name == "total lags" { // But not for the second walk.
					s.told = func(total int) string {
						if len(s.looks) > 2 {
							return truly(total)
						}
						return told(total)
					}
				}
				got, err := s.client(t).Invitations.Ensure(t.Context(), apitest.ID, hiring.NewInvitation{Email: s.listed[100], Name: "C"})
				require.NoError(t, err)
				assert.Equal(t, hiring.InviteExisting, got.Outcome)
				assert.Zero(t, s.posts)
				assert.Equal(t, []int{1, 2, 1}, s.looks) // There it is.
			})
		})
	}
}

func TestEnsureDoesNotSendByAListingThatKeepsMoving(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newLeaving(40, truly)
		got, err := s.client(t).Invitations.Ensure(t.Context(), apitest.ID, two[0])
		require.ErrorContains(t, err, "items left the listing")
		assert.Equal(t, hiring.InviteNotSent, got.Outcome)
		assert.Zero(t, s.posts)
		assert.Len(t, s.looks, 2*(1+4))
	})
}

func TestEnsureConcludesNothingWithoutATotal(t *testing.T) {
	for name, told := range map[string]string{"none": "", "zero": `"total":0,`} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newLeaving(1, func(int) string { return told })
				got, err := s.client(t).Invitations.Ensure(t.Context(), apitest.ID, two[0])
				require.NoError(t, err)
				assert.Equal(t, hiring.InviteSent, got.Outcome)
				assert.Equal(t, []int{1, 2}, s.looks)
			})
		})
	}
}

func TestSendAllReadsAllOfAListingThatHasShrunk(t *testing.T) {
	for name, test := range map[string]struct {
		leave func(*leaving)
		looks []int
	}{
		"since":         {func(s *leaving) { s.listed = s.listed[1:] }, []int{1, 2, 1, 2}},
		"not":           {func(*leaving) {}, []int{1, 2, 1}},
		"while looking": {func(s *leaving) { s.listed, s.leaves = append(newcomers(120), s.listed...), 1 }, []int{1, 2, 1, 2, 3, 1, 2, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newLeaving(0, truly)
				var got reports
				people := []hiring.NewInvitation{two[0], {Email: "new-100@example.com", Name: "C"}}
				err := s.client(t).Invitations.SendAll(t.Context(), apitest.ID, slices.Values(people), hiring.SendAllOptions{Each: func(result hiring.InviteResult, err error) bool {
					if len(got.all) == 0 {
						test.leave(s)
					}
					time.Sleep(2 * time.Minute)
					return got.each(result, err)
				}})
				require.NoError(t, err)
				assert.Equal(t, test.looks, s.looks)
				assert.Equal(t, name == "while looking", got.outcomes()[1] == hiring.InviteExisting)
			})
		})
	}
}

func newcomers(n int) (emails []string) {
	for i := range n {
		emails = append(emails, fmt.Sprintf("new-%d@example.com", i))
	}
	return emails
}
