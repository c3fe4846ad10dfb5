package compare

import (
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/metrics"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Memory is measured in a process that does nothing else: the test's own program
// once more, with this variable, a task and the page of events.
const childVariable = "HIRING_COMPARE_CHILD"

// task is what a child does: the peer of that name reads so many events, none of
// that name does nothing, and "transport" reads the bodies and drops them.
type task struct {
	Peer   string
	Events int64
	Keep   int64 // Every so many events, the payload is kept to the end.
	Page   page
}

// used is what a child tells.
type used struct {
	Time     time.Duration
	CPU      time.Duration // Of the whole process, collections included.
	Allocs   float64       // An event.
	Bytes    float64       // An event.
	HeapPeak uint64        // Of objects, dead ones not yet collected included; looked at once a page.
	HeapKept uint64        // Of objects, at the end and after a collection.
	Resident uint64        // The most memory that the process had.
}

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) == "" {
		flag.Parse()
		if flag.Lookup("test.bench").Value.String() != "" {
			fmt.Printf("go: %s\ncores: %d\n", runtime.Version(), runtime.NumCPU()) // For benchstat, beside what testing says.
		}
		os.Exit(m.Run())
	}
	if err := child(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func child() error {
	var do task
	if err := gob.NewDecoder(os.Stdin).Decode(&do); err != nil {
		return err
	}
	u, err := do.run()
	if err == nil {
		u.Resident, err = residentPeak()
	}
	if err != nil {
		return err
	}
	return gob.NewEncoder(os.Stdout).Encode(u)
}

func (do task) run() (used, error) {
	if do.Peer == "" {
		return used{}, nil
	}
	read, err := newPeer(do.Peer, &longLog{page: do.Page, events: do.Events})
	if err != nil {
		return used{}, err
	}
	var kept [][]byte
	var u used
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	start := time.Now()
	err = iterate(context.Background(), read, do.Events, func(i int64, payload []byte) {
		if do.Keep > 0 && i%do.Keep == 0 {
			kept = append(kept, payload)
		}
		if i%pageOfEvents == 0 {
			metrics.Read(heap)
			u.HeapPeak = max(u.HeapPeak, heap[0].Value.Uint64())
		}
	})
	u.Time = time.Since(start)
	runtime.ReadMemStats(&after)
	u.Allocs = float64(after.Mallocs-before.Mallocs) / float64(do.Events)
	u.Bytes = float64(after.TotalAlloc-before.TotalAlloc) / float64(do.Events)
	runtime.GC()
	metrics.Read(heap)
	u.HeapKept = heap[0].Value.Uint64()
	runtime.KeepAlive(kept)
	return u, err
}

func newPeer(name string, transport http.RoundTripper) (peer, error) {
	for _, m := range makers {
		if m.name == name {
			return m.make("https://hiring.test", transport)
		}
	}
	return drain{transport: transport}, nil
}

// drain is a peer that decodes nothing: what is left is the transport's.
type drain struct {
	peer
	transport http.RoundTripper
}

var noPayload = []byte("{}")

func (d drain) walk(ctx context.Context, each func(int64, []byte)) error {
	return follow(func(after int64) (int64, bool, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://hiring.test/?since_seq="+strconv.FormatInt(after, 10), nil)
		if err != nil {
			return 0, false, err
		}
		resp, err := d.transport.RoundTrip(req)
		if err != nil {
			return 0, false, err
		}
		defer resp.Body.Close()
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			return 0, false, err
		}
		after = max(after, beforeFirst)
		for range pageOfEvents {
			after++
			each(after, noPayload)
		}
		return after, after < beforeFirst+d.transport.(*longLog).events, nil
	})
}

var hwm = regexp.MustCompile(`(?m)^VmHWM:\s+(\d+) kB$`)

// residentPeak is what Linux says of the process; elsewhere 0.
func residentPeak() (uint64, error) {
	if runtime.GOOS != "linux" {
		return 0, nil
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	match := hwm.FindSubmatch(status)
	if match == nil {
		return 0, fmt.Errorf("no VmHWM in %s", status)
	}
	kilobytes, err := strconv.ParseUint(string(match[1]), 10, 64)
	return kilobytes << 10, err
}

// spawn has a child do a task.
func spawn(t *testing.T, do task) used {
	t.Helper()
	var input bytes.Buffer
	require.NoError(t, gob.NewEncoder(&input).Encode(do))
	program, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env = append(os.Environ(), childVariable+"=1")
	cmd.Stdin, cmd.Stderr = &input, os.Stderr
	output, err := cmd.Output()
	require.NoError(t, err, "%s", do.Peer)
	var u used
	require.NoError(t, gob.NewDecoder(bytes.NewReader(output)).Decode(&u))
	u.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return u
}

// TestCompareWalk prints what a log of a million events costs each peer.
func TestCompareWalk(t *testing.T) {
	rounds, events := 1, int64(10*pageOfEvents)
	if long() {
		rounds, events = 5, 1_000_000
	}
	p, err := newPage()
	require.NoError(t, err)
	if runtime.GOOS != "linux" {
		t.Log("the memory of a process is read from /proc: 0 here")
	}
	nothing := spawn(t, task{Page: p}).Resident
	names := []string{"transport"}
	for _, m := range makers {
		names = append(names, m.name)
	}
	runs := make([][]used, len(names))
	for range rounds {
		for i, name := range names {
			runs[i] = append(runs[i], spawn(t, task{Peer: name, Events: events, Page: p}))
		}
	}
	rows := [][]any{{"peer", "ns/event", "times net-http", "CPU ns/event", "allocs/event", "bytes/event", "heap MiB", "process MiB", "above nothing", "above transport", "keeping 1 in 500: heap MiB", "process MiB"}}
	for i, name := range names {
		keeps := spawn(t, task{Peer: name, Events: events, Keep: 500, Page: p})
		u := middle(runs[i])
		rows = append(rows, []any{name, float64(u.Time) / float64(events),
			float64(middle(runs[1]).Time) / float64(u.Time), float64(u.CPU) / float64(events), u.Allocs, u.Bytes, mib(u.HeapPeak), mib(u.Resident),
			mib(u.Resident) - mib(nothing), mib(u.Resident) - mib(middle(runs[0]).Resident), mib(keeps.HeapKept), mib(keeps.Resident)})
	}
	t.Logf("%d events, medians of %d runs; a program that does nothing: %.2f MiB\n%s", events, rounds, mib(nothing), table(rows))
}

// middle is the run whose time is the median.
func middle(runs []used) used {
	slices.SortFunc(runs, func(a, b used) int { return cmp.Compare(a.Time, b.Time) })
	return runs[len(runs)/2]
}

func mib(bytes uint64) float64 { return float64(bytes) / (1 << 20) }
