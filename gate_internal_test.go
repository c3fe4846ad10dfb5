package hiring

import (
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go/internal/quota"
)

// SendAll waits for windows of any length, but not for a throttle.
func TestRefusalKnowsTheThrottleFromAQuota(t *testing.T) {
	s := &call{request: request{method: "POST"}, key: noKey}
	throttled := exhaustedError(s, quota.Barrier{Reason: quota.Throttled, Wait: time.Minute})
	used := exhaustedError(s, quota.Barrier{Reason: quota.Used, Wait: time.Minute})
	assert.True(t, throttled.throttled)
	assert.False(t, used.throttled)
}

func TestClassOf(t *testing.T) {
	for method, class := range map[string]quota.Class{
		"GET": quota.Read, "HEAD": quota.Read, "POST": quota.Write, "PATCH": quota.Write, "PUT": quota.Write, "DELETE": quota.Write,
	} {
		assert.Equal(t, class, classOf(method), method)
	}
}

// A proxy with a wrong clock must not move the times that SendAll records.
func TestClockIsNotLearnedFromAnIntermediary(t *testing.T) {
	now := time.Now()
	date := now.Add(-time.Hour).UTC().Format(http.TimeFormat)
	for name, c := range map[string]struct {
		header  http.Header
		learned bool
	}{
		"the API": {http.Header{
			"Date": {date}, "X-Request-Id": {"req_1"}, "X-Ratelimit-Limit": {"1000"}, "X-Ratelimit-Remaining": {"9"}, "X-Ratelimit-Reset": {"1800000000"},
		}, true},
		"a proxy's error page":             {http.Header{"Date": {date}}, false},
		"a proxy with its own request ids": {http.Header{"Date": {date}, "X-Request-Id": {"proxy_1"}}, false},
	} {
		s := new(shared)
		held := reservation{shared: s, key: noKey, class: quota.Read}
		held.learn(http.StatusBadGateway, c.header, now, now)
		assert.Equal(t, c.learned, s.clock.Server(now).Before(now.Add(-59*time.Minute)), "%s: clock", name)
		assert.Equal(t, c.learned, s.clock.Latest(now).Before(now.Add(-59*time.Minute)), "%s: clock of polls", name)
	}
}

func TestOwnersOfKeysThatRotateDoNotPileUp(t *testing.T) {
	f := new(shared)
	for n := range 10 * maxAccounts {
		id := keyID{byte(n), byte(n >> 8), byte(n >> 16)}
		f.setAccount(id, strconv.Itoa(n))
		assert.Equal(t, strconv.Itoa(n), f.account(id))
		assert.LessOrEqual(t, len(f.accounts.known), maxAccounts)
	}
}
