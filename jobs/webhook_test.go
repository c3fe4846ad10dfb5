package jobs_test

import (
	"context"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
)

const secret = "whsec_c2VjcmV0LW9mLXRoZS10ZXN0cy1pcy1sb25n"

// receiver takes posts as a receiver should: it checks signatures and drops what
// it has had.
type receiver struct {
	*httptest.Server

	sync.Mutex

	statuses   []int // To answer with, in order; then 204.
	retryAfter []string
	posts      []string
	bodies     []string
	got        map[string]hiring.Submission
}

func newReceiver(t *testing.T, statuses ...int) *receiver {
	t.Helper()
	check, err := standardwebhooks.NewWebhook(secret)
	require.NoError(t, err)
	r := &receiver{statuses: statuses, got: make(map[string]hiring.Submission)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, post *http.Request) {
		body, err := io.ReadAll(post.Body)
		assert.NoError(t, err)
		assert.NoError(t, check.Verify(body, post.Header))
		r.Lock()
		defer r.Unlock()
		id := post.Header.Get("webhook-id")
		r.posts = append(r.posts, id)
		r.bodies = append(r.bodies, string(body))
		if len(r.statuses) > 0 {
			w.Header().Set("Location", "https://elsewhere.example.com")
			if len(r.retryAfter) > 0 {
				w.Header().Set("Retry-After", r.retryAfter[0])
				r.retryAfter = r.retryAfter[1:]
			}
			w.WriteHeader(r.statuses[0])
			r.statuses = r.statuses[1:]
			return
		}
		var m struct {
			Type string            `json:"type"`
			Data hiring.Submission `json:"data"`
		}
		assert.NoError(t, json.Unmarshal(body, &m))
		assert.Equal(t, "submission.evaluated", m.Type)
		r.got[id] = m.Data
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) count() (posts, got int) {
	r.Lock()
	defer r.Unlock()
	return len(r.posts), len(r.got)
}

func TestWebhookIsRetriedAndReplayed(t *testing.T) {
	t.Parallel()
	on(t, webhookIsRetriedAndReplayed[*riverpgxv5.Driver, pgx.Tx], webhookIsRetriedAndReplayed[*riversqlite.Driver, *sql.Tx])
}

func webhookIsRetriedAndReplayed[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	w, r := newWorld(t), newReceiver(t, http.StatusInternalServerError, http.StatusFound)
	ids := w.evaluated(t, 2)
	hook, err := jobs.NewWebhook(r.URL+"/hooks?token=hidden", jobs.WebhookOptions{Secrets: []string{secret}})
	require.NoError(t, err)
	client, _ := s.watch(t, hurried(), jobs.Results[TTx]{Organizations: w.organizations(), Send: hook.Send, Handle: s.put})
	eventually(t, s.delivered(t, 2))
	posts, got := r.count()
	require.Equal(t, 4, posts)
	require.Equal(t, 2, got)
	require.Equal(t, ids[0], r.got["msg_"+ids[0]].ID)
	require.True(t, r.got["msg_"+ids[0]].Report.Ready())
	require.Zero(t, s.count(t, "river_job WHERE CAST(errors AS text) LIKE '%hidden%'"))

	deliver := func() {
		t.Helper()
		require.NoError(t, s.in(t, func(ctx context.Context, tx TTx) error {
			return jobs.Deliver(ctx, client, tx, "acme", ids[0])
		}))
	}
	deliver()
	eventually(t, func() bool { posts, _ := r.count(); return posts == 5 })
	eventually(t, s.delivered(t, 2))
	_, err = s.db.ExecContext(t.Context(), "DELETE FROM river_job WHERE kind = 'hiring_delivery'") // As River does a day later.
	require.NoError(t, err)
	deliver()
	eventually(t, func() bool { posts, _ := r.count(); return posts == 6 })
	_, got = r.count()
	require.Equal(t, 2, got, "the same ids")
	eventually(t, s.delivered(t, 1))
	r.Lock()
	defer r.Unlock()
	for _, body := range r.bodies { // The last one was made of a submission that was read anew.
		require.Contains(t, body, `"workspace_archive_url":null`)
	}
	require.Equal(t, r.bodies[4], r.bodies[5])
}

func TestReceiverThatIsGonePausesUntilDeliver(t *testing.T) {
	t.Parallel()
	on(t, receiverThatIsGonePausesUntilDeliver[*riverpgxv5.Driver, pgx.Tx], receiverThatIsGonePausesUntilDeliver[*riversqlite.Driver, *sql.Tx])
}

// receiverThatIsGonePausesUntilDeliver has a bad deployment of a receiver, which
// answers the first posts with 410, and another organization beside it.
func receiverThatIsGonePausesUntilDeliver[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	w, other, r := newWorld(t), newWorld(t), newReceiver(t, slices.Repeat([]int{http.StatusGone}, 10)...)
	ids := w.evaluated(t, 20)
	other.evaluated(t, 2)
	hook, err := jobs.NewWebhook(r.URL, jobs.WebhookOptions{Secrets: []string{secret}, Client: r.Client()})
	require.NoError(t, err)
	reports := newReports()
	acme := w.organization("acme")
	acme.Telemetry = reports
	results := []jobs.Results[TTx]{
		{Organizations: []jobs.Organization{acme}, Send: hook.Send, Retry: attempts(1)},
		{Organizations: []jobs.Organization{other.organization("other")}, Handle: s.put},
	}
	client, stop := s.watch(t, hurried(), results...)
	scheduled := func() bool {
		return s.count(t, "river_job WHERE kind = 'hiring_delivery' AND state = 'scheduled'") == 20
	}
	eventually(t, scheduled, "all wait")
	eventually(t, func() bool { return s.count(t, "results WHERE organization = 'other'") == 2 }, "the other organization is not paused")
	stop()
	s.watch(t, hurried(), results...)
	eventually(t, func() bool { return reports.deliveries(jobs.DeliveriesPaused) == 20 }, "a restart does not resume")
	require.Zero(t, reports.deliveries(jobs.DeliveriesFailing))
	posts, got := r.count()
	require.LessOrEqual(t, posts, 10, "one for each worker at most")
	require.Zero(t, got)

	r.Lock()
	r.statuses = nil // The receiver is repaired.
	r.Unlock()
	require.NoError(t, s.in(t, func(ctx context.Context, tx TTx) error { return jobs.Deliver(ctx, client, tx, "acme", ids[3]) }))
	eventually(t, func() bool { _, got := r.count(); return got == 1 }, "the delivery that Deliver was called for")
	for _, id := range ids { // In place of waiting for five minutes.
		require.NoError(t, s.in(t, func(ctx context.Context, tx TTx) error { return jobs.Deliver(ctx, client, tx, "acme", id) }))
	}
	eventually(t, s.delivered(t, 22))
	_, got = r.count()
	require.Equal(t, 20, got)
	eventually(t, func() bool { return reports.deliveries(jobs.DeliveriesPaused) == 0 })
}

func TestWebhookErrorsHideTheURL(t *testing.T) {
	t.Parallel()
	hook, err := jobs.NewWebhook("http://127.0.0.1:1/secret-path?token=hidden", jobs.WebhookOptions{Secrets: []string{secret}})
	require.NoError(t, err)
	err = hook.Send(t.Context(), jobs.Delivery{ID: "one"})
	require.ErrorContains(t, err, "127.0.0.1:1")
	require.NotContains(t, err.Error(), "secret-path")
	require.NotContains(t, err.Error(), "hidden")
}

func TestNewWebhookRefuses(t *testing.T) {
	t.Parallel()
	short := "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 23))
	for name, c := range map[string]struct {
		receiver string
		options  jobs.WebhookOptions
		problem  string
	}{
		"no receiver":         {"", jobs.WebhookOptions{Secrets: []string{secret}}, "absolute https URL"},
		"another scheme":      {"ftp://example.com", jobs.WebhookOptions{Secrets: []string{secret}}, "absolute https URL"},
		"no host":             {"/hooks", jobs.WebhookOptions{Secrets: []string{secret}}, "absolute https URL"},
		"plain http":          {"http://example.com", jobs.WebhookOptions{Secrets: []string{secret}}, "InsecureHTTP"},
		"no secret":           {"https://example.com", jobs.WebhookOptions{}, "at least one secret"},
		"an empty secret":     {"https://example.com", jobs.WebhookOptions{Secrets: []string{""}}, "secret 1 has 0 bytes"},
		"a prefix alone":      {"https://example.com", jobs.WebhookOptions{Secrets: []string{secret, "whsec_"}}, "secret 2 has 0 bytes"},
		"23 bytes":            {"https://example.com", jobs.WebhookOptions{Secrets: []string{short}}, "secret 1 has 23 bytes"},
		"a secret not base64": {"https://example.com", jobs.WebhookOptions{Secrets: []string{"whsec_%"}}, "not base64"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := jobs.NewWebhook(c.receiver, c.options)
			require.ErrorContains(t, err, c.problem)
			require.NotContains(t, err.Error(), strings.TrimPrefix(short, "whsec_"))
		})
	}
	for _, receiver := range []string{"http://localhost:1", "http://127.0.0.2", "http://[::1]:80/hooks"} {
		_, err := jobs.NewWebhook(receiver, jobs.WebhookOptions{Secrets: []string{secret}})
		require.NoError(t, err, receiver)
	}
	_, err := jobs.NewWebhook("http://example.com", jobs.WebhookOptions{Secrets: []string{secret}, InsecureHTTP: true})
	require.NoError(t, err)
}
