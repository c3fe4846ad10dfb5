package compare

import (
	"context"
	"fmt"
	"net/http"

	"github.com/google/uuid"

	"github.com/hiring-assessment/hiring-go/benchmarks/internal/ogen"
)

// byOgen is the client that ogen makes.
type byOgen struct {
	client *ogen.Client
}

// bearer gives ogen the key.
type bearer string

//nolint:revive // the name is ogen's
func (b bearer) ApiKey(context.Context, ogen.OperationName) (ogen.ApiKey, error) {
	return ogen.ApiKey{Token: string(b)}, nil
}

func newOgen(base string, transport http.RoundTripper) (peer, error) {
	client, err := ogen.NewClient(base, bearer(apiKey), ogen.WithClient(&http.Client{Transport: transport}))
	return &byOgen{client: client}, err
}

// as is what ogen answered when it is a success.
func as[T any](answer any, err error) (T, error) {
	ok, isOK := answer.(T)
	if err == nil && !isOK {
		err = fmt.Errorf("got a %T", answer)
	}
	return ok, err
}

func (p *byOgen) account(ctx context.Context) error {
	answer, err := p.client.GetAccount(ctx)
	_, err = as[*ogen.GetAccountOKHeaders](answer, err)
	return err
}

func (p *byOgen) invitations(ctx context.Context) error {
	answer, err := p.client.ListInvitations(ctx, ogen.ListInvitationsParams{
		ID: ogen.ID(uuid.MustParse(assessmentID)), Page: ogen.NewOptInt64(1), PageSize: ogen.NewOptInt(100),
	})
	_, err = as[*ogen.ListInvitationsOKHeaders](answer, err)
	return err
}

func (p *byOgen) submissions(ctx context.Context) error {
	answer, err := p.client.ListSubmissions(ctx, ogen.ListSubmissionsParams{PageSize: ogen.NewOptInt(100)})
	_, err = as[*ogen.ListSubmissionsOKHeaders](answer, err)
	return err
}

func (p *byOgen) events(ctx context.Context) error {
	_, err := p.eventsAfter(ctx, 0)
	return err
}

func (p *byOgen) eventsAfter(ctx context.Context, seq int64) (*ogen.ListEventsOKHeaders, error) {
	answer, err := p.client.ListEvents(ctx, ogen.ListEventsParams{
		ID: ogen.ID(uuid.MustParse(submissionID)), SinceSeq: ogen.NewOptInt64(seq), PageSize: ogen.NewOptInt(500),
	})
	return as[*ogen.ListEventsOKHeaders](answer, err)
}

func (p *byOgen) walk(ctx context.Context) (events int, err error) {
	err = follow(func(after int64) (int64, bool, error) {
		page, err := p.eventsAfter(ctx, after)
		if err != nil {
			return 0, false, err
		}
		for _, e := range page.Response.Data {
			after = e.Seq
			events++
		}
		return after, page.Response.Meta.HasMore, nil
	})
	return events, err
}
