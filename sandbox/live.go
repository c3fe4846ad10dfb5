package sandbox

import "fmt"

// AddAssessment adds an active assessment of the first listed challenge to the
// live data of LiveKey and of live keys without an organization. It uses no rate
// limit and makes no journal entry. It panics on an empty name.
func (s *Server) AddAssessment(name string) (id string) {
	id, err := s.server().AddAssessment("", name, "")
	if err != nil {
		panic(fmt.Sprintf("sandbox: AddAssessment: %v", err))
	}
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
