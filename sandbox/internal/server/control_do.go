package server

import (
	"errors"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/controlapi"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

func controlReset(s *Server, _ string, _ []byte) (any, error) {
	s.Reset()
	return nil, nil //nolint:nilnil // there is nothing to answer
}

func controlQuota(s *Server, _ string, body []byte) (any, error) {
	var in struct {
		Key       string `json:"key"`
		Class     Class  `json:"class"`
		Remaining *int   `json:"remaining"`
	}
	if err := controlapi.Decode(body, &in); err != nil {
		return nil, err
	}
	if in.Remaining == nil || *in.Remaining < 0 {
		return nil, errors.New("remaining: give how many requests the key has left, from 0")
	}
	return nil, s.SetQuota(in.Key, in.Class, *in.Remaining)
}

func controlFaults(s *Server, _ string, body []byte) (any, error) {
	var in struct {
		Route       string           `json:"route"`
		Skip        int              `json:"skip"`
		Times       int              `json:"times"`
		Status      int              `json:"status"`
		Code        hiring.ErrorCode `json:"code"`
		RetryAfter  controlapi.Span  `json:"retry_after"`
		Delay       controlapi.Span  `json:"delay"`
		Late        controlapi.Span  `json:"late"`
		After       bool             `json:"after"`
		Reset       bool             `json:"reset"`
		CutAfter    int              `json:"cut_after"`
		Body        string           `json:"body"`
		ContentType string           `json:"content_type"`
	}
	if err := controlapi.Decode(body, &in); err != nil {
		return nil, err
	}
	return nil, s.Inject(Fault{
		Route: in.Route, Skip: in.Skip, Times: in.Times, Status: in.Status, Code: in.Code,
		RetryAfter: time.Duration(in.RetryAfter), Delay: time.Duration(in.Delay), Late: time.Duration(in.Late),
		After: in.After, Reset: in.Reset, CutAfter: in.CutAfter, Body: in.Body, ContentType: in.ContentType,
	})
}

func controlKeys(s *Server, _ string, body []byte) (any, error) {
	var in struct {
		Token        string    `json:"token"`
		Scope        Scope     `json:"scope"`
		Expires      time.Time `json:"expires"`
		Organization string    `json:"organization"`
	}
	if err := controlapi.Decode(body, &in); err != nil {
		return nil, err
	}
	return nil, s.AddKey(Key(in))
}

func controlRevoke(s *Server, _ string, body []byte) (any, error) {
	var in struct {
		Token string `json:"token"`
	}
	if err := controlapi.Decode(body, &in); err != nil {
		return nil, err
	}
	if !s.RevokeKey(in.Token) {
		return nil, errors.New("token: the server knows no such key")
	}
	return nil, nil //nolint:nilnil // there is nothing to answer
}

func controlAdvance(s *Server, _ string, body []byte) (any, error) {
	var in struct {
		Seconds *controlapi.Span `json:"seconds"`
	}
	if err := controlapi.Decode(body, &in); err != nil {
		return nil, err
	}
	if in.Seconds == nil || *in.Seconds < 0 {
		return nil, errors.New("seconds: give how far the clock is to move, from 0; it does not go back")
	}
	return nil, s.Advance(time.Duration(*in.Seconds))
}

func controlOpen(s *Server, id string, _ []byte) (any, error) { return nil, s.Open(id) }

func controlBegin(s *Server, id string, _ []byte) (any, error) {
	return begun(s.Begin(id))
}

// controlSubmit takes the invitation's id, which a client of the control API has.
func controlSubmit(s *Server, id string, _ []byte) (any, error) { return begun(s.SubmitInvited(id)) }

func begun(submission string, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return map[string]string{"submission_id": submission}, nil
}

func controlEvaluate(s *Server, id string, body []byte) (any, error) {
	var in struct {
		ShipScore       int            `json:"ship_score"`
		Verdict         string         `json:"verdict"`
		Pillars         map[string]int `json:"pillars"`
		LowConfidence   []string       `json:"low_confidence"`
		Summary         string         `json:"summary"`
		Confidence      string         `json:"confidence"`
		IntegrityStatus string         `json:"integrity_status"`
		Extra           map[string]any `json:"extra"`
	}
	if body != nil {
		if err := controlapi.Decode(body, &in); err != nil {
			return nil, err
		}
	}
	return nil, s.Evaluate(id, Result(in))
}

func controlAssessments(s *Server, _ string, body []byte) (any, error) {
	var in struct {
		Name string `json:"name"`
	}
	if err := controlapi.Decode(body, &in); err != nil {
		return nil, err
	}
	id, err := s.AddAssessment("", in.Name, "")
	return map[string]string{"assessment_id": id}, err
}

func controlArchives(s *Server, _ string, body []byte) (any, error) {
	var in struct {
		Available *bool `json:"available"`
	}
	if err := controlapi.Decode(body, &in); err != nil {
		return nil, err
	}
	if in.Available == nil {
		return nil, errors.New("available: give true or false")
	}
	s.SetArchives(*in.Available)
	return nil, nil //nolint:nilnil // there is nothing to answer
}

type wireEntry struct {
	Method string       `json:"method"`
	Route  string       `json:"route"`
	Path   string       `json:"path"`
	Query  string       `json:"query"`
	Status *int         `json:"status"` // null when no reply was sent
	Key    string       `json:"key"`
	Body   string       `json:"body"`
	At     world.Moment `json:"at"`
}

func controlJournal(s *Server, _ string, _ []byte) (any, error) {
	journal := s.Journal()
	return map[string][]wireEntry{"entries": wireEntries(journal), "repeated": wireEntries(Repeated(journal))}, nil
}

func wireEntries(entries []Entry) []wireEntry {
	all := make([]wireEntry, 0, len(entries))
	for _, e := range entries {
		wire := wireEntry{Method: e.Method, Route: e.Route, Path: e.Path, Query: e.Query, Key: e.Key, Body: string(e.Body), At: world.MomentOf(e.At)}
		if e.Status != 0 {
			wire.Status = &e.Status
		}
		all = append(all, wire)
	}
	return all
}
