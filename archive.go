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
	"github.com/hiring-assessment/hiring-go/internal/neterr"
	"github.com/hiring-assessment/hiring-go/internal/retry"
	"github.com/hiring-assessment/hiring-go/internal/text"
	"github.com/hiring-assessment/hiring-go/internal/transfer"
	"github.com/hiring-assessment/hiring-go/internal/urls"
)

// ErrNoArchive means that a submission has no workspace archive: nothing was
// submitted, the storage is not available, or the key is of test mode.
var ErrNoArchive = errors.New("hiring: the submission has no workspace archive")

// DownloadArchive writes a submission's workspace archive to w and returns how
// many bytes it wrote. It fails with [ErrNoArchive] when there is none.
//
// The key is not sent to where the archive lies. A download that breaks off goes
// on where it stopped, after the pauses of [RetryPolicy], when the storage allows
// it (assumed: archive storage); when not, the error tells, and what was written
// is no whole archive.
// [WithTimeout] bounds the silence of the storage, not the length of the download
// and not the time that w takes.
//
// Scope read; costs one read, two when the link expires meanwhile.
func (s *SubmissionService) DownloadArchive(ctx context.Context, id string, w io.Writer) (int64, error) {
	d := download{submissions: s, id: id, to: w, State: transfer.State{Total: transfer.Unknown}}
	err := s.use().probed(ctx, TraceCall{Operation: "Submissions.DownloadArchive"}, func(ctx context.Context) error {
		if w == nil {
			return &ParamError{Param: "w", Problem: "must not be nil"}
		}
		return d.run(ctx)
	})
	return d.Written, err
}

// download is an archive on its way.
type download struct {
	transfer.State

	submissions *SubmissionService
	id          string
	to          io.Writer

	link    *url.URL
	renewed bool

	// Of the present attempt.
	attempts   int
	trial      trial
	server     string
	started    time.Time
	status     int
	retryAfter time.Duration
}

// run makes attempts until the archive is whole or no further one may help.
func (d *download) run(ctx context.Context) error {
	if err := d.renew(ctx); err != nil {
		return err
	}
	defer func() { d.trial.abandon(d.exchange()) }()
	for failed := 1; ; failed++ {
		before := d.Written
		cause := d.attempt(ctx)
		if cause == nil {
			d.tell(nil, 0)
			return nil
		}
		if d.Written > before {
			failed = 1
		}
		failure := d.fail(cause)
		if errors.Is(cause, transfer.ErrRefused) && !d.renewed {
			// It has probably expired, which storages say in several ways.
			d.tell(failure, 0)
			d.renewed = true
			if err := d.renew(ctx); err != nil {
				return err
			}
			failed--
			continue
		}
		wait, again := d.again(ctx, cause, failed)
		d.tell(failure, wait)
		if !again || sleep(ctx, wait, PauseRetry) != nil {
			return join(ctx, failure)
		}
	}
}

// renew asks for a fresh signed link.
func (d *download) renew(ctx context.Context) error {
	submission, err := d.submissions.Get(ctx, d.id)
	if err != nil {
		return err
	}
	if submission.WorkspaceArchiveURL == nil {
		return ErrNoArchive
	}
	u, err := url.Parse(*submission.WorkspaceArchiveURL)
	if err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || !urls.Loopback(u.Hostname())) {
		d.status = 0
		return d.fail(errors.New("the service gave a link that is not https, and nothing was asked of it"))
	}
	d.link = u
	return nil
}

// again decides like any other call, by how often it failed without progress.
func (d *download) again(ctx context.Context, cause error, failed int) (wait time.Duration, again bool) {
	if !errors.Is(cause, transfer.ErrBroken) || ctx.Err() != nil {
		return 0, false
	}
	e := retry.Ending{Number: failed, Method: http.MethodGet, Cut: true, RetryAfter: d.retryAfter, Permanent: neterr.Permanent(cause)}
	e.Left, e.Bounded = timeLeft(ctx)
	return d.submissions.core.policy().Repeat(e, jitter())
}

// broke is the error of an attempt that the next one may continue.
func (d *download) broke(ctx, timed context.Context, err error) error {
	if ended := contextError(ctx); ended != nil {
		err = ended
	} else if silent := context.Cause(timed); silent != nil {
		err = silent
	}
	if d.Written > 0 && d.Validator == "" {
		return fmt.Errorf("%w: %w", transfer.ErrUnresumable, err)
	}
	return fmt.Errorf("%w: %w", transfer.ErrBroken, err)
}

// fail is the error that the caller sees. Its text never holds the link.
func (d *download) fail(cause error) *Error {
	e := &Error{
		Message:    fmt.Sprintf("%s, after %d bytes", d.plain(cause), d.Written),
		Status:     d.status,
		Method:     http.MethodGet,
		Route:      "archive",
		Attempts:   d.attempts,
		RetryAfter: d.retryAfter,
		Operation:  "Submissions.DownloadArchive",
		permanent:  !errors.Is(cause, transfer.ErrBroken) && !errors.Is(cause, transfer.ErrUnresumable),
	}
	e.causedBy(cause)
	if errors.Is(cause, errSilent) {
		e.Hints = []string{"see WithTimeout"}
	}
	return e
}

// errSilent is the cause of a download that ended because the storage sent no data.
var errSilent = errors.New("nothing came")

// plain is an error's text without the link: whoever has that has the archive.
func (d *download) plain(err error) string {
	message := err.Error()
	if d.link != nil {
		for _, secret := range []string{d.link.String(), d.link.RequestURI(), d.link.RawQuery} {
			if len(secret) > 1 {
				message = strings.ReplaceAll(message, secret, "the link")
			}
		}
	}
	return text.Quote([]byte(message))
}

// tell calls the observers. What the storage's headers say is not the service's,
// and stays out.
func (d *download) tell(failure *Error, wait time.Duration) {
	e := d.exchange()
	e.Wait = wait
	if failure != nil {
		e.Err = failure
	}
	d.trial.end(&d.submissions.core.watchers, e)
}

func (d *download) exchange() Exchange {
	return Exchange{
		Operation: "Submissions.DownloadArchive",
		Method:    http.MethodGet,
		Route:     "archive",
		Status:    d.status,
		Attempt:   d.attempts,
		Duration:  time.Since(d.started),
		Started:   d.started,
		Server:    d.server,
	}
}

// attempt asks the storage once for what is missing. It goes around http.Client,
// which would add the cookies of a jar and put links of its own into errors.
func (d *download) attempt(ctx context.Context) error {
	k := d.submissions.core
	d.attempts++
	d.started, d.status, d.retryAfter = time.Now(), 0, 0
	h := d.headers()
	d.server = urls.Server(d.link)
	d.trial.begin(ctx, &k.watchers, TraceAttempt{
		Operation: "Submissions.DownloadArchive", Method: http.MethodGet, Route: "archive", Server: d.server, Number: d.attempts,
	}, h, func(string) bool { return true })
	timed, cancel := context.WithCancelCause(d.trial.ctx)
	defer cancel(nil)
	limit := k.config.timeout
	silence := limits.NewSilence(limit, func() {
		cancel(fmt.Errorf("%w for %s: %w", errSilent, limit, context.DeadlineExceeded))
	})
	defer silence.Stop()
	resp, err := k.roundTrip(d.request(timed, h)) //nolint:bodyclose,contextcheck // limits.Once does it; timed is made of ctx
	if err != nil {
		return d.broke(ctx, timed, err)
	}
	once := &limits.Once{Body: resp.Body}
	defer once.Close()
	defer context.AfterFunc(timed, once.CloseLate)() //nolint:contextcheck // timed is made of ctx
	if whole, err := d.accept(resp); whole || err != nil {
		return err
	}
	broken, err := d.copy(timed, once.Body, silence) //nolint:contextcheck // timed is made of ctx
	if broken != nil {
		return d.broke(ctx, timed, broken)
	}
	return err
}

// accept judges the head of a reply.
func (d *download) accept(resp *http.Response) (whole bool, err error) {
	d.status = resp.StatusCode
	busy := d.status == http.StatusTooManyRequests || retry.Overload(d.status)
	if busy {
		d.retryAfter = headers.RetryAfter(resp.Header, time.Now())
	}
	return d.Accept(d.status, transfer.Header(resp.Header), resp.ContentLength, busy)
}

func (d *download) headers() http.Header {
	// Ranges count the bytes as they travel, so they must not be compressed.
	h := http.Header{"User-Agent": d.submissions.core.agent, "Accept-Encoding": {"identity"}}
	if ranges, ifRange := d.Ask(); ranges != "" {
		h.Set("Range", ranges)
		h.Set("If-Range", ifRange)
	}
	return h
}

func (d *download) request(ctx context.Context, h http.Header) *http.Request {
	return (&http.Request{
		Method: http.MethodGet, URL: d.link, Host: d.link.Host, Header: h,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}).WithContext(ctx)
}

// copy writes the body and tells a break on the way, after which another attempt
// may help, from what no attempt mends.
func (d *download) copy(ctx context.Context, from io.Reader, silence *limits.Silence) (broken, final error) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		err = neterr.Usable(err)
		if !d.Fits(n) {
			return nil, errors.New("the storage sent more than it announced")
		}
		if n > 0 {
			silence.Stop() // A slow writer is no silence of the storage's.
			if err := d.write(buffer[:n]); err != nil {
				return nil, fmt.Errorf("the writer failed: %w", neterr.Usable(err))
			}
			silence.Begin()
		}
		switch {
		case err == nil && ctx.Err() != nil:
			return ctx.Err(), nil // This body does not end by being closed.
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
		return errors.New("it told an impossible count")
	}
	d.Written += int64(n)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}
