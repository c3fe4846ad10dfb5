package sandbox

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRouteTemplates(t *testing.T) {
	for call, want := range map[string]struct {
		name, template string
		scope          Scope
		params         []string
	}{
		"GET /api/v1/account":                         {"Account.Get", "/account", ScopeRead, nil},
		"HEAD /api/v1/submissions/a%2Fb/report":       {"Submissions.Report", "/submissions/{id}/report", ScopeRead, []string{"a/b"}},
		"PATCH /api/v1/assessments/x":                 {"Assessments.Update", "/assessments/{id}", ScopeWrite, []string{"x"}},
		"POST /api/v1/assessments/x/invitations":      {"Invitations.Send", "/assessments/{id}/invitations", ScopeWrite, []string{"x"}},
		"GET /api/v1/assessments/x/invitations":       {"Invitations.List", "/assessments/{id}/invitations", ScopeRead, []string{"x"}},
		"DELETE /api/v1/assessments/..":               {"Assessments.Delete", "/assessments/{id}", ScopeWrite, []string{".."}},
		"GET /api/v1/submissions/%F0%9F%9A%80/events": {"Events.List", "/submissions/{id}/events", ScopeRead, []string{"🚀"}},
		"POST /api/v1/assessments/x/invitations/y/resend": {"Invitations.Resend",
			"/assessments/{id}/invitations/{invitation_id}/resend", ScopeWrite, []string{"x", "y"}},
	} {
		method, path, _ := strings.Cut(call, " ")
		r, params, allow := match(defaultRoutes(), basePath, method, path)
		if assert.NotNil(t, r, call) {
			assert.Equal(t, []any{want.name, want.template, want.scope}, []any{r.name, r.template, r.scope})
			assert.Equal(t, want.params, params)
			assert.Empty(t, allow)
		}
	}
}

func TestEachStatusHasOneUsualCode(t *testing.T) {
	for code, status := range statusByCode {
		assert.Equal(t, code, codeOf(status), "another code has the status %d: leave %s out of statusByCode, so that a fault names it with its status", status, code)
	}
}
