package compare

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
)

// byHand is what is written for one project: net/http, and encoding/json into structs of its own.
type byHand struct {
	base   string
	client *http.Client
	got    struct { // One of each for all calls, which saves an allocation.
		account     wireEnvelope[account]
		invitations wireEnvelope[[]invitation]
		submissions wireEnvelope[[]submission]
		events      wireEnvelope[[]event]
	}
}

func newByHand(base string, transport http.RoundTripper) (peer, error) {
	return &byHand{base: base, client: &http.Client{Transport: transport}}, nil
}

func (p *byHand) get(ctx context.Context, path string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.base+path, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+apiKey)
	resp, err := p.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", path, resp.Status)
	}
	if err := json.NewDecoder(resp.Body).Decode(into); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body) // So that the connection is reused.
	return err
}

func (p *byHand) account(ctx context.Context) error {
	p.got.account = wireEnvelope[account]{}
	return p.get(ctx, "/api/v1/account", &p.got.account)
}

func (p *byHand) invitations(ctx context.Context) error {
	p.got.invitations = wireEnvelope[[]invitation]{}
	return p.get(ctx, "/api/v1/assessments/"+assessmentID+"/invitations?page=1&page_size=100", &p.got.invitations)
}

func (p *byHand) submissions(ctx context.Context) error {
	p.got.submissions = wireEnvelope[[]submission]{}
	return p.get(ctx, "/api/v1/submissions?page_size=100", &p.got.submissions)
}

func (p *byHand) events(ctx context.Context) error { return p.eventsAfter(ctx, 0) }

func (p *byHand) eventsAfter(ctx context.Context, seq int64) error {
	p.got.events = wireEnvelope[[]event]{}
	path := "/api/v1/submissions/" + submissionID + "/events?page_size=500&since_seq=" + strconv.FormatInt(seq, 10)
	return p.get(ctx, path, &p.got.events)
}

func (p *byHand) walk(ctx context.Context) (events int, err error) {
	err = follow(func(after int64) (int64, bool, error) {
		if err := p.eventsAfter(ctx, after); err != nil {
			return 0, false, err
		}
		for _, e := range p.got.events.Data {
			after = e.Seq
			events++
		}
		return after, p.got.events.Meta.HasMore, nil
	})
	return events, err
}
