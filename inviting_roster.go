package hiring

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"time"
)

// freshness is how old the knowledge of a roster may be when something is sent.
const freshness = time.Minute

// roster is what is known of an assessment's invitations.
type roster struct {
	service      *InvitationService
	assessmentID string
	patient      bool // Wait for quota windows, however many it takes.

	known     map[string]Invitation // By address as in addressKey; nil before the first look.
	listed    map[string]bool       // The ids that looks have shown which went far enough.
	total     int                   // What the last of these was told there are; 0 when it was not.
	looked    time.Time             // When it began.
	waited    bool                  // For a window, since then.
	unordered bool                  // The listing was not newest first.
}

// refuse judges a candidate before anything is looked up for it.
func (r *roster) refuse(in NewInvitation) error {
	k := r.service.core
	return in.apply(newRequest("Invitations.Ensure", "POST /assessments/{id}/invitations", r.assessmentID), k.dialect).err
}

// find returns the invitation of an addressee, as far as it is known.
func (r *roster) find(who addressee) (invitation Invitation, found bool) {
	if invitation, found = r.known[who.address]; found {
		return invitation, true
	}
	return r.service.sent.invitation(who)
}

// refresh looks if what is known is too old to send by. A look that itself had
// to wait for a window is followed by another.
func (r *roster) refresh(ctx context.Context) error {
	for stale := r.waited || time.Since(r.looked) > freshness; stale; stale = r.waited {
		if err := r.look(ctx, "", false); err != nil {
			return err
		}
	}
	return nil
}

// glance is one pass over the listing, or over the beginning of it.
type glance struct {
	found     map[string]Invitation // By address, the newest.
	ids       map[string]bool
	seen      int       // Items.
	first     int       // How many there are, as the service said first; 0 when it did not.
	total     int       // As it said last.
	moved     bool      // Items left the listing meanwhile: others may have slipped to a page read before.
	last      time.Time // When the item before was created.
	unordered bool
}

// take adds a page.
func (g *glance) take(page *Page[Invitation]) {
	if total := page.Meta.Total; total > 0 {
		g.first = cmp.Or(g.first, total)
		g.moved = g.moved || total < g.total
		g.total = total
	}
	for i := range page.Items {
		invitation := &page.Items[i]
		if invitation.ID != "" && g.ids[invitation.ID] {
			continue // The listing has grown meanwhile: this was on the page before.
		}
		g.ids[invitation.ID] = true
		g.seen++
		if key := addressKey(invitation.CandidateEmail); g.found[key].ID == "" {
			g.found[key] = *invitation
		}
		if at := invitation.CreatedAt; !at.IsZero() {
			g.unordered = g.unordered || !g.last.IsZero() && at.After(g.last)
			g.last = at
		}
	}
	g.moved = g.moved || page.Next == "" && g.seen < g.first // What was added meanwhile is no item of this walk.
}

// hasNews tells whether more that is new may follow on a page. What this client
// sent is no news, but others may have sent below it: only a page that shows
// something of an earlier look, and else nothing but our own, is the last.
func (r *roster) hasNews(items []Invitation) bool {
	reached := false
	for i := range items {
		id := items[i].ID
		if id != "" && r.listed[id] {
			reached = true
			continue
		}
		ours, found := r.find(newAddressee(r.assessmentID, items[i].CandidateEmail))
		if !found || id == "" || ours.ID != id {
			return true
		}
	}
	return !reached
}

// look reads the listing as far as the wanted address, or else as far as there
// is anything new: to the first page with nothing new, but all of it the first
// time, if that is asked for, if the listing is not in order, and if it has
// shrunk. It does not forget what a listing does not show any more. When items
// leave while it reads, it begins again.
func (r *roster) look(ctx context.Context, wanted string, whole bool) error {
	ctx = WithResponse(ctx, nil)
	for n := 0; ; n++ {
		moved, err := r.walk(ctx, wanted, whole || n > 0)
		if err != nil || !moved {
			return err
		}
		if n >= r.service.core.config.retry.MaxAttempts {
			return errMoved
		}
	}
}

// errMoved says that no walk has seen all of a listing for certain.
var errMoved = errors.New("hiring: items left the listing of invitations each time it was read")

// walk is one look. When it moved, the wanted address may have been missed.
func (r *roster) walk(ctx context.Context, wanted string, whole bool) (moved bool, err error) {
	g := glance{found: make(map[string]Invitation), ids: make(map[string]bool)}
	began, token, enough, waited := time.Now(), "", true, r.waited
	r.waited = false
	err = r.patiently(ctx, func() error {
		for page, err := range r.service.List(r.assessmentID).From(token).Pages(ctx) {
			if err != nil {
				return err
			}
			last := r.listed != nil && !r.hasNews(page.Items)
			g.take(&page)
			whole = whole || g.moved || g.total > 0 && g.total < r.total
			if _, found := g.found[wanted]; found && wanted != "" {
				enough, moved = page.Next == "" && !g.moved, false
				return nil
			}
			enough, moved = !g.moved, g.moved
			r.unordered = r.unordered || g.unordered
			if last && !whole && !r.unordered {
				return nil
			}
			token = page.Next
		}
		return nil
	})
	if err == nil {
		r.learn(g, enough, began)
	}
	r.waited = r.waited || waited && (err != nil || !enough)
	return moved, err
}

// learn keeps what a look has shown. One that did not go far enough must not
// keep the next from going on.
func (r *roster) learn(g glance, enough bool, began time.Time) {
	if r.known == nil {
		r.known = g.found
	} else {
		maps.Copy(r.known, g.found)
	}
	if !enough {
		return
	}
	r.looked, r.total = began, g.total
	if r.listed == nil {
		r.listed = g.ids
	} else {
		maps.Copy(r.listed, g.ids)
	}
}

// patiently makes a call, again in the next window when this one is used up.
func (r *roster) patiently(ctx context.Context, call func() error) error {
	for {
		err := call()
		wait := r.nextWindow(ctx, err)
		if wait == 0 {
			return err
		}
		if waitErr := r.outlast(ctx, wait); waitErr != nil {
			return &endedError{waitErr, err}
		}
	}
}

// nextWindow returns how long the next window is away for a patient roster whose
// quota is used up: others with the same key may have used it up too. It is 0
// for any other error, the throttle for failed authentications among them, which
// is never waited out so.
func (r *roster) nextWindow(ctx context.Context, err error) time.Duration {
	failure, ok := errors.AsType[*Error](err)
	if _, look := errors.AsType[*lookError](err); look {
		return 0 // Which was as patient.
	}
	if !ok || !r.patient || ctx.Err() != nil || failure.throttled || !errors.Is(failure, ErrQuotaExhausted) && !failure.usedUp() {
		return 0
	}
	if failure.RetryAfter > longestWindow {
		return 0 // No window ends so.
	}
	return max(0, failure.RetryAfter)
}

// outlast waits for a window.
func (r *roster) outlast(ctx context.Context, wait time.Duration) error {
	r.waited = true
	return sleep(ctx, wait, PauseQuota)
}
