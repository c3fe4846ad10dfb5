package hiring

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go/internal/quota"
)

// SendAll waits for windows, however long, but not for a throttle.
func TestRefusalKnowsTheThrottleFromAQuota(t *testing.T) {
	s := &subject{request: &request{method: "POST"}, key: noKey}
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

func TestOwnersOfKeysThatRotateDoNotPileUp(t *testing.T) {
	f := new(shared)
	for n := range 10 * manyOwners {
		id := keyID{byte(n), byte(n >> 8), byte(n >> 16)}
		f.keep(id, strconv.Itoa(n))
		assert.Equal(t, strconv.Itoa(n), f.account(id))
		assert.LessOrEqual(t, len(f.owners.known), manyOwners)
	}
}
