package hiring

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/headers"
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
	d := download{submissions: s, id: id, to: w, transfer: transfer{Total: unknownSize}}
	err := s.use().traced(ctx, TraceCall{Operation: archiveRequest.operation}, func(ctx context.Context) error {
		if w == nil {
			return &ParamError{Param: "w", Problem: "must not be nil"}
		}
		d.core, d.ctx = s.core, ctx
		d.subject = subject{request: archiveRequest, url: s.core.base, key: noKey}
		return d.run(&d)
	})
	return d.Written, err
}

// archiveRequest describes the requests to the storage in errors and to observers. It has
// no path, because the link is not the API's.
var archiveRequest = request{operation: "Submissions.DownloadArchive", method: http.MethodGet, route: "archive"}

// download is the download of one archive with all its attempts.
type download struct {
	transfer
	retryLoop // Its requests have the base URL; RoundTrip sends others.

	submissions   *SubmissionService
	id            string
	to            io.Writer
	link          *url.URL // Nil before it is read.
	renewed       bool     // The link was read again.
	failuresInRow int      // Attempts that failed since the last progress.
}

// RoundTrip makes one attempt, which requests the missing part of the archive. It reads
// the link before the first attempt, and again when the storage rejects it, because links
// expire.
func (d *download) RoundTrip(*http.Request) (*http.Response, error) {
	if d.link == nil {
		d.failure = nil // Else run would add the rejection of the old link to an error of reading the new one.
		if d.blocked = d.readLink(d.ctx); d.blocked != nil {
			return nil, d.blocked
		}
	}
	d.attempts++
	a := &attempt{reservation: reservation{key: noKey}} // It holds no place: the storage has no rate limit.
	defer a.leave()
	before := d.Written
	resp, trip, retryAfter := d.fetch(a)
	d.failure, d.next = nil, decision{}
	if trip.err != nil {
		if d.Written > before {
			d.failuresInRow = 0
		}
		d.failure = d.failureOf(&trip, retryAfter)
		d.next = d.resume(&trip, a)
	}
	a.notify("", d.failure, d.next.wait)
	return resp, trip.err
}

// resume returns whether a failed attempt is retried. Only the failures since the last
// progress count, so that a long download survives any number of interruptions.
func (d *download) resume(trip *roundTrip, a *attempt) decision {
	switch {
	case errors.Is(trip.err, errTransferRefused) && !d.renewed: // The link has probably expired.
		d.renewed, d.link = true, nil
		return decision{retry: true}
	case errors.Is(trip.err, errTransferBroken):
		d.failuresInRow++
		end := endOf(d.ctx, a.limited)
		class := classification{failure: d.failure, cut: true, permanent: isPermanentError(trip.err)}
		return decide(d.core.config.retry, archiveRequest.method, d.failuresInRow, trip, class, &end, jitter())
	}
	return decision{}
}

// readLink reads the submission's signed link.
func (d *download) readLink(ctx context.Context) error {
	submission, err := d.submissions.Get(ctx, d.id)
	if err != nil {
		return err
	}
	if submission.WorkspaceArchiveURL == nil {
		return ErrNoArchive
	}
	u, err := url.Parse(*submission.WorkspaceArchiveURL)
	if err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || !urls.Loopback(u.Hostname())) {
		return d.failureOf(&roundTrip{err: errors.New("the API returned a link that is not https, and nothing was requested from it")}, 0)
	}
	d.link = u
	return nil
}

// fetch sends one request and copies the response to the writer. It sends with the
// transport and not with the caller's http.Client, which would add cookies and put the
// link into errors.
func (d *download) fetch(a *attempt) (resp *http.Response, trip roundTrip, retryAfter time.Duration) {
	k, header := d.core, d.header()
	a.begin(d.ctx, &k.traces, d.traceAttempt(urls.Server(d.link)), header, a.key)
	timed, cancel := context.WithCancelCause(a.ctx)
	a.limited, a.cancel = timed, func() { cancel(nil) }
	longest := k.config.timeout // Of a silence. That of core may be http.Client's, which limits whole attempts.
	silence := limits.NewSilence(longest, func() {
		cancel(fmt.Errorf("%w for %s: %w", errSilent, longest, context.DeadlineExceeded))
	})
	defer silence.Stop()
	resp, err := a.send(k, d.linkRequest(timed, header))
	if err != nil {
		trip.err = d.interrupted(timed, err)
		return nil, trip, 0
	}
	defer a.body.Close()
	defer context.AfterFunc(timed, a.body.CloseLate)()
	trip.status = resp.StatusCode
	a.known.Status = trip.status
	busy := trip.status == http.StatusTooManyRequests || isOverload(trip.status)
	if busy {
		retryAfter = headers.RetryAfter(resp.Header, time.Now())
	}
	complete, err := d.Accept(trip.status, transferHeader(resp.Header), resp.ContentLength, busy)
	if !complete && err == nil {
		var broken error
		if broken, err = d.copy(timed, a.body.Body, silence); broken != nil {
			err = d.interrupted(timed, broken)
		}
	}
	if trip.err = err; err != nil {
		return nil, trip, retryAfter
	}
	return resp, trip, 0
}

// header returns the header of a request to the storage.
func (d *download) header() http.Header {
	// Ranges count bytes before decompression, so the archive must not be compressed.
	h := http.Header{"User-Agent": d.core.agent, "Accept-Encoding": {"identity"}}
	if ranges, ifRange := d.RangeHeaders(); ranges != "" {
		h.Set("Range", ranges)
		h.Set("If-Range", ifRange)
	}
	return h
}

func (d *download) linkRequest(ctx context.Context, h http.Header) *http.Request {
	return (&http.Request{
		Method: archiveRequest.method, URL: d.link, Host: d.link.Host, Header: h,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}).WithContext(ctx)
}

// copy writes the body. It returns as broken an error that a retry may resolve, and as
// final any other.
func (d *download) copy(ctx context.Context, from io.Reader, silence *limits.Silence) (broken, final error) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		err = errorOfServer(err)
		if !d.Fits(n) {
			return nil, errors.New("the storage sent more than it announced")
		}
		if n > 0 {
			silence.Stop() // The time of a slow writer does not count.
			if err := d.write(buffer[:n]); err != nil {
				return nil, fmt.Errorf("the writer failed: %w", usableError(err))
			}
			silence.Begin()
		}
		switch {
		case err == nil && ctx.Err() != nil:
			return ctx.Err(), nil // Closing this body does not end its Read.
		case err == nil:
		case !errors.Is(err, io.EOF):
			return err, nil
		case d.Missing():
			return io.ErrUnexpectedEOF, nil
		default:
			return nil, nil
		}
	}
}

func (d *download) write(b []byte) error {
	n, err := d.to.Write(b)
	if n < 0 || n > len(b) {
		return errors.New("it returned an impossible count")
	}
	d.Written += int64(n)
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
	if d.Written > 0 && d.Validator == "" {
		return fmt.Errorf("%w: %w", errUnresumable, err)
	}
	return fmt.Errorf("%w: %w", errTransferBroken, err)
}

// failureOf returns the error that the caller sees. Its text does not contain the link.
func (d *download) failureOf(trip *roundTrip, retryAfter time.Duration) *Error {
	e := d.fail(trip, fmt.Sprintf("%s, after %d bytes", d.withoutLink(trip.err), d.Written), trip.err)
	e.RetryAfter = retryAfter
	e.permanent = !errors.Is(trip.err, errTransferBroken) && !errors.Is(trip.err, errUnresumable)
	if errors.Is(trip.err, errSilent) {
		e.Hints = []string{"see WithTimeout"}
	}
	return e
}

// withoutLink returns the text of an error without the link, which gives access to the archive.
func (d *download) withoutLink(err error) string {
	message := err.Error()
	if d.link != nil {
		for _, part := range []string{d.link.String(), d.link.RequestURI(), d.link.RawQuery} {
			if len(part) > 1 {
				message = strings.ReplaceAll(message, part, "the link")
			}
		}
	}
	return limits.Quote([]byte(message))
}
