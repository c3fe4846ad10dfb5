package hiring

import (
	"context"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/inviting"
)

const (
	// keptSent is how long the checkpoint keeps an address after a response said
	// that its invitation was sent: a listing may show it that late.
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

// inviteLog records in a Checkpoint to which addresses requests may be on their
// way. All methods accept nil, which records nothing.
type inviteLog struct {
	core    *core
	store   Checkpoint
	record  inviting.Record
	earlier map[string]time.Time // When the unresolved requests of earlier runs have ended, by the local clock.
	saved   string
	delay   time.Duration // How long a save may take.
}

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

// looked is called after each reading of the listing, with the time when the last
// one began that covered the whole listing.
func (l *inviteLog) looked(whole time.Time) {
	if l == nil || whole.IsZero() {
		return
	}
	if l.earlier == nil { // The first response has told the server's time.
		l.earlier = l.record.Ends()
		now := l.core.shared.clock.Now()
		latest := now.Add(max(latestEnd, l.core.config.timeout))
		for key, ends := range l.earlier {
			ends = l.core.shared.clock.Local(ends)
			switch {
			case ends.After(latest):
				ends = latest
			case l.core.config.timeout == 0 && ends.Before(now): // It may have taken until its process ended.
				ends = now
				l.record.Begin(key, l.core.shared.clock.Server(now))
			}
			l.earlier[key] = ends
		}
	}
	l.record.Expire(l.core.shared.clock.Server(whole))
}

// unresolved returns when the request has ended that an earlier run recorded for
// an address.
func (l *inviteLog) unresolved(who inviting.Addressee) (ended time.Time, found bool) {
	if l == nil {
		return time.Time{}, false
	}
	ended, found = l.earlier[inviting.Key(who)]
	return ended, found
}

// sending records an address whose request is about to be sent.
func (l *inviteLog) sending(ctx context.Context, who inviting.Addressee) error {
	if l == nil {
		return nil
	}
	timeout := l.core.config.timeout
	if timeout == 0 {
		timeout = unboundedTimeout
	}
	for {
		begun := l.core.shared.clock.Now()
		l.record.Begin(inviting.Key(who), l.core.shared.clock.Server(begun).Add(dateMargin+l.delay+timeout))
		if err := l.save(ctx); err != nil {
			l.record.Resolve(inviting.Key(who), begun)
			return err
		}
		took := l.core.shared.clock.Now().Sub(begun)
		if took <= l.delay+dateMargin/4 {
			return nil
		}
		l.delay = 2 * took // The request is sent later than recorded: record it again.
	}
}

// sent records that a response confirmed the invitation of an address.
func (l *inviteLog) sent(who inviting.Addressee) {
	l.resolve(who, keptSent)
}

// resolved records that the outcome of an address is known and a listing shows it.
func (l *inviteLog) resolved(who inviting.Addressee) { l.resolve(who, 0) }

func (l *inviteLog) resolve(who inviting.Addressee, kept time.Duration) {
	if l != nil {
		delete(l.earlier, inviting.Key(who))
		l.record.Resolve(inviting.Key(who), l.core.shared.clock.Now().Add(kept))
	}
}

// save saves the record unless it has been saved.
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
