package secrets_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

// The keys contain characters that JSON encoders escape.
var leakKeys = []string{apitest.Key, "sk_live_a/b+c<d>&e=f'g", `sk_test_"q\q"z`}

// looseCause is an error whose text printers can read as a field.
type looseCause string

func (c looseCause) Error() string { return string(c) }

// structCause is an error whose fields printers follow.
type structCause struct{ Text string }

func (c structCause) Error() string { return c.Text }

// escaped returns s with each byte as a JSON escape.
func escaped(s string, format string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, format, s[i])
	}
	return b.String()
}

// echoes are responses of servers that repeat the key wherever possible.
func echoes(key string) map[string]apitest.Responder {
	headers := []string{"X-Request-Id: req_" + key, "Location: https://x.test/" + key, "Set-Cookie: k=" + key, "X-Echo: Bearer " + key}
	spellings := map[string]string{"all escaped": escaped(key, `\u%04x`), "upper case": escaped(key, `\u%04X`)}
	plain, err := json.Marshal(key)
	if err != nil {
		panic(err)
	}
	spellings["as Go writes it"] = string(plain[1 : len(plain)-1])
	spellings["as PHP writes it"] = strings.ReplaceAll(spellings["as Go writes it"], "/", `\/`)
	spellings["half escaped"] = `\\\u0073` + spellings["as Go writes it"][1:]
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
		account, err := c.Account.Get(ctx)
		apitest.AssertNoKey(t, key, name+": Account.Get", account, &account, err, raw, &raw)
		if failure, ok := errors.AsType[*hiring.Error](err); ok {
			form, fields := failure.Fields()
			apitest.AssertNoKey(t, key, name+": the error", failure, *failure, form, fields)
		}
		for id := range fieldsOf(account) {
			apitest.AssertNoKey(t, key, name+": a field", id)
		}
		report, err := c.Submissions.Report(ctx, "a")
		apitest.AssertNoKey(t, key, name+": Report", report, &report, err)
		for _, v := range report.Strengths {
			text, _ := v.Text()
			apitest.AssertNoKey(t, key, name+": Value", v, text)
		}
		submission, err := c.Submissions.Get(ctx, "a")
		apitest.AssertNoKey(t, key, name+": Submission", submission, err)
		invitation, err := c.Invitations.Send(ctx, "a", hiring.NewInvitation{Email: "e", Name: "n"})
		apitest.AssertNoKey(t, key, name+": Send", invitation, err)
		pager := c.Members.List()
		page, err := pager.Page(ctx)
		apitest.AssertNoKey(t, key, name+": a page", pager, page, page.Meta, err)
		var out any
		meta, err := c.Do(ctx, "GET", "/x", nil, nil, &out)
		apitest.AssertNoKey(t, key, name+": Do", out, meta, err)
		document, err := c.OpenAPI(ctx)
		apitest.AssertNoKey(t, key, name+": OpenAPI", document, string(document), err)
		apitest.AssertNoKey(t, key, name+": the client", c, *c, c.Account, *c.Account, *c.Assessments, *c.Invitations, *c.Submissions, *c.Events, c.Quota(), c.Environment(), opts)
	}
	require.NotEmpty(t, exchanges, "%s", name)
	for _, e := range exchanges {
		apitest.AssertNoKey(t, key, name+": Exchange", e, &e)
	}
	require.NotEmpty(t, log.String(), "%s", name)
	apitest.AssertNoKey(t, key, name+": the log", log.String())
}

// fieldsOf returns the decoded texts of an account.
func fieldsOf(a hiring.Account) map[string]bool {
	texts := map[string]bool{a.ID: true, a.Name: true}
	if a.CustomDomain != nil {
		texts[*a.CustomDomain] = true
	}
	for name, raw := range a.Extra {
		texts[name] = true
		var v any
		if json.Unmarshal(raw, &v) == nil {
			texts[fmt.Sprint(v)] = true
		}
	}
	return texts
}

func TestKeyTravelsInOneHeaderOnly(t *testing.T) {
	for _, op := range apitest.Operations() {
		fake := apitest.NewScriptedServer(t, apitest.Respond(200, op.Response))
		require.NoError(t, op.Call(t.Context(), fake.Client()), "%s", op.Name)
		for _, sent := range fake.Requests() {
			assert.Equal(t, []string{"Bearer " + apitest.Key}, sent.Header["Authorization"], "%s", op.Name)
			sent.Header.Del("Authorization")
			apitest.AssertNoKey(t, apitest.Key, op.Name, sent)
		}
	}
}

func TestTextSimilarToTheKeyIsKept(t *testing.T) {
	const text = `sk_test_51Hx\\u0073k_test \" \/ \u0073k_test_51 \\sk_ \u00`
	fake := apitest.NewScriptedServer(t, apitest.Respond(502, "_"+text))
	_, err := fake.Client(apitest.NoRetry).Account.Get(t.Context())
	assert.Equal(t, "the response is not from the API: _"+text, apitest.RequireError(t, "Get", err).Message)

	account, err := apitest.NewScriptedServer(t, apitest.RespondData(`{"id":"x","name":"half `+apitest.Key[:15]+`"}`)).Client().Account.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "half "+apitest.Key[:15], account.Name)

	// A key of a few letters would remove these letters from every response.
	fake = apitest.NewScriptedServer(t, apitest.Respond(200, `{"data":{"id":"x","name":"abcde"},"meta":{}}`, "X-Request-Id: abcde"))
	for key, want := range map[string]string{"abcde": "abcde", "abcde1": "abcde"} {
		client, err := hiring.New(apitest.BaseURL, key, hiring.WithHTTPClient(&http.Client{Transport: fake}))
		require.NoError(t, err)
		account, err := client.Account.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, want, account.Name)
	}
}

func TestTextAroundAnEchoedKeyIsKept(t *testing.T) {
	for _, k := range []string{apitest.Key, escaped(apitest.Key, `\u%04x`)} {
		fake := apitest.NewScriptedServer(t, apitest.Respond(200, `{"data":{"id":"1`+k+`2\"`+k+k+`3","name":"\\`+k+`","slug":"after"},"meta":{}}`))
		account, err := fake.Client().Account.Get(t.Context())
		require.NoError(t, err, "%s", k)
		assert.Equal(t, [3]string{`1[redacted]2"[redacted][redacted]3`, `\[redacted]`, "after"}, [3]string{account.ID, account.Name, account.Slug}, "%s", k)
	}
	client, err := hiring.New(apitest.BaseURL, "abcdef", hiring.WithHTTPClient(&http.Client{Transport: apitest.NewScriptedServer(t, apitest.RespondData(`{"id":"x","name":"abcdef"}`))}))
	require.NoError(t, err)
	account, err := client.Account.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "[redacted]", account.Name)
}
