package world

import (
	"cmp"
	"container/heap"
	"time"
)

// Timeline is how long each step of a candidate comes after the one before, the
// first after the sending of the invitation. A step without a duration comes
// together with the one before, but the last step with one is the end. With
// Polls the evaluation comes not after a time but after so many looks.
type Timeline struct {
	Open, Begin, Submit, Evaluate time.Duration
	Polls                         int
}

// before is how long a step comes after the one before it.
func (t Timeline) before(to stage) time.Duration {
	return [...]time.Duration{opened: t.Open, started: t.Begin, submitted: t.Submit, evaluated: t.Evaluate}[to]
}

// goes reports whether the timeline includes a step.
func (t Timeline) goes(to stage) bool {
	if t.Polls > 0 {
		return to < evaluated
	}
	for ; to <= evaluated; to++ {
		if t.before(to) > 0 {
			return true
		}
	}
	return false
}

// step is what a candidate will do.
type step struct {
	at    time.Time
	order uint64 // of what is due at the same time
	of    *candidate
	to    stage
}

// steps is a heap: the next one comes first.
type steps struct {
	list  []step
	order uint64
}

func (s *steps) Len() int { return len(s.list) }

func (s *steps) Less(i, j int) bool {
	a, b := &s.list[i], &s.list[j]
	return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.order, b.order)) < 0
}

func (s *steps) Swap(i, j int) { s.list[i], s.list[j] = s.list[j], s.list[i] }

func (s *steps) Push(x any) { s.list = append(s.list, x.(step)) }

func (s *steps) Pop() any {
	last := len(s.list) - 1
	x := s.list[last]
	s.list[last] = step{}
	s.list = s.list[:last]
	return x
}

func (c *candidate) schedule(to stage, after Moment) {
	if t := c.o.l.timeline; t.goes(to) {
		due := &c.o.due
		due.order++
		heap.Push(due, step{after.Time().Add(t.before(to)), due.order, c, to})
	}
}

// settle lets all happen that was due. A step that a hand has taken already is
// no longer the candidate's next one.
func (o *Organization) settle(now time.Time) {
	for len(o.due.list) > 0 && !o.due.list[0].at.After(now) {
		next := heap.Pop(&o.due).(step)
		c, at := next.of, MomentOf(next.at)
		if c.stage+1 != next.to {
			continue
		}
		// A step that fails is the candidate's last.
		switch next.to {
		case opened:
			_ = c.open(at)
		case started:
			_ = c.begin(at)
		case submitted:
			_ = c.submit(at)
		case evaluated:
			_ = c.evaluate(at, c.likelyResult())
		case sent:
		}
	}
}
