package client_test

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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

func TestTimeoutOfTheHTTPClientIsATimeout(t *testing.T) {
	stalled := apitest.Stall(200, `{"data":{`, apitest.RequestIDHeader)
	for name, c := range map[string]struct {
		answer  apitest.Responder
		timeout time.Duration // Of the http.Client.
		opts    []hiring.Option
		after   time.Duration
		text    string
	}{
		"no response":          {apitest.Block(), 5 * time.Second, nil, 5 * time.Second, "no response: "},
		"stalled body":         {stalled, 5 * time.Second, nil, 5 * time.Second, "the response was not complete: "},
		"without WithTimeout":  {apitest.Block(), 5 * time.Second, []hiring.Option{hiring.WithTimeout(0)}, 5 * time.Second, "no response: "},
		"longer than default":  {apitest.Block(), time.Minute, nil, 30 * time.Second, "no response within 30s: see WithTimeout"},
		"longer than option":   {apitest.Block(), 5 * time.Second, []hiring.Option{hiring.WithTimeout(time.Second)}, time.Second, "no response within 1s: see WithTimeout"},
		"negative means none":  {apitest.Block(), -1, nil, 30 * time.Second, "no response within 30s: see WithTimeout"},
		"shorter than option":  {apitest.Block(), time.Second, []hiring.Option{hiring.WithTimeout(5 * time.Second)}, time.Second, ": "},
		"body, without option": {stalled, time.Second, []hiring.Option{hiring.WithTimeout(0)}, time.Second, ": "},
	} {
		synctest.Test(t, func(t *testing.T) {
			mine := &http.Client{Transport: apitest.NewScriptedServer(t, c.answer), Timeout: c.timeout}
			client, err := hiring.New(apitest.BaseURL, apitest.Key, append(c.opts, apitest.NoRetry, hiring.WithHTTPClient(mine))...)
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

// The timeout applies to each attempt. Waits and earlier attempts do not count.
func TestTimeoutOfTheHTTPClientIsThatOfEachAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, apitest.RateLimit{Limit: 1000, Remaining: 0, Left: 40 * time.Second, Skew: 0, RetryAfter: ""}.With(apitest.RespondResource), apitest.Block(), apitest.Block(), slowly(4*time.Second, apitest.RespondData(apitest.Resource)))
		client := fake.Client(hiring.WithHTTPClient(&http.Client{Transport: fake, Timeout: 5 * time.Second}))
		require.NoError(t, apitest.ReadAccount(t.Context(), client))
		require.NoError(t, apitest.ReadAccount(t.Context(), client), "after a wait of 40 s and two attempts of 5 s")
		assert.Len(t, fake.Requests(), 4)

		// A write without a response in time is not retried.
		fake = apitest.NewScriptedServer(t, apitest.Block())
		client = fake.Client(hiring.WithHTTPClient(&http.Client{Transport: fake, Timeout: 5 * time.Second}))
		err := write(t.Context(), client)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, err, hiring.ErrOutcomeUnknown)
		assert.Len(t, fake.Requests(), 1)
	})
}

func TestTimeoutOfTheHTTPClientDoesNotLimitDownloads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newStorageServer(t, func(r *http.Request) (*http.Response, error) {
			return apitest.NewResponse(r, 200, &slowBody{Bytes: 20, Interval: 2 * time.Second}, eTag), nil
		})
		client := h.Client(hiring.WithHTTPClient(&http.Client{Transport: h, Timeout: time.Second}))
		n, err := client.Submissions.DownloadArchive(t.Context(), "s", io.Discard)
		require.NoError(t, err)
		assert.Equal(t, int64(20), n)
	})
}

func TestRetryAfterInErrorTextsIsReadable(t *testing.T) {
	for value, want := range map[string]string{
		"90":                            "retry after 1m30s",
		"7200":                          "retry after 2h0m0s",
		"99999999999999999999999":       "retry after 2562047h47m16s",
		"Fri, 31 Dec 9999 23:59:59 GMT": "retry after 2562047h47m16.854775807s",
	} {
		for _, status := range []int{429, 503} {
			_, err := apitest.NewScriptedServer(t, apitest.Respond(status, "", "Retry-After: "+value)).Client().Account.Get(t.Context())
			require.ErrorContains(t, err, want, "%d %s", status, value)
			failure := apitest.RequireError(t, value, err)
			assert.Positive(t, failure.RetryAfter, "%d %s", status, value)
			failure.RetryAfter = -time.Second // Set by a caller.
			assert.NotContains(t, err.Error(), "retry after")
		}
	}
}

func TestCutShortResponsesAreLoggedWithTheirCause(t *testing.T) {
	for name, c := range map[string]struct {
		answer apitest.Responder
		cause  string
	}{
		"within the JSON":          {apitest.Truncate(200, `{"data":{`, io.ErrUnexpectedEOF, apitest.RequestIDHeader), "cut short"},
		"reset":                    {apitest.Truncate(200, `{"data":{`, &net.OpError{Op: "read", Err: io.EOF}, apitest.RequestIDHeader), "cut short"},
		"stalled":                  {apitest.Stall(200, `{"data":{`, apitest.RequestIDHeader), "timeout"},
		"the body of a 503":        {apitest.Truncate(503, `<html>`, io.ErrUnexpectedEOF), "cut short"},
		"the JSON itself is short": {apitest.Respond(200, `{"data":{`, apitest.RequestIDHeader), "cut short"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			client := apitest.NewScriptedServer(t, c.answer, apitest.RespondData(apitest.Resource)).Client(hiring.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
			require.NoError(t, apitest.ReadAccount(t.Context(), client), name)
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
	client := apitest.NewScriptedServer(t, apitest.Respond(200, `{"data":7}`, apitest.RequestIDHeader)).Client(hiring.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
	require.Error(t, apitest.ReadAccount(t.Context(), client))
	assert.NotContains(t, log.String(), "cause=", "a malformed response has none")
}
