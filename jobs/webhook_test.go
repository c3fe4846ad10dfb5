package jobs_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
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

const secret = "whsec_c2VjcmV0LW9mLXRoZS10ZXN0cw=="

// receiver takes posts as a receiver should: it checks signatures and drops what
// it has had.
type receiver struct {
	*httptest.Server

	sync.Mutex

	statuses []int // To answer with, in order; then 204.
	posts    []string
	got      map[string]hiring.Submission
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
		if len(r.statuses) > 0 {
			w.Header().Set("Location", "https://elsewhere.example.com")
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
	hook, err := jobs.NewWebhook(r.URL+"/hooks?token=hidden", secret, nil)
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
}

func TestReceiverThatIsGoneCancelsSQLite(t *testing.T) {
	t.Parallel()
	s, w, r := newSQLite(t), newWorld(t), newReceiver(t, http.StatusGone)
	w.evaluated(t, 1)
	hook, err := jobs.NewWebhook(r.URL, secret, r.Client())
	require.NoError(t, err)
	s.watch(t, hurried(), jobs.Results[*sql.Tx]{Organizations: w.organizations(), Send: hook.Send})
	eventually(t, func() bool {
		return s.count(t, "river_job WHERE kind = 'hiring_delivery' AND state = 'cancelled'") == 1
	})
}

func TestWebhookErrorsHideTheURL(t *testing.T) {
	t.Parallel()
	hook, err := jobs.NewWebhook("http://127.0.0.1:1/secret-path?token=hidden", secret, nil)
	require.NoError(t, err)
	err = hook.Send(t.Context(), hiring.Submission{ID: "one"}, hiring.Report{})
	require.ErrorContains(t, err, "127.0.0.1:1")
	require.NotContains(t, err.Error(), "secret-path")
	require.NotContains(t, err.Error(), "hidden")
	for _, wrong := range [][2]string{{"", secret}, {"ftp://example.com", secret}, {"/hooks", secret}, {"https://example.com", ""}, {"https://example.com", "whsec_%"}} {
		_, err := jobs.NewWebhook(wrong[0], wrong[1], nil)
		require.Error(t, err, wrong)
	}
}
