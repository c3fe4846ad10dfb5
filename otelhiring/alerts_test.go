package otelhiring_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	hiring "github.com/hiring-assessment/hiring-go"
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

func (s *scrapes) collect(t *testing.T, b *bench, times int) {
	t.Helper()
	for range times {
		for series, sample := range b.scrape(t) {
			if s.series[series] == nil {
				s.series[series] = slices.Repeat([]string{"_"}, s.count)
			}
			s.series[series] = append(s.series[series], sample)
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

// scenarios are nights of an operator, each with the alerts that must come, by
// their names, with the labels beyond job and instance.
var scenarios = map[string]struct {
	play func(*testing.T, *stage)
	want map[string]map[string]string
}{
	"all is well": {func(t *testing.T, s *stage) {
		s.watch(t)
		s.collect(t, s.bench, 60)
	}, nil},
	"somebody uses up the quota": {func(t *testing.T, s *stage) {
		_, err := s.client.Account.Get(t.Context())
		require.NoError(t, err)
		s.collect(t, s.bench, 20)
		s.server.SetQuota(sandbox.TestKey, sandbox.ClassRead, 40)
		_, err = s.client.Account.Get(t.Context())
		require.NoError(t, err)
		s.collect(t, s.bench, 10)
	}, map[string]map[string]string{"HiringQuotaNearlyUsed": {"hiring_quota_class": "read"}}},
	"the service is down": {func(t *testing.T, s *stage) {
		s.watch(t)
		s.collect(t, s.bench, 20)
		s.server.Inject(sandbox.Fault{Route: "*", Times: -1, Reset: true})
		s.collect(t, s.bench, 14)
	}, map[string]map[string]string{"HiringNoRound": {"hiring_operation": "Submissions.Watch"}}},
	"the service is down for a moment": {func(t *testing.T, s *stage) {
		s.watch(t)
		s.collect(t, s.bench, 20)
		s.server.Inject(sandbox.Fault{Route: "*", Times: 4, Reset: true})
		s.collect(t, s.bench, 14)
	}, nil},
	"the key is revoked": {func(t *testing.T, s *stage) {
		s.watch(t)
		s.collect(t, s.bench, 20)
		s.server.RevokeKey(sandbox.TestKey)
		s.collect(t, s.bench, 4)
	}, map[string]map[string]string{"HiringKeyRefused": {}}},
	"the key is wrong from the start": {func(t *testing.T, s *stage) {
		s.server.RevokeKey(sandbox.TestKey)
		s.watch(t)
		s.collect(t, s.bench, 4)
	}, map[string]map[string]string{"HiringKeyRefused": {}}},
	"a job is given up": {func(t *testing.T, s *stage) {
		s.collect(t, s.bench, 20)
		s.JobDiscarded(t.Context(), "hiring_deliver")
		s.collect(t, s.bench, 4)
	}, map[string]map[string]string{"HiringJobsDiscarded": {"hiring_job_kind": "hiring_deliver"}}},
	"a second job is given up": {func(t *testing.T, s *stage) {
		s.JobDiscarded(t.Context(), "hiring_deliver")
		s.collect(t, s.bench, 60)
		s.JobDiscarded(t.Context(), "hiring_deliver")
		s.collect(t, s.bench, 4)
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
		labelled := strings.Replace(name, "{", `{job="hiring",instance="a:1",`, 1)
		input = append(input, series{labelled, strings.Join(samples, " ")})
	}
	var tests []map[string]any
	for _, r := range all {
		alerts := []map[string]any{}
		if labels, ok := want[r.Alert]; ok {
			expected := map[string]string{"job": "hiring", "instance": "a:1"}
			for _, more := range []map[string]string{labels, r.Labels} {
				maps.Copy(expected, more)
			}
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
		s.collect(t, s.bench, 4)
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
