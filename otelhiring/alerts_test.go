package otelhiring_test

import (
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
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.yaml.in/yaml/v3"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/otelhiring"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

const alertsFile = "deploy/alerts.yaml"

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

// scrapes are what Prometheus collected, a scrape every half minute.
type scrapes struct {
	count  int
	series map[string][]string
}

const scrapeInterval = 30 * time.Second

func (s *scrapes) collect(t *testing.T, times int, all ...*bench) {
	t.Helper()
	for range times {
		for _, b := range all {
			for series, sample := range b.scrape(t) {
				series = strings.Replace(series, "{", fmt.Sprintf(`{job="hiring",instance=%q,`, b.instance), 1)
				if s.series[series] == nil {
					s.series[series] = slices.Repeat([]string{"_"}, s.count)
				}
				s.series[series] = append(s.series[series], sample)
			}
		}
		s.count++
		for series, samples := range s.series {
			if len(samples) < s.count {
				s.series[series] = append(samples, "_")
			}
		}
		time.Sleep(scrapeInterval)
	}
}

// stage is what the scenarios play on.
type stage struct {
	*bench

	server *sandbox.Server
	client *hiring.Client
	*scrapes
}

// watch keeps a watch going until the test ends.
func (s *stage) watch(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	t.Cleanup(func() { cancel(); <-done })
	go func() {
		defer close(done)
		options := hiring.WatchOptions{}
		defer s.bench.Watch(&options)()
		for submission, err := range s.client.Submissions.Watch(ctx, options) {
			if err == nil {
				s.Delivered(ctx, submission.EvaluatedAt)
			}
		}
	}()
	synctest.Wait()
}

// poll makes rounds as jobs do, in one process after the other, until the test
// ends.
func (s *stage) poll(t *testing.T, clients ...*hiring.Client) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	t.Cleanup(func() { cancel(); <-done })
	go func() {
		defer close(done)
		state := ""
		for n := 0; ctx.Err() == nil; n++ {
			polled, err := clients[n%len(clients)].Submissions.Poll(ctx, hiring.WatchOptions{}, state)
			if err == nil {
				state = polled.State
			}
			select {
			case <-ctx.Done():
			case <-time.After(max(polled.Wait, 30*time.Second)):
			}
		}
	}()
	synctest.Wait()
}

// by is a client of the service that a bench looks at.
func (s *stage) by(b *bench, more ...hiring.Option) *hiring.Client {
	return s.server.Client(append(more, hiring.WithProbe(b.Probe()))...)
}

// cutOff leads to no service.
func cutOff() hiring.Option { return hiring.WithHTTPClient(&http.Client{Transport: nowhere{}}) }

type nowhere struct{}

func (nowhere) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("no route to host")
}

// replica is another process.
func replica(t *testing.T) *bench {
	t.Helper()
	b := newBench(t)
	b.instance = "b:1"
	return b
}

// organization is another one of the same process.
func organization(t *testing.T, name string) *bench {
	t.Helper()
	return newBench(t, otelhiring.WithAttributes(attribute.String("organization", name)))
}

// scenarios are nights of an operator, each with the alerts that must come, by
// their names, with the labels beyond job and instance. An empty one is not there.
var scenarios = map[string]struct {
	play func(*testing.T, *stage)
	want map[string]map[string]string
}{
	"all is well": {func(t *testing.T, s *stage) {
		s.watch(t)
		s.collect(t, 60, s.bench)
	}, nil},
	"somebody uses up the quota": {func(t *testing.T, s *stage) {
		_, err := s.client.Account.Get(t.Context())
		require.NoError(t, err)
		s.collect(t, 20, s.bench)
		s.server.SetQuota(sandbox.TestKey, sandbox.ClassRead, 40)
		_, err = s.client.Account.Get(t.Context())
		require.NoError(t, err)
		s.collect(t, 10, s.bench)
	}, map[string]map[string]string{"HiringQuotaNearlyUsed": {"hiring_quota_class": "read"}}},
	"the service is down": {func(t *testing.T, s *stage) {
		s.watch(t)
		s.collect(t, 20, s.bench)
		s.server.Inject(sandbox.Fault{Route: "*", Times: -1, Reset: true})
		s.collect(t, 14, s.bench)
	}, map[string]map[string]string{"HiringNoRound": {"hiring_operation": "Submissions.Watch"}}},
	"the service is down for a moment": {func(t *testing.T, s *stage) {
		s.watch(t)
		s.collect(t, 20, s.bench)
		s.server.Inject(sandbox.Fault{Route: "*", Times: 4, Reset: true})
		s.collect(t, 14, s.bench)
	}, nil},
	"the key is revoked": {func(t *testing.T, s *stage) {
		s.watch(t)
		s.collect(t, 20, s.bench)
		s.server.RevokeKey(sandbox.TestKey)
		s.collect(t, 4, s.bench)
	}, map[string]map[string]string{"HiringKeyRefused": {}}},
	"the key is wrong from the start": {func(t *testing.T, s *stage) {
		s.server.RevokeKey(sandbox.TestKey)
		s.watch(t)
		s.collect(t, 4, s.bench)
	}, map[string]map[string]string{"HiringKeyRefused": {}}},
	"no poll has ever succeeded": {func(t *testing.T, s *stage) {
		s.server.Inject(sandbox.Fault{Route: "*", Times: -1, Reset: true})
		s.poll(t, s.client)
		s.collect(t, 14, s.bench)
	}, map[string]map[string]string{"HiringNeverRead": {"hiring_operation": "Submissions.Poll", "instance": ""}}},
	"one of two organizations was never read": {func(t *testing.T, s *stage) {
		first, second := organization(t, "first"), organization(t, "second")
		s.poll(t, s.by(first))
		s.poll(t, s.by(second, cutOff()))
		s.collect(t, 14, first, second)
	}, map[string]map[string]string{"HiringNeverRead": {"hiring_operation": "Submissions.Poll", "instance": ""}}},
	"the first polls have failed for a moment": {func(t *testing.T, s *stage) {
		s.poll(t, s.by(s.bench, cutOff()))
		s.collect(t, 8, s.bench)
	}, nil},
	"the first polls fail, and then none": {func(t *testing.T, s *stage) {
		s.server.Inject(sandbox.Fault{Route: "*", Times: 8, Reset: true})
		s.poll(t, s.client)
		s.collect(t, 14, s.bench)
	}, nil},
	"the polls of one of two processes fail": {func(t *testing.T, s *stage) {
		second := replica(t)
		s.poll(t, s.client, s.by(second, cutOff()))
		s.collect(t, 20, s.bench, second)
	}, nil},
	"one of two processes polls no more": {func(t *testing.T, s *stage) {
		second := replica(t)
		_, err := s.by(second).Submissions.Poll(t.Context(), hiring.WatchOptions{}, "")
		require.NoError(t, err)
		s.poll(t, s.client)
		s.collect(t, 20, s.bench, second)
	}, nil},
	"two processes poll, and the service goes down": {func(t *testing.T, s *stage) {
		second := replica(t)
		s.poll(t, s.client, s.by(second))
		s.collect(t, 20, s.bench, second)
		s.server.Inject(sandbox.Fault{Route: "*", Times: -1, Reset: true})
		s.collect(t, 14, s.bench, second)
	}, map[string]map[string]string{"HiringNoRound": {"hiring_operation": "Submissions.Poll", "instance": ""}}},
	"a job is given up": {func(t *testing.T, s *stage) {
		s.collect(t, 20, s.bench)
		s.JobDiscarded(t.Context(), "hiring_deliver")
		s.collect(t, 4, s.bench)
	}, map[string]map[string]string{"HiringJobsDiscarded": {"hiring_job_kind": "hiring_deliver"}}},
	"a second job is given up": {func(t *testing.T, s *stage) {
		s.JobDiscarded(t.Context(), "hiring_deliver")
		s.collect(t, 60, s.bench)
		s.JobDiscarded(t.Context(), "hiring_deliver")
		s.collect(t, 4, s.bench)
	}, map[string]map[string]string{"HiringJobsDiscarded": {"hiring_job_kind": "hiring_deliver"}}},
}

// TestEachRuleOnRealScrapes plays each scenario on the sandbox, scrapes it as
// Prometheus would, and lets promtool evaluate every rule over that.
func TestEachRuleOnRealScrapes(t *testing.T) {
	fired := make(map[string]bool)
	for name, scenario := range scenarios {
		s := play(t, scenario.play)
		promtool(t, "test", "rules", s.write(t, rules(t), scenario.want))
		for alert := range scenario.want {
			fired[alert] = true
		}
		t.Logf("%s: %d scrapes of %d series, alerts %v", name, s.count, len(s.series), scenario.want)
	}
	for _, r := range rules(t) {
		require.True(t, fired[r.Alert], "%s fires in no scenario", r.Alert)
	}
}

func play(t *testing.T, scenario func(*testing.T, *stage)) *scrapes {
	t.Helper()
	s := &scrapes{series: make(map[string][]string)}
	t.Run("play", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b, server := newBench(t), sandbox.New()
			t.Cleanup(server.Close)
			scenario(t, &stage{b, server, server.Client(hiring.WithProbe(b.Probe())), s})
		})
	})
	return s
}

// write makes promtool's test of all rules at the time of the last scrape.
func (s *scrapes) write(t *testing.T, all []rule, want map[string]map[string]string) string {
	t.Helper()
	absolute, err := filepath.Abs(alertsFile)
	require.NoError(t, err)
	type series struct {
		Series string `yaml:"series"`
		Values string `yaml:"values"`
	}
	var input []series
	for name, samples := range s.series {
		input = append(input, series{name, strings.Join(samples, " ")})
	}
	var tests []map[string]any
	for _, r := range all {
		alerts := []map[string]any{}
		if labels, ok := want[r.Alert]; ok {
			expected := map[string]string{"job": "hiring", "instance": "a:1"}
			for _, more := range []map[string]string{labels, r.Labels} {
				maps.Copy(expected, more)
			}
			maps.DeleteFunc(expected, func(_, value string) bool { return value == "" })
			alerts = append(alerts, map[string]any{"exp_labels": expected, "exp_annotations": r.Annotations})
		}
		at := time.Duration(s.count-1) * scrapeInterval
		tests = append(tests, map[string]any{"alertname": r.Alert, "eval_time": fmt.Sprintf("%ds", int(at.Seconds())), "exp_alerts": alerts})
	}
	text, err := yaml.Marshal(map[string]any{
		"rule_files": []string{absolute}, "evaluation_interval": "30s",
		"tests": []map[string]any{{"interval": "30s", "input_series": input, "alert_rule_test": tests}},
	})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "test.yaml")
	require.NoError(t, os.WriteFile(file, text, 0o600))
	return file
}

// TestDashboardAsksForWhatThereIs: each panel's query is one, and each metric in
// it is in a scrape.
func TestDashboardAsksForWhatThereIs(t *testing.T) {
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
		s.watch(t)
		evaluated := time.Now()
		s.Delivered(t.Context(), &evaluated)
		s.JobDiscarded(t.Context(), "hiring_deliver")
		options := hiring.WaitOptions{}
		defer s.Wait(&options)()
		options.Progress(hiring.WaitProgress{Pending: 1})
		_, err := s.client.Submissions.Get(t.Context(), sandbox.UnknownID)
		require.ErrorIs(t, err, hiring.ErrNotFound)
		s.collect(t, 4, s.bench)
	})
	for series := range s.series {
		name, _, _ := strings.Cut(series, "{")
		exist[name] = true
	}
	type recording struct {
		Record string `yaml:"record"`
		Expr   string `yaml:"expr"`
	}
	var queries []recording
	metric := regexp.MustCompile(`\b(?:hiring|http)_[a-z_]+[{} )]`)
	for i, panel := range dashboard.Panels {
		require.Len(t, panel.Targets, 1)
		expr := panel.Targets[0].Expr
		named := 0
		for _, name := range metric.FindAllString(expr, -1) {
			if name = name[:len(name)-1]; strings.HasPrefix(name, "hiring_client_") || strings.HasPrefix(name, "http_client_") || strings.HasPrefix(name, "hiring_jobs_") {
				require.True(t, exist[name], "%s: %s is in no scrape", panel.Title, name)
				named++
			}
		}
		require.Positive(t, named, "%s asks for nothing", panel.Title)
		queries = append(queries, recording{fmt.Sprintf("panel:%d", i), expr})
	}
	require.Greater(t, len(queries), 10)
	file, err := yaml.Marshal(map[string]any{"groups": []map[string]any{{"name": "panels", "rules": queries}}})
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "panels.yaml")
	require.NoError(t, os.WriteFile(path, file, 0o600))
	promtool(t, "check", "rules", path)
}
