package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

// The keys contain characters that JSON encoders escape.
var leakKeys = []string{apitest.Key, "sk_live_a/b+c<d>&e=f", `sk_test_q\q<z`}

// looseCause is an error whose text printers can read as a field.
type looseCause string

func (c looseCause) Error() string { return string(c) }

// structCause is an error whose fields printers follow.
type structCause struct{ Text string }

func (c structCause) Error() string { return c.Text }

// echoes are responses of servers that repeat the key wherever possible.
func echoes(key string) map[string]apitest.Responder {
	headers := []string{"X-Request-Id: req_" + key, "Location: https://x.test/" + key, "Set-Cookie: k=" + key, "X-Echo: Bearer " + key}
	plain, err := json.Marshal(key)
	if err != nil {
		panic(err)
	}
	spellings := map[string]string{"as Go writes it": string(plain[1 : len(plain)-1])}
	all := make(map[string]apitest.Responder)
	for name, k := range spellings {
		resource := `{"id":"` + k + `","name":"x ` + k + ` y","` + k + `":"` + k + `","new":{"deep":["` + k + `"]},"custom_domain":"` + k + k + `","code":"` + k + `",
			"pillars":[{"id":"` + k + `","summary":"` + k + `"}],"strengths":["` + k + `",{"a":"` + k + `"}],"candidate":{"email":"` + k + `"},"next_cursor":"` + k + `"}`
		all["success, "+name] = apitest.Respond(200, `{"data":`+resource+`,"meta":{"request_id":"`+k+`","next_cursor":"`+k+`","has_more":false}}`, headers...)
		all["list, "+name] = apitest.Respond(200, `{"data":[`+resource+`],"meta":{"request_id":"`+k+`","next_cursor":"`+k+`","has_more":false}}`, headers...)
		all["bare, "+name] = apitest.Respond(200, resource, headers...)
		for _, status := range []int{302, 400, 401, 429, 500} {
			all[fmt.Sprintf("%d, %s", status, name)] = apitest.Respond(status, `{"error":{"code":"C_`+k+`","message":"bad key `+k+`","request_id":"`+k+`",
				"details":{"formErrors":["`+k+`"],"fieldErrors":{"`+k+`":["`+k+`"]}}}}`, headers...)
		}
		all["broken, "+name] = apitest.Respond(200, `{"data":{"new":{"`+k+`":`, headers...)
	}
	all["HTML"] = apitest.Respond(502, "<html>"+key+" Authorization: Bearer "+key, headers...)
	all["text"] = apitest.Respond(200, key, headers...)
	all["transport"] = apitest.Fail(errors.New("cannot send https://x.test?key=" + key + " with Bearer " + key))
	all["transport, loose"] = apitest.Fail(looseCause("Bearer " + key))
	all["transport, struct"] = apitest.Fail(structCause{"Bearer " + key})
	all["body breaks"] = apitest.Truncate(200, `{"data":`, structCause{key})
	return all
}

func TestKeyIsNeverVisible(t *testing.T) {
	t.Parallel()
	for _, key := range leakKeys {
		for name, reply := range echoes(key) {
			synctest.Test(t, func(t *testing.T) { keyShowsUpNowhere(t, key, name, reply) })
		}
	}
}

func TestClientPrintsEnvironmentAndHost(t *testing.T) {
	t.Parallel()
	for _, key := range leakKeys {
		client, err := hiring.New("https://hiring.example.com/prefix/", key)
		require.NoError(t, err)
		want := "hiring.Client(" + string(client.Environment()) + ", hiring.example.com)"
		var log bytes.Buffer
		slog.New(slog.NewMultiHandler(slog.NewTextHandler(&log, nil), slog.NewJSONHandler(&log, nil))).Info("made", "client", client)
		asJSON, err := json.Marshal(client) //nolint:musttag // A client has no members.
		require.NoError(t, err)
		assert.Equal(t, want, fmt.Sprintf("%v", client))
		assert.Equal(t, want, fmt.Sprintf("%+v", client))
		assert.Contains(t, log.String(), `client="`+want+`"`)
		apitest.AssertNoKey(t, key, "the client", client, *client, fmt.Sprintf("%#v", client), log.String(), string(asJSON))
	}
	assert.Equal(t, "hiring.Client(without New)", new(hiring.Client).String())
}

func keyShowsUpNowhere(t *testing.T, key, name string, reply apitest.Responder) {
	var log bytes.Buffer
	options := &slog.HandlerOptions{Level: slog.LevelDebug}
	fake := apitest.NewScriptedServer(t, reply)
	var exchanges []hiring.Exchange
	opts := []hiring.Option{
		hiring.WithHTTPClient(&http.Client{Transport: fake}),
		hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 2}),
		hiring.WithObserver(func(_ context.Context, e hiring.Exchange) { exchanges = append(exchanges, e) }),
		hiring.WithLogger(slog.New(slog.NewMultiHandler(slog.NewTextHandler(&log, options), slog.NewJSONHandler(&log, options)))),
	}
	client, err := hiring.New(apitest.BaseURL, key, opts...)
	require.NoError(t, err)
	sourced, err := hiring.New(apitest.BaseURL, key, append(opts, hiring.WithKeySource(func(context.Context) (string, error) { return key, nil }))...)
	require.NoError(t, err)
	for _, c := range []*hiring.Client{client, sourced} {
		var raw hiring.Response
		ctx := hiring.WithResponse(t.Context(), &raw)
		calls := map[string]error{
			"Account.Get": apitest.ErrorOf(c.Account.Get(ctx)),
			"Report":      apitest.ErrorOf(c.Submissions.Report(ctx, "a")),
			"Send":        apitest.ErrorOf(c.Invitations.Send(ctx, "a", hiring.NewInvitation{Email: "e", Name: "n"})),
			"a page":      apitest.ErrorOf(c.Members.List().Page(ctx)),
			"Do":          apitest.ErrorOf(c.Do(ctx, "GET", "/x", nil, nil, new(any))),
			"OpenAPI":     apitest.ErrorOf(c.OpenAPI(ctx)),
		}
		for what, err := range calls {
			apitest.AssertNoKey(t, key, name+": "+what, err)
			if failure, ok := errors.AsType[*hiring.Error](err); ok {
				form, fields := failure.Fields()
				apitest.AssertNoKey(t, key, name+": the error of "+what, failure, *failure, form, fields)
			}
		}
		apitest.AssertNoKey(t, key, name+": the captured header", raw.Header, raw.RequestID)
		apitest.AssertNoKey(t, key, name+": the client", c, *c, c.Account, *c.Account, *c.Assessments, *c.Invitations, *c.Submissions, *c.Events, c.Quota(), c.Environment(), opts)
	}
	require.NotEmpty(t, exchanges, "%s", name)
	for _, e := range exchanges {
		apitest.AssertNoKey(t, key, name+": Exchange", e, &e)
	}
	require.NotEmpty(t, log.String(), "%s", name)
	apitest.AssertNoKey(t, key, name+": the log", log.String())
}

func TestRequestThatHoldsTheKeyIsRefused(t *testing.T) {
	const odd = "sk_test_a/b+c%d&0123456789"
	for _, key := range []string{apitest.Key, odd} {
		fake := apitest.NewScriptedServer(t, apitest.RespondData(apitest.Resource))
		client, err := hiring.New(apitest.BaseURL, key, hiring.WithHTTPClient(&http.Client{Transport: fake}))
		require.NoError(t, err)
		do := func(path string, query url.Values) error {
			return apitest.ErrorOf(client.Do(t.Context(), "GET", path, query, nil, nil))
		}
		for want, errs := range map[string][]error{
			"path": {
				apitest.ErrorOf(client.Submissions.Get(t.Context(), key)),
				apitest.ErrorOf(client.Invitations.Send(t.Context(), "x"+key, hiring.NewInvitation{Email: "e", Name: "n"})),
				apitest.ErrorOf(client.Events.List(key, hiring.EventFilter{}).Collect(t.Context())),
				do("/widgets/"+url.PathEscape(key), nil),
				do("/widgets/"+url.QueryEscape(url.PathEscape(key)), nil),
			},
			"query": {
				apitest.ErrorOf(client.Submissions.List(hiring.SubmissionFilter{AssessmentID: key}).Page(t.Context())),
				do("/widgets", url.Values{"q": {"x " + key}}),
				do("/widgets", url.Values{key: nil, "k" + key: {""}}),
			},
		} {
			for i, err := range errs {
				refused, ok := errors.AsType[*hiring.ParamError](err)
				require.True(t, ok, "%s %d: %v", want, i, err)
				assert.Equal(t, want, refused.Param, i)
				apitest.AssertNoKey(t, key, want, err)
			}
		}
		assert.Empty(t, fake.Requests())
	}
	fake := apitest.NewScriptedServer(t, apitest.RespondData(apitest.Resource))
	client, err := hiring.New(apitest.BaseURL, "submission", hiring.WithHTTPClient(&http.Client{Transport: fake}))
	require.NoError(t, err)
	_, err = client.Submissions.Get(t.Context(), "x")
	require.NoError(t, err, "a short key may be a word")
}

// A cause whose text holds the key is not reachable, and any other cause is.
func TestCausesThatHoldTheKeyAreNotReachable(t *testing.T) {
	harmless, harmful := errors.New("vault closed"), errors.New("vault refused "+apitest.Key)
	for cause, reachable := range map[error]bool{
		harmless: true, harmful: false, errors.Join(harmless, harmful): false, &url.Error{Op: "vault", Err: harmless}: true, hidden{harmful}: false,
	} {
		fake := apitest.NewScriptedServer(t, apitest.Fail(cause))
		_, err := fake.Client(apitest.NoRetry).Account.Get(t.Context())
		assert.Equal(t, reachable, errors.Is(err, cause), "%v", cause)
		require.ErrorContains(t, err, "vault")
		apitest.AssertNoKey(t, apitest.Key, "the error", err)
	}
}

// hidden does not show the text of its cause.
type hidden struct{ cause error }

func (hidden) Error() string   { return "vault failed" }
func (h hidden) Unwrap() error { return h.cause }

// The text of a body is cut after the key was replaced, which may be longer than its replacement.
func TestNoPartOfAKeyIsQuoted(t *testing.T) {
	key := "sk_live_" + strings.Repeat("0123456789", 6)
	fake := apitest.NewScriptedServer(t, apitest.Respond(502, "x"+strings.Repeat(key+" ", 9)))
	client, err := hiring.New(apitest.BaseURL, key, hiring.WithHTTPClient(&http.Client{Transport: fake}), apitest.NoRetry)
	require.NoError(t, err)
	_, err = client.Account.Get(t.Context())
	require.ErrorContains(t, err, "x[redacted]")
	require.NotContains(t, err.Error(), "0123")
}

// A captured header does not hold the key, however the server sends it back.
func TestCapturedHeadersDoNotHoldTheKey(t *testing.T) {
	fake := apitest.NewScriptedServer(t, apitest.RespondData(`{"id":"x","name":"`+apitest.Key+`"}`, "X-Echo: Bearer "+apitest.Key))
	var got hiring.Response
	_, err := fake.Client().Account.Get(hiring.WithResponse(t.Context(), &got))
	require.NoError(t, err)
	assert.Equal(t, http.Header{"X-Echo": {"Bearer [redacted]"}}["X-Echo"], got.Header["X-Echo"])
	assert.Contains(t, string(got.Body), apitest.Key, "the API's own data is not searched")
}

// A program decodes resources that it has stored, and logs the error.
func TestErrorsOfDecodingDoNotQuoteValues(t *testing.T) {
	for field, value := range map[string]string{"created_at": `"jane@example.com"`, "paused_total_seconds": "4711.5", "budget": `"jane@example.com"`} {
		err := json.Unmarshal(fmt.Appendf(nil, `{%q: %s}`, field, value), new(hiring.Submission))
		require.ErrorContains(t, err, field)
		assert.NotContains(t, fmt.Sprintf("%v %#v", err, err), strings.Trim(value, `"`), "%s", field)
		assert.NoError(t, errors.Unwrap(err), "%s", field)
	}
}
