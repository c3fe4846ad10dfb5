package world_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// invited returns live data with one invitation, sent at noon.
func invited(t world.Timeline) (l *world.Live, o *world.Organization, id string) {
	made := world.NewLive(world.NewSample, t)
	l = &made
	o = l.Organization("", noon)
	at := world.MomentOf(noon)
	posting := o.AddAssessment("Backend", "")
	i := o.SaveInvitation(world.Invitation{
		ID: l.NewID(), AssessmentID: posting, Status: "sent", SentAt: &at, ExpiresAt: world.MomentOf(noon.Add(world.InvitationLifetime)), CreatedAt: at,
	})
	return l, o, i.ID
}

func TestStepsByHand(t *testing.T) {
	open := func(l *world.Live, invitation string, at time.Time) error { return l.Open(invitation, at) }
	begin := func(l *world.Live, invitation string, at time.Time) error {
		_, err := l.Begin(invitation, at)
		return err
	}
	submit := func(l *world.Live, invitation string, at time.Time) error {
		_, err := l.SubmitInvited(invitation, at)
		return err
	}
	expire := func(l *world.Live, invitation string, _ time.Time) error {
		return l.Open(invitation, noon.Add(world.InvitationLifetime))
	}
	for name, c := range map[string]struct {
		steps []func(*world.Live, string, time.Time) error
		err   string // Of the last step.
		want  string // Status of the invitation.
	}{
		"opened":       {[]func(*world.Live, string, time.Time) error{open}, "", "opened"},
		"opened twice": {[]func(*world.Live, string, time.Time) error{open, open}, "the invitation was opened before", "opened"},
		"begun":        {[]func(*world.Live, string, time.Time) error{begin}, "", "started"},
		"begun twice":  {[]func(*world.Live, string, time.Time) error{begin, begin}, "the attempt has begun before", "started"},
		"not begun":    {[]func(*world.Live, string, time.Time) error{submit}, "the attempt has not begun: begin it first", "sent"},
		"handed in":    {[]func(*world.Live, string, time.Time) error{begin, submit}, "", "started"},
		"twice":        {[]func(*world.Live, string, time.Time) error{begin, submit, submit}, "the attempt was submitted before", "started"},
		"too late":     {[]func(*world.Live, string, time.Time) error{expire}, "the invitation has expired", "sent"},
	} {
		l, o, id := invited(world.Timeline{})
		var err error
		for i, step := range c.steps {
			err = step(l, id, noon.Add(time.Duration(i)*time.Hour))
			assert.True(t, i == len(c.steps)-1 || err == nil, name)
		}
		if c.err == "" {
			require.NoError(t, err, name)
		} else {
			require.EqualError(t, err, c.err, name)
		}
		posting := o.Assessments().Newest(0).ID
		assert.Equal(t, c.want, o.Invitations(posting).Find(id).Value.Status, name)
	}
	l, _, _ := invited(world.Timeline{})
	require.EqualError(t, l.Open("nobody", noon), "the live data has no such id")
	require.EqualError(t, l.Submit("nobody", noon), "the live data has no such id")
}

// TestATimelineHappensAtItsOwnTimes checks that the times do not depend on when the data
// is read.
func TestATimelineHappensAtItsOwnTimes(t *testing.T) {
	l, _, _ := invited(world.Timeline{Open: time.Hour, Begin: time.Minute, Submit: time.Hour, Evaluate: time.Second})
	assert.Equal(t, 0, l.Organization("", noon.Add(time.Hour)).Submissions().Len())
	a := l.Organization("", noon.Add(24*time.Hour)).Submissions().Newest(0)
	begun := noon.Add(time.Hour + time.Minute)
	assert.Equal(t, world.MomentOf(begun), a.Value.StartedAt)
	assert.Equal(t, world.MomentOf(begun.Add(time.Hour)), *a.Value.SubmittedAt)
	assert.Equal(t, world.MomentOf(begun.Add(time.Hour+time.Second)), *a.Value.EvaluatedAt)
	rank, ranked := a.Rank()
	assert.True(t, ranked)
	assert.Equal(t, world.Rank{Rank: 1, Total: 1}, rank)
}

func TestPollsBringTheReport(t *testing.T) {
	l, o, _ := invited(world.Timeline{Polls: 2})
	a := l.Organization("", noon).Submissions().Newest(0) // Submitted at once.
	o.CountPoll(a)
	assert.False(t, a.Report().Evaluated)
	o.CountListing("another")
	assert.False(t, a.Report().Evaluated)
	o.CountListing(a.Value.AssessmentID)
	assert.True(t, a.Report().Evaluated)
}

func TestResultsThatCannotBe(t *testing.T) {
	for problem, r := range map[string]world.Result{
		"ship_score: must be from 0 to 100":          {ShipScore: 101},
		"ship_score: must be from 0 to  100":         {ShipScore: -1},
		`low_confidence: there is no pillar "charm"`: {LowConfidence: []string{"charm"}},
		`pillars: there is no pillar "charm"`:        {Pillars: map[string]*int{"charm": new(5)}},
		"pillars.craft: must be from 0 to 100":       {Pillars: map[string]*int{"craft": new(101)}},
	} {
		require.EqualError(t, r.Check(), strings.ReplaceAll(problem, "  ", " "))
	}
	require.NoError(t, (&world.Result{ShipScore: 100, Pillars: map[string]*int{"rigor": new(0), "craft": new(100), "correctness": nil}}).Check())
}
