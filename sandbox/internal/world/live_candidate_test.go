package world_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// TestWhoBeginsHasOpened checks that beginning also opens the invitation.
func TestWhoBeginsHasOpened(t *testing.T) {
	for _, before := range []bool{false, true} {
		l, o, id := invited(world.Timeline{})
		want := noon.Add(time.Hour)
		if before {
			want = noon
			require.NoError(t, l.Open(id, noon))
		}
		_, err := l.Begin(id, noon.Add(time.Hour))
		require.NoError(t, err)
		i := o.Invitations(o.Assessments().Newest(0).ID).Find(id).Value
		assert.Equal(t, world.MomentOf(want), *i.OpenedAt)
		assert.Equal(t, world.MomentOf(noon.Add(time.Hour)), *i.StartedAt)
	}
}

// TestUnsuccessfulLookups makes polls that cause no evaluation: without polls in the
// timeline, before the submission, and after the report.
func TestUnsuccessfulLookups(t *testing.T) {
	l, o, id := invited(world.Timeline{})
	_, err := l.Begin(id, noon)
	require.NoError(t, err)
	_, err = l.SubmitInvited(id, noon)
	require.NoError(t, err)
	a := o.Submissions().Newest(0)
	o.CountPoll(a)
	o.CountListing("")
	assert.Equal(t, "submitted", a.Value.Status)

	l, o, _ = invited(world.Timeline{Submit: time.Hour, Polls: 1})
	look := func(hour int) *world.Attempt {
		l.Organization("", noon.Add(time.Duration(hour)*time.Hour))
		a := o.Submissions().Newest(0)
		o.CountPoll(a)
		return a
	}
	assert.Equal(t, "started", look(0).Value.Status)
	assert.Equal(t, "evaluated", look(1).Value.Status)
	assert.Equal(t, world.MomentOf(noon.Add(time.Hour)), *look(2).Value.EvaluatedAt)
}

func TestTheLog(t *testing.T) {
	l, o, id := invited(world.Timeline{})
	submission, err := l.Begin(id, noon)
	require.NoError(t, err)
	a := o.Submissions().Find(submission)
	require.NoError(t, l.Append(submission, noon, "ai_prompt", "1", "2"))
	require.NoError(t, l.Append(submission, noon, "file_saved", "3"))
	require.NoError(t, l.Append(submission, noon, "ai_prompt", "4"))
	for i, e := range a.Events() {
		assert.Equal(t, int64(i+1), e.Seq)
	}
	assert.Len(t, a.Events(), 5, "with the one that it began")
	assert.Equal(t, 3, a.Report().Facts.AIExchangeCount)
	require.Error(t, l.Append("nothing", noon, "ai_prompt", "6"))
	require.Error(t, l.Evaluate("nothing", noon, world.Result{}))
}
