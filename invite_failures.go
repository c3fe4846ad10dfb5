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
	return "hiring: not sent, because the listing of invitations could not be read: " + strings.TrimPrefix(e.err.Error(), "hiring: ")
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
	errs  []error // At most maxFailures.
	texts []string
	more  int // Failures that are not in errs.
}

// add adds the failure of a candidate, whose position in the input begins at 1. The text
// has no address, which the API's message may quote.
func (f *failures) add(position int, email string, err error) {
	if len(f.errs) == maxFailures {
		f.more++
		return
	}
	text := withoutAddress(strings.TrimPrefix(err.Error(), "hiring: "), email)
	f.errs = append(f.errs, err)
	f.texts = append(f.texts, limits.Unended(fmt.Sprintf("candidate %d: %s", position, text)))
}

// withoutAddress replaces an address in a text, in upper or lower case.
func withoutAddress(text, email string) string {
	for _, address := range []string{strings.TrimSpace(email), inviting.Address(email)} {
		if pattern, err := regexp.Compile("(?i)" + regexp.QuoteMeta(address)); err == nil && address != "" {
			text = pattern.ReplaceAllLiteralString(text, "the address")
		}
	}
	return text
}

// join returns the failures and the error that ended the run, nil without any.
func (f *failures) join(ended error) error {
	if len(f.errs) == 0 {
		return ended
	}
	errs, texts := f.errs, f.texts
	if ended != nil {
		if !slices.ContainsFunc(errs, func(err error) bool { return errors.Is(err, ended) }) { // It may be one of them.
			texts = append([]string{limits.Unended(strings.TrimPrefix(ended.Error(), "hiring: "))}, texts...)
		}
		errs = append([]error{ended}, errs...)
	}
	if f.more > 0 {
		texts = append(texts, fmt.Sprintf("and %d more candidates failed", f.more))
	}
	return &failuresError{"hiring: Invitations.SendAll: " + strings.Join(texts, "; "), errs}
}

// failuresError is the error of a run of SendAll in which single candidates failed. It wraps
// the error that ended the run first, so that errors.As finds it.
type failuresError struct {
	text string
	errs []error
}

func (e *failuresError) Error() string   { return e.text }
func (e *failuresError) Unwrap() []error { return e.errs }
