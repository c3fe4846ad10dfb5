package compare

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

const (
	apiKey       = sandbox.TestKey
	assessmentID = sandbox.AssessmentID
	submissionID = sandbox.BusySubmissionID
)

// recorded is a response that the sandbox gave.
type recorded struct {
	header http.Header
	body   []byte
	raw    []byte // As it goes over a connection.
}

// record is the sandbox's responses by path. They are the same in every run.
var record = sync.OnceValues(func() (map[string]recorded, error) {
	server := sandbox.New(sandbox.WithClock(func() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) }))
	defer server.Close()
	replies := make(map[string]recorded)
	for i, query := range []string{"", "?page=1&page_size=100", "?page_size=100", "?page_size=500"} {
		path := works[i].path
		req, err := http.NewRequest(http.MethodGet, "https://sandbox.invalid"+path+query, nil)
		if err != nil {
			return nil, err
		}
		req.Header.Set("Authorization", "Bearer "+apiKey)
		resp, err := server.Transport().RoundTrip(req)
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("%s: %s, %w", path, resp.Status, err)
		}
		replies[path] = recorded{header: resp.Header, body: body, raw: wire(resp.Header, body)}
	}
	return replies, nil
})

func wire(header http.Header, body []byte) []byte {
	var b bytes.Buffer
	b.WriteString("HTTP/1.1 200 OK\r\n")
	_ = header.Write(&b) // Into memory.
	b.WriteString("\r\n")
	b.Write(body)
	return b.Bytes()
}

// memory answers from memory with what was recorded.
type memory map[string]recorded

// memoryResponse is a response together with its body, so that the transport costs as
// little as possible.
type memoryResponse struct {
	http.Response
	bytes.Reader
	done func()
}

func (a *memoryResponse) Close() error {
	if a.done != nil {
		a.done()
		a.done = nil
	}
	return nil
}

func (m memory) RoundTrip(r *http.Request) (*http.Response, error) {
	reply, ok := m[r.URL.Path]
	if !ok {
		return nil, fmt.Errorf("nothing was recorded for %s", r.URL)
	}
	return respond(r, reply.header, reply.body, nil), nil
}

func respond(r *http.Request, header http.Header, body []byte, done func()) *http.Response {
	a := &memoryResponse{done: done}
	a.Reset(body)
	a.Response = http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: a, ContentLength: int64(len(body)), Request: r,
	}
	return &a.Response
}

// loopback serves what was recorded over TCP and keeps connections. It does as
// little as a server can, so that what is measured is the clients.
func loopback(tb testing.TB, replies map[string]recorded) (base string) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(conn, replies)
		}
	}()
	return "http://" + listener.Addr().String()
}

func serve(conn net.Conn, replies map[string]recorded) {
	defer func() { _ = conn.Close() }()
	reader := bufio.NewReader(conn)
	for {
		line, err := reader.ReadSlice('\n')
		if err != nil {
			return
		}
		_, target, _ := bytes.Cut(line, []byte(" "))
		target = target[:bytes.IndexAny(target, "? ")]
		reply := replies[string(target)].raw
		for len(bytes.TrimSpace(line)) > 0 {
			if line, err = reader.ReadSlice('\n'); err != nil {
				return
			}
		}
		if _, err := conn.Write(reply); err != nil {
			return
		}
	}
}

// transports are the ways to read the recorded responses.
var transports = []struct {
	name string
	open func(testing.TB, map[string]recorded) (base string, transport func() http.RoundTripper)
}{
	{"memory", func(_ testing.TB, replies map[string]recorded) (string, func() http.RoundTripper) {
		return "https://hiring.test", func() http.RoundTripper { return memory(replies) }
	}},
	{"loopback", func(tb testing.TB, replies map[string]recorded) (string, func() http.RoundTripper) {
		return loopback(tb, replies), func() http.RoundTripper {
			transport := new(http.Transport)
			tb.Cleanup(transport.CloseIdleConnections)
			return transport
		}
	}},
}

// connect makes every peer on the recorded responses behind a door.
func connect(tb testing.TB, door int) []peer {
	tb.Helper()
	replies, err := record()
	if err != nil {
		tb.Fatal(err)
	}
	base, transport := transports[door].open(tb, replies)
	peers := make([]peer, len(makers))
	for i, m := range makers {
		if peers[i], err = m.make(base, transport()); err != nil {
			tb.Fatalf("%s: %v", m.name, err)
		}
	}
	return peers
}
