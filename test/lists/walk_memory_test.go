package lists_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

// longList serves a list of n items, which it creates when they are requested.
func longList(style string, n int) *http.Client {
	return &http.Client{Transport: apitest.RoundTripper(func(r *http.Request) (*http.Response, error) {
		q, from := r.URL.Query(), 0
		switch {
		case q.Has("page"):
			page, _ := strconv.Atoi(q.Get("page"))
			from = 100 * (page - 1)
		case q.Has("cursor"):
			from, _ = strconv.Atoi(q.Get("cursor"))
		}
		items := make([]string, min(100, n-from))
		for i := range items {
			items[i] = fmt.Sprintf(`{"id":"5b000000-0000-4000-8000-%012d"}`, from+i)
		}
		place := fmt.Sprintf(`"page":%d`, from/100+1)
		if style == "cursor" {
			place = fmt.Sprintf(`"next_cursor":"%d"`, from+100)
		}
		return apitest.NewListResponse(r, 200, fmt.Sprintf(`{"data":[%s],"meta":{"has_more":%v,%s}}`, strings.Join(items, ","), from+100 < n, place)), nil
	})}
}

// TestIterationNeedsLittleMemory is not parallel, because it measures the heap.
func TestIterationNeedsLittleMemory(t *testing.T) {
	n := 150_000
	if os.Getenv("HIRING_LONG") != "" {
		n = 1_000_000
	}
	for _, style := range []string{"page", "cursor"} {
		client, err := hiring.New(apitest.BaseURL, apitest.Key, hiring.WithHTTPClient(longList(style, n)))
		require.NoError(t, err)
		read, before, most := 0, apitest.HeapInUse(), uint64(0)
		for _, err := range client.Assessments.List().All(t.Context()) {
			require.NoError(t, err)
			read++
			if read%(n/3) == 0 {
				most = max(most, max(apitest.HeapInUse(), before)-before)
			}
		}
		require.Equal(t, n, read)
		t.Logf("%d items by %s: %.1f MiB of heap", n, style, float64(most)/(1<<20))
		assert.Less(t, most, uint64(6<<20), "bytes of heap, by %s", style)
	}
}

// TestIterationOverAListThatGrowsFast adds items between two pages, so that the next page
// repeats items, more than are remembered.
func TestIterationOverAListThatGrowsFast(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		list, more int
		ok         bool
	}{{25_000, 4000, true}, {25_000, 10_000, true}, {45_000, 40_001, false}, {45_000, 44_750, false}} {
		for _, size := range []int{100, 70} {
			s := apitest.NewListServer("page", c.list)
			at := c.list/size - 1
			s.Before = func(request int) {
				if request == at {
					var added []int
					for i := range c.more {
						added = append(added, 1_000_000+i)
					}
					s.Items = append(added, s.Items...)
				}
			}
			got, err := apitest.InvitationsOf(s.Client(t)).Size(size).Collect(t.Context())
			what := fmt.Sprintf("%d more than %d by %d", c.more, c.list, size)
			unique := slices.Clone(got)
			slices.Sort(unique)
			require.Len(t, slices.Compact(unique), len(got), "%s: an item came twice", what)
			if c.ok {
				require.NoError(t, err, what)
				old := slices.DeleteFunc(got, func(n int) bool { return n >= 1_000_000 })
				require.Equal(t, apitest.NumbersTo(c.list), old, what)
				continue
			}
			require.ErrorContains(t, err, "goes back by more than 10000 items", what)
			require.ErrorContains(t, err, "Dialect.PageParam", what)
			require.Equal(t, at, s.Requests(), "%s: ends at once", what)
		}
	}
}

// TestIterationDetectsALargeLoop repeats pages after very many others.
func TestIterationDetectsALargeLoop(t *testing.T) {
	t.Parallel()
	for _, style := range []string{"page", "cursor"} {
		s := apitest.NewListServer(style, 0)
		s.Spoil = func(n int, _ url.Values, p *apitest.ListPage) {
			p.Items = nil
			for i := range 10 {
				p.Items = append(p.Items, 10*((n-1)%2500)+i)
			}
			p.Meta["has_more"], p.Meta["next_cursor"] = n < 6000, nil
			if style == "cursor" {
				p.Meta["next_cursor"] = strconv.Itoa(n % 2500)
			}
		}
		got, err := apitest.AssessmentsOf(s.Client(t)).Size(10).Collect(t.Context())
		require.ErrorContains(t, err, "does not advance", style)
		assert.LessOrEqual(t, s.Requests(), 2501, style)
		slices.Sort(got)
		assert.Len(t, slices.Compact(slices.Clone(got)), len(got), "%s: an item came twice", style)
	}
}
