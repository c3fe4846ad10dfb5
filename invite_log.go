package hiring

import (
	"context"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/inviting"
)

const (
	// keptSent is how long the checkpoint keeps an address after its invitation was
	// sent: a listing may show it that late.
	keptSent = time.Minute

	// dateMargin is by how much the server's time may be ahead of its Date header,
	// which has whole seconds.
	dateMargin = time.Second

	// unboundedTimeout is how long an attempt without a timeout is assumed to take. A
	// restart assumes that it took until the process ended.
	unboundedTimeout = 30 * time.Second

	// latestEnd is how far in the future a recorded request ends at most, whatever
	// the server's clock said when it was recorded.
	latestEnd = 15 * time.Minute
)

// inviteLog records in a Checkpoint the addresses to which requests may be on their
// way. All methods accept a nil receiver, which records nothing.
type inviteLog struct {
	core    *core
	store   Checkpoint
	record  inviting.Record      // On disk; sentInvitations remembers for the client.
	earlier map[string]time.Time // When the unresolved requests of earlier runs have ended, by the local clock.
	saved   string               // The state that was saved last.
	delay   time.Duration        // How long a save may take.
}

// openInviteLog loads the record of earlier runs for the assessment.
func openInviteLog(ctx context.Context, k *core, store Checkpoint, assessmentID string) (*inviteLog, error) {
	text, err := store.Load(ctx)
	if err != nil {
		return nil, &checkpointFailure{"SendAll", "load", err}
	}
	record, err := inviting.ParseRecord(text, assessmentID)
	if err != nil {
		return nil, &ParamError{Param: "Checkpoint", Problem: err.Error() + ": restore it, or give another one to start afresh"}
	}
	return &inviteLog{core: k, store: store, record: record, saved: text}, nil
}

// readEarlier reads when the requests of earlier runs have ended. Then it drops from the record
// what the first scan has shown, whose responses told the server's time.
func (l *inviteLog) readEarlier(scanned time.Time) {
	if l == nil {
		return
	}
	clock, timeout := &l.core.shared.clock, l.core.config.timeout
	now := clock.Now()
	latest := now.Add(max(latestEnd, timeout))
	l.earlier = l.record.Ends()
	for key, ends := range l.earlier {
		ends = clock.Local(ends)
		switch {
		case ends.After(latest):
			ends = latest
		case timeout == 0 && ends.Before(now): // It may have taken until its process ended.
			ends = now
			l.record.Begin(key, clock.Server(now))
		}
		l.earlier[key] = ends
	}
	l.record.Expire(clock.Server(scanned))
}

// unresolved returns by when the unresolved request of an earlier run to an address has
// ended.
func (l *inviteLog) unresolved(to inviting.Addressee) (ended time.Time, found bool) {
	if l == nil {
		return time.Time{}, false
	}
	ended, found = l.earlier[inviting.Key(to)]
	return ended, found
}

// sending records an address whose request is about to be sent.
func (l *inviteLog) sending(ctx context.Context, to inviting.Addressee) error {
	if l == nil {
		return nil
	}
	timeout := l.core.config.timeout
	if timeout == 0 {
		timeout = unboundedTimeout
	}
	for {
		begun := l.core.shared.clock.Now()
		l.record.Begin(inviting.Key(to), l.core.shared.clock.Server(begun).Add(dateMargin+l.delay+timeout))
		if err := l.save(ctx); err != nil {
			l.record.Resolve(inviting.Key(to), begun)
			return err
		}
		took := l.core.shared.clock.Now().Sub(begun)
		if took <= l.delay+dateMargin/4 {
			return nil
		}
		l.delay = 2 * took // The request is sent later than recorded: record it again.
	}
}

// resolve drops an address from the record when it has been kept for a time, because the
// outcome of its request is known and needs no lookup.
func (l *inviteLog) resolve(to inviting.Addressee, kept time.Duration) {
	if l != nil {
		delete(l.earlier, inviting.Key(to))
		l.record.Resolve(inviting.Key(to), l.core.shared.clock.Now().Add(kept))
	}
}

// save saves the record if it differs from the saved state.
func (l *inviteLog) save(ctx context.Context) error {
	text, err := l.record.Encode(l.core.shared.clock.Now())
	if err == nil && text != l.saved {
		err = l.store.Save(ctx, text)
	}
	if err != nil {
		return &checkpointFailure{"SendAll", "save", err}
	}
	l.saved = text
	return nil
}

// close saves what was resolved since the last request.
func (l *inviteLog) close(ctx context.Context) error {
	if l == nil {
		return nil
	}
	return l.save(context.WithoutCancel(ctx))
}
