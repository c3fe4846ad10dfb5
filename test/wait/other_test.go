package wait_test

import (
	"context"
	"errors"
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

// TestAnotherSubmissionIsNotTheAnswer: a single read that shows another submission, or a submission with the report of
// another, is repeated, and Failing names the id.
func TestAnotherSubmissionIsNotTheAnswer(t *testing.T) {
	for name, other := range map[string]string{
		"another submission":         `{"id":"other","status":"evaluated","report":{"submission_id":"other","evaluated":true,"ship_score":1}}`,
		"the report of another":      `{"id":"s","status":"evaluated","report":{"submission_id":"other","evaluated":true,"ship_score":1}}`,
		"another, not ready":         `{"id":"other","status":"grading","report":null}`,
		"another, cannot be decoded": `{"id":"other","status":7}`,
	} {
		inBubble(t, name, func(t *testing.T) {
			fake := apitest.NewScriptedServer(t, apitest.RespondData(other), apitest.RespondData(other), apitest.RespondData(pendingSubmission), apitest.RespondData(readySubmission))
			var failing []string
			o := hiring.WaitOptions{Progress: func(p hiring.WaitProgress) { failing = append(failing, p.Failing) }}
			report, err := fake.Client().Submissions.WaitReport(within(t, day), "S", o)
			require.NoError(t, err)
			assert.Equal(t, 82, *report.ShipScore)
			const named = "1 submission not readable (S)"
			assert.Equal(t, []string{named, named, "", ""}, failing)
		})
	}
}

// TestAListedReportOfAnotherSubmissionIsNotYielded, but an ItemError that names the submission.
func TestAListedReportOfAnotherSubmissionIsNotYielded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, apitest.RespondData(`{"id":"a1"}`), apitest.RespondData("["+strings.Replace(readySubmission, "{id}", "other", 1)+"]"))
		polled, err := fake.Client().Submissions.Poll(t.Context(), "", hiring.WatchOptions{Since: time.Now().Add(-30 * day)})
		require.NoError(t, err)
		assert.Empty(t, polled.Submissions)
		require.Len(t, polled.Errors, 1)
		require.ErrorContains(t, polled.Errors[0], "the submission s cannot be decoded: has the report of another submission")
	})
}

// TestAnIDIsComparedAsAUUID: without case, hyphens and braces.
func TestAnIDIsComparedAsAUUID(t *testing.T) {
	ready := strings.ReplaceAll(readySubmission, `"s"`, `"{0B0E7B3A6C1F4A539D0E111111111111}"`)
	fake := apitest.NewScriptedServer(t, apitest.RespondData(ready))
	_, err := fake.Client().Submissions.WaitReport(within(t, day), apitest.ID, hiring.WaitOptions{})
	require.NoError(t, err)
}

// TestAReadWithoutAStatusEndsItsWait, because nothing says that the submission will be evaluated. One that is unfinished by a
// readable status is awaited.
func TestAReadWithoutAStatusEndsItsWait(t *testing.T) {
	for _, data := range []string{
		`{}`, `{"id":7}`, `{"id":null,"status":"grading"}`, `{"id":"s","status":7}`, `{"id":"s","created_at":7}`, `{"id":"s","status":"evaluated","created_at":7}`, `"x"`, `[]`,
	} {
		inBubble(t, data, func(t *testing.T) {
			fake := apitest.NewScriptedServer(t, apitest.RespondData(data))
			_, err := fake.Client().Submissions.WaitReport(within(t, day), "S", hiring.WaitOptions{})
			item, ok := errors.AsType[*hiring.ItemError](err)
			require.True(t, ok, "%v", err)
			assert.Equal(t, "S", item.ID)
			assert.Len(t, fake.Requests(), 1)
		})
	}
	for _, data := range []string{`{"id":"s","status":"grading","created_at":7}`, `{"id":"s"}`} {
		inBubble(t, data, func(t *testing.T) {
			fake := apitest.NewScriptedServer(t, apitest.RespondData(data), apitest.RespondData(data), apitest.RespondData(readySubmission))
			_, err := fake.Client().Submissions.WaitReport(within(t, day), "s", hiring.WaitOptions{})
			require.NoError(t, err)
		})
	}
	synctest.Test(t, func(t *testing.T) { // The others still come.
		transport, ready := emulated(60, time.Hour), 0
		answer(transport, func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/submissions/s007") }, apitest.RespondData(`{"id":"s007","status":7}`))
		transport.Spoil = func(id string, _ bool, s map[string]any) {
			if id == "s007" {
				s["status"] = 7
			}
		}
		for _, err := range clientOf(t, transport).Submissions.WaitReports(within(t, day), transport.API.IDs(), hiring.WaitOptions{}) {
			if item, ok := errors.AsType[*hiring.ItemError](err); ok {
				assert.Equal(t, "s007", item.ID)
				continue
			}
			require.NoError(t, err)
			ready++
		}
		assert.Equal(t, 59, ready)
	})
}

// TestAWatchReadsAgain what a single read of a submission that was evaluated shows of another, or cannot be decoded.
func TestAWatchReadsAgain(t *testing.T) {
	for _, data := range []string{`{"id":"other","status":"evaluated","report":{"evaluated":true}}`, `{}`, `{"id":7}`, `{"id":"s000","status":7}`} {
		inBubble(t, data, func(t *testing.T) {
			transport := emulated(1, time.Hour) // Since filters on the creation: its status shows the evaluation.
			wrong := 0
			answer(transport, func(r *http.Request) bool {
				if !strings.HasSuffix(r.URL.Path, "/submissions/s000") || wrong == 3 {
					return false
				}
				wrong++
				return true
			}, apitest.RespondData(data))
			for s, err := range clientOf(t, transport).Submissions.Watch(within(t, 2*time.Hour), hiring.WatchOptions{}) {
				require.NoError(t, err)
				assert.Equal(t, "s000", s.ID)
				break
			}
			assert.Equal(t, 3, wrong)
		})
	}
}

// TestTailReadsAnotherReportAgain, also one without an id.
func TestTailReadsAnotherReportAgain(t *testing.T) {
	for _, data := range []string{`{"submission_id":"other","status":"evaluated","evaluated":true}`, `{"x":1}`, `{"evaluated":7}`} {
		inBubble(t, data, func(t *testing.T) {
			wrong := apitest.RespondData(data)
			fake := apitest.NewScriptedServer(t, wrong, wrong, apitest.RespondData(apitest.PendingReport), apitest.RespondData(entry(1)), wrong, apitest.RespondData(apitest.ReadyReport), apitest.RespondData(entry(2)))
			var got []int64
			for e, err := range fake.Client().Events.Tail(within(t, day), "s", hiring.TailOptions{}) {
				require.NoError(t, err)
				got = append(got, e.Seq)
			}
			assert.Equal(t, []int64{1, 2}, got)
		})
	}
}

// within returns a context that ends after so long.
func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}
