package hiring

import (
	"context"
	"errors"
	"time"
)

// round is one round of a watch.
type round struct {
	poller

	options WatchOptions
	state   *watchState
	found   []Submission
	pages   int
	lost    bool // A cursor was refused.
	failed  int  // Single reads that failed.
}

// newRound takes up a state. Nothing can be done without one: r is nil then.
func (s *SubmissionService) newRound(ctx context.Context, o WatchOptions, state string) (r *round, err error) {
	r = &round{options: o}
	if r.poller, err = newPoller(s, o.MinInterval, o.MaxInterval); err != nil {
		return nil, err
	}
	if r.options.Lookback == 0 {
		r.options.Lookback = defaultLookback
	}
	if state != "" {
		r.state, err = parseState(state)
		if err == nil && r.state.Assessment != o.AssessmentID {
			err = &ParamError{Param: "state", Problem: "is of a watch of another assessment: to start afresh, give none"}
		}
		if err != nil {
			return nil, err
		}
	}
	if r.state == nil {
		err = r.begin(ctx)
	} else if err = r.check(ctx, false); errors.Is(err, errForeign) { // So was the last request's key: the next may have another.
		err = r.check(ctx, true)
	}
	if err != nil {
		return nil, err
	}
	r.meaning, r.newest = r.state.Meaning, r.state.Newest
	return r, nil
}

var errForeign = &ParamError{Param: "state", Problem: "is of another account: to start afresh, give none"}

// check makes sure that a request was not answered for another account: a key
// source may hand out another key at any time.
func (r *round) check(ctx context.Context, anew bool) error {
	account, err := r.account(ctx, anew)
	if err == nil && account != r.state.Account {
		err = errForeign
	}
	return err
}

// account returns the id of the key's account, which is asked for once a key.
func (r *round) account(ctx context.Context, anew bool) (string, error) {
	k := r.submissions.core
	if id := k.family.account(k.keys.lastUsed().id); id != "" && !anew {
		return id, nil
	}
	if err := r.ration("Account.Get"); err != nil {
		return "", err
	}
	var reply Response
	account, err := (&AccountService{k}).Get(WithResponse(ctx, &reply))
	if err != nil {
		return "", err
	}
	if r.now.IsZero() {
		r.now = serverTime(reply.Header, time.Now())
	}
	k.family.keep(k.keys.lastUsed().id, account.ID)
	return account.ID, nil
}

// begin makes the state of a watch that has seen nothing yet.
func (r *round) begin(ctx context.Context) error {
	account, err := r.account(ctx, true)
	if err != nil {
		return err
	}
	start := later(r.options.Since.UTC().Truncate(time.Millisecond), firstTime)
	if r.options.Since.IsZero() {
		start = r.now
	}
	r.state = &watchState{
		Account: account, Assessment: r.options.AssessmentID, Floor: start, Newest: start, Until: start, Before: start,
		At: r.now, Delivered: make(deliveries),
	}
	for level := range r.state.Scans {
		r.state.Scans[level].Credit = firstCredit
	}
	return nil
}

// run reads pages: first what is newest, then as much of each level as it has
// credit for.
func (r *round) run(ctx context.Context) error {
	defer r.close()
	s := r.state
	r.now = time.Time{}
	more := s.More
	s.More = false
	for first := !more; first || s.Scans[increments].Running; first = false {
		if len(s.Delivered) > tooMany && r.meaning != sinceEvaluation {
			break // The rest can wait until some are forgotten.
		}
		if r.full() {
			return nil
		}
		if err := r.page(ctx, increments); err != nil {
			return err
		}
	}
	if r.meaning == sinceEvaluation {
		return nil
	}
	r.grant()
	for level := common; level < levels; level++ {
		for r.due(level) {
			if r.full() {
				return nil
			}
			if err := r.page(ctx, level); err != nil {
				return err
			}
			r.grant()
		}
	}
	return nil
}

// full notes that there would be more to do.
func (r *round) full() bool {
	r.state.More = r.pages >= roundPages
	return r.state.More
}

func (r *round) close() {
	r.state.Meaning, r.state.Newest = r.meaning, r.newest
	r.state.forget()
}

// wait is the pause after the round. Cursors that are refused again and again must
// not use up the quota.
func (r *round) wait(err error) time.Duration {
	if r.state.More && err == nil && !r.lost {
		return 0
	}
	return max(r.pause.next(), r.pace(r.requests))
}

// page reads the next page of a level's scan.
func (r *round) page(ctx context.Context, level int) error {
	s := &r.state.Scans[level]
	if !s.Running {
		*s = scan{Running: true, Cost: s.Cost, Credit: s.Credit, Since: r.since(level)}
	}
	filter := SubmissionFilter{AssessmentID: r.options.AssessmentID, Status: SubmissionEvaluated, Since: s.Since}
	r.pages++
	s.Credit--
	page, err := r.listing(ctx, filter, s.Token)
	if s.Token != "" && !r.lost && errors.Is(err, ErrInvalidInput) { // A cursor may grow too old.
		s.Token, s.Pages, s.Last, r.lost = "", 0, time.Time{}, true
		return nil
	}
	if err == nil {
		err = r.check(ctx, false)
	}
	if err != nil {
		return err
	}
	if s.Began.IsZero() {
		s.Began, s.Until = r.now, r.settled
	}
	for i := range page.Items {
		if err := r.look(ctx, s, &page.Items[i]); err != nil {
			return err
		}
	}
	s.pass(page.Items)
	s.Pages, s.Token = s.Pages+1, page.Next
	if page.Next == "" {
		r.completed(level)
	}
	return nil
}

// pass moves behind a page, and notices when the order is not by creation.
func (s *scan) pass(items []Submission) {
	for i := range items {
		s.Mixed = s.Mixed || !s.Last.IsZero() && items[i].CreatedAt.After(s.Last)
		s.Last = items[i].CreatedAt
	}
}

// completed draws the conclusions from a scan that is through.
func (r *round) completed(level int) {
	s := r.state
	scan := &s.Scans[level]
	cut := !scan.Cut.IsZero()
	scan.Running, scan.Cost, scan.Cut = false, scan.Pages, time.Time{}
	if scan.Held {
		return
	}
	floor := scan.Until
	if level == increments {
		if merged := r.merged(); merged > increments && scan.Pages > 1 {
			s.Scans[merged].Cost = scan.Pages
		} else if merged == lookback {
			level = lookback
		}
		s.Before, s.Until = s.Until, floor
		if cut { // What was forgotten must not be listed again.
			s.Before = floor
		}
		floor = s.Before
	}
	if (level == lookback || r.meaning == sinceEvaluation) && floor.After(s.Floor) {
		s.Floor = floor
	}
}

// look delivers an item that is new.
func (r *round) look(ctx context.Context, scan *scan, item *Submission) error {
	s := r.state
	if !isEvaluated(item) || s.done(evaluatedAt(item), item.CreatedAt) {
		return nil
	}
	if _, known := s.Delivered[hashOf(item.ID)]; known {
		return nil
	}
	s.Delivered.add(item) // With the times by which the next listing knows it.
	if item.Report == nil || !item.Report.Ready() {
		if ready, err := r.fill(ctx, scan, item); !ready {
			delete(s.Delivered, hashOf(item.ID))
			return err
		}
		if s.done(evaluatedAt(item), item.CreatedAt) {
			return nil
		}
	}
	if at := evaluatedAt(item); !at.IsZero() {
		s.Ages.add(at.Sub(item.CreatedAt))
		s.Gradings.add(gradingTime(item))
	}
	r.found = append(r.found, *item)
	return nil
}

// fill adds the report that a listing left out, and tells whether the item can
// be delivered. One whose read fails at the service is held back until that
// succeeds or the item has grown old, and must not hold up the others meanwhile.
func (r *round) fill(ctx context.Context, scan *scan, item *Submission) (ready bool, err error) {
	whole, err := r.get(ctx, item.ID)
	switch {
	case err == nil:
		if isEvaluated(&whole) {
			*item = whole
		}
	case errors.Is(err, ErrNotFound):
	case !isTrouble(err):
		return false, err
	case r.now.Sub(evaluatedAt(item)) < heldBack && r.state.deepest().Cut.IsZero():
		if r.failed++; r.failed == mayFail {
			return false, err
		}
		scan.Held = true
		return false, nil
	}
	return true, nil
}
