package hiring

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/body"
)

// attempt asks the storage once for what is missing. It goes around http.Client,
// which would add the cookies of a jar and put links of its own into errors.
func (d *download) attempt(ctx context.Context) error {
	k := d.submissions.core
	d.attempts++
	d.started, d.status, d.retryAfter = time.Now(), 0, 0
	h := d.headers()
	d.server = serverOf(d.link)
	d.trial.begin(ctx, &k.watchers, ProbeAttempt{
		Operation: "Submissions.DownloadArchive", Method: http.MethodGet, Route: "archive", Server: d.server, Number: d.attempts,
	}, h, func(string) bool { return true })
	timed, cancel := context.WithCancelCause(d.trial.ctx)
	defer cancel(nil)
	silence := newSilence(k.config.timeout, cancel)
	defer silence.stop()
	resp, err := k.transport().RoundTrip(d.request(timed, h)) //nolint:bodyclose,contextcheck // body.Once does it; timed is made of ctx
	if err == nil && resp == nil {
		err = errNoResponse
	}
	if err != nil {
		return d.broke(ctx, timed, err)
	}
	if resp.Body == nil {
		resp.Body = http.NoBody
	}
	once := &body.Once{Body: resp.Body}
	defer once.Close()
	defer context.AfterFunc(timed, once.CloseLate)() //nolint:contextcheck // timed is made of ctx
	d.status = resp.StatusCode
	if whole, err := d.accept(resp); whole || err != nil {
		return err
	}
	broken, err := d.copy(timed, resp.Body, silence) //nolint:contextcheck // timed is made of ctx
	if broken != nil {
		return d.broke(ctx, timed, broken)
	}
	return err
}

func (d *download) headers() http.Header {
	// Ranges count the bytes as they travel, so they must not be compressed.
	h := http.Header{"User-Agent": d.submissions.core.agent, "Accept-Encoding": {"identity"}}
	if d.written > 0 {
		h.Set("Range", "bytes="+strconv.FormatInt(d.written, 10)+"-")
		h.Set("If-Range", d.validator)
	}
	return h
}

func (d *download) request(ctx context.Context, h http.Header) *http.Request {
	return (&http.Request{
		Method: http.MethodGet, URL: d.link, Host: d.link.Host, Header: h,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}).WithContext(ctx)
}

// accept judges the head of a reply: only what continues the bytes already
// written may be written. whole means that nothing is missing.
func (d *download) accept(resp *http.Response) (whole bool, err error) {
	switch status := resp.StatusCode; {
	case status == http.StatusOK && d.written == 0:
		d.total, d.end = resp.ContentLength, resp.ContentLength
		d.validator = validatorOf(resp.Header)
		return false, nil
	case status == http.StatusOK:
		return false, errChanged
	case status == http.StatusPartialContent && d.written > 0:
		return false, d.acceptRange(resp.Header)
	case status == http.StatusRequestedRangeNotSatisfiable && d.written > 0:
		if resp.Header.Get("Content-Range") != fmt.Sprintf("bytes */%d", d.written) {
			return false, errChanged
		}
		return true, nil
	case status == http.StatusTooManyRequests || isOverload(status):
		d.retryAfter = retryAfterOf(resp.Header, time.Now())
		return false, errBroken
	case status >= 300 && status < 400:
		return false, errors.New("the storage redirects elsewhere, which is not followed")
	case status >= 400 && status < 500:
		return false, errRefused
	}
	return false, errors.New("the storage answered with neither the archive nor a known error")
}

// acceptRange sees to it that a part is the one that was asked for, and of the
// same archive.
func (d *download) acceptRange(h http.Header) error {
	first, end, total, ok := parseContentRange(h.Get("Content-Range"))
	if !ok || first != d.written {
		return errors.New("the storage answered with another range than asked for")
	}
	if tag := h.Get("Etag"); tag != "" && strings.HasPrefix(d.validator, `"`) && tag != d.validator {
		return errChanged
	}
	if total != unknownLength && d.total != unknownLength && total != d.total {
		return errChanged
	}
	d.total, d.end = max(d.total, total), end
	return nil
}

// parseContentRange reads "bytes 0-9/10"; the total may be unknown. end is the
// place after the last byte.
func parseContentRange(value string) (first, end, total int64, ok bool) {
	span, ok := strings.CutPrefix(value, "bytes ")
	span, size, cut := strings.Cut(span, "/")
	from, to, ranged := strings.Cut(span, "-")
	first, firstErr := strconv.ParseInt(from, 10, 64)
	last, lastErr := strconv.ParseInt(to, 10, 62)
	total = unknownLength
	var totalErr error
	if size != "*" {
		total, totalErr = strconv.ParseInt(size, 10, 64)
	}
	ok = ok && cut && ranged && errors.Join(firstErr, lastErr, totalErr) == nil &&
		first >= 0 && last >= first && (size == "*" || total > last)
	return first, last + 1, total, ok
}

// validatorOf returns what If-Range can ask for.
func validatorOf(h http.Header) string {
	if tag := h.Get("Etag"); tag != "" && !strings.HasPrefix(tag, "W/") {
		return tag
	}
	return h.Get("Last-Modified")
}

// copy writes the body and tells a break on the way, after which another attempt
// may help, from what no attempt mends.
func (d *download) copy(ctx context.Context, body io.Reader, silence *silence) (broken, final error) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := body.Read(buffer)
		if d.end != unknownLength && d.written+int64(n) > d.end {
			return nil, errors.New("the storage sent more than it announced")
		}
		if n > 0 {
			silence.stop() // A slow writer is no silence of the storage's.
			if err := d.write(buffer[:n]); err != nil {
				return nil, fmt.Errorf("the writer failed: %w", err)
			}
			silence.begin()
		}
		switch {
		case err == nil && ctx.Err() != nil:
			return ctx.Err(), nil // This body does not end by being closed.
		case err == nil:
		case !errors.Is(err, io.EOF):
			return err, nil
		case d.written < max(d.end, d.total):
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
	d.written += int64(n)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
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

func (s *silence) begin() {
	if s.timer != nil {
		s.timer.Reset(s.limit)
	}
}

func (s *silence) stop() {
	if s.timer != nil {
		s.timer.Stop()
	}
}
