package wait_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

var quick = hiring.WaitOptions{MinInterval: 10 * time.Millisecond, MaxInterval: 20 * time.Millisecond}

func TestAFreshWindowSlowsNoCallDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newLiveWorld(t)
		ids := w.addCandidates(3)
		time.AfterFunc(time.Second, func() { w.evaluate(ids[0]); w.evaluate(ids[1]); w.evaluate(ids[2]) })
		begun := time.Now()
		landed, err := wait(t.Context(), w.client(), ids, quick)
		require.NoError(t, err)
		assert.Equal(t, once1(ids), landed)
		assert.Less(t, time.Since(begun), 1100*time.Millisecond)
	})
}

func TestShortIntervalsDoNotUseUpTheWindow(t *testing.T) {
	for _, waiter := range []string{"WaitReports", "Watch", "Tail"} {
		synctest.Test(t, func(t *testing.T) {
			w := newLiveWorld(t)
			ids := w.addCandidates(3)
			const after = 50 * time.Minute
			time.AfterFunc(after, func() { w.evaluate(ids[0]); w.evaluate(ids[1]); w.evaluate(ids[2]) })
			begun, got := time.Now(), 0
			switch waiter {
			case "Tail":
				for _, err := range w.client().Events.Tail(t.Context(), ids[0], hiring.TailOptions{MinInterval: quick.MinInterval, MaxInterval: quick.MaxInterval}) {
					require.NoError(t, err)
				}
				got = 3
			case "Watch":
				for _, err := range w.client().Submissions.Watch(t.Context(), hiring.WatchOptions{MinInterval: quick.MinInterval, MaxInterval: quick.MaxInterval}) {
					require.NoError(t, err)
					got++
					if got == len(ids) {
						break
					}
				}
			default:
				landed, err := wait(t.Context(), w.client(), ids, quick)
				require.NoError(t, err)
				got = len(landed)
			}
			assert.Equal(t, 3, got)
			assert.Less(t, time.Since(begun), after+time.Minute, "%s", waiter)
			assert.Greater(t, len(w.sent), 500, "%s: what the window has is used", waiter)
		})
	}
}

// latecomer hides a submission from listings for a while after its evaluation.
type latecomer struct {
	next  http.RoundTripper
	id    string
	until time.Time
}

func (l *latecomer) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := l.next.RoundTrip(r)
	if err != nil || !strings.HasSuffix(r.URL.Path, "/submissions") || time.Now().After(l.until) {
		return res, err
	}
	var list struct {
		Data []map[string]any `json:"data"`
		Meta any              `json:"meta"`
	}
	if err := json.NewDecoder(res.Body).Decode(&list); err != nil {
		return nil, err
	}
	kept := list.Data[:0]
	for _, item := range list.Data {
		if item["id"] != l.id || item["status"] != "evaluated" {
			kept = append(kept, item)
		}
	}
	list.Data = kept
	body, err := json.Marshal(list)
	res.Body, res.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	res.Header.Del("Content-Length")
	return res, err
}

func TestWaitReportsFindsSubmissionsListedLate(t *testing.T) {
	t.Parallel()
	for _, on := range []sandbox.SinceField{sandbox.SinceSubmitted, sandbox.SinceEvaluated} {
		synctest.Test(t, func(t *testing.T) {
			w := newLiveWorld(t, sandbox.WithSinceOn(on))
			ids := w.addCandidates(130)
			w.evaluateAll(ids[3:], time.Hour)
			time.AfterFunc(30*time.Minute, func() { w.evaluate(ids[2]) })
			time.AfterFunc(12*time.Hour, func() { w.evaluate(ids[0]); w.evaluate(ids[1]) })
			late := &latecomer{next: w, id: ids[2], until: time.Now().Add(2 * time.Hour)}
			client := w.server.LiveClient(hiring.WithHTTPClient(&http.Client{Transport: late}))
			begun, after := time.Now(), time.Duration(0)
			landed := 0
			for report, err := range client.Submissions.WaitReports(t.Context(), ids, hiring.WaitOptions{}) {
				require.NoError(t, err)
				landed++
				if report.SubmissionID == ids[2] {
					after = time.Since(begun)
				}
			}
			assert.Equal(t, 130, landed, "%s", on)
			assert.Less(t, after, 10*time.Hour, "%s", on)
			assert.Greater(t, after, time.Minute, "%s", on)
		})
	}
}

func TestWaitReportsNamesTheSubmissionOfAnInlineReport(t *testing.T) {
	const bare = `{"id":"%s","status":"evaluated","created_at":"2026-01-01T00:00:00.000Z","report":{"evaluated":true}}`
	fake := apitest.NewScriptedServer(t, apitest.RespondData("["+strings.ReplaceAll(bare, "%s", "s1")+","+strings.ReplaceAll(bare, "%s", "s2")+"]"))
	landed, err := wait(t.Context(), fake.Client(), []string{"s1", "s2"}, hiring.WaitOptions{})
	require.NoError(t, err)
	assert.Equal(t, once1([]string{"s1", "s2"}), landed)
}

func TestPollTreatsA429AsAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newLiveWorld(t)
		for _, route := range []string{"GET /account", "GET /submissions"} {
			w.server.Inject(sandbox.Fault{Route: route, Status: 429, RetryAfter: 20 * time.Minute})
			polled, err := w.client().Submissions.Poll(t.Context(), hiring.WatchOptions{}, "")
			require.NoError(t, err, "%s", route)
			assert.GreaterOrEqual(t, polled.Wait, 20*time.Minute, "%s: never too early", route)
			assert.LessOrEqual(t, polled.Wait, 20*time.Minute+3*time.Second, "%s: a tenth of MinInterval later, so that not all come at once", route)
			time.Sleep(polled.Wait)
			polled, err = w.client().Submissions.Poll(t.Context(), hiring.WatchOptions{}, polled.State)
			require.NoError(t, err, "%s", route)
			assert.NotEmpty(t, polled.State)
			assert.Less(t, polled.Wait, 2*time.Minute)
		}
	})
}

func TestACrashInTheFirstPollDoesNotMoveTheBeginning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newLiveWorld(t)
		ids := w.addCandidates(1)
		options := hiring.WatchOptions{Checkpoint: new(memoryCheckpoint)}
		crashing := w.server.LiveClient(hiring.WithHTTPClient(&http.Client{Transport: apitest.RoundTripper(func(r *http.Request) (*http.Response, error) {
			if strings.HasSuffix(r.URL.Path, "/submissions") {
				panic("out of memory")
			}
			return w.RoundTrip(r)
		})}))
		assert.PanicsWithValue(t, "out of memory", func() { _ = apitest.LastError(crashing.Submissions.Watch(t.Context(), options)) })
		w.evaluate(ids[0])
		time.Sleep(time.Hour)
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		for s, err := range w.client().Submissions.Watch(ctx, options) {
			require.NoError(t, err)
			assert.Equal(t, ids[0], s.ID)
			break
		}
	})
}
