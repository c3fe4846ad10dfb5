package server

import (
	"fmt"
	"net/http"
	"sync"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/world"
)

// answer judges a request in the order that the documentation of this package
// states: who asks, how often, for what, whether they may, and how. The lock is
// held, and the call has its route and its request id.
func (s *Server) answer(c *call) reply {
	class := classOf(c.request.Method)
	var allowed bool
	c.quota, allowed = s.throttle.allows(remoteHost(c.request.RemoteAddr), c.at)
	if !allowed {
		return c.refuse("Too many requests with a bad key came from this address.")
	}
	key := s.keys.authenticate(c.request, c.at)
	if key == nil {
		s.throttle.count(remoteHost(c.request.RemoteAddr), c.at)
		c.quota = quota{limit: s.config.limit(class), remaining: s.config.limit(class), reset: windowEnd(c.at)}
		return c.fail(http.StatusUnauthorized, hiring.ErrInvalidToken, "The API key is missing or not valid.")
	}
	c.world = s.worldOf(key, c.at)
	var granted bool
	c.quota, granted = key.window(class).take(c.at, s.config.limit(class))
	if !granted {
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
	return c.route.handle(c)
}

// worldOf returns what a key sees. Every key of test mode sees the sample data.
func (s *Server) worldOf(key *keyState, now time.Time) world.World {
	if !key.live() {
		return sample()
	}
	return s.live.Organization(key.Organization, now)
}

// sample returns the records of test mode. They are made at the first request
// of the first server and shared from then on. Each has its JSON from the start:
// servers know no common lock, so nothing may change them later.
var sample = sync.OnceValue(func() *world.Sample {
	w := world.NewSample()
	body(w.Account())
	prepare(w.Members())
	prepare(w.Challenges())
	prepare(w.Assessments())
	for a := range w.Assessments().All() {
		prepare(w.Invitations(a.ID))
	}
	for a := range w.Submissions().All() {
		submissionParts(a)
		for i := range a.Events() {
			eventBody(&a.Events()[i])
		}
	}
	return w
})

func prepare[T any](all *world.Collection[*world.Record[T]]) {
	for i := range all.Len() {
		body(all.Newest(i))
	}
}
