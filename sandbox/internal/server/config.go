package server

import (
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// Config is set by the options of package sandbox. Reset keeps it.
type Config struct {
	Keys    []Key  // Keys that the server accepts from the start.
	OpenAPI []byte // The OpenAPI document in the default dialect.

	MagicValues map[string]string // Inputs with a fixed response, by name, for the index of the control API.

	Dialect               hiring.Dialect
	Clock                 func() time.Time
	ReadLimit, WriteLimit int // Requests an hour of each key.
	SinceOn               SinceField
	NewestBy              SinceField    // The time that orders submissions. Empty: SinceCreated.
	ListingLag            time.Duration // Delay until listings show an evaluation.
	PageCap               int           // Maximum submissions in a page. 0: the requested page size.
	Timeline              Timeline
	Drift                 bool
	DriftSeed             uint64
	Details               bool // Whether the journal keeps details.
	AnyHost               bool // Whether other machines may use the control API.
}

// SinceField is a time of a submission.
type SinceField = world.Milestone

// Timeline moves candidates without calls.
type Timeline = world.Timeline

// The times of a submission.
const (
	SinceCreated   = world.Created
	SinceSubmitted = world.Submitted
	SinceEvaluated = world.Evaluated
)

// limit returns how many requests of a class a key may make in an hour.
func (c *Config) limit(class Class) int {
	if class == ClassRead {
		return c.ReadLimit
	}
	return c.WriteLimit
}
