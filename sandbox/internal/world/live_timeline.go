package world

import (
	"slices"
	"sort"
	"time"
)

// Timeline moves candidates without calls of a test. Each duration is the delay after the
// previous stage, for the first step after the invitation. A step without a delay happens
// together with the previous one. Steps after the last one with a delay do not happen.
type Timeline [Evaluated + 1]time.Duration

// includes reports whether the timeline has a step.
func (t Timeline) includes(to Stage) bool {
	for ; to <= Evaluated; to++ {
		if t[to] > 0 {
			return true
		}
	}
	return false
}

// step is a step that a candidate will make.
type step struct {
	at        Moment
	candidate *candidate
	stage     Stage
	limit     bool // The attempt reaches its time limit.
}

// schedule adds a step after all steps that are due before or at the same time.
func (o *Organization) schedule(next step) {
	at := sort.Search(len(o.dueSteps), func(i int) bool { return o.dueSteps[i].at > next.at })
	o.dueSteps = slices.Insert(o.dueSteps, at, next)
}

// schedule adds a step of the timeline, if the timeline has it.
func (c *candidate) schedule(to Stage, after Moment) {
	if t := c.organization.live.timeline; t.includes(to) {
		c.organization.schedule(step{at: after.plus(t[to]), candidate: c, stage: to})
	}
}

// runDue makes the steps that are due.
func (o *Organization) runDue(now Moment) {
	for len(o.dueSteps) > 0 && o.dueSteps[0].at <= now {
		o.runNext()
	}
}

// runNext makes the next step, and reports whether the candidate took it. It ignores a step that a test made
// already. After a step that the state does not allow, the candidate makes no further steps.
func (o *Organization) runNext() bool {
	next := o.dueSteps[0]
	o.dueSteps = o.dueSteps[1:]
	c := next.candidate
	if c.stage+1 != next.stage {
		return false
	}
	c.timedOut = next.limit
	return c.take(next.stage, next.at, Result{}) == nil
}
