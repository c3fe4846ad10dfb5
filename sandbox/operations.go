package sandbox

import (
	"net/http"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// operations are the operations of the control API. The index, the routes and their
// checks come from this table. Most operations are a method of Server.
var operations = func() []operation {
	var all []operation
	for _, table := range [][]operation{serverOperations, journalOperations, faultOperations, keyOperations, clockOperations, liveOperations, candidateOperations} {
		all = append(all, table...)
	}
	return all
}()

// byID returns the effect of an operation on the resource with an id.
func byID(do func(s *Server, id string) error) func(*Server, string, none) (none, error) {
	return func(s *Server, id string, _ none) (none, error) { return none{}, do(s, id) }
}

// inScope returns the effect of an operation on everything, an organization or a key.
func inScope(do func(s *Server, of scope) error) func(*Server, string, scope) (none, error) {
	return func(s *Server, _ string, of scope) (none, error) { return none{}, do(s, of) }
}

const ofKey = `{"key":"sk_live_sandbox"}`

var serverOperations = []operation{
	newOperation("POST reset", "Restores the state that the server started with, or that of one organization.", ofKey, inScope((*Server).reset)),
	newOperation("GET settings", "Returns the settings.", "", (*Server).readSettings),
	newOperation("POST settings", "Changes the settings that are given, and returns all of them.",
		`{"listing_lag":"5m","timeline":{"open":"1h","begin":"2h"}}`, (*Server).changeSettings),
	newOperation("POST throttle", "Throttles every address for an hour, or ends that.", `{"throttled":true}`,
		func(s *Server, _ string, in struct {
			Throttled *bool `json:"throttled"`
		}) (none, error) {
			if in.Throttled == nil {
				return none{}, required("throttled")
			}
			s.setThrottled(*in.Throttled)
			return none{}, nil
		}),
	newOperation("POST drift", "Starts or stops unknown fields and values in responses.", `{"on":true,"seed":7}`,
		func(s *Server, _ string, in struct {
			On   *bool  `json:"on"`
			Seed uint64 `json:"seed"`
		}) (none, error) {
			if in.On == nil {
				return none{}, required("on")
			}
			s.change(func(c *settings) { c.Drift, c.DriftSeed = *in.On, in.Seed })
			return none{}, nil
		}),
	newOperation("POST archives", "Sets whether archive storage is available.", `{"available":false}`,
		func(s *Server, _ string, in available) (none, error) {
			if in.Available == nil {
				return none{}, required("available")
			}
			s.SetArchives(*in.Available)
			return none{}, nil
		}),
}

type available struct {
	Available *bool `json:"available"`
}

var journalOperations = []operation{
	newOperation("GET journal", "Returns the exchanges that match, oldest first, and those that repeat a write.", `{"status":"failed","limit":100}`, (*Server).readJournal),
	newOperation("GET journal/stats", "Counts the exchanges that match, in buckets of time.", "", (*Server).readStats),
	newOperation("GET journal/{id}", "Returns an exchange with headers and bodies.", "", (*Server).readEntry),
	newOperation("POST journal/{id}/send", "Sends the request again with the same key.", "", (*Server).resend),
	newOperation("POST journal/clear", "Empties the journal, or removes the exchanges of an organization or a key.", ofKey, inScope((*Server).clearJournal)),
}

var faultOperations = []operation{
	newOperation("GET faults", "Returns the faults that wait, act and have ended.", `{"state":"waiting"}`, (*Server).readFaults),
	newOperation("POST faults", "Injects a fault and returns its id.", `{"route":"GET /submissions/{id}/report","status":503,"retry_after":1}`,
		func(s *Server, _ string, in Fault) (out struct {
			ID int `json:"id"`
		}, err error) {
			out.ID, err = s.injectFor(in)
			return out, err
		}),
	newOperation("POST faults/{id}/remove", "Removes a fault.", "", byID((*Server).removeFault)),
	newOperation("POST faults/clear", "Removes all faults, or those of an organization or a key.", ofKey, inScope((*Server).clearFaults)),
	newOperation("GET routes", "Returns the routes and error codes that a fault can have.", "", (*Server).readRoutes),
}

var keyOperations = []operation{
	newOperation("GET keys", "Returns the keys with their rate limits and plan.", "", (*Server).readKeys),
	newOperation("POST keys", "Adds a key, or replaces the one with the same token.", `{"token":"sk_live_acme","scope":"write","organization":"acme"}`,
		func(s *Server, _ string, in Key) (none, error) { return none{}, s.addKey(in) }),
	newOperation("POST keys/revoke", "Revokes a key.", `{"token":"sk_test_sandbox_read"}`,
		func(s *Server, _ string, in struct {
			Token string `json:"token"`
		}) (none, error) {
			return none{}, s.revokeKey(in.Token)
		}),
	newOperation("POST quota", "Sets the remaining requests of a key in its current window.", `{"key":"sk_live_sandbox","class":"read","remaining":3}`,
		func(s *Server, _ string, in struct {
			Key       string `json:"key"`
			Class     Class  `json:"class"`
			Remaining *int   `json:"remaining"`
		}) (none, error) {
			if in.Remaining == nil {
				return none{}, required("remaining")
			}
			return none{}, s.setQuota(in.Key, in.Class, *in.Remaining)
		}),
	newOperation("POST plan", "Sets the used invitations, the limit and whether it is enforced, of a live key's organization.",
		`{"key":"sk_live_sandbox","used":2000,"limit":2000}`,
		func(s *Server, _ string, in struct {
			Key            string `json:"key"`
			Used           *int   `json:"used"`
			Limit          *int   `json:"limit"`
			LimitsEnforced *bool  `json:"limits_enforced"`
		}) (none, error) {
			return none{}, s.setPlan(in.Key, in.Used, in.Limit, in.LimitsEnforced)
		}),
	newOperation("GET organizations", "Returns the organizations of live keys.", "", (*Server).readOrganizations),
}

var clockOperations = []operation{
	newOperation("GET clock", "Returns the time, and what happens until another time.", `{"seconds":86400}`, (*Server).readClock),
	newOperation("POST clock", "Moves the clock forward, by a duration or to a time. Every test suite has the same clock.", `{"to":"2090-01-01T00:00:00Z"}`, (*Server).setClock),
	newOperation("POST advance", "Moves the clock forward.", `{"seconds":3600}`,
		func(s *Server, _ string, in struct {
			Duration *time.Duration `json:"seconds"`
		}) (none, error) {
			if in.Duration == nil {
				return none{}, required("seconds")
			}
			return none{}, s.advance(*in.Duration)
		}),
}

var liveOperations = []operation{
	newOperation("GET mails", "Returns the invitation e-mails that the live data sent.", "", (*Server).readMails),
	newOperation("GET members", "Returns the members of an organization.", "", (*Server).readMembers),
	newOperation("POST members", "Adds a member.", `{"email":"sam@sandbox.test","name":"Sam","role":"member"}`,
		func(s *Server, _ string, in struct {
			Email        string `json:"email"`
			Name         string `json:"name"`
			Role         string `json:"role"`
			Organization string `json:"organization"`
		}) (created, error) {
			id, err := s.addMember(in.Organization, in.Email, in.Name, in.Role)
			return created{"member_id": id}, err
		}),
	newOperation("GET challenges", "Returns the challenges of an organization.", "", (*Server).readChallenges),
	newOperation("POST challenges", "Adds a challenge, with a task for each title in tasks.", `{"name":"Search","tasks":["Index","Ranking"]}`,
		func(s *Server, _ string, in struct {
			Name         string   `json:"name"`
			Tasks        []string `json:"tasks"`
			Organization string   `json:"organization"`
		}) (created, error) {
			id, err := s.addChallenge(in.Organization, in.Name, in.Tasks...)
			return created{"challenge_id": id}, err
		}),
	newOperation("GET assessments", "Returns the assessments of an organization, newest first.", "", (*Server).readAssessments),
	newOperation("POST assessments", "Adds an assessment, of the first challenge unless challenge_id is given.", `{"name":"Backend engineer"}`,
		func(s *Server, _ string, in struct {
			Name         string `json:"name"`
			Organization string `json:"organization"`
			ChallengeID  string `json:"challenge_id"`
		}) (created, error) {
			id, err := s.addAssessment(in.Organization, in.Name, in.ChallengeID)
			return created{"assessment_id": id}, err
		}),
	newOperation("POST assessments/{id}/close", "Closes an assessment.", "", byID((*Server).closeAssessment)),
	newOperation("POST seed", "Adds candidates at all stages, with names, logs and reports, to a new assessment or the given one.", `{"count":20}`,
		func(s *Server, _ string, in struct {
			Count        int    `json:"count"`
			AssessmentID string `json:"assessment_id"`
			Organization string `json:"organization"`
		}) (created, error) {
			id, err := s.seed(in.Organization, in.AssessmentID, in.Count)
			return created{"assessment_id": id}, err
		}),
}

// created is the id of a new resource, by the name of its member.
type created map[string]string

const exampleAssessment = `"assessment_id":"f0000000-0000-4000-8000-000000000001"`

var candidateOperations = []operation{
	newOperation("GET candidates", "Returns candidates, newest first.", `{"stage":"submitted"}`, (*Server).readCandidates),
	newOperation("GET candidates/{id}", "Returns the candidate of an invitation or a submission, with report and log.", "", (*Server).readCandidate),
	newOperation("POST invitations", "Sends an invitation.", `{`+exampleAssessment+`,"email":"ada@candidates.test","name":"Ada"}`,
		func(s *Server, _ string, in struct {
			AssessmentID string `json:"assessment_id"`
			Email        string `json:"email"`
			Name         string `json:"name"`
		}) (created, error) {
			id, err := s.Invite(in.AssessmentID, in.Email, in.Name)
			return created{"invitation_id": id}, err
		}),
	newOperation("POST results", "Makes a finished submission: the candidate was invited, worked and submitted, and the grading ends now.",
		`{`+exampleAssessment+`,"email":"ada@candidates.test","ship_score":82,"pillars":{"craft":90,"rigor":null}}`, (*Server).postResult),
	newOperation("POST invitations/{id}/open", "Opens an invitation.", "", byID((*Server).Open)),
	newOperation("POST invitations/{id}/begin", "Begins the attempt.", "",
		func(s *Server, id string, _ none) (created, error) {
			id, err := s.Begin(id)
			return created{"submission_id": id}, err
		}),
	newOperation("POST invitations/{id}/submit", "Submits the attempt.", "",
		func(s *Server, id string, _ none) (created, error) {
			id, err := s.submitInvited(id)
			return created{"submission_id": id}, err
		}),
	newOperation("POST invitations/{id}/decision", "Sets the recruiter's decision.", `{"decision":"shortlisted"}`,
		func(s *Server, id string, in struct {
			Decision string `json:"decision"`
		}) (none, error) {
			return none{}, s.Decide(id, in.Decision)
		}),
	newOperation("POST invitations/{id}/resend", "Sends an invitation again.", "", byID((*Server).resendInvitation)),
	newOperation("POST invitations/{id}/revoke", "Revokes an invitation.", "", byID((*Server).revokeInvitation)),
	newOperation("POST submissions/{id}/submit", "Submits the attempt.", "", byID((*Server).Submit)),
	newOperation("POST submissions/{id}/events", "Adds an event for each payload to the log.", `{"kind":"ai_prompt","payloads":[{"text":"Why is it slow?"}]}`, (*Server).postEvents),
	newOperation("POST submissions/{id}/pause", "Adds paused time to an attempt that was not submitted.", `{"seconds":600}`,
		func(s *Server, id string, in struct {
			Duration *time.Duration `json:"seconds"`
		}) (none, error) {
			if in.Duration == nil {
				return none{}, required("seconds")
			}
			return none{}, s.Pause(id, *in.Duration)
		}),
	newOperation("POST submissions/{id}/archive", "Sets whether a submission has an archive.", `{"available":false}`,
		func(s *Server, id string, in available) (none, error) {
			if in.Available == nil {
				return none{}, required("available")
			}
			return none{}, s.setArchive("SetArchive", id, *in.Available)
		}),
	newOperation("POST submissions/{id}/evaluate", "Finishes the grading. Without a score the result is invented.",
		`{"ship_score":82,"pillars":{"craft":90,"rigor":null},"low_confidence":["craft"]}`, (*Server).postEvaluation),
	newOperation("POST submissions/{id}/regrade", "Replaces the result of an evaluated submission.", `{"ship_score":64,"pillars":{"craft":60}}`, (*Server).postRegrade),
}

// readOperations are the operations that serveControl handles itself.
var readOperations = []operation{
	{method: http.MethodGet, path: "", summary: "Returns this list, to a client that does not ask for HTML."},
	{method: http.MethodGet, path: "health", summary: "Returns 200, to every machine."},
	{method: http.MethodGet, path: "events", summary: "Streams journal entries and changes as server-sent events, from the position after or Last-Event-ID."},
}

// allOperations returns the operations with those that serveControl handles itself.
func allOperations() []operation { return append(slices.Clip(readOperations), operations...) }

// magicValues are inputs with a fixed response.
var magicValues = map[string]string{
	"TestKey": TestKey, "ReadOnlyKey": ReadOnlyKey, "WriteKey": WriteKey, "LiveKey": LiveKey,
	"PlanLimitEmail": PlanLimitEmail, "UnknownID": UnknownID, "AssessmentID": AssessmentID, "ClosedAssessmentID": ClosedAssessmentID,
	"SubmissionID": SubmissionID, "BusySubmissionID": BusySubmissionID, "PendingSubmissionID": PendingSubmissionID,
}

// index is the list of operations.
type index struct {
	MagicValues map[string]string `json:"magic_values"`
	Operations  []indexRow        `json:"operations"`
}

type indexRow struct {
	Method  string         `json:"method"`
	Path    string         `json:"path"`
	Summary string         `json:"summary"`
	Example jsontext.Value `json:"example,omitzero"`
}

func newIndex() index {
	out := index{MagicValues: magicValues}
	for _, o := range allOperations() {
		row := indexRow{Method: o.method, Path: controlPath + o.path, Summary: o.summary}
		if o.example != "" {
			row.Example = jsontext.Value(o.example)
		}
		out.Operations = append(out.Operations, row)
	}
	return out
}
