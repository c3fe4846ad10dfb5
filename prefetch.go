package hiring

import "runtime"

// This file reads pages ahead in a goroutine while the caller processes earlier
// ones.

// prefetchEach calls next in a goroutine, buffers up to n results, and passes each page to take.
// It ends when next reports the last page or returns an error, or when take returns false.
// prefetchEach then calls cancel, which must make a running next return, and waits for the
// goroutine. A panic or runtime.Goexit in next continues in the caller's goroutine.
func prefetchEach[P any](n int, cancel func(), next func() (page P, last bool, err error), take func(P) bool) error {
	type result struct {
		page P
		err  error
	}
	results := make(chan result, n-1)
	var reader relay
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
		for range results { // Ends when the goroutine closes results.
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

// relay runs a function in its own goroutine and repeats its panic or runtime.Goexit in
// the caller's. Otherwise a panic would end the process, and a Goexit would look like the
// end of the list.
type relay struct {
	returned bool
	panicked any
}

func (a *relay) run(work func()) {
	defer func() {
		if !a.returned {
			a.panicked = recover()
		}
	}()
	work()
	a.returned = true
}

// join repeats the panic or Goexit of run. It must be called after run has ended.
func (a *relay) join() {
	switch {
	case a.panicked != nil:
		panic(a.panicked)
	case !a.returned:
		runtime.Goexit()
	}
}
