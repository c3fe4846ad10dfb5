package docs_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// The tests of this file compare statements of the guides with the code.

// TestTheReadmeCountsTheLinkedModules counts the modules that a user's program links.
func TestTheReadmeCountsTheLinkedModules(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", ".", "./sandbox").Output()
	require.NoError(t, err)
	linked := make(map[string]bool)
	for path := range strings.Lines(string(out)) {
		path = strings.TrimSpace(path)
		if path != "" && path != module {
			linked[path] = true
		}
	}
	numbers := []string{"no", "one", "two", "three", "four", "five", "six"}
	want := numbers[len(linked)] + " modules"
	assert.Contains(t, text(t, "README.md"), "link "+want, "%v", linked)
	assert.Contains(t, text(t, "docs/faq.md"), "links "+want, "%v", linked)
}

// TestSpeedInTheReadme compares the sentence of the README with the committed results.
func TestSpeedInTheReadme(t *testing.T) {
	t.Parallel()
	assert.Contains(t, text(t, "README.md"), "Pages decode at least five times as fast as with `net/http` and `encoding/json` by hand")
	works := 0
	for line := range strings.Lines(text(t, "benchmarks/compare/results/linux-amd64.txt")) {
		// The columns are work, transport, peer, µs, times net-http, allocs and bytes.
		cells := strings.Fields(line)
		if len(cells) == 7 && cells[1] == "memory" && cells[2] == "hiring" && cells[0] != "Account" {
			works++
			assert.GreaterOrEqual(t, number(t, cells[4]), 5.0, line)
		}
	}
	assert.Equal(t, 4, works, "invitations, submissions, events, and an iteration over many events")
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	n, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	return n
}

// TestReplaceLinesAreComplete checks that a guide which replaces a module by a clone
// replaces every required module of this repository.
func TestReplaceLinesAreComplete(t *testing.T) {
	t.Parallel()
	replaced := regexp.MustCompile(`-replace (` + regexp.QuoteMeta(module) + `[\w/-]*)=`)
	required := regexp.MustCompile(`(?m)^replace (` + regexp.QuoteMeta(module) + `[\w/-]*) =>`)
	guides := 0
	for _, p := range pages(t) {
		for _, b := range p.blocks {
			modules := make(map[string]bool)
			for _, found := range replaced.FindAllStringSubmatch(b.code, -1) {
				modules[found[1]] = true
			}
			for path := range modules {
				guides++
				folder := cmp.Or(strings.TrimPrefix(strings.TrimPrefix(path, module), "/"), ".")
				for _, needs := range required.FindAllStringSubmatch(text(t, folder+"/go.mod"), -1) {
					assert.True(t, modules[needs[1]], "%s:%d: %s needs a line for %s too", p.name, b.line, path, needs[1])
				}
			}
		}
	}
	assert.Greater(t, guides, 3)
}

// TestNoBlockMixesAModuleWithAClone checks that go get is used in the reader's module,
// and go run of a folder in a clone.
func TestNoBlockMixesAModuleWithAClone(t *testing.T) {
	t.Parallel()
	inClone := regexp.MustCompile(`(?m)^go run (-C |\./)`)
	for _, p := range pages(t) {
		for _, b := range p.blocks {
			if b.lang == "sh" && strings.Contains(b.code, "go get "+module) {
				assert.NotRegexp(t, inClone, b.code, "%s:%d: make it two blocks", p.name, b.line)
			}
		}
	}
}

// TestAServerThatHangs measures how long a read takes until it fails.
func TestAServerThatHangs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hangs := roundTrip(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		client, err := hiring.New("https://hiring.example.com", sandbox.TestKey, hiring.WithHTTPClient(&http.Client{Transport: hangs}))
		require.NoError(t, err)
		begun := time.Now()
		_, err = client.Account.Get(t.Context())
		require.ErrorIs(t, err, context.DeadlineExceeded)
		took := time.Since(begun).Round(time.Minute)
		said := fmt.Sprintf("%d minutes", int(took.Minutes()))
		assert.Contains(t, text(t, "docs/errors.md"), "A read from a server that hangs therefore fails\nafter "+said)
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestOneUnknownAttemptKeepsACallUnknown checks what docs/errors.md says about a PATCH.
func TestOneUnknownAttemptKeepsACallUnknown(t *testing.T) {
	t.Parallel()
	server := sandbox.Start(t)
	const route = "PATCH /assessments/{id}"
	server.Inject(sandbox.Fault{Route: route, Status: http.StatusInternalServerError})
	server.Inject(sandbox.Fault{Route: route, Status: http.StatusForbidden})
	client := server.Client(hiring.WithRetry(hiring.RetryPolicy{BaseBackoff: time.Millisecond}))
	_, err := client.Assessments.Close(t.Context(), sandbox.AssessmentID)
	require.ErrorIs(t, err, hiring.ErrOutcomeUnknown)
	assert.Contains(t, err.Error(), "403")
	assert.Contains(t, text(t, "docs/errors.md"), "A PATCH that fails with 500 and then with 403 is `OutcomeUnknown`, although its `Status` is 403.")
}

// TestIntervalsOfWaitReports measures the shortest and the longest interval of a
// wait without a report for four days.
func TestIntervalsOfWaitReports(t *testing.T) {
	t.Parallel()
	assert.Contains(t, text(t, "docs/waiting.md"), "| `WaitReports` | 30 to 60 s; after a day without a report it grows, up to 15 minutes, unless `MaxInterval` is set |")
	for maxInterval, want := range map[time.Duration]time.Duration{0: 15 * time.Minute, time.Minute: time.Minute} {
		t.Run(maxInterval.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { intervalsOfWaitReports(t, maxInterval, want) })
		})
	}
}

func intervalsOfWaitReports(t *testing.T, maxInterval, want time.Duration) {
	t.Helper()
	server := sandbox.Start(t)
	invitation, err := server.Invite(server.AddAssessment("Backend engineer"), "ada@candidates.test", "Ada")
	require.NoError(t, err)
	submission, err := server.Begin(invitation)
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 96*time.Hour)
	defer cancel()
	begun, shortest, firstDay, longest := time.Now(), time.Hour, time.Duration(0), time.Duration(0)
	options := hiring.WaitOptions{MaxInterval: maxInterval, Progress: func(p hiring.WaitProgress) {
		if p.NextPoll.IsZero() {
			return
		}
		interval := time.Until(p.NextPoll)
		shortest, longest = min(shortest, interval), max(longest, interval)
		if time.Since(begun) < 24*time.Hour {
			firstDay = max(firstDay, interval)
		}
	}}
	for _, err := range server.LiveClient().Submissions.WaitReports(ctx, []string{submission}, options) {
		require.ErrorIs(t, err, context.DeadlineExceeded)
	}
	assert.GreaterOrEqual(t, shortest, 28*time.Second)
	assert.LessOrEqual(t, firstDay, time.Minute)
	assert.LessOrEqual(t, longest, want)
	assert.Greater(t, longest, want*9/10)
}

// TestScaleFiguresAgree compares the figures in docs/jobs.md with the measurements.
func TestScaleFiguresAgree(t *testing.T) {
	t.Parallel()
	scale, guide := text(t, "docs/internals/scale.md"), text(t, "docs/jobs.md")
	figures := regexp.MustCompile(`(\d+,000), polls came at most\s([\d.]+) s late`).FindAllStringSubmatch(guide, -1)
	require.Len(t, figures, 2)
	for _, figure := range figures {
		assert.Regexp(t, `(?m)^\| `+figure[1]+`[^|]*\|[^|]+\|[^|]+\|[^|]+, `+regexp.QuoteMeta(figure[2])+` s \|`, scale)
	}
}

// TestALoopIsOfferedBeforeRiver checks that the guides name the choice that needs no River
// before they mention River.
func TestALoopIsOfferedBeforeRiver(t *testing.T) {
	t.Parallel()
	const section = "](waiting.md#one-process-and-your-database)"
	for page, mark := range map[string]string{"docs/jobs.md": "River", "docs/jobs-start.md": "```"} {
		beginning, _, found := strings.Cut(text(t, page), mark)
		require.True(t, found, "%s: there is no %q", page, mark)
		assert.Contains(t, beginning, section, page)
	}
	assert.Contains(t, text(t, "docs/going-live.md"), section)
}

// TestConfigurationListsEveryOption requires a row with a default and an example for each
// option.
func TestConfigurationListsEveryOption(t *testing.T) {
	t.Parallel()
	guide := text(t, "docs/configuration.md")
	options := regexp.MustCompile(`(?m)^func (With\w+)\([^)]*\) Option \{`).FindAllStringSubmatch(text(t, "options.go"), -1)
	require.Greater(t, len(options), 10)
	for _, option := range options {
		assert.Regexp(t, "(?m)^\\| `"+option[1]+"`: [^|]+ \\| [^|]+ \\| `hiring\\."+option[1]+"\\(.*\\)` \\|$", guide)
	}
}

// TestExchangeErrMayNameACandidate checks the warning of docs/telemetry.md: the error of
// an Exchange quotes the API, and no other field does.
func TestExchangeErrMayNameACandidate(t *testing.T) {
	t.Parallel()
	const name = "Ada Lovelace"
	var seen hiring.Exchange
	api := roundTrip(func(r *http.Request) (*http.Response, error) {
		body := `{"error":{"code":"CONFLICT","message":"` + name + ` was invited before"}}`
		return &http.Response{StatusCode: http.StatusConflict, Header: make(http.Header), Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
	})
	client, err := hiring.New("https://hiring.example.com", sandbox.TestKey, hiring.WithHTTPClient(&http.Client{Transport: api}),
		hiring.WithObserver(func(_ context.Context, e hiring.Exchange) { seen = e }))
	require.NoError(t, err)
	_, err = client.Invitations.Send(t.Context(), sandbox.AssessmentID, hiring.NewInvitation{Email: "ada@example.com", Name: name})
	require.ErrorIs(t, err, hiring.ErrConflict)

	assert.Contains(t, seen.Err.Error(), name)
	seen.Err = nil
	rest := fmt.Sprintf("%+v", seen)
	assert.Contains(t, rest, "/assessments/{id}/invitations")
	for _, secret := range []string{name, "ada@example.com", sandbox.AssessmentID} {
		assert.NotContains(t, rest, secret)
	}
	assert.Regexp(t, "(?m)^\\| `Exchange.Err`.*may name people", text(t, "docs/telemetry.md"))
	assert.Contains(t, text(t, "docs/telemetry.md"), "every other field of `Exchange`")
}

// TestEnsureBlocksAsLongAsItsCommentSays lets every attempt to send time out before the API
// processes it. Both lookups after each find nothing.
func TestEnsureBlocksAsLongAsItsCommentSays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := sandbox.Start(t)
		assessment := server.AddAssessment("Backend engineer")
		server.Inject(sandbox.Fault{Route: "POST *", Delay: time.Hour, Times: -1})
		begun := time.Now()
		invited, err := server.LiveClient().Invitations.Ensure(t.Context(), assessment, hiring.NewInvitation{Email: "ada@example.com", Name: "Ada"})
		assert.Equal(t, 6*time.Minute, time.Since(begun).Round(time.Second))
		assert.Equal(t, hiring.InviteNotSent, invited.Outcome, "as docs/inviting.md says of lookups that find nothing")
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Contains(t, text(t, "invite.go"), "Ensure blocks for about 6 minutes after lost responses with the default options")
		assert.Contains(t, text(t, "docs/inviting.md"), "about 6 minutes after lost responses")
	})
}

// TestClockOfABubbleIsBeforeTheSampleData checks what docs/testing.md says of a Watch with a test key in a synctest bubble.
func TestClockOfABubbleIsBeforeTheSampleData(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		assert.Equal(t, 2000, time.Now().UTC().Year())
		for _, err := range sandbox.Start(t).Client().Submissions.Watch(t.Context(), hiring.WatchOptions{}) {
			require.NoError(t, err)
			assert.Equal(t, 2000, time.Now().UTC().Year(), "a sample result, without a wait")
			break
		}
		assert.Contains(t, text(t, "docs/testing.md"), "the clock begins in the year 2000")
	})
}

// TestAdvanceDoesNotMoveOtherProcesses checks what docs/sandbox-program.md says of a client that is not in the server's
// process: it has another base URL than that of Server.URL.
func TestAdvanceDoesNotMoveOtherProcesses(t *testing.T) {
	t.Parallel()
	server := sandbox.Start(t, sandbox.WithQuota(1, 1))
	program := httptest.NewServer(server)
	defer program.Close()
	client, err := hiring.New(program.URL, sandbox.TestKey)
	require.NoError(t, err)
	_, err = client.Account.Get(t.Context())
	require.NoError(t, err)
	server.Advance(2 * time.Hour)
	_, err = client.Account.Get(t.Context())
	require.ErrorIs(t, err, hiring.ErrQuotaExhausted)

	restarted, err := hiring.New(program.URL, sandbox.TestKey)
	require.NoError(t, err)
	_, err = restarted.Account.Get(t.Context())
	require.NoError(t, err)
	assert.Contains(t, text(t, "docs/sandbox-program.md"), "A client in another process does not notice")
}

// TestLoopsOfTheGuidesEndCleanly checks that every loop over Watch in a guide shows how a service ends on SIGTERM.
func TestLoopsOfTheGuidesEndCleanly(t *testing.T) {
	t.Parallel()
	loops := 0
	for _, p := range pages(t) {
		for _, b := range p.blocks {
			isLoop := strings.Contains(b.code, "range client.Submissions.Watch(")
			if isLoop && b.lang == "go" {
				loops++
				assert.Contains(t, b.code, "if ctx.Err() != nil {", "%s:%d: results of the poll come after the end of the context", p.name, b.line)
			}
		}
	}
	assert.GreaterOrEqual(t, loops, 4)
}
