package world_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

func TestPagesOfSubmissions(t *testing.T) {
	all := world.NewSample().Submissions()
	first, next := all.Page(nil, 2, world.Filter{})
	assert.Equal(t, &first[1].Position, next)
	assert.Equal(t, []*world.Attempt{all.Newest(0), all.Newest(1)}, first)
	second, _ := all.Page(next, 2, world.Filter{})
	assert.Equal(t, []*world.Attempt{all.Newest(2), all.Newest(3)}, second)
	rest, next := all.Page(nil, all.Len(), world.Filter{})
	assert.Len(t, rest, all.Len())
	assert.Nil(t, next)

	pick := func(keep func(*world.Attempt) bool) (want []*world.Attempt) {
		for i := range all.Len() {
			if a := all.Newest(i); keep(a) {
				want = append(want, a)
			}
		}
		return want
	}
	since := all.Newest(40).Created
	for name, c := range map[string]struct {
		filter world.Filter
		keep   func(*world.Attempt) bool
	}{
		"status":     {world.Filter{ByStatus: true, Status: "submitted"}, func(a *world.Attempt) bool { return a.Value.Status == "submitted" }},
		"assessment": {world.Filter{ByAssessment: true, AssessmentID: first[0].Value.AssessmentID}, func(a *world.Attempt) bool { return a.Value.AssessmentID == first[0].Value.AssessmentID }},
		"created":    {world.Filter{BySince: true, Since: since, On: world.Created}, func(a *world.Attempt) bool { return a.Created >= since }},
		"submitted":  {world.Filter{BySince: true, Since: since, On: world.Submitted}, func(a *world.Attempt) bool { return a.Value.SubmittedAt != nil && *a.Value.SubmittedAt >= since }},
		"evaluated":  {world.Filter{BySince: true, Since: since, On: world.Evaluated}, func(a *world.Attempt) bool { return a.Value.EvaluatedAt != nil && *a.Value.EvaluatedAt >= since }},
	} {
		got, _ := all.Page(nil, all.Len(), c.filter)
		want := pick(c.keep)
		assert.NotEmpty(t, want, name)
		assert.Less(t, len(want), all.Len(), name)
		assert.Equal(t, want, got, name)
	}
}

func TestMomentsAreWrittenWithMilliseconds(t *testing.T) {
	for want, at := range map[string]time.Time{
		"2026-05-01T10:00:00.000Z": time.Date(2026, 5, 1, 12, 0, 0, 999_999, time.FixedZone("", 7200)),
		"1969-12-31T23:59:59.999Z": time.Unix(0, -1),
	} {
		text, err := world.MomentOf(at).MarshalText()
		require.NoError(t, err)
		assert.Equal(t, want, string(text))
	}
}

func TestTestModeKeepsNothing(t *testing.T) {
	w := world.NewSample()
	before := w.Assessments().Len()
	a := w.Assessments().Newest(0)
	w.SaveAssessment(world.Assessment{ID: "new"})
	w.DeleteAssessment(a)
	w.RevokeInvitation(w.Invitations("a0000000-0000-4000-8000-000000000001").Newest(0))
	assert.Equal(t, before, w.Assessments().Len())
	assert.Nil(t, w.Posting("new"))
	assert.False(t, w.MayInvite(strings.ToUpper("plan-limit@sandbox.test")))
	assert.True(t, w.MayInvite("ada@candidates.test"))
}
