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
	"github.com/hiring-assessment/hiring-go/otelhiring"
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
		all = append(all, group.Rules...)
	}
	return all
}

// scrapes are what a Prometheus collected.
type scrapes struct {
	count   int
	failed  int // The number of scrapes before the fault.
	samples map[string][]string
}

// collect scrapes for a duration. Processes that are not given are gone.
func (s *scrapes) collect(t *testing.T, d time.Duration, processes ...*bench) {
	t.Helper()
	for range d / scrapeInterval {
		for _, b := range processes {
			for series, sample := range b.scrape(t) {
				series = strings.Replace(series, "{", fmt.Sprintf(`{job="hiring",instance=%q,`, b.instance), 1)
				if s.samples[series] == nil {
					s.samples[series] = slices.Repeat([]string{"_"}, s.count)
				}
				s.samples[series] = append(s.samples[series], sample)
			}
		}
		s.count++
		for series, samples := range s.samples {
			if last := samples[len(samples)-1]; len(samples) == s.count {
				continue
			} else if last == "_" || last == "stale" {
				s.samples[series] = append(samples, "_")
			} else {
				s.samples[series] = append(samples, "stale")
			}
		}
		time.Sleep(scrapeInterval)
	}
}

// stage is where a scenario plays: a server, and one process.
type stage struct {
	*bench
	*scrapes

	server *sandbox.Server
	client *hiring.Client // A client of the process for sandbox.LiveKey.
}

// fault marks the time from which alerts are expected.
func (s *stage) fault() { s.failed = s.count }

// clientOf returns a client of a process.
func (s *stage) clientOf(b *bench, more ...hiring.Option) *hiring.Client {
	return s.server.LiveClient(append(more, hiring.WithTrace(b.Trace()))...)
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
func (s *stage) watch(t *testing.T, options hiring.WatchOptions, handle time.Duration) (stop func()) {
	t.Helper()
	return background(t, func(ctx context.Context) {
		defer s.Watch(&options)()
		for submission, err := range s.client.Submissions.Watch(ctx, options) {
			if err == nil {
				time.Sleep(handle)
				s.Delivered(ctx, submission.EvaluatedAt)
			}
		}
	})
}

// wait runs WaitReports for the ids.
func (s *stage) wait(t *testing.T, ids []string, options hiring.WaitOptions) {
	t.Helper()
	background(t, func(ctx context.Context) {
		defer s.Wait(&options)()
		for report, err := range s.client.Submissions.WaitReports(ctx, ids, options) {
			if err == nil {
				s.Delivered(ctx, report.GeneratedAt)
			}
		}
	})
}

// poll polls as module jobs does, in one process after the other.
func (s *stage) poll(t *testing.T, organization string, options hiring.WatchOptions, processes ...process) (stop func()) {
	t.Helper()
	for _, p := range processes {
		p.bench.PollDue(t.Context(), organization, time.Now())
	}
	return background(t, func(ctx context.Context) {
		state := ""
		for n := 0; ctx.Err() == nil; n++ {
			p := processes[n%len(processes)]
			polled, err := p.client.Submissions.Poll(ctx, options, state)
			if err == nil {
				state = polled.State
				p.bench.PollDue(ctx, organization, time.Now().Add(polled.Wait))
			}
			select {
			case <-ctx.Done():
			case <-time.After(max(polled.Wait, time.Second)):
			}
		}
	})
}

// process is one of several processes of a job.
type process struct {
	bench  *bench
	client *hiring.Client
}

func (s *stage) process() process { return process{s.bench, s.client} }

// replica returns another process.
func (s *stage) replica(t *testing.T, more ...hiring.Option) process {
	t.Helper()
	b := newBench(t)
	b.instance = "b:1"
	return process{b, s.clientOf(b, more...)}
}

// noService leads to no server.
func noService() hiring.Option { return hiring.WithHTTPClient(&http.Client{Transport: nowhere{}}) }

type nowhere struct{}

func (nowhere) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("no route to host")
}

// read runs another program with the same key, which reads as often as it can.
func (s *stage) read(t *testing.T, options ...hiring.Option) {
	t.Helper()
	client := s.server.LiveClient(options...)
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
func (s *stage) begin(t *testing.T, n int) (ids []string) {
	t.Helper()
	assessment := s.server.AddAssessment("Backend")
	for i := range n {
		invitation, err := s.server.Invite(assessment, fmt.Sprintf("candidate-%d@candidates.test", i), "Candidate")
		require.NoError(t, err)
		id, err := s.server.Begin(invitation)
		require.NoError(t, err)
		ids = append(ids, id)
	}
	return ids
}

func (s *stage) evaluate(t *testing.T, ids []string) {
	t.Helper()
	for _, id := range ids {
		require.NoError(t, s.server.Evaluate(id, sandbox.Result{ShipScore: 50}))
	}
}

// deliveries reports deliveries of an organization once a minute, as module jobs
// does. The oldest delivery enters its state now.
func (s *stage) deliveries(t *testing.T, state string, count int) (stop func()) {
	t.Helper()
	oldest := time.Now()
	return background(t, func(ctx context.Context) {
		for ctx.Err() == nil {
			s.Deliveries(ctx, "acme", state, count, oldest)
			select {
			case <-ctx.Done():
			case <-time.After(time.Minute):
			}
		}
	})
}

// labels are those of an alert beyond job, instance and severity. An empty value
// says that the label is absent.
type labels map[string]string

// scenario is what happens, and which alerts fire within a time of the fault, ten
// minutes by default. No alert fires before the fault, and no other one after it.
type scenario struct {
	play   func(*testing.T, *stage)
	want   map[string]labels
	within time.Duration
}

var healthy = map[string]func(*testing.T, *stage){
	"an idle watch, a wait for one report and a tail": func(t *testing.T, s *stage) {
		s.watch(t, hiring.WatchOptions{}, 0)
		id := s.begin(t, 1)[0]
		background(t, func(ctx context.Context) { _, _ = s.client.Submissions.WaitReport(ctx, id, hiring.WaitOptions{}) })
		background(t, func(ctx context.Context) {
			for _, err := range s.client.Events.Tail(ctx, id, hiring.TailOptions{}) {
				if err != nil {
					return
				}
			}
		})
		s.collect(t, time.Hour, s.bench)
	},
	"48 idle hours of WaitReports": func(t *testing.T, s *stage) {
		s.wait(t, s.begin(t, 200), hiring.WaitOptions{})
		s.collect(t, 48*time.Hour, s.bench)
	},
	"polls up to ten minutes apart": func(t *testing.T, s *stage) {
		s.watch(t, hiring.WatchOptions{MaxInterval: 10 * time.Minute}, 0)
		s.poll(t, "acme", hiring.WatchOptions{MaxInterval: 10 * time.Minute}, s.process())
		s.wait(t, s.begin(t, 10), hiring.WaitOptions{MaxInterval: 10 * time.Minute})
		s.collect(t, 8*time.Hour, s.bench)
	},
	"a burst of 10,000 results for WaitReports": func(t *testing.T, s *stage) {
		ids := s.begin(t, 10_000)
		s.wait(t, ids, hiring.WaitOptions{})
		s.collect(t, 10*time.Minute, s.bench)
		s.evaluate(t, ids)
		s.collect(t, 2*time.Hour, s.bench)
	},
	"a burst of 10,000 results for a watch that handles one a second": func(t *testing.T, s *stage) {
		ids := s.begin(t, 10_000)
		s.watch(t, hiring.WatchOptions{}, time.Second)
		s.collect(t, 10*time.Minute, s.bench)
		s.evaluate(t, ids)
		s.collect(t, 4*time.Hour, s.bench)
	},
	"a burst of 10,000 results for polls": func(t *testing.T, s *stage) {
		ids := s.begin(t, 10_000)
		s.poll(t, "acme", hiring.WatchOptions{}, s.process())
		s.collect(t, 10*time.Minute, s.bench)
		s.evaluate(t, ids)
		s.collect(t, 2*time.Hour, s.bench)
	},
	"a shared rate limit": func(t *testing.T, s *stage) {
		s.watch(t, hiring.WatchOptions{}, 0)
		s.wait(t, s.begin(t, 300), hiring.WaitOptions{})
		s.poll(t, "acme", hiring.WatchOptions{}, s.process())
		s.read(t, hiring.WithQuotaReserve(0.08))
		s.collect(t, 6*time.Hour, s.bench)
	},
	"replicas that poll in turn": func(t *testing.T, s *stage) {
		second := s.replica(t)
		s.poll(t, "acme", hiring.WatchOptions{}, s.process(), second)
		s.collect(t, 2*time.Hour, s.bench, second.bench)
	},
	"the polls of one of two processes fail": func(t *testing.T, s *stage) {
		second := s.replica(t, noService())
		s.poll(t, "acme", hiring.WatchOptions{}, s.process(), second)
		s.collect(t, time.Hour, s.bench, second.bench)
	},
	"a process ends, and another one polls": func(t *testing.T, s *stage) {
		second := s.replica(t)
		s.poll(t, "acme", hiring.WatchOptions{}, second)()
		s.poll(t, "acme", hiring.WatchOptions{}, s.process())
		s.collect(t, time.Hour, s.bench, second.bench)
		s.collect(t, time.Hour, s.bench)
	},
	"a process restarts within three minutes": func(t *testing.T, s *stage) {
		stop := s.poll(t, "acme", hiring.WatchOptions{}, s.process())
		s.collect(t, 30*time.Minute, s.bench)
		stop()
		s.collect(t, 3*time.Minute)
		s.poll(t, "acme", hiring.WatchOptions{}, s.process())
		s.collect(t, 30*time.Minute, s.bench)
	},
	"the service is down for two minutes": func(t *testing.T, s *stage) {
		s.watch(t, hiring.WatchOptions{}, 0)
		s.poll(t, "acme", hiring.WatchOptions{}, s.process())
		s.collect(t, 10*time.Minute, s.bench)
		s.server.Inject(sandbox.Fault{Route: "*", Times: 20, Reset: true})
		s.collect(t, 30*time.Minute, s.bench)
	},
	"a wait ends with all reports": func(t *testing.T, s *stage) {
		ids := s.begin(t, 3)
		s.wait(t, ids, hiring.WaitOptions{})
		s.evaluate(t, ids)
		s.collect(t, time.Hour, s.bench)
	},
	"a watch is stopped": func(t *testing.T, s *stage) {
		stop := s.watch(t, hiring.WatchOptions{}, 0)
		s.collect(t, 10*time.Minute, s.bench)
		stop()
		s.collect(t, 30*time.Minute, s.bench)
	},
	"a delivery fails for five minutes": func(t *testing.T, s *stage) {
		stop := s.deliveries(t, "failing", 1)
		s.collect(t, 5*time.Minute, s.bench)
		stop()
		s.deliveries(t, "failing", 0)
		s.collect(t, time.Hour, s.bench)
	},
	"a long queue of deliveries with one slow worker": func(t *testing.T, s *stage) {
		s.deliveries(t, "waiting", 10_000)
		background(t, func(ctx context.Context) {
			for ctx.Err() == nil {
				time.Sleep(time.Minute)
				s.JobDelivered(ctx, "acme", nil)
			}
		})
		s.collect(t, time.Hour, s.bench)
	},
	"another process reports deliveries": func(t *testing.T, s *stage) {
		second := s.replica(t)
		s.Deliveries(t.Context(), "acme", "failing", 1, time.Now()) // Out of date after three minutes.
		for range 60 {
			second.bench.Deliveries(t.Context(), "acme", "failing", 0, time.Time{})
			s.collect(t, time.Minute, s.bench, second.bench)
		}
	},
}

// acme are the labels of an alert that concerns all processes of an organization.
func acme(more labels) labels {
	all := labels{"hiring_organization": "acme", "instance": ""}
	maps.Copy(all, more)
	return all
}

var faults = map[string]scenario{
	"the service is down": {func(t *testing.T, s *stage) {
		s.watch(t, hiring.WatchOptions{}, 0)
		s.collect(t, 10*time.Minute, s.bench)
		s.fault()
		s.server.Inject(sandbox.Fault{Route: "*", Times: -1, Reset: true})
		s.collect(t, 20*time.Minute, s.bench)
	}, map[string]labels{"HiringPollOverdue": {"hiring_operation": "Submissions.Watch"}}, 0},
	"the service is down when WaitReports begins": {func(t *testing.T, s *stage) {
		s.fault()
		s.server.Inject(sandbox.Fault{Route: "*", Times: -1, Status: 503})
		s.wait(t, []string{sandbox.PendingSubmissionID}, hiring.WaitOptions{})
		s.collect(t, 20*time.Minute, s.bench)
	}, map[string]labels{"HiringPollOverdue": {"hiring_operation": "Submissions.WaitReports"}}, 0},
	"a watch whose results are not handled": {func(t *testing.T, s *stage) {
		ids := s.begin(t, 10)
		s.watch(t, hiring.WatchOptions{}, time.Hour)
		s.collect(t, 10*time.Minute, s.bench)
		s.fault()
		s.evaluate(t, ids)
		s.collect(t, 20*time.Minute, s.bench)
	}, map[string]labels{"HiringPollOverdue": {"hiring_operation": "Submissions.Watch"}}, 0},
	"a watch that ended with an error": {func(t *testing.T, s *stage) {
		s.watch(t, hiring.WatchOptions{Checkpoint: &fullDisk{after: 5}}, 0)
		s.collect(t, 5*time.Minute, s.bench)
		s.fault()
		s.collect(t, 30*time.Minute, s.bench)
	}, map[string]labels{"HiringPollOverdue": {"hiring_operation": "Submissions.Watch"}}, 0},
	"two processes poll, and the service goes down": {func(t *testing.T, s *stage) {
		second := s.replica(t)
		s.poll(t, "acme", hiring.WatchOptions{}, s.process(), second)
		s.collect(t, 10*time.Minute, s.bench, second.bench)
		s.fault()
		s.server.Inject(sandbox.Fault{Route: "*", Times: -1, Reset: true})
		s.collect(t, 20*time.Minute, s.bench, second.bench)
	}, map[string]labels{"HiringPollOverdue": acme(labels{"hiring_operation": "Submissions.Poll"})}, 0},
	"no poll has ever succeeded": {func(t *testing.T, s *stage) {
		s.fault()
		s.poll(t, "acme", hiring.WatchOptions{}, process{s.bench, s.clientOf(s.bench, noService())})
		s.collect(t, 20*time.Minute, s.bench)
	}, map[string]labels{"HiringPollOverdue": acme(labels{"hiring_operation": "Submissions.Poll"})}, 0},
	"one of two organizations is not polled": {func(t *testing.T, s *stage) {
		s.fault()
		s.poll(t, "globex", hiring.WatchOptions{}, s.process())
		s.poll(t, "acme", hiring.WatchOptions{}, process{s.bench, s.clientOf(s.bench, noService())})
		s.collect(t, 20*time.Minute, s.bench)
	}, map[string]labels{"HiringPollOverdue": acme(labels{"hiring_operation": "Submissions.Poll"})}, 0},
	"a stuck queue of polls": {func(t *testing.T, s *stage) {
		stop := s.poll(t, "acme", hiring.WatchOptions{}, s.process())
		s.collect(t, 10*time.Minute, s.bench)
		s.fault()
		stop()
		s.collect(t, 20*time.Minute, s.bench)
	}, map[string]labels{"HiringPollOverdue": acme(labels{"hiring_operation": "Submissions.Poll"})}, 0},
	"a stuck queue of deliveries": {func(t *testing.T, s *stage) {
		s.poll(t, "acme", hiring.WatchOptions{}, s.process())
		s.JobDelivered(t.Context(), "acme", nil)
		s.collect(t, 10*time.Minute, s.bench)
		s.fault()
		s.deliveries(t, "waiting", 3)
		s.collect(t, 20*time.Minute, s.bench)
	}, map[string]labels{"HiringDeliveriesStuck": acme(nil)}, 0},
	"a worker that stopped": {func(t *testing.T, s *stage) {
		stop := s.poll(t, "acme", hiring.WatchOptions{}, s.process())
		s.collect(t, 10*time.Minute, s.bench)
		s.fault()
		stop()
		s.collect(t, 20*time.Minute)
	}, map[string]labels{"HiringWorkerGone": acme(nil)}, 0},
	"a process with a watch that was killed": {func(t *testing.T, s *stage) {
		s.watch(t, hiring.WatchOptions{}, 0)
		s.collect(t, 10*time.Minute, s.bench)
		s.fault()
		s.collect(t, 20*time.Minute)
	}, map[string]labels{"HiringWorkerGone": {"instance": ""}}, 0},
	"the key of a watch is revoked": {func(t *testing.T, s *stage) {
		s.watch(t, hiring.WatchOptions{}, 0)
		s.collect(t, 10*time.Minute, s.bench)
		s.fault()
		s.server.RevokeKey(sandbox.LiveKey)
		s.collect(t, 9*time.Minute, s.bench)
	}, map[string]labels{"HiringKeyRefused": {}, "HiringPollOverdue": {"hiring_operation": "Submissions.Watch"}}, 0},
	"the key of polls is revoked": {func(t *testing.T, s *stage) {
		b := newBench(t, otelhiring.WithOrganization("acme"))
		s.poll(t, "acme", hiring.WatchOptions{}, process{b, s.clientOf(b)})
		s.collect(t, 10*time.Minute, b)
		s.fault()
		s.server.RevokeKey(sandbox.LiveKey)
		s.collect(t, 20*time.Minute, b)
	}, map[string]labels{
		"HiringKeyRefused":  {"hiring_organization": "acme"},
		"HiringPollOverdue": acme(labels{"hiring_operation": "Submissions.Poll"}),
	}, 0},
	"the key is wrong from the start": {func(t *testing.T, s *stage) {
		s.fault()
		s.server.RevokeKey(sandbox.LiveKey)
		s.watch(t, hiring.WatchOptions{}, 0)
		s.collect(t, 4*time.Minute, s.bench)
	}, map[string]labels{"HiringKeyRefused": {}}, 0},
	"another program uses up the rate limit between two polls": {func(t *testing.T, s *stage) {
		s.watch(t, hiring.WatchOptions{}, 0)
		s.collect(t, 10*time.Minute, s.bench)
		s.fault()
		s.server.SetQuota(sandbox.LiveKey, sandbox.ClassRead, 0)
		s.collect(t, 2*time.Hour, s.bench)
	}, map[string]labels{"HiringQuotaNearlyUsed": {"hiring_quota_class": "read"}}, 0},
	"another program uses up the rate limit": {func(t *testing.T, s *stage) {
		s.watch(t, hiring.WatchOptions{}, 0)
		s.collect(t, 10*time.Minute, s.bench)
		s.fault()
		s.wait(t, s.begin(t, 300), hiring.WaitOptions{})
		s.poll(t, "acme", hiring.WatchOptions{}, s.process())
		s.read(t)
		s.collect(t, 3*time.Hour, s.bench)
	}, map[string]labels{"HiringQuotaNearlyUsed": {"hiring_quota_class": "read"}}, 0},
	"a delivery fails": {func(t *testing.T, s *stage) {
		s.poll(t, "acme", hiring.WatchOptions{}, s.process())
		s.deliveries(t, "waiting", 0)
		s.collect(t, 10*time.Minute, s.bench)
		s.fault()
		s.deliveries(t, "failing", 1)
		s.collect(t, 20*time.Minute, s.bench)
	}, map[string]labels{"HiringDeliveriesFailing": acme(nil)}, 15 * time.Minute},
	"a receiver answers 410": {func(t *testing.T, s *stage) {
		s.poll(t, "acme", hiring.WatchOptions{}, s.process())
		s.collect(t, 10*time.Minute, s.bench)
		s.fault()
		s.deliveries(t, "paused", 5)
		s.collect(t, 20*time.Minute, s.bench)
	}, map[string]labels{"HiringReceiverPaused": acme(nil)}, 0},
	"a delivery is discarded": {func(t *testing.T, s *stage) {
		s.collect(t, 10*time.Minute, s.bench)
		s.fault()
		s.JobEvent(t.Context(), "acme", "hiring_delivery", "discarded")
		s.deliveries(t, "discarded", 1)
		s.collect(t, 20*time.Minute, s.bench)
	}, map[string]labels{"HiringDeliveriesGivenUp": acme(labels{"hiring_delivery_state": "discarded"})}, 0},
	"a delivery is cancelled": {func(t *testing.T, s *stage) {
		s.collect(t, 10*time.Minute, s.bench)
		s.fault()
		s.JobEvent(t.Context(), "acme", "hiring_delivery", "cancelled")
		s.deliveries(t, "cancelled", 1)
		s.collect(t, 20*time.Minute, s.bench)
	}, map[string]labels{"HiringDeliveriesGivenUp": acme(labels{"hiring_delivery_state": "cancelled"})}, 0},
	"invitations are discarded": {func(t *testing.T, s *stage) {
		s.collect(t, 10*time.Minute, s.bench)
		s.fault()
		s.JobEvent(t.Context(), "acme", "hiring_invitations", "discarded")
		s.collect(t, 14*time.Minute, s.bench)
	}, map[string]labels{"HiringJobsDiscarded": {"hiring_organization": "acme", "hiring_job_kind": "hiring_invitations"}}, 0},
	"invitations are discarded a second time": {func(t *testing.T, s *stage) {
		s.JobEvent(t.Context(), "acme", "hiring_invitations", "rescued")
		s.collect(t, 30*time.Minute, s.bench)
		s.JobEvent(t.Context(), "globex", "hiring_invitations", "cancelled")
		s.collect(t, 30*time.Minute, s.bench)
		s.fault()
		s.JobEvent(t.Context(), "acme", "hiring_invitations", "discarded")
		s.collect(t, 14*time.Minute, s.bench)
	}, map[string]labels{"HiringJobsDiscarded": {"hiring_organization": "acme", "hiring_job_kind": "hiring_invitations"}}, 0},
}

// fullDisk is a checkpoint that fails after some saves.
type fullDisk struct{ after int }

func (f *fullDisk) Load(context.Context) (string, error) { return "", nil }

func (f *fullDisk) Save(context.Context, string) error {
	if f.after--; f.after < 0 {
		return errors.New("no space left on device")
	}
	return nil
}

// TestNoAlertFiresWhenAllIsWell plays healthy scenarios on the sandbox, scrapes
// them in virtual time, and lets promtool evaluate every rule over the scrapes.
func TestNoAlertFiresWhenAllIsWell(t *testing.T) {
	for name, scenario := range healthy {
		t.Run(name, func(t *testing.T) {
			s := play(t, scenario)
			s.check(t, nil, 0)
			t.Logf("%d scrapes of %d series", s.count, len(s.samples))
		})
	}
}

// TestAlertsFireWithinTenMinutes plays faults. The expected alerts fire within ten
// minutes of the fault, and no alert fires before it.
func TestAlertsFireWithinTenMinutes(t *testing.T) {
	fired := make(map[string]bool)
	for name, scenario := range faults {
		t.Run(name, func(t *testing.T) {
			s := play(t, scenario.play)
			s.check(t, scenario.want, cmp.Or(scenario.within, 10*time.Minute))
		})
		for alert := range scenario.want {
			fired[alert] = true
		}
	}
	for _, r := range rules(t) {
		require.True(t, fired[r.Alert], "%s fires in no scenario", r.Alert)
	}
}

func play(t *testing.T, scenario func(*testing.T, *stage)) *scrapes {
	t.Helper()
	s := &scrapes{samples: make(map[string][]string)}
	require.True(t, t.Run("play", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b, server := newBench(t), sandbox.New()
			t.Cleanup(server.Close)
			server.SetPlan(sandbox.LiveKey, 0, 1_000_000)
			scenario(t, &stage{b, s, server, server.LiveClient(hiring.WithTrace(b.Trace()))})
		})
	}))
	return s
}

// at returns the time of a scrape, as promtool writes it.
func at(scrape int) string {
	return fmt.Sprintf("%ds", int((time.Duration(scrape) * scrapeInterval).Seconds()))
}

// check has promtool evaluate all rules over the scrapes. The alerts in want fire
// at the latest within a time of the fault. No other alert ever fires.
func (s *scrapes) check(t *testing.T, want map[string]labels, within time.Duration) {
	t.Helper()
	absolute, err := filepath.Abs(alertsFile)
	require.NoError(t, err)
	type object = map[string]any
	var series, alerts, queries, names []object
	for name, samples := range s.samples {
		if metric, _, _ := strings.Cut(name, "{"); strings.HasSuffix(metric, "_bucket") || strings.HasSuffix(metric, "_sum") {
			continue // No rule uses these.
		}
		series = append(series, object{"series": name, "values": strings.Join(samples, " ")})
	}
	for _, r := range rules(t) {
		more, ok := want[r.Alert]
		if !ok {
			continue
		}
		expected := map[string]string{"job": "hiring", "instance": "a:1"}
		maps.Copy(expected, more)
		maps.Copy(expected, r.Labels)
		maps.DeleteFunc(expected, func(_, value string) bool { return value == "" })
		alert := object{"exp_labels": expected, "exp_annotations": r.expand(t, expected)}
		last := min(s.failed+int(within/scrapeInterval), s.count-1)
		alerts = append(alerts, object{"alertname": r.Alert, "eval_time": at(last), "exp_alerts": []object{alert}})
		names = append(names, object{"labels": fmt.Sprintf("{alertname=%q}", r.Alert), "value": 1})
	}
	ever := `group by (alertname) (last_over_time(ALERTS{alertstate="firing"}[30d]))`
	queries = append(queries, object{"expr": ever, "eval_time": at(s.count - 1), "exp_samples": names})
	if s.failed > 0 {
		queries = append(queries, object{"expr": ever, "eval_time": at(s.failed - 1), "exp_samples": []object{}})
	}
	text, err := yaml.Marshal(object{
		"rule_files": []string{absolute}, "evaluation_interval": "30s",
		"tests": []object{{"interval": "30s", "input_series": series, "alert_rule_test": alerts, "promql_expr_test": queries}},
	})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "test.yaml")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	promtool(t, "test", "rules", file)
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
	s := play(t, func(t *testing.T, s *stage) {
		s.watch(t, hiring.WatchOptions{}, 0)
		evaluated := time.Now()
		s.Delivered(t.Context(), &evaluated)
		s.JobEvent(t.Context(), "acme", "hiring_delivery", "discarded")
		s.Deliveries(t.Context(), "acme", "failing", 1, evaluated)
		options := hiring.WaitOptions{}
		defer s.Wait(&options)()
		options.Progress(hiring.WaitProgress{Pending: 1})
		_, err := s.client.Submissions.Get(t.Context(), sandbox.UnknownID)
		require.ErrorIs(t, err, hiring.ErrNotFound)
		s.collect(t, 2*time.Minute, s.bench)
	})
	for series := range s.samples {
		name, _, _ := strings.Cut(series, "{")
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
