package hiring

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPassRemembersDisorder(t *testing.T) {
	at := time.Unix(1000, 0)
	items := func(seconds ...int) (all []Submission) {
		for _, s := range seconds {
			all = append(all, Submission{CreatedAt: at.Add(time.Duration(s) * time.Second)})
		}
		return all
	}
	var s scan
	s.pass(items(9, 9, 5))
	s.pass(items(4, 3))
	assert.Equal(t, scan{Last: at.Add(3 * time.Second)}, s)
	s.pass(items(4, 2, 1))
	assert.Equal(t, scan{Last: at.Add(time.Second), Mixed: true}, s)
}

// TestCompleted: the times are minutes; the floor is at 10, all before 20 and 30
// was listed, and the scan has seen all before 40.
func TestCompleted(t *testing.T) {
	at := func(minute int) time.Time { return time.Unix(int64(60*minute), 0) }
	type times struct{ floor, before, until int }
	for name, c := range map[string]struct {
		level   int
		meaning sinceOn
		given   func(*watchState, *scan)
		want    times
		cost    [levels]int // Afterwards.
	}{
		"increments":           {increments, sinceUnknown, nil, times{10, 30, 40}, [levels]int{3, 5, 5, 5}},
		"on evaluation":        {increments, sinceEvaluation, nil, times{30, 30, 40}, [levels]int{3, 5, 5, 5}},
		"common":               {common, sinceUnknown, nil, times{10, 20, 30}, [levels]int{5, 3, 5, 5}},
		"late":                 {late, sinceUnknown, nil, times{10, 20, 30}, [levels]int{5, 5, 3, 5}},
		"lookback":             {lookback, sinceUnknown, nil, times{40, 20, 30}, [levels]int{5, 5, 5, 3}},
		"held":                 {lookback, sinceUnknown, func(_ *watchState, s *scan) { s.Held = true }, times{10, 20, 30}, [levels]int{5, 5, 5, 3}},
		"lookback, of old":     {lookback, sinceUnknown, func(_ *watchState, s *scan) { s.Until = at(5) }, times{10, 20, 30}, [levels]int{5, 5, 5, 3}},
		"cut":                  {increments, sinceEvaluation, func(_ *watchState, s *scan) { s.Cut = at(15) }, times{40, 40, 40}, [levels]int{3, 5, 5, 5}},
		"merged with late":     {increments, sinceUnknown, func(s *watchState, i *scan) { i.Pages, s.Scans[late].Cost = 1, 1 }, times{10, 30, 40}, [levels]int{1, 5, 1, 5}},
		"merged with all":      {increments, sinceUnknown, func(s *watchState, i *scan) { i.Pages, s.Scans[lookback].Cost = 1, 1 }, times{30, 30, 40}, [levels]int{1, 5, 5, 1}},
		"no longer one page":   {increments, sinceUnknown, func(s *watchState, i *scan) { i.Pages, s.Scans[lookback].Cost = 2, 1 }, times{10, 30, 40}, [levels]int{2, 5, 5, 2}},
		"on evaluation, again": {common, sinceEvaluation, nil, times{40, 20, 30}, [levels]int{5, 3, 5, 5}},
	} {
		r := &round{state: &watchState{Floor: at(10), Before: at(20), Until: at(30)}}
		r.meaning = c.meaning
		for level := range r.state.Scans {
			r.state.Scans[level].Cost = 5
		}
		s := &r.state.Scans[c.level]
		s.Running, s.Until, s.Pages = true, at(40), 3
		if c.given != nil {
			c.given(r.state, s)
		}
		r.completed(c.level)
		minute := func(t time.Time) int { return int(t.Unix() / 60) }
		assert.Equal(t, c.want, times{minute(r.state.Floor), minute(r.state.Before), minute(r.state.Until)}, name)
		var cost [levels]int
		for level, scan := range r.state.Scans {
			cost[level] = scan.Cost
		}
		assert.Equal(t, c.cost, cost, name)
		assert.False(t, s.Running, name)
		assert.Zero(t, s.Cut, name)
	}
}

// pagesOf answers listings, and keeps what was asked.
type pagesOf struct {
	status  int
	body    string
	takes   time.Duration
	queries []string
}

func (p *pagesOf) RoundTrip(r *http.Request) (*http.Response, error) {
	p.queries = append(p.queries, r.URL.RawQuery)
	time.Sleep(p.takes)
	return &http.Response{StatusCode: p.status, Body: io.NopCloser(strings.NewReader(p.body))}, nil
}

func (p *pagesOf) round(t *testing.T) *round {
	t.Helper()
	client, err := New("https://hiring.test", "sk_test_x", WithHTTPClient(&http.Client{Transport: p}))
	require.NoError(t, err)
	r := planned(t)
	r.submissions = client.Submissions
	r.state.Account, r.state.Delivered = "a", make(deliveries)
	core := client.Submissions.core
	_, err = core.keys.use(t.Context())
	require.NoError(t, err)
	core.family.keep(core.keys.lastUsed().id, "a")
	return r
}

// TestALostCursorLeavesNoTrace: the listing from its beginning is in order.
func TestALostCursorLeavesNoTrace(t *testing.T) {
	r := (&pagesOf{}).round(t)
	since := r.now.Add(-time.Hour)
	s := &r.state.Scans[lookback]
	*s = scan{Running: true, Since: since, Token: "x", Pages: 7, Cost: 9, Last: since}
	require.NoError(t, r.page(t.Context(), lookback))
	assert.Equal(t, scan{Running: true, Since: since, Cost: 9, Credit: -1}, *s)
	s.Token = "x"
	require.ErrorIs(t, r.page(t.Context(), lookback), ErrInvalidInput, "not twice in a round")
}

// TestAPageOfAnotherAccountIsNotTaken: its key came after the round had begun.
func TestAPageOfAnotherAccountIsNotTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := (&pagesOf{status: 200, body: emptyPage}).round(t)
		r.state.Account = "b"
		require.ErrorIs(t, r.page(t.Context(), increments), errForeign)
		assert.True(t, r.state.Scans[increments].Running)
	})
}

const emptyPage = `{"data":[],"meta":{"request_id":"req_0a","has_more":false,"next_cursor":null}}`

// TestARoundWithNothingToDoIsNoMoreToRead: it would follow itself at once for ever.
func TestARoundWithNothingToDoIsNoMoreToRead(t *testing.T) {
	p := &pagesOf{status: 200, body: emptyPage}
	r := p.round(t)
	r.state.More = true
	require.NoError(t, r.run(t.Context()))
	assert.Empty(t, p.queries)
	assert.False(t, r.state.More)
	assert.GreaterOrEqual(t, r.wait(nil), 30*time.Second)
}

// TestTooManyEntriesStopOnlyWhatCanWait: on evaluation time nothing else makes
// them forgotten.
func TestTooManyEntriesStopOnlyWhatCanWait(t *testing.T) {
	for meaning, want := range map[sinceOn]int{sinceUnknown: lookback, sinceLater: lookback, sinceEvaluation: increments} {
		synctest.Test(t, func(t *testing.T) {
			p := &pagesOf{status: 200, body: emptyPage}
			r := p.round(t)
			r.state.Meaning, r.meaning, r.state.Delivered = meaning, meaning, entries(tooMany+1)
			for hash := range r.state.Delivered {
				r.state.Delivered[hash] = delivery{seconds(r.now), seconds(r.now)}
			}
			r.state.Scans[lookback].Began = r.now
			require.NoError(t, r.run(t.Context()))
			for level, scan := range r.state.Scans {
				assert.Equal(t, level == want, scan.Cost == 1, "level %d", level)
			}
		})
	}
}

// TestLookAtWhatTheListingLeavesOut: the floor is an hour ago.
func TestLookAtWhatTheListingLeavesOut(t *testing.T) {
	one := func(at string) string {
		return `{"data":{"id":"s","status":"evaluated","evaluated_at":"2026-03-01T` + at + `Z","report":{"evaluated":true}}}`
	}
	const trouble = `{"error":{"code":"INTERNAL_ERROR","message":"no","request_id":"req_0e"}}`
	for name, c := range map[string]struct {
		status int
		body   string
		cut    bool
		found  int
		held   bool
	}{
		"new":                     {200, one("11:30:00"), false, 1, false},
		"old":                     {200, one("10:59:59"), false, 0, false},
		"in trouble":              {500, trouble, false, 0, true},
		"in trouble, when cut":    {500, trouble, true, 1, false}, // What was forgotten cannot be looked at again.
		"gone since it was shown": {404, `{"error":{"code":"NOT_FOUND","message":"no","request_id":"req_0e"}}`, false, 1, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := (&pagesOf{status: c.status, body: c.body}).round(t)
			if c.cut {
				r.state.Scans[lookback].Cut = r.now
			}
			item := Submission{ID: "s", Status: SubmissionEvaluated, CreatedAt: r.now.Add(-2 * time.Hour)}
			if c.status != 200 {
				at := r.now.Add(-time.Minute)
				item.EvaluatedAt = &at
			}
			var s scan
			require.NoError(t, r.look(t.Context(), &s, &item), name)
			assert.Len(t, r.found, c.found, name)
			assert.Equal(t, c.held, s.Held, name)
			assert.Equal(t, !c.held, len(r.state.Delivered) == 1, name)
		})
	}
}

func TestWhatIsLeftToReadIsReadAtOnceButNotAfterAFailure(t *testing.T) {
	r := planned(t)
	r.state.More = true
	assert.Zero(t, r.wait(nil))
	assert.GreaterOrEqual(t, r.wait(ErrNotFound), 30*time.Second)
	r.lost = true
	assert.GreaterOrEqual(t, r.wait(nil), 30*time.Second)
}

// savedStates fails as a file does when the context has ended.
type savedStates []string

func (s *savedStates) Load(context.Context) (string, error) { return "", nil }

func (s *savedStates) Save(ctx context.Context, state string) error {
	*s = append(*s, state)
	return ctx.Err()
}

// TestWhatWasDeliveredIsSavedAfterTheEnd: once an item, the last with the round.
func TestWhatWasDeliveredIsSavedAfterTheEnd(t *testing.T) {
	r, saved := planned(t), new(savedStates)
	r.options.Checkpoint = saved
	r.state.Delivered = make(deliveries)
	before := r.state.copied(saved)
	for _, id := range []string{"a", "b"} {
		item := Submission{ID: id}
		r.state.Delivered.add(&item)
		r.found = append(r.found, item)
	}
	ctx, cancel := context.WithCancel(t.Context())
	goOn, err := r.deliver(ctx, before, func(Submission) bool {
		cancel()
		return true
	})
	require.NoError(t, err)
	assert.True(t, goOn)
	require.Len(t, *saved, 2)
	for i, text := range *saved {
		state, err := parseState(text)
		require.NoError(t, err)
		assert.Len(t, state.Delivered, i+1)
	}
}
