package hiring

import (
	"math"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/bound"
	"github.com/hiring-assessment/hiring-go/internal/quota"
)

func unbound() *bound.Bound { return &bound.Bound{Left: math.MaxInt64} }

// ReadTwice decodes an envelope as replies are read and as json/v2 reads it.
func ReadTwice[T any](body []byte) (fast any, ok bool, slow any, err error) {
	one, other := new(envelope[T]), new(envelope[T])
	ok = replies.Read(body, one, nil, 0, unbound()) == nil
	err = decode(body, other)
	return one, ok, other, err
}

// ReadReply decodes an envelope as calls do.
func ReadReply[T any](body []byte) (*T, error) {
	data, _, err := open[T](&reply{body: body, within: *unbound()})
	return data, err
}

// learn is what a reply's head does, for tests that send nothing.
func (f *family) learn(id keyID, method string, begun uint64, said RateLimit, left time.Duration, now time.Time) {
	f.quotas.Learn(id, classOf(method), begun, quota.Window(said), left, now)
}
