package benchmarks

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// incident is a failure that affects a waiting program for a time.
type incident struct {
	name string
	come func(w *world, span time.Duration)
}

const (
	sharing = "another takes half of the quota"
	usedUp  = "another takes all of a window"
)

var incidents = []incident{
	{"10 % faults", faults(0.1)},
	{"40 % faults", faults(0.4)},
	{sharing, half},
	{usedUp, all},
	{"service restarts, 6 times", restarts},
	{"outage of 6 h", outage},
}

// through runs a wait with an incident in the second and third quarter of its time.
func through(t *testing.T, r row, trouble incident, size int, over time.Duration) row {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, r.on, 0)
		var ids []string
		if r.way == waitReports {
			ids = w.addAttempts(size, over)
		} else {
			w.stream(size, over)
		}
		begun, ended := time.Now(), make(chan time.Time, 1)
		time.AfterFunc(over/4, func() {
			trouble.come(w, over/2)
			ended <- time.Now()
		})
		if r.way == waitReports {
			w.waitReports(t.Context(), ids)
		} else {
			w.watch(w.untilDelivered(over))
		}
		r = w.measure(r, begun, time.Now())
		r.trouble, r.caught = true, w.caughtUp(<-ended)
	})
	return r
}

// faults lets a share of the exchanges go wrong.
func faults(rate float64) func(*world, time.Duration) {
	return func(w *world, span time.Duration) {
		w.connect(&storm{w.server.Transport(), rate, rand.New(rand.NewPCG(1, 8))})
		time.Sleep(span)
		w.connect(nil)
	}
}

type storm struct {
	service http.RoundTripper
	rate    float64
	random  *rand.Rand
}

// RoundTrip is called by one program that sends one request at a time.
func (s *storm) RoundTrip(r *http.Request) (*http.Response, error) {
	if s.random.Float64() >= s.rate {
		return s.service.RoundTrip(r)
	}
	kind := s.random.IntN(8)
	if kind >= 4 { // The API does its work.
		reply, err := s.service.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		if kind == 7 {
			return reply, s.cut(reply)
		}
		_ = reply.Body.Close()
	}
	switch kind {
	case 0, 4:
		return invent(r, []int{500, 502, 503, 504}[s.random.IntN(4)], "<html>upstream error</html>"), nil
	case 1, 5:
		return nil, reset()
	case 2, 6:
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	wait := 1 + s.random.IntN(100)
	reply := invent(r, http.StatusTooManyRequests, `{"error":{"code":"RATE_LIMITED","message":"slow down"}}`)
	reply.Header.Set("Retry-After", strconv.Itoa(wait))
	reply.Header.Set("X-Ratelimit-Limit", "1000")
	reply.Header.Set("X-Ratelimit-Remaining", "0")
	reply.Header.Set("X-Ratelimit-Reset", strconv.FormatInt(time.Now().Unix()+int64(wait), 10))
	return reply, nil
}

// cut lets only a part of a response arrive.
func (s *storm) cut(reply *http.Response) error {
	body, err := io.ReadAll(reply.Body)
	_ = reply.Body.Close()
	reply.Body = io.NopCloser(io.MultiReader(strings.NewReader(string(body[:s.random.IntN(len(body))])), broken{}))
	return err
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func invent(r *http.Request, status int, body string) *http.Response {
	return &http.Response{
		Status: fmt.Sprint(status), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{invented: {"yes"}}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: -1, Request: r,
	}
}

func reset() error {
	return &net.OpError{Op: "read", Net: "tcp", Err: os.NewSyscallError("read", syscall.ECONNRESET)}
}

// half lets another process use half of the key's reads, evenly.
func half(w *world, span time.Duration) {
	for end := time.Now().Add(span); time.Now().Before(end); time.Sleep(time.Hour / 500) {
		w.other()
	}
}

// all lets another process use up a window in its middle. The incident ends with
// its turn.
func all(w *world, _ time.Duration) {
	time.Sleep(30 * time.Minute)
	for {
		left, turn := w.other()
		if left == 0 {
			time.Sleep(time.Until(turn))
			return
		}
	}
}

// other reads with the program's key. It counts a refusal too.
func (w *world) other() (left int, turn time.Time) {
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, address+"/api/v1/account", nil)
	if err != nil {
		w.t.Error(err)
		return 0, time.Time{}
	}
	r.Header.Set("Authorization", "Bearer "+sandbox.LiveKey)
	reply, err := w.server.Transport().RoundTrip(r)
	if err != nil {
		return 0, time.Time{} // The test is over.
	}
	_ = reply.Body.Close()
	if reply.StatusCode == http.StatusTooManyRequests {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.refused++
	}
	left, _ = strconv.Atoi(reply.Header.Get("X-Ratelimit-Remaining"))
	seconds, _ := strconv.ParseInt(reply.Header.Get("X-Ratelimit-Reset"), 10, 64)
	return left, time.Unix(seconds, 0)
}

// outage lets the API be unreachable.
func outage(w *world, _ time.Duration) {
	w.connect(nobody{})
	time.Sleep(6 * time.Hour)
	w.connect(nil)
}

type nobody struct{}

func (nobody) RoundTrip(*http.Request) (*http.Response, error) { return nil, reset() }
