package otelhiring

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"

	hiring "github.com/hiring-assessment/hiring-go"
)

type quotaKey struct{ server, class string }

// quota is what a reply said last.
type quota struct {
	hiring.RateLimit

	arrived time.Time
}

// learn takes from a reply what it says of the quota. A reply to a request that
// began after the current knowledge arrived always wins; of overlapping ones the
// later window, then the one that leaves less.
func (t *Telemetry) learn(c *call, e hiring.Exchange) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if c != nil && e.Err == nil {
		c.success = time.Now()
	}
	if !isAPI(e.Route) || !e.RateLimit.Known() || e.Status == 401 { // A 401 tells nothing of a key's quota.
		return
	}
	server, _ := hostPort(e.Server)
	key := quotaKey{server, class(e.Method)}
	known, was := t.quotas[key]
	later := e.RateLimit.Reset.After(known.Reset)
	less := e.RateLimit.Reset.Equal(known.Reset) && e.RateLimit.Remaining < known.Remaining
	if !was || e.Started.After(known.arrived) || later || less {
		t.quotas[key] = quota{e.RateLimit, time.Now()}
	}
}

// wait is one of WaitReports or Watch.
type wait struct {
	begun   time.Time
	pending int
	aged    bool // All that is pending has been waited for since the beginning.
}

// Wait counts what WaitReport or WaitReports with these options is waiting for,
// and how long: options.Progress is replaced by one that calls it. Call end when
// the wait has ended.
//
//	end := telemetry.Wait(&options)
//	defer end()
func (t *Telemetry) Wait(options *hiring.WaitOptions) (end func()) {
	w := &wait{aged: true}
	options.Progress = t.progress(w, options.Progress, func(p hiring.WaitProgress) int { return p.Pending })
	return func() { t.forget(w) }
}

// Watch counts the unfinished submissions that a watch with these options knows
// of: options.Progress is replaced by one that calls it. Call end when the watch
// has ended.
func (t *Telemetry) Watch(options *hiring.WatchOptions) (end func()) {
	w := &wait{}
	options.Progress = t.progress(w, options.Progress, func(p hiring.WaitProgress) int { return p.Unfinished })
	return func() { t.forget(w) }
}

func (t *Telemetry) progress(w *wait, next func(hiring.WaitProgress), pending func(hiring.WaitProgress) int) func(hiring.WaitProgress) {
	w.begun = time.Now()
	return func(p hiring.WaitProgress) {
		t.mu.Lock()
		w.pending = pending(p)
		t.waits[w] = struct{}{}
		t.mu.Unlock()
		if next != nil {
			next(p)
		}
	}
}

func (t *Telemetry) forget(w *wait) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.waits, w)
}

// gauges are read from the state when somebody looks.
type gauges struct {
	waited                    metric.Float64ObservableCounter
	limit, remaining, pending metric.Int64ObservableGauge
	roundAge, pendingAge      metric.Float64ObservableGauge
}

func (t *Telemetry) observeState(meter metric.Meter) error {
	g, err := newGauges(meter)
	if err != nil {
		return err
	}
	_, err = meter.RegisterCallback(func(_ context.Context, o metric.Observer) error {
		t.mu.Lock()
		defer t.mu.Unlock()
		now := time.Now()
		for reason, d := range t.waitedUntil(now) {
			o.ObserveFloat64(g.waited, d.Seconds(), t.with(attribute.String("hiring.wait.reason", string(reason))))
		}
		t.observeQuotas(g, o, now)
		t.observeRounds(g, o, now)
		t.observePending(g, o, now)
		return nil
	}, g.waited, g.limit, g.remaining, g.pending, g.roundAge, g.pendingAge)
	return err
}

func newGauges(meter metric.Meter) (g gauges, err error) {
	made := func(e error) {
		if err == nil {
			err = e
		}
	}
	var e error
	g.waited, e = meter.Float64ObservableCounter("hiring.client.wait.time", metric.WithUnit("s"),
		metric.WithDescription("Time waited between requests."))
	made(e)
	g.limit, e = meter.Int64ObservableGauge("hiring.client.quota.limit", metric.WithUnit("{request}"),
		metric.WithDescription("Requests that the quota's window allows."))
	made(e)
	g.remaining, e = meter.Int64ObservableGauge("hiring.client.quota.remaining", metric.WithUnit("{request}"),
		metric.WithDescription("Requests left in the quota's window."))
	made(e)
	g.pending, e = meter.Int64ObservableGauge("hiring.client.reports.pending", metric.WithUnit("{report}"),
		metric.WithDescription("Reports waited for, as far as they are known."))
	made(e)
	g.roundAge, e = meter.Float64ObservableGauge("hiring.client.round.age", metric.WithUnit("s"),
		metric.WithDescription("Time since a request of a wait, watch or poll succeeded."))
	made(e)
	g.pendingAge, e = meter.Float64ObservableGauge("hiring.client.reports.pending.age", metric.WithUnit("s"),
		metric.WithDescription("How long the report waited for longest has been waited for."))
	made(e)
	return g, err
}

// observeQuotas leaves out windows that have ended: what the next one holds is
// not known before its first reply.
func (t *Telemetry) observeQuotas(g gauges, o metric.Observer, now time.Time) {
	for key, q := range t.quotas {
		if now.After(q.Reset) {
			continue
		}
		attributes := t.with(attribute.String("hiring.quota.class", key.class), attribute.String("server.address", key.server))
		o.ObserveInt64(g.limit, int64(q.Limit), attributes)
		o.ObserveInt64(g.remaining, int64(q.Remaining), attributes)
	}
}

// observeRounds tells for each operation of the call that has gone longest
// without success.
func (t *Telemetry) observeRounds(g gauges, o metric.Observer, now time.Time) {
	oldest := make(map[string]time.Time)
	if !t.polled.IsZero() {
		oldest["Submissions.Poll"] = t.polled
	}
	for c := range t.calls {
		switch c.operation {
		case "Submissions.WaitReport", "Submissions.WaitReports", "Submissions.Watch", "Events.Tail":
			if known, ok := oldest[c.operation]; !ok || c.success.Before(known) {
				oldest[c.operation] = c.success
			}
		case "Submissions.Poll":
			if t.polled.IsZero() {
				oldest[c.operation] = c.success
			}
		}
	}
	for operation, at := range oldest {
		o.ObserveFloat64(g.roundAge, now.Sub(at).Seconds(), t.with(attribute.String("hiring.operation", operation)))
	}
}

func (t *Telemetry) observePending(g gauges, o metric.Observer, now time.Time) {
	if len(t.waits) == 0 {
		return
	}
	pending, age := 0, time.Duration(0)
	for w := range t.waits {
		pending += w.pending
		if w.aged && w.pending > 0 {
			age = max(age, now.Sub(w.begun))
		}
	}
	o.ObserveInt64(g.pending, int64(pending), t.with())
	o.ObserveFloat64(g.pendingAge, age.Seconds(), t.with())
}
