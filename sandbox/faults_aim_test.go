package sandbox_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestWhichRequestsAFaultMeets(t *testing.T) {
	const one, other = "/submissions/" + sandbox.SubmissionID, "/submissions/" + sandbox.PendingSubmissionID
	for _, c := range []struct {
		route    string
		met, not []string
	}{
		{"", []string{"GET /account", "POST /assessments", "GET /nowhere", "PUT /account"}, nil},
		{"*", []string{"GET /account", "DELETE /nowhere"}, nil},
		{"POST *", []string{"POST /assessments", "POST /nowhere"}, []string{"GET /account"}},
		{"GET /submissions/{id}", []string{"GET " + one, "GET " + other, "HEAD " + one}, []string{"GET /submissions", "GET " + one + "/report", "POST " + one}},
		{"GET *", []string{"GET " + one, "HEAD /nowhere"}, []string{"POST /assessments"}},
		{"PATCH /assessments/{id}", []string{"PATCH /assessments/x"}, []string{"DELETE /assessments/x", "GET /assessments"}},
	} {
		s := sandbox.New()
		s.Inject(sandbox.Fault{Route: c.route, Times: -1, Status: 507})
		for _, call := range c.met {
			method, path, _ := strings.Cut(call, " ")
			assert.Equal(t, 507, inProcess(s).send(t.Context(), t, method, path, "").status, "%q meets %s", c.route, call)
		}
		for _, call := range c.not {
			method, path, _ := strings.Cut(call, " ")
			assert.NotEqual(t, 507, inProcess(s).send(t.Context(), t, method, path, "").status, "%q does not meet %s", c.route, call)
		}
	}
}

func TestSkipAndTimes(t *testing.T) {
	for _, c := range []struct {
		faults []sandbox.Fault
		want   []int
	}{
		{[]sandbox.Fault{{Status: 500}}, []int{500, 200, 200}},
		{[]sandbox.Fault{{Status: 500, Skip: 1, Times: 2}}, []int{200, 500, 500, 200}},
		{[]sandbox.Fault{{Status: 500, Skip: 1, Times: -1}}, []int{200, 500, 500, 500}},
		{[]sandbox.Fault{{Status: 500}, {Status: 502}}, []int{500, 502, 200}},
		{[]sandbox.Fault{{Status: 500, Skip: 1}, {Status: 502}}, []int{502, 500, 200}},
		{[]sandbox.Fault{{Status: 500}, {Status: 502, Skip: 1}}, []int{500, 502, 200}},
		{[]sandbox.Fault{{Status: 500, Times: 2}, {Status: 502, Skip: 1}}, []int{500, 500, 502, 200}},
	} {
		s := sandbox.Start(t)
		for _, f := range c.faults {
			s.Inject(f)
		}
		for i, status := range c.want {
			assert.Equal(t, status, inProcess(s).send(t.Context(), t, http.MethodGet, "/account", "").status, "%v: %d", c.faults, i)
		}
	}
}

func TestSenselessFaultsPanic(t *testing.T) {
	for want, f := range map[string]sandbox.Fault{
		"would do nothing":                               {Route: "GET /account"},
		"skip: must not be negative":                     {Skip: -1, Status: 500},
		"delay: must not be negative":                    {Delay: -time.Second},
		"status: must be from 200 to 599":                {Status: 100},
		`code: "TEAPOT" is not a code of the API`:        {Code: "TEAPOT"},
		"a connection that is reset carries no response": {Reset: true, Status: 500},
		"leave out everything but":                       {Reset: true, CutAfter: 5},
		`no operation has the route "GET /acount"; there are DELETE /assessments/{id}, GET /_archive/{id}, GET /account, `: {Route: "GET /acount", Status: 500},
		`no operation has the route "PUT /account"`: {Route: "PUT /account", Status: 500},
		`no operation has the route "/submissions"`: {Route: "/submissions", Status: 500},
	} {
		s := sandbox.Start(t)
		func() {
			defer func() {
				text, _ := recover().(string)
				assert.Contains(t, text, "sandbox: Inject: ")
				assert.Contains(t, text, want)
			}()
			s.Inject(f)
		}()
	}
}

func TestAFaultThatNeverFiredFailsTheTest(t *testing.T) {
	tb := &fakeTB{}
	s := sandbox.Start(tb)
	s.Inject(sandbox.Fault{Route: "POST /assessments", Status: 500, After: true, Delay: time.Second, Body: "x"})
	s.Inject(sandbox.Fault{Route: "GET /members", Times: -1, Status: 500})
	s.Inject(sandbox.Fault{Route: "GET /account", Times: 3, Status: 500})
	s.Inject(sandbox.Fault{Route: "GET /account", Skip: 1, Times: -1, Status: 500})
	inProcess(s).send(t.Context(), t, http.MethodGet, "/account", "")
	tb.cleanups[0]()
	assert.Equal(t, []string{
		`sandbox: this fault never fired: {"route":"POST /assessments","status":500,"delay":1,"after":true,"body":"x"}; the journal has ["GET /account"]`,
		`sandbox: this fault never fired: {"route":"GET /members","times":-1,"status":500}; the journal has ["GET /account"]`,
		`sandbox: this fault never fired: {"route":"GET /account","skip":1,"times":-1,"status":500}; the journal has ["GET /account"]`,
	}, tb.failures)
}
