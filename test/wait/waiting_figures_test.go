package wait_test

import (
	"cmp"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/emulator"
)

// metered counts requests.
type metered struct {
	http.RoundTripper
	requests int
}

func (m *metered) RoundTrip(r *http.Request) (*http.Response, error) {
	m.requests++
	return m.RoundTripper.RoundTrip(r)
}

// atTheEmulator is a wait at an emulated API, with its limits.
type atTheEmulator struct {
	name  string
	known bool // WaitReports of all submissions; otherwise Watch from now on.
	life  emulator.Life
	knobs emulator.Behavior
	rate  map[emulator.Since]float64 // Reads an hour, by the time that since filters on.
	p95   time.Duration              // From evaluation to delivery.
	max   time.Duration
}

// graded are lives with a grading time of about three minutes.
var graded = emulator.Life{Grading: 3 * time.Minute}

// waitsAtTheEmulator have 500 evaluations a day, unless all submissions are known.
var waitsAtTheEmulator = []atTheEmulator{
	{"known, handed in over time", true, graded, emulator.Behavior{},
		map[emulator.Since]float64{emulator.OnEvaluation: 120, emulator.OnSubmission: 120, emulator.OnCreation: 280, emulator.Ignored: 280}, 55 * time.Second, 2 * time.Minute},
	{"known, handed in at once", true, emulator.Life{}, emulator.Behavior{},
		map[emulator.Since]float64{emulator.OnEvaluation: 120, emulator.OnSubmission: 300, emulator.OnCreation: 300, emulator.Ignored: 300}, 55 * time.Second, 2 * time.Minute},
	{"watched", false, graded, emulator.Behavior{},
		map[emulator.Since]float64{emulator.OnEvaluation: 90, emulator.OnSubmission: 95, emulator.OnCreation: 160, emulator.Ignored: 160}, 55 * time.Second, 10 * time.Minute},
	{"watched, listed late", false, emulator.Life{Grading: 3 * time.Minute, Late: 0.1}, emulator.Behavior{}, nil, 15 * time.Minute, 30 * time.Minute},
	{"watched, stamped early", false, emulator.Life{Grading: 3 * time.Minute, Early: 0.1}, emulator.Behavior{}, nil, 15 * time.Minute, 30 * time.Minute},
	{"watched, an exclusive since", false, graded, emulator.Behavior{Exclusive: true}, nil, time.Minute, 2 * time.Minute},
	{"watched, pages of 25", false, graded, emulator.Behavior{PageSize: 25}, nil, time.Minute, 2 * time.Minute},
	{"watched, half of the quota", false, graded, emulator.Behavior{Rivals: 500}, nil, 2 * time.Minute, 10 * time.Minute},
	{"watched, reports a minute late", false, graded, emulator.Behavior{Lag: time.Minute}, nil, 5 * time.Minute, 10 * time.Minute},
	{"watched, newest evaluated first", false, graded, emulator.Behavior{Order: emulator.NewestEvaluated}, map[emulator.Since]float64{emulator.Ignored: 350}, time.Minute, 10 * time.Minute},
	{"watched, cursors expire", false, graded, emulator.Behavior{Cursors: emulator.Expiring}, nil, time.Minute, 2 * time.Minute},
	{"watched, 20 reads a minute", false, graded, emulator.Behavior{Limit: 20, Window: time.Minute}, nil, time.Minute, 2 * time.Minute},
}

// TestClientsKeepTheFigures measures the figures of the machine with real clients. With
// HIRING_LONG it waits for a thousand reports and watches for two days, also at servers
// with unexpected behaviour.
func TestClientsKeepTheFigures(t *testing.T) {
	t.Parallel()
	waits, size, span := waitsAtTheEmulator[:3], 60, 3*time.Hour
	if os.Getenv("HIRING_LONG") != "" {
		waits, size, span = waitsAtTheEmulator, 1000, 48*time.Hour
	}
	for _, c := range waits {
		for _, on := range everySince {
			inBubble(t, c.name+"/"+on.String(), func(t *testing.T) {
				c.knobs.Since = on
				c.wait(t, size, span)
			})
		}
	}
}

func (c *atTheEmulator) wait(t *testing.T, size int, span time.Duration) {
	begun := time.Now()
	all := c.submissions(begun, size, span)
	service := emulator.New(c.knobs, 1, all)
	meter := &metered{RoundTripper: service.Transport(150 * time.Millisecond)}
	client, err := hiring.New("https://service.invalid", "sk_live_emulated", hiring.WithHTTPClient(&http.Client{Transport: meter}))
	require.NoError(t, err)
	came := make(map[string]time.Time)
	if c.known {
		for report, err := range client.Submissions.WaitReports(t.Context(), idsOf(all), hiring.WaitOptions{}) {
			require.NoError(t, err)
			came[report.SubmissionID] = time.Now()
		}
	} else {
		came = watchFor(t, client, hiring.WatchOptions{Since: begun}, span)
	}
	hours := max(1, time.Since(begun).Hours())
	var late []time.Duration
	for _, it := range all {
		ready := it.Evaluated.Add(c.knobs.Lag)
		if !c.known && (it.Evaluated.Before(begun) || it.Evaluated.IsZero() || ready.After(begun.Add(span-time.Hour))) {
			continue
		}
		if assert.Contains(t, came, it.ID, "evaluated after %s", it.Evaluated.Sub(begun)) {
			late = append(late, came[it.ID].Sub(ready))
		}
	}
	assert.Greater(t, len(late), 20)
	assert.Zero(t, service.Denied, "429")
	p95 := c.p95
	if len(late) < 100 { // With few submissions the delay is close to the longest interval.
		p95 = max(p95, 62*time.Second)
	}
	assert.LessOrEqual(t, quantile(late, 0.95), p95, "p95")
	assert.LessOrEqual(t, quantile(late, 1), c.max, "max")
	assert.LessOrEqual(t, float64(meter.requests)/hours, cmp.Or(c.rate[c.knobs.Since], 250), "reads an hour")
}

func (c *atTheEmulator) submissions(at time.Time, size int, span time.Duration) []*emulator.Submission {
	day := 24 * time.Hour
	switch {
	case !c.known:
		return emulator.Stream(1, at.Add(-5*day), 5*day+span, 500, c.life)
	case c.life.Grading == 0:
		return emulator.Batch(1, at, size, 8*time.Hour)
	}
	return emulator.ManyAttempts(1, at, size, 8*time.Hour, c.life)
}
