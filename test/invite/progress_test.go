package invite_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// A run of 1,000 candidates takes hours. Progress announces each wait and its end, so that the
// run is not silent for longer than it said.
func TestProgressAnnouncesEveryWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		server.SetPlan(sandbox.LiveKey, 0, 2000)
		for n := range 10 {
			server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Skip: 97 * (n + 1), Reset: true, After: n%2 == 0})
		}
		server.Inject(sandbox.Fault{Route: apitest.ListRoute, Skip: 40, Status: 503, RetryAfter: 5 * time.Minute})
		began, expected, calls := time.Now(), time.Now(), 0
		var longest time.Duration // After the time when the next call was expected.
		var before hiring.InviteProgress
		reasons := make(map[hiring.PauseReason]int)
		delivered := 0
		client := server.LiveClient(hiring.WithRetry(hiring.RetryPolicy{MaxWait: time.Hour}))
		err := client.Invitations.SendAll(t.Context(), assessment, slices.Values(apitest.Candidates(1000, 1)), hiring.SendAllOptions{
			Each: func(hiring.InviteResult, error) bool {
				delivered++
				return true
			},
			Progress: func(p hiring.InviteProgress) {
				calls++
				longest, expected = max(longest, time.Since(expected)), time.Now()
				if p.WaitUntil.After(expected) {
					expected = p.WaitUntil
				}
				assert.Equal(t, p.Done, p.Sent+p.Existing+p.Failed)
				assert.GreaterOrEqual(t, p.Done, before.Done)
				assert.GreaterOrEqual(t, p.Done, delivered)
				assert.Equal(t, p.Reason == "", p.WaitUntil.IsZero())
				if p.Reason != "" {
					assert.Greater(t, time.Until(p.WaitUntil), time.Duration(0))
				}
				reasons[p.Reason]++
				before = p
			},
		})
		require.NoError(t, err)
		assert.LessOrEqual(t, longest, time.Second)
		assert.Equal(t, hiring.InviteProgress{Done: 1000, Sent: 1000}, before)
		assert.Equal(t, 1000, reasons[""], "once for each candidate")
		assert.Positive(t, reasons[hiring.PauseQuota])
		assert.Positive(t, reasons[hiring.PauseLookup]+reasons[hiring.PauseRetry])
		t.Logf("1000 candidates in %s: %d calls of Progress %v, the longest unannounced silence %s", time.Since(began), calls, reasons, longest)
	})
}

// A run that waits for an Ensure of the same client reports it every minute, although the
// end of the wait is not known.
func TestProgressIsCalledDuringAnotherCallsInvitation(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Status: 503, Times: 3})
		client := server.LiveClient()
		candidates := apitest.Candidates(3, 1)
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = client.Invitations.Ensure(t.Context(), assessment, candidates[0])
		}()
		synctest.Wait()
		last, longest := time.Now(), time.Duration(0)
		err := client.Invitations.SendAll(t.Context(), assessment, slices.Values(candidates), hiring.SendAllOptions{
			Progress: func(hiring.InviteProgress) { longest, last = max(longest, time.Since(last)), time.Now() },
		})
		require.NoError(t, err)
		<-done
		assert.LessOrEqual(t, longest, time.Minute+time.Second)
		assert.Greater(t, longest, time.Second, "the run waited")
		assert.Len(t, apitest.InvitationCounts(t, server, assessment), 3)
	})
}

// One unknown outcome for each ten candidates does not delay the others, of whatever kind.
func TestUnknownOutcomesDoNotDelayTheOthers(t *testing.T) {
	t.Parallel()
	const timeout = 30 * time.Second // The client's default.
	without := timeToInvite150(t, nil)
	for name, fault := range map[string]sandbox.Fault{
		"connection cut, done":             {Reset: true, After: true},
		"connection cut, not done":         {Reset: true},
		"connection cut, done 59 s later":  {Reset: true, Late: 59 * time.Second},
		"response cut, done":               {CutAfter: 20, After: true},
		"timeout, done":                    {Delay: timeout, After: true},
		"timeout, not done":                {Delay: timeout},
		"timeout, done 59 s later":         {Delay: timeout, Late: timeout + 59*time.Second},
		"500, done":                        {Status: 500, After: true},
		"500, not done":                    {Status: 500},
		"503, done 50 s later":             {Status: 503, Late: 50 * time.Second},
		"503, not done":                    {Status: 503},
		"503 after 20 s, not done":         {Status: 503, Delay: 20 * time.Second},
		"2xx of an intermediary, not done": {Status: 200, Body: "<html>Sign in</html>"},
		"502 of an intermediary, done":     {Status: 502, Body: "<html>Bad gateway</html>", After: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			with := timeToInvite150(t, &fault)
			assert.LessOrEqual(t, with.Seconds(), 1.05*without.Seconds())
			t.Logf("150 candidates in %s instead of %s (%+.1f %%)", with.Round(time.Second), without.Round(time.Second), 100*(with.Seconds()/without.Seconds()-1))
		})
	}
}

// timeToInvite150 returns how long SendAll takes for 150 candidates when the fault
// affects every tenth of the first 150 requests. Each candidate gets one e-mail.
func timeToInvite150(t *testing.T, fault *sandbox.Fault) (took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		server.SetPlan(sandbox.LiveKey, 0, 2000)
		for n := 9; n < 150 && fault != nil; n += 10 {
			f := *fault
			f.Route, f.Skip = apitest.InviteRoute, n
			server.Inject(f)
		}
		began := time.Now()
		people := apitest.Candidates(150, 1)
		var got reports
		err := server.LiveClient().Invitations.SendAll(t.Context(), assessment, slices.Values(people), hiring.SendAllOptions{Each: got.each})
		took = time.Since(began)
		require.NoError(t, err)
		assert.Equal(t, people, got.candidates(), "in order")
		assert.Equal(t, slices.Repeat([]hiring.InviteOutcome{hiring.InviteSent}, 150), got.outcomes())
		requireOneMailEach(t, server, assessment, 150)
	})
	return took
}

// After three unknown outcomes in a row nothing is sent until a lookup: the API is
// probably down.
func TestSendAllHoldsAfterThreeUnknownOutcomes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Skip: 2, Times: 5, Status: 500})
		var at []time.Duration
		began := time.Now()
		client := server.LiveClient(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
			if e.Method == http.MethodPost {
				at = append(at, time.Since(began).Round(time.Second))
			}
		}))
		var got reports
		require.NoError(t, client.Invitations.SendAll(t.Context(), assessment, slices.Values(apitest.Candidates(20, 1)), hiring.SendAllOptions{Each: got.each}))
		assert.Equal(t, slices.Repeat([]hiring.InviteOutcome{hiring.InviteSent}, 20), got.outcomes())
		require.Len(t, at, 25)
		assert.Equal(t, slices.Repeat([]time.Duration{0}, 5), at[:5], "two are sent, and three are lost")
		assert.Equal(t, []time.Duration{time.Minute, 2 * time.Minute, 3 * time.Minute}, at[5:8], "one at a time, until one is not lost")
		assert.Equal(t, slices.Repeat([]time.Duration{3 * time.Minute}, 17), at[8:], "the rest")
		requireOneMailEach(t, server, assessment, 20)
	})
}

func TestTheLoggerReportsWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, assessment := apitest.StartWithAssessment(t)
		server.SetQuota(sandbox.LiveKey, sandbox.ClassWrite, 22)
		server.Inject(sandbox.Fault{Route: apitest.InviteRoute, Reset: true, After: true})
		var text bytes.Buffer
		client := server.LiveClient(hiring.WithLogger(slog.New(slog.NewJSONHandler(&text, &slog.HandlerOptions{Level: slog.LevelInfo}))))
		require.NoError(t, client.Invitations.SendAll(t.Context(), assessment, slices.Values(apitest.Candidates(4, 1)), hiring.SendAllOptions{}))
		reasons := make(map[string]int)
		for line := range bytes.SplitSeq(bytes.TrimSpace(text.Bytes()), []byte("\n")) {
			var entry struct {
				Time      time.Time `json:"time"`
				Level     string    `json:"level"`
				Msg       string    `json:"msg"`
				Operation string    `json:"operation"`
				Reason    string    `json:"reason"`
				Until     time.Time `json:"until"`
			}
			require.NoError(t, json.Unmarshal(line, &entry))
			if entry.Msg != "hiring: waiting" {
				continue
			}
			reasons[entry.Reason]++
			assert.Equal(t, "INFO", entry.Level)
			assert.Equal(t, "Invitations.SendAll", entry.Operation)
			assert.True(t, entry.Until.After(entry.Time))
		}
		assert.Positive(t, reasons["quota"])
		assert.Positive(t, reasons["lookup"])
		assert.NotContains(t, text.String(), "candidate-")
	})
}
