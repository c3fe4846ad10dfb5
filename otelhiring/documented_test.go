package otelhiring_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestMetricsAreDocumented compares the metrics of a program that produces each of them
// with the tables in the README and in the package comment.
func TestMetricsAreDocumented(t *testing.T) {
	exported := make(map[string][]string) // Labels by name.
	for series := range everyMetric(t) {
		found := regexp.MustCompile(`^([a-z_]+?)(?:_bucket|_sum|_count|_total)?\{(.*)\}$`).FindStringSubmatch(series)
		require.NotNil(t, found, series)
		if found[1] == "target_info" {
			continue // Of the exporter.
		}
		labels := exported[found[1]]
		for _, label := range regexp.MustCompile(`([a-z_]+)="`).FindAllStringSubmatch(found[2], -1) {
			if label[1] != "le" && !strings.HasPrefix(label[1], "otel_scope_") && !slices.Contains(labels, label[1]) {
				labels = append(labels, label[1])
			}
		}
		slices.Sort(labels)
		exported[found[1]] = labels
	}
	require.GreaterOrEqual(t, len(exported), 9)

	readme, units := make(map[string][]string), make(map[string]string)
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z.]+)` \\| ([a-z{}]+) \\| [^|]+ \\| ([^|]*) \\|$").FindAllStringSubmatch(read(t, "README.md"), -1) {
		units[row[1]] = row[2]
		name := strings.ReplaceAll(row[1], ".", "_")
		if row[2] == "s" {
			name += "_seconds"
		}
		var labels []string
		for _, attribute := range regexp.MustCompile(`[a-z_]+\.[a-z_.]+`).FindAllString(row[3], -1) {
			labels = append(labels, strings.ReplaceAll(attribute, ".", "_"))
		}
		slices.Sort(labels)
		readme[name] = labels
	}
	assert.Equal(t, exported, readme, "the table of the README")

	comment := make(map[string]string)
	for _, row := range regexp.MustCompile(`(?m)^//\t([a-z]+\.[a-z._]+) +(\S+) `).FindAllStringSubmatch(read(t, "doc.go"), -1) {
		comment[row[1]] = row[2]
	}
	assert.Equal(t, units, comment, "the table of doc.go")
}

// TestReadmeIsCorrect checks that the README lists the alerts of the file, that their runbooks exist, and that its
// code is a copy of an example.
func TestReadmeIsCorrect(t *testing.T) {
	readme := read(t, "README.md")
	heading := strings.NewReplacer(" ", "-", "'", "", ".", "")
	for _, r := range rules(t) {
		file, anchor, _ := strings.Cut(strings.TrimPrefix(r.Annotations["runbook_url"], "https://github.com/hiring-assessment/hiring-go/blob/main/"), "#")
		var headings []string
		for _, found := range regexp.MustCompile("(?m)^##+ (.*)$").FindAllStringSubmatch(read(t, "../"+file), -1) {
			headings = append(headings, heading.Replace(strings.ToLower(found[1])))
		}
		assert.Contains(t, headings, anchor, "the runbook of "+r.Alert)
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
