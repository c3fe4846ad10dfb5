package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// AddAssessment makes an active assessment of the first challenge that is listed,
// for tests that are about what comes after: LiveKey, and live keys that name no
// organization, see it. It counts against no quota and is in no journal. It
// panics on an empty name.
func (s *Server) AddAssessment(name string) (id string) {
	id, err := s.addAssessment(name)
	if err != nil {
		panic(fmt.Sprintf("sandbox: AddAssessment: %v", err))
	}
	return id
}

func (s *Server) addAssessment(name string) (id string, err error) {
	if name == "" {
		return "", errors.New("the name is empty")
	}
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp(now)
	defer s.notify()
	return s.live.Organization("", now).AddAssessment(name, ""), nil
}

// Invite sends an invitation without a request: it counts against the plan but
// against no quota, and is in no journal. It fails on an address or a name that
// cannot be, on an assessment that is unknown, deleted or closed, and when the
// plan is used up.
func (s *Server) Invite(assessmentID, email, name string) (invitationID string, err error) {
	err = s.byHand("Invite", assessmentID, func(id string, now time.Time) (err error) {
		if !isAddress(email) || name == "" {
			return errors.New("give an email address and a name")
		}
		invitationID, err = s.live.Invite(id, email, name, now)
		return err
	})
	return invitationID, err
}

// Open lets the candidate of a live invitation open it: sent becomes opened. It
// fails on an invitation that was opened before, was revoked or has expired.
//
// This and what follows takes effect at once, at the time of the server's
// clock. An id that the live world does not have is an error, as is a step that
// cannot be taken, and then nothing changes.
func (s *Server) Open(invitationID string) error {
	return s.byHand("Open", invitationID, s.live.Open)
}

// Begin lets the candidate begin the attempt, and opens the invitation if that
// was not done: it becomes started, there is a submission, and its log begins
// with attempt_started. It fails when the attempt has begun before, when the
// invitation was revoked or has expired, and when the assessment is closed; a
// deleted one lets its invitations go on.
func (s *Server) Begin(invitationID string) (submissionID string, err error) {
	err = s.byHand("Begin", invitationID, func(id string, now time.Time) (err error) {
		submissionID, err = s.live.Begin(id, now)
		return err
	})
	return submissionID, err
}

// Submit hands an attempt in. The submission becomes submitted and has an
// archive; the invitation stays started, for the service shows no status of
// invitations in between.
func (s *Server) Submit(submissionID string) error {
	return s.byHand("Submit", submissionID, s.live.Submit)
}

// AppendEvents adds one event for each payload, which must be a JSON object, to
// the log of an attempt. It can be done at any time: a log may arrive late.
func (s *Server) AppendEvents(submissionID, kind string, payloads ...string) error {
	all := make([]world.Text, len(payloads))
	for i, payload := range payloads {
		var object map[string]json.RawMessage
		if !utf8.ValidString(payload) || json.Unmarshal([]byte(payload), &object) != nil || object == nil {
			return fmt.Errorf("sandbox: AppendEvents(%q): payload %d is not a JSON object", submissionID, i+1)
		}
		all[i] = world.Text(render(json.RawMessage(payload)))
	}
	return s.byHand("AppendEvents", submissionID, func(id string, now time.Time) error {
		return s.live.Append(id, now, kind, all...)
	})
}

// Result is what grading a submission finds.
type Result struct {
	ShipScore       int            // From 0 to 100.
	Verdict         string         // Empty: what fits the score, from strong_no to strong_yes.
	Pillars         map[string]int // From 0 to 100, by id; one that is missing has a null score and low confidence.
	LowConfidence   []string       // Ids of pillars whose score, if they have one, rests on thin evidence.
	Summary         string         // Empty: a sentence with the score.
	Confidence      string         // Empty: what fits the number of pillars with enough evidence, from low to high.
	IntegrityStatus string         // Empty: clear.
	Extra           map[string]any // Further members of the report, or others in the place of those it has; nil: null.
}

// Evaluate finishes grading: the report is ready, and submission and invitation
// are evaluated. An attempt that was not handed in is so before. It fails on a
// second time, as at the service, and on a result with scores, pillars or extra
// members that cannot be.
func (s *Server) Evaluate(submissionID string, r Result) error {
	r, problem := r.settled() // before the lock, for it calls the values' MarshalJSON
	if problem != nil {
		return fmt.Errorf("sandbox: Evaluate(%q): %w", submissionID, problem)
	}
	return s.byHand("Evaluate", submissionID, func(id string, now time.Time) error {
		return s.live.Evaluate(id, now, world.Result(r))
	})
}

// settled is a copy that the caller can no longer change.
func (r Result) settled() (Result, error) {
	if err := world.Result(r).Check(); err != nil {
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

// byHand does a step of a candidate at once, after what was due before it.
func (s *Server) byHand(call, id string, do func(id string, now time.Time) error) error {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp(now)
	if err := do(canonical(id), now); err != nil {
		return fmt.Errorf("sandbox: %s(%q): %w", call, id, err)
	}
	s.notify()
	return nil
}
