package jobs_test

import (
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/jobs"
)

const secret, otherSecret = "whsec_c2VjcmV0LW9mLXRoZS10ZXN0cy1pcy1sb25n", "whsec_YS1uZXctc2VjcmV0LW9mLXRoZS10ZXN0cw=="

// receiver is the server of a webhook. It verifies signatures and keeps one result for
// each webhook-id.
type receiver struct {
	*httptest.Server

	sync.Mutex

	statuses   []int    // Statuses of the first responses. The others are 204.
	retryAfter []string // Retry-After headers of the first responses.
	posts      []string // The webhook-id of each post.
	bodies     []string
	got        map[string]hiring.Submission // Results by webhook-id.
}

func newReceiver(t *testing.T, statuses ...int) *receiver {
	t.Helper()
	verifier, err := standardwebhooks.NewWebhook(secret)
	require.NoError(t, err)
	r := &receiver{statuses: statuses, got: make(map[string]hiring.Submission)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, post *http.Request) {
		body, err := io.ReadAll(post.Body)
		assert.NoError(t, err)
		assert.NoError(t, verifier.Verify(body, post.Header))
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

// hook returns a webhook that posts to the receiver.
func (r *receiver) hook(t *testing.T) *jobs.Webhook {
	t.Helper()
	hook, err := jobs.NewWebhook(r.URL+"/hooks?token=hidden", jobs.WebhookOptions{Secrets: []string{secret, otherSecret}, AllowPrivate: true})
	require.NoError(t, err)
	return hook
}

// count returns the number of posts and of different results.
func (r *receiver) count() (posts, got int) {
	r.Lock()
	defer r.Unlock()
	return len(r.posts), len(r.got)
}

func TestWebhookIsRetriedAndReplayedSQLite(t *testing.T) {
	t.Parallel()
	s := newSQLite(t)
	api, r := newAPI(t), newReceiver(t, http.StatusInternalServerError, http.StatusFound)
	ids := api.addEvaluated(t, 2)
	client, _ := s.watch(t, testConfig(), jobs.Results[*sql.Tx]{Organizations: api.organizations(), Send: r.hook(t).Send, Handle: s.insertResult})
	eventually(t, s.deliveredIs(t, 2))
	posts, got := r.count()
	require.Equal(t, 4, posts)
	require.Equal(t, 2, got)
	require.Equal(t, ids[0], r.got["msg_"+ids[0]].ID)
	require.True(t, r.got["msg_"+ids[0]].Report.Ready())
	require.Zero(t, s.count(t, "river_job WHERE CAST(errors AS text) LIKE '%hidden%'"))

	s.deliver(t, client, "acme", ids[0])
	eventually(t, func() bool { posts, _ := r.count(); return posts == 5 })
	eventually(t, s.deliveredIs(t, 2))
	s.mustExec(t, "DELETE FROM river_job WHERE kind = 'hiring_delivery'") // River does this after a day.
	s.deliver(t, client, "acme", ids[0])
	eventually(t, func() bool { posts, _ := r.count(); return posts == 6 })
	_, got = r.count()
	require.Equal(t, 2, got, "the webhook-ids are the same")
	eventually(t, s.deliveredIs(t, 1))
	r.Lock()
	defer r.Unlock()
	for _, body := range r.bodies { // The last body has a submission that was read again from the API.
		require.Contains(t, body, `"workspace_archive_url":null`)
	}
	require.Equal(t, r.bodies[4], r.bodies[5])
}

// TestGoneReceiverPausesUntilDeliverSQLite posts to a receiver that responds with 410 at first,
// as after a faulty deployment. The other organization is not affected.
func TestGoneReceiverPausesUntilDeliverSQLite(t *testing.T) {
	t.Parallel()
	s := newSQLite(t)
	api, other, r := newAPI(t), newAPI(t), newReceiver(t, slices.Repeat([]int{http.StatusGone}, 10)...)
	ids := api.addEvaluated(t, 20)
	other.addEvaluated(t, 2)
	acme, telemetry := api.recordedOrganization()
	results := []jobs.Results[*sql.Tx]{
		{Organizations: []jobs.Organization{acme}, Send: r.hook(t).Send, Retry: attempts(1), Telemetry: telemetry.telemetry()},
		{Organizations: []jobs.Organization{other.organization("other")}, Handle: s.insertResult},
	}
	config := testConfig()
	var log logBuffer
	config.Logger = log.logger()
	client, stop := s.watch(t, config, results...)
	eventually(t, s.countIs(t, 20, "river_job WHERE kind = 'hiring_delivery' AND state = 'scheduled'"), "all deliveries are snoozed")
	eventually(t, s.countIs(t, 2, "results WHERE organization = 'other'"), "the other organization is not paused")
	stop()
	require.Contains(t, log.String(), `level=WARN msg="jobs: the receiver responded with 410: deliveries are paused until resume" organization=acme`)
	s.watch(t, testConfig(), results...)
	eventually(t, func() bool { return telemetry.deliveries(jobs.DeliveriesPaused) == 1 }, "a restart does not end the pause")
	posts, got := r.count()
	require.LessOrEqual(t, posts, 10, "each worker posts at most once")
	require.Zero(t, got)

	r.Lock()
	r.statuses = nil // The receiver is repaired.
	r.Unlock()
	s.deliver(t, client, "acme", ids[3])
	eventually(t, s.deliveredIs(t, 22), "all deliveries start")
	_, got = r.count()
	require.Equal(t, 20, got)
	eventually(t, func() bool { return telemetry.deliveries(jobs.DeliveriesPaused) == 0 })
}

func TestNewWebhookRejects(t *testing.T) {
	t.Parallel()
	short := "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 23))
	long := "whsec_" + base64.StdEncoding.EncodeToString(make([]byte, 65))
	for name, c := range map[string]struct {
		receiver string
		options  jobs.WebhookOptions
		problem  string
	}{
		"another scheme":      {"ftp://example.com", jobs.WebhookOptions{Secrets: []string{secret}}, "absolute https URL"},
		"no host":             {"/hooks", jobs.WebhookOptions{Secrets: []string{secret}}, "absolute https URL"},
		"plain http":          {"http://example.com", jobs.WebhookOptions{Secrets: []string{secret}}, "needs AllowPrivate"},
		"no secret":           {"https://example.com", jobs.WebhookOptions{}, "at least one secret"},
		"a prefix alone":      {"https://example.com", jobs.WebhookOptions{Secrets: []string{secret, "whsec_"}}, "secret 2 must be"},
		"23 bytes":            {"https://example.com", jobs.WebhookOptions{Secrets: []string{short}}, "secret 1 must be"},
		"65 bytes":            {"https://example.com", jobs.WebhookOptions{Secrets: []string{long}}, "of 24 to 64 bytes"},
		"a secret not base64": {"https://example.com", jobs.WebhookOptions{Secrets: []string{"whsec_%"}}, "secret 1 must be"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := jobs.NewWebhook(c.receiver, c.options)
			require.ErrorContains(t, err, c.problem)
			require.NotContains(t, err.Error(), strings.TrimPrefix(short, "whsec_"))
			require.NotContains(t, err.Error(), strings.TrimPrefix(long, "whsec_"))
		})
	}
	_, err := jobs.NewWebhook("http://example.com", jobs.WebhookOptions{Secrets: []string{secret}, AllowPrivate: true})
	require.NoError(t, err)
}

// TestWebhookRefusesPrivateAddresses has receivers on loopback, by address and by a name
// that is resolved. Nothing may reach them, not even a connection.
func TestWebhookRefusesPrivateAddresses(t *testing.T) {
	t.Parallel()
	var connections atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	server.Config.ConnState = func(net.Conn, http.ConnState) { connections.Add(1) }
	server.StartTLS()
	t.Cleanup(server.Close)
	port := server.Listener.Addr().(*net.TCPAddr).Port
	send := func(receiver string, o jobs.WebhookOptions) error {
		o.Secrets = []string{secret}
		hook, err := jobs.NewWebhook(receiver, o)
		require.NoError(t, err, "NewWebhook resolves nothing")
		return hook.Send(t.Context(), jobs.Delivery{ID: "one"})
	}
	byName, byAddress := fmt.Sprintf("https://localhost:%d/hidden", port), fmt.Sprintf("https://127.0.0.1:%d/hidden", port)
	for _, receiver := range []string{byName, byAddress} {
		for name, o := range map[string]jobs.WebhookOptions{"default": {}, "own client": {Client: &http.Client{Timeout: time.Minute}}} {
			err := send(receiver, o)
			require.ErrorContains(t, err, "set WebhookOptions.AllowPrivate", name)
			require.NotContains(t, err.Error(), "[::1]")
		}
	}
	require.Zero(t, connections.Load())
	err := send(byAddress, jobs.WebhookOptions{AllowPrivate: true})
	require.ErrorContains(t, err, "certificate", "it is connected")
	require.NotContains(t, err.Error(), "hidden")
	require.NoError(t, send(byAddress, jobs.WebhookOptions{Client: server.Client()}), "a transport of the user decides")
}

func TestPublicAddresses(t *testing.T) {
	t.Parallel()
	for _, private := range []string{
		"127.0.0.1", "127.9.9.9", "0.0.0.0", "0.1.2.3", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1",
		"198.18.0.1", "192.0.0.8", "224.0.0.1", "255.255.255.255", "240.0.0.1", "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12:3456::1", "ff02::1", "fec0::1",
		"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1", "2002:7f00:1::", "2001::1",
	} {
		require.False(t, jobs.IsPublic(netip.MustParseAddr(private)), private)
	}
	for _, public := range []string{"1.1.1.1", "172.15.255.255", "172.32.0.1", "100.63.255.255", "192.0.1.1", "2606:4700::1111", "2a00:1450:4001::200e", "::ffff:8.8.8.8"} {
		require.True(t, jobs.IsPublic(netip.MustParseAddr(public)), public)
	}
}
