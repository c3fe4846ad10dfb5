package e2e

import (
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// BenchmarkPage measures the page with 10,000 requests in its list: how much of the main thread
// it takes without requests and with 50 a second, and how long these take while it has a filter.
func BenchmarkPage(b *testing.B) {
	const seconds = 10
	for name, c := range map[string]struct {
		query string
		rate  int
	}{"idle": {"", 0}, "50-a-second": {"", 50}, "50-a-second-and-a-filter": {"?text=account", 50}} {
		b.Run(name, func(b *testing.B) {
			p := open(b, sandbox.WithQuota(1<<20, 1<<20))
			p.request(10_000)
			p.visit(c.query)
			p.do(chromedp.WaitVisible(chromedp.CSS("#list .row")))
			evaluate[string](p, "(f => f(f))(f => { const l = document.getElementById('list'); if (l.scrollHeight < 10000 * 30) { l.scrollTop = 1e7; setTimeout(f, 100, f) } else l.scrollTop = 0 }), ''")
			p.becomes("list.scrollHeight > 10000 * 30 && list.scrollTop === 0")
			var took []time.Duration
			for b.Loop() {
				before := p.mainThread()
				for range seconds {
					next := time.Now().Add(time.Second)
					for range c.rate {
						begun := time.Now()
						p.request(1)
						took = append(took, time.Since(begun))
						time.Sleep(time.Second/time.Duration(c.rate) - time.Since(begun))
					}
					time.Sleep(time.Until(next))
				}
				b.ReportMetric((p.mainThread()-before)/seconds*100, "%-main-thread")
			}
			if slices.Sort(took); len(took) > 0 {
				b.ReportMetric(took[len(took)/2].Seconds()*1000, "ms-median")
				b.ReportMetric(took[len(took)*95/100].Seconds()*1000, "ms-p95")
			}
		})
	}
}

// mainThread returns the seconds of a processor that tasks have taken.
func (p *tab) mainThread() float64 {
	p.t.Helper()
	_, err := chromedp.Call(p.ctx, performance.Enable, performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks})
	require.NoError(p.t, err)
	found, err := chromedp.Call(p.ctx, performance.GetMetrics, cdp.Empty{})
	require.NoError(p.t, err)
	for _, m := range found.Metrics {
		if m.Name == "TaskDuration" {
			return m.Value
		}
	}
	require.Fail(p.t, "no TaskDuration")
	return 0
}
