package otelhiring_test

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/otelhiring"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// instrument is a metric as the documentation describes it.
type instrument struct {
	unit       string
	attributes []string // Sorted.
}

// TestMetricsAreDocumented compares the metrics of a program that produces each of them
// with the tables in the README and in the package comment.
func TestMetricsAreDocumented(t *testing.T) {
	exported := exportAll(t)
	require.Greater(t, len(exported), 10)

	readme := make(map[string]instrument)
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z.]+)` \\| ([a-z{}]+) \\| [^|]+ \\| ([^|]*) \\|$").FindAllStringSubmatch(read(t, "README.md"), -1) {
		attributes := regexp.MustCompile(`[a-z_]+\.[a-z_.]+`).FindAllString(row[3], -1)
		slices.Sort(attributes)
		readme[row[1]] = instrument{row[2], attributes}
	}
	assert.Equal(t, exported, readme, "the table of the README")

	comment := make(map[string]string)
	for _, row := range regexp.MustCompile(`(?m)^//\t([a-z]+\.[a-z._]+) +(\S+) `).FindAllStringSubmatch(read(t, "doc.go"), -1) {
		comment[row[1]] = row[2]
	}
	units := make(map[string]string)
	for name, i := range exported {
		units[name] = i.unit
	}
	assert.Equal(t, units, comment, "the table of doc.go")
}

// TestReadmeIsCorrect checks that the README lists the alerts of the file, and that its
// code is a copy of an example.
func TestReadmeIsCorrect(t *testing.T) {
	readme := read(t, "README.md")
	for _, r := range rules(t) {
		assert.Regexp(t, "(?m)^\\| `"+r.Alert+"` \\|", readme)
	}
	assert.Len(t, regexp.MustCompile("(?m)^\\| `Hiring[A-Za-z]+` \\|").FindAllString(readme, -1), len(rules(t)))
	code := strings.ReplaceAll(read(t, "example_test.go"), "\n\t", "\n")
	blocks := regexp.MustCompile("(?ms)^```go\n(.*?)^```$").FindAllStringSubmatch(readme, -1)
	require.NotEmpty(t, blocks)
	for _, block := range blocks {
		assert.Contains(t, code, block[1], "copy it again from example_test.go")
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	return string(text)
}

// exportAll returns the metrics of a program that produces each of them.
func exportAll(t *testing.T) map[string]instrument {
	t.Helper()
	exported := make(map[string]instrument)
	synctest.Test(t, func(t *testing.T) {
		reader := sdkmetric.NewManualReader()
		telemetry, err := otelhiring.New(otelhiring.WithMeterProvider(sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))))
		require.NoError(t, err)
		client := sandbox.Start(t).Client(hiring.WithTrace(telemetry.Trace()))
		_, err = client.Submissions.Get(t.Context(), sandbox.UnknownID)
		require.ErrorIs(t, err, hiring.ErrNotFound)
		evaluated := time.Now()
		telemetry.JobDelivered(t.Context(), otelhiring.JobDelivered{Organization: "acme", EvaluatedAt: &evaluated})
		telemetry.JobEvent(t.Context(), otelhiring.JobEvent{Organization: "acme", Kind: "hiring_delivery", Event: "discarded"})
		telemetry.JobCount(t.Context(), otelhiring.JobCount{Organization: "acme", Kind: "hiring_delivery", State: "failing", Count: 1, Oldest: evaluated})
		telemetry.JobCount(t.Context(), otelhiring.JobCount{Organization: "acme", Kind: "hiring_invitations", State: "queued", Count: 1, Oldest: evaluated})
		telemetry.JobWorkers(t.Context(), otelhiring.JobWorkers{Alive: 2})
		telemetry.PollDue(t.Context(), "acme", evaluated)

		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		var options hiring.WaitOptions
		defer telemetry.Wait(&options)()
		done := make(chan struct{})
		go func() {
			defer close(done)
			for _, err := range client.Submissions.WaitReports(ctx, []string{sandbox.PendingSubmissionID}, options) {
				assert.Error(t, err)
			}
		}()
		time.Sleep(2 * time.Minute)
		var all metricdata.ResourceMetrics
		require.NoError(t, reader.Collect(t.Context(), &all))
		for _, m := range all.ScopeMetrics[0].Metrics {
			exported[m.Name] = instrument{m.Unit, attributeKeys(t, m.Data)}
		}
		cancel()
		<-done
	})
	return exported
}

// attributeKeys returns the keys of all data points.
func attributeKeys(t *testing.T, data metricdata.Aggregation) (keys []string) {
	t.Helper()
	add := func(set attribute.Set) {
		for _, a := range set.ToSlice() {
			if !slices.Contains(keys, string(a.Key)) {
				keys = append(keys, string(a.Key))
			}
		}
	}
	switch data := data.(type) {
	case metricdata.Gauge[int64]:
		eachPoint(data.DataPoints, add)
	case metricdata.Gauge[float64]:
		eachPoint(data.DataPoints, add)
	case metricdata.Sum[int64]:
		eachPoint(data.DataPoints, add)
	case metricdata.Sum[float64]:
		eachPoint(data.DataPoints, add)
	case metricdata.Histogram[float64]:
		for _, point := range data.DataPoints {
			add(point.Attributes)
		}
	default:
		t.Fatalf("unknown aggregation %T", data)
	}
	slices.Sort(keys)
	return keys
}

func eachPoint[N int64 | float64](points []metricdata.DataPoint[N], add func(attribute.Set)) {
	for _, point := range points {
		add(point.Attributes)
	}
}
