package hiring

import (
	"math"

	"github.com/hiring-assessment/hiring-go/internal/limits"
)

func unbound() *limits.Bound { return &limits.Bound{Left: math.MaxInt64} }

// ReadTwice decodes an envelope both as responses are decoded and with json/v2.
func ReadTwice[T any](body []byte) (fast any, ok bool, slow any, err error) {
	one, other := new(envelope[T]), new(envelope[T])
	ok = apiCodec.DecodeFast(unbound(), body, one)
	err = decode(body, other)
	return one, ok, other, err
}

// ReadReply decodes an envelope as calls do.
func ReadReply[T any](body []byte) (*T, error) {
	var e envelope[T]
	_, err := open(&payload{body: body, within: *unbound()}, &e)
	return e.Data, err
}
