package call_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTimeoutOfTheHTTPClientIsATimeout(t *testing.T) {
	stalled := apitest.Stalls(200, `{"data":{`, apitest.Signed)
	for name, c := range map[string]struct {
		answer  apitest.Answer
		timeout time.Duration // Of the http.Client.
		opts    []hiring.Option
		after   time.Duration
		text    string
	}{
		"no response":          {apitest.Hangs(), 5 * time.Second, nil, 5 * time.Second, "no reply within 5s; see http.Client.Timeout"},
		"stalled body":         {stalled, 5 * time.Second, nil, 5 * time.Second, "the reply broke off within 5s; see http.Client.Timeout"},
		"without WithTimeout":  {apitest.Hangs(), 5 * time.Second, []hiring.Option{hiring.WithTimeout(0)}, 5 * time.Second, "see http.Client.Timeout"},
		"longer than default":  {apitest.Hangs(), time.Minute, nil, 30 * time.Second, "no reply within 30s; see WithTimeout"},
		"longer than option":   {apitest.Hangs(), 5 * time.Second, []hiring.Option{hiring.WithTimeout(time.Second)}, time.Second, "no reply within 1s; see WithTimeout"},
		"negative means none":  {apitest.Hangs(), -1, nil, 30 * time.Second, "no reply within 30s; see WithTimeout"},
		"shorter than option":  {apitest.Hangs(), time.Second, []hiring.Option{hiring.WithTimeout(5 * time.Second)}, time.Second, "see http.Client.Timeout"},
		"body, without option": {stalled, time.Second, []hiring.Option{hiring.WithTimeout(0)}, time.Second, "see http.Client.Timeout"},
	} {
		synctest.Test(t, func(t *testing.T) {
			mine := &http.Client{Transport: apitest.NewFake(t, c.answer), Timeout: c.timeout}
			client, err := hiring.New(apitest.FakeURL, apitest.FakeKey, append(c.opts, apitest.Once, hiring.WithHTTPClient(mine))...)
			require.NoError(t, err)
			begun := time.Now()
			_, err = client.Account.Get(t.Context())
			assert.Equal(t, c.after, time.Since(begun), "%s", name)
			require.ErrorContains(t, err, c.text, "%s", name)
			require.ErrorIs(t, err, context.DeadlineExceeded, "%s", name)
			require.NotErrorIs(t, err, context.Canceled, "%s", name)
			timeout, ok := errors.AsType[net.Error](err)
			assert.True(t, ok && timeout.Timeout(), "%s: net.Error.Timeout()", name)
			assert.True(t, hiring.IsTransient(err), "%s", name)
			assert.Equal(t, c.timeout, mine.Timeout, "%s: the caller's client is not changed", name)
		})
	}
}

// The timeout is that of each attempt: neither waits nor the attempts before
// count towards it.
func TestTimeoutOfTheHTTPClientIsThatOfEachAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewFake(t, apitest.Said{Limit: 1000, Remaining: 0, Left: 40 * time.Second, Skew: 0, RetryAfter: ""}.With(apitest.Succeeds), apitest.Hangs(), apitest.Hangs(), slowly(4*time.Second, apitest.Data(apitest.Thing)))
		client, err := hiring.New(apitest.FakeURL, apitest.FakeKey, hiring.WithHTTPClient(&http.Client{Transport: fake, Timeout: 5 * time.Second}))
		require.NoError(t, err)
		require.NoError(t, apitest.Read(t.Context(), client))
		require.NoError(t, apitest.Read(t.Context(), client), "after a wait of 40 s and two attempts of 5 s")
		assert.Len(t, fake.Requests(), 4)

		// A write whose response did not come in time is not retried.
		fake = apitest.NewFake(t, apitest.Hangs())
		client, err = hiring.New(apitest.FakeURL, apitest.FakeKey, hiring.WithHTTPClient(&http.Client{Transport: fake, Timeout: 5 * time.Second}))
		require.NoError(t, err)
		err = write(t.Context(), client)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, err, hiring.ErrOutcomeUnknown)
		assert.Len(t, fake.Requests(), 1)
	})
}

func TestTimeoutOfTheHTTPClientDoesNotLimitDownloads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := apitest.NewHostile(t, func(r *http.Request) (*http.Response, error) {
			return apitest.ReplyOf(r, 200, &apitest.Drip{Bytes: 20, Interval: 2 * time.Second}, apitest.Tag), nil
		})
		client, err := hiring.New(apitest.FakeURL, apitest.FakeKey, hiring.WithHTTPClient(&http.Client{Transport: h, Timeout: time.Second}))
		require.NoError(t, err)
		n, err := client.Submissions.DownloadArchive(t.Context(), "s", io.Discard)
		require.NoError(t, err)
		assert.Equal(t, int64(20), n)
	})
}

func TestRetryAfterInErrorTextsIsNeverNegativeAndReadable(t *testing.T) {
	for value, want := range map[string]string{
		"90":                            "retry after 1m30s",
		"7200":                          "retry after 2h0m0s",
		"172800":                        "retry after 48h0m0s",
		"172801":                        "retry after 3 days",
		"31536000":                      "retry after 365 days",
		"31536001":                      "retry after more than a year",
		"9223372036":                    "retry after more than a year",
		"9223372037":                    "retry after more than a year",
		"99999999999999999999999":       "retry after more than a year",
		"Fri, 31 Dec 9999 23:59:59 GMT": "retry after more than a year",
	} {
		for _, status := range []int{429, 503} {
			_, err := apitest.NewFake(t, apitest.Says(status, "", "Retry-After: "+value)).Client().Account.Get(t.Context())
			require.ErrorContains(t, err, want, "%d %s", status, value)
			failure := apitest.FailureOf(t, value, err)
			assert.Positive(t, failure.RetryAfter, "%d %s", status, value)
			failure.RetryAfter = -time.Second // Set by a caller.
			assert.NotContains(t, err.Error(), "retry after")
		}
	}
}

func TestCutShortResponsesAreLoggedWithTheirCause(t *testing.T) {
	for name, c := range map[string]struct {
		answer apitest.Answer
		cause  string
	}{
		"within the JSON":          {apitest.Cuts(200, `{"data":{`, io.ErrUnexpectedEOF, apitest.Signed), "cut short"},
		"reset":                    {apitest.Cuts(200, `{"data":{`, &net.OpError{Op: "read", Err: io.EOF}, apitest.Signed), "cut short"},
		"stalled":                  {apitest.Stalls(200, `{"data":{`, apitest.Signed), "timeout"},
		"the body of a 503":        {apitest.Cuts(503, `<html>`, io.ErrUnexpectedEOF), "cut short"},
		"the JSON itself is short": {apitest.Says(200, `{"data":{`, apitest.Signed), "cut short"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			client := apitest.NewFake(t, c.answer, apitest.Data(apitest.Thing)).Client(hiring.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
			require.NoError(t, apitest.Read(t.Context(), client), name)
			line, _, _ := strings.Cut(log.String(), "\n")
			assert.Contains(t, line, "will be", name)
			word := c.cause
			if strings.Contains(word, " ") {
				word = `"` + word + `"`
			}
			assert.Contains(t, line, "cause="+word, name)
		})
	}
	var log bytes.Buffer
	client := apitest.NewFake(t, apitest.Says(200, `{"data":7}`, apitest.Signed)).Client(hiring.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	require.Error(t, apitest.Read(t.Context(), client))
	assert.NotContains(t, log.String(), "cause=", "a malformed response has none")
}

// A 429 without rate-limit headers comes from an overloaded server or a proxy: no
// method may have done anything, and no class is closed.
func TestEveryMethodIsRetriedAfterA429WithoutRateLimitHeaders(t *testing.T) {
	for name, headers := range map[string][]string{
		"none":             nil,
		"some":             {"X-RateLimit-Limit: 1000", "X-RateLimit-Remaining: 0"},
		"malformed":        {"X-RateLimit-Limit: 1000", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: soon"},
		"with Retry-After": {"Retry-After: 7"},
	} {
		for _, refusal := range map[string]apitest.Answer{
			"envelope":  apitest.Refuses(429, hiring.ErrRateLimited, headers...),
			"web page":  apitest.Says(429, "<html>busy</html>", headers...),
			"no body":   apitest.Says(429, "", headers...),
			"cut short": apitest.Cuts(429, "<ht", io.ErrUnexpectedEOF, headers...),
		} {
			for _, op := range apitest.EveryOperation() {
				synctest.Test(t, func(t *testing.T) {
					fake := apitest.NewFake(t, refusal, refusal, refusal, apitest.Says(200, op.Reply, apitest.Signed))
					client := fake.Client()
					require.NoError(t, op.Call(t.Context(), client), "%s %s", op.Name, name)
					assert.Len(t, fake.Requests(), 4, "%s %s", op.Name, name)
					if name == "with Retry-After" {
						assert.Equal(t, []time.Duration{7 * time.Second, 7 * time.Second, 7 * time.Second}, fake.Pauses(), op.Name)
					}
					assert.Zero(t, client.Quota(), "%s %s", op.Name, name)

					fake = apitest.NewFake(t, refusal, refusal, refusal, refusal, apitest.Says(200, op.Reply, apitest.Signed))
					client = fake.Client()
					err := op.Call(t.Context(), client)
					failure := apitest.FailureOf(t, op.Name, err)
					assert.Equal(t, [2]int{429, 4}, [2]int{failure.Status, failure.Attempts}, "%s %s", op.Name, name)
					want := hiring.OutcomeNotDone
					if op.Method == http.MethodGet {
						want = ""
					}
					assert.Equal(t, want, failure.Outcome, "%s %s", op.Name, name)
					begun := time.Now()
					require.NoError(t, op.Call(t.Context(), client), "%s %s: nothing is held back", op.Name, name)
					assert.Zero(t, time.Since(begun), "%s %s", op.Name, name)
				})
			}
		}
	}
	synctest.Test(t, func(t *testing.T) {
		for _, op := range apitest.EveryOperation() {
			fake := apitest.NewFake(t, apitest.Says(429, "", "Retry-After: 61"))
			begun := time.Now()
			failure := apitest.FailureOf(t, op.Name, op.Call(t.Context(), fake.Client()))
			assert.Equal(t, 61*time.Second, failure.RetryAfter, op.Name)
			assert.Zero(t, time.Since(begun), "%s: longer than MaxWait", op.Name)
			assert.Len(t, fake.Requests(), 1, op.Name)
		}
	})
}
