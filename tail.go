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
	MinInterval time.Duration // The shortest interval between two polls. Default 30 s.
	MaxInterval time.Duration // The longest. Default 60 s. The interval is random between both.
}

// Tail yields the log of a submission while the log grows, each entry once
// and in order of seq. It ends when the submission is evaluated and the log has been
// read to its end (assumed: end of a log). For a submission that is never evaluated, it
// ends only with the context. Gaps in seq are accepted. To resume in another process,
// pass the last Seq as SinceSeq. Ranging over the result twice starts over.
//
// Failures and windows are handled as in [SubmissionService.WaitReports]. Tail yields any other error last, also that of
// an ended context. A payload that the caller keeps retains at most a few KB of memory. Scope read; costs two reads a poll,
// about 160 an hour.
func (s *EventService) Tail(ctx context.Context, submissionID string, o TailOptions) iter.Seq2[Event, error] {
	return iterate(ctx, (*service)(s), "Events.Tail", func(ctx context.Context, yield func(Event, error) bool) error {
		between, err := newInterval(o.MinInterval, o.MaxInterval)
		if err = joinParams(err, s.List(submissionID, EventFilter{SinceSeq: o.SinceSeq}).err); err != nil {
			return err
		}
		last, loop := cmp.Or(o.SinceSeq, -1), newPollLoop(s.core, "Events.Tail", between)
		loop.pending = "the submission was not evaluated yet: "
		return loop.run(ctx, func(ctx context.Context) (time.Duration, bool, error) {
			// The report comes before the log, which is then read to its end.
			report, err := do[Report](ctx, s.core, loop.own(newRequest("Submissions.Report", reportRoute, pathID{"id", submissionID})))
			if err = cmp.Or(loop.checkAccount(ctx, err), err); err != nil {
				return 0, true, err
			}
			log := s.List(submissionID, EventFilter{SinceSeq: max(0, last)})
			log.list.request = loop.own(log.list.request)
			for page, err := range log.Pages(ctx) {
				if err = cmp.Or(loop.checkAccount(ctx, err), err); err != nil {
					return 0, true, err
				}
				for _, e := range page.Items {
					if e.Seq <= last {
						continue
					}
					last = e.Seq
					e.Payload = bytes.Clone(e.Payload)
					if !yield(e, nil) {
						return 0, true, errBreak
					}
				}
			}
			return between.shortest + between.jitter(between.shortest), !report.Ready(), nil
		})
	})
}
