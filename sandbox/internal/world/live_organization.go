package world

import (
	"slices"
	"time"
)

// Organization is the data that live keys of one organization see. It keeps what is
// written.
type Organization struct {
	records

	live              *Live
	name              string
	now               time.Time                      // The latest time of advance.
	allAssessments    map[string]*Record[Assessment] // Including deleted ones.
	candidates        map[string]*candidate          // By invitation.
	candidatesInOrder []*candidate                   // The same, oldest first.
	scoreCounts       [maxScore + 1]int              // Number of evaluated submissions by ship score.
	evaluatedCount    int
	dueSteps          []step       // Steps of the timeline and time limits, in order.
	awaitingPolls     []*candidate // Candidates whose evaluation depends on polls.
	mails             []Mail

	ownChallenges bool // The challenges differ from those of the sample data.
}

// advance makes the steps that were due until now, each at its own time.
func (o *Organization) advance(now time.Time) *Organization {
	o.now = now
	o.runDue(now)
	now = now.UTC()
	month := MomentOf(time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC))
	if month > o.account.Value.Usage.PeriodStart {
		o.account.Value.Usage.PeriodStart = month
		o.account.Value.Usage.AssessmentsUsed = 0
	}
	return o
}

// SetPlan sets the used invitations of the current period, the limit, and whether the
// limit prevents invitations. Nil leaves a value.
func (o *Organization) SetPlan(used, limit *int, enforced *bool) {
	account := &o.account.Value
	if used != nil {
		account.Usage.AssessmentsUsed = *used
	}
	if limit != nil {
		account.Usage.AssessmentsLimit = *limit
	}
	if enforced != nil {
		account.Plan.LimitsEnforced = *enforced
	}
}

// AddAssessment adds an active assessment of the challenge with an id, or of the first
// challenge.
func (o *Organization) AddAssessment(name, challengeID string) (id string) {
	challenge, at := o.challenges.Find(challengeID), MomentOf(o.now)
	if challenge == nil {
		challenge = o.challenges.Newest(0)
	}
	id = o.live.NewID()
	o.SaveAssessment(Assessment{
		ID: id, Name: name, ChallengeID: challenge.ID, Status: "active", TimeLimitMinutes: challenge.Value.TimeLimitMinutes,
		CreatedAt: at, UpdatedAt: at,
	})
	return id
}

// AnyAssessment returns an assessment, even if it was deleted.
func (o *Organization) AnyAssessment(id string) *Record[Assessment] { return o.allAssessments[id] }

// MayInvite reports whether the plan has invitations left.
func (o *Organization) MayInvite(string) bool {
	usage := &o.account.Value.Usage
	return !o.account.Value.Plan.LimitsEnforced || usage.AssessmentsUsed < usage.AssessmentsLimit
}

// MayChange reports whether an invitation can be sent again or revoked: until the attempt
// begins or the invitation is revoked.
func (o *Organization) MayChange(i *Record[Invitation]) bool {
	c := o.candidates[i.ID]
	return c.stage < started && !c.revoked
}

// SaveAssessment stores a new or changed assessment.
func (o *Organization) SaveAssessment(a Assessment) *Record[Assessment] {
	if known := o.assessments.Find(a.ID); known != nil {
		known.Value = a
		return known
	}
	created := newRecord(a.ID, a.CreatedAt, a)
	o.assessments.add(created)
	o.allAssessments[a.ID] = created
	o.invitations[a.ID] = newCollection[*Record[Invitation]](0)
	return created
}

// DeleteAssessment removes an assessment from all listings. Its invitations remain valid.
func (o *Organization) DeleteAssessment(a *Record[Assessment]) { o.assessments.remove(a) }

// SaveInvitation stores a new invitation. It uses one invitation of the plan.
func (o *Organization) SaveInvitation(i Invitation) *Record[Invitation] {
	o.account.Value.Usage.AssessmentsUsed++
	o.mail(&i, i.CreatedAt, false)
	assessment := o.allAssessments[i.AssessmentID]
	c := &candidate{
		organization: o, number: len(o.candidates) + 1, assessment: assessment, invitation: newRecord(i.ID, i.CreatedAt, i),
		challenge: o.challenges.Find(assessment.Value.ChallengeID),
	}
	o.candidates[i.ID] = c
	o.candidatesInOrder = append(o.candidatesInOrder, c)
	o.invitations[assessment.ID].add(c.invitation)
	c.schedule(opened, i.CreatedAt)
	return c.invitation
}

// ResendInvitation sends an invitation again.
func (o *Organization) ResendInvitation(i *Record[Invitation], at Moment) *Record[Invitation] {
	i.Value = i.Value.resent(at)
	o.candidates[i.ID].resent = true
	o.mail(&i.Value, at, true)
	return i
}

// RevokeInvitation revokes an invitation.
func (o *Organization) RevokeInvitation(i *Record[Invitation]) *Record[Invitation] {
	o.candidates[i.ID].revoked = true
	i.Value.Status = "revoked"
	return i
}

// CountPoll counts a poll of a submission whose evaluation depends on polls.
func (o *Organization) CountPoll(a *Attempt) { a.grading.(*candidate).countPoll(o.now) }

// CountListing counts a listing of evaluated submissions as a poll of each submission of
// the assessment, because a client that polls by listings reads no single submission.
func (o *Organization) CountListing(assessmentID string) {
	o.awaitingPolls = slices.DeleteFunc(o.awaitingPolls, func(c *candidate) bool {
		if assessmentID == "" || assessmentID == c.assessment.ID {
			c.countPoll(o.now)
		}
		return c.stage == evaluated
	})
}
