package sandbox

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// Timeline moves the candidates of the live data without calls.
//
// Each duration counts from the previous step, the first from the sending of
// the invitation. The server's clock counts. A step has the time at which it was
// due, whenever the server receives its next request.
//
// A step without a duration happens together with the previous one. The last
// step with a duration ends the timeline: Timeline{Open: time.Hour} only opens.
//
// Calls such as [Server.Open] can be mixed with a timeline: the next step counts
// from the call. A step that is impossible ends the timeline, for example when
// the invitation was revoked or the assessment is closed.
type Timeline struct {
	Open     time.Duration `json:"open"`
	Begin    time.Duration `json:"begin"`
	Submit   time.Duration `json:"submit"`
	Evaluate time.Duration `json:"evaluate"`
}

func (t Timeline) world() world.Timeline {
	return world.Timeline{world.Opened: t.Open, world.Started: t.Begin, world.Submitted: t.Submit, world.Evaluated: t.Evaluate}
}

// Mail is an invitation e-mail that the live data sent.
type Mail struct {
	AssessmentID string
	InvitationID string
	Email        string
	Name         string
	Organization string
	At           time.Time
	Resent       bool // Whether a resend sent it.
}

// Mails returns the invitation e-mails that the live data sent, oldest first. The
// sandbox sends none over the network.
func (s *Server) Mails() (all []Mail) {
	s.mustWithLock("Mails", func(c *control) error {
		for _, m := range c.live.Mails() {
			all = append(all, Mail(m))
		}
		return nil
	})
	return all
}

// AddAssessment adds an active assessment of the first listed challenge to the
// live data of LiveKey and of live keys without an organization. It uses no rate
// limit and makes no journal entry. It panics on an empty name.
func (s *Server) AddAssessment(name string) (id string) {
	s.mustWithLock("AddAssessment", func(c *control) (err error) {
		id, err = c.addAssessment(newAssessment{Name: name})
		return err
	})
	return id
}

// Invite sends an invitation without a request: it uses the plan quota, but no
// rate limit, and makes no journal entry. It fails on an invalid address or name,
// on an unknown, deleted or closed assessment, and when the plan quota is used up.
func (s *Server) Invite(assessmentID, email, name string) (invitationID string, err error) {
	return s.changeLive("Invite", assessmentID, func(c *control) (string, error) {
		return c.invite(newInvitation{AssessmentID: assessmentID, Email: email, Name: name})
	})
}

type newInvitation struct {
	scope

	AssessmentID string `json:"assessment_id"`
	Email        string `json:"email"`
	Name         string `json:"name"`
}

func (c *control) invite(in newInvitation) (id string, err error) {
	if err := cmp.Or(checkPerson(in.Email, in.Name), c.checkScope(in)); err != nil {
		return "", err
	}
	c.id, err = c.live.Invite(canonicalID(in.AssessmentID), world.Person{Email: in.Email, Name: in.Name}, c.now)
	return c.id, c.recordStep("invited", err)
}

// checkScope returns an error for an assessment that a key does not see.
func (c *control) checkScope(in newInvitation) error {
	selected, err := c.scope(in.scope)
	if err == nil && !selected.all && c.live.Organization(selected.organization, c.now).Assessments.Find(canonicalID(in.AssessmentID)) == nil {
		return world.ErrUnknown
	}
	return err
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
	_, err := s.changeLive("Open", invitationID, func(c *control) (string, error) { return "", c.open(none{}) })
	return err
}

// Begin begins the attempt, and opens the invitation if that was not done. The
// invitation becomes started, and a submission exists whose log begins with
// attempt_started. Begin fails when the attempt has begun before, when the
// invitation was revoked or has expired, and when the assessment is closed. The
// invitations of a deleted assessment keep working.
//
// The attempt is submitted at its time limit, if it was not submitted before.
func (s *Server) Begin(invitationID string) (submissionID string, err error) {
	return s.changeLive("Begin", invitationID, func(c *control) (string, error) { return c.begin(none{}) })
}

// Submit submits an attempt. The submission becomes submitted and has an archive.
// The invitation stays started, because the API documents no invitation status
// between started and evaluated. Submit has no effect on an attempt that was submitted at
// its time limit, and fails on one that was submitted by a call.
func (s *Server) Submit(submissionID string) error {
	_, err := s.changeLive("Submit", submissionID, func(c *control) (string, error) { return "", c.submit(none{}) })
	return err
}

// AppendEvents adds an event for each payload, a JSON object, to the log of an
// attempt. It fails on an attempt that was submitted by a call or evaluated. Events of an
// attempt that its time limit has submitted get the time of the submission.
func (s *Server) AppendEvents(submissionID string, kind hiring.EventKind, payloads ...string) error {
	in := appendedEvents{string(kind), make([]jsontext.Value, len(payloads))}
	for i, payload := range payloads {
		in.Payloads[i] = jsontext.Value(payload)
	}
	_, err := s.changeLive("AppendEvents", submissionID, func(c *control) (string, error) { return "", c.appendEvents(in) })
	return err
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
	return c.live.Append(c.id, c.now, in.Kind, all...)
}

// Evaluate finishes the grading of a submission: Evaluated of its report becomes true, so that
// [hiring.Report.Ready] returns true, and submission and invitation become evaluated. Evaluate submits the attempt if that
// was not done. On a submission that was evaluated before it replaces the result, as when the
// API grades a submission again. It fails on a result with invalid scores, pillars or extra
// members.
func (s *Server) Evaluate(submissionID string, r Result) error {
	result, invalid := r.world() // Before the lock, because it calls MarshalJSON of the caller's values.
	_, err := s.changeLive("Evaluate", submissionID, func(c *control) (string, error) {
		if invalid != nil {
			return "", invalid
		}
		return c.take(world.Evaluated, result)
	})
	return err
}

func (c *control) evaluate(in resultInput) error {
	result, err := in.world()
	if err != nil {
		return err
	}
	_, err = c.take(world.Evaluated, result)
	return err
}

// AddResult makes a finished submission in one call: the candidate of email was invited,
// worked for a believable time and submitted, and the grading ends now. Earlier steps get
// earlier times, and if necessary so does an assessment of AddAssessment. An assessment that
// the program made never changes: the steps come after it, in a shorter time if necessary.
// The candidate's name is made of the
// address before the @: Ada Lovelace for ada.lovelace@candidates.test. AddResult uses the
// plan quota as Invite does.
func (s *Server) AddResult(assessmentID, email string, r Result) (submissionID string, err error) {
	result, invalid := r.world()
	return s.changeLive("AddResult", assessmentID, func(c *control) (string, error) {
		if invalid != nil {
			return "", invalid
		}
		return c.addResult(newInvitation{AssessmentID: assessmentID, Email: email}, result)
	})
}

func (c *control) postResult(in struct {
	newInvitation
	resultInput
},
) (submissionID string, err error) {
	r, err := in.world()
	if err != nil {
		return "", err
	}
	return c.addResult(in.newInvitation, r)
}

// addResult makes a finished submission. A missing name is made of the address.
func (c *control) addResult(in newInvitation, r world.Result) (id string, err error) {
	local, _, _ := strings.Cut(in.Email, "@")
	who := world.Person{Email: in.Email, Name: cmp.Or(in.Name, nameOf(local))}
	if err := cmp.Or(checkPerson(who.Email, who.Name), c.checkScope(in)); err != nil {
		return "", err
	}
	c.id, err = c.live.AddResult(canonicalID(in.AssessmentID), who, c.now, r)
	return c.id, c.recordStep(world.Stages[world.Evaluated], err)
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

func (c *control) open(none) error { return c.step(world.Opened) }

func (c *control) begin(none) (submissionID string, err error) {
	return c.take(world.Started, world.Result{})
}

func (c *control) submit(none) error { return c.step(world.Submitted) }

// step takes the candidate with the id of the control to a stage that needs no result.
func (c *control) step(to world.Stage) error {
	_, err := c.take(to, world.Result{})
	return err
}

func (c *control) delayReport(in struct {
	By *time.Duration `json:"seconds"`
},
) error {
	if in.By == nil {
		return inputError{"seconds", "give a number of seconds, below zero for never"}
	}
	kinds := []string{"report never ready", "report on time", fmt.Sprintf("report late by %.0f s", in.By.Seconds())}
	return c.recordStep(kinds[cmp.Compare(*in.By, 0)+1], c.live.DelayReport(c.id, c.now, *in.By))
}

func (c *control) revoke(none) error { return c.recordStep("revoked", c.live.Revoke(c.id, c.now)) }

// take takes the candidate with the id of the control to a stage.
func (c *control) take(to world.Stage, r world.Result) (submissionID string, err error) {
	submissionID, err = c.live.Take(c.id, c.now, to, r)
	return submissionID, c.recordStep(world.Stages[to], err)
}

// changeLive changes the live data for a method of Server, whose name an error has.
func (s *Server) changeLive(method, id string, do func(*control) (string, error)) (made string, err error) {
	err = s.withLock(id, func(c *control) (err error) {
		made, err = do(c)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("sandbox: %s(%q): %w", method, id, err)
	}
	return made, nil
}
