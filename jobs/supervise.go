package jobs

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	hiring "github.com/hiring-assessment/hiring-go"
)

// attempt is an attempt of a job of an organization.
type attempt struct {
	row          *rivertype.JobRow
	organization string
	submissionID string                           // Of a delivery.
	delay        func(failures int) time.Duration // At least a minute after a 401, and the delay of a RetryAfterError.
	longest      time.Duration                    // Limits the delay of a RetryAfterError.
}

// supervise runs one attempt of a job, and reports discarded and cancelled jobs to the
// telemetry of the organization. A panic is returned as an error, without its text.
func (in *installation[TTx]) supervise(ctx context.Context, r *registry, a attempt, work func(o Organization, source int) error) error {
	if a.row.Kind != KindDelivery {
		_ = river.MetadataSet(ctx, metadataWaits, "") // Fails only outside of a worker.
	}
	o, source, err := r.find(ctx, a.organization)
	if errors.Is(err, errUnlisted) {
		return in.endUnlisted(ctx, a)
	}
	if err == nil {
		_, err = withoutPanic(func() (any, error) { return nil, work(o, source) })
	}
	if errors.Is(err, hiring.ErrInvalidToken) { // The key may have been replaced.
		r.reopen(a.organization)
	}
	in.report(ctx, o, a, err)
	return err
}

// report reports the end of an attempt to the telemetry, and logs a failure. A used-up rate limit is no failure. Nor is,
// to River, an attempt that ends because the client stops.
func (in *installation[TTx]) report(ctx context.Context, o Organization, a attempt, err error) {
	if _, cancelled := errors.AsType[*rivertype.JobCancelError](err); cancelled {
		o.reportEvent(ctx, a.row.Kind, EventCancelled)
		in.logFailure(ctx, a, err, "jobs: cancelled")
		return
	}
	snooze, snoozed := errors.AsType[*rivertype.JobSnoozeError](err)
	if snoozed && hiring.IsTransient(err) && !errors.Is(err, hiring.ErrRateLimited) {
		in.logFailure(ctx, a, err, "jobs: the API fails, will be retried", "next_attempt", in.Now().Add(snooze.Duration).UTC().Format(time.RFC3339))
	}
	if err == nil || snoozed || errors.Is(ctx.Err(), context.Canceled) || errors.Is(err, errOvertaken) {
		return
	}
	if a.row.Attempt >= a.row.MaxAttempts {
		o.reportEvent(ctx, a.row.Kind, EventDiscarded)
		in.logFailure(ctx, a, err, "jobs: failed for the last time")
		return
	}
	delay := a.delay(failures(a.row))
	if retryAfter, ok := errors.AsType[*RetryAfterError](err); ok {
		delay = min(max(delay, retryAfter.After), a.longest)
	}
	if errors.Is(err, hiring.ErrInvalidToken) { // A client that is opened again does not know how often the API has rejected its key.
		delay = max(delay, time.Minute)
	}
	delay = jittered(delay)
	in.delays.Store(a.row.ID, delay)
	in.logFailure(ctx, a, err, "jobs: failed, will be retried", "next_attempt", in.Now().Add(delay).UTC().Format(time.RFC3339))
}

// nextRetry returns the time of the next attempt of a job. Its failure has chosen the delay, except for
// a job that River rescues.
func (in *installation[TTx]) nextRetry(id int64, rescued time.Duration) time.Time {
	if d, ok := in.delays.LoadAndDelete(id); ok {
		return in.Now().Add(d.(time.Duration))
	}
	return in.Now().Add(jittered(rescued))
}

// logFailure logs the end of an attempt without the text of its error, which may contain
// candidate data. River stores the error in the job, and logs it at the level INFO.
func (in *installation[TTx]) logFailure(ctx context.Context, a attempt, err error, text string, more ...any) {
	attributes := []any{"organization", a.organization, "kind", a.row.Kind, "job_id", a.row.ID, "attempt", a.row.Attempt, "cause", causeOf(err)}
	if origin := originOf(err); origin != "" {
		attributes = append(attributes, "origin", origin)
	}
	if a.submissionID != "" {
		attributes = append(attributes, "submission_id", a.submissionID)
	}
	in.logger().WarnContext(ctx, text, append(attributes, more...)...)
}

// unlistedInterval is the time after which a delivery checks again whether its organization is listed. A list that was
// empty by mistake must not cost results, so an operator deletes them. With the jitter it is less than ten minutes.
const unlistedInterval = 9 * time.Minute

// endUnlisted returns the end of an attempt whose organization is not listed.
func (in *installation[TTx]) endUnlisted(ctx context.Context, a attempt) error {
	if a.row.Kind == KindDelivery {
		return river.JobSnooze(jittered(unlistedInterval))
	}
	in.logger().WarnContext(ctx, "jobs: the organization is not listed: its job ends, its deliveries wait", "organization", a.organization, "kind", a.row.Kind)
	return river.JobCancel(errUnlisted)
}

// panicError is a panic of a handler or of a client.
type panicError struct {
	value string // The type of the value, or the text of a runtime.Error.
	at    string // The file and line that panicked.
	stack []byte
}

func (e *panicError) Error() string { return "jobs: panic: " + e.value + "\n\n" + string(e.stack) }

// withoutPanic returns what f returns, and a panic as an error. The text of the panic may
// contain candidate data, which River would log and store, so it is dropped.
func withoutPanic[V any](f func() (V, error)) (v V, err error) {
	defer func() {
		value := recover()
		if value == nil {
			return
		}
		e := &panicError{fmt.Sprintf("a value of type %T, whose text is not stored", value), panicked(), debug.Stack()}
		if fault, ok := value.(runtime.Error); ok {
			e.value = fault.Error()
		}
		err = e
	}()
	return f()
}

// panicked returns the file and line of the frame that panicked. The deferred function that recovers calls it.
func panicked() string {
	callers := make([]uintptr, 16)
	frames := runtime.CallersFrames(callers[:runtime.Callers(3, callers)]) // Without Callers, this function and its caller.
	frame, more := frames.Next()
	for more && strings.HasPrefix(frame.Function, "runtime.") {
		frame, more = frames.Next()
	}
	return filepath.Base(frame.File) + ":" + strconv.Itoa(frame.Line)
}

func (o Organization) reportEvent(ctx context.Context, kind string, event Event) {
	o.telemetry.Job(context.WithoutCancel(ctx), JobEvent{o.Name, kind, event})
}
