package hiring

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrorCode is the API's stable identifier of a kind of failure. Each code is an error,
// for errors.Is(err, hiring.ErrNotFound). The set is open: an unknown code is kept as
// received.
type ErrorCode string

// Error returns the code as the API sends it.
func (c ErrorCode) Error() string { return string(c) }

// The documented codes. The sandbox sends no others unless a test injects them.
const (
	ErrInvalidInput      ErrorCode = "INVALID_INPUT"      // 400, or refused locally.
	ErrInvalidToken      ErrorCode = "INVALID_TOKEN"      // 401: the key is not valid. Also refused locally after three 401s in a row.
	ErrPlanLimitReached  ErrorCode = "PLAN_LIMIT_REACHED" // 402: the plan has no invitations left in this period.
	ErrInsufficientScope ErrorCode = "INSUFFICIENT_SCOPE" // 403: the key lacks the scope that the message names.
	ErrNotFound          ErrorCode = "NOT_FOUND"          // 404: unknown, of another organization, or not a UUID.
	ErrConflict          ErrorCode = "CONFLICT"           // 409: read the resource again before you retry.
	ErrRateLimited       ErrorCode = "RATE_LIMITED"       // 429: the hourly rate limit, or failed authentications.
	ErrInternal          ErrorCode = "INTERNAL_ERROR"     // 500.
)

var documentedCodes = []ErrorCode{
	ErrInvalidInput, ErrInvalidToken, ErrPlanLimitReached, ErrInsufficientScope, ErrNotFound, ErrConflict, ErrRateLimited, ErrInternal,
}

// isDocumented reports whether c is a documented code. Any other code is text that
// the server chose, which may name people.
func (c ErrorCode) isDocumented() bool { return slices.Contains(documentedCodes, c) }

// ErrOutcomeUnknown matches, with errors.Is, a failed write that may have been processed.
// Check whether it happened before you repeat it.
var ErrOutcomeUnknown = errors.New("hiring: the outcome of the write is unknown")

// ErrQuotaExhausted matches, with errors.Is, a call that was not sent because the hourly rate
// limit of the key is used up for longer than the call may wait. It is not about the plan: see
// [ErrPlanLimitReached]. The [*Error] has the code
// [ErrRateLimited], the Status 0, a RetryAfter, and [OutcomeNotDone] or, for a read, no outcome.
var ErrQuotaExhausted = errors.New("hiring: the quota is used up")

// Outcome reports whether a failed write was processed.
type Outcome string

// The three outcomes of a write. The outcome of a read is empty.
const (
	OutcomeNotDone Outcome = "not_done" // Not sent, or rejected by the API.
	OutcomeDone    Outcome = "done"     // The API responded with a 2xx, but its response could not be read or is invalid.
	// Possibly processed: a 5xx, 408, 499 or invalid status, a 2xx from an intermediary, or no response.
	OutcomeUnknown Outcome = "unknown"
)

// Error is a failed call. The API rejected it, an intermediary responded, no response
// arrived, or the client refused to send it. Errors of invalid arguments are
// [*ParamError].
type Error struct {
	Operation string    // The Go name, as in "Submissions.Report".
	Code      ErrorCode // Empty if the response did not come from the API.
	Message   string    // The API's message or a description of the failure. The text may change.
	Status    int       // 0 without a response.
	RequestID string    // Identifies the request to the API's support.

	Method, Route string // Route is the template, as in "/submissions/{id}/report".
	Attempts      int    // Requests sent; 0 if the call was refused locally.

	Outcome    Outcome         // The outcome of a write; empty for a read.
	RetryAfter time.Duration   // Delay that the API requested; 0 without one.
	RateLimit  RateLimit       // From the response's headers or the details of a 429; zero without them.
	Details    json.RawMessage // From a 400 or 429; otherwise nil.

	Hint string // Advice, one sentence such as "check the base URL"; "" without any.

	kind  failureKind
	cause func() error // A closure, because printers do not print the content of closures.
}

// failureKind is what decides about a retry, besides the status.
type failureKind int

const (
	kindByStatus    failureKind = iota // The status decides.
	kindUnsent                         // The server certainly did not receive the request.
	kindBroken                         // The connection ended before the response did.
	kindTimedOut                       // There was no response, or not all of it, or no key, within the attempt's timeout or the context.
	kindFinal                          // The same request would fail in the same way.
	kindInvalidBody                    // A complete 2xx response of the API cannot be decoded.
	// A 2xx that is not from the API, or a server that refused the TLS handshake: the base URL is
	// wrong, or there is an outage.
	kindNotFromAPI
)

// Error returns one line with the operation, status, code, message, invalid fields,
// number of attempts, outcome of a write, request id and hint. It contains no URL and no key. A
// message of more than 4 KB is cut. The Message field contains all of it.
func (e *Error) Error() string {
	if e == nil {
		return "hiring: no error"
	}
	line := "hiring: "
	if e.Operation != "" {
		line += e.Operation + ": "
	}
	if e.Status != 0 {
		line += strconv.Itoa(e.Status) + " "
	}
	if e.Code != "" {
		line += clip(string(e.Code), maxQuoted) + ": "
	}
	line = trimEnd(line+clip(e.Message, maxMessage)) + e.fieldProblems()
	if e.Attempts > 1 {
		line += fmt.Sprintf("; %d attempts were made", e.Attempts)
	}
	switch e.Outcome {
	case OutcomeUnknown:
		line += "; the outcome is unknown: check before you repeat it"
	case OutcomeDone:
		line += "; the write itself was done"
	}
	if e.RetryAfter > 0 {
		line += "; retry after " + e.RetryAfter.Round(time.Second).String()
	}
	if e.RequestID != "" {
		line += " (request " + clip(e.RequestID, maxQuoted) + ")"
	}
	if e.Hint != "" {
		line += ": " + e.Hint
	}
	return oneLine(line)
}

// fieldProblems returns the field errors of a 400 in one text.
func (e *Error) fieldProblems() string {
	form, fields := e.Fields()
	parts := make([]string, 0, len(form)+len(fields))
	for _, problem := range form {
		parts = append(parts, trimEnd(problem))
	}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		problems := fields[name]
		for i := range problems {
			problems[i] = trimEnd(problems[i])
		}
		parts = append(parts, strings.TrimSuffix(name+": "+strings.Join(problems, ", "), ": "))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + clip(strings.Join(parts, "; "), maxMessage) + ")"
}

// Is reports whether target is the error's code, [ErrOutcomeUnknown] if the outcome is
// unknown, or [ErrQuotaExhausted] if the rate limit prevented the request.
func (e *Error) Is(target error) bool {
	if e == nil {
		return false
	}
	if code, ok := target.(ErrorCode); ok {
		return code != "" && code == e.Code
	}
	switch target {
	case ErrOutcomeUnknown:
		return e.Outcome == OutcomeUnknown
	case ErrQuotaExhausted:
		return e.Code == ErrRateLimited && e.Status == 0 && (e.Outcome == "" || e.Outcome == OutcomeNotDone)
	}
	return false
}

// LogValue returns the operation, status, code, attempts, request id and outcome, for
// package log/slog. It leaves out the message, which may name people, and a code that is not
// documented. slog does not call it for an error that wraps e, nor for an Error without its
// pointer: their text is logged, message included. Log the *Error that errors.As finds.
func (e *Error) LogValue() slog.Value {
	if e == nil {
		return slog.Value{}
	}
	attrs := []slog.Attr{slog.String("operation", e.Operation), slog.Int("status", e.Status)}
	if e.Code.isDocumented() {
		attrs = append(attrs, slog.String("code", string(e.Code)))
	}
	attrs = append(attrs, slog.Int("attempts", e.Attempts), slog.String("request_id", e.RequestID))
	if e.Outcome != "" {
		attrs = append(attrs, slog.String("outcome", string(e.Outcome)))
	}
	return slog.GroupValue(attrs...)
}

// As sets target, an *ErrorCode, to the error's code. It reports whether there is one.
func (e *Error) As(target any) bool {
	code, ok := target.(*ErrorCode)
	if !ok || e == nil || e.Code == "" {
		return false
	}
	*code = e.Code
	return true
}

// Unwrap returns the cause, such as a network error, or nil.
func (e *Error) Unwrap() error {
	if e == nil || e.cause == nil {
		return nil
	}
	return e.cause()
}

// causedBy sets what Unwrap returns.
func (e *Error) causedBy(err error) {
	e.cause = nil
	if err != nil {
		e.cause = func() error { return err }
	}
}

// Fields returns the validation errors of a 400: form contains those of the whole input,
// and fields those of each field by API name. Both are nil if the API sent none.
func (e *Error) Fields() (form []string, fields map[string][]string) {
	if e == nil {
		return nil, nil
	}
	var d struct {
		FormErrors  RawValue            `json:"formErrors"`
		FieldErrors map[string]RawValue `json:"fieldErrors"`
	}
	if len(e.Details) == 0 || decode(e.Details, &d) != nil {
		return nil, nil
	}
	if d.FieldErrors != nil {
		fields = make(map[string][]string, len(d.FieldErrors))
	}
	for name, value := range d.FieldErrors {
		fields[name] = value.texts()
	}
	return d.FormErrors.texts(), fields
}

const maxMessage = 4 << 10 // Keeps log lines short.

// FieldErrors returns validation messages keyed by API field name, for display next to
// form inputs. It reads a 400 response and a [ParamError] alike. Inputs that are never
// sent have their Go name as the key. Messages about the whole input have the key "".
// FieldErrors returns nil for any other error.
func FieldErrors(err error) map[string][]string {
	all := make(map[string][]string)
	if failure, ok := errors.AsType[*Error](err); ok {
		if failure != nil && (failure.Code == ErrInvalidInput || failure.Status == http.StatusBadRequest) {
			form, fields := failure.Fields()
			maps.Copy(all, fields)
			if len(form) > 0 {
				all[""] = append(all[""], form...)
			}
		}
	} else {
		for _, p := range paramErrorsIn(err) {
			name := cmp.Or(p.wire, p.Param)
			all[name] = append(all[name], p.Problem)
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// describedError is an error whose text is not made of the texts of its causes alone.
type describedError struct {
	text   string
	causes []error
}

func (e *describedError) Error() string   { return e.text }
func (e *describedError) Unwrap() []error { return e.causes }

// ParamError is an invalid argument. No request was sent. errors.Is matches it with
// [ErrInvalidInput]. It never quotes the value.
//
// Several invalid arguments are reported in one error on one line. errors.As finds the
// first, and [FieldErrors] returns all.
type ParamError struct {
	Param   string // Name of the argument or field in Go.
	Problem string // What is wrong and what to do.

	wire string // Name in the API; empty if it is never sent.
}

// Error returns the argument's name and the problem on one line.
func (e *ParamError) Error() string { return "hiring: " + e.text() }

func (e *ParamError) text() string { return e.Param + ": " + e.Problem }

// Unwrap returns [ErrInvalidInput].
func (e *ParamError) Unwrap() error { return ErrInvalidInput }

// paramErrors are several invalid arguments of a call.
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

// joinParams joins [*ParamError]s into one error, or returns nil without any. It returns
// any other error alone.
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

func checkNotNegative[N int | time.Duration](field string, n N) error {
	if n < 0 {
		return &ParamError{Param: field, Problem: "must not be negative (0 means the default)"}
	}
	return nil
}

// checkUnit refuses a positive duration below a millisecond: it is a number to which no
// unit was applied.
func checkUnit(option string, d time.Duration) error {
	if d > 0 && d < time.Millisecond {
		return &ParamError{Param: option, Problem: "is a number without a unit? write 30*time.Second"}
	}
	return nil
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }
