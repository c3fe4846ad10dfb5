package jobs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/riverqueue/river"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Webhook posts results to a URL, signed by the Standard Webhooks scheme, with
// which receivers in any language can check where they come from:
//
//	hook, err := jobs.NewWebhook("https://example.com/hooks/hiring", "whsec_...")
//	...
//	jobs.Watch[*riverpgxv5.Driver](config, jobs.Results[pgx.Tx]{Send: hook.Send, ...})
type Webhook struct {
	url    string
	signer *standardwebhooks.Webhook
	client *http.Client
}

// NewWebhook makes a webhook of the receiver's URL and the secret that is shared
// with it, in base64, with or without the prefix whsec_. A nil client is one that
// gives up after 15 seconds; redirects are never followed.
func NewWebhook(receiver, secret string, client *http.Client) (*Webhook, error) {
	at, err := url.Parse(receiver)
	if err != nil || at.Host == "" || at.Scheme != "https" && at.Scheme != "http" {
		return nil, errors.New("jobs: NewWebhook: the receiver is no absolute http or https URL")
	}
	signer, err := standardwebhooks.NewWebhook(secret)
	if err != nil || secret == "" {
		return nil, errors.New("jobs: NewWebhook: the secret is not base64, with or without whsec_ before it")
	}
	own := http.Client{Timeout: 15 * time.Second}
	if client != nil {
		own = *client
	}
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Webhook{receiver, signer, &own}, nil
}

// message is what a receiver gets.
type message struct {
	Type      string            `json:"type"`
	Timestamp time.Time         `json:"timestamp"` // When it was evaluated.
	Data      hiring.Submission `json:"data"`
}

// Send posts one result as a JSON object with type (submission.evaluated),
// timestamp and data, the submission with its report. Its webhook-id is made of
// the submission's id: a receiver drops what it has had under that id, for a post
// whose reply is lost is made again, and [Deliver] makes it again on demand.
//
// Any status of the 200s is success. A 410 says that the receiver wants no more,
// and the delivery is cancelled; anything else is tried again. The errors quote
// nothing of the URL but its host, and nothing of the reply.
func (w *Webhook) Send(ctx context.Context, submission hiring.Submission, _ hiring.Report) error {
	body, err := json.Marshal(message{"submission.evaluated", evaluatedAt(submission), submission})
	if err != nil {
		return err
	}
	id, now := "msg_"+submission.ID, time.Now()
	signature, err := w.signer.Sign(id, now, body)
	if err != nil {
		return err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.url, bytes.NewReader(body))
	if err != nil {
		return errors.New("jobs: the webhook's URL cannot be used")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set(standardwebhooks.HeaderWebhookID, id)
	r.Header.Set(standardwebhooks.HeaderWebhookTimestamp, fmt.Sprint(now.Unix()))
	r.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	reply, err := w.client.Do(r)
	if err != nil {
		if failure, ok := errors.AsType[*url.Error](err); ok { // It has the whole URL.
			err = failure.Err
		}
		return fmt.Errorf("jobs: webhook to %s: %w", r.URL.Host, err)
	}
	defer func() { _ = reply.Body.Close() }()
	_, _ = io.CopyN(io.Discard, reply.Body, 64<<10) // So that the connection can be used again.
	return judge(reply.StatusCode, r.URL.Host)
}

func judge(status int, host string) error {
	if status >= 200 && status < 300 {
		return nil
	}
	err := fmt.Errorf("jobs: webhook to %s: status %d", host, status)
	if status == http.StatusGone {
		return river.JobCancel(err)
	}
	return err
}

func evaluatedAt(s hiring.Submission) time.Time {
	if s.EvaluatedAt != nil {
		return *s.EvaluatedAt
	}
	return s.CreatedAt
}
