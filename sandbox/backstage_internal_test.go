package sandbox

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestThePageSeesWhatWasAsked: also of what has lost its details.
func TestThePageSeesWhatWasAsked(t *testing.T) {
	s := New(WithDetails())
	page := stage{s}
	ask := func(key string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/account", http.NoBody)
		r.Header.Set("Authorization", "Bearer "+key)
		s.ServeHTTP(httptest.NewRecorder(), r)
	}
	news := page.News()
	require.NotNil(t, news)
	require.Equal(t, news, page.News(), "one for all who wait")
	for _, key := range []string{TestKey, "wrong", TestKey} {
		ask(key)
	}
	_, open := <-news
	assert.False(t, open, "there was a change")

	s.journal.forget(s.journal.ring[1])
	shown, more := page.Page(0, 3, func(Entry) bool { return true })
	require.Len(t, shown, 3)
	assert.False(t, more)
	for i, e := range shown {
		assert.Equal(t, 3-i, e.Detail.Number)
		assert.Equal(t, i == 1, e.Detail.RequestID == "", "of the one that was forgotten there is the number alone")
	}
	var told []int
	page.Each(func(_ time.Time, _ Class, status int, _ *Detail) { told = append(told, status) })
	assert.Equal(t, []int{200, 401, 200}, told)
}

// TestThePageSeesUntilWhenAnAddressIsThrottled, and nothing where none is.
func TestThePageSeesUntilWhenAnAddressIsThrottled(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	s := New(WithClock(func() time.Time { return now }))
	until := func() time.Time { return stage{s}.State().ThrottledUntil }
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
