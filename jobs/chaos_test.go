package jobs_test

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs"
	"github.com/hiring-assessment/hiring-go/jobs/internal/testing/pgtest"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// chaosTime returns how long TestChaosPostgres runs: HIRING_CHAOS, or else ten minutes
// with HIRING_LONG.
func chaosTime() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("HIRING_CHAOS")); err == nil {
		return d
	}
	if longTests() {
		return 10 * time.Minute
	}
	return 20 * time.Second
}

// ownServer is a PostgreSQL server that a test stops and starts.
type ownServer struct {
	*pgtest.Server
	*postgresStore
}

// newOwnServer starts a server, and closes it after the test.
func newOwnServer(t *testing.T) *ownServer {
	t.Helper()
	server, err := pgtest.New(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	s := &ownServer{Server: server}
	s.open(t)
	s.migrate(t)
	return s
}

// open opens the database with new connections.
func (s *ownServer) open(t *testing.T) {
	t.Helper()
	opened, stop, err := openPostgres(t.Context(), s.URL)
	require.NoError(t, err)
	t.Cleanup(stop)
	s.postgresStore = opened
}

// restart stops the server for a time.
func (s *ownServer) restart(t *testing.T, downtime time.Duration) {
	t.Helper()
	require.NoError(t, s.Stop())
	time.Sleep(downtime)
	require.NoError(t, s.Start(t.Context()))
	s.open(t)
}

// workerURL returns the URL of a store, with a name of the application by which cut finds
// the connections of the workers.
func workerURL(t *testing.T, s *postgresStore) string {
	t.Helper()
	u, err := url.Parse(s.url)
	require.NoError(t, err)
	query := u.Query()
	query.Set("application_name", "hiring-worker")
	u.RawQuery = query.Encode()
	return u.String()
}

// cut ends at most n connections of the workers, and returns how many.
func (s *ownServer) cut(t *testing.T, n int) int {
	t.Helper()
	return queryValue[int](t, s.db, `SELECT count(*) FILTER (WHERE ended) FROM (SELECT pg_terminate_backend(pid) AS ended
		FROM (SELECT pid FROM pg_stat_activity WHERE application_name = 'hiring-worker' ORDER BY random() LIMIT $1) AS chosen) AS cut`, n)
}

// countingReceiver is the server of a webhook that counts what it receives. It fails one
// of ten posts.
type countingReceiver struct {
	*httptest.Server

	mutex sync.Mutex
	posts int
	bad   int            // Posts whose signature is not valid.
	ids   map[string]int // Posts by webhook-id.
}

func newCountingReceiver(t *testing.T) *countingReceiver {
	t.Helper()
	verifier, err := standardwebhooks.NewWebhook(secret)
	require.NoError(t, err)
	r := &countingReceiver{ids: make(map[string]int)}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, post *http.Request) {
		body, err := io.ReadAll(post.Body)
		if err != nil {
			return // The process was killed during the post.
		}
		r.mutex.Lock()
		defer r.mutex.Unlock()
		r.posts++
		if verifier.Verify(body, post.Header) != nil {
			r.bad++
		}
		r.ids[post.Header.Get("Webhook-Id")]++
		if r.posts%10 == 0 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// TestChaosPostgres kills processes, cuts their connections to the database, restarts the
// database and injects faults into the API, while invitations are queued all the time. It
// then counts what was stored, sent and posted. A Prometheus evaluates the alert rules
// when it runs for minutes.
func TestChaosPostgres(t *testing.T) {
	t.Parallel()
	chaos := chaosTime()
	batch, batches := 20, int(max(5, chaos/(10*time.Second)))
	n := batch * batches
	s := newOwnServer(t)
	receiver := newCountingReceiver(t)
	r := newKillTest(t, 1, workerURL(t, s.postgresStore))
	addresses := []string{freeAddress(t), freeAddress(t), freeAddress(t)}
	r.mayFailToStart = true
	r.settings = func(slot int) workerSettings {
		return workerSettings{Metrics: addresses[slot], Webhook: receiver.URL}
	}
	var alerts *prometheusServer
	if chaos >= 5*time.Minute {
		alerts = startPrometheus(t, map[string][]string{"chaos": addresses})
	}
	config := testConfig()
	require.NoError(t, jobs.SendInvitations[*riverpgxv5.Driver, pgx.Tx](config, jobs.Invitations{Organizations: r.api.organizations()}))
	config.Queues = nil // This client only inserts jobs.
	r.began = time.Now()
	r.until = r.began.Add(chaos)
	r.run(len(addresses))

	invited, cuts, faults, restarts := 0, 0, 0, 0
	all := candidates(n)
	for time.Now().Before(r.until) {
		passed := time.Since(r.began)
		if want := min(n, batch*(1+int(passed*time.Duration(batches)/chaos))); want > invited {
			s.invite(t, s.newClient(t, config), r.api.assessment, all[invited:want]...)
			invited = want
		}
		if passed > time.Duration(restarts+1)*chaos/4 && restarts < 3 {
			s.restart(t, time.Duration(r.random.IntN(5000))*time.Millisecond)
			restarts++
		}
		if r.random.IntN(4) > 0 {
			r.injectReadFault(10)
		} else {
			r.injectWriteFault(10)
		}
		faults++
		cuts += s.cut(t, r.random.IntN(6))
		if r.random.IntN(3) == 0 {
			r.kill(s.leader(t))
		} else {
			time.Sleep(time.Duration(r.random.IntN(5000)) * time.Millisecond)
		}
	}
	s.invite(t, s.newClient(t, config), r.api.assessment, all[invited:]...)
	s.allStored(t, n)
	took := time.Since(r.began)
	eventually(t, s.statusIs(t, jobs.StatusQueued, 0))
	stopAndVerify(t, s.postgresStore, r, n)

	mails := make(map[string]int)
	for _, m := range r.api.Mails() {
		mails[m.Email]++
	}
	require.Len(t, mails, n)
	require.Equal(t, 1, slices.Max(slices.Collect(maps.Values(mails))), "each address got one e-mail")
	receiver.mutex.Lock()
	defer receiver.mutex.Unlock()
	require.Zero(t, receiver.bad, "signatures that are not valid")
	require.Len(t, receiver.ids, n)
	require.Positive(t, cuts)
	require.Positive(t, restarts)
	t.Logf("%d kills, %d cut connections, %d restarts of the database, %d faults of the API: %d results stored once after %s, "+
		"%d e-mails to %d addresses, %d posts of %d results, all signed", r.kills, cuts, restarts, faults, n, took.Round(time.Second),
		len(r.api.Mails()), len(mails), receiver.posts, len(receiver.ids))
	if alerts != nil {
		logFired(t, "chaos", alerts.fired(t, "chaos"))
	}
}

func logFired(t *testing.T, job string, fired map[string][]firing) {
	t.Helper()
	t.Logf("%s: %d alerts fired", job, len(fired))
	for _, name := range slices.Sorted(maps.Keys(fired)) {
		for _, f := range fired[name] {
			t.Logf("%s: %s %s", job, name, f)
		}
	}
}

// Times of TestAlertsFireForProcessesPostgres, since its start.
const (
	faultBegins  = 10 * time.Minute
	faultEnds    = 28 * time.Minute // Of the faults that end.
	alertsEnd    = 40 * time.Minute
	otherTenants = 11 // Organizations besides acme, so that an outage concerns many.
)

// deployment is two worker processes with a database, a fake API and one fault.
type deployment struct {
	*killTest

	store     *ownServer
	addresses []string
	set       workerSettings
	want      []string // The alerts that must fire. No other may.
	fault     func(*testing.T, *deployment)
	repair    func(*testing.T, *deployment)
	silent    bool // No results are added after the fault.
}

// deployments are the faults of TestAlertsFireForProcessesPostgres.
func deployments(hanging, good string) map[string]*deployment {
	return map[string]*deployment{
		"healthy": {set: workerSettings{Webhook: good}},
		"one of two workers is killed": {
			set: workerSettings{Webhook: good}, want: []string{"HiringWorkerMissing"},
			fault: func(_ *testing.T, d *deployment) { d.end(1) },
		},
		"both workers are killed": {
			set: workerSettings{Webhook: good}, want: []string{"HiringWorkerGone"},
			fault: func(_ *testing.T, d *deployment) { d.end(0); d.end(1) },
		},
		"the receiver hangs": {
			set: workerSettings{Webhook: hanging}, want: []string{"HiringDeliveriesFailing"},
		},
		"the database is down": {
			set: workerSettings{Webhook: good}, want: []string{"HiringPollsOverdue"}, silent: true,
			fault: func(t *testing.T, d *deployment) { t.Helper(); require.NoError(t, d.store.Stop()) },
			repair: func(t *testing.T, d *deployment) {
				t.Helper()
				require.NoError(t, d.store.Start(t.Context()))
				d.store.open(t)
			},
		},
		"the API is down": {
			set: workerSettings{Webhook: good}, want: []string{"HiringPollsOverdue"}, silent: true,
			fault: func(_ *testing.T, d *deployment) {
				d.api.Inject(sandbox.Fault{Times: -1, Status: http.StatusBadGateway})
			},
			repair: func(_ *testing.T, d *deployment) { d.api.ClearFaults() },
		},
		"the key is revoked": {
			set: workerSettings{Webhook: good}, want: []string{"HiringKeyRefused", "HiringPollOverdue"}, silent: true,
			fault: func(_ *testing.T, d *deployment) { d.api.RevokeKey(sandbox.LiveKey) },
		},
		"results arrive two hours late": {set: workerSettings{Webhook: good}, want: []string{"HiringResultsArriveLate"}},
		"the handler snoozes for an hour": {
			set: workerSettings{Snooze: time.Minute}, want: []string{"HiringResultsLate"},
			fault: func(t *testing.T, d *deployment) { // The rows become older, so that the test needs no hour.
				t.Helper()
				d.store.mustExec(t, "UPDATE river_job SET created_at = created_at - interval '1 hour' WHERE kind = 'hiring_delivery'")
			},
		},
	}
}

// end kills the process of a slot and starts no other one.
func (r *killTest) end(slot int) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.ended[slot] = true
	_ = r.processes[slot].Process.Kill()
}

// TestAlertsFireForProcessesPostgres runs deployments of two processes with one fault each.
// A Prometheus scrapes them and evaluates the alert rules of module otelhiring. For each
// fault exactly the expected alerts must fire, after the fault.
func TestAlertsFireForProcessesPostgres(t *testing.T) {
	if !longTests() {
		t.Log("set HIRING_LONG to run this test: it takes 40 minutes")
		return
	}
	t.Parallel()
	ended := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-ended }))
	t.Cleanup(hanging.Close)
	t.Cleanup(func() { close(ended) })
	all := deployments(hanging.URL, newCountingReceiver(t).URL)
	targets := make(map[string][]string)
	for name, d := range all {
		d.start(t, name)
		targets[name] = d.addresses
	}
	alerts := startPrometheus(t, targets)
	broken, repaired := false, false
	for time.Since(alerts.began) < alertsEnd {
		passed := time.Since(alerts.began)
		for _, d := range all {
			if passed > faultBegins && !broken && d.fault != nil {
				d.fault(t, d)
			}
			if passed > faultEnds && !repaired && d.repair != nil {
				d.repair(t, d)
			}
			if passed < faultBegins || !d.silent {
				d.api.addEvaluated(t, 1)
			}
		}
		broken, repaired = passed > faultBegins, passed > faultEnds
		time.Sleep(20 * time.Second)
	}
	for name, d := range all {
		fired := alerts.fired(t, name)
		logFired(t, name, fired)
		if !slices.Equal(slices.Sorted(maps.Keys(fired)), slices.Sorted(slices.Values(d.want))) {
			t.Errorf("%s: %v fired, want %v", name, slices.Sorted(maps.Keys(fired)), d.want)
		}
		for alert, times := range fired {
			for _, f := range times {
				if d.fault != nil && f.from < faultBegins {
					t.Errorf("%s: %s fired before the fault: %s", name, alert, f)
				}
				if d.repair != nil && f.to > alertsEnd-time.Minute {
					t.Errorf("%s: %s did not end after the repair: %s", name, alert, f)
				}
			}
		}
	}
}

// start starts the processes of a deployment.
func (d *deployment) start(t *testing.T, name string) {
	t.Helper()
	d.store = newOwnServer(t)
	api := newAPI(t)
	if name == "results arrive two hours late" {
		api = newAPIBehind(t, 2*time.Hour)
	}
	d.set.Production = true
	for i := range otherTenants {
		tenant := fmt.Sprintf("tenant%d", i)
		d.set.Organizations = append(d.set.Organizations, tenant)
		api.AddKey(sandbox.Key{Token: keyOf(tenant), Scope: sandbox.ScopeAdmin, Organization: tenant})
	}
	d.addresses = []string{freeAddress(t), freeAddress(t)}
	d.killTest = &killTest{t: t, api: api, database: d.store.url, ended: make(map[int]bool), mayFailToStart: true}
	d.settings = func(slot int) workerSettings {
		set := d.set
		set.Metrics = d.addresses[slot]
		return set
	}
	d.run(len(d.addresses))
}
