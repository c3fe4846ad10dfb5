package sandbox

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// respond returns the response to a call. It checks, in the order that package sandbox
// documents: the throttle, the key, the rate limit, the route, the scope and the query.
// The lock is held. The call has its route and request id.
func (s *Server) respond(c *call) response {
	if c.route == archiveRoute {
		return c.route.handle(c)
	}
	class := classOf(c.request.Method)
	var allowed bool
	c.quota, allowed = s.throttle.allows(remoteHost(c.request.RemoteAddr), c.at)
	if !allowed {
		c.throttled = true
		return c.refuse("Too many requests with a bad key came from this address.")
	}
	key := s.keys[bearer(c.request)]
	if key == nil || !key.valid(c.at) { // Like the API, the response does not say why.
		// A health check or a browser at another path is no failed authentication.
		if strings.HasPrefix(c.request.URL.Path, basePath) {
			s.throttle.count(remoteHost(c.request.RemoteAddr), c.at)
		}
		c.quota = s.quotaOf(nil, class, c.at)
		return c.fail(http.StatusUnauthorized, hiring.ErrInvalidToken, "The API key is missing or not valid.")
	}
	c.world = s.worldOf(key, c.at)
	c.quota, c.entry.counted = key.window(class).take(c.at, s.config.limit(class))
	if !c.entry.counted {
		return c.overQuota()
	}
	if c.route == nil {
		return c.noRoute(c.allow)
	}
	if !key.Scope.includes(c.route.scope) {
		return c.fail(http.StatusForbidden, hiring.ErrInsufficientScope,
			fmt.Sprintf("This operation requires the %s scope.", c.route.scope))
	}
	if problems := c.readQuery(); problems.any() {
		return c.invalid(problems)
	}
	r := c.route.handle(c)
	c.entry.Done = r.status < http.StatusBadRequest
	return r
}

// worldOf returns the data that a key sees. All keys of test mode see the sample data.
func (s *Server) worldOf(key *keyState, now time.Time) *world.Organization {
	if !key.live() {
		return sample()
	}
	return s.live.Organization(key.Organization, now)
}

// sample returns the records of test mode. The first request creates them, and all
// servers share them.
var sample = sync.OnceValue(world.NewSample)
