package world

import (
	"errors"
	"fmt"
	"hash/fnv"
	"time"
)

// planLimit is how many invitations a period of the live world allows: more
// than a test suite sends that is about something else.
const planLimit = 2000

// Live is the organizations that keep what is written.
type Live struct {
	sample        func() *Sample
	timeline      Timeline
	organizations map[string]*Organization
	made          uint64
}

// NewLive returns a live world without organizations: each is made at its first
// use, of what sample has. Every new invitation follows the timeline.
func NewLive(sample func() *Sample, t Timeline) Live { return Live{sample: sample, timeline: t} }

// NewID returns the id of something that a write made. Ids count up, so that
// the same calls give the same answers on every run.
func (l *Live) NewID() string {
	l.made++
	return fmt.Sprintf("f0000000-0000-4000-8000-%012x", l.made)
}

// Organization returns an organization as it is now. It begins with an account,
// members and challenges, and nothing else.
func (l *Live) Organization(name string, now time.Time) *Organization {
	o := l.organizations[name]
	if o == nil {
		o = l.found(name)
		if l.organizations == nil {
			l.organizations = make(map[string]*Organization)
		}
		l.organizations[name] = o
	}
	return o.at(now)
}

func (l *Live) found(name string) *Organization {
	sample := l.sample()
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	tail := fmt.Sprintf("%012x", h.Sum64()&(1<<48-1))
	profile := sample.account.Value
	profile.ID, profile.Name, profile.Slug = "0c000000-0000-4000-9000-"+tail, "Sandbox Live Ltd", "sandbox-live"
	if name != "" {
		profile.Name, profile.Slug = name, "live-"+tail
	}
	profile.Usage = Usage{AssessmentsLimit: planLimit}
	o := &Organization{
		l: l, everPosted: make(map[string]*Record[Assessment]), invitees: make(map[string]*candidate),
		records: records{
			account: newRecord(profile.ID, profile.CreatedAt, profile),
			members: newCollection[*Record[Member]](3), challenges: sample.challenges, assessments: newCollection[*Record[Assessment]](0),
			invitations: make(map[string]*Collection[*Record[Invitation]]), attempts: newAttemptList(0),
		},
	}
	for i, m := range sample.members.list {
		m := m.Value
		m.ID = fmt.Sprintf("de000000-0000-4000-900%d-%s", i, tail)
		o.members.add(newRecord(m.ID, m.CreatedAt, m))
	}
	return o
}

// ErrUnknown is returned for an id that the live data does not have.
var ErrUnknown = errors.New("the live world has no such id")

// invitee finds a candidate of any organization by the invitation, as they are
// now.
func (l *Live) invitee(id string, now time.Time) (*candidate, error) {
	for _, o := range l.organizations {
		if c := o.invitees[id]; c != nil {
			o.at(now)
			return c, nil
		}
	}
	return nil, ErrUnknown
}

// author finds a candidate of any organization by the submission, as they are
// now.
func (l *Live) author(id string, now time.Time) (*candidate, error) {
	for _, o := range l.organizations {
		if found := o.attempts.Find(id); found != nil {
			o.at(now)
			return found.of.(*candidate), nil
		}
	}
	return nil, ErrUnknown
}

// HandedIn tells when a submission of any organization was handed in, if it was.
func (l *Live) HandedIn(submissionID string) (at Moment, ok bool) {
	for _, o := range l.organizations {
		if found := o.attempts.Find(submissionID); found != nil && found.HasArchive() {
			return *found.Value.SubmittedAt, true
		}
	}
	return 0, false
}
