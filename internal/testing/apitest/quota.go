package apitest

import (
	"context"
	"net/http"
	"strconv"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
)

// Said is what a reply tells of a quota.
type Said struct {
	Limit, Remaining int
	Left             time.Duration // Of the window.
	Skew             time.Duration // Of the service's clock.
	RetryAfter       string
}

// With adds the headers to an answer that takes headers, at the time of the reply.
func (s Said) With(a func(headers ...string) Answer) Answer {
	return func(r *http.Request) (*http.Response, error) {
		now := time.Now().Add(s.Skew)
		headers := []string{
			"Date: " + now.UTC().Format(http.TimeFormat),
			"X-RateLimit-Limit: " + strconv.Itoa(s.Limit),
			"X-RateLimit-Remaining: " + strconv.Itoa(s.Remaining),
			"X-RateLimit-Reset: " + strconv.FormatInt(now.Add(s.Left).Unix(), 10),
		}
		if s.RetryAfter != "" {
			headers = append(headers, "Retry-After: "+s.RetryAfter)
		}
		return a(headers...)(r)
	}
}

func Succeeds(headers ...string) Answer { return Data(Thing, headers...) }

func Limited(headers ...string) Answer { return Refuses(429, "RATE_LIMITED", headers...) }

func Read(ctx context.Context, c *hiring.Client) error {
	_, err := c.Account.Get(ctx)
	return err
}
