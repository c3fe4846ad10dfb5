package client_test

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

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/internal/testing/operations"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// serveRaw responds to each request on each connection with the same bytes, and keeps the
// connection open.
func serveRaw(raw string) func(*net.TCPConn) {
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

// A write is done only if the response is known to come from the API.
func TestWhetherA2xxIsFromTheAPI(t *testing.T) {
	limits := []string{"X-RateLimit-Limit: 200", "X-RateLimit-Remaining: 9", "X-RateLimit-Reset: 1800000000"}
	for name, c := range map[string]struct {
		reply apitest.Responder
		own   bool
	}{
		"empty with a request id":       {apitest.Respond(200, "", apitest.RequestIDHeader), true},
		"empty with limits":             {apitest.Respond(200, "", limits...), false},
		"other JSON with a request id":  {apitest.Respond(200, `"done"`, apitest.RequestIDHeader), false},
		"broken JSON with a request id": {apitest.Respond(200, `{"da`, apitest.RequestIDHeader), false},
		"long JSON with a request id":   {apitest.Respond(200, `{"x":"`+strings.Repeat("x", 100_000)+`"}`, apitest.RequestIDHeader), false},
		"empty":                         {apitest.Respond(200, ""), false},
		"blank":                         {apitest.Respond(200, "\n"), false},
		"with another header":           {apitest.Respond(200, "", "X-Trace-Id: 7"), false},
		"with empty headers":            {apitest.Respond(200, "", "X-Request-Id: "), false},
		"data":                          {apitest.Respond(200, `{"data":null}`), true},
		"data behind others":            {apitest.Respond(200, `{"x":{"y":[1,"}"]},"d\u0061ta":7}`), true},
		"meta":                          {apitest.Respond(200, `{"meta":{}}`), true},
		"data, cut":                     {apitest.Truncate(200, `{"data":{"i`, apitest.ErrReset), true},
		"data within":                   {apitest.Respond(200, `{"result":{"data":{}}}`), false},
		"Data":                          {apitest.Respond(200, `{"Data":{}}`), false},
		"a list":                        {apitest.Respond(200, `[{"data":{}}]`), false},
		"openapi":                       {apitest.Respond(200, `{"openapi":"3.1.0"}`), false},
		"long JSON of others":           {apitest.Respond(200, `{"x":"`+strings.Repeat("x", 100_000)+`"}`), false},
		"cut before it tells":           {apitest.Truncate(200, `{"da`, apitest.ErrReset), false},
		"cut at once":                   {apitest.Truncate(200, "", apitest.ErrReset), false},
		"page":                          {apitest.Respond(200, apitest.SignInPage), false},
		"page with all headers":         {apitest.Respond(200, apitest.SignInPage, append(limits, apitest.RequestIDHeader)...), false},
		"page behind a BOM":             {apitest.Respond(200, "\ufeff "+apitest.SignInPage, apitest.RequestIDHeader), false},
		"page, cut":                     {apitest.Truncate(200, apitest.SignInPage, apitest.ErrReset), false},
		"plain text with a request id":  {apitest.Respond(200, "OK", apitest.RequestIDHeader), false},
	} {
		for call, write := range map[string]func(*hiring.Client) error{
			"Delete": func(c *hiring.Client) error { return c.Assessments.Delete(t.Context(), "a") },
			"Revoke": func(c *hiring.Client) error { return c.Invitations.Revoke(t.Context(), "a", "i") },
			"Do":     func(c *hiring.Client) error { return apitest.ErrorOf(c.Do(t.Context(), "POST", "/x", nil, nil, nil)) },
		} {
			fake := apitest.NewScriptedServer(t, c.reply)
			err := write(fake.Client())
			assert.Len(t, fake.Requests(), 1, "%s: %s", call, name)
			if c.own {
				require.NoError(t, err, "%s: %s", call, name)
				continue
			}
			failure := apitest.RequireError(t, call+": "+name, err)
			assert.Equal(t, hiring.OutcomeUnknown, failure.Outcome, "%s: %s", call, name)
			if !strings.HasPrefix(name, "cut ") {
				assert.Regexp(t, "not (from )?the API", failure.Message, "%s: %s", call, name)
				require.ErrorContains(t, err, "a proxy answered, or the base URL is wrong", "%s: %s", call, name)
			}
			assert.NotContains(t, err.Error(), "WithMaxResponseBytes", "%s: %s", call, name)
		}
	}
}

// A 2xx of the API with another resource means that the write was done, and is an error.
func TestResponseWithoutTheResourceItPromised(t *testing.T) {
	for name, body := range map[string]string{
		"wrapped": `{"invitation":{"id":"x"},"assessment":{"id":"x"}}`, "empty": `{}`, "id null": `{"id":null,"name":"n"}`, "id empty": `{"id":""}`,
	} {
		for _, op := range operations.AllWithDo() {
			if op.IsList() || op.NoID {
				continue
			}
			failure := apitest.RequireError(t, op.Name+" "+name, op.Do(t.Context(), apitest.NewScriptedServer(t, apitest.RespondData(body, apitest.RequestIDHeader)).Client(), op.IDs))
			want := hiring.OutcomeDone
			if op.Method() == http.MethodGet {
				want = ""
			}
			assert.Equal(t, [3]any{200, 1, want}, [3]any{failure.Status, failure.Attempts, failure.Outcome}, "%s %s", op.Name, name)
			assert.Contains(t, failure.Message, "no id", "%s %s", op.Name, name)
		}
	}
	for body, ok := range map[string]bool{
		`{}`: true, `{"evaluated":false}`: true, `{"submission_id":"{id}","new":1}`: true, `{"status":"started","new":1}`: true, `{"evaluated":true,"new":1}`: true,
		`{"report":{"submission_id":"x"}}`: false, `{"new":1}`: false,
	} {
		_, err := apitest.NewScriptedServer(t, apitest.RespondData(body, apitest.RequestIDHeader)).Client().Submissions.Report(t.Context(), "a")
		assert.Equal(t, ok, err == nil, "report %s: %v", body, err)
	}
}

// A cache with a wrong key responds with another resource than the one that was requested.
func TestAnotherResourceIsNoResult(t *testing.T) {
	const mine = "0B0E7B3A-6c1f-4a53-9d0e-111111111111"
	same := []string{mine, "0b0e7b3a-6c1f-4a53-9d0e-111111111111", "{0b0e7b3a-6c1f-4a53-9d0e-111111111111}", "0b0e7b3a6c1f4a539d0e111111111111"}
	id := func(id string) string { return `{"id":"` + id + `"}` }
	report := func(id string) string { return `{"submission_id":"` + id + `","evaluated":true}` }
	within := func(id string) string { return `{"id":"` + mine + `","report":` + report(id) + `}` }
	archive := func(id string) string { return `{"id":"` + id + `","workspace_archive_url":"https://storage.test/x"}` }
	for name, c := range map[string]struct {
		body func(id string) string
		get  func(context.Context, *hiring.Client) error
		want string // Of the error when the id is right.
	}{
		"submission": {id, func(ctx context.Context, c *hiring.Client) error {
			return apitest.ErrorOf(c.Submissions.Get(ctx, mine))
		}, ""},
		"its report": {within, func(ctx context.Context, c *hiring.Client) error {
			return apitest.ErrorOf(c.Submissions.Get(ctx, mine))
		}, ""},
		"report": {report, func(ctx context.Context, c *hiring.Client) error {
			return apitest.ErrorOf(c.Submissions.Report(ctx, mine))
		}, ""},
		"assessment": {id, func(ctx context.Context, c *hiring.Client) error {
			return apitest.ErrorOf(c.Assessments.Get(ctx, mine))
		}, ""},
		"challenge": {id, func(ctx context.Context, c *hiring.Client) error { return apitest.ErrorOf(c.Challenges.Get(ctx, mine)) }, ""},
		"archive": {archive, func(ctx context.Context, c *hiring.Client) error {
			return apitest.ErrorOf(c.Submissions.DownloadArchive(ctx, mine, io.Discard))
		}, "JSON instead of an archive"}, // The server responds to everything in the same way.
	} {
		for _, spelled := range same {
			err := c.get(t.Context(), apitest.NewScriptedServer(t, apitest.RespondData(c.body(spelled))).Client())
			if c.want == "" {
				require.NoError(t, err, "%s %s", name, spelled)
			} else {
				require.ErrorContains(t, err, c.want, "%s %s", name, spelled)
			}
		}
		server := apitest.NewScriptedServer(t, apitest.RespondData(c.body("0b0e7b3a-6c1f-4a53-9d0e-222222222222")))
		err := c.get(t.Context(), server.Client())
		require.ErrorContains(t, err, "another id than the requested resource", name)
		assert.False(t, hiring.IsTransient(err), name)
		assert.Len(t, server.Requests(), 1, name)
	}
	_, err := apitest.NewScriptedServer(t, apitest.RespondData(`{"evaluated":true}`)).Client().Submissions.Report(t.Context(), mine)
	require.NoError(t, err, "a report without an id may be of any submission")
}

// Ensure and EnsureAll report only invitations that they have seen as sent.
func TestInvitingBehindASignInPage(t *testing.T) {
	page := sandbox.Fault{Route: inviteRoute, Status: 200, ContentType: "text/html", Body: apitest.SignInPage, Times: -1}
	wrapped := sandbox.Fault{Route: inviteRoute, Status: 200, Body: `{"data":{"invitation":{"id":"x"}},"meta":{"request_id":"req_1"}}`, Times: -1}
	for name, fault := range map[string]sandbox.Fault{"page": page, "wrapped": wrapped} {
		synctest.Test(t, func(t *testing.T) {
			server, assessment := startWithAssessment(t)
			server.Inject(fault)
			client := server.LiveClient()
			got, err := client.Invitations.Ensure(t.Context(), assessment, ada)
			require.Error(t, err, "%s", name)
			assert.NotEqual(t, hiring.InviteSent, got.Outcome, "%s", name)
			_ = client.Invitations.EnsureAll(t.Context(), assessment, slices.Values([]hiring.NewInvitation{ada}), hiring.EnsureAllOptions{Each: func(got hiring.InviteResult, err error) bool {
				require.Error(t, err, "%s", name)
				assert.NotEqual(t, hiring.InviteSent, got.Outcome, "%s", name)
				return true
			}})
			assert.Empty(t, mailCounts(server), "%s", name)
		})
	}
}

// Statuses that end no request show nothing of a write, and their bodies may never end.
// The test uses a socket, because a transport in memory does not show how net/http
// handles them.
func TestStatusesOutOfRangeAreErrors(t *testing.T) {
	for _, status := range []string{"000", "001", "099", "101", "600", "999"} {
		raw := "HTTP/1.1 " + status + " Odd\r\nX-Request-Id: req_0a\r\nConnection: Upgrade\r\nUpgrade: x\r\n"
		if status >= "600" {
			raw += "Content-Length: 0\r\n"
		}
		baseURL, connections := apitest.Listen(t, serveRaw(raw+"\r\n"))
		for method, call := range methodCalls {
			before := connections.Load()
			err := call(t.Context(), realClient(t, baseURL, hiring.WithTimeout(0))) // Waiting for the body would last forever.
			failure := apitest.RequireError(t, method+" "+status, err)
			want := hiring.OutcomeUnknown
			if method == "GET" {
				want = ""
			}
			assert.Equal(t, want, failure.Outcome, "%s %s", method, status)
			assert.Equal(t, [2]any{1, status}, [2]any{failure.Attempts, fmt.Sprintf("%03d", failure.Status)}, "%s %s", method, status)
			assert.Equal(t, int32(1), connections.Load()-before, "%s %s: requests", method, status)
			if status < "200" {
				require.ErrorContains(t, err, "not from the API: status "+status, "%s", method)
			}
		}
	}
}
