package world

import (
	"errors"
	"fmt"
	"hash/fnv"
	"time"
)

// planLimit is the default number of invitations in a period. Tests that are not about
// the limit should not reach it.
const planLimit = 2000

// Live is the data of live keys, which keeps what is written.
type Live struct {
	sample        func() *Sample
	timeline      Timeline
	organizations map[string]*Organization
	lastID        uint64
}

// NewLive returns live data without organizations. The first use of an organization
// creates it from sample. New invitations follow the timeline.
func NewLive(sample func() *Sample, t Timeline) Live { return Live{sample: sample, timeline: t} }

// NewID returns a new id. Ids are numbered, so that the same calls have the same results
// in each run.
func (l *Live) NewID() string {
	l.lastID++
	return fmt.Sprintf("f0000000-0000-4000-8000-%012x", l.lastID)
}

// SetTimeline changes the timeline. It applies to steps that are scheduled later.
func (l *Live) SetTimeline(t Timeline) { l.timeline = t }

// Remove removes an organization. Its next use creates it anew.
func (l *Live) Remove(name string) { delete(l.organizations, name) }

// Organization returns an organization at the given time. A new organization has an
// account, members and challenges.
func (l *Live) Organization(name string, now time.Time) *Organization {
	o := l.organizations[name]
	if o == nil {
		o = l.newOrganization(name)
		if l.organizations == nil {
			l.organizations = make(map[string]*Organization)
		}
		l.organizations[name] = o
	}
	return o.advance(now)
}

// newOrganization returns an organization with members and challenges like those of the
// sample data, and without assessments.
func (l *Live) newOrganization(name string) *Organization {
	sample := l.sample()
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	suffix := fmt.Sprintf("%012x", h.Sum64()&(1<<48-1))
	profile := sample.account.Value
	profile.ID, profile.Name, profile.Slug = "0c000000-0000-4000-9000-"+suffix, "Sandbox Live Ltd", "sandbox-live"
	if name != "" {
		profile.Name, profile.Slug = name, "live-"+suffix
	}
	profile.Usage = Usage{AssessmentsLimit: planLimit}
	o := &Organization{
		live: l, name: name, allAssessments: make(map[string]*Record[Assessment]), candidates: make(map[string]*candidate),
		records: records{
			account: newRecord(profile.ID, profile.CreatedAt, profile),
			members: newCollection[*Record[Member]](3), challenges: sample.challenges, assessments: newCollection[*Record[Assessment]](0),
			invitations: make(map[string]*Collection[*Record[Invitation]]), attempts: newAttemptList(0),
		},
	}
	for i, m := range sample.members.list {
		m := m.Value
		m.ID = fmt.Sprintf("de000000-0000-4000-900%d-%s", i, suffix)
		o.members.add(newRecord(m.ID, m.CreatedAt, m))
	}
	return o
}

// Conflict is an error for a step that the state does not allow.
type Conflict string

func (c Conflict) Error() string { return string(c) }

// ErrUnknown is returned for an id that the live data does not have.
var ErrUnknown = errors.New("the live data has no such id")

// candidateOfInvitation returns the candidate with an invitation, at the given time.
func (l *Live) candidateOfInvitation(id string, now time.Time) (*candidate, error) {
	for _, o := range l.organizations {
		if c := o.candidates[id]; c != nil {
			o.advance(now)
			return c, nil
		}
	}
	return nil, ErrUnknown
}

// candidateOfSubmission returns the candidate with a submission, at the given time.
func (l *Live) candidateOfSubmission(id string, now time.Time) (*candidate, error) {
	for _, o := range l.organizations {
		if found := o.attempts.Find(id); found != nil {
			o.advance(now)
			return found.grading.(*candidate), nil
		}
	}
	return nil, ErrUnknown
}

// changeInvited changes the candidate with an invitation.
func (l *Live) changeInvited(invitationID string, now time.Time, change func(c *candidate, at Moment) error) error {
	c, err := l.candidateOfInvitation(invitationID, now)
	if err != nil {
		return err
	}
	return change(c, MomentOf(now))
}

// changeAttempt changes the candidate with a submission.
func (l *Live) changeAttempt(submissionID string, now time.Time, change func(c *candidate, at Moment) error) error {
	c, err := l.candidateOfSubmission(submissionID, now)
	if err != nil {
		return err
	}
	return change(c, MomentOf(now))
}

// SubmittedAt returns when a submission of any organization was submitted. ok is false if
// it was not.
func (l *Live) SubmittedAt(submissionID string) (at Moment, ok bool) {
	for _, o := range l.organizations {
		if found := o.attempts.Find(submissionID); found != nil && found.HasArchive() {
			return *found.Value.SubmittedAt, true
		}
	}
	return 0, false
}
