package doctor

import (
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/timelayout"
)

// submission is a listed submission, as far as the questions about since need it.
type submission struct {
	ID           string     `json:"id"`
	AssessmentID string     `json:"assessment_id"`
	Status       string     `json:"status"`
	CreatedAt    time.Time  `json:"created_at"`
	SubmittedAt  *time.Time `json:"submitted_at"`
	EvaluatedAt  *time.Time `json:"evaluated_at"`
	Report       *struct {
		Facts struct {
			Exchanges int `json:"ai_exchange_count"`
		} `json:"facts"`
	} `json:"report"`
}

func submissionsOf(a answer) []submission {
	var all []submission
	for _, item := range a.items() {
		var one submission
		if json.Unmarshal(item, &one) == nil && one.ID != "" {
			all = append(all, one)
		}
	}
	return all
}

// meanings are the times that since can be about.
var meanings = map[string]func(submission) *time.Time{
	"creation":   func(a submission) *time.Time { return &a.CreatedAt },
	"submission": func(a submission) *time.Time { return a.SubmittedAt },
	"evaluation": func(a submission) *time.Time { return a.EvaluatedAt },
}

// letThrough are the ids of the submissions that a filter of a meaning lets through.
func letThrough(all []submission, meaning string, since time.Time) map[string]bool {
	ids := make(map[string]bool)
	for _, a := range all {
		if at := meanings[meaning](a); at != nil && !at.Before(since) {
			ids[a.ID] = true
		}
	}
	return ids
}

// telling chooses the time to ask with: one at which the meanings let as many
// different sets of the submissions through as can be. It is written in the layout
// and read again, because that is what the service sees.
func telling(all []submission, layout string, among []string) (since time.Time, ok bool) {
	most := 1
	for _, a := range all {
		for _, at := range []*time.Time{a.SubmittedAt, a.EvaluatedAt} {
			if at == nil {
				continue
			}
			seen, err := timelayout.Parse(layout, timelayout.Format(layout, *at))
			if n := different(all, seen, among); err == nil && n > most {
				since, most = seen, n
			}
		}
	}
	return since, most > 1
}

// different counts the sets that the meanings let through.
func different(all []submission, since time.Time, among []string) int {
	var sets []map[string]bool
	for _, meaning := range among {
		ids := letThrough(all, meaning, since)
		if !slices.ContainsFunc(sets, func(other map[string]bool) bool { return maps.Equal(ids, other) }) {
			sets = append(sets, ids)
		}
	}
	return len(sets)
}

// knownOf are the ids of those that were known before.
func knownOf(known, returned []submission) map[string]bool {
	came := make(map[string]bool)
	for _, a := range returned {
		if slices.ContainsFunc(known, func(k submission) bool { return k.ID == a.ID }) {
			came[a.ID] = true
		}
	}
	return came
}

// meant are the meanings that a reply agrees with. It is compared by the submissions
// that were known before: others may have come since.
func meant(known, returned []submission, since time.Time, among []string) []string {
	came := knownOf(known, returned)
	var agree []string
	for _, meaning := range among {
		if maps.Equal(letThrough(known, meaning, since), came) {
			agree = append(agree, meaning)
		}
	}
	return agree
}

// latest is the latest time that any of the submissions has.
func latest(all []submission) time.Time {
	var last time.Time
	for _, s := range all {
		for _, at := range meanings {
			if t := at(s); t != nil && t.After(last) {
				last = *t
			}
		}
	}
	return last
}

// newestFirst tells whether submissions are in the order of their creation.
func newestFirst(all []submission) bool {
	return slices.IsSortedFunc(all, func(a, b submission) int { return b.CreatedAt.Compare(a.CreatedAt) })
}
