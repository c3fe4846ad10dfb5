package hiring

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/defaults"
)

// TestStatedDefaults compares the defaults that comments and guides state with the code.
func TestStatedDefaults(t *testing.T) {
	t.Parallel()
	client, err := New("https://hiring.example.com", "sk_test_a1b2c3")
	require.NoError(t, err)
	timeout, retry := client.core.config.timeout, client.core.config.retry
	polls, err := newInterval(0, 0)
	require.NoError(t, err)
	shown := func(d time.Duration) string {
		switch {
		case d >= 24*time.Hour:
			return fmt.Sprintf("%v days", d.Hours()/24)
		case d < time.Second:
			return fmt.Sprintf("%d ms", d.Milliseconds())
		}
		return fmt.Sprintf("%v s", d.Seconds())
	}
	wait, size := fmt.Sprintf("%v min", retry.MaxWait.Minutes()), fmt.Sprintf("%d MiB", client.core.config.maxBytes>>20)
	attempts, base, longest := fmt.Sprint(retry.MaxAttempts, " attempts"), shown(retry.BaseBackoff), shown(retry.MaxBackoff)
	ensure := fmt.Sprintf("about %v minutes", (time.Duration(retry.MaxAttempts) * (timeout + settleTime)).Minutes())
	others := map[float64]string{0.1: "a tenth"}[defaults.Reserve]
	leaves := others + " of each"
	require.NotEmpty(t, others, "put the new share into words")
	var delays []string
	last := retry.MaxAttempts - 2
	for n := range last + 1 {
		delays = append(delays, fmt.Sprint(retry.backoff(n+1).Seconds()))
	}
	for file, sentences := range map[string][]string{
		"doc.go":                {"limits each attempt, to " + shown(timeout) + " by default", "They leave " + leaves},
		"options.go":            {"The default is " + attempts + " with random delays that grow from " + base + " to " + longest + ", and waits of at most " + wait, "The default is " + shown(timeout) + ". 0 means", "The default is " + size},
		"retry.go":              {fmt.Sprintf("including the first: %d.", retry.MaxAttempts), "first retry: " + base + ", doubled", "Retry-After header: " + longest, "window: " + wait},
		"invite.go":             {"blocks for " + ensure + " after lost responses with the default options: " + attempts + " of " + shown(timeout)},
		"invite_all.go":         {"leaves " + leaves},
		"wait.go":               {"leaves " + leaves, "two polls. Default " + shown(polls.shortest), "longer one. Default " + shown(polls.longest)},
		"watch.go":              {"leaves " + leaves, "two polls. Default " + shown(polls.shortest), "longer one. Default " + shown(polls.longest), "is found: " + shown(defaults.Lookback)},
		"tail.go":               {"two polls. Default " + shown(polls.shortest), "The longest. Default " + shown(polls.longest)},
		"docs/configuration.md": {"| 0; " + others + " in", "0 means none | " + shown(timeout) + " |", "| " + strings.Join([]string{attempts, base, longest, wait}, ", ") + " |", "| " + size + " |"},
		"docs/errors.md":        {fmt.Sprintf("up to %s of at most %s each", attempts, shown(timeout)), "random, below " + strings.Join(delays[:last], ", ") + " and " + delays[last] + " s"},
		"docs/inviting.md":      {"again, " + shown(firstLookup) + " and " + shown(settleTime) + " after the attempt", "up to " + ensure},
		"docs/waiting.md":       {"leave " + leaves, "`Lookback` (default " + shown(defaults.Lookback) + ")", "`RetryPolicy.MaxWait` (default " + wait + ")", fmt.Sprintf("Polls are %v to %s apart", polls.shortest.Seconds(), shown(polls.longest))},
	} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		read := strings.Join(strings.Fields(strings.ReplaceAll(string(text), "//", "")), " ")
		for _, sentence := range sentences {
			if !strings.Contains(strings.ToLower(read), strings.ToLower(sentence)) {
				t.Errorf("%s does not say %q", file, sentence)
			}
		}
	}
}
