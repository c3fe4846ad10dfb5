package hiring

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/jsoncodec"
	"github.com/hiring-assessment/hiring-go/internal/paging"
	"github.com/hiring-assessment/hiring-go/internal/poll"
	"github.com/hiring-assessment/hiring-go/internal/quota"
)

// poller sends the requests of a machine and yields the results.
type poller struct {
	pollLoop

	filter   SubmissionFilter
	machine  *poll.Machine
	given    map[string]string  // The ids of a wait as the caller gave them, by idKey. Nil in a watch.
	progress func(WaitProgress) // The function given by the caller. Nil: not called.

	// Saves the state, with a checkpoint. It is called after each result that yield has taken, so yield must
	// return only after the caller has processed the result.
	save func() error

	began       time.Time // The Local time of the machine's caller is the time since then.
	ready, late int       // How many results were yielded, and how many reports were late at the last poll.
	failing     string    // The listings that failed at the last poll.
}

func newPoller(k *core, operation string, between interval, assessmentID string, progress func(WaitProgress)) *poller {
	p := &poller{
		pollLoop: newPollLoop(k, operation, between), filter: SubmissionFilter{AssessmentID: assessmentID}, progress: progress,
		save: func() error { return nil }, began: time.Now(),
	}
	p.onPolled = func(next time.Time) { p.reportProgress(next) }
	return p
}

// now returns the time of the process's monotonic clock since the poller began.
func (p *poller) now() poll.Caller { return poll.Caller(time.Since(p.began)) }

// serverNow returns the server's time.
func (p *poller) serverNow() poll.Server { return poll.TimeOf(p.core.shared.clock.at(time.Now())) }

const (
	maxRequests       = 100 // After so many requests a poll is interrupted.
	maxFailedRequests = 10  // After so many requests that the API could not answer, a poll ends.
)

// sendDue sends requests until the machine is to wait, and passes each result to yield. A result
// counts as delivered when yield returns true. sendDue returns the time until the next poll, 0 if it
// was interrupted after maxRequests. When the API could answer no request, that is an error.
func (p *poller) sendDue(ctx context.Context, yield func(Submission, error) bool) (wait time.Duration, err error) {
	var failures []error // The errors of requests that the API could not answer.
	defer func() { p.logProblems(ctx, failures) }()
	answered := false
	for range maxRequests {
		request, due := p.machine.Next(p.now(), p.budget())
		switch {
		case due == 0 && len(failures) < maxFailedRequests:
		case len(failures) > 0 && !answered:
			return 0, failures[len(failures)-1]
		default:
			wait = cmp.Or(due, p.interval.shortest)
			return wait + p.interval.jitter(wait), nil
		}
		reply, isAnswered, err := p.send(ctx, request)
		switch {
		case !isAnswered:
			return 0, err
		case reply.Kind == poll.Failed:
			failures = append(failures, err)
		default:
			answered = true
		}
		if err := p.takeReply(request, reply, yield); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// budget returns the rate limit of the key that was used last, less what is left to others.
func (p *poller) budget() poll.Budget {
	limit, left, ends := p.core.shared.quotas.Left(p.core.keys.lastUsed().id, quota.Read, p.core.reserve(priorityPolling), time.Now())
	return poll.Budget{Left: left, Limit: max(1, limit), Ends: ends}
}

// send sends a request of the machine and returns the reply, unless the API did not answer. err is
// why it did not, or why the reply is poll.Failed.
func (p *poller) send(ctx context.Context, request poll.Request) (reply poll.Reply, answered bool, err error) {
	submissions, next, err := p.fetch(ctx, request)
	reply = poll.Reply{Next: next, At: p.now(), Server: p.serverNow(), RetryAfter: failureIn(err).RetryAfter}
	if failed := p.requestEnded(ctx, err); failed != nil {
		return reply, false, failed
	}
	reply.Kind, answered = replyKindOf(request, err)
	if err == nil {
		reply.Items = p.itemsOf(ctx, request, submissions)
	}
	return reply, answered, err
}

// fetch sends a request of the machine. It returns the undecoded submissions of the response, and
// the cursor of the next page.
func (p *poller) fetch(ctx context.Context, asked poll.Request) (submissions []RawValue, next string, err error) {
	if asked.ID != "" {
		s, err := do[rawSubmission](ctx, p.core, p.prepare(newRequest("Submissions.Get", submissionRoute, pathID("id", p.asGiven(asked.ID)))))
		return []RawValue{RawValue(s)}, "", err
	}
	filter := p.filter
	filter.Status = SubmissionStatus(asked.Status)
	if asked.Since > 0 {
		filter.Since = time.Unix(0, int64(asked.Since)).UTC()
	}
	page, err := submissionsAs[RawValue](p.core, "Submissions.List", filter, nil).sending(p.prepare).From(asked.Cursor).Page(ctx)
	return page.Items, page.Next, err
}

// asGiven returns an id of the machine as the caller gave it.
func (p *poller) asGiven(id string) string { return cmp.Or(p.given[id], id) }

// rawSubmission is a submission that may be readable only in part.
type rawSubmission RawValue

// UnmarshalJSON keeps a copy of b.
func (r *rawSubmission) UnmarshalJSON(b []byte) error { return (*RawValue)(r).UnmarshalJSON(b) }

func (r rawSubmission) check(wanted string) error {
	s, problem := decodeSubmission(RawValue(r))
	if problem == "" {
		return s.check(wanted)
	}
	if shown := poll.ReadItem(r).ID; shown != "" {
		return checkID(shown, wanted)
	}
	return nil
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
		case p.given != nil:
			item.ID = idKey(item.ID)
		}
		if item.ID == "" {
			p.core.warn(ctx, "hiring: a submission without a readable id was skipped", "operation", p.operation)
		} else if !slices.ContainsFunc(items, func(other poll.Item) bool { return other.ID == item.ID }) {
			items = append(items, item)
		}
	}
	return items
}

// takeReply passes a reply to the machine, and its results to yield.
func (p *poller) takeReply(request poll.Request, reply poll.Reply, yield func(Submission, error) bool) error {
	results, ignoresCursors := p.machine.Receive(request, reply)
	for _, item := range results {
		if err := p.deliver(item, yield); err != nil {
			return err
		}
	}
	if ignoresCursors {
		stuck := paging.Stuck{What: "a page repeats the page before it", Field: "CursorParam"}
		return &Error{Operation: p.operation, Message: stuck.Error(), Hint: stuck.Hint(), Attempts: 1, kind: kindFinal}
	}
	return nil
}

// deliver yields a result and counts it as delivered. A submission that cannot be decoded counts
// before it is yielded, so that a loop that ends on each error does not receive it again.
func (p *poller) deliver(item poll.Item, yield func(Submission, error) bool) error {
	s, problem := decodeSubmission(item.JSON)
	if problem == "" && s.check("") != nil {
		problem = "has the report of another submission"
	}
	if problem == "" {
		if !yield(s, nil) {
			return errBreak
		}
		return p.delivered(item)
	}
	if err := p.delivered(item); err != nil {
		return err
	}
	id := p.asGiven(item.ID)
	if !yield(Submission{ID: id}, &ItemError{id, errors.New(problem)}) {
		return errBreak
	}
	return nil
}

// delivered counts a result as delivered, and saves the state.
func (p *poller) delivered(item poll.Item) error {
	p.machine.Delivered(item)
	p.ready++
	return p.save()
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
	failing, reads := p.machine.Failing()
	for i, id := range reads {
		reads[i] = p.asGiven(id)
	}
	if len(reads) > 0 {
		failing = append(failing, amounts(reads, "submission", "not readable"))
	}
	w := WaitProgress{
		Ready: p.ready, Pending: p.machine.Pending(), Missing: len(p.machine.Missing), Failing: strings.Join(failing, ", "),
		Requests: p.requests, ReadsLastHour: len(p.lastHour), NextPoll: next,
	}
	w.Total = w.Ready + w.Pending + w.Missing
	if p.progress != nil {
		p.progress(w)
	}
	return w
}

// logProblems logs when another report has been late for an hour, and when other listings fail than before.
func (p *poller) logProblems(ctx context.Context, failures []error) {
	listings, _ := p.machine.Failing()
	late, failing := p.machine.Late(time.Hour), strings.Join(listings, ", ")
	if late > p.late {
		p.core.warn(ctx, "hiring: evaluated submissions have had no ready report for an hour", "operation", p.operation, "submissions", late)
	}
	if len(failures) > 0 && failing != p.failing && failing != "" {
		p.core.warn(ctx, "hiring: the API cannot answer some listings, others are used",
			"operation", p.operation, "listings", failing, "error", failureIn(failures[len(failures)-1]))
	}
	p.late, p.failing = late, failing
}
