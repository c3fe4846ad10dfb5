package sandbox

import (
	"fmt"
	"time"
)

// plan says how many candidates an assessment has and where they stand. The
// stages repeat until all candidates have one.
type plan struct {
	assessment string
	number     int // goes into the ids
	candidates int
	stages     []stage
	from       time.Time // when the first invitation was sent
}

// stage is how far a candidate came.
type stage int

const (
	sent stage = iota
	opened
	started
	submitted // not a status of invitations: the documented ones go from started to evaluated
	evaluated
)

const e = evaluated // keeps the tables below in columns

var plans = []plan{
	// The second eighteen differ from the first in the one that has begun: it
	// has not handed in.
	{AssessmentID, 1, 360, []stage{
		e, e, e, e, e, e, e, e, e, e, e, e, e, submitted, opened, opened, sent, sent,
		e, e, e, e, e, e, e, e, e, e, e, e, e, started, opened, opened, sent, sent,
	}, time.Date(2026, 2, 2, 8, 0, 0, 0, time.UTC)},
	{"a0000000-0000-4000-8000-000000000003", 3, 1, []stage{sent}, time.Date(2026, 3, 9, 10, 0, 0, 0, time.UTC)},
	{"a0000000-0000-4000-8000-000000000004", 4, 5, []stage{sent, opened, started, submitted, evaluated},
		time.Date(2026, 2, 10, 9, 30, 0, 0, time.UTC)},
	{ClosedAssessmentID, 5, 12, []stage{e, e, e, sent}, time.Date(2026, 1, 21, 7, 45, 0, 0, time.UTC)},
	{"a0000000-0000-4000-8000-000000000006", 6, 3, []stage{evaluated, opened, sent}, time.Date(2026, 2, 23, 16, 20, 0, 0, time.UTC)},
}

// seedPeople are names, each with what an address has for it.
type seedPeople struct {
	First [][2]string `json:"first"`
	Last  [][2]string `json:"last"`
}

// at gives different people for different n, for there are 24 first and 31 last
// names and the two numbers share no factor.
func (p seedPeople) at(n int) wireCandidate {
	first, last := p.First[n%len(p.First)], p.Last[n%len(p.Last)]
	return wireCandidate{Email: first[1] + "." + last[1] + "@candidates.test", Name: first[0] + " " + last[0]}
}

// attempt is a submission in the making.
type attempt struct {
	n          int // which candidate of the assessment, from 1
	stage      stage
	assessment wireAssessment
	challenge  wireChallenge
	submission wireSubmission
	prompts    int
}

func (s *seeds) expand(p plan) ([]wireInvitation, []*attempt) {
	a := s.assessment(p.assessment)
	challenge := s.challenge(a.ChallengeID)
	invitations := make([]wireInvitation, 0, p.candidates)
	var attempts []*attempt
	for n := 1; n <= p.candidates; n++ {
		stage := p.stages[(n-1)%len(p.stages)]
		who := s.people.at(n + 400*(p.number-1))
		invitation := p.invitation(n, stage, who)
		invitations = append(invitations, invitation)
		if stage >= started {
			attempts = append(attempts, &attempt{
				n: n, stage: stage, assessment: a, challenge: challenge,
				submission: p.submission(n, stage, who, &invitation),
			})
		}
	}
	return invitations, attempts
}

// minutesUsed is how long a candidate worked: less than every time limit.
func minutesUsed(n int) int { return 31 + n*17%29 }

func (p plan) invitation(n int, reached stage, who wireCandidate) wireInvitation {
	minute := time.Minute
	created := stamp{p.from.Add(time.Duration(n-1)*97*minute + time.Duration(n*7919%60000)*time.Millisecond)}
	i := wireInvitation{
		ID:           fmt.Sprintf("1a000000-0000-4000-8%03d-%012d", p.number, n),
		AssessmentID: p.assessment, CandidateEmail: who.Email, CandidateName: who.Name,
		Status: "sent", RecruiterDecision: "none",
		SentAt: new(created.plus(1234 * time.Millisecond)), ExpiresAt: created.plus(invitationLife), CreatedAt: created,
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

func (p plan) submission(n int, reached stage, who wireCandidate, i *wireInvitation) wireSubmission {
	s := wireSubmission{
		ID:           fmt.Sprintf("5b000000-0000-4000-8%03d-%012d", p.number, n),
		AssessmentID: p.assessment, Candidate: who, Status: "started",
		StartedAt: *i.StartedAt, SubmittedAt: i.SubmittedAt, CreatedAt: *i.StartedAt,
		PausedTotalSeconds: n % 3 * (n * 31 % 400),
	}
	switch reached {
	case submitted:
		s.Status = "submitted"
	case evaluated:
		// Grading takes its time, so that the order of evaluation is not that of creation.
		s.Status, s.EvaluatedAt = "evaluated", new(i.SubmittedAt.plus(time.Duration(4+n*37%3000)*time.Minute))
	}
	return s
}
