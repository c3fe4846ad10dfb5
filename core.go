package hiring

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/quota"
)

// core is what the services of one client share.
type core struct {
	config  config
	base    url.URL // Scheme, host and path prefix, which includes apiPrefix.
	dialect Dialect
	http    http.Client
	agent   []string // The User-Agent header.
	keys    keyring
	server  string // Of base, as in Exchange.
	*traces        // Copies of a core share them: a call within another is known by them.
	shared  *shared
}

// service has the field and method that all services have in common.
type service struct{ core *core }

// use returns the core. It panics when the caller did not get the service from New.
func (s *service) use() *core {
	if s == nil || s.core == nil {
		panic("hiring: the client was not made by New: use New, FromEnv or Client.With")
	}
	return s.core
}

// shared is the state that a client and its variants share.
type shared struct {
	quotas   quota.Tracker
	clock    serverClock
	accounts accountIDs
	invited  addresses
}

// serverClock estimates the server's clock from the Date headers of responses. The zero value agrees with the local
// clock. It is safe for concurrent use.
type serverClock struct{ ahead atomic.Int64 }

// learn takes the Date of a response to a request that was sent and received at local times. Date has whole seconds, so
// learn changes the estimate only when the clocks differ by more.
func (c *serverClock) learn(date, sent, received time.Time) {
	at := c.at(received)
	if at.Before(date) || at.After(date.Add(time.Second+received.Sub(sent))) {
		c.ahead.Store(int64(date.Sub(received)))
	}
}

// at returns the server's time at a local time.
func (c *serverClock) at(local time.Time) time.Time { return local.Add(time.Duration(c.ahead.Load())) }

// accountIDs holds the known ids of the accounts that keys belong to.
type accountIDs struct {
	mu    sync.Mutex
	known map[keyID]string
}

// maxAccounts is more keys than a program uses at a time. Dropping a key costs one read.
const maxAccounts = 1000

// account returns the id of the account that a key belongs to, "" if it is not known.
func (s *shared) account(id keyID) string {
	s.accounts.mu.Lock()
	defer s.accounts.mu.Unlock()
	return s.accounts.known[id]
}

// setAccount records the account that a key belongs to.
func (s *shared) setAccount(id keyID, account string) {
	s.accounts.mu.Lock()
	defer s.accounts.mu.Unlock()
	if len(s.accounts.known) >= maxAccounts || s.accounts.known == nil {
		s.accounts.known = make(map[keyID]string)
	}
	s.accounts.known[id] = account
}

// warn logs a warning with [WithLogger]'s logger.
func (k *core) warn(ctx context.Context, message string, args ...any) {
	if k.config.logger != nil {
		k.config.logger.WarnContext(ctx, message, args...)
	}
}
