package benchmarks

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

const (
	waitReports = "WaitReports"
	watch       = "Watch"
	naiveReads  = "each report every 30 s"
	slowReads   = "each report, paced to the quota"
	wholeWindow = "all of 30 days, paced to the quota"
)

func (w *world) client() *hiring.Client {
	return w.server.LiveClient(hiring.WithHTTPClient(&http.Client{Transport: w}))
}

// waitReports is a wait for known ids.
func (w *world) waitReports(ctx context.Context, ids []string) {
	for report, err := range w.client().Submissions.WaitReports(ctx, ids, hiring.WaitOptions{}) {
		if err != nil {
			w.t.Error(err)
			return
		}
		w.deliver(report.SubmissionID)
	}
}

// watch is a watch that ends with its context.
func (w *world) watch(ctx context.Context) {
	for submission, err := range w.client().Submissions.Watch(ctx, hiring.WatchOptions{}) {
		switch {
		case err == nil:
			w.deliver(submission.ID)
		case !errors.Is(err, context.Canceled):
			w.t.Error(err)
		}
	}
}

// waiting lets known submissions be waited for, several times over.
func waiting(t *testing.T, r row, over time.Duration, times int) row {
	for n := range times {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, r.on, n)
			ids := w.addAttempts(r.size, over)
			begun := time.Now()
			switch r.way {
			case waitReports:
				w.waitReports(t.Context(), ids)
			case naiveReads:
				everyHalfMinute(t.Context(), w, ids)
			case slowReads:
				pacedReads(t.Context(), w, ids)
			}
			r.add(w.measure(r, begun, time.Now()))
		})
	}
	return r
}

// watching lets a stream be watched that has been running for a while. It is
// measured twice: as a whole, and when it is steady.
func watching(t *testing.T, r row, aDay int, before, unsteady, over time.Duration) (whole, steady row) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, r.on, 0)
		w.stream(aDay, before+over)
		time.Sleep(before)
		begun := time.Now()
		if ctx := w.untilDelivered(over); r.way == watch {
			w.watch(ctx)
		} else {
			fixedWindow(ctx, w)
		}
		whole = w.measure(r, begun, begun.Add(over))
		r.what, r.steady = r.what+", later days", true
		steady = w.measure(r, begun.Add(unsteady), begun.Add(over))
	})
	return whole, steady
}

// untilDelivered is a context that ends some time after all was delivered that
// was evaluated from now on, so that a second delivery would be seen.
func (w *world) untilDelivered(over time.Duration) context.Context {
	ctx, cancel := context.WithCancel(w.t.Context())
	begun := time.Now()
	go func() {
		defer cancel()
		time.Sleep(over)
		for w.overdue(begun) > 0 && time.Since(begun) < over+12*time.Hour {
			time.Sleep(time.Minute)
		}
		time.Sleep(time.Hour)
	}()
	return ctx
}

var everyField = []sandbox.SinceField{sandbox.SinceCreated, sandbox.SinceSubmitted, sandbox.SinceEvaluated}
