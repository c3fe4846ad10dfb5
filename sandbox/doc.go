// Package sandbox is a fake of the Hiring Assessment service for tests: the
// documented API in memory, with nothing to install, to start or to clean up.
//
//	func TestShortlist(t *testing.T) {
//		server := sandbox.Start(t)
//		client := server.Client()
//		report, err := client.Submissions.Report(t.Context(), sandbox.SubmissionID)
//		...
//	}
//
// What a test of each kind looks like is in docs/testing.md of the repository, and
// how suites in other languages use it in docs/sandbox-program.md.
//
// # The model
//
// A [Server] is an http.Handler with one lock and one clock. The key of a
// request decides what it sees. Keys that begin with sk_test_ see test mode:
// sample data that never changes, the same bytes on every run and machine,
// shared by all servers of the process. A write in test mode is checked and
// answered as if it had worked (new ids count up from
// f0000000-0000-4000-8000-000000000001, times come from the clock), and
// nothing of it stays.
//
// Each server has its own keys, quotas and counters, so that tests can run in
// parallel. [New] costs microseconds; the sample data is made at the first
// request of the process.
//
// Four doors lead to the same handler and give the same bytes:
//
//	Transport  no socket, the caller's goroutine; works inside testing/synctest
//	           (Client is an SDK client on top of it)
//	Listener   a pipe in memory for a real http.Server; works inside testing/synctest
//	URL        loopback TCP; does not, for a socket never lets virtual time move
//	the program cmd/hiring-sandbox, for suites in other languages
//
// A request is judged in this order, and the first thing wrong with it is the
// answer: the throttle of its address (429), the key (401), its quota (429), the path (404), the method (405), the
// scope (403), the size of the body and the form of the query (400), the
// existence of what the path names (404), the input (400), the state of the
// assessment (409), the plan (402).
//
// # The live world
//
// Keys that begin with sk_live_ see a world that keeps what is written, one for
// each Organization of a [Key]. It is made at its first use and begins with an
// account (2000 invitations a month, see [Server.SetPlan]), members and the
// challenges of test mode; there are no assessments, invitations and
// submissions until the test makes them. The id of another organization's
// record is answered like one that does not exist. Nothing stops a second
// invitation to the same address: it is sent and costs quota, as at the service.
//
// Candidates move by the test's hand:
//
//	id := server.AddAssessment("Backend")     for tests that are about what comes after
//	invitationID, err := server.Invite(id, "ada@candidates.test", "Ada")
//	server.Open(invitationID)                 sent → opened
//	submissionID, err := server.Begin(...)    → started; the log begins
//	server.AppendEvents(submissionID, ...)
//	server.Submit(submissionID)               there is an archive now
//	server.Evaluate(submissionID, result)     → evaluated; the report is ready
//
// or by themselves, see [WithTimeline]. Begin opens and Evaluate hands in where
// that was left out. The rank in a report counts the organization's evaluated
// submissions and moves with each of them.
//
// Time is the server's clock: [WithClock], or time.Now, which is virtual inside
// testing/synctest, plus what [Server.Advance] has added.
//
// A submission that was handed in links to its archive, a zip file below
// /_archive/ of the host that was asked. Each look gives a link of its own, good
// for an hour; it takes no key and counts against nothing. [Server.SetArchives]
// makes storage unavailable: submissions link to nothing then.
//
// # Faults and the journal
//
// [Server.Inject] makes something go wrong: an error of the service, a proxy's
// page, a slow reply, one that is cut off or never comes; for some requests of a
// route, before the service has done its work, after it, or long before it. Every
// kind works through every door. A reset is ECONNRESET and a cut is
// io.ErrUnexpectedEOF through all of them; a server of your own that speaks
// HTTP/2 resets the stream instead. Over a connection that served before,
// net/http repeats a GET by itself when the connection is reset, as it does in
// production; Transport has no connections and never does.
//
// [Server.Journal] is what was asked and answered, also what was lost, with the
// keys redacted: the newest [JournalEntries] exchanges. [Journal.Repeated] finds
// writes that were sent twice, [Journal.Find] the exchange of an operation. With
// [WithDetails] each entry has headers, reply, quota and fault too.
//
// Package sandbox/console shows all of it to people, in a browser.
//
// The control plane is the same, and the rest of what a test does with a Server,
// as JSON over HTTP below /_sandbox/; see [WithControlPlane].
//
// # What is known and what is not
//
// The service's documentation leaves gaps. What fills them here may differ
// from the service, so each behaviour is marked: documented means that the
// documentation says so, inferred that it follows from what it says, invented
// that something had to be chosen. Names and routes that are not documented
// come from [hiring.Dialect] and can be changed with [WithDialect].
//
// The operations, each as little documented as the least certain thing that the
// OpenAPI document says of it:
//
//	Operation           Route                                                      Provenance
//	Account.Get         GET /account                                               documented
//	Members.List        GET /members                                               inferred
//	Challenges.List     GET /challenges                                            invented
//	Challenges.Get      GET /challenges/{id}                                       documented
//	Assessments.List    GET /assessments                                           invented
//	Assessments.Get     GET /assessments/{id}                                      invented
//	Assessments.Create  POST /assessments                                          documented
//	Assessments.Update  PATCH /assessments/{id}                                    invented
//	Assessments.Close   PATCH /assessments/{id}                                    invented
//	Assessments.Delete  DELETE /assessments/{id}                                   documented
//	Invitations.List    GET /assessments/{id}/invitations                          documented
//	Invitations.Send    POST /assessments/{id}/invitations                         documented
//	Invitations.Resend  POST /assessments/{id}/invitations/{invitation_id}/resend  invented
//	Invitations.Revoke  POST /assessments/{id}/invitations/{invitation_id}/revoke  invented
//	Submissions.List    GET /submissions                                           documented
//	Submissions.Get     GET /submissions/{id}                                      documented
//	Submissions.Report  GET /submissions/{id}/report                               documented
//	Events.List         GET /submissions/{id}/events                               documented
//	OpenAPI             GET /openapi.json                                          invented
//
// And what they do:
//
//	Behaviour                                                            Provenance
//	envelopes, meta, members and types of every resource                 documented
//	rate-limit headers and X-Request-Id on every reply                   documented
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
//	newest by creation unless WithNewestBy is given                      invented
//	listings up to date, pages as long as asked for, unless              documented
//	WithListingLag or WithPageCap is given                               invented
//	since takes any RFC 3339 time unless a Dialect sets the layout       invented
//	a status that nothing has: an empty list                             inferred
//	assessment_id that is no UUID: 400; one that is unknown: empty list  invented
//	cursors that the service did not make: 400                           inferred
//	unknown query parameters and body members ignored                    invented
//	scope before input and existence, existence before input             invented
//	a method that a known path does not have: 405 with NOT_FOUND, Allow  invented
//	HEAD wherever GET is, without a body, counted as a read              invented
//	an empty segment or ".." in a path: 404, never a redirect            invented
//	every reply to a valid key but a 429 counts, also a 403 or 404       invented
//	a window opens at the first request and ends on a whole second       inferred
//	headers of a 401: the limit, all of it remaining, reset in an hour   invented
//	512 KB is 524,288 bytes, of any method and encoding                  inferred
//	JSON followed by anything: 400; Content-Type is not looked at        invented
//	creating answers 201; deleting and revoking 204 without a body       invented
//	optional members of POST and PATCH assessments                       invented
//	an unknown challenge_id, or a task of another challenge: 400         invented
//	PATCH with an empty object: 400                                      invented
//	invitations expire 30 days after sending; resending begins anew      invented
//	inviting to a closed assessment: 409                                 inferred
//	live data of its own for each organization                           documented
//	a second invitation to the same address is sent like the first       documented
//	plan quota consumed by sending only; 402 when it is used up          documented
//	resending consumes none; revoking gives none back                    inferred
//	periods of a plan are months of UTC                                  invented
//	resending and revoking: 409 once the attempt has begun, or revoked   inferred
//	revoking makes the status revoked                                    invented
//	a deleted assessment: 404, also to inviting; not in listings         inferred
//	its invitations go on, and can be listed, resent and revoked         inferred
//	closing stops attempts that have not begun; it can be undone         inferred
//	rank by ship score among the organization's evaluated, ties share it inferred
//	ship and pillar scores are from 0 to 100; percentile is left out     invented
//	archive links: an hour, signed, without the key                      documented
//	their host and path, also in listings; Range, If-Range, ETag; 403    invented
//	no links while storage is not available (SetArchives)                documented
//	links given out before then answer 503                               invented
//	failed authentication from one address is throttled, all keys alike  documented
//	after 100 in an hour from the first, until that hour ends            invented
//	that 429 has limit 100, remaining 0 and the end of the hour          invented
//	20 active keys an organization, LiveKey included: AddKey panics      documented
//	drift: what v1 may add                                               inferred
//	a pending report: four pillars, null scores, empty texts, no rank    inferred
//	statuses started and submitted of a submission without a report,     invented
//	both of which the status filter knows                                invented
//	values beyond the known ones (verdicts, confidence, domains, kinds)  invented
//	element shapes of strengths, flags, questions, exclusions and tasks  invented
//	single-task challenges have no tasks member                          documented
//	workspace_archive_url is null in test mode                           documented
//	an injected error: the key's quota unchanged, nothing counted        invented
//	an injected 429: nothing remaining until its Retry-After is over     inferred
//	the replies of proxies have none of the service's headers            inferred
//	the control plane under /_sandbox/, and who may use it               invented
//	an OpenAPI 3.1 document at /api/v1/openapi.json                      documented
//	it comes without the envelope, and asks for scope read               invented
//
// # Known limits
//
// All doors of a server share one address, 127.0.0.1, for the throttle. In
// the live world nobody decides about candidates: recruiter_decision stays
// none. Grading is what the test says; a score means nothing. Test mode resends
// and revokes whatever the status, because nothing of it stays.
//
// A request that is not HTTP at all, such as one with a malformed request line
// or a header of more than 1 MB, is answered by net/http before the server sees
// it, outside the envelope.
package sandbox
