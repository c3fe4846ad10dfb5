// Package prefetch reads ahead while the caller works on what came before.
package prefetch

import "runtime"

// Each hands take what next returns, up to n results of which wait, until next says
// that it was the last or fails, or take wants no more. next runs in a goroutine of
// its own that ends before Each does: cancel tells it to. A panic in next is the
// caller's, and so is a Goexit.
func Each[P any](n int, cancel func(), next func() (page P, last bool, err error), take func(P) bool) error {
	type result struct {
		page P
		err  error
	}
	results := make(chan result, n-1)
	var reader aside
	go func() {
		defer close(results)
		reader.run(func() {
			for last := false; !last; {
				var r result
				r.page, last, r.err = next()
				results <- r
				if r.err != nil {
					return
				}
			}
		})
	}()
	defer func() {
		cancel()
		for range results { // Until the goroutine has ended, which asks for nothing from here on.
		}
		reader.join()
	}()
	for r := range results {
		if r.err != nil || !take(r.page) {
			return r.err
		}
	}
	return nil
}

// aside is work in a goroutine of its own that ends as if it had been done in
// the one that waits for it: a panic there would end the process, and a Goexit
// look like the end of the list.
type aside struct {
	returned bool
	panicked any
}

func (a *aside) run(work func()) {
	defer func() {
		if !a.returned {
			a.panicked = recover()
		}
	}()
	work()
	a.returned = true
}

// join is called when run has ended.
func (a *aside) join() {
	switch {
	case a.panicked != nil:
		panic(a.panicked)
	case !a.returned:
		runtime.Goexit()
	}
}
