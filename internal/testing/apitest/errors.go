package apitest

import (
	"github.com/hiring-assessment/hiring-go"
)

// Once never repeats, for tests of one reply.
var Once = hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1})
