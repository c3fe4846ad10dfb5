// Package world is what the service is about: accounts, assessments, candidates
// and what they do, in memory.
//
// There are two kinds of world. [Sample] is that of test mode: the same on every
// run and machine, shared by all servers of the process, and nothing changes it.
// [Live] has an [Organization] for each name, keeps what is written, and its
// candidates move: by the test's hand (Open, Begin, Submit, Evaluate) or by
// themselves, along a [Timeline].
//
// The package knows no HTTP, no JSON and no keys, has no clock and no lock. The
// time goes in with every call that needs one, and what was due until then has
// happened when the call returns. Goroutines that share a Live lock
// it.
package world

import "time"

// InvitationLife is how long an invitation can be used after it was sent.
const InvitationLife = 30 * 24 * time.Hour

// World is what one organization sees. Handlers work out their answer from it
// and hand what was made back to it, so that one handler serves a world that
// keeps writes and one that does not.
type World interface {
	Account() *Record[Account]
	Members() *Collection[*Record[Member]]
	Challenges() *Collection[*Record[Challenge]]
	Assessments() *Collection[*Record[Assessment]]
	Posting(assessmentID string) *Record[Assessment] // Also a deleted one, whose invitations remain valid.
	Invitations(assessmentID string) *Collection[*Record[Invitation]]
	Submissions() *AttemptList

	// A look at a submission that is handed in can be the one that gets it its
	// report: Polled counts one, PolledAll a listing of what is evaluated as one at
	// each submission of an assessment, or with "" at each of all.
	Polled(*Attempt)
	PolledAll(assessmentID string)

	MayInvite(email string) bool        // Whether the plan allows one more.
	MayChange(*Record[Invitation]) bool // Whether it can be sent once more or taken back.
	SaveAssessment(Assessment) *Record[Assessment]
	DeleteAssessment(*Record[Assessment])
	SaveInvitation(Invitation) *Record[Invitation]
	RevokeInvitation(*Record[Invitation])
}

// records are the resources of one organization.
type records struct {
	account     *Record[Account]
	members     *Collection[*Record[Member]]
	challenges  *Collection[*Record[Challenge]]
	assessments *Collection[*Record[Assessment]]
	invitations map[string]*Collection[*Record[Invitation]] // by assessment
	attempts    *AttemptList
}

// Account is the organization's own record.
func (r *records) Account() *Record[Account] { return r.account }

// Members are the people of the organization.
func (r *records) Members() *Collection[*Record[Member]] { return r.members }

// Challenges are what assessments can be made of.
func (r *records) Challenges() *Collection[*Record[Challenge]] { return r.challenges }

// Assessments are those that were not deleted.
func (r *records) Assessments() *Collection[*Record[Assessment]] { return r.assessments }

// Submissions are those of all assessments.
func (r *records) Submissions() *AttemptList { return r.attempts }

// Invitations are those of one assessment.
func (r *records) Invitations(assessmentID string) *Collection[*Record[Invitation]] {
	return r.invitations[assessmentID]
}
