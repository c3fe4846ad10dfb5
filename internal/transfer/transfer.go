// Package transfer decides how a download goes on that broke off: what to ask for,
// and whether what comes continues the bytes that are written already.
package transfer

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Why an attempt brought nothing.
var (
	ErrBroken      = errors.New("the download broke off") // Another may go on.
	ErrRefused     = errors.New("the storage refuses the link")
	ErrUnresumable = errors.New("the download broke off, and the storage gives nothing to go on by")
	ErrChanged     = errors.New("the archive changed, or the storage cannot go on where a download broke off")
)

// Unknown is a length that the storage did not tell.
const Unknown = -1

// Header is a reply's, whose names are canonical.
type Header map[string][]string

func (h Header) get(name string) string {
	if values := h[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// State is how far a download has come.
type State struct {
	Written   int64
	Total     int64  // Of the archive; Unknown until the storage told.
	End       int64  // How much is written when the present reply has come in full; or Unknown.
	Validator string // What If-Range can ask for; empty when the storage gives nothing.
}

// Ask returns the headers that ask for what is missing.
func (s *State) Ask() (ranges, ifRange string) {
	if s.Written == 0 {
		return "", ""
	}
	return "bytes=" + strconv.FormatInt(s.Written, 10) + "-", s.Validator
}

// Accept judges the head of a reply, of a body of a length: only what continues
// the bytes already written may be written. whole means that nothing is missing;
// busy is a status after which another attempt may help.
func (s *State) Accept(status int, h Header, length int64, busy bool) (whole bool, err error) {
	const ok, partial, unsatisfiable = 200, 206, 416
	switch {
	case status == ok && s.Written == 0:
		s.Total, s.End, s.Validator = length, length, validatorOf(h)
		return false, nil
	case status == ok:
		return false, ErrChanged
	case status == partial && s.Written > 0:
		return false, s.acceptRange(h)
	case status == unsatisfiable && s.Written > 0:
		if h.get("Content-Range") != fmt.Sprintf("bytes */%d", s.Written) {
			return false, ErrChanged
		}
		return true, nil
	case busy:
		return false, ErrBroken
	case status >= 300 && status < 400:
		return false, errors.New("the storage redirects elsewhere, which is not followed")
	case status >= 400 && status < 500:
		return false, ErrRefused
	}
	return false, errors.New("the storage answered with neither the archive nor a known error")
}

// acceptRange sees to it that a part is the one that was asked for, and of the
// same archive.
func (s *State) acceptRange(h Header) error {
	first, end, total, ok := parseContentRange(h.get("Content-Range"))
	if !ok || first != s.Written {
		return errors.New("the storage answered with another range than asked for")
	}
	if tag := h.get("Etag"); tag != "" && strings.HasPrefix(s.Validator, `"`) && tag != s.Validator {
		return ErrChanged
	}
	if total != Unknown && s.Total != Unknown && total != s.Total {
		return ErrChanged
	}
	s.Total, s.End = max(s.Total, total), end
	return nil
}

// Fits tells whether n more bytes are no more than the reply announced.
func (s *State) Fits(n int) bool { return s.End == Unknown || s.Written+int64(n) <= s.End }

// Missing tells whether a reply that has ended did not bring everything.
func (s *State) Missing() bool { return s.Written < max(s.End, s.Total) }

// parseContentRange reads "bytes 0-9/10"; the total may be unknown. end is the
// place after the last byte.
func parseContentRange(value string) (first, end, total int64, ok bool) {
	span, ok := strings.CutPrefix(value, "bytes ")
	span, size, _ := strings.Cut(span, "/")
	from, to, _ := strings.Cut(span, "-")
	first, firstErr := strconv.ParseInt(from, 10, 64)
	last, lastErr := strconv.ParseInt(to, 10, 62)
	total = Unknown
	var totalErr error
	if size != "*" {
		total, totalErr = strconv.ParseInt(size, 10, 64)
	}
	ok = ok && errors.Join(firstErr, lastErr, totalErr) == nil && last >= first && (size == "*" || total > last)
	return first, last + 1, total, ok
}

// validatorOf returns what If-Range can ask for.
func validatorOf(h Header) string {
	if tag := h.get("Etag"); tag != "" && !strings.HasPrefix(tag, "W/") {
		return tag
	}
	return h.get("Last-Modified")
}
