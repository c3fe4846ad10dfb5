// Package limits bounds what a response may take: a reusable buffer for the body, a body that
// is closed once, a memory bound for decoding, and the length of quoted text.
package limits

import (
	"io"
	"sync"
)

const (
	smallest = 4 << 10
	largest  = 1 << 20 // Largest buffer that returns to the pool.
)

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// Buffer is a pooled buffer that holds a response body until Release. The zero value is
// empty.
type Buffer struct {
	shared *[]byte
	Grown  int64 // Bytes allocated so far, including buffers that were replaced.
}

// Bytes returns the bytes read. They are valid until Release.
func (b *Buffer) Bytes() []byte {
	if b.shared == nil {
		return nil
	}
	return *b.shared
}

// Fill reads body up to limit bytes, and one byte more so that the caller can detect a
// longer body. Each new buffer is twice the size of the one before and the last holds
// limit bytes, so Fill allocates less than twice the limit in total.
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

// Release returns the buffer to the pool, unless it is larger than the pool keeps. Release
// may be called more than once.
func (b *Buffer) Release() {
	if b.shared != nil && cap(*b.shared) <= largest {
		buffers.Put(b.shared)
	}
	b.shared = nil
}

// Once closes a response body exactly once.
type Once struct {
	Body     io.ReadCloser
	once     sync.Once
	panicked any // Value of a panic in CloseLate.
}

// Close closes the body. It is called in the caller's goroutine. A panic of the body, also
// one that CloseLate caught, propagates to the caller.
func (o *Once) Close() {
	o.once.Do(func() { _ = o.Body.Close() })
	if o.panicked != nil {
		panic(o.panicked)
	}
}

// CloseLate closes the body in a goroutine other than the caller's, where a panic would
// end the process. It saves the panic for Close.
func (o *Once) CloseLate() {
	o.once.Do(func() {
		defer func() { o.panicked = recover() }()
		_ = o.Body.Close()
	})
}
