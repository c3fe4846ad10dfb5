package server

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/controlapi"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// Inputs and outputs of the control API.
type (
	controlQuota struct {
		Key       string `json:"key"`
		Class     Class  `json:"class"`
		Remaining *int   `json:"remaining"`
	}
	controlPlan struct {
		Key            string `json:"key"`
		Used           *int   `json:"used"`
		Limit          *int   `json:"limit"`
		LimitsEnforced *bool  `json:"limits_enforced"`
	}
	controlFault struct {
		Route       string           `json:"route"`
		Key         string           `json:"key"`
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
	controlKey struct {
		Token        string    `json:"token"`
		Scope        Scope     `json:"scope"`
		Expires      time.Time `json:"expires"`
		Organization string    `json:"organization"`
	}
	controlToken struct {
		Token string `json:"token"`
	}
	controlAdvance struct {
		Seconds *controlapi.Span `json:"seconds"`
	}
	controlThrottle struct {
		Throttled *bool `json:"throttled"`
	}
	controlDrift struct {
		On   *bool  `json:"on"`
		Seed uint64 `json:"seed"`
	}
	controlAvailable struct {
		Available *bool `json:"available"`
	}
	controlAssessment struct {
		Name         string `json:"name"`
		Organization string `json:"organization"`
		ChallengeID  string `json:"challenge_id"`
	}
	controlChallenge struct {
		Name         string   `json:"name"`
		Tasks        []string `json:"tasks"`
		Organization string   `json:"organization"`
	}
	controlMember struct {
		Email        string `json:"email"`
		Name         string `json:"name"`
		Role         string `json:"role"`
		Organization string `json:"organization"`
	}
	controlInvitation struct {
		AssessmentID string `json:"assessment_id"`
		Email        string `json:"email"`
		Name         string `json:"name"`
	}
	controlDecision struct {
		Decision string `json:"decision"`
	}
	controlPause struct {
		Seconds *controlapi.Span `json:"seconds"`
	}
	controlEvents struct {
		Kind     string            `json:"kind"`
		Payloads []json.RawMessage `json:"payloads"`
	}
	controlResult struct {
		ShipScore       *int            `json:"ship_score"`
		Verdict         string          `json:"verdict"`
		Pillars         map[string]*int `json:"pillars"`
		LowConfidence   []string        `json:"low_confidence"`
		Summary         string          `json:"summary"`
		Confidence      string          `json:"confidence"`
		IntegrityStatus string          `json:"integrity_status"`
		ReportDelay     controlapi.Span `json:"report_delay"`
		Extra           map[string]any  `json:"extra"`
	}
	controlNewResult struct {
		AssessmentID string `json:"assessment_id"`
		Email        string `json:"email"`
		controlResult
	}

	controlSubmissionID struct {
		SubmissionID string `json:"submission_id"`
	}
	controlInvitationID struct {
		InvitationID string `json:"invitation_id"`
	}
	controlAssessmentID struct {
		AssessmentID string `json:"assessment_id"`
	}
	controlChallengeID struct {
		ChallengeID string `json:"challenge_id"`
	}
	controlMemberID struct {
		MemberID string `json:"member_id"`
	}
	controlMails struct {
		Mails []controlMail `json:"mails"`
	}
	controlMail struct {
		InvitationID string       `json:"invitation_id"`
		AssessmentID string       `json:"assessment_id"`
		Email        string       `json:"email"`
		Name         string       `json:"name"`
		Resent       bool         `json:"resent"`
		At           world.Moment `json:"at"`
	}
	controlJournal struct {
		Entries  []controlEntry `json:"entries"`
		Repeated []controlEntry `json:"repeated"`
	}
	controlEntry struct {
		Method          string              `json:"method"`
		Route           string              `json:"route"`
		Path            string              `json:"path"`
		Query           string              `json:"query"`
		Status          *int                `json:"status"` // null when no response was sent
		Key             string              `json:"key"`
		Body            string              `json:"body"`
		At              world.Moment        `json:"at"`
		RequestID       *string             `json:"request_id"` // null without details, as all that follows
		Headers         map[string][]string `json:"headers"`
		ResponseHeaders map[string][]string `json:"response_headers"`
		Response        *string             `json:"response"`
		Fault           *controlFault       `json:"fault"`
	}
)

// result converts the JSON. A null or absent score becomes NoScore.
func (c controlResult) result() Result {
	r := Result{
		ShipScore: NoScore, Verdict: c.Verdict, LowConfidence: c.LowConfidence, Summary: c.Summary, Confidence: c.Confidence,
		IntegrityStatus: c.IntegrityStatus, ReportDelay: time.Duration(c.ReportDelay), Extra: c.Extra,
	}
	if c.ShipScore != nil {
		r.ShipScore = *c.ShipScore
	}
	for id, score := range c.Pillars {
		if r.Pillars == nil {
			r.Pillars = make(map[string]int, len(c.Pillars))
		}
		r.Pillars[id] = NoScore
		if score != nil {
			r.Pillars[id] = *score
		}
	}
	return r
}

var controls struct {
	once   sync.Once
	routes []controlRoute
}

// controlRoutes returns the operations of the control API.
func controlRoutes() []controlRoute {
	controls.once.Do(func() { controls.routes = newControlRoutes() })
	return controls.routes
}

func newControlRoutes() []controlRoute {
	const post, get = http.MethodPost, http.MethodGet
	return []controlRoute{
		control(get, "", "Lists the operations of the control API.", "", listControls),
		control(get, "openapi.json", "Returns the OpenAPI document of the control API.", "", func(*Server, string, none) (map[string]any, error) {
			return controlDocument(), nil
		}),
		control(post, "reset", "Restores the state that the server started with.", "", func(s *Server, _ string, _ none) (none, error) {
			s.Reset()
			return none{}, nil
		}),
		control(post, "advance", "Moves the clock forward.", `{"seconds":3600}`, func(s *Server, _ string, in controlAdvance) (none, error) {
			if in.Seconds == nil || *in.Seconds < 0 {
				return none{}, errors.New("seconds: required, from 0; the clock does not go back")
			}
			return none{}, s.Advance(time.Duration(*in.Seconds))
		}),
		control(get, "journal", "Returns the exchanges with the API, and the writes that were repeated.", "", readJournal),
		control(post, "journal/clear", "Empties the journal and changes nothing else.", "", func(s *Server, _ string, _ none) (none, error) {
			s.ClearJournal()
			return none{}, nil
		}),
		control(get, "mails", "Returns the invitation e-mails that the live data sent.", "", readMails),

		control(post, "keys", "Adds a key, or replaces the one with the same token.",
			`{"token":"sk_live_acme","scope":"write","organization":"acme"}`,
			func(s *Server, _ string, in controlKey) (none, error) { return none{}, s.AddKey(Key(in)) }),
		control(post, "keys/revoke", "Revokes a key.", `{"token":"sk_test_sandbox_read"}`,
			func(s *Server, _ string, in controlToken) (none, error) {
				if !s.RevokeKey(in.Token) {
					return none{}, errors.New("token: the server knows no such key")
				}
				return none{}, nil
			}),
		control(post, "quota", "Sets the remaining requests of a key in its current window.",
			`{"key":"sk_live_sandbox","class":"read","remaining":3}`,
			func(s *Server, _ string, in controlQuota) (none, error) {
				if in.Remaining == nil || *in.Remaining < 0 {
					return none{}, errors.New("remaining: give how many requests the key has left, from 0")
				}
				return none{}, s.SetQuota(in.Key, in.Class, *in.Remaining)
			}),
		control(post, "plan", "Sets the used invitations, the limit and whether it is enforced, of a live key's organization.",
			`{"key":"sk_live_sandbox","used":2000,"limit":2000}`, setPlan),
		control(post, "throttle", "Throttles every address for an hour, or ends that.", `{"throttled":true}`,
			func(s *Server, _ string, in controlThrottle) (none, error) {
				if in.Throttled == nil {
					return none{}, errors.New("throttled: give true or false")
				}
				s.SetThrottled(*in.Throttled)
				return none{}, nil
			}),
		control(post, "drift", "Starts or stops unknown fields and values in responses.", `{"on":true,"seed":7}`,
			func(s *Server, _ string, in controlDrift) (none, error) {
				if in.On == nil {
					return none{}, errors.New("on: give true or false")
				}
				s.SetDrift(*in.On, in.Seed)
				return none{}, nil
			}),
		control(post, "archives", "Sets whether archive storage is available.", `{"available":false}`,
			func(s *Server, _ string, in controlAvailable) (none, error) {
				if in.Available == nil {
					return none{}, errors.New("available: give true or false")
				}
				s.SetArchives(*in.Available)
				return none{}, nil
			}),
		control(post, "faults", "Injects a fault.", `{"route":"GET /submissions/{id}/report","status":503,"retry_after":1}`, injectFault),
		control(post, "faults/clear", "Removes all faults.", "", func(s *Server, _ string, _ none) (none, error) {
			s.ClearFaults()
			return none{}, nil
		}),

		control(post, "members", "Adds a member.", `{"email":"sam@sandbox.test","name":"Sam","role":"member"}`,
			func(s *Server, _ string, in controlMember) (controlMemberID, error) {
				id, err := s.AddMember(in.Organization, in.Email, in.Name, in.Role)
				return controlMemberID{id}, err
			}),
		control(post, "challenges", "Adds a challenge, with a task for each title in tasks.", `{"name":"Search","tasks":["Index","Ranking"]}`,
			func(s *Server, _ string, in controlChallenge) (controlChallengeID, error) {
				id, err := s.AddChallenge(in.Organization, in.Name, in.Tasks...)
				return controlChallengeID{id}, err
			}),
		control(post, "assessments", "Adds an assessment, of the first challenge unless challenge_id is given.", `{"name":"Backend engineer"}`,
			func(s *Server, _ string, in controlAssessment) (controlAssessmentID, error) {
				id, err := s.AddAssessment(in.Organization, in.Name, in.ChallengeID)
				return controlAssessmentID{id}, err
			}),
		control(post, "invitations", "Sends an invitation.",
			`{"assessment_id":"f0000000-0000-4000-8000-000000000001","email":"ada@candidates.test","name":"Ada"}`,
			func(s *Server, _ string, in controlInvitation) (controlInvitationID, error) {
				id, err := s.Invite(in.AssessmentID, in.Email, in.Name)
				return controlInvitationID{id}, err
			}),
		control(post, "results", "Makes a finished submission: sends an invitation, begins, submits and evaluates.",
			`{"assessment_id":"f0000000-0000-4000-8000-000000000001","email":"ada@candidates.test","ship_score":82,"pillars":{"craft":90,"rigor":null}}`,
			func(s *Server, _ string, in controlNewResult) (controlSubmissionID, error) {
				id, err := s.AddResult(in.AssessmentID, in.Email, in.result())
				return controlSubmissionID{id}, err
			}),
		control(post, "invitations/{id}/open", "Opens an invitation.", "",
			func(s *Server, id string, _ none) (none, error) { return none{}, s.Open(id) }),
		control(post, "invitations/{id}/begin", "Begins the attempt.", "", func(s *Server, id string, _ none) (controlSubmissionID, error) {
			submission, err := s.Begin(id)
			return controlSubmissionID{submission}, err
		}),
		control(post, "invitations/{id}/submit", "Submits the attempt.", "", func(s *Server, id string, _ none) (controlSubmissionID, error) {
			submission, err := s.SubmitInvited(id)
			return controlSubmissionID{submission}, err
		}),
		control(post, "invitations/{id}/decision", "Sets the recruiter's decision.", `{"decision":"shortlisted"}`,
			func(s *Server, id string, in controlDecision) (none, error) { return none{}, s.Decide(id, in.Decision) }),
		control(post, "submissions/{id}/events", "Adds an event for each payload to the log.",
			`{"kind":"ai_prompt","payloads":[{"text":"Why is it slow?"}]}`,
			func(s *Server, id string, in controlEvents) (none, error) {
				payloads := make([]string, len(in.Payloads))
				for i, p := range in.Payloads {
					payloads[i] = string(p)
				}
				return none{}, s.AppendEvents(id, in.Kind, payloads...)
			}),
		control(post, "submissions/{id}/pause", "Adds paused time to an attempt that was not submitted.", `{"seconds":600}`,
			func(s *Server, id string, in controlPause) (none, error) {
				if in.Seconds == nil {
					return none{}, errors.New("seconds: required")
				}
				return none{}, s.Pause(id, time.Duration(*in.Seconds))
			}),
		control(post, "submissions/{id}/archive", "Sets whether a submission has an archive.", `{"available":false}`,
			func(s *Server, id string, in controlAvailable) (none, error) {
				if in.Available == nil {
					return none{}, errors.New("available: give true or false")
				}
				return none{}, s.SetArchive(id, *in.Available)
			}),
		controlWithOptionalBody(post, "submissions/{id}/evaluate", "Finishes the grading. A null or absent score is no score.",
			`{"ship_score":82,"pillars":{"craft":90,"rigor":null},"low_confidence":["craft"]}`,
			func(s *Server, id string, in controlResult) (none, error) { return none{}, s.Evaluate(id, in.result()) }),
		controlWithOptionalBody(post, "submissions/{id}/regrade", "Replaces the result of an evaluated submission.",
			`{"ship_score":64,"pillars":{"craft":60}}`,
			func(s *Server, id string, in controlResult) (none, error) { return none{}, s.Regrade(id, in.result()) }),
	}
}

func setPlan(s *Server, _ string, in controlPlan) (none, error) {
	if (in.Used == nil) != (in.Limit == nil) || in.Used == nil && in.LimitsEnforced == nil {
		return none{}, errors.New("give used and limit, or limits_enforced, or all three")
	}
	if in.Used != nil {
		if *in.Used < 0 || *in.Limit < 0 {
			return none{}, errors.New("used, limit: a number of invitations cannot be negative")
		}
		if err := s.SetPlan(in.Key, *in.Used, *in.Limit); err != nil {
			return none{}, err
		}
	}
	if in.LimitsEnforced != nil {
		return none{}, s.SetLimitsEnforced(in.Key, *in.LimitsEnforced)
	}
	return none{}, nil
}

func injectFault(s *Server, _ string, in controlFault) (none, error) {
	return none{}, s.Inject(Fault{
		Route: in.Route, Key: in.Key, Skip: in.Skip, Times: in.Times, Status: in.Status, Code: in.Code,
		RetryAfter: time.Duration(in.RetryAfter), Delay: time.Duration(in.Delay), Late: time.Duration(in.Late),
		After: in.After, Reset: in.Reset, CutAfter: in.CutAfter, Body: in.Body, ContentType: in.ContentType,
	})
}

// controlFaultOf returns the JSON of a fault, in the form that injectFault reads.
func controlFaultOf(f Fault) controlFault {
	return controlFault{
		Route: f.Route, Key: f.Key, Skip: f.Skip, Times: f.Times, Status: f.Status, Code: f.Code,
		RetryAfter: controlapi.Span(f.RetryAfter), Delay: controlapi.Span(f.Delay), Late: controlapi.Span(f.Late),
		After: f.After, Reset: f.Reset, CutAfter: f.CutAfter, Body: f.Body, ContentType: f.ContentType,
	}
}

func readMails(s *Server, _ string, _ none) (controlMails, error) {
	out := controlMails{Mails: []controlMail{}}
	for _, m := range s.Mails() {
		out.Mails = append(out.Mails, controlMail{m.InvitationID, m.AssessmentID, m.Email, m.Name, m.Resent, world.MomentOf(m.At)})
	}
	return out, nil
}

func readJournal(s *Server, _ string, _ none) (controlJournal, error) {
	journal := s.Journal()
	return controlJournal{Entries: controlEntries(journal), Repeated: controlEntries(Repeated(journal))}, nil
}

func controlEntries(entries []Entry) []controlEntry {
	all := make([]controlEntry, 0, len(entries))
	for _, e := range entries {
		out := controlEntry{
			Method: e.Method, Route: e.Route, Path: e.Path, Query: e.Query, Key: e.Key, Body: string(e.Body), At: world.MomentOf(e.At),
		}
		if e.Status != 0 {
			out.Status = &e.Status
		}
		if d := e.Detail; d != nil {
			out.RequestID = &d.RequestID
			out.Headers, out.ResponseHeaders = d.Header, d.ResponseHeader
			if d.ResponseHeader != nil {
				out.Response = new(strings.ToValidUTF8(string(d.Response), "\uFFFD"))
			}
			if d.Fault != nil {
				out.Fault = new(controlFaultOf(*d.Fault))
			}
		}
		all = append(all, out)
	}
	return all
}
