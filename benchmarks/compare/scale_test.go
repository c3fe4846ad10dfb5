package compare

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
)

// accountServer is a server on loopback that answers every request with the account, after
// a latency.
type accountServer struct {
	base string
	raw  []byte // A response.

	latency time.Duration

	mu         sync.Mutex
	open, most int // Connections: now, and at most so far.
}

func newAccountServer(t *testing.T, latency time.Duration) *accountServer {
	replies, err := record()
	require.NoError(t, err)
	account := replies[works[0].path]
	header := maps.Clone(account.header)
	// The recorded rate limit is lower than the number of requests in flight.
	header["X-Ratelimit-Limit"], header["X-Ratelimit-Remaining"] = []string{"1000000000"}, []string{"1000000000"}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	s := &accountServer{base: "http://" + listener.Addr().String(), raw: wire(header, account.body), latency: latency}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go s.serve(conn)
		}
	}()
	return s
}

func (s *accountServer) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	s.count(1)
	defer s.count(-1)
	reader := bufio.NewReaderSize(conn, 1<<10)
	for {
		line, err := reader.ReadSlice('\n')
		if err != nil {
			return
		}
		if len(bytes.TrimSpace(line)) > 0 {
			continue // The request ends with an empty line.
		}
		time.Sleep(s.latency)
		if _, err := conn.Write(s.raw); err != nil {
			return
		}
	}
}

func (s *accountServer) count(change int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open += change
	s.most = max(s.most, s.open)
}

// load is what many goroutines did at a time.
type load struct {
	rate         float64       // Calls a second.
	cpu          time.Duration // Processor time of a call, with the server's part.
	rateRatio    float64       // Rate, compared with the first peer of the same round.
	cpuRatio     float64       // Calls per processor time, compared in the same way.
	half, most   time.Duration
	allocs       float64       // A call, of the whole process.
	waitsForLock time.Duration // A call, of all goroutines of the process.
}

// drive calls do in many goroutines until the time is over.
func drive(t *testing.T, goroutines int, lasts time.Duration, do func(context.Context) error) load {
	t.Helper()
	locks := []metrics.Sample{{Name: "/sync/mutex/wait/total:seconds"}}
	var before, after runtime.MemStats
	took := make([][]time.Duration, goroutines)
	metrics.Read(locks)
	waited := locks[0].Value.Float64()
	runtime.ReadMemStats(&before)
	cpu, start := processorTime(), time.Now()
	var group sync.WaitGroup
	for i := range goroutines {
		group.Go(func() {
			for time.Since(start) < lasts {
				begun := time.Now()
				if err := do(t.Context()); err != nil {
					t.Error(err)
					return
				}
				took[i] = append(took[i], time.Since(begun))
			}
		})
	}
	group.Wait()
	elapsed, cpu := time.Since(start), processorTime()-cpu
	runtime.ReadMemStats(&after)
	metrics.Read(locks)
	all := slices.Sorted(slices.Values(slices.Concat(took...)))
	calls := float64(len(all))
	return load{
		rate: calls / elapsed.Seconds(), half: all[len(all)/2], most: all[len(all)*99/100],
		cpu:          time.Duration(float64(cpu) / calls),
		allocs:       float64(after.Mallocs-before.Mallocs) / calls,
		waitsForLock: time.Duration((locks[0].Value.Float64() - waited) / calls * float64(time.Second)),
	}
}

// byGoroutines are the peers of TestCompareScale. Each is used by all goroutines. The first
// does the same work as the client. The second is the least that a call can take.
var byGoroutines = []struct {
	name string
	make func(base string, client *http.Client) (func(context.Context) error, error)
}{
	{"net-http, encoding/json", func(base string, client *http.Client) (func(context.Context) error, error) {
		return bare(base, client, func(body io.Reader) error {
			var a wireEnvelope[account]
			if err := json.NewDecoder(body).Decode(&a); err != nil {
				return err
			}
			_, err := io.Copy(io.Discard, body)
			return err
		}), nil
	}},
	{"net-http, body discarded", func(base string, client *http.Client) (func(context.Context) error, error) {
		return bare(base, client, func(body io.Reader) error {
			_, err := io.Copy(io.Discard, body)
			return err
		}), nil
	}},
	{"hiring", func(base string, client *http.Client) (func(context.Context) error, error) {
		c, err := hiring.New(base, apiKey, hiring.WithHTTPClient(client),
			hiring.WithObserver(func(context.Context, hiring.Exchange) {}),
			hiring.WithLogger(slog.New(slog.DiscardHandler)))
		return func(ctx context.Context) error {
			_, err := c.Account.Get(ctx)
			return err
		}, err
	}},
}

// bare makes a call with net/http alone.
func bare(base string, client *http.Client, read func(body io.Reader) error) func(context.Context) error {
	return func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, base+works[0].path, nil)
		if err != nil {
			return err
		}
		req.Header.Set("Authorization", "Bearer "+apiKey)
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		return read(resp.Body)
	}
}

// TestCompareScale makes account calls in 1,000 goroutines over as many connections. The
// server is part of the process, so at latencies of 1 ms and 10 ms two processors are the
// limit, and at 100 ms the latency is. With -mutexprofile the test shows where goroutines
// wait for locks.
func TestCompareScale(t *testing.T) {
	if !long() {
		t.Skip("takes a minute: HIRING_LONG=1")
	}
	const goroutines, rounds = 1000, 15
	cells := [][]any{{"latency", "peer", "calls/s", "times first", "CPU µs", "times first", "median µs", "99 % µs", "allocs", "lock wait µs"}}
	for _, latency := range []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond} {
		server := newAccountServer(t, latency)
		all := make([]func(context.Context) error, len(byGoroutines))
		for i, p := range byGoroutines {
			transport := &http.Transport{MaxIdleConnsPerHost: goroutines}
			defer transport.CloseIdleConnections()
			var err error
			all[i], err = p.make(server.base, &http.Client{Transport: transport})
			require.NoError(t, err)
			drive(t, goroutines, 3*latency, all[i]) // Opens the connections.
		}
		loads := make([][]load, len(all))
		for round := range rounds {
			for i, do := range all {
				l := drive(t, goroutines, 700*time.Millisecond, do)
				loads[i] = append(loads[i], l)
				loads[i][round].rateRatio = l.rate / loads[0][round].rate
				loads[i][round].cpuRatio = float64(loads[0][round].cpu) / float64(max(1, l.cpu))
			}
		}
		for i, p := range byGoroutines {
			byRate := middleOf(loads[i], func(l load) float64 { return l.rateRatio })
			byCPU := middleOf(loads[i], func(l load) float64 { return l.cpuRatio })
			cells = append(cells, []any{
				latency, p.name, int(middleOf(loads[i], func(l load) float64 { return l.rate })), byRate,
				middleOf(loads[i], func(l load) time.Duration { return l.cpu }), byCPU,
				middleOf(loads[i], func(l load) time.Duration { return l.half }), middleOf(loads[i], func(l load) time.Duration { return l.most }),
				int(middleOf(loads[i], func(l load) float64 { return l.allocs })), middleOf(loads[i], func(l load) time.Duration { return l.waitsForLock }),
			})
			if p.name == "hiring" && latency >= 10*time.Millisecond {
				// Other load of the machine changes the rate more than the processor time.
				assert.GreaterOrEqual(t, max(byRate, byCPU), 0.95, "%s at %s", p.name, latency)
			}
		}
	}
	t.Log("\n" + table(cells))
}

func middleOf[T time.Duration | float64](loads []load, of func(load) T) T {
	values := make([]T, len(loads))
	for i, l := range loads {
		values[i] = of(l)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// TestManyClients creates a client for each of many organizations, which share one
// http.Client as documented. Each makes one call, so that its state is that of a client in
// use.
func TestManyClients(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates")
	}
	const atOnce, connections, idleClient = 200, 10, 4 << 10
	many := 500
	if long() {
		many = 10_000
	}
	server := newAccountServer(t, 0)
	transport := &http.Transport{MaxConnsPerHost: connections, MaxIdleConnsPerHost: connections}
	defer transport.CloseIdleConnections()
	shared := &http.Client{Transport: transport}
	clients := make([]*hiring.Client, many)
	call := func(i int) {
		var err error
		clients[i], err = hiring.New(server.base, fmt.Sprintf("sk_test_%032d", i), hiring.WithHTTPClient(shared),
			hiring.WithObserver(func(context.Context, hiring.Exchange) {}),
			hiring.WithLogger(slog.New(slog.DiscardHandler)))
		if assert.NoError(t, err) {
			_, err = clients[i].Account.Get(t.Context())
			assert.NoError(t, err)
		}
	}
	call(0) // What all clients share.
	before := heapAfterCollection()
	var group sync.WaitGroup
	var next atomic.Int64
	for range atOnce {
		group.Go(func() {
			for i := int(next.Add(1)); i < many; i = int(next.Add(1)) {
				call(i)
			}
		})
	}
	group.Wait()
	each := float64(int64(heapAfterCollection())-int64(before)) / float64(many-1)
	runtime.KeepAlive(clients)
	server.mu.Lock()
	defer server.mu.Unlock()
	t.Logf("%d clients: %.0f bytes each, %d connections", many, each, server.most)
	assert.LessOrEqual(t, each, float64(idleClient), "bytes of an idle client")
	assert.LessOrEqual(t, server.most, connections, "connections, as MaxConnsPerHost limits them")
}

// heapAfterCollection returns the bytes of live objects. The second collection frees what
// the first one left in pools.
func heapAfterCollection() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
