// Package limits implements the memory and time limits of reading a response: a
// reusable buffer for the body, a body that is closed once, a watchdog for a silent
// server, and a bound for decoding.
package limits

import (
	"io"
	"sync"
)

const (
	smallest = 4 << 10
	largest  = 1 << 20 // Of a buffer that is kept.
)

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// Buffer holds what was read until it is released. The zero value is empty.
type Buffer struct {
	shared *[]byte
	Grown  int64 // Bytes that were allocated for it.
}

// Bytes is what was read.
func (b *Buffer) Bytes() []byte {
	if b.shared == nil {
		return nil
	}
	return *b.shared
}

// Fill reads limit bytes, and one more to notice a longer body. What it allocates
// on the way is less than twice the limit in all: the last of ever larger buffers,
// each half of the next, is as large as the limit.
func (b *Buffer) Fill(body io.Reader, limit int64) error {
	b.shared = buffers.Get().(*[]byte)
	into := (*b.shared)[:0]
	for {
		if len(into) == cap(into) {
			size := limit + 1
			for size/2 > max(smallest, int64(len(into))) {
				size /= 2
			}
			b.Grown += size
			into = append(make([]byte, 0, size), into...)
		}
		n, err := body.Read(into[len(into):min(int64(cap(into)), limit+1)])
		into = into[:len(into)+n]
		*b.shared = into
		switch {
		case err == io.EOF, err == nil && int64(len(into)) > limit:
			return nil
		case err != nil:
			return err
		}
	}
}

// Release gives the memory back, unless it has grown too large to keep.
func (b *Buffer) Release() {
	if b.shared != nil && cap(*b.shared) <= largest {
		buffers.Put(b.shared)
	}
	b.shared = nil
}

// Once closes a body once.
type Once struct {
	Body     io.ReadCloser
	once     sync.Once
	panicked any // What the body panicked with in CloseLate.
}

// Close is for the caller's goroutine, whose the body's panics are.
func (o *Once) Close() {
	o.once.Do(func() { _ = o.Body.Close() })
	if o.panicked != nil {
		panic(o.panicked)
	}
}

// CloseLate is Close for a goroutine of its own, which no panic may end.
func (o *Once) CloseLate() {
	o.once.Do(func() {
		defer func() { o.panicked = recover() }()
		_ = o.Body.Close()
	})
}
