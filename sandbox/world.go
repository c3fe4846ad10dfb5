package sandbox

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"strings"
	"time"
)

// world is what a key sees: the records of its organization. Handlers work out
// their answer from it and hand what they made back to it, so that one handler
// serves a world that keeps writes and one that does not.
type world interface {
	account() []byte
	members() *collection[*member]
	challenges() *collection[*challenge]
	assessments() *collection[*assessment]
	posting(assessmentID string) *assessment // also a deleted one, whose invitations go on
	invitations(assessmentID string) *collection[*invitation]
	submissions() *submissionList
	events(submissionID string) []event

	// Reading a submission can make it another one.
	appendSubmission(b []byte, s *submission, c *call) []byte
	appendReport(b []byte, s *submission) []byte
	polled(s *submission)
	polledAll(assessmentID string)

	mayInvite(email string) bool
	mayChange(*invitation) bool // whether it can be resent or revoked
	saveAssessment(*assessment)
	deleteAssessment(*assessment)
	saveInvitation(*invitation)
	revokeInvitation(*invitation)
}

// worldOf returns what a key sees. Every key of test mode sees the sample data.
func (s *Server) worldOf(key *keyState, now time.Time) world {
	if !key.live() {
		return sample()
	}
	return s.organization(key.Organization).at(now)
}

type (
	member     = record[wireMember]
	challenge  = record[wireChallenge]
	assessment = record[wireAssessment]
	invitation = record[wireInvitation]
)

// position is a record's place in the order of its list: by creation, in
// milliseconds since 1970, and then by id.
type position struct {
	created int64
	id      string
}

func (p position) place() position { return p }

func (p position) compare(q position) int {
	return cmp.Or(cmp.Compare(p.created, q.created), cmp.Compare(p.id, q.id))
}

// record is a resource and its JSON, rendered once for each state.
type record[T any] struct {
	position

	wire T
	json []byte
}

// newRecord renders at once, because the records of test mode are shared by
// servers that know no common lock.
func newRecord[T any](id string, created stamp, wire T) *record[T] {
	return &record[T]{position{created.UnixMilli(), id}, wire, render(wire)}
}

func (r *record[T]) body() []byte {
	if r.json == nil {
		r.json = render(r.wire)
	}
	return r.json
}

// submission is a record that, in the live world, has parts which change with
// every look at it.
type submission struct {
	record[wireSubmission]

	index int        // in its list
	of    *candidate // nil in test mode
}

// event is a log entry; nothing but its place matters to the server.
type event struct {
	seq  int64
	json []byte
}

type resource interface {
	comparable
	place() position
	body() []byte
}

// collection is the records of one kind, oldest first, for that is how they
// come; lists walk it backwards. A nil one is empty.
type collection[R resource] struct {
	list []R
	byID map[string]R
}

func newCollection[R resource](size int) *collection[R] {
	return &collection[R]{make([]R, 0, size), make(map[string]R, size)}
}

func (c *collection[R]) len() int {
	if c == nil {
		return 0
	}
	return len(c.list)
}

// newest returns the record at a place of the list, counted from its head.
func (c *collection[R]) newest(n int) R { return c.list[len(c.list)-1-n] }

// find returns nil for an id that is unknown; whether it could be one at all
// makes no difference to anyone.
func (c *collection[R]) find(id string) (found R) {
	if c == nil {
		return found
	}
	return c.byID[id]
}

// older counts the records that come before a place.
func (c *collection[R]) older(p position) int {
	return sort.Search(len(c.list), func(i int) bool { return c.list[i].place().compare(p) >= 0 })
}

// add puts a record in its place, which is the end unless the clock was set
// back, and returns that place.
func (c *collection[R]) add(r R) int {
	p, i := r.place(), len(c.list)
	if i > 0 && c.list[i-1].place().compare(p) > 0 {
		i = c.older(p)
	}
	c.list, c.byID[p.id] = slices.Insert(c.list, i, r), r
	return i
}

func (c *collection[R]) remove(r R) {
	p := r.place()
	i := c.older(p)
	c.list = slices.Delete(c.list, i, i+1)
	delete(c.byID, p.id)
}

// submissionList has beside each submission what filters ask for: a page can be
// worth a look at every submission, and the marks lie close together.
type submissionList struct {
	collection[*submission]

	marks []mark
}

func newSubmissionList(size int) *submissionList {
	return &submissionList{*newCollection[*submission](size), make([]mark, 0, size)}
}

// notYet is the time of what has not come.
const notYet = math.MinInt64

// mark is a submission's times, in milliseconds since 1970, and what else can be
// filtered.
type mark struct {
	created, submitted, evaluated int64
	status, assessmentID          string
}

func (s *submission) mark() mark {
	m := mark{created: s.created, submitted: notYet, evaluated: notYet, status: s.wire.Status, assessmentID: s.wire.AssessmentID}
	if s.wire.SubmittedAt != nil {
		m.submitted = s.wire.SubmittedAt.UnixMilli()
	}
	if s.wire.EvaluatedAt != nil {
		m.evaluated = s.wire.EvaluatedAt.UnixMilli()
	}
	return m
}

func (l *submissionList) add(s *submission) {
	at := l.collection.add(s)
	l.marks = slices.Insert(l.marks, at, s.mark())
	for i := at; i < len(l.list); i++ {
		l.list[i].index = i
	}
}

// changed takes note of what filters must know of a submission.
func (l *submissionList) changed(s *submission) { l.marks[s.index] = s.mark() }

// records are the resources of one organization.
type records struct {
	memberRecords *collection[*member]
	library       *collection[*challenge]
	postings      *collection[*assessment]
	invited       map[string]*collection[*invitation] // by assessment
	attempts      *submissionList
}

func (r *records) members() *collection[*member]         { return r.memberRecords }
func (r *records) challenges() *collection[*challenge]   { return r.library }
func (r *records) assessments() *collection[*assessment] { return r.postings }
func (r *records) submissions() *submissionList          { return r.attempts }

func (r *records) invitations(id string) *collection[*invitation] { return r.invited[id] }

// sampleWorld is the records of test mode, shared by every server of the
// process. Its writes keep nothing: that is what test mode promises.
type sampleWorld struct {
	records

	accountJSON []byte
	logs        map[string][]event // by submission
}

func (w *sampleWorld) account() []byte               { return w.accountJSON }
func (w *sampleWorld) events(id string) []event      { return w.logs[id] }
func (w *sampleWorld) posting(id string) *assessment { return w.postings.find(id) }
func (*sampleWorld) mayChange(*invitation) bool      { return true }
func (*sampleWorld) polled(*submission)              {}
func (*sampleWorld) polledAll(string)                {}
func (*sampleWorld) saveAssessment(*assessment)      {}
func (*sampleWorld) deleteAssessment(*assessment)    {}
func (*sampleWorld) saveInvitation(*invitation)      {}
func (*sampleWorld) revokeInvitation(*invitation)    {}

// mayInvite: an address of test mode stands for a plan that is used up.
func (*sampleWorld) mayInvite(email string) bool { return !strings.EqualFold(email, PlanLimitEmail) }

func (*sampleWorld) appendSubmission(b []byte, s *submission, _ *call) []byte {
	return append(b, s.body()...)
}

func (*sampleWorld) appendReport(b []byte, s *submission) []byte { return append(b, s.wire.Report...) }
