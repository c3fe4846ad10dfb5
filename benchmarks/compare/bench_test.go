package compare

import "testing"

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
		for i, door := range doors {
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

// BenchmarkWalk reads a log of 20 pages from memory.
func BenchmarkWalk(b *testing.B) {
	const events = 20 * pageOfEvents
	for _, m := range makers {
		b.Run("transport=memory/peer="+m.name, func(b *testing.B) {
			page, err := newPage()
			if err != nil {
				b.Fatal(err)
			}
			p, err := m.make("https://hiring.test", &longLog{page: page, events: events})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := walk(b.Context(), p, events, func(int64, []byte) {}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*events), "ns/event")
		})
	}
}
