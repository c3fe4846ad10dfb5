package jobs

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
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
	// Since means the time when the first job was inserted, even if that job failed.
	// Checkpoint must be nil, because the state is in the table hiring_jobs.
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
	if o.Watch.Checkpoint != nil {
		return fmt.Errorf("jobs: organization %q: Watch.Checkpoint would not be used: leave it nil, the state is in the table hiring_jobs", o.Name)
	}
	return nil
}

// Directory is a list of organizations that changes while the workers run, for
// example a table of customers. Each process reads it every 20 s, and when it gets a
// job of an organization that it does not know. An organization that is added is polled
// within a minute. No organization at the start is fine.
//
// When an organization is no longer listed by any process, its polls and runs of
// invitations end, and ten minutes later its unfinished deliveries are cancelled, with
// a line at the level WARN. Its rows of hiring_jobs stay, so that an organization that
// returns continues where it was, with the deliveries found from then on. [Deliver]
// delivers a cancelled one.
type Directory struct {
	// List returns all organizations. When it returns an error, the previous list
	// stays in force. It may be called by several goroutines, one at a time.
	List func(ctx context.Context) ([]Listed, error)

	// Open returns a listed organization, for example with a decrypted key. An empty
	// Name means the listed one. Open is called when a job needs the organization for
	// the first time in a process, and again after its revision has changed or Open
	// has returned an error. The jobs of the organization fail with that error, and are
	// retried.
	Open func(ctx context.Context, listed Listed) (Organization, error)
}

// Listed is an organization of a [Directory].
type Listed struct {
	Name string // See [Organization.Name].

	// Revision is any text that changes when Open would return something else, such as
	// the time of the row's last change or a hash of the encrypted key.
	Revision string
}

// source is where the organizations of one Results, or of Invitations, come from.
type source struct {
	fixed     []Organization
	directory *Directory // After newRegistry never nil.
	telemetry Telemetry  // Complete.
}

// directoryOf returns a directory of fixed organizations.
func directoryOf(fixed []Organization) *Directory {
	listed, byName := make([]Listed, len(fixed)), make(map[string]Organization, len(fixed))
	for i, o := range fixed {
		listed[i], byName[o.Name] = Listed{Name: o.Name}, o
	}
	return &Directory{
		List: func(context.Context) ([]Listed, error) { return listed, nil },
		Open: func(_ context.Context, l Listed) (Organization, error) { return byName[l.Name], nil },
	}
}

func (s source) check() error {
	switch {
	case s.directory != nil && len(s.fixed) > 0:
		return errors.New("jobs: set Organizations or Directory, not both")
	case s.directory != nil && (s.directory.List == nil || s.directory.Open == nil):
		return errors.New("jobs: a Directory needs List and Open")
	case s.directory == nil && len(s.fixed) == 0:
		return errors.New("jobs: no organizations were given: set Organizations, or a Directory when they come later")
	}
	return nil
}

// registry holds the organizations that this process knows.
type registry struct {
	sources []source
	log     func() *slog.Logger

	reading sync.Mutex // Held while the sources are read.

	mu      sync.Mutex
	entries map[string]*entry
	read    time.Time // When the sources were read. Zero before the first time.
	err     error     // Of a source that has never been read successfully.
}

// entry is an organization of a registry.
type entry struct {
	Listed

	source int
	open   func(context.Context, Listed) (Organization, error)

	mu     sync.Mutex // Held while the organization is opened.
	opened *Organization
}

// refreshInterval is the time after which the sources are read again.
var refreshInterval = 20 * time.Second

// unknownInterval is the time after which the sources are read again for a job of an
// organization that is not known.
const unknownInterval = 2 * time.Second

// listTimeout limits one call of [Directory.List].
const listTimeout = 15 * time.Second

// newRegistry checks the fixed organizations. Those of directories are read later.
func newRegistry(log func() *slog.Logger, sources ...source) (*registry, error) {
	names := make(map[string]bool)
	sources = slices.Clone(sources)
	for i, s := range sources {
		if err := s.check(); err != nil {
			return nil, err
		}
		if s.directory == nil {
			sources[i].directory = directoryOf(s.fixed)
		}
		for _, o := range s.fixed {
			if err := o.check(); err != nil {
				return nil, err
			}
			if names[o.Name] {
				return nil, fmt.Errorf("jobs: two organizations have the name %q: give each its own name", o.Name)
			}
			names[o.Name] = true
		}
	}
	return &registry{sources: sources, log: log, entries: make(map[string]*entry)}, nil
}

// errUnlisted is returned for an organization that this process does not list.
var errUnlisted = errors.New("jobs: the organization is not listed")

// find returns an organization and the index of its source.
func (r *registry) find(ctx context.Context, name string) (o Organization, source int, err error) {
	r.refresh(ctx, refreshInterval, false)
	e, err := r.entry(name)
	if errors.Is(err, errUnlisted) {
		r.refresh(ctx, unknownInterval, true)
		e, err = r.entry(name)
	}
	if err != nil {
		return o, 0, err
	}
	o, err = e.organization(ctx, r.sources[e.source].telemetry)
	return o, e.source, err
}

func (r *registry) entry(name string) (*entry, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.entries[name]
	if e == nil && r.err != nil {
		return nil, r.err
	}
	if e == nil {
		return nil, errUnlisted
	}
	return e, nil
}

// names returns the names of the organizations, sorted. It returns an error, with those
// that are known, when a source has never been read.
func (r *registry) names(ctx context.Context) ([]string, error) {
	r.refresh(ctx, refreshInterval, true)
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.entries)), r.err
}

// telemetryOf returns the telemetry of an organization. One that is not listed has that
// of the first source.
func (r *registry) telemetryOf(name string) Telemetry {
	if e, err := r.entry(name); err == nil {
		return r.sources[e.source].telemetry
	}
	return r.sources[0].telemetry
}

// refresh reads the sources, unless they were read within the interval. While another
// goroutine reads them, refresh waits only if wait is set or they were never read, so
// that a List that hangs does not stop the jobs.
func (r *registry) refresh(ctx context.Context, interval time.Duration, wait bool) {
	_, read := r.known()
	if time.Since(read) < interval {
		return
	}
	if wait || read.IsZero() {
		r.reading.Lock()
	} else if !r.reading.TryLock() {
		return
	}
	defer r.reading.Unlock()
	before, read := r.known()
	if time.Since(read) < interval {
		return
	}
	entries := make(map[string]*entry)
	var failed error
	for i, s := range r.sources {
		ctx, cancel := context.WithTimeout(ctx, listTimeout)
		listed, err := s.directory.List(ctx)
		cancel()
		if err != nil {
			r.log().WarnContext(ctx, "jobs: Directory.List failed: the previous organizations stay", "error", err)
			known := 0
			for name, e := range before {
				if e.source == i {
					entries[name] = e
					known++
				}
			}
			if known == 0 {
				failed = fmt.Errorf("jobs: Directory.List: %w", err)
			}
			continue
		}
		for _, l := range listed {
			e := before[l.Name]
			if e == nil || e.Listed != l || e.source != i {
				e = &entry{Listed: l, source: i, open: s.directory.Open}
			}
			if other := entries[l.Name]; checkText("Name", l.Name) != nil || other != nil && other != e {
				r.log().WarnContext(ctx, "jobs: Directory.List returned a name twice, or one that is empty or not UTF-8 without NUL: it is ignored", "organization", l.Name)
				continue
			}
			entries[l.Name] = e
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries, r.read, r.err = entries, time.Now(), failed
}

// known returns the entries, and when they were read.
func (r *registry) known() (map[string]*entry, time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.entries, r.read
}

// organization opens the organization of an entry, unless it is open.
func (e *entry) organization(ctx context.Context, telemetry Telemetry) (Organization, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.opened != nil {
		return *e.opened, nil
	}
	o, err := e.open(ctx, e.Listed)
	if err != nil {
		return o, fmt.Errorf("jobs: opening organization %q: %w", e.Name, err)
	}
	if o.Name == "" {
		o.Name = e.Name
	}
	if o.Name != e.Name {
		return o, fmt.Errorf("jobs: Directory.Open returned the organization %q for %q", o.Name, e.Name)
	}
	if err := o.check(); err != nil {
		return o, err
	}
	o.telemetry = telemetry
	e.opened = &o
	return o, nil
}
