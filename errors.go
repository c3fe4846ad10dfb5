package hiring

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	stdjson "encoding/json"

	"github.com/hiring-assessment/hiring-go/internal/limits"
	"github.com/hiring-assessment/hiring-go/internal/neterr"
	"github.com/hiring-assessment/hiring-go/internal/provenance"
	"github.com/hiring-assessment/hiring-go/internal/text"
)

// ErrorCode is the service's stable name for a kind of failure. Each code is
// itself an error, so that errors.Is(err, hiring.ErrNotFound) works. The set is
// open: a code that is not listed here is kept as it came.
type ErrorCode string

// Error returns the code as the service writes it.
func (c ErrorCode) Error() string { return string(c) }

// The documented codes.
const (
	ErrInvalidInput      ErrorCode = "INVALID_INPUT"      // 400, and what the client refuses locally.
	ErrInvalidToken      ErrorCode = "INVALID_TOKEN"      // 401: no key, or one that is unknown, revoked or expired; and a call refused locally after three of these in a row.
	ErrPlanLimitReached  ErrorCode = "PLAN_LIMIT_REACHED" // 402: the plan has no invitations left in this period.
	ErrInsufficientScope ErrorCode = "INSUFFICIENT_SCOPE" // 403: the key lacks the scope that the message names.
	ErrNotFound          ErrorCode = "NOT_FOUND"          // 404: unknown, of another organization, or not a UUID.
	ErrConflict          ErrorCode = "CONFLICT"           // 409: read the resource again before another try.
	ErrRateLimited       ErrorCode = "RATE_LIMITED"       // 429: the hourly quota, or too many failed authentications.
	ErrInternal          ErrorCode = "INTERNAL_ERROR"     // 500.
)

// documented reports whether c is a documented code. Any other code is text that
// the server chose, which may name people.
func (c ErrorCode) documented() bool {
	switch c {
	case ErrInvalidInput, ErrInvalidToken, ErrPlanLimitReached, ErrInsufficientScope, ErrNotFound, ErrConflict, ErrRateLimited, ErrInternal:
		return true
	}
	return false
}

// ErrOutcomeUnknown is what errors.Is accepts for a write that may or may not
// have happened. Look before repeating it.
var ErrOutcomeUnknown = errors.New("hiring: the outcome of the write is unknown")

// Outcome says what is known of a write that failed.
type Outcome string

// The three outcomes. A read has none.
const (
	OutcomeNotDone Outcome = "not done" // Never sent, or refused.
	OutcomeDone    Outcome = "done"     // The service's 2xx was seen; only what it brought could not be read or is not what was promised.
	OutcomeUnknown Outcome = "unknown"  // It may have happened: a 5xx, a 2xx that is not the service's, a status out of range, or none after it may have been written.
)

// Error is a call that failed: refused by the service, answered by something
// that is not the service, or not answered at all.
type Error struct {
	Operation string    // The Go name, as in "Submissions.Report".
	Code      ErrorCode // Empty when the reply was not the service's own.
	Message   string    // The service's words, or what went wrong; may be reworded any time.
	Status    int       // 0 when there was no reply, or the call was refused locally.
	RequestID string    // Names the call to the service's support.

	Method, Route string // Route is the template, as in "/submissions/{id}/report".
	Attempts      int    // Requests sent; 0 when the call was refused before any.

	Outcome    Outcome            // Of a write; empty for a read.
	RetryAfter time.Duration      // How long the service asks to wait; 0 when it does not.
	RateLimit  RateLimit          // As the reply's headers say; zero when they do not.
	Details    stdjson.RawMessage // As sent with a 400 or 429; else nil.

	Hints         []string // Advice, one clause each, without leading punctuation, as in "check the base URL".
	DialectFields []string // Fields of Dialect that may be wrong, as in "CursorParam"; Hints says the same in words.

	garbled   bool                // Of a 2xx of the service: it came in full and is not what was promised.
	permanent bool                // Of a download: its cause is not the connection.
	throttled bool                // Of a 429: the address is held back, not the key's quota.
	cause     func() error        // A closure, because no printer looks into one.
	scrub     func(string) string // Takes the key out of a text; nil when there was none.
}

// Error returns one line: operation, status, code, message, the fields that a 400
// complains of, what else may be wrong, how often it was tried, what is known of a
// write and the request id. It holds no URL and no key. A message of more than
// some thousand bytes is cut short; the field has all of it.
func (e *Error) Error() string {
	line := "hiring: "
	if e.Operation != "" {
		line += e.Operation + ": "
	}
	if e.Status != 0 {
		line += strconv.Itoa(e.Status) + " "
	}
	if e.Code != "" {
		line += text.Clip(string(e.Code), text.MaxQuoted) + ": "
	}
	line = text.Unended(line+text.Clip(e.Message, maxMessage)) + e.complaints()
	for _, hint := range e.Hints {
		line += separator(hint) + hint
	}
	if e.Attempts > 1 {
		line += fmt.Sprintf("; %d attempts were made", e.Attempts)
	}
	switch e.Outcome {
	case OutcomeUnknown:
		line += "; the outcome is unknown: look before repeating it"
	case OutcomeDone:
		line += "; the write itself was done"
	}
	if e.RetryAfter > 0 {
		line += "; retry after " + rounded(e.RetryAfter)
	}
	if e.RequestID != "" {
		line += " (request " + text.Clip(e.RequestID, text.MaxQuoted) + ")"
	}
	return e.scrubbed(text.OneLine(line)) // Parts of the key may have met just now.
}

// rounded returns a duration as a person reads it, rounded up: to seconds, above two
// days to days.
func rounded(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d > 365*day:
		return "more than a year"
	case d > 2*day:
		return fmt.Sprintf("%d days", (d+day-1)/day)
	}
	return (d + time.Second - 1).Truncate(time.Second).String()
}

// separator returns what joins a hint to the text before it.
func separator(hint string) string {
	if strings.HasPrefix(hint, "or ") {
		return ", "
	}
	return "; "
}

func (e *Error) scrubbed(text string) string {
	if e.scrub == nil {
		return text
	}
	return e.scrub(text)
}

// clean takes out of what was decoded what nobody could see before: a key that the
// code and the message make up together.
func (e *Error) clean() {
	e.Code, e.Message, e.RequestID = ErrorCode(e.scrubbed(string(e.Code))), e.scrubbed(e.Message), e.scrubbed(e.RequestID)
	both := string(e.Code) + ": " + e.Message
	if clean := e.scrubbed(both); clean != both {
		e.Code, e.Message = "", clean
	}
}

// complaints are what a 400 says of the input, field by field.
func (e *Error) complaints() string {
	form, fields := e.Fields()
	parts := make([]string, 0, len(form)+len(fields))
	for _, problem := range form {
		parts = append(parts, text.Unended(problem))
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		problems := fields[name]
		for i := range problems {
			problems[i] = text.Unended(problems[i])
		}
		parts = append(parts, strings.TrimSuffix(name+": "+strings.Join(problems, ", "), ": "))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + text.Clip(strings.Join(parts, "; "), maxMessage) + ")"
}

// Is accepts the error's own code, and [ErrOutcomeUnknown] for a write whose
// outcome is unknown.
func (e *Error) Is(target error) bool {
	if code, ok := target.(ErrorCode); ok {
		return code != "" && code == e.Code
	}
	return target == ErrOutcomeUnknown && e.Outcome == OutcomeUnknown
}

// Unwrap returns what kept a reply from coming, or nil.
func (e *Error) Unwrap() error {
	if e.cause == nil {
		return nil
	}
	return e.cause()
}

// IsTransient reports whether err is temporary, so that the same call may succeed
// later: a 429, a 5xx, a connection error, a response that was cut short or a
// timeout. A call that was refused locally because of a rate limit counts as a
// 429. For a failed write, check Error.Outcome first: a write whose outcome is
// [OutcomeUnknown] may have happened.
//
// IsTransient returns false for nil, a cancelled context, a server whose
// certificate cannot be verified, a response that is not from the API, and any
// refusal by another status.
func IsTransient(err error) bool {
	switch {
	case errors.Is(err, context.Canceled):
		return false
	case errors.Is(err, ErrQuotaExhausted), errors.Is(err, context.DeadlineExceeded):
		return true
	}
	failure, ok := errors.AsType[*Error](err)
	if !ok || failure.Attempts == 0 ||
		failure.Code == ErrInvalidToken { // Also when the client refused the retry.
		return false
	}
	switch {
	case failure.Status == 0:
		return !failure.permanent && !neterr.Permanent(failure)
	case failure.Status < 300:
		return !failure.permanent && errors.Unwrap(failure) != nil // The response was cut short.
	}
	return failure.Status == http.StatusTooManyRequests || failure.Status >= 500
}

// usedUp reports whether the API refused a request because a rate limit is used up.
func (e *Error) usedUp() bool {
	return e.Status == http.StatusTooManyRequests && !e.throttled && e.RateLimit.Limit > 0 && e.RateLimit.Remaining == 0
}

// pauseReason returns why a call waits before it retries after e.
func (e *Error) pauseReason() PauseReason {
	if e.usedUp() {
		return PauseQuota
	}
	return PauseRetry
}

// causedBy sets what Unwrap returns.
func (e *Error) causedBy(err error) {
	e.cause = nil
	if err != nil {
		e.cause = func() error { return err }
	}
}

// Fields returns what the service said of a request's input: form holds what
// concerns the whole, fields the problems by name. Both are nil unless the
// service sent them, which it does with a 400.
func (e *Error) Fields() (form []string, fields map[string][]string) {
	var d struct {
		FormErrors  RawValue            `json:"formErrors"`
		FieldErrors map[string]RawValue `json:"fieldErrors"`
	}
	// Plenty for some hundred problems, and for many more what their texts take twice.
	size := int64(len(e.Details))
	within := &limits.Bound{Left: 64<<10 + max(9*size/4, min(48*size, 640<<10))}
	if len(e.Details) == 0 || decodeWithin(within, e.Details, &d) != nil {
		return nil, nil
	}
	if d.FieldErrors != nil {
		fields = make(map[string][]string, len(d.FieldErrors))
	}
	for name, value := range d.FieldErrors {
		fields[name] = value.texts(within)
	}
	return d.FormErrors.texts(within), fields
}

const maxMessage = 4 << 10 // Nobody reads a longer line of a log.

// errorReply is the envelope of every refusal.
type errorReply struct {
	Error *struct {
		Code      ErrorCode          `json:"code"`
		Message   string             `json:"message"`
		Details   stdjson.RawMessage `json:"details"`
		RequestID RawValue           `json:"request_id"` // Too little to lose a code for, whatever its type.
	} `json:"error"`
}

// refusal fills e with what a non-2xx reply says.
func (e *Error) refusal(body []byte) {
	if e.Status >= 300 && e.Status < 400 {
		e.Message = "the server redirects elsewhere, which is not followed because the key would be sent there: correct the base URL"
		return
	}
	var reply errorReply
	if err := decode(body, &reply); err == nil && reply.Error != nil && (reply.Error.Code != "" || reply.Error.Message != "") {
		e.Code, e.Message = reply.Error.Code, reply.Error.Message
		if len(reply.Error.Details) > 0 && string(reply.Error.Details) != "null" {
			e.Details = reply.Error.Details
		}
		if e.RequestID == "" {
			e.RequestID, _ = reply.Error.RequestID.Text()
		}
		return
	}
	e.Message = provenance.NotOwn(body, "error envelope")
}

// ParamError is an input that was refused before anything was sent. errors.Is
// accepts it as [ErrInvalidInput]. It never quotes the value.
//
// Whatever is wrong with one input is reported together, on one line: errors.As
// then finds the first, and [FieldErrors] has all.
type ParamError struct {
	Param   string // The input's name, as in the Go method or struct.
	Problem string // What is wrong with it and what to do.

	wire string // What the service calls it; empty when it is never sent.
}

// Error returns what is wrong in one line, after the name of the input.
func (e *ParamError) Error() string { return "hiring: " + e.text() }

func (e *ParamError) text() string { return e.Param + ": " + e.Problem }

// Is accepts [ErrInvalidInput].
func (e *ParamError) Is(target error) bool { return target == ErrInvalidInput }

// paramErrors is all that is wrong with one input, when that is more than one
// thing.
type paramErrors struct{ problems []*ParamError }

func (e *paramErrors) Error() string {
	texts := make([]string, len(e.problems))
	for i, p := range e.problems {
		texts[i] = p.text()
	}
	return "hiring: " + strings.Join(texts, "; ")
}

func (e *paramErrors) Unwrap() []error {
	errs := make([]error, len(e.problems))
	for i, p := range e.problems {
		errs[i] = p
	}
	return errs
}

// joinParams makes one error of refused inputs, nil of none. Anything else among
// errs goes first, alone.
func joinParams(errs ...error) error {
	var problems []*ParamError
	for _, err := range errs {
		if err == nil {
			continue
		}
		found := paramErrorsIn(err)
		if len(found) == 0 {
			return err
		}
		problems = append(problems, found...)
	}
	switch len(problems) {
	case 0:
		return nil
	case 1:
		return problems[0]
	}
	return &paramErrors{problems}
}

func paramErrorsIn(err error) []*ParamError {
	if all, ok := errors.AsType[*paramErrors](err); ok {
		return all.problems
	}
	if one, ok := errors.AsType[*ParamError](err); ok {
		return []*ParamError{one}
	}
	return nil
}

// FieldErrors returns what is wrong with an input, by the name that the service
// has for each part of it, as a form needs it: of a 400 that names fields and of
// a [ParamError] alike. What never goes over the wire has the name of its Param,
// and what concerns the whole input has none: "". It is nil for any other error.
func FieldErrors(err error) map[string][]string {
	if failure, ok := errors.AsType[*Error](err); ok {
		return failure.fieldErrors()
	}
	var fields map[string][]string
	for _, p := range paramErrorsIn(err) {
		if fields == nil {
			fields = make(map[string][]string)
		}
		name := p.wire
		if name == "" {
			name = p.Param
		}
		fields[name] = append(fields[name], p.Problem)
	}
	return fields
}

func (e *Error) fieldErrors() map[string][]string {
	if e.Code != ErrInvalidInput {
		return nil
	}
	form, fields := e.Fields()
	if len(form) > 0 {
		if fields == nil {
			fields = make(map[string][]string)
		}
		fields[""] = append(fields[""], form...)
	}
	if len(fields) == 0 {
		return nil
	}
	return fields
}

// contextError is how the caller's context ended, with the caller's own reason
// beside it, or nil.
func contextError(ctx context.Context) error {
	err := ctx.Err()
	if err == nil {
		return nil
	}
	cause := context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause // It says which of the two it is, as that of signal.NotifyContext does.
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// join adds the way a context ended, if it did, to the last thing that was
// known, unless that says it already.
func join(ctx context.Context, last error) error {
	ended := contextError(ctx)
	if ended == nil || errors.Is(last, ctx.Err()) && errors.Is(last, context.Cause(ctx)) {
		return last
	}
	return &endedError{ended, last}
}

// endedError says how a context ended and, behind it, what was known last. For
// errors.As the latter comes first: a context may have ended because of another
// call's *Error, as that of an errgroup does.
type endedError struct{ ended, last error }

func (e *endedError) Error() string {
	return text.Unended(e.last.Error()) + "; the wait ended: " + e.ended.Error()
}

// Unwrap returns both.
func (e *endedError) Unwrap() []error { return []error{e.last, e.ended} }
