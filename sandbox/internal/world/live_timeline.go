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

// scheduled returns the steps with those that follow a candidate's stage: the end of the time limit, and the next step
// of the timeline. Each is after all steps that are due before or at the same time.
func (c *candidate) scheduled(steps []step, stage Stage, at Moment) []step {
	insert := func(next step) {
		i := sort.Search(len(steps), func(i int) bool { return steps[i].at > next.at })
		steps = slices.Insert(steps, i, next)
	}
	if stage == Started {
		limit := time.Duration(c.assessment.Value.TimeLimitMinutes) * time.Minute
		insert(step{at: at.plus(limit), candidate: c, stage: Submitted, limit: true})
	}
	if t := c.organization.live.timeline; t.includes(stage + 1) {
		insert(step{at: at.plus(t[stage+1]), candidate: c, stage: stage + 1})
	}
	return steps
}

// follows reports whether a step is the candidate's next one. A test may have made it already. After a step that the
// state does not allow, the candidate makes no further steps.
func (c *candidate) follows(next step) bool {
	return c.stage+1 == next.stage && c.check(next.stage, next.at) == nil
}

// runDue makes the steps that are due.
func (o *Organization) runDue(now Moment) {
	for len(o.dueSteps) > 0 && o.dueSteps[0].at <= now {
		next := o.dueSteps[0]
		o.dueSteps = o.dueSteps[1:]
		if next.candidate.follows(next) {
			next.candidate.timedOut = next.limit
			next.candidate.reach(next.stage, next.at, Result{})
		}
	}
}
