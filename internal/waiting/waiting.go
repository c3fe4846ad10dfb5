// Package waiting implements the polling algorithm: a state machine that decides which request to
// send next while a caller waits for evaluations. It has no HTTP, context, clock, goroutine or
// randomness of its own. Next returns the next action, and Handle takes its response; both get the
// time of the server.
//
// # The since meaning
//
// The API allows a thousand reads an hour and has no webhooks. A listing can be filtered by status
// and since, but the documentation does not say which time of a submission since filters on. The
// machine finds out by an experiment: it takes an evaluated submission whose times lie apart, and
// lists since a moment before or after each of them (experiment.go). It prefers a submission for
// which the result is right also where the API cuts since to the hour or the day.
//
//   - Evaluation: one page a poll shows everything new (new_evaluations.go).
//   - Submission: the same, if the listing reaches back as far as grading takes. If that costs
//     more pages than listing the unfinished submissions, it lists those.
//   - Other, which includes the creation and a filter without effect: listing what is evaluated
//     would mean listing everything again, so the machine lists the unfinished submissions
//     instead (waiting_set.go).
//
// While the meaning is unknown and an experiment runs, a poll begins no other listing. Listings of
// earlier polls continue. An experiment is repeated daily, five minutes after it failed, 15 minutes
// after it changed the meaning, and, once an hour at most, when an evaluation comes later than the
// meaning allows. Where since filters on the evaluation, the pages of a listing of several pages are
// not read again until there are new evaluations.
//
// # The unfinished submissions
//
// The machine lists the submissions that await their evaluation by their status, and reads those
// singly that left this listing (single_reads.go). It learns from listings which statuses there
// are, and from which of them an evaluation comes directly. It lists those in every poll, and the
// others rarely. Where the API does not filter by these statuses, the machine lists the evaluated
// submissions at three depths, each with a share of the rate limit, and leaves out those that reach
// back less far than one that fits on a page (sweeps.go). Five contradictions that outweigh the
// confirmations, or a 400, turn the status filter off for a day. An unfiltered page an hour may
// show a new status. One listing of evaluated submissions replaces the single reads of twelve
// submissions or more that left the unfinished ones, where listings show reports. At most five
// submissions that it did not show are read in the same poll: they probably have another status.
//
// # What may be missed
//
// Sweeps find evaluations of submissions that no listing showed unfinished. A sweep looks back
// twice as far when twice the time has passed since one last looked back as far, so an evaluation
// that is listed late is found after about twice its delay. Each sweep that finds an evaluation
// which no listing showed unfinished halves the interval until the next one, and each other sweep
// doubles it. Where since does not filter on the evaluation, a new machine also reads all
// submissions of Lookback once, with the reads that remain beyond an even use of the window. It
// repeats this when submissions may have gone unseen. While the state cannot hold all unfinished
// submissions, all evaluated ones are listed every 75 minutes, except where since filters on the
// evaluation. Where listings show no reports, those of evaluated submissions wait while single
// reads are scheduled for half of what the state can hold. They continue when there is room again.
//
// A submission that is evaluated without a report is read singly. A watch delivers it without its
// report after an hour of such reads. The hour must have passed by the server's clock and the
// caller's.
//
// A submission that cannot be decoded is remembered, and delivered by the first page or single read
// that can be decoded (unreadable.go). It is read singly when a page first shows it so, and when a
// page first shows it evaluated. Then the evaluated submissions since its creation, or all of
// Lookback where a rule above lists these, are listed every 45 minutes with the reads that are to
// spare.
//
// Each known id of a wait for known ids is confirmed within the hour, by a listing of the
// unfinished or by a single read.
//
// # Rare polls and failures
//
// The use of the rate limit may run ahead of an even use by a tenth of the window; beyond that the
// remaining requests are spread. Intervals are random, and near MaxInterval after a poll of several
// requests. Intervals for known ids may grow after a day without a delivery. Pages and single reads
// are counted per time: an hour between two polls has the shares of an hour (pace.go). Where the
// status filter does not work, rare polls spend the reads that are to spare on the deepest sweep,
// which then takes 90 minutes. Single reads beyond the limit of a poll do not wait for an interval;
// listings continue in the next poll. After a failed request the poll resumes within a minute, then
// within twice as long. A failed single read ends its poll, and submissions whose reads failed are read
// last. A poll that was not resumed when it was due is abandoned, and a new one lists what is new, after
// the rest of a listing of new evaluations that the abandoned poll began.
//
// # Parts
//
// The state of a machine has parts, each with its type, its JSON, its plan and its correction when
// the server's clock is put back. What is not in a part does not survive an action (state.go).
//
//   - poll: the listings and the single reads of the current poll (poll.go, listing.go).
//   - pace: intervals, pauses after failures, and the use of the rate limit (pace.go).
//   - sinceMeaning: the experiment (experiment.go).
//   - newEvaluations: up to where evaluated submissions were listed (new_evaluations.go).
//   - waitingSet: the awaited submissions and the statuses that list them (waiting_set.go).
//   - sweeps: of a watch only (sweeps.go).
//   - memory: of a watch only. It keeps what was delivered until a completed listing shows that the
//     times of a submission alone prove its delivery (memory.go).
//
// A planner decides what a poll lists: watch for all new evaluations (watch.go), or knownIDs for
// given ids (known_ids.go), which needs no sweeps, no memory of deliveries and no saved state. A
// poll is a list of listings, then single reads.
package waiting

import (
	"errors"
	"time"
)

// Evaluated is the only submission status that the documentation shows.
const Evaluated = "evaluated"

// Item is a submission as a listing or a single read shows it. A zero time means that
// the response does not have it.
type Item struct {
	ID        string
	Created   time.Time
	Submitted time.Time
	Evaluated time.Time
	Status    string
	Ready     bool // The report is ready.

	Unreadable bool `json:"-"` // Other parts of the submission cannot be decoded.
	Unnamed    bool `json:"-"` // It is unreadable, and ID is a text that identifies it instead.
}

// latestTime is the latest time that the machine takes from a response. JSON, and so a saved
// state, ends with the year 9999, and the machine adds intervals.
var latestTime = time.Date(9999, time.January, 1, 0, 0, 0, 0, time.UTC)

// bound replaces times that cannot be saved: one before the year 1 counts as missing.
func (it *Item) bound() {
	for _, t := range []*time.Time{&it.Created, &it.Submitted, &it.Evaluated} {
		*t = earlier(later(time.Time{}, *t), latestTime)
	}
}

func (it *Item) isEvaluated() bool { return it.Ready || it.Status == Evaluated }

// Kind is the kind of an action.
type Kind int

// The kinds of actions.
const (
	Wait Kind = iota // Send nothing until a time.
	List             // Read a page of the listing.
	Get              // Read one submission.
)

// Action is what the caller does next.
type Action struct {
	Kind   Kind
	Status string    // Of List: the status filter; "" means none.
	Since  time.Time // Of List: zero means none.
	Cursor string    // Of List: "" means the first page.
	ID     string    // Of Get.
	Until  time.Time // Of Wait.
}

// Budget is what the machine may use of the rate limit, less the reserve.
type Budget struct {
	Left  int           // Remaining reads of this window.
	Whole int           // Reads of a whole window.
	Ends  time.Duration // Time until the next window.
}

// Response is the response to an action.
type Response struct {
	Items      []Item        // Of List: the page. Of Get: the submission.
	Cursor     string        // Cursor of the next page; "" after the last page.
	Rejected   bool          // The API rejected the cursor or the filter with a 400.
	NotFound   bool          // The API responded to Get with a 404.
	Failed     bool          // A transient error, such as a 5xx or a connection error.
	RetryAfter time.Duration // How long to wait after a failure; 0 means unknown.
	LocalTime  time.Time     // Time of the request by the caller's clock. Zero: the same as the server's.
}

func (a *Response) localTime(now time.Time) time.Time {
	if a.LocalTime.IsZero() {
		return now
	}
	return a.LocalTime
}

var (
	// ErrRejected is returned when the API rejects a request that the machine needs.
	ErrRejected = errors.New("waiting: request rejected")
	// ErrCursorIgnored is returned when each cursor leads to the first page.
	ErrCursorIgnored = errors.New("waiting: the cursor is ignored")
)

// Options configures a machine.
type Options struct {
	Known    []string      // The ids to wait for. Nil: watch for all new evaluations.
	Start    time.Time     // Of a watch: evaluated since then. Of known ids: the earliest creation.
	Lookback time.Duration // How long after its creation an evaluation is still found.
	Min, Max time.Duration // The interval between two polls.
	Patient  bool          // Of known ids: the interval grows after a day without a delivery.
	Regraded bool          // Of a watch: deliver an item again when its evaluation time becomes later.
	Seed     uint64
}

// Machine is the state machine. Its times are the server's, except CalledAt and
// NoReportLocal. It is not safe for concurrent use.
type Machine struct {
	Options
	state

	planner   planner
	requested Action
}

// New returns a machine that has seen nothing yet.
func New(o Options) *Machine {
	m := &Machine{Options: o, state: newState(o)}
	if o.Known != nil {
		m.planner = newKnownIDs(m)
		return m
	}
	m.Watch = newWatch(m)
	m.planner = m.Watch
	return m
}

// Pending returns the number of known ids that are neither delivered nor missing, or in
// a watch the number of submissions in the waiting set.
func (m *Machine) Pending() int { return len(m.Set.Items) }

// IsPending reports whether an id is neither delivered nor missing.
func (m *Machine) IsPending(id string) bool { return m.Set.Items[m.planner.key(id)] != nil }

// Missing returns the known ids that the API responds to with a 404, in lower case.
func (m *Machine) Missing() []string { return m.planner.missing() }

// MarkDelivered records in a watch that an item was delivered. It is for a machine that was resumed
// from the state before the poll that found the item.
func (m *Machine) MarkDelivered(it Item) {
	m.Watch.Memory.Delivered.add(it.ID, &it)
	m.Set.remove(it.ID)
}

// SetStart sets the time of a watch from which evaluations are delivered, when the server's clock
// is known. What was delivered stays.
func (m *Machine) SetStart(start time.Time) {
	m.WatchStart, m.CalledAt = start, time.Time{}
	m.News.start(start)
	m.Watch.Sweeps.start(start)
}

// EndInterval ends the interval early, for callers that decide themselves when to poll.
func (m *Machine) EndInterval() { m.Pace.endInterval() }

// Next returns the next action at a time of the server. It returns the same action
// until Handle is called.
func (m *Machine) Next(now time.Time, b Budget) Action {
	now = now.Round(0).UTC() // As a saved state has it.
	m.Pace.setWindow(b)
	if b.Left <= 0 {
		if _, more := m.nextRequest(now); !more {
			m.Poll.end()
		}
		m.Pace.waitForWindow(now, m.Min)
		return m.waitUntil(now, m.Pace.IntervalEnd)
	}
	if m.Pace.isInInterval(now) {
		return m.waitUntil(now, m.Pace.IntervalEnd)
	}
	m.Pace.endInterval()
	m.abandonOldPoll(now)
	if !m.Poll.Running {
		m.plan(now)
	}
	if action, ok := m.nextRequest(now); ok {
		m.requested = action
		return action
	}
	m.Poll.end()
	if m.Poll.Again && m.Poll.Requests > 0 {
		return m.Next(now, b)
	}
	pause := m.interval(now)
	if m.ReadsAreDue() { // What this poll could not read does not wait for the next one.
		pause = m.pacing()
	}
	m.Pace.startInterval(now, pause)
	return m.waitUntil(now, m.Pace.IntervalEnd)
}

func (m *Machine) waitUntil(now, then time.Time) Action {
	m.requested = Action{}
	if !then.After(now) {
		then = now.Add(time.Millisecond)
	}
	return Action{Kind: Wait, Until: then}
}

// nextRequest returns the next request of the poll: pages of listings first, then
// single reads, then pages of a sweep over all of Lookback and the single reads that it
// needs. It reports whether there is one.
func (m *Machine) nextRequest(now time.Time) (Action, bool) {
	l := m.Poll.currentListing(m.listingsWait())
	if (l == nil || l.rank() == afterReads) && m.Poll.ReadsFrom.IsZero() {
		m.planSingleReads(now)
		l = m.Poll.currentListing(m.listingsWait()) // A listing is cheaper for many reads.
	}
	if l == nil && m.Poll.ListedSinceReads { // The listing may have shown submissions without their report.
		m.Poll.readFrom(now)
	}
	if l == nil || l.rank() == afterReads {
		if id := m.nextRead(); id != "" {
			return Action{Kind: Get, ID: id}, true
		}
	}
	if l == nil {
		return Action{}, false
	}
	return Action{Kind: List, Status: l.Status, Since: l.Since, Cursor: l.Cursor}, true
}

// Handle takes the response to the last action, and the server's time at which the
// response was true. It returns the indexes of the items to deliver.
func (m *Machine) Handle(now time.Time, a Response) (ready []int, err error) {
	now = now.Round(0).UTC()
	request := m.requested
	m.requested = Action{}
	m.Pace.countRequest(now, !a.Failed, m.regularGap())
	m.Poll.countRequest()
	for i := range a.Items {
		a.Items[i].bound()
	}
	switch request.Kind {
	case List:
		return m.handlePage(now, a)
	case Get:
		return m.handleSingleRead(now, request.ID, a)
	}
	return nil, nil
}

// plan begins a poll and decides what it lists.
func (m *Machine) plan(now time.Time) {
	if now.Before(m.Pace.RespondedAt.Add(-clockError)) {
		m.clockPutBack(now)
	}
	m.Pace.beginPoll(now, &m.Options)
	singleReads := maxSingleReads
	if m.Pace.isRare() {
		singleReads = max(singleReads, m.Pace.spareReads())
	}
	m.Poll.begin(now, singleReads)
	switch {
	case m.OpenedAt.IsZero() && m.Poll.findListing(opening, "") != nil:
	case m.OpenedAt.IsZero():
		m.planner.open()
	default:
		m.continueExperiment(now)
		if m.Since.Meaning == Unknown && m.Since.Step != noExperiment { // The other listings depend on the result.
			m.Poll.repeat()
		} else {
			m.planner.plan(now)
		}
	}
}

// clockPutBack moves the times by which something is due to now, after the server's clock
// was put back. Otherwise nothing would be due until the clock reaches them again. Times of
// evaluations stay.
func (m *Machine) clockPutBack(now time.Time) {
	m.planner.clockPutBack(now)
	m.Poll.clockPutBack(now)
	m.Pace.clockPutBack(now)
	m.Since.clockPutBack(now)
	m.News.clockPutBack(now)
	m.Set.clockPutBack(now)
}

// interruptPoll starts an interval after a failure.
func (m *Machine) interruptPoll(now time.Time, retry time.Duration) {
	m.Pace.fail(now, &m.Options, !m.Poll.Failed, retry)
	m.Poll.interrupt()
}

// abandonOldPoll ends a poll whose caller did not continue it when it was due: what was
// evaluated meanwhile needs a new poll. A wait for known ids runs in one process, which continues.
func (m *Machine) abandonOldPoll(now time.Time) {
	due := later(m.Poll.StartedAt, later(m.Pace.RespondedAt, m.Pace.IntervalEnd))
	if m.Watch != nil && m.Poll.Running && !m.OpenedAt.IsZero() && now.Sub(due) > abandonAfter {
		m.Poll.abandon()
	}
}
