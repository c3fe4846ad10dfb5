package hiring

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/jsoncodec"
	"github.com/hiring-assessment/hiring-go/internal/poll"
	"github.com/hiring-assessment/hiring-go/internal/quota"
)

// interval is the range of the random interval between two polls.
type interval struct{ shortest, longest time.Duration }

func newInterval(shortest, longest time.Duration) (interval, error) {
	err := joinParams(checkUnit("MinInterval", shortest), checkUnit("MaxInterval", longest))
	shortest = cmp.Or(shortest, min(30*time.Second, cmp.Or(longest, 30*time.Second)))
	longest = cmp.Or(longest, max(60*time.Second, shortest))
	switch {
	case shortest < 0 || longest < 0:
		err = joinParams(err, &ParamError{Param: "MinInterval, MaxInterval", Problem: "must not be negative"})
	case longest < shortest:
		err = joinParams(err, &ParamError{Param: "MinInterval, MaxInterval", Problem: "the maximum must not be shorter than the minimum"})
	}
	return interval{shortest, longest}, err
}

// random returns a random interval.
func (i interval) random() time.Duration {
	return i.shortest + rand.N(i.longest-i.shortest+1) //nolint:gosec // spreads requests; nothing secret depends on it
}

// options returns the options of a machine that polls in these intervals.
func (i interval) options(lookback time.Duration) poll.Options {
	return poll.Options{Interval: i.shortest + (i.longest-i.shortest)/2, ShortestPause: i.shortest, Lookback: lookback}
}

// defaultLookback is the default of WatchOptions.Lookback.
const defaultLookback = 30 * 24 * time.Hour

// pollLoop is the loop of WaitReports, Watch and Tail. Each of them passes its own step.
type pollLoop struct {
	operation string               // The method that polls.
	pending   string               // What is unfinished when the context ends, for the error.
	report    func(next time.Time) // Called after each poll with the time of the next one, zero when there is none.
}

// run calls step until no poll follows. step polls once and returns the time until the next poll. After a transient
// error run waits 1, 2, 4 ... 60 s, or for Retry-After. It returns any other error. It ends at once if the context ends
// before the end of the rate limit's window.
func (l *pollLoop) run(ctx context.Context, step func(context.Context) (wait time.Duration, more bool, err error)) error {
	for failures := 0; ; {
		wait, more, err := step(ctx)
		reason := PausePoll
		switch {
		case err == nil:
			failures = 0
		case ctx.Err() != nil:
			return l.ended(join(ctx, err))
		case !IsTransient(err):
			return err
		default:
			if errors.Is(err, ErrRateLimited) {
				reason = PauseQuota
			}
			wait = max(retryAfter(err), min(time.Minute, time.Second<<min(failures, 6)))
			failures++
		}
		if !more {
			l.report(time.Time{})
			return nil
		}
		l.report(time.Now().Add(wait))
		if ended := sleep(ctx, wait, reason); ended != nil {
			if err != nil {
				ended = joinEnded(ended, err)
			}
			return l.ended(ended)
		}
	}
}

// ended returns the error at the end of the context. It names the method, because a request in flight names another.
func (l *pollLoop) ended(err error) error {
	return &describedError{"hiring: " + l.operation + ": " + l.pending + strings.TrimPrefix(err.Error(), "hiring: "), []error{err}}
}

// retryAfter returns how long to wait after a failed poll, a window at most.
func retryAfter(err error) time.Duration {
	if failure, ok := errors.AsType[*Error](err); ok {
		return min(failure.RetryAfter, time.Hour)
	}
	return 0
}

// keyed calls send with a copy of the core, and returns the key of its last attempt, noKey if there was none.
func (k *core) keyed(send func(*core) error) (used *credential, err error) {
	own := *k
	used = noKey
	own.keys.next = func(ctx context.Context) (*credential, error) {
		key, err := k.keys.current(ctx)
		if err == nil {
			used = key
		}
		return key, err
	}
	err = send(&own)
	return used, err
}

// leftToOthers is the share of each rate-limit window that polling leaves to other users of the key.
const leftToOthers = 0.1

// forPolling returns a copy of the core whose calls leave a part of each window to others.
func (k *core) forPolling() *core {
	own := *k
	own.config.reserveShare = max(leftToOthers, k.config.reserveShare)
	return &own
}

// pollTime returns a time as package poll represents it. A time that cannot be represented is none.
func pollTime(at time.Time) poll.Time {
	if year := at.Year(); year < 1970 || year > 2250 {
		return 0
	}
	return poll.Time(at.UnixNano())
}

// poller sends the requests of a machine and yields the results.
type poller struct {
	pollLoop

	core     *core
	interval interval
	filter   SubmissionFilter
	machine  *poll.Machine
	spelling map[string]string  // Of a wait, the caller's spelling of each id in lower case. Nil for a watch.
	progress func(WaitProgress) // The caller's. Nil: not called.

	check func(ctx context.Context, key *credential, items int) error // Checks a response before the machine gets it. Nil: not called.
	saved func() error                                                // Called when a result was delivered.

	requests    int         // Made so far.
	lastHour    []time.Time // When those of the last hour were made.
	ready, late int         // Results that were yielded; reports that were late at the last poll.
}

func newPoller(k *core, operation string, between interval, assessmentID string, progress func(WaitProgress)) *poller {
	p := &poller{core: k.forPolling(), interval: between, filter: SubmissionFilter{AssessmentID: assessmentID}, progress: progress}
	p.saved = func() error { return nil }
	p.pollLoop = pollLoop{operation: operation, report: func(next time.Time) { p.reportProgress(next) }}
	return p
}

// now returns the server's time.
func (p *poller) now() poll.Time { return pollTime(p.core.shared.clock.at(time.Now())) }

// maxRequests is the number of requests after which a poll is interrupted.
const maxRequests = 100

// errLeft is returned when the caller left the range.
var errLeft = errors.New("the range was left")

// poll sends requests until the machine is to wait, and passes each result to yield. A result counts as delivered when
// yield returns true. poll returns the time until the next poll. more reports that it was interrupted after maxRequests.
func (p *poller) poll(ctx context.Context, yield func(Submission, error) bool) (wait time.Duration, more bool, err error) {
	defer p.logLate(ctx)
	for range maxRequests {
		request, until := p.machine.Next(p.now())
		if until > 0 {
			wait = max(until-p.now(), 0) + p.interval.random() - p.interval.shortest
			if p.machine.WindowUsedUp() {
				e := &Error{Operation: p.operation, Code: ErrRateLimited, RetryAfter: wait}
				e.Message = "not sent, because the remaining requests are reserved for other users of the key"
				return wait, false, e
			}
			return wait, false, nil
		}
		results, submissions, err := p.send(ctx, request)
		for _, item := range results {
			if err := p.deliver(item, submissions[item.ID], yield); err != nil {
				return 0, false, err
			}
		}
		if err != nil {
			return 0, false, err
		}
	}
	return 0, true, nil
}

// deliver yields a result. A submission that cannot be decoded counts as delivered before, so that a loop that ends on
// each error does not receive it again.
func (p *poller) deliver(item poll.Item, raw RawValue, yield func(Submission, error) bool) error {
	var s Submission
	failure := decode(raw, &s)
	if failure == nil && !yield(s, nil) {
		return errLeft
	}
	p.machine.Delivered(item)
	p.ready++
	if err := p.saved(); err != nil {
		return err
	}
	if failure != nil && !yield(Submission{ID: item.ID}, &ItemError{item.ID, errors.New(jsoncodec.Problem(failure))}) {
		return errLeft
	}
	return nil
}

// send sends a request of the machine and passes it the reply. It returns the results and all submissions of the
// response by id.
func (p *poller) send(ctx context.Context, request poll.Request) (results []poll.Item, submissions map[string]RawValue, err error) {
	p.count()
	items, reply := make([]RawValue, 1), poll.Reply{Code: http.StatusOK}
	key, err := p.core.keyed(func(k *core) (err error) {
		if request.ID != "" {
			id := cmp.Or(p.spelling[request.ID], request.ID)
			items[0], err = doRaw(ctx, k, newRequest("Submissions.Get", "GET /submissions/{id}", pathID{"id", id}))
			return err
		}
		page, err := p.listing(k, request).From(request.Cursor).Page(ctx)
		items, reply.Next = page.Items, page.Next
		return err
	})
	unfinished := request.Status != "" && request.Status != string(SubmissionEvaluated)
	switch {
	case err == nil && p.check != nil:
		if err = p.check(ctx, key, len(items)); err != nil {
			return nil, nil, err
		}
	case errors.Is(err, ErrNotFound) && request.ID != "":
		reply.Code, err = http.StatusNotFound, nil
	case errors.Is(err, ErrInvalidInput) && unfinished:
		reply.Code, err = http.StatusBadRequest, nil
	case errors.Is(err, ErrInvalidInput):
		reply.Code = http.StatusBadRequest // A rejected cursor must not be in the state that is saved.
	case err != nil:
		reply.Code = http.StatusServiceUnavailable
	}
	if reply.Code != http.StatusOK {
		items = nil
	}
	limit, left, resetIn := p.core.shared.quotas.Left(key.id, quota.Read, time.Now())
	others := int(math.Ceil(p.core.config.reserveShare * float64(limit)))
	reply.Left, reply.Limit = left-others, max(1, limit-others)
	reply.At = p.now()
	reply.Reset = reply.At + resetIn
	submissions = make(map[string]RawValue, len(items))
	for _, raw := range items {
		item := looseItem(raw)
		switch {
		case request.ID != "":
			item.ID = request.ID
		case p.spelling != nil:
			item.ID = strings.ToLower(item.ID)
		}
		if item.ID == "" {
			p.core.warn(ctx, "hiring: a submission without a readable id was skipped", "operation", p.operation)
			continue
		}
		submissions[item.ID] = raw
		reply.Items = append(reply.Items, item)
	}
	return p.machine.Got(reply), submissions, err
}

// count counts a request.
func (p *poller) count() { p.requests, p.lastHour = p.requests+1, append(p.lastHour, time.Now()) }

// listing returns the listing of a request as undecoded submissions.
func (p *poller) listing(k *core, request poll.Request) Pager[RawValue] {
	filter := p.filter
	if filter.Status = SubmissionStatus(request.Status); request.Since > 0 {
		filter.Since = time.Unix(0, int64(request.Since)).UTC()
	}
	typed := (&SubmissionService{k}).List(filter).list
	return newPager(list[RawValue]{List: typed.List, core: typed.core, request: typed.request})
}

// reportProgress passes the progress after a poll to the caller, and returns it.
func (p *poller) reportProgress(next time.Time) WaitProgress {
	p.lastHour = slices.DeleteFunc(p.lastHour, func(at time.Time) bool { return time.Since(at) >= time.Hour })
	w := WaitProgress{Ready: p.ready, Pending: len(p.machine.Known), Missing: len(p.machine.Missing), Requests: p.requests, ReadsLastHour: len(p.lastHour), NextPoll: next}
	if p.machine.Known == nil {
		w.Pending = p.machine.Late(0)
	}
	w.Total = w.Ready + w.Pending + w.Missing
	if p.progress != nil {
		p.progress(w)
	}
	return w
}

// logLate logs when another report has been late for an hour.
func (p *poller) logLate(ctx context.Context) {
	late := p.machine.Late(time.Hour)
	if late > p.late {
		p.core.warn(ctx, "hiring: evaluated submissions have had no ready report for an hour", "operation", p.operation, "submissions", late)
	}
	p.late = late
}

// iterate returns an iterator over the results that run passes to yield. It yields the error of run last.
func iterate[T any](ctx context.Context, s *service, operation string, run func(ctx context.Context, yield func(T, error) bool) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		left := false
		err := s.use().composed(ctx, operation, func(ctx context.Context) error {
			err := run(ctx, func(item T, err error) bool {
				left = !yield(item, err)
				return !left
			})
			if left {
				return nil
			}
			return err
		})
		if err != nil {
			yield(*new(T), err)
		}
	}
}
