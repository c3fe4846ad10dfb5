package wait_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
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

// write adds entries to a log at random times, and evaluates the submission at the end.
func (w *liveData) write(id string, n int, over time.Duration) {
	for range n {
		time.AfterFunc(time.Duration(w.random.Int64N(int64(over))), func() {
			assert.NoError(w.t, w.AppendEvents(id, "ai_prompt", `{"text":"how?"}`))
		})
	}
	time.AfterFunc(over, func() { w.evaluate(id) })
}

func seqs(n int64) []int64 {
	all := make([]int64, n)
	for i := range all {
		all[i] = int64(i) + 1
	}
	return all
}

// TestTailFollowsALogToItsEnd also checks the intervals, and that Tail resumes exactly when the API has faults.
func TestTailFollowsALogToItsEnd(t *testing.T) {
	for _, faulty := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newLiveWorld(t)
			id := w.begin()
			const over = 3 * time.Hour
			w.write(id, 1200, over)
			if faulty {
				injectFaults(w, over)
			}
			var got []int64
			last := int64(0)
			for ended := false; !ended; {
				ended = true
				for e, err := range w.LiveClient().Events.Tail(t.Context(), id, hiring.TailOptions{SinceSeq: last, MinInterval: 20 * time.Second, MaxInterval: 40 * time.Second}) {
					require.NoError(t, err)
					got, last = append(got, e.Seq), e.Seq
					if faulty && w.random.IntN(100) == 0 {
						ended = false
						break
					}
				}
			}
			assert.Equal(t, seqs(1201), got)
			if !faulty {
				assert.InDelta(t, over.Seconds()/30*2, len(w.Journal()), 40)
			}
		})
	}
}

func TestTailYieldsEntriesBeforeTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newLiveWorld(t)
		id := w.begin()
		// Between reading the log and reading the report.
		w.Inject(sandbox.Fault{Route: "GET /submissions/{id}/report", Delay: time.Second})
		var got []int64
		go func() {
			time.Sleep(40 * time.Second)
			assert.NoError(t, w.AppendEvents(id, "ai_prompt", `{"text":"late"}`))
			w.evaluate(id)
		}()
		for e, err := range w.LiveClient().Events.Tail(t.Context(), id, hiring.TailOptions{}) {
			require.NoError(t, err)
			got = append(got, e.Seq)
		}
		assert.Equal(t, seqs(2), got)
	})
}

func entry(seqs ...int) string {
	var all []string
	for _, seq := range seqs {
		all = append(all, fmt.Sprintf(`{"seq":%d,"kind":"x","ts_ms":1,"payload":{}}`, seq))
	}
	return "[" + strings.Join(all, ",") + "]"
}

func TestTailAcceptsGapsAndDropsRepeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pending := apitest.RespondData(apitest.PendingReport)
		fake := apitest.NewScriptedServer(t, pending, apitest.RespondData(entry(0, 3, 3, 9)), pending, apitest.RespondData(entry(9, 12)), pending, apitest.RespondData(entry(9, 12)),
			apitest.RespondData(apitest.ReadyReport), apitest.RespondData(entry(15)))
		var got []int64
		for e, err := range fake.Client().Events.Tail(t.Context(), "s", hiring.TailOptions{}) {
			require.NoError(t, err)
			got = append(got, e.Seq)
		}
		assert.Equal(t, []int64{0, 3, 9, 12, 15}, got)
	})
}

// TestACursorMayBeANumber checks numeric cursors, including 0.
func TestACursorMayBeANumber(t *testing.T) {
	for _, cursor := range []string{"0", "9", "-1", `"0"`} {
		page := `{"data":[{"id":"s%d"}],"meta":{"request_id":"req_0a","has_more":%t,"next_cursor":%s}}`
		fake := apitest.NewScriptedServer(t, apitest.Respond(http.StatusOK, fmt.Sprintf(page, 1, true, cursor)), apitest.Respond(http.StatusOK, fmt.Sprintf(page, 2, false, "null")))
		for _, err := range fake.Client().Submissions.List(hiring.SubmissionFilter{}).All(t.Context()) {
			require.NoError(t, err, cursor)
		}
		require.Len(t, fake.Requests(), 2, cursor)
		assert.Contains(t, fake.Requests()[1].URL+"&", "cursor="+strings.Trim(cursor, `"`)+"&")
	}
}

func TestTailEndsAtPermanentErrors(t *testing.T) {
	for status, code := range map[int]hiring.ErrorCode{401: hiring.ErrInvalidToken, 403: hiring.ErrInsufficientScope, 404: hiring.ErrNotFound} {
		fake := apitest.NewScriptedServer(t, apitest.RespondError(status, code))
		require.ErrorIs(t, apitest.LastError(fake.Client().Events.Tail(t.Context(), "s", hiring.TailOptions{})), code)
		assert.Len(t, fake.Requests(), 1)
	}
	require.ErrorIs(t, apitest.LastError(sandbox.New().Client().Events.Tail(t.Context(), "s", hiring.TailOptions{SinceSeq: -1})), hiring.ErrInvalidInput)
	synctest.Test(t, func(t *testing.T) {
		w := newLiveWorld(t)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Hour)
		defer cancel()
		id := w.begin()
		require.ErrorIs(t, apitest.LastError(w.LiveClient().Events.Tail(ctx, id, hiring.TailOptions{})), context.DeadlineExceeded)
		assert.LessOrEqual(t, len(w.Journal()), 1700)
	})
}

func TestAKeptPayloadKeepsNothingElseAlive(t *testing.T) {
	client := sandbox.New().Client()
	var kept [][]byte
	for e, err := range client.Events.Tail(t.Context(), sandbox.BusySubmissionID, hiring.TailOptions{}) {
		require.NoError(t, err)
		if len(e.Payload) < 1000 && e.Seq%100 == 0 { // Of those beside it nothing is kept.
			kept = append(kept, e.Payload)
		}
	}
	require.Greater(t, len(kept), 15)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.GC() // For the pools.
	runtime.ReadMemStats(&before)
	n := len(kept)
	runtime.KeepAlive(kept)
	kept = nil
	runtime.GC()
	runtime.ReadMemStats(&after)
	assert.Less(t, (int64(before.HeapAlloc)-int64(after.HeapAlloc))/int64(n), int64(2<<10), "bytes a payload")
	assert.Nil(t, kept)
}
