package compare

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
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

// record is the sandbox's responses, by key. They are the same in every run.
var record = sync.OnceValues(func() (map[string]recorded, error) {
	server := sandbox.New(sandbox.WithClock(func() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) }))
	defer server.Close()
	responses := make(map[string]recorded)
	get := func(path, query string) ([]byte, error) {
		req, err := http.NewRequest(http.MethodGet, "https://sandbox.invalid"+path+"?"+query, nil)
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
		responses[key(path, query)] = recorded{header: resp.Header, body: body, raw: wire(resp.Header, body)}
		return body, nil
	}
	for i, query := range []string{"", "page=1&page_size=100", "page_size=100"} {
		if _, err := get(works[i].path, query); err != nil {
			return nil, err
		}
	}
	err := follow(func(after int64) (int64, bool, error) {
		body, err := get(eventsPath, "page_size=500&since_seq="+strconv.FormatInt(after, 10))
		if err != nil {
			return 0, false, err
		}
		var page wireEnvelope[[]event]
		if err := json.Unmarshal(body, &page); err != nil {
			return 0, false, err
		}
		return page.Data[len(page.Data)-1].Seq, page.Meta.HasMore, nil
	})
	return responses, err
})

// key is a path and, of the pages of a log, the seq before the page.
func key(path, query string) string {
	_, seq, _ := strings.Cut(query, "since_seq=")
	seq, _, _ = strings.Cut(seq, "&")
	if seq == "0" {
		seq = ""
	}
	return path + "#" + seq
}

func wire(header http.Header, body []byte) []byte {
	var b bytes.Buffer
	b.WriteString("HTTP/1.1 200 OK\r\n")
	_ = header.Write(&b) // Into memory.
	b.WriteString("\r\n")
	b.Write(body)
	return b.Bytes()
}

// memory is a transport that responds with what was recorded.
type memory map[string]recorded

// memoryResponse is a response together with its body, so that the transport costs as
// little as possible.
type memoryResponse struct {
	http.Response
	bytes.Reader
}

func (*memoryResponse) Close() error { return nil }

func (m memory) RoundTrip(r *http.Request) (*http.Response, error) {
	reply, ok := m[key(r.URL.Path, r.URL.RawQuery)]
	if !ok {
		return nil, fmt.Errorf("nothing was recorded for %s", r.URL)
	}
	a := new(memoryResponse)
	a.Reset(reply.body)
	a.Response = http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: reply.header, Body: a, ContentLength: int64(len(reply.body)), Request: r,
	}
	return &a.Response, nil
}

// loopback serves what was recorded over TCP and keeps connections. It does as
// little as a server can, so that what is measured is the clients.
func loopback(tb testing.TB, responses map[string]recorded) (base string) {
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
			go serve(conn, responses)
		}
	}()
	return "http://" + listener.Addr().String()
}

func serve(conn net.Conn, responses map[string]recorded) {
	defer func() { _ = conn.Close() }()
	reader := bufio.NewReader(conn)
	for {
		line, err := reader.ReadSlice('\n')
		if err != nil {
			return
		}
		_, target, _ := strings.Cut(string(line), " ")
		target, _, _ = strings.Cut(target, " ")
		path, query, _ := strings.Cut(target, "?")
		response := responses[key(path, query)].raw
		for len(bytes.TrimSpace(line)) > 0 {
			if line, err = reader.ReadSlice('\n'); err != nil {
				return
			}
		}
		if _, err := conn.Write(response); err != nil {
			return
		}
	}
}

// transports are the ways to read the recorded responses.
var transports = []struct {
	name string
	open func(testing.TB, map[string]recorded) (base string, transport func() http.RoundTripper)
}{
	{"memory", func(_ testing.TB, responses map[string]recorded) (string, func() http.RoundTripper) {
		return "https://hiring.test", func() http.RoundTripper { return memory(responses) }
	}},
	{"loopback", func(tb testing.TB, responses map[string]recorded) (string, func() http.RoundTripper) {
		return loopback(tb, responses), func() http.RoundTripper {
			transport := new(http.Transport)
			tb.Cleanup(transport.CloseIdleConnections)
			return transport
		}
	}},
}

// connect makes every peer on the recorded responses over a transport.
func connect(tb testing.TB, transport int) []peer {
	tb.Helper()
	responses, err := record()
	if err != nil {
		tb.Fatal(err)
	}
	base, open := transports[transport].open(tb, responses)
	peers := make([]peer, len(makers))
	for i, m := range makers {
		if peers[i], err = m.make(base, open()); err != nil {
			tb.Fatalf("%s: %v", m.name, err)
		}
	}
	return peers
}
