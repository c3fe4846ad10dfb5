package doctor

import (
	"maps"
	"slices"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/timelayout"
)

// submission is a listed submission with the fields that the checks of since need.
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

func (s submission) evaluated() bool { return s.Status == "evaluated" }

// exchanges returns the number of exchanges with an AI in the report, or 0.
func (s submission) exchanges() int {
	if s.Report == nil {
		return 0
	}
	return s.Report.Facts.Exchanges
}

func submissionsOf(s response) []submission {
	return slices.DeleteFunc(decoded[submission](s.items()), func(one submission) bool { return one.ID == "" })
}

// meanings are the times that since can filter by.
var meanings = map[string]func(submission) *time.Time{
	"creation":   func(s submission) *time.Time { return &s.CreatedAt },
	"submission": func(s submission) *time.Time { return s.SubmittedAt },
	"evaluation": func(s submission) *time.Time { return s.EvaluatedAt },
}

// idsSince returns the ids of the submissions that a filter with a meaning returns.
func idsSince(all []submission, meaning string, since time.Time) map[string]bool {
	ids := make(map[string]bool)
	for _, s := range all {
		if at := meanings[meaning](s); at != nil && !at.Before(since) {
			ids[s.ID] = true
		}
	}
	return ids
}

// discriminatingTime returns the time at which the meanings return the most different sets
// of submissions. The time is formatted and parsed again, because the API sees the rounded
// time.
func discriminatingTime(all []submission, layout string, among []string) (since time.Time, ok bool) {
	most := 1
	for _, s := range all {
		for _, at := range []*time.Time{s.SubmittedAt, s.EvaluatedAt} {
			if at == nil {
				continue
			}
			seen, err := timelayout.Parse(layout, timelayout.Format(layout, *at))
			if n := distinctSets(all, seen, among); err == nil && n > most {
				since, most = seen, n
			}
		}
	}
	return since, most > 1
}

// distinctSets returns how many different sets the meanings return.
func distinctSets(all []submission, since time.Time, among []string) int {
	var sets []map[string]bool
	for _, meaning := range among {
		ids := idsSince(all, meaning, since)
		if !slices.ContainsFunc(sets, func(other map[string]bool) bool { return maps.Equal(ids, other) }) {
			sets = append(sets, ids)
		}
	}
	return len(sets)
}

// knownIDs returns the ids of the returned submissions that are in known.
func knownIDs(known, returned []submission) map[string]bool {
	came := make(map[string]bool)
	for _, s := range returned {
		if slices.ContainsFunc(known, func(k submission) bool { return k.ID == s.ID }) {
			came[s.ID] = true
		}
	}
	return came
}

// consistentMeanings returns the meanings that agree with a response, an empty list if none
// does. Only known submissions are compared, because new ones may exist by now.
func consistentMeanings(known, returned []submission, since time.Time, among []string) []string {
	came := knownIDs(known, returned)
	return slices.DeleteFunc(slices.Clone(among), func(meaning string) bool {
		return !maps.Equal(idsSince(known, meaning, since), came)
	})
}

// latestTime returns the latest time of any of the submissions.
func latestTime(all []submission) time.Time {
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

// newestFirst reports whether submissions are sorted by creation, newest first.
func newestFirst(all []submission) bool {
	return slices.IsSortedFunc(all, func(a, b submission) int { return b.CreatedAt.Compare(a.CreatedAt) })
}
