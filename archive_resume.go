package hiring

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// This file decides how to resume an interrupted download: which range to request,
// and whether a response continues the bytes already written.

// Errors of one attempt.
var (
	errTransferBroken  = errors.New("the download was interrupted") // A retry may succeed.
	errTransferRefused = errors.New("the storage rejected the link")
	errUnresumable     = errors.New("the download was interrupted, and the storage sent no validator to resume it with")
	errArchiveChanged  = errors.New("the archive changed, or the storage cannot resume a download")
)

// unknownSize is a length that the storage did not send.
const unknownSize = -1

// transferHeader is a response's header with canonical names.
type transferHeader map[string][]string

func (h transferHeader) get(name string) string {
	if values := h[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// transfer is the progress of a download.
type transfer struct {
	Written   int64  // Bytes written.
	Total     int64  // Size of the archive, or unknownSize.
	End       int64  // Value of Written when the current response is complete, or unknownSize.
	Validator string // Value for If-Range; empty when the storage sent none.
}

// RangeHeaders returns the values of the Range and If-Range headers for the missing bytes. Both are
// empty when nothing was written.
func (s *transfer) RangeHeaders() (ranges, ifRange string) {
	if s.Written == 0 {
		return "", ""
	}
	return "bytes=" + strconv.FormatInt(s.Written, 10) + "-", s.Validator
}

// Accept checks the status and header of a response whose body has the given length, and
// returns an error unless the body continues the bytes already written. complete reports that
// nothing is missing. busy reports that the status is a transient error.
func (s *transfer) Accept(status int, h transferHeader, length int64, busy bool) (complete bool, err error) {
	const ok, partial, unsatisfiable = 200, 206, 416
	switch {
	case status == ok && s.Written == 0:
		s.Total, s.End, s.Validator = length, length, validatorOf(h)
		return false, nil
	case status == ok:
		return false, errArchiveChanged
	case status == partial && s.Written > 0:
		return false, s.acceptRange(h)
	case status == unsatisfiable && s.Written > 0:
		if h.get("Content-Range") != fmt.Sprintf("bytes */%d", s.Written) {
			return false, errArchiveChanged
		}
		return true, nil
	case busy:
		return false, errTransferBroken
	case status >= 300 && status < 400:
		return false, errors.New("the storage redirects elsewhere, which is not followed")
	case status >= 400 && status < 500:
		return false, errTransferRefused
	}
	return false, errors.New("the storage answered with neither the archive nor a known error")
}

// acceptRange checks that a partial response is the requested range of the same archive.
func (s *transfer) acceptRange(h transferHeader) error {
	first, end, total, ok := parseContentRange(h.get("Content-Range"))
	if !ok || first != s.Written {
		return errors.New("the storage answered with another range than requested")
	}
	if tag := h.get("Etag"); tag != "" && strings.HasPrefix(s.Validator, `"`) && tag != s.Validator {
		return errArchiveChanged
	}
	if total != unknownSize && s.Total != unknownSize && total != s.Total {
		return errArchiveChanged
	}
	s.Total, s.End = max(s.Total, total), end
	return nil
}

// Fits reports whether n more bytes are within the length that the response announced.
func (s *transfer) Fits(n int) bool { return s.End == unknownSize || s.Written+int64(n) <= s.End }

// Missing reports whether bytes are missing after the response has ended.
func (s *transfer) Missing() bool { return s.Written < max(s.End, s.Total) }

// parseContentRange parses a Content-Range header such as "bytes 0-9/10" or "bytes 0-9/*".
// end is the offset after the last byte.
func parseContentRange(value string) (first, end, total int64, ok bool) {
	span, ok := strings.CutPrefix(value, "bytes ")
	span, size, _ := strings.Cut(span, "/")
	from, to, _ := strings.Cut(span, "-")
	first, firstErr := strconv.ParseInt(from, 10, 64)
	last, lastErr := strconv.ParseInt(to, 10, 62)
	total = unknownSize
	var totalErr error
	if size != "*" {
		total, totalErr = strconv.ParseInt(size, 10, 64)
	}
	ok = ok && errors.Join(firstErr, lastErr, totalErr) == nil && last >= first && (size == "*" || total > last)
	return first, last + 1, total, ok
}

// validatorOf returns a strong ETag or the modification time, for If-Range.
func validatorOf(h transferHeader) string {
	if tag := h.get("Etag"); tag != "" && !strings.HasPrefix(tag, "W/") {
		return tag
	}
	return h.get("Last-Modified")
}
