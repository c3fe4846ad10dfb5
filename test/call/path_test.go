package call_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// delayedBody returns text after a time, and then err.
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

// bodyAfter answers at once, with a body that takes a time and ends with err.
func bodyAfter(after time.Duration, status int, text string, err error) func(headers ...string) apitest.Answer {
	return func(headers ...string) apitest.Answer {
		return func(r *http.Request) (*http.Response, error) {
			return apitest.ReplyOf(r, status, &delayedBody{after, strings.NewReader(text), err}, headers...), nil
		}
	}
}

const accountBody = `{"data":` + apitest.Thing + `,"meta":{}}`

// A request counts against the window until the head of its response has arrived.
func TestSlowBodyDoesNotHoldItsPlaceInTheRateLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewFake(t, apitest.Said{Limit: 1000, Remaining: 1, Left: time.Hour, Skew: 0, RetryAfter: ""}.With(bodyAfter(20*time.Second, 200, accountBody, io.EOF)), apitest.Data(apitest.Thing))
		client := fake.Client()
		done := make(chan error)
		go func() { done <- apitest.Read(t.Context(), client) }()
		time.Sleep(time.Second)
		require.NoError(t, apitest.Read(t.Context(), client))
		require.NoError(t, <-done)
		assert.Equal(t, []time.Duration{time.Second}, fake.Pauses(), "the second is sent while the body of the first is read")
	})
}

func TestCookiesOfFailedResponsesAreKept(t *testing.T) {
	for name, failed := range map[string]func(headers ...string) apitest.Answer{
		"500": func(headers ...string) apitest.Answer { return apitest.Refuses(500, hiring.ErrInternal, headers...) },
		"429": func(headers ...string) apitest.Answer { return apitest.Says(429, "", headers...) },
		"302": func(headers ...string) apitest.Answer {
			return apitest.Says(302, "", append(headers, "Location: /elsewhere")...)
		},
		"401": func(headers ...string) apitest.Answer {
			return apitest.Refuses(401, hiring.ErrInvalidToken, headers...)
		},
		"cut": func(headers ...string) apitest.Answer {
			return apitest.Cuts(200, `{"data":`, io.ErrUnexpectedEOF, append(headers, apitest.Signed)...)
		},
		"not JSON": func(headers ...string) apitest.Answer { return apitest.Says(200, apitest.SignIn, headers...) },
	} {
		synctest.Test(t, func(t *testing.T) {
			jar, err := cookiejar.New(nil)
			require.NoError(t, err)
			fake := apitest.NewFake(t, failed("Set-Cookie: route=a; Path=/"), apitest.Data(apitest.Thing))
			client, err := hiring.New(apitest.FakeURL, apitest.FakeKey, hiring.WithHTTPClient(&http.Client{Transport: fake, Jar: jar}))
			require.NoError(t, err)
			if apitest.Read(t.Context(), client) != nil { // Not retried.
				require.NoError(t, apitest.Read(t.Context(), client), name)
			}
			require.Len(t, fake.Requests(), 2, name)
			assert.Empty(t, fake.Requests()[0].Header.Get("Cookie"), name)
			assert.Equal(t, "route=a", fake.Requests()[1].Header.Get("Cookie"), "%s: the next request carries the cookie once", name)
		})
	}
}

// pool is a transport that counts how often its idle connections are closed.
type pool struct {
	*apitest.FakeService

	closed atomic.Int32
}

func (p *pool) CloseIdleConnections() { p.closed.Add(1) }

func TestIdleConnectionsAreNeverClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, answers := range map[string][]apitest.Answer{
			"success":               {apitest.Data(apitest.Thing)},
			"500 to the end":        {apitest.Refuses(500, hiring.ErrInternal)},
			"404":                   {apitest.Refuses(404, hiring.ErrNotFound)},
			"reset":                 {apitest.Breaks(apitest.ErrReset)},
			"timeout":               {apitest.Hangs()},
			"cut short":             {apitest.Cuts(200, `{"data":`, io.ErrUnexpectedEOF, apitest.Signed)},
			"rate limit used up":    {apitest.Said{Limit: 1000, Remaining: 0, Left: time.Hour, Skew: 0, RetryAfter: ""}.With(apitest.Succeeds)},
			"blocked retry":         {apitest.Said{Limit: 1000, Remaining: 0, Left: time.Hour, Skew: 0, RetryAfter: ""}.With(func(h ...string) apitest.Answer { return apitest.Says(503, "", h...) })},
			"key refused too often": {apitest.Refuses(401, hiring.ErrInvalidToken)},
		} {
			transport := &pool{FakeService: apitest.NewFake(t, answers...)}
			client, err := hiring.New(apitest.FakeURL, apitest.FakeKey, hiring.WithHTTPClient(&http.Client{Transport: transport}))
			require.NoError(t, err)
			for range 5 {
				_ = apitest.Read(t.Context(), client)
				_ = write(t.Context(), client)
			}
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			_ = apitest.Read(ended, client)
			assert.Zero(t, transport.closed.Load(), name)
		}
	})
}

// A retry that is blocked before it is sent leaves what the attempt before it left.
func TestBlockedRetryKeepsTheCapturedResponse(t *testing.T) {
	failed := errors.New("the vault is sealed")
	for name, c := range map[string]struct {
		first apitest.Answer
		fail  int32 // The key source fails at this call.
		want  error
	}{
		"by the rate limit": {apitest.Said{Limit: 1000, Remaining: 0, Left: time.Hour, Skew: 0, RetryAfter: ""}.With(func(h ...string) apitest.Answer {
			return apitest.Says(503, "busy", append(h, "X-Request-Id: req_1")...)
		}), 0, hiring.ErrQuotaExhausted},
		"by the key source": {apitest.Says(503, "busy", "X-Request-Id: req_1"), 2, failed},
		"by a 429 that holds": {apitest.Said{Limit: 1000, Remaining: 0, Left: time.Hour, Skew: 0, RetryAfter: "1"}.With(func(h ...string) apitest.Answer {
			return apitest.Says(429, "busy", append(h, "X-Request-Id: req_1")...)
		}), 0, nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			var asked atomic.Int32
			var seen []hiring.Exchange
			fake := apitest.NewFake(t, c.first, apitest.Data(apitest.Thing))
			client := fake.Client(
				hiring.WithKeySource(func(context.Context) (string, error) {
					if asked.Add(1) == c.fail {
						return "", failed
					}
					return apitest.FakeKey, nil
				}),
				hiring.WithObserver(func(_ context.Context, e hiring.Exchange) { seen = append(seen, e) }))
			var resp hiring.Response
			err := apitest.Read(hiring.WithResponse(t.Context(), &resp), client)
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

// The body of a captured response is copied before its memory is used again, which
// a call of an observer does.
func TestCapturedBodyIsNotThatOfALaterCall(t *testing.T) {
	mine := `{"data":{"id":"mine","slug":"` + strings.Repeat("m", 1000) + `"},"meta":{}}`
	for _, status := range []int{200, 404} {
		fake := apitest.NewFake(t, apitest.Says(status, mine, apitest.Signed), apitest.Says(200, `{"data":{"id":"other","slug":"`+strings.Repeat("o", 1000)+`"},"meta":{}}`, apitest.Signed))
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

// What is decided after an attempt is decided by the state of the contexts when its
// body has been read, not when its head arrived.
func TestContextsCountAsTheyAreAfterTheBody(t *testing.T) {
	for name, c := range map[string]struct {
		answer   apitest.Answer
		deadline time.Duration
		cancel   time.Duration
		want     error
		elapsed  time.Duration
	}{
		"deadline before the retry": {bodyAfter(5*time.Second, 503, "busy", io.EOF)("Retry-After: 3"), 7 * time.Second, 0, nil, 5 * time.Second},
		"deadline in the body":      {bodyAfter(5*time.Second, 200, `{"da`, io.ErrUnexpectedEOF)(apitest.Signed), 4 * time.Second, 0, context.DeadlineExceeded, 5 * time.Second},
		"cancelled in the body":     {bodyAfter(5*time.Second, 200, `{"da`, io.ErrUnexpectedEOF)(apitest.Signed), time.Hour, 4 * time.Second, context.Canceled, 5 * time.Second},
		"cancelled, body of a 503":  {bodyAfter(5*time.Second, 503, "busy", io.EOF)(), time.Hour, 4 * time.Second, context.Canceled, 5 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			fake := apitest.NewFake(t, c.answer, apitest.Data(apitest.Thing))
			ctx, cancel := context.WithTimeout(t.Context(), c.deadline)
			defer cancel()
			if c.cancel > 0 {
				time.AfterFunc(c.cancel, cancel)
			}
			begun := time.Now()
			err := apitest.Read(ctx, fake.Client())
			require.Error(t, err, name)
			if c.want != nil {
				require.ErrorIs(t, err, c.want, name)
			}
			assert.Equal(t, c.elapsed, time.Since(begun), "%s: nothing is waited after the body", name)
			assert.Len(t, fake.Requests(), 1, name)
		})
	}
	// The attempt's own timeout passes in the body: that is a timeout, and retried.
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewFake(t, bodyAfter(31*time.Second, 200, `{"da`, io.ErrUnexpectedEOF)(apitest.Signed), apitest.Data(apitest.Thing))
		var first error
		client := fake.Client(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) {
			if first == nil {
				first = e.Err
			}
		}))
		require.NoError(t, apitest.Read(t.Context(), client))
		require.ErrorIs(t, first, context.DeadlineExceeded)
	})
}

// Nothing of a response that was cut short shows in the one after it.
func TestNothingOfACutResponseIsLeftInTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cut := func(text string) apitest.Answer { return apitest.Cuts(200, text, io.ErrUnexpectedEOF, apitest.Signed) }
		whole := func(text string) apitest.Answer { return apitest.Says(200, text, apitest.Signed) }

		got, err := apitest.NewFake(t, cut(`{"data":{"id":"old","name":"Old","custom_domain":"old.test","plan":{"id":"old"},"x":1},"meta":{`), whole(`{"data":{"id":"new"},"meta":{}}`)).Client().Account.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, hiring.Account{ID: "new"}, got)

		page, err := apitest.NewFake(t, cut(`{"data":[{"id":"1","email":"old"},{"id":"2"}],"meta":{"total":9,"page":7,"next_cursor":"old"`), whole(`{"data":[{"id":"3"}],"meta":{"request_id":"req_2"}}`)).Client().Members.List().Page(t.Context())
		require.NoError(t, err)
		assert.Equal(t, hiring.Page[hiring.Member]{Items: []hiring.Member{{ID: "3"}}, Meta: hiring.Meta{RequestID: "req_2"}}, page)

		out := map[string]int{}
		meta, err := apitest.NewFake(t, cut(`{"data":{"old":1},"meta":{"total":9`), whole(`{"data":{"new":1},"meta":{}}`)).Client().Do(t.Context(), "GET", "/x", nil, nil, &out)
		require.NoError(t, err)
		assert.Equal(t, map[string]int{"new": 1}, out)
		assert.Zero(t, meta)

		// A range reads every page into the memory of the page before.
		var members []hiring.Invitation
		fake := apitest.NewFake(t,
			whole(`{"data":[{"id":"1","candidate_name":"One"},{"id":"2","candidate_name":"Two"}],"meta":{"page":1,"has_more":true}}`),
			cut(`{"data":[{"id":"3","candidate_name":"Old","x":1},{"id":"4","candidate_name":"Old"},{"id":"5"}],"meta":{"page":2,"has_more":true`),
			whole(`{"data":[{"id":"6"},{"id":"7"}],"meta":{"page":2,"has_more":false}}`))
		for member, err := range fake.Client().Invitations.List(apitest.FakeID).All(t.Context()) {
			require.NoError(t, err)
			members = append(members, member)
		}
		assert.Equal(t, []hiring.Invitation{{ID: "1", CandidateName: "One"}, {ID: "2", CandidateName: "Two"}, {ID: "6"}, {ID: "7"}}, members)
	})
}

// Observers may call again: by then the client knows that the key was refused.
func TestRefusedKeyIsNotTriedByAnObserver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewFake(t, apitest.Refuses(401, hiring.ErrInvalidToken, apitest.Signed))
		var client *hiring.Client
		var nested error
		client = fake.Client(hiring.WithObserver(func(ctx context.Context, _ hiring.Exchange) {
			if len(fake.Requests()) == 3 && nested == nil {
				nested = errors.New("calling")
				nested = apitest.Read(ctx, client)
			}
		}))
		for range 3 {
			require.ErrorIs(t, apitest.Read(t.Context(), client), hiring.ErrInvalidToken)
		}
		require.ErrorIs(t, nested, hiring.ErrInvalidToken)
		assert.Zero(t, apitest.FailureOf(t, "nested", nested).Status, "refused locally")
		assert.Len(t, fake.Requests(), 3)
	})
}

func TestKeySourceIsNotAskedUnderAnEndedContext(t *testing.T) {
	for range 50 { // Where a wait of nothing and the end of the context come together, either may win.
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			asked := 0
			source := hiring.WithKeySource(func(ctx context.Context) (string, error) {
				asked++
				assert.NoError(t, ctx.Err())
				return apitest.FakeKey, nil
			})
			eager := hiring.WithRetry(hiring.RetryPolicy{BaseBackoff: 1})
			client := apitest.NewFake(t, apitest.Says(503, "")).Client(source, eager, hiring.WithObserver(func(context.Context, hiring.Exchange) { cancel() }))
			err := apitest.Read(ctx, client)
			require.ErrorIs(t, err, context.Canceled)
			require.ErrorContains(t, err, "503", "what was known before")
			assert.Equal(t, 1, asked)
			require.ErrorIs(t, apitest.Read(ctx, client), context.Canceled)
			assert.Equal(t, 1, asked, "not at all by a call that begins later")

			// In a wait for the rate limit.
			ctx, cancel = context.WithCancel(t.Context())
			client = apitest.NewFake(t, apitest.Said{Limit: 1000, Remaining: 0, Left: 30 * time.Second, Skew: 0, RetryAfter: ""}.With(apitest.Succeeds)).Client(source)
			require.NoError(t, apitest.Read(t.Context(), client))
			time.AfterFunc(30*time.Second, cancel)
			if err := apitest.Read(ctx, client); err != nil { // Or the window ended first.
				require.ErrorIs(t, err, context.Canceled)
			}
		})
	}
}
