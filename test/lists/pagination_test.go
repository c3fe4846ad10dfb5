package lists_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

func TestPagerPageSizeIsChecked(t *testing.T) {
	for _, list := range apitest.ListCases {
		s := apitest.NewListServer(list.Style, 3)
		pager := list.Open(s.Client(t))
		for _, size := range []int{-1, 0, list.Largest + 1, math.MinInt, math.MaxInt} {
			_, err := pager.Size(size).Collect(t.Context())
			requireParam(t, err, "PageSize", list.Name)
			require.ErrorContains(t, err, fmt.Sprintf("from 1 to %d", list.Largest))
			_, err = pager.Size(size).Page(t.Context())
			requireParam(t, err, "PageSize", list.Name)
			_, err = pager.Size(size).Size(1).Prefetch(1).Collect(t.Context()) // The first error remains.
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
	s := apitest.NewListServer("plain", 3)
	for _, size := range []int{0, 1, 100} {
		_, err := apitest.MembersOf(s.Client(t)).Size(size).Collect(t.Context())
		requireParam(t, err, "PageSize", "members")
		require.ErrorContains(t, err, "takes no page size")
	}
	assert.Zero(t, s.Requests())
}

func TestPagerPrefetchIsChecked(t *testing.T) {
	s := apitest.NewListServer("page", 300)
	_, err := apitest.InvitationsOf(s.Client(t)).Prefetch(-1).Collect(t.Context())
	requireParam(t, err, "Prefetch", "")
	assert.Zero(t, s.Requests())
	for _, ahead := range []int{0, 1000, math.MaxInt} {
		got, err := apitest.InvitationsOf(s.Client(t)).Prefetch(ahead).Collect(t.Context())
		require.NoError(t, err)
		assert.Equal(t, apitest.NumbersTo(300), got)
	}
}

func TestPagerThatIsEmpty(t *testing.T) {
	page, err := apitest.NewListServer("seq", 501).Client(t).Events.List(apitest.ParentID, hiring.EventFilter{}).Page(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, page.Next)
	var zero hiring.Pager[hiring.Event]
	for _, pager := range []hiring.Pager[hiring.Event]{
		zero, zero.PageSize(5), zero.PageSize(-5), zero.From("x"), zero.From(page.Next), zero.From(""), zero.Prefetch(2), zero.Prefetch(-2),
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

func TestPagerNeverChanges(t *testing.T) {
	s := apitest.NewListServer("page", 30)
	pager := apitest.InvitationsOf(s.Client(t)).Size(10)
	_ = pager.Size(-1)
	_ = pager.Size(5)
	_ = pager.From("garbage")
	_ = pager.Prefetch(-1)
	got, err := pager.Collect(t.Context())
	require.NoError(t, err)
	assert.Equal(t, apitest.NumbersTo(30), got)
	assert.Equal(t, 3, s.Requests())
}

func TestPagerPageReadsOne(t *testing.T) {
	for _, list := range apitest.ListCases {
		for _, ahead := range []int{0, 3} {
			s := apitest.NewListServer(list.Style, 30)
			page, err := list.Open(s.Client(t)).Size(10).Prefetch(ahead).Page(t.Context())
			require.NoError(t, err)
			assert.Equal(t, apitest.NumbersTo(10), page.Items)
			assert.NotEmpty(t, page.Next)
			assert.True(t, page.Meta.HasMore)
			assert.Equal(t, "req_1", page.Meta.RequestID)
			assert.Equal(t, 1, s.Requests())
		}
	}
}

func TestPagerPagesCarryTheirMeta(t *testing.T) {
	s := apitest.NewListServer("page", 25)
	var metas []hiring.Meta
	for page, err := range apitest.InvitationsOf(s.Client(t)).Size(10).Pages(t.Context()) {
		require.NoError(t, err)
		metas = append(metas, page.Meta)
	}
	assert.Equal(t, []hiring.Meta{
		{RequestID: "req_1", Page: 1, PageSize: 10, Total: 25, HasMore: true},
		{RequestID: "req_2", Page: 2, PageSize: 10, Total: 25, HasMore: true},
		{RequestID: "req_3", Page: 3, PageSize: 10, Total: 25},
	}, metas)
	s = apitest.NewListServer("cursor", 15)
	metas = nil
	for page, err := range apitest.SubmissionsOf(s.Client(t)).Size(10).Pages(t.Context()) {
		require.NoError(t, err)
		metas = append(metas, page.Meta)
	}
	assert.Equal(t, []hiring.Meta{{RequestID: "req_1", HasMore: true, NextCursor: "after:10"}, {RequestID: "req_2"}}, metas)
}

func TestPagerOfAnEmptyListGivesOneEmptyPage(t *testing.T) {
	for _, list := range apitest.ListCases {
		s := apitest.NewListServer(list.Style, 0)
		count := 0
		for page, err := range list.Open(s.Client(t)).Pages(t.Context()) {
			require.NoError(t, err)
			assert.Empty(t, page.Items)
			assert.Empty(t, page.Next)
			count++
		}
		assert.Equal(t, 1, count)
	}
}

func TestPagerSendsNothingBeforeTheRange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, list := range apitest.ListCases {
			for _, ahead := range []int{0, 2} {
				s := apitest.NewListServer(list.Style, 30)
				pager := list.Open(s.Client(t)).Size(10).Prefetch(ahead)
				_, _ = pager.All(t.Context()), pager.Pages(t.Context())
				synctest.Wait()
				assert.Zero(t, s.Requests())
			}
		}
	})
}

func TestPagerRangesStartOver(t *testing.T) {
	for _, list := range apitest.ListCases {
		for _, ahead := range []int{0, 1, 3} {
			s := apitest.NewListServer(list.Style, 30)
			all := list.Open(s.Client(t)).Size(7).Prefetch(ahead).All(t.Context())
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
				got := []int{}
				for item, err := range all {
					require.NoError(t, err)
					got = append(got, item)
				}
				require.Equal(t, apitest.NumbersTo(30), got)
			}
		}
	}
}

func TestPagerLeftEarlyCostsNoMore(t *testing.T) {
	for _, list := range apitest.ListCases {
		s := apitest.NewListServer(list.Style, 30)
		for item, err := range list.Open(s.Client(t)).Size(7).All(t.Context()) {
			require.NoError(t, err)
			if item == 7 {
				break
			}
		}
		assert.Equal(t, 1, s.Requests(), list.Name)
	}
}

func TestPagerServesManyAtOnce(t *testing.T) {
	for _, list := range apitest.ListCases {
		for _, ahead := range []int{0, 2} {
			s := apitest.NewListServer(list.Style, 60)
			pager := list.Open(s.Client(t)).Size(7).Prefetch(ahead)
			var wait sync.WaitGroup
			for range 8 {
				wait.Go(func() {
					got, err := pager.Collect(t.Context())
					assert.NoError(t, err) //nolint:testifylint // require must not be called outside the test's goroutine
					assert.Equal(t, apitest.NumbersTo(60), got)
				})
			}
			wait.Wait()
			assert.Equal(t, 8*9, s.Requests())
		}
	}
}

// A bubble ends only when no goroutine remains in it.
func TestPagerReadsAheadAndNoFurther(t *testing.T) {
	for _, ahead := range []int{1, 2, 3, 20} {
		synctest.Test(t, func(t *testing.T) {
			s := apitest.NewListServer("page", 70)
			taken := 0
			for _, err := range apitest.InvitationsOf(s.Client(t)).Size(7).Prefetch(ahead).Pages(t.Context()) {
				require.NoError(t, err)
				taken++
				synctest.Wait()
				assert.Equal(t, min(10, taken+ahead), s.Requests())
			}
			assert.Equal(t, 10, taken)
		})
	}
}

func TestPagerLeftEarlyLeaksNothing(t *testing.T) {
	for _, ahead := range []int{0, 1, 2, 3, 20} {
		for _, left := range []int{1, 2, 5} {
			synctest.Test(t, func(t *testing.T) {
				s := apitest.NewListServer("cursor", 70)
				taken := 0
				for _, err := range apitest.SubmissionsOf(s.Client(t)).Size(7).Prefetch(ahead).Pages(t.Context()) {
					require.NoError(t, err)
					synctest.Wait()
					taken++
					if taken == left {
						break
					}
				}
				synctest.Wait()
				assert.LessOrEqual(t, s.Requests(), min(10, left+ahead))
			})
		}
	}
}

// Requests in flight are cancelled when the range is left.
func TestPagerLeftEarlyCancelsItsRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := apitest.NewListServer("page", 70)
		s.Instead = func(n int, r *http.Request) (int, bool) {
			if n > 1 {
				<-r.Context().Done()
			}
			return 0, n > 1
		}
		begun := time.Now()
		for _, err := range apitest.InvitationsOf(s.Client(t)).Size(7).Prefetch(2).Pages(t.Context()) {
			require.NoError(t, err)
			synctest.Wait()
			break
		}
		assert.Equal(t, 2, s.Requests())
		assert.Zero(t, time.Since(begun)) // It did not run into its timeout.
	})
}

func TestPagerLeftByAPanicLeaksNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := apitest.NewListServer("page", 70)
		assert.PanicsWithValue(t, "mine", func() {
			for _, err := range apitest.InvitationsOf(s.Client(t)).Size(7).Prefetch(2).Pages(t.Context()) {
				require.NoError(t, err)
				panic("mine")
			}
		})
	})
}

func TestPagerWhoseContextEndsWhileReadingAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := apitest.NewListServer("page", 70)
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		var failures []error
		pages := 0
		for _, err := range apitest.InvitationsOf(s.Client(t)).Size(7).Prefetch(2).Pages(ctx) {
			if err != nil {
				failures = append(failures, err)
				continue
			}
			pages++
			if pages == 2 {
				synctest.Wait()
				cancel(cause)
			}
		}
		require.Len(t, failures, 1)
		require.ErrorIs(t, failures[0], context.Canceled)
		require.ErrorIs(t, failures[0], cause)
		assert.Equal(t, 4, pages) // Two pages were read ahead.
		assert.Equal(t, 4, s.Requests())
	})
}

func TestPagerWhoseContextHadEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, ahead := range []int{0, 1} {
		s := apitest.NewListServer("page", 70)
		got, err := apitest.InvitationsOf(s.Client(t)).Prefetch(ahead).Collect(ctx)
		require.ErrorIs(t, err, context.Canceled)
		assert.Empty(t, got)
		assert.Zero(t, s.Requests())
	}
}

// Raw responses are captured page by page, but not while reading ahead, where
// another goroutine would write them.
func TestPagerCapturesRawResponses(t *testing.T) {
	s := apitest.NewListServer("page", 20)
	for _, ahead := range []int{0, 1} {
		s.Forget()
		var raw hiring.Response
		n := 0
		for _, err := range apitest.InvitationsOf(s.Client(t)).Size(10).Prefetch(ahead).Pages(hiring.WithResponse(t.Context(), &raw)) {
			require.NoError(t, err)
			n++
			if ahead > 0 {
				assert.Zero(t, raw)
				continue
			}
			assert.Equal(t, fmt.Sprintf("item-%d", 10*n-9), firstID(t, raw.Body))
		}
		assert.Equal(t, 2, n)
	}
}

func TestPagerWarnsOncePerIterationOfUnexpectedSizes(t *testing.T) {
	for _, c := range []struct {
		name     string
		list     func(*hiring.Client) apitest.IntPager
		style    string
		size     int
		served   int // Items a page.
		pageSize bool
		want     string
	}{
		{"smaller, and it says so", apitest.InvitationsOf, "page", 30, 20, true, "requested pages of 30 items but received 20: Dialect.PageSizeParam may be wrong"},
		{"smaller, and it does not say so", apitest.SubmissionsOf, "cursor", 30, 20, false, "requested pages of 30 items but received 20: Dialect.PageSizeParam may be wrong"},
		{"larger", apitest.SubmissionsOf, "cursor", 10, 20, false, "requested pages of 10 items but received 20: Dialect.PageSizeParam may be wrong"},
		{"larger than one", apitest.SubmissionsOf, "cursor", 1, 2, false, "requested pages of 1 items but received 2: Dialect.PageSizeParam may be wrong"},
		{"of a log", apitest.EventsOf, "seq", 30, 20, false, "requested pages of 30 items but received 20: Dialect.EventPageSizeParam may be wrong"},
		{"as asked", apitest.InvitationsOf, "page", 20, 20, true, ""},
		{"as asked, by cursor", apitest.SubmissionsOf, "cursor", 20, 20, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := apitest.NewListServer(c.style, 70)
			s.Spoil = served(c.style, c.served, c.pageSize)
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
				assert.Equal(t, apitest.NumbersTo(70), got)
				if c.want == "" {
					assert.Empty(t, warnings)
				} else {
					assert.Equal(t, []string{c.want}, warnings)
				}
			}
		})
	}
}

// Metadata that shows an unexpected page size.
func TestPagerWarnsOfUnexpectedPageSizes(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(int, url.Values, *apitest.ListPage)
		want  string
	}{
		{"a short list whose page says another size", set("page_size", 20), "requested pages of 10 items but received 20"},
		{"fewer items than the page says", func(_ int, _ url.Values, p *apitest.ListPage) { p.Meta["has_more"] = true }, "requested pages of 10 items but received 3"},
		{"an empty page before others", func(n int, _ url.Values, p *apitest.ListPage) {
			p.Meta["has_more"] = n == 1
			if n == 1 {
				p.Items = nil
			}
		}, ""},
		{"a short page at the end", without("page_size"), ""},
	} {
		s := apitest.NewListServer("page", 3)
		s.Spoil = c.spoil
		var warning string
		client := s.Client(t, hiring.WithObserver(func(_ context.Context, e hiring.Exchange) { warning += e.Warning }))
		_, err := apitest.InvitationsOf(client).Size(10).Page(t.Context())
		require.NoError(t, err)
		if c.want == "" {
			assert.Empty(t, warning, c.name)
		} else {
			assert.Contains(t, warning, c.want, c.name)
		}
	}
}

func TestPagerDoesNotWarnOfShortLists(t *testing.T) {
	for _, list := range append(apitest.ListCases, apitest.ListCase{Name: "members", Style: "plain", Largest: 0, Open: apitest.MembersOf}) {
		for _, n := range []int{0, 1, 101} {
			s := apitest.NewListServer(list.Style, n)
			client := s.Client(t, hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
				assert.Empty(t, e.Warning, list.Name)
			}))
			_, err := list.Open(client).Collect(t.Context())
			require.NoError(t, err)
		}
	}
}
