package world

import (
	"slices"
	"time"
)

// Organization is what live keys of one organization see: records in memory
// that keep what is written.
type Organization struct {
	records

	l          *Live
	now        time.Time                      // up to which everything has happened
	everPosted map[string]*Record[Assessment] // deleted ones too
	invitees   map[string]*candidate          // by invitation
	order      []*candidate                   // as they were invited
	scores     [maxScore + 1]int              // how many of the evaluated have each ship score
	evaluated  int
	due        steps        // what candidates will do by themselves
	waiting    []*candidate // for polls that get them their report
	delayed    []*candidate // evaluated, and the report becomes ready later
	mails      []Mail

	ownChallenges bool // whether challenges is no longer that of the sample data
}

// at brings the world to a time: what was due until then has happened, each
// thing at its own time.
func (o *Organization) at(now time.Time) *Organization {
	o.now = now
	o.settle(now)
	o.delayed = slices.DeleteFunc(o.delayed, func(c *candidate) bool {
		ready := c.ready()
		if ready {
			c.attempt.Shown = nil
		}
		return ready
	})
	now = now.UTC()
	if month := MomentOf(time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)); month > o.account.Value.Usage.PeriodStart {
		o.account.Value.Usage.PeriodStart = month
		o.use(0)
	}
	return o
}

// use says how many invitations of the plan were used.
func (o *Organization) use(invitations int) {
	o.account.Value.Usage.AssessmentsUsed, o.account.Shown = invitations, nil
}

// SetPlan says how many invitations the organization has used in the current
// period, and how many its plan allows.
func (o *Organization) SetPlan(used, limit int) {
	o.account.Value.Usage.AssessmentsLimit = limit
	o.use(used)
}

// AddAssessment makes an active assessment of a challenge: of the first that is
// listed when there is none with that id.
func (o *Organization) AddAssessment(name, challengeID string) (id string) {
	of, at := o.challenges.Find(challengeID), MomentOf(o.now)
	if of == nil {
		of = o.challenges.Newest(0)
	}
	id = o.l.NewID()
	o.SaveAssessment(Assessment{
		ID: id, Name: name, ChallengeID: of.ID, Status: "active", TimeLimitMinutes: of.Value.TimeLimitMinutes, CreatedAt: at, UpdatedAt: at,
	})
	return id
}

// Posting finds an assessment, also a deleted one.
func (o *Organization) Posting(id string) *Record[Assessment] { return o.everPosted[id] }

// MayInvite reports whether the plan has invitations left.
func (o *Organization) MayInvite(string) bool {
	usage := &o.account.Value.Usage
	return !o.account.Value.Plan.LimitsEnforced || usage.AssessmentsUsed < usage.AssessmentsLimit
}

// MayChange reports whether an invitation can be sent once more or taken back:
// until the candidate has begun, and once only taken back.
func (o *Organization) MayChange(i *Record[Invitation]) bool {
	c := o.invitees[i.ID]
	return c.stage < started && !c.revoked
}

// SaveAssessment keeps a new assessment, or a change to one.
func (o *Organization) SaveAssessment(a Assessment) *Record[Assessment] {
	if known := o.assessments.Find(a.ID); known != nil {
		known.Value, known.Shown = a, nil
		return known
	}
	made := newRecord(a.ID, a.CreatedAt, a)
	o.assessments.add(made)
	o.everPosted[a.ID] = made
	o.invitations[a.ID] = newCollection[*Record[Invitation]](0)
	return made
}

// DeleteAssessment takes an assessment out of all listings; its invitations go
// on.
func (o *Organization) DeleteAssessment(a *Record[Assessment]) { o.assessments.remove(a) }

// SaveInvitation sends a new invitation, which uses up one of the plan's, or
// keeps a change to one.
func (o *Organization) SaveInvitation(i Invitation) *Record[Invitation] {
	if known := o.invitees[i.ID]; known != nil {
		known.invitation.Value, known.invitation.Shown = i, nil
		o.mail(&i, true)
		return known.invitation
	}
	o.use(o.account.Value.Usage.AssessmentsUsed + 1)
	o.mail(&i, false)
	posting := o.everPosted[i.AssessmentID]
	c := &candidate{
		o: o, n: len(o.invitees) + 1, posting: posting, invitation: newRecord(i.ID, i.CreatedAt, i),
		challenge: o.challenges.Find(posting.Value.ChallengeID),
	}
	o.invitees[i.ID] = c
	o.order = append(o.order, c)
	o.invitations[posting.ID].add(c.invitation)
	c.schedule(opened, i.CreatedAt)
	return c.invitation
}

// RevokeInvitation takes an invitation back.
func (o *Organization) RevokeInvitation(i *Record[Invitation]) {
	o.invitees[i.ID].revoked = true
	i.Value.Status, i.Shown = "revoked", nil
}

// Polled counts a look at a submission whose report comes with polling.
func (o *Organization) Polled(a *Attempt) { a.of.(*candidate).poll(o.now) }

// PolledAll counts a listing of what is evaluated as a look at each submission
// that it could bring: who polls so never looks at any other way.
func (o *Organization) PolledAll(assessmentID string) {
	o.waiting = slices.DeleteFunc(o.waiting, func(c *candidate) bool {
		if assessmentID == "" || assessmentID == c.posting.ID {
			c.poll(o.now)
		}
		return c.stage == evaluated
	})
}
