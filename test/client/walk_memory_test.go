package client_test

import (
	"fmt"
	"net/http"
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
		return newListResponse(r, 200, fmt.Sprintf(`{"data":[%s],"meta":{"has_more":%v,%s}}`, strings.Join(items, ","), from+100 < n, place)), nil
	})}
}

// TestIterationNeedsLittleMemory is not parallel, because it measures the heap. A list by
// page number keeps the ids that it has returned.
func TestIterationNeedsLittleMemory(t *testing.T) {
	const n = 60_000
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
		limit := uint64(6 << 20)
		if style == "page" {
			limit += uint64(150 * n)
		}
		assert.Less(t, most, limit, "bytes of heap, by %s", style)
	}
}
