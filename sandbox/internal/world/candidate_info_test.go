package world_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// TestComingSteps checks that the listed steps then happen.
func TestComingSteps(t *testing.T) {
	l, o, id := invited(world.Timeline{Open: time.Hour, Begin: time.Hour, Submit: 2 * time.Hour, Evaluate: time.Hour})
	other, err := l.Invite(o.Assessments().Newest(0).ID, "b@candidates.test", "B", noon.Add(time.Minute))
	require.NoError(t, err)
	told := func(until time.Duration) (all []string) {
		for _, c := range o.Upcoming(world.MomentOf(noon.Add(until))) {
			all = append(all, c.At.Time().Sub(noon).String()+" "+c.Kind+" "+(*c.InvitationID)[34:])
		}
		return all
	}
	assert.Empty(t, told(59*time.Minute))
	assert.Equal(t, []string{"1h0m0s opened 02", "1h1m0s opened 03", "2h0m0s started 02"}, told(2*time.Hour))
	assert.Len(t, told(1000*time.Hour), 8, "whoever begins does not expire")
	require.NoError(t, l.Open(id, noon.Add(30*time.Minute)), "the next step counts from then")
	assert.Equal(t, []string{"1h1m0s opened 03", "1h30m0s started 02"}, told(100*time.Minute))
	o.RevokeInvitation(o.Invitations(o.Assessments().Newest(0).ID).Find(other))
	assert.Equal(t, []string{"1h30m0s started 02"}, told(100*time.Minute))
	assert.Equal(t, stageCounts(1, 1, 0), o.CountStages(""))
	l.Organization("", noon.Add(6*time.Hour))
	assert.Equal(t, stageCounts(1, 0, 1), o.CountStages(""), "and so it was")
	seen := slices.Collect(o.Candidates())
	require.Len(t, seen, 2)
	assert.Equal(t, []any{id, "evaluated"}, []any{seen[0].InvitationID, seen[0].Stage})

	_, o, _ = invited(world.Timeline{})
	assert.Equal(t, []string(nil), told(29*24*time.Hour))
	assert.Equal(t, []string{"720h0m0s expires 02"}, told(30*24*time.Hour))
	o.RevokeInvitation(o.Invitations(o.Assessments().Newest(0).ID).Newest(0))
	assert.Empty(t, told(30*24*time.Hour), "a revoked invitation does not expire")
}

// TestComingStepsEnd checks the end: at a closed assessment before the
// beginning, at the end of an invitation, and at the end of the timeline.
func TestComingStepsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		timeline world.Timeline
		closed   bool
		at, want int // Hours from noon, and the steps at that time.
	}{
		"to the report":            {world.Timeline{Open: time.Hour, Begin: time.Hour, Submit: time.Hour, Evaluate: time.Hour}, false, 0, 4},
		"to the handing in":        {world.Timeline{Open: time.Hour, Begin: time.Hour, Submit: time.Hour}, false, 0, 3},
		"closed: opened, expires":  {world.Timeline{Open: time.Hour, Begin: time.Hour, Submit: time.Hour}, true, 0, 2},
		"closed: on, once begun":   {world.Timeline{Open: time.Hour, Begin: time.Hour, Submit: time.Hour}, true, 2, 1},
		"begins as it expires":     {world.Timeline{Open: time.Hour, Begin: world.InvitationLifetime - time.Hour}, false, 0, 2},
		"begins before it expires": {world.Timeline{Open: time.Hour, Begin: world.InvitationLifetime - time.Hour - time.Millisecond}, false, 0, 3},
		"expires now":              {world.Timeline{}, false, 30 * 24, 0},
		"expires soon":             {world.Timeline{}, false, 30*24 - 1, 1},
	} {
		l, o, _ := invited(c.timeline)
		posting := o.Assessments().Newest(0).Value
		l.Organization("", noon.Add(time.Duration(c.at)*time.Hour))
		if c.closed {
			posting.Status = "closed"
			o.SaveAssessment(posting)
		}
		assert.Len(t, o.Upcoming(world.MomentOf(noon.Add(1000*time.Hour))), c.want, name)
	}
	l, o, id := invited(world.Timeline{})
	_, err := l.Begin(id, noon)
	require.NoError(t, err)
	left := o.Upcoming(world.MomentOf(noon.Add(1000 * time.Hour)))
	require.Len(t, left, 1, "who has begun does not expire")
	assert.Equal(t, []any{noon.Add(75 * time.Minute), "submitted"}, []any{left[0].At.Time(), left[0].Kind}, "the time limit")
}

func TestApplicants(t *testing.T) {
	l, o, id := invited(world.Timeline{})
	first := o.Assessments().Newest(0)
	second := o.AddAssessment("Frontend", "")
	ids := []string{id}
	for _, posting := range []string{second, first.ID, first.ID} {
		invitation, err := l.Invite(posting, "b@candidates.test", "B", noon)
		require.NoError(t, err)
		ids = append(ids, invitation)
	}
	require.NoError(t, l.Open(ids[3], noon))
	assert.Equal(t, stageCounts(3, 1, 0), o.CountStages(""))
	assert.Equal(t, stageCounts(2, 1, 0), o.CountStages(first.ID))
	assert.Equal(t, stageCounts(1, 0, 0), o.CountStages(second))
	var got []string
	for who := range o.Candidates() {
		got = append(got, who.InvitationID)
		assert.False(t, who.Closed)
	}
	assert.Equal(t, ids, got, "in the order in which they were added")
	closed := first.Value
	closed.Status = "closed"
	o.SaveAssessment(closed)
	l.Organization("other", noon)
	who, ok := o.Candidate(id)
	assert.Equal(t, []any{true, true}, []any{ok, who.Closed})
	_, ok = o.Candidate("nobody")
	assert.False(t, ok)
	assert.Equal(t, []string{"", "other"}, l.Names())
}

func stageCounts(sent, opened, evaluated int) map[string]int {
	return map[string]int{"sent": sent, "opened": opened, "started": 0, "submitted": 0, "evaluated": evaluated}
}
