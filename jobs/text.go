package jobs

import (
	"context"
	"strings"
	"unicode/utf8"

	"github.com/riverqueue/river/rivertype"

	hiring "github.com/hiring-assessment/hiring-go"
)

// storable replaces what jsonb and text of PostgreSQL cannot hold: NUL and bytes that are
// not UTF-8. A statement with such text fails, and one such error of a job would keep all
// jobs of the process from being recorded as ended.
func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\x00", "\ufffd")
}

// checkText returns a ParamError for a text that the database would change.
func checkText(param, text string) error {
	switch {
	case text == "":
		return &hiring.ParamError{Param: param, Problem: "must not be empty"}
	case storable(text) != text || !utf8.ValidString(text):
		return &hiring.ParamError{Param: param, Problem: "must be UTF-8 without NUL"}
	}
	return nil
}

// storableError is an error whose text the database can hold.
type storableError struct{ error }

// Error returns the text that River stores.
func (e storableError) Error() string { return storable(e.error.Error()) }

// Unwrap returns the error of the job.
func (e storableError) Unwrap() error { return e.error }

// WorkEnd is called by River at the end of each attempt of each job of the configuration,
// and returns the error that River stores.
func (*installation) WorkEnd(_ context.Context, _ *rivertype.JobRow, err error) error {
	if err == nil {
		return nil
	}
	return storableError{err}
}

var _ rivertype.HookWorkEnd = (*installation)(nil)
