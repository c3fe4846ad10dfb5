package sandbox

import (
	"fmt"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// config is set by the options and never changes.
type config struct {
	keys     []Key // Keys that the server accepts from the start.
	dialect  hiring.Dialect
	clock    func() time.Time
	anyHost  bool     // Whether other machines may use the control API.
	settings settings // At the start.
}

// settings can change while the server runs. The control API reads and sets them.
type settings struct {
	Details           bool          `json:"details"`     // Whether the journal keeps details.
	ReadQuota         int           `json:"read_quota"`  // Reads an hour of each key.
	WriteQuota        int           `json:"write_quota"` // Writes an hour of each key.
	SinceOn           SinceField    `json:"since_on"`
	NewestBy          SinceField    `json:"newest_by"`   // The time that orders submissions.
	ListingLag        time.Duration `json:"listing_lag"` // Delay until listings show an evaluation.
	PageCap           int           `json:"page_cap"`    // Maximum submissions in a page. 0: the requested page size.
	Timeline          Timeline      `json:"timeline"`
	Drift             bool          `json:"drift"`
	DriftSeed         uint64        `json:"drift_seed"`
	ArchivesAvailable bool          `json:"archives_available"`
	NoContent         bool          `json:"no_content"` // Whether DELETE and revoke return 204.
}

// check returns an error for settings out of range.
func (s *settings) check() error {
	for _, number := range []struct {
		name  string
		value int
	}{
		{"read_quota", s.ReadQuota}, {"write_quota", s.WriteQuota}, {"page_cap", s.PageCap}, {"listing_lag", int(s.ListingLag)},
		{"timeline", int(min(s.Timeline.Open, s.Timeline.Begin, s.Timeline.Submit, s.Timeline.Evaluate, time.Duration(s.Timeline.Polls)))},
	} {
		if number.value < 0 {
			return inputError{number.name, "must not be negative"}
		}
	}
	for name, field := range map[string]SinceField{"since_on": s.SinceOn, "newest_by": s.NewestBy} {
		switch field {
		case SinceCreated, SinceSubmitted, SinceEvaluated:
		default:
			return inputError{name, fmt.Sprintf("must be created, submitted or evaluated, not %q", string(field))}
		}
	}
	return nil
}

// limit returns how many requests of a class a key may make in an hour.
func (s *settings) limit(class Class) int {
	if class == ClassRead {
		return s.ReadQuota
	}
	return s.WriteQuota
}

// defaultSettings are the settings without options.
var defaultSettings = settings{
	ReadQuota: 1000, WriteQuota: 200, SinceOn: SinceCreated, NewestBy: SinceCreated, ArchivesAvailable: true,
}

// drift returns the drift of responses, or nil.
func (s *settings) drift() *drift {
	if !s.Drift {
		return nil
	}
	return &drift{s.DriftSeed}
}
