package client_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestEveryDocumentedCodeIsDecoded(t *testing.T) {
	all := []hiring.ErrorCode{
		hiring.ErrInvalidInput, hiring.ErrInvalidToken, hiring.ErrPlanLimitReached, hiring.ErrInsufficientScope,
		hiring.ErrNotFound, hiring.ErrConflict, hiring.ErrRateLimited, hiring.ErrInternal,
	}
	for status, wire := range map[int]string{
		400: "INVALID_INPUT", 401: "INVALID_TOKEN", 402: "PLAN_LIMIT_REACHED", 403: "INSUFFICIENT_SCOPE",
		404: "NOT_FOUND", 409: "CONFLICT", 429: "RATE_LIMITED", 500: "INTERNAL_ERROR", 418: "BRAND_NEW",
	} {
		fake := apitest.NewScriptedServer(t, apitest.Respond(status, `{"error":{"code":"`+wire+`","message":"said the API","details":{"limit":200},"request_id":"req_body"}}`,
			"X-Request-Id: req_head", "X-RateLimit-Limit: 200", "X-RateLimit-Remaining: 3", "X-RateLimit-Reset: 1800000000", "Retry-After: 9"))
		err := fake.Client(apitest.NoRetry).Assessments.Delete(t.Context(), "a1")
		failure := apitest.RequireError(t, wire, err)
		outcome := hiring.OutcomeNotDone
		if status == 500 {
			outcome = hiring.OutcomeUnknown
		}
		limit := hiring.RateLimit{Limit: 200, Remaining: 3, Reset: time.Unix(1800000000, 0).UTC()}
		assert.Equal(t, [6]any{hiring.ErrorCode(wire), "said the API", status, "req_head", "DELETE", "/assessments/{id}"},
			[6]any{failure.Code, failure.Message, failure.Status, failure.RequestID, failure.Method, failure.Route}, "%s", wire)
		assert.Equal(t, [5]any{1, outcome, 9 * time.Second, limit, `{"limit":200}`},
			[5]any{failure.Attempts, failure.Outcome, failure.RetryAfter, failure.RateLimit, string(failure.Details)}, "%s", wire)
		for _, code := range all {
			assert.Equal(t, string(code) == wire, errors.Is(err, code), "errors.Is(%s, %s)", wire, code)
		}
		require.NotErrorIs(t, err, hiring.ErrorCode(""), "%s is not the empty code", wire)
		assert.Equal(t, outcome == hiring.OutcomeUnknown, errors.Is(err, hiring.ErrOutcomeUnknown), "%s", wire)
		require.NoError(t, errors.Unwrap(err), "%s has no cause", wire)
		want := fmt.Sprintf("hiring: Assessments.Delete: %d %s: said the API; retry after 9s (request req_head)", status, wire)
		if status == 401 {
			want += ": hiring.example.com refused the key sk_test_…: check it for expiry and revocation, or make another in the dashboard"
		}
		if status == 500 {
			want = "hiring: Assessments.Delete: 500 INTERNAL_ERROR: said the API; the outcome is unknown: check before you repeat it; retry after 9s (request req_head)"
		}
		assert.Equal(t, want, err.Error())
	}
}

func TestErrorText(t *testing.T) {
	failure := &hiring.Error{Code: hiring.ErrNotFound, Message: "a\nb\x1b[31m\tc", RequestID: "req_\r\n1", Outcome: hiring.OutcomeDone}
	assert.Equal(t, "hiring: NOT_FOUND: a b[31m c; the write itself was done (request req_ 1)", failure.Error(), "one line")
	assert.Equal(t, "NOT_FOUND", hiring.ErrNotFound.Error())
	assert.Equal(t, "hiring: id: is empty", (&hiring.ParamError{Param: "id", Problem: "is empty"}).Error())
	assert.NotErrorIs(t, &hiring.Error{}, hiring.ErrorCode(""), "no code is no code")
}

// Users build errors in the tests of their error handling.
func TestErrorsThatATestHasBuilt(t *testing.T) {
	for _, e := range []*hiring.Error{{Code: hiring.ErrRateLimited}, {Code: hiring.ErrRateLimited, Outcome: hiring.OutcomeNotDone}} {
		require.ErrorIs(t, e, hiring.ErrQuotaExhausted)
		require.ErrorIs(t, e, hiring.ErrRateLimited)
	}
	for _, e := range []*hiring.Error{{Code: hiring.ErrRateLimited, Status: 429}, {}, {Code: hiring.ErrRateLimited, Outcome: hiring.OutcomeUnknown}, nil} {
		require.NotErrorIs(t, e, hiring.ErrQuotaExhausted)
	}
	require.ErrorIs(t, &hiring.Error{Outcome: hiring.OutcomeUnknown}, hiring.ErrOutcomeUnknown)
	details := json.RawMessage(`{"fieldErrors":{"name":["taken"]}}`)
	for _, e := range []*hiring.Error{{Status: 400, Details: details}, {Code: hiring.ErrInvalidInput, Details: details}} {
		assert.Equal(t, map[string][]string{"name": {"taken"}}, hiring.FieldErrors(e))
	}
	assert.Nil(t, hiring.FieldErrors(&hiring.Error{Status: 409, Details: details}))
}

func TestErrorInALogNamesNobody(t *testing.T) {
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	logger.Info("m", "err", &hiring.Error{
		Operation: "Invitations.Send", Code: hiring.ErrConflict, Message: "ada@example.com", Status: 409, RequestID: "req_1", Method: "POST",
		Route: "/r", Attempts: 2, Outcome: hiring.OutcomeNotDone, Details: json.RawMessage(`"ada@example.com"`), Hint: "ask ada@example.com",
	})
	assert.Contains(t, log.String(), "err.operation=Invitations.Send err.status=409 err.code=CONFLICT err.attempts=2 err.request_id=req_1 err.outcome=not_done\n")
	log.Reset()
	logger.Info("m", "err", &hiring.Error{Code: "ada@example.com"}, "none", (*hiring.Error)(nil))
	assert.NotContains(t, log.String(), "ada")
}

func TestFields(t *testing.T) {
	for details, want := range map[string]struct {
		form        []string
		fields      map[string][]string
		fieldErrors map[string][]string
	}{
		`{"formErrors":["x"],"fieldErrors":{"name":["a","b"],"email":[]}}`: {[]string{"x"}, map[string][]string{"name": {"a", "b"}, "email": {}},
			map[string][]string{"": {"x"}, "name": {"a", "b"}, "email": {}}},
		`{"formErrors":["x"]}`:               {[]string{"x"}, nil, map[string][]string{"": {"x"}}},
		`{"formErrors":[],"fieldErrors":{}}`: {[]string{}, map[string][]string{}, nil},
		`{"limit":1}`:                        {},
		`null`:                               {},
		`"text"`:                             {},
		`{"fieldErrors":["wrong"]}`:          {},
		`[]`:                                 {},
	} {
		fake := apitest.NewScriptedServer(t, apitest.Respond(400, `{"error":{"code":"INVALID_INPUT","message":"m","details":`+details+`}}`))
		_, err := fake.Client().Account.Get(t.Context())
		form, fields := apitest.RequireError(t, "Get", err).Fields()
		assert.Equal(t, want.form, form, "form of %s", details)
		assert.Equal(t, want.fields, fields, "fields of %s", details)
		assert.Equal(t, want.fieldErrors, hiring.FieldErrors(fmt.Errorf("row: %w", err)), "FieldErrors of %s", details)
	}
	form, fields := (&hiring.Error{}).Fields()
	assert.Nil(t, form)
	assert.Nil(t, fields)
}

func TestResponsesThatAreNotFromTheAPI(t *testing.T) {
	long := strings.Repeat("x", 400)
	for _, c := range []struct{ name, body, want string }{
		{"HTML", "<html>\r\n<b>Bad\tgateway</b>\x00\x1b[31m\u0085\u2028</html>", "the response is not from the API: <html> <b>Bad gateway</b>[31m</html>"},
		{"empty", "", "the response is empty and not from the API"},
		{"long", long, "the response is not from the API: " + long[:300] + "…"},
		{"300 bytes", long[:300], "the response is not from the API: " + long[:300]},
		{"cut rune", long[:299] + "é", "the response is not from the API: " + long[:299] + "…"},
		{"invalid UTF-8", "a\xff\xfeb", "the response is not from the API: ab"},
		{"other JSON", `{"email":"jo@example.com"}`, "the response is JSON but not the API's error envelope"},
		{"cut JSON", " \t\r\n{\"email\":\"jo@exam", "the response is JSON but not the API's error envelope"},
		{"BOM", "\ufeff{\"email\":\"jo@example.com\"}", "the response is JSON but not the API's error envelope"},
		{"error null", `{"error":null,"email":"jo@example.com"}`, "the response is JSON but not the API's error envelope"},
		{"code number", `{"error":{"code":7,"message":"jo@example.com"}}`, "the response is JSON but not the API's error envelope"},
		{"null", " null ", "the response is JSON but not the API's error envelope"},
		{"far away", strings.Repeat(" \n", 300) + `{"email":"jo@example.com"}`, "the response is JSON but not the API's error envelope"},
		{"no code and no message", `{"error":{"details":"jo@example.com"}}`, "the response is JSON but not the API's error envelope"},
	} {
		for _, status := range []int{404, 502} {
			fake := apitest.NewScriptedServer(t, apitest.Respond(status, c.body, "X-Request-Id: req_9"))
			_, err := fake.Client(apitest.NoRetry).Account.Get(t.Context())
			failure := apitest.RequireError(t, c.name, err)
			assert.Equal(t, [4]any{status, hiring.ErrorCode(""), "req_9", c.want},
				[4]any{failure.Status, failure.Code, failure.RequestID, failure.Message}, "%d %s", status, c.name)
			assert.Nil(t, failure.Details, "%d %s", status, c.name)
		}
	}
}

func TestEncodedBodyIsNamed(t *testing.T) {
	for _, status := range []int{200, 404, 502} {
		fake := apitest.NewScriptedServer(t, apitest.Respond(status, "\x0b\x02\x80garbage\x03", "Content-Encoding: br", apitest.RequestIDHeader))
		_, err := fake.Client(apitest.NoRetry).Submissions.Get(t.Context(), apitest.ID)
		require.ErrorContains(t, err, `the body is encoded as "br", which was not requested`, status)
		assert.NotContains(t, err.Error(), "garbage", status)
		assert.NotContains(t, err.Error(), "base URL", status)
	}
}

func TestByteOrderMarkIsSkipped(t *testing.T) {
	fake := apitest.NewScriptedServer(t,
		apitest.Respond(200, "\ufeff"+`{"data":{"id":"org_1"},"meta":{}}`), apitest.Respond(404, "\ufeff"+`{"error":{"code":"NOT_FOUND","message":"no"}}`))
	client := fake.Client()
	account, err := client.Account.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "org_1", account.ID)
	require.ErrorIs(t, apitest.ReadAccount(t.Context(), client), hiring.ErrNotFound)
}

func TestSuccessThatCannotBeReadIsDescribedByPlace(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"wrong type", `{"data":{"status":"x","ship_score":"secret"}}`, "the response cannot be decoded: /data/ship_score has a string that does not fit the Go type int at byte 35"},
		{"number for text", `{"data":{"summary":471}}`, "/data/summary has a number that does not fit the Go type string at byte 19"},
		{"nested", `{"data":{"pillars":[{},{"score":"secret"}]}}`, "/data/pillars/1/score has a string"},
		{"not JSON", `{secret`, "the response is JSON but not the API's envelope"},
		{"trailing", `{"data":{}} secret`, "is not valid JSON at byte 12"},
		{"empty", ``, "the response is empty"},
		{"cut", `{"data":{"summary":"sec`, "/data/summary ends too early"},
		{"no data", `{"meta":{"secret":1}}`, "the response has no data"},
		{"null data", `{"data":null,"secret":1}`, "the response has no data"},
		{"long name", `{"data":{"facts":{"` + strings.Repeat("k", 1000) + `":secret}}}`, "… is not valid JSON"},
	} {
		fake := apitest.NewScriptedServer(t, apitest.Respond(200, c.body, apitest.RequestIDHeader))
		_, err := fake.Client(apitest.NoRetry).Submissions.Report(t.Context(), "a")
		failure := apitest.RequireError(t, c.name, err)
		assert.Contains(t, err.Error(), c.want, "%s", c.name)
		assert.NotContains(t, err.Error(), "secret", "%s: the value is not quoted", c.name)
		assert.NotContains(t, err.Error(), "471", "%s: the value is not quoted", c.name)
		assert.Less(t, len(err.Error()), 500, "%s", c.name)
		assert.Equal(t, [2]any{200, hiring.ErrorCode("")}, [2]any{failure.Status, failure.Code}, "%s", c.name)
		for cause := errors.Unwrap(err); cause != nil; cause = errors.Unwrap(cause) {
			assert.NotContains(t, cause.Error(), "secret", "%s: nor in a cause", c.name)
		}
	}
}

func TestReadersOfTruncatedBodiesSeeTheCause(t *testing.T) {
	for name, reply := range map[string]apitest.Responder{
		"clean EOF":      apitest.Respond(200, `{"data":{`),
		"unexpected EOF": apitest.Truncate(200, `{"data":{`, io.ErrUnexpectedEOF),
	} {
		fake := apitest.NewScriptedServer(t, reply)
		_, err := fake.Client(apitest.NoRetry).Account.Get(t.Context())
		require.ErrorIs(t, err, io.ErrUnexpectedEOF, "%s", name)
	}
	fake := apitest.NewScriptedServer(t, apitest.Truncate(200, `{"data":{"id":"secret"`, apitest.ErrReset))
	_, err := fake.Client(apitest.NoRetry).Account.Get(t.Context())
	require.ErrorIs(t, err, apitest.ErrReset)
	require.ErrorContains(t, err, "the response was not complete: connection reset by peer")
	assert.NotContains(t, err.Error(), "secret")
}

func TestDeepNesting(t *testing.T) {
	deep, deepest := strings.Repeat("[", 1<<20), strings.Repeat("[", 10<<20)
	for _, c := range []struct {
		status int
		body   string
		want   string
	}{
		{200, deep, "JSON but not the API's envelope"},
		{200, `{"data":` + deep, "has a list that does not fit the Go type struct"},
		{200, `{"data":{"new":` + deepest, "is not valid JSON"},
		{200, `{"data":{"payload":` + strings.Repeat(`{"a":`, 1<<20), "is not valid JSON"},
		{500, deep, "JSON but not the API's error envelope"},
		{400, `{"error":{"code":"INVALID_INPUT","details":` + deepest, "JSON but not the API's error envelope"},
	} {
		fake := apitest.NewScriptedServer(t, apitest.Respond(c.status, c.body, apitest.RequestIDHeader))
		_, err := fake.Client(apitest.NoRetry).Account.Get(t.Context())
		require.ErrorContains(t, err, c.want, "%d %.30s", c.status, c.body)
		assert.Less(t, len(err.Error()), 600, "%d %.30s", c.status, c.body)
	}
}

func TestBodyOverTheCap(t *testing.T) {
	body := `{"data":{"id":"x","name":"` + strings.Repeat("n", 1000) + `"},"meta":{}}`
	n := int64(len(body))
	for _, c := range []struct {
		limit int64
		ok    bool
	}{{n, true}, {n - 1, false}, {1, false}, {math.MaxInt64, true}} {
		fake := apitest.NewScriptedServer(t, apitest.Respond(200, body, apitest.RequestIDHeader))
		client := fake.Client(hiring.WithMaxResponseBytes(c.limit))
		_, err := client.Account.Get(t.Context())
		if c.ok {
			require.NoError(t, err, "limit %d", c.limit)
			continue
		}
		require.ErrorContains(t, err, fmt.Sprintf("longer than %d bytes", c.limit))
		assert.Len(t, fake.Requests(), 1, "not repeated")
		if c.limit == 1 { // It is not known whether the response is from the API.
			continue
		}
		_, err = client.Assessments.Close(t.Context(), "a")
		assert.Equal(t, hiring.OutcomeDone, apitest.RequireError(t, "Close", err).Outcome)
	}
}

func TestEndlessBodiesAreReadUpToTheLimit(t *testing.T) {
	for _, c := range []struct {
		status int
		call   func(*hiring.Client) error
		want   string // Empty: the call succeeds.
		most   int
	}{
		{500, func(c *hiring.Client) error { _, err := c.Account.Get(t.Context()); return err }, "not the API's error envelope", 4 << 20},
		{200, func(c *hiring.Client) error { return c.Assessments.Delete(t.Context(), "a") }, "longer than 4194304 bytes", 4 << 20},
		{200, func(c *hiring.Client) error { _, err := c.Account.Get(t.Context()); return err }, "longer than 4194304 bytes", 4 << 20},
	} {
		endless := new(brackets)
		fake := apitest.NewScriptedServer(t, func(r *http.Request) (*http.Response, error) {
			return apitest.NewResponse(r, c.status, endless, apitest.RequestIDHeader), nil
		})
		err := c.call(fake.Client(apitest.NoRetry, hiring.WithMaxResponseBytes(4<<20)))
		if c.want != "" {
			require.ErrorContains(t, err, c.want, "%d", c.status)
		} else {
			require.NoError(t, err, "%d", c.status)
		}
		assert.LessOrEqual(t, endless.read, c.most+1, "%d: bytes read", c.status)
		assert.True(t, endless.closed, "%d: the body is closed", c.status)
	}
}

// brackets is an endless body.
type brackets struct {
	read   int
	closed bool
}

func (b *brackets) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '['
	}
	b.read += len(p)
	return len(p), nil
}

func (b *brackets) Close() error { b.closed = true; return nil }

func TestBodyThatStallsEndsAndLeavesNothing(t *testing.T) {
	for _, status := range []int{200, 404, 500} {
		// The bubble fails when a goroutine remains.
		synctest.Test(t, func(t *testing.T) {
			fake := apitest.NewScriptedServer(t, apitest.Stall(status, `{"data":`))
			begun := time.Now()
			_, err := fake.Client(apitest.NoRetry, hiring.WithTimeout(5*time.Second)).Account.Get(t.Context())
			require.Error(t, err)
			assert.Equal(t, 5*time.Second, time.Since(begun), "%d", status)
			begun = time.Now()
			err = fake.Client(apitest.NoRetry, hiring.WithTimeout(5*time.Second)).Assessments.Delete(t.Context(), "a")
			assert.Equal(t, status == 200, err == nil, "%d Delete: %v", status, err)
			assert.Equal(t, 5*time.Second, time.Since(begun), "%d Delete", status)
		})
	}
}

func TestTransportWithoutABody(t *testing.T) {
	err := apitest.NewScriptedServer(t, func(r *http.Request) (*http.Response, error) {
		return apitest.NewResponse(r, 200, nil, apitest.RequestIDHeader), nil
	}).Client().Assessments.Delete(t.Context(), "a")
	require.NoError(t, err, "a 2xx is a success whatever its body")
}

// TestTransportThatSharesItsResponse returns one response to all calls, as some mocks do. The race detector notices a
// client that changes it.
func TestTransportThatSharesItsResponse(t *testing.T) {
	for _, status := range []int{204, 302, 404} {
		header := http.Header{"X-Request-Id": {"req_1"}, "Location": {"://"}, "Set-Cookie": {"a=b"}}
		shared := &http.Response{StatusCode: status, Header: header, Body: http.NoBody}
		mock := apitest.RoundTripper(func(*http.Request) (*http.Response, error) { return shared, nil })
		jar, err := cookiejar.New(nil)
		require.NoError(t, err)
		client, err := hiring.New("https://hiring.test", sandbox.TestKey, hiring.WithHTTPClient(&http.Client{Transport: mock, Jar: jar}))
		require.NoError(t, err)
		var calls sync.WaitGroup
		for range 8 {
			calls.Go(func() { _ = client.Assessments.Delete(t.Context(), "a") })
		}
		calls.Wait()
		assert.Equal(t, &http.Response{StatusCode: status, Header: header, Body: http.NoBody}, shared)
	}
}

func TestInvalidUTF8IsDecoded(t *testing.T) {
	fake := apitest.NewScriptedServer(t, apitest.Respond(200, "{\"data\":{\"id\":\"x\",\"name\":\"a\xff\",\"slug\":\"first\",\"slug\":\"last\",\"new\":{\"x\":\"\\ud800\",\"x\":2}},\"meta\":{},\"meta\":{}}"))
	account, err := fake.Client().Account.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "a\ufffd", account.Name)
	assert.Equal(t, "last", account.Slug)
	assert.Contains(t, account.Extra, "new")
}

func TestLoneSurrogateInAPayloadDoesNotBlockTheLog(t *testing.T) {
	fake := apitest.NewScriptedServer(t, apitest.Respond(200, `{"data":[
		{"seq":1,"kind":"ai_prompt","ts_ms":1,"payload":{"text":"cut \ud83d"}},
		{"seq":2,"kind":"ai_prompt","ts_ms":2,"payload":{"text":"fine","text":"twice"}}],"meta":{"has_more":false}}`))
	events, err := fake.Client().Events.List("a", hiring.EventFilter{}).Collect(t.Context())
	require.NoError(t, err)
	require.Len(t, events, 2)
	prompt, ok := events[0].AIPrompt()
	assert.True(t, ok)
	assert.Equal(t, "cut \ufffd", prompt.Text)
	prompt, ok = events[1].AIPrompt()
	assert.True(t, ok)
	assert.Equal(t, "twice", prompt.Text)
}

func TestAnyBodyOfA2xxIsSuccessForDeleteAndRevoke(t *testing.T) {
	for name, reply := range map[string]apitest.Responder{
		"200 with body": apitest.RespondData(`{}`), "200 empty": apitest.Respond(200, "", apitest.RequestIDHeader), "204": apitest.Respond(204, "", apitest.RequestIDHeader),
		"cut": apitest.Truncate(200, `{"data":`, apitest.ErrReset), "cut at once": apitest.Truncate(200, "", apitest.ErrReset, apitest.RequestIDHeader),
	} {
		client := apitest.NewScriptedServer(t, reply).Client()
		require.NoError(t, client.Assessments.Delete(t.Context(), "a"), "Delete: %s", name)
		require.NoError(t, client.Invitations.Revoke(t.Context(), "a", "i"), "Revoke: %s", name)
		_, err := client.Do(t.Context(), "POST", "/x", nil, nil, nil)
		require.NoError(t, err, "Do without out: %s", name)
	}
}

func TestNoContentWhereDataIsPromised(t *testing.T) {
	for name, call := range map[string]func(*hiring.Client) error{
		"Create": func(c *hiring.Client) error {
			return apitest.ErrorOf(c.Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: "c", Name: "n"}))
		},
		"Do": func(c *hiring.Client) error {
			return apitest.ErrorOf(c.Do(t.Context(), "POST", "/x", nil, nil, new(any)))
		},
	} {
		fake := apitest.NewScriptedServer(t, apitest.Respond(204, "", apitest.RequestIDHeader))
		err := call(fake.Client())
		failure := apitest.RequireError(t, name, err)
		assert.Equal(t, [2]any{hiring.OutcomeDone, 204}, [2]any{failure.Outcome, failure.Status}, "%s", name)
		require.ErrorContains(t, err, "204 the response has no data; the write itself was done", "%s", name)
	}
}

func TestNoURLInErrors(t *testing.T) {
	const address = apitest.BaseURL + "/api/v1/submissions/" + apitest.ID + "/report"
	for name, cause := range map[string]error{
		"url.Error":     &url.Error{Op: "Get", URL: address, Err: apitest.ErrReset},
		"wrapped":       fmt.Errorf("proxy: %w", &url.Error{Op: "Get", URL: address, Err: apitest.ErrReset}),
		"in its text":   errors.New("cannot fetch " + address),
		"path only":     errors.New("cannot fetch /api/v1/submissions/" + apitest.ID + "/report"),
		"key":           errors.New("bad header Bearer " + apitest.Key),
		"control bytes": errors.New("a\nb\x00" + strings.Repeat("x", 1000)),
	} {
		fake := apitest.NewScriptedServer(t, apitest.Fail(cause))
		_, err := fake.Client(apitest.NoRetry).Submissions.Report(t.Context(), apitest.ID)
		assert.Equal(t, name != "key", errors.Is(err, cause), "%s: the cause is reachable", name)
		for _, secret := range []string{"https://", apitest.ID, apitest.Key, "\n", "\x00"} {
			assert.NotContains(t, err.Error(), secret, "%s", name)
		}
		assert.Less(t, len(err.Error()), 400, "%s", name)
	}
}

func TestDetailsAreRawAndNullMeansNone(t *testing.T) {
	for details, want := range map[string]json.RawMessage{
		`,"details":{"a":[1, 2]}`: json.RawMessage(`{"a":[1, 2]}`), `,"details":null`: nil, ``: nil, `,"details":"x"`: json.RawMessage(`"x"`),
	} {
		fake := apitest.NewScriptedServer(t, apitest.Respond(400, `{"error":{"code":"INVALID_INPUT","message":"m"`+details+`}}`))
		_, err := fake.Client().Account.Get(t.Context())
		assert.Equal(t, want, apitest.RequireError(t, "Get", err).Details, "%s", details)
	}
}

// The code is used even if the other fields have an unexpected shape.
func TestInvalidMembersDoNotHideTheCode(t *testing.T) {
	fake := apitest.NewScriptedServer(t, apitest.Respond(400, `{"error":{"code":"INVALID_INPUT","message":"m","request_id":7,"details":{"formErrors":"one","fieldErrors":{"a":"x","b":["y",2],"c":3}}}}`))
	_, err := fake.Client().Account.Get(t.Context())
	require.ErrorIs(t, err, hiring.ErrInvalidInput)
	form, fields := apitest.RequireError(t, "Get", err).Fields()
	assert.Equal(t, []string{"one"}, form)
	assert.Equal(t, map[string][]string{"a": {"x"}, "b": {"y"}, "c": nil}, fields)
}

// The status decides about a rejection, whether its body is complete or not.
func TestRejectionsThatAreCutShort(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		begin  string
		text   string
	}{
		"404":                   {404, `{"error":{"code":"NOT_F`, "404 the response was cut short"},
		"404 without body":      {404, ``, "404 the response was cut short"},
		"302":                   {302, `<html>`, "correct the base URL; the response was cut short"},
		"403 page":              {403, `<html>`, "403 the response is not from the API: <html>; "},
		"whole error, then cut": {404, `{"error":{"code":"NOT_FOUND","message":"No."}}`, "404 NOT_FOUND: No; "},
	} {
		synctest.Test(t, func(t *testing.T) {
			fake := apitest.NewScriptedServer(t, apitest.Truncate(c.status, c.begin, io.ErrUnexpectedEOF, apitest.RequestIDHeader))
			err := apitest.ReadAccount(t.Context(), fake.Client())
			require.ErrorContains(t, err, c.text, name)
			require.ErrorContains(t, err, "the response was cut short", name)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF, name)
			assert.False(t, hiring.IsTransient(err), name)
			assert.Len(t, fake.Requests(), 1, name)
		})
	}
}

func TestTextsOfOtherUnusableResponses(t *testing.T) {
	for name, c := range map[string]struct {
		status     int
		body, want string
	}{
		"empty":                 {201, ``, "201 the response is empty; the write itself was done"},
		"blank":                 {201, ` `, "201 the response is empty; the write itself was done"},
		"a number out of range": {201, `{"data":{"id":"a","budget_dollars_cap":1e999}}`, "/data/budget_dollars_cap has a number that does not fit the Go type float64 at byte"},
	} {
		fake := apitest.NewScriptedServer(t, apitest.Respond(c.status, c.body, apitest.RequestIDHeader))
		_, err := fake.Client().Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: apitest.ID, Name: "x"})
		require.ErrorContains(t, err, c.want, name)
	}
}

func TestErrorsAsFindsTheCode(t *testing.T) {
	client := sandbox.Start(t).LiveClient(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}))
	_, err := client.Submissions.Get(t.Context(), sandbox.UnknownID)
	var code hiring.ErrorCode
	require.ErrorAs(t, fmt.Errorf("row 3: %w", err), &code)
	assert.Equal(t, hiring.ErrNotFound, code)
	_, err = client.Submissions.Get(t.Context(), "")
	require.ErrorAs(t, err, &code)
	assert.Equal(t, hiring.ErrInvalidInput, code, "an input that was refused locally")
	code = "unchanged"
	assert.NotErrorAs(t, &hiring.Error{Status: 502}, &code)
	assert.Equal(t, hiring.ErrorCode("unchanged"), code)
}

func TestNilErrorsDoNotPanic(t *testing.T) {
	var none *hiring.Error
	form, fields := none.Fields()
	assert.Nil(t, form)
	assert.Nil(t, fields)
	require.NoError(t, none.Unwrap())
	assert.NotEmpty(t, none.Error())
	var code hiring.ErrorCode
	for _, err := range []error{none, fmt.Errorf("wrapped: %w", none), errors.Join(none, io.EOF)} {
		assert.Nil(t, hiring.FieldErrors(err))
		assert.False(t, hiring.IsTransient(err))
		require.NotErrorIs(t, err, hiring.ErrNotFound)
		require.NotErrorIs(t, err, hiring.ErrOutcomeUnknown)
		assert.NotErrorAs(t, err, &code)
	}
}
