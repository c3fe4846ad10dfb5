package hiring_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// replying serves each request on each connection with the same bytes and then
// keeps the connection open.
func replying(raw string) func(*net.TCPConn) {
	return func(conn *net.TCPConn) {
		defer func() { _ = conn.Close() }()
		in := bufio.NewReader(conn)
		for {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(conn, raw)
		}
	}
}

const signIn = "<!DOCTYPE html><title>Sign in</title>"

// A proxy that wants a sign-in answers in the service's place, whatever is asked.
func TestSignInPageIsNoSuccess(t *testing.T) {
	baseURL, _ := listen(t, replying(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s", len(signIn), signIn)))
	for _, op := range everyOperation() {
		err := op.call(t.Context(), realClient(t, baseURL))
		failure := failureOf(t, op.name, err)
		want := hiring.OutcomeUnknown
		if op.method == "GET" {
			want = ""
		}
		assert.Equal(t, [3]any{200, 1, want}, [3]any{failure.Status, failure.Attempts, failure.Outcome}, "%s", op.name)
		require.ErrorContains(t, err, "not the service's own: "+signIn, "%s", op.name)
		assert.Empty(t, failure.Code, "%s", op.name)
	}
}

// What is not known to be the service's is not known to be done.
func TestWhoseASuccessIs(t *testing.T) {
	limits := []string{"X-RateLimit-Limit: 200", "X-RateLimit-Remaining: 9", "X-RateLimit-Reset: 1800000000"}
	for name, c := range map[string]struct {
		reply answer
		own   bool
	}{
		"empty with a request id":       {says(200, "", signed), true},
		"empty with a limit":            {says(200, "", limits[0]), true},
		"empty with what remains":       {says(200, "", limits[1]), true},
		"empty with a reset":            {says(200, "", limits[2]), true},
		"blank with a request id":       {says(200, " \r\n", signed), true},
		"any JSON with a request id":    {says(200, `"done"`, signed), true},
		"broken JSON with a request id": {says(200, `{"da`, signed), true},
		"long JSON with a request id":   {says(200, `{"x":"`+strings.Repeat("x", 100_000)+`"}`, signed), true},
		"empty":                         {says(200, ""), false},
		"204":                           {says(204, ""), false},
		"blank":                         {says(200, "\n"), false},
		"with another header":           {says(200, "", "X-Trace-Id: 7"), false},
		"with empty headers":            {says(200, "", "X-Request-Id: "), false},
		"data":                          {says(200, `{"data":null}`), true},
		"data behind others":            {says(200, `{"x":{"y":[1,"}"]},"d\u0061ta":7}`), true},
		"meta":                          {says(200, `{"meta":{}}`), true},
		"data, cut":                     {cuts(200, `{"data":{"i`, errReset), true},
		"data within":                   {says(200, `{"result":{"data":{}}}`), false},
		"data as a value":               {says(200, `{"result":"data"}`), false},
		"Data":                          {says(200, `{"Data":{}}`), false},
		"a list":                        {says(200, `[{"data":{}}]`), false},
		"text":                          {says(200, `"data"`), false},
		"null":                          {says(200, `null`), false},
		"openapi":                       {says(200, `{"openapi":"3.1.0"}`), false},
		"others":                        {says(200, `{"ok":true}`), false},
		"long JSON of others":           {says(200, `{"x":"`+strings.Repeat("x", 100_000)+`"}`), false},
		"cut before it tells":           {cuts(200, `{"da`, errReset), false},
		"cut at once":                   {cuts(200, "", errReset), false},
		"page":                          {says(200, signIn), false},
		"page with all headers":         {says(200, signIn, append(limits, signed)...), false},
		"page behind a BOM":             {says(200, "\ufeff "+signIn, signed), false},
		"page, cut":                     {cuts(200, signIn, errReset), false},
		"long page":                     {says(200, strings.Repeat(signIn, 5000), signed), false},
		"plain text with a request id":  {says(200, "OK", signed), false},
	} {
		for call, write := range map[string]func(*hiring.Client) error{
			"Delete": func(c *hiring.Client) error { return c.Assessments.Delete(t.Context(), "a") },
			"Revoke": func(c *hiring.Client) error { return c.Invitations.Revoke(t.Context(), "a", "i") },
			"Do": func(c *hiring.Client) error {
				_, err := c.Do(t.Context(), "POST", "/x", nil, nil, nil)
				return err
			},
		} {
			fake := newFake(t, c.reply)
			err := write(fake.client())
			assert.Len(t, fake.requests(), 1, "%s: %s", call, name)
			if c.own {
				require.NoError(t, err, "%s: %s", call, name)
				continue
			}
			failure := failureOf(t, call+": "+name, err)
			assert.Equal(t, hiring.OutcomeUnknown, failure.Outcome, "%s: %s", call, name)
			if !strings.HasPrefix(name, "cut ") {
				assert.Contains(t, failure.Message, "not the service's", "%s: %s", call, name)
				require.ErrorContains(t, err, "a proxy answered, or the base URL is wrong", "%s: %s", call, name)
			}
			assert.NotContains(t, err.Error(), "WithMaxResponseBytes", "%s: %s", call, name)
		}
	}
}

// Behind a gateway that strips headers an empty reply is believed once a reply
// has shown that, not before.
func TestGatewayThatStripsHeaders(t *testing.T) {
	for name, first := range map[string]answer{"data": data(thing), "no data": says(200, `{"meta":{}}`)} {
		fake := newFake(t, says(204, ""), first, says(204, ""), says(200, signIn), says(204, ""))
		client := fake.client(hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1}))
		variant, err := client.With(hiring.WithUserAgent("x/1"))
		require.NoError(t, err)
		remove := func(c *hiring.Client) error { return c.Assessments.Delete(t.Context(), "a") }
		require.ErrorContains(t, remove(client), "the reply is empty and not the service's own", "%s", name)
		_, _ = client.Account.Get(t.Context())
		require.NoError(t, remove(client), "%s: the service's replies come so", name)
		require.ErrorIs(t, remove(client), hiring.ErrOutcomeUnknown, "%s: a page is still no reply of the service", name)
		require.NoError(t, remove(variant), "%s: a variant knows it too", name)
	}
	client := newFake(t, data(thing, signed), says(204, "")).client()
	_, err := client.Account.Get(t.Context())
	require.NoError(t, err)
	require.Error(t, client.Assessments.Delete(t.Context(), "a"), "a reply with headers shows no gateway")
}

// A 2xx of the service that brings something else than was promised was done all
// the same, and is no success.
func TestReplyWithoutTheResourceItPromised(t *testing.T) {
	for name, body := range map[string]string{
		"wrapped": `{"invitation":{"id":"x"},"assessment":{"id":"x"}}`, "empty": `{}`, "id null": `{"id":null,"name":"n"}`, "id empty": `{"id":""}`,
	} {
		for _, op := range everyOperation() {
			if strings.HasSuffix(op.name, "List") || slices.Contains([]string{"Assessments.Delete", "Invitations.Revoke", "OpenAPI", "Do", "Submissions.Report"}, op.name) {
				continue
			}
			failure := failureOf(t, op.name+" "+name, op.call(t.Context(), newFake(t, data(body, signed)).client()))
			want := hiring.OutcomeDone
			if op.method == "GET" {
				want = ""
			}
			assert.Equal(t, [3]any{200, 1, want}, [3]any{failure.Status, failure.Attempts, failure.Outcome}, "%s %s", op.name, name)
			assert.Contains(t, failure.Message, "no id", "%s %s", op.name, name)
		}
	}
	for body, ok := range map[string]bool{
		`{}`: true, `{"evaluated":false}`: true, `{"submission_id":"x","new":1}`: true, `{"status":"started","new":1}`: true, `{"evaluated":true,"new":1}`: true,
		`{"report":{"submission_id":"x"}}`: false, `{"new":1}`: false,
	} {
		_, err := newFake(t, data(body, signed)).client().Submissions.Report(t.Context(), "a")
		assert.Equal(t, ok, err == nil, "report %s: %v", body, err)
	}
}

// Ensure and SendAll say sent only of what was seen.
func TestInvitingBehindASignInPage(t *testing.T) {
	page := sandbox.Fault{Route: inviteRoute, Status: 200, ContentType: "text/html", Body: signIn, Times: -1}
	wrapped := sandbox.Fault{Route: inviteRoute, Status: 200, Body: `{"data":{"invitation":{"id":"x"}},"meta":{"request_id":"req_1"}}`, Times: -1}
	for name, fault := range map[string]sandbox.Fault{"page": page, "wrapped": wrapped} {
		synctest.Test(t, func(t *testing.T) {
			server, assessment := liveWorld(t)
			server.Inject(fault)
			client := server.LiveClient()
			got, err := client.Invitations.Ensure(t.Context(), assessment, ada)
			require.Error(t, err, "%s", name)
			assert.NotEqual(t, hiring.InviteSent, got.Outcome, "%s", name)
			_ = client.Invitations.SendAll(t.Context(), assessment, slices.Values([]hiring.NewInvitation{ada}), hiring.SendAllOptions{Each: func(got hiring.InviteResult, err error) bool {
				require.Error(t, err, "%s", name)
				assert.NotEqual(t, hiring.InviteSent, got.Outcome, "%s", name)
				return true
			}})
			assert.Empty(t, mailsOf(t, server, assessment), "%s", name)
		})
	}
}

// Statuses that end no request say nothing of a write, and what follows them may
// never end. They come from a socket, because a transport in memory cannot show
// what net/http makes of them.
func TestStatusesThatEndNoRequest(t *testing.T) {
	for _, status := range []string{"000", "001", "099", "101", "600", "999"} {
		raw := "HTTP/1.1 " + status + " Odd\r\nX-Request-Id: req_0a\r\nConnection: Upgrade\r\nUpgrade: x\r\n"
		if status >= "600" {
			raw += "Content-Length: 0\r\n"
		}
		baseURL, connections := listen(t, replying(raw+"\r\n"))
		for method, call := range methodCalls {
			before := connections.Load()
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second) // Far beyond what it takes, below the attempt's 30 s.
			err := call(ctx, realClient(t, baseURL))
			require.NoError(t, ctx.Err(), "%s %s: at once", method, status)
			cancel()
			failure := failureOf(t, method+" "+status, err)
			want := hiring.OutcomeUnknown
			if method == "GET" {
				want = ""
			}
			assert.Equal(t, want, failure.Outcome, "%s %s", method, status)
			assert.Equal(t, [2]any{1, status}, [2]any{failure.Attempts, fmt.Sprintf("%03d", failure.Status)}, "%s %s", method, status)
			assert.Equal(t, int32(1), connections.Load()-before, "%s %s: requests", method, status)
			if status < "200" {
				require.ErrorContains(t, err, "not the service's own: its status "+status, "%s", method)
			}
		}
	}
}
