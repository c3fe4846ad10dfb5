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

// pollLoop is the loop of WaitReports, Watch and Tail. Each of them passes its own step.
type pollLoop struct {
	core      *core
	operation string               // The method that polls.
	pending   string               // What is unfinished when the context ends, for the error.
	interval  interval             // Between two polls.
	report    func(next time.Time) // Called after each poll with the time of the next one, zero when there is none.

	used    *credential // The key of the last attempt; noKey before the first.
	account string      // Of each response. Empty: that of the first key.
	foreign *ParamError // Returned for a response of another account. Nil: accounts are not compared.
	count   func()      // Called for each request.
}

func newPollLoop(k *core, operation string, between interval) pollLoop {
	l := pollLoop{core: k, operation: operation, interval: between, report: func(time.Time) {}, used: noKey, count: func() {}}
	if k.config.keySource != nil {
		l.foreign = &ParamError{Param: "WithKeySource", Problem: "returned a key of another account than before: use a client for each account"}
	}
	return l
}

// own makes a request one of the loop, and counts it.
func (l *pollLoop) own(r request) request {
	l.count()
	r.share, r.used = polling, &l.used
	return r
}

// run calls step until no poll follows. step polls once and returns the time until the next poll. After a failed poll
// that a later one may repair, run waits as afterFailure says. It returns any other error. It ends at once if the
// context ends before the end of the rate limit's window.
func (l *pollLoop) run(ctx context.Context, step func(context.Context) (wait time.Duration, more bool, err error)) error {
	var failing outage
	for {
		wait, more, err := step(ctx)
		reason := PausePoll
		redirects := failing.redirects(err)
		switch {
		case err == nil:
			failing.polls = 0
			l.core.shared.polled.Store(true)
		case ctx.Err() != nil:
			return l.ended(join(ctx, err))
		case !l.core.mayRecover(err), redirects >= time.Hour:
			return err
		case failureIn(err).isDeferred():
			reason, wait, failing.polls = PauseQuota, l.interval.afterFailure(err, 0), 0
		default:
			wait = l.interval.afterFailure(err, failing.polls)
			if failing.next() {
				l.core.warn(ctx, "hiring: polls fail and are repeated", "operation", l.operation, "since", failing.began, "error", failureIn(err))
			}
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

// outage is a row of polls that fail.
type outage struct {
	polls      int       // In a row, without those that the rate limit prevented.
	began      time.Time // The first of them.
	logged     time.Time // The last line in the log.
	redirected time.Time // The first redirect in a row. Zero: the last poll was not redirected.
}

// redirects returns for how long polls were redirected, with that which ended with err.
func (o *outage) redirects(err error) time.Duration {
	switch {
	case failureIn(err).Status/100 != 3:
		o.redirected = time.Time{}
		return 0
	case o.redirected.IsZero():
		o.redirected = time.Now()
	}
	return time.Since(o.redirected)
}

// next counts a poll that failed, and reports whether to log it: the first, and one each hour.
func (o *outage) next() bool {
	if o.polls++; o.polls == 1 {
		o.began, o.logged = time.Now(), time.Time{}
	}
	if time.Since(o.logged) < time.Hour {
		return false
	}
	o.logged = time.Now()
	return true
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

// afterFailure returns the time until the next poll after so many failed ones before this one: what the API asked for, a
// window at most, or else a minute, doubled with each failed poll up to the interval.
func (i interval) afterFailure(err error, failed int) time.Duration {
	return cmp.Or(min(failureIn(err).RetryAfter, time.Hour), min(time.Minute<<min(failed, 10), i.longest))
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

// checkAccount checks that the last request, which ended with err, was of the account that counts, because a key source
// may return another key at any time. It reads the account of each key once.
func (l *pollLoop) checkAccount(ctx context.Context, err error) error {
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
	if err == nil {
		l.core.shared.setAccount(l.used.id, account.ID)
	}
	return account.ID, err
}

// pollTime returns a time as package poll represents it. A time that cannot be represented is none.
func pollTime(at time.Time) poll.Server {
	if year := at.Year(); year < 1970 || year > 2250 {
		return 0
	}
	return poll.Server(at.UnixNano())
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

	began       time.Time   // The machine's caller has a clock that begins then.
	requests    int         // Made so far.
	lastHour    []time.Time // When those of the last hour were made.
	ready, late int         // Results that were yielded; reports that were late at the last poll.
	failing     string      // The listings that failed at the last poll.
}

func newPoller(k *core, operation string, between interval, assessmentID string, progress func(WaitProgress)) *poller {
	p := &poller{filter: SubmissionFilter{AssessmentID: assessmentID}, progress: progress, began: time.Now()}
	p.saved = func() error { return nil }
	p.pollLoop = newPollLoop(k, operation, between)
	p.report = func(next time.Time) { p.reportProgress(next) }
	p.count = func() { p.requests, p.lastHour = p.requests+1, append(p.lastHour, time.Now()) }
	return p
}

// now returns the time of the process's monotonic clock since the poller began.
func (p *poller) now() poll.Local { return poll.Local(time.Since(p.began)) }

// serverNow returns the server's time.
func (p *poller) serverNow() poll.Server { return pollTime(p.core.shared.clock.at(time.Now())) }

const (
	maxRequests = 100 // After so many requests a poll is interrupted.
	maxFailed   = 10  // After so many requests that the API could not answer a poll ends.
)

// errBreak is returned when the caller's loop has ended.
var errBreak = errors.New("the loop has ended")

// poll sends requests until the machine is to wait, and passes each result to yield. A result counts as delivered when
// yield returns true. poll returns the time until the next poll. more reports that it was interrupted after maxRequests.
func (p *poller) poll(ctx context.Context, yield func(Submission, error) bool) (wait time.Duration, more bool, err error) {
	var failure error // Of the last request that the API could not answer.
	defer func() { p.logProblems(ctx, failure) }()
	answered, failed := false, 0
	for range maxRequests {
		window := p.window()
		request, wait := p.machine.Next(p.now(), window)
		if wait > 0 || failed == maxFailed {
			wait = cmp.Or(wait, p.interval.shortest)
			wait += p.interval.jitter(wait)
			err := p.usedUp(window, wait)
			if !answered {
				err = cmp.Or(err, failure)
			}
			return wait, false, err
		}
		reply, submissions, err := p.send(ctx, request)
		switch {
		case err != nil && reply.Outcome != poll.Failed:
			return 0, false, err
		case err != nil:
			failure, failed = err, failed+1
		default:
			answered = true
		}
		results, endless := p.machine.Receive(reply)
		for _, item := range results {
			if err := p.deliver(item, submissions[item.ID], yield); err != nil {
				return 0, false, err
			}
		}
		if endless {
			stuck := paging.Stuck{What: "a page repeats the page before it", Field: "CursorParam"}
			return 0, false, &Error{Operation: p.operation, Message: stuck.Error(), Hint: stuck.Hint(), Attempts: 1, kind: final}
		}
	}
	return 0, true, nil
}

// usedUp returns the error of a poll that ended because the window has no request left, or nil.
func (p *poller) usedUp(window poll.Window, wait time.Duration) error {
	if window.Left > 0 {
		return nil
	}
	why := "not sent, because the remaining requests are reserved for other users of the key"
	return &Error{Operation: p.operation, Code: ErrRateLimited, Message: why, RetryAfter: wait}
}

// window returns the rate limit of the key that was used last, less what is left to others.
func (p *poller) window() poll.Window {
	limit, left, ends := p.core.shared.quotas.Left(p.core.keys.lastUsed().id, quota.Read, time.Now())
	others := int(math.Ceil(p.core.reserve(polling) * float64(limit)))
	return poll.Window{Left: left - others, Limit: max(1, limit-others), Ends: ends}
}

// deliver yields a result. A submission that cannot be decoded counts as delivered before, so that a loop that ends on
// each error does not receive it again.
func (p *poller) deliver(item poll.Item, raw RawValue, yield func(Submission, error) bool) error {
	s, problem := decodeSubmission(raw)
	if problem == "" && !yield(s, nil) {
		return errBreak
	}
	p.machine.Delivered(item)
	p.ready++
	if err := p.saved(); err != nil {
		return err
	}
	id := cmp.Or(p.spelling[item.ID], item.ID)
	if problem != "" && !yield(Submission{ID: id}, &ItemError{id, errors.New(problem)}) {
		return errBreak
	}
	return nil
}

// send sends a request of the machine. It returns the reply and all submissions of the response by id. With an error the
// reply's outcome is Failed if the API could not answer this request, and 0 if it is not known whether it answers others.
func (p *poller) send(ctx context.Context, request poll.Request) (reply poll.Reply, submissions map[string]RawValue, err error) {
	items, next, err := p.fetch(ctx, request)
	reply.Next, reply.At, reply.Server = next, p.now(), p.serverNow()
	if problem := p.checkAccount(ctx, err); problem != nil {
		return reply, nil, problem
	}
	if err == nil && len(items) == 0 && p.empty != nil && !p.machine.Begun() {
		err = p.empty(ctx)
	}
	reply.RetryAfter = failureIn(err).RetryAfter
	if reply.Outcome, err = outcomeOf(request, err); reply.Outcome != poll.Answered {
		return reply, nil, err
	}
	reply.Items, submissions = p.itemsOf(ctx, request, items)
	return reply, submissions, nil
}

// itemsOf returns what the machine needs of the response to a request, each submission once, and its submissions by id.
func (p *poller) itemsOf(ctx context.Context, request poll.Request, raws []RawValue) (items []poll.Item, submissions map[string]RawValue) {
	submissions = make(map[string]RawValue, len(raws))
	for _, raw := range raws {
		item := looseItem(raw)
		if p.spelling != nil && isUnclear(item) {
			_, problem := decodeSubmission(raw)
			item.Ready = problem != ""
		}
		if item.Ready {
			item.Status = poll.Finished
		}
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
		if _, twice := submissions[item.ID]; !twice {
			submissions[item.ID] = raw
			items = append(items, item)
		}
	}
	return items, submissions
}

// fetch sends a request of the machine. It returns the undecoded submissions of the response, and the cursor of the next page.
func (p *poller) fetch(ctx context.Context, asked poll.Request) (items []RawValue, next string, err error) {
	if asked.ID != "" {
		id := cmp.Or(p.spelling[asked.ID], asked.ID)
		check := func(raw RawValue) error { return p.checkSubmission(id, raw) }
		item, err := doRaw(ctx, p.core, p.own(newRequest("Submissions.Get", submissionRoute, pathID{"id", id})), check)
		return []RawValue{item}, "", err
	}
	filter := p.filter
	if filter.Status = SubmissionStatus(asked.Status); asked.Since > 0 {
		filter.Since = time.Unix(0, int64(asked.Since)).UTC()
	}
	typed := (&SubmissionService{p.core}).List(filter).list
	page, err := newPager(list[RawValue]{List: typed.List, core: typed.core, request: p.own(typed.request)}).From(asked.Cursor).Page(ctx)
	return page.Items, page.Next, err
}

// checkSubmission returns the error of a single read of an id. What does not show whether a submission is evaluated is read
// again by a watch; a wait yields it.
func (p *poller) checkSubmission(id string, raw RawValue) error {
	item := looseItem(raw)
	s, problem := decodeSubmission(raw)
	switch {
	case item.ID != "" && !sameID(item.ID, id), problem == "" && !s.isOf(id):
		return errOtherID
	case p.spelling == nil && isUnclear(item) && problem != "":
		return responseError("the submission cannot be decoded: it " + problem)
	}
	return nil
}

// looseItem returns what the machine needs of a submission. A submission or a report of the wrong JSON type counts as
// ready, so that the error of decoding it is yielded.
func looseItem(raw RawValue) (item poll.Item) {
	var s, report map[string]RawValue
	wrong := decode(raw, &s) != nil || len(s["report"]) > 0 && decode(s["report"], &report) != nil
	item.ID, _ = s["id"].Text()
	item.Status, _ = s["status"].Text()
	for name, to := range map[string]*poll.Server{"created_at": &item.Created, "submitted_at": &item.Submitted, "evaluated_at": &item.Evaluated} {
		value := s[name]
		text, _ := value.Text()
		at, _ := time.Parse(time.RFC3339, text)
		*to = pollTime(at)
		item.Undated = item.Undated || *to == 0 && len(value) > 0 && string(value) != "null"
	}
	item.Undated = item.Undated || max(item.Created, item.Submitted, item.Evaluated) == 0
	item.Ready = wrong || !slices.Contains([]string{"", "null", "false"}, string(report["evaluated"]))
	return item
}

// isUnclear reports whether only decoding the whole submission shows whether it can be yielded: its report is not ready, and
// it has no readable id or status, or it is evaluated.
func isUnclear(item poll.Item) bool {
	return !item.Ready && (item.ID == "" || item.Status == "" || item.Status == poll.Finished)
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

// outcomeOf returns what happened to a request. An error that says no more is dropped.
func outcomeOf(request poll.Request, err error) (poll.Outcome, error) {
	failure := failureIn(err)
	unfinished := request.Status != "" && request.Status != poll.Finished
	switch {
	case err == nil:
		return poll.Answered, nil
	case failure.isFromAPI() && failure.Status == http.StatusNotFound && request.ID != "":
		return poll.Missing, nil
	case failure.Status == http.StatusBadRequest && (failure.isFromAPI() || failure.cause != nil) && (unfinished || request.Cursor != ""):
		return poll.Expired, nil // Also if its body was cut short.
	case failure.isFromAPI() && failure.Status >= 500, failure.kind == invalidBody:
		return poll.Failed, err
	}
	return 0, err
}

// reportProgress passes the progress after a poll to the caller, and returns it.
func (p *poller) reportProgress(next time.Time) WaitProgress {
	p.lastHour = slices.DeleteFunc(p.lastHour, func(at time.Time) bool { return time.Since(at) >= time.Hour })
	failing := p.machine.Failing()
	reads := p.machine.FailingReads()
	for i, id := range reads {
		reads[i] = cmp.Or(p.spelling[id], id)
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
func (p *poller) logProblems(ctx context.Context, failure error) {
	late, failing := p.machine.Late(time.Hour), strings.Join(p.machine.Failing(), ", ")
	if late > p.late {
		p.core.warn(ctx, "hiring: evaluated submissions have had no ready report for an hour", "operation", p.operation, "submissions", late)
	}
	if failure != nil && failing != p.failing && failing != "" {
		p.core.warn(ctx, "hiring: the API cannot answer some listings, others are used", "operation", p.operation, "listings", failing, "error", failureIn(failure))
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
