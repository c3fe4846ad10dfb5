// Package sandbox implements a fake of the Hiring Assessment API for tests: an
// in-memory http.Handler that needs no installation and no network.
//
//	func TestShortlist(t *testing.T) {
//		server := sandbox.Start(t)
//		report, err := server.Client().Submissions.Report(t.Context(), sandbox.SubmissionID)
//		...
//	}
//
// The guide [Testing] has an example for each kind of test, and [The sandbox as a program]
// describes the program cmd/hiring-sandbox and the control API.
//
// The key of a request selects the data. A key with the prefix sk_test_ sees the
// sample data of test mode, the same bytes on every run. A write in test mode is
// validated and gets the response of a successful write, but nothing is stored. A key
// with the prefix sk_live_ sees the live data of its organization, in which writes
// persist. It begins without assessments, and the test moves its candidates:
//
//	id := server.AddAssessment("Backend")
//	invitationID, err := server.Invite(id, "ada@candidates.test", "Ada")
//	submissionID, err := server.Begin(invitationID)
//	err = server.Evaluate(submissionID, sandbox.Result{})
//
// [Server.AddResult] takes all steps in one call, and [WithTimeline] takes them as
// time passes. The server's clock is [WithClock], or time.Now, plus what
// [Server.Advance] has added.
//
// [Server.Transport], which [Server.Client] uses, calls the handler without a socket
// and works inside testing/synctest. [Server.URL] is loopback TCP. [Server.Inject]
// injects a [Fault], which works through both. [Server.Journal] returns the newest
// 10,000 exchanges. Each server has its own keys, rate limits and counters, so tests
// can run in parallel.
//
// # What is known and what is not
//
// The API's documentation leaves gaps. The sandbox may differ from the API there,
// so each behaviour has a provenance: documented behaviour is stated by the
// documentation, inferred behaviour follows from it, and invented behaviour was
// chosen. Undocumented names and routes come from [hiring.Dialect]; [WithDialect]
// changes them.
//
// The operations, each with the least certain provenance that the OpenAPI document
// gives to the operation or to one of its responses:
//
//	Operation           Route                                                      Provenance
//	Account.Get         GET /account                                               documented
//	Assessments.Close   PATCH /assessments/{id}                                    invented
//	Assessments.Create  POST /assessments                                          invented
//	Assessments.Delete  DELETE /assessments/{id}                                   invented
//	Assessments.Get     GET /assessments/{id}                                      invented
//	Assessments.List    GET /assessments                                           invented
//	Assessments.Update  PATCH /assessments/{id}                                    invented
//	Challenges.Get      GET /challenges/{id}                                       documented
//	Challenges.List     GET /challenges                                            invented
//	Events.List         GET /submissions/{id}/events                               documented
//	Invitations.List    GET /assessments/{id}/invitations                          documented
//	Invitations.Resend  POST /assessments/{id}/invitations/{invitation_id}/resend  invented
//	Invitations.Revoke  POST /assessments/{id}/invitations/{invitation_id}/revoke  invented
//	Invitations.Send    POST /assessments/{id}/invitations                         invented
//	Members.List        GET /members                                               inferred
//	OpenAPI             GET /openapi.json                                          invented
//	Submissions.Get     GET /submissions/{id}                                      documented
//	Submissions.List    GET /submissions                                           inferred
//	Submissions.Report  GET /submissions/{id}/report                               documented
//
// And what they do:
//
//	Behaviour                                                            Provenance
//	envelopes, meta, members and types of every resource                 documented
//	rate-limit headers and X-Request-Id on every response                documented
//	one 401 for every cause; expiry and revocation at the next request   documented
//	hierarchical scopes; the 403 names only the scope that is needed     documented
//	404 alike for unknown, malformed and foreign ids                     documented
//	ids, which are UUIDs, are the same in capitals                       inferred
//	400 with formErrors and fieldErrors; page size over maximum; pdf     documented
//	1000 reads and 200 writes an hour and key, 429 with details          documented
//	402 for a reserved address, in test mode                             documented
//	the address itself, PlanLimitEmail                                   invented
//	Idempotency-Key ignored, no CORS headers                             documented
//	invitations by page number, submissions by cursor, events by seq     documented
//	next_cursor of an event log is null on its last page                 inferred
//	challenges and assessments by page number                            inferred
//	members in one piece: meta has only request_id                       inferred
//	default page sizes 20 and, for events, 100                           invented
//	names of page, size and cursor parameters; routes marked in Dialect  invented
//	limits of numbers: page and size from 1, since_seq from 0            inferred
//	page beyond the end: an empty list                                   invented
//	since is inclusive, about the creation unless WithSinceOn is given invented
//	newest first by creation                                             invented
//	listings show every change at once, in pages as long as asked for    inferred
//	since takes any RFC 3339 time unless a Dialect sets the layout       invented
//	a status that nothing has: an empty list                             inferred
//	assessment_id that is no UUID: 400; one that is unknown: empty list  invented
//	cursors that the server did not create: 400                          inferred
//	unknown query parameters and body members ignored                    invented
//	scope before input and existence, existence before input             invented
//	a method that a known path does not have: 405 with NOT_FOUND, Allow  invented
//	HEAD wherever GET is, without a body, counted as a read              invented
//	an empty segment or ".." in a path: 404, never a redirect            invented
//	every response to a valid key but a 429 counts, also a 403 or 404    invented
//	a window opens at the first request and ends on a whole second       inferred
//	headers of a 401: the limit, all of it remaining, reset in an hour   invented
//	512 KB is 524,288 bytes, of any method and encoding                  inferred
//	JSON followed by anything: 400; Content-Type is not looked at        invented
//	the body of a resend, a revoke and a DELETE is ignored, malformed too invented
//	the word Bearer is accepted in lower case too                        invented
//	limits_enforced false: invitations beyond the limit are sent         invented
//	creating returns 201                                                 invented
//	deleting and revoking return 200 with the resource as it is then     inferred
//	optional members of POST and PATCH assessments                       invented
//	an unknown challenge_id, or a task of another challenge: 400         invented
//	PATCH with an empty object: 400                                      invented
//	invitations expire 30 days after sending; resending begins anew      invented
//	sent_at of an invitation that was opened stays when it is resent     invented
//	an attempt is submitted at its time limit; pauses do not count       inferred
//	inviting to a closed assessment: 409                                 inferred
//	live data of its own for each organization                           documented
//	a second invitation to the same address is sent like the first       documented
//	plan quota consumed by sending only; 402 when it is used up          documented
//	resending consumes none; revoking gives none back                    inferred
//	periods of a plan are months of UTC                                  invented
//	resending and revoking: 409 once the attempt has begun, or revoked   inferred
//	resending in a closed assessment: sent                               invented
//	revoking makes the status revoked                                    invented
//	a deleted assessment: not in listings; its invitations keep working  documented
//	a deleted assessment: 404, also to inviting                          inferred
//	invitations of a deleted assessment: listed, resent and revoked      inferred
//	closing stops attempts that have not begun; it can be undone         inferred
//	rank by ship score among the organization's evaluated, ties share it inferred
//	ship and pillar scores are from 0 to 100; percentile is left out     invented
//	archive links: an hour, signed                                       documented
//	archive links need no key                                            inferred
//	their host and path, also in listings; Range, If-Range, ETag; 403    invented
//	no links while storage is not available (SetArchives)                documented
//	links given out before then return 503                               invented
//	failed authentication from one address is throttled, all keys alike  documented
//	after 100 in an hour from the first, until that hour ends            invented
//	that 429 has limit 100, remaining 0 and the end of the hour          invented
//	drift: what v1 may add                                               inferred
//	a pending report: four pillars, null scores, empty texts, no rank    inferred
//	a report that is ready later than the evaluation (ReportDelay)       invented
//	an evaluated report with a null ship score and no verdict (NoScore)  invented
//	submitted_at and evaluated_at of a submission: null before           inferred
//	statuses started and submitted of a submission without a report,     invented
//	which the status filter accepts                                      invented
//	values beyond the known ones (verdicts, confidence, domains, kinds)  invented
//	element shapes of strengths, flags, questions, exclusions and tasks  invented
//	single-task challenges have no tasks member                          inferred
//	workspace_archive_url is null in test mode                           documented
//	an injected error: the key's quota unchanged, nothing counted        invented
//	an injected 429: nothing remaining until its Retry-After is over     inferred
//	the responses of proxies have none of the API's headers              inferred
//	the control API under /_sandbox/, and who may use it                 invented
//	an OpenAPI 3.1 document at /api/v1/openapi.json                      documented
//	it comes without the envelope, and asks for scope read               invented
//
// A request is checked in this order, and the first failure is the response: the
// throttle of its address (429), the key (401), its rate limit (429), the path
// (404), the method (405), the scope (403), the size of the body and the form of the
// query (400), the existence of the resource (404), the input (400), the state of
// the assessment (409), the plan quota (402).
//
// # Known limits
//
// All transports of a server share one address, 127.0.0.1, for the throttle. A
// score in the live data is what the test says. Test mode resends and revokes
// whatever the status is, because nothing is stored.
//
// net/http answers a request with a malformed request line or a header of more
// than 1 MB itself, without the error envelope.
//
// [Testing]: https://github.com/hiring-assessment/hiring-go/blob/main/docs/testing.md
// [The sandbox as a program]: https://github.com/hiring-assessment/hiring-go/blob/main/docs/sandbox.md
package sandbox
