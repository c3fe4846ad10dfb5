package otelhiring_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"text/template"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

const (
	alertsFile     = "deploy/alerts.yaml"
	scrapeInterval = 30 * time.Second
)

// rule is an alert of alertsFile.
type rule struct {
	Alert       string            `yaml:"alert"`
	Labels      map[string]string `yaml:"labels"`
	Annotations map[string]string `yaml:"annotations"`
}

func rules(t *testing.T) (all []rule) {
	t.Helper()
	text, err := os.ReadFile(alertsFile)
	require.NoError(t, err)
	var file struct {
		Groups []struct {
			Rules []rule `yaml:"rules"`
		} `yaml:"groups"`
	}
	require.NoError(t, yaml.Unmarshal(text, &file))
	for _, group := range file.Groups {
		for _, r := range group.Rules {
			if r.Alert != "" { // Not a recording.
				all = append(all, r)
			}
		}
	}
	return all
}

// scrapes are the samples that a Prometheus would have collected.
type scrapes struct {
	count     int
	samples   map[string][]string
	incidents []incident
}

// incident is a part of the scrapes in which these alerts fire and no others.
type incident struct {
	from   int // The first scrape. The incident ends at the next one, or at the end of the scrapes.
	want   map[string]labels
	within time.Duration // The alerts fire at this time after the beginning at the latest.
}

// add adds a scrape. A series that is not in it becomes stale.
func (s *scrapes) add(scrape map[string]string) {
	for series, sample := range scrape {
		series = strings.Replace(series, "{", `{job="hiring",instance="a:1",`, 1)
		if s.samples[series] == nil {
			s.samples[series] = slices.Repeat([]string{"_"}, s.count)
		}
		s.samples[series] = append(s.samples[series], sample)
	}
	s.count++
	for series, samples := range s.samples {
		if len(samples) < s.count {
			s.samples[series] = append(samples, "stale")
		}
	}
}

// environment is a fake API and one process that uses it.
type environment struct {
	*recorder
	*scrapes

	server *sandbox.Server
	client *hiring.Client // A client of the process for sandbox.LiveKey.
}

// collect scrapes the process for a duration.
func (env *environment) collect(t *testing.T, d time.Duration) {
	t.Helper()
	for range d / scrapeInterval {
		env.add(env.scrape(t))
		time.Sleep(scrapeInterval)
	}
}

// fault begins an incident. Its alerts fire within ten minutes.
func (env *environment) fault(want map[string]labels) {
	env.incidents = append(env.incidents, incident{env.count, want, 10 * time.Minute})
}

// background runs f until the test ends or stop is called.
func background(t *testing.T, f func(context.Context)) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	go func() {
		defer close(done)
		f(ctx)
	}()
	synctest.Wait()
	return stop
}

// watch runs a watch that handles each result for a time. It stays in the
// background when the watch ends with an error.
func (env *environment) watch(t *testing.T, options hiring.WatchOptions, handle time.Duration) {
	t.Helper()
	background(t, func(ctx context.Context) {
		defer env.Watch(&options)()
		for submission, err := range env.client.Submissions.Watch(ctx, options) {
			if err == nil {
				time.Sleep(handle)
				env.Delivered(ctx, submission.EvaluatedAt)
			}
		}
	})
}

// wait runs WaitReports for the ids.
func (env *environment) wait(t *testing.T, ids []string, options hiring.WaitOptions) {
	t.Helper()
	background(t, func(ctx context.Context) {
		defer env.Wait(&options)()
		for report, err := range env.client.Submissions.WaitReports(ctx, ids, options) {
			if err == nil {
				env.Delivered(ctx, report.GeneratedAt)
			}
		}
	})
}

// poll polls as module jobs does.
func (env *environment) poll(t *testing.T, organization string, options hiring.WatchOptions, client *hiring.Client) {
	t.Helper()
	env.PollDue(t.Context(), organization, time.Now())
	background(t, func(ctx context.Context) {
		for state := ""; ctx.Err() == nil; {
			polled, err := client.Submissions.Poll(ctx, state, options)
			wait := time.Minute
			if err == nil {
				state, wait = polled.State, polled.Wait
				env.PollDue(ctx, organization, time.Now().Add(wait))
			}
			select {
			case <-ctx.Done():
			case <-time.After(wait):
			}
		}
	})
}

// noRoute makes every request of a client fail.
func noRoute() hiring.Option {
	return hiring.WithHTTPClient(&http.Client{Transport: noRouteTransport{}})
}

type noRouteTransport struct{}

func (noRouteTransport) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("no route to host")
}

// read runs another program with the same key, which reads as often as it can.
func (env *environment) read(t *testing.T, options ...hiring.Option) {
	t.Helper()
	client := env.server.LiveClient(options...)
	background(t, func(ctx context.Context) {
		for ctx.Err() == nil {
			if _, err := client.Account.Get(ctx); err != nil {
				select {
				case <-ctx.Done():
				case <-time.After(time.Minute):
				}
			}
		}
	})
}

// begin makes n submissions that are not evaluated, and returns their ids.
func (env *environment) begin(t *testing.T, n int) (ids []string) {
	t.Helper()
	assessment := env.server.AddAssessment("Backend")
	for i := range n {
		invitation, err := env.server.Invite(assessment, fmt.Sprintf("candidate-%d@candidates.test", i), "Candidate")
		require.NoError(t, err)
		id, err := env.server.Begin(invitation)
		require.NoError(t, err)
		ids = append(ids, id)
	}
	return ids
}

func (env *environment) evaluate(t *testing.T, ids []string) {
	t.Helper()
	for _, id := range ids {
		require.NoError(t, env.server.Evaluate(id, sandbox.Result{ShipScore: new(50)}))
	}
}

// labels are the labels of an alert other than job and severity, and other than an instance
// that is a:1. An empty value means that the label is absent.
type labels map[string]string

var healthy = map[string]func(*testing.T, *environment){
	"a burst of results, each handled for two seconds": func(t *testing.T, env *environment) {
		ids := env.begin(t, 500)
		env.watch(t, hiring.WatchOptions{}, 2*time.Second)
		env.collect(t, 10*time.Minute)
		env.evaluate(t, ids)
		env.collect(t, time.Hour)
	},
	"seven idle hours of WaitReports": func(t *testing.T, env *environment) {
		env.wait(t, env.begin(t, 200), hiring.WaitOptions{})
		env.collect(t, 7*time.Hour) // Each id is read within six hours.
	},
	"polls up to ten minutes apart": func(t *testing.T, env *environment) {
		env.watch(t, hiring.WatchOptions{MaxInterval: 10 * time.Minute}, 0)
		env.poll(t, "acme", hiring.WatchOptions{MaxInterval: 10 * time.Minute}, env.client)
		env.wait(t, env.begin(t, 10), hiring.WaitOptions{MaxInterval: 10 * time.Minute})
		env.collect(t, 3*time.Hour)
	},
	"a shared rate limit": func(t *testing.T, env *environment) {
		env.watch(t, hiring.WatchOptions{}, 0)
		env.wait(t, env.begin(t, 300), hiring.WaitOptions{})
		env.poll(t, "acme", hiring.WatchOptions{}, env.client)
		env.read(t, hiring.WithQuotaReserve(0.1))
		env.collect(t, 2*time.Hour)
	},
}

// acme are the labels of an alert that concerns all processes of an organization.
func acme(more labels) labels {
	all := labels{"hiring_organization": "acme", "instance": ""}
	maps.Copy(all, more)
	return all
}

var faults = map[string]func(*testing.T, *environment){
	"the API is down": func(t *testing.T, env *environment) {
		env.watch(t, hiring.WatchOptions{}, 0)
		env.collect(t, 10*time.Minute)
		env.fault(map[string]labels{"HiringPollOverdue": {"hiring_operation": "Submissions.Watch"}})
		env.server.Inject(sandbox.Fault{Route: "*", Times: -1, Reset: true})
		env.collect(t, 20*time.Minute)
	},
	"a watch whose results are not handled": func(t *testing.T, env *environment) {
		ids := env.begin(t, 10)
		env.watch(t, hiring.WatchOptions{}, time.Hour)
		env.collect(t, 10*time.Minute)
		env.fault(map[string]labels{"HiringPollOverdue": {"hiring_operation": "Submissions.Watch"}})
		env.evaluate(t, ids)
		env.collect(t, 20*time.Minute)
	},
	"a watch that ended with an error": func(t *testing.T, env *environment) {
		env.watch(t, hiring.WatchOptions{Checkpoint: &fullDisk{after: 5}}, 0)
		env.collect(t, 5*time.Minute)
		env.fault(map[string]labels{"HiringPollOverdue": {"hiring_operation": "Submissions.Watch"}})
		env.collect(t, 30*time.Minute)
	},
	"one of two organizations is not polled": func(t *testing.T, env *environment) {
		env.fault(map[string]labels{"HiringPollOverdue": acme(labels{"hiring_operation": "Submissions.Poll"})})
		env.poll(t, "globex", hiring.WatchOptions{}, env.client)
		env.poll(t, "acme", hiring.WatchOptions{}, env.server.LiveClient(hiring.WithTrace(env.Trace()), noRoute()))
		env.collect(t, 20*time.Minute)
	},
	"the key is wrong from the start": func(t *testing.T, env *environment) {
		env.fault(map[string]labels{"HiringKeyRefused": {"instance": ""}})
		env.server.RevokeKey(sandbox.LiveKey)
		env.watch(t, hiring.WatchOptions{}, 0)
		env.collect(t, 4*time.Minute)
	},
	"another program uses up the rate limit between two polls": func(t *testing.T, env *environment) {
		env.watch(t, hiring.WatchOptions{}, 0)
		env.collect(t, 10*time.Minute)
		env.fault(map[string]labels{"HiringQuotaNearlyUsed": {"hiring_quota_class": "read"}})
		env.server.SetQuota(sandbox.LiveKey, sandbox.ClassRead, 0)
		env.collect(t, 2*time.Hour)
	},
}

// recorded are cases whose samples are written down in promtool's notation: what module jobs exports, and many organizations. A fault begins
// with the twentieth scrape, after ten minutes.
var recorded = map[string]struct {
	samples map[string]string
	want    map[string]labels // Nil: no alert fires.
	within  time.Duration     // Zero: ten minutes.
	end     int               // From this scrape on, no alert fires. Zero: never.
}{
	"nothing is delivered": {map[string]string{
		deliveriesAge("waiting"): "0x19 0+30x60", delivered("acme"): "5x80",
	}, map[string]labels{"HiringDeliveriesStuck": {"instance": ""}}, 0, 0},
	"deliveries of one organization are never attempted": {map[string]string{
		deliveriesAge("waiting"): "0x19 0+30x60", delivered("globex"): "0+1x80",
	}, map[string]labels{"HiringDeliveriesWaiting": acme(nil)}, 20 * time.Minute, 0},
	"a long queue, of which something is delivered": {map[string]string{
		deliveriesAge("waiting"): "0x19 0+30x60", delivered("acme"): "0+1x80",
	}, nil, 0, 0},
	"a delivery fails for five minutes":       {map[string]string{deliveriesAge("failing"): "0x19 0+30x10 0x50"}, nil, 0, 0},
	"one scrape shows a delivery that failed": {map[string]string{deliveriesAge("failing"): "0x19 630 0x50"}, nil, 0, 0},
	"a delivery fails":                        {map[string]string{deliveriesAge("failing"): "0x19 0+30x60"}, map[string]labels{"HiringDeliveriesFailing": acme(nil)}, 15 * time.Minute, 0},
	"a receiver responds with 410": {map[string]string{
		deliveriesAge("failing"): "0x19 0+30x60", deliveriesAge("waiting"): "0x19 0+30x60", deliveries("paused"): "0x19 1x60",
	}, map[string]labels{"HiringReceiverPaused": acme(nil)}, 0, 0},
	"a delivery is discarded": {map[string]string{
		deliveries("discarded"): "0x19 1x60", jobEvents("discarded", "hiring_delivery"): "_x20 1x60",
	}, map[string]labels{"HiringDeliveriesGivenUp": acme(labels{"hiring_delivery_state": "discarded"})}, 0, 0},
	"a submission cannot be decoded": {map[string]string{deliveries("unreadable"): "0x19 1x60"}, map[string]labels{"HiringSubmissionUnreadable": acme(nil)}, 0, 0},
	"List has lost an organization":  {map[string]string{deliveries("unlisted"): "0x19 1x60"}, map[string]labels{"HiringOrganizationUnlisted": acme(nil)}, 0, 0},
	"a result kills two processes":   {map[string]string{deliveries("rescued"): "0x19 1x60"}, map[string]labels{"HiringDeliveryRescued": acme(nil)}, 0, 0},
	"a handler does not return": {map[string]string{
		jobEvents("stuck", "hiring_delivery"): "_x20 1+0.5x60 31x110",
	}, map[string]labels{"HiringHandlerStuck": {"hiring_organization": "acme"}}, 25 * time.Minute, 95},
	"invitations are rejected": {map[string]string{invitations("rejected"): "0x19 1x60"}, map[string]labels{"HiringInvitationsRejected": acme(nil)}, 0, 0},
	"the run of invitations fails, and every ten minutes the counts are absent for three and a half": {map[string]string{
		invitations("stuck"): "0x19" + strings.Repeat(" 1x12 stale _x6", 3), invitations("queued"): "0x19" + strings.Repeat(" 1x12 stale _x6", 3), "hiring_jobs_invitations_age_seconds{}": "0x80",
	}, map[string]labels{"HiringInvitationsStuck": acme(nil)}, 12 * time.Minute, 0},
	"a run of a long queue waits once because the API fails": {map[string]string{invitations("stuck"): "0x19 900x10 0x50", invitations("queued"): "900x80"}, nil, 0, 0},
	"a River client that is not of module jobs leads": {
		map[string]string{pollOverdue("acme"): "0x80", "hiring_jobs_clock_offset_seconds{}": "0x80", deliveries("failing"): "0x19 stale"},
		map[string]labels{"HiringHealthJobMissing": {"instance": ""}}, 15 * time.Minute, 0,
	},
	"after ten minutes the process that counted ends": {
		map[string]string{deliveries("discarded"): "0x19 1x19 stale _ 1x38", deliveries("paused"): "0x19 1x19 stale _ 1x38", deliveries("rescued"): "0x19 1x19 stale _ 1x38"},
		map[string]labels{"HiringDeliveriesGivenUp": acme(labels{"hiring_delivery_state": "discarded"}), "HiringReceiverPaused": acme(nil), "HiringDeliveryRescued": acme(nil)}, 0, 0,
	},
	"results arrive two hours after their evaluation": {map[string]string{
		lag("bucket"): "0+1x19 20x180", lag("count"): "0+1x200",
	}, map[string]labels{"HiringResultsArriveLate": acme(nil)}, 45 * time.Minute, 0},
	"the first start delivers results of the past": {map[string]string{lag("bucket"): "0x200", lag("count"): "0x19 0+1x20 20x160"}, nil, 0, 0},
	"a burst of old results":                       {map[string]string{lag("bucket"): "0x200", lag("count"): "0x19 0+40x180"}, nil, 0, 0},
	"the API is down": {manyPolls("0x19 0+30x60", "0x19 0+30x60", map[string]string{
		`http_client_request_duration_seconds_count{error_type="connection",url_template="/api/v1/submissions"}`: "0x19 0+1x60",
		`http_client_request_duration_seconds_count{url_template="/api/v1/submissions"}`:                         "0+1x19 20x60",
		invitations("stuck"): "0x19 1x60", invitations("queued"): "0x19 1x60",
	}), map[string]labels{"HiringPollsOverdue": {"instance": "", "cause": "the API"}}, 15 * time.Minute, 0},
	"the database is down": {
		manyPolls("0x19 0+30x60", "0x19 0+30x60", map[string]string{deliveries("failing"): "0x19 stale", "hiring_jobs_clock_offset_seconds{}": "0x80"}),
		map[string]labels{"HiringPollsOverdue": {"instance": "", "cause": "the database"}}, 15 * time.Minute, 0,
	},
	"after an outage the last of many organizations are polled minutes later": {
		manyPolls("0x19 0+30x30 0x30", "0x19 0+30x40 0x20", map[string]string{deliveries("failing"): "0x80"}),
		map[string]labels{"HiringPollsOverdue": {"instance": "", "cause": "the processes"}}, 15 * time.Minute, 0,
	},
	"an organization fails while its process ends every two minutes, and is gone for a minute": {map[string]string{
		pollOverdue("acme"): "0x19" + strings.Repeat(" 400x3 stale _", 10),
	}, map[string]labels{"HiringPollOverdue": acme(labels{"hiring_operation": "Submissions.Poll"})}, 0, 0},
	"a process starts during each of its rare polls": {map[string]string{pollOverdue("acme"): "0x19" + strings.Repeat(" 1500 0x5", 10)}, nil, 0, 0},
	"a clock is ahead by half a minute":              {map[string]string{`hiring_jobs_clock_offset_seconds{}`: "0x19 30x60"}, nil, 0, 0},
	"a clock is behind":                              {map[string]string{`hiring_jobs_clock_offset_seconds{}`: "0x19 -90x60"}, map[string]labels{"HiringClockWrong": {}}, 0, 0},
	"all processes are gone":                         {map[string]string{pollOverdue("acme"): "0x19 stale"}, map[string]labels{"HiringWorkerGone": {"instance": ""}}, 0, 0},
	"workers are up, and export no poll":             {map[string]string{"up{}": "_x19 1x60"}, map[string]labels{"HiringPollsMissing": {"instance": ""}}, 0, 0},
	"workers are up, and one of them exports a poll late": {map[string]string{
		"up{}": "0x19 1x60", `up{instance="b:1"}`: "_x19 1x60", pollOverdue("acme"): "_x25 0x55",
	}, nil, 0, 0},
	"two processes have a refused key, with which polls succeed again after an hour": {map[string]string{
		refused("a:1"): "_x20 1x60 2x100", refused("b:1"): "_x24 1x20 2x20 3x20 4x20 5x20 6x60",
		pollOverdue("acme"): "-30x19 0+30x10 120x9 120x110" + strings.Repeat(" -30 25", 25), pollOverdue(`acme",instance="b:1`): "-30x19 0+30x10 120x9 120x110" + strings.Repeat(" -30 25", 25), // A poll is late by up to 25 s before all processes know the next one.
	}, map[string]labels{"HiringKeyRefused": acme(nil)}, 0, 152},
	"minutes after a refused key was replaced, the database is away": {map[string]string{
		refused("a:1"): "_x20 1x180", pollOverdue("acme"): "-30x19 0+30x10 -30x4 0+30x8 -30x160",
	}, map[string]labels{"HiringKeyRefused": acme(nil)}, 0, 31},
	"an organization is removed": {map[string]string{
		pollOverdue("acme"): "0x19 stale", pollOverdue("globex"): "0x80",
	}, nil, 0, 0},
	"the process that polled last ends, and the other one polls a minute later": {map[string]string{
		pollOverdue("acme"): "0+30x23 0x57", pollOverdue(`acme",instance="b:1`): "-30x19 stale",
	}, nil, 0, 0},
}

func deliveries(state string) string {
	return fmt.Sprintf(`hiring_jobs_deliveries{hiring_delivery_state=%q,hiring_organization="acme"}`, state)
}

func deliveriesAge(state string) string {
	return fmt.Sprintf(`hiring_jobs_deliveries_age_seconds{hiring_delivery_state=%q,hiring_organization="acme"}`, state)
}

func invitations(state string) string {
	return fmt.Sprintf(`hiring_jobs_invitations{hiring_invitation_state=%q,hiring_organization="acme"}`, state)
}

func delivered(organization string) string {
	return fmt.Sprintf(`hiring_client_reports_delivered_total{hiring_organization=%q}`, organization)
}

func jobEvents(event, kind string) string {
	return fmt.Sprintf(`hiring_jobs_events_total{hiring_job_event=%q,hiring_job_kind=%q,hiring_organization="acme"}`, event, kind)
}

func lag(part string) string {
	return fmt.Sprintf(`hiring_client_reports_lag_seconds_%s{le="3600",hiring_organization="acme"}`, part)
}

func refused(instance string) string {
	return fmt.Sprintf(`http_client_request_duration_seconds_count{hiring_organization="acme",http_response_status_code="401",instance=%q,url_template="/api/v1/submissions"}`, instance)
}

func pollOverdue(organization string) string {
	return `hiring_poll_overdue_seconds{hiring_operation="Submissions.Poll",hiring_organization="` + organization + `"}`
}

// manyPolls adds the polls of twelve organizations. The last two have other samples.
func manyPolls(most, last string, samples map[string]string) map[string]string {
	for i := range 12 {
		samples[pollOverdue(fmt.Sprint("organization-", i))] = most
		if i >= 10 {
			samples[pollOverdue(fmt.Sprint("organization-", i))] = last
		}
	}
	return samples
}

// runRecorded returns the scrapes of a recorded case.
func runRecorded(name string) *scrapes {
	c := recorded[name]
	s := &scrapes{samples: make(map[string][]string), incidents: []incident{{20, c.want, cmp.Or(c.within, 10*time.Minute)}}}
	if c.end > 0 {
		s.incidents = append(s.incidents, incident{from: c.end})
	}
	for series, samples := range c.samples {
		if strings.Contains(samples, "x180") || strings.Contains(samples, "x160") || strings.Contains(samples, "x200") || c.end > 0 {
			s.count = 200
		}
		instance := `{job="hiring",`
		if !strings.Contains(series, "instance=") {
			instance += `instance="a:1",`
		}
		s.samples[strings.Replace(series, "{", instance, 1)] = []string{samples}
	}
	s.count = cmp.Or(s.count, 80)
	return s
}

// fullDisk is a checkpoint whose Save fails after a number of calls.
type fullDisk struct{ after int }

func (f *fullDisk) Load(context.Context) (string, error) { return "", nil }

func (f *fullDisk) Save(context.Context, string) error {
	f.after--
	if f.after < 0 {
		return errors.New("no space left on device")
	}
	return nil
}

// TestNoAlertFiresWhenHealthy runs healthy scenarios on the sandbox in virtual time. It
// scrapes the metrics, and promtool evaluates all rules over the scrapes.
func TestNoAlertFiresWhenHealthy(t *testing.T) {
	t.Parallel()
	findPromtool(t)
	for name, scenario := range healthy {
		t.Run(name, func(t *testing.T) { runScenario(t, scenario).check(t) })
	}
}

// TestAlertsFire runs scenarios with faults: the expected alerts fire in time, and no
// others. There is a fault for each alert of the file.
func TestAlertsFire(t *testing.T) {
	t.Parallel()
	findPromtool(t)
	fired := make(map[string]bool)
	run := func(name string, scrape func(*testing.T) *scrapes) {
		t.Run(name, func(t *testing.T) {
			s := scrape(t)
			s.check(t)
			for _, i := range s.incidents {
				for alert := range i.want {
					fired[alert] = true
				}
			}
		})
	}
	for name, scenario := range faults {
		run(name, func(t *testing.T) *scrapes { t.Helper(); return runScenario(t, scenario) })
	}
	for name := range recorded {
		run(name, func(*testing.T) *scrapes { return runRecorded(name) })
	}
	for _, r := range rules(t) {
		require.True(t, fired[r.Alert], "no scenario makes %s fire", r.Alert)
	}
}

// runScenario runs a scenario in virtual time, and returns its scrapes.
func runScenario(t *testing.T, scenario func(*testing.T, *environment)) *scrapes {
	t.Helper()
	s := &scrapes{samples: make(map[string][]string)}
	require.True(t, t.Run("scenario", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b, server := newRecorder(t), sandbox.New()
			t.Cleanup(server.Close)
			server.SetPlan(sandbox.LiveKey, 0, 1_000_000)
			scenario(t, &environment{b, s, server, server.LiveClient(hiring.WithTrace(b.Trace()))})
		})
	}))
	return s
}

// at returns the time of a scrape in the format of promtool.
func at(scrape int) string {
	return fmt.Sprintf("%ds", int((time.Duration(scrape) * scrapeInterval).Seconds()))
}

// check makes promtool evaluate all rules over the scrapes. In each incident the wanted alerts
// fire in time, and no others fire at any time. Before the first one none fires.
func (s *scrapes) check(t *testing.T) {
	t.Helper()
	absolute, err := filepath.Abs(alertsFile)
	require.NoError(t, err)
	type object = map[string]any
	var series, alerts, queries []object
	for name, samples := range s.samples {
		metric, _, _ := strings.Cut(name, "{")
		if strings.HasSuffix(metric, "_sum") || strings.HasSuffix(metric, "_bucket") && metric != "hiring_client_reports_lag_seconds_bucket" {
			continue // No rule uses these.
		}
		series = append(series, object{"series": name, "values": strings.Join(samples, " ")})
	}
	for n, i := range append([]incident{{}}, s.incidents...) {
		next := s.count
		if n < len(s.incidents) {
			next = s.incidents[n].from
		}
		if next == i.from {
			continue
		}
		names := []object{}
		for _, r := range rules(t) {
			more, ok := i.want[r.Alert]
			if !ok {
				continue
			}
			expected := map[string]string{"job": "hiring", "instance": "a:1"}
			maps.Copy(expected, more)
			maps.Copy(expected, r.Labels)
			maps.DeleteFunc(expected, func(_, value string) bool { return value == "" })
			last := min(i.from+int(i.within/scrapeInterval), next-1)
			alert := object{"exp_labels": expected, "exp_annotations": r.expand(t, expected)}
			alerts = append(alerts, object{"alertname": r.Alert, "eval_time": at(last), "exp_alerts": []object{alert}})
			names = append(names, object{"labels": fmt.Sprintf("{alertname=%q}", r.Alert), "value": 1})
		}
		fired := fmt.Sprintf(`group by (alertname) (last_over_time(ALERTS{alertstate="firing"}[%s]))`, at(max(next-1-i.from, 1)))
		queries = append(queries, object{"expr": fired, "eval_time": at(next - 1), "exp_samples": names})
	}
	text, err := yaml.Marshal(object{
		"rule_files": []string{absolute}, "evaluation_interval": "30s",
		"tests": []object{{"interval": "30s", "input_series": series, "alert_rule_test": alerts, "promql_expr_test": queries}},
	})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "test.yaml")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	promtool(t, "test", "rules", file)
	t.Logf("%d scrapes of %d series", s.count, len(s.samples))
}

// expand returns the annotations of an alert with these labels.
func (r rule) expand(t *testing.T, labels map[string]string) map[string]string {
	t.Helper()
	expanded := make(map[string]string)
	for name, text := range r.Annotations {
		parsed, err := template.New(name).Parse("{{ $labels := . }}" + text)
		require.NoError(t, err)
		var out strings.Builder
		require.NoError(t, parsed.Execute(&out, labels))
		expanded[name] = out.String()
	}
	return expanded
}

// TestDashboardQueriesExistingMetrics checks that each panel has one valid query,
// and that each metric in it is in a scrape.
func TestDashboardQueriesExistingMetrics(t *testing.T) {
	text, err := os.ReadFile("deploy/dashboard.json")
	require.NoError(t, err)
	var dashboard struct {
		Panels []struct {
			Title   string `json:"title"`
			Targets []struct {
				Expr string `json:"expr"`
			} `json:"targets"`
		} `json:"panels"`
	}
	require.NoError(t, json.Unmarshal(text, &dashboard))
	exist := make(map[string]bool)
	series := slices.Collect(maps.Keys(everyMetric(t)))
	for _, c := range recorded {
		series = slices.AppendSeq(series, maps.Keys(c.samples))
	}
	for _, one := range series {
		name, _, _ := strings.Cut(one, "{")
		exist[name] = true
	}
	type recording struct {
		Record string `yaml:"record"`
		Expr   string `yaml:"expr"`
	}
	var queries []recording
	metric := regexp.MustCompile(`([a-z_]+)\{job="\$job"`)
	for i, panel := range dashboard.Panels {
		require.Len(t, panel.Targets, 1)
		expr := panel.Targets[0].Expr
		metrics := metric.FindAllStringSubmatch(expr, -1)
		require.NotEmpty(t, metrics, "%s has no metric", panel.Title)
		for _, name := range metrics {
			require.True(t, exist[name[1]], "%s: %s is in no scrape", panel.Title, name[1])
		}
		queries = append(queries, recording{fmt.Sprintf("panel:%d", i), expr})
	}
	require.Greater(t, len(queries), 10)
	file, err := yaml.Marshal(map[string]any{"groups": []map[string]any{{"name": "panels", "rules": queries}}})
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "panels.yaml")
	require.NoError(t, os.WriteFile(path, file, 0o600))
	promtool(t, "check", "rules", path)
}
