package main

import (
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// result is what a line holds. Consumers tell repeated lines by submission_id.
type result struct {
	SubmissionID    string                  `json:"submission_id"`
	AssessmentID    string                  `json:"assessment_id"`
	CandidateEmail  string                  `json:"candidate_email"` // As in the invitation: leads to the consumer's own record.
	CandidateName   string                  `json:"candidate_name"`
	Status          hiring.SubmissionStatus `json:"status"`
	EvaluatedAt     *time.Time              `json:"evaluated_at"`
	ShipScore       *int                    `json:"ship_score"`
	Verdict         hiring.Verdict          `json:"verdict"`
	VerdictLabel    string                  `json:"verdict_label"`
	Confidence      hiring.Confidence       `json:"confidence"`
	IntegrityStatus hiring.IntegrityStatus  `json:"integrity_status"`
	Pillars         []pillar                `json:"pillars"`
}

type pillar struct {
	ID    hiring.PillarID `json:"id"`
	Label string          `json:"label"`
	Score *int            `json:"score"` // Null: not enough data, which does not mean 0.
}

func resultOf(s *hiring.Submission) result {
	r := result{
		SubmissionID:   s.ID,
		AssessmentID:   s.AssessmentID,
		CandidateEmail: s.Candidate.Email,
		CandidateName:  s.Candidate.Name,
		Status:         s.Status,
		EvaluatedAt:    s.EvaluatedAt,
		Pillars:        []pillar{},
	}
	if s.Report == nil { // It cannot be read, or was deleted since it was listed.
		return r
	}
	if score, ok := s.Report.Score(); ok {
		r.ShipScore = &score
	}
	r.Verdict = s.Report.Verdict
	r.VerdictLabel = s.Report.VerdictLabel
	r.Confidence = s.Report.Confidence
	r.IntegrityStatus = s.Report.IntegrityStatus
	for _, area := range s.Report.Pillars {
		r.Pillars = append(r.Pillars, pillarOf(area))
	}
	return r
}

func pillarOf(area hiring.Pillar) pillar {
	p := pillar{ID: area.ID, Label: area.Label}
	if score, ok := area.ReliableScore(); ok {
		p.Score = &score
	}
	return p
}
