package wait_test

import (
	"context"
	"crypto/tls"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

// The data of a single read.
const (
	pendingSubmission = `{"id":"s","status":"grading","created_at":"2026-01-02T15:04:05Z","report":` + apitest.PendingReport + `}`
	readySubmission   = `{"id":"s","status":"evaluated","created_at":"2026-01-02T15:04:05Z","evaluated_at":"2026-01-02T16:04:05Z","report":` + apitest.ReadyReport + `}`
)

func TestWaitReportPollsEvery30To60Seconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pending = 120 // They take more than an hour.
		answers := make([]apitest.Responder, 0, pending+1)
		for range pending {
			answers = append(answers, apitest.RespondData(pendingSubmission))
		}
		fake := apitest.NewScriptedServer(t, append(answers, apitest.RespondData(readySubmission))...)
		var progress []hiring.WaitProgress
		var told []time.Time
		report, err := fake.Client().Submissions.WaitReport(t.Context(), "s", hiring.WaitOptions{Progress: func(p hiring.WaitProgress) {
			progress = append(progress, p)
			told = append(told, time.Now())
		}})
		require.NoError(t, err)
		assert.Equal(t, 82, *report.ShipScore)
		pauses := fake.Pauses()
		require.Len(t, pauses, pending)
		different := make(map[time.Duration]bool)
		for i, pause := range pauses {
			assert.GreaterOrEqual(t, pause, 30*time.Second, "pause %d", i)
			assert.Less(t, pause, 60*time.Second, "pause %d", i)
			different[pause] = true
		}
		assert.Len(t, different, pending, "pauses are random")
		require.Len(t, progress, pending+1, "Progress is told after each poll")
		lastHour := func(i int) (n int) {
			for _, at := range told[:i+1] {
				if told[i].Sub(at) < time.Hour {
					n++
				}
			}
			return n
		}
		for i, p := range progress[:pending] {
			assert.Equal(t, hiring.WaitProgress{Total: 1, Pending: 1, Requests: i + 1, ReadsLastHour: lastHour(i), NextPoll: told[i].Add(pauses[i])}, p, "poll %d", i+1)
		}
		assert.Equal(t, hiring.WaitProgress{Total: 1, Ready: 1, Requests: pending + 1, ReadsLastHour: lastHour(pending)}, progress[pending])
	})
}

func TestWaitReportIntervals(t *testing.T) {
	for name, c := range map[string]struct {
		options     hiring.WaitOptions
		least, most time.Duration
	}{
		"fixed":    {hiring.WaitOptions{MinInterval: time.Second, MaxInterval: time.Second}, time.Second, time.Second},
		"shorter":  {hiring.WaitOptions{MaxInterval: 10 * time.Second}, 10 * time.Second, 10 * time.Second},
		"longer":   {hiring.WaitOptions{MinInterval: 2 * time.Minute}, 2 * time.Minute, 2 * time.Minute},
		"only min": {hiring.WaitOptions{MinInterval: 50 * time.Second}, 50 * time.Second, 60 * time.Second},
		"only max": {hiring.WaitOptions{MaxInterval: 40 * time.Second}, 30 * time.Second, 40 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			fake := apitest.NewScriptedServer(t, apitest.RespondData(pendingSubmission), apitest.RespondData(pendingSubmission), apitest.RespondData(pendingSubmission), apitest.RespondData(readySubmission))
			_, err := fake.Client().Submissions.WaitReport(t.Context(), "s", c.options)
			require.NoError(t, err, "%s", name)
			for _, pause := range fake.Pauses() {
				assert.GreaterOrEqual(t, pause, c.least, "%s", name)
				assert.LessOrEqual(t, pause, c.most, "%s", name)
			}
		})
	}
}

func TestWaitReportEndsAtPermanentErrors(t *testing.T) {
	untrusted := &tls.CertificateVerificationError{Err: errors.New("unknown authority")}
	for name, c := range map[string]struct {
		answer apitest.Responder
		status int
	}{
		"401": {apitest.RespondError(401, "INVALID_TOKEN"), 401}, "403": {apitest.RespondError(403, "INSUFFICIENT_SCOPE"), 403},
		"400": {apitest.RespondError(400, "INVALID_INPUT"), 400}, "405": {apitest.RespondError(405, "METHOD"), 405}, "untrusted": {apitest.Fail(untrusted), 0},
		"401 of another": {apitest.Respond(401, "<html>"), 401}, "403 of another": {apitest.Respond(403, ""), 403},
	} {
		synctest.Test(t, func(t *testing.T) {
			fake := apitest.NewScriptedServer(t, apitest.RespondData(pendingSubmission), c.answer)
			_, err := fake.Client().Submissions.WaitReport(t.Context(), "s", hiring.WaitOptions{})
			failure := apitest.RequireError(t, name, err)
			assert.Equal(t, c.status, failure.Status, "%s", name)
			assert.Len(t, fake.Requests(), 2, "%s: one 401 after another would throttle the whole IP", name)
		})
	}
}

func TestA404EndsWaitReport(t *testing.T) {
	fake := apitest.NewScriptedServer(t, apitest.RespondError(404, "NOT_FOUND"))
	_, err := fake.Client().Submissions.WaitReport(t.Context(), "S", hiring.WaitOptions{})
	missing, _ := errors.AsType[*hiring.WaitError](err)
	require.Equal(t, []string{"S"}, missing.Missing)
	require.ErrorIs(t, err, hiring.ErrNotFound)
	failure, _ := errors.AsType[*hiring.Error](err)
	require.Equal(t, hiring.ErrNotFound, failure.Code, "one shape of errors")
	assert.Len(t, fake.Requests(), 1)
}

func TestWaitReportEndsWhenTheKeySourceFails(t *testing.T) {
	cause := errors.New("sealed")
	client := apitest.NewScriptedServer(t, apitest.RespondData(readySubmission)).Client(hiring.WithKeySource(func(context.Context) (string, error) { return "", cause }))
	_, err := client.Submissions.WaitReport(t.Context(), "s", hiring.WaitOptions{})
	require.ErrorIs(t, err, cause)
}

func TestWaitReportWaitsForTheWindowDespiteMaxWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, apitest.RespondError(429, "RATE_LIMITED", "Retry-After: 1800"), apitest.RespondData(readySubmission))
		var next time.Time
		begun := time.Now()
		_, err := fake.Client().Submissions.WaitReport(t.Context(), "s", hiring.WaitOptions{Progress: func(p hiring.WaitProgress) {
			if next.IsZero() {
				next = p.NextPoll
			}
		}})
		require.NoError(t, err)
		waited := fake.Pauses()[0]
		assert.GreaterOrEqual(t, waited, 30*time.Minute)
		assert.LessOrEqual(t, waited, 31*time.Minute)
		assert.Equal(t, begun.Add(waited), next)
	})
}

func TestWaitReportEndsAtOnceBeforeADistantWindow(t *testing.T) {
	for _, deadline := range []time.Duration{10 * time.Minute, 30 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			fake := apitest.NewScriptedServer(t, apitest.RespondError(429, "RATE_LIMITED", "Retry-After: 1800"))
			ctx, cancel := context.WithTimeout(t.Context(), deadline)
			defer cancel()
			begun := time.Now()
			_, err := fake.Client().Submissions.WaitReport(ctx, "s", hiring.WaitOptions{})
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.ErrorIs(t, err, hiring.ErrRateLimited)
			assert.Equal(t, 30*time.Minute, apitest.RequireError(t, "WaitReport", err).RetryAfter)
			assert.Zero(t, time.Since(begun))
		})
	}
}

func TestWaitReportEndsWithItsContext(t *testing.T) {
	reason := errors.New("shutting down")
	for name, c := range map[string]struct {
		answer apitest.Responder
		last   error
	}{"pending": {apitest.RespondData(pendingSubmission), nil}, "failing": {apitest.RespondError(500, "INTERNAL_ERROR"), hiring.ErrInternal}, "in a call": {apitest.Block(), nil}} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			time.AfterFunc(10*time.Second, func() { cancel(reason) })
			begun := time.Now()
			_, err := apitest.NewScriptedServer(t, c.answer).Client(apitest.NoRetry).Submissions.WaitReport(ctx, "s", hiring.WaitOptions{})
			require.ErrorIs(t, err, context.Canceled, "%s", name)
			require.ErrorIs(t, err, reason, "%s", name)
			require.ErrorContains(t, err, "Submissions.WaitReport: ", "%s", name)
			ended, ok := errors.AsType[*hiring.WaitError](err)
			require.True(t, ok, "%s: %v", name, err)
			assert.Equal(t, []string{"s"}, ended.Pending, "%s", name)
			if c.last != nil {
				require.ErrorIs(t, err, c.last, "%s: the last failure", name)
			}
			assert.Equal(t, 10*time.Second, time.Since(begun), "%s", name)
		})
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Second)
		defer cancel()
		_, err := apitest.NewScriptedServer(t, apitest.RespondData(pendingSubmission)).Client().Submissions.WaitReport(ctx, "s", hiring.WaitOptions{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

func TestWaitReportCapturesNothing(t *testing.T) {
	var r hiring.Response
	_, err := apitest.NewScriptedServer(t, apitest.RespondData(readySubmission)).Client().Submissions.WaitReport(hiring.WithResponse(t.Context(), &r), "s", hiring.WaitOptions{})
	require.NoError(t, err)
	assert.Zero(t, r)
}
