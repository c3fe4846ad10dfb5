package server

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestThePageShowsTheRequests includes exchanges whose details were dropped.
func TestThePageShowsTheRequests(t *testing.T) {
	s := newTest(t, func(c *Config) { c.Details = true })

	ask := func(key string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/account", http.NoBody)
		r.Header.Set("Authorization", "Bearer "+key)
		s.ServeHTTP(httptest.NewRecorder(), r)
	}
	news := s.Changes()
	require.NotNil(t, news)
	require.Equal(t, news, s.Changes(), "one for all who wait")
	for _, key := range []string{testKey, "wrong", testKey} {
		ask(key)
	}
	_, open := <-news
	assert.False(t, open, "there was a change")

	s.journal.dropDetail(s.journal.ring[1])
	shown, more := s.JournalPage(0, 3, func(Entry) bool { return true })
	require.Len(t, shown, 3)
	assert.False(t, more)
	for i, e := range shown {
		assert.Equal(t, 3-i, e.Detail.Number)
		assert.Equal(t, i == 1, e.Detail.RequestID == "", "of the one that was forgotten there is the number alone")
	}
	var told []int
	s.VisitJournal(func(e Entry) { told = append(told, e.Status) })
	assert.Equal(t, []int{200, 401, 200}, told)
}

// TestThePageShowsUntilWhenAnAddressIsThrottled checks that nothing is shown when none
// is.
func TestThePageShowsUntilWhenAnAddressIsThrottled(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	s := newTest(t, func(c *Config) { c.Clock = func() time.Time { return now } })
	until := func() time.Time { return s.Conditions().ThrottledUntil }
	for n := range throttleLimit {
		assert.Zero(t, until(), n)
		s.throttle.count("192.0.2.1", now)
	}
	end := now.Add(time.Hour)
	assert.Equal(t, end, until())
	now = end.Add(-1)
	assert.Equal(t, end, until())
	now = end
	assert.Zero(t, until(), "the window is over")
}
