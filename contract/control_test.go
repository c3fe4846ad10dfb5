package contract_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// controlClient sends requests to the control API and validates each exchange by
// the document of the control API.
type controlClient struct {
	t        *testing.T
	server   *sandbox.Server
	validate func(r *http.Request, body string, res *http.Response, response []byte)
}

func (c controlClient) send(method, path, body string) (int, []byte) {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), method, "http://localhost/_sandbox/"+path, strings.NewReader(body))
	require.NoError(c.t, err)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	res, err := c.server.Transport().RoundTrip(r)
	require.NoError(c.t, err)
	raw, err := io.ReadAll(res.Body)
	require.NoError(c.t, err)
	require.NoError(c.t, res.Body.Close())
	if c.validate != nil {
		c.validate(r, body, res, raw)
	}
	return res.StatusCode, raw
}

// TestControlAPIFollowsItsDocument calls every operation of the control API, with
// the example of the index, and validates requests and responses.
func TestControlAPIFollowsItsDocument(t *testing.T) {
	server := sandbox.Start(t, sandbox.WithDetails())
	c := controlClient{t: t, server: server}
	_, raw := c.send(http.MethodGet, "openapi.json", "")
	spec, err := openapi3.NewLoader().LoadFromData(raw)
	require.NoError(t, err)
	require.NoError(t, spec.Validate(t.Context(), openapi3.EnableExamplesValidation()))
	router, err := gorillamux.NewRouter(spec)
	require.NoError(t, err)
	called := make(map[string]map[int]bool)
	options := &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}
	c.validate = func(r *http.Request, body string, res *http.Response, response []byte) {
		t.Helper()
		route, params, err := router.FindRoute(r)
		require.NoError(t, err, r.URL.Path)
		request := r.Clone(t.Context())
		request.Body = io.NopCloser(strings.NewReader(body))
		if body == "" {
			request.Body = http.NoBody
		}
		input := &openapi3filter.RequestValidationInput{Request: request, PathParams: params, Route: route, Options: options}
		if res.StatusCode < 300 {
			require.NoError(t, openapi3filter.ValidateRequest(t.Context(), input), "%s %s", r.URL.Path, body)
		}
		require.NoError(t, openapi3filter.ValidateResponse(t.Context(), &openapi3filter.ResponseValidationInput{
			RequestValidationInput: input, Status: res.StatusCode, Header: res.Header, Body: io.NopCloser(strings.NewReader(string(response))), Options: options,
		}), "%s %s: %s", r.URL.Path, body, response)
		id := route.Operation.OperationID
		if called[id] == nil {
			called[id] = make(map[int]bool)
		}
		called[id][res.StatusCode] = true
	}

	_, raw = c.send(http.MethodGet, "", "")
	var index struct {
		Operations []struct {
			Method  string          `json:"method"`
			Path    string          `json:"path"`
			Example json.RawMessage `json:"example"`
		} `json:"operations"`
	}
	require.NoError(t, json.Unmarshal(raw, &index))
	_, err = server.Client().Account.Get(t.Context())
	require.NoError(t, err)
	server.AddAssessment("Backend")
	invitation, err := server.Invite("f0000000-0000-4000-8000-000000000001", "eve@candidates.test", "Eve")
	require.NoError(t, err)
	submission := ""
	for _, o := range index.Operations {
		body := string(o.Example)
		if body == "null" {
			body = ""
		}
		path := strings.TrimPrefix(o.Path, "/_sandbox/")
		if path == "reset" {
			continue // last
		}
		server.SetPlan(sandbox.LiveKey, 0, 10)
		if strings.Contains(path, "{id}") {
			status, _ := c.send(o.Method, strings.Replace(path, "{id}", sandbox.UnknownID, 1), body)
			assert.Equal(t, 404, status, path)
		}
		switch {
		case strings.HasPrefix(path, "invitations/{id}"):
			path = strings.Replace(path, "{id}", invitation, 1)
		case strings.Contains(path, "{id}"):
			path = strings.Replace(path, "{id}", submission, 1)
		}
		if strings.HasSuffix(path, "/pause") || strings.HasSuffix(path, "/submit") {
			// The index lists submit before pause: a submission of its own.
			if other, err := server.Invite("f0000000-0000-4000-8000-000000000001", "p@candidates.test", "P"); assert.NoError(t, err) {
				id, err := server.Begin(other)
				require.NoError(t, err)
				path = strings.NewReplacer(submission, id, invitation, other).Replace(path)
			}
		}
		status, raw := c.send(o.Method, path, body)
		assert.Less(t, status, 300, "%s %s: %s", path, body, raw)
		if strings.HasSuffix(path, "/begin") {
			var begun map[string]string
			require.NoError(t, json.Unmarshal(raw, &begun))
			submission = begun["submission_id"]
		}
		if body != "" {
			status, _ = c.send(o.Method, path, `{"nonsense":1}`)
			assert.Equal(t, 400, status, path)
		}
	}
	_, raw = c.send(http.MethodGet, "journal", "")
	assert.Contains(t, string(raw), "entries")
	c.send(http.MethodPost, "reset", "")
	for _, item := range spec.Paths.Map() {
		for _, operation := range item.Operations() {
			assert.NotEmpty(t, called[operation.OperationID], "%s was never called", operation.OperationID)
		}
	}
}
