package sandbox_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// threeAttempts are submissions of the live data, begun, submitted and evaluated a
// minute apart: the first to begin is submitted last and evaluated first.
func threeAttempts(t *testing.T, options ...sandbox.Option) (l live, now *time.Time, made []string) {
	t.Helper()
	at := noon
	l = liveWorld(append(options, sandbox.WithClock(func() time.Time { return at }))...)
	posting := l.assess(t)
	step := func(do func() error) {
		t.Helper()
		at = at.Add(time.Minute)
		require.NoError(t, do())
	}
	for _, who := range []string{"a@example.test", "b@example.test", "c@example.test"} {
		step(func() error {
			made = append(made, l.begin(t, l.invite(t, posting, who)))
			return nil
		})
	}
	for _, i := range []int{1, 2, 0} {
		step(func() error { return l.s.Submit(made[i]) })
	}
	for _, i := range []int{0, 2} {
		step(func() error { return l.s.Evaluate(made[i], sandbox.Result{}) })
	}
	return l, &at, made
}

func TestNewestBy(t *testing.T) {
	for by, want := range map[sandbox.SinceField][]int{
		sandbox.SinceCreated: {2, 1, 0}, sandbox.SinceSubmitted: {0, 2, 1}, sandbox.SinceEvaluated: {2, 0, 1},
	} {
		l, _, made := threeAttempts(t, sandbox.WithNewestBy(by))
		var expected, walked []string
		for _, i := range want {
			expected = append(expected, made[i])
		}
		assert.Equal(t, expected, ids(t, l.get(t, "/submissions")), by)
		r := l.get(t, "/submissions?page_size=1")
		for walked = ids(t, r); r.Meta.NextCursor != nil; walked = append(walked, ids(t, r)...) {
			r = l.get(t, "/submissions?page_size=1&cursor="+*r.Meta.NextCursor)
		}
		assert.Equal(t, expected, walked, by)
	}
	assert.PanicsWithValue(t, `sandbox: WithNewestBy: newest_by: must be created, submitted or evaluated, not "begun"`, func() { sandbox.WithNewestBy("begun") })
}

// TestListingLag checks that a listing lags behind and a single read does not.
func TestListingLag(t *testing.T) {
	l, now, made := threeAttempts(t, sandbox.WithListingLag(30*time.Second), sandbox.WithNewestBy(sandbox.SinceEvaluated))
	assert.Equal(t, []string{made[0]}, ids(t, l.get(t, "/submissions?status=evaluated")), "a minute ago")
	assert.Equal(t, []string{made[2], made[1]}, ids(t, l.get(t, "/submissions?status=submitted")))
	first := into[[]object](t, l.get(t, "/submissions"))[1]
	assert.Equal(t, made[2], first["id"])
	assert.Equal(t, "submitted", first["status"])
	assert.Nil(t, first["evaluated_at"])
	assert.Equal(t, false, first["report"].(object)["evaluated"])
	single := into[object](t, l.get(t, "/submissions/"+made[2]))
	assert.Equal(t, "evaluated", single["status"])
	assert.Equal(t, true, single["report"].(object)["evaluated"])
	*now = now.Add(30 * time.Second)
	assert.Equal(t, []string{made[2], made[0]}, ids(t, l.get(t, "/submissions?status=evaluated")))
	assert.PanicsWithValue(t, "sandbox: WithListingLag(-1s): listing_lag: must not be negative", func() { sandbox.WithListingLag(-time.Second) })
}

func TestPageCap(t *testing.T) {
	l, _, made := threeAttempts(t, sandbox.WithPageCap(2))
	r := l.get(t, "/submissions?page_size=100")
	assert.Equal(t, []string{made[2], made[1]}, ids(t, r))
	assert.True(t, *r.Meta.HasMore)
	rest := l.get(t, "/submissions?page_size=100&cursor="+*r.Meta.NextCursor)
	assert.Equal(t, []string{made[0]}, ids(t, rest))
	assert.Len(t, ids(t, l.get(t, "/submissions?page_size=1")), 1)
	l.get(t, "/submissions?page_size=101").invalid(t, "page_size")
	assert.PanicsWithValue(t, "sandbox: WithPageCap(-1): page_cap: must not be negative", func() { sandbox.WithPageCap(-1) })
}
