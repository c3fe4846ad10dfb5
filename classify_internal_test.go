package hiring

import (
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/limits"
)

// secondAttempt returns a call at its second attempt.
func secondAttempt(method string, unknown bool) *call {
	return &call{
		request: request{operation: "Things.Do", method: method, route: "/things/{id}"},
		url:     url.URL{Scheme: "https", Host: "h.test", Path: "/api/v1/things/7"},
		key:     noKey, attempts: 2, unknown: unknown,
		core: &core{timeout: 30 * time.Second, timeoutHint: "see WithTimeout"},
	}
}

var (
	testEnd   = attemptEnd{at: time.Unix(1e9, 0)}
	expired   = attemptEnd{at: testEnd.at, expired: true}
	cancelled = attemptEnd{at: testEnd.at, callerErr: context.Canceled, callerPlain: context.Canceled, expired: true}
	ours      = http.Header{"X-Request-Id": {"req_1"}}
)

func TestClassify(t *testing.T) {
	refusal := func(status int, code ErrorCode) roundTrip {
		return roundTrip{status: status, header: ours, body: []byte(`{"error":{"code":"` + string(code) + `","message":"no"}}`)}
	}
	reset := &net.OpError{Op: "read", Err: errors.New("connection reset")}
	for name, c := range map[string]struct {
		method  string // POST when empty.
		unknown bool   // An earlier attempt may have taken effect.
		res     roundTrip
		dec     decoded
		end     attemptEnd // testEnd when zero.

		want    classification // Without the failure.
		outcome Outcome
		text    string // Contained in the error. Empty: there is no error.
	}{
		"success":                 {res: roundTrip{status: 200}, want: classification{fromAPI: true}},
		"success after unknown":   {unknown: true, res: roundTrip{status: 200}, want: classification{fromAPI: true}},
		"reset":                   {res: roundTrip{err: reset}, want: classification{cut: true}, outcome: OutcomeUnknown, text: "no response: read: connection reset"},
		"reset of a read":         {method: "GET", res: roundTrip{err: reset}, want: classification{cut: true}, text: "no response"},
		"not connected":           {res: roundTrip{err: reset, unsent: true}, want: classification{cut: true}, outcome: OutcomeNotDone, text: "no response"},
		"not connected, unknown":  {unknown: true, res: roundTrip{err: reset, unsent: true}, want: classification{cut: true}, outcome: OutcomeUnknown, text: "no response"},
		"certificate":             {res: roundTrip{err: x509.UnknownAuthorityError{}}, want: classification{cut: true, permanent: true}, outcome: OutcomeUnknown, text: "x509"},
		"timeout":                 {res: roundTrip{err: reset}, end: expired, want: classification{timeout: true}, outcome: OutcomeUnknown, text: "no response within 30s; see WithTimeout"},
		"cancelled":               {res: roundTrip{err: reset}, end: cancelled, want: classification{timeout: true}, outcome: OutcomeUnknown, text: "no response: context canceled"},
		"informational":           {res: roundTrip{status: 101}, outcome: OutcomeUnknown, text: "status 101 does not end a request"},
		"400":                     {res: refusal(400, ErrInvalidInput), want: classification{fromAPI: true}, outcome: OutcomeNotDone, text: "400 INVALID_INPUT: no"},
		"400 after unknown":       {unknown: true, res: refusal(400, ErrInvalidInput), want: classification{fromAPI: true}, outcome: OutcomeUnknown, text: "400"},
		"404 of DELETE":           {method: "DELETE", res: refusal(404, ErrNotFound), want: classification{fromAPI: true}, outcome: OutcomeNotDone, text: "404"},
		"404 of DELETE, unknown":  {method: "DELETE", unknown: true, res: refusal(404, ErrNotFound), want: classification{fromAPI: true}},
		"404 page of DELETE":      {method: "DELETE", unknown: true, res: roundTrip{status: 404, body: []byte("<html>")}, outcome: OutcomeUnknown, text: "a proxy answered"},
		"404 of PATCH, unknown":   {method: "PATCH", unknown: true, res: refusal(404, ErrNotFound), want: classification{fromAPI: true}, outcome: OutcomeUnknown, text: "404"},
		"throttled":               {res: roundTrip{status: 429, throttled: true, header: ours}, want: classification{fromAPI: true, permanent: true}, outcome: OutcomeNotDone, text: "429"},
		"500":                     {res: refusal(500, ErrInternal), want: classification{fromAPI: true}, outcome: OutcomeUnknown, text: "500"},
		"302":                     {res: roundTrip{status: 302}, outcome: OutcomeNotDone, text: "redirects"},
		"cut in the body":         {method: "GET", res: roundTrip{status: 200}, dec: decoded{err: io.ErrUnexpectedEOF}, want: classification{fromAPI: true, cut: true}, text: "cut short"},
		"timeout in the body":     {method: "GET", res: roundTrip{status: 200}, dec: decoded{err: io.ErrUnexpectedEOF}, end: expired, want: classification{fromAPI: true, timeout: true}, text: "not complete within 30s"},
		"done, without data":      {res: roundTrip{status: 200}, dec: decoded{err: errNoData}, want: classification{fromAPI: true}, outcome: OutcomeDone, text: "the response has no data"},
		"done after unknown":      {unknown: true, res: roundTrip{status: 200}, dec: decoded{err: errNoData}, want: classification{fromAPI: true}, outcome: OutcomeDone, text: "the response has no data"},
		"too long":                {res: roundTrip{status: 200}, dec: decoded{err: tooLongError{7}}, want: classification{fromAPI: true}, outcome: OutcomeDone, text: "longer than 7 bytes; see WithMaxResponseBytes"},
		"too much memory":         {res: roundTrip{status: 200}, dec: decoded{err: limits.ErrMemory}, want: classification{fromAPI: true}, outcome: OutcomeDone, text: "memory"},
		"204 where data was due":  {res: roundTrip{status: 204}, dec: decoded{err: io.EOF}, want: classification{fromAPI: true}, outcome: OutcomeDone, text: "the response has no data"},
		"page instead of the API": {res: roundTrip{status: 200}, dec: decoded{intermediary: "a page", page: true}, outcome: OutcomeUnknown, text: "a page; a proxy answered"},
		"empty, not from the API": {res: roundTrip{status: 200}, dec: decoded{intermediary: "empty"}, outcome: OutcomeUnknown, text: "empty; a proxy answered"},
		"cut before it showed":    {res: roundTrip{status: 200}, dec: decoded{intermediary: "empty", err: reset}, want: classification{cut: true}, outcome: OutcomeUnknown, text: "cut short"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.method == "" {
				c.method = "POST"
			}
			if c.end == (attemptEnd{}) {
				c.end = testEnd
			}
			got := secondAttempt(c.method, c.unknown).classify(&c.res, &c.dec, &c.end)
			e := got.failure
			got.failure = nil
			assert.Equal(t, c.want, got)
			if c.text == "" {
				assert.Nil(t, e)
				return
			}
			require.NotNil(t, e)
			require.ErrorContains(t, e, c.text)
			assert.Equal(t, c.outcome, e.Outcome)
			assert.Equal(t, []any{c.res.status, 2, "Things.Do"}, []any{e.Status, e.Attempts, e.Operation})
		})
	}
}

func TestDecide(t *testing.T) {
	policy := RetryPolicy{MaxAttempts: 4, BaseBackoff: time.Second, MaxBackoff: time.Minute, MaxWait: time.Minute}
	until := func(left time.Duration) attemptEnd {
		return attemptEnd{at: testEnd.at, deadline: testEnd.at.Add(left), bounded: true}
	}
	for name, c := range map[string]struct {
		method string
		res    roundTrip
		class  classification
		end    attemptEnd
		want   decision
	}{
		"success":                {"GET", roundTrip{status: 200}, classification{}, testEnd, decision{}},
		"GET after 503":          {"GET", roundTrip{status: 503}, classification{failure: &Error{}}, testEnd, decision{true, time.Second}},
		"POST after 503":         {"POST", roundTrip{status: 503}, classification{failure: &Error{}}, testEnd, decision{}},
		"POST after 429":         {"POST", roundTrip{status: 429}, classification{failure: &Error{RetryAfter: 3 * time.Second}}, testEnd, decision{true, 3 * time.Second}},
		"POST that was not sent": {"POST", roundTrip{unsent: true}, classification{failure: &Error{}, cut: true}, testEnd, decision{true, time.Second}},
		"throttled":              {"GET", roundTrip{status: 429}, classification{failure: &Error{}, permanent: true}, testEnd, decision{}},
		"GET after a cut":        {"GET", roundTrip{status: 200}, classification{failure: &Error{}, cut: true}, testEnd, decision{true, time.Second}},
		"cancelled":              {"GET", roundTrip{status: 503}, classification{failure: &Error{}}, cancelled, decision{}},
		"deadline after it":      {"GET", roundTrip{status: 503}, classification{failure: &Error{}}, until(2 * time.Second), decision{true, time.Second}},
		"deadline before it":     {"GET", roundTrip{status: 503}, classification{failure: &Error{}}, until(time.Second), decision{}},
	} {
		// Half of the backoff before the second retry, which is up to two seconds.
		assert.Equal(t, c.want, decide(policy, c.method, 2, &c.res, c.class, &c.end, 0.5), name)
	}
}
