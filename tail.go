package hiring

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/paging"
)

// TailOptions configures Tail. A zero field means the default.
type TailOptions struct {
	SinceSeq    int64         // Only entries with a higher seq; 0 for all.
	MinInterval time.Duration // The shortest interval between two polls. Default 30 s.
	MaxInterval time.Duration // The longest. Default 60 s. The interval is random between both.
}

// Tail yields the log of a submission while the log grows, each entry once
// and in order of seq. It ends when the submission is evaluated and the log has been
// read to its end (assumed: end of a log). For a submission that is never evaluated, it
// ends only with the context. Gaps in seq are accepted. To resume in another process,
// pass the last Seq as SinceSeq. Ranging over the result twice starts over.
//
// Failures and windows are handled as in [SubmissionService.WaitReports]. Tail yields any other
// error last, also that of an ended context. A payload that the caller keeps retains at most a few
// KB of memory. Scope read; costs two reads a poll, about 160 an hour.
func (s *EventService) Tail(ctx context.Context, submissionID string, o TailOptions) iter.Seq2[Event, error] {
	return iterate(ctx, (*service)(s), "Events.Tail", func(ctx context.Context, yield func(Event, error) bool) error {
		between, err := newInterval(o.MinInterval, o.MaxInterval)
		if err = joinParams(err, s.List(submissionID, EventFilter{SinceSeq: o.SinceSeq}).err); err != nil {
			return err
		}
		loop := newPollLoop(s.core, "Events.Tail", between)
		t := tail{loop, s, submissionID, cmp.Or(o.SinceSeq, paging.NoSeq)}
		t.unfinished = "the submission was not evaluated yet: "
		return t.run(ctx, func(ctx context.Context) (wait time.Duration, done bool, err error) { return t.readNew(ctx, yield) })
	})
}

// tail is one range over a log.
type tail struct {
	pollLoop

	events     *EventService
	submission string
	last       int64 // The seq of the last entry that was yielded.
}

// readNew yields what was added to the log. The report comes before the log, which is then read to its end.
func (t *tail) readNew(ctx context.Context, yield func(Event, error) bool) (wait time.Duration, done bool, err error) {
	report, err := do[Report](ctx, t.core, t.prepare(newRequest("Submissions.Report", reportRoute, pathID("id", t.submission))))
	if err = cmp.Or(t.requestEnded(ctx, err), err); err != nil {
		return 0, false, err
	}
	log := t.events.List(t.submission, EventFilter{SinceSeq: max(0, t.last)}).sending(t.prepare)
	for page, err := range log.Pages(ctx) {
		if err = cmp.Or(t.requestEnded(ctx, err), err); err != nil {
			return 0, false, err
		}
		for _, e := range page.Items {
			if e.Seq <= t.last {
				continue
			}
			t.last = e.Seq
			e.Payload = bytes.Clone(e.Payload)
			if !yield(e, nil) {
				return 0, false, errBreak
			}
		}
	}
	return t.interval.shortest + t.interval.jitter(t.interval.shortest), report.Ready(), nil
}
