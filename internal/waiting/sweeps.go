package waiting

import (
	"time"
)

const (
	rareAfter      = 5 * time.Minute
	sweepEvery     = 10 * time.Minute // The interval between two sweeps: at most this long,
	sweepIntervals = 10               // and at most as many of the longest intervals between two polls.
	sweepUnit      = time.Hour
	sweepPages     = 3 // Pages a poll,
	minSweepPages  = 1 // when the rate limit lengthens the intervals, or
	maxSweepPages  = 10
	farBehind      = 6 * time.Hour // when nothing was swept for so long.
	deepSweepEvery = 75 * time.Minute
	deepestWithin  = 90 * time.Minute
	sweepDepths    = 12  // Of sweeps: an hour, two hours, ..., 85 days.
	spareShare     = 0.8 // The share of the rate limit that rare polls may use for sweeps over all of Lookback, single reads and longer listings.
)

// The levels of sweeps. Where the status filter does not work, all three are used:
// recently created submissions are listed often, all of Lookback rarely. Otherwise
// planSweep uses the first and planDeepSweep the last.
const (
	recent = iota // Reaches back to the age at which nearly all submissions are evaluated,
	slow          // and nearly all of the rest.
	deepest
	sweepLevels
)

// sweeps is the part of a watch that lists evaluated submissions by their creation, for what no
// other listing showed.
type sweeps struct {
	LookbackReadAt time.Time // Latest evaluation that a completed listing of all of Lookback has seen.
	LookbackPageAt time.Time `json:",omitzero"` // When a sweep over all of Lookback last read a page.
	SweptUntil     time.Time // Latest evaluation that a completed sweep has seen.
	Depths         depths    `json:",omitzero"` // When a sweep last looked back 1 h, 2 h, 4 h and so on.
	AllListedAt    time.Time `json:",omitzero"` // Start of the last completed listing of all submissions.
	Unordered      bool      `json:",omitzero"` // The last listing of all submissions was not ordered by creation.
	Unexpected     int       `json:",omitzero"` // Evaluations that this sweep found and no listing of the unfinished had shown.
	Halvings       int       `json:",omitzero"` // How often the interval between two sweeps is halved because of them.
	CreditedAt     time.Time `json:",omitzero"` // When the levels last got their share of the rate limit.
	Levels         [sweepLevels]sweepLevel
}

func newSweeps(start time.Time) (s sweeps) {
	s.start(start)
	for i := range s.Levels {
		s.Levels[i].Credit = firstCredit
	}
	return s
}

// start sets the time from which evaluations are delivered.
func (s *sweeps) start(at time.Time) { s.LookbackReadAt, s.SweptUntil = at, at }

// lookbackRead records the latest evaluation that a listing of all of Lookback has seen.
func (s *sweeps) lookbackRead(saw time.Time) { s.LookbackReadAt = later(s.LookbackReadAt, saw) }

// repeatFrom sweeps all evaluations since a time again.
func (s *sweeps) repeatFrom(start time.Time) { s.SweptUntil = earlier(s.SweptUntil, start) }

func (s *sweeps) countUnexpected() { s.Unexpected++ }

// grant gives each level its share of rate reads a second since the last time.
func (s *sweeps) grant(now time.Time, rate float64) {
	idle := min(max(now.Sub(s.CreditedAt), 0), longestGap)
	s.CreditedAt = now
	for level := range s.Levels {
		grant := levelShares[level] * idle.Seconds() * rate
		s.Levels[level].Credit = min(s.Levels[level].Credit+grant, max(maxCredit, grant))
	}
}

// begin records the start of a sweep.
func (s *sweeps) begin(now time.Time, level int) { s.Levels[level].StartedAt = now }

// ended records a sweep that was read to its end and has seen all evaluations until saw.
func (s *sweeps) ended(l *listing, saw time.Time) {
	s.Levels[l.Level].Pages, s.SweptUntil = l.Pages, later(s.SweptUntil, saw)
	switch {
	case l.Level == recent:
		s.Depths.reached(l)
		s.adapt()
	case l.Level == deepest && l.Status == "":
		s.Unordered = l.Unordered && l.Pages > 1
		if !s.Unordered || l.AtOnce {
			s.AllListedAt = l.StartedAt
		}
	}
}

// sweepLevel is the state of the sweeps of one level.
type sweepLevel struct {
	Credit    float64   `json:",omitzero"` // Pages that its sweeps may read.
	Pages     int       `json:",omitzero"` // Pages of its last sweep.
	StartedAt time.Time `json:",omitzero"`
}

const (
	maxCredit   = 30.0
	firstCredit = 3.0
	minSamples  = 100
)

var (
	levelShares    = [sweepLevels]float64{recent: 0.6, slow: 0.12, deepest: 0.16}
	levelQuantiles = [sweepLevels]float64{recent: 0.98, slow: 0.997}
	levelAges      = [sweepLevels]time.Duration{recent: 48 * time.Hour, slow: 7 * 24 * time.Hour}
	levelIntervals = [sweepLevels]int64{slow: 5, deepest: 15} // In minutes, or in longest intervals between two polls if these are shorter.
)

// planSweep continues the sweep of recently created submissions, or begins one. It looks
// back twice as far when twice the time has passed since it last looked back as far.
func (w *watch) planSweep(now time.Time) {
	most := w.Pace.scaleToPollInterval(sweepPages)
	if w.Pace.Interval > 2*w.Max { // The rate limit lengthens the intervals.
		most = min(most, minSweepPages)
	}
	if now.Sub(w.Sweeps.SweptUntil) > farBehind {
		most = max(most, maxSweepPages)
	}
	if w.Poll.continueSweep(recent, most) {
		return
	}
	rest := w.sweepInterval()
	if now.Sub(w.Sweeps.Levels[recent].StartedAt) < rest {
		return
	}
	k := max(w.Sweeps.Depths.due(now, sweepEvery, sweepDepths), 0)
	from := earlier(w.Sweeps.SweptUntil, now).Add(-(sweepUnit << k))
	w.addSweep(now, listing{Level: recent, Depth: k + 1, Status: w.Poll.evaluatedFilter(), CreatedSince: later(w.oldest(), from), MaxPollPages: most})
}

// sweepInterval returns the interval between two sweeps. It halves with each sweep that
// finds an evaluation that the waiting set missed, and doubles with each other sweep.
func (w *watch) sweepInterval() time.Duration {
	longest := min(sweepEvery, sweepIntervals*w.Max)
	return max(min(w.Max, longest), longest>>w.Sweeps.Halvings)
}

const maxSweepHalvings = 6

// adapt adapts the interval to what the last sweep found.
func (s *sweeps) adapt() {
	if s.Unexpected > 0 {
		s.Halvings = min(s.Halvings+1, maxSweepHalvings)
	} else {
		s.Halvings = max(s.Halvings-1, 0)
	}
	s.Unexpected = 0
}

// planDeepSweep continues or begins a sweep over all of Lookback: without a filter when
// some unfinished submissions may never have been listed, and of what is evaluated if the status filter is
// off, or submissions were dropped or cannot be decoded.
func (w *watch) planDeepSweep(now time.Time) {
	works := w.canListStatuses(now)
	snapshot := works && w.Sweeps.AllListedAt.Before(w.Set.UnlistedUntil)
	most := w.Pace.spareReads()
	if now.Sub(w.Sweeps.LookbackPageAt) >= time.Hour {
		most = max(most, 1)
	}
	switch {
	case w.Poll.continueSweep(deepest, most):
	case most < 1, now.Sub(w.Sweeps.Levels[deepest].StartedAt) < sweepEvery:
	case snapshot && w.Sweeps.Unordered: // An item that moves during an interval would be missed.
		w.addSweep(now, listing{Level: deepest, CreatedSince: w.oldest(), AtOnce: true})
	case snapshot:
		w.addSweep(now, listing{Level: deepest, CreatedSince: w.oldest(), MaxPollPages: most})
	default:
		w.sweepEvaluated(now, most, !works || !w.Set.TruncatedAt.IsZero())
	}
}

// sweepEvaluated continues or begins a sweep of the evaluated submissions, which reads most pages
// in this poll. It lists all of Lookback, or else what was created since the oldest submission
// that cannot be decoded, if there is one.
func (w *watch) sweepEvaluated(now time.Time, most int, all bool) {
	unreadable := w.Set.oldestUnreadable()
	if w.Poll.continueSweep(deepest, most) || most < 1 || unreadable == nil && !all {
		return
	}
	every, since := deepSweepEvery, w.oldest()
	if unreadable != nil {
		every = unreadableEvery
	}
	if !all {
		since = later(unreadable.Created, since)
	}
	if now.Sub(w.Sweeps.Levels[deepest].StartedAt) >= every {
		w.addSweep(now, listing{Level: deepest, Status: w.Poll.evaluatedFilter(), CreatedSince: since, MaxPollPages: most})
	}
}

// planSweepLevels sweeps at three levels. The deepest level that fits on one page is
// listed in each poll, and the levels that reach back less far are skipped. While no unfinished
// submission is known, the listings have no status filter, so that the first one shows.
func (w *watch) planSweepLevels(now time.Time) {
	w.Sweeps.grant(now, w.Pace.Window.Rate(w.Pace.Window.Length))
	filter := w.Poll.evaluatedFilter()
	if len(w.Set.Statuses) == 0 && w.Set.reviewFilter(now, &w.Poll) {
		filter = ""
	}
	onePage := -1
	for level := range w.Sweeps.Levels {
		if w.Sweeps.Levels[level].Pages == 1 {
			onePage = level
		}
	}
	for level := range w.Sweeps.Levels {
		state := &w.Sweeps.Levels[level]
		rests := state.Credit < 1 || now.Sub(state.StartedAt) < time.Duration(levelIntervals[level]*int64(min(w.Max, usualInterval)))
		pages := int(state.Credit)
		if level == deepest {
			pages = max(pages, w.deepestPages())
		}
		if w.Poll.continueSweep(level, pages) || level < onePage || level > onePage && rests {
			continue
		}
		w.addSweep(now, listing{Level: level, Status: filter, CreatedSince: w.levelStart(now, level), MaxPollPages: max(1, pages)})
	}
}

// deepestPages returns how many pages a rare poll reads of a sweep over all of Lookback, beyond its
// share: with reads to spare, such a sweep takes 90 minutes at most.
func (w *watch) deepestPages() int {
	if !w.Pace.isRare() {
		return 0
	}
	pages, last := w.Pace.spareReads(), w.Sweeps.Levels[deepest].Pages
	if last > 0 {
		pages = min(pages, int(float64(last)*w.Pace.Scheduled.Seconds()/deepestWithin.Seconds())+1)
	}
	return pages
}

// addSweep begins a sweep of the submissions created since CreatedSince. Without a status filter it uses since
// only where the meaning is Other: since may exclude unfinished submissions.
func (w *watch) addSweep(now time.Time, l listing) {
	w.Sweeps.begin(now, l.Level)
	l.Purpose, l.Resumes = sweep, true
	if l.Status != "" || w.Since.Meaning == Other {
		l.Since = filterTime(l.CreatedSince)
	}
	if l.Level == deepest {
		l.Serial = w.Set.nextSerial()
		if !w.Set.isTruncated() {
			l.TruncatedAt = w.Set.TruncatedAt
		}
	}
	w.Poll.addListing(l)
}

// levelStart returns the creation time from which a level lists. The ages of delivered
// submissions decide it.
func (w *watch) levelStart(now time.Time, level int) time.Time {
	if level == deepest {
		return w.oldest()
	}
	age := levelAges[level]
	if ages := w.Memory.Delivered.ages(); len(ages) >= minSamples {
		age = max(lookBackUnit, ages[int(levelQuantiles[level]*float64(len(ages)))])
	}
	return later(w.oldest(), earlier(now, w.News.Newest).Add(-age))
}

// sweepEnded updates the state after a sweep was read to its end.
func (w *watch) sweepEnded(l *listing) {
	w.reviewUnreadable(l)
	if l.Level == deepest && l.CreatedSince.After(w.oldest()) { // It reached back less far, for undecodable submissions.
		return
	}
	if l.Level == deepest {
		w.Set.swept(l)
	}
	saw := earlier(w.News.Newest, l.StartedAt)
	w.Sweeps.ended(l, saw)
	w.addCoverage(w.completeSince(l), saw)
}

// clockPutBack moves times in the future to now.
func (s *sweeps) clockPutBack(now, unlistedUntil time.Time) {
	missing := s.AllListedAt.Before(unlistedUntil)
	for _, t := range []*time.Time{&s.CreditedAt, &s.LookbackPageAt, &s.AllListedAt} {
		*t = earlier(*t, now)
	}
	for i := range s.Levels {
		s.Levels[i].StartedAt = earlier(s.Levels[i].StartedAt, now)
	}
	notAfter(s.Depths, now)
	if missing && !s.AllListedAt.Before(earlier(unlistedUntil, now)) {
		s.AllListedAt = time.Time{}
	}
}

// readPage records a page of a sweep.
func (s *sweeps) readPage(now time.Time, level int) {
	if level == deepest {
		s.LookbackPageAt = now
	}
	s.Levels[level].Credit = max(0, s.Levels[level].Credit-1)
}
