package client_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

// delayedBody returns text after a delay, and then err.
type delayedBody struct {
	after time.Duration
	text  io.Reader
	err   error
}

func (b *delayedBody) Read(p []byte) (int, error) {
	time.Sleep(b.after)
	b.after = 0
	n, err := b.text.Read(p)
	if errors.Is(err, io.EOF) {
		err = b.err
	}
	return n, err
}

func (*delayedBody) Close() error { return nil }

// bodyAfter responds at once, with a body that arrives after a delay and ends with err.
func bodyAfter(after time.Duration, status int, text string, err error) func(headers ...string) apitest.Responder {
	return func(headers ...string) apitest.Responder {
		return func(r *http.Request) (*http.Response, error) {
			return apitest.NewResponse(r, status, &delayedBody{after, strings.NewReader(text), err}, headers...), nil
		}
	}
}

func TestCookiesOfFailedResponsesAreKept(t *testing.T) {
	for name, failed := range map[string]func(headers ...string) apitest.Responder{
		"500": func(headers ...string) apitest.Responder {
			return apitest.RespondError(500, hiring.ErrInternal, headers...)
		},
		"429": func(headers ...string) apitest.Responder { return apitest.Respond(429, "", headers...) },
		"302": func(headers ...string) apitest.Responder {
			return apitest.Respond(302, "", append(headers, "Location: /elsewhere")...)
		},
		"401": func(headers ...string) apitest.Responder {
			return apitest.RespondError(401, hiring.ErrInvalidToken, headers...)
		},
		"cut": func(headers ...string) apitest.Responder {
			return apitest.Truncate(200, `{"data":`, io.ErrUnexpectedEOF, append(headers, apitest.RequestIDHeader)...)
		},
		"not JSON": func(headers ...string) apitest.Responder { return apitest.Respond(200, apitest.SignInPage, headers...) },
	} {
		synctest.Test(t, func(t *testing.T) {
			jar, err := cookiejar.New(nil)
			require.NoError(t, err)
			u, err := url.Parse(apitest.BaseURL)
			require.NoError(t, err)
			jar.SetCookies(u, []*http.Cookie{{Name: "lb", Value: "7"}})
			fake := apitest.NewScriptedServer(t, failed("Set-Cookie: route=a; Path=/"), apitest.RespondData(apitest.Resource))
			client := fake.Client(hiring.WithHTTPClient(&http.Client{Transport: fake, Jar: jar}))
			if apitest.ReadAccount(t.Context(), client) != nil { // Not retried.
				require.NoError(t, apitest.ReadAccount(t.Context(), client), name)
			}
			require.Len(t, fake.Requests(), 2, name)
			assert.Equal(t, []string{"lb=7"}, fake.Requests()[0].Header["Cookie"], name)
			assert.Equal(t, []string{"lb=7; route=a"}, fake.Requests()[1].Header["Cookie"], "%s: the next request carries each cookie once", name)
		})
	}
}

// pool is a transport that counts how often its idle connections are closed.
type pool struct {
	*apitest.ScriptedServer

	closed atomic.Int32
}

func (p *pool) CloseIdleConnections() { p.closed.Add(1) }

func TestIdleConnectionsAreNeverClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, answers := range map[string][]apitest.Responder{
			"success":               {apitest.RespondData(apitest.Resource)},
			"500 to the end":        {apitest.RespondError(500, hiring.ErrInternal)},
			"404":                   {apitest.RespondError(404, hiring.ErrNotFound)},
			"reset":                 {apitest.Fail(apitest.ErrReset)},
			"timeout":               {apitest.Block()},
			"cut short":             {apitest.Truncate(200, `{"data":`, io.ErrUnexpectedEOF, apitest.RequestIDHeader)},
			"rate limit used up":    {apitest.RateLimit{Limit: 1000, Remaining: 0, Left: time.Hour, Skew: 0, RetryAfter: ""}.With(apitest.RespondResource)},
			"blocked retry":         {apitest.RateLimit{Limit: 1000, Remaining: 0, Left: time.Hour, Skew: 0, RetryAfter: ""}.With(func(h ...string) apitest.Responder { return apitest.Respond(503, "", h...) })},
			"key refused too often": {apitest.RespondError(401, hiring.ErrInvalidToken)},
		} {
			transport := &pool{ScriptedServer: apitest.NewScriptedServer(t, answers...)}
			client := transport.Client(hiring.WithHTTPClient(&http.Client{Transport: transport}))
			for range 5 {
				_ = apitest.ReadAccount(t.Context(), client)
				_ = write(t.Context(), client)
			}
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			_ = apitest.ReadAccount(ended, client)
			assert.Zero(t, transport.closed.Load(), name)
		}
	})
}

// A retry that is blocked before it is sent does not change the captured response.
func TestBlockedRetryKeepsTheCapturedResponse(t *testing.T) {
	failed := errors.New("the vault is sealed")
	for name, c := range map[string]struct {
		first apitest.Responder
		fail  int32 // The key source fails at this call.
		want  error
	}{
		"by the rate limit": {apitest.RateLimit{Limit: 1000, Remaining: 0, Left: time.Hour, Skew: 0, RetryAfter: ""}.With(func(h ...string) apitest.Responder {
			return apitest.Respond(503, "busy", append(h, "X-Request-Id: req_1")...)
		}), 0, hiring.ErrQuotaExhausted},
		"by the key source": {apitest.Respond(503, "busy", "X-Request-Id: req_1"), 2, failed},
	} {
		synctest.Test(t, func(t *testing.T) {
			var asked atomic.Int32
			var seen []hiring.Exchange
			fake := apitest.NewScriptedServer(t, c.first, apitest.RespondData(apitest.Resource))
			client := fake.Client(
				hiring.WithKeySource(func(context.Context) (string, error) {
					if asked.Add(1) == c.fail {
						return "", failed
					}
					return apitest.Key, nil
				}),
				hiring.WithObserver(func(_ context.Context, e hiring.Exchange) { seen = append(seen, e) }))
			var resp hiring.Response
			err := apitest.ReadAccount(hiring.WithResponse(t.Context(), &resp), client)
			require.Error(t, err, name)
			if c.want != nil {
				require.ErrorIs(t, err, c.want, name)
			}
			assert.Len(t, fake.Requests(), 1, name)
			assert.Equal(t, "busy", string(resp.Body), name)
			assert.Equal(t, [2]any{"req_1", 1}, [2]any{resp.RequestID, resp.Attempts}, name)
			assert.Contains(t, []int{429, 503}, resp.StatusCode, name)
			require.Len(t, seen, 1, "%s: a blocked retry is no Exchange", name)
			assert.Equal(t, resp.StatusCode, seen[0].Status, name)
		})
	}
}

// The body of a captured response is copied before its memory is used again by a call of
// an observer.
func TestCapturedBodyIsNotThatOfALaterCall(t *testing.T) {
	mine := `{"data":{"id":"mine","slug":"` + strings.Repeat("m", 1000) + `"},"meta":{}}`
	for _, status := range []int{200, 404} {
		fake := apitest.NewScriptedServer(t, apitest.Respond(status, mine, apitest.RequestIDHeader), apitest.Respond(200, `{"data":{"id":"other","slug":"`+strings.Repeat("o", 1000)+`"},"meta":{}}`, apitest.RequestIDHeader))
		var client *hiring.Client
		nested := func() {
			if len(fake.Requests()) == 1 {
				_, err := client.Account.Get(context.Background()) //nolint:usetesting // a call of its own
				assert.NoError(t, err)
			}
		}
		client = fake.Client(
			hiring.WithObserver(func(context.Context, hiring.Exchange) { nested() }),
			hiring.WithTrace(hiring.Trace{Attempt: func(context.Context, hiring.TraceAttempt) (context.Context, func(hiring.Exchange)) {
				return nil, func(hiring.Exchange) { nested() }
			}}))
		var resp hiring.Response
		_, err := client.Account.Get(hiring.WithResponse(t.Context(), &resp))
		assert.Equal(t, status != 200, err != nil)
		assert.Equal(t, mine, string(resp.Body), status)
		assert.Len(t, fake.Requests(), 2)
	}
}

// The decision after an attempt uses the state of the contexts after its body was read,
// not when its head arrived.
func TestContextsCountAsTheyAreAfterTheBody(t *testing.T) {
	for name, c := range map[string]struct {
		answer   apitest.Responder
		deadline time.Duration
		cancel   time.Duration
		want     error
		elapsed  time.Duration
	}{
		"deadline before the retry": {bodyAfter(5*time.Second, 503, "busy", io.EOF)("Retry-After: 3"), 7 * time.Second, 0, nil, 5 * time.Second},
		"deadline in the body":      {bodyAfter(5*time.Second, 200, `{"da`, io.ErrUnexpectedEOF)(apitest.RequestIDHeader), 4 * time.Second, 0, context.DeadlineExceeded, 5 * time.Second},
		"cancelled in the body":     {bodyAfter(5*time.Second, 200, `{"da`, io.ErrUnexpectedEOF)(apitest.RequestIDHeader), time.Hour, 4 * time.Second, context.Canceled, 5 * time.Second},
		"cancelled, body of a 503":  {bodyAfter(5*time.Second, 503, "busy", io.EOF)(), time.Hour, 4 * time.Second, context.Canceled, 5 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			fake := apitest.NewScriptedServer(t, c.answer, apitest.RespondData(apitest.Resource))
			ctx, cancel := context.WithTimeout(t.Context(), c.deadline)
			defer cancel()
			if c.cancel > 0 {
				time.AfterFunc(c.cancel, cancel)
			}
			begun := time.Now()
			err := apitest.ReadAccount(ctx, fake.Client())
			require.Error(t, err, name)
			if c.want != nil {
				require.ErrorIs(t, err, c.want, name)
			}
			assert.Equal(t, c.elapsed, time.Since(begun), "%s: nothing is waited after the body", name)
			assert.Len(t, fake.Requests(), 1, name)
		})
	}
	// The attempt's timeout expires while the body is read: that is a timeout, and the
	// attempt is retried.
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, bodyAfter(31*time.Second, 200, `{"da`, io.ErrUnexpectedEOF)(apitest.RequestIDHeader), apitest.RespondData(apitest.Resource))
		var first error
		client := fake.Client(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
			if first == nil {
				first = e.Err
			}
		}))
		require.NoError(t, apitest.ReadAccount(t.Context(), client))
		require.ErrorIs(t, first, context.DeadlineExceeded)
	})
}

// Nothing of a response that was cut short is part of the next one.
func TestCutResponseLeavesNothingInTheNextAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cut := func(text string) apitest.Responder {
			return apitest.Truncate(200, text, io.ErrUnexpectedEOF, apitest.RequestIDHeader)
		}
		whole := func(text string) apitest.Responder { return apitest.Respond(200, text, apitest.RequestIDHeader) }

		got, err := apitest.NewScriptedServer(t, cut(`{"data":{"id":"old","name":"Old","custom_domain":"old.test","plan":{"id":"old"},"x":1},"meta":{`), whole(`{"data":{"id":"new"},"meta":{}}`)).Client().Account.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, hiring.Account{ID: "new"}, got)

		page, err := apitest.NewScriptedServer(t, cut(`{"data":[{"id":"1","email":"old"},{"id":"2"}],"meta":{"total":9,"page":7,"next_cursor":"old"`), whole(`{"data":[{"id":"3"}],"meta":{"request_id":"req_2"}}`)).Client().Members.List().Page(t.Context())
		require.NoError(t, err)
		assert.Equal(t, hiring.Page[hiring.Member]{Items: []hiring.Member{{ID: "3"}}, Meta: hiring.Meta{RequestID: "req_2"}}, page)

		out := map[string]int{}
		meta, err := apitest.NewScriptedServer(t, cut(`{"data":{"old":1},"meta":{"total":9`), whole(`{"data":{"new":1},"meta":{}}`)).Client().Do(t.Context(), "GET", "/x", nil, nil, &out)
		require.NoError(t, err)
		assert.Equal(t, map[string]int{"new": 1}, out)
		assert.Zero(t, meta)

		// A range reads every page into the memory of the previous one.
		var members []hiring.Invitation
		fake := apitest.NewScriptedServer(t,
			whole(`{"data":[{"id":"1","candidate_name":"One"},{"id":"2","candidate_name":"Two"}],"meta":{"page":1,"has_more":true}}`),
			cut(`{"data":[{"id":"3","candidate_name":"Old","x":1},{"id":"4","candidate_name":"Old"},{"id":"5"}],"meta":{"page":2,"has_more":true`),
			whole(`{"data":[{"id":"6"},{"id":"7"}],"meta":{"page":2,"has_more":false}}`))
		for member, err := range fake.Client().Invitations.List(apitest.ID).All(t.Context()) {
			require.NoError(t, err)
			members = append(members, member)
		}
		assert.Equal(t, []hiring.Invitation{{ID: "1", CandidateName: "One"}, {ID: "2", CandidateName: "Two"}, {ID: "6"}, {ID: "7"}}, members)
	})
}

// Observers may make calls, and the client knows by then that the key was rejected.
func TestRefusedKeyIsNotTriedByAnObserver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, apitest.RespondError(401, hiring.ErrInvalidToken, apitest.RequestIDHeader))
		var client *hiring.Client
		var nested error
		client = fake.Client(hiring.WithObserver(func(ctx context.Context, _ hiring.Exchange) {
			if len(fake.Requests()) == 3 && nested == nil {
				nested = errors.New("calling")
				nested = apitest.ReadAccount(ctx, client)
			}
		}))
		for range 3 {
			require.ErrorIs(t, apitest.ReadAccount(t.Context(), client), hiring.ErrInvalidToken)
		}
		require.ErrorIs(t, nested, hiring.ErrInvalidToken)
		assert.Zero(t, apitest.RequireError(t, "nested", nested).Status, "refused locally")
		assert.Len(t, fake.Requests(), 3)
	})
}

func TestKeySourceIsNotAskedUnderAnEndedContext(t *testing.T) {
	for range 50 { // When a wait of 0 and the end of the context coincide, either may win.
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			asked := 0
			source := hiring.WithKeySource(func(ctx context.Context) (string, error) {
				asked++
				assert.NoError(t, ctx.Err())
				return apitest.Key, nil
			})
			eager := hiring.WithRetry(hiring.RetryPolicy{BaseBackoff: 1})
			client := apitest.NewScriptedServer(t, apitest.Respond(503, "")).Client(source, eager, hiring.WithObserver(func(context.Context, hiring.Exchange) { cancel() }))
			err := apitest.ReadAccount(ctx, client)
			require.ErrorIs(t, err, context.Canceled)
			require.ErrorContains(t, err, "503", "what was known before")
			assert.Equal(t, 1, asked)
			require.ErrorIs(t, apitest.ReadAccount(ctx, client), context.Canceled)
			assert.Equal(t, 1, asked, "not at all by a call that begins later")
		})
	}
}
