package hiring

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/defaults"
	"github.com/hiring-assessment/hiring-go/internal/quota"
	"github.com/hiring-assessment/hiring-go/internal/urls"
)

// Version is the version of this package, as in its User-Agent header.
const Version = "0.1.0"

const apiPrefix = "/api/v1"

// Client calls the API with the key of one organization. Create it with [New] or [FromEnv]
// and share it: it is safe for concurrent use. The zero value panics when it is used.
type Client struct {
	Account     *AccountService
	Assessments *AssessmentService
	Challenges  *ChallengeService
	Events      *EventService
	Invitations *InvitationService
	Members     *MemberService
	Submissions *SubmissionService

	core *core
}

func (c *Client) mustCore() *core {
	if c == nil {
		c = new(Client)
	}
	return (&service{c.core}).mustCore()
}

// New returns a client for the API at baseURL, which does not include /api/v1, that
// authenticates with apiKey. It sends no request.
//
// Invalid arguments are returned as [*ParamError], several of them joined in one error.
// The error says what to correct and never contains the key.
func New(baseURL, apiKey string, opts ...Option) (*Client, error) {
	return newNamed(baseURL, apiKey, inputNames{"baseURL", "apiKey"}, opts)
}

func newNamed(baseURL, apiKey string, names inputNames, opts []Option) (*Client, error) {
	c := config{
		baseURL:  baseURL,
		key:      func() string { return apiKey },
		names:    names,
		timeout:  defaults.Timeout,
		maxBytes: defaults.MaxResponseBytes,
	}
	return c.with(opts).assemble(newShared())
}

// FromEnv is like [New] with the base URL from HIRING_BASE_URL and the key from
// HIRING_API_KEY. Its errors name these variables. HIRING_INSECURE_HTTP=true allows plain http
// to a host without a dot or with a private address, as that of a sandbox in another
// container. Any other host needs [WithInsecureHTTP].
func FromEnv(opts ...Option) (*Client, error) {
	names := inputNames{"HIRING_BASE_URL", "HIRING_API_KEY"}
	insecure := func(c *config) { c.insecureFromEnv = os.Getenv(insecureVariable) }
	return newNamed(os.Getenv(names.baseURL), os.Getenv(names.key), names, append([]Option{insecure}, opts...))
}

const insecureVariable = "HIRING_INSECURE_HTTP"

// With returns a copy of the client with the same key, base URL and options, changed by
// opts. Both share connections and the state of the rate limits.
func (c *Client) With(opts ...Option) (*Client, error) {
	k := c.mustCore()
	return k.config.with(opts).assemble(k.shared)
}

// String returns the environment and the host, as in "hiring.Client(test,
// hiring.example.com)". It never contains the key.
func (c *Client) String() string {
	if c == nil || c.core == nil {
		return "hiring.Client(without New)"
	}
	return "hiring.Client(" + cmp.Or(string(c.Environment()), "unknown environment") + ", " + c.core.base.Host + ")"
}

// Environment returns the environment of the key, by its prefix. It is empty for an
// unknown prefix. With [WithKeySource] it is the environment of the last used key, and
// empty before the first request.
func (c *Client) Environment() Environment { return c.mustCore().keys.lastUsed().environment }

// assemble checks the options and creates the client.
func (c config) assemble(s *shared) (*Client, error) {
	if c.last == nil {
		c.last = new(atomic.Pointer[keyInfo])
	}
	base, badURL := c.checkBaseURL()
	keys, badKey := newKeyring(c.names.key, c.key(), c.keySource, c.environment, c.last)
	dialect, badDialect := c.dialect.WithDefaults()
	retry, badRetry := c.retry.withDefaults()
	if err := joinParams(badURL, badKey, badDialect, badRetry, c.checkLimits()); err != nil {
		return nil, err
	}
	c.retry = retry
	k := &core{config: c, base: base, dialect: dialect, keys: keys, shared: s, server: urls.Server(&base), traces: c.allTraces()}
	return newClient(k), nil
}

// newClient creates the client of checked options.
func newClient(k *core) *Client {
	c := k.config
	if c.http != nil {
		k.http = *c.http
	}
	// A redirect would send the key to another server.
	k.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	agent := "hiring-go/" + Version + " (" + runtime.Version() + "; " + runtime.GOOS + "/" + runtime.GOARCH + ")"
	k.agent = []string{strings.TrimSpace(c.product + " " + agent)}
	return &Client{
		Account:     &AccountService{k},
		Assessments: &AssessmentService{k},
		Challenges:  &ChallengeService{k},
		Events:      &EventService{k},
		Invitations: &InvitationService{k},
		Members:     &MemberService{k},
		Submissions: &SubmissionService{k},
		core:        k,
	}
}

// core is what the services of one client share.
type core struct {
	config  config
	base    url.URL // Scheme, host and path prefix, which includes apiPrefix.
	dialect Dialect
	http    http.Client
	agent   []string // The User-Agent header.
	keys    keyring
	server  string  // Host and port of base, as in Exchange.
	traces  *traces // Spans compare this pointer, so that a call within another opens no second span.
	shared  *shared
}

// transport returns the transport of the next attempt. It is read at each attempt, because mocks
// and tracing replace http.DefaultTransport.
func (k *core) transport() http.RoundTripper {
	if k.http.Transport != nil {
		return k.http.Transport
	}
	if current, ok := http.DefaultTransport.(*http.Transport); ok && current == initialTransport && current != nil {
		return ownTransport()
	}
	return http.DefaultTransport
}

// initialTransport is http.DefaultTransport as it was before the program could replace it, nil for
// one of another type.
var initialTransport, _ = http.DefaultTransport.(*http.Transport)

// ownTransport returns the one transport of all clients that got none. It is copied at its first
// use, with what the program has set in http.DefaultTransport until then.
var ownTransport = sync.OnceValue(func() *http.Transport {
	return withPings(initialTransport, 15*time.Second, 15*time.Second)
})

// withPings returns a copy of a transport that closes an HTTP/2 connection when a ping, sent after
// some time without a frame, gets no response in time. Otherwise a connection that the network has
// dropped is used until TCP gives up, for a quarter of an hour. What the transport itself sets for
// HTTP/2 stays.
func withPings(t *http.Transport, after, response time.Duration) *http.Transport {
	t = t.Clone()
	if t.HTTP2 == nil {
		t.HTTP2 = new(http.HTTP2Config)
	}
	t.HTTP2.SendPingTimeout = cmp.Or(t.HTTP2.SendPingTimeout, after)
	t.HTTP2.PingTimeout = cmp.Or(t.HTTP2.PingTimeout, response)
	return t
}

// service has the field and method that all services have in common.
type service struct{ core *core }

// mustCore returns the core. It panics when the caller did not get the service from New.
func (s *service) mustCore() *core {
	if s == nil || s.core == nil {
		panic("hiring: the client was not made by New: use New, FromEnv or Client.With")
	}
	return s.core
}

// shared is the state that a client and its variants share.
type shared struct {
	quotas   quota.Tracker
	clock    serverClock
	accounts sync.Map // The id of the account that each keyID belongs to.
	invited  addresses
	polled   atomic.Bool // A poll has succeeded, so the base URL is right.
}

func newShared() *shared {
	return &shared{invited: newAddresses()}
}

// account returns the id of the account that a key belongs to, "" if it is not known.
func (s *shared) account(id keyID) string {
	account, _ := s.accounts.Load(id)
	text, _ := account.(string)
	return text
}

// setAccount records the account that a key belongs to.
func (s *shared) setAccount(id keyID, account string) { s.accounts.Store(id, account) }

// warn logs a warning with [WithLogger]'s logger.
func (k *core) warn(ctx context.Context, message string, args ...any) {
	if k.config.logger != nil {
		k.config.logger.WarnContext(ctx, message, args...)
	}
}
