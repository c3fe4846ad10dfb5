package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestErrorsNameFlagsAndArguments: errors name flags and arguments, not Go names.
func TestErrorsNameFlagsAndArguments(t *testing.T) {
	t.Parallel()
	client := sandbox.Start(t).Client()
	ctx := t.Context()
	for name, c := range map[string]struct {
		fail func() error
		want string
	}{
		"plain http": {func() error { _, err := hiring.New("http://example.com", "sk_live_x"); return err },
			"The base URL: plain http would show the key to the network: use https, or HIRING_INSECURE_HTTP=true for a private host."},
		"a key with a space": {func() error { _, err := hiring.New("https://example.com?x=1", "a b"); return err },
			"The API key: contains U+0020 ' ', which is part of no key: copy the key again, without quotes, spaces and line breaks; the base URL: must have no query and no fragment."},
		"numbers": {func() error {
			_, err := client.Assessments.Create(ctx, hiring.NewAssessment{ChallengeID: "x", Name: "y", TimeLimitMinutes: -1, BudgetDollarsCap: new(-2.0)})
			return err
		}, "--budget: must not be negative; --minutes: must not be negative (0 leaves it out)."},
		"an interval": {func() error {
			_, err := client.Submissions.WaitReport(ctx, "x", hiring.WaitOptions{MinInterval: -1})
			return err
		},
			"--interval: must not be negative (0 means the default)."},
		"a wait": {func() error {
			return &hiring.WaitError{Pending: []string{"x"}, Err: fmt.Errorf("hiring: Submissions.WaitReports: %w", context.DeadlineExceeded)}
		}, "The wait ended with 1 report pending (x): The time limit was reached."},
		"a raw call": {func() error { _, err := client.Do(ctx, http.MethodGet, "/nope", nil, nil, nil); return err },
			"404 NOT_FOUND: The resource does not exist (request req_0000000000000001)."},
		"a dialect": {func() error {
			_, err := hiring.New("https://example.com", "sk_live_x", hiring.WithDialect(hiring.Dialect{PageParam: "page_size"}))
			return err
		}, "Dialect.page_param: is also the name of something that is sent beside it."},
	} {
		err := c.fail()
		require.Error(t, err, name)
		assert.Equal(t, c.want, errorText(err), name)
	}
}

// TestTextOfAFailedCall: the text has the fields of the failure, with flags instead of Go
// names and without the dialect, which hiring doctor checks.
func TestTextOfAFailedCall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		failure hiring.Error
		want    string
	}{
		{hiring.Error{Operation: "Assessments.Get", Code: hiring.ErrNotFound, Status: 404, Message: "No such resource", Route: "/assessments/{id}", RequestID: "req_1", Hint: "the path has no id: check the base URL, or correct Dialect.GetAssessment"},
			"404 NOT_FOUND: No such resource (request req_1): the path has no id: check the base URL."},
		{hiring.Error{Operation: "Submissions.FindByEmail", Code: hiring.ErrNotFound, Message: "no submission of the assessment has that address"},
			"NOT_FOUND: no submission of the assessment has that address."},
		{hiring.Error{Operation: "Account.Get", Message: "no response: context deadline exceeded"}, "No response: the time limit was reached."},
		{hiring.Error{Operation: "Account.Get", Message: "no response within 30s", Attempts: 4, Hint: "see WithTimeout"},
			"No response within 30s; 4 attempts were made: --timeout sets another limit."},
		{hiring.Error{Operation: "Submissions.List", Message: "the list does not advance: page 2 repeats", Status: 200, Hint: "Dialect.PageParam is probably wrong"},
			"200 the list does not advance: page 2 repeats."},
		{hiring.Error{Operation: "Assessments.Create", Code: hiring.ErrInvalidInput, Status: 400, Message: "Not valid.", Details: []byte(`{"formErrors":["Whole."],"fieldErrors":{"name":["too long","empty"]}}`)},
			"400 INVALID_INPUT: Not valid (Whole; name: too long, empty)."},
		{hiring.Error{Operation: "Invitations.Send", Message: "bad gateway", Status: 502, Outcome: hiring.OutcomeUnknown, RetryAfter: 1500 * time.Millisecond},
			"502 bad gateway; the outcome is unknown: check before you repeat it; retry after 2s."},
	} {
		assert.Equal(t, c.want, errorText(&c.failure))
		assert.Equal(t, c.want, errorText(fmt.Errorf("not invited yet: %w", &c.failure)))
	}
}

// TestFrequentErrorTexts checks frequent error texts.
func TestFrequentErrorTexts(t *testing.T) {
	t.Parallel()
	server := sandbox.New(sandbox.WithClock(noon))
	u := newUser(t, server, sandbox.TestKey)
	for line, want := range map[string]string{
		"submissions find ada -a Senior":   "Assessment: Senior payments engineer\nhiring: 10 submissions match ada. Give the id of one: Ada ",
		"submissions wait ada@example.com": "hiring: There is no submission ada@example.com. The candidate may not have started yet: hiring invitations list -a <assessment> shows the invitations, and hiring watch ",
		"account --timeout 1ns":            "hiring: --timeout: is a number without a unit? write 30s.",
		"watch --interval 1ns":             "hiring: --interval: is a number without a unit? write 30s.\n",
		"members --limit 0":                "hiring: --limit: give a number from 1. --all shows all.\n",
		"members --limit 5 --all":          "hiring: --limit and --all exclude each other.\n",
	} {
		assert.True(t, strings.HasPrefix(u.run(strings.Fields(line)...).stderr, want), "%s\nwant %sgot  %s", line, want, u.run(strings.Fields(line)...).stderr)
	}
	assert.Contains(t, u.run("--help").stdout, "Manage profiles (server address and API key)\n")
}

var sdkWords = regexp.MustCompile(`\bWith[A-Z][a-z]|\bDialect\.[A-Z]|\b[A-Z][a-z]+\.[A-Z][a-z]+: |\bDo: |\bapiKey\b|\bbaseURL\b`)

// TestOutputHasNoGoNames: no output has Go names, except doctor's, which
// programmers read too.
func TestOutputHasNoGoNames(t *testing.T) {
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

// TestAdviceForNotFound names the resource and what to check.
func TestAdviceForNotFound(t *testing.T) {
	t.Parallel()
	server := sandbox.Start(t)
	elsewhere, err := hiring.New(server.URL()+"/wrong", sandbox.TestKey)
	require.NoError(t, err)
	_, err = elsewhere.Account.Get(t.Context())
	assert.Contains(t, new(app).explain(err, exitNotFound), "check the base URL. Check the path, its ids and the key's organization; hiring api /openapi.json --jq '.paths | keys' lists the paths.")
	said := func(path string) string {
		_, err := server.Client().Do(t.Context(), http.MethodGet, path, nil, nil, nil)
		return new(app).explain(err, exitNotFound)
	}
	assert.Contains(t, said("/submissions/"+sandbox.UnknownID), "Check the path, its ids and the key's organization; hiring api /openapi.json")
}

// TestNotFoundNamesTheKind: a whole id may be of another kind than the command looked it up as.
func TestNotFoundNamesTheKind(t *testing.T) {
	t.Parallel()
	u := newUser(t, sandbox.New(), sandbox.TestKey)
	const id = "5b000000-0000-4000-8001-999999999999"
	const other = "; this may be the id of something else"
	const assessment, submission = "assessment of the key's organization has this id: hiring assessments list shows the ids" + other, "submission of the key's organization has this id: hiring submissions list shows the ids"
	for line, says := range map[string]string{
		"assessments get " + id: assessment, "submissions list -a " + id: assessment, "invitations list -a " + id: assessment, "assessments close " + id: assessment, "invite Ada<a@b.test> -a " + id: assessment,
		"submissions get " + id: submission + other, "report " + id: submission + other, "events list " + id: submission + other, "submissions archive " + id: submission + other,
		"challenges get " + id: "challenge of the key's organization has this id: hiring challenges list shows the ids" + other, "invitations revoke -a " + sandbox.AssessmentID + " " + id: "invitation of the key's organization has this id: hiring invitations list -a " + sandbox.AssessmentID + " shows the ids" + other,
		"submissions wait " + id: submission + ". The candidate's address is enough. " + notStarted,
	} {
		u.fails(exitNotFound, " No "+says+".", strings.Fields(line)...)
	}
}

// TestNoKeyInAnError: keys are removed from error texts. Placeholders and the rest of the
// sentence stay.
func TestNoKeyInAnError(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"sk_live_abc":                             "sk_live_….",
		"sk_live_a.b,c;d:e":                       "sk_live_….",
		"sk_live_é":                               "sk_live_….",
		`unknown command "sk_live_ab"`:            `unknown command "sk_live_…".`,
		"'sk_live_abc' (sk_test_def)":             "'sk_live_…' (sk_test_…).",
		"keys begin with sk_live_…, or sk_test_…": "keys begin with sk_live_…, or sk_test_…",
		"sk_live_…abc":                            "sk_live_….",
		"sk_live_ or sk_test_, as in sk_test_...": "sk_live_ or sk_test_, as in sk_test_...",
	} {
		assert.Equal(t, want, new(app).explain(errors.New(said), exitFailed))
	}
}

// TestUnreachableServerNamesDoctor: a call without a response says what to do, unless a time
// limit or the user ended it.
func TestUnreachableServerNamesDoctor(t *testing.T) {
	t.Parallel()
	refused := &hiring.Error{Operation: "Account.Get", Attempts: 4}
	assert.Contains(t, new(app).explain(refused, exitFailed), "hiring doctor checks the connection.")
	assert.NotContains(t, new(app).explain(refused, exitInterrupted), "doctor")
	assert.NotContains(t, new(app).explain(adviceError{refused, "--timeout sets another limit"}, exitFailed), "doctor")
}

// TestRejectedForNow: an error that passes later has one exit status, whatever its code is. An
// unknown outcome comes first.
func TestRejectedForNow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		failure hiring.Error
		code    int
	}{
		{hiring.Error{Code: hiring.ErrRateLimited, Status: 429}, exitQuota},
		{hiring.Error{Code: hiring.ErrRateLimited, RetryAfter: time.Minute}, exitQuota}, // Refused locally.
		{hiring.Error{Status: 429}, exitQuota},                                          // Of a proxy.
		{hiring.Error{Code: "TRY_LATER", Status: 503, RetryAfter: time.Minute}, exitQuota},
		{hiring.Error{Code: "TRY_LATER", Status: 503, RetryAfter: time.Minute, Outcome: hiring.OutcomeUnknown}, exitUnknown},
		{hiring.Error{Code: hiring.ErrInternal, Status: 500}, exitFailed},
		{hiring.Error{Code: hiring.ErrConflict, Status: 409}, exitFailed},
	} {
		assert.Equal(t, c.code, exitStatus(t.Context(), fmt.Errorf("not invited yet: %w", &c.failure)), "%+v", c.failure)
	}
}
