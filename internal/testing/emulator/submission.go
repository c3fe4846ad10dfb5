package emulator

import "time"

// Submission is an attempt and its fate.
type Submission struct {
	ID        string
	Created   time.Time
	Submitted time.Time // Zero: never.
	Evaluated time.Time // Zero: never.

	Early   time.Duration // It is stamped so much earlier than it is evaluated.
	Late    time.Duration // Listings show the evaluation so much later.
	Deleted time.Time     // Zero: never.
	Hidden  bool          // No listing shows it.
	Again   time.Time     // It is graded once more then.
	Steps   []string      // Statuses that it goes through while it is graded. Nil: grading.
	Untold  bool          // The API does not show when it was submitted and evaluated.
}

// Stamp returns the evaluation time that the API shows at a time.
func (s *Submission) Stamp(now time.Time) time.Time {
	if !s.Again.IsZero() && !now.Before(s.Again) {
		return s.Again
	}
	return s.Evaluated.Add(-s.Early)
}

// Status returns the status that the API shows at a time.
func (s *Submission) Status(now time.Time) string {
	switch {
	case !s.Evaluated.IsZero() && !now.Before(s.Evaluated):
		return "evaluated"
	case !s.Submitted.IsZero() && !now.Before(s.Submitted):
		if n := len(s.Steps); n > 0 {
			return s.Steps[int(now.Sub(s.Submitted)*time.Duration(n)/max(s.Evaluated.Sub(s.Submitted), 1))%n]
		}
		return "grading"
	}
	return "in progress"
}

func (s *Submission) shown() time.Time { return s.Evaluated.Add(s.Late) }
