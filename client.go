package hiring

import (
	"cmp"
	"context"
	"math"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	stdjson "encoding/json"

	"github.com/go-json-experiment/json"

	"github.com/hiring-assessment/hiring-go/internal/quota"
	"github.com/hiring-assessment/hiring-go/internal/serverclock"
	"github.com/hiring-assessment/hiring-go/internal/urls"
)

// Version is the SDK's own, as its User-Agent says it.
const Version = "0.1.0"

const apiPrefix = "/api/v1"

// Client calls the service with one organization's key. It is safe for
// concurrent use; make one with [New] and share it. The zero value panics when it is
// used.
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

func (c *Client) use() *core {
	if c == nil {
		c = new(Client)
	}
	return (&service{c.core}).use()
}

// New returns a client for the service at baseURL, without the /api/v1, that
// authenticates with apiKey. It sends nothing. The error says what to correct
// and never holds the key.
//
// What is wrong is a [*ParamError], or several of them in one error.
func New(baseURL, apiKey string, opts ...Option) (*Client, error) {
	return newNamed(baseURL, apiKey, inputNames{"baseURL", "apiKey"}, opts)
}

func newNamed(baseURL, apiKey string, names inputNames, opts []Option) (*Client, error) {
	c := config{
		baseURL:  baseURL,
		key:      func() string { return apiKey },
		names:    names,
		timeout:  30 * time.Second,
		maxBytes: 64 << 20,
	}
	client, err := c.with(opts).assemble(newShared(), new(sentInvitations))
	if err == nil {
		client.core.shared.clock.Follow(serverclock.Of(client.core.base.Host))
	}
	return client, err
}

// FromEnv is [New] with the base URL of HIRING_BASE_URL and the key of
// HIRING_API_KEY, and its errors call them so.
func FromEnv(opts ...Option) (*Client, error) {
	names := inputNames{"HIRING_BASE_URL", "HIRING_API_KEY"}
	return newNamed(os.Getenv(names.baseURL), os.Getenv(names.key), names, opts)
}

// With returns a variant of the client: the same key, address and options,
// changed by opts. Both share connections and what is known of the quotas.
func (c *Client) With(opts ...Option) (*Client, error) {
	k := c.use()
	return k.config.with(opts).assemble(k.shared, c.Invitations.sent)
}

// Environment tells, by the key's prefix, whether calls touch real data. It is
// empty for an unknown prefix, and with [WithKeySource] until a key was used.
func (c *Client) Environment() Environment { return c.use().keys.lastUsed().environment }

// Quota returns what the service last said about the key's two hourly quotas,
// and sends nothing. A class is zero until the first reply about it, which
// [RateLimit.Known] tells from one that is used up.
func (c *Client) Quota() Quota {
	k := c.use()
	id, quotas := k.keys.lastUsed().id, &k.shared.quotas
	return Quota{Read: RateLimit(quotas.Known(id, quota.Read)), Write: RateLimit(quotas.Known(id, quota.Write))}
}

// OpenAPI returns the service's own description of its interface, an OpenAPI
// 3.1 document, which comes without the envelope of other replies (assumed: bare
// document) or is taken out of it. Scope read; costs one read.
func (c *Client) OpenAPI(ctx context.Context) (stdjson.RawMessage, error) {
	var document stdjson.RawMessage
	err := c.use().send(ctx, newRequest("OpenAPI", "GET /openapi.json"), decoderFunc(func(p *payload) (string, error) {
		var members struct {
			OpenAPI RawValue `json:"openapi"`
			Data    RawValue `json:"data"`
		}
		if err := cmp.Or(decodeWithin(&p.within, p.body, &members), p.within.Until.Err()); err != nil {
			return "", err // Also when the timeout expired while other members were skipped.
		}
		if members.OpenAPI == nil && members.Data != nil {
			document = stdjson.RawMessage(members.Data)
		} else {
			document = slices.Clone(stdjson.RawMessage(p.body))
		}
		return "", nil
	}))
	return document, err
}

// Do makes a call that the package has no method for yet: path is below
// /api/v1 and already escaped, as in "/assessments/"+id+"/archive". It goes
// through the same key, retries and errors as every other call. Scope that of the
// endpoint; costs one read when method is GET, else one write.
//
// in is sent as JSON unless it is nil. The reply's data is decoded into out, a
// pointer, unless that is nil; then any 2xx of the service succeeds, whatever its
// body. Anything else as out is a [ParamError], before anything is sent. Both follow the rules of
// encoding/json/v2, but a member matches a field whatever its case.
func (c *Client) Do(ctx context.Context, method, path string, query url.Values, in, out any) (Meta, error) {
	r := anyRequest(method, path)
	r.query = query
	if v := reflect.ValueOf(out); out != nil && (v.Kind() != reflect.Pointer || v.IsNil()) {
		r = r.refuse("out", "must be a pointer that is not nil, or nil itself")
	}
	if in != nil {
		r = r.send(in)
	}
	var e envelope[RawValue]
	var d decoder = decoderFunc(func(p *payload) (string, error) {
		if _, err := open(p, &e); err != nil {
			return "", err
		}
		return "", decodeWithin(&p.within, *e.Data, out, json.MatchCaseInsensitiveNames(true))
	})
	if out == nil {
		d = lenientDecoder{func(p *payload) (string, error) {
			_, _ = open(p, &e) // The body need not have data.
			return "", nil
		}}
	}
	err := c.use().send(ctx, r, d)
	return e.Meta.public(), err
}

// anyRequest is a request for a path of the caller's own.
func anyRequest(method, escaped string) request {
	r := request{operation: "Do", method: method}
	if !urls.IsMethod(method) {
		r = r.refuse("method", "must be GET, POST, PATCH, PUT or DELETE")
	}
	path, template, err := urls.ParsePath(escaped)
	if err != nil {
		return r.refuse("path", err.Error())
	}
	r.route, r.path, r.rawPath = template, path.Plain, path.Raw
	return r
}

// assemble judges what the options recorded and builds the client.
func (c config) assemble(s *shared, sent *sentInvitations) (*Client, error) {
	if c.last == nil {
		c.last = new(atomic.Pointer[keyInfo])
	}
	base, badURL := c.checkBaseURL()
	keys, badKey := newKeyring(c.names.key, c.key(), c.source, c.environment, c.last)
	dialect, badDialect := c.dialect.WithDefaults()
	retry, badRetry := c.retry.withDefaults()
	if err := joinParams(badURL, badKey, badDialect, badRetry, c.checkLimits()); err != nil {
		return nil, err
	}
	c.retry = retry
	c.maxBytes = min(c.maxBytes, math.MaxInt64-1) // One more is read, to notice a longer reply.
	k := &core{config: c, base: base, dialect: dialect, keys: keys, shared: s, server: urls.Server(&base), hooks: c.allHooks()}
	return newClient(k, sent), nil
}

// newClient wires what was judged.
func newClient(k *core, sent *sentInvitations) *Client {
	c := k.config
	if c.http != nil {
		k.http = *c.http
	}
	k.timeout, k.timeoutHint = k.http.Timeout, "see http.Client.Timeout"
	k.http.Timeout = 0 // It would include waits for the rate limit and end as a cancellation.
	if k.timeout <= 0 || c.timeout > 0 && c.timeout <= k.timeout {
		k.timeout, k.timeoutHint = c.timeout, "see WithTimeout"
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
		Invitations: &InvitationService{k, sent},
		Members:     &MemberService{k},
		Submissions: &SubmissionService{k},
		core:        k,
	}
}

func (c config) checkLimits() error {
	var err error
	refuse := func(wrong bool, option, problem string) {
		if wrong {
			err = joinParams(err, &ParamError{Param: option, Problem: problem})
		}
	}
	refuse(c.timeout < 0, "WithTimeout", "must not be negative (0 means none)")
	refuse(!(c.reserve >= 0 && c.reserve < 1), "WithQuotaReserve", "must be at least 0 and below 1") // Also refuses NaN.
	refuse(c.maxBytes <= 0, "WithMaxResponseBytes", "must be above 0")
	refuse(strings.ContainsFunc(c.product, unicode.IsControl), "WithUserAgent", "must not contain control characters")
	return err
}

// checkBaseURL never quotes what it was given: it may be a key, misplaced.
func (c config) checkBaseURL() (url.URL, error) {
	base, problems := urls.ParseBase(c.baseURL, apiPrefix, c.insecure)
	var err error
	for _, problem := range problems {
		err = joinParams(err, &ParamError{Param: c.names.baseURL, Problem: problem})
	}
	return base, err
}
