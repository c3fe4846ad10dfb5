package world

import (
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"time"
)

// planLimit is the default number of invitations in a period. Tests that are not about
// the limit should not reach it.
const planLimit = 2000

// Live is the data of live keys, which keeps what is written.
type Live struct {
	sample        func() *Organization
	timeline      Timeline
	organizations map[string]*Organization
	lastID        uint64
	revise        func() int
}

// NewLive returns live data without organizations. The first use of an organization
// creates it from sample. New invitations follow the timeline. A change of a candidate calls
// revise, which returns the number of the change.
func NewLive(sample func() *Organization, t Timeline, revise func() int) Live {
	return Live{sample: sample, timeline: t, revise: revise}
}

// NewID returns a new id. Ids are numbered, so that the same calls have the same results
// in each run.
func (l *Live) NewID() string {
	l.lastID++
	return fmt.Sprintf("f0000000-0000-4000-8000-%012x", l.lastID)
}

// SetTimeline changes the timeline. It applies to steps that are scheduled later.
func (l *Live) SetTimeline(t Timeline) { l.timeline = t }

// Names returns the sorted names of the organizations.
func (l *Live) Names() []string { return slices.Sorted(maps.Keys(l.organizations)) }

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
	profile := sample.Account.Value
	profile.ID, profile.Name, profile.Slug = "0c000000-0000-4000-9000-"+suffix, "Sandbox Live Ltd", "sandbox-live"
	if name != "" {
		profile.Name, profile.Slug = name, "live-"+suffix
	}
	profile.Usage = Usage{AssessmentsLimit: planLimit}
	// What the sample's organization has, this one has not, and the other way round.
	profile.Branding = Branding{AccentColor: "#0b7a75", LogoURL: new("https://assets.sandbox.test/logo.svg"), SupportEmail: new("talent@sandbox.test")}
	profile.CustomDomain, profile.CustomDomainVerified = new("hiring.sandbox.test"), true
	o := emptyOrganization(name, profile, l)
	o.Challenges = sample.Challenges
	for i, m := range sample.Members.list {
		m := m.Value
		m.ID = fmt.Sprintf("de000000-0000-4000-900%d-%s", i, suffix)
		o.Members.add(newRecord(m.ID, m.CreatedAt, m))
	}
	return o
}

// ErrUnknown is returned for an id that the live data does not have.
var ErrUnknown = errors.New("the live data has no such id")

// find returns the candidate of any organization with an invitation or a submission, or nil.
func (l *Live) find(id string) *candidate {
	for _, o := range l.organizations {
		if c := o.find(id); c != nil {
			return c
		}
	}
	return nil
}

// change changes the candidate with an id.
func (l *Live) change(id string, now time.Time, change func(c *candidate, at Moment) error) error {
	c := l.find(id)
	if c == nil {
		return ErrUnknown
	}
	c.organization.advance(now)
	err := change(c, c.organization.now)
	if err == nil {
		c.changed()
	}
	return err
}
