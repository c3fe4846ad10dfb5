package main

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/operations"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestTheSuite runs the client's suite with the program as the API.
func TestTheSuite(t *testing.T) {
	t.Parallel()
	p := start(t)
	operations.RunRemote(t, func(t *testing.T) (*hiring.Client, operations.Controls) {
		p.steer(t, "reset", "")
		client, err := hiring.New(p.baseURL, sandbox.TestKey)
		require.NoError(t, err)
		return client, remote{t, p}
	})
}

// remote calls the control API instead of the methods of a server.
type remote struct {
	t *testing.T
	p *running
}

func (r remote) post(path string, body map[string]any) {
	r.t.Helper()
	raw, err := json.Marshal(body)
	require.NoError(r.t, err)
	r.p.steer(r.t, path, string(raw))
}

func (r remote) AddKey(k sandbox.Key) {
	r.t.Helper()
	body := map[string]any{"token": k.Token, "scope": k.Scope, "organization": k.Organization}
	if !k.Expires.IsZero() {
		body["expires"] = k.Expires.Format(time.RFC3339)
	}
	r.post("keys", body)
}

func (r remote) RevokeKey(token string) {
	r.t.Helper()
	r.post("keys/revoke", map[string]any{"token": token})
}

func (r remote) SetQuota(token string, class sandbox.Class, remaining int) {
	r.t.Helper()
	r.post("quota", map[string]any{"key": token, "class": class, "remaining": remaining})
}

func (r remote) Inject(f sandbox.Fault) {
	r.t.Helper()
	r.post("faults", map[string]any{
		"route": f.Route, "skip": f.Skip, "times": f.Times, "status": f.Status, "code": f.Code,
		"retry_after": f.RetryAfter.Seconds(), "delay": f.Delay.Seconds(),
		"after": f.After, "reset": f.Reset, "cut_after": f.CutAfter, "body": f.Body, "content_type": f.ContentType,
	})
}
