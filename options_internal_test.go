package hiring

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRetryPolicyDefaults(t *testing.T) {
	p, err := RetryPolicy{}.withDefaults()
	require.NoError(t, err)
	assert.Equal(t, RetryPolicy{4, 500 * time.Millisecond, 30 * time.Second, time.Minute}, p)
	given := RetryPolicy{1, 2, 3, 4}
	p, err = given.withDefaults()
	require.NoError(t, err)
	assert.Equal(t, given, p)
}
