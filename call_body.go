package hiring

import (
	"cmp"
	"context"
	"io"
	"math"
	"net/http"
	"sync"

	"github.com/hiring-assessment/hiring-go/internal/bound"
)

// maxDrained is how much of a body that nobody wants is read, so that the
// connection can serve again.
const maxDrained = 64 << 10

var buffers = sync.Pool{New: func() any { return new([]byte) }}

// readBody reads a reply's body and closes it. What it returns lies in a shared
// buffer until release. A body that does not stop by itself is closed when the
// attempt's time is over.
func (a *attempt) readBody(resp *http.Response) ([]byte, error) {
	body := &a.body
	body.body, resp.Body = resp.Body, http.NoBody // Not every body can be closed twice, and retryablehttp would.
	defer body.close()
	defer context.AfterFunc(a.timed, body.closeLate)()
	limit, whole := a.core.config.maxBytes, true
	if a.status >= 300 {
		limit = min(limit, 1<<20)
	} else if a.read == nil {
		limit, whole = min(limit, maxDrained), false
	}
	a.buffer = buffers.Get().(*[]byte)
	err := a.fill(body.body, limit)
	if err == nil && whole && int64(len(*a.buffer)) > limit {
		err = tooLongError{limit}
	}
	if whole && a.status < 300 { // Else it is short.
		clean, late := a.credential.secret.ScrubWithin(*a.buffer, &bound.Bound{Until: a.timed})
		return clean, cmp.Or(err, late)
	}
	return a.credential.secret.Scrub(*a.buffer), err
}

// fill reads limit bytes into the buffer, and one more to notice a longer body.
// What it allocates on the way is less than twice the limit in all: the last of
// ever larger buffers, each half of the next, is as large as the limit.
func (a *attempt) fill(body io.Reader, limit int64) error {
	b := (*a.buffer)[:0]
	for {
		if len(b) == cap(b) {
			size := limit + 1
			for size/2 > max(minBuffer, int64(len(b))) {
				size /= 2
			}
			a.grown += size
			b = append(make([]byte, 0, size), b...)
		}
		n, err := body.Read(b[len(b):min(int64(cap(b)), limit+1)])
		b = b[:len(b)+n]
		*a.buffer = b
		switch {
		case err == io.EOF, err == nil && int64(len(b)) > limit:
			return nil
		case err != nil:
			return err
		}
	}
}

const minBuffer = 4 << 10

// within is what the reply may still take, so that all of it together stays
// within four times what its body may have.
func (a *attempt) within(body []byte) bound.Bound {
	limit := min(max(a.core.config.maxBytes, minLimit), math.MaxInt64/4)
	left := 4*limit - a.grown
	if responseOf(a.ctx) != nil {
		left -= int64(len(body))
	}
	if a.buffer != nil && len(body) > 0 && &body[0] != &(*a.buffer)[0] { // The key was taken out.
		left -= int64(cap(body))
	}
	return bound.Bound{Left: left, Until: a.timed}
}

// minLimit is for limits so small that what every call takes is more.
const minLimit = 16 << 10

// closeOnce closes a body once, whoever comes first.
type closeOnce struct {
	body     io.ReadCloser
	once     sync.Once
	panicked any // What the body panicked with in closeLate.
}

// close is for the caller's goroutine, whose the body's panics are.
func (o *closeOnce) close() {
	o.once.Do(func() { _ = o.body.Close() })
	if o.panicked != nil {
		panic(o.panicked)
	}
}

// closeLate is close for a goroutine of its own, which no panic may end.
func (o *closeOnce) closeLate() {
	o.once.Do(func() {
		defer func() { o.panicked = recover() }()
		_ = o.body.Close()
	})
}
