package otelhiring_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/otelhiring"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// wire records the traceparent header of each request.
type headerRecorder struct {
	base    http.RoundTripper
	parents []string
}

func (w *headerRecorder) RoundTrip(r *http.Request) (*http.Response, error) {
	w.parents = append(w.parents, r.Header.Get("Traceparent"))
	return w.base.RoundTrip(r)
}

func attributesOf(span sdktrace.ReadOnlySpan) map[string]string {
	all := make(map[string]string)
	for _, a := range span.Attributes() {
		all[string(a.Key)] = a.Value.String()
	}
	return all
}

func TestSpansOfACallAndItsAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, server := newRecorder(t), sandbox.Start(t)
		w := &headerRecorder{base: server.Transport()}
		client := server.Client(hiring.WithTrace(b.Trace()), hiring.WithHTTPClient(&http.Client{Transport: w}))
		server.Inject(sandbox.Fault{Route: "GET /submissions/{id}/report", Status: 503, RetryAfter: 5 * time.Second})
		_, err := client.Submissions.Report(t.Context(), sandbox.SubmissionID)
		require.NoError(t, err)

		spans := b.spans.Ended()
		require.Len(t, spans, 3)
		first, second, call := spans[0], spans[1], spans[2]
		assert.Equal(t, semconv.SchemaURL, call.InstrumentationScope().SchemaURL)
		assert.Equal(t, "Submissions.Report", call.Name())
		assert.Equal(t, trace.SpanKindInternal, call.SpanKind())
		require.Len(t, call.Events(), 1)
		assert.Equal(t, "hiring.wait", call.Events()[0].Name)
		assert.Equal(t, []attribute.KeyValue{attribute.String("hiring.wait.reason", "retry"), attribute.Float64("hiring.wait.duration", 5)}, call.Events()[0].Attributes)
		for i, span := range []sdktrace.ReadOnlySpan{first, second} {
			assert.Equal(t, "GET /api/v1/submissions/{id}/report", span.Name())
			assert.Equal(t, trace.SpanKindClient, span.SpanKind())
			assert.Equal(t, call.SpanContext().SpanID(), span.Parent().SpanID())
			got := attributesOf(span)
			assert.Equal(t, "/api/v1/submissions/{id}/report", got["url.template"])
			assert.Equal(t, "GET", got["http.request.method"])
			assert.NotEmpty(t, got["server.address"])
			assert.Equal(t, fmt.Sprintf("00-%s-%s-01", span.SpanContext().TraceID(), span.SpanContext().SpanID()), w.parents[i])
		}
		assert.Equal(t, "INTERNAL_ERROR", attributesOf(first)["error.type"])
		assert.Equal(t, "503", attributesOf(first)["http.response.status_code"])
		assert.NotContains(t, attributesOf(first), "http.request.resend_count")
		assert.Equal(t, "1", attributesOf(second)["http.request.resend_count"])
		assert.NotContains(t, attributesOf(second), "error.type")

		samples := b.scrape(t)
		assert.Equal(t, "1", value(t, samples, "http_client_request_duration_seconds_count", `http_response_status_code="503"`, `error_type="INTERNAL_ERROR"`))
		assert.Equal(t, "1", value(t, samples, "http_client_request_duration_seconds_count", `http_response_status_code="200"`))
		assert.Equal(t, "1", value(t, samples, "hiring_client_operation_duration_seconds_count", `hiring_operation="Submissions.Report"`, `otel_scope_schema_url="`+semconv.SchemaURL))
		assert.Equal(t, "5", value(t, samples, "hiring_client_wait_time_seconds_total", `hiring_wait_reason="retry"`))
		assert.Equal(t, "1000", value(t, samples, "hiring_client_quota_limit", `hiring_quota_class="read"`))
		assert.Equal(t, "999", value(t, samples, "hiring_client_quota_remaining", `hiring_quota_class="read"`))
		time.Sleep(2 * time.Hour)
		for series := range b.scrape(t) {
			assert.NotContains(t, series, "hiring_client_quota", "the window has ended")
		}
	})
}

// TestArchiveStorageGetsNoTraceparent checks that the storage of archives, which is
// another host, receives no traceparent, and that its responses do not change the
// rate limit.
func TestArchiveStorageGetsNoTraceparent(t *testing.T) {
	b, server := newRecorder(t), sandbox.Start(t)
	w := &headerRecorder{base: server.Transport()}
	client := server.LiveClient(hiring.WithTrace(b.Trace()), hiring.WithHTTPClient(&http.Client{Transport: w}))
	invitation, err := server.Invite(server.AddAssessment("Backend"), "ada@candidates.test", "Ada")
	require.NoError(t, err)
	submission, err := server.Begin(invitation)
	require.NoError(t, err)
	require.NoError(t, server.Submit(submission))
	_, err = client.Submissions.DownloadArchive(t.Context(), submission, io.Discard)
	require.NoError(t, err)

	require.Len(t, w.parents, 2)
	assert.NotEmpty(t, w.parents[0], "to the API")
	assert.Empty(t, w.parents[1], "to the storage")
	spans := b.spans.Ended()
	require.Len(t, spans, 3)
	assert.Equal(t, "GET /{archive}", spans[1].Name())
	assert.Equal(t, spans[2].SpanContext().SpanID(), spans[1].Parent().SpanID())
	assert.Equal(t, "999", value(t, b.scrape(t), "hiring_client_quota_remaining", `hiring_quota_class="read"`))
}

// TestSpansAndMetricsContainNoPersonalData searches the exported spans and metrics.
func TestSpansAndMetricsContainNoPersonalData(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, server := newRecorder(t), sandbox.Start(t)
		client := server.Client(hiring.WithTrace(b.Trace()))
		_, err := client.Invitations.Send(t.Context(), sandbox.AssessmentID, hiring.NewInvitation{Email: "ada@candidates.test", Name: "Ada Example"})
		require.NoError(t, err)
		_, err = client.Invitations.Send(t.Context(), sandbox.AssessmentID, hiring.NewInvitation{Email: "not-an-address", Name: "Ada Example"})
		require.ErrorIs(t, err, hiring.ErrInvalidInput)
		_, err = client.Invitations.Send(t.Context(), "", hiring.NewInvitation{})
		require.Error(t, err)
		_, err = client.Submissions.Get(t.Context(), sandbox.UnknownID)
		require.ErrorIs(t, err, hiring.ErrNotFound)
		_, err = client.Submissions.FindByEmail(t.Context(), sandbox.AssessmentID, "nobody@candidates.test")
		require.ErrorIs(t, err, hiring.ErrNotFound)

		_, err = client.Do(t.Context(), http.MethodGet, "/candidates/ada@candidates.test/notes", nil, nil, nil)
		require.ErrorIs(t, err, hiring.ErrNotFound)
		live := server.LiveClient(hiring.WithTrace(b.Trace()))
		invitation, err := server.Invite(server.AddAssessment("Backend"), "ada@candidates.test", "Ada Example")
		require.NoError(t, err)
		submission, err := server.Begin(invitation)
		require.NoError(t, err)
		require.NoError(t, server.Evaluate(submission, sandbox.Result{Summary: "Ada Example did well"}))
		_, err = live.Submissions.DownloadArchive(t.Context(), submission, io.Discard)
		require.NoError(t, err)

		var all strings.Builder
		for _, span := range b.spans.Ended() {
			fmt.Fprintln(&all, span.Name(), span.Status(), span.Attributes(), span.Events())
		}
		for series := range b.scrape(t) {
			fmt.Fprintln(&all, series)
		}
		require.Contains(t, all.String(), "INVALID_INPUT")
		require.Contains(t, all.String(), "NOT_FOUND")
		require.Contains(t, all.String(), "/{archive}")
		for _, secret := range []string{sandbox.AssessmentID, sandbox.UnknownID, invitation, submission, "candidates.test", "not-an-address", "Ada", "_archive", "signature", sandbox.TestKey, sandbox.LiveKey} {
			require.NotContains(t, all.String(), secret)
		}
	})
}

func TestWaitingIsMeasured(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newRecorder(t)
		server := sandbox.Start(t, sandbox.WithTimeline(sandbox.Timeline{Open: time.Minute, Begin: time.Minute, Submit: time.Minute, Evaluate: 20 * time.Minute}))
		client := server.LiveClient(hiring.WithTrace(b.Trace()))
		assessment := server.AddAssessment("Backend")
		_, err := client.Invitations.Send(t.Context(), assessment, hiring.NewInvitation{Email: "ada@candidates.test", Name: "Ada"})
		require.NoError(t, err)
		time.Sleep(4 * time.Minute)
		submission, err := client.Submissions.FindByEmail(t.Context(), assessment, "ada@candidates.test")
		require.NoError(t, err)

		progressed := 0
		options := hiring.WaitOptions{Progress: func(hiring.WaitProgress) { progressed++ }}
		end := b.Wait(&options)
		done := make(chan error, 1)
		go func() {
			for report, err := range client.Submissions.WaitReports(t.Context(), []string{submission.ID}, options) {
				if err == nil {
					b.Delivered(t.Context(), report.GeneratedAt)
				}
				done <- err
			}
		}()
		time.Sleep(10 * time.Minute)
		samples := b.scrape(t)
		assert.Equal(t, "1", value(t, samples, "hiring_client_reports_pending"))
		var waited, age float64
		_, err = fmt.Sscan(value(t, samples, "hiring_client_wait_time_seconds_total", `hiring_wait_reason="poll"`), &waited)
		require.NoError(t, err)
		assert.InDelta(t, 630, waited, 31, "the waits that have begun")
		_, err = fmt.Sscan(value(t, samples, "hiring_poll_overdue_seconds", `hiring_operation="Submissions.WaitReports"`), &age)
		require.NoError(t, err)
		assert.InDelta(t, -30, age, 30.1, "the next poll is due within a minute")
		require.NoError(t, <-done)
		end()
		synctest.Wait()
		require.Greater(t, progressed, 5, "the caller's Progress is called")
		samples = b.scrape(t)
		assert.Equal(t, "1", value(t, samples, "hiring_client_reports_delivered_total"))
		assert.Equal(t, "1", value(t, samples, "hiring_client_reports_lag_seconds_count"))
		for series := range samples {
			assert.NotContains(t, series, "pending")
			assert.NotContains(t, series, "overdue")
		}
	})
}

// TestErrorTypes covers every kind of failure of a call and of an attempt.
func TestErrorTypes(t *testing.T) {
	const address = "ada@candidates.test"
	cases := map[string]struct {
		fault   sandbox.Fault
		want    string
		timeout time.Duration
	}{
		"documented code":          {sandbox.Fault{Status: 409, Code: hiring.ErrConflict}, "CONFLICT", 0},
		"code of the API's future": {sandbox.Fault{Status: 409, Code: "DUPLICATE_OF_" + address}, "_OTHER", 0},
		"code in a body":           {sandbox.Fault{Status: 400, Body: `{"error":{"code":"` + address + `","message":"` + address + `"}}`, ContentType: "application/json"}, "_OTHER", 0},
		"page of a proxy":          {sandbox.Fault{Status: 502, Body: "<html>" + address + "</html>", ContentType: "text/html"}, "_OTHER", 0},
		"connection reset":         {sandbox.Fault{Reset: true}, "connection", 0},
		"truncated response":       {sandbox.Fault{CutAfter: 20}, "connection", 0},
		"timeout":                  {sandbox.Fault{Delay: time.Minute}, "timeout", time.Second},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, server := newRecorder(t), sandbox.Start(t)
				client := server.Client(hiring.WithTrace(b.Trace()), hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}))
				server.Inject(c.fault)
				ctx, cancel := context.WithTimeout(t.Context(), cmp.Or(c.timeout, time.Hour))
				defer cancel()
				_, err := client.Account.Get(ctx)
				require.Error(t, err)
				assert.Equal(t, []string{c.want, c.want}, b.errorTypes(t))
				for series := range b.scrape(t) {
					assert.NotContains(t, series, address)
				}
			})
		})
	}
}

// TestErrorTypesOfCallsWithoutAResponse covers calls that end before or without an attempt, and cancellation.
func TestErrorTypesOfCallsWithoutAResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		noRoute := hiring.WithHTTPClient(&http.Client{Transport: noRouteTransport{}})
		noKey := hiring.WithKeySource(func(context.Context) (string, error) { return "", errors.New("the vault is locked") })
		canceled, cancel := context.WithCancel(t.Context())
		cancel()
		for _, c := range []struct {
			want    []string
			ctx     context.Context
			id      string
			options []hiring.Option
		}{
			{[]string{"INVALID_INPUT"}, t.Context(), "", nil},
			{[]string{"canceled"}, canceled, sandbox.SubmissionID, nil},
			{[]string{"_OTHER"}, t.Context(), sandbox.SubmissionID, []hiring.Option{noKey}},
			{[]string{"connection", "connection"}, t.Context(), sandbox.SubmissionID, []hiring.Option{noRoute, hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1})}},
		} {
			b, server := newRecorder(t), sandbox.Start(t)
			_, err := server.Client(append(c.options, hiring.WithTrace(b.Trace()))...).Submissions.Get(c.ctx, c.id)
			require.Error(t, err)
			assert.Equal(t, c.want, b.errorTypes(t), "%v", err)
		}
		b := newRecorder(t)
		client := sandbox.Start(t, sandbox.WithQuota(1, 1)).Client(hiring.WithTrace(b.Trace()))
		_, err := client.Account.Get(t.Context())
		require.NoError(t, err)
		_, err = client.Account.Get(t.Context())
		require.ErrorIs(t, err, hiring.ErrQuotaExhausted)
		assert.Equal(t, []string{"RATE_LIMITED"}, b.errorTypes(t))
	})
}

// TestOrganizationOfACallReplacesTheCommonOne checks that a metric has one
// organization, also when a Telemetry with a name is used for another one.
func TestOrganizationOfACallReplacesTheCommonOne(t *testing.T) {
	b := newRecorder(t, otelhiring.WithOrganization("common"))
	b.DeliveredFor(t.Context(), "acme", nil)
	b.PollDue(t.Context(), "", time.Now())
	samples := b.scrape(t)
	assert.Equal(t, "1", value(t, samples, "hiring_client_reports_delivered_total", `hiring_organization="acme"`))
	value(t, samples, "hiring_poll_overdue_seconds", `hiring_organization="common"`)
	for series := range samples {
		assert.LessOrEqual(t, strings.Count(series, "hiring_organization="), 1, series)
	}
	b.PollDue(t.Context(), "", time.Time{})
	for series := range b.scrape(t) {
		assert.NotContains(t, series, "hiring_poll_overdue_seconds", "no poll follows")
	}
}
