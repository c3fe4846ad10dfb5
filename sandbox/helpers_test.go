package sandbox_test

import (
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// transport is one way to send requests to a server.
type transport struct {
	name, base string
	client     *http.Client
}

func inProcess(s *sandbox.Server) transport {
	return transport{"transport", "https://sandbox.invalid", &http.Client{Transport: s.Transport()}}
}

func transports(t *testing.T, s *sandbox.Server) []transport {
	wire := &http.Transport{}
	t.Cleanup(wire.CloseIdleConnections)
	return []transport{inProcess(s), {"url", s.URL(), &http.Client{Transport: wire}}}
}

// eachTransport runs a test with each transport, and a new server for each.
func eachTransport(t *testing.T, test func(t *testing.T, d transport), opts ...sandbox.Option) {
	for i, name := range []string{"transport", "url"} {
		t.Run(name, func(t *testing.T) { test(t, transports(t, sandbox.Start(t, opts...))[i]) })
	}
}

// apiResponse is a response with its whole body.
type apiResponse struct {
	status int
	header http.Header
	raw    []byte
	Data   json.RawMessage `json:"data"`
	Meta   struct {
		RequestID  string  `json:"request_id"`
		Page       int     `json:"page"`
		PageSize   int     `json:"page_size"`
		Total      int     `json:"total"`
		HasMore    *bool   `json:"has_more"`
		NextCursor *string `json:"next_cursor"`
	} `json:"meta"`
	Error struct {
		Code      string          `json:"code"`
		Message   string          `json:"message"`
		Details   json.RawMessage `json:"details"`
		RequestID string          `json:"request_id"`
	} `json:"error"`
}

// as sets a request's key; with sets a body, or a header "Name: value".
func (d transport) do(t *testing.T, method, path, key string, with ...any) apiResponse {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, d.base+path, http.NoBody)
	require.NoError(t, err)
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+key)
	}
	for _, w := range with {
		switch w := w.(type) {
		case string:
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(w)), int64(len(w))
		case io.Reader: // Chunked.
			r.Body, r.ContentLength = io.NopCloser(w), -1
		case http.Header:
			maps.Copy(r.Header, w)
		}
	}
	res, err := d.client.Do(r)
	require.NoError(t, err, "%s %s", method, path)
	raw, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	a := apiResponse{status: res.StatusCode, header: res.Header, raw: raw}
	a.check(t, method, method+" "+path, res.ContentLength)
	return a
}

func (d transport) get(t *testing.T, path string) apiResponse {
	t.Helper()
	return d.do(t, http.MethodGet, "/api/v1"+path, sandbox.TestKey)
}

func (d transport) post(t *testing.T, path, body string) apiResponse {
	t.Helper()
	return d.do(t, http.MethodPost, "/api/v1"+path, sandbox.TestKey, body)
}

// check checks what applies to every response.
func (a *apiResponse) check(t *testing.T, method, call string, length int64) {
	t.Helper()
	for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
		_, err := strconv.Atoi(a.header.Get(name))
		require.NoError(t, err, "%s: %s", call, name)
	}
	_, err := http.ParseTime(a.header.Get("Date"))
	require.NoError(t, err, "%s: Date", call)
	id := a.header.Get("X-Request-Id")
	assert.Regexp(t, `^req_[0-9a-f]+$`, id, call)
	for name := range a.header {
		assert.NotContains(t, name, "Access-Control", call)
	}
	assert.Less(t, a.status, 500, call)
	if a.status == http.StatusNoContent || method == http.MethodHead {
		assert.Empty(t, a.raw, call)
		return
	}
	assert.Equal(t, int64(len(a.raw)), length, "%s: Content-Length", call)
	assert.Equal(t, "application/json", a.header.Get("Content-Type"), call)
	require.NoError(t, json.Unmarshal(a.raw, a), "%s: %s", call, a.raw)
	if a.status < 300 {
		assert.Equal(t, id, a.Meta.RequestID, call)
		return
	}
	assert.Equal(t, id, a.Error.RequestID, call)
	assert.NotEmpty(t, a.Error.Message, call)
	assert.Equal(t, a.status == 400 || a.status == 429, a.Error.Details != nil, "%s: details only on 400 and 429", call)
	assert.NotEmpty(t, a.Error.Code, call)
}

// fails checks an error and returns its field errors.
func (a apiResponse) fails(t *testing.T, status int, code string) map[string][]string {
	t.Helper()
	require.Equal(t, status, a.status, "%s", a.raw)
	require.Equal(t, code, a.Error.Code)
	if status != http.StatusBadRequest {
		return nil
	}
	var details map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(a.Error.Details, &details))
	require.Len(t, details, 2)
	var form []string
	require.NoError(t, json.Unmarshal(details["formErrors"], &form))
	require.NotNil(t, form)
	fields := map[string][]string{}
	require.NoError(t, json.Unmarshal(details["fieldErrors"], &fields))
	require.NotNil(t, fields)
	require.NotZero(t, len(form)+len(fields), "a 400 names a problem")
	if len(form) > 0 {
		fields[""] = form
	}
	return fields
}

func (a apiResponse) invalid(t *testing.T, fields ...string) {
	t.Helper()
	got := a.fails(t, http.StatusBadRequest, "INVALID_INPUT")
	names := make([]string, 0, len(got))
	for name, messages := range got {
		names = append(names, name)
		assert.Len(t, messages, 1, name)
	}
	assert.ElementsMatch(t, fields, names, "%s", a.raw)
}

// into decodes the data of a success.
func into[T any](t *testing.T, a apiResponse) T {
	t.Helper()
	require.Less(t, a.status, 300, "%s", a.raw)
	var v T
	require.NoError(t, json.Unmarshal(a.Data, &v), "%s", a.raw)
	return v
}

type object = map[string]any

func ids(t *testing.T, a apiResponse) []string {
	t.Helper()
	var all []string
	for _, item := range into[[]object](t, a) {
		all = append(all, item["id"].(string))
	}
	return all
}

func readAll(t *testing.T, body io.ReadCloser) string {
	t.Helper()
	raw, err := io.ReadAll(body)
	require.NoError(t, err)
	require.NoError(t, body.Close())
	return string(raw)
}
