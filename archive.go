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
	"github.com/hiring-assessment/hiring-go/internal/retry"
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
	d := download{submissions: s, id: id, to: w, transferState: transferState{Total: unknownSize}}
	err := s.use().traced(ctx, TraceCall{Operation: archiveRequest.operation}, func(ctx context.Context) error {
		if w == nil {
			return &ParamError{Param: "w", Problem: "must not be nil"}
		}
		return d.run(ctx)
	})
	return d.Written, err
}

// archiveRequest describes the requests to the storage in errors and to observers.
var archiveRequest = request{operation: "Submissions.DownloadArchive", method: http.MethodGet, route: "archive"}

// download is the download of one archive with all its attempts. It has a loop of its
// own, because it counts the failures since the last progress.
type download struct {
	transferState

	submissions *SubmissionService
	id          string
	to          io.Writer
	link        *url.URL
	attempts    int // Requests that were sent to the storage.
	failed      int // Those that failed since the last progress.
}

// run makes attempts until the archive is complete or no retry can help.
func (d *download) run(ctx context.Context) error {
	if err := d.readLink(ctx); err != nil {
		return err
	}
	renewed := false // The link was read again.
	for {
		failure, next := d.attempt(ctx)
		switch {
		case failure == nil:
			return nil
		case errors.Is(failure, errTransferRefused) && !renewed: // The link has probably expired.
			renewed = true
			if err := d.readLink(ctx); err != nil {
				return err
			}
		case !next.retry || sleep(ctx, next.wait, PauseRetry) != nil:
			return join(ctx, failure)
		}
	}
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
		return d.fail(result{err: errors.New("the API returned a link that is not https, and nothing was requested from it")}, 0)
	}
	d.link = u
	return nil
}

// attempt requests the missing part of the archive once. The error is nil when the archive
// is complete.
func (d *download) attempt(ctx context.Context) (*Error, decision) {
	k := d.submissions.core
	d.attempts++
	x := &exchange{reservation: reservation{key: noKey}, request: &archiveRequest, server: urls.Server(d.link), number: d.attempts}
	defer x.leave()
	before := d.Written
	res, retryAfter := d.exchange(ctx, k, x)
	if res.err == nil {
		x.report(&k.hooks, &res, "", nil, decision{})
		return nil, decision{}
	}
	if d.Written > before {
		d.failed = 0
	}
	failure, next := d.fail(res, retryAfter), decision{}
	if errors.Is(res.err, errTransferBroken) {
		d.failed++
		end := endOf(ctx, x.ctx)
		c := classification{failure: failure, cut: true, permanent: isPermanentError(res.err)}
		next = decide(k.policy(), archiveRequest.method, d.failed, &res, c, &end, jitter())
	}
	x.report(&k.hooks, &res, "", failure, next)
	return failure, next
}

// exchange sends one request and copies the response to the writer. It does not use
// http.Client, which would add cookies and put the link into errors.
func (d *download) exchange(ctx context.Context, k *core, x *exchange) (res result, retryAfter time.Duration) {
	header := d.header()
	x.begin(ctx, k, header)
	timed, cancel := context.WithCancelCause(x.trace.ctx)
	x.ctx, x.cancel = timed, func() { cancel(nil) }
	limit := k.config.timeout
	silence := limits.NewSilence(limit, func() {
		cancel(fmt.Errorf("%w for %s: %w", errSilent, limit, context.DeadlineExceeded))
	})
	defer silence.Stop()
	resp, err := x.send(k, d.request(timed, header)) //nolint:bodyclose,contextcheck // x closes the body; timed is made of ctx
	if err != nil {
		return result{err: d.broken(ctx, timed, err)}, 0
	}
	defer x.body.Close()
	defer context.AfterFunc(timed, x.body.CloseLate)() //nolint:contextcheck // timed is made of ctx
	res.status = resp.StatusCode
	x.trace.arrived(res.status, "", RateLimit{})
	busy := res.status == http.StatusTooManyRequests || retry.IsOverload(res.status)
	if busy {
		retryAfter = headers.RetryAfter(resp.Header, time.Now())
	}
	complete, err := d.Accept(res.status, transferHeader(resp.Header), resp.ContentLength, busy)
	if complete || err != nil {
		res.err = err
		return res, retryAfter
	}
	broken, err := d.copy(timed, x.body.Body, silence) //nolint:contextcheck // timed is made of ctx
	if broken != nil {
		err = d.broken(ctx, timed, broken)
	}
	res.err = err
	return res, retryAfter
}

// header returns the header of a request to the storage.
func (d *download) header() http.Header {
	// Ranges count bytes before decompression, so the archive must not be compressed.
	h := http.Header{"User-Agent": d.submissions.core.agent, "Accept-Encoding": {"identity"}}
	if ranges, ifRange := d.RangeHeaders(); ranges != "" {
		h.Set("Range", ranges)
		h.Set("If-Range", ifRange)
	}
	return h
}

func (d *download) request(ctx context.Context, h http.Header) *http.Request {
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

// broken returns the error of an attempt that a retry may resume.
func (d *download) broken(ctx, timed context.Context, err error) error {
	if ended := contextError(ctx); ended != nil {
		err = ended
	} else if silent := context.Cause(timed); silent != nil {
		err = silent
	}
	if d.Written > 0 && d.Validator == "" {
		return fmt.Errorf("%w: %w", errUnresumable, err)
	}
	return fmt.Errorf("%w: %w", errTransferBroken, err)
}

// fail returns the error that the caller sees. Its text does not contain the link.
func (d *download) fail(res result, retryAfter time.Duration) *Error {
	s := subject{request: &archiveRequest, key: noKey, attempts: d.attempts}
	e := s.fail(&res, fmt.Sprintf("%s, after %d bytes", d.text(res.err), d.Written), res.err)
	e.RetryAfter = retryAfter
	e.permanent = !errors.Is(res.err, errTransferBroken) && !errors.Is(res.err, errUnresumable)
	if errors.Is(res.err, errSilent) {
		e.Hints = []string{"see WithTimeout"}
	}
	return e
}

// text returns the text of an error without the link, which gives access to the archive.
func (d *download) text(err error) string {
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
