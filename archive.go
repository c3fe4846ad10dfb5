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

	"github.com/hiring-assessment/hiring-go/internal/texts"
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
	d := download{submissions: s, id: id, to: w, total: unknownLength}
	err := s.core.probed(ctx, ProbeCall{Operation: "Submissions.DownloadArchive"}, func(ctx context.Context) error {
		if w == nil {
			return &ParamError{Param: "w", Problem: "must not be nil"}
		}
		return d.run(ctx)
	})
	return d.written, err
}

var (
	errBroken  = errors.New("the download broke off")
	errRefused = errors.New("the storage refuses the link")
	errChanged = errors.New("the archive changed, or the storage cannot go on where a download broke off")
)

const unknownLength = -1

// download is an archive on its way.
type download struct {
	submissions *SubmissionService
	id          string
	to          io.Writer

	link      *url.URL
	renewed   bool
	written   int64
	total     int64  // Of the archive; unknownLength until the storage told.
	validator string // What If-Range can ask for; empty when the storage gives nothing.

	// Of the present attempt.
	attempts   int
	trial      trial
	server     string
	started    time.Time
	status     int
	retryAfter time.Duration
	end        int64 // How much is written when the reply has come in full; or unknownLength.
}

// run makes attempts until the archive is whole or no further one may help.
func (d *download) run(ctx context.Context) error {
	if err := d.renew(ctx); err != nil {
		return err
	}
	defer func() { d.trial.abandon(d.exchange()) }()
	for failed := 1; ; failed++ {
		before := d.written
		cause := d.attempt(ctx)
		if cause == nil {
			d.tell(nil, 0)
			return nil
		}
		if d.written > before {
			failed = 1
		}
		failure := d.fail(cause)
		if errors.Is(cause, errRefused) && !d.renewed {
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
	if err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || !isLoopback(u.Hostname())) {
		d.status = 0
		return d.fail(errors.New("the service gave a link that is not https, and nothing was asked of it"))
	}
	d.link = u
	return nil
}

// again decides like any other call, by how often it failed without progress.
func (d *download) again(ctx context.Context, cause error, failed int) (wait time.Duration, again bool) {
	if !errors.Is(cause, errBroken) || ctx.Err() != nil {
		return 0, false
	}
	e := ending{
		number: failed, method: http.MethodGet, failed: true, cut: true,
		permanent: isPermanent(cause), retryAfter: d.retryAfter,
	}
	if deadline, ok := ctx.Deadline(); ok {
		e.bounded, e.left = true, time.Until(deadline)
	}
	return d.submissions.core.config.retry.repeat(e, jitter())
}

// broke is the error of an attempt that the next one may continue.
func (d *download) broke(ctx, timed context.Context, err error) error {
	if ended := contextError(ctx); ended != nil {
		err = ended
	} else if silent := context.Cause(timed); silent != nil {
		err = silent
	}
	if d.written > 0 && d.validator == "" {
		return fmt.Errorf("the download broke off, and the storage gives nothing to go on by: %w", err)
	}
	return fmt.Errorf("%w: %w", errBroken, err)
}

// fail is the error that the caller sees. Its text never holds the link.
func (d *download) fail(cause error) *Error {
	e := &Error{
		Message:    fmt.Sprintf("%s, after %d bytes", d.plain(cause), d.written),
		Status:     d.status,
		Method:     http.MethodGet,
		Route:      "archive",
		Attempts:   d.attempts,
		RetryAfter: d.retryAfter,
		operation:  "Submissions.DownloadArchive",
	}
	e.causedBy(cause)
	return e
}

// plain is an error's text without the link: whoever has that has the archive.
func (d *download) plain(err error) string {
	text := err.Error()
	if d.link != nil {
		for _, secret := range []string{d.link.String(), d.link.RequestURI(), d.link.RawQuery} {
			if len(secret) > 1 {
				text = strings.ReplaceAll(text, secret, "the link")
			}
		}
	}
	return texts.Quote([]byte(text))
}

// tell calls the observers. What the storage's headers say is not the service's,
// and stays out.
func (d *download) tell(failure *Error, wait time.Duration) {
	e := d.exchange()
	e.Wait = wait
	if failure != nil {
		e.Err = failure
	}
	d.trial.end(e)
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
