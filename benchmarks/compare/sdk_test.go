package compare

import (
	"context"
	"log/slog"
	"net/http"

	hiring "github.com/hiring-assessment/hiring-go"
)

// sdk is the client, with everything on that a deployed one would have.
type sdk struct {
	client *hiring.Client
	seen   int // Attempts, by the observer.
}

func newSDK(base string, transport http.RoundTripper) (peer, error) {
	p := new(sdk)
	var err error
	p.client, err = hiring.New(base, apiKey,
		hiring.WithHTTPClient(&http.Client{Transport: transport}),
		hiring.WithObserver(func(context.Context, hiring.Exchange) { p.seen++ }),
		hiring.WithLogger(slog.New(slog.DiscardHandler)))
	return p, err
}

func (p *sdk) account(ctx context.Context) error {
	_, err := p.client.Account.Get(ctx)
	return err
}

func (p *sdk) invitations(ctx context.Context) error {
	_, err := p.client.Invitations.List(assessmentID).Page(ctx)
	return err
}

func (p *sdk) submissions(ctx context.Context) error {
	_, err := p.client.Submissions.List(hiring.SubmissionFilter{}).Page(ctx)
	return err
}

func (p *sdk) events(ctx context.Context) error {
	_, err := p.log().Page(ctx)
	return err
}

func (p *sdk) log() hiring.Pager[hiring.Event] {
	return p.client.Events.List(submissionID, hiring.EventFilter{})
}

func (p *sdk) walk(ctx context.Context) (events int, err error) {
	for _, err := range p.log().All(ctx) {
		if err != nil {
			return events, err
		}
		events++
	}
	return events, nil
}
