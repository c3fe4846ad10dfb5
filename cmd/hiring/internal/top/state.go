// Package top is a live view of an organization's pipeline: how many candidates
// have come how far, the latest results, and what it costs.
package top

import (
	"cmp"
	"slices"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Stages are how far candidates have come, each counted in those before it, too.
type Stages struct{ Invited, Opened, Started, HandedIn, Evaluated int }

// Count adds an invitation to every stage that it has come to. The times say more
// than the status: an invitation stays started when the work is handed in.
func (s *Stages) Count(i hiring.Invitation) {
	evaluated := i.Status == hiring.InvitationEvaluated
	handedIn := evaluated || i.SubmittedAt != nil
	started := handedIn || i.StartedAt != nil || i.Status == hiring.InvitationStarted
	opened := started || i.OpenedAt != nil || i.Status == hiring.InvitationOpened
	s.Invited++
	for _, stage := range []struct {
		reached bool
		n       *int
	}{{opened, &s.Opened}, {started, &s.Started}, {handedIn, &s.HandedIn}, {evaluated, &s.Evaluated}} {
		if stage.reached {
			*stage.n++
		}
	}
}

// State is what the view shows.
type State struct {
	Title       string
	Assessments int               // That are active.
	Stages      map[string]Stages // By assessment, as far as they were listed.
	Listed      time.Time
	Latest      []hiring.Submission // The newest first.
	Quota       hiring.Quota
	Requests    []time.Time // Of the last hour.
	Problem     string      // The last one, while it lasts.
}

// Sum is the pipeline of all assessments that were listed.
func (s *State) Sum() Stages {
	var sum Stages
	for _, one := range s.Stages {
		sum.Invited += one.Invited
		sum.Opened += one.Opened
		sum.Started += one.Started
		sum.HandedIn += one.HandedIn
		sum.Evaluated += one.Evaluated
	}
	return sum
}

const keptResults = 50

// add puts a result in its place.
func (s *State) add(result hiring.Submission) {
	s.Latest = append(s.Latest, result)
	slices.SortStableFunc(s.Latest, func(a, b hiring.Submission) int {
		return evaluatedAt(b).Compare(evaluatedAt(a))
	})
	s.Latest = s.Latest[:min(len(s.Latest), keptResults)]
}

func evaluatedAt(s hiring.Submission) time.Time {
	if s.EvaluatedAt == nil {
		return s.CreatedAt
	}
	return *s.EvaluatedAt
}

// request counts one that was made, and forgets those of more than an hour ago.
func (s *State) request(at time.Time) {
	s.Requests = append(s.Requests, at)
	old, _ := slices.BinarySearchFunc(s.Requests, at.Add(-time.Hour), func(a, b time.Time) int { return cmp.Compare(a.UnixNano(), b.UnixNano()) })
	s.Requests = s.Requests[old:]
}
