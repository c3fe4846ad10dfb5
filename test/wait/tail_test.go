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
			assert.NoError(w.t, w.server.AppendEvents(id, "ai_prompt", `{"text":"how?"}`))
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

func TestTailFollowsALogToItsEnd(t *testing.T) {
	for _, faulty := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			w := newLiveWorld(t)
			id := w.begin(w.assessment)
			const over = 3 * time.Hour
			w.write(id, 1200, over)
			if faulty {
				injectFaults(w, over)
			}
			var got []int64
			for e, err := range w.client().Events.Tail(t.Context(), id, hiring.TailOptions{}) {
				require.NoError(t, err)
				got = append(got, e.Seq)
			}
			assert.Equal(t, seqs(1201), got)
			if !faulty {
				assert.LessOrEqual(t, len(w.sent), 125*3)
			}
		})
	}
}

func TestTailContinuesExactly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newLiveWorld(t)
		id := w.begin(w.assessment)
		w.write(id, 300, time.Hour)
		var got []int64
		last := int64(0)
		for len(got) < 301 {
			left := w.random.IntN(40)
			for e, err := range w.client().Events.Tail(t.Context(), id, hiring.TailOptions{SinceSeq: last}) {
				require.NoError(t, err)
				got, last = append(got, e.Seq), e.Seq
				left--
				if left < 0 {
					break
				}
			}
		}
		assert.Equal(t, seqs(301), got)
		require.NoError(t, apitest.LastError(w.client().Events.Tail(t.Context(), id, hiring.TailOptions{SinceSeq: last})))
	})
}

func TestTailYieldsEntriesBeforeTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newLiveWorld(t)
		id := w.begin(w.assessment)
		// Between reading the log and reading the report.
		w.server.Inject(sandbox.Fault{Route: "GET /submissions/{id}/report", Delay: time.Second})
		var got []int64
		go func() {
			time.Sleep(40 * time.Second)
			assert.NoError(t, w.server.AppendEvents(id, "ai_prompt", `{"text":"late"}`))
			w.evaluate(id)
		}()
		for e, err := range w.client().Events.Tail(t.Context(), id, hiring.TailOptions{}) {
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
		fake := apitest.NewScriptedServer(t, apitest.RespondData(apitest.PendingReport), apitest.RespondData(entry(0, 3, 3, 9)), apitest.RespondData(entry(9, 12)), apitest.RespondData(entry(9, 12)), apitest.RespondData(apitest.ReadyReport), apitest.RespondData(entry(15)), apitest.RespondData(entry(15)))
		var got []int64
		for e, err := range fake.Client().Events.Tail(t.Context(), "s", hiring.TailOptions{}) {
			require.NoError(t, err)
			got = append(got, e.Seq)
		}
		assert.Equal(t, []int64{0, 3, 9, 12, 15}, got)
	})
}

// logPage is a page of a log with its meta.
func logPage(more bool, seqs ...int) apitest.Responder {
	return apitest.Respond(http.StatusOK, fmt.Sprintf(`{"data":%s,"meta":{"request_id":"req_0a","has_more":%t,"next_cursor":"9"}}`, entry(seqs...), more))
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

// TestTailTakesAPageInAnyOrder also checks that repeated entries are dropped.
func TestTailTakesAPageInAnyOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, apitest.RespondData(apitest.PendingReport), logPage(true, 4, 2, 9, 1, 9, 3), logPage(false, 12, 9, 11), apitest.RespondData(entry()), apitest.RespondData(apitest.PendingReport), apitest.RespondData(entry()), apitest.RespondData(apitest.ReadyReport), apitest.RespondData(entry(15, 13)), apitest.RespondData(entry()))
		var got []int64
		for e, err := range fake.Client().Events.Tail(t.Context(), "s", hiring.TailOptions{}) {
			require.NoError(t, err)
			got = append(got, e.Seq)
		}
		assert.Equal(t, []int64{1, 2, 3, 4, 9, 11, 12, 13, 15}, got)
	})
}

// TestTailDoesNotEndOnAPageOfRepeatsThatPromisesMore checks that later entries are
// yielded, and that the log ends with an error if none follow.
func TestTailDoesNotEndOnAPageOfRepeatsThatPromisesMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, apitest.RespondData(apitest.ReadyReport), logPage(true, 1, 9), logPage(true, 1, 9), logPage(false, 10))
		var got []int64
		for e, err := range fake.Client().Events.Tail(t.Context(), "s", hiring.TailOptions{}) {
			require.NoError(t, err)
			got = append(got, e.Seq)
		}
		assert.Equal(t, []int64{1, 9, 10}, got)
		fake = apitest.NewScriptedServer(t, apitest.RespondData(apitest.ReadyReport), logPage(true, 1, 9), logPage(true, 1, 9), logPage(true, 1, 9), logPage(true, 1, 9))
		require.ErrorContains(t, apitest.LastError(fake.Client().Events.Tail(t.Context(), "s", hiring.TailOptions{})), "pages have a cursor and no entries")
		pending, page := apitest.RespondData(apitest.PendingReport), logPage(true, 1, 9)
		fake = apitest.NewScriptedServer(t, pending, page, page, page, pending, page)
		require.ErrorContains(t, apitest.LastError(fake.Client().Events.Tail(t.Context(), "s", hiring.TailOptions{})), "pages have a cursor and no entries", "a running attempt")
	})
}

// TestTailEndsWhereMoreIsPromisedForEver checks that Tail ends after the attempt: later
// entries are yielded, and if none follow, Tail ends with an error.
func TestTailEndsWhereMoreIsPromisedForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := []apitest.Responder{
			apitest.RespondData(apitest.PendingReport), logPage(true, 9), logPage(true), logPage(true), apitest.RespondData(apitest.PendingReport), logPage(true), apitest.RespondData(apitest.ReadyReport), logPage(true),
		}
		fake := apitest.NewScriptedServer(t, append(begun, logPage(false, 10))...)
		var got []int64
		for e, err := range fake.Client().Events.Tail(t.Context(), "s", hiring.TailOptions{}) {
			require.NoError(t, err)
			got = append(got, e.Seq)
		}
		assert.Equal(t, []int64{9, 10}, got)
		fake = apitest.NewScriptedServer(t, append(begun, logPage(true))...)
		require.ErrorContains(t, apitest.LastError(fake.Client().Events.Tail(t.Context(), "s", hiring.TailOptions{})), "pages have a cursor and no entries")
	})
}

// TestTailRetriesEachOfItsRequests fails the first reads of the report and of the log.
func TestTailRetriesEachOfItsRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := apitest.RespondError(503, hiring.ErrInternal)
		fake := apitest.NewScriptedServer(t, down, down, apitest.RespondData("[]"), down, apitest.RespondData("[]"),
			apitest.RespondData(apitest.ReadyReport), apitest.RespondData(`[{"seq":1,"kind":"attempt_started"}]`))
		var got []int64
		for e, err := range fake.Client(apitest.NoRetry).Events.Tail(t.Context(), "s", hiring.TailOptions{}) {
			require.NoError(t, err)
			got = append(got, e.Seq)
		}
		assert.Equal(t, []int64{1}, got)
		assert.Len(t, fake.Requests(), 7)
	})
}

// TestTailEndsAtOnceBeforeADistantWindow uses up the window with the first page of
// the log. Only the reserve remains.
func TestTailEndsAtOnceBeforeADistantWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		remaining := func(n int) []string {
			return []string{"X-RateLimit-Limit: 1000", fmt.Sprint("X-RateLimit-Remaining: ", n), fmt.Sprint("X-RateLimit-Reset: ", time.Now().Add(time.Hour).Unix())}
		}
		fake := apitest.NewScriptedServer(t, apitest.RespondData(apitest.PendingReport, remaining(101)...),
			apitest.RespondData(`[{"seq":1,"kind":"attempt_started"}]`, remaining(100)...))
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		begun := time.Now()
		err := apitest.LastError(fake.Client().Events.Tail(ctx, "s", hiring.TailOptions{}))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.ErrorIs(t, err, hiring.ErrQuotaExhausted)
		assert.Zero(t, time.Since(begun))
		assert.Len(t, fake.Requests(), 2)
	})
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
		id := w.begin(w.assessment)
		require.ErrorIs(t, apitest.LastError(w.client().Events.Tail(ctx, id, hiring.TailOptions{})), context.DeadlineExceeded)
		assert.LessOrEqual(t, len(w.sent), 1250)
	})
}

func TestAKeptPayloadKeepsNothingElseAlive(t *testing.T) {
	client := sandbox.New().Client()
	var kept [][]byte
	for e, err := range client.Events.Tail(t.Context(), sandbox.BusySubmissionID, hiring.TailOptions{}) {
		require.NoError(t, err)
		if len(e.Payload) < 1000 {
			kept = append(kept, e.Payload)
		}
	}
	require.Greater(t, len(kept), 1500)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	n := len(kept)
	runtime.KeepAlive(kept)
	kept = nil
	runtime.GC()
	runtime.ReadMemStats(&after)
	assert.Less(t, (int64(before.HeapAlloc)-int64(after.HeapAlloc))/int64(n), int64(4<<10), "bytes a payload")
	assert.Nil(t, kept)
}

// TestTailPauses checks the intervals: short after new entries, none before the final
// read, and one after a failure of the final read.
func TestTailPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		entry := apitest.RespondData(`[{"seq":1,"kind":"x","ts_ms":1,"payload":{}}]`)
		pending := apitest.RespondData(apitest.PendingReport)
		news := apitest.RespondData(`[{"seq":2,"kind":"x","ts_ms":1,"payload":{}}]`)
		fake := apitest.NewScriptedServer(t, pending, entry, entry, pending, entry, pending, entry, pending, news,
			entry, apitest.RespondData(apitest.ReadyReport), apitest.Respond(503, ""), entry)
		client := fake.Client(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}))
		for _, err := range client.Events.Tail(t.Context(), "s", hiring.TailOptions{MinInterval: 4 * time.Second, MaxInterval: 8 * time.Second}) {
			require.NoError(t, err)
		}
		pauses := fake.Pauses()
		require.Len(t, pauses, 12)
		for i, seconds := range [][2]int{{0, 0}, {4, 5}, {0, 0}, {4, 6}, {0, 0}, {5, 7}, {0, 0}, {6, 8}, {4, 5}, {0, 0}, {0, 0}, {4, 6}} {
			assert.GreaterOrEqual(t, pauses[i], time.Duration(seconds[0])*time.Second, "%d", i)
			assert.LessOrEqual(t, pauses[i], time.Duration(seconds[1])*time.Second, "%d", i)
		}
	})
}

// TestTailNoticesTheEndWithinAnInterval evaluates an attempt between two rare polls.
func TestTailNoticesTheEndWithinAnInterval(t *testing.T) {
	for _, shortest := range []time.Duration{time.Hour, 59 * time.Minute, 31 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			fake := apitest.NewScriptedServer(t, apitest.RespondData(apitest.PendingReport), apitest.RespondData(entry(1)),
				apitest.RespondData(entry(1)), apitest.RespondData(apitest.PendingReport),
				apitest.RespondData(entry(1)), apitest.RespondData(apitest.ReadyReport), apitest.RespondData(entry(1)))
			begun := time.Now()
			o := hiring.TailOptions{MinInterval: shortest, MaxInterval: time.Hour}
			require.NoError(t, apitest.LastError(fake.Client().Events.Tail(t.Context(), "s", o)))
			assert.GreaterOrEqual(t, time.Since(begun), 2*shortest)
			assert.LessOrEqual(t, time.Since(begun), 2*time.Hour)
		})
	}
}
