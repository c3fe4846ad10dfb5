package world_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// TestThePlan checks that each invitation uses one of the plan's, and that a month later
// they are available again.
func TestThePlan(t *testing.T) {
	l, o, _ := invited(world.Timeline{})
	posting := o.Assessments().Newest(0).ID
	usage := func(at time.Time) world.Usage { return l.Organization("", at).Account().Value.Usage }
	assert.Equal(t, 1, usage(noon).AssessmentsUsed)
	o.SetPlan(new(1), new(3), nil)
	for used := 1; used < 3; used++ {
		assert.Equal(t, used, usage(noon.Add(time.Hour)).AssessmentsUsed, "a look does not change it")
		_, err := l.Invite(posting, "b@candidates.test", "B", noon)
		require.NoError(t, err)
	}
	_, err := l.Invite(posting, "b@candidates.test", "B", noon)
	require.EqualError(t, err, "the plan's invitations for this period are used up")
	assert.Equal(t, 3, usage(time.Date(2026, 5, 31, 23, 59, 59, 0, time.UTC)).AssessmentsUsed)
	june := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	assert.Equal(t, world.Usage{PeriodStart: world.MomentOf(june), AssessmentsLimit: 3}, usage(june))
}

// TestOrganizationsAreSeparate checks that ids are found in all organizations.
func TestOrganizationsAreSeparate(t *testing.T) {
	made := world.NewLive(world.NewSample, world.Timeline{})
	l := &made
	slugs, profiles := map[string]bool{}, map[string]bool{}
	for n := range 20 {
		name := fmt.Sprintf("Company %d", n)
		o := l.Organization(name, noon)
		account := o.Account().Value
		assert.Equal(t, name, account.Name)
		slugs[account.Slug], profiles[account.ID] = true, true
		posting := o.AddAssessment("Backend", "")
		invitation, err := l.Invite(posting, "b@candidates.test", "B", noon)
		require.NoError(t, err, name)
		submission, err := l.Begin(invitation, noon)
		require.NoError(t, err)
		_, handedIn := l.SubmittedAt(submission)
		assert.False(t, handedIn)
		require.NoError(t, l.Submit(submission, noon.Add(time.Duration(n)*time.Minute)))
		at, handedIn := l.SubmittedAt(submission)
		assert.True(t, handedIn)
		assert.Equal(t, world.MomentOf(noon.Add(time.Duration(n)*time.Minute)), at)
		assert.True(t, o.Submissions().Find(submission).HasArchive())
		_, ok := o.Candidate(invitation)
		assert.True(t, ok)
	}
	assert.Len(t, slugs, 20)
	assert.Len(t, profiles, 20)
	assert.Equal(t, "Sandbox Live Ltd", l.Organization("", noon).Account().Value.Name)
	_, handedIn := l.SubmittedAt("nothing")
	assert.False(t, handedIn)
}

// TestRevocableInvitations revokes invitations that have neither begun nor been revoked.
func TestRevocableInvitations(t *testing.T) {
	l, o, id := invited(world.Timeline{})
	posting := o.Assessments().Newest(0).ID
	find := func(id string) *world.Record[world.Invitation] { return o.Invitations(posting).Find(id) }
	assert.True(t, o.MayChange(find(id)))
	require.NoError(t, l.Open(id, noon))
	assert.True(t, o.MayChange(find(id)))
	_, err := l.Begin(id, noon)
	require.NoError(t, err)
	assert.False(t, o.MayChange(find(id)))
	other, err := l.Invite(posting, "b@candidates.test", "B", noon)
	require.NoError(t, err)
	o.RevokeInvitation(find(other))
	assert.False(t, o.MayChange(find(other)))
	require.EqualError(t, l.Open(other, noon), "the invitation was revoked")
}

// TestADeletedAssessment checks that it is not listed, that others are, and that it can
// still be found.
func TestADeletedAssessment(t *testing.T) {
	_, o, _ := invited(world.Timeline{})
	var ids []string
	for n := range 3 {
		ids = append(ids, o.AddAssessment(fmt.Sprint(n), ""))
	}
	o.DeleteAssessment(o.Assessments().Find(ids[1]))
	assert.Equal(t, 3, o.Assessments().Len())
	assert.Equal(t, ids[2], o.Assessments().Newest(0).ID)
	assert.Equal(t, ids[0], o.Assessments().Newest(1).ID)
	assert.Nil(t, o.Assessments().Find(ids[1]))
	assert.Equal(t, "1", o.AnyAssessment(ids[1]).Value.Name)
}

// TestDueStepsHappenInOrder checks the order by time, and by invitation at equal times.
func TestDueStepsHappenInOrder(t *testing.T) {
	l, o, _ := invited(world.Timeline{Open: time.Hour})
	posting := o.Assessments().Newest(0).ID
	for n := range 20 {
		at := noon.Add(time.Duration(n*7%20) * time.Hour)
		o.SaveInvitation(world.Invitation{
			ID: l.NewID(), AssessmentID: posting, Status: "sent", ExpiresAt: world.MomentOf(at.Add(world.InvitationLifetime)), CreatedAt: world.MomentOf(at),
		})
	}
	for n := range 20 {
		l.Organization("", noon.Add(time.Duration(n+1)*time.Hour))
		assert.Equal(t, n+2, o.CountStages("")["opened"], n)
	}

	l, o, _ = invited(world.Timeline{Begin: time.Hour})
	posting = o.Assessments().Newest(0).ID
	for n := range 20 {
		_, err := l.Invite(posting, fmt.Sprintf("%02d@candidates.test", n), "B", noon)
		require.NoError(t, err)
	}
	l.Organization("", noon.Add(time.Hour))
	last := ""
	for a := range o.Submissions().All() {
		assert.GreaterOrEqual(t, a.Value.Candidate.Email, last)
		last = a.Value.Candidate.Email
	}
	assert.Equal(t, "19@candidates.test", last)
}
