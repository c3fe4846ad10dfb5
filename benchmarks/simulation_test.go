package benchmarks

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"text/tabwriter"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// run is one simulation and what it has measured.
type run struct {
	way     string
	size    int
	over    time.Duration
	on      sandbox.SinceField
	wait    func(context.Context, *hiring.Client, []string, func(hiring.Report)) error
	late    []time.Duration
	sent    []time.Time
	tooMany int // Replies of 429.
}

const (
	ours  = "WaitReports"
	naive = "each report every 30 s"
	paced = "each report, paced to the quota"
)

// TestSimulation measures how long after its evaluation a report is delivered,
// and what that costs. The full table takes minutes and HIRING_LONG.
func TestSimulation(t *testing.T) {
	sizes := []int{1, 10, 100}
	if os.Getenv("HIRING_LONG") != "" {
		sizes = append(sizes, 1000, 10_000)
	}
	var runs []*run
	for _, size := range sizes {
		over := 8 * time.Hour
		if size > 1000 {
			over = 24 * time.Hour
		}
		runs = append(runs,
			&run{way: ours, size: size, over: over, on: sandbox.SinceCreated, wait: waitReports},
			&run{way: ours, size: size, over: over, on: sandbox.SinceEvaluated, wait: waitReports})
		if size <= 1000 {
			runs = append(runs,
				&run{way: naive, size: size, over: over, on: sandbox.SinceCreated, wait: everyHalfMinute},
				&run{way: paced, size: size, over: over, on: sandbox.SinceCreated, wait: pacedReads})
		}
	}
	for _, r := range runs {
		synctest.Test(t, r.simulate)
		t.Logf("%s, %d on %s: done", r.way, r.size, r.on)
	}
	t.Log("\n" + table(runs))
	for _, r := range runs {
		r.judge(t)
	}
	if path := os.Getenv("SVG"); path != "" {
		if err := draw(runs, path); err != nil {
			t.Fatal(err)
		}
	}
}

// targets are what WaitReports must show.
func (r *run) judge(t *testing.T) {
	if r.way != ours {
		return
	}
	p95, average, most := time.Minute, 150.0, 900
	switch {
	case r.size == 1:
		average = 120
	case r.size == 1000 && r.on == sandbox.SinceCreated:
		average = 500
	case r.size == 10_000 && r.on == sandbox.SinceCreated:
		p95, average, most = 6*time.Minute, 1000, 1000
	}
	gotAverage, gotMost := r.perHour()
	if got := r.quantile(0.95); got > p95 || gotAverage > average || gotMost > most || r.tooMany > 0 {
		t.Errorf("%d on %s: p95 %s, %.0f requests an hour, at most %d, %d times 429; want %s, %.0f, %d and none",
			r.size, r.on, got, gotAverage, gotMost, r.tooMany, p95, average, most)
	}
}

func (r *run) simulate(t *testing.T) {
	random := rand.New(rand.NewPCG(uint64(r.size), 7))
	const writer = "sk_live_sandbox_writer"
	server := sandbox.Start(t, sandbox.WithSinceOn(r.on), sandbox.WithQuota(1000, 1<<40),
		sandbox.WithKey(sandbox.Key{Token: writer, Scope: sandbox.ScopeAdmin}))
	server.SetPlan(sandbox.LiveKey, 0, 1<<40)
	hand, err := hiring.New("https://sandbox.invalid", writer, hiring.WithHTTPClient(&http.Client{Transport: server.Transport()}))
	if err != nil {
		t.Fatal(err)
	}
	ids := crowd(t, hand, server, r.size)
	for _, id := range ids {
		time.AfterFunc(time.Duration(random.Int64N(int64(r.over))), func() {
			if err := server.Evaluate(id, sandbox.Result{ShipScore: 70}); err != nil {
				t.Error(err)
			}
		})
	}
	client := server.LiveClient(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}), hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
		r.sent = append(r.sent, time.Now())
		if e.Status == http.StatusTooManyRequests {
			r.tooMany++
		}
	}))
	delivered := make(map[string]bool)
	err = r.wait(t.Context(), client, ids, func(report hiring.Report) {
		r.late = append(r.late, time.Since(*report.GeneratedAt))
		delivered[report.SubmissionID] = true
	})
	if err != nil || len(delivered) != r.size || len(r.late) != r.size {
		t.Errorf("%s: %d reports of %d submissions, want %d: %v", r.way, len(r.late), len(delivered), r.size, err)
	}
}

// crowd is so many submissions that wait for their evaluation.
func crowd(t *testing.T, hand *hiring.Client, server *sandbox.Server, size int) []string {
	ctx := t.Context()
	challenges, err := hand.Challenges.List().Page(ctx)
	if err != nil {
		t.Fatal(err)
	}
	posting, err := hand.Assessments.Create(ctx, hiring.NewAssessment{ChallengeID: challenges.Items[0].ID, Name: "Go"})
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]string, size)
	for i := range ids {
		time.Sleep(time.Second)
		invitation, err := hand.Invitations.Send(ctx, posting.ID, hiring.NewInvitation{Email: fmt.Sprintf("c%d@example.test", i), Name: "C"})
		if err == nil {
			ids[i], err = server.Begin(invitation.ID)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return ids
}

func waitReports(ctx context.Context, c *hiring.Client, ids []string, landed func(hiring.Report)) error {
	for report, err := range c.Submissions.WaitReports(ctx, ids, hiring.WaitOptions{}) {
		if err != nil {
			return err
		}
		landed(report)
	}
	return nil
}

// everyHalfMinute asks for each report every 30 s, and waits when it is told to.
func everyHalfMinute(ctx context.Context, c *hiring.Client, ids []string, landed func(hiring.Report)) error {
	for ids = slices.Clone(ids); len(ids) > 0; time.Sleep(30 * time.Second) {
		ids = slices.DeleteFunc(ids, func(id string) bool { return read(ctx, c, id, landed) })
	}
	return nil
}

// pacedReads asks for one report after the other, as fast as the quota allows.
func pacedReads(ctx context.Context, c *hiring.Client, ids []string, landed func(hiring.Report)) error {
	for ids = slices.Clone(ids); len(ids) > 0; {
		ids = slices.DeleteFunc(ids, func(id string) bool {
			time.Sleep(time.Hour / 1000)
			return read(ctx, c, id, landed)
		})
		time.Sleep(max(0, 30*time.Second-time.Duration(len(ids))*time.Hour/1000))
	}
	return nil
}

func read(ctx context.Context, c *hiring.Client, id string, landed func(hiring.Report)) bool {
	report, err := c.Submissions.Report(ctx, id)
	if failure, ok := errors.AsType[*hiring.Error](err); ok {
		time.Sleep(failure.RetryAfter)
		report, err = c.Submissions.Report(ctx, id)
	}
	if err != nil || !report.Ready() {
		return false
	}
	landed(report)
	return true
}

func (r *run) quantile(share float64) time.Duration {
	sorted := slices.Sorted(slices.Values(r.late))
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)].Round(time.Second)
}

// perHour returns the requests an hour, on average and in the worst one.
func (r *run) perHour() (average float64, most int) {
	from := 0
	for i, at := range r.sent {
		for at.Sub(r.sent[from]) >= time.Hour {
			from++
		}
		most = max(most, i-from+1)
	}
	span := max(time.Hour, r.sent[len(r.sent)-1].Sub(r.sent[0]))
	return float64(len(r.sent)) / span.Hours(), most
}

func table(runs []*run) string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "waiting\tsince on\tway\tp50\tp95\tmax\trequests an hour\tat most\t429\t")
	for _, r := range runs {
		average, most := r.perHour()
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\t%.0f\t%d\t%d\t\n",
			r.size, r.on, r.way, r.quantile(0.5), r.quantile(0.95), r.quantile(1), average, most, r.tooMany)
	}
	_ = w.Flush() // Into memory.
	return text.String()
}
