package operations

import (
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	hiring "github.com/hiring-assessment/hiring-go"
)

// TestADifferenceIsNamedByItsPlace checks the failure messages of the suite.
func TestADifferenceIsNamedByItsPlace(t *testing.T) {
	score, other := 5, 6
	report := func(score *int) hiring.Submission {
		return hiring.Submission{ID: "a", Report: &hiring.Report{Pillars: []hiring.Pillar{{}, {Score: score}}}}
	}
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		want, got any
		says      string
	}{
		{report(&score), report(&score), ""},
		{report(&score), report(&other), ".Report.Pillars[1].Score: want 5, got 6"},
		{report(&score), report(nil), ".Report.Pillars[1].Score: want 5, got nil"},
		{[]int{1, 2}, []int{1, 2, 3}, ": want 2 items, got 3: [1 2 3]"},
		{[]hiring.Member{{ID: "a"}}, []hiring.Member{{ID: "b"}}, "[0].ID: want a, got b"},
		{day, day.Add(time.Hour), "want 2026-03-01 00:00:00 +0000 UTC, got 2026-03-01 01:00:00 +0000 UTC"},
		{1, "1", "want 1, got 1"},
		{map[string]int{"a": 1}, map[string]int{"a": 2}, "want map[a:1], got map[a:2]"},
		{[]string(nil), []string{}, "want [], got []"},
	} {
		assert.Equal(t, c.says, differ(reflect.ValueOf(c.want), reflect.ValueOf(c.got), ""))
	}
}

func TestIsPresent(t *testing.T) {
	none, zero := (*int)(nil), 0
	for _, missing := range []any{nil, none, "", 0, []int{}, map[string]int{}, time.Time{}} {
		assert.False(t, isPresent(missing), "%#v", missing)
	}
	for _, there := range []any{&zero, "a", 1, []int{0}, map[string]int{"": 0}, time.Unix(1, 0)} {
		assert.True(t, isPresent(there), "%#v", there)
	}
}
