package world

import (
	"fmt"
	"math"
	"time"
)

// NewSample returns the data of test mode, which is always the same. Its candidates take
// the same steps as those of live data, at the times of their plan.
func NewSample() *Organization {
	o := emptyOrganization("", data.Account, &Live{revise: func() int { return 0 }})
	o.now = math.MaxInt64 // All reports are ready.
	for _, m := range data.Members {
		o.Members.add(newRecord(m.ID, m.CreatedAt, m))
	}
	for _, c := range data.Challenges {
		o.Challenges.add(newRecord(c.ID, c.CreatedAt, c))
	}
	for _, a := range data.Assessments {
		o.addAssessment(newRecord(a.ID, a.CreatedAt, a))
	}
	for _, p := range data.Plans {
		for n := 1; n <= p.Candidates; n++ {
			p.play(o, n)
		}
	}
	for _, c := range o.candidates {
		if c.graded.Percentile != nil {
			rank, _ := c.rank()
			*c.graded.Percentile = math.Round(1000*float64(rank.Total-rank.Rank)/float64(rank.Total)) / 10
		}
	}
	o.dueSteps, o.sample = nil, true
	return o
}

// plan is the number of candidates of an assessment and their stages. The
// stages repeat until all candidates have one.
type plan struct {
	Assessment      string  `json:"assessment"`
	Number          int     `json:"number"` // Of the assessment, in ids.
	Candidates      int     `json:"candidates"`
	Stages          []Stage `json:"stages"`
	FirstInvitation Moment  `json:"first_invitation"` // When it was sent.
}

// person returns a different name for each n: the numbers of first names (24) and last
// names (31) have no common factor.
func person(n int) Person {
	first, last := data.FirstNames[n%len(data.FirstNames)], data.LastNames[n%len(data.LastNames)]
	return Person{Email: first[1] + "." + last[1] + "@candidates.test", Name: first[0] + " " + last[0]}
}

// minutesUsed returns how long a candidate worked. It is less than every time limit.
func minutesUsed(n int) int { return 31 + n*17%29 }

// play adds candidate n of a plan.
func (p plan) play(o *Organization, n int) {
	who := person(n + 400*(p.Number-1))
	at := p.FirstInvitation.plus(time.Duration(n-1)*97*time.Minute + time.Duration(n*7919%60000)*time.Millisecond)
	id := fmt.Sprintf("1a000000-0000-4000-8%03d-%012d", p.Number, n)
	invitation := newInvitation(id, p.Assessment, who, at)
	invitation.Value.SentAt = new(at.plus(1234 * time.Millisecond))
	c := o.addCandidate(invitation)
	c.number = n
	c.attemptID = fmt.Sprintf("5b000000-0000-4000-8%03d-%012d", p.Number, n)
	// The order of evaluations differs from the order of creation.
	minutes := delays{Opened: 20 + n*53%900, Started: 5 + n*71%2000, Submitted: minutesUsed(n), Evaluated: 4 + n*37%3000}
	reached := p.Stages[(n-1)%len(p.Stages)]
	c.play(at, minutes, time.Minute, reached, Result{ShipScore: sampleReport(n).ShipScore})
	if reached >= Started {
		c.writeSampleLog()
	}
	if reached == Evaluated {
		c.setSampleReport()
	}
}
