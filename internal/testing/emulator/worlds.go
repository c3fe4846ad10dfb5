package emulator

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// Life is how candidates live.
type Life struct {
	Grading   time.Duration // On average; each takes between half and one and a half of that.
	Abandoned float64       // Share of attempts that are never submitted.
	Late      float64       // The share that listings show five minutes late.
	Early     float64       // The share that is stamped ten minutes early.
	Hidden    float64       // The share that no listing shows.
}

// usual and long are the time from creation to submission: the median, and what
// one in a hundred exceeds.
const (
	usual = 3 * time.Hour
	long  = 72 * time.Hour
)

func newID(random *rand.Rand) string {
	a, b := random.Uint64(), random.Uint64()
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", a>>32, a>>16&0xffff, a&0xfff, b>>52, b&0xffffffffffff)
}

// submit hands a submission in, and says when it is graded.
func (l Life) submit(random *rand.Rand, s *Submission, at time.Time) {
	s.Submitted = at
	s.Evaluated = at.Add(time.Duration((0.5 + random.Float64()) * float64(l.Grading))).Truncate(time.Millisecond)
	if random.Float64() < l.Late {
		s.Late = 5 * time.Minute
	}
	if random.Float64() < l.Early {
		s.Early = 10 * time.Minute
	}
	s.Hidden = random.Float64() < l.Hidden
}

// Stream is so many submissions a day.
func Stream(seed uint64, from time.Time, over time.Duration, aDay int, l Life) []*Submission {
	random := rand.New(rand.NewPCG(seed, 1))
	deviation := math.Log(long.Seconds()/usual.Seconds()) / 2.326
	all := make([]*Submission, int(over.Hours()/24*float64(aDay)))
	for i := range all {
		s := &Submission{ID: newID(random), Created: from.Add(time.Duration(random.Float64() * float64(over))).Truncate(time.Millisecond)}
		work := time.Duration(float64(usual) * math.Exp(deviation*random.NormFloat64()))
		if random.Float64() >= l.Abandoned {
			l.submit(random, s, s.Created.Add(work).Truncate(time.Millisecond))
		}
		all[i] = s
	}
	return all
}

// ManyAttempts returns n submissions that were begun a second apart before a time, and
// are submitted during a while after it.
func ManyAttempts(seed uint64, at time.Time, size int, over time.Duration, l Life) []*Submission {
	random := rand.New(rand.NewPCG(seed, 2))
	all := make([]*Submission, size)
	for i := range all {
		all[i] = &Submission{ID: newID(random), Created: at.Add(time.Duration(i-size) * time.Second)}
		l.submit(random, all[i], at.Add(time.Duration(random.Float64()*float64(over))).Truncate(time.Millisecond))
	}
	return all
}

// Batch is the same, but all were submitted a minute before, and grading takes
// its time.
func Batch(seed uint64, at time.Time, size int, over time.Duration) []*Submission {
	random := rand.New(rand.NewPCG(seed, 2))
	all := make([]*Submission, size)
	for i := range all {
		all[i] = &Submission{
			ID: newID(random), Created: at.Add(-time.Hour + time.Duration(i)*time.Millisecond), Submitted: at.Add(-time.Minute),
			Evaluated: at.Add(time.Duration(random.Float64() * float64(over))).Truncate(time.Millisecond),
		}
	}
	return all
}
