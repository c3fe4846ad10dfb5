package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Organization is one customer of the API, with a name and an API key.
type Organization struct {
	// Name identifies the organization in jobs and in the table. It must never
	// change, and no other organization may use it. Use one name for each key: the
	// polls of two names with one key do not count each other's requests.
	Name string

	// Client has the organization's key, and with it a rate limit of its own.
	Client *hiring.Client

	// Watch are the options of the polls. Since is the start of the first poll. A zero
	// Since means the time when the first poll was inserted, by the database's clock, even if
	// that poll failed.
	// Checkpoint is not used, because the state is in the table hiring_jobs.
	Watch hiring.WatchOptions

	// Value is passed to the handlers in [Delivery.Organization]. This package does
	// not use it.
	Value any

	telemetry Telemetry // Of the Results or Invitations that contain the organization.
}

func (o Organization) check() error {
	if err := checkText("Name", o.Name); err != nil {
		return fmt.Errorf("jobs: an organization: %w", err)
	}
	if o.Client == nil {
		return fmt.Errorf("jobs: organization %q needs a Client", o.Name)
	}
	if w := o.Watch; min(w.MinInterval, w.MaxInterval) < 0 || w.MaxInterval != 0 && w.MaxInterval < w.MinInterval {
		return fmt.Errorf("jobs: organization %q: MinInterval must not be negative, nor MaxInterval shorter", o.Name)
	}
	return nil
}

// Directory is a list of organizations that changes while the workers run, for
// example a table of customers. Each process reads it every 20 s, and when it gets a
// job of an organization that it does not know. An organization that is added or returns is
// polled within a minute. No organization at the start is fine. All processes must list the same
// organizations. [Watch] and [SendInvitations] each call List and Open, so with one Directory a key has
// two clients in a process.
//
// When an organization is no longer listed, its polls and runs of invitations end, with a line
// at the level WARN, and its unfinished deliveries wait. They are [DeliveriesUnlisted], and its
// queued invitations [InvitationsStuck], until it returns or an operator deletes them. An organization
// that returns continues where it was: its rows of hiring_jobs stay, and its deliveries follow within ten minutes.
type Directory struct {
	// List returns all organizations. When it returns an error, panics, or has not returned after 15 s, when ctx ends, the previous list
	// stays in force, with a log line at the level ERROR. It may be called by several goroutines, one at a time.
	List func(ctx context.Context) ([]DirectoryEntry, error)

	// Open returns a listed organization, for example with a decrypted key. Its Name is
	// the listed one. Open is called when a job needs the organization for
	// the first time in a process, and again after its revision has changed, after the
	// API has rejected the key, after a poll whose saved state is of another account, and after
	// Open has returned an error. The jobs of the organization fail with that error, and are retried.
	Open func(ctx context.Context, listed DirectoryEntry) (Organization, error)
}

// DirectoryEntry names an organization of a [Directory].
type DirectoryEntry struct {
	Name string // See [Organization.Name].

	// Revision is any text that changes when Open would return something else, such as
	// a hash of the row.
	Revision string
}

// source is where the organizations of one Results, or of Invitations, come from.
type source struct {
	directory *Directory
	telemetry Telemetry   // Complete.
	listing   *sync.Mutex // Held while List runs.
}

// newSource checks fixed organizations, whose names must not be taken. Those of a directory are
// checked when they are opened.
func newSource(fixed []Organization, directory *Directory, telemetry Telemetry, taken map[string]bool) (source, error) {
	s := source{directory, telemetry.complete(), new(sync.Mutex)}
	switch {
	case directory != nil && len(fixed) > 0:
		return s, errors.New("jobs: set Organizations or Directory, not both")
	case directory == nil && len(fixed) == 0:
		return s, errors.New("jobs: no organizations were given: set Organizations, or a Directory when they come later")
	case directory == nil:
		s.directory = directoryOf(fixed)
	}
	for _, o := range fixed {
		if err := o.check(); err != nil {
			return s, err
		}
		if taken[o.Name] {
			return s, fmt.Errorf("jobs: two organizations have the name %q: give each its own name", o.Name)
		}
		taken[o.Name] = true
	}
	return s, nil
}

// directoryOf returns a directory of fixed organizations.
func directoryOf(fixed []Organization) *Directory {
	listed, byName := make([]DirectoryEntry, len(fixed)), make(map[string]Organization, len(fixed))
	for i, o := range fixed {
		listed[i], byName[o.Name] = DirectoryEntry{Name: o.Name}, o
	}
	return &Directory{
		List: func(context.Context) ([]DirectoryEntry, error) { return listed, nil },
		Open: func(_ context.Context, l DirectoryEntry) (Organization, error) { return byName[l.Name], nil },
	}
}

// registry holds the organizations that this process knows.
type registry struct {
	sources []source
	polls   func(context.Context) (map[jobState]jobCount, error) // See countPolls. Nil when the organizations are not polled.
	log     func() *slog.Logger

	reading sync.Mutex // Held while the sources are read, and while PollDue is reported.
	current atomic.Pointer[listing]
}

// listing is what the sources listed. It does not change.
type listing struct {
	entries map[string]*entry
	read    time.Time // When the sources were read.
	err     error     // Of List, while no organization is known.
}

// entry is an organization of a registry.
type entry struct {
	DirectoryEntry

	source int

	mu     sync.Mutex // Held while the organization is opened.
	opened *Organization
}

// refreshInterval is the time after which the sources are read again.
var refreshInterval = 20 * time.Second

// unknownInterval is the time after which the sources are read again for a job of an
// organization that is not known.
const unknownInterval = 2 * time.Second

// listTimeout limits one call of [Directory.List], and the reading of the times of the polls.
const listTimeout = 15 * time.Second

// errUnlisted is returned for an organization that this process does not list.
var errUnlisted = errors.New("jobs: the organization is not listed")

// find returns an organization and the index of its source. With an error it has a name and a telemetry only.
func (r *registry) find(ctx context.Context, name string) (o Organization, source int, err error) {
	o.Name, o.telemetry = name, r.sources[0].telemetry
	if r.current.Load().entries[name] == nil {
		r.refresh(ctx, unknownInterval)
	}
	now := r.current.Load()
	e := now.entries[name]
	if e == nil {
		return o, 0, cmp.Or(now.err, ctx.Err(), errUnlisted)
	}
	o, err = e.organization(ctx, r.sources[e.source])
	return o, e.source, err
}

// sourceOf returns the index of the source of an organization, 0 for one that is not listed.
func (r *registry) sourceOf(name string) int {
	if e := r.current.Load().entries[name]; e != nil {
		return e.source
	}
	return 0
}

// names returns the names of the organizations, sorted, or the error of List while none is
// known, or that of a context that has ended.
func (r *registry) names(ctx context.Context) ([]string, error) {
	r.refresh(ctx, refreshInterval)
	now := r.current.Load()
	return slices.Sorted(maps.Keys(now.entries)), cmp.Or(now.err, ctx.Err())
}

// refresh reads the sources, unless they were read within the interval, or the context has ended. When one
// cannot be read, all organizations stay. That the context ends while List runs is no failure of List.
func (r *registry) refresh(ctx context.Context, interval time.Duration) {
	r.reading.Lock()
	defer r.reading.Unlock()
	before := r.current.Load()
	if ctx.Err() != nil || time.Since(before.read) < interval {
		return
	}
	next, err := r.list(ctx, before)
	if err != nil {
		if ctx.Err() != nil {
			return
		}
		r.log().ErrorContext(ctx, "jobs: Directory.List failed: the previous organizations stay", "error", errorText(err))
		next = *before
		if len(next.entries) == 0 {
			next.err = fmt.Errorf("jobs: Directory.List: %w", err)
		}
	}
	next.read = time.Now()
	r.replace(ctx, before, &next)
}

// replace replaces the list, and reports when the polls of its organizations are due, which
// another process may have scheduled.
func (r *registry) replace(ctx context.Context, before, next *listing) {
	r.current.Store(next)
	if r.polls == nil {
		return
	}
	for name, e := range before.entries {
		if next.entries[name] == nil {
			r.sources[e.source].telemetry.PollDue(ctx, PollDueEvent{Organization: name})
		}
	}
	pollsCtx, stop := context.WithTimeout(ctx, listTimeout)
	defer stop()
	polls, err := r.polls(pollsCtx)
	if err != nil {
		r.log().WarnContext(ctx, "jobs: the times of the polls cannot be read: those of before stay", "error", errorText(err))
	}
	for name, e := range next.entries {
		at := polls[jobState{organization: name}].since()
		if at.IsZero() && before.entries[name] == nil {
			at = time.Now()
		}
		if !at.IsZero() {
			r.sources[e.source].telemetry.PollDue(ctx, PollDueEvent{name, at})
		}
	}
}

// list reads the sources.
func (r *registry) list(ctx context.Context, before *listing) (next listing, err error) {
	next.entries = make(map[string]*entry)
	for i, s := range r.sources {
		listed, err := s.list(ctx)
		if err != nil {
			return next, err
		}
		for _, l := range listed {
			e := before.entries[l.Name]
			if e == nil || e.DirectoryEntry != l || e.source != i {
				e = &entry{DirectoryEntry: l, source: i}
			}
			if other := next.entries[l.Name]; checkText("Name", l.Name) != nil || other != nil && other != e {
				r.log().WarnContext(ctx, "jobs: Directory.List returned a name twice, or one that is empty or not UTF-8 without NUL: it is ignored", "organization", l.Name)
				continue
			}
			next.entries[l.Name] = e
		}
	}
	return next, nil
}

// errListHangs is the error of a List that ignores the end of its context, until it returns.
var errListHangs = errors.New("it has not returned after its context ended")

// list calls List, and does not wait for one that hangs.
func (s source) list(ctx context.Context) ([]DirectoryEntry, error) {
	if !s.listing.TryLock() {
		return nil, errListHangs
	}
	ctx, stop := context.WithTimeout(ctx, listTimeout)
	defer stop()
	var result []DirectoryEntry
	var failure error
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		defer s.listing.Unlock()
		result, failure = withoutPanic(func() ([]DirectoryEntry, error) { return s.directory.List(ctx) })
	}()
	select {
	case <-returned:
		return result, failure
	case <-ctx.Done():
		return nil, errListHangs
	}
}

// reopen makes the next job of an organization open it again.
func (r *registry) reopen(name string) {
	if e := r.current.Load().entries[name]; e != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.opened = nil
	}
}

// organization opens the organization of an entry, unless it is open.
func (e *entry) organization(ctx context.Context, s source) (Organization, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.opened != nil {
		return *e.opened, nil
	}
	o, err := withoutPanic(func() (Organization, error) { return s.directory.Open(ctx, e.DirectoryEntry) })
	o.Name, o.telemetry = e.Name, s.telemetry
	if err != nil {
		return o, fmt.Errorf("jobs: opening organization %q: %w", e.Name, err)
	}
	if err := o.check(); err != nil {
		return o, err
	}
	e.opened = &o
	return o, nil
}
