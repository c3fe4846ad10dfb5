package sandbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// AddAssessment adds an active assessment of the first listed challenge to the
// live data of LiveKey and of live keys without an organization. It uses no rate
// limit and makes no journal entry. It panics on an empty name.
func (s *Server) AddAssessment(name string) (id string) {
	return add(s, "AddAssessment", (*control).addAssessment, newAssessment{Name: name})
}

type newAssessment struct {
	Name         string `json:"name"`
	Organization string `json:"organization"`
	ChallengeID  string `json:"challenge_id"`
}

func (c *control) addAssessment(in newAssessment) (id string, err error) {
	o, err := c.organization(in.Organization)
	switch {
	case err != nil:
		return "", err
	case in.Name == "":
		return "", inputError{"name", "must not be empty"}
	case in.ChallengeID != "" && o.Challenges().Find(canonicalID(in.ChallengeID)) == nil:
		return "", inputError{"challenge_id", "there is no such challenge"}
	}
	return o.AddAssessment(in.Name, canonicalID(in.ChallengeID)), nil
}

// Invite sends an invitation without a request: it uses the plan quota, but no
// rate limit, and makes no journal entry. It fails on an invalid address or name,
// on an unknown, deleted or closed assessment, and when the plan quota is used up.
func (s *Server) Invite(assessmentID, email, name string) (invitationID string, err error) {
	return makeStep(s, "Invite", assessmentID, (*control).invite, newInvitation{assessmentID, email, name})
}

type newInvitation struct {
	AssessmentID string `json:"assessment_id"`
	Email        string `json:"email"`
	Name         string `json:"name"`
}

func (c *control) invite(in newInvitation) (id string, err error) {
	if err := checkPerson(in.Email, in.Name); err != nil {
		return "", err
	}
	id, err = c.live.Invite(canonicalID(in.AssessmentID), in.Email, in.Name, c.now)
	return id, c.changed(err)
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
	return s.step("Open", invitationID, (*world.Live).Open)
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
	return makeStep(s, "Begin", invitationID, attempting((*world.Live).Begin), none{})
}

// Submit submits an attempt. The submission becomes submitted and has an archive.
// The invitation stays started, because the API documents no invitation status
// between started and evaluated. Submit has no effect on an attempt that was submitted at
// its time limit, and fails on one that was submitted by a call.
func (s *Server) Submit(submissionID string) error {
	return s.step("Submit", submissionID, (*world.Live).Submit)
}

// AppendEvents adds an event for each payload, a JSON object, to the log of an
// attempt. It fails on an attempt that was submitted by a call or evaluated. Events of an
// attempt that its time limit has submitted get the time of the submission.
func (s *Server) AppendEvents(submissionID, kind string, payloads ...string) error {
	in := appendedEvents{kind, make([]jsontext.Value, len(payloads))}
	for i, payload := range payloads {
		in.Payloads[i] = jsontext.Value(payload)
	}
	return s.act("AppendEvents", submissionID, func(c *control) error { return c.appendEvents(in) })
}

type appendedEvents struct {
	Kind     string           `json:"kind"`
	Payloads []jsontext.Value `json:"payloads"`
}

func (c *control) appendEvents(in appendedEvents) error {
	all := make([]world.RawJSON, len(in.Payloads))
	for i, payload := range in.Payloads {
		var object map[string]json.RawMessage
		if !utf8.Valid(payload) || json.Unmarshal(payload, &object) != nil || object == nil {
			return inputError{"payloads", fmt.Sprintf("payload %d is not a JSON object", i+1)}
		}
		all[i] = world.RawJSON(encodeJSON(json.RawMessage(payload)))
	}
	if in.Kind == "" {
		return inputError{"kind", "must not be empty"}
	}
	return c.changed(c.live.Append(c.id, c.now, in.Kind, all...))
}

// Evaluate finishes the grading of a submission: the report is ready, and
// submission and invitation become evaluated. Evaluate submits the attempt if that
// was not done. It fails on a submission that was evaluated before, and on a
// result with invalid scores, pillars or extra members.
func (s *Server) Evaluate(submissionID string, r Result) error {
	return s.grade("Evaluate", submissionID, r, (*world.Live).Evaluate)
}

// EvaluateInvented is like Evaluate with the result that a [Timeline] makes. It depends
// on the candidate's number only, so it is the same on every run.
func (s *Server) EvaluateInvented(submissionID string) error {
	return s.step("EvaluateInvented", submissionID, (*world.Live).EvaluateInvented)
}

// Regrade replaces the result of an evaluated submission, as when the API grades
// a submission again. It fails on a submission that was not evaluated.
func (s *Server) Regrade(submissionID string, r Result) error {
	return s.grade("Regrade", submissionID, r, (*world.Live).Regrade)
}

// grading is a step of the live data with a result.
type grading func(l *world.Live, submissionID string, now time.Time, r world.Result) error

// grade checks a result before the lock, because that calls MarshalJSON of its values.
func (s *Server) grade(method, submissionID string, r Result, do grading) error {
	result, err := r.world()
	return s.act(method, submissionID, func(c *control) error {
		if err != nil {
			return err
		}
		return c.changed(do(&c.live, c.id, c.now, result))
	})
}

// graded returns the operation of a grading. Without a score the result is invented.
func graded(do grading) func(*control, resultJSON) error {
	return func(c *control, in resultJSON) error {
		result, err := in.world(world.InventedScore(c.live.Number(c.id)))
		if err != nil {
			return err
		}
		return c.changed(do(&c.live, c.id, c.now, result))
	}
}

// AddResult makes a finished submission in one call: the candidate of email was invited,
// worked for a believable time and submitted, and the grading ends now. Earlier steps, and
// the assessment if necessary, get earlier times. The candidate's name is made of the
// address before the @: Ada Lovelace for ada.lovelace@candidates.test. AddResult uses the plan quota as Invite does.
func (s *Server) AddResult(assessmentID, email string, r Result) (submissionID string, err error) {
	result, invalid := r.world()
	return makeStep(s, "AddResult", assessmentID, func(c *control, in newInvitation) (string, error) {
		if invalid != nil {
			return "", invalid
		}
		return c.addResult(in, result)
	}, newInvitation{AssessmentID: assessmentID, Email: email})
}

// addResult makes a finished submission. A missing name is made of the address.
func (c *control) addResult(who newInvitation, r world.Result) (id string, err error) {
	local, _, _ := strings.Cut(who.Email, "@")
	name := cmp.Or(who.Name, nameOf(local))
	if err := checkPerson(who.Email, name); err != nil {
		return "", err
	}
	id, err = c.live.AddResult(canonicalID(who.AssessmentID), who.Email, name, c.now, r)
	return id, c.changed(err)
}

func (c *control) postResult(in struct {
	newInvitation
	resultJSON
}) (submissionID string, err error) {
	r, err := in.world(world.InventedScore(len(c.live.Mails()) + 1))
	if err != nil {
		return "", err
	}
	return c.addResult(in.newInvitation, r)
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

// Decide sets the recruiter_decision of an invitation, such as shortlisted.
func (s *Server) Decide(invitationID, decision string) error {
	return s.act("Decide", invitationID, func(c *control) error { return c.decide(decided{decision}) })
}

type decided struct {
	Decision string `json:"decision"`
}

func (c *control) decide(in decided) error {
	if in.Decision == "" {
		return inputError{"decision", "must not be empty"}
	}
	return c.changed(c.live.Decide(c.id, c.now, in.Decision))
}

// Pause adds paused time to an attempt that was not submitted. It counts in whole
// seconds and not as time used. It fails on more paused time than the attempt has lasted.
func (s *Server) Pause(submissionID string, by time.Duration) error {
	return s.act("Pause", submissionID, func(c *control) error { return c.pause(seconds{&by}) })
}

type seconds struct {
	Duration *time.Duration `json:"seconds" required:"true"` // A pointer, so that null is missing too.
}

func (c *control) pause(by seconds) error {
	if *by.Duration < time.Second {
		return inputError{"seconds", "give a pause of at least a second"}
	}
	return c.changed(c.live.Pause(c.id, c.now, *by.Duration))
}

// RemoveArchive makes a submission have no archive, also after it is submitted. See
// [Server.SetArchives] for the storage of all archives.
func (s *Server) RemoveArchive(submissionID string) error {
	return s.act("RemoveArchive", submissionID, func(c *control) error { return c.setArchive(available{false}) })
}

// RestoreArchive undoes RemoveArchive.
func (s *Server) RestoreArchive(submissionID string) error {
	return s.act("RestoreArchive", submissionID, func(c *control) error { return c.setArchive(available{true}) })
}

type available struct {
	Available bool `json:"available" required:"true"`
}

func (c *control) setArchive(in available) error {
	return c.changed(c.live.SetArchive(c.id, c.now, in.Available))
}

// AddMember adds a member to the live data of LiveKey and of live keys without
// an organization. It panics on an invalid address and on an empty name or role.
func (s *Server) AddMember(email, name, role string) (id string) {
	return add(s, "AddMember", (*control).addMember, newMember{Email: email, Name: name, Role: role})
}

type newMember struct {
	Email        string `json:"email"`
	Name         string `json:"name"`
	Role         string `json:"role"`
	Organization string `json:"organization"`
}

func (c *control) addMember(in newMember) (id string, err error) {
	o, err := c.organization(in.Organization)
	if err == nil {
		err = checkPerson(in.Email, in.Name)
	}
	switch {
	case err != nil:
		return "", err
	case in.Role == "":
		return "", inputError{"role", "must not be empty"}
	}
	return o.AddMember(in.Email, in.Name, in.Role), nil
}

// maxTasks is the maximum number of tasks of a challenge. Each task takes some of the
// challenge's minutes.
const maxTasks = 20

// AddChallenge adds a challenge to the live data of LiveKey and of live keys
// without an organization: a single-task challenge, or one with a task for each
// title. It becomes the first listed challenge. It panics on an empty name or title and
// on more than 20 tasks.
func (s *Server) AddChallenge(name string, tasks ...string) (id string) {
	return add(s, "AddChallenge", (*control).addChallenge, newChallenge{Name: name, Tasks: tasks})
}

type newChallenge struct {
	Name         string   `json:"name"`
	Tasks        []string `json:"tasks"`
	Organization string   `json:"organization"`
}

func (c *control) addChallenge(in newChallenge) (id string, err error) {
	o, err := c.organization(in.Organization)
	switch {
	case err != nil:
		return "", err
	case in.Name == "":
		return "", inputError{"name", "must not be empty"}
	case slices.Contains(in.Tasks, ""):
		return "", inputError{"tasks", "the title of a task must not be empty"}
	case len(in.Tasks) > maxTasks:
		return "", inputError{"tasks", fmt.Sprintf("give at most %d tasks", maxTasks)}
	}
	return o.AddChallenge(in.Name, in.Tasks...), nil
}

// Mails returns the invitation e-mails that the live data sent, oldest first. The
// sandbox sends none over the network.
func (s *Server) Mails() (all []Mail) {
	s.must("Mails", func(c *control) error {
		for _, m := range c.live.Mails() {
			all = append(all, Mail(m))
		}
		return nil
	})
	return all
}

// organization returns the live data of an organization that exists, to be changed.
func (c *control) organization(name string) (*world.Organization, error) {
	if err := c.checkOrganization(name); err != nil {
		return nil, err
	}
	c.notify("candidates")
	return c.live.Organization(name, c.now), nil
}

// liveStep is a step of the live data without further input. The id is that of an
// invitation, a submission or an assessment.
type liveStep func(l *world.Live, id string, now time.Time) error

func (s *Server) step(method, id string, do liveStep) error {
	return s.act(method, id, func(c *control) error { return taken(do)(c, none{}) })
}

// taken returns the operation of a step.
func taken(do liveStep) func(*control, none) error {
	return func(c *control, _ none) error { return c.changed(do(&c.live, c.id, c.now)) }
}

// attempting returns the operation of a step that returns the id of the submission.
func attempting(do func(l *world.Live, invitationID string, now time.Time) (string, error)) func(*control, none) (string, error) {
	return func(c *control, _ none) (string, error) {
		id, err := do(&c.live, c.id, c.now)
		return id, c.changed(err)
	}
}

// changed records a change of the live data, unless it failed.
func (c *control) changed(err error) error {
	if err == nil {
		c.notify("candidates")
	}
	return err
}

// act executes an operation for a method of Server, whose name an error has.
func (s *Server) act(method, id string, do func(*control) error) error {
	if err := s.run(id, do); err != nil {
		return fmt.Errorf("sandbox: %s(%q): %w", method, id, err)
	}
	return nil
}

// makeStep is like act, for an operation that returns an id.
func makeStep[In any](s *Server, method, id string, do func(*control, In) (string, error), in In) (made string, err error) {
	err = s.act(method, id, func(c *control) (err error) {
		made, err = do(c, in)
		return err
	})
	return made, err
}

// add is like makeStep, for a method that panics on an error.
func add[In any](s *Server, method string, do func(*control, In) (string, error), in In) (id string) {
	s.must(method, func(c *control) (err error) {
		id, err = do(c, in)
		return err
	})
	return id
}
