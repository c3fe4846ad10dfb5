// Package waiting decides what to ask the service next while somebody waits for
// evaluations, and what follows from the answers. It has no HTTP, no context, no
// clock, no goroutine and no chance of its own: facts and the time go in, a wish
// comes out.
//
// # The idea
//
// There are a thousand reads an hour, and nobody says when a grading ends. The
// listing can be asked for what is evaluated, since a time; but which of a
// submission's times that is about is not documented. So the machine asks: it
// picks one evaluated submission whose times lie apart, and lists since a moment
// after or before each of them. What shows, and what does not, tells (probe.go).
//
// If since is about the evaluation, one page a round shows all that is new. If it
// is about the submission, the same holds when the round reaches back as far as
// grading takes. If it is about neither, asking for what is finished means
// listing everything again and again. Then the machine watches the unfinished
// instead: it lists, by their status, those that wait for their grading, which
// are few, and reads singly who has left that list (set.go). Which statuses there
// are, and from which of them an evaluation comes directly, it learns by looking.
// The latter are listed every round, the others rarely. Where filtering by status
// does not work, what is evaluated is listed in three depths, each with a share
// of the quota (sweep.go).
//
// Each way is checked by another one. Submissions that no listing of the unfinished
// has shown are found by listings of what is evaluated: a listing looks back twice as
// far when twice the time has passed since one last looked back as far, so that what
// the service shows late is found after about twice that time. Where since is not
// about the evaluation, a machine that begins also reads all submissions of Lookback
// once, with the reads that are left beyond an even use of the window. From then on
// it has seen every older submission that is unfinished. It repeats this when it may
// have missed some. While the state cannot hold all of the unfinished, all that is
// evaluated is listed again and again (sweep.go).
//
// A submission that is evaluated without a report is read singly. Where everything
// new is watched, a read that finds none an hour after the first such read has it
// delivered without (singles.go). Known ids are each confirmed within the hour, by a
// listing of the unfinished or by a single read. What was delivered is remembered
// until a completed walk proves that it can be told from news by its times alone
// (memory.go).
//
// A round is a list of walks over listings, then single reads. Between two rounds
// lies a pause that fits their cost and what is left of the quota (pace.go). The
// machine can be written down between any two requests and go on elsewhere
// (state.go): its whole memory is its state.
package waiting

import (
	"errors"
	"strings"
	"time"
)

// Evaluated is the status that the documentation shows.
const Evaluated = "evaluated"

// Item is a submission as a listing or a single read shows it. A time is zero
// when the service does not tell.
type Item struct {
	ID        string    `json:"id"`
	Created   time.Time `json:"created"`
	Submitted time.Time `json:"submitted"`
	Evaluated time.Time `json:"evaluated"`
	Status    string    `json:"status"`
	Ready     bool      `json:"ready"` // Its report is there.

	Unreadable bool `json:"-"` // The response has more, which cannot be decoded. The item is read again later.
}

func (it *Item) finished() bool { return it.Ready || it.Status == Evaluated }

// Kind is what a wish is for.
type Kind int

// The kinds of wishes.
const (
	Pause Kind = iota // Nothing until a time.
	List              // A page of the listing.
	Get               // One submission.
)

// Wish is what to do next.
type Wish struct {
	Kind   Kind
	Status string    // Of List: the filter, "" for none,
	Since  time.Time // zero for none,
	Cursor string    // "" for the first page.
	ID     string    // Of Get.
	Until  time.Time // Of Pause.
}

// Budget is what the quota leaves to the machine.
type Budget struct {
	Left  int           `json:"left"`  // Reads in this window,
	Whole int           `json:"whole"` // and in a whole one.
	Ends  time.Duration `json:"ends"`  // Until the next window.
}

// Answer is what came of a wish.
type Answer struct {
	Items   []Item        // Of List: the page. Of Get: the submission.
	Cursor  string        // Of the next page; "" at the end.
	Refused bool          // The service does not take the cursor or the filter.
	Gone    bool          // The service does not know the submission.
	Trouble bool          // The service failed, or was not reached.
	Retry   time.Duration // How long it asks to wait.
	Local   time.Time     // When it came, by the caller's own clock. Zero: that is the server's.
}

func (a *Answer) local(now time.Time) time.Time {
	if a.Local.IsZero() {
		return now
	}
	return a.Local
}

var (
	// ErrRefused means that a request was refused that the machine cannot do without.
	ErrRefused = errors.New("waiting: refused")
	// ErrCursor means that the service answers each cursor with the first page.
	ErrCursor = errors.New("waiting: the cursor is ignored")
)

// Options say what to wait for.
type Options struct {
	Known    []string      // These ids. Nil: everything new.
	Start    time.Time     // Of everything new: evaluated since then. Of known ids: none was created before.
	Lookback time.Duration // How long after its creation a submission may be evaluated and still be found.
	Min, Max time.Duration // The pause between two rounds.
	Regraded bool          // Of everything new: deliver an item again when its evaluation time becomes later.
	Seed     uint64
}

// Machine decides. All times that go in are the server's.
type Machine struct {
	Options
	state

	known   bool
	missing []string
	singles []string      // To be read in this round.
	listed  bool          // The singles of this round are known.
	idle    time.Duration // Between the beginnings of the last round and of this one.
	rare    bool          // The caller polls less often than the machine asks for.
	asked   Wish
}

// New begins to wait.
func New(o Options) *Machine {
	m := &Machine{Options: o, known: o.Known != nil}
	m.state = newState(o)
	for _, id := range o.Known {
		m.Items[strings.ToLower(id)] = &item{}
	}
	return m
}

// Pending counts the known ids that are neither delivered nor missing, or those
// of the unfinished that are known.
func (m *Machine) Pending() int { return len(m.Items) }

// Awaits tells whether an id is still pending.
func (m *Machine) Awaits(id string) bool { return m.Items[strings.ToLower(id)] != nil }

// Missing returns the known ids that the service does not know, in lower case.
func (m *Machine) Missing() []string { return m.missing }

// Took notes that an item was handed over, in a machine that another one has run
// ahead of.
func (m *Machine) Took(it Item) {
	m.Delivered.add(it.ID, &it)
	delete(m.Items, it.ID)
}

// Wake ends a pause early: somebody else decides when a round is due.
func (m *Machine) Wake() { m.Resting = false }

// Next says what to do at a time of the server. Until an answer is given it says
// the same again.
func (m *Machine) Next(now time.Time, b Budget) Wish {
	m.Window = window{b, max(m.Window.Length, b.Ends)}
	if b.Left <= 0 {
		_, more := m.wish(now)
		m.Running, m.Resting = m.Running && more, false
		m.Until = now.Add(b.Ends + m.draw(m.Min/10))
		return m.until(now, m.Until)
	}
	if m.Resting && now.Before(m.Until) && m.Until.Sub(now) <= m.Rest+clockError { // Else the server's clock was put back.
		return m.until(now, m.Until)
	}
	m.Resting = false
	if !m.Running {
		m.plan(now)
	}
	if wish, ok := m.wish(now); ok {
		m.asked = wish
		return wish
	}
	m.Running = false
	if m.Hurry && m.Cost > 0 {
		return m.Next(now, b)
	}
	m.rest(now, m.pause(now))
	return m.until(now, m.Until)
}

func (m *Machine) until(now, then time.Time) Wish {
	m.asked = Wish{}
	if !then.After(now) {
		then = now.Add(time.Millisecond)
	}
	return Wish{Kind: Pause, Until: then}
}

// wish is the next request of the round: pages first, then single reads.
func (m *Machine) wish(now time.Time) (Wish, bool) {
	w := m.current()
	if w == nil && !m.listed {
		m.listSingles(now)
		w = m.current() // Many are found faster by a listing.
	}
	if w != nil {
		return Wish{Kind: List, Status: w.Status, Since: w.Since, Cursor: w.Cursor}, true
	}
	for len(m.singles) > 0 && m.Singles < m.mostSingles() {
		if id := m.singles[0]; m.Items[id] != nil {
			return Wish{Kind: Get, ID: id}, true
		}
		m.singles = m.singles[1:]
	}
	return Wish{}, false
}

// Got takes the answer to the last wish, and the server's time at which all that
// it shows was true. It returns which of the items are to be delivered.
func (m *Machine) Got(now time.Time, a Answer) (ready []int, err error) {
	asked := m.asked
	m.asked = Wish{}
	m.count(now, !a.Trouble)
	switch asked.Kind {
	case List:
		return m.gotPage(now, a)
	case Get:
		return m.gotOne(now, asked.ID, a)
	}
	return nil, nil
}

// halt ends the round for now: it goes on where it was after a pause.
func (m *Machine) halt(now time.Time, retry time.Duration) {
	m.listed, m.singles = false, nil
	pause := m.usual()
	if !m.Stopped { // Most failures are over soon.
		pause = m.Min + (pause-m.Min)/4
	}
	m.rest(now, max(pause, min(retry, longestRetry)))
	m.Halted, m.Stopped = true, true
}

func (m *Machine) rest(now time.Time, pause time.Duration) {
	m.Resting, m.Halted, m.Rest, m.Until = true, false, pause, now.Add(pause)
}
