package client_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
)

func numbered(n int) []hiring.Assessment {
	items := make([]hiring.Assessment, n)
	for i := range items {
		items[i].ID = fmt.Sprint(i % 90) // Some ids repeat, which is allowed.
	}
	return items
}

func TestPagerOfGivesItsItemsInPages(t *testing.T) {
	for _, n := range []int{0, 1, 2, 99, 100, 101, 250} {
		items := numbered(n)
		for _, size := range []int{0, 1, 7, 100} {
			about := fmt.Sprintf("%d items, size %d", n, size)
			list := hiring.PagerOf(items...)
			if size > 0 {
				list = list.PageSize(size)
			}
			requirePages(t, list, items, max(size, 100*(1-min(size, 1))), about)
			for i := range 2 { // A second range starts again.
				all, err := list.Collect(t.Context())
				require.NoError(t, err, about)
				require.True(t, slices.EqualFunc(items, all, sameID), "%s, range %d", about, i)
			}
		}
	}
}

func sameID(a, b hiring.Assessment) bool { return a.ID == b.ID }

// requirePages checks that the pages are like those of an API list by page number, and
// that each token leads to the rest.
func requirePages(t *testing.T, list hiring.Pager[hiring.Assessment], items []hiring.Assessment, size int, about string) {
	t.Helper()
	number, passed := 0, 0
	for page, err := range list.Pages(t.Context()) {
		require.NoError(t, err, about)
		number++
		passed += len(page.Items)
		more := passed < len(items)
		require.Equal(t, hiring.Meta{Page: number, PageSize: size, Total: len(items), HasMore: more}, page.Meta, about)
		require.Equal(t, more, page.Next != "", about)
		require.True(t, !more || len(page.Items) == size, about)
		if more {
			rest, err := hiring.PagerOf(items...).From(page.Next).Collect(t.Context()) // The token's size takes precedence.
			require.NoError(t, err, about)
			require.True(t, slices.EqualFunc(items[passed:], rest, sameID), about)
		}
	}
	require.Equal(t, max(1, (len(items)+size-1)/size), number, about)
}

func TestPagerOfTakesThePageSizesOfTheService(t *testing.T) {
	for size, ok := range map[int]bool{-1: false, 0: false, 1: true, 100: true, 101: false, 500: false} {
		_, err := hiring.PagerOf(hiring.Member{}).PageSize(size).Page(t.Context())
		assert.Equal(t, ok, err == nil, "members by %d", size)
		assert.Equal(t, !ok, errors.Is(err, hiring.ErrInvalidInput), "members by %d", size)
	}
	page, err := hiring.PagerOf(make([]hiring.Event, 501)...).Page(t.Context())
	require.NoError(t, err)
	assert.Len(t, page.Items, 100, "events")
}

func TestPagerOfTokens(t *testing.T) {
	page, err := hiring.PagerOf(numbered(5)...).PageSize(4).Page(t.Context())
	require.NoError(t, err)
	for name, list := range map[string]interface {
		Page(context.Context) (hiring.Page[hiring.Member], error)
	}{"of another type": hiring.PagerOf(make([]hiring.Member, 9)...).From(page.Next), "nonsense": hiring.PagerOf(hiring.Member{}).From("x")} {
		_, err := list.Page(t.Context())
		require.ErrorIs(t, err, hiring.ErrInvalidInput, name)
	}
	// A token of a list that has changed resumes at its page number, as in the API's lists.
	for n, want := range map[int]int{0: 0, 4: 0, 5: 1, 6: 2, 9: 4} {
		rest, err := hiring.PagerOf(numbered(n)...).From(page.Next).Page(t.Context())
		require.NoError(t, err, n)
		assert.Len(t, rest.Items, want, n)
	}
	for number := 3; number < 7; number++ { // Of a list that was longer.
		for _, list := range []hiring.Pager[hiring.Assessment]{hiring.PagerOf(numbered(5)...).From(pagerToken(t, page.Next, number)), hiring.PagerOf(numbered(5)...).FromPage(number * number * number * number)} {
			rest, err := list.Page(t.Context())
			require.NoError(t, err, number)
			assert.Empty(t, rest.Items, number)
			assert.Empty(t, rest.Next, number)
		}
	}
	last := pagerToken(t, page.Next, math.MaxInt)
	rest, err := hiring.PagerOf(numbered(5)...).From(last).Page(t.Context())
	if err == nil { // Such a token may also be rejected.
		assert.Empty(t, rest.Items)
		assert.Empty(t, rest.Next)
	}
}

func TestPagerOfIsAValue(t *testing.T) {
	items := numbered(3)
	list := hiring.PagerOf(items...)
	items[0].ID = "changed by its owner"
	page, err := list.Page(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "0", page.Items[0].ID)
	page.Items[1].ID = "changed by a reader"
	_ = append(page.Items[:1], hiring.Assessment{ID: "appended by a reader"})
	again, err := list.Page(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"0", "1", "2"}, []string{again.Items[0].ID, again.Items[1].ID, again.Items[2].ID})
}

func TestPagerOfEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	reason := errors.New("enough")
	read := 0
	var last error
	for _, err := range hiring.PagerOf(numbered(9)...).PageSize(2).Pages(ctx) {
		last = err
		read++
		if read == 2 {
			cancel(reason)
		}
	}
	assert.Equal(t, 3, read)
	require.ErrorIs(t, last, context.Canceled)
	require.ErrorIs(t, last, reason)
	failure, ok := errors.AsType[*hiring.Error](last)
	require.True(t, ok)
	assert.Zero(t, failure.Status)
}

func TestPagerFunc(t *testing.T) {
	ctx, boom := t.Context(), errors.New("boom")
	var asked []string
	list := hiring.PagerFunc(func(_ context.Context, token string, size int) (hiring.Page[hiring.Member], error) {
		asked = append(asked, fmt.Sprint(token, " ", size))
		page := hiring.Page[hiring.Member]{Items: []hiring.Member{{ID: "always the same"}}}
		switch token {
		case "":
			page.Next = "b"
		case "b":
			page.Next = "c"
		case "stuck":
			page.Next = token
		case "broken":
			return page, boom
		}
		return page, nil
	})
	items, err := list.Collect(ctx)
	require.NoError(t, err)
	assert.Len(t, items, 3)
	assert.Equal(t, []string{" 0", "b 0", "c 0"}, asked)
	_, err = list.PageSize(500).From("any text").Page(ctx)
	require.NoError(t, err)
	assert.Equal(t, "any text 500", asked[3])
	_, err = list.From("broken").Collect(ctx)
	assert.Equal(t, boom, err)
	_, err = list.From("stuck").Page(ctx)
	require.ErrorContains(t, err, "PagerFunc: the list does not advance")
	assert.False(t, hiring.IsTransient(err))
	for name, refused := range map[string]hiring.Pager[hiring.Member]{
		"nil": hiring.PagerFunc[hiring.Member](nil), "FromPage": list.FromPage(1), "501": list.PageSize(501), "0": list.PageSize(0),
	} {
		_, err := refused.Page(ctx)
		require.ErrorIs(t, err, hiring.ErrInvalidInput, name)
	}
	assert.Len(t, asked, 6)
}

// pagerToken returns the token of another page.
func pagerToken(t *testing.T, token string, page int) string {
	t.Helper()
	return forge(t, token, map[string]any{"Page": page})
}
