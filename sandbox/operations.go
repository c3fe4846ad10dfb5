package sandbox

import "net/http"

// operations are the operations of the control API. The index, the routes and their
// checks come from this table. A method of Server calls the same function as its row.
// A key is a token or the id of a key.
//
// The event stream has the filters of the journal and sends at most three batches a second:
//
//	event: entries     new and changed entries that match, without headers and bodies
//	event: candidates  new and changed candidates, as GET candidates returns them
//	event: actions     what tests did with the server
//	event: changed     any of settings, faults, keys, clock, assessments, and journal when entries were removed
//	event: reset       everything must be read again
//
// The data of an event has one member with its name. The last event of a batch has the id to
// resume from.
var operations = []operation{
	{Method: http.MethodGet, Path: controlPath, Summary: "Returns this list, and the routes and codes that a fault can have, to a client that does not ask for HTML."},
	{Method: http.MethodGet, Path: controlPath + "health", Summary: "Returns 200, to every machine."},
	{Method: http.MethodGet, Path: controlPath + "events", Summary: "Streams entries that match, candidates and changes as server-sent events, from the position after or Last-Event-ID."},
	newOperation("POST reset", "Restores the state that the server started with, or that of a key's organization.", ofKey, withoutOutput((*control).reset)),

	newOperation("POST snapshots", "Keeps the state, to return to. The newest 20 are kept. GET journal lists those that have ended.", "", inMember("id", (*control).takeSnapshot)),
	newOperation("POST snapshots/{id}/end", "Says that the action that follows a snapshot has ended: later ones are not its own. Forgets the snapshot if nothing was done.", "", withoutOutput((*control).endSnapshot)),
	newOperation("POST snapshots/{id}/restore", "Returns to a snapshot, of before an action: everything but the journal, whose removed exchanges come back, and the requests that keys have used. Returns the number of writes of a program that are undone with it.", "", inMember("writes", (*control).restoreSnapshot)),

	newOperation("GET settings", "Returns the settings.", "", (*control).readSettings),
	newOperation("POST settings", "Changes the settings that are given, and returns all of them.",
		`{"drift":true,"archives":false,"since_on":"created","timeline":{"open":"1h","begin":"2h"}}`, (*control).changeSettings),
	newSearch("GET clock", "Returns the time, and what happens until another time.", `{"seconds":86400}`, (*Server).readClock),
	newOperation("POST clock", "Moves the clock forward, by a duration or to a time. All keys have the same clock.", `{"seconds":3600}`, (*control).setClock),

	newSearch("GET journal", "Returns the exchanges that match, oldest first, and counts them, also grouped.", `{"status":"failed","limit":100}`, (*Server).readJournal),
	newOperation("GET journal/{id}", "Returns an exchange with headers and bodies.", "", (*control).readEntry),
	newOperation("POST journal/clear", "Empties the journal, or removes the exchanges of a key.", ofKey, withoutOutput((*control).clearJournal)),

	newOperation("GET faults", "Returns the faults, waiting ones first.", ofKey, inMember("faults", (*control).readFaults)),
	newOperation("POST faults", "Injects a fault (times: -1 for all requests), returns its id. Without route it hits every route.", `{"route":"GET /submissions/{id}/report","status":503,"retry_after":1}`, inMember("id", (*control).postFault)),
	newOperation("POST faults/clear", "Removes all faults, those of a key, or one.", `{"id":1}`, withoutOutput((*control).clearFaults)),

	newOperation("GET keys", "Returns the keys with their rate limits and plan, and for a day those that were revoked.", "", inMember("keys", (*control).readKeys)),
	newOperation("POST keys", "Adds a key, or replaces the one with the same token.", `{"token":"sk_live_acme","scope":"write","organization":"acme"}`, withoutOutput((*control).addKey)),
	newOperation("POST keys/revoke", "Revokes a key.", `{"token":"sk_test_sandbox_read"}`, withoutOutput((*control).revokeKey)),
	newOperation("POST keys/restore", "Makes a revoked key valid again, with the rate limits of before.", `{"token":"sk_test_sandbox_read"}`, withoutOutput((*control).restoreKey)),
	newOperation("POST quota", "Sets the remaining requests of a key in its current window.", `{"key":"sk_live_sandbox","class":"read","remaining":3}`, withoutOutput((*control).setQuota)),
	newOperation("POST plan", "Sets the used invitations and the limit of a live key's organization; below zero: not enforced.",
		`{"key":"sk_live_sandbox","used":2000,"limit":2000}`, withoutOutput((*control).setPlan)),

	newOperation("GET mails", "Returns the invitation e-mails that the live data sent.", ofKey, inMember("mails", (*control).readMails)),
	newOperation("GET assessments", "Returns the assessments, newest first.", ofKey, inMember("assessments", (*control).readAssessments)),
	newOperation("POST assessments", "Adds an assessment of the first challenge.", `{"name":"Backend engineer"}`, inMember("assessment_id", (*control).addAssessment)),
	newSearch("GET candidates", "Returns candidates, those with the newest step first.", `{"stage":"submitted"}`, (*Server).readCandidates),
	newOperation("GET candidates/{id}", "Returns the candidate of an invitation or a submission, with the report.", "", (*control).readCandidate),
	newOperation("POST candidates/{id}/delay", "Makes the report of a candidate late: that of the next evaluation, or after one, from now on. Below zero: never ready.",
		`{"seconds":300}`, withoutOutput((*control).delayReport)),
	newOperation("POST invitations", "Sends an invitation.", `{`+exampleAssessment+`,"email":"ada@candidates.test","name":"Ada"}`, inMember("invitation_id", (*control).invite)),
	newOperation("POST invitations/{id}/open", "Opens an invitation.", "", withoutOutput((*control).open)),
	newOperation("POST invitations/{id}/begin", "Begins the attempt.", "", inMember("submission_id", (*control).begin)),
	newOperation("POST invitations/{id}/revoke", "Revokes an invitation.", "", withoutOutput((*control).revoke)),
	newOperation("POST submissions/{id}/submit", "Submits the attempt.", "", withoutOutput((*control).submit)),
	newOperation("POST submissions/{id}/events", "Adds an event for each payload to the log.", `{"kind":"ai_prompt","payloads":[{"text":"Why is it slow?"}]}`, withoutOutput((*control).appendEvents)),
	newOperation("POST submissions/{id}/evaluate", "Finishes the grading, or replaces its result. Without `ship_score` the sandbox chooses a score; null means none, and no verdict. `report_delay` makes the report late.",
		`{"ship_score":82,"pillars":{"craft":90,"rigor":null},"low_confidence":["craft"]}`, withoutOutput((*control).evaluate)),
	newOperation("POST results", "Makes a finished submission of an assessment that exists: the candidate was invited, worked and submitted, and the grading ends now.",
		`{`+exampleAssessment+`,"email":"ada@candidates.test","ship_score":82,"pillars":{"craft":90,"rigor":null}}`, inMember("submission_id", (*control).postResult)),
}

const (
	ofKey             = `{"key":"sk_live_sandbox"}`
	exampleAssessment = `"assessment_id":"f0000000-0000-4000-8000-000000000001"`
)

// index describes the control API.
type index struct {
	Operations []operation  `json:"operations"`
	Routes     []string     `json:"routes"`
	Codes      []codeStatus `json:"codes"`
}

func (s *Server) newIndex() index {
	return index{Operations: operations, Routes: patterns(s.routes), Codes: codes}
}
