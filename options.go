package hiring

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/neterr"
	"github.com/hiring-assessment/hiring-go/internal/retry"
)

// Option changes how a client works. Options only record; [New] and
// [Client.With] judge them together, so their order does not matter. Observers
// and probes add up; of any other option given twice the last one holds.
type Option func(*config)

type config struct {
	baseURL     string
	names       inputNames
	key         func() string // A closure, because no printer looks into one.
	source      func(context.Context) (string, error)
	last        *atomic.Pointer[keyInfo] // Of the key that a client and its variants used last.
	http        *http.Client
	retry       RetryPolicy
	timeout     time.Duration
	hooks       []hook
	logger      *slog.Logger
	product     string
	dialect     Dialect
	maxBytes    int64
	environment Environment
	insecure    bool
	reserve     float64
}

// inputNames are what the caller calls the two inputs that every client has.
type inputNames struct{ baseURL, key string }

func (c config) with(opts []Option) config {
	c.hooks = slices.Clip(c.hooks)
	for _, opt := range opts {
		if opt != nil {
			opt(&c)
		}
	}
	return c
}

// WithHTTPClient sends through a copy of client: its transport and cookie jar. Its
// Timeout limits each attempt, as [WithTimeout] does, where it is the shorter of
// the two; it does not limit archive downloads. Its redirect policy is not used,
// because redirects are not followed. nil means the default client.
func WithHTTPClient(client *http.Client) Option {
	return func(c *config) { c.http = client }
}

// WithRetry sets how failed attempts are repeated.
func WithRetry(policy RetryPolicy) Option {
	return func(c *config) { c.retry = policy }
}

// WithTimeout bounds each attempt, the reading of its body included. The
// default is 30 s; 0 means no bound but the context's.
func WithTimeout(d time.Duration) Option {
	return func(c *config) { c.timeout = d }
}

// WithObserver adds a function that is called once an attempt, in the goroutine
// of the call and before its next attempt or its return.
func WithObserver(observe func(context.Context, Exchange)) Option {
	return func(c *config) {
		if observe != nil {
			c.hooks = append(c.hooks, hook{observe: observe})
		}
	}
}

// WithTrace adds a probe, which sees calls and attempts from their beginning,
// and waits, as tracers must. Without one a call costs nothing more.
func WithTrace(p Trace) Option {
	return func(c *config) {
		if p.Call != nil || p.Attempt != nil || p.Pause != nil {
			c.hooks = append(c.hooks, hook{Trace: p})
		}
	}
}

// WithLogger logs each attempt: at level debug when it succeeded, info when it
// will be retried, and warn when it failed for good or an assumption looks wrong
// (see Exchange.Warning). The log line of an attempt without a response, or whose
// response was cut short, names the cause in a word or two, such as timeout, dns or
// connection refused. Resource ids, names, bodies, messages, codes that are not
// documented, and the key are never logged. Request ids are logged.
//
// Waits of more than a second for the rate limit, and before looking for a write
// whose response was lost, are logged at level info with their reason and end. nil
// means no log.
func WithLogger(logger *slog.Logger) Option {
	return func(c *config) { c.logger = logger }
}

// WithUserAgent puts product, as in "acme-ats/1.2", before the SDK's own name.
func WithUserAgent(product string) Option {
	return func(c *config) { c.product = product }
}

// WithDialect corrects what the client assumes about the undocumented parts of
// the service. Zero fields keep their defaults.
func WithDialect(d Dialect) Option {
	return func(c *config) { c.dialect = d }
}

// WithMaxResponseBytes bounds the bytes of a reply that are read, after
// decompression. The default is 64 MiB; a longer reply is an error, and so is one
// that would take more than four times as much memory to read, body included
// (and 64 KiB at least).
func WithMaxResponseBytes(n int64) Option {
	return func(c *config) { c.maxBytes = n }
}

// WithEnvironment makes [New] fail when the key is not of environment e: a test
// suite's guard against mailing real candidates. With [WithKeySource] each key
// is judged before it is used.
func WithEnvironment(e Environment) Option {
	return func(c *config) { c.environment = e }
}

// WithKeySource asks source for the key before each attempt, for keys that
// rotate. The key given to [New] is then not used and may be empty. An error of
// source ends the call as an [*Error] that wraps it, and nothing is sent.
// Environment and Quota are of the key last used.
func WithKeySource(source func(context.Context) (string, error)) Option {
	return func(c *config) { c.source, c.last = source, nil }
}

// WithQuotaReserve makes a client for background work, which leaves that
// fraction of each quota window, as in 0.2, to others that use the key. It waits
// or fails as if the quota were used up that much earlier.
func WithQuotaReserve(fraction float64) Option {
	return func(c *config) { c.reserve = fraction }
}

// WithInsecureHTTP allows a base URL of plain http to another machine, where
// everyone on the way can read the key.
func WithInsecureHTTP() Option {
	return func(c *config) { c.insecure = true }
}

// RetryPolicy says how often and how patiently a failed attempt is repeated.
// A zero field means the default.
type RetryPolicy struct {
	MaxAttempts int           // All attempts of a call, the first included: 4. 1 means never repeat.
	BaseBackoff time.Duration // The longest first pause, doubled each time: 500 ms. The pause is random below that.
	MaxBackoff  time.Duration // The longest pause that the client chooses by itself: 30 s.
	MaxWait     time.Duration // The longest pause that the service may ask for: 1 min. A longer one fails at once.
}

func (p RetryPolicy) withDefaults() (RetryPolicy, error) {
	full, negative := retry.Policy(p).WithDefaults()
	var err error
	for _, field := range negative {
		err = joinParams(err, &ParamError{Param: "RetryPolicy." + field, Problem: "must not be negative (0 means the default)"})
	}
	return RetryPolicy(full), err
}

// logTo is the observer of [WithLogger].
func logTo(logger *slog.Logger) func(context.Context, Exchange) {
	return func(ctx context.Context, e Exchange) {
		level, message := slog.LevelDebug, "hiring: call"
		switch {
		case e.Wait > 0:
			level, message = slog.LevelInfo, "hiring: call will be repeated"
		case e.Err != nil:
			level, message = slog.LevelWarn, "hiring: call failed"
		case e.Warning != "":
			level, message = slog.LevelWarn, "hiring: call answered unlike asked"
		}
		if !logger.Enabled(ctx, level) {
			return
		}
		attrs := append(make([]slog.Attr, 0, 10),
			slog.String("operation", e.Operation),
			slog.String("method", e.Method),
			slog.String("route", e.Route),
			slog.Int("status", e.Status),
			slog.String("request_id", e.RequestID),
			slog.Int("attempt", e.Attempt),
			slog.Duration("duration", e.Duration))
		if e.Wait > 0 {
			attrs = append(attrs, slog.Duration("wait", e.Wait))
		}
		if e.Warning != "" {
			attrs = append(attrs, slog.String("warning", e.Warning))
		}
		if failure, ok := errors.AsType[*Error](e.Err); ok && failure.Code.documented() {
			attrs = append(attrs, slog.String("code", string(failure.Code)))
		} else if e.Err != nil && (e.Status == 0 || ok && failure.Unwrap() != nil) { // The latter was cut short.
			attrs = append(attrs, slog.String("cause", neterr.Word(e.Err)))
		}
		logger.LogAttrs(ctx, level, message, attrs...)
	}
}

// logPauses logs the waits that can be long: for the rate limit, and before a lookup
// of a write whose response was lost.
func logPauses(logger *slog.Logger) func(context.Context, TracePause) {
	return func(ctx context.Context, p TracePause) {
		if p.Reason == PauseQuota || p.Reason == PauseSettle {
			logger.LogAttrs(ctx, slog.LevelInfo, "hiring: waiting",
				slog.String("operation", p.Operation), slog.String("reason", string(p.Reason)), slog.Time("until", p.Until))
		}
	}
}

// allHooks returns the hooks of a client.
func (c config) allHooks() hooks {
	h := hooks{all: c.hooks, tracing: slices.ContainsFunc(c.hooks, func(h hook) bool { return h.observe == nil })}
	if c.logger != nil {
		h.all = append(slices.Clip(h.all), hook{observe: logTo(c.logger), Trace: Trace{Pause: logPauses(c.logger)}})
		h.logging = true
	}
	return h
}
