package doctor

import (
	"maps"
	"slices"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/timelayout"
)

// meanings are the times that since can filter by.
var meanings = map[string]func(hiring.Submission) *time.Time{
	"creation":   func(s hiring.Submission) *time.Time { return &s.CreatedAt },
	"submission": func(s hiring.Submission) *time.Time { return s.SubmittedAt },
	"evaluation": func(s hiring.Submission) *time.Time { return s.EvaluatedAt },
}

// idsSince returns the ids of the submissions that a filter with a meaning returns.
func idsSince(all []hiring.Submission, meaning string, since time.Time) map[string]bool {
	ids := make(map[string]bool)
	for _, s := range all {
		if at := meanings[meaning](s); at != nil && !at.Before(since) {
			ids[s.ID] = true
		}
	}
	return ids
}

// discriminatingTime returns the time at which the meanings return the most different sets
// of submissions, or a zero time when all return the same. The time is formatted and
// parsed again, because the API sees the rounded time.
func discriminatingTime(all []hiring.Submission, layout string) (since time.Time) {
	most := 1
	for _, s := range all {
		for _, at := range []*time.Time{s.SubmittedAt, s.EvaluatedAt} {
			if at == nil {
				continue
			}
			seen, err := timelayout.Parse(layout, timelayout.Format(layout, *at))
			if n := distinctSets(all, seen); err == nil && n > most {
				since, most = seen, n
			}
		}
	}
	return since
}

// distinctSets returns how many different sets the meanings return.
func distinctSets(all []hiring.Submission, since time.Time) int {
	var sets []map[string]bool
	for meaning := range meanings {
		ids := idsSince(all, meaning, since)
		if !slices.ContainsFunc(sets, func(other map[string]bool) bool { return maps.Equal(ids, other) }) {
			sets = append(sets, ids)
		}
	}
	return len(sets)
}

// consistentMeanings returns the meanings that agree with a response. Only known
// submissions are compared, because new ones may exist by now.
func consistentMeanings(known, returned []hiring.Submission, since time.Time) []string {
	came := make(map[string]bool)
	for _, s := range returned {
		if slices.ContainsFunc(known, func(k hiring.Submission) bool { return k.ID == s.ID }) {
			came[s.ID] = true
		}
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(meanings)), func(meaning string) bool {
		return !maps.Equal(idsSince(known, meaning, since), came)
	})
}
