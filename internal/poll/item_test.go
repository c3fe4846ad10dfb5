package poll_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go/internal/poll"
)

// TestReadItem has what is wrong with a submission, and what it shows nevertheless.
func TestReadItem(t *testing.T) {
	at := poll.TimeOf(time.Date(2026, 1, 2, 15, 4, 5, 0, time.UTC))
	for raw, want := range map[string]poll.Item{
		`{"id":"s","status":"grading","created_at":"2026-01-02T15:04:05Z","report":null}`:                      {ID: "s", Status: "grading", Created: at},
		`{"id":"s","status":"grading","created_at":"2026-01-02T15:04:05Z","report":{"evaluated":false}}`:       {ID: "s", Status: "grading", Created: at},
		`{"id":"s","status":"graded","evaluated_at":"2026-01-02T15:04:05Z","report":{"evaluated":true}}`:       {ID: "s", Status: poll.Finished, Evaluated: at, Ready: true},
		`{"id":"s","status":"x","created_at":"2026-01-02T15:04:05Z","submitted_at":null,"evaluated_at":"now"}`: {ID: "s", Status: "x", Created: at, Undated: true},
		`{"id":"s","status":"x","created_at":"0001-01-02T15:04:05Z"}`:                                          {ID: "s", Status: "x", Undated: true},
		`{"id":"s","status":"x","report":"A"}`:                                                                 {ID: "s", Status: poll.Finished, Undated: true, Ready: true},
		`{"id":"s","status":"x","report":{"evaluated":"yes"}}`:                                                 {ID: "s", Status: poll.Finished, Undated: true, Ready: true},
		`{"id":"s","id":"t","status":"x\ud800"}`:                                                               {ID: "t", Status: "x\uFFFD", Undated: true},
		`{"id":7,"status":null}`:                                                                               {Undated: true},
		`[]`:                                                                                                   {Status: poll.Finished, Undated: true, Ready: true},
	} {
		want.JSON = []byte(raw)
		assert.Equal(t, want, poll.ReadItem([]byte(raw)), raw)
	}
}

// TestOutage has polls that fail, each after the pause that the one before asked for, and whether they are redirected.
func TestOutage(t *testing.T) {
	const n, r = false, true
	for _, c := range []struct {
		redirected []bool
		pauses     []int // In minutes; the longest is 40.
		news       []bool
		ended      bool // The last poll ends the call.
	}{
		{[]bool{n, n, n, n, n, n, n}, []int{1, 2, 4, 8, 16, 32, 40}, []bool{r, n, n, n, n, n, r}, false},
		{[]bool{r, r, r, r, r, r, r}, []int{1, 2, 4, 8, 16, 32, 40}, []bool{r, n, n, n, n, n, r}, true},
		{[]bool{r, r, r, r, n, r, r}, []int{1, 2, 4, 8, 16, 32, 40}, []bool{r, n, n, n, n, n, r}, false},
	} {
		var o poll.Outage
		now := time.Unix(1, 0)
		for i, redirected := range c.redirected {
			assert.Equal(t, c.ended && i == len(c.redirected)-1, o.Add(now, redirected), "%d", i)
			pause := o.Pause(40 * time.Minute)
			assert.Equal(t, time.Duration(c.pauses[i])*time.Minute, pause)
			assert.Equal(t, c.news[i], o.ShouldLog(now), "%d", i)
			now = now.Add(pause)
		}
		assert.Equal(t, time.Unix(1, 0), o.Began)
	}
}
