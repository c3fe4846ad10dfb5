package sandbox

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	hiring "github.com/hiring-assessment/hiring-go"
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

// TestAFurtherCodeOfAStatusChangesNoOther: a fault with the status alone keeps the code that was documented first.
func TestAFurtherCodeOfAStatusChangesNoOther(t *testing.T) {
	defer func(before []codeStatus) { codes = before }(codes)
	codes = append(slices.Clone(codes), codeStatus{"LIMIT_REACHED", http.StatusConflict})
	assert.Equal(t, http.StatusConflict, statusOf("LIMIT_REACHED"))
	for status, code := range map[int]hiring.ErrorCode{
		400: "INVALID_INPUT", 401: "INVALID_TOKEN", 402: "PLAN_LIMIT_REACHED", 403: "INSUFFICIENT_SCOPE", 404: "NOT_FOUND", 405: "NOT_FOUND",
		409: "CONFLICT", 418: "INVALID_INPUT", 429: "RATE_LIMITED", 500: "INTERNAL_ERROR", 503: "INTERNAL_ERROR",
	} {
		assert.Equal(t, code, codeOf(status), "the usual code of %d: list a further one below it", status)
	}
}
