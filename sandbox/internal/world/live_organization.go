package world

import (
	"strings"
	"time"
)

// Organization is the data that the keys of one organization see. It keeps what is written,
// unless it is the sample data.
type Organization struct {
	Account     *Record[Account]                 // The invitations change its usage.
	Members     *Collection[*Record[Member]]     // They never change.
	Challenges  *Collection[*Record[Challenge]]  // They never change, and live organizations share them.
	Assessments *Collection[*Record[Assessment]] // Those that were not deleted.
	Submissions *AttemptList                     // Of all assessments.

	invitations       map[string]*Collection[*Record[Invitation]] // By assessment.
	name              string
	live              *Live
	sample            bool                           // Writes change nothing, and the clock does not matter.
	now               Moment                         // The latest time of advance.
	allAssessments    map[string]*Record[Assessment] // Including deleted ones.
	candidates        map[string]*candidate          // By invitation.
	candidatesInOrder []Candidate                    // The same, oldest first.
	invitationCounts  map[string]int                 // Invitations of an address to an assessment, by candidate.addressKey.
	scoreCounts       [MaxScore + 1]int              // Number of evaluated submissions by ship score.
	evaluatedCount    int
	dueSteps          []step // Steps of the timeline and time limits, in order.
	mails             []Mail
}

// Mail is an invitation e-mail that the live data sent.
type Mail struct {
	AssessmentID string    `json:"assessment_id"`
	InvitationID string    `json:"invitation_id"`
	Email        string    `json:"email"`
	Name         string    `json:"name"`
	Organization string    `json:"organization"`
	At           time.Time `json:"at"`
	Resent       bool      `json:"resent"` // Sent by a resend.
}

// mail records an invitation e-mail.
func (o *Organization) mail(i *Invitation, at Moment, resent bool) {
	o.mails = append(o.mails, Mail{i.AssessmentID, i.ID, i.CandidateEmail, i.CandidateName, o.name, at.Time(), resent})
}

// emptyOrganization returns an organization with an account only.
func emptyOrganization(name string, profile Account, l *Live) *Organization {
	return &Organization{
		name: name, live: l, Account: newRecord(profile.ID, profile.CreatedAt, profile),
		Members: newCollection[*Record[Member]](3), Challenges: newCollection[*Record[Challenge]](0), Assessments: newCollection[*Record[Assessment]](0),
		invitations: make(map[string]*Collection[*Record[Invitation]]), Submissions: &AttemptList{*newCollection[*Attempt](0)},
		allAssessments: make(map[string]*Record[Assessment]), candidates: make(map[string]*candidate), invitationCounts: make(map[string]int),
	}
}

// find returns the candidate with an invitation or a submission, or nil.
func (o *Organization) find(id string) *candidate {
	if a := o.Submissions.Find(id); a != nil {
		return a.candidate
	}
	return o.candidates[id]
}

// Invitations returns the invitations of one assessment.
func (o *Organization) Invitations(assessmentID string) *Collection[*Record[Invitation]] {
	return o.invitations[assessmentID]
}

// advance makes the steps that were due until now, each at its own time.
func (o *Organization) advance(now time.Time) *Organization {
	o.now = MomentOf(now)
	o.runDue(o.now)
	if month := monthOf(now, 0); month > o.Account.Value.Usage.PeriodStart {
		o.Account.Value.Usage.PeriodStart = month
		o.Account.Value.Usage.AssessmentsUsed = 0
	}
	return o
}

// monthOf returns the beginning of the month so many months after a time: a period of a plan.
func monthOf(at time.Time, months time.Month) Moment {
	at = at.UTC()
	return MomentOf(time.Date(at.Year(), at.Month()+months, 1, 0, 0, 0, 0, time.UTC))
}

// SetPlan sets the used invitations of the current period and the limit. A limit below zero
// is not enforced.
func (o *Organization) SetPlan(used, limit int) {
	account := &o.Account.Value
	account.Usage.AssessmentsUsed, account.Plan.LimitsEnforced = used, limit >= 0
	if limit >= 0 {
		account.Usage.AssessmentsLimit = limit
	}
}

// AddAssessment adds an active assessment of the first challenge.
func (o *Organization) AddAssessment(name string) (id string) {
	challenge, at := o.Challenges.Newest(0), o.now
	id = o.live.NewID()
	o.SaveAssessment(Assessment{
		ID: id, Name: name, ChallengeID: challenge.ID, Status: "active", TimeLimitMinutes: challenge.Value.TimeLimitMinutes,
		CreatedAt: at, UpdatedAt: at, byTest: true,
	})
	return id
}

// AnyAssessment returns an assessment, even if it was deleted.
func (o *Organization) AnyAssessment(id string) *Record[Assessment] { return o.allAssessments[id] }

// Subject returns the address of a candidate or the name of an assessment, by an id. It is empty
// for an unknown id.
func (o *Organization) Subject(id string) string {
	if c := o.find(id); c != nil {
		return c.person.Email
	}
	if a := o.AnyAssessment(id); a != nil {
		return a.Value.Name
	}
	return ""
}

// planLimitEmail is the address for which the sample data's plan has no invitations left.
const planLimitEmail = "plan-limit@sandbox.test"

// MayInvite reports whether the plan has an invitation left.
func (o *Organization) MayInvite(email string) bool {
	if o.sample {
		return !strings.EqualFold(email, planLimitEmail)
	}
	usage := &o.Account.Value.Usage
	return !o.Account.Value.Plan.LimitsEnforced || usage.AssessmentsUsed < usage.AssessmentsLimit
}

// MayChange reports whether an invitation can be sent again or revoked: until the attempt
// begins or the invitation is revoked.
func (o *Organization) MayChange(i *Record[Invitation]) bool {
	return o.sample || o.candidates[i.ID].checkUnused() == nil
}

const statusRevoked = "revoked"

// SaveAssessment stores a new or changed assessment.
func (o *Organization) SaveAssessment(a Assessment) *Record[Assessment] {
	if known := o.Assessments.Find(a.ID); known != nil && !o.sample {
		known.Value = a
		return known
	}
	saved := newRecord(a.ID, a.CreatedAt, a)
	if !o.sample {
		o.addAssessment(saved)
	}
	return saved
}

func (o *Organization) addAssessment(created *Record[Assessment]) {
	o.Assessments.add(created)
	o.allAssessments[created.ID] = created
	o.invitations[created.ID] = newCollection[*Record[Invitation]](0)
}

// DeleteAssessment removes an assessment from all listings. Its invitations remain valid.
func (o *Organization) DeleteAssessment(a *Record[Assessment]) {
	if !o.sample {
		o.Assessments.remove(a)
	}
}

// Invite sends an invitation. It uses one invitation of the plan.
func (o *Organization) Invite(id string, assessment *Record[Assessment], who Person, at Moment) *Record[Invitation] {
	i := newInvitation(id, assessment.ID, who, at)
	if !o.sample {
		o.Account.Value.Usage.AssessmentsUsed++
		o.mail(&i.Value, at, false)
		o.addCandidate(i)
	}
	return i
}

func newInvitation(id, assessmentID string, who Person, at Moment) *Record[Invitation] {
	return newRecord(id, at, Invitation{
		ID: id, AssessmentID: assessmentID, CandidateEmail: who.Email, CandidateName: who.Name, Status: Stages[Sent],
		RecruiterDecision: "none", SentAt: &at, ExpiresAt: at.plus(InvitationLifetime), CreatedAt: at,
	})
}

// addCandidate adds the candidate of a new invitation.
func (o *Organization) addCandidate(i *Record[Invitation]) *candidate {
	assessment := o.allAssessments[i.Value.AssessmentID]
	c := &candidate{
		organization: o, number: len(o.candidates) + 1, assessment: assessment, invitation: i,
		challenge: o.Challenges.Find(assessment.Value.ChallengeID), person: Person{i.Value.CandidateEmail, i.Value.CandidateName},
	}
	o.candidates[i.ID] = c
	o.candidatesInOrder = append(o.candidatesInOrder, Candidate{c})
	o.invitationCounts[c.addressKey()]++
	o.invitations[assessment.ID].add(i)
	o.dueSteps = c.scheduled(o.dueSteps, Sent, i.Created)
	c.changed()
	return c
}

// ResendInvitation sends an invitation again. One that was opened keeps the time of its
// first sending, which must be before the opening.
func (o *Organization) ResendInvitation(i *Record[Invitation], at Moment) *Record[Invitation] {
	resent := i.Value
	if resent.OpenedAt == nil {
		resent.SentAt = &at
	}
	resent.ExpiresAt = at.plus(InvitationLifetime)
	if !o.sample {
		o.mail(&resent, at, true)
	}
	return o.changed(i, resent)
}

// RevokeInvitation revokes an invitation.
func (o *Organization) RevokeInvitation(i *Record[Invitation]) *Record[Invitation] {
	revoked := i.Value
	revoked.Status = statusRevoked
	if !o.sample {
		o.candidates[i.ID].revokedAt = new(o.now)
	}
	return o.changed(i, revoked)
}

// changed returns an invitation's record with a new value. That of the sample data is a copy.
func (o *Organization) changed(i *Record[Invitation], value Invitation) *Record[Invitation] {
	if o.sample {
		return newRecord(i.ID, i.Created, value)
	}
	i.Value = value
	o.candidates[i.ID].changed()
	return i
}
