package hiring_test

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
)

func TestPagerPageSizeIsChecked(t *testing.T) {
	for _, list := range shelfLists {
		s := newShelf(list.style, 3)
		pager := list.open(s.client(t))
		for _, size := range []int{-1, 0, list.largest + 1, math.MinInt, math.MaxInt} {
			_, err := pager.size(size).collect(t.Context())
			requireParam(t, err, "PageSize", list.name)
			require.ErrorContains(t, err, fmt.Sprintf("from 1 to %d", list.largest))
			_, err = pager.size(size).page(t.Context())
			requireParam(t, err, "PageSize", list.name)
			_, err = pager.size(size).size(1).prefetch(1).collect(t.Context()) // The first reason holds.
			requireParam(t, err, "PageSize", list.name)
		}
		assert.Zero(t, s.requests())
		for _, size := range []int{1, list.largest} {
			_, err := pager.size(size).collect(t.Context())
			require.NoError(t, err, list.name)
		}
	}
}

func TestPagerOfMembersTakesNoPageSize(t *testing.T) {
	s := newShelf("plain", 3)
	for _, size := range []int{0, 1, 100} {
		_, err := membersOf(s.client(t)).size(size).collect(t.Context())
		requireParam(t, err, "PageSize", "members")
		require.ErrorContains(t, err, "takes no page size")
	}
	assert.Zero(t, s.requests())
}

func TestPagerPrefetchIsChecked(t *testing.T) {
	s := newShelf("page", 300)
	_, err := invitationsOf(s.client(t)).prefetch(-1).collect(t.Context())
	requireParam(t, err, "Prefetch", "")
	assert.Zero(t, s.requests())
	for _, ahead := range []int{0, 1000, math.MaxInt} {
		got, err := invitationsOf(s.client(t)).prefetch(ahead).collect(t.Context())
		require.NoError(t, err)
		assert.Equal(t, upTo(300), got)
	}
}

func TestPagerThatIsEmpty(t *testing.T) {
	page, err := newShelf("seq", 501).client(t).Events.List(shelfID, hiring.EventFilter{}).Page(t.Context())
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
	s := newShelf("page", 30)
	pager := invitationsOf(s.client(t)).size(10)
	_ = pager.size(-1)
	_ = pager.size(5)
	_ = pager.from("garbage")
	_ = pager.prefetch(-1)
	got, err := pager.collect(t.Context())
	require.NoError(t, err)
	assert.Equal(t, upTo(30), got)
	assert.Equal(t, 3, s.requests())
}

func TestPagerPageReadsOne(t *testing.T) {
	for _, list := range shelfLists {
		for _, ahead := range []int{0, 3} {
			s := newShelf(list.style, 30)
			page, err := list.open(s.client(t)).size(10).prefetch(ahead).page(t.Context())
			require.NoError(t, err)
			assert.Equal(t, upTo(10), page.items)
			assert.NotEmpty(t, page.next)
			assert.True(t, page.meta.HasMore)
			assert.Equal(t, "req_1", page.meta.RequestID)
			assert.Equal(t, 1, s.requests())
		}
	}
}

func TestPagerPagesCarryTheirMeta(t *testing.T) {
	s := newShelf("page", 25)
	var metas []hiring.Meta
	for page, err := range invitationsOf(s.client(t)).size(10).pages(t.Context()) {
		require.NoError(t, err)
		metas = append(metas, page.meta)
	}
	assert.Equal(t, []hiring.Meta{
		{RequestID: "req_1", Page: 1, PageSize: 10, Total: 25, HasMore: true},
		{RequestID: "req_2", Page: 2, PageSize: 10, Total: 25, HasMore: true},
		{RequestID: "req_3", Page: 3, PageSize: 10, Total: 25},
	}, metas)
	s = newShelf("cursor", 15)
	metas = nil
	for page, err := range submissionsOf(s.client(t)).size(10).pages(t.Context()) {
		require.NoError(t, err)
		metas = append(metas, page.meta)
	}
	assert.Equal(t, []hiring.Meta{{RequestID: "req_1", HasMore: true, NextCursor: "after:10"}, {RequestID: "req_2"}}, metas)
}

func TestPagerOfAnEmptyListGivesOneEmptyPage(t *testing.T) {
	for _, list := range shelfLists {
		s := newShelf(list.style, 0)
		count := 0
		for page, err := range list.open(s.client(t)).pages(t.Context()) {
			require.NoError(t, err)
			assert.Empty(t, page.items)
			assert.Empty(t, page.next)
			count++
		}
		assert.Equal(t, 1, count)
	}
}

func TestPagerSendsNothingBeforeTheRange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, list := range shelfLists {
			for _, ahead := range []int{0, 2} {
				s := newShelf(list.style, 30)
				pager := list.open(s.client(t)).size(10).prefetch(ahead)
				_, _ = pager.all(t.Context()), pager.pages(t.Context())
				synctest.Wait()
				assert.Zero(t, s.requests())
			}
		}
	})
}

func TestPagerRangesStartOver(t *testing.T) {
	for _, list := range shelfLists {
		for _, ahead := range []int{0, 1, 3} {
			s := newShelf(list.style, 30)
			all := list.open(s.client(t)).size(7).prefetch(ahead).all(t.Context())
			for range 2 { // The same iterator, left early and then read to its end.
				n := 0
				for item, err := range all {
					require.NoError(t, err)
					if n++; item == 9 {
						break
					}
				}
				require.Equal(t, 9, n)
				got := []int{}
				for item, err := range all {
					require.NoError(t, err)
					got = append(got, item)
				}
				require.Equal(t, upTo(30), got)
			}
		}
	}
}

func TestPagerLeftEarlyCostsNoMore(t *testing.T) {
	for _, list := range shelfLists {
		s := newShelf(list.style, 30)
		for item, err := range list.open(s.client(t)).size(7).all(t.Context()) {
			require.NoError(t, err)
			if item == 7 {
				break
			}
		}
		assert.Equal(t, 1, s.requests(), list.name)
	}
}

func TestPagerServesManyAtOnce(t *testing.T) {
	for _, list := range shelfLists {
		for _, ahead := range []int{0, 2} {
			s := newShelf(list.style, 60)
			pager := list.open(s.client(t)).size(7).prefetch(ahead)
			var wait sync.WaitGroup
			for range 8 {
				wait.Go(func() {
					got, err := pager.collect(t.Context())
					assert.NoError(t, err) //nolint:testifylint // require must not be called outside the test's goroutine
					assert.Equal(t, upTo(60), got)
				})
			}
			wait.Wait()
			assert.Equal(t, 8*9, s.requests())
		}
	}
}

// A bubble ends only when no goroutine is left in it.
func TestPagerReadsAheadAndNoFurther(t *testing.T) {
	for _, ahead := range []int{1, 2, 3, 20} {
		synctest.Test(t, func(t *testing.T) {
			s := newShelf("page", 70)
			taken := 0
			for _, err := range invitationsOf(s.client(t)).size(7).prefetch(ahead).pages(t.Context()) {
				require.NoError(t, err)
				taken++
				synctest.Wait()
				assert.Equal(t, min(10, taken+ahead), s.requests())
			}
			assert.Equal(t, 10, taken)
		})
	}
}

func TestPagerLeftEarlyLeaksNothing(t *testing.T) {
	for _, ahead := range []int{0, 1, 2, 3, 20} {
		for _, left := range []int{1, 2, 5} {
			synctest.Test(t, func(t *testing.T) {
				s := newShelf("cursor", 70)
				taken := 0
				for _, err := range submissionsOf(s.client(t)).size(7).prefetch(ahead).pages(t.Context()) {
					require.NoError(t, err)
					synctest.Wait()
					if taken++; taken == left {
						break
					}
				}
				synctest.Wait()
				assert.LessOrEqual(t, s.requests(), min(10, left+ahead))
			})
		}
	}
}

// What is on its way when the range is left is called off.
func TestPagerLeftEarlyCallsOffItsRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf("page", 70)
		s.instead = func(n int, r *http.Request) (int, bool) {
			if n > 1 {
				<-r.Context().Done()
			}
			return 0, n > 1
		}
		begun := time.Now()
		for _, err := range invitationsOf(s.client(t)).size(7).prefetch(2).pages(t.Context()) {
			require.NoError(t, err)
			synctest.Wait()
			break
		}
		assert.Equal(t, 2, s.requests())
		assert.Zero(t, time.Since(begun)) // It did not run into its timeout.
	})
}

func TestPagerLeftByAPanicLeaksNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf("page", 70)
		assert.PanicsWithValue(t, "mine", func() {
			for _, err := range invitationsOf(s.client(t)).size(7).prefetch(2).pages(t.Context()) {
				require.NoError(t, err)
				panic("mine")
			}
		})
	})
}

func TestPagerWhoseContextEndsWhileReadingAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf("page", 70)
		cause := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		var failures []error
		pages := 0
		for _, err := range invitationsOf(s.client(t)).size(7).prefetch(2).pages(ctx) {
			if err != nil {
				failures = append(failures, err)
				continue
			}
			if pages++; pages == 2 {
				synctest.Wait()
				cancel(cause)
			}
		}
		require.Len(t, failures, 1)
		require.ErrorIs(t, failures[0], context.Canceled)
		require.ErrorIs(t, failures[0], cause)
		assert.Equal(t, 4, pages) // Two had been read ahead.
		assert.Equal(t, 4, s.requests())
	})
}

func TestPagerWhoseContextHadEnded(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, ahead := range []int{0, 1} {
		s := newShelf("page", 70)
		got, err := invitationsOf(s.client(t)).prefetch(ahead).collect(ctx)
		require.ErrorIs(t, err, context.Canceled)
		assert.Empty(t, got)
		assert.Zero(t, s.requests())
	}
}

// Raw replies are captured page by page, but not while reading ahead, where
// another goroutine would write them.
func TestPagerCapturesRawReplies(t *testing.T) {
	s := newShelf("page", 20)
	for _, ahead := range []int{0, 1} {
		s.forget()
		var raw hiring.Response
		n := 0
		for _, err := range invitationsOf(s.client(t)).size(10).prefetch(ahead).pages(hiring.WithResponse(t.Context(), &raw)) {
			require.NoError(t, err)
			if n++; ahead > 0 {
				assert.Zero(t, raw)
				continue
			}
			assert.Equal(t, fmt.Sprintf("item-%d", 10*n-9), firstID(t, raw.Body))
		}
		assert.Equal(t, 2, n)
	}
}

func TestPagerWarnsOncePerWalkOfOddSizes(t *testing.T) {
	for _, c := range []struct {
		name     string
		list     func(*hiring.Client) anyPager
		style    string
		size     int
		served   int // Items a page.
		pageSize bool
		want     string
	}{
		{"smaller, and it says so", invitationsOf, "page", 30, 20, true, "asked for pages of 30 items and got 20: Dialect.PageSizeParam may be wrong"},
		{"smaller, and it does not say so", submissionsOf, "cursor", 30, 20, false, "asked for pages of 30 items and got 20: Dialect.PageSizeParam may be wrong"},
		{"larger", submissionsOf, "cursor", 10, 20, false, "asked for pages of 10 items and got 20: Dialect.PageSizeParam may be wrong"},
		{"larger than one", submissionsOf, "cursor", 1, 2, false, "asked for pages of 1 items and got 2: Dialect.PageSizeParam may be wrong"},
		{"of a log", eventsOf, "seq", 30, 20, false, "asked for pages of 30 items and got 20: Dialect.EventPageSizeParam may be wrong"},
		{"as asked", invitationsOf, "page", 20, 20, true, ""},
		{"as asked, by cursor", submissionsOf, "cursor", 20, 20, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newShelf(c.style, 70)
			s.spoil = served(c.style, c.served, c.pageSize)
			var warnings []string
			client := s.client(t, hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
				if e.Warning != "" {
					warnings = append(warnings, e.Warning)
				}
			}))
			for range 2 { // Each walk warns.
				warnings = nil
				got, err := c.list(client).size(c.size).collect(t.Context())
				require.NoError(t, err)
				assert.Equal(t, upTo(70), got)
				if c.want == "" {
					assert.Empty(t, warnings)
				} else {
					assert.Equal(t, []string{c.want}, warnings)
				}
			}
		})
	}
}

// What tells of an odd size besides the number of items.
func TestPagerWarnsByWhatThePageSays(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(int, url.Values, *shelfPage)
		want  string
	}{
		{"a short list whose page says another size", set("page_size", 20), "asked for pages of 10 items and got 20"},
		{"fewer items than the page says", func(_ int, _ url.Values, p *shelfPage) { p.meta["has_more"] = true }, "asked for pages of 10 items and got 3"},
		{"an empty page before others", func(n int, _ url.Values, p *shelfPage) {
			if p.meta["has_more"] = n == 1; n == 1 {
				p.items = nil
			}
		}, ""},
		{"a short page at the end", without("page_size"), ""},
	} {
		s := newShelf("page", 3)
		s.spoil = c.spoil
		var warning string
		client := s.client(t, hiring.WithObserver(func(_ context.Context, e hiring.Exchange) { warning += e.Warning }))
		_, err := invitationsOf(client).size(10).page(t.Context())
		require.NoError(t, err)
		if c.want == "" {
			assert.Empty(t, warning, c.name)
		} else {
			assert.Contains(t, warning, c.want, c.name)
		}
	}
}

func TestPagerDoesNotWarnOfShortLists(t *testing.T) {
	for _, list := range append(shelfLists, shelfList{"members", "plain", 0, membersOf}) {
		for _, n := range []int{0, 1, 101} {
			s := newShelf(list.style, n)
			client := s.client(t, hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
				assert.Empty(t, e.Warning, list.name)
			}))
			_, err := list.open(client).collect(t.Context())
			require.NoError(t, err)
		}
	}
}
