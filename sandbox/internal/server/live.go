package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// Result is the result of grading a submission.
type Result = world.Result

// NoScore is a score of null.
const NoScore = world.NoScore

// Mail is an invitation e-mail that the live data sent.
type Mail = world.Mail

// AddAssessment adds an active assessment to the live data of an organization,
// of the first listed challenge unless challengeID names one.
func (s *Server) AddAssessment(organization, name, challengeID string) (id string, err error) {
	if name == "" {
		return "", errors.New("the name is empty")
	}
	s.VisitLive(func(l *world.Live, now time.Time) {
		if !slices.Contains(l.Names(), organization) && organization != "" {
			err = errors.New("there is no such organization")
			return
		}
		o := l.Organization(organization, now)
		if challengeID != "" && o.Challenges().Find(canonicalID(challengeID)) == nil {
			err = world.ErrUnknown
			return
		}
		id = o.AddAssessment(name, canonicalID(challengeID))
		s.notify()
	})
	return id, err
}

// Invite sends an invitation without a request.
func (s *Server) Invite(assessmentID, email, name string) (invitationID string, err error) {
	err = s.changeLive("Invite", assessmentID, func(id string, now time.Time) (err error) {
		if !isEmailAddress(email) || name == "" {
			return errors.New("give an email address and a name")
		}
		invitationID, err = s.live.Invite(id, email, name, now)
		return err
	})
	return invitationID, err
}

// Open opens an invitation as its candidate.
func (s *Server) Open(invitationID string) error {
	return s.changeLive("Open", invitationID, s.live.Open)
}

// Begin begins the attempt of an invitation.
func (s *Server) Begin(invitationID string) (submissionID string, err error) {
	err = s.changeLive("Begin", invitationID, func(id string, now time.Time) (err error) {
		submissionID, err = s.live.Begin(id, now)
		return err
	})
	return submissionID, err
}

// Submit submits an attempt.
func (s *Server) Submit(submissionID string) error {
	return s.changeLive("Submit", submissionID, s.live.Submit)
}

// SubmitInvited is like Submit, with the id of the invitation.
func (s *Server) SubmitInvited(invitationID string) (submissionID string, err error) {
	err = s.changeLive("Submit", invitationID, func(id string, now time.Time) (err error) {
		submissionID, err = s.live.SubmitInvited(id, now)
		return err
	})
	return submissionID, err
}

// AppendEvents adds an event for each payload to the log of an attempt.
func (s *Server) AppendEvents(submissionID, kind string, payloads ...string) error {
	all := make([]world.RawJSON, len(payloads))
	for i, payload := range payloads {
		var object map[string]json.RawMessage
		if !utf8.ValidString(payload) || json.Unmarshal([]byte(payload), &object) != nil || object == nil {
			return fmt.Errorf("sandbox: AppendEvents(%q): payload %d is not a JSON object", submissionID, i+1)
		}
		all[i] = world.RawJSON(encodeJSON(json.RawMessage(payload)))
	}
	return s.changeLive("AppendEvents", submissionID, func(id string, now time.Time) error {
		return s.live.Append(id, now, kind, all...)
	})
}

// Evaluate finishes the grading of a submission.
func (s *Server) Evaluate(submissionID string, r Result) error {
	r, err := checkedResult(r) // Before the lock, because it calls MarshalJSON of values.
	if err != nil {
		return fmt.Errorf("sandbox: Evaluate(%q): %w", submissionID, err)
	}
	return s.changeLive("Evaluate", submissionID, func(id string, now time.Time) error {
		return s.live.Evaluate(id, now, r)
	})
}

// Regrade replaces the result of an evaluated submission.
func (s *Server) Regrade(submissionID string, r Result) error {
	r, err := checkedResult(r)
	if err != nil {
		return fmt.Errorf("sandbox: Regrade(%q): %w", submissionID, err)
	}
	return s.changeLive("Regrade", submissionID, func(id string, now time.Time) error {
		return s.live.Regrade(id, now, r)
	})
}

// AddResult makes a finished submission. The candidate's name is the local part
// of the address.
func (s *Server) AddResult(assessmentID, email string, r Result) (submissionID string, err error) {
	r, err = checkedResult(r)
	if err != nil {
		return "", fmt.Errorf("sandbox: AddResult(%q): %w", assessmentID, err)
	}
	err = s.changeLive("AddResult", assessmentID, func(id string, now time.Time) (err error) {
		if !isEmailAddress(email) {
			return errors.New("give an email address")
		}
		name, _, _ := strings.Cut(email, "@")
		submissionID, err = s.live.AddResult(id, email, name, now, r)
		return err
	})
	return submissionID, err
}

// RevokeInvitation revokes an invitation whose attempt has not begun, as a DELETE does.
func (s *Server) RevokeInvitation(invitationID string) error {
	return s.changeLive("RevokeInvitation", invitationID, s.live.Revoke)
}

// CloseAssessment closes an active assessment, as a PATCH does.
func (s *Server) CloseAssessment(assessmentID string) error {
	return s.changeLive("CloseAssessment", assessmentID, s.live.Close)
}

// Decide sets the recruiter's decision about a candidate.
func (s *Server) Decide(invitationID, decision string) error {
	return s.changeLive("Decide", invitationID, func(id string, now time.Time) error { return s.live.Decide(id, now, decision) })
}

// Pause adds paused time to an attempt.
func (s *Server) Pause(submissionID string, by time.Duration) error {
	return s.changeLive("Pause", submissionID, func(id string, now time.Time) error { return s.live.Pause(id, now, by) })
}

// SetArchive sets whether a submission has an archive.
func (s *Server) SetArchive(submissionID string, available bool) error {
	return s.changeLive("SetArchive", submissionID, func(id string, now time.Time) error { return s.live.SetArchive(id, now, available) })
}

// Mails returns the invitation e-mails that the live data sent.
func (s *Server) Mails() []Mail {
	_, unlock := s.lock()
	defer unlock()
	return s.live.Mails()
}

// AddMember adds a member to an organization.
func (s *Server) AddMember(organization, email, name, role string) (id string, err error) {
	if !isEmailAddress(email) || name == "" || role == "" {
		return "", errors.New("give an email address, a name and a role")
	}
	now, unlock := s.lock()
	defer unlock()
	id = s.live.Organization(organization, now).AddMember(email, name, role)
	s.notify()
	return id, nil
}

// AddChallenge adds a challenge to an organization.
func (s *Server) AddChallenge(organization, name string, tasks ...string) (id string, err error) {
	if name == "" {
		return "", errors.New("the name is empty")
	}
	now, unlock := s.lock()
	defer unlock()
	id = s.live.Organization(organization, now).AddChallenge(name, tasks...)
	s.notify()
	return id, nil
}

// checkedResult checks a result and returns a copy that the caller cannot change.
func checkedResult(r Result) (Result, error) {
	if err := r.Check(); err != nil {
		return r, err
	}
	r.Pillars, r.LowConfidence, r.Extra = maps.Clone(r.Pillars), slices.Clone(r.LowConfidence), maps.Clone(r.Extra)
	for name, value := range r.Extra {
		raw, err := json.Marshal(value)
		if err != nil {
			return r, fmt.Errorf("the member %q cannot be JSON: %w", name, err)
		}
		r.Extra[name] = json.RawMessage(raw)
	}
	return r, nil
}

// changeLive processes the late calls that are due, then changes the live data.
func (s *Server) changeLive(method, id string, do func(id string, now time.Time) error) error {
	now, unlock := s.lock()
	defer unlock()
	if err := do(canonicalID(id), now); err != nil {
		return fmt.Errorf("sandbox: %s(%q): %w", method, id, err)
	}
	s.notify()
	return nil
}
