package compare

import (
	"bytes"
	"context"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
)

// slow is a transport whose responses take their time.
type slow struct {
	*longLog
	latency time.Duration
}

func (s slow) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(s.latency)
	return s.longLog.RoundTrip(r)
}

const pagesAhead = 50

// readPages reads so many pages of a longer log, with work to do on each, and
// returns what that took and how many requests were made.
func readPages(t *testing.T, prefetch, pages int) (took time.Duration, requests int) {
	p, err := newPage()
	require.NoError(t, err)
	synctest.Test(t, func(t *testing.T) {
		log := &longLog{page: p, events: pagesAhead * pageOfEvents}
		client, err := hiring.New("https://hiring.test", apiKey,
			hiring.WithHTTPClient(&http.Client{Transport: slow{log, 20 * time.Millisecond}}),
			hiring.WithObserver(func(context.Context, hiring.Exchange) {}),
			hiring.WithLogger(slog.New(slog.DiscardHandler)))
		require.NoError(t, err)
		start := time.Now()
		left := pages
		for page, err := range client.Events.List(submissionID, hiring.EventFilter{}).Prefetch(prefetch).Pages(t.Context()) {
			require.NoError(t, err)
			require.Len(t, page.Items, pageOfEvents)
			time.Sleep(10 * time.Millisecond)
			left--
			if left == 0 {
				break
			}
		}
		took = time.Since(start)
		synctest.Wait()
		requests = log.requests
	})
	return took, requests
}

// TestCompareReadAhead reads while the caller works: 20 ms for a response, 10 ms of
// work a page, in virtual time.
func TestCompareReadAhead(t *testing.T) {
	sequential, requests := readPages(t, 0, pagesAhead)
	require.Equal(t, pagesAhead, requests)
	ahead, requests := readPages(t, 1, pagesAhead)
	require.Equal(t, pagesAhead, requests)
	ratio := float64(sequential) / float64(ahead)
	require.GreaterOrEqual(t, ratio, 1.42)
	surplus := 0
	for pages := 1; pages <= 5; pages++ {
		_, requests := readPages(t, 1, pages)
		surplus = max(surplus, requests-pages)
	}
	require.LessOrEqual(t, surplus, 1, "the request that was under way when the loop ended")
	t.Logf("%d pages: %s one after the other, %s read ahead, %.2f times as fast; at most %d surplus request when the loop ends early",
		pagesAhead, sequential, ahead, ratio, surplus)
}

// TestCompareReadAheadOverSocket is TestCompareReadAhead in real time over loopback. The
// server delays each page, and the caller works on it for as long as its round trip takes.
func TestCompareReadAheadOverSocket(t *testing.T) {
	if !long() {
		t.Skip("takes half a minute: HIRING_LONG=1")
	}
	const pages, rounds = 60, 3
	p, err := newPage()
	require.NoError(t, err)
	for _, latency := range []time.Duration{5 * time.Millisecond, 50 * time.Millisecond} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(latency)
			after, _ := strconv.ParseInt(r.URL.Query().Get("since_seq"), 10, 64) // Absent for the first page.
			after = max(after, beforeFirst)
			text := bytes.Clone(p.Text)
			p.write(text, after, after-beforeFirst+pageOfEvents < pages*pageOfEvents)
			maps.Copy(w.Header(), p.Header)
			_, _ = w.Write(text)
		}))
		defer server.Close()
		client, err := hiring.New(server.URL, apiKey, hiring.WithHTTPClient(server.Client()))
		require.NoError(t, err)
		read := func(prefetch int, work time.Duration) time.Duration {
			start, n := time.Now(), 0
			for page, err := range client.Events.List(submissionID, hiring.EventFilter{}).Prefetch(prefetch).Pages(t.Context()) {
				require.NoError(t, err)
				require.Len(t, page.Items, pageOfEvents)
				time.Sleep(work)
				n++
			}
			require.Equal(t, pages, n)
			return time.Since(start)
		}
		var ratios []float64
		for range rounds {
			trip := read(0, 0) / pages
			sequential, ahead := read(0, trip), read(1, trip)
			ratios = append(ratios, float64(sequential)/float64(ahead))
			t.Logf("latency %s: a round trip takes %s; %d pages: %s one after the other, %s read ahead, %.2f times as fast",
				latency, trip, pages, sequential, ahead, ratios[len(ratios)-1])
		}
		slices.Sort(ratios)
		require.GreaterOrEqual(t, ratios[rounds/2], 1.8, "the first page is never read ahead")
	}
}
