package jobs_test

import (
	"bytes"
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
	onBothStores(t, regradedSubmissionsAreDeliveredAgain[*riverpgxv5.Driver, pgx.Tx], regradedSubmissionsAreDeliveredAgain[*riversqlite.Driver, *sql.Tx])
}

// regradedSubmissionsAreDeliveredAgain watches one organization with Regraded and one
// without.
func regradedSubmissionsAreDeliveredAgain[D riverdriver.Driver[TTx], TTx any](t *testing.T, s *store[D, TTx]) {
	each, once := newAPI(t), newAPI(t)
	ids := map[*fakeAPI][]string{each: each.addEvaluated(t, 2), once: once.addEvaluated(t, 2)}
	r := newReceiver(t)
	regraded := each.organization("each")
	regraded.Watch.Regraded = true
	var isRegraded atomic.Bool
	regraded.Client = each.clientSeeingRegrade(t, ids[each][0], &isRegraded)
	unchanged := once.organization("once")
	unchanged.Client = once.clientSeeingRegrade(t, ids[once][0], &isRegraded)
	client, _ := s.watch(t, testConfig(), jobs.Results[TTx]{
		Organizations: []jobs.Organization{regraded, unchanged}, Send: r.hook(t).Send, Handle: s.insertResult,
	})
	eventually(t, s.deliveredIs(t, 4))
	isRegraded.Store(true)
	eventually(t, s.countIs(t, 1, "results WHERE organization = 'each' AND score = 77"))
	eventually(t, s.deliveredIs(t, 5))
	_, got := r.count()
	require.Equal(t, 5, got, "the second evaluation has its own webhook-id")

	s.deliver(t, client, "each", ids[each][0])
	eventually(t, s.countIs(t, 2, "results WHERE organization = 'each' AND score = 77"), "Deliver delivers the latest evaluation")
	_, got = r.count()
	require.Equal(t, 5, got, "the webhook-id is the same")
	require.Zero(t, s.count(t, "results WHERE organization = 'once' AND score = 77"))
}

// clientSeeingRegrade returns a client that sees a second evaluation of a submission once
// regraded is true. It is a second later and has a score of 77. Its listings ignore
// since, so they contain all submissions.
func (api *fakeAPI) clientSeeingRegrade(t *testing.T, id string, regraded *atomic.Bool) *hiring.Client {
	t.Helper()
	regrade := func(item any) {
		if s, ok := item.(map[string]any); ok && s["id"] == id {
			at, err := time.Parse(time.RFC3339, s["evaluated_at"].(string))
			require.NoError(t, err)
			s["evaluated_at"] = at.Add(time.Second).Format("2006-01-02T15:04:05.000Z07:00")
			s["report"].(map[string]any)["ship_score"] = 77
		}
	}
	return clientVia(t, func(r *http.Request) (*http.Response, error) {
		query := r.URL.Query()
		query.Del("since")
		r = r.Clone(r.Context())
		r.URL.RawQuery = query.Encode()
		response, err := api.Transport().RoundTrip(r)
		if err != nil || !regraded.Load() {
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
