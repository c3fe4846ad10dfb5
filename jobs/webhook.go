package jobs

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Webhook posts results to a URL, signed by the Standard Webhooks scheme, so that
// receivers in any language can verify the sender:
//
//	hook, err := jobs.NewWebhook("https://example.com/hooks/hiring", jobs.WebhookOptions{Secrets: []string{"whsec_..."}})
//	...
//	jobs.Watch[*riverpgxv5.Driver](config, jobs.Results[pgx.Tx]{Send: hook.Send, ...})
//
// Posts arrive at least once and in no particular order.
type Webhook struct {
	url     string
	signers []*standardwebhooks.Webhook
	client  *http.Client
}

// WebhookOptions say how a [Webhook] posts.
type WebhookOptions struct {
	// Secrets are shared with the receiver: base64 of at least 24 bytes, with or
	// without the prefix whsec_. Each of them signs every post. To replace a secret,
	// give both, then let the receiver use the new one, then remove the old one.
	Secrets []string

	// Client is the HTTP client. Nil means a client with a timeout of 15 s.
	// Redirects are never followed.
	Client *http.Client

	// InsecureHTTP permits a receiver at a plain http URL that is not on loopback.
	// Posts hold candidates' names, addresses and reports.
	InsecureHTTP bool
}

// minSecret is the number of bytes that Standard Webhooks asks for.
const minSecret = 24

// NewWebhook returns a webhook that posts to the receiver's URL.
func NewWebhook(receiver string, o WebhookOptions) (*Webhook, error) {
	at, err := url.Parse(receiver)
	if err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http" {
		return nil, errors.New("jobs: NewWebhook: the receiver must be an absolute https URL")
	}
	if at.Scheme == "http" && !o.InsecureHTTP && !isLoopback(at.Hostname()) {
		return nil, errors.New("jobs: NewWebhook: plain http would send candidate data unencrypted: use https, or set InsecureHTTP")
	}
	if len(o.Secrets) == 0 {
		return nil, errors.New("jobs: NewWebhook: at least one secret is required")
	}
	w := &Webhook{url: receiver, client: &http.Client{Timeout: 15 * time.Second}}
	for i, secret := range o.Secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil {
			return nil, fmt.Errorf("jobs: NewWebhook: secret %d is not base64, with or without the prefix whsec_", i+1)
		}
		if len(key) < minSecret {
			return nil, fmt.Errorf("jobs: NewWebhook: secret %d has %d bytes: at least %d are required", i+1, len(key), minSecret)
		}
		signer, err := standardwebhooks.NewWebhookRaw(key)
		if err != nil {
			return nil, fmt.Errorf("jobs: NewWebhook: secret %d cannot be used", i+1)
		}
		w.signers = append(w.signers, signer)
	}
	if o.Client != nil {
		own := *o.Client
		w.client = &own
	}
	w.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return w, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// message is the body of a post.
type message struct {
	Type      string            `json:"type"`
	Timestamp time.Time         `json:"timestamp"` // The time of the evaluation.
	Data      hiring.Submission `json:"data"`
}

// Send posts one result as a JSON object with type (submission.evaluated),
// timestamp and data, which is the submission with its report and without its
// signed archive link. The webhook-id is made of [Delivery.ID]. A receiver ignores
// an id that it has processed: a post whose response is lost is sent again, and
// [Deliver] sends it again.
//
// Any 2xx status is success. A 410 means that the receiver wants no more: the error
// matches [ErrReceiverGone]. Any other status is an error, with the Retry-After of
// the response as [RetryAfterError]. Errors quote only the host of the URL, and
// nothing of the response.
func (w *Webhook) Send(ctx context.Context, d Delivery) error {
	d.Submission.WorkspaceArchiveURL = nil
	body, err := json.Marshal(message{"submission.evaluated", evaluatedAt(d.Submission), d.Submission})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(body))
	if err != nil {
		return errors.New("jobs: the webhook's URL cannot be used")
	}
	r.Header.Set("Content-Type", "application/json")
	if err := w.sign(r.Header, "msg_"+d.ID, body); err != nil {
		return err
	}
	response, err := w.client.Do(r)
	if err != nil {
		if failure, ok := errors.AsType[*url.Error](err); ok { // It has the whole URL.
			err = failure.Err
		}
		return fmt.Errorf("jobs: webhook to %s: %w", r.URL.Host, err)
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.CopyN(io.Discard, response.Body, 64<<10) // So that the connection can be used again.
	return judge(response, r.URL.Host)
}

// sign sets the headers of Standard Webhooks.
func (w *Webhook) sign(h http.Header, id string, body []byte) error {
	now := time.Now()
	signatures := make([]string, len(w.signers))
	for i, signer := range w.signers {
		signature, err := signer.Sign(id, now, body)
		if err != nil {
			return err
		}
		signatures[i] = signature
	}
	h.Set(standardwebhooks.HeaderWebhookID, id)
	h.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	h.Set(standardwebhooks.HeaderWebhookSignature, strings.Join(signatures, " "))
	return nil
}

// judge returns the error that a response means.
func judge(r *http.Response, host string) error {
	if r.StatusCode >= 200 && r.StatusCode < 300 {
		return nil
	}
	err := fmt.Errorf("jobs: webhook to %s: status %d", host, r.StatusCode)
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
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return at.Sub(now)
}

func evaluatedAt(s hiring.Submission) time.Time {
	if s.EvaluatedAt != nil {
		return *s.EvaluatedAt
	}
	return s.CreatedAt
}
