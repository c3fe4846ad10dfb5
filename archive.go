package hiring

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/limits"
	"github.com/hiring-assessment/hiring-go/internal/urls"
)

// ErrNoArchive is returned when a submission has no workspace archive: nothing was
// submitted, the storage is not available, or the key is a test key.
var ErrNoArchive = errors.New("hiring: the submission has no workspace archive")

// DownloadArchive writes a submission's workspace archive to w and returns the number
// of bytes written. It returns [ErrNoArchive] when there is none.
//
// The key is not sent to the storage. After an interruption, DownloadArchive resumes
// after the backoff of [RetryPolicy] if the storage allows it (assumed: archive
// storage). Otherwise the error says so, and the bytes written are not a complete
// archive. [WithTimeout] limits how long the storage may send no data. It limits neither
// the length of the download nor the time that w takes.
//
// Scope read; costs one read, two when the link expires meanwhile.
func (s *SubmissionService) DownloadArchive(ctx context.Context, id string, w io.Writer) (int64, error) {
	d := download{submissions: s, id: id, to: w, transfer: transfer{total: unknownSize}}
	err := s.use().traced(ctx, TraceCall{Operation: archiveRequest.operation}, func(ctx context.Context) error {
		if w == nil {
			return &ParamError{Param: "w", Problem: "must not be nil"}
		}
		d.call = call{core: s.core, ctx: ctx, request: archiveRequest, url: &s.core.base, key: noKey}
		return d.run()
	})
	return d.written, err
}

// archiveRequest describes the requests to the storage in errors and to observers. It has
// no path, because the link is not the API's.
var archiveRequest = request{operation: "Submissions.DownloadArchive", method: http.MethodGet, route: "archive"}

// download is the call that downloads an archive. Its attempts go to the storage, without a key
// and without a place in the rate limit.
type download struct {
	call
	transfer

	submissions   *SubmissionService
	id            string
	to            io.Writer
	link          *url.URL // Nil before it is read.
	renewed       bool     // The link was read again.
	failuresInRow int      // Attempts that failed since the last progress.
}

// run makes attempts until one succeeds or no retry can help.
func (d *download) run() error {
	defer d.attempt.abandon(&d.core.traces)
	for {
		if d.link == nil {
			if err := d.readLink(); err != nil {
				return err
			}
		}
		wait, err := d.makeAttempt()
		if wait == 0 {
			return err
		}
		if ended := sleep(d.core.withOperation(d.ctx, archiveRequest.operation), wait, PauseRetry); ended != nil {
			return join(d.ctx, err)
		}
	}
}

// makeAttempt requests the missing part of the archive once. It returns the delay before the next
// attempt, 0 for none. It drops a link that the storage rejects, once, because links expire. Only
// the failures since the last progress count, so that a long download survives any number of
// interruptions.
func (d *download) makeAttempt() (wait time.Duration, err error) {
	d.attempts++
	before := d.written
	cause := d.sendAndCopy()
	if cause == nil {
		d.attempt.end(&d.core.traces, "", nil, 0)
		return 0, nil
	}
	if d.written > before {
		d.failuresInRow = 0
	}
	failure := d.failureOf(cause)
	switch {
	case errors.Is(cause, errTransferRefused) && !d.renewed: // The link has probably expired.
		d.renewed, d.link = true, nil
		wait = 1 // At once; 0 means that no attempt follows.
	case errors.Is(cause, errTransferBroken):
		d.failuresInRow++
		counted := *failure
		counted.Attempts, counted.kind = d.failuresInRow, broken
		if isCertificateError(cause) {
			counted.kind = final
		}
		wait, _ = decide(d.core.config.retry, &counted, failure.RetryAfter, timeLeft(d.ctx), jitter())
	}
	d.attempt.end(&d.core.traces, "", failure, wait)
	return wait, failure
}

// readLink reads the submission's signed link.
func (d *download) readLink() error {
	submission, err := d.submissions.Get(d.ctx, d.id)
	if err != nil {
		return err
	}
	if submission.WorkspaceArchiveURL == nil {
		return ErrNoArchive
	}
	u, err := url.Parse(*submission.WorkspaceArchiveURL)
	if err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || !urls.Loopback(u.Hostname())) {
		return d.failureOf(errors.New("the API returned a link that is not https, and nothing was requested from it"))
	}
	d.link = u
	return nil
}

// sendAndCopy sends the request of an attempt and copies the response to the writer.
func (d *download) sendAndCopy() error {
	a := &d.attempt
	ctx, header := a.begin(d.ctx, &d.core.traces, TraceAttempt{
		Operation: archiveRequest.operation, Method: archiveRequest.method, Route: archiveRequest.route, Server: urls.Server(d.link), Number: d.attempts,
	}, 0)
	// Ranges count bytes before decompression, so the archive must not be compressed.
	if header == nil {
		header = make(http.Header)
	}
	header["User-Agent"], header["Accept-Encoding"] = d.core.agent, []string{"identity"}
	d.addRange(header)
	timed, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	longest := cmp.Or(d.core.config.timeout, math.MaxInt64) // Of a silence.
	silence := time.AfterFunc(longest, func() {
		cancel(fmt.Errorf("%w for %s: %w", errSilent, longest, context.DeadlineExceeded))
	})
	defer silence.Stop()
	resp, err := cmp.Or(d.core.http.Transport, http.DefaultTransport).RoundTrip((&http.Request{
		Method: archiveRequest.method, URL: d.link, Header: header, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}).WithContext(timed))
	if err != nil {
		return d.interrupted(timed, err)
	}
	defer resp.Body.Close()
	a.exchange.Status = resp.StatusCode
	if isBusy(resp.StatusCode) {
		a.delay = retryAfterOf(resp.Header, time.Now())
	}
	complete, err := d.accept(resp.StatusCode, resp.Header, resp.ContentLength)
	if !complete && err == nil {
		err = d.copy(timed, resp.Body, silence, longest)
	}
	return err
}

// copy writes the body. It restarts the timer silence, which runs for longest, after each write.
func (d *download) copy(ctx context.Context, from io.Reader, silence *time.Timer, longest time.Duration) error {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if !d.fits(n) {
			return errors.New("the storage sent more than it announced")
		}
		if n > 0 {
			silence.Stop() // The time of a slow writer does not count.
			if err := d.write(buffer[:n]); err != nil {
				return fmt.Errorf("the writer failed: %w", err)
			}
			silence.Reset(longest)
		}
		switch {
		case err == nil && ctx.Err() == nil:
			continue
		case err == nil:
			err = ctx.Err() // Closing this body does not end its Read.
		case errors.Is(err, io.EOF) && !d.missing():
			return nil
		case errors.Is(err, io.EOF):
			err = io.ErrUnexpectedEOF
		}
		return d.interrupted(ctx, err)
	}
}

func (d *download) write(b []byte) error {
	n, err := d.to.Write(b)
	if n < 0 || n > len(b) {
		return errors.New("it returned an impossible count")
	}
	d.written += int64(n)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

// errSilent is the cause of a download that ended because the storage sent no data.
var errSilent = errors.New("no data arrived")

// interrupted returns the error of an attempt that a retry may resume.
func (d *download) interrupted(timed context.Context, err error) error {
	if ended := contextError(d.ctx); ended != nil { //nolint:contextcheck // timed is made of d.ctx
		err = ended
	} else if silent := context.Cause(timed); silent != nil {
		err = silent
	}
	if d.written > 0 && d.validator == "" {
		return fmt.Errorf("%w: %w", errUnresumable, err)
	}
	return fmt.Errorf("%w: %w", errTransferBroken, err)
}

// failureOf returns the error that the caller sees. Its text does not contain the link, which
// gives access to the archive.
func (d *download) failureOf(cause error) *Error {
	message := cause.Error()
	if d.link != nil {
		for _, part := range []string{d.link.String(), d.link.RequestURI(), d.link.RawQuery} {
			if len(part) > 1 {
				message = strings.ReplaceAll(message, part, "the link")
			}
		}
	}
	e := d.fail(fmt.Sprintf("%s, after %d bytes", limits.Quote([]byte(message)), d.written), cause)
	e.RetryAfter = d.attempt.delay
	switch {
	case errors.Is(cause, errTransferBroken), errors.Is(cause, errUnresumable):
		e.kind = broken
	case e.Status < 300:
		e.kind = final
	}
	if errors.Is(cause, errSilent) {
		e.Hint = "see WithTimeout"
	}
	return e
}

// Errors of one attempt.
var (
	errTransferBroken  = errors.New("the download was interrupted") // A retry may succeed.
	errTransferRefused = errors.New("the storage rejected the link")
	errUnresumable     = errors.New("the download was interrupted, and the storage sent no validator to resume it with")
	errArchiveChanged  = errors.New("the archive changed, or the storage cannot resume a download")
)

// unknownSize is a length that the storage did not send.
const unknownSize = -1

// transfer is the progress of a download.
type transfer struct {
	written   int64  // Bytes written.
	total     int64  // Size of the archive, or unknownSize.
	end       int64  // Value of written when the current response is complete, or unknownSize.
	validator string // Value for If-Range; empty when the storage sent none.
}

// addRange adds the headers that request the missing bytes. It adds none when nothing was written.
func (s *transfer) addRange(h http.Header) {
	if s.written > 0 {
		h["Range"], h["If-Range"] = []string{"bytes=" + strconv.FormatInt(s.written, 10) + "-"}, []string{s.validator}
	}
}

// accept checks the status and header of a response whose body has the given length, and
// returns an error unless the body continues the bytes already written. complete reports that
// nothing is missing.
func (s *transfer) accept(status int, h http.Header, length int64) (complete bool, err error) {
	const ok, partial, unsatisfiable = 200, 206, 416
	switch {
	case status == ok && s.written == 0:
		s.total, s.end, s.validator = length, length, validatorOf(h)
		return false, nil
	case status == ok:
		return false, errArchiveChanged
	case status == partial && s.written > 0:
		return false, s.acceptRange(h)
	case status == unsatisfiable && s.written > 0:
		if headerValue(h, "Content-Range") != fmt.Sprintf("bytes */%d", s.written) {
			return false, errArchiveChanged
		}
		return true, nil
	case isBusy(status):
		return false, errTransferBroken
	case status >= 300 && status < 400:
		return false, errors.New("the storage redirects elsewhere, which is not followed")
	case status >= 400 && status < 500:
		return false, errTransferRefused
	}
	return false, errors.New("the storage answered with neither the archive nor a known error")
}

// acceptRange checks that a partial response is the requested range of the same archive.
func (s *transfer) acceptRange(h http.Header) error {
	first, end, total, ok := parseContentRange(headerValue(h, "Content-Range"))
	if !ok || first != s.written {
		return errors.New("the storage answered with another range than requested")
	}
	if tag := headerValue(h, "Etag"); tag != "" && strings.HasPrefix(s.validator, `"`) && tag != s.validator {
		return errArchiveChanged
	}
	if total != unknownSize && s.total != unknownSize && total != s.total {
		return errArchiveChanged
	}
	s.total, s.end = max(s.total, total), end
	return nil
}

// fits reports whether n more bytes are within the length that the response announced.
func (s *transfer) fits(n int) bool { return s.end == unknownSize || s.written+int64(n) <= s.end }

// missing reports whether bytes are missing after the response has ended.
func (s *transfer) missing() bool { return s.written < max(s.end, s.total) }

// contentRange matches a Content-Range header such as "bytes 0-9/10" or "bytes 0-9/*".
var contentRange = regexp.MustCompile(`^bytes (\d{1,18})-(\d{1,18})/(\d{1,18}|\*)$`)

// parseContentRange parses a Content-Range header. end is the offset after the last byte.
func parseContentRange(value string) (first, end, total int64, ok bool) {
	parts := contentRange.FindStringSubmatch(value)
	if parts == nil {
		return 0, 0, 0, false
	}
	number := func(s string) int64 { n, _ := strconv.ParseInt(s, 10, 64); return n }
	first, end, total = number(parts[1]), number(parts[2])+1, unknownSize
	if parts[3] != "*" {
		total = number(parts[3])
	}
	return first, end, total, end > first && (total == unknownSize || total >= end)
}

// validatorOf returns a strong ETag or the modification time, for If-Range.
func validatorOf(h http.Header) string {
	if tag := headerValue(h, "Etag"); tag != "" && !strings.HasPrefix(tag, "W/") {
		return tag
	}
	return headerValue(h, "Last-Modified")
}
