package jobs

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Webhook posts results to a URL. It signs posts by the Standard Webhooks scheme, so
// that receivers in any language can verify the sender:
//
//	hook, err := jobs.NewWebhook("https://example.com/hooks/hiring", jobs.WebhookOptions{Secrets: []string{"whsec_..."}})
//	...
//	jobs.Watch(config, db, jobs.Results[pgx.Tx]{Send: hook.Send, ...})
//
// Posts arrive at least once and in no particular order. A Webhook is safe for
// concurrent use.
type Webhook struct {
	url     string
	signers []*standardwebhooks.Webhook
	client  *http.Client
}

// WebhookOptions are the options of a [Webhook].
type WebhookOptions struct {
	// Secrets are shared with the receiver. Each is base64 of 24 to 64 bytes, with or
	// without the prefix whsec_, and each signs every post. To replace a secret, first
	// set both, then configure the new one in the receiver, then remove the old one.
	Secrets []string

	// AllowPrivate permits receivers at loopback, link-local, private and other
	// addresses that are not on the public internet, and plain http. Without it a post to
	// such an address is refused when the connection is made, after the name was resolved, so
	// that customers who enter a URL cannot reach the servers of your own network.
	// The proxy of the environment is then not used.
	AllowPrivate bool

	// Client is the HTTP client. Nil means a client with a timeout of 15 s.
	// Redirects are never followed. A client with a Transport of its own, for example
	// for a proxy, decides itself which addresses it connects to.
	Client *http.Client
}

// Lengths of a secret in bytes that Standard Webhooks allows.
const minSecret, maxSecret = 24, 64

// NewWebhook returns a webhook that posts to the https URL of the receiver. The error never contains a secret.
func NewWebhook(receiver string, o WebhookOptions) (*Webhook, error) {
	u, err := url.Parse(receiver)
	if err != nil || u.Host == "" || u.Scheme != "https" && (u.Scheme != "http" || !o.AllowPrivate) {
		return nil, errors.New("jobs: NewWebhook: the receiver must be an absolute https URL: plain http, which sends candidate data unencrypted, needs AllowPrivate")
	}
	if len(o.Secrets) == 0 {
		return nil, errors.New("jobs: NewWebhook: at least one secret is required")
	}
	client := *cmp.Or(o.Client, &http.Client{Timeout: 15 * time.Second})
	w := &Webhook{url: receiver, client: &client}
	for i, secret := range o.Secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(key) < minSecret || len(key) > maxSecret {
			return nil, fmt.Errorf("jobs: NewWebhook: secret %d must be base64 of %d to %d bytes, with or without the prefix whsec_", i+1, minSecret, maxSecret)
		}
		signer, _ := standardwebhooks.NewWebhookRaw(key) // Returns no error.
		w.signers = append(w.signers, signer)
	}
	if w.client.Transport == nil && !o.AllowPrivate {
		w.client.Transport = publicTransport
	}
	w.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return w, nil
}

// publicTransport connects to addresses of the public internet only. All webhooks
// share its connections. It uses no proxy, because a proxy would resolve the name. It is no
// clone of http.DefaultTransport, which may be of another type.
var publicTransport = &http.Transport{
	DialContext:       (&net.Dialer{Timeout: 10 * time.Second, Control: requirePublic}).DialContext,
	ForceAttemptHTTP2: true, MaxIdleConns: 100, IdleConnTimeout: 90 * time.Second, TLSHandshakeTimeout: 10 * time.Second,
}

var errNotPublic = errors.New("the receiver's address is not on the public internet: set WebhookOptions.AllowPrivate if it may be in your own network")

// requirePublic refuses a connection to an address that is not on the public internet.
func requirePublic(_, address string, _ syscall.RawConn) error {
	peer, err := netip.ParseAddrPort(address)
	if err != nil || !isPublic(peer.Addr()) {
		return errNotPublic
	}
	return nil
}

// specialNetworks are networks that net/netip counts as global and that lead, or may
// lead, to hosts outside of the public internet: this network, carrier NAT, protocol
// assignments, benchmarks, reserved addresses, and IPv6 networks that contain or
// translate to IPv4 addresses.
var specialNetworks = []string{
	"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "198.18.0.0/15", "240.0.0.0/4",
	"::/96", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/32", "2002::/16", "fec0::/10",
}

func isPublic(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	return ip.IsGlobalUnicast() && !ip.IsPrivate() &&
		!slices.ContainsFunc(specialNetworks, func(network string) bool { return netip.MustParsePrefix(network).Contains(ip) })
}

// message is the body of a post.
type message struct {
	Type      string            `json:"type"`
	Timestamp time.Time         `json:"timestamp"` // The time of the evaluation.
	Data      hiring.Submission `json:"data"`
}

// Send posts one result. The body is a JSON object with the members type
// (submission.evaluated), timestamp (of the evaluation) and data, the submission with
// its report and without its signed archive link.
//
// The webhook-id consists of "msg_" and [Delivery.ID]. A receiver must ignore an id
// that it has processed, because a post may be repeated: after a lost response, and
// by [Deliver].
//
// Any 2xx status is success. After a 410 the error matches [ErrReceiverGone]. After
// any other status with a Retry-After the error is a [RetryAfterError]. Errors contain
// the host of the URL, and nothing else of the URL or the response.
func (w *Webhook) Send(ctx context.Context, d Delivery) error {
	d.Submission.WorkspaceArchiveURL = nil
	body, err := json.Marshal(message{"submission.evaluated", *cmp.Or(d.Submission.EvaluatedAt, &d.Submission.CreatedAt), d.Submission})
	if err != nil {
		return err
	}
	r, _ := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(body)) // NewWebhook has parsed the URL.
	r.Header.Set("Content-Type", "application/json")
	w.sign(r.Header, "msg_"+d.ID, body)
	response, err := w.client.Do(r)
	if err != nil {
		if urlErr, ok := errors.AsType[*url.Error](err); ok { // Its text contains the whole URL.
			err = urlErr.Err
		}
		if errors.Is(err, errNotPublic) { // The text of the dial contains the address.
			err = errNotPublic
		}
		return fmt.Errorf("jobs: webhook to %s: %w", r.URL.Host, err)
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.CopyN(io.Discard, response.Body, 64<<10) // Allows the connection to be reused.
	return responseError(response, r.URL.Host)
}

// sign sets the headers of Standard Webhooks.
func (w *Webhook) sign(h http.Header, id string, body []byte) {
	now := time.Now()
	signatures := make([]string, len(w.signers))
	for i, signer := range w.signers {
		signatures[i], _ = signer.Sign(id, now, body) // Returns no error.
	}
	h.Set(standardwebhooks.HeaderWebhookID, id)
	h.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	h.Set(standardwebhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
}

// receiverError is a response of a receiver whose status is no success.
type receiverError struct {
	host   string
	status int
}

func (e *receiverError) Error() string {
	return fmt.Sprintf("jobs: webhook to %s: status %d", e.host, e.status)
}

// responseError returns the error for the status of a response, nil for a 2xx.
func responseError(r *http.Response, host string) error {
	if r.StatusCode >= 200 && r.StatusCode < 300 {
		return nil
	}
	err := error(&receiverError{host, r.StatusCode})
	if r.StatusCode == http.StatusGone {
		return fmt.Errorf("%w: %w", err, ErrReceiverGone)
	}
	if after := retryAfter(r.Header); after > 0 {
		return &RetryAfterError{After: after, Err: err}
	}
	return err
}

// retryAfter returns the delay of a Retry-After header in seconds or as a date, or 0.
func retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil {
		return time.Duration(seconds) * time.Second
	}
	at, _ := http.ParseTime(text) // Another text is the zero time, long ago.
	return time.Until(at)
}
