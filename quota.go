package hiring

import (
	"errors"
	"net/http"
	"time"

	"github.com/hiring-assessment/hiring-go/internal/quota"
)

// ErrQuotaExhausted matches, with errors.Is, a call that was not sent because the rate
// limit of the key is used up, or because the API throttles the IP address, for longer
// than the call may wait. The [*Error] has the code ErrRateLimited, the Status 0 and a
// RetryAfter.
var ErrQuotaExhausted = errors.New("hiring: the quota is used up")

// RateLimit is the rate limit of one class of requests, from the headers of a response.
type RateLimit struct {
	Limit     int       // Requests an hour.
	Remaining int       // Requests left until Reset.
	Reset     time.Time // When the window ends, by the server's clock.
}

// Known reports whether a response has shown the rate limit. A zero RateLimit is not
// known, although it looks used up.
func (l RateLimit) Known() bool { return l != RateLimit{} }

// Quota holds the last known rate limits of a key. Reads and writes are counted
// separately. A class without a response yet is zero: see [RateLimit.Known].
type Quota struct {
	Read  RateLimit // GET: 1000 an hour.
	Write RateLimit // POST, PATCH and DELETE: 200 an hour.
}

func isRead(method string) bool { return method == http.MethodGet || method == http.MethodHead }

// classOf returns the rate limit that a request counts against.
func classOf(method string) quota.Class {
	if isRead(method) {
		return quota.Read
	}
	return quota.Write
}
