package hiring

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/hiring-assessment/hiring-go/internal/inviting"
	"github.com/hiring-assessment/hiring-go/internal/limits"
)

// concernsOne reports whether an error concerns one candidate, so that SendAll continues.
// The outermost error that knows decides.
func concernsOne(err error) bool {
	known, ok := errors.AsType[interface {
		error
		concernsOne() bool
	}](err)
	return ok && known.concernsOne()
}

// A request that the API rejected because of its input concerns one candidate. An outcome
// that stays unknown does not, because the next one is probably unknown too.
func (e *Error) concernsOne() bool {
	return e.Status == http.StatusBadRequest || e.Status == http.StatusConflict
}

func (e *ParamError) concernsOne() bool { return e.Param != "Checkpoint" }

func (e *checkpointFailure) concernsOne() bool { return false }

// listingError is returned when nothing was sent because the listing could not be read.
type listingError struct{ err error }

func (e *listingError) Error() string {
	return "hiring: Invitations.Ensure: not sent, because the listing of invitations could not be read: " + e.err.Error()
}

func (e *listingError) Unwrap() error { return e.err }

func (e *listingError) concernsOne() bool { return false }

// unlistedError is returned when the listing does not show an invitation for which
// the API returned a 2xx.
type unlistedError struct{ failure *Error }

func (e *unlistedError) Error() string {
	return e.failure.Error() + "; the listing does not show the invitation"
}

func (e *unlistedError) Unwrap() error { return e.failure }

func (e *unlistedError) concernsOne() bool { return true }

// maxFailures is the number of failures that the error of SendAll holds.
const maxFailures = 10

// failures are the failures of single candidates of a run of SendAll without Each.
type failures struct {
	first []candidateError // At most maxFailures.
	more  int              // Failures that are not in first.
}

// candidateError is the failure of one candidate.
type candidateError struct {
	position int // In the input, from 1.
	address  string
	err      error
}

// Error returns the text of the error without the candidate's address, which the API's
// message may quote.
func (e *candidateError) Error() string {
	message := strings.TrimPrefix(e.err.Error(), "hiring: ")
	return fmt.Sprintf("candidate %d: %s", e.position, withoutAddress(message, e.address))
}

func (e *candidateError) Unwrap() error { return e.err }

// withoutAddress replaces an address in a text, in upper or lower case.
func withoutAddress(message, email string) string {
	for _, address := range []string{strings.TrimSpace(email), inviting.Address(email)} {
		if pattern, err := regexp.Compile("(?i)" + regexp.QuoteMeta(address)); err == nil && address != "" {
			message = pattern.ReplaceAllLiteralString(message, "the address")
		}
	}
	return message
}

func (f *failures) add(position int, address string, err error) {
	if len(f.first) == maxFailures {
		f.more++
		return
	}
	f.first = append(f.first, candidateError{position, address, err})
}

// join returns the failures and the error that ended the run, nil without any.
func (f *failures) join(ended error) error {
	if len(f.first) == 0 {
		return ended
	}
	return &failuresError{*f, ended}
}

// failuresError is the error of a run of SendAll in which single candidates failed.
type failuresError struct {
	failures

	ended error // The error that ended the run; nil when it reached the end.
}

func (e *failuresError) Error() string {
	parts := make([]string, 0, len(e.first)+2)
	if e.ended != nil && !e.holds(e.ended) {
		parts = append(parts, limits.Unended(strings.TrimPrefix(e.ended.Error(), "hiring: ")))
	}
	for i := range e.first {
		parts = append(parts, limits.Unended(e.first[i].Error()))
	}
	if e.more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more candidates failed", e.more))
	}
	return "hiring: Invitations.SendAll: " + strings.Join(parts, "; ")
}

// holds reports whether err is the error of one of the first failures.
func (e *failuresError) holds(err error) bool {
	return slices.ContainsFunc(e.first, func(one candidateError) bool { return errors.Is(one.err, err) })
}

// Unwrap returns the error that ended the run first, so that errors.As finds it.
func (e *failuresError) Unwrap() []error {
	errs := make([]error, 0, len(e.first)+1)
	if e.ended != nil {
		errs = append(errs, e.ended)
	}
	for i := range e.first {
		errs = append(errs, &e.first[i])
	}
	return errs
}
