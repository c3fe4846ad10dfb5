package hiring

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/paging"
)

// TailOptions configures Tail. A zero field means the default.
type TailOptions struct {
	SinceSeq    int64         // Only entries with a higher seq; 0 for all.
	MinInterval time.Duration // The interval while entries come: 30 s.
	MaxInterval time.Duration // The interval that it grows to without entries: 60 s.
}

// Tail yields the log of a submission's attempt while the log grows, each entry once
// and in order of seq. It ends when the submission is evaluated and the log has been
// read to its end (assumed: end of a log). For an attempt that is never evaluated, it
// ends only with the context. Gaps in seq are accepted. To resume in another process,
// pass the last Seq as SinceSeq.
//
// Tail retries 429, 5xx and connection errors, and waits for the next rate-limit
// window. Any other error comes last. A payload that the caller keeps holds at most a
// few KB in memory. Scope read; up to about 120 reads an hour.
func (s *EventService) Tail(ctx context.Context, submissionID string, o TailOptions) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		err := s.use().composed(ctx, "Events.Tail", func(ctx context.Context) (err error) {
			t := follower{events: s, id: submissionID, last: o.SinceSeq, begun: o.SinceSeq > 0}
			t.pause, err = newInterval(o.MinInterval, o.MaxInterval)
			t.submissions = &SubmissionService{s.core}
			err = joinParams(err, s.List(submissionID, EventFilter{SinceSeq: o.SinceSeq}).err)
			if err == nil {
				err = t.follow(ctx, func(e Event) bool { return yield(e, nil) })
			}
			return err
		})
		if err != nil {
			yield(Event{}, err)
		}
	}
}

// follower is one range over Tail.
type follower struct {
	asker

	events    *EventService
	id        string
	last      int64 // The seq of the entry that came last,
	begun     bool  // if one has come.
	evaluated bool
	idle      int // Rounds without news.
	hollow    int // Rounds in a row whose last page promised more and gave nothing.
}

func (t *follower) follow(ctx context.Context, yield func(Event) bool) error {
	err := t.look(ctx)
	if err != nil {
		if !IsTransient(err) {
			return err
		}
		if ended := t.rest(ctx, t.pauseNow(), err); ended != nil {
			return stillOpen(ended)
		}
	}
	for {
		before := t.requests
		news, goOn, err := t.read(ctx, yield)
		if !goOn {
			return nil
		}
		switch {
		case err == nil && t.evaluated && t.hollow == 0: // Whatever was read came after that was known.
			return nil
		case news:
			t.idle = 0
		case err == nil:
			if t.idle++; t.idle%2 == 1 {
				err = t.look(ctx)
			}
		}
		if err != nil && !IsTransient(err) {
			return err
		}
		wait := max(t.pauseNow(), t.budget().Interval(t.requests-before, window))
		if t.evaluated && err == nil && t.hollow == 0 {
			wait = 0 // Read once more, for entries that were added meanwhile.
		}
		if ended := t.rest(ctx, wait, err); ended != nil {
			return stillOpen(ended)
		}
	}
}

func stillOpen(ended error) error {
	return fmt.Errorf("hiring: Events.Tail: the attempt was not evaluated yet: %w", ended)
}

// read yields what the log has beyond the last entry.
func (t *follower) read(ctx context.Context, yield func(Event) bool) (news, goOn bool, err error) {
	log := t.events.List(t.id, EventFilter{SinceSeq: t.last})
	for token := ""; ; {
		if err := t.ration("Events.List"); err != nil {
			return news, true, err
		}
		t.requests++
		page, err := log.From(token).Page(ctx)
		if errors.Is(err, errPromised) {
			return news, true, t.stuck()
		}
		if errors.Is(err, errRepeated) {
			t.hollow = 0
			return news, true, nil
		}
		if err != nil {
			return news, true, err
		}
		found, goOn := t.hand(page.Items, yield)
		if news = news || found; !goOn {
			return news, false, nil
		}
		if page.Next == "" || found || !t.evaluated { // A log may promise more for as long as the attempt runs.
			t.hollow = 0
		}
		if page.Next == "" {
			return news, true, nil
		}
		if page.Next == token {
			return news, true, t.stuck()
		}
		token = page.Next
	}
}

// hand yields what is new of a page, in order.
func (t *follower) hand(page []Event, yield func(Event) bool) (news, goOn bool) {
	slices.SortFunc(page, func(a, b Event) int { return cmp.Compare(a.Seq, b.Seq) })
	for _, e := range page {
		if t.begun && e.Seq <= t.last {
			continue
		}
		t.last, t.begun, news = e.Seq, true, true
		e.Payload = bytes.Clone(e.Payload)
		if !yield(e) {
			return news, false
		}
	}
	return news, true
}

// stuck counts a round, and is the error of a log that promises more and gives nothing, again and again.
func (t *follower) stuck() error {
	if t.hollow++; t.hollow < paging.MaxEmpty {
		return nil
	}
	return &Error{
		Message: "the log does not advance: it promises more entries and gives none", Status: http.StatusOK,
		Method: http.MethodGet, Route: "/submissions/{id}/events", Attempts: 1, Operation: "Events.List",
	}
}

// look asks whether the attempt is over.
func (t *follower) look(ctx context.Context) error {
	if err := t.ration("Submissions.Report"); err != nil {
		return err
	}
	t.requests++
	report, err := t.submissions.Report(ctx, t.id)
	t.evaluated = err == nil && report.Ready()
	return err
}

// pauseNow grows from the shortest to the longest pause while there is no news.
func (t *follower) pauseNow() time.Duration {
	after := func(idle int) time.Duration {
		return t.pause.shortest + (t.pause.longest-t.pause.shortest)/4*time.Duration(min(max(idle, 0), 4))
	}
	return interval{after(t.idle - 1), after(t.idle + 1)}.next()
}
