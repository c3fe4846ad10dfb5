package world

import (
	"fmt"
	"math"
	"time"
)

// plan is the number of candidates of an assessment and their stages. The
// stages repeat until all candidates have one.
type plan struct {
	assessment      string
	number          int // Number of the assessment, in ids.
	candidates      int
	stages          []stage
	firstInvitation Moment // When the first invitation was sent.
}

const e = evaluated // Keeps the following tables aligned.

var plans = []plan{
	// The second eighteen are like the first, except that the started attempt was not submitted.
	{"a0000000-0000-4000-8000-000000000001", 1, 360, []stage{
		e, e, e, e, e, e, e, e, e, e, e, e, e, submitted, opened, opened, sent, sent,
		e, e, e, e, e, e, e, e, e, e, e, e, e, started, opened, opened, sent, sent,
	}, moment("2026-02-02T08:00:00.000Z")},
	{"a0000000-0000-4000-8000-000000000003", 3, 1, []stage{sent}, moment("2026-03-09T10:00:00.000Z")},
	{"a0000000-0000-4000-8000-000000000004", 4, 5, []stage{sent, opened, started, submitted, evaluated}, moment("2026-02-10T09:30:00.000Z")},
	{"a0000000-0000-4000-8000-000000000005", 5, 12, []stage{e, e, e, sent}, moment("2026-01-21T07:45:00.000Z")},
	{"a0000000-0000-4000-8000-000000000006", 6, 3, []stage{evaluated, opened, sent}, moment("2026-02-23T16:20:00.000Z")},
}

// person returns a different name for each n: the numbers of first names (24) and last
// names (31) have no common factor.
func person(n int) Person {
	first, last := firstNames[n%len(firstNames)], lastNames[n%len(lastNames)]
	return Person{Email: first[1] + "." + last[1] + "@candidates.test", Name: first[0] + " " + last[0]}
}

// draft is a submission that is being built.
type draft struct {
	number      int // Number of the candidate, from 1.
	stage       stage
	assessment  *Assessment
	challenge   *Challenge
	submission  Submission
	log         []Event
	promptCount int
}

// expand returns the plan's invitations, and drafts of the submissions of those who began.
func (p plan) expand(w *Sample) ([]Invitation, []*draft) {
	a := &w.assessments.Find(p.assessment).Value
	challenge := &w.challenges.Find(a.ChallengeID).Value
	invitations := make([]Invitation, 0, p.candidates)
	var drafts []*draft
	for n := 1; n <= p.candidates; n++ {
		stage := p.stages[(n-1)%len(p.stages)]
		who := person(n + 400*(p.number-1))
		invitation := p.invitation(n, stage, who)
		invitations = append(invitations, invitation)
		if stage >= started {
			drafts = append(drafts, &draft{
				number: n, stage: stage, assessment: a, challenge: challenge,
				submission: p.submission(n, stage, who, &invitation),
			})
		}
	}
	return invitations, drafts
}

// minutesUsed returns how long a candidate worked. It is less than every time limit.
func minutesUsed(n int) int { return 31 + n*17%29 }

// invitation returns the invitation of candidate n, who reached a stage.
func (p plan) invitation(n int, reached stage, who Person) Invitation {
	minute := time.Minute
	created := p.firstInvitation.plus(time.Duration(n-1)*97*minute + time.Duration(n*7919%60000)*time.Millisecond)
	i := Invitation{
		ID:           fmt.Sprintf("1a000000-0000-4000-8%03d-%012d", p.number, n),
		AssessmentID: p.assessment, CandidateEmail: who.Email, CandidateName: who.Name,
		Status: "sent", RecruiterDecision: "none",
		SentAt: new(created.plus(1234 * time.Millisecond)), ExpiresAt: created.plus(InvitationLifetime), CreatedAt: created,
	}
	if reached >= opened {
		i.Status, i.OpenedAt = "opened", new(created.plus(time.Duration(20+n*53%900)*minute))
	}
	if reached >= started {
		i.Status, i.StartedAt = "started", new(i.OpenedAt.plus(time.Duration(5+n*71%2000)*minute))
	}
	if reached >= submitted {
		i.SubmittedAt = new(i.StartedAt.plus(time.Duration(minutesUsed(n)) * minute))
	}
	if reached == evaluated {
		i.Status = "evaluated"
		if n%5 == 1 {
			i.RecruiterDecision = "shortlisted"
		}
	}
	return i
}

// submission returns the submission of candidate n, who reached a stage.
func (p plan) submission(n int, reached stage, who Person, i *Invitation) Submission {
	s := Submission{
		ID:           fmt.Sprintf("5b000000-0000-4000-8%03d-%012d", p.number, n),
		AssessmentID: p.assessment, Candidate: who, Status: "started",
		StartedAt: *i.StartedAt, SubmittedAt: i.SubmittedAt, CreatedAt: *i.StartedAt,
		PausedTotalSeconds: n % 3 * (n * 31 % 400),
	}
	switch reached {
	case submitted:
		s.Status = "submitted"
	case evaluated:
		// The order of evaluations differs from the order of creation.
		s.Status, s.EvaluatedAt = "evaluated", new(i.SubmittedAt.plus(time.Duration(4+n*37%3000)*time.Minute))
	}
	return s
}

// finish sets the fields that depend on the challenge.
func (d *draft) finish() {
	d.submission.Challenge = ChallengeRef{Name: d.challenge.Name, Slug: d.challenge.Slug}
	limit := d.challenge.BudgetDollarsCap
	if d.assessment.BudgetDollarsCap != nil {
		limit = *d.assessment.BudgetDollarsCap
	}
	spent := 0.0
	if d.promptCount > 0 {
		spent = math.Round(limit*float64(d.number*29%100)) / 100
	}
	d.submission.Budget = Budget{DollarsUsed: spent, DollarsCap: limit}
}
