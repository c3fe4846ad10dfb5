package main

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestErrorsSpeakOfWhatIsTyped and not of what a program calls.
func TestErrorsSpeakOfWhatIsTyped(t *testing.T) {
	t.Parallel()
	client := sandbox.Start(t).Client()
	ctx := t.Context()
	for name, c := range map[string]struct {
		fail func() error
		want string
	}{
		"plain http": {func() error { _, err := hiring.New("http://example.com", "sk_live_x"); return err },
			"the base URL: plain http would show the key to the network: use https"},
		"a key with a space": {func() error { _, err := hiring.New("https://example.com?x=1", "a b"); return err },
			"the base URL: must have no query and no fragment; the API key: contains white space or control characters: it was probably copied with a line break"},
		"numbers": {func() error {
			_, err := client.Assessments.Create(ctx, hiring.NewAssessment{ChallengeID: "x", Name: "y", TimeLimitMinutes: -1, BudgetDollarsCap: -2})
			return err
		}, "--minutes: must not be negative (0 leaves it out); --budget: must not be negative (0 leaves it out)"},
		"an interval": {func() error {
			_, err := client.Submissions.WaitReport(ctx, "x", hiring.WaitOptions{MinInterval: -1})
			return err
		},
			"--interval: must not be negative"},
		"a raw call": {func() error { _, err := client.Do(ctx, http.MethodGet, "/nope", nil, nil, nil); return err },
			"404 NOT_FOUND: The resource does not exist (request req_0000000000000001)"},
		"a dialect": {func() error {
			_, err := hiring.New("https://example.com", "sk_live_x", hiring.WithDialect(hiring.Dialect{PageParam: "page_size"}))
			return err
		}, "page_param: is also the name of something that is sent beside it"},
	} {
		err := c.fail()
		require.Error(t, err, name)
		assert.Equal(t, c.want, plainWords(strings.TrimPrefix(joinLines(err.Error()), "hiring: ")), name)
	}
	assert.Equal(t, "405: no, or the get_assessment of --dialect is wrong (hiring doctor finds out)",
		plainWords("Assessments.Get: 405: no, or Dialect.GetAssessment is wrong"))
	assert.Equal(t, "no reply within 30s", plainWords("hiring: Account.Get: no reply within 30s: see WithTimeout"))
}

var sdkWords = regexp.MustCompile(`\bWith[A-Z][a-z]|\bDialect\.[A-Z]|\b[A-Z][a-z]+\.[A-Z][a-z]+: |\bDo: |\bapiKey\b|\bbaseURL\b`)

// TestNothingShownIsInTheClientsWords: the doctor's report aside, which is for those
// who write programs, too.
func TestNothingShownIsInTheClientsWords(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/golden/*.txt")
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasPrefix(filepath.Base(file), "doctor") {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Empty(t, sdkWords.FindAllString(string(text), -1), file)
	}
}

// TestAdviceForWhatIsNotFound fits what was asked for.
func TestAdviceForWhatIsNotFound(t *testing.T) {
	t.Parallel()
	client := sandbox.Start(t).Client()
	said := func(path string) string {
		_, err := client.Do(t.Context(), http.MethodGet, path, nil, nil, nil)
		return explain(err, exitNotFound)
	}
	assert.Contains(t, said("/nope"), "; look at the path: hiring api GET /openapi.json")
	assert.NotContains(t, said("/nope"), "whether the id is right")
	assert.Contains(t, said("/submissions/"+sandbox.UnknownID), "; look whether the id is right")
}

// TestNoKeyInAnError, whatever it begins with and whatever follows it; what stands
// for a key stays, and so does the sentence around it.
func TestNoKeyInAnError(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"sk_live_abc":                             "sk_live_…",
		"sk_live__abc is refused":                 "sk_live_… is refused",
		"sk_test_-abc":                            "sk_test_…",
		"sk_test_.abc":                            "sk_test_…",
		"sk_live_a.b,c;d:e":                       "sk_live_…",
		"sk_live_é":                               "sk_live_…",
		"it was sk_live_abc.":                     "it was sk_live_….",
		"sk_live_abc, sk_test_def":                "sk_live_…, sk_test_…",
		`unknown command "sk_live_ab"`:            `unknown command "sk_live_…"`,
		"'sk_live_abc' (sk_test_def)":             "'sk_live_…' (sk_test_…)",
		"[sk_live_abc]; {sk_test_def}":            "[sk_live_…]; {sk_test_…}",
		"keys begin with sk_live_…, or sk_test_…": "keys begin with sk_live_…, or sk_test_…",
		"sk_live_…abc":                            "sk_live_…",
		"sk_live_ or sk_test_, as in sk_test_...": "sk_live_ or sk_test_, as in sk_test_...",
	} {
		assert.Equal(t, want, explain(errors.New(said), exitFailed))
	}
}
