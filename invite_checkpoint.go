package hiring

import (
	"context"
	"maps"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/inviting"
)

const (
	// dateMargin is by how much the server's time may be ahead of its Date header,
	// which has whole seconds.
	dateMargin = time.Second

	// unboundedTimeout is how long an attempt without a timeout is assumed to take. A
	// restart assumes that it took until the process ended.
	unboundedTimeout = 30 * time.Second

	// latestEnd is how far in the future a saved request ends at most, whatever the
	// server's clock said when it was saved.
	latestEnd = 15 * time.Minute
)

// inviteCheckpoint saves in a Checkpoint what the client's requestMemory has of an
// assessment and must survive a crash. All methods accept a nil receiver, which saves
// nothing.
type inviteCheckpoint struct {
	service    *InvitationService
	assessment string // Of [inviting.Addressee].
	store      Checkpoint
	ends       inviting.Ends // As it was saved last.
	text       string        // The same, encoded.
	delay      time.Duration // How long a save may take.
}

// openInviteCheckpoint loads what earlier runs for the assessment have saved.
func openInviteCheckpoint(ctx context.Context, s *InvitationService, assessmentID string, store Checkpoint) (*inviteCheckpoint, error) {
	text, err := store.Load(ctx)
	if err != nil {
		return nil, checkpointFailure("SendAll", "load", err)
	}
	assessment := inviting.To(assessmentID, "").Assessment
	ends, err := inviting.ParseEnds(text, assessment)
	if err != nil {
		return nil, &ParamError{Param: "Checkpoint", Problem: err.Error() + ": restore it, or give another one to start afresh"}
	}
	return &inviteCheckpoint{service: s, assessment: assessment, store: store, ends: ends, text: text}, nil
}

// restore adds the requests of earlier runs to the client's memory. It follows the first scan,
// whose responses told the server's time. It leaves out the requests that the scan has decided.
func (c *inviteCheckpoint) restore(scanned time.Time) {
	if c == nil {
		return
	}
	clock, timeout := &c.service.core.shared.clock, c.service.core.config.timeout
	now := clock.Now()
	latest := now.Add(max(latestEnd, timeout))
	for key, ends := range c.ends {
		ended := clock.Local(time.Unix(ends, 0))
		switch {
		case ended.After(latest):
			ended = latest
		case timeout == 0 && ended.Before(now): // It may have taken until its process ended.
			ended = now
		}
		if !inviting.Decides(scanned, ended) {
			c.service.requests.record(inviting.Addressee{Assessment: c.assessment, Key: key}, lastRequest{at: ended, unclear: errEarlierRun}, now)
		}
	}
}

// sending saves that a request to an address is about to be sent.
func (c *inviteCheckpoint) sending(ctx context.Context, to inviting.Addressee) error {
	if c == nil {
		return nil
	}
	clock, timeout := &c.service.core.shared.clock, c.service.core.config.timeout
	if timeout == 0 {
		timeout = unboundedTimeout
	}
	for {
		begun := clock.Now()
		if err := c.save(ctx, inviting.Ends{to.Key: inviting.Seconds(clock.Server(begun).Add(dateMargin + c.delay + timeout))}); err != nil {
			return err
		}
		took := clock.Now().Sub(begun)
		if took <= c.delay+dateMargin/4 {
			return nil
		}
		c.delay = 2 * took // The request is sent later than saved: save it again.
	}
}

// save saves what the client remembers, and the requests that are about to be sent.
func (c *inviteCheckpoint) save(ctx context.Context, sending inviting.Ends) error {
	ends, clock := make(inviting.Ends), &c.service.core.shared.clock
	for key, ended := range c.service.requests.unsettled(c.assessment, clock.Now()) {
		ends[key] = max(c.ends[key], inviting.Seconds(clock.Server(ended))) // A canceled request may still take effect.
	}
	maps.Copy(ends, sending)
	text, err := ends.Encode(c.assessment)
	if err == nil && text != c.text {
		err = c.store.Save(ctx, text)
	}
	if err != nil {
		return checkpointFailure("SendAll", "save", err)
	}
	c.ends, c.text = ends, text
	return nil
}

// close saves what is known since the last request.
func (c *inviteCheckpoint) close(ctx context.Context) error {
	if c == nil {
		return nil
	}
	return c.save(context.WithoutCancel(ctx), nil)
}
