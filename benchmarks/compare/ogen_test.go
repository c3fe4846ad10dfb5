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
	got    struct {
		account     *ogen.GetAccountOKHeaders
		invitations *ogen.ListInvitationsOKHeaders
		submissions *ogen.ListSubmissionsOKHeaders
		events      *ogen.ListEventsOKHeaders
	}
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
	p.got.account, err = as[*ogen.GetAccountOKHeaders](answer, err)
	return err
}

func (p *byOgen) invitations(ctx context.Context) error {
	answer, err := p.client.ListInvitations(ctx, ogen.ListInvitationsParams{
		ID: ogen.ID(uuid.MustParse(assessmentID)), Page: ogen.NewOptInt64(1), PageSize: ogen.NewOptInt(100),
	})
	p.got.invitations, err = as[*ogen.ListInvitationsOKHeaders](answer, err)
	return err
}

func (p *byOgen) submissions(ctx context.Context) error {
	answer, err := p.client.ListSubmissions(ctx, ogen.ListSubmissionsParams{PageSize: ogen.NewOptInt(100)})
	p.got.submissions, err = as[*ogen.ListSubmissionsOKHeaders](answer, err)
	return err
}

func (p *byOgen) events(ctx context.Context) error { return p.eventsAfter(ctx, 0) }

func (p *byOgen) eventsAfter(ctx context.Context, seq int64) error {
	answer, err := p.client.ListEvents(ctx, ogen.ListEventsParams{
		ID: ogen.ID(uuid.MustParse(submissionID)), SinceSeq: ogen.NewOptInt64(seq), PageSize: ogen.NewOptInt(500),
	})
	p.got.events, err = as[*ogen.ListEventsOKHeaders](answer, err)
	return err
}

func (p *byOgen) walk(ctx context.Context) (events int, err error) {
	err = follow(func(after int64) (int64, bool, error) {
		if err := p.eventsAfter(ctx, after); err != nil {
			return 0, false, err
		}
		page := p.got.events.Response
		for _, e := range page.Data {
			after = e.Seq
			events++
		}
		return after, page.Meta.HasMore, nil
	})
	return events, err
}

func (p *byOgen) last(work string) any {
	switch work {
	case "Account":
		return p.got.account.Response.Data
	case "Invitations":
		return p.got.invitations.Response.Data
	case "Submissions":
		return p.got.submissions.Response.Data
	}
	return p.got.events.Response.Data
}
