package hiring

import (
	"time"

	"github.com/hiring-assessment/hiring-go/internal/jsoncodec/fastjson"
)

// ReadTwice decodes an envelope with a T both as responses are decoded and with json/v2.
func ReadTwice[T any](body []byte) (fast any, ok bool, slow any, err error) {
	one, other := new(envelope[T]), new(envelope[T])
	ok = fastjson.Decode(body, one, apiCodec.Reading) == nil
	err = decode(body, other)
	return one, ok, other, err
}

// ReadListTwice is like ReadTwice for an envelope with a list of T.
func ReadListTwice[T any](body []byte) (fast any, ok bool, slow any, err error) {
	return ReadTwice[[]T](body)
}

// ReadReply decodes an envelope as calls do.
func ReadReply[T any](body []byte) (*T, error) {
	var e envelope[T]
	err := readEnvelope(body, &e)
	if err == nil && e.Data == nil {
		err = errNoData
	}
	return e.Data, err
}

// ReadListReply is like ReadReply for a list of T.
func ReadListReply[T any](body []byte) ([]T, error) {
	items, _, err := decodeList[T](body)
	return items, err
}

// SetWallClock sets the wall clock by which [InvitationService.Ensure] measures the age of listings and
// requests, ahead or back. The monotonic clock stays.
func SetWallClock(c *Client, ahead time.Duration) {
	c.Invitations.core.shared.invited.wall = func() time.Time { return time.Now().Add(ahead) }
}

// RememberedAddresses returns the number of addresses that [InvitationService.Ensure] remembers.
func RememberedAddresses(c *Client) int {
	invited := &c.Invitations.core.shared.invited
	invited.mu.Lock()
	defer invited.mu.Unlock()
	return len(invited.entries)
}
