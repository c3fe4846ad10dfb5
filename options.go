package hiring

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/hiring-assessment/hiring-go/internal/urls"
)

// Option configures a client. [New] and [Client.With] check all options together.
// Observers and traces accumulate, and are called in the order in which they were given.
// When any other option is given twice, the last one applies. Otherwise the order of
// options does not matter. A nil Option is ignored.
type Option func(*config)

type config struct {
	baseURL         string
	names           inputNames
	key             func() string // A closure, because printers do not print the content of closures.
	keySource       func(context.Context) (string, error)
	last            *atomic.Pointer[keyInfo] // Key that a client and its variants used last.
	http            *http.Client
	retry           RetryPolicy
	timeout         time.Duration
	traces          []Trace
	observers       []func(context.Context, Exchange)
	logger          *slog.Logger
	product         string
	dialect         Dialect
	maxBytes        int64
	environment     Environment
	insecure        bool
	insecureFromEnv string // HIRING_INSECURE_HTTP, for FromEnv.
	reserve         float64
}

// inputNames are the names of the arguments of New, or of the environment variables of
// FromEnv, for errors.
type inputNames struct{ baseURL, key string }

func (c config) with(opts []Option) config {
	c.traces, c.observers = slices.Clip(c.traces), slices.Clip(c.observers)
	for _, opt := range opts {
		if opt != nil {
			opt(&c)
		}
	}
	return c
}

// WithHTTPClient sends the requests with a copy of an [http.Client], with its Transport and Jar. Its
// Timeout limits each attempt if it is shorter than that of [WithTimeout]. It does not
// limit archive downloads. Its CheckRedirect is not used, because redirects are
// not followed. Nil means an http.Client without any of these.
//
// Without a Transport, requests use a copy of [http.DefaultTransport] that all clients of the
// process share and that notices a dead HTTP/2 connection: it sends a ping after 15 s without a
// frame and waits 15 s for the response. When the program has replaced http.DefaultTransport, as
// mocks and tracing do, requests use the replacement as it is. A Transport of your own needs
// HTTP2.SendPingTimeout.
func WithHTTPClient(client *http.Client) Option {
	return func(c *config) { c.http = client }
}

// WithRetry sets how failed attempts are retried. The default is 4 attempts with random
// delays that grow from 500 ms to 30 s, and waits of at most 1 min for a Retry-After or a
// rate-limit window. A zero field of policy keeps its default.
func WithRetry(policy RetryPolicy) Option {
	return func(c *config) { c.retry = policy }
}

// WithTimeout limits the duration of each attempt, including reading the response's body.
// The default is 30 s. 0 means no limit besides the context.
func WithTimeout(d time.Duration) Option {
	return func(c *config) { c.timeout = d }
}

// WithObserver adds a function that is called after each attempt, in the goroutine of the
// call and before the next attempt.
func WithObserver(observe func(context.Context, Exchange)) Option {
	return func(c *config) {
		if observe != nil {
			c.observers = append(c.observers, observe)
		}
	}
}

// WithTrace adds a [Trace], whose functions are called when calls, attempts and waits
// begin. A client without a trace, an observer and a logger spends no time on them.
func WithTrace(p Trace) Option {
	return func(c *config) {
		if p.Call != nil || p.Attempt != nil || p.Pause != nil {
			c.traces = append(c.traces, p)
		}
	}
}

// WithLogger logs each attempt: at level debug when it succeeded, info when it
// will be retried, and warn when it failed and is not retried or an assumption looks wrong
// (see Exchange.Warning). The log line of an attempt without a response, or whose
// response was cut short, names the cause in a word or two, such as timeout, dns or
// connection refused. rate_limit and rate_remaining are those of Exchange.RateLimit, where
// the response had them. Resource ids, names, bodies, messages, codes that are not
// documented, and the key are never logged. Request ids are logged.
//
// Waits of more than a second of a call or an invitation for the rate limit, and before
// looking for a write whose response was lost, are logged at level info with their reason
// and end. Waits between two polls are not: see WaitOptions.Progress. nil means no log.
func WithLogger(logger *slog.Logger) Option {
	return func(c *config) { c.logger = logger }
}

// WithUserAgent puts product, as in "acme-ats/1.2", before this package's name in the
// User-Agent header.
func WithUserAgent(product string) Option {
	return func(c *config) { c.product = product }
}

// WithDialect corrects the names, routes and formats that the client assumes about
// undocumented parts of the API. Zero fields keep their defaults.
func WithDialect(d Dialect) Option {
	return func(c *config) { c.dialect = d }
}

// WithMaxResponseBytes limits the size of a response's body after decompression. The
// default is 64 MiB. A longer response is an error.
func WithMaxResponseBytes(n int64) Option {
	return func(c *config) { c.maxBytes = n }
}

// WithEnvironment makes [New] fail when the key is not of environment e. Use it in test
// suites to prevent invitation e-mails to real candidates. With [WithKeySource] each key
// is checked before it is used.
func WithEnvironment(e Environment) Option {
	return func(c *config) { c.environment = e }
}

// WithKeySource calls source for the key before each attempt, for keys that are rotated. Polling
// also calls source while the rate limit of the last key leaves no requests.
// The key passed to [New] is not used and may be empty. When source returns an error,
// nothing is sent and the call returns an [*Error] that wraps it. [Client.Environment] and
// [Client.Quota] are those of the last used key.
func WithKeySource(source func(context.Context) (string, error)) Option {
	return func(c *config) { c.keySource, c.last = source, nil }
}

// WithQuotaReserve makes a client for background work that leaves a fraction of each
// rate-limit window, such as 0.2, to other users of the key. The client waits or fails as
// if the rate limit were lower by that fraction. The default is 0.
func WithQuotaReserve(fraction float64) Option {
	return func(c *config) { c.reserve = fraction }
}

// WithInsecureHTTP allows plain http to a host that is not this machine. Everyone on the network
// path can then read the key. For a sandbox in another container see [FromEnv].
func WithInsecureHTTP() Option {
	return func(c *config) { c.insecure = true }
}

func (c config) checkLimits() error {
	err := checkUnit("WithTimeout", c.timeout)
	refuse := func(wrong bool, option, problem string) {
		if wrong {
			err = joinParams(err, &ParamError{Param: option, Problem: problem})
		}
	}
	refuse(!slices.Contains([]string{"", "true", "false"}, c.insecureFromEnv), insecureVariable, "must be true, false or empty")
	refuse(c.timeout < 0, "WithTimeout", "must not be negative (0 means none)")
	refuse(c.logger != nil && c.logger.Handler() == nil, "WithLogger", "the logger has no handler: make it with slog.New")
	if c.http != nil {
		v := reflect.ValueOf(c.http.Transport)
		refuse(v.IsValid() && (v.Kind() == reflect.Pointer || v.Kind() == reflect.Func) && v.IsNil(), "WithHTTPClient",
			"its Transport is a nil pointer: set it to nil itself for the default transport")
	}
	refuse(!(c.reserve >= 0 && c.reserve < 1), "WithQuotaReserve", "must be at least 0 and below 1") // Also refuses NaN.
	refuse(c.maxBytes <= 0, "WithMaxResponseBytes", "must be above 0")
	refuse(strings.ContainsFunc(c.product, unicode.IsControl), "WithUserAgent", "must not contain control characters")
	return err
}

// checkBaseURL never quotes the base URL, because it may be a misplaced key.
func (c config) checkBaseURL() (url.URL, error) {
	base, problems := urls.ParseBase(c.baseURL, apiPrefix, func(host string) bool {
		return c.insecure || urls.Loopback(host) || c.insecureFromEnv == "true" && urls.Private(host)
	})
	var err error
	for _, problem := range problems {
		err = joinParams(err, &ParamError{Param: c.names.baseURL, Problem: problem})
	}
	return base, err
}
