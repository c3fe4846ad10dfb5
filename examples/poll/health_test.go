package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// probe requests the health of a job.
func probe(t *testing.T, j *job) status {
	t.Helper()
	handler, got := j.health.handler(j.client), status{}
	recorded := httptest.NewRecorder()
	handler.ServeHTTP(recorded, httptest.NewRequest(http.MethodGet, "/healthz", nil))
	require.Equal(t, 200, recorded.Code, "the process lives")
	recorded = httptest.NewRecorder()
	handler.ServeHTTP(recorded, httptest.NewRequest(http.MethodGet, "/readyz", nil))
	require.NoError(t, json.Unmarshal(recorded.Body.Bytes(), &got))
	require.Equal(t, map[bool]int{true: 200, false: 503}[got.Ready], recorded.Code)
	return got
}

func TestReadyWhileRequestsSucceed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.evaluated(2)
		ctx, stop := context.WithCancel(t.Context())
		j, _ := w.job(settings{watch: hiring.WatchOptions{Since: time.Now().Add(-time.Hour)}})
		require.Equal(t, status{}, probe(t, j), "before the first request")
		go func() { _ = j.run(ctx, io.Discard) }()
		synctest.Wait()
		got := probe(t, j)
		now := time.Now().UTC()
		require.True(t, got.Ready)
		require.Equal(t, 2, got.Delivered)
		require.Equal(t, now, *got.LastSuccess)
		require.Equal(t, 1000, got.ReadsLimit)
		require.Less(t, got.ReadsRemaining, 1000)
		require.WithinRange(t, *got.ReadsReset, now.Add(59*time.Minute), now.Add(61*time.Minute))

		time.Sleep(5 * time.Hour)
		require.True(t, probe(t, j).Ready)
		w.Inject(sandbox.Fault{Route: "GET /submissions", Status: 503, Times: 1000})
		time.Sleep(patience - time.Minute)
		require.True(t, probe(t, j).Ready, "a short outage")
		time.Sleep(time.Minute + time.Second)
		require.False(t, probe(t, j).Ready)
		time.Sleep(24 * time.Hour)
		require.True(t, probe(t, j).Ready, "the API is back")
		stop()
		synctest.Wait()
	})
}

// TestNotReadyBeforeASuccess checks that a used up rate limit does not make a process
// ready that had no success yet.
func TestNotReadyBeforeASuccess(t *testing.T) {
	var h health
	h.observe(t.Context(), hiring.Exchange{Err: hiring.ErrRateLimited, RateLimit: hiring.RateLimit{Limit: 1000}})
	require.False(t, h.status(hiring.RateLimit{}).Ready)
}

func TestReadyWhileTheQuotaIsUsedUp(t *testing.T) {
	for name, left := range map[string]int{"by others": 0, "but for what is for others": 101} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				ctx, stop := context.WithCancel(t.Context())
				j, _ := w.job(settings{})
				go func() { _ = j.run(ctx, io.Discard) }()
				time.Sleep(2 * time.Minute)
				w.SetQuota(sandbox.LiveKey, sandbox.ClassRead, left)
				time.Sleep(50 * time.Minute)
				got := probe(t, j)
				require.Greater(t, time.Since(*got.LastSuccess), patience)
				require.True(t, got.Ready, "it waits for the next window")
				time.Sleep(20 * time.Minute)
				got = probe(t, j)
				require.Less(t, time.Since(*got.LastSuccess), 2*time.Minute)
				require.True(t, got.Ready)

				w.Inject(sandbox.Fault{Route: "GET *", Reset: true, Times: 1000})
				time.Sleep(patience + time.Second)
				require.False(t, probe(t, j).Ready, "an outage is not excused for the rest of the hour")
				stop()
				time.Sleep(time.Minute)
			})
		})
	}
}

func TestHealthIsServed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	j, _ := w.job(settings{})
	var log bytes.Buffer
	stop, err := j.health.serve(ctx, "127.0.0.1:0", j.client, slog.New(slog.NewTextHandler(&log, nil)))
	require.NoError(t, err)
	address := regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(log.String())[1]
	client := &http.Client{Transport: new(http.Transport)}
	reply, err := client.Get("http://" + address + "/readyz")
	require.NoError(t, err)
	require.Equal(t, 503, reply.StatusCode)
	require.Equal(t, "application/json", reply.Header.Get("Content-Type"))
	require.NoError(t, reply.Body.Close())

	_, err = j.health.serve(ctx, address, j.client, j.log)
	require.ErrorContains(t, err, "-listen: ")
	cancel()
	stop()
	again, err := j.health.serve(t.Context(), address, j.client, j.log)
	require.NoError(t, err, "the address is free")
	again()

	j.set.listen, j.set.watch.Lookback = address, -1 // Ends at once.
	for range 2 {                                    // The previous job has released the address.
		require.ErrorContains(t, j.run(t.Context(), io.Discard), "Lookback")
	}
}
