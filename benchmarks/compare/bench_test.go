package compare

import (
	"sync"
	"testing"
)

func BenchmarkAccount(b *testing.B)     { benchmark(b, "Account") }
func BenchmarkInvitations(b *testing.B) { benchmark(b, "Invitations") }
func BenchmarkSubmissions(b *testing.B) { benchmark(b, "Submissions") }
func BenchmarkEvents(b *testing.B)      { benchmark(b, "Events") }

// benchmark names its parts as benchstat wants them for its -col and -row.
func benchmark(b *testing.B, name string) {
	for _, w := range works {
		if w.name != name {
			continue
		}
		for i, door := range transports {
			for j, p := range connect(b, i) {
				b.Run("transport="+door.name+"/peer="+makers[j].name, func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if err := w.do(p, b.Context()); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}

const eventsOfWalk = 20 * pageOfEvents

// walkLog returns a log of 20 pages.
var walkLog = sync.OnceValues(func() (*longLog, error) {
	page, err := newPage()
	l := &longLog{page: page, events: eventsOfWalk}
	l.writeAll()
	return l, err
})

// newWalkPeer returns a peer that reads the log from memory.
func newWalkPeer(tb testing.TB, name string) peer {
	tb.Helper()
	l, err := walkLog()
	if err != nil {
		tb.Fatal(err)
	}
	p, err := newPeer(name, l)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func BenchmarkWalk(b *testing.B) {
	for _, m := range makers {
		b.Run("transport=memory/peer="+m.name, func(b *testing.B) {
			p := newWalkPeer(b, m.name)
			b.ReportAllocs()
			for b.Loop() {
				if err := iterate(b.Context(), p, eventsOfWalk, func(int64, []byte) {}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*eventsOfWalk), "ns/event")
		})
	}
}
