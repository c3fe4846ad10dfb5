package sandbox_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

func authorization(values ...string) http.Header { return http.Header{"Authorization": values} }

func TestEveryBadKeyIsRejectedAlike(t *testing.T) {
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	s := sandbox.Start(t, sandbox.WithClock(func() time.Time { return now }))
	s.AddKey(sandbox.Key{Token: "sk_test_old", Scope: sandbox.ScopeAdmin, Expires: now})
	s.AddKey(sandbox.Key{Token: "sk_test_revoked", Scope: sandbox.ScopeAdmin})
	s.RevokeKey("sk_test_revoked")
	s.RevokeKey("sk_test_never_there")
	for _, d := range transports(t, s) {
		var first string
		for name, h := range map[string]http.Header{
			"none":           {},
			"empty":          authorization(""),
			"no scheme":      authorization(sandbox.TestKey),
			"basic":          authorization("Basic " + sandbox.TestKey),
			"no key":         authorization("Bearer "),
			"unknown":        authorization("Bearer sk_test_unknown"),
			"unknown live":   authorization("Bearer sk_live_unknown"),
			"two spaces":     authorization("Bearer  " + sandbox.TestKey),
			"something more": authorization("Bearer " + sandbox.TestKey + " x"),
			"twice":          authorization("Bearer "+sandbox.TestKey, "Bearer "+sandbox.TestKey),
			"expired":        authorization("Bearer sk_test_old"),
			"revoked":        authorization("Bearer sk_test_revoked"),
		} {
			t.Run(d.name+"/"+name, func(t *testing.T) {
				a := d.do(t, http.MethodGet, "/api/v1/account?key="+sandbox.TestKey, "", h)
				a.fails(t, 401, "INVALID_TOKEN")
				assert.Equal(t, "1000", a.header.Get("X-RateLimit-Limit"))
				assert.Equal(t, "1000", a.header.Get("X-RateLimit-Remaining"))
				if first == "" {
					first = a.Error.Message
				}
				assert.Equal(t, first, a.Error.Message)
			})
		}
		assert.Equal(t, 200, d.do(t, http.MethodGet, "/api/v1/account", "", authorization("bearer "+sandbox.TestKey)).status)
	}
	inProcess(s).do(t, http.MethodGet, "/nowhere", "").fails(t, 401, "INVALID_TOKEN")
}

func TestScopeIsJudgedBeforeInputAndExistence(t *testing.T) {
	d := inProcess(sandbox.New())
	for _, call := range []string{
		"POST /assessments", "PATCH /assessments/x", "DELETE /assessments/x", "POST /assessments/x/invitations",
		"POST /assessments/x/invitations/y/resend", "POST /assessments/x/invitations/y/revoke",
	} {
		method, path, _ := strings.Cut(call, " ")
		for _, body := range []string{"", "{", strings.Repeat(" ", 600_000)} {
			a := d.do(t, method, "/api/v1"+path+"?%zz", sandbox.ReadOnlyKey, body)
			a.fails(t, 403, "INSUFFICIENT_SCOPE")
			assert.Contains(t, string(a.raw), `"This operation requires the write scope."`, "and names no other")
		}
	}
}

func TestBadKeysPanic(t *testing.T) {
	s := sandbox.New()
	require.PanicsWithValue(t, `sandbox: AddKey: token: must be sk_test_ or sk_live_ and at least one letter, digit, "_", "-" or ".", at most 200 bytes`, func() { s.AddKey(sandbox.Key{Token: "sk_x"}) })
	require.PanicsWithValue(t, `sandbox: AddKey: scope: must be read, write or admin, not "root"`, func() { s.AddKey(sandbox.Key{Token: "sk_test_x", Scope: "root"}) })
}
