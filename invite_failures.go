package hiring

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hiring-assessment/hiring-go/internal/inviting"
	"github.com/hiring-assessment/hiring-go/internal/limits"
)

// listingFailure returns the error when nothing was sent because the listing could not be read.
func listingFailure(err error) error {
	text := "hiring: not sent, because the listing of invitations could not be read: " + strings.TrimPrefix(err.Error(), "hiring: ")
	return &describedError{text, []error{err}}
}

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

// join returns the failures and the error that ended the run, nil without any. The latter comes
// first, so that errors.As finds it.
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
	return &describedError{"hiring: Invitations.SendAll: " + strings.Join(texts, "; "), errs}
}

// describedError is an error whose text is not made of the texts of its causes alone.
type describedError struct {
	text   string
	causes []error
}

func (e *describedError) Error() string   { return e.text }
func (e *describedError) Unwrap() []error { return e.causes }
