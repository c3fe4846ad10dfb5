package sandbox

import (
	"fmt"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// config is set by the options and never changes.
type config struct {
	keys                  []Key // Keys that the server accepts from the start.
	dialect               hiring.Dialect
	clock                 func() time.Time
	anyHost               bool // Whether other machines may use the control API.
	readQuota, writeQuota int  // Requests an hour of each key.
	driftSeed             uint64
	settings              settings // At the start.
}

// limit returns how many requests of a class a key may make in an hour.
func (c *config) limit(class Class) int {
	if class == ClassRead {
		return c.readQuota
	}
	return c.writeQuota
}

// settings can change while the server runs. The control API reads and sets them.
type settings struct {
	SinceOn  SinceField `json:"since_on"`
	Timeline Timeline   `json:"timeline"`
	Drift    bool       `json:"drift"`
	Archives bool       `json:"archives"` // Whether archive storage is available.
}

// check returns an error for settings out of range.
func (s *settings) check() error {
	t := &s.Timeline
	if min(t.Open, t.Begin, t.Submit, t.Evaluate) < 0 {
		return inputError{"timeline", "must not be negative"}
	}
	switch s.SinceOn {
	case SinceCreated, SinceSubmitted, SinceEvaluated:
		return nil
	}
	return inputError{"since_on", fmt.Sprintf("must be created, submitted or evaluated, not %q", string(s.SinceOn))}
}

// drift returns the drift of responses, or nil.
func (s *Server) drift() *drift {
	if !s.settings.Drift {
		return nil
	}
	return &drift{s.config.driftSeed}
}

// SinceField is the time of a submission that the since filter compares with. The API's
// documentation does not say which one.
type SinceField string

// The times of a submission. A filter never matches a time that is not set yet.
const (
	SinceCreated   SinceField = "created"
	SinceSubmitted SinceField = "submitted"
	SinceEvaluated SinceField = "evaluated"
)
