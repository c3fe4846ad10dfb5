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

// Webhook posts results to a URL. It signs posts by the Standard Webhooks scheme, so
// that receivers in any language can verify the sender:
//
//	hook, err := jobs.NewWebhook("https://example.com/hooks/hiring", jobs.WebhookOptions{Secrets: []string{"whsec_..."}})
//	...
//	jobs.Watch[*riverpgxv5.Driver](config, jobs.Results[pgx.Tx]{Send: hook.Send, ...})
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
	// Secrets are shared with the receiver. Each is base64 of at least 24 bytes, with
	// or without the prefix whsec_, and each signs every post. To replace a secret,
	// first set both, then configure the new one in the receiver, then remove the old
	// one.
	Secrets []string

	// Client is the HTTP client. Nil means a client with a timeout of 15 s.
	// Redirects are never followed.
	Client *http.Client

	// InsecureHTTP permits a plain http URL that is not on loopback. Posts contain
	// names, addresses and reports of candidates.
	InsecureHTTP bool
}

// minSecret is the shortest secret in bytes that Standard Webhooks allows.
const minSecret = 24

// NewWebhook returns a webhook that posts to the URL of the receiver: https, or http
// on loopback. The error never contains a secret.
func NewWebhook(receiver string, o WebhookOptions) (*Webhook, error) {
	u, err := url.Parse(receiver)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("jobs: NewWebhook: the receiver must be an absolute https URL")
	}
	if u.Scheme == "http" && !o.InsecureHTTP && !isLoopback(u.Hostname()) {
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
			return nil, fmt.Errorf("jobs: NewWebhook: secret %d is not valid", i+1)
		}
		w.signers = append(w.signers, signer)
	}
	if o.Client != nil {
		clone := *o.Client
		w.client = &clone
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
	body, err := json.Marshal(message{"submission.evaluated", evaluatedAt(d.Submission), d.Submission})
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(body))
	if err != nil {
		return errors.New("jobs: the URL of the webhook is not valid")
	}
	r.Header.Set("Content-Type", "application/json")
	if err := w.sign(r.Header, "msg_"+d.ID, body); err != nil {
		return err
	}
	response, err := w.client.Do(r)
	if err != nil {
		if urlErr, ok := errors.AsType[*url.Error](err); ok { // Its text contains the whole URL.
			err = urlErr.Err
		}
		return fmt.Errorf("jobs: webhook to %s: %w", r.URL.Host, err)
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.CopyN(io.Discard, response.Body, 64<<10) // Allows the connection to be reused.
	return responseError(response, r.URL.Host)
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

// responseError returns the error for the status of a response, nil for a 2xx.
func responseError(r *http.Response, host string) error {
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
