package hiring

import (
	"cmp"
	"context"
	"encoding/json"
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

	jsonv2 "github.com/go-json-experiment/json"

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

func (c *Client) use() *core {
	if c == nil {
		c = new(Client)
	}
	return (&service{c.core}).use()
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
		timeout:  30 * time.Second,
		maxBytes: 64 << 20,
	}
	return c.with(opts).assemble(new(shared))
}

// FromEnv is like [New] with the base URL from HIRING_BASE_URL and the key from
// HIRING_API_KEY. Its errors name these variables.
func FromEnv(opts ...Option) (*Client, error) {
	names := inputNames{"HIRING_BASE_URL", "HIRING_API_KEY"}
	return newNamed(os.Getenv(names.baseURL), os.Getenv(names.key), names, opts)
}

// With returns a copy of the client with the same key, base URL and options, changed by
// opts. Both share connections and the state of the rate limits.
func (c *Client) With(opts ...Option) (*Client, error) {
	k := c.use()
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
func (c *Client) Environment() Environment { return c.use().keys.lastUsed().environment }

// Quota holds the last known rate limits of a key. Reads and writes are counted
// separately. A class without a response yet is zero: see [RateLimit.Known].
type Quota struct {
	Read  RateLimit // GET: 1000 an hour.
	Write RateLimit // POST, PATCH and DELETE: 200 an hour.
}

// Quota returns the last known rate limits of the key for reads and writes. It sends no
// request. A class is zero until its first response; see [RateLimit.Known].
func (c *Client) Quota() Quota {
	k := c.use()
	id, quotas := k.keys.lastUsed().id, &k.shared.quotas
	return Quota{Read: RateLimit(quotas.Known(id, quota.Read)), Write: RateLimit(quotas.Known(id, quota.Write))}
}

// OpenAPI returns the API's OpenAPI 3.1 document. The document comes without the envelope
// of other responses (assumed: bare document) or is taken out of the envelope. Scope read;
// costs one read.
func (c *Client) OpenAPI(ctx context.Context) (json.RawMessage, error) {
	var document json.RawMessage
	err := c.use().makeCall(ctx, newRequest("OpenAPI", "GET /openapi.json"), func(body []byte, bodyErr error) (string, error) {
		var members struct {
			OpenAPI RawValue `json:"openapi"`
			Data    RawValue `json:"data"`
		}
		if err := cmp.Or(bodyErr, decode(body, &members)); err != nil {
			return "", err
		}
		if members.OpenAPI == nil && members.Data != nil {
			document = json.RawMessage(members.Data)
		} else {
			document = slices.Clone(json.RawMessage(body))
		}
		return "", nil
	})
	return document, err
}

// Do sends a request to an endpoint that this package has no method for. path is below
// /api/v1 and already escaped, as in "/assessments/"+id+"/archive". query may be nil. Do
// uses the same key, retries and errors as every other method. It needs the scope of the
// endpoint, and costs one read when method is GET, else one write.
//
// Do sends in as JSON unless in is nil, and decodes the response's data into out, a
// pointer. If out is nil, any 2xx response of the API is success. If out is anything else,
// Do returns a [ParamError] and sends nothing. Encoding and decoding follow
// encoding/json/v2, except that field names match in any case.
func (c *Client) Do(ctx context.Context, method, path string, query url.Values, in, out any) (Meta, error) {
	r := anyRequest(c.use().dialect, method, path)
	r.query = query
	if v := reflect.ValueOf(out); out != nil && (v.Kind() != reflect.Pointer || v.IsNil()) {
		r = r.refuse("out", "must be a pointer that is not nil, or nil itself")
	}
	if in != nil {
		r = r.withBody(in)
	}
	var e envelope[RawValue]
	err := c.use().makeCall(ctx, r, func(body []byte, bodyErr error) (string, error) {
		err := readEnvelope(body, bodyErr, &e, readerOf[RawValue])
		if err != nil {
			e = envelope[RawValue]{}
		}
		switch {
		case out == nil:
			return "", nil
		case err != nil:
			return "", err
		case e.Data == nil:
			return "", errNoData
		}
		return "", decode(*e.Data, out, jsonv2.MatchCaseInsensitiveNames(true))
	})
	return e.Meta.public(), err
}

// anyRequest returns a request for a path that the caller chose.
func anyRequest(d Dialect, method, escaped string) request {
	r := request{operation: "Do", method: method}
	if !urls.IsMethod(method) {
		r = r.refuse("method", "must be GET, POST, PATCH, PUT or DELETE")
	}
	path, template, err := urls.ParsePath(escaped, d.knowsSegment)
	if err != nil {
		return r.refuse("path", err.Error())
	}
	if path.Plain == apiPrefix || strings.HasPrefix(path.Plain, apiPrefix+"/") {
		r = r.refuse("path", "must be below "+apiPrefix+": leave out "+apiPrefix+", which the client adds")
	}
	r.route, r.path, r.rawPath = template, path.Plain, path.Raw
	return r
}

// assemble checks the options and creates the client.
func (c config) assemble(s *shared) (*Client, error) {
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
	c.maxBytes = min(c.maxBytes, math.MaxInt64-1) // One byte more is read, to detect a longer response.
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

func (c config) checkLimits() error {
	var err error
	refuse := func(wrong bool, option, problem string) {
		if wrong {
			err = joinParams(err, &ParamError{Param: option, Problem: problem})
		}
	}
	err = checkUnit("WithTimeout", c.timeout)
	refuse(c.timeout < 0, "WithTimeout", "must not be negative (0 means none)")
	refuse(c.logger != nil && c.logger.Handler() == nil, "WithLogger", "the logger has no handler: make it with slog.New")
	if c.http != nil {
		v := reflect.ValueOf(c.http.Transport)
		refuse(v.IsValid() && (v.Kind() == reflect.Pointer || v.Kind() == reflect.Func) && v.IsNil(), "WithHTTPClient",
			"its Transport is a nil pointer: set it to nil itself for the default transport")
	}
	refuse(!(c.reserveShare >= 0 && c.reserveShare < 1), "WithQuotaReserve", "must be at least 0 and below 1") // Also refuses NaN.
	refuse(c.maxBytes <= 0, "WithMaxResponseBytes", "must be above 0")
	refuse(strings.ContainsFunc(c.product, unicode.IsControl), "WithUserAgent", "must not contain control characters")
	return err
}

// checkUnit refuses a positive duration below a millisecond: it is a number to which no
// unit was applied.
func checkUnit(option string, d time.Duration) error {
	if d > 0 && d < time.Millisecond {
		return &ParamError{Param: option, Problem: "is a number without a unit? write 30*time.Second"}
	}
	return nil
}

// checkBaseURL never quotes the base URL, because it may be a misplaced key.
func (c config) checkBaseURL() (url.URL, error) {
	base, problems := urls.ParseBase(c.baseURL, apiPrefix, c.insecure)
	var err error
	for _, problem := range problems {
		err = joinParams(err, &ParamError{Param: c.names.baseURL, Problem: problem})
	}
	return base, err
}
