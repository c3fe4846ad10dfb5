package server

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/controlapi"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// controlRouteCache holds the operations once they are built. A sync.OnceValue would be an
// initialization cycle, because one operation lists all of them.
var controlRouteCache struct {
	once   sync.Once
	routes []controlRoute
}

// controlRoutes returns the operations of the control API.
func controlRoutes() []controlRoute {
	controlRouteCache.once.Do(func() { controlRouteCache.routes = newControlRoutes() })
	return controlRouteCache.routes
}

func newControlRoutes() []controlRoute {
	const post, get = http.MethodPost, http.MethodGet
	return []controlRoute{
		newControlRoute(get, "", "Lists the operations of the control API.", "", listControls),
		newControlRoute(get, "openapi.json", "Returns the OpenAPI document of the control API.", "",
			func(*Server, string, noBody) (map[string]any, error) {
				return controlDocument(), nil
			}),
		newControlRoute(post, "reset", "Restores the state that the server started with.", "",
			func(s *Server, _ string, _ noBody) (noBody, error) {
				s.Reset()
				return noBody{}, nil
			}),
		newControlRoute(post, "advance", "Moves the clock forward.", `{"seconds":3600}`,
			func(s *Server, _ string, in controlAdvance) (noBody, error) {
				if in.Seconds == nil || *in.Seconds < 0 {
					return noBody{}, errors.New("seconds: required, from 0; the clock does not go back")
				}
				return noBody{}, s.Advance(time.Duration(*in.Seconds))
			}),
		newControlRoute(get, "journal", "Returns the exchanges with the API, and the writes that were repeated.", "", readJournal),
		newControlRoute(post, "journal/clear", "Empties the journal and changes nothing else.", "",
			func(s *Server, _ string, _ noBody) (noBody, error) {
				s.ClearJournal()
				return noBody{}, nil
			}),
		newControlRoute(get, "mails", "Returns the invitation e-mails that the live data sent.", "", readMails),

		newControlRoute(post, "keys", "Adds a key, or replaces the one with the same token.",
			`{"token":"sk_live_acme","scope":"write","organization":"acme"}`,
			func(s *Server, _ string, in controlKey) (noBody, error) { return noBody{}, s.AddKey(Key(in)) }),
		newControlRoute(post, "keys/revoke", "Revokes a key.", `{"token":"sk_test_sandbox_read"}`,
			func(s *Server, _ string, in controlToken) (noBody, error) {
				if !s.RevokeKey(in.Token) {
					return noBody{}, errors.New("token: the server knows no such key")
				}
				return noBody{}, nil
			}),
		newControlRoute(post, "quota", "Sets the remaining requests of a key in its current window.",
			`{"key":"sk_live_sandbox","class":"read","remaining":3}`,
			func(s *Server, _ string, in controlQuota) (noBody, error) {
				if in.Remaining == nil || *in.Remaining < 0 {
					return noBody{}, errors.New("remaining: give how many requests the key has left, from 0")
				}
				return noBody{}, s.SetQuota(in.Key, in.Class, *in.Remaining)
			}),
		newControlRoute(post, "plan", "Sets the used invitations, the limit and whether it is enforced, of a live key's organization.",
			`{"key":"sk_live_sandbox","used":2000,"limit":2000}`, setPlan),
		newControlRoute(post, "throttle", "Throttles every address for an hour, or ends that.", `{"throttled":true}`,
			func(s *Server, _ string, in controlThrottle) (noBody, error) {
				if in.Throttled == nil {
					return noBody{}, errors.New("throttled: give true or false")
				}
				s.SetThrottled(*in.Throttled)
				return noBody{}, nil
			}),
		newControlRoute(post, "drift", "Starts or stops unknown fields and values in responses.", `{"on":true,"seed":7}`,
			func(s *Server, _ string, in controlDrift) (noBody, error) {
				if in.On == nil {
					return noBody{}, errors.New("on: give true or false")
				}
				s.SetDrift(*in.On, in.Seed)
				return noBody{}, nil
			}),
		newControlRoute(post, "archives", "Sets whether archive storage is available.", `{"available":false}`,
			func(s *Server, _ string, in controlAvailable) (noBody, error) {
				if in.Available == nil {
					return noBody{}, errors.New("available: give true or false")
				}
				s.SetArchives(*in.Available)
				return noBody{}, nil
			}),
		newControlRoute(post, "faults", "Injects a fault.", `{"route":"GET /submissions/{id}/report","status":503,"retry_after":1}`, injectFault),
		newControlRoute(post, "faults/clear", "Removes all faults.", "", func(s *Server, _ string, _ noBody) (noBody, error) {
			s.ClearFaults()
			return noBody{}, nil
		}),

		newControlRoute(post, "members", "Adds a member.", `{"email":"sam@sandbox.test","name":"Sam","role":"member"}`,
			func(s *Server, _ string, in controlMember) (controlMemberID, error) {
				id, err := s.AddMember(in.Organization, in.Email, in.Name, in.Role)
				return controlMemberID{id}, err
			}),
		newControlRoute(post, "challenges", "Adds a challenge, with a task for each title in tasks.",
			`{"name":"Search","tasks":["Index","Ranking"]}`,
			func(s *Server, _ string, in controlChallenge) (controlChallengeID, error) {
				id, err := s.AddChallenge(in.Organization, in.Name, in.Tasks...)
				return controlChallengeID{id}, err
			}),
		newControlRoute(post, "assessments", "Adds an assessment, of the first challenge unless challenge_id is given.",
			`{"name":"Backend engineer"}`,
			func(s *Server, _ string, in controlAssessment) (controlAssessmentID, error) {
				id, err := s.AddAssessment(in.Organization, in.Name, in.ChallengeID)
				return controlAssessmentID{id}, err
			}),
		newControlRoute(post, "invitations", "Sends an invitation.",
			`{"assessment_id":"f0000000-0000-4000-8000-000000000001","email":"ada@candidates.test","name":"Ada"}`,
			func(s *Server, _ string, in controlInvitation) (controlInvitationID, error) {
				id, err := s.Invite(in.AssessmentID, in.Email, in.Name)
				return controlInvitationID{id}, err
			}),
		newControlRoute(post, "results", "Makes a finished submission: sends an invitation, begins, submits and evaluates.",
			`{"assessment_id":"f0000000-0000-4000-8000-000000000001","email":"ada@candidates.test","ship_score":82,`+
				`"pillars":{"craft":90,"rigor":null}}`,
			func(s *Server, _ string, in controlNewResult) (controlSubmissionID, error) {
				id, err := s.AddResult(in.AssessmentID, in.Email, in.result())
				return controlSubmissionID{id}, err
			}),
		newControlRoute(post, "invitations/{id}/open", "Opens an invitation.", "",
			func(s *Server, id string, _ noBody) (noBody, error) { return noBody{}, s.Open(id) }),
		newControlRoute(post, "invitations/{id}/begin", "Begins the attempt.", "",
			func(s *Server, id string, _ noBody) (controlSubmissionID, error) {
				submission, err := s.Begin(id)
				return controlSubmissionID{submission}, err
			}),
		newControlRoute(post, "invitations/{id}/submit", "Submits the attempt.", "",
			func(s *Server, id string, _ noBody) (controlSubmissionID, error) {
				submission, err := s.SubmitInvited(id)
				return controlSubmissionID{submission}, err
			}),
		newControlRoute(post, "invitations/{id}/decision", "Sets the recruiter's decision.", `{"decision":"shortlisted"}`,
			func(s *Server, id string, in controlDecision) (noBody, error) {
				return noBody{}, s.Decide(id, in.Decision)
			}),
		newControlRoute(post, "submissions/{id}/events", "Adds an event for each payload to the log.",
			`{"kind":"ai_prompt","payloads":[{"text":"Why is it slow?"}]}`,
			func(s *Server, id string, in controlEvents) (noBody, error) {
				payloads := make([]string, len(in.Payloads))
				for i, p := range in.Payloads {
					payloads[i] = string(p)
				}
				return noBody{}, s.AppendEvents(id, in.Kind, payloads...)
			}),
		newControlRoute(post, "submissions/{id}/pause", "Adds paused time to an attempt that was not submitted.", `{"seconds":600}`,
			func(s *Server, id string, in controlPause) (noBody, error) {
				if in.Seconds == nil {
					return noBody{}, errors.New("seconds: required")
				}
				return noBody{}, s.Pause(id, time.Duration(*in.Seconds))
			}),
		newControlRoute(post, "submissions/{id}/archive", "Sets whether a submission has an archive.", `{"available":false}`,
			func(s *Server, id string, in controlAvailable) (noBody, error) {
				if in.Available == nil {
					return noBody{}, errors.New("available: give true or false")
				}
				return noBody{}, s.SetArchive(id, *in.Available)
			}),
		optionalBody(newControlRoute(post, "submissions/{id}/evaluate", "Finishes the grading. A null or absent score is no score.",
			`{"ship_score":82,"pillars":{"craft":90,"rigor":null},"low_confidence":["craft"]}`,
			func(s *Server, id string, in controlResult) (noBody, error) {
				return noBody{}, s.Evaluate(id, in.result())
			})),
		optionalBody(newControlRoute(post, "submissions/{id}/regrade", "Replaces the result of an evaluated submission.",
			`{"ship_score":64,"pillars":{"craft":60}}`,
			func(s *Server, id string, in controlResult) (noBody, error) {
				return noBody{}, s.Regrade(id, in.result())
			})),
	}
}

func setPlan(s *Server, _ string, in controlPlan) (noBody, error) {
	if (in.Used == nil) != (in.Limit == nil) || in.Used == nil && in.LimitsEnforced == nil {
		return noBody{}, errors.New("give used and limit, or limits_enforced, or all three")
	}
	if in.Used != nil {
		if *in.Used < 0 || *in.Limit < 0 {
			return noBody{}, errors.New("used, limit: a number of invitations cannot be negative")
		}
		if err := s.SetPlan(in.Key, *in.Used, *in.Limit); err != nil {
			return noBody{}, err
		}
	}
	if in.LimitsEnforced != nil {
		return noBody{}, s.SetLimitsEnforced(in.Key, *in.LimitsEnforced)
	}
	return noBody{}, nil
}

func injectFault(s *Server, _ string, in controlFault) (noBody, error) {
	return noBody{}, s.Inject(Fault{
		Route: in.Route, Key: in.Key, Skip: in.Skip, Times: in.Times, Status: in.Status, Code: in.Code,
		RetryAfter: time.Duration(in.RetryAfter), Delay: time.Duration(in.Delay), Late: time.Duration(in.Late),
		After: in.After, Reset: in.Reset, CutAfter: in.CutAfter, Body: in.Body, ContentType: in.ContentType,
	})
}

// newControlFault returns the JSON of a fault, in the form that injectFault reads.
func newControlFault(f Fault) controlFault {
	return controlFault{
		Route: f.Route, Key: f.Key, Skip: f.Skip, Times: f.Times, Status: f.Status, Code: f.Code,
		RetryAfter: controlapi.Span(f.RetryAfter), Delay: controlapi.Span(f.Delay), Late: controlapi.Span(f.Late),
		After: f.After, Reset: f.Reset, CutAfter: f.CutAfter, Body: f.Body, ContentType: f.ContentType,
	}
}

func readMails(s *Server, _ string, _ noBody) (controlMails, error) {
	out := controlMails{Mails: []controlMail{}}
	for _, m := range s.Mails() {
		out.Mails = append(out.Mails, controlMail{m.InvitationID, m.AssessmentID, m.Email, m.Name, m.Resent, world.MomentOf(m.At)})
	}
	return out, nil
}

func readJournal(s *Server, _ string, _ noBody) (controlJournal, error) {
	journal := s.Journal()
	return controlJournal{Entries: controlEntries(journal), Repeated: controlEntries(Repeated(journal))}, nil
}

// controlEntries returns the JSON of exchanges.
func controlEntries(entries []Entry) []controlEntry {
	encoded := make([]controlEntry, 0, len(entries))
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
				out.Fault = new(newControlFault(*d.Fault))
			}
		}
		encoded = append(encoded, out)
	}
	return encoded
}
