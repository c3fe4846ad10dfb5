package apitest

var QuotaHeaders = []string{"X-RateLimit-Limit: 1000", "X-RateLimit-Remaining: 41", "X-RateLimit-Reset: 1800000000", "X-Request-Id: req_7"}
