package sandbox

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// AddAssessment adds an active assessment of the first listed challenge to the
// live data of LiveKey and of live keys without an organization. It uses no rate
// limit and makes no journal entry. It panics on an empty name.
func (s *Server) AddAssessment(name string) (id string) {
	id, err := s.addAssessment("", name, "")
	must("AddAssessment", err)
	return id
}

func (s *Server) addAssessment(organization, name, challengeID string) (id string, err error) {
	err = s.changeOrganization(organization, func(o *world.Organization) error {
		if name == "" {
			return inputError{"name", "must not be empty"}
		}
		if challengeID != "" && o.Challenges().Find(canonicalID(challengeID)) == nil {
			return inputError{"challenge_id", "there is no such challenge"}
		}
		id = o.AddAssessment(name, canonicalID(challengeID))
		return nil
	})
	return id, err
}

// Invite sends an invitation without a request: it uses the plan quota, but no
// rate limit, and makes no journal entry. It fails on an invalid address or name,
// on an unknown, deleted or closed assessment, and when the plan quota is used up.
func (s *Server) Invite(assessmentID, email, name string) (invitationID string, err error) {
	err = s.changeLive("Invite", assessmentID, func(id string, now time.Time) (err error) {
		if err := checkPerson(email, name); err != nil {
			return err
		}
		invitationID, err = s.live.Invite(id, email, name, now)
		return err
	})
	return invitationID, err
}

// checkPerson returns an error for an invalid address and an empty name.
func checkPerson(email, name string) error {
	switch {
	case !isEmailAddress(email):
		return inputError{"email", "give an email address"}
	case name == "":
		return inputError{"name", "must not be empty"}
	}
	return nil
}

// Open opens an invitation of the live data as its candidate: sent becomes
// opened. It fails on an invitation that was opened, was revoked or has expired.
//
// Open, Begin, Submit, AppendEvents and Evaluate take effect immediately, at the time
// of the server's clock. An unknown id and an impossible step are errors and
// change nothing.
func (s *Server) Open(invitationID string) error {
	return s.changeLive("Open", invitationID, s.live.Open)
}

// Begin begins the attempt, and opens the invitation if that was not done. The
// invitation becomes started, and a submission exists whose log begins with
// attempt_started. Begin fails when the attempt has begun before, when the
// invitation was revoked or has expired, and when the assessment is closed. The
// invitations of a deleted assessment keep working.
//
// The attempt is submitted at its time limit, if it was not submitted before. Paused
// time does not count.
func (s *Server) Begin(invitationID string) (submissionID string, err error) {
	err = s.changeLive("Begin", invitationID, func(id string, now time.Time) (err error) {
		submissionID, err = s.live.Begin(id, now)
		return err
	})
	return submissionID, err
}

// Submit submits an attempt. The submission becomes submitted and has an archive.
// The invitation stays started, because the API documents no invitation status
// between started and evaluated. Submit has no effect on an attempt that was submitted at
// its time limit, and fails on one that was submitted by a call.
func (s *Server) Submit(submissionID string) error {
	return s.changeLive("Submit", submissionID, s.live.Submit)
}

// submitInvited is like Submit, with the id of the invitation.
func (s *Server) submitInvited(invitationID string) (submissionID string, err error) {
	err = s.changeLive("Submit", invitationID, func(id string, now time.Time) (err error) {
		submissionID, err = s.live.SubmitInvited(id, now)
		return err
	})
	return submissionID, err
}

// AppendEvents adds an event for each payload, a JSON object, to the log of an
// attempt. It fails on an attempt that was submitted by a call or evaluated. Events of an
// attempt that its time limit has submitted get the time of the submission.
func (s *Server) AppendEvents(submissionID, kind string, payloads ...string) error {
	return s.changeLive("AppendEvents", submissionID, func(id string, now time.Time) error {
		all := make([]world.RawJSON, len(payloads))
		for i, payload := range payloads {
			var object map[string]json.RawMessage
			if !utf8.ValidString(payload) || json.Unmarshal([]byte(payload), &object) != nil || object == nil {
				return inputError{"payloads", fmt.Sprintf("payload %d is not a JSON object", i+1)}
			}
			all[i] = world.RawJSON(encodeJSON(json.RawMessage(payload)))
		}
		if kind == "" {
			return inputError{"kind", "must not be empty"}
		}
		return s.live.Append(id, now, kind, all...)
	})
}

// Evaluate finishes the grading of a submission: the report is ready, and
// submission and invitation become evaluated. Evaluate submits the attempt if that
// was not done. It fails on a submission that was evaluated before, and on a
// result with invalid scores, pillars or extra members.
func (s *Server) Evaluate(submissionID string, r Result) error {
	return s.grade("Evaluate", submissionID, r, s.live.Evaluate)
}

// EvaluateInvented is like Evaluate with the result that a [Timeline] makes. It depends
// on the candidate's number only, so it is the same on every run.
func (s *Server) EvaluateInvented(submissionID string) error {
	return s.changeLive("EvaluateInvented", submissionID, s.live.EvaluateInvented)
}

// Regrade replaces the result of an evaluated submission, as when the API grades
// a submission again. It fails on a submission that was not evaluated.
func (s *Server) Regrade(submissionID string, r Result) error {
	return s.grade("Regrade", submissionID, r, s.live.Regrade)
}

// grade checks a result before the lock, because that calls MarshalJSON of its values.
func (s *Server) grade(method, submissionID string, r Result, do func(id string, now time.Time, r world.Result) error) error {
	result, err := r.world()
	return s.changeLive(method, submissionID, func(id string, now time.Time) error {
		if err != nil {
			return err
		}
		return do(id, now, result)
	})
}

// AddResult makes a finished submission in one call: the candidate of email was invited,
// worked for a believable time and submitted, and the grading ends now. Earlier steps, and
// the assessment if necessary, get earlier times. The candidate's name is made of the
// address before the @: Ada Lovelace for ada.lovelace@candidates.test. AddResult uses the plan quota as Invite does.
func (s *Server) AddResult(assessmentID, email string, r Result) (submissionID string, err error) {
	name, _, _ := strings.Cut(email, "@")
	return s.addResult(assessmentID, email, nameOf(name), r)
}

// nameOf returns the name in the local part of an address: "Ada Lovelace" for
// "ada.lovelace+test".
func nameOf(local string) string {
	plain, _, _ := strings.Cut(local, "+")
	words := strings.FieldsFunc(plain, func(c rune) bool { return strings.ContainsRune("._-", c) })
	for i, word := range words {
		_, size := utf8.DecodeRuneInString(word)
		words[i] = strings.ToUpper(word[:size]) + word[size:]
	}
	return cmp.Or(strings.Join(words, " "), local)
}

func (s *Server) addResult(assessmentID, email, name string, r Result) (submissionID string, err error) {
	result, invalid := r.world()
	err = s.changeLive("AddResult", assessmentID, func(id string, now time.Time) (err error) {
		if err := errors.Join(invalid, checkPerson(email, name)); err != nil {
			return err
		}
		submissionID, err = s.live.AddResult(id, email, name, now, result)
		return err
	})
	return submissionID, err
}

// Decide sets the recruiter_decision of an invitation, such as shortlisted.
func (s *Server) Decide(invitationID, decision string) error {
	return s.changeLive("Decide", invitationID, func(id string, now time.Time) error {
		if decision == "" {
			return inputError{"decision", "must not be empty"}
		}
		return s.live.Decide(id, now, decision)
	})
}

// Pause adds paused time to an attempt that was not submitted. It counts in whole
// seconds and not as time used. It fails on more paused time than the attempt has lasted.
func (s *Server) Pause(submissionID string, by time.Duration) error {
	return s.changeLive("Pause", submissionID, func(id string, now time.Time) error {
		if by < time.Second {
			return inputError{"seconds", "give a pause of at least a second"}
		}
		return s.live.Pause(id, now, by)
	})
}

// RemoveArchive makes a submission have no archive, also after it is submitted. See
// [Server.SetArchives] for the storage of all archives.
func (s *Server) RemoveArchive(submissionID string) error {
	return s.setArchive("RemoveArchive", submissionID, false)
}

// RestoreArchive undoes RemoveArchive.
func (s *Server) RestoreArchive(submissionID string) error {
	return s.setArchive("RestoreArchive", submissionID, true)
}

func (s *Server) setArchive(method, submissionID string, available bool) error {
	return s.changeLive(method, submissionID, func(id string, now time.Time) error {
		return s.live.SetArchive(id, now, available)
	})
}

// AddMember adds a member to the live data of LiveKey and of live keys without
// an organization. It panics on an invalid address and on an empty name or role.
func (s *Server) AddMember(email, name, role string) (id string) {
	id, err := s.addMember("", email, name, role)
	must("AddMember", err)
	return id
}

func (s *Server) addMember(organization, email, name, role string) (id string, err error) {
	err = s.changeOrganization(organization, func(o *world.Organization) error {
		if err := checkPerson(email, name); err != nil {
			return err
		}
		if role == "" {
			return inputError{"role", "must not be empty"}
		}
		id = o.AddMember(email, name, role)
		return nil
	})
	return id, err
}

// maxTasks is the maximum number of tasks of a challenge. Each task takes some of the
// challenge's minutes.
const maxTasks = 20

// AddChallenge adds a challenge to the live data of LiveKey and of live keys
// without an organization: a single-task challenge, or one with a task for each
// title. It becomes the first listed challenge. It panics on an empty name or title and
// on more than 20 tasks.
func (s *Server) AddChallenge(name string, tasks ...string) (id string) {
	id, err := s.addChallenge("", name, tasks...)
	must("AddChallenge", err)
	return id
}

func (s *Server) addChallenge(organization, name string, tasks ...string) (id string, err error) {
	err = s.changeOrganization(organization, func(o *world.Organization) error {
		if name == "" {
			return inputError{"name", "must not be empty"}
		}
		if slices.Contains(tasks, "") {
			return inputError{"tasks", "the title of a task must not be empty"}
		}
		if len(tasks) > maxTasks {
			return inputError{"tasks", fmt.Sprintf("give at most %d tasks", maxTasks)}
		}
		id = o.AddChallenge(name, tasks...)
		return nil
	})
	return id, err
}

// Mails returns the invitation e-mails that the live data sent, oldest first. The
// sandbox sends none over the network.
func (s *Server) Mails() []Mail {
	all, err := s.mails(scope{})
	must("Mails", err)
	return all
}

func (s *Server) mails(of scope) ([]Mail, error) {
	_, unlock := s.lock()
	defer unlock()
	selected, err := s.scope(of)
	if err != nil {
		return nil, err
	}
	var all []Mail
	for _, m := range s.live.Mails() {
		if selected.includes(m.Organization) {
			all = append(all, Mail(m))
		}
	}
	return all, nil
}

// changeOrganization changes the live data of an organization that exists.
func (s *Server) changeOrganization(name string, do func(*world.Organization) error) error {
	now, unlock := s.lock()
	defer unlock()
	if err := s.checkOrganization(name); err != nil {
		return err
	}
	defer s.notify("candidates")
	return do(s.live.Organization(name, now))
}

// stepError is the error of a step of a candidate. Its text names the method, which
// clients of other languages do not know.
type stepError struct {
	method, id string
	err        error
}

func (e *stepError) Error() string { return fmt.Sprintf("sandbox: %s(%q): %v", e.method, e.id, e.err) }

func (e *stepError) Unwrap() error { return e.err }

// changeLive changes the live data.
func (s *Server) changeLive(method, id string, do func(id string, now time.Time) error) error {
	now, unlock := s.lock()
	defer unlock()
	if err := do(canonicalID(id), now); err != nil {
		return &stepError{method, id, err}
	}
	s.notify("candidates")
	return nil
}
