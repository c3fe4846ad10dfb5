package sandbox_test

import (
	"testing"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func benchmarkAccount(b *testing.B, client *hiring.Client) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := client.Account.Get(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkAccountTransport and BenchmarkAccountTCP make the same call, client included,
// without and with a socket.
func BenchmarkAccountTransport(b *testing.B) {
	benchmarkAccount(b, sandbox.Start(b, sandbox.WithQuota(1<<30, 1)).Client())
}

func BenchmarkAccountTCP(b *testing.B) {
	server := sandbox.Start(b, sandbox.WithQuota(1<<30, 1))
	client, err := hiring.New(server.URL(), sandbox.TestKey)
	if err != nil {
		b.Fatal(err)
	}
	benchmarkAccount(b, client)
}

// BenchmarkHourOfPolling makes 120 requests, one every 30 seconds of a clock that only
// this benchmark moves.
func BenchmarkHourOfPolling(b *testing.B) {
	server := sandbox.Start(b)
	client := server.Client()
	b.ReportAllocs()
	for b.Loop() {
		for range 120 {
			if _, err := client.Submissions.Report(b.Context(), sandbox.PendingSubmissionID); err != nil {
				b.Fatal(err)
			}
			server.Advance(30 * time.Second)
		}
	}
}
