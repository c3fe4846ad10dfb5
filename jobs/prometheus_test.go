package jobs_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/jobs/internal/testing/pgtest"
)

// prometheusServer is a Prometheus that scrapes worker processes every 15 s and evaluates
// the alert rules of module otelhiring.
type prometheusServer struct {
	url   string
	began time.Time
}

// startPrometheus starts a Prometheus for the addresses of metrics, by the name of the
// job. With HIRING_SCRAPES it keeps the scrapes in that folder.
func startPrometheus(t *testing.T, targets map[string][]string) *prometheusServer {
	t.Helper()
	program, err := exec.LookPath("prometheus")
	if err != nil {
		require.NoError(t, pgtest.Install(t.Context(), "prometheus"))
		program, err = exec.LookPath("prometheus")
	}
	require.NoError(t, err)
	rules, err := filepath.Abs("../otelhiring/deploy/alerts.yaml")
	require.NoError(t, err)
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	if keep := os.Getenv("HIRING_SCRAPES"); keep != "" {
		data = filepath.Join(keep, t.Name())
	}
	var config strings.Builder
	fmt.Fprintf(&config, "global: {scrape_interval: 15s, evaluation_interval: 15s}\nrule_files: [%q]\nscrape_configs:\n", rules)
	for job, addresses := range targets {
		fmt.Fprintf(&config, "- {job_name: %q, static_configs: [{targets: [%s]}]}\n", job, strings.Join(addresses, ", "))
	}
	file := filepath.Join(dir, "prometheus.yaml")
	require.NoError(t, os.WriteFile(file, []byte(config.String()), 0o600))
	p := &prometheusServer{url: "http://" + freeAddress(t), began: time.Now()}
	c := exec.CommandContext(t.Context(), program, "--config.file="+file, "--storage.tsdb.path="+data,
		"--web.listen-address="+strings.TrimPrefix(p.url, "http://"), "--log.level=error")
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	require.NoError(t, c.Start())
	t.Cleanup(func() { _ = c.Wait() }) // The context of the test has ended.
	eventually(t, func() bool {
		response, err := prometheusClient.Get(p.url + "/-/ready")
		if err == nil {
			_ = response.Body.Close()
		}
		return err == nil && response.StatusCode == http.StatusOK
	}, "Prometheus is ready")
	return p
}

var prometheusClient = &http.Client{Timeout: time.Minute}

// freeAddress returns an address on loopback that no process uses.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, listener.Close())
	return listener.Addr().String()
}

// firing is an alert that fired.
type firing struct {
	labels   map[string]string // Without alertname, alertstate, job and severity.
	from, to time.Duration     // Since the start of Prometheus.
}

func (f firing) String() string {
	text := fmt.Sprintf("from %s to %s", f.from.Round(time.Second), f.to.Round(time.Second))
	for _, name := range slices.Sorted(maps.Keys(f.labels)) {
		text += " " + name + "=" + f.labels[name]
	}
	return text
}

// fired returns the alerts that have fired for a job, by name.
func (p *prometheusServer) fired(t *testing.T, job string) map[string][]firing {
	t.Helper()
	query := url.Values{
		"query": {fmt.Sprintf(`ALERTS{alertstate="firing",job=%q}`, job)}, "step": {"15"},
		"start": {p.began.UTC().Format(time.RFC3339)}, "end": {time.Now().UTC().Format(time.RFC3339)},
	}
	response, err := prometheusClient.Get(p.url + "/api/v1/query_range?" + query.Encode())
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	require.Equal(t, http.StatusOK, response.StatusCode)
	var answer struct {
		Data struct {
			Result []struct {
				Metric map[string]string `json:"metric"`
				Values [][2]any          `json:"values"`
			} `json:"result"`
		} `json:"data"`
	}
	require.NoError(t, json.NewDecoder(response.Body).Decode(&answer))
	all := make(map[string][]firing)
	for _, r := range answer.Data.Result {
		name := r.Metric["alertname"]
		for _, label := range []string{"__name__", "alertname", "alertstate", "job", "severity"} {
			delete(r.Metric, label)
		}
		at := func(i int) time.Duration {
			return time.Unix(int64(r.Values[i][0].(float64)), 0).Sub(p.began)
		}
		all[name] = append(all[name], firing{r.Metric, at(0), at(len(r.Values) - 1)})
	}
	return all
}
