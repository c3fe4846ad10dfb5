package sandbox

import (
	"net/http"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// operations are the operations of the control API. The index, the routes and their
// checks come from this table. A method of Server calls the same function as its row.
//
// The table becomes this one of 34 rows. A GET takes its input as a query. A key is a token
// or the id of a key.
//
//	GET  (empty)                  {operations, routes, codes}: routes and codes are those of a fault
//	GET  health
//	GET  events                   Stream, with the filters of journal and after (or Last-Event-ID): see below
//	POST reset                    {key}
//	GET  settings                 {since_on, timeline{open, begin, submit, evaluate}, drift, archives}
//	POST settings                 Any of them; returns all
//	GET  journal                  {key, method, route, status, text, repeated, faults, slower_than, after, before, limit, sort, details}
//	                              Returns {entries, more, position, stats{count, failed, repeated, buckets}}
//	GET  journal/{id}             An entry with headers, body and response, repeats, repeated_by, older, newer
//	POST journal/{id}/send        Returns {number}
//	POST journal/clear            {key}
//	GET  faults                   {key}. Returns {faults}, waiting ones first
//	POST faults                   A fault. Returns {id}
//	POST faults/clear             {key}, {id} or nothing
//	GET  keys                     Returns {keys}
//	POST keys                     {token, scope, expires, organization}
//	POST keys/revoke              {token}
//	POST quota                    {key, class, remaining}
//	POST plan                     {key, used, limit}: a limit below zero is not enforced
//	GET  clock                    {seconds} or {to}. Returns {now, ahead, until, upcoming, more}
//	POST clock                    {seconds} or {to}. Returns {now, ahead}
//	GET  mails                    {key}. Returns {mails}
//	GET  assessments              {key}. Returns {assessments}
//	POST assessments              {name, key}. Returns {assessment_id}
//	POST seed                     {count, assessment_id, key}. Returns {assessment_id}
//	GET  candidates               {key, assessment_id, stage, text, before, limit}. Returns {candidates, counts, more}
//	GET  candidates/{id}
//	POST invitations              {assessment_id, email, name}. Returns {invitation_id}
//	POST invitations/{id}/open
//	POST invitations/{id}/begin   Returns {submission_id}
//	POST invitations/{id}/revoke
//	POST submissions/{id}/submit
//	POST submissions/{id}/events  {kind, payloads}
//	POST submissions/{id}/evaluate A result; again: graded again
//	POST results                  {assessment_id, email, name} and a result. Returns {submission_id}
//
// The stream sends at most one batch a second, the first one 50 ms after a change:
//
//	event: entries     {entries}: new and changed entries that match the filters, without bodies
//	event: candidates  {candidates}: new and changed candidates, as GET candidates has them
//	event: changed     {changed}: any of settings, faults, keys, clock, journal (cleared), assessments
//	event: reset       Read everything again
//
// The last event of a batch has the id to resume from. Entries of lists and of the stream have no
// body; limit and remaining of an entry update the key with its key_id.
var operations = slices.Concat(readOperations, serverOperations, journalOperations, faultOperations, keyOperations, clockOperations, liveOperations, candidateOperations)

// readOperations are the operations that serveControl handles itself.
var readOperations = []operation{
	{method: http.MethodGet, path: "", summary: "Returns this list, to a client that does not ask for HTML."},
	{method: http.MethodGet, path: "health", summary: "Returns 200, to every machine."},
	{method: http.MethodGet, path: "events", summary: "Streams journal entries and changes as server-sent events, from the position after or Last-Event-ID."},
}

const ofKey = `{"key":"sk_live_sandbox"}`

var serverOperations = []operation{
	newAction("POST reset", "Restores the state that the server started with, or that of one organization.", ofKey, (*control).reset),
	newOperation("GET settings", "Returns the settings.", "", (*control).readSettings),
	newOperation("POST settings", "Changes the settings that are given, and returns all of them.",
		`{"listing_lag":"5m","timeline":{"open":"1h","begin":"2h"}}`, (*control).changeSettings),
	newAction("POST throttle", "Throttles every address for an hour, or ends that.", `{"throttled":true}`, (*control).setThrottled),
	newAction("POST drift", "Starts or stops unknown fields and values in responses.", `{"on":true,"seed":7}`, (*control).setDrift),
	newAction("POST archives", "Sets whether archive storage is available.", `{"available":false}`, (*control).setArchives),
}

var journalOperations = []operation{
	newOperation("GET journal", "Returns the exchanges that match, oldest first, and those that repeat a write.", `{"status":"failed","limit":100}`, (*control).readJournal),
	newOperation("GET journal/stats", "Counts the exchanges that match, in buckets of time.", "", (*control).readStats),
	newOperation("GET journal/{id}", "Returns an exchange with headers and bodies.", "", (*control).readEntry),
	newUnlocked("POST journal/{id}/send", "Sends the request again with the same key.", "", (*Server).resend),
	newAction("POST journal/clear", "Empties the journal, or removes the exchanges of an organization or a key.", ofKey, (*control).clearJournal),
}

var faultOperations = []operation{
	newOperation("GET faults", "Returns the faults that wait, act and have ended.", `{"state":"waiting"}`, as("faults", (*control).readFaults)),
	newOperation("POST faults", "Injects a fault and returns its id.", `{"route":"GET /submissions/{id}/report","status":503,"retry_after":1}`, as("id", (*control).postFault)),
	newAction("POST faults/{id}/remove", "Removes a fault.", "", (*control).removeFault),
	newAction("POST faults/clear", "Removes all faults, or those of an organization or a key.", ofKey, (*control).clearFaults),
	newOperation("GET routes", "Returns the routes and error codes that a fault can have.", "", (*control).readRoutes),
}

var keyOperations = []operation{
	newOperation("GET keys", "Returns the keys with their rate limits and plan.", "", as("keys", (*control).readKeys)),
	newAction("POST keys", "Adds a key, or replaces the one with the same token.", `{"token":"sk_live_acme","scope":"write","organization":"acme"}`, (*control).addKey),
	newAction("POST keys/revoke", "Revokes a key.", `{"token":"sk_test_sandbox_read"}`, (*control).revokeKey),
	newAction("POST quota", "Sets the remaining requests of a key in its current window.", `{"key":"sk_live_sandbox","class":"read","remaining":3}`, (*control).setQuota),
	newAction("POST plan", "Sets the used invitations, the limit and whether it is enforced, of a live key's organization.",
		`{"key":"sk_live_sandbox","used":2000,"limit":2000}`, (*control).setPlan),
	newOperation("GET organizations", "Returns the organizations of live keys.", "", as("organizations", (*control).readOrganizations)),
}

var clockOperations = []operation{
	newOperation("GET clock", "Returns the time, and what happens until another time.", `{"seconds":86400}`, (*control).readClock),
	newOperation("POST clock", "Moves the clock forward, by a duration or to a time. Every test suite has the same clock.", `{"to":"2090-01-01T00:00:00Z"}`, (*control).setClock),
	newAction("POST advance", "Moves the clock forward.", `{"seconds":3600}`, (*control).advance),
}

var liveOperations = []operation{
	newOperation("GET mails", "Returns the invitation e-mails that the live data sent.", "", as("mails", (*control).readMails)),
	newOperation("GET members", "Returns the members of an organization.", "", as("members", (*control).readMembers)),
	newOperation("POST members", "Adds a member.", `{"email":"sam@sandbox.test","name":"Sam","role":"member"}`, as("member_id", (*control).addMember)),
	newOperation("GET challenges", "Returns the challenges of an organization.", "", as("challenges", (*control).readChallenges)),
	newOperation("POST challenges", "Adds a challenge, with a task for each title in tasks.", `{"name":"Search","tasks":["Index","Ranking"]}`, as("challenge_id", (*control).addChallenge)),
	newOperation("GET assessments", "Returns the assessments of an organization, newest first.", "", as("assessments", (*control).readAssessments)),
	newOperation("POST assessments", "Adds an assessment, of the first challenge unless challenge_id is given.", `{"name":"Backend engineer"}`, as("assessment_id", (*control).addAssessment)),
	newAction("POST assessments/{id}/close", "Closes an assessment.", "", taken((*world.Live).Close)),
	newOperation("POST seed", "Adds candidates at all stages, with names, logs and reports, to a new assessment or the given one.", `{"count":20}`, as("assessment_id", (*control).seed)),
}

const exampleAssessment = `"assessment_id":"f0000000-0000-4000-8000-000000000001"`

var candidateOperations = []operation{
	newOperation("GET candidates", "Returns candidates, newest first.", `{"stage":"submitted"}`, (*control).readCandidates),
	newOperation("GET candidates/{id}", "Returns the candidate of an invitation or a submission, with report and log.", "", (*control).readCandidate),
	newOperation("POST invitations", "Sends an invitation.", `{`+exampleAssessment+`,"email":"ada@candidates.test","name":"Ada"}`, as("invitation_id", (*control).invite)),
	newOperation("POST results", "Makes a finished submission: the candidate was invited, worked and submitted, and the grading ends now.",
		`{`+exampleAssessment+`,"email":"ada@candidates.test","ship_score":82,"pillars":{"craft":90,"rigor":null}}`, as("submission_id", (*control).postResult)),
	newAction("POST invitations/{id}/open", "Opens an invitation.", "", taken((*world.Live).Open)),
	newOperation("POST invitations/{id}/begin", "Begins the attempt.", "", as("submission_id", attempting((*world.Live).Begin))),
	newOperation("POST invitations/{id}/submit", "Submits the attempt.", "", as("submission_id", attempting((*world.Live).SubmitInvited))),
	newAction("POST invitations/{id}/decision", "Sets the recruiter's decision.", `{"decision":"shortlisted"}`, (*control).decide),
	newAction("POST invitations/{id}/resend", "Sends an invitation again.", "", taken((*world.Live).Resend)),
	newAction("POST invitations/{id}/revoke", "Revokes an invitation.", "", taken((*world.Live).Revoke)),
	newAction("POST submissions/{id}/submit", "Submits the attempt.", "", taken((*world.Live).Submit)),
	newAction("POST submissions/{id}/events", "Adds an event for each payload to the log.", `{"kind":"ai_prompt","payloads":[{"text":"Why is it slow?"}]}`, (*control).appendEvents),
	newAction("POST submissions/{id}/pause", "Adds paused time to an attempt that was not submitted.", `{"seconds":600}`, (*control).pause),
	newAction("POST submissions/{id}/archive", "Sets whether a submission has an archive.", `{"available":false}`, (*control).setArchive),
	newAction("POST submissions/{id}/evaluate", "Finishes the grading. Without a score the result is invented.",
		`{"ship_score":82,"pillars":{"craft":90,"rigor":null},"low_confidence":["craft"]}`, graded((*world.Live).Evaluate)),
	newAction("POST submissions/{id}/regrade", "Replaces the result of an evaluated submission.", `{"ship_score":64,"pillars":{"craft":60}}`, graded((*world.Live).Regrade)),
}

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
	for _, o := range operations {
		row := indexRow{Method: o.method, Path: controlPath + o.path, Summary: o.summary}
		if o.example != "" {
			row.Example = jsontext.Value(o.example)
		}
		out.Operations = append(out.Operations, row)
	}
	return out
}
