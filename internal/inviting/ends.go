package inviting

import (
	"errors"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/envelope"
)

// MaxState is the size of encoded [Ends] at most, in bytes.
const MaxState = 256 << 10

// Reasons why Ends cannot be read or saved, besides those of package envelope.
var (
	ErrOtherState   = errors.New("belongs to a run for another assessment")
	ErrStateTooLong = errors.New("holds too many addresses whose outcome is unknown")
)

// Ends is the state of a run that survives a crash: the addressees, by Key, to which a
// request may be on its way, each with the time by which that request has ended, by the
// server's clock and in Unix seconds.
type Ends map[string]int64

// Seconds returns a time in Unix seconds, rounded up.
func Seconds(t time.Time) int64 { return t.Add(time.Second - 1).Unix() }

// savedEnds is the saved form of Ends.
type savedEnds struct {
	Assessment string
	Ends       Ends
}

var stateKind = envelope.Kind{Name: "invitations", Version: 1}

// ParseEnds returns the state that an earlier run for the Assessment of an Addressee saved. An
// empty text is the state of a run that sent nothing.
func ParseEnds(text, assessment string) (Ends, error) {
	if text == "" {
		return nil, nil
	}
	var saved savedEnds
	if len(text) > MaxState {
		return nil, envelope.ErrDamaged
	}
	if err := stateKind.Open(text, &saved); err != nil {
		return nil, err
	}
	if saved.Assessment != assessment {
		return nil, ErrOtherState
	}
	return saved.Ends, nil
}

// Encode returns the state as text.
func (e Ends) Encode(assessment string) (string, error) {
	text := stateKind.Seal(savedEnds{assessment, e})
	if len(text) > MaxState {
		return "", ErrStateTooLong
	}
	return text, nil
}
