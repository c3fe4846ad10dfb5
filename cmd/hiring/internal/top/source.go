package top

import (
	"context"
	"errors"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Source reads from the API. It costs the requests of Watch and one list a minute.
type Source struct {
	Client       *hiring.Client
	AssessmentID string    // Empty means all active assessments, one after the other.
	Since        time.Time // Start of the results.
	Every        time.Duration
	Interval     time.Duration // The interval of Watch.
}

// Messages of a source.
type (
	accountMessage struct{ name string }
	activeMessage  struct {
		assessments []string
		at          time.Time
	}
	listingMessage struct {
		assessment string
		stages     Stages
		at         time.Time
	}
	resultMessage struct{ submission hiring.Submission }
	problem       struct{ err error } // Nil means that the problem is over.
	ended         struct{ err error }
)

// watch sends results until the context ends or an error stays.
func (s Source) watch(ctx context.Context, send func(any)) error {
	options := hiring.WatchOptions{AssessmentID: s.AssessmentID, Since: s.Since, MinInterval: s.Interval, MaxInterval: 2 * s.Interval}
	for submission, err := range s.Client.Submissions.Watch(ctx, options) {
		if err != nil {
			return err
		}
		send(resultMessage{submission})
	}
	return nil
}

// list counts the invitations of one assessment each time that Every has passed. It sends
// errors as messages, and ends when the key is rejected.
func (s Source) list(ctx context.Context, send func(any)) error {
	account, err := s.Client.Account.Get(ctx)
	if err != nil {
		return err
	}
	send(accountMessage{account.Name})
	var queue []string
	for {
		if len(queue) == 0 {
			if queue, err = s.assessments(ctx); err == nil {
				send(activeMessage{queue, time.Now()})
			}
		}
		if err == nil && len(queue) > 0 {
			err = s.count(ctx, queue[0], send)
			queue = queue[1:]
		}
		if errors.Is(err, hiring.ErrInvalidToken) || errors.Is(err, hiring.ErrInsufficientScope) || ctx.Err() != nil {
			return err
		}
		send(problem{err})
		err = nil
		select {
		case <-time.After(s.Every):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s Source) assessments(ctx context.Context) (ids []string, err error) {
	if s.AssessmentID != "" {
		return []string{s.AssessmentID}, nil
	}
	for assessment, err := range s.Client.Assessments.List().All(ctx) {
		if err != nil {
			return nil, err
		}
		if assessment.Status == hiring.AssessmentActive {
			ids = append(ids, assessment.ID)
		}
	}
	return ids, nil
}

func (s Source) count(ctx context.Context, id string, send func(any)) error {
	var stages Stages
	for invitation, err := range s.Client.Invitations.List(id).All(ctx) {
		if err != nil {
			return err
		}
		stages.Count(invitation)
	}
	send(listingMessage{assessment: id, stages: stages, at: time.Now()})
	return nil
}
