package sandbox

import "time"

// SinceField is the time of a submission that a listing filters on or is
// ordered by. The API's documentation does not say which one.
type SinceField string

// The times of a submission. A filter never matches a time that is not set yet.
const (
	SinceCreated   SinceField = "created"
	SinceSubmitted SinceField = "submitted"
	SinceEvaluated SinceField = "evaluated"
)

// Timeline moves the candidates of the live data without calls. In JSON, a duration is a
// number of seconds or a text like "8s".
//
// Each duration counts from the previous step, the first from the sending of
// the invitation. The server's clock counts. A step has the time at which it was
// due, whenever the server receives its next request.
//
// A step without a duration happens together with the previous one. The last
// step with a duration ends the timeline: Timeline{Open: time.Hour} only opens.
// With Polls, the evaluation comes after that many reads of a submitted
// submission: of the submission, of its report, or of the first page of
// submissions with the status evaluated. The next read shows it.
//
// Calls such as [Server.Open] can be mixed with a timeline: the next step counts
// from the call. A step that is impossible ends the timeline, for example when
// the invitation was revoked or the assessment is closed.
type Timeline struct {
	Open     time.Duration `json:"open"`
	Begin    time.Duration `json:"begin"`
	Submit   time.Duration `json:"submit"`
	Evaluate time.Duration `json:"evaluate"`
	Polls    int           `json:"polls"`
}

// MarshalJSON returns all fields.
func (t Timeline) MarshalJSON() ([]byte, error) {
	type plain Timeline
	return encodeControl(plain(t)), nil
}

// UnmarshalJSON accepts what the control API accepts, and leaves other fields as they are.
func (t *Timeline) UnmarshalJSON(raw []byte) error {
	type plain Timeline
	return decodeMembers(raw, (*plain)(t))
}

// Mail is an invitation e-mail that the live data sent.
type Mail struct {
	InvitationID string
	AssessmentID string
	Organization string
	Email        string
	Name         string
	Resent       bool // Whether a resend sent it.
	At           time.Time
}
