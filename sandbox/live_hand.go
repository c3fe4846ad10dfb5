package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
	"unicode/utf8"
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
	o := s.organization("").at(now)
	of, at := o.library.newest(0), stamp{now.Truncate(time.Millisecond)}
	id = s.newID()
	o.saveAssessment(newRecord(id, at, wireAssessment{
		ID: id, Name: name, ChallengeID: of.id, Status: "active", TimeLimitMinutes: of.wire.TimeLimitMinutes, CreatedAt: at, UpdatedAt: at,
	}))
	return id, nil
}

// Open lets the candidate of a live invitation open it: sent becomes opened. It
// fails on an invitation that was opened before, was revoked or has expired.
//
// This and what follows takes effect at once, at the time of the server's
// clock. An id that the live world does not have is an error, as is a step that
// cannot be taken, and then nothing changes.
func (s *Server) Open(invitationID string) error {
	return s.byHand("Open", invitationID, s.invitee, (*candidate).open)
}

// Begin lets the candidate begin the attempt, and opens the invitation if that
// was not done: it becomes started, there is a submission, and its log begins
// with attempt_started. It fails when the attempt has begun before, when the
// invitation was revoked or has expired, and when the assessment is closed; a
// deleted one lets its invitations go on.
func (s *Server) Begin(invitationID string) (submissionID string, err error) {
	err = s.byHand("Begin", invitationID, s.invitee, func(c *candidate, at stamp) error {
		if err := c.begin(at); err != nil {
			return err
		}
		submissionID = c.submission.id
		return nil
	})
	return submissionID, err
}

// Submit hands an attempt in. The submission becomes submitted and has an
// archive; the invitation stays started, for the service shows no status of
// invitations in between.
func (s *Server) Submit(submissionID string) error {
	return s.byHand("Submit", submissionID, s.author, (*candidate).submit)
}

// AppendEvents adds one event for each payload, which must be a JSON object, to
// the log of an attempt. It can be done at any time: a log may arrive late.
func (s *Server) AppendEvents(submissionID, kind string, payloads ...string) error {
	raw := make([]json.RawMessage, len(payloads))
	for i, payload := range payloads {
		raw[i] = json.RawMessage(payload)
		var object map[string]json.RawMessage
		if !utf8.ValidString(payload) || json.Unmarshal(raw[i], &object) != nil || object == nil {
			return fmt.Errorf("sandbox: AppendEvents(%q): payload %d is not a JSON object", submissionID, i+1)
		}
	}
	return s.byHand("AppendEvents", submissionID, s.author, func(c *candidate, at stamp) error {
		if kind == "" {
			return errors.New("the kind is empty")
		}
		c.append(at, kind, raw...)
		return nil
	})
}

const maxScore = 100

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
	return s.byHand("Evaluate", submissionID, s.author, func(c *candidate, at stamp) error {
		if problem != nil {
			return problem
		}
		return c.evaluate(at, r)
	})
}

// settled is a copy that the caller can no longer change.
func (r Result) settled() (Result, error) {
	if err := r.check(); err != nil {
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

func (r Result) check() error {
	if r.ShipScore < 0 || r.ShipScore > maxScore {
		return fmt.Errorf("the ship score %d is not within 0 and %d", r.ShipScore, maxScore)
	}
	ids := slices.Sorted(maps.Keys(r.Pillars))
	for _, id := range slices.Concat(ids, r.LowConfidence) {
		if !slices.ContainsFunc(pillars[:], func(p wirePillar) bool { return p.ID == id }) {
			return fmt.Errorf("there is no pillar %q", id)
		}
	}
	for _, id := range ids {
		if score := r.Pillars[id]; score < 0 || score > maxScore {
			return fmt.Errorf("the score %d of %s is not within 0 and %d", score, id, maxScore)
		}
	}
	return nil
}
