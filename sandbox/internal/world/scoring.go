package world

import (
	"math"
	"strings"
	"time"
)

// MaxScore is the highest score.
const MaxScore = 100

// minutesWorked returns the time from the beginning to the submission without pauses.
func (s *Submission) minutesWorked() *float64 {
	worked := s.SubmittedAt.minus(s.StartedAt) - time.Duration(s.PausedTotalSeconds)*time.Second
	return new(roundToCents(worked.Minutes()))
}

// verdictLabel returns the label of a verdict.
func verdictLabel(verdict string) string {
	if verdict == "" {
		return ""
	}
	text := strings.ReplaceAll(verdict, "_", " ")
	return strings.ToUpper(text[:1]) + text[1:]
}

// verdictFor returns the verdict of a ship score.
func verdictFor(score int) string {
	switch {
	case score >= 80:
		return "strong_yes"
	case score >= 60:
		return "yes"
	case score >= 40:
		return "no"
	}
	return "strong_no"
}

// shiftScore adds to a score, within 0 and 100. Nil stays nil.
func shiftScore(score *int, by int) *int {
	if score == nil {
		return nil
	}
	return new(min(max(*score+by, 0), MaxScore))
}

// inventedScore returns the score that is invented for the candidate with a number. It is
// the same in every run.
func inventedScore(number int) int { return 35 + number*37%61 }

// roundToCents rounds to two decimal places.
func roundToCents(x float64) float64 { return math.Round(x*100) / 100 }
