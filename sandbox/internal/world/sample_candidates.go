package world

import (
	"fmt"
	"math"
	"time"
)

// plan is the number of candidates of an assessment and their stages. The
// stages repeat until all candidates have one.
type plan struct {
	Assessment      string  `json:"assessment"`
	Number          int     `json:"number"` // Of the assessment, in ids.
	Candidates      int     `json:"candidates"`
	Stages          []stage `json:"stages"`
	FirstInvitation Moment  `json:"first_invitation"` // When it was sent.
}

// person returns a different name for each n: the numbers of first names (24) and last
// names (31) have no common factor.
func person(n int) Person {
	first, last := data.FirstNames[n%len(data.FirstNames)], data.LastNames[n%len(data.LastNames)]
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
	a := &w.assessments.Find(p.Assessment).Value
	challenge := &w.challenges.Find(a.ChallengeID).Value
	invitations := make([]Invitation, 0, p.Candidates)
	var drafts []*draft
	for n := 1; n <= p.Candidates; n++ {
		stage := p.Stages[(n-1)%len(p.Stages)]
		who := person(n + 400*(p.Number-1))
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
	created := p.FirstInvitation.plus(time.Duration(n-1)*97*minute + time.Duration(n*7919%60000)*time.Millisecond)
	i := Invitation{
		ID:           fmt.Sprintf("1a000000-0000-4000-8%03d-%012d", p.Number, n),
		AssessmentID: p.Assessment, CandidateEmail: who.Email, CandidateName: who.Name,
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
		ID:           fmt.Sprintf("5b000000-0000-4000-8%03d-%012d", p.Number, n),
		AssessmentID: p.Assessment, Candidate: who, Status: "started",
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
