package hiring_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
)

const (
	pendingReport = `{"submission_id":"s","status":"submitted","evaluated":false,"ship_score":null}`
	readyReport   = `{"submission_id":"s","status":"evaluated","evaluated":true,"ship_score":82}`
)

func TestWaitReportPollsEvery30To60Seconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := make([]answer, 0, 40)
		for range 39 {
			answers = append(answers, data(pendingReport))
		}
		fake := newFake(t, append(answers, data(readyReport))...)
		var progress []hiring.WaitProgress
		var told []time.Time
		report, err := fake.client().Submissions.WaitReport(t.Context(), "s", hiring.WaitOptions{Progress: func(p hiring.WaitProgress) {
			progress = append(progress, p)
			told = append(told, time.Now())
		}})
		require.NoError(t, err)
		assert.Equal(t, 82, *report.ShipScore)
		pauses := fake.pauses()
		require.Len(t, pauses, 39)
		different := make(map[time.Duration]bool)
		for i, pause := range pauses {
			assert.GreaterOrEqual(t, pause, 30*time.Second, "pause %d", i)
			assert.Less(t, pause, 60*time.Second, "pause %d", i)
			different[pause] = true
		}
		assert.Len(t, different, 39, "pauses are random")
		require.Len(t, progress, 40, "Progress is told after each poll")
		for i, p := range progress[:39] {
			assert.Equal(t, hiring.WaitProgress{Total: 1, Pending: 1, Requests: i + 1, NextPoll: told[i].Add(pauses[i])}, p, "poll %d", i+1)
		}
		assert.Equal(t, hiring.WaitProgress{Total: 1, Ready: 1, Requests: 40}, progress[39])
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
			fake := newFake(t, data(pendingReport), data(pendingReport), data(pendingReport), data(readyReport))
			_, err := fake.client().Submissions.WaitReport(t.Context(), "s", c.options)
			require.NoError(t, err, "%s", name)
			for _, pause := range fake.pauses() {
				assert.GreaterOrEqual(t, pause, c.least, "%s", name)
				assert.LessOrEqual(t, pause, c.most, "%s", name)
			}
		})
	}
}

func TestWaitReportRidesOut(t *testing.T) {
	for name, trouble := range map[string]answer{
		"429":       refuses(429, "RATE_LIMITED", "Retry-After: 1"),
		"500":       refuses(500, "INTERNAL_ERROR"),
		"501":       says(501, ""),
		"502 HTML":  says(502, "<html>"),
		"reset":     breaks(errReset),
		"dial":      breaks(dialError),
		"timeout":   hangs(),
		"cut":       cuts(200, `{"data"`, io.ErrUnexpectedEOF),
		"clean cut": says(200, `{"data"`),
	} {
		synctest.Test(t, func(t *testing.T) {
			fake := newFake(t, trouble, trouble, trouble, data(pendingReport), trouble, data(readyReport))
			var told int
			report, err := fake.client(once).Submissions.WaitReport(t.Context(), "s", hiring.WaitOptions{Progress: func(hiring.WaitProgress) { told++ }})
			require.NoError(t, err, "%s", name)
			assert.True(t, report.Ready(), "%s", name)
			assert.Equal(t, 6, told, "%s: Progress", name)
			for _, pause := range fake.pauses() {
				assert.GreaterOrEqual(t, pause, 30*time.Second, "%s", name)
			}
		})
	}
}

func TestWaitReportEndsAtWhatStays(t *testing.T) {
	untrusted := &tls.CertificateVerificationError{Err: errors.New("unknown authority")}
	for name, c := range map[string]struct {
		answer answer
		status int
	}{
		"401": {refuses(401, "INVALID_TOKEN"), 401}, "403": {refuses(403, "INSUFFICIENT_SCOPE"), 403},
		"404": {refuses(404, "NOT_FOUND"), 404}, "400": {refuses(400, "INVALID_INPUT"), 400}, "302": {says(302, ""), 302},
		"wrong shape": {says(200, `[]`), 200}, "no data": {says(200, `{}`), 200}, "untrusted": {breaks(untrusted), 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			fake := newFake(t, data(pendingReport), c.answer)
			_, err := fake.client().Submissions.WaitReport(t.Context(), "s", hiring.WaitOptions{})
			failure := failureOf(t, name, err)
			assert.Equal(t, c.status, failure.Status, "%s", name)
			assert.Len(t, fake.requests(), 2, "%s: one 401 after another would throttle the whole IP", name)
		})
	}
}

func TestWaitReportEndsWhenTheKeySourceFails(t *testing.T) {
	cause := errors.New("sealed")
	client := newFake(t, data(readyReport)).client(hiring.WithKeySource(func(context.Context) (string, error) { return "", cause }))
	_, err := client.Submissions.WaitReport(t.Context(), "s", hiring.WaitOptions{})
	require.ErrorIs(t, err, cause)
}

func TestWaitReportWaitsForTheWindowWhateverMaxWaitSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := newFake(t, refuses(429, "RATE_LIMITED", "Retry-After: 1800"), data(readyReport))
		var next time.Time
		begun := time.Now()
		_, err := fake.client().Submissions.WaitReport(t.Context(), "s", hiring.WaitOptions{Progress: func(p hiring.WaitProgress) {
			if next.IsZero() {
				next = p.NextPoll
			}
		}})
		require.NoError(t, err)
		assert.Equal(t, []time.Duration{30 * time.Minute}, fake.pauses())
		assert.Equal(t, begun.Add(30*time.Minute), next)
	})
}

func TestWaitReportEndsAtOnceWhenTheWindowIsBeyondTheDeadline(t *testing.T) {
	for _, deadline := range []time.Duration{10 * time.Minute, 30 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			fake := newFake(t, refuses(429, "RATE_LIMITED", "Retry-After: 1800"))
			ctx, cancel := context.WithTimeout(t.Context(), deadline)
			defer cancel()
			begun := time.Now()
			_, err := fake.client().Submissions.WaitReport(ctx, "s", hiring.WaitOptions{})
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.ErrorIs(t, err, hiring.ErrRateLimited)
			assert.Equal(t, 30*time.Minute, failureOf(t, "WaitReport", err).RetryAfter)
			assert.Zero(t, time.Since(begun))
		})
	}
}

func TestWaitReportEndsWithItsContext(t *testing.T) {
	reason := errors.New("shutting down")
	for name, c := range map[string]struct {
		answer answer
		last   error
	}{"pending": {data(pendingReport), nil}, "failing": {refuses(500, "INTERNAL_ERROR"), hiring.ErrInternal}, "in a call": {hangs(), nil}} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			time.AfterFunc(10*time.Second, func() { cancel(reason) })
			begun := time.Now()
			_, err := newFake(t, c.answer).client(once).Submissions.WaitReport(ctx, "s", hiring.WaitOptions{})
			require.ErrorIs(t, err, context.Canceled, "%s", name)
			require.ErrorIs(t, err, reason, "%s", name)
			if c.last != nil {
				require.ErrorIs(t, err, c.last, "%s: the last failure", name)
			}
			assert.Equal(t, 10*time.Second, time.Since(begun), "%s", name)
		})
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Second)
		defer cancel()
		_, err := newFake(t, data(pendingReport)).client().Submissions.WaitReport(ctx, "s", hiring.WaitOptions{})
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

func TestWaitReportCapturesNothing(t *testing.T) {
	var r hiring.Response
	_, err := newFake(t, data(readyReport)).client().Submissions.WaitReport(hiring.WithResponse(t.Context(), &r), "s", hiring.WaitOptions{})
	require.NoError(t, err)
	assert.Zero(t, r)
}
