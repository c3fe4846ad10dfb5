package client_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/jarcoal/httpmock"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
)

// routes are scripted responses by method and path, as in "GET /account". They are
// for calls of several requests whose responses contradict each other, which no
// server would send.
type routes map[string]httpmock.Responder

// client returns a client whose transport responds as scripted. A request to any
// other route fails the test.
func (r routes) client(t *testing.T) (*hiring.Client, *httpmock.MockTransport) {
	t.Helper()
	transport := httpmock.NewMockTransport()
	for route, responder := range r {
		method, path, _ := strings.Cut(route, " ")
		transport.RegisterResponder(method, apiURL+path, responder)
	}
	transport.RegisterNoResponder(func(r *http.Request) (*http.Response, error) {
		t.Errorf("unexpected request: %s %s", r.Method, r.URL)
		return httpmock.ConnectionFailure(r)
	})
	client, err := hiring.New(apitest.BaseURL, apitest.Key, hiring.WithHTTPClient(&http.Client{Transport: transport}))
	require.NoError(t, err)
	return client, transport
}

const apiURL = apitest.BaseURL + "/api/v1"

// enveloped responds with data in an envelope.
func enveloped(status int, data string) httpmock.Responder {
	return httpmock.NewStringResponder(status, `{"data":`+data+`,"meta":{"request_id":"req_1"}}`)
}

const (
	submissionPath = "/submissions/" + apitest.ID
	evaluated      = `{"id":"` + apitest.ID + `","status":"evaluated","created_at":"2026-01-02T03:04:05.000Z"`
)

func TestContradictoryResponses(t *testing.T) {
	ctx := t.Context()
	for name, c := range map[string]struct {
		routes routes
		call   func(*hiring.Client) error
		check  func(*testing.T, *hiring.Error)
	}{
		"a success with an error envelope": {
			routes{"GET /account": httpmock.NewStringResponder(200, `{"error":{"code":"NOT_FOUND","message":"no"}}`)},
			func(c *hiring.Client) error { _, err := c.Account.Get(ctx); return err },
			func(t *testing.T, e *hiring.Error) { assert.Equal(t, 200, e.Status) },
		},
		"an error with data": {
			routes{"GET /account": enveloped(404, `{"id":"org_1","name":"Acme"}`)},
			func(c *hiring.Client) error { _, err := c.Account.Get(ctx); return err },
			func(t *testing.T, e *hiring.Error) {
				assert.Equal(t, 404, e.Status)
				assert.Empty(t, e.Code)
				assert.NotContains(t, e.Error(), "Acme", "JSON is not quoted")
			},
		},
		"an invitation that is a list": {
			routes{"POST /assessments/as_1/invitations": enveloped(201, `[{"id":"in_1"}]`)},
			func(c *hiring.Client) error {
				_, err := c.Invitations.Send(ctx, "as_1", hiring.NewInvitation{Email: "ada@candidates.test", Name: "Ada"})
				return err
			},
			func(t *testing.T, e *hiring.Error) { assert.Equal(t, hiring.OutcomeDone, e.Outcome) },
		},
		"a list that is an object": {
			routes{"GET /members": enveloped(200, `{"id":"me_1"}`)},
			func(c *hiring.Client) error { _, err := c.Members.List().Collect(ctx); return err },
			func(t *testing.T, e *hiring.Error) { assert.Equal(t, 200, e.Status) },
		},
		"a page that announces another one and has no cursor": {
			routes{"GET /submissions": httpmock.NewStringResponder(200, `{"data":[`+evaluated+`}],"meta":{"request_id":"req_1","has_more":true,"next_cursor":null}}`)},
			func(c *hiring.Client) error {
				_, err := c.Submissions.List(hiring.SubmissionFilter{}).Collect(ctx)
				return err
			},
			func(t *testing.T, e *hiring.Error) { assert.Contains(t, e.Error(), "cursor") },
		},
		"a link to an archive without TLS": {
			routes{"GET " + submissionPath: enveloped(200, evaluated+`,"workspace_archive_url":"http://storage.example.com/a?signature=s"}`)},
			func(c *hiring.Client) error {
				_, err := c.Submissions.DownloadArchive(ctx, apitest.ID, io.Discard)
				return err
			},
			func(t *testing.T, e *hiring.Error) { assert.NotContains(t, e.Error(), "signature") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			client, transport := c.routes.client(t)
			var failure *hiring.Error
			require.ErrorAs(t, c.call(client), &failure)
			c.check(t, failure)
			assert.Equal(t, 1, transport.GetTotalCallCount(), "requests")
		})
	}
}
