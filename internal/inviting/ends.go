package inviting

import (
	"errors"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/envelope"
)

// MaxState is the size of encoded [Ends] at most, in bytes.
const MaxState = 256 << 10

// Reasons why a text is not the state of a run.
var (
	ErrNoState      = errors.New("is not the state of a run of SendAll, or is damaged")
	ErrOtherState   = errors.New("belongs to a run for another assessment")
	ErrStateTooLong = errors.New("holds too many addresses whose outcome is unknown")
)

// Ends is the state of a run that survives a crash: the addressees, by Key, to which a
// request may be on its way, each with the time by which that request has ended, by the
// server's clock.
type Ends map[string]time.Time

// savedEnds is the saved form of Ends.
type savedEnds struct {
	Assessment string
	Ends       map[string]int64 // In Unix seconds.
}

var stateKind = envelope.Kind{Name: "invitations", Version: 1}

// ParseEnds returns the state that an earlier run for the assessment saved. An empty text is
// the state of a run that sent nothing.
func ParseEnds(text, assessmentID string) (Ends, error) {
	ends := make(Ends)
	if text == "" {
		return ends, nil
	}
	var saved savedEnds
	if len(text) > MaxState || stateKind.Open(text, &saved) != nil {
		return nil, ErrNoState
	}
	if saved.Assessment != To(assessmentID, "").Assessment {
		return nil, ErrOtherState
	}
	for key, at := range saved.Ends {
		ends[key] = time.Unix(at, 0)
	}
	return ends, nil
}

// Encode returns the state as text.
func (e Ends) Encode(assessmentID string) (string, error) {
	saved := savedEnds{To(assessmentID, "").Assessment, make(map[string]int64, len(e))}
	for key, at := range e {
		saved.Ends[key] = at.Add(time.Second - 1).Unix() // Rounded up.
	}
	text := stateKind.Seal(saved)
	if len(text) > MaxState {
		return "", ErrStateTooLong
	}
	return text, nil
}
