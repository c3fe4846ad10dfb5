package contract_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/contract"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// mutant is a transport that changes responses.
type mutant struct {
	next   http.RoundTripper
	change func(*http.Response, []byte) []byte
}

func (m mutant) RoundTrip(r *http.Request) (*http.Response, error) {
	reply, err := m.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(reply.Body)
	if err != nil {
		return nil, err
	}
	_ = reply.Body.Close()
	body = m.change(reply, body)
	reply.Body, reply.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return reply, nil
}

// mutantServer is a validator of a mutant that can be changed between two requests.
type mutantServer struct {
	t         *testing.T
	validator *contract.Validator
	faults    []string
}

func newMutantServer(t *testing.T, document *contract.Document) *mutantServer {
	t.Helper()
	b := &mutantServer{t: t}
	b.validator = &contract.Validator{Document: document, Coverage: new(contract.Coverage), Report: func(fault string) {
		b.faults = append(b.faults, fault)
	}}
	return b
}

// faultsOf sends a request to a mutant and returns the differences that the validator
// found.
func (b *mutantServer) faultsOf(q testRequest, change func(*http.Response, []byte) []byte) string {
	b.t.Helper()
	server := sandbox.New()
	server.AddKey(sandbox.Key{Token: "sk_test_drained"})
	server.SetQuota("sk_test_drained", sandbox.ClassRead, 0)
	b.faults, b.validator.Next = nil, mutant{server.Transport(), change}
	r, err := http.NewRequestWithContext(b.t.Context(), q.method, base+"/api/v1"+q.path, strings.NewReader(q.body))
	require.NoError(b.t, err)
	key := q.key
	if key == "" {
		key = sandbox.TestKey
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	reply, err := b.validator.RoundTrip(r)
	require.NoError(b.t, err)
	require.NoError(b.t, reply.Body.Close())
	return strings.Join(b.faults, "\n")
}

type testRequest struct{ method, path, key, body string }

var (
	account    = testRequest{method: "GET", path: "/account"}
	challenges = testRequest{method: "GET", path: "/challenges?page_size=2"}
	report     = testRequest{method: "GET", path: "/submissions/" + sandbox.SubmissionID + "/report"}
	deletion   = testRequest{method: "DELETE", path: "/assessments/" + sandbox.AssessmentID}
	unknown    = testRequest{method: "GET", path: "/submissions/" + sandbox.UnknownID}
	invalid    = testRequest{method: "GET", path: "/submissions?since=x"}
	drained    = testRequest{method: "GET", path: "/account", key: "sk_test_drained"}
	creation   = testRequest{method: "POST", path: "/assessments", body: `{"challenge_id":"c0000000-0000-4000-8000-000000000001","name":"n"}`}
)

func unchanged(_ *http.Response, body []byte) []byte { return body }

func status(code int) func(*http.Response, []byte) []byte {
	return func(r *http.Response, body []byte) []byte { r.StatusCode = code; return body }
}

// header sets a header, or removes it when the value is empty.
func header(name, value string) func(*http.Response, []byte) []byte {
	return func(r *http.Response, body []byte) []byte {
		if r.Header.Del(name); value != "" {
			r.Header.Set(name, value)
		}
		return body
	}
}

// text replaces the first occurrence of a text that must exist.
func text(old, now string) func(*http.Response, []byte) []byte {
	return func(_ *http.Response, body []byte) []byte {
		if !bytes.Contains(body, []byte(old)) {
			panic("the response has no " + old)
		}
		return bytes.Replace(body, []byte(old), []byte(now), 1)
	}
}

// TestMutantsAreCaught checks that the validator reports each kind of mistake of a server.
func TestMutantsAreCaught(t *testing.T) {
	b := newMutantServer(t, load(t, served(t, sandbox.New())))
	for name, m := range mutants {
		t.Run(name, func(t *testing.T) {
			b.t = t
			assert.Empty(t, b.faultsOf(m.question, unchanged), "before it was changed")
			assert.Contains(t, b.faultsOf(m.question, m.change), m.fault)
		})
	}
	t.Logf("%d mutants caught", len(mutants))
}

var mutants = map[string]struct {
	question testRequest
	change   func(*http.Response, []byte) []byte
	fault    string
}{
	"dropped member":             {account, text(`"slug":"sandbox-hiring",`, ""), "slug"},
	"dropped request id":         {account, text(`"request_id":`, `"id":`), "request_id"},
	"dropped meta":               {account, text(`,"meta":`, `,"mata":`), "meta"},
	"no envelope":                {account, text(`{"data":`, `{"result":`), "data"},
	"text for a number":          {account, text(`"assessments_used":381`, `"assessments_used":"381"`), "assessments_used"},
	"fraction for an integer":    {account, text(`"assessments_used":381`, `"assessments_used":381.5`), "assessments_used"},
	"null where none is allowed": {account, text(`"name":"Sandbox Hiring Ltd"`, `"name":null`), "name"},
	"object for a list":          {challenges, text(`"data":[`, `"data":{"items":[`), "JSON"},
	"three pillars":              {report, text(`{"id":"rigor"`, `{"id":"speed"`), "pillars"},
	"id that is no UUID":         {account, text(`"id":"0c000000-`, `"id":"acc_0c000000-`), "is no uuid"},
	"time without milliseconds":  {account, text(`30.405Z`, `30Z`), "created_at"},
	"time in another zone":       {account, text(`30.405Z`, `30.405+01:00`), "created_at"},
	"undocumented member":        {account, text(`"data":{`, `"data":{"vat_id":"x",`), "/data/vat_id: undocumented member"},
	"undocumented in meta":       {account, text(`"meta":{`, `"meta":{"took_ms":3,`), "/meta/took_ms: undocumented member"},
	"undocumented beside data":   {account, text(`{"data":`, `{"links":{},"data":`), "/links: undocumented member"},
	"undocumented in an error":   {unknown, text(`"error":{`, `"error":{"hint":"",`), "/error/hint: undocumented member"},
	"no limit header":            {account, header("X-RateLimit-Limit", ""), "X-RateLimit-Limit"},
	"no remaining header":        {account, header("X-RateLimit-Remaining", ""), "X-RateLimit-Remaining"},
	"no reset header":            {unknown, header("X-RateLimit-Reset", ""), "X-RateLimit-Reset"},
	"no request id header":       {deletion, header("X-Request-Id", ""), "X-Request-Id"},
	"no date":                    {account, header("Date", ""), "Date"},
	"no retry-after":             {drained, header("Retry-After", ""), "Retry-After"},
	"retry-after is a date":      {drained, header("Retry-After", "Sun, 01 Mar 2026 10:00:00 GMT"), "Retry-After"},
	"header of a wrong type":     {account, header("X-RateLimit-Remaining", "many"), "X-RateLimit-Remaining"},
	"another request id":         {account, header("X-Request-Id", "req_0"), "X-Request-Id is not"},
	"undocumented header":        {account, header("X-Powered-By", "luck"), "undocumented header X-Powered-By"},
	"CORS header":                {account, header("Access-Control-Allow-Origin", "*"), "undocumented header"},
	"retry-after on a success":   {account, header("Retry-After", "1"), "undocumented header Retry-After"},
	"undocumented success":       {account, status(http.StatusAccepted), "status is not supported"},
	"undocumented failure":       {unknown, status(http.StatusGone), "status is not supported"},
	"402 where none can be":      {unknown, status(http.StatusPaymentRequired), "status is not supported"},
	"200 for a creation":         {creation, status(http.StatusOK), "status is not supported"},
	"500 with another code":      {unknown, status(http.StatusInternalServerError), "code"},
	"unknown error code":         {unknown, text(`"NOT_FOUND"`, `"MISSING"`), "code"},
	"code of another status":     {unknown, text(`"NOT_FOUND"`, `"CONFLICT"`), "code"},
	"no message":                 {unknown, text(`"message"`, `"text"`), "message"},
	"details on a 404":           {unknown, text(`"error":{`, `"error":{"details":null,`), "/error/details: undocumented member"},
	"no details on a 400":        {invalid, text(`"details"`, `"problems"`), "details"},
	"one message for a list":     {invalid, text(`["Expected a timestamp."]`, `"Expected a timestamp."`), "fieldErrors"},
	"no form errors":             {invalid, text(`"formErrors":[],`, ""), "formErrors"},
	"no details on a 429":        {drained, text(`"details"`, `"quota"`), "details"},
	"reset as a date":            {drained, text(`"reset":`, `"reset":"2026-03-01","at":`), "reset"},
	"HTML":                       {account, header("Content-Type", "text/html"), "Content-Type"},
	"no content type":            {account, header("Content-Type", ""), "Content-Type"},
	"another JSON":               {unknown, header("Content-Type", "application/problem+json"), "Content-Type"},
	"cut short":                  {account, func(_ *http.Response, body []byte) []byte { return body[:len(body)-1] }, "JSON"},
	"something after the JSON":   {account, func(_ *http.Response, body []byte) []byte { return append(body, "}"...) }, "JSON"},
	"no body":                    {account, func(*http.Response, []byte) []byte { return nil }, "body"},
	"a cursor that is a number":  {testRequest{method: "GET", path: "/submissions?page_size=1"}, text(`"next_cursor":"`, `"next_cursor":5,"was":"`), "next_cursor"},
	"a seq cursor that is none":  {testRequest{method: "GET", path: "/submissions/" + sandbox.BusySubmissionID + "/events"}, text(`"next_cursor":"`, `"next_cursor":"x`), "next_cursor"},
	"a page that is too large":   {challenges, text(`"page_size":2`, `"page_size":200`), "page_size"},
}

// TestAcceptedRequestsAreValidated checks that input which the server ignores is reported
// as a mistake of the client, and that rejected requests are not validated.
func TestAcceptedRequestsAreValidated(t *testing.T) {
	b := newMutantServer(t, load(t, served(t, sandbox.New())))
	for fault, q := range map[string]testRequest{
		"undocumented query parameter limit": {method: "GET", path: "/challenges?limit=5"},
		"/notes: undocumented member":        {method: "POST", path: "/assessments", body: strings.Replace(creation.body, "{", `{"notes":"",`, 1)},
		"undocumented query parameter page":  {method: "GET", path: "/members?page=1"},
		"request body":                       {method: "GET", path: "/account", body: "{}"},
	} {
		assert.Contains(t, b.faultsOf(q, unchanged), fault)
	}
	for _, refused := range []testRequest{invalid, unknown, {method: "POST", path: "/assessments", body: `{"notes":1}`}} {
		assert.Empty(t, b.faultsOf(refused, unchanged))
	}
}

// TestEveryMemberMatters removes each member of each success in turn, changes its type,
// and adds an unknown member next to it. Each change must be reported.
func TestEveryMemberMatters(t *testing.T) {
	document := load(t, served(t, sandbox.New()))
	b := newMutantServer(t, document)
	caught := 0
	for _, o := range document.Routes() {
		if o.Operation.OperationID == "getOpenAPI" || o.Operation.Responses.Status(http.StatusNoContent) != nil {
			continue // The document does not describe OpenAPI itself, and an empty body has no members.
		}
		q := testRequest{method: o.Method, path: strings.TrimPrefix(fill(t, o), "/api/v1")}
		if o.Operation.RequestBody != nil {
			body, err := json.Marshal(o.Operation.RequestBody.Value.Content["application/json"].Example)
			require.NoError(t, err)
			q.body = string(body)
		}
		var reply []byte
		require.Empty(t, b.faultsOf(q, func(_ *http.Response, body []byte) []byte { reply = body; return body }), o.Operation.OperationID)
		for name, changed := range anatomyOf(o.Operation.OperationID).dissect(t, reply) {
			faults := b.faultsOf(q, func(*http.Response, []byte) []byte { return changed })
			assert.NotEmpty(t, faults, "%s: %s", o.Operation.OperationID, name)
			caught++
		}
	}
	t.Logf("%d mutants caught", caught)
}
