package hiring

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/urls"
)

// ErrNoArchive matches, with errors.Is, the [*Error] of a submission that has no workspace
// archive: nothing was submitted, the storage is not available, or the key is a test key.
var ErrNoArchive = errors.New("hiring: the submission has no workspace archive")

// DownloadArchive writes a submission's workspace archive to w and returns the number
// of bytes written. Its error matches [ErrNoArchive] when
// there is none.
//
// The key is not sent to the storage, nor to an address that the storage redirects to. At
// most three redirects are followed, to https only. A web page, XML, JSON, an empty body, a length
// other than announced and an encoding that was not requested are errors.
//
// After an interruption, DownloadArchive resumes after the backoff of [RetryPolicy] if the
// storage allows it (assumed: archive storage). Otherwise the error says so, and the bytes
// written are not a complete archive. [WithTimeout] limits how long the storage may send no
// data. It limits neither the length of the download nor the time that w takes.
//
// Scope read; costs one read, and one more each time that the link expires.
func (s *SubmissionService) DownloadArchive(ctx context.Context, id string, w io.Writer) (int64, error) {
	d := download{submissions: s, id: id, to: w, total: unknownSize, renewedAt: -1}
	err := s.mustCore().traces.composed(ctx, archiveRequest.operation, func(ctx context.Context) error {
		if w == nil {
			return &ParamError{Param: "w", Problem: "must not be nil"}
		}
		d.callState = callState{core: s.core, ctx: ctx, request: archiveRequest, url: s.core.base, key: noKey}
		return d.run() //nolint:contextcheck // the call holds the context
	})
	return d.written, err
}

// archiveRequest describes the requests to the storage in errors and to observers. It has
// no path, because the link is not the API's.
var archiveRequest = request{operation: "Submissions.DownloadArchive", method: http.MethodGet, route: "archive"}

// download downloads an archive. Its attempts go to the storage, without a key
// and without a place in the rate limit.
type download struct {
	callState

	submissions *SubmissionService
	id          string
	to          io.Writer

	link      *url.URL // Nil before it is read, and after the storage has rejected it.
	validator string   // For If-Range; empty when the storage sent none.
	written   int64    // Bytes written.
	total     int64    // Size of the archive, or unknownSize.

	renewedAt     int64         // Value of written when the link was read again; -1 before that.
	failuresInRow int           // Attempts that failed since the last progress.
	delay         time.Duration // Delay that the storage requested in the last attempt.
}

// unknownSize is a length that the storage did not send.
const unknownSize = -1

// Errors of one attempt.
var (
	errTransferBroken  = errors.New("the download was interrupted") // A retry may succeed.
	errTransferRefused = errors.New("the storage rejected the link")
	errUnresumable     = errors.New("the download was interrupted, and the storage sent no validator to resume it with")
	errArchiveChanged  = errors.New("the archive changed, or the storage cannot resume a download")
	errRedirect        = errors.New("the storage redirects")
	errSilent          = errors.New("no data arrived")
)

// run makes attempts until one succeeds or no retry can help.
func (d *download) run() error {
	defer d.attempt.end(d.core.traces, "", errUnreturned, 0) // After a panic.
	for {
		if d.link == nil {
			if err := d.readLink(); err != nil {
				return err
			}
		}
		wait, again, err := d.makeAttempt()
		if !again {
			return err
		}
		if ended := sleepInTime(d.core.traces.withSpan(d.ctx, archiveRequest.operation), wait, PauseRetry); ended != nil {
			return join(d.ctx, err)
		}
	}
}

// makeAttempt requests the missing part of the archive once. It reports whether another attempt
// follows, and after which wait. It drops a link that the storage rejects, because links expire, unless the
// link before it brought nothing either. Only the failures since the last progress count, so that
// a long download survives any number of interruptions.
func (d *download) makeAttempt() (wait time.Duration, again bool, err error) {
	d.attempts++
	d.delay = 0
	before := d.written
	cause := d.transfer()
	if cause == nil {
		d.attempt.end(d.core.traces, "", nil, 0)
		return 0, false, nil
	}
	if d.written > before {
		d.failuresInRow = 0
	}
	failure := d.errorOf(cause)
	switch {
	case errors.Is(cause, errTransferRefused) && d.written > d.renewedAt:
		d.renewedAt, d.link = d.written, nil
		wait, again = shortestWait, true
	case errors.Is(cause, errTransferBroken):
		d.failuresInRow++
		wait, again = decide(d.core.config.retry, failure, d.failuresInRow, failure.RetryAfter, timeLeft(d.ctx), randomFraction())
	}
	d.attempt.end(d.core.traces, "", failure, wait)
	return wait, again, failure
}

// readLink reads the submission's signed link.
func (d *download) readLink() error {
	submission, err := d.submissions.Get(d.ctx, d.id)
	if err != nil {
		return err
	}
	if submission.WorkspaceArchiveURL == nil {
		missing := d.newError(nil, "the submission has no workspace archive", ErrNoArchive)
		missing.kind = kindFinal
		return missing
	}
	u, err := url.Parse(*submission.WorkspaceArchiveURL)
	if err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || !urls.Loopback(u.Hostname())) {
		return d.errorOf(errors.New("the API returned a link that is not https, and nothing was requested from it"))
	}
	d.link = u
	return nil
}

// transfer sends the request of an attempt and copies the response to the writer.
func (d *download) transfer() error {
	a := &d.attempt
	ctx, added := a.begin(d.ctx, d.core.traces, TraceAttempt{
		Operation: archiveRequest.operation, Method: archiveRequest.method, Route: archiveRequest.route,
		Server: urls.Server(d.link), Number: d.attempts,
	}, 0)
	header := make(http.Header)
	copyAdded(header, added)
	// Ranges count bytes before decompression, so the archive must not be compressed.
	header["User-Agent"], header["Accept-Encoding"] = d.core.agent, []string{"identity"}
	if d.written > 0 {
		header["Range"], header["If-Range"] = []string{"bytes=" + strconv.FormatInt(d.written, 10) + "-"}, []string{d.validator}
	}
	timed, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	longest := cmp.Or(d.core.config.timeout, math.MaxInt64) // The longest time without data.
	silence := time.AfterFunc(longest, func() {
		cancel(fmt.Errorf("%w for %s: %w", errSilent, longest, context.DeadlineExceeded))
	})
	defer silence.Stop()
	// Without the cookie jar of the caller, whose cookies are for the API.
	client := http.Client{Transport: d.core.transport(), CheckRedirect: checkRedirect}
	resp, err := client.Do((&http.Request{Method: archiveRequest.method, URL: d.link, Header: header}).WithContext(timed))
	if resp != nil { // The error of checkRedirect comes with a response.
		defer resp.Body.Close()
		a.exchange.Status = resp.StatusCode
	}
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err // The text of *url.Error has the link.
	}
	switch {
	case errors.Is(err, errRedirect):
		return err
	case err != nil:
		return d.resumable(timed, err)
	case isTransientStatus(resp.StatusCode):
		d.delay = readHeader(resp.StatusCode, resp.Header, noKey, time.Now()).retryAfter
	}
	if err := d.accept(resp); err != nil {
		return err
	}
	return d.copy(timed, resp.Body, silence, longest)
}

// checkRedirect follows three redirects of the storage at most. Storages redirect to another host for
// new buckets, for example.
func checkRedirect(r *http.Request, via []*http.Request) error {
	r.Header.Del("Referer") // It would be the link, which gives access to the archive.
	switch {
	case len(via) > 3:
		return fmt.Errorf("%w more than three times", errRedirect)
	case r.URL.Scheme != "https":
		return fmt.Errorf("%w to an address that is not https", errRedirect)
	}
	return nil
}

// accept checks the status and header of a response, and returns an error unless the body
// continues the bytes already written.
func (d *download) accept(resp *http.Response) error {
	h, begun := resp.Header, d.written > 0
	switch status := resp.StatusCode; {
	case status < 300 && encodingOf(h) != "":
		return fmt.Errorf("the storage sent Content-Encoding %q, which was not requested", encodingOf(h))
	case status == http.StatusOK && !begun:
		d.total, d.validator = resp.ContentLength, h.Get("Etag")
		if d.validator == "" || strings.HasPrefix(d.validator, "W/") { // If-Range needs a strong validator.
			d.validator = h.Get("Last-Modified")
		}
		return nil
	case status == http.StatusOK:
		return errArchiveChanged
	case status == http.StatusPartialContent && begun:
		return d.acceptRange(h)
	case isTransientStatus(status):
		return errTransferBroken
	case status >= 400 && status < 500:
		return errTransferRefused
	}
	return errors.New("the storage answered with neither the archive nor a known error")
}

// acceptRange checks that a partial response is the requested range of the same archive.
func (d *download) acceptRange(h http.Header) error {
	span, total, _ := strings.Cut(h.Get("Content-Range"), "/")
	size, unknown := strconv.ParseInt(total, 10, 64) // The size may be "*", for unknown.
	tag := h.Get("Etag")
	switch {
	case !strings.HasPrefix(span, fmt.Sprintf("bytes %d-", d.written)):
		return errors.New("the storage answered with another range than requested")
	case tag != "" && strings.HasPrefix(d.validator, `"`) && tag != d.validator,
		unknown == nil && d.total != unknownSize && size != d.total:
		return errArchiveChanged
	case unknown == nil:
		d.total = size
	}
	return nil
}

// copy writes the body. It restarts the timer silence, which runs for longest, after each write.
func (d *download) copy(ctx context.Context, from io.Reader, silence *time.Timer, longest time.Duration) error {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			silence.Stop() // The time that a slow writer takes does not count.
			if err := d.write(buffer[:n]); err != nil {
				return err
			}
			silence.Reset(longest)
		}
		switch {
		case err == nil && ctx.Err() == nil:
			continue
		case err == nil:
			err = ctx.Err() // Closing this body does not end its Read.
		case errors.Is(err, io.EOF) && d.written < d.total:
			err = io.ErrUnexpectedEOF
		case errors.Is(err, io.EOF) && d.written == 0:
			return errors.New("the storage sent an empty body instead of an archive")
		case errors.Is(err, io.EOF):
			return nil
		}
		return d.resumable(ctx, err)
	}
}

// write writes a part of the archive, unless it is certainly none.
func (d *download) write(part []byte) error {
	if other := otherContent(part); d.written == 0 && other != "" {
		return fmt.Errorf("the storage sent %s instead of an archive", other)
	}
	// Other transports than that of net/http do not check the length, and may leave ContentLength 0.
	if d.total > 0 && d.written+int64(len(part)) > d.total {
		return fmt.Errorf("the storage sent more than the %d bytes that it announced", d.total)
	}
	written, err := d.to.Write(part)
	d.written += int64(written)
	if err == nil && written < len(part) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return fmt.Errorf("the writer failed: %w", err)
	}
	return nil
}

// otherContent returns what the beginning of a body is if that is certainly no archive, or "".
// The header of an archive, unlike a text, has a NUL.
func otherContent(begin []byte) string {
	text := bytes.TrimLeft(bytes.TrimPrefix(begin, []byte("\ufeff")), " \t\r\n")
	switch {
	case len(text) == 0 || bytes.IndexByte(text, 0) >= 0:
		return ""
	case text[0] == '<':
		return "a web page or XML"
	case text[0] == '{' || text[0] == '[':
		return "JSON"
	}
	return ""
}

// resumable returns the error of an attempt that a retry may resume.
func (d *download) resumable(timed context.Context, err error) error {
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

// errorOf returns the error that the caller sees. Its text does not contain the link, which
// gives access to the archive.
func (d *download) errorOf(cause error) *Error {
	message := cause.Error()
	if u := d.link; u != nil {
		for _, part := range []string{u.String(), u.RequestURI(), u.RawQuery} {
			if len(part) > 1 {
				message = strings.ReplaceAll(message, part, "the link")
			}
		}
	}
	e := d.newError(&response{status: d.attempt.exchange.Status}, fmt.Sprintf("%s, after %d bytes", excerpt(message), d.written), cause)
	e.RetryAfter = d.delay
	switch {
	case isTLSError(cause), d.attempt.handshakeAlert(cause, true) != "":
		e.kind = kindFinal
	case errors.Is(cause, errTransferBroken), errors.Is(cause, errUnresumable):
		e.kind = kindBroken
	case e.Status < 400:
		e.kind = kindFinal
	}
	if errors.Is(cause, errSilent) {
		e.Hint = "see WithTimeout"
	}
	return e
}
