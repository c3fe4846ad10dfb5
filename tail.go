package hiring

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"time"
)

// TailOptions configures Tail. A zero field means the default.
type TailOptions struct {
	SinceSeq    int64         // Only entries with a higher seq; 0 for all.
	MinInterval time.Duration // The shortest interval between two polls: 30 s.
	MaxInterval time.Duration // The longest: 60 s. The interval is random between both.
}

// Tail yields the log of a submission's attempt while the log grows, each entry once
// and in order of seq. It ends when the submission is evaluated and the log has been
// read to its end (assumed: end of a log). For an attempt that is never evaluated, it
// ends only with the context. Gaps in seq are accepted. To resume in another process,
// pass the last Seq as SinceSeq. Ranging over the result twice starts over.
//
// Tail retries 429, 5xx and connection errors, and waits for the next rate-limit
// window. It yields any other error last, also that of an ended context. A payload that
// the caller keeps retains at most a few KB of memory. Scope read; costs two reads a poll, about 160 an hour.
func (s *EventService) Tail(ctx context.Context, submissionID string, o TailOptions) iter.Seq2[Event, error] {
	return iterate(ctx, (*service)(s), "Events.Tail", func(ctx context.Context, yield func(Event, error) bool) error {
		between, err := newInterval(o.MinInterval, o.MaxInterval)
		if err = joinParams(err, s.List(submissionID, EventFilter{SinceSeq: o.SinceSeq}).err); err != nil {
			return err
		}
		t := follower{core: s.core.forPolling(), id: submissionID, yield: yield, last: cmp.Or(o.SinceSeq, -1)}
		loop := pollLoop{core: t.core, operation: "Events.Tail", pending: "the attempt was not evaluated yet: ", interval: between, report: func(time.Time) {}}
		return loop.run(ctx, func(ctx context.Context) (time.Duration, bool, error) {
			ended, err := t.poll(ctx)
			return between.random(), !ended, err
		})
	})
}

// follower is one range over Tail.
type follower struct {
	core  *pollCore
	id    string
	yield func(Event, error) bool
	last  int64 // The seq of the last entry; -1 before the first.
}

// poll yields the new entries. It reports whether the submission was evaluated before the log was read.
func (t *follower) poll(ctx context.Context) (ended bool, err error) {
	report, err := (&SubmissionService{&t.core.core}).Report(ctx, t.id)
	if err = t.checked(ctx, err); err != nil {
		return false, err
	}
	for page, err := range (&EventService{&t.core.core}).List(t.id, EventFilter{SinceSeq: max(0, t.last)}).Pages(ctx) {
		if err = t.checked(ctx, err); err != nil {
			return false, err
		}
		for _, e := range page.Items {
			if e.Seq <= t.last {
				continue
			}
			t.last = e.Seq
			e.Payload = bytes.Clone(e.Payload)
			if !t.yield(e, nil) {
				return false, errLeft
			}
		}
	}
	return report.Ready(), nil
}

// checked returns the error of a request, or that of a response of another account.
func (t *follower) checked(ctx context.Context, err error) error {
	if t.core.config.source == nil || !isOfAccount(err) {
		return err
	}
	return cmp.Or(t.core.checkAccount(ctx), err)
}
