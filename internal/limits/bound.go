package limits

// Bound limits the time of a search.
type Bound struct {
	Until   interface{ Err() error } // Context whose error ends the search; nil means none.
	Stopped error                    // Why the search must end; nil while it may continue.
	steps   uint
}

// Step reports whether the search may continue. It checks the context at every 4096th call.
func (b *Bound) Step() bool {
	b.steps++
	if b.steps%4096 == 0 {
		b.checkTime() // In a function of its own, so that Step is inlined.
	}
	return b.Stopped == nil
}

func (b *Bound) checkTime() {
	if b.Until != nil && b.Stopped == nil {
		b.Stopped = b.Until.Err()
	}
}
