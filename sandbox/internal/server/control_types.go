package server

import (
	"encoding/json"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/controlapi"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// Inputs and outputs of the control API.
type (
	controlQuota struct {
		Key       string `json:"key"`
		Class     Class  `json:"class"`
		Remaining *int   `json:"remaining"`
	}
	controlPlan struct {
		Key            string `json:"key"`
		Used           *int   `json:"used"`
		Limit          *int   `json:"limit"`
		LimitsEnforced *bool  `json:"limits_enforced"`
	}
	controlFault struct {
		Route       string           `json:"route"`
		Key         string           `json:"key"`
		Skip        int              `json:"skip"`
		Times       int              `json:"times"`
		Status      int              `json:"status"`
		Code        hiring.ErrorCode `json:"code"`
		RetryAfter  controlapi.Span  `json:"retry_after"`
		Delay       controlapi.Span  `json:"delay"`
		Late        controlapi.Span  `json:"late"`
		After       bool             `json:"after"`
		Reset       bool             `json:"reset"`
		CutAfter    int              `json:"cut_after"`
		Body        string           `json:"body"`
		ContentType string           `json:"content_type"`
	}
	controlKey struct {
		Token        string    `json:"token"`
		Scope        Scope     `json:"scope"`
		Expires      time.Time `json:"expires"`
		Organization string    `json:"organization"`
	}
	controlToken struct {
		Token string `json:"token"`
	}
	controlAdvance struct {
		Seconds *controlapi.Span `json:"seconds"`
	}
	controlThrottle struct {
		Throttled *bool `json:"throttled"`
	}
	controlDrift struct {
		On   *bool  `json:"on"`
		Seed uint64 `json:"seed"`
	}
	controlAvailable struct {
		Available *bool `json:"available"`
	}
	controlAssessment struct {
		Name         string `json:"name"`
		Organization string `json:"organization"`
		ChallengeID  string `json:"challenge_id"`
	}
	controlChallenge struct {
		Name         string   `json:"name"`
		Tasks        []string `json:"tasks"`
		Organization string   `json:"organization"`
	}
	controlMember struct {
		Email        string `json:"email"`
		Name         string `json:"name"`
		Role         string `json:"role"`
		Organization string `json:"organization"`
	}
	controlInvitation struct {
		AssessmentID string `json:"assessment_id"`
		Email        string `json:"email"`
		Name         string `json:"name"`
	}
	controlDecision struct {
		Decision string `json:"decision"`
	}
	controlPause struct {
		Seconds *controlapi.Span `json:"seconds"`
	}
	controlEvents struct {
		Kind     string            `json:"kind"`
		Payloads []json.RawMessage `json:"payloads"`
	}
	controlResult struct {
		ShipScore       *int            `json:"ship_score"`
		Verdict         string          `json:"verdict"`
		Pillars         map[string]*int `json:"pillars"`
		LowConfidence   []string        `json:"low_confidence"`
		Summary         string          `json:"summary"`
		Confidence      string          `json:"confidence"`
		IntegrityStatus string          `json:"integrity_status"`
		ReportDelay     controlapi.Span `json:"report_delay"`
		Extra           map[string]any  `json:"extra"`
	}
	controlNewResult struct {
		AssessmentID string `json:"assessment_id"`
		Email        string `json:"email"`
		controlResult
	}

	controlSubmissionID struct {
		SubmissionID string `json:"submission_id"`
	}
	controlInvitationID struct {
		InvitationID string `json:"invitation_id"`
	}
	controlAssessmentID struct {
		AssessmentID string `json:"assessment_id"`
	}
	controlChallengeID struct {
		ChallengeID string `json:"challenge_id"`
	}
	controlMemberID struct {
		MemberID string `json:"member_id"`
	}
	controlMails struct {
		Mails []controlMail `json:"mails"`
	}
	controlMail struct {
		InvitationID string       `json:"invitation_id"`
		AssessmentID string       `json:"assessment_id"`
		Email        string       `json:"email"`
		Name         string       `json:"name"`
		Resent       bool         `json:"resent"`
		At           world.Moment `json:"at"`
	}
	controlJournal struct {
		Entries  []controlEntry `json:"entries"`
		Repeated []controlEntry `json:"repeated"`
	}
	controlEntry struct {
		Method          string              `json:"method"`
		Route           string              `json:"route"`
		Path            string              `json:"path"`
		Query           string              `json:"query"`
		Status          *int                `json:"status"` // null when no response was sent
		Key             string              `json:"key"`
		Body            string              `json:"body"`
		At              world.Moment        `json:"at"`
		RequestID       *string             `json:"request_id"` // null without details, as the following members
		Headers         map[string][]string `json:"headers"`
		ResponseHeaders map[string][]string `json:"response_headers"`
		Response        *string             `json:"response"`
		Fault           *controlFault       `json:"fault"`
	}
)

// result returns the Result of the JSON. A null or absent score becomes NoScore.
func (c controlResult) result() Result {
	r := Result{
		ShipScore: NoScore, Verdict: c.Verdict, LowConfidence: c.LowConfidence, Summary: c.Summary, Confidence: c.Confidence,
		IntegrityStatus: c.IntegrityStatus, ReportDelay: time.Duration(c.ReportDelay), Extra: c.Extra,
	}
	if c.ShipScore != nil {
		r.ShipScore = *c.ShipScore
	}
	for id, score := range c.Pillars {
		if r.Pillars == nil {
			r.Pillars = make(map[string]int, len(c.Pillars))
		}
		r.Pillars[id] = NoScore
		if score != nil {
			r.Pillars[id] = *score
		}
	}
	return r
}
