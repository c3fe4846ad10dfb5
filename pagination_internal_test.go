package hiring

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// endlessLog has one entry on each page.
type endlessLog struct{ n int }

func (l *endlessLog) RoundTrip(*http.Request) (*http.Response, error) {
	l.n++
	body := fmt.Sprintf(`{"data":[{"seq":%d}],"meta":{"has_more":true,"next_cursor":"%d"}}`, l.n, l.n)
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// All reads each page into the memory of the previous one. Pages of Pages belong to the
// caller.
func TestAllUsesItsMemoryAgain(t *testing.T) {
	client, err := New("https://hiring.test", "sk_test_1", WithHTTPClient(&http.Client{Transport: new(endlessLog)}))
	require.NoError(t, err)
	log := client.Events.List("s", EventFilter{})
	places := make(map[*Event]bool)
	seq := log.list.seq
	log.list.seq = func(e *Event) int64 {
		places[e] = true
		return seq(e)
	}
	for e, err := range log.All(t.Context()) {
		require.NoError(t, err)
		if e.Seq%10 == 0 {
			break
		}
	}
	assert.Len(t, places, 1, "All")
	clear(places)
	for page, err := range log.Pages(t.Context()) {
		require.NoError(t, err)
		if page.Items[0].Seq%10 == 0 {
			break
		}
	}
	assert.Len(t, places, 10, "Pages")
}
