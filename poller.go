package hiring

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/waiting"
)

// poller polls as a waiting.Machine decides: it sends the requests that the machine wants,
// and turns the responses into facts for the machine. All times in these facts are the
// server's, except LocalTime.
type poller struct {
	pollLoop

	submissions *SubmissionService
	assessment  string // Lists only its submissions. "": all.
	machine     *waiting.Machine
	spelling    map[string]string // The caller's spelling of known ids, by the id in lower case.

	// onlyReports is set for known ids: of a submission nothing but the report is needed.
	// listed holds the awaited submissions that a listing showed evaluated without their report, by
	// ID in lower case, so that only the report is read.
	onlyReports bool
	listed      map[string]Submission
}

func newPoller(s *SubmissionService, operation, assessment string, pause interval, machine *waiting.Machine) poller {
	return poller{
		pollLoop:    pollLoop{core: s.core, operation: operation, interval: pause},
		submissions: s, assessment: assessment, machine: machine,
	}
}

// The limits of one call of poller.poll.
const (
	maxPollPages = 10
	maxPollReads = 50
)

// poll sends the requests of one poll and passes each result to take. It returns the
// interval until the next poll: 0 when the poll has reached its limits and there is more to
// read, so a poll of the machine may take several calls. It ends when take returns false, which more reports, and when a failed request must
// not be followed by another one for a while.
func (p *poller) poll(ctx context.Context, take func(fulfilled) bool) (wait time.Duration, more bool, err error) {
	for pages, reads := 0, 0; ; {
		action := p.machine.Next(p.now(), p.budget())
		switch action.Kind {
		case waiting.Wait:
			if err == nil && reads >= maxPollReads && p.machine.ReadsAreDue() && p.budget().Left > 0 {
				return 0, true, nil
			}
			return action.Until.Sub(p.now()), true, cmp.Or(err, p.ration("Submissions.List"))
		case waiting.List:
			pages++
		default:
			reads++
		}
		if pages > maxPollPages || reads > maxPollReads || retryAfter(err) > 0 {
			return 0, true, err
		}
		var result fulfilled
		result, err = p.fulfil(ctx, action)
		if !take(result) {
			return 0, false, nil
		}
		if err != nil && !IsTransient(err) {
			return p.interval.next(), true, err
		}
	}
}

// fulfilled is the result of an action of a machine.
type fulfilled struct {
	deliver    []Submission // Submissions to deliver.
	unreadable []string     // IDs of submissions that cannot be decoded, each once.
	reportErr  error        // Why the report of the submission that was read singly cannot be decoded.
}

// fulfil makes the request of an action and passes the response to the machine. It
// returns transient errors too, which the machine retries.
func (p *poller) fulfil(ctx context.Context, action waiting.Action) (fulfilled, error) {
	got := p.request(ctx, action)
	facts := p.facts(&got, action)
	if got.err == nil {
		if got.err = p.checkResponse(ctx, action, len(got.submissions)); got.err != nil {
			// It says nothing about the request, such as that its filter was rejected.
			facts = waiting.Response{LocalTime: got.sentAt, RetryAfter: retryAfter(got.err), Failed: IsTransient(got.err)}
		}
	}
	if got.err != nil && !facts.Rejected && !facts.NotFound && !facts.Failed {
		return fulfilled{}, got.err
	}
	indexes, err := p.machine.Handle(p.serverTime(got.sentAt), facts) // The response has set the server's clock.
	result := fulfilled{deliver: make([]Submission, len(indexes)), reportErr: got.reportErr}
	for i, index := range indexes {
		result.deliver[i] = got.submissions[index]
		if !result.deliver[i].Report.Ready() {
			result.deliver[i].Report = nil
		}
	}
	if got.err == nil {
		result.unreadable, _ = got.decoding.fresh()
	}
	switch {
	case errors.Is(err, waiting.ErrCursorIgnored):
		return result, errCursorIgnored()
	case err != nil, facts.Failed:
		return result, got.err
	}
	return result, nil
}

func errCursorIgnored() error {
	err := &Error{
		Message: "the list does not advance: each cursor leads to the first page",
		Status:  http.StatusOK, Method: http.MethodGet, Route: "/submissions", Attempts: 1, Operation: "Submissions.List",
	}
	err.probablyWrong("CursorParam")
	return err
}

// polledPage is the response to an action.
type polledPage struct {
	sentAt      time.Time // By the local clock. All that the response shows was true then.
	submissions []Submission
	cursor      string
	decoding    *submissionLeniency // The submissions that cannot be decoded.
	reportErr   error               // Of a single read: why the report cannot be decoded.
	err         error
}

// request sends the request of an action.
func (p *poller) request(ctx context.Context, action waiting.Action) polledPage {
	id := cmp.Or(p.spelling[action.ID], action.ID)
	got := polledPage{sentAt: time.Now(), decoding: &submissionLeniency{id: id, machine: p.machine}}
	p.requests++
	if action.Kind == waiting.Get {
		p.read(ctx, id, &got)
	} else {
		p.list(ctx, action, &got)
	}
	return got
}

// list reads a page of the listing.
func (p *poller) list(ctx context.Context, action waiting.Action, got *polledPage) {
	filter := SubmissionFilter{AssessmentID: p.assessment, Status: SubmissionStatus(action.Status), Since: action.Since}
	listing := p.submissions.List(filter)
	listing.list.request.leniency = got.decoding
	page, err := listing.From(action.Cursor).Page(ctx)
	got.submissions, got.cursor, got.err = page.Items, page.Next, err
}

// read reads a submission. It reads the report with a second request where the
// submission came without it, and only the report when a listing showed the rest.
func (p *poller) read(ctx context.Context, id string, got *polledPage) {
	s, listed := p.listed[strings.ToLower(id)]
	if !listed {
		if s, got.err = p.readSubmission(ctx, id, got.decoding); got.err != nil {
			return
		}
		got.submissions = []Submission{s}
		needsReport := s.Report == nil && s.Status == SubmissionEvaluated
		if got.decoding.find(s.ID) != nil {
			needsReport = p.onlyReports
		}
		if !needsReport {
			return
		}
		p.requests++
	}
	report, err := p.submissions.Report(ctx, id)
	if isUndecodable(err) {
		got.reportErr, s.Report = err, nil
	} else {
		got.err, s.Report = err, &report
	}
	got.submissions = []Submission{s}
}

// readSubmission reads a submission. Of one that cannot be decoded at all, it returns
// the ID.
func (p *poller) readSubmission(ctx context.Context, id string, decoding *submissionLeniency) (Submission, error) {
	r := newRequest("Submissions.Get", "GET /submissions/{id}", pathID{"id", id})
	r.leniency = decoding
	s, err := do[Submission](ctx, p.submissions.core, r)
	if !isUndecodable(err) {
		return s, err
	}
	s = Submission{}
	decoding.begin()
	decoding.add(&s, "", "")
	return s, nil
}

// isUndecodable reports whether err is of an API response that cannot be decoded.
func isUndecodable(err error) bool {
	failure, ok := errors.AsType[*Error](err)
	return ok && failure.invalidBody
}

// facts returns what the machine needs of a response.
func (p *poller) facts(got *polledPage, action waiting.Action) waiting.Response {
	facts := waiting.Response{
		Cursor:     got.cursor,
		LocalTime:  got.sentAt,
		RetryAfter: retryAfter(got.err),
		Rejected:   errors.Is(got.err, ErrInvalidInput) && (action.Cursor != "" || action.Status != ""),
		NotFound:   errors.Is(got.err, ErrNotFound) && action.Kind == waiting.Get,
		Failed:     IsTransient(got.err),
	}
	for i := range got.submissions {
		s := &got.submissions[i]
		it := itemOf(s)
		it.Ready = it.Ready || got.reportErr != nil // A report that cannot be decoded is not awaited.
		if bad := got.decoding.find(s.ID); bad != nil {
			it.Unreadable, it.Unnamed = true, !bad.named
		}
		facts.Items = append(facts.Items, it)
		if p.onlyReports && !it.Ready && (it.Status == waiting.Evaluated || it.Unreadable) && p.machine.IsPending(it.ID) {
			p.listed[strings.ToLower(it.ID)] = *s
		}
	}
	return facts
}

// itemOf returns the facts of a submission.
func itemOf(s *Submission) waiting.Item {
	it := waiting.Item{ID: s.ID, Created: s.CreatedAt, Status: string(s.Status), Ready: s.Report.Ready()}
	if s.SubmittedAt != nil {
		it.Submitted = *s.SubmittedAt
	}
	switch {
	case s.EvaluatedAt != nil:
		it.Evaluated = *s.EvaluatedAt
	case s.Report != nil && s.Report.GeneratedAt != nil:
		it.Evaluated = *s.Report.GeneratedAt
	}
	return it
}

// defaultLookback is the default of WatchOptions.Lookback.
const defaultLookback = 30 * 24 * time.Hour

// machineOptions returns the options of a machine with these intervals.
func machineOptions(pause interval) waiting.Options {
	seed := rand.Uint64() //nolint:gosec // spreads requests; nothing secret depends on it
	return waiting.Options{Lookback: defaultLookback, Min: pause.shortest, Max: pause.longest, Seed: seed}
}

// progress returns the progress of the machine. For a watch, Pending counts the
// submissions whose evaluation is expected.
func (p *poller) progress(next time.Time) WaitProgress {
	progress := p.machine.Progress(p.now())
	return WaitProgress{
		Pending: p.machine.Pending(), Missing: len(p.machine.Missing()), Requests: p.requests, NextPoll: next,
		SinceMeaning: progress.SinceMeaning, AwaitingGrading: progress.Unfinished,
		ReadsLastHour: progress.ReadsLastHour, SlowReason: progress.SlowReason,
	}
}

// checkResponse checks for a watch that a response is of the right account, and that the
// assessment exists when the first listing is empty.
func (p *poller) checkResponse(ctx context.Context, action waiting.Action, items int) error {
	if p.machine.Account == "" { // A wait for known ids.
		return nil
	}
	if err := p.checkAccount(ctx, false); err != nil {
		return err
	}
	first := action.Kind == waiting.List && action.Status == "" && action.Since.IsZero() && action.Cursor == ""
	if !first || items > 0 || p.assessment == "" || !p.machine.OpenedAt.IsZero() {
		return nil
	}
	if p.budget().Left <= 0 {
		return nil
	}
	p.requests++
	invitations := (&InvitationService{core: p.submissions.core}).List(p.assessment).PageSize(1)
	_, err := invitations.Page(ctx)
	failure, ok := errors.AsType[*Error](err)
	if ok && failure.Code == ErrNotFound {
		failure.Hints = append(failure.Hints, "check WatchOptions.AssessmentID: no submission is listed for the assessment either")
		return failure
	}
	return nil // The assessment may exist.
}

var errOtherAccount = &ParamError{Param: "state", Problem: "is of another account: to start afresh, give none"}

// checkAccount checks that the last key is of the account of the state, because a key
// source may return another key at any time. reload is that of account.
func (p *poller) checkAccount(ctx context.Context, reload bool) error {
	account, err := p.account(ctx, reload)
	if err == nil && account != p.machine.Account {
		return errOtherAccount
	}
	return err
}

// account returns the id of the account of the last key. It is read once for each key,
// and again if reload is set.
func (p *poller) account(ctx context.Context, reload bool) (string, error) {
	k := p.submissions.core
	if id := k.shared.account(k.keys.lastUsed().id); id != "" && !reload {
		return id, nil
	}
	if err := p.ration("Account.Get"); err != nil {
		return "", err
	}
	p.requests++
	account, err := (&AccountService{k}).Get(ctx)
	if err != nil {
		return "", err
	}
	k.shared.setAccount(k.keys.lastUsed().id, account.ID)
	return account.ID, nil
}
