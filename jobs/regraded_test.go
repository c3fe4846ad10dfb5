package jobs_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
)

func TestRegradedSubmissionsAreDeliveredAgain(t *testing.T) {
	t.Parallel()
	on(t, regradedSubmissionsAreDeliveredAgain[*riverpgxv5.Driver, pgx.Tx], regradedSubmissionsAreDeliveredAgain[*riversqlite.Driver, *sql.Tx])
}

// regradedSubmissionsAreDeliveredAgain has one organization that wants each
// evaluation, and one that wants the first.
func regradedSubmissionsAreDeliveredAgain[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	each, once := newWorld(t), newWorld(t)
	ids := map[*world][]string{each: each.evaluated(t, 2), once: once.evaluated(t, 2)}
	r := newReceiver(t)
	hook, err := jobs.NewWebhook(r.URL, jobs.WebhookOptions{Secrets: []string{secret}})
	require.NoError(t, err)
	regraded := each.organization("each")
	regraded.Watch.Regraded = true
	var again atomic.Bool
	regraded.Client = each.gradedAgain(t, ids[each][0], &again)
	unchanged := once.organization("once")
	unchanged.Client = once.gradedAgain(t, ids[once][0], &again)
	client, _ := s.watch(t, hurried(), jobs.Results[TTx]{
		Organizations: []jobs.Organization{regraded, unchanged}, Send: hook.Send, Handle: s.put,
	})
	eventually(t, s.delivered(t, 4))
	again.Store(true)
	eventually(t, func() bool { return s.count(t, "results WHERE organization = 'each' AND score = 77") == 1 })
	eventually(t, s.delivered(t, 5))
	_, got := r.count()
	require.Equal(t, 5, got, "an id of its own, so that no receiver ignores it")

	require.NoError(t, s.in(t, func(ctx context.Context, tx TTx) error { return jobs.Deliver(ctx, client, tx, "each", ids[each][0]) }))
	eventually(t, func() bool { return s.count(t, "results WHERE organization = 'each' AND score = 77") == 2 }, "the latest")
	_, got = r.count()
	require.Equal(t, 5, got, "with the id that it had")
	require.Zero(t, s.count(t, "results WHERE organization = 'once' AND score = 77"))
}

// gradedAgain is a client that sees another evaluation of a submission from a moment
// on: a second later, with a score of 77. All its listings show all submissions.
func (w *world) gradedAgain(t *testing.T, id string, again *atomic.Bool) *hiring.Client {
	t.Helper()
	regrade := func(item any) {
		if s, ok := item.(map[string]any); ok && s["id"] == id {
			at, err := time.Parse(time.RFC3339, s["evaluated_at"].(string))
			require.NoError(t, err)
			s["evaluated_at"] = at.Add(time.Second).Format("2006-01-02T15:04:05.000Z07:00")
			s["report"].(map[string]any)["ship_score"] = 77
		}
	}
	return w.failing(t, func(r *http.Request) (*http.Response, error) {
		query := r.URL.Query()
		query.Del("since")
		r = r.Clone(r.Context())
		r.URL.RawQuery = query.Encode()
		response, err := w.Transport().RoundTrip(r)
		if err != nil || !again.Load() {
			return response, err
		}
		var body map[string]any
		require.NoError(t, json.NewDecoder(response.Body).Decode(&body))
		_ = response.Body.Close()
		regrade(body["data"])
		if items, ok := body["data"].([]any); ok {
			for _, item := range items {
				regrade(item)
			}
		}
		text, err := json.Marshal(body)
		response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
		return response, err
	})
}
