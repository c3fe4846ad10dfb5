package main

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

const (
	keepFor      = 30 * time.Second // What was read.
	keepFailure  = 5 * time.Second  // Reloads do not send further requests.
	readWithin   = 10 * time.Second
	pageSize     = 100 // Of the API's listings.
	readsAnHour  = 1000
	shareOfViews = 2 // One half of them.
)

// board knows how far the candidates are.
//
// It reads two listings, at one read for each 100 entries, and a key has 1000
// reads an hour. If each page view read, 500 of them would use up the hour, and
// then no candidate could be invited either. So all views share what was read last,
// for half a minute, or for longer where the listings are long: at most half of
// the reads go into views. An invitation that this process sent is on the board
// at once.
type board struct {
	client     *hiring.Client
	assessment string

	reading chan struct{} // Full while it is read: the others wait, and share what comes. A mutex that one can leave.
	last    snapshot
	err     error
	until   time.Time
	reports map[string]*hiring.Report // Of listings without them.

	mu   sync.Mutex
	sent []hiring.Invitation // By this process.
}

// snapshot is what the board knew at one time.
type snapshot struct {
	At         time.Time
	Candidates []candidate // The newest first.
}

// candidate is an invitation with its submission, if the candidate has started.
type candidate struct {
	hiring.Invitation

	Submission *hiring.Submission // Nil: not begun.
}

// snapshot returns the stages of the candidates when they were last read.
func (b *board) snapshot(ctx context.Context) (snapshot, error) {
	if err := b.enter(ctx); err != nil {
		return snapshot{}, err
	}
	defer b.leave()
	if !time.Now().Before(b.until) {
		// The first caller may cancel; the others wait for the same result.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), readWithin)
		defer cancel()
		var keep time.Duration
		b.last, keep, b.err = b.read(ctx)
		b.until = time.Now().Add(keep)
	}
	if b.err != nil {
		return snapshot{}, b.err
	}
	return b.withSent(b.last), nil
}

func (b *board) enter(ctx context.Context) error {
	select {
	case b.reading <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (b *board) leave() { <-b.reading }

// read costs one read for each 100 invitations and for each 100 submissions.
func (b *board) read(ctx context.Context) (s snapshot, keep time.Duration, err error) {
	invitations, err := b.client.Invitations.List(b.assessment).Collect(ctx)
	if err != nil {
		return snapshot{}, keepFailure, err
	}
	submissions, err := b.client.Submissions.List(hiring.SubmissionFilter{AssessmentID: b.assessment}).Collect(ctx)
	if err != nil {
		return snapshot{}, keepFailure, err
	}
	s.At = time.Now()
	begun := make(map[string]*hiring.Submission)
	for _, submission := range slices.Backward(submissions) { // The newest of an address wins.
		submission.WorkspaceArchiveURL = nil // A secret for an hour: asked for when it is wanted.
		begun[address(submission.Candidate.Email)] = &submission
	}
	for _, invitation := range invitations {
		s.Candidates = append(s.Candidates, candidate{invitation, begun[address(invitation.CandidateEmail)]})
	}
	reads := readsOf(len(invitations)) + readsOf(len(submissions))
	return s, max(keepFor, time.Duration(reads)*time.Hour*shareOfViews/readsAnHour), nil
}

func readsOf(items int) int { return max(1, (items+pageSize-1)/pageSize) }

func address(email string) string { return strings.ToLower(strings.TrimSpace(email)) }

// add puts an invitation on the board that was just sent.
func (b *board) add(invitation hiring.Invitation) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.ContainsFunc(b.sent, func(i hiring.Invitation) bool { return i.ID == invitation.ID }) {
		b.sent = append(b.sent, invitation)
	}
}

// withSent adds what the listing did not show yet, and forgets what it does.
func (b *board) withSent(s snapshot) snapshot {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent = slices.DeleteFunc(b.sent, func(i hiring.Invitation) bool {
		_, listed := s.find(i.ID)
		return listed
	})
	for _, invitation := range b.sent {
		s.Candidates = append([]candidate{{Invitation: invitation}}, s.Candidates...) // Others share the listed ones.
	}
	return s
}

// report returns what grading found. Listings are assumed to hold it; if they do
// not, it costs one read a candidate, once.
func (b *board) report(ctx context.Context, submission *hiring.Submission) (*hiring.Report, error) {
	if submission.Report != nil || submission.Status != hiring.SubmissionEvaluated {
		return submission.Report, nil
	}
	if err := b.enter(ctx); err != nil {
		return nil, err
	}
	defer b.leave()
	if report, ok := b.reports[submission.ID]; ok {
		return report, nil
	}
	report, err := b.client.Submissions.Report(ctx, submission.ID)
	if err != nil {
		return nil, err
	}
	if report.Ready() {
		b.reports[submission.ID] = &report
	}
	return &report, nil
}

func (s snapshot) find(invitationID string) (candidate, bool) {
	at := slices.IndexFunc(s.Candidates, func(c candidate) bool { return c.ID == invitationID })
	if at < 0 {
		return candidate{}, false
	}
	return s.Candidates[at], true
}
