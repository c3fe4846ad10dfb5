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
		"created":    {world.Filter{BySince: true, Since: since, SinceMilestone: world.Created}, func(a *world.Attempt) bool { return a.Created >= since }},
		"submitted":  {world.Filter{BySince: true, Since: since, SinceMilestone: world.Submitted}, func(a *world.Attempt) bool { return a.Value.SubmittedAt != nil && *a.Value.SubmittedAt >= since }},
		"evaluated":  {world.Filter{BySince: true, Since: since, SinceMilestone: world.Evaluated}, func(a *world.Attempt) bool { return a.Value.EvaluatedAt != nil && *a.Value.EvaluatedAt >= since }},
	} {
		got, _ := all.Page(nil, all.Len(), c.filter)
		want := pick(c.keep)
		assert.NotEmpty(t, want, name)
		assert.Less(t, len(want), all.Len(), name)
		assert.Equal(t, want, got, name)
	}
}

// byOneClock returns live data with candidates out of order: the second began before the
// first, which was submitted last and evaluated first.
func byOneClock(t *testing.T) (all *world.AttemptList, first, second, third string) {
	t.Helper()
	l, o, id := invited(world.Timeline{})
	posting := o.Assessments().Newest(0).ID
	begin := func(invitation string, hour int) string {
		submission, err := l.Begin(invitation, noon.Add(time.Duration(hour)*time.Minute))
		require.NoError(t, err)
		return submission
	}
	another := func() string {
		other, err := l.Invite(posting, "b@candidates.test", "B", noon)
		require.NoError(t, err)
		return other
	}
	first = begin(id, 3)
	second, third = begin(another(), 1), begin(another(), 2)
	for hour, submission := range []string{second, first} {
		require.NoError(t, l.Submit(submission, noon.Add(time.Duration(10+hour)*time.Minute)))
	}
	for hour, submission := range []string{first, second} {
		require.NoError(t, l.Evaluate(submission, noon.Add(time.Duration(20+hour)*time.Minute), world.Result{ShipScore: 50}))
	}
	return o.Submissions(), first, second, third
}

func idsOf(page []*world.Attempt) (ids []string) {
	for _, a := range page {
		ids = append(ids, a.ID)
	}
	return ids
}

// TestOrdersOfSubmissions checks the order by creation and by other times, page by page,
// with filters, and after the clock was set back.
func TestOrdersOfSubmissions(t *testing.T) {
	all, first, second, third := byOneClock(t)
	for name, c := range map[string]struct {
		filter world.Filter
		want   []string
	}{
		"created":   {world.Filter{}, []string{first, third, second}},
		"said so":   {world.Filter{OrderBy: world.Created}, []string{first, third, second}},
		"submitted": {world.Filter{OrderBy: world.Submitted}, []string{first, second, third}},
		"evaluated": {world.Filter{OrderBy: world.Evaluated}, []string{second, first, third}},
		"begun":     {world.Filter{ByStatus: true, Status: "started"}, []string{third}},
		"some":      {world.Filter{OrderBy: world.Evaluated, ByStatus: true, Status: "evaluated"}, []string{second, first}},
		"since":     {world.Filter{BySince: true, SinceMilestone: world.Submitted, Since: world.MomentOf(noon.Add(11 * time.Minute))}, []string{first}},
	} {
		whole, next := all.Page(nil, 3, c.filter)
		assert.Equal(t, c.want, idsOf(whole), name)
		assert.Nil(t, next, name)
		var from *world.Position
		for i, want := range c.want {
			var page []*world.Attempt
			page, from = all.Page(from, 1, c.filter)
			assert.Equal(t, []string{want}, idsOf(page), name)
			assert.Equal(t, i < len(c.want)-1, from != nil, name)
		}
	}
}

// TestListingsThatLag checks that later evaluations are not visible.
func TestListingsThatLag(t *testing.T) {
	all, first, second, _ := byOneClock(t)
	evaluated := world.Filter{ByStatus: true, Status: "evaluated", Lagging: true}
	for minute, want := range map[int][]string{19: nil, 20: {first}, 21: {first, second}} {
		evaluated.ListedUntil = world.MomentOf(noon.Add(time.Duration(minute) * time.Minute))
		page, _ := all.Page(nil, 3, evaluated)
		assert.Equal(t, want, idsOf(page), minute)
	}
	behind := world.Filter{ByStatus: true, Status: "submitted", Lagging: true, ListedUntil: world.MomentOf(noon)}
	page, _ := all.Page(nil, 3, behind)
	require.Equal(t, []string{first, second}, idsOf(page))
	for _, a := range page {
		assert.Nil(t, a.Value.EvaluatedAt)
		assert.False(t, a.Report().Evaluated)
		_, ranked := a.Rank()
		assert.False(t, ranked)
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
	for i := range w.Invitations("a0000000-0000-4000-8000-000000000001").All() {
		assert.True(t, w.MayChange(i), "with any status, because nothing is stored")
		value := i.Value
		assert.Equal(t, "revoked", w.RevokeInvitation(i).Value.Status)
		assert.Equal(t, noon.Add(world.InvitationLifetime), w.ResendInvitation(i, world.MomentOf(noon)).Value.ExpiresAt.Time())
		assert.Equal(t, value, i.Value)
	}
	lagging, _ := w.Submissions().Page(nil, 1, world.Filter{ByStatus: true, Status: "evaluated", Lagging: true})
	assert.Len(t, lagging, 1, "listings show all evaluations")
	assert.Equal(t, before, w.Assessments().Len())
	assert.Nil(t, w.AnyAssessment("new"))
	assert.False(t, w.MayInvite(strings.ToUpper("plan-limit@sandbox.test")))
	assert.True(t, w.MayInvite("ada@candidates.test"))
}
