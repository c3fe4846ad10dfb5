package sandbox

import "github.com/hiring-assessment/hiring-go/sandbox/internal/server"

// Scope is what a key may do. A wider scope includes the narrower ones.
type Scope = server.Scope

// The scopes, from the narrowest to the widest.
const (
	ScopeRead  Scope = server.ScopeRead
	ScopeWrite Scope = server.ScopeWrite
	ScopeAdmin Scope = server.ScopeAdmin
)

// Key is an API key that a server accepts:
//
//	Token        string
//	Scope        Scope      empty: ScopeAdmin
//	Expires      time.Time  zero: never; from this time on the key is invalid
//	Organization string     selects the live data; keys without one share an organization
type Key = server.Key

// Class is a class of requests with a rate limit of its own.
type Class = server.Class

// GET and HEAD are reads. Every other method is a write.
const (
	ClassRead  Class = server.ClassRead
	ClassWrite Class = server.ClassWrite
)

// SinceField is the time of a submission that a listing filters on or is
// ordered by. The API's documentation does not say which one.
type SinceField = server.SinceField

// The times of a submission. A filter never matches a time that is not set yet.
const (
	SinceCreated   SinceField = server.SinceCreated
	SinceSubmitted SinceField = server.SinceSubmitted
	SinceEvaluated SinceField = server.SinceEvaluated
)

// Result is what grading a submission found:
//
//	ShipScore       int             from 0 to 100, or NoScore
//	Verdict         string          empty: derived from the score, strong_no to strong_yes
//	Pillars         map[string]int  from 0 to 100, by id; NoScore and a missing pillar are a null score and low confidence
//	LowConfidence   []string        ids of pillars whose score has low confidence
//	Summary         string          empty: a sentence with the score
//	Confidence      string          empty: derived from the pillars with enough evidence, low to high
//	IntegrityStatus string          empty: clear
//	ReportDelay     time.Duration   the report becomes ready so much after the evaluation; negative: never
//	Extra           map[string]any  additional report members, or replacements for existing ones; nil value: null
//
// With a ReportDelay, submission and invitation are evaluated before the report
// is ready. A report that is never ready has the verdict, if Verdict is set.
//
// The facts of a report come from the attempt: the number of prompts in its log
// gives the exchanges and the used budget, and file_edit events give a churn.
type Result = server.Result

// NoScore as a score in a [Result] means that there was not enough evidence: the
// score is null.
const NoScore = server.NoScore

// Timeline moves the candidates of the live data without calls:
//
//	Open, Begin, Submit, Evaluate time.Duration
//	Polls                         int
//
// Each duration counts from the previous step, the first from the sending of
// the invitation. The server's clock counts. A step has the time at which it was
// due, whenever the server receives its next request.
//
// A step without a duration happens together with the previous one. The last
// step with a duration ends the timeline: Timeline{Open: time.Hour} only opens.
// With Polls, the evaluation comes after that many reads of a submitted
// submission: of the submission, of its report, or of the first page of
// submissions with the status evaluated. The next read shows it.
//
// Calls such as [Server.Open] can be mixed with a timeline: the next step counts
// from the call. A step that is impossible ends the timeline, for example when
// the invitation was revoked or the assessment is closed.
type Timeline = server.Timeline

// Fault describes what goes wrong with requests:
//
//	Route string  a method and a path template, as in GET /submissions/{id}, or one of the two
//	Key   string  the token of the key whose requests it affects; empty: any
//	Skip  int     requests of the route that pass first
//	Times int     requests that it affects; 0: one; negative: all
//
//	Status     int               status code of the response; without Code, its usual code; below 400: no body
//	Code       hiring.ErrorCode  error code of the response; without Status, its usual status
//	RetryAfter time.Duration     the Retry-After header, rounded up to seconds; alone: a 429
//	Body, ContentType string     a response from an intermediary, with Status or 200
//
//	Delay    time.Duration  delays the response, on package time's clock
//	After    bool           acts after the server has done its work
//	Late     time.Duration  loses the response; the server does its work that much later
//	Reset    bool           resets the connection without a response: ECONNRESET
//	CutAfter int            ends the connection after so many bytes of the body; negative: after the headers
//
// In Route, a template without a method matches every method, "POST *" matches
// every path, and "" or "*" matches every request, unknown paths included. An id in
// place of {id} names one resource. GET includes HEAD. GET /_archive/{id} is the
// route of archive links: their storage sends Status as plain text.
//
// Each fault counts every request of its route. When several faults could act on
// a request, the one that was injected first acts.
//
// Without After and Late, the fault acts before the request takes effect: the
// request costs no rate limit. With After, the request takes effect, and the fault
// concerns the response. After alone loses the response. With Late, the work is
// done after that time on the server's clock, before the next request is handled.
//
// Delay ends with the request's context. The response is then lost, and without
// After and Late the request has no effect.
//
// An injected error carries the rate-limit headers, with the true remaining
// requests. An injected 429 says that none remain until RetryAfter is over, or
// without RetryAfter until the window ends. The rate limit itself does not change.
// [Server.SetQuota] changes it.
//
// CutAfter on a response without a body loses the response. Over TCP and the pipe, net/http
// retries a GET when a reused connection is reset: the journal shows
// two requests.
type Fault = server.Fault
