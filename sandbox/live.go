package sandbox

import (
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/server"
)

// AddAssessment adds an active assessment of the first listed challenge to the
// live data of LiveKey and of live keys without an organization. It uses no rate
// limit and makes no journal entry. It panics on an empty name.
func (s *Server) AddAssessment(name string) (id string) {
	id, err := s.server().AddAssessment("", name, "")
	must("AddAssessment", err)
	return id
}

// Invite sends an invitation without a request: it uses the plan quota, but no
// rate limit, and makes no journal entry. It fails on an invalid address or name,
// on an unknown, deleted or closed assessment, and when the plan quota is used up.
func (s *Server) Invite(assessmentID, email, name string) (invitationID string, err error) {
	return s.server().Invite(assessmentID, email, name)
}

// Open opens an invitation of the live data as its candidate: sent becomes
// opened. It fails on an invitation that was opened, was revoked or has expired.
//
// Open, Begin, Submit, AppendEvents and Evaluate take effect at once, at the time
// of the server's clock. An unknown id and an impossible step are errors and
// change nothing.
func (s *Server) Open(invitationID string) error {
	return s.server().Open(invitationID)
}

// Begin begins the attempt, and opens the invitation if that was not done. The
// invitation becomes started, and a submission exists whose log begins with
// attempt_started. Begin fails when the attempt has begun before, when the
// invitation was revoked or has expired, and when the assessment is closed. The
// invitations of a deleted assessment keep working.
func (s *Server) Begin(invitationID string) (submissionID string, err error) {
	return s.server().Begin(invitationID)
}

// Submit submits an attempt. The submission becomes submitted and has an archive.
// The invitation stays started, because the API documents no invitation status
// between started and evaluated.
func (s *Server) Submit(submissionID string) error {
	return s.server().Submit(submissionID)
}

// AppendEvents adds an event for each payload, a JSON object, to the log of an
// attempt. It works at any time after Begin, because a log may arrive late.
func (s *Server) AppendEvents(submissionID, kind string, payloads ...string) error {
	return s.server().AppendEvents(submissionID, kind, payloads...)
}

// Evaluate finishes the grading of a submission: the report is ready, and
// submission and invitation become evaluated. Evaluate submits the attempt if that
// was not done. It fails on a submission that was evaluated before, and on a
// result with invalid scores, pillars or extra members.
func (s *Server) Evaluate(submissionID string, r Result) error {
	return s.server().Evaluate(submissionID, r)
}

// Regrade replaces the result of an evaluated submission, as when the API grades
// a submission again. It fails on a submission that was not evaluated.
func (s *Server) Regrade(submissionID string, r Result) error {
	return s.server().Regrade(submissionID, r)
}

// AddResult makes a finished submission in one call: it sends an invitation to
// email, begins and submits the attempt and evaluates it. The candidate's name is
// the part of email before the @.
func (s *Server) AddResult(assessmentID, email string, r Result) (submissionID string, err error) {
	return s.server().AddResult(assessmentID, email, r)
}

// Decide sets the recruiter_decision of an invitation, such as shortlisted.
func (s *Server) Decide(invitationID, decision string) error {
	return s.server().Decide(invitationID, decision)
}

// Pause adds paused time to an attempt that was not submitted. It counts in whole
// seconds and not as time used.
func (s *Server) Pause(submissionID string, by time.Duration) error {
	return s.server().Pause(submissionID, by)
}

// SetArchive sets whether a submission has an archive once it was submitted. See
// [Server.SetArchives] for the storage of all archives.
func (s *Server) SetArchive(submissionID string, available bool) error {
	return s.server().SetArchive(submissionID, available)
}

// AddMember adds a member to the live data of LiveKey and of live keys without
// an organization. It panics on an invalid address and on an empty name or role.
func (s *Server) AddMember(email, name, role string) (id string) {
	id, err := s.server().AddMember("", email, name, role)
	must("AddMember", err)
	return id
}

// AddChallenge adds a challenge to the live data of LiveKey and of live keys
// without an organization: a single-task challenge, or one with a task for each
// title. It becomes the first listed challenge. It panics on an empty name.
func (s *Server) AddChallenge(name string, tasks ...string) (id string) {
	id, err := s.server().AddChallenge("", name, tasks...)
	must("AddChallenge", err)
	return id
}

// Mail is an invitation e-mail that the live data sent:
//
//	InvitationID, AssessmentID string
//	Email, Name                string
//	Resent                     bool  whether a resend sent it
//	At                         time.Time
type Mail = server.Mail

// Mails returns the invitation e-mails that the live data sent, oldest first. The
// sandbox sends none over the network.
func (s *Server) Mails() []Mail { return s.server().Mails() }
