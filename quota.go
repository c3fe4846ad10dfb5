package hiring

import (
	"errors"
	"net/http"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/quota"
)

// ErrQuotaExhausted is what errors.Is accepts for a call that was refused
// locally, because the service had said that the key's quota is used up, or that
// it throttles this address, and that lasts longer than the call may wait.
// Nothing was sent; the [*Error] has the code ErrRateLimited, the Status 0 and a
// RetryAfter.
var ErrQuotaExhausted = errors.New("hiring: the quota is used up")

// RateLimit is one hourly quota as a response's headers told it.
type RateLimit struct {
	Limit     int       // Requests an hour.
	Remaining int       // Requests left until Reset.
	Reset     time.Time // When the window ends, by the server's clock.
}

// Known tells a quota that the service has told from one that was not heard of
// yet, which is zero and would else look exhausted.
func (l RateLimit) Known() bool { return l != RateLimit{} }

// Quota holds what the service last said of a key's two quotas, which are
// counted apart. A class that was not called yet is zero: [RateLimit.Known] tells
// it from one that is used up.
type Quota struct {
	Read  RateLimit // GET: 1000 an hour.
	Write RateLimit // POST, PATCH and DELETE: 200 an hour.
}

func isRead(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// classOf is the quota that a request counts against.
func classOf(method string) quota.Class {
	if isRead(method) {
		return quota.Read
	}
	return quota.Write
}

// The lengths of windows, for those that wait for them.
const (
	window        = quota.Length
	longestWindow = quota.Longest
)
