// Package world holds the data of the fake API in memory: accounts, assessments,
// candidates and their steps.
//
// There are two kinds of data. [Sample] is the data of test mode: always the same,
// shared by all servers of the process, and never changed. [Live] has an [Organization]
// for each name and keeps what is written. Its candidates move when a test calls Open,
// Begin, Submit or Evaluate, or along a [Timeline].
//
// The package has no HTTP, JSON, keys, clock or lock. Callers pass the current time. A
// call first makes the steps that are due by then. Goroutines that share a Live must
// lock it.
package world

import "time"

// InvitationLifetime is how long an invitation is valid after it was sent.
const InvitationLifetime = 30 * 24 * time.Hour

// World is the data of one organization. It is implemented by Sample, which ignores
// writes, and by Organization, which stores them. The handlers are the same for both.
type World interface {
	Account() *Record[Account]
	Members() *Collection[*Record[Member]]
	Challenges() *Collection[*Record[Challenge]]
	Assessments() *Collection[*Record[Assessment]]
	AnyAssessment(assessmentID string) *Record[Assessment] // Even if it was deleted: its invitations remain valid.
	Invitations(assessmentID string) *Collection[*Record[Invitation]]
	Submissions() *AttemptList

	// With Timeline.Polls, an evaluation depends on the number of polls. CountPoll counts
	// a poll of a submission. CountListing counts a listing of evaluated submissions as a
	// poll of each submission of an assessment; "" means all assessments.
	CountPoll(*Attempt)
	CountListing(assessmentID string)

	MayInvite(email string) bool        // The plan has an invitation left.
	MayChange(*Record[Invitation]) bool // It can be sent again or revoked.
	SaveAssessment(Assessment) *Record[Assessment]
	DeleteAssessment(*Record[Assessment])
	SaveInvitation(Invitation) *Record[Invitation]
	ResendInvitation(i *Record[Invitation], at Moment) *Record[Invitation]
	RevokeInvitation(*Record[Invitation]) *Record[Invitation]
}

// resent returns an invitation that is sent again. One that was opened keeps the time of
// its first sending, which must be before the opening.
func (i Invitation) resent(at Moment) Invitation {
	if i.OpenedAt == nil {
		i.SentAt = &at
	}
	i.ExpiresAt = at.plus(InvitationLifetime)
	return i
}

// records are the resources of one organization.
type records struct {
	account     *Record[Account]
	members     *Collection[*Record[Member]]
	challenges  *Collection[*Record[Challenge]]
	assessments *Collection[*Record[Assessment]]
	invitations map[string]*Collection[*Record[Invitation]] // By assessment.
	attempts    *AttemptList
}

// Account returns the organization's account.
func (r *records) Account() *Record[Account] { return r.account }

// Members returns the members of the organization.
func (r *records) Members() *Collection[*Record[Member]] { return r.members }

// Challenges returns the challenges.
func (r *records) Challenges() *Collection[*Record[Challenge]] { return r.challenges }

// Assessments returns the assessments that were not deleted.
func (r *records) Assessments() *Collection[*Record[Assessment]] { return r.assessments }

// Submissions returns the submissions of all assessments.
func (r *records) Submissions() *AttemptList { return r.attempts }

// Invitations returns the invitations of one assessment.
func (r *records) Invitations(assessmentID string) *Collection[*Record[Invitation]] {
	return r.invitations[assessmentID]
}
