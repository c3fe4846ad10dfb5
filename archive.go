package hiring

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// ErrNoArchive means that a submission has no workspace archive: nothing was
// submitted, the storage is not available, or the key is of test mode.
var ErrNoArchive = errors.New("hiring: the submission has no workspace archive")

// DownloadArchive writes a submission's workspace archive to w and returns how
// many bytes it wrote. It fails with [ErrNoArchive] when there is none. The key
// is not sent to where the archive lies. A download that breaks off goes on
// where it stopped when the storage allows it; when not, the error tells, and
// what was written is no whole archive. [WithTimeout] bounds the silence of the
// storage, not the length of the download.
//
// Scope read; costs one read, two when the link expires meanwhile.
func (s *SubmissionService) DownloadArchive(ctx context.Context, id string, w io.Writer) (int64, error) {
	d := download{submissions: s, id: id, to: w}
	if w == nil {
		return 0, &ParamError{"w", "must not be nil"}
	}
	if err := d.link(ctx); err != nil {
		return 0, err
	}
	policy := s.core.config.retry
	for failed := 0; ; {
		before := d.written
		err := d.fetch(ctx)
		if err == nil {
			return d.written, nil
		}
		if d.written > before {
			failed = 0
		}
		failed++
		switch {
		case errors.Is(err, errExpired) && !d.renewed:
			d.renewed = true
			if err := d.link(ctx); err != nil {
				return d.written, err
			}
			continue
		case !errors.Is(err, errBroken) || failed >= policy.MaxAttempts || ctx.Err() != nil:
			return d.written, d.fail(ctx, err)
		}
		pause := time.Duration(jitter() * float64(policy.backoff(failed)))
		if sleep(ctx, pause) != nil {
			return d.written, d.fail(ctx, err)
		}
	}
}

var (
	errBroken  = errors.New("the download broke off")
	errExpired = errors.New("the link has expired")
	errWhole   = errors.New("there is nothing after what was written")
)

// download is an archive on its way.
type download struct {
	submissions *SubmissionService
	id          string
	to          io.Writer

	url       *url.URL
	renewed   bool
	written   int64
	validator string // What If-Range can ask for; empty when the storage gives nothing.
	attempts  int
	status    int
}

// link asks for a fresh signed link.
func (d *download) link(ctx context.Context) error {
	submission, err := d.submissions.Get(ctx, d.id)
	if err != nil {
		return err
	}
	if submission.WorkspaceArchiveURL == nil {
		return ErrNoArchive
	}
	u, err := url.Parse(*submission.WorkspaceArchiveURL)
	if err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || !isLoopback(u.Hostname())) {
		return d.fail(ctx, errors.New("the service gave a link that is not https"))
	}
	d.url = u
	return nil
}

// fetch makes one attempt to get what is missing.
func (d *download) fetch(ctx context.Context) error {
	k := d.submissions.core
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := newSilence(k.config.timeout, cancel)
	defer silence.stop()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, d.url.String(), nil)
	if err != nil {
		return errors.New("the service gave a link that cannot be asked for")
	}
	// Ranges count the bytes as they travel, so they must not be compressed.
	req.Header = http.Header{"User-Agent": k.agent, "Accept-Encoding": []string{"identity"}}
	if d.written > 0 {
		req.Header.Set("Range", "bytes="+strconv.FormatInt(d.written, 10)+"-")
		req.Header.Set("If-Range", d.validator)
	}
	d.attempts++
	d.status = 0
	client := k.http
	client.Timeout = 0
	resp, err := client.Do(req)
	if err != nil {
		return d.broke(ctx, err)
	}
	defer resp.Body.Close()
	defer context.AfterFunc(ctx, func() { _ = resp.Body.Close() })()
	d.status = resp.StatusCode
	if err := d.accept(resp); err != nil {
		if errors.Is(err, errWhole) {
			err = nil
		}
		return err
	}
	return d.copy(ctx, resp, silence)
}

// accept judges the head of a reply: only what continues the bytes already
// written may be written.
func (d *download) accept(resp *http.Response) error {
	switch status := resp.StatusCode; {
	case status == http.StatusOK && d.written == 0:
	case status == http.StatusPartialContent && d.written > 0:
		if !strings.HasPrefix(resp.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", d.written)) {
			return errors.New("the storage answered with another range than asked for")
		}
		return nil
	case status == http.StatusRequestedRangeNotSatisfiable && resp.Header.Get("Content-Range") == fmt.Sprintf("bytes */%d", d.written):
		return errWhole
	case status == http.StatusOK:
		return errors.New("the archive changed, or the storage cannot go on where a download broke off")
	case status == http.StatusTooManyRequests || status >= 500:
		return errBroken
	case status >= 400:
		return errExpired
	default:
		return errors.New("the storage answered with neither the archive nor an error")
	}
	d.validator = resp.Header.Get("ETag")
	if d.validator == "" || strings.HasPrefix(d.validator, "W/") {
		d.validator = resp.Header.Get("Last-Modified")
	}
	return nil
}

// copy writes the body and tells a break on the way from a writer that fails.
func (d *download) copy(ctx context.Context, resp *http.Response, silence *silence) error {
	buffer := make([]byte, 32<<10)
	expected := resp.ContentLength
	var got int64
	for {
		n, readErr := resp.Body.Read(buffer)
		silence.reset()
		if n > 0 {
			got += int64(n)
			silence.stop() // A slow writer is no silence of the storage's.
			wrote, err := d.to.Write(buffer[:n])
			d.written += int64(wrote)
			if err == nil && wrote < n {
				err = io.ErrShortWrite
			}
			if err != nil {
				return fmt.Errorf("the writer failed: %w", err)
			}
			silence.reset()
		}
		switch {
		case errors.Is(readErr, io.EOF) && (expected < 0 || got == expected):
			return nil
		case errors.Is(readErr, io.EOF):
			return d.broke(ctx, io.ErrUnexpectedEOF)
		case readErr != nil:
			return d.broke(ctx, readErr)
		}
	}
}

// broke is an attempt that the next one may continue.
func (d *download) broke(ctx context.Context, err error) error {
	if outer, ok := errors.AsType[*url.Error](err); ok {
		err = outer.Err // Without the signed link.
	}
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	if d.written > 0 && d.validator == "" {
		return fmt.Errorf("the download broke off and the storage gives nothing to go on by: %w", err)
	}
	return fmt.Errorf("%w: %w", errBroken, err)
}

// fail is the error that the caller sees. It never holds the link.
func (d *download) fail(ctx context.Context, cause error) error {
	e := &Error{
		Message:   fmt.Sprintf("%s, after %d bytes", strings.ReplaceAll(cause.Error(), d.address(), "the link"), d.written),
		Status:    d.status,
		Method:    http.MethodGet,
		Route:     "archive",
		Attempts:  d.attempts,
		operation: "Submissions.DownloadArchive",
	}
	e.causedBy(join(ctx, cause))
	return e
}

func (d *download) address() string {
	if d.url == nil {
		return "\x00"
	}
	return d.url.String()
}

// silence ends an attempt that brings nothing for too long.
type silence struct {
	timer *time.Timer
	limit time.Duration
}

func newSilence(limit time.Duration, cancel context.CancelCauseFunc) *silence {
	if limit == 0 {
		return &silence{}
	}
	timer := time.AfterFunc(limit, func() {
		cancel(fmt.Errorf("nothing came for %s: see WithTimeout: %w", limit, context.DeadlineExceeded))
	})
	return &silence{timer, limit}
}

func (s *silence) reset() {
	if s.timer != nil {
		s.timer.Reset(s.limit)
	}
}

func (s *silence) stop() {
	if s.timer != nil {
		s.timer.Stop()
	}
}
