package sandbox

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox/internal/doors"
)

// exchange answers a call, unless a fault has it otherwise.
func (s *Server) exchange(ctx context.Context, w http.ResponseWriter, c *call) {
	r, f := s.arrive(c)
	if f == nil {
		r.writeTo(w, c)
		return
	}
	if !doors.Wait(ctx, f.Delay) || f.loses() {
		doors.Lose(w)
		return
	}
	if r = s.faulty(c, f, r); f.CutAfter != 0 {
		if r.body == nil || c.request.Method == http.MethodHead {
			s.answered(c, 0)
			doors.Lose(w)
			return
		}
		w = doors.Cut(w, f.CutAfter)
	}
	if f.raw() {
		f.writeRaw(w, c, r)
		return
	}
	r.writeTo(w, c)
}

// arrive does all that happens to a call at once: what is due before it, and
// its own work unless a fault puts that off.
func (s *Server) arrive(c *call) (r reply, f *Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catchUp(c.at)
	s.requests++
	c.requestID = fmt.Sprintf("req_%016x", s.requests)
	c.route, c.params, c.allow = match(s.routes, c.request.Method, c.request.URL.EscapedPath())
	c.entry = c.newEntry()
	s.journal.add(c.entry)
	switch f = s.faultFor(c); {
	case f == nil:
		r = s.answer(c)
		c.entry.Status = r.status
	case f.Late > 0:
		s.postpone(c, c.at.Add(f.Late))
	case f.After:
		r = s.answer(c)
	}
	return r, f
}

// postpone keeps a call to be judged later. It is a copy: the call itself goes
// on to its fault.
func (s *Server) postpone(c *call, due time.Time) {
	late := *c
	late.at = due
	at := len(s.late)
	for at > 0 && s.late[at-1].at.After(due) {
		at--
	}
	s.late = slices.Insert(s.late, at, &late)
}

// catchUp does the work of late calls that is due.
func (s *Server) catchUp(now time.Time) {
	for len(s.late) > 0 && !s.late[0].at.After(now) {
		c := s.late[0]
		s.late = s.late[1:]
		s.answer(c)
	}
}

// faulty returns what is answered under a fault, given the reply of a service
// that has done its work.
func (s *Server) faulty(c *call, f *Fault, r reply) reply {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !f.After && f.Late == 0 {
		c.at = now
		s.catchUp(now)
		if !f.replaces() {
			r = s.answer(c)
		}
	}
	if f.replaces() {
		if !f.After || f.Late > 0 {
			c.quota = s.quotaOf(c)
		}
		r = f.reply(c)
	}
	c.entry.Status = r.status
	return r
}

func (s *Server) answered(c *call, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.entry.Status = status
}

// quotaOf is what a reply to the call says of the quota when it does not count.
func (s *Server) quotaOf(c *call) quota {
	class := classOf(c.request.Method)
	limit := s.limits.of(class)
	key := s.keys[bearer(c.request)]
	if key == nil {
		return quota{limit: limit, remaining: limit, reset: windowEnd(c.at)}
	}
	w := key.window(class)
	w.open(c.at, limit)
	return quota{limit: limit, remaining: w.remaining, reset: w.reset}
}

func (f *Fault) status() int {
	switch {
	case f.Status != 0:
		return f.Status
	case f.Code != "":
		return codes[f.Code]
	case f.raw():
		return http.StatusOK
	}
	return http.StatusTooManyRequests // what RetryAfter alone means
}

// reply makes the fault's own reply.
func (f *Fault) reply(c *call) reply {
	status, code := f.status(), f.Code
	if code == "" {
		code = codeOf(status)
	}
	switch {
	case f.raw():
		r := reply{status: status}
		if f.Body != "" {
			r.body = []byte(f.Body)
		}
		return f.withRetryAfter(r)
	case status < 400 && f.Code == "":
		return f.withRetryAfter(reply{status: status})
	case status == http.StatusTooManyRequests:
		c.quota.remaining = 0
		if f.RetryAfter > 0 {
			c.quota.reset = c.at.Truncate(time.Second).Add(wholeSeconds(f.RetryAfter))
		}
		r := c.overQuota()
		r.body = c.error(status, wireError{Code: code, Message: injected, Details: c.quota.details()}).body
		return r
	case status == http.StatusBadRequest:
		return f.withRetryAfter(c.error(status, wireError{Code: code, Message: injected, Details: problems{
			FormErrors: []string{injected}, FieldErrors: map[string][]string{},
		}}))
	}
	return f.withRetryAfter(c.fail(status, code, injected))
}

const injected = "This error was injected."

func (f *Fault) withRetryAfter(r reply) reply {
	if f.RetryAfter > 0 {
		r.extra = [2]string{"Retry-After", strconv.FormatInt(int64(wholeSeconds(f.RetryAfter)/time.Second), 10)}
	}
	return r
}

// wholeSeconds rounds up, and as far as a duration reaches.
func wholeSeconds(d time.Duration) time.Duration {
	whole := d.Truncate(time.Second)
	if whole < d && whole+time.Second > whole {
		whole += time.Second
	}
	return whole
}

// The status of each code; what has none of its own is a failure of the server.
var codes = map[hiring.ErrorCode]int{
	hiring.ErrInvalidInput:      http.StatusBadRequest,
	hiring.ErrInvalidToken:      http.StatusUnauthorized,
	hiring.ErrPlanLimitReached:  http.StatusPaymentRequired,
	hiring.ErrInsufficientScope: http.StatusForbidden,
	hiring.ErrNotFound:          http.StatusNotFound,
	hiring.ErrConflict:          http.StatusConflict,
	hiring.ErrRateLimited:       http.StatusTooManyRequests,
	hiring.ErrInternal:          http.StatusInternalServerError,
}

func codeOf(status int) hiring.ErrorCode {
	for code, of := range codes {
		if of == status {
			return code
		}
	}
	if status == http.StatusMethodNotAllowed {
		return hiring.ErrNotFound
	}
	if status < 500 {
		return hiring.ErrInvalidInput
	}
	return hiring.ErrInternal
}

// writeRaw sends a reply that is not the service's.
func (f *Fault) writeRaw(w http.ResponseWriter, c *call, r reply) {
	h := w.Header()
	h.Set("Date", c.at.UTC().Format(http.TimeFormat))
	h.Set("Content-Type", f.ContentType)
	if f.ContentType == "" {
		h.Set("Content-Type", http.DetectContentType(r.body))
	}
	if r.status != http.StatusNoContent && r.status != http.StatusNotModified {
		h.Set("Content-Length", strconv.Itoa(len(r.body)))
	}
	if r.extra[0] != "" {
		h.Set(r.extra[0], r.extra[1])
	}
	w.WriteHeader(r.status)
	if r.body != nil && c.request.Method != http.MethodHead {
		_, _ = w.Write(r.body)
	}
}
