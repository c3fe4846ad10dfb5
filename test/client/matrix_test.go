package client_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/internal/defaults"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// fate is the expected result of a call whose attempts all get the same response.
type fate struct {
	outcome  hiring.Outcome // Of a write.
	requests int
	wait     time.Duration // Total delay between the attempts; random: the client's own delays.
	text     string        // Part of the error; empty: the call succeeds.
}

const random time.Duration = -1

// meets is one row of the matrix: the same response for each method. A PUT has the fate of a POST.
type meets struct {
	answer                   apitest.Responder
	get, post, patch, delete fate
}

func (m meets) fateOf(method string) fate {
	return map[string]fate{"GET": m.get, "POST": m.post, "PUT": m.post, "PATCH": m.patch, "DELETE": m.delete}[method]
}

const (
	lost     = "; the outcome is unknown: check before you repeat it"
	attempt  = defaults.Timeout
	html     = "<html>Bad Gateway</html>"
	notOwn   = "the response is not from the API: " + html
	redirect = "the server redirects elsewhere, which is not followed because the key would be sent there: correct the base URL"
)

// alike returns a row with the same fate for all methods.
func alike(a apitest.Responder, outcome hiring.Outcome, requests int, wait time.Duration, text string) meets {
	f := fate{outcome, requests, wait, text}
	return meets{a, f, f, f, f}
}

// overload returns a row for a failure that is retried except for a POST.
func overload(a apitest.Responder, wait time.Duration, text string) meets {
	again, once := fate{hiring.OutcomeUnknown, allAttempts, wait, text}, fate{hiring.OutcomeUnknown, 1, 0, text}
	return meets{a, again, once, again, again}
}

// unreadable returns a row for a 2xx without a resource. A DELETE needs none.
func unreadable(a apitest.Responder, reads int, wait time.Duration, text string) meets {
	done := fate{hiring.OutcomeDone, 1, 0, text}
	return meets{a, fate{"", reads, wait, text}, done, done, fate{"", 1, 0, ""}}
}

func matrix() map[string]meets {
	const no = hiring.OutcomeNotDone
	in5 := []string{"Date: Sat, 01 Jan 2000 00:00:00 GMT", "Retry-After: Sat, 01 Jan 2000 00:00:05 GMT"}
	quota := func(limits ...int) apitest.Responder { // 429 with the limit of reads or of writes.
		return func(r *http.Request) (*http.Response, error) {
			limit := limits[0]
			if r.Method != http.MethodGet {
				limit = limits[len(limits)-1]
			}
			return apitest.RateLimit{Limit: limit, Remaining: 0, Left: 20 * time.Second, Skew: 0, RetryAfter: "20"}.With(apitest.RespondRateLimited)(r)
		}
	}
	read, reset := &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}, "no response: read tcp: connection reset by peer"
	ok := `{"data":{"id":"x"},"meta":{}}`
	return map[string]meets{
		"200":                  alike(apitest.Respond(200, ok), "", 1, 0, ""),
		"201":                  alike(apitest.Respond(201, ok), "", 1, 0, ""),
		"204":                  unreadable(apitest.Respond(204, "", apitest.RequestIDHeader), 1, 0, "204 the response has no data"),
		"200 empty":            unreadable(apitest.Respond(200, "", apitest.RequestIDHeader), allAttempts, random, "200 the response is empty"),
		"200 without data":     unreadable(apitest.Respond(200, `{"meta":{}}`), 1, 0, "200 the response has no data"),
		"200 null":             unreadable(apitest.Respond(200, `{"data":null,"meta":{}}`), 1, 0, "200 the response has no data"),
		"200 wrapped":          unreadable(apitest.RespondData(`{"invitation":{"id":"x"}}`), 1, 0, "200 the response's data has no id, so it is not the expected resource"),
		"200 page":             alike(apitest.Respond(200, html), hiring.OutcomeUnknown, 1, 0, "200 "+notOwn),
		"200 page with id":     alike(apitest.Respond(200, html, apitest.RequestIDHeader), hiring.OutcomeUnknown, 1, 0, "200 "+notOwn),
		"200 unsigned, empty":  alike(apitest.Respond(200, ""), hiring.OutcomeUnknown, 1, 0, "200 the response is empty and not from the API"),
		"204 unsigned":         alike(apitest.Respond(204, ""), hiring.OutcomeUnknown, 1, 0, "204 the response is empty and not from the API"),
		"200 unsigned, others": alike(apitest.Respond(200, `{"login":"x"}`), hiring.OutcomeUnknown, 1, 0, "200 the response is JSON but not the API's envelope"),
		"200 bad JSON":         unreadable(apitest.Respond(200, `{"data":}`), 1, 0, "200 the response cannot be decoded"),
		"200 truncated":        unreadable(apitest.Truncate(200, `{"data":{`, io.ErrUnexpectedEOF), allAttempts, random, "200 the response was not complete: unexpected EOF"),
		"200 stalled":          unreadable(apitest.Stall(200, `{"data":{`), allAttempts, random, "200 the response was not complete within 30s"),
		"301":                  alike(apitest.Respond(301, "", "Location: /x"), no, 1, 0, "301 "+redirect),
		"302":                  alike(apitest.Respond(302, "", "Location: ://"), no, 1, 0, "302 "+redirect),
		"304":                  alike(apitest.Respond(304, ""), no, 1, 0, "304 "+redirect),
		"307":                  alike(apitest.Respond(307, "", "Location: /x"), no, 1, 0, "307 "+redirect),
		"400":                  alike(apitest.RespondError(400, "INVALID_INPUT"), no, 1, 0, "400 INVALID_INPUT: said the API (request req_0e)"),
		"401":                  alike(apitest.RespondError(401, "INVALID_TOKEN"), no, 1, 0, "401 INVALID_TOKEN: said the API (request req_0e): hiring.example.com refused the key sk_test_…: "),
		"402":                  alike(apitest.RespondError(402, "PLAN_LIMIT_REACHED"), no, 1, 0, "402 PLAN_LIMIT_REACHED: said the API (request req_0e)"),
		"403":                  alike(apitest.RespondError(403, "INSUFFICIENT_SCOPE"), no, 1, 0, "403 INSUFFICIENT_SCOPE: said the API (request req_0e)"),
		"404":                  alike(apitest.RespondError(404, "NOT_FOUND"), no, 1, 0, "404 NOT_FOUND: said the API"),
		"405":                  alike(apitest.Respond(405, html), no, 1, 0, "405 the response is not from the API: "+html),
		"408":                  alike(apitest.Respond(408, ""), hiring.OutcomeUnknown, 1, 0, "408 the response is empty and not from the API"),
		"409":                  alike(apitest.RespondError(409, "CONFLICT", "Retry-After: 1"), no, 1, 0, "409 CONFLICT: said the API; retry after 1s (request req_0e)"),
		"499":                  alike(apitest.Respond(499, ""), hiring.OutcomeUnknown, 1, 0, "499 the response is empty and not from the API"),
		"413":                  alike(apitest.Respond(413, html), no, 1, 0, "413 "+notOwn),
		"429":                  alike(quota(1000, 200), no, allAttempts, 20*time.Second*(allAttempts-1), "429 RATE_LIMITED: said the API; retry after 20s (request req_0e)"),
		"429 of a proxy":       alike(apitest.Respond(429, html), no, allAttempts, random, "429 "+notOwn),
		"429 of a proxy, 5 s":  alike(apitest.Respond(429, html, "Retry-After: 5"), no, allAttempts, 5*time.Second*(allAttempts-1), "429 "+notOwn+"; retry after 5s"),
		"500":                  overload(apitest.RespondError(500, "INTERNAL_ERROR"), random, "500 INTERNAL_ERROR: said the API"),
		"501":                  alike(apitest.Respond(501, html), hiring.OutcomeUnknown, 1, 0, "501 "+notOwn),
		"502":                  overload(apitest.Respond(502, html), random, "502 "+notOwn),
		"503":                  overload(apitest.Respond(503, html), random, "503 "+notOwn),
		"503 in 5 s":           overload(apitest.Respond(503, html, "Retry-After: 5"), 15*time.Second, "503 "+notOwn),
		"503 at a time":        overload(apitest.Respond(503, html, in5...), 15*time.Second, "503 "+notOwn),
		"503 at a time past":   overload(apitest.Respond(503, html, "Retry-After: Sat, 01 Jan 2000 00:00:00 GMT"), random, "503 "+notOwn),
		"503 too late":         alike(apitest.Respond(503, html, "Retry-After: 3600"), hiring.OutcomeUnknown, 1, 0, "503 "+notOwn),
		"504":                  overload(apitest.Respond(504, html), random, "504 "+notOwn),
		"refused dial":         alike(apitest.Fail(apitest.DialError), no, allAttempts, random, "no response: dial tcp: connection refused"),
		"reset":                overload(apitest.Fail(read), random, reset),
		"broken pipe":          overload(apitest.Fail(&net.OpError{Op: "write", Net: "tcp", Err: syscall.EPIPE}), random, "no response: write tcp: broken pipe"),
		"neither":              overload(func(*http.Request) (*http.Response, error) { return nil, nil }, random, "the transport returned neither a response nor an error"),
		"timeout":              {apitest.Block(), fate{"", allAttempts, random, "no response within 30s"}, unanswered, unanswered, unanswered},
		"503 truncated":        overload(apitest.Truncate(503, "<html", apitest.ErrReset), random, "503 the response is not from the API: <html"),
		"404 truncated":        alike(apitest.Truncate(404, `{"error":{"co`, apitest.ErrReset), no, 1, 0, "404 the response was cut short"),
		"400 that is too long": alike(apitest.Respond(400, strings.Repeat("x", 2<<20)), no, 1, 0, "400 the response is not from the API: xxxxx"),
	}
}

var unanswered = fate{hiring.OutcomeUnknown, 1, 0, "no response within 30s"}

// TestMatrix combines every status and network fault with the methods.
func TestMatrix(t *testing.T) {
	for name, line := range matrix() {
		for _, method := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
			synctest.Test(t, func(t *testing.T) {
				what, want := method+" "+name, line.fateOf(method)
				if what == "PUT 200 wrapped" {
					want.text = "" // Do expects no resource.
				}
				fake := apitest.NewScriptedServer(t, line.answer)
				begun := time.Now()
				err := methodCalls[method](t.Context(), fake.Client())
				waited := time.Since(begun)
				if strings.Contains(want.text, "within 30s") || name == "200 stalled" && method != "DELETE" {
					waited -= attempt * time.Duration(want.requests)
				} else if name == "200 stalled" {
					waited -= attempt
				}
				assert.Len(t, fake.Requests(), want.requests, "%s: requests", what)
				if want.wait == random {
					assert.Less(t, waited, defaults.BaseBackoff<<(allAttempts-1), "%s: below the sum of all backoffs", what)
					assert.Positive(t, waited, "%s", what)
				} else {
					assert.Equal(t, want.wait, waited, "%s: waited", what)
				}
				if want.text == "" {
					require.NoError(t, err, "%s", what)
					return
				}
				failure := apitest.RequireError(t, what, err)
				if method == "GET" {
					want.outcome = ""
				}
				assert.Equal(t, want.outcome, failure.Outcome, "%s: Outcome", what)
				tries := fmt.Sprintf("; %d attempts were made", failure.Attempts)
				assert.Equal(t, failure.Attempts > 1, strings.Contains(err.Error(), tries), "%s: %v", what, err)
				assert.Contains(t, strings.Replace(err.Error(), tries, "", 1), want.text, "%s", what)
				assert.Equal(t, want.outcome == hiring.OutcomeUnknown, strings.Contains(err.Error(), lost), "%s: %v", what, err)
				assert.Equal(t, want.outcome == hiring.OutcomeDone, strings.Contains(err.Error(), "; the write itself was done"), "%s: %v", what, err)
				assert.True(t, strings.HasPrefix(err.Error(), "hiring: "), "%s: %v", what, err)
				assert.Equal(t, want.outcome == hiring.OutcomeUnknown, errors.Is(err, hiring.ErrOutcomeUnknown), "%s: ErrOutcomeUnknown", what)
				assert.NotContains(t, err.Error(), apitest.ID, "%s", what)
			})
		}
	}
}

// TestReportedOutcomesAreTrue compares the reported outcome with what the API did, for
// each kind of fault before and after the effect.
func TestReportedOutcomesAreTrue(t *testing.T) {
	for name, fault := range map[string]sandbox.Fault{
		"500 before": {Status: 500}, "500 after": {Status: 500, After: true}, "503 after": {Status: 503, After: true},
		"reset before": {Reset: true}, "reset after": {Reset: true, After: true}, "lost": {After: true},
		"timeout before": {Delay: time.Hour}, "timeout after": {Delay: time.Hour, After: true},
		"cut": {CutAfter: 10}, "cut at once": {CutAfter: -1}, "bad JSON": {Status: 200, Body: `{"data":`, After: true},
		"429": {Status: 429, RetryAfter: time.Second}, "409": {Status: 409}, "redirect": {Status: 307},
	} {
		synctest.Test(t, func(t *testing.T) {
			server := sandbox.Start(t)
			client := server.LiveClient()
			challenge, err := client.Challenges.List().PageSize(1).Page(t.Context())
			require.NoError(t, err)
			assessment, err := client.Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: challenge.Items[0].ID, Name: "n"})
			require.NoError(t, err)
			fault.Route = "POST /assessments/{id}/invitations"
			server.Inject(fault)
			_, err = client.Invitations.Send(t.Context(), assessment.ID, hiring.NewInvitation{Email: "a@example.com", Name: "A"})
			<-time.After(10 * time.Second)
			there, listErr := client.Invitations.List(assessment.ID).Collect(t.Context())
			require.NoError(t, listErr)
			var failure *hiring.Error
			switch {
			case err == nil:
				assert.Len(t, there, 1, "%s: success", name)
			case !errors.As(err, &failure):
				assert.Fail(t, "no *Error", "%s: %v", name, err)
			case failure.Outcome == hiring.OutcomeDone:
				assert.Len(t, there, 1, "%s: done", name)
			case failure.Outcome == hiring.OutcomeNotDone:
				assert.Empty(t, there, "%s: not done", name)
			default:
				assert.LessOrEqual(t, len(there), 1, "%s: unknown", name)
				require.ErrorIs(t, err, hiring.ErrOutcomeUnknown, "%s", name)
			}
			assert.LessOrEqual(t, len(server.Journal().Repeated()), len(strings.Fields(map[string]string{"429": "429"}[name])), "%s: sent once", name)
		})
	}
}
