// Package waiting implements the polling algorithm: a state machine that decides which request to send
// next while a caller waits for evaluations. It has no HTTP, context, clock, goroutine or randomness of
// its own. Next returns the next action, and Handle takes its response; both get the time of the server.
//
// # The since meaning
//
// A listing can be filtered by status and since, but the documentation does not say which time of a
// submission since filters on. The machine finds out by an experiment: it lists since a moment before
// the evaluation of a submission (experiment.go). If the listing shows the submission, it lists since a
// moment after the evaluation, otherwise since a moment before the submission was handed in. It takes a
// submission whose times lie at least four seconds apart, and best three minutes. Among equals it
// prefers a result that is right also where the API cuts since to the hour or the day, then the newest
// submission.
//
//   - Evaluation: a listing since six minutes before the latest evaluation that was known when the
//     last complete listing began, mostly one page, shows everything new (new_evaluations.go). After a
//     listing of several pages, these six minutes are listed again only to look back, or after a new
//     evaluation.
//   - Submission: such a listing, since earlier by twice the longest grading time, which falls by a
//     thousandth a minute. Every 40 minutes a watch also lists what is handed in and unfinished, or
//     all unfinished submissions after it dropped some. If the status filter works, a watch lists the
//     unfinished submissions instead when this costs fewer reads. It then also lists a page a poll of
//     evaluated submissions that were handed in within the last 16 minutes, and in the first such poll
//     everything new. The estimated cost of listing what is new falls by a hundredth a minute.
//   - Other, which includes the creation and a filter without effect: listing what is evaluated would
//     mean listing everything again, so the machine lists the unfinished ones instead
//     (waiting_set.go). It also does so while the meaning is unknown and no experiment runs.
//
// While the meaning is unknown and an experiment runs, a poll plans no other listing, but continues
// listings of earlier polls. An experiment is repeated daily, 15 minutes after it changed the meaning,
// and five minutes after five pages did not decide it or its listing failed three times. It is also
// repeated, once an hour at most, when a watch delivers an evaluation more than five minutes and two
// MaxInterval late. After a change of the meaning, the last two days are listed again.
//
// # The unfinished submissions
//
// The machine lists the submissions that await their evaluation by their status, and reads those singly
// that left this listing (single_reads.go). If this read shows the old status, the submission is read
// again after MaxInterval, then after twice as long, up to 40 minutes. The machine learns from responses
// which statuses there are, and from which of them an evaluation comes directly, for over a tenth of
// submissions. It lists these, and a status that fewer than five submissions left, in every poll, ten
// pages at most. Before these it lists the other statuses, every 90 seconds for each of their pages, but
// within 40 minutes for known ids. A status of more than ten pages is listed both ways. An unfiltered
// page an hour may show a watch a new status, one in 80 minutes where it lists new evaluations by their
// submission. Every second such page lists since three hours ago.
//
// Five contradictions that outweigh the confirmations turn this status filter off for a day, and a 400
// turns off the filter that it rejects. Where the status filter does not work, or no status is known, a
// watch lists evaluated submissions instead, at three levels (sweeps.go); where since filters on the
// submission and the filter does not work, it lists new evaluations. Each level has a share of the rate
// limit. The deepest level reaches back to Lookback. How far each other level reaches back depends on
// the ages of delivered submissions. The deepest listing that fits on a page is read in every poll, and
// listings that reach back less far are left out. While no status is known and the filter is not off,
// these listings have no status filter.
//
// One listing of evaluated submissions replaces the single reads of twelve submissions or more that left
// the unfinished ones, where listings show reports. It reads at most 12 to 60 pages, depending on their
// number. While more submissions leave or are delivered than a poll may read singly, each poll reads
// this listing, an hour further back. At most five submissions that it did not show are read in the same
// poll: they probably have another status. Five evaluated submissions of a listing in a row without a
// report show that listings show no reports, until a report is listed.
//
// # What may be missed
//
// Sweeps find evaluations of submissions that no listing showed unfinished. Each sweep that finds such
// an evaluation halves the interval until the next sweep, and each other sweep doubles the interval, up
// to ten minutes. Sweeps and listings of new evaluations look back twice as far when twice the time has
// passed since the last look-back as far. Sweeps count this from the creation. Where since filters on
// the evaluation, listings look back a day at most. Beside the unfinished submissions, a sweep reads
// three pages a poll, one if the rate limit makes polls rare, ten when the latest evaluation that a
// sweep has seen is six hours old.
//
// Where the status filter works and since does not filter on the evaluation, a new watch also reads all
// submissions of Lookback once. It uses since only where the meaning is other, and the reads that are to
// spare, at least one an hour. It repeats this when submissions may have gone unseen, and in one poll if
// the listing was not ordered by creation. From when the state cannot hold all unfinished submissions
// until it holds them and a sweep has shown what was evaluated meanwhile, all evaluated ones are listed
// every 75 minutes, except where since filters on the evaluation. The same holds where since filters on
// the submission and the status filter is off. Where listings show no reports, listings of evaluated
// submissions wait while single reads are scheduled for half of what the state can hold.
//
// A submission that is evaluated without a report is read singly, after a quarter of the time that it is
// late, up to nine minutes. A watch delivers it without its report when an hour of such reads has passed
// by the server's clock and the caller's. A watch forgets a submission whose single reads get two 404s
// in a row, and a wait for known ids counts it as missing at the first. If a listing showed it
// evaluated, a watch reads it for three hours, and after one hour lists it, to deliver it without its
// report.
//
// A submission that has an id and cannot be decoded is remembered, and delivered by the first page or
// single read that can be decoded (unreadable.go). It is read singly when a page first shows it so, and
// when a page first shows it evaluated. Then the evaluated submissions since its creation are listed
// every 45 minutes with the reads to spare, except at three levels. Where all evaluated submissions are
// listed every 75 minutes, that listing serves instead, every 45 minutes. If such a listing does not
// show the submission, it is read singly, and only then does a 404 count. It is forgotten when it is
// older than Lookback. A known id that cannot be decoded counts as evaluated without a report.
//
// A watch adds no unfinished submission created more than Lookback before the latest evaluation that a
// listing of all of Lookback has seen. An evaluation counts as delivered if its submission is not
// awaited and a listing should have shown it, by its creation and since, that has seen an evaluation
// more than a day later (memory.go). Where memory was short, ten minutes replace the day. The latest
// 3000 deliveries are kept, while fewer than 11,000 are needed; an older submission that is graded again
// may be delivered again, also without Regraded. Unfinished submissions that do not fit into the state
// are dropped by status, handed-in and evaluated ones last, and the oldest first. Those that another
// status shows before their evaluation count as truncation only after irregular polls. Deliveries that
// still do not fit are dropped, and may be repeated.
//
// A wait for several known ids begins with a listing, until single reads of the other ids cost no more.
// A later poll does what costs the fewest reads: single reads, or listing new evaluations, the evaluated
// submissions since the oldest, or the unfinished ones. A poll that lists the unfinished ones after one
// that did not also lists the evaluated ones. Each known id is confirmed within the hour, by a listing
// of the unfinished or by a single read.
//
// # Rare polls and failures
//
// The use of the rate limit may run ahead of an even use by a tenth of what that leaves; beyond that the
// remaining requests are spread. The reads above 95 % of what an even use leaves are to spare, and in
// the first tenth of a window ten a poll at most. At polls more than five minutes apart, four fifths of
// the rate limit are to spare. The limits of pages a poll grow with the time between two polls, within
// the reads to spare (pace.go). The limit of single reads grows from five minutes on. At three levels,
// rare polls spend the reads that are to spare on the deepest sweep, which then takes 90 minutes at
// most.
//
// Intervals are random, and near MaxInterval after a poll of several requests. Intervals for known ids
// may grow after a day without a delivery. No interval follows a watch's first listing, a poll with an
// experiment while the meaning is unknown, a change of the meaning, or a listing of new evaluations that
// an earlier poll began. Single reads beyond the limit of a poll wait only as the rate limit requires.
// Sweeps and listings of rare statuses continue in the next poll. An evaluation from before the last gap
// of three intervals and a minute between responses is no evidence against filters or sweeps, and
// neither is that of a submission created before then, or before a dropped one.
//
// After a failed request the poll resumes within a minute, then within twice as long, up to MaxInterval,
// or after RetryAfter. After a failed single read a poll makes no more of them, and ends unless a sweep
// over all of Lookback waits; a failed page of such a sweep ends its poll. Submissions whose last reads
// failed or showed an old status are read last. The poll continues without a listing that failed three times
// in a row. An experiment then ends without a result, a search or an unfiltered page ends, the first
// listing begins again, twice at most, and another listing whose later page fails ends incomplete; a
// sweep over all of Lookback waits for the end of an outage. A status whose listing then fails in three
// more polls, each time right after another request had a response, lets no status be listed, as if the
// status filter did not work, until the listing succeeds. A listing whose cursor fails begins again
// without a limit of pages a poll, twice at most. More than three rejected fresh cursors in a row, or
// three that lead to the first page, end the wait with an error. A watch abandons a poll that was not
// resumed within five minutes of when it was due. The new poll lists what is new, after the rest of a
// listing of new evaluations that the abandoned poll began. Sweeps continue too.
//
// # Parts
//
// The parts of the state have a type and a file each (state.go). A planner decides what a poll lists:
// watch for all new evaluations (watch.go), or knownIDs for given ids (known_ids.go). Only a watch has
// sweeps, a memory of deliveries and a saved state. A poll reads the experiment's listing, other
// listings, then single reads, then a sweep over all of Lookback.
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

// Next returns the next action at a time of the server. Until Handle is called, it returns the same
// request again, unless b is used up or the poll is abandoned.
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
	if (l == nil || l.rank() == afterReads) && m.Poll.ReadsFrom.IsZero() && !m.Poll.ReadsEnded {
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

// Handle takes the response to the last action, and the server's time at which the response was true or the request
// failed. It returns the indexes of the items to deliver.
func (m *Machine) Handle(now time.Time, a Response) (ready []int, err error) {
	now = now.Round(0).UTC()
	request := m.requested
	m.requested = Action{}
	m.noticeClock(now)
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
	m.noticeClock(now)
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

// noticeClock calls clockPutBack if the last response is from later than now. The caller may have learned the
// server's clock from another response in between.
func (m *Machine) noticeClock(now time.Time) {
	if now.Before(m.Pace.RespondedAt.Add(-clockError)) {
		m.clockPutBack(now)
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

// Interrupt starts an interval because the poll cannot begin or continue: the caller's own request before it failed,
// or the rate limit is used up. It returns the end of the interval.
func (m *Machine) Interrupt(now time.Time, b Budget, retry time.Duration) time.Time {
	m.Pace.setWindow(b)
	if b.Left > 0 {
		m.interruptPoll(now, retry)
	} else {
		m.Pace.waitForWindow(now, m.Min)
	}
	return m.Pace.IntervalEnd
}

// abandonOldPoll ends a poll whose caller did not continue it within abandonAfter of when it was due: what was
// evaluated meanwhile needs a new poll. A wait for known ids runs in one process, which continues.
func (m *Machine) abandonOldPoll(now time.Time) {
	due := later(m.Poll.StartedAt, later(m.Pace.RespondedAt, m.Pace.IntervalEnd))
	if m.Watch != nil && m.Poll.Running && !m.OpenedAt.IsZero() && now.Sub(due) > abandonAfter {
		m.Poll.abandon()
	}
}
