package hiring

import (
	"errors"
	"strings"
	"time"
)

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
