// Package top is a live view of an organization's pipeline: the number of candidates in
// each stage, the latest results, and the rate limit.
package top

import (
	"cmp"
	"slices"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Stages counts candidates by stage. A candidate counts in every stage that was passed.
type Stages struct{ Invited, Opened, Started, Submitted, Evaluated int }

// Count adds an invitation to every stage that it has passed. The times are used, because
// the status stays started after the submission.
func (s *Stages) Count(i hiring.Invitation) {
	evaluated := i.Status == hiring.InvitationEvaluated
	handedIn := evaluated || i.SubmittedAt != nil
	started := handedIn || i.StartedAt != nil || i.Status == hiring.InvitationStarted
	opened := started || i.OpenedAt != nil || i.Status == hiring.InvitationOpened
	s.Invited++
	for _, stage := range []struct {
		reached bool
		n       *int
	}{{opened, &s.Opened}, {started, &s.Started}, {handedIn, &s.Submitted}, {evaluated, &s.Evaluated}} {
		if stage.reached {
			*stage.n++
		}
	}
}

// State is the content of the view.
type State struct {
	Title       string
	Assessments int               // Number of active assessments.
	Stages      map[string]Stages // By assessment; only those listed so far.
	Listed      time.Time
	Latest      []hiring.Submission // Newest first.
	Quota       hiring.Quota
	Requests    []time.Time // Of the last hour.
	Problem     string      // The current error, if any.
}

// Sum returns the stages of all listed assessments together.
func (s *State) Sum() Stages {
	var sum Stages
	for _, one := range s.Stages {
		sum.Invited += one.Invited
		sum.Opened += one.Opened
		sum.Started += one.Started
		sum.Submitted += one.Submitted
		sum.Evaluated += one.Evaluated
	}
	return sum
}

const keptResults = 50

// add inserts a result in order.
func (s *State) add(result hiring.Submission) {
	older := func(other hiring.Submission) bool { return evaluatedAt(other).Before(evaluatedAt(result)) }
	i := slices.IndexFunc(s.Latest, older)
	if i < 0 {
		i = len(s.Latest)
	}
	s.Latest = slices.Insert(s.Latest, i, result)
	s.Latest = s.Latest[:min(len(s.Latest), keptResults)]
}

func evaluatedAt(s hiring.Submission) time.Time {
	if s.EvaluatedAt == nil {
		return s.CreatedAt
	}
	return *s.EvaluatedAt
}

// request counts a request and drops those older than an hour.
func (s *State) request(at time.Time) {
	s.Requests = append(s.Requests, at)
	old, _ := slices.BinarySearchFunc(s.Requests, at.Add(-time.Hour),
		func(a, b time.Time) int { return cmp.Compare(a.UnixNano(), b.UnixNano()) })
	s.Requests = s.Requests[old:]
}
