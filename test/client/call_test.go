package client_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/internal/testing/operations"
)

func TestEveryOperationSendsOneRequestAsDocumented(t *testing.T) {
	for _, op := range operations.AllWithDo() {
		t.Run(op.Name, func(t *testing.T) {
			fake := apitest.NewScriptedServer(t, apitest.Respond(200, op.Reply()))
			var seen []hiring.Exchange
			client := fake.Client(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) { seen = append(seen, e) }))
			require.NoError(t, op.Do(t.Context(), client, op.IDs), "%s", op.Name)

			sent := fake.Requests()
			require.Len(t, sent, 1, "%s: requests", op.Name)
			assert.Equal(t, op.Method(), sent[0].Method, "%s: method", op.Name)
			assert.Equal(t, apitest.BaseURL+"/api/v1"+op.URI(), sent[0].URL, "%s: URL", op.Name)
			assert.Equal(t, op.Body, sent[0].Body, "%s: body", op.Name)
			want := http.Header{"Authorization": {"Bearer " + apitest.Key}, "Accept": {"application/json"}, "User-Agent": sent[0].Header["User-Agent"]}
			if op.Body != "" {
				want.Set("Content-Type", "application/json")
			}
			assert.Equal(t, want, sent[0].Header, "%s: headers", op.Name)
			assert.Regexp(t, `^hiring-go/`+hiring.Version+` \(go\S+; \w+/\w+\)$`, sent[0].Header.Get("User-Agent"), "%s: User-Agent", op.Name)

			require.Len(t, seen, 1, "%s: exchanges", op.Name)
			assert.Equal(t, [3]string{op.Name, op.Method(), op.Template()}, [3]string{seen[0].Operation, seen[0].Method, seen[0].Route}, "%s: exchange", op.Name)
		})
	}
}

func TestIDsAreOneEscapedSegment(t *testing.T) {
	for id, want := range map[string]string{
		"a/b": "a%2Fb", "a b": "a%20b", "ü": "%C3%BC", "%2e": "%252e", "%2e%2e": "%252e%252e", "...": "...",
		"a?b#c": "a%3Fb%23c", "a+b": "a+b", "..\\": "..%5C", "a\x00b": "a%00b", "a;b": "a%3Bb", "{id}": "%7Bid%7D",
	} {
		fake := apitest.NewScriptedServer(t, apitest.Respond(200, `{"data":{"id":"{id}","submission_id":"{id}"},"meta":{}}`))
		client := fake.Client()
		_, err := client.Submissions.Report(t.Context(), id)
		require.NoError(t, err, "Report(%q)", id)
		_, err = client.Invitations.Resend(t.Context(), id, "x/"+id)
		require.NoError(t, err, "Resend(%q)", id)
		sent := fake.Requests()
		assert.Equal(t, apitest.BaseURL+"/api/v1/submissions/"+want+"/report", sent[0].URL, "Report(%q)", id)
		assert.Equal(t, apitest.BaseURL+"/api/v1/assessments/"+want+"/invitations/x%2F"+want+"/resend", sent[1].URL, "Resend(%q)", id)
	}
}

func TestBaseURLs(t *testing.T) {
	for base, want := range map[string]string{
		"https://h.test":               "https://h.test/api/v1",
		"https://h.test/":              "https://h.test/api/v1",
		"https://h.test//":             "https://h.test/api/v1",
		"https://h.test:8443/a/b":      "https://h.test:8443/a/b/api/v1",
		"https://h.test/a%2Fb":         "https://h.test/a%2Fb/api/v1",
		"https://h.test/a%20b/":        "https://h.test/a%20b/api/v1",
		"HTTPS://h.test":               "https://h.test/api/v1",
		"http://localhost:8080":        "http://localhost:8080/api/v1",
		"http://LocalHost":             "http://LocalHost/api/v1",
		"http://127.0.0.1:1":           "http://127.0.0.1:1/api/v1",
		"http://[::1]:1":               "http://[::1]:1/api/v1",
		"http://app.localhost":         "http://app.localhost/api/v1",
		"https://h.test/hiring-api/v1": "https://h.test/hiring-api/v1/api/v1",
	} {
		fake := apitest.NewScriptedServer(t, apitest.Respond(200, `{"data":{"id":"{id}","submission_id":"{id}"},"meta":{}}`))
		client, err := hiring.New(base, apitest.Key, hiring.WithHTTPClient(&http.Client{Transport: fake}))
		require.NoError(t, err, "New(%q)", base)
		_, err = client.Account.Get(t.Context())
		require.NoError(t, err, "Account.Get below %q", base)
		_, err = client.Submissions.Get(t.Context(), "x/y")
		require.NoError(t, err, "Submissions.Get below %q", base)
		assert.Equal(t, want+"/account", fake.Requests()[0].URL, "Account.Get below %q", base)
		assert.Equal(t, want+"/submissions/x%2Fy", fake.Requests()[1].URL, "Submissions.Get below %q", base)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct{ base, key, want string }{
		{"", apitest.Key, "must be absolute"},
		{"h.test", apitest.Key, "must be absolute"},
		{"//h.test", apitest.Key, "must be absolute"},
		{"https://", apitest.Key, "must be absolute"},
		{"https:h.test", apitest.Key, "must be absolute"},
		{"https://[::1", apitest.Key, "must be absolute"},
		{"ftp://h.test", apitest.Key, "has a scheme other than https"},
		{"file:///etc/" + apitest.Key, apitest.Key, "has a scheme other than https"},
		{"localhost:8080", apitest.Key, "baseURL: must be absolute"},
		{apitest.Key, apitest.Key, "must be absolute"},
		{"https://h.test /x", apitest.Key, "contains white space or a line break"},
		{"https://h.test/\n" + apitest.Key, apitest.Key, "contains white space or a line break"},
		{"https://" + apitest.Key + "@h.test", apitest.Key, "user info"},
		{"https://h.test?key=" + apitest.Key, apitest.Key, "no query"},
		{"https://h.test?", apitest.Key, "no query"},
		{"https://h.test/#", apitest.Key, "no fragment"},
		{"https://h.test/api/v1", apitest.Key, "must not end in /api/v1: leave out /api/v1"},
		{"https://h.test/x/api/v1/", apitest.Key, "leave out /api/v1"},
		{"http://h.test", apitest.Key, "WithInsecureHTTP"},
		{"http://localhost.h.test", apitest.Key, "WithInsecureHTTP"},
		{"http://0.0.0.0", apitest.Key, "WithInsecureHTTP"},
		{apitest.BaseURL, "", "is empty"},
		{apitest.BaseURL, "Bearer " + apitest.Key, `begins with "Bearer "`},
		{apitest.BaseURL, "bearer " + apitest.Key, `begins with "Bearer "`},
		{apitest.BaseURL, apitest.Key + "\n", "contains U+000A, which"},
		{apitest.BaseURL, " " + apitest.Key, "contains U+0020 ' ', which"},
		{apitest.BaseURL, "sk–test_" + apitest.Key, "contains U+2013 '–', which"},
		{apitest.BaseURL, `"` + apitest.Key + `"`, `contains U+0022 '"', which`},
		{apitest.BaseURL, "'" + apitest.Key + "'", "contains U+0027"},
		{apitest.BaseURL, "`" + apitest.Key, "contains U+0060 '`', which"},
		{apitest.BaseURL, apitest.Key + "\x7f", "contains U+007F, which"},
	} {
		client, err := hiring.New(c.base, c.key)
		assert.Nil(t, client, "New(%q, %q)", c.base, c.key)
		require.ErrorContains(t, err, c.want, "New(%q, %q)", c.base, c.key)
		var refused *hiring.ParamError
		require.ErrorAs(t, err, &refused, "New(%q, %q)", c.base, c.key)
		require.ErrorIs(t, err, hiring.ErrInvalidInput)
		assert.True(t, strings.HasPrefix(err.Error(), "hiring: "), "New(%q): %v", c.base, err)
		assert.NotContains(t, err.Error(), "51HxQ9", "New(%q)", c.base)
	}
}

func TestNewRejectsOptions(t *testing.T) {
	for want, opt := range map[string]hiring.Option{
		"WithTimeout":           hiring.WithTimeout(-1),
		"30*time.Second":        hiring.WithTimeout(30),
		"WithLogger":            hiring.WithLogger(new(slog.Logger)),
		"WithHTTPClient":        hiring.WithHTTPClient(&http.Client{Transport: (*http.Transport)(nil)}),
		"nil pointer":           hiring.WithHTTPClient(&http.Client{Transport: apitest.RoundTripper(nil)}),
		"WithMaxResponseBytes":  hiring.WithMaxResponseBytes(0),
		"WithUserAgent":         hiring.WithUserAgent("a\nX-Evil: 1"),
		"WithEnvironment":       hiring.WithEnvironment("staging"),
		"live environment":      hiring.WithEnvironment(hiring.EnvironmentLive),
		"Dialect.GetAssessment": hiring.WithDialect(hiring.Dialect{GetAssessment: "nonsense"}),
	} {
		_, err := hiring.New(apitest.BaseURL, apitest.Key, opt)
		require.ErrorContains(t, err, want)
		var refused *hiring.ParamError
		require.ErrorAs(t, err, &refused, "%s", want)
		assert.NotContains(t, err.Error(), "51HxQ9")
		client, err := hiring.New(apitest.BaseURL, apitest.Key)
		require.NoError(t, err)
		_, err = client.With(opt)
		require.ErrorContains(t, err, want, "With judges as New does")
	}
	for _, p := range []hiring.RetryPolicy{{MaxAttempts: -1}, {BaseBackoff: -1}, {MaxBackoff: -1}} {
		_, err := hiring.New(apitest.BaseURL, apitest.Key, hiring.WithRetry(p))
		require.ErrorContains(t, err, "RetryPolicy", "%+v", p)
	}
}

func TestNewAcceptsPlainHTTPWithInsecureHTTP(t *testing.T) {
	fake := apitest.NewScriptedServer(t, apitest.RespondData(apitest.Resource))
	var server string
	client, err := hiring.New("http://10.0.0.1", apitest.Key, hiring.WithInsecureHTTP(), hiring.WithHTTPClient(&http.Client{Transport: fake}),
		hiring.WithObserver(func(_ context.Context, e hiring.Exchange) { server = e.Server }))
	require.NoError(t, err)
	require.NoError(t, apitest.ReadAccount(t.Context(), client))
	assert.Equal(t, "10.0.0.1:80", server)
}

func TestInsecureHTTPFromEnv(t *testing.T) {
	t.Setenv("HIRING_API_KEY", apitest.Key)
	for _, c := range []struct{ baseURL, insecure, want string }{
		{"http://sandbox:8780", "true", ""},
		{"http://10.0.0.7:8780", "true", ""},
		{"http://[fd00::1]:8780", "true", ""},
		{"http://localhost:8780", "", ""},
		{"http://sandbox:8780", "", "HIRING_BASE_URL: plain http"},
		{"http://sandbox:8780", "false", "HIRING_BASE_URL: plain http"},
		{"http://hiring.example.com", "true", "HIRING_BASE_URL: plain http"},
		{"http://93.184.216.34", "true", "HIRING_BASE_URL: plain http"},
		{"http://sandbox.:8780", "true", "HIRING_BASE_URL: plain http"},
		{"http://134744072", "true", "HIRING_BASE_URL: plain http"},
		{apitest.BaseURL, "1", "HIRING_INSECURE_HTTP: must be true, false or empty"},
		{apitest.BaseURL, "True", "HIRING_INSECURE_HTTP: must be true, false or empty"},
	} {
		t.Setenv("HIRING_BASE_URL", c.baseURL)
		t.Setenv("HIRING_INSECURE_HTTP", c.insecure)
		client, err := hiring.FromEnv()
		if c.want != "" {
			require.ErrorContains(t, err, c.want, c)
			require.ErrorIs(t, err, hiring.ErrInvalidInput, c)
			continue
		}
		require.NoError(t, err, c)
		_, err = client.With()
		require.NoError(t, err, c)
	}
	_, err := hiring.New("http://sandbox:8780", apitest.Key)
	require.ErrorContains(t, err, "plain http", "New does not read the variable")
}

func TestOptionsLastWinsAndObserversAddUp(t *testing.T) {
	fake := apitest.NewScriptedServer(t, apitest.Respond(503, ""))
	var first, second int
	client := fake.Client(
		hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 4}), nil, hiring.WithObserver(nil),
		hiring.WithObserver(func(context.Context, hiring.Exchange) { first++ }),
		hiring.WithUserAgent("old/1"), hiring.WithUserAgent("new/2"),
		hiring.WithObserver(func(context.Context, hiring.Exchange) { second++ }),
		hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}),
	)
	_, err := client.Account.Get(t.Context())
	require.Error(t, err)
	assert.Len(t, fake.Requests(), 1, "the last retry policy holds")
	assert.Equal(t, [2]int{1, 1}, [2]int{first, second}, "both observers are called")
	assert.Regexp(t, `^new/2 hiring-go/`, fake.Requests()[0].Header.Get("User-Agent"))
}

func TestWithHTTPClientIsCopied(t *testing.T) {
	fake := apitest.NewScriptedServer(t, apitest.Respond(200, `{"data":{"id":"{id}","submission_id":"{id}"},"meta":{}}`))
	mine := &http.Client{Transport: fake}
	client, err := hiring.New(apitest.BaseURL, apitest.Key, hiring.WithHTTPClient(mine))
	require.NoError(t, err)
	assert.Nil(t, mine.CheckRedirect, "the caller's client is not modified")
	mine.Transport = nil
	_, err = client.Account.Get(t.Context())
	require.NoError(t, err, "a later change of the caller's client has no effect")
}

func TestWithSharesQuotaAndLeavesTheOriginalAlone(t *testing.T) {
	quota := []string{"X-RateLimit-Limit: 1000", "X-RateLimit-Remaining: 41", "X-RateLimit-Reset: 1800000000"}
	fake := apitest.NewScriptedServer(t, apitest.Respond(200, `{"data":{"id":"{id}","submission_id":"{id}"},"meta":{}}`, quota...))
	var original, variant int
	client := fake.Client(hiring.WithObserver(func(context.Context, hiring.Exchange) { original++ }))
	a, err := client.With(hiring.WithUserAgent("a/1"), hiring.WithObserver(func(context.Context, hiring.Exchange) { variant++ }))
	require.NoError(t, err)
	b, err := client.With(hiring.WithObserver(func(context.Context, hiring.Exchange) { t.Error("an observer of b saw a call of a") }))
	require.NoError(t, err)
	require.Zero(t, client.Quota())

	_, err = a.Account.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, 41, client.Quota().Read.Remaining, "the original knows what its variant learnt")
	assert.Equal(t, client.Quota(), b.Quota())
	assert.Equal(t, [2]int{1, 1}, [2]int{original, variant}, "observers of original and variant add up")

	c, err := client.With()
	require.NoError(t, err)
	_, err = c.Account.Get(t.Context())
	require.NoError(t, err)
	assert.Regexp(t, `^hiring-go`, fake.Requests()[1].Header.Get("User-Agent"), "a variant's product stays with it")
	assert.Equal(t, [2]int{2, 1}, [2]int{original, variant})
}

func TestVariantsOfOneClientDoNotShareObservers(t *testing.T) {
	ignore := hiring.WithObserver(func(context.Context, hiring.Exchange) {})
	client := apitest.NewScriptedServer(t, apitest.RespondData(apitest.Resource)).Client(ignore, ignore, ignore) // A slice of three has room for a fourth.
	var a, b int
	first, err := client.With(hiring.WithObserver(func(context.Context, hiring.Exchange) { a++ }))
	require.NoError(t, err)
	second, err := client.With(hiring.WithObserver(func(context.Context, hiring.Exchange) { b++ }))
	require.NoError(t, err)
	for _, c := range []*hiring.Client{first, first, second} {
		_, err = c.With()
		require.NoError(t, err)
		_, err = c.Account.Get(t.Context())
		require.NoError(t, err)
	}
	assert.Equal(t, [2]int{2, 1}, [2]int{a, b})
}

func TestVariantWithASourceOfItsOwnHasUsedNoKeyYet(t *testing.T) {
	client := apitest.NewScriptedServer(t, apitest.RespondData(apitest.Resource)).Client()
	variant, err := client.With(hiring.WithKeySource(func(context.Context) (string, error) { return "sk_live_other", nil }))
	require.NoError(t, err)
	assert.Empty(t, variant.Environment())
	_, err = variant.Account.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, hiring.EnvironmentLive, variant.Environment())
	assert.Equal(t, hiring.EnvironmentTest, client.Environment(), "the original uses its own key")
}

func TestEnvironment(t *testing.T) {
	for key, want := range map[string]hiring.Environment{
		"sk_live_abcdef": hiring.EnvironmentLive, "sk_test_abcdef": hiring.EnvironmentTest, "abcdef": "", "sk_livex": "",
	} {
		client, err := hiring.New(apitest.BaseURL, key)
		require.NoError(t, err)
		assert.Equal(t, want, client.Environment(), "Environment of %q", key)
		for _, e := range []hiring.Environment{hiring.EnvironmentLive, hiring.EnvironmentTest} {
			_, err = hiring.New(apitest.BaseURL, key, hiring.WithEnvironment(e))
			assert.Equal(t, e == want, err == nil, "New(%q) WithEnvironment(%s): %v", key, e, err)
		}
	}
}

func TestKeySourceIsCalledOncePerAttempt(t *testing.T) {
	fake := apitest.NewScriptedServer(t, apitest.Respond(500, ""), apitest.Respond(200, `{"data":{"id":"{id}","submission_id":"{id}"},"meta":{}}`))
	keys := []string{"sk_test_first", "sk_live_second"}
	asked := 0
	client, err := hiring.New(apitest.BaseURL, "", hiring.WithHTTPClient(&http.Client{Transport: fake}),
		hiring.WithRetry(hiring.RetryPolicy{BaseBackoff: 1}),
		hiring.WithKeySource(func(context.Context) (string, error) { asked++; return keys[asked-1], nil }))
	require.NoError(t, err)
	variant, err := client.With()
	require.NoError(t, err)
	assert.Empty(t, client.Environment(), "before a key was used")
	_, err = client.Account.Get(t.Context())
	require.NoError(t, err)
	sent := fake.Requests()
	require.Len(t, sent, 2)
	assert.Equal(t, "Bearer sk_test_first", sent[0].Header.Get("Authorization"))
	assert.Equal(t, "Bearer sk_live_second", sent[1].Header.Get("Authorization"))
	assert.Equal(t, hiring.EnvironmentLive, client.Environment(), "of the key last used")
	assert.Equal(t, hiring.EnvironmentLive, variant.Environment(), "a variant shares the source and what is known of it")
}

func TestKeySourceFailures(t *testing.T) {
	cause := errors.New("the vault is sealed")
	for name, c := range map[string]struct {
		key  string
		err  error
		want string
	}{
		"its error":         {"", cause, "the vault is sealed"},
		"empty key":         {"", nil, "is empty"},
		"unclean key":       {"sk_test_x\n51HxQ9", nil, "contains U+000A"},
		"other environment": {"sk_live_51HxQ9", nil, "requires the test environment"},
	} {
		t.Run(name, func(t *testing.T) {
			fake := apitest.NewScriptedServer(t, apitest.Respond(200, `{"data":{"id":"{id}","submission_id":"{id}"},"meta":{}}`))
			client := fake.Client(hiring.WithEnvironment(hiring.EnvironmentTest),
				hiring.WithObserver(func(context.Context, hiring.Exchange) { t.Error("nothing was sent, so there is no Exchange") }),
				hiring.WithKeySource(func(context.Context) (string, error) { return c.key, c.err }))
			err := client.Assessments.Delete(t.Context(), "a1")
			failure := apitest.RequireError(t, "Delete", err)
			assert.Equal(t, hiring.OutcomeNotDone, failure.Outcome)
			assert.Zero(t, failure.Attempts)
			assert.Zero(t, failure.Status)
			require.ErrorContains(t, err, c.want)
			assert.NotContains(t, err.Error(), "51HxQ9")
			if c.err != nil {
				require.ErrorIs(t, err, c.err, "the cause is reachable")
			}
			assert.Empty(t, fake.Requests())
			assert.Empty(t, client.Environment(), "a key that was not used is not the one last used")
		})
	}
}

func TestKeySourceThatFailsLaterKeepsTheOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fake := apitest.NewScriptedServer(t, apitest.Fail(apitest.ErrReset))
		asked := 0
		client := fake.Client(hiring.WithKeySource(func(context.Context) (string, error) {
			asked++
			if asked > 1 {
				return "", errors.New("sealed, last seen " + apitest.Key)
			}
			return apitest.Key, nil
		}))
		failure := apitest.RequireError(t, "Delete", client.Assessments.Delete(t.Context(), "a1"))
		assert.Equal(t, hiring.OutcomeUnknown, failure.Outcome, "the first attempt may have taken effect")
		assert.Equal(t, 1, failure.Attempts)
		assert.NotContains(t, failure.Error(), apitest.Key, "the key that was used before is removed")
	})
}

func TestInputsAreRejectedBeforeAnythingIsSent(t *testing.T) {
	ctx := t.Context()
	const secret = "jane.roe@example.com"
	type check struct {
		param string
		err   error
	}
	fake := apitest.NewScriptedServer(t, apitest.Respond(200, `{"data":{"id":"{id}","submission_id":"{id}"},"meta":{}}`))
	client := fake.Client(hiring.WithObserver(func(_ context.Context, e hiring.Exchange) { t.Errorf("%s: made an Exchange", e.Operation) }))
	send := func(name string, extra map[string]any) error {
		return apitest.ErrorOf(client.Invitations.Send(ctx, "a", hiring.NewInvitation{Email: secret, Name: name, Extra: extra}))
	}
	checks := map[string]check{
		"Create Extra twice":        {"Extra", apitest.ErrorOf(client.Assessments.Create(ctx, hiring.NewAssessment{ChallengeID: "c", Name: "n", Extra: map[string]any{"name": secret}}))},
		"Create unwritable":         {"body", apitest.ErrorOf(client.Assessments.Create(ctx, hiring.NewAssessment{ChallengeID: "c", Name: "n", Extra: map[string]any{"x": make(chan int)}}))},
		"Create not text":           {"body", apitest.ErrorOf(client.Assessments.Create(ctx, hiring.NewAssessment{ChallengeID: "c", Name: secret + "\xff"}))},
		"Update Extra twice":        {"Extra", apitest.ErrorOf(client.Assessments.Update(ctx, "a", hiring.AssessmentUpdate{Status: "x", Extra: map[string]any{"status": secret}}))},
		"Send Extra twice":          {"Extra", send("Jane Roe", map[string]any{"candidate_email": secret})},
		"Send too long":             {"body", send(strings.Repeat("n", 512<<10), nil)},
		"Do method with space":      {"method", apitest.ErrorOf(client.Do(ctx, "GET /x", "/x", nil, nil, nil))},
		"Do query in path":          {"path", apitest.ErrorOf(client.Do(ctx, "GET", "/x?"+secret, nil, nil, nil))},
		"Do fragment in path":       {"path", apitest.ErrorOf(client.Do(ctx, "GET", "/x#"+secret, nil, nil, nil))},
		"Do body too long":          {"body", apitest.ErrorOf(client.Do(ctx, "POST", "/x", nil, strings.Repeat("n", 512<<10), nil))},
		"Do out no pointer":         {"out", apitest.ErrorOf(client.Do(ctx, "POST", "/x", nil, nil, hiring.Account{}))},
		"Do out a map":              {"out", apitest.ErrorOf(client.Do(ctx, "POST", "/x", nil, nil, map[string]any{}))},
		"Do out nil pointer":        {"out", apitest.ErrorOf(client.Do(ctx, "POST", "/x", nil, nil, (*hiring.Account)(nil)))},
		"WaitReport without a unit": {"MinInterval", apitest.ErrorOf(client.Submissions.WaitReport(ctx, "a", hiring.WaitOptions{MinInterval: 77}))},
		"Watch without a unit":      {"MaxInterval", apitest.LastError(client.Submissions.Watch(ctx, hiring.WatchOptions{MaxInterval: 77}))},
		"Poll without a unit":       {"MinInterval", apitest.ErrorOf(client.Submissions.Poll(ctx, "", hiring.WatchOptions{MinInterval: 77}))},
		"Tail without a unit":       {"MinInterval", apitest.LastError(client.Events.Tail(ctx, "a", hiring.TailOptions{MinInterval: 77}))},
		"Send not UTF-8":            {"body", send("A\xff", nil)},
		"Do with the prefix":        {"path", apitest.ErrorOf(client.Do(ctx, "GET", "/api/v1/account", nil, nil, nil))},
	}
	for _, path := range []string{"", "/", "//x", "/x/", "/x//y", "/./x", "/../x", "/x/%2e%2e", "/%2E", "/x/%zz"} {
		checks["Do path "+path] = check{"path", apitest.ErrorOf(client.Do(ctx, "GET", path, nil, nil, nil))}
	}
	for _, id := range []string{"", ".", ".."} {
		for name, call := range byID(ctx, id) {
			param := "id"
			switch name {
			case "Resend invitation", "Revoke invitation":
				param = "invitationID"
			case "Send", "Resend", "Revoke", "Invitations.List":
				param = "assessmentID"
			case "Events.List":
				param = "submissionID"
			}
			checks[name+" "+id] = check{param, call(client)}
		}
	}
	for name, c := range checks {
		var refused *hiring.ParamError
		require.ErrorAs(t, c.err, &refused, "%s", name)
		assert.Equal(t, c.param, refused.Param, "%s", name)
		assert.NotEmpty(t, refused.Problem, "%s", name)
		require.ErrorIs(t, c.err, hiring.ErrInvalidInput, "%s", name)
		require.NotErrorIs(t, c.err, hiring.ErrNotFound, "%s", name)
		assert.NotContains(t, c.err.Error(), secret, "%s", name)
		assert.NotContains(t, c.err.Error(), "77", "%s", name)
	}
	require.ErrorContains(t, checks["Send not UTF-8"].err, "has text that is not UTF-8 in /candidate_name")
	require.ErrorContains(t, checks["Do with the prefix"].err, "leave out /api/v1")
	assert.Empty(t, fake.Requests(), "nothing is sent")
}

// byID are the calls that take an id.
func byID(ctx context.Context, id string) map[string]func(*hiring.Client) error {
	in := hiring.NewInvitation{Email: "e", Name: "n"}
	return map[string]func(*hiring.Client) error{
		"Challenges.Get":  func(c *hiring.Client) error { _, err := c.Challenges.Get(ctx, id); return err },
		"Assessments.Get": func(c *hiring.Client) error { _, err := c.Assessments.Get(ctx, id); return err },
		"Update": func(c *hiring.Client) error {
			return apitest.ErrorOf(c.Assessments.Update(ctx, id, hiring.AssessmentUpdate{Status: "x"}))
		},
		"Close":             func(c *hiring.Client) error { _, err := c.Assessments.Close(ctx, id); return err },
		"Delete":            func(c *hiring.Client) error { return c.Assessments.Delete(ctx, id) },
		"Invitations.List":  func(c *hiring.Client) error { _, err := c.Invitations.List(id).Collect(ctx); return err },
		"Send":              func(c *hiring.Client) error { _, err := c.Invitations.Send(ctx, id, in); return err },
		"Resend":            func(c *hiring.Client) error { _, err := c.Invitations.Resend(ctx, id, "i"); return err },
		"Resend invitation": func(c *hiring.Client) error { _, err := c.Invitations.Resend(ctx, "a", id); return err },
		"Revoke":            func(c *hiring.Client) error { return c.Invitations.Revoke(ctx, id, "i") },
		"Revoke invitation": func(c *hiring.Client) error { return c.Invitations.Revoke(ctx, "a", id) },
		"Submissions.Get":   func(c *hiring.Client) error { _, err := c.Submissions.Get(ctx, id); return err },
		"Report":            func(c *hiring.Client) error { _, err := c.Submissions.Report(ctx, id); return err },
		"WaitReport": func(c *hiring.Client) error {
			return apitest.ErrorOf(c.Submissions.WaitReport(ctx, id, hiring.WaitOptions{}))
		},
		"Events.List": func(c *hiring.Client) error {
			return apitest.ErrorOf(c.Events.List(id, hiring.EventFilter{}).Collect(ctx))
		},
	}
}

func TestBodyOfExactlyTheLimitIsSent(t *testing.T) {
	fake := apitest.NewScriptedServer(t, apitest.Respond(200, "", apitest.RequestIDHeader))
	client := fake.Client()
	_, err := client.Do(t.Context(), "POST", "/x", nil, strings.Repeat("n", 512<<10-2), nil)
	require.NoError(t, err, "512 KB are allowed")
	assert.Len(t, fake.Requests()[0].Body, 512<<10)
	_, err = client.Do(t.Context(), "POST", "/x", nil, strings.Repeat("n", 512<<10-1), nil)
	require.ErrorIs(t, err, hiring.ErrInvalidInput, "one byte more is not")
}

func TestOptionalInputsAndExtra(t *testing.T) {
	fake := apitest.NewScriptedServer(t, apitest.Respond(200, `{"data":{"id":"{id}","submission_id":"{id}"},"meta":{}}`))
	client := fake.Client()
	_, err := client.Assessments.Create(t.Context(), hiring.NewAssessment{
		ChallengeID: "c", Name: "n", TimeLimitMinutes: 45, BudgetDollarsCap: new(2.5), SelectedTaskIDs: []string{"t1"},
		Extra: map[string]any{"team": "core"},
	})
	require.NoError(t, err)
	_, err = client.Assessments.Update(t.Context(), "a", hiring.AssessmentUpdate{Extra: map[string]any{"name": "new"}})
	require.NoError(t, err)
	_, err = client.Invitations.Send(t.Context(), "a", hiring.NewInvitation{Email: "e", Name: "<é>", Extra: map[string]any{"note": nil}})
	require.NoError(t, err)
	_, err = client.Assessments.Create(t.Context(), hiring.NewAssessment{ChallengeID: "c", Name: "n", SelectedTaskIDs: []string{}})
	require.NoError(t, err)
	var bodies []string
	for _, sent := range fake.Requests() {
		bodies = append(bodies, sent.Body)
	}
	assert.Equal(t, []string{
		`{"budget_dollars_cap":2.5,"challenge_id":"c","name":"n","selected_task_ids":["t1"],"team":"core","time_limit_minutes":45}`,
		`{"name":"new"}`,
		`{"candidate_email":"e","candidate_name":"<é>","note":null}`,
		`{"challenge_id":"c","name":"n","selected_task_ids":[]}`,
	}, bodies)
}

func TestExtraOfAnInputIsNotChanged(t *testing.T) {
	fake := apitest.NewScriptedServer(t, apitest.Respond(200, `{"data":{"id":"{id}","submission_id":"{id}"},"meta":{}}`))
	in := hiring.NewInvitation{Email: "e", Name: "n", Extra: map[string]any{"note": 1}}
	for range 2 {
		_, err := fake.Client().Invitations.Send(t.Context(), "a", in)
		require.NoError(t, err)
	}
	assert.Equal(t, map[string]any{"note": 1}, in.Extra)
}

func TestContextThatHasEndedSendsNothing(t *testing.T) {
	reason := errors.New("the user left")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(reason)
	for _, op := range operations.AllWithDo() {
		fake := apitest.NewScriptedServer(t, apitest.Respond(200, op.Reply()))
		client := fake.Client(hiring.WithObserver(func(context.Context, hiring.Exchange) { t.Errorf("%s: made an Exchange", op.Name) }))
		err := op.Do(ctx, client, op.IDs)
		failure := apitest.RequireError(t, op.Name, err)
		require.ErrorIs(t, err, context.Canceled, "%s", op.Name)
		require.ErrorIs(t, err, reason, "%s: the context's cause", op.Name)
		assert.Zero(t, failure.Attempts, "%s", op.Name)
		want := hiring.OutcomeNotDone
		if op.Method() == http.MethodGet {
			want = ""
		}
		assert.Equal(t, want, failure.Outcome, "%s: outcome", op.Name)
		assert.Empty(t, fake.Requests(), "%s: nothing is sent", op.Name)
	}
}

func TestOneClientServesManyGoroutines(t *testing.T) {
	limit := []string{"X-RateLimit-Limit: 1000", "X-RateLimit-Remaining: 9", "X-RateLimit-Reset: 1800000000"}
	fake := apitest.NewScriptedServer(t, apitest.Respond(200, `{"data":{"id":"x","new":[1]},"meta":{}}`, limit...))
	var mu sync.Mutex
	exchanges := 0
	client := fake.Client(hiring.WithObserver(func(context.Context, hiring.Exchange) {
		mu.Lock()
		defer mu.Unlock()
		exchanges++
	}))
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			account, get := client.Account.Get(t.Context())
			assert.Equal(t, "[1]", string(account.Extra["new"]))
			_, send := client.Invitations.Send(t.Context(), "a", hiring.NewInvitation{Email: "e", Name: "n"})
			_, with := client.With(hiring.WithUserAgent("x/1"))
			if err := errors.Join(get, send, with); err != nil {
				t.Errorf("Get, Send, With: %v", err)
			}
			client.Quota()
			client.Environment()
		})
	}
	wg.Wait()
	assert.Equal(t, 100, exchanges)
	assert.Len(t, fake.Requests(), 100)
}
