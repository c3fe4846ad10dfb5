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

	"github.com/hiring-assessment/hiring-go/internal/defaults"
	"github.com/hiring-assessment/hiring-go/internal/jsoncodec"
	"github.com/hiring-assessment/hiring-go/internal/paging"
	"github.com/hiring-assessment/hiring-go/internal/poll"
	"github.com/hiring-assessment/hiring-go/internal/quota"
)

// interval is the range of the random interval between two polls.
type interval struct{ shortest, longest time.Duration }

func newInterval(shortest, longest time.Duration) (interval, error) {
	err := joinParams(
		checkUnit("MinInterval", shortest), checkNotNegative("MinInterval", shortest),
		checkUnit("MaxInterval", longest), checkNotNegative("MaxInterval", longest),
	)
	shortest = cmp.Or(shortest, min(defaults.MinInterval, cmp.Or(longest, defaults.MinInterval)))
	longest = cmp.Or(longest, max(defaults.MaxInterval, shortest))
	if err == nil && longest < shortest {
		err = &ParamError{Param: "MinInterval, MaxInterval", Problem: "the maximum must not be shorter than the minimum"}
	}
	if err != nil {
		shortest, longest = defaults.MinInterval, defaults.MaxInterval
	}
	return interval{shortest, longest}, err
}

// jitter returns how much longer than planned a poll waits at random: up to the difference of the intervals, and in
// proportion for a wait that is shorter than the shortest.
func (i interval) jitter(wait time.Duration) time.Duration {
	most := float64(i.longest-i.shortest) * min(1, float64(wait)/float64(i.shortest))
	return rand.N(time.Duration(most) + 1) //nolint:gosec // spreads requests; nothing secret depends on it
}

// options returns the options of a machine that polls in these intervals.
func (i interval) options(lookback time.Duration) poll.Options {
	return poll.Options{Interval: i.shortest + (i.longest-i.shortest)/2, ShortestPause: i.shortest, Lookback: lookback}
}

// pollLoop is what Tail, Watch and WaitReports share: the loop, what follows a failed poll, and the account of each key.
type pollLoop struct {
	core      *core
	operation string      // The method that polls.
	pending   string      // What is unfinished when the context ends, for the error.
	interval  interval    // Between two polls.
	outage    poll.Outage // Of the last polls.

	used    *credential // The key of the last attempt; noKey before the first.
	account string      // Of each response. Empty: that of the first key.
	foreign *ParamError // Returned for a response of another account. Nil: accounts are not compared.

	requests int         // Sent so far.
	lastHour []time.Time // When those of the last hour were sent.
}

func newPollLoop(k *core, operation string, between interval) pollLoop {
	l := pollLoop{core: k, operation: operation, interval: between, used: noKey}
	if k.config.keySource != nil {
		l.foreign = &ParamError{Param: "WithKeySource", Problem: "returned a key of another account than before: use a client for each account"}
	}
	return l
}

// run calls step until no poll follows, and report after each poll with the time of the next one, zero when there is none. step
// polls once. It returns the time until the next poll, or done when none follows. run returns an error that no later poll can
// repair. It ends at once if the context ends before the end of the rate limit's window.
func (l *pollLoop) run(ctx context.Context, step func(context.Context) (wait time.Duration, done bool, err error), report func(next time.Time)) error {
	for {
		wait, done, err := step(ctx)
		reason, final := PausePoll, error(nil)
		if err == nil {
			l.succeeded()
		} else if wait, reason, final = l.afterFailure(ctx, err); final != nil {
			return final
		}
		if l.outage.IsNews(time.Now()) {
			l.core.warn(ctx, "hiring: polls fail and are repeated", "operation", l.operation, "since", l.outage.Began, "error", failureIn(err))
		}
		if done {
			report(time.Time{})
			return nil
		}
		report(time.Now().Add(wait))
		if ended := sleep(ctx, wait, reason); ended != nil {
			if err != nil {
				ended = joinEnded(ended, err)
			}
			return l.ended(ended)
		}
	}
}

// succeeded records a poll that did not fail.
func (l *pollLoop) succeeded() {
	l.outage = poll.Outage{}
	l.core.shared.polled.Store(true)
}

// afterFailure returns what follows a poll that ended with err: the time until the next one, with the reason for it, or the
// error that ends the call. The time is what the API asked for, a window at most, or that of the outage.
func (l *pollLoop) afterFailure(ctx context.Context, err error) (wait time.Duration, reason PauseReason, final error) {
	failure := failureIn(err)
	wait = cmp.Or(min(failure.RetryAfter, time.Hour), l.outage.Pause(l.interval.longest))
	switch {
	case ctx.Err() != nil:
		return 0, "", l.ended(join(ctx, err))
	case !l.core.mayRecover(err):
		return 0, "", err
	case failure.isDeferred():
		l.outage = poll.Outage{}
		return wait + l.interval.jitter(wait), PauseQuota, nil
	case l.outage.Add(time.Now(), failure.Status/100 == 3):
		return 0, "", err
	}
	return wait, PausePoll, nil
}

// ended returns the error at the end of the context. It names the method, because a request in flight names another.
func (l *pollLoop) ended(err error) error {
	return &describedError{"hiring: " + l.operation + ": " + l.pending + strings.TrimPrefix(err.Error(), "hiring: "), []error{err}}
}

// failureIn returns the [*Error] in err, or an empty one.
func failureIn(err error) *Error {
	failure, _ := errors.AsType[*Error](err)
	return cmp.Or(failure, new(Error))
}

// mayRecover reports whether the error of a poll may pass: it is transient, a 2xx of the API that cannot be decoded, or the
// page of a proxy while the service restarts. Before the first poll has succeeded such a page means that the base URL is
// wrong.
func (k *core) mayRecover(err error) bool {
	failure := failureIn(err)
	_, stuck := errors.AsType[*paging.Stuck](err)
	switch {
	case IsTransient(err), failure.kind == invalidBody:
		return true
	case failure.Status == 0 && failure.kind != noHandshake, failure.Status == http.StatusUnauthorized, failure.Status == http.StatusForbidden, failure.isFromAPI(), stuck:
		return false
	}
	return k.shared.polled.Load()
}

// own makes a request one of the loop.
func (l *pollLoop) own(r request) request {
	r.share, r.used = polling, &l.used
	return r
}

// count counts a request that ended with err, unless it was not sent.
func (l *pollLoop) count(err error) {
	if err == nil || failureIn(err).Attempts > 0 {
		l.requests, l.lastHour = l.requests+1, append(l.lastHourOnly(), time.Now())
	}
}

// lastHourOnly returns when the requests of the last hour were sent.
func (l *pollLoop) lastHourOnly() []time.Time {
	return slices.DeleteFunc(l.lastHour, func(at time.Time) bool { return time.Since(at) >= time.Hour })
}

// received counts the last request, which ended with err, and checks that its response is of the account that counts, because
// a key source may return another key at any time. It reads the account of each key once.
func (l *pollLoop) received(ctx context.Context, err error) error {
	l.count(err)
	account, failure := l.core.shared.account(l.used.id), failureIn(err)
	switch {
	case l.foreign == nil:
		return nil
	case err != nil && (!failure.isFromAPI() || failure.isDeferred() || failure.Status == http.StatusUnauthorized || failure.Status == http.StatusForbidden):
		return nil // It says nothing about an account.
	case account == "":
		if account, err = l.readAccount(ctx, l.used); err != nil {
			return err
		}
	}
	if l.account = cmp.Or(l.account, account); l.account != account {
		return l.foreign
	}
	return nil
}

// readAccount reads the account of a key, of the next one if key is nil.
func (l *pollLoop) readAccount(ctx context.Context, key *credential) (id string, err error) {
	r := l.own(newRequest("Account.Get", accountRoute))
	r.key = key
	account, err := do[Account](ctx, l.core, r)
	l.count(err)
	if err == nil {
		l.core.shared.setAccount(l.used.id, account.ID)
	}
	return account.ID, err
}

// poller sends the requests of a machine and yields the results.
type poller struct {
	pollLoop

	filter   SubmissionFilter
	machine  *poll.Machine
	spelling map[string]string  // Of a wait, the caller's spelling of each id in lower case. Nil for a watch.
	progress func(WaitProgress) // The caller's. Nil: not called.

	empty func(ctx context.Context) error // Called when the first listing is empty. Nil: not called.
	saved func() error                    // Called when a result was delivered.

	began       time.Time // The machine's caller has a clock that begins then.
	ready, late int       // Results that were yielded; reports that were late at the last poll.
	failing     string    // The listings that failed at the last poll.
}

func newPoller(k *core, operation string, between interval, assessmentID string, progress func(WaitProgress)) *poller {
	return &poller{
		pollLoop: newPollLoop(k, operation, between), filter: SubmissionFilter{AssessmentID: assessmentID}, progress: progress,
		saved: func() error { return nil }, began: time.Now(),
	}
}

// now returns the time of the process's monotonic clock since the poller began.
func (p *poller) now() poll.Local { return poll.Local(time.Since(p.began)) }

// serverNow returns the server's time.
func (p *poller) serverNow() poll.Server { return poll.TimeOf(p.core.shared.clock.at(time.Now())) }

const (
	maxRequests = 100 // After so many requests a poll is interrupted.
	maxFailed   = 10  // After so many requests that the API could not answer a poll ends.
)

// errBreak is returned when the caller's loop has ended.
var errBreak = errors.New("the loop has ended")

// poll sends requests until the machine is to wait, and passes each result to yield. A result counts as delivered when
// yield returns true. poll returns the time until the next poll, 0 if it was interrupted after maxRequests. When the API could
// answer no request, that is an error.
func (p *poller) poll(ctx context.Context, yield func(Submission, error) bool) (wait time.Duration, err error) {
	var failures []error // Of requests that the API could not answer.
	defer func() { p.logProblems(ctx, failures) }()
	answered := false
	for range maxRequests {
		request, wait := p.machine.Next(p.now(), p.window())
		switch {
		case wait == 0 && len(failures) < maxFailed:
		case len(failures) > 0 && !answered:
			return 0, failures[len(failures)-1]
		default:
			wait = cmp.Or(wait, p.interval.shortest)
			return wait + p.interval.jitter(wait), nil
		}
		reply, err := p.send(ctx, request)
		switch reply.Outcome {
		case 0:
			return 0, err
		case poll.Failed:
			failures = append(failures, err)
		default:
			answered = true
		}
		if err := p.receive(request, reply, yield); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// window returns the rate limit of the key that was used last, less what is left to others.
func (p *poller) window() poll.Window {
	limit, left, ends := p.core.shared.quotas.Left(p.core.keys.lastUsed().id, quota.Read, time.Now())
	others := int(math.Ceil(p.core.reserve(polling) * float64(limit)))
	return poll.Window{Left: left - others, Limit: max(1, limit-others), Ends: ends}
}

// send sends a request of the machine and returns the reply. Its outcome is 0 if err does not show whether the API answers
// other requests.
func (p *poller) send(ctx context.Context, request poll.Request) (reply poll.Reply, err error) {
	submissions, next, err := p.fetch(ctx, request)
	reply = poll.Reply{Next: next, At: p.now(), Server: p.serverNow(), RetryAfter: failureIn(err).RetryAfter}
	if foreign := p.received(ctx, err); foreign != nil {
		return reply, foreign
	}
	if err == nil && len(submissions) == 0 && p.empty != nil && !p.machine.Begun() {
		err = p.empty(ctx)
	}
	if reply.Outcome = outcomeOf(request, err); reply.Outcome == poll.Answered {
		reply.Items = p.itemsOf(ctx, request, submissions)
	}
	return reply, err
}

// fetch sends a request of the machine. It returns the undecoded submissions of the response, and the cursor of the next page.
func (p *poller) fetch(ctx context.Context, asked poll.Request) (submissions []RawValue, next string, err error) {
	if asked.ID != "" {
		id := p.spelled(asked.ID)
		s, err := doRaw(ctx, p.core, p.own(newRequest("Submissions.Get", submissionRoute, pathID{"id", id})), func(raw RawValue) error {
			return checkID(id, raw)
		})
		return []RawValue{s}, "", err
	}
	filter := p.filter
	if filter.Status = SubmissionStatus(asked.Status); asked.Since > 0 {
		filter.Since = time.Unix(0, int64(asked.Since)).UTC()
	}
	typed := (&SubmissionService{p.core}).List(filter).list
	page, err := newPager(list[RawValue]{List: typed.List, core: typed.core, request: p.own(typed.request)}).From(asked.Cursor).Page(ctx)
	return page.Items, page.Next, err
}

// spelled returns the caller's spelling of an id of the machine.
func (p *poller) spelled(id string) string { return cmp.Or(p.spelling[id], id) }

// checkID checks that a submission, of which only a part may be readable, is the one with the id.
func checkID(id string, raw RawValue) error {
	s, problem := decodeSubmission(raw)
	if shown := poll.ReadItem(raw).ID; shown != "" && !sameID(shown, id) || problem == "" && !s.isOf(id) {
		return errOtherID
	}
	return nil
}

// outcomeOf returns what happened to a request that ended with err, 0 if that does not show whether the API answers others.
func outcomeOf(request poll.Request, err error) poll.Outcome {
	failure := failureIn(err)
	unfinished := request.Status != "" && request.Status != poll.Finished
	switch {
	case err == nil:
		return poll.Answered
	case failure.isFromAPI() && failure.Status == http.StatusNotFound && request.ID != "":
		return poll.Missing
	case failure.Status == http.StatusBadRequest && (failure.isFromAPI() || failure.cause != nil) && (unfinished || request.Cursor != ""):
		return poll.Expired // Also if its body was cut short.
	case failure.isFromAPI() && failure.Status >= 500, failure.kind == invalidBody:
		return poll.Failed
	}
	return 0
}

// itemsOf returns what the machine needs of the response to a request, each submission once.
func (p *poller) itemsOf(ctx context.Context, request poll.Request, submissions []RawValue) (items []poll.Item) {
	for _, raw := range submissions {
		item := poll.ReadItem(raw)
		if !item.Ready && !item.IsUnfinished() {
			_, problem := decodeSubmission(raw)
			item.Unreadable = problem != ""
		}
		switch {
		case request.ID != "":
			item.ID = request.ID
		case p.spelling != nil:
			item.ID = strings.ToLower(item.ID)
		}
		if item.ID == "" {
			p.core.warn(ctx, "hiring: a submission without a readable id was skipped", "operation", p.operation)
		} else if !slices.ContainsFunc(items, func(other poll.Item) bool { return other.ID == item.ID }) {
			items = append(items, item)
		}
	}
	return items
}

// receive passes a reply to the machine, and its results to yield.
func (p *poller) receive(request poll.Request, reply poll.Reply, yield func(Submission, error) bool) error {
	results, endless := p.machine.Receive(request, reply)
	for _, item := range results {
		if err := p.deliver(item, yield); err != nil {
			return err
		}
	}
	if endless {
		stuck := paging.Stuck{What: "a page repeats the page before it", Field: "CursorParam"}
		return &Error{Operation: p.operation, Message: stuck.Error(), Hint: stuck.Hint(), Attempts: 1, kind: final}
	}
	return nil
}

// deliver yields a result. A submission that cannot be decoded counts as delivered before, so that a loop that ends on
// each error does not receive it again.
func (p *poller) deliver(item poll.Item, yield func(Submission, error) bool) error {
	s, problem := decodeSubmission(item.JSON)
	if problem == "" && !yield(s, nil) {
		return errBreak
	}
	p.machine.Delivered(item)
	p.ready++
	if err := p.saved(); err != nil {
		return err
	}
	id := p.spelled(item.ID)
	if problem != "" && !yield(Submission{ID: id}, &ItemError{id, errors.New(problem)}) {
		return errBreak
	}
	return nil
}

// decodeSubmission returns a submission, and what is wrong with it, "" for nothing.
func decodeSubmission(raw RawValue) (s Submission, problem string) {
	switch err := decode(raw, &s); {
	case err != nil:
		return s, jsoncodec.Problem(err)
	case s.ID == "":
		return s, "has no id"
	}
	return s, ""
}

// reportProgress passes the progress after a poll to the caller, and returns it.
func (p *poller) reportProgress(next time.Time) WaitProgress {
	p.lastHour = p.lastHourOnly()
	failing, reads := p.machine.Failing(), p.machine.FailingReads()
	for i, id := range reads {
		reads[i] = p.spelled(id)
	}
	if len(reads) > 0 {
		failing = append(failing, amounts(reads, "submission", "not readable"))
	}
	w := WaitProgress{
		Ready: p.ready, Pending: len(p.machine.Awaited), Missing: len(p.machine.Missing), Failing: strings.Join(failing, ", "),
		Requests: p.requests, ReadsLastHour: len(p.lastHour), NextPoll: next,
	}
	if p.machine.Awaited == nil {
		w.Pending = p.machine.Late(0)
	}
	w.Total = w.Ready + w.Pending + w.Missing
	if p.progress != nil {
		p.progress(w)
	}
	return w
}

// logProblems logs when another report has been late for an hour, and when other listings fail than before.
func (p *poller) logProblems(ctx context.Context, failures []error) {
	late, failing := p.machine.Late(time.Hour), strings.Join(p.machine.Failing(), ", ")
	if late > p.late {
		p.core.warn(ctx, "hiring: evaluated submissions have had no ready report for an hour", "operation", p.operation, "submissions", late)
	}
	if len(failures) > 0 && failing != p.failing && failing != "" {
		p.core.warn(ctx, "hiring: the API cannot answer some listings, others are used", "operation", p.operation, "listings", failing, "error", failureIn(failures[len(failures)-1]))
	}
	p.late, p.failing = late, failing
}

// iterate returns an iterator over the results that run passes to yield. It yields the error of run last, except errBreak.
func iterate[T any](ctx context.Context, s *service, operation string, run func(ctx context.Context, yield func(T, error) bool) error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		err := s.use().composed(ctx, operation, func(ctx context.Context) error {
			err := run(ctx, yield)
			if errors.Is(err, errBreak) {
				return nil
			}
			return err
		})
		if err != nil {
			yield(*new(T), err)
		}
	}
}
