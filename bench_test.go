package hiring_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"testing"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// recorded responds with recorded bodies of the sandbox, so that a benchmark measures the
// client alone. The client has retries, rate limits, an observer and a logger, as in
// production.
type recorded struct {
	from   http.RoundTripper // Asked for what is not recorded; nil: all is.
	header http.Header
	bodies map[string][]byte
}

func (t *recorded) RoundTrip(r *http.Request) (*http.Response, error) {
	body, ok := t.bodies[r.URL.RequestURI()]
	if !ok && t.from == nil {
		return nil, fmt.Errorf("nothing was recorded for %s", r.URL.RequestURI())
	}
	if !ok {
		resp, err := t.from.RoundTrip(r)
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		if body, err = io.ReadAll(resp.Body); err != nil {
			return nil, err
		}
		t.bodies[r.URL.RequestURI()], t.header = body, resp.Header
	}
	return &http.Response{
		StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: t.header, Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Request: r,
	}, nil
}

// record makes the calls of use once with a sandbox, and returns a client whose transport
// responds from memory.
func record(b *testing.B, use func(*hiring.Client) error) *hiring.Client {
	b.Helper()
	server := sandbox.New()
	b.Cleanup(server.Close)
	tape := &recorded{from: server.Transport(), bodies: make(map[string][]byte)}
	if err := use(server.Client(hiring.WithHTTPClient(&http.Client{Transport: tape}))); err != nil {
		b.Fatal(err)
	}
	tape.from = nil
	client, err := hiring.New("https://hiring.test", sandbox.TestKey,
		hiring.WithHTTPClient(&http.Client{Transport: tape}),
		hiring.WithObserver(func(context.Context, hiring.Exchange) {}),
		hiring.WithLogger(slog.New(slog.DiscardHandler)))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	return client
}

func BenchmarkAccount(b *testing.B) {
	get := func(c *hiring.Client) error {
		_, err := c.Account.Get(b.Context())
		return err
	}
	client := record(b, get)
	for b.Loop() {
		if err := get(client); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEventsPage(b *testing.B) {
	get := func(c *hiring.Client) error {
		page, err := c.Events.List(sandbox.BusySubmissionID, hiring.EventFilter{}).Page(b.Context())
		if err == nil && len(page.Items) != 500 {
			return fmt.Errorf("got %d events", len(page.Items))
		}
		return err
	}
	client := record(b, get)
	for b.Loop() {
		if err := get(client); err != nil {
			b.Fatal(err)
		}
	}
}

// benchmarkPage reads one page of 100.
func benchmarkPage[T any](b *testing.B, list func(*hiring.Client) hiring.Pager[T]) {
	b.Helper()
	get := func(c *hiring.Client) error {
		page, err := list(c).PageSize(100).Page(b.Context())
		if err == nil && len(page.Items) != 100 {
			return fmt.Errorf("got %d items", len(page.Items))
		}
		return err
	}
	client := record(b, get)
	for b.Loop() {
		if err := get(client); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkInvitationsPage(b *testing.B) {
	benchmarkPage(b, func(c *hiring.Client) hiring.Pager[hiring.Invitation] {
		return c.Invitations.List(sandbox.AssessmentID)
	})
}

// Each submission has its report.
func BenchmarkSubmissionsPage(b *testing.B) {
	benchmarkPage(b, func(c *hiring.Client) hiring.Pager[hiring.Submission] {
		return c.Submissions.List(hiring.SubmissionFilter{})
	})
}

func BenchmarkWalk(b *testing.B) {
	for _, size := range []int{7, 100} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			walk := func(c *hiring.Client) error {
				n := 0
				for _, err := range c.Invitations.List(sandbox.AssessmentID).PageSize(size).All(b.Context()) {
					if err != nil {
						return err
					}
					n++
				}
				if n <= 250 {
					return fmt.Errorf("got %d invitations", n)
				}
				return nil
			}
			client := record(b, walk)
			for b.Loop() {
				if err := walk(client); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
