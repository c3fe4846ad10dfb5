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

// shrinkingListing is a server whose listing loses its newest item after the first page
// was read, so that an item moves from each page to the previous one.
type shrinkingListing struct {
	scripted

	listed    []string // The addresses, newest first.
	removals  int      // Reads of the first page after which an item is removed.
	total     func(total int) string
	pagesRead []int
	posts     int
}

func (s *shrinkingListing) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost {
		s.posts++
		return s.respond(r, 201, s.work(two[0].Email)), nil
	}
	page, err := strconv.Atoi(r.URL.Query().Get("page"))
	if err != nil {
		page = 1
	}
	s.pagesRead = append(s.pagesRead, page)
	var items []string
	total := len(s.listed)
	for _, email := range s.listed[min((page-1)*100, total):min(page*100, total)] {
		items = append(items, fmt.Sprintf(`{"id":"id-of-%s","candidate_email":%q,"status":"pending"}`, email, email))
	}
	if page == 1 && s.removals > 0 {
		s.removals--
		s.listed = s.listed[1:]
	}
	return s.respond(r, 200, fmt.Sprintf(`{"data":[%s],"meta":{"request_id":"req_1a","page":%d,"page_size":100,%s"has_more":%t}}`,
		strings.Join(items, ","), page, s.total(total), page*100 < total)), nil
}

func newShrinkingListing(removals int, total func(int) string) *shrinkingListing {
	s := &shrinkingListing{removals: removals, total: total}
	for n := range 150 {
		s.listed = append(s.listed, fmt.Sprintf("candidate-%d@example.com", n))
	}
	return s
}

func (s *shrinkingListing) client(t *testing.T) *hiring.Client {
	t.Helper()
	client, err := hiring.New(apitest.BaseURL, apitest.Key, hiring.WithHTTPClient(&http.Client{Transport: s}))
	require.NoError(t, err)
	return client
}

func trueTotal(total int) string { return fmt.Sprintf(`"total":%d,`, total) }

func TestEnsureFindsAnInvitationOnAnEarlierPage(t *testing.T) {
	for name, total := range map[string]func(int) string{
		"total falls": trueTotal,
		"total lags":  func(total int) string { return fmt.Sprintf(`"total":%d,`, max(total, 150)) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newShrinkingListing(1, total)
				if name == "total lags" { // But not in the second scan.
					s.total = func(n int) string {
						if len(s.pagesRead) > 2 {
							return trueTotal(n)
						}
						return total(n)
					}
				}
				got, err := s.client(t).Invitations.Ensure(t.Context(), apitest.ID, hiring.NewInvitation{Email: s.listed[100], Name: "C"})
				require.NoError(t, err)
				assert.Equal(t, hiring.InviteExisting, got.Outcome)
				assert.Zero(t, s.posts)
				assert.Equal(t, []int{1, 2, 1}, s.pagesRead, "the address is on the first page of the second scan")
			})
		})
	}
}

func TestEnsureDoesNotSendWhenEveryScanIsInconclusive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShrinkingListing(40, trueTotal)
		got, err := s.client(t).Invitations.Ensure(t.Context(), apitest.ID, two[0])
		require.ErrorContains(t, err, "items left the listing")
		assert.Equal(t, hiring.InviteNotSent, got.Outcome)
		assert.Zero(t, s.posts)
		assert.Len(t, s.pagesRead, 2*(1+4))
	})
}

func TestEnsureDoesNotRepeatAScanWithoutATotal(t *testing.T) {
	for name, total := range map[string]string{"none": "", "zero": `"total":0,`} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newShrinkingListing(1, func(int) string { return total })
				got, err := s.client(t).Invitations.Ensure(t.Context(), apitest.ID, two[0])
				require.NoError(t, err)
				assert.Equal(t, hiring.InviteSent, got.Outcome)
				assert.Equal(t, []int{1, 2}, s.pagesRead)
			})
		})
	}
}

func TestSendAllReadsTheWholeListingAfterItHasShrunk(t *testing.T) {
	for name, test := range map[string]struct {
		change    func(*shrinkingListing)
		pagesRead []int
	}{
		"between two scans": {func(s *shrinkingListing) { s.listed = s.listed[1:] }, []int{1, 2, 1, 2}},
		"it has not shrunk": {func(*shrinkingListing) {}, []int{1, 2, 1}},
		"during a scan":     {func(s *shrinkingListing) { s.listed, s.removals = append(newcomers(120), s.listed...), 1 }, []int{1, 2, 1, 2, 3, 1, 2, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newShrinkingListing(0, trueTotal)
				var got reports
				people := []hiring.NewInvitation{two[0], {Email: "new-100@example.com", Name: "C"}}
				err := s.client(t).Invitations.SendAll(t.Context(), apitest.ID, slices.Values(people), hiring.SendAllOptions{Each: func(result hiring.InviteResult, err error) bool {
					if len(got.all) == 0 {
						test.change(s)
					}
					time.Sleep(2 * time.Minute)
					return got.each(result, err)
				}})
				require.NoError(t, err)
				assert.Equal(t, test.pagesRead, s.pagesRead)
				assert.Equal(t, name == "during a scan", got.outcomes()[1] == hiring.InviteExisting)
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
