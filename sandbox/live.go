package sandbox

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"time"
)

// planLimit is how many invitations a period of the live world allows: more
// than a test suite sends that is about something else.
const planLimit = 2000

// organization is what live keys of one organization see: records in memory
// that keep what is written.
type organization struct {
	records

	s          *Server
	now        time.Time // of the request that is being answered
	profile    wireAccount
	everPosted map[string]*assessment // deleted ones too
	invitees   map[string]*candidate  // by invitation
	scores     [maxScore + 1]int      // how many of the evaluated have each ship score
	evaluated  int
	due        steps        // what candidates will do by themselves
	waiting    []*candidate // for polls that get them their report
}

// organization returns the live world of an organization, which begins with its
// first use: an account, members and challenges, and nothing else.
func (s *Server) organization(name string) *organization {
	if o := s.organizations[name]; o != nil {
		return o
	}
	o := &organization{
		s: s, everPosted: make(map[string]*assessment), invitees: make(map[string]*candidate),
		records: records{
			memberRecords: newCollection[*member](3), library: sample().library, postings: newCollection[*assessment](0),
			invited: make(map[string]*collection[*invitation]), attempts: newSubmissionList(0),
		},
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	tail := fmt.Sprintf("%012x", h.Sum64()&(1<<48-1))
	if err := json.Unmarshal(sample().accountJSON, &o.profile); err != nil {
		panic(err) // the sample data are part of the program
	}
	o.profile.ID = "0c000000-0000-4000-9000-" + tail
	o.profile.Name, o.profile.Slug = "Sandbox Live Ltd", "sandbox-live"
	if name != "" {
		o.profile.Name, o.profile.Slug = name, "live-"+tail
	}
	o.profile.Usage = wireUsage{AssessmentsLimit: planLimit}
	for i, m := range sample().memberRecords.list {
		m := m.wire
		m.ID = fmt.Sprintf("de000000-0000-4000-900%d-%s", i, tail)
		o.memberRecords.add(newRecord(m.ID, m.CreatedAt, m))
	}
	if s.organizations == nil {
		s.organizations = make(map[string]*organization)
	}
	s.organizations[name] = o
	return o
}

// at brings the world to a time: what was due until then has happened, each
// thing at its own time.
func (o *organization) at(now time.Time) *organization {
	o.now = now
	o.settle(now)
	now = now.UTC()
	if month := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC); month.After(o.profile.Usage.PeriodStart.Time) {
		o.profile.Usage.PeriodStart, o.profile.Usage.AssessmentsUsed = stamp{month}, 0
	}
	return o
}

// SetPlan sets how many invitations the organization of a live key has used in
// the current period, and how many its plan allows. Periods are the months of
// UTC: the next one begins with none used.
//
// It panics on a key that the server does not know, on one of test mode, whose
// account never changes, and on negative numbers.
func (s *Server) SetPlan(token string, used, limit int) {
	if used < 0 || limit < 0 {
		panic(fmt.Sprintf("sandbox: SetPlan(%d, %d): a number of invitations cannot be negative", used, limit))
	}
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp(now)
	key := s.keys[token]
	switch {
	case key == nil:
		panic("sandbox: SetPlan: the server knows no such key")
	case !key.live():
		panic("sandbox: SetPlan: the account of test mode never changes; use a key that begins with " + livePrefix)
	}
	usage := &s.organization(key.Organization).at(now).profile.Usage
	usage.AssessmentsUsed, usage.AssessmentsLimit = used, limit
}

func (o *organization) account() []byte { return render(o.profile) }

func (o *organization) events(id string) []event { return o.attempts.find(id).of.log }

func (o *organization) posting(id string) *assessment { return o.everPosted[id] }

func (o *organization) mayInvite(string) bool {
	return o.profile.Usage.AssessmentsUsed < o.profile.Usage.AssessmentsLimit
}

// mayChange: an invitation can be sent once more or taken back until the
// candidate has begun, and once only taken back.
func (o *organization) mayChange(i *invitation) bool {
	c := o.invitees[i.id]
	return c.stage < started && !c.revoked
}

func (o *organization) saveAssessment(a *assessment) {
	if known := o.postings.find(a.id); known != nil {
		*known = *a
		return
	}
	o.postings.add(a)
	o.everPosted[a.id] = a
	o.invited[a.id] = newCollection[*invitation](0)
}

func (o *organization) deleteAssessment(a *assessment) { o.postings.remove(a) }

func (o *organization) saveInvitation(i *invitation) {
	if known := o.invitees[i.id]; known != nil {
		*known.invitation = *i
		return
	}
	o.profile.Usage.AssessmentsUsed++
	posting := o.everPosted[i.wire.AssessmentID]
	c := &candidate{
		o: o, n: len(o.invitees) + 1, posting: posting, invitation: i,
		challenge: o.library.find(posting.wire.ChallengeID),
	}
	o.invitees[i.id] = c
	o.invited[posting.id].add(i)
	c.schedule(opened, i.wire.CreatedAt)
}

func (o *organization) revokeInvitation(i *invitation) {
	o.invitees[i.id].revoked = true
	i.wire.Status, i.json = "revoked", nil
}

// polled counts a look at a submission whose report comes with polling.
func (o *organization) polled(s *submission) { s.of.poll(o.now) }

// polledAll counts a listing of what is evaluated as a look at each submission
// that it could bring: who polls so never looks at any other way.
func (o *organization) polledAll(assessmentID string) {
	o.waiting = slices.DeleteFunc(o.waiting, func(c *candidate) bool {
		if assessmentID == "" || assessmentID == c.posting.id {
			c.poll(o.now)
		}
		return c.stage == evaluated
	})
}

func (c *candidate) poll(now time.Time) {
	if c.o.s.timeline.Polls == 0 || c.stage != submitted {
		return
	}
	if c.polls++; c.polls >= c.o.s.timeline.Polls {
		_ = c.evaluate(stamp{now.Truncate(time.Millisecond)}, c.likelyResult()) // submitted: it cannot fail
	}
}
