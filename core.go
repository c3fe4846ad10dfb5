package hiring

import (
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/provenance"
	"github.com/hiring-assessment/hiring-go/internal/quota"
	"github.com/hiring-assessment/hiring-go/internal/retry"
	"github.com/hiring-assessment/hiring-go/internal/serverclock"
)

// core is what the services of one client share.
type core struct {
	config      config
	base        url.URL // Scheme, host and path prefix, which includes apiPrefix.
	dialect     Dialect
	http        http.Client
	timeout     time.Duration // Of an attempt; 0 means none.
	timeoutHint string        // How to change timeout.
	agent       []string
	keys        keyring
	server      string // Of base, as in Exchange.
	hooks
	shared *shared

	withoutReports atomic.Bool // The client has warned that listings hold no reports.
}

// policy returns how failed attempts are retried.
func (k *core) policy() retry.Policy { return retry.Policy(k.config.retry) }

// shared is the state that a client and its variants share.
type shared struct {
	quotas     quota.Book
	provenance provenance.Judge
	clock      serverclock.Clock // Of the server. Ignores a Date that a time zone does not explain.
	pollClock  serverclock.Clock // The same for polling, which works with any difference of the clocks.
	owners     owners
}

// maxClockSkew is more than time zones and late corrections explain.
const maxClockSkew = 36 * time.Hour

func newShared() *shared {
	return &shared{clock: serverclock.Clock{MaxSkew: maxClockSkew}}
}

// left returns the limit and the remaining requests of the present window of a key,
// or of a new window, and how long the window lasts.
func (s *shared) left(id keyID, method string, now time.Time) (limit, remaining int, ends time.Duration) {
	return s.quotas.Left(id, classOf(method), now)
}

// owners holds the known ids of the accounts that keys belong to.
type owners struct {
	mu    sync.Mutex
	known map[keyID]string
}

// manyOwners is more keys than a program uses at a time. Forgetting a key costs one
// read.
const manyOwners = 1000

// account returns the id of the account that a key belongs to, "" if it is not known.
func (s *shared) account(id keyID) string {
	s.owners.mu.Lock()
	defer s.owners.mu.Unlock()
	return s.owners.known[id]
}

// keep records the account that a key belongs to.
func (s *shared) keep(id keyID, account string) {
	s.owners.mu.Lock()
	defer s.owners.mu.Unlock()
	if len(s.owners.known) >= manyOwners || s.owners.known == nil {
		s.owners.known = make(map[keyID]string)
	}
	s.owners.known[id] = account
}
