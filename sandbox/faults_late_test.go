package sandbox_test

import (
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// refusals are the ways in which a test can prevent invitations with a live key.
var refusals = map[string]func(s *sandbox.Server, token string){
	"RevokeKey": func(s *sandbox.Server, token string) { s.RevokeKey(token) },
	"AddKey":    func(s *sandbox.Server, token string) { s.AddKey(sandbox.Key{Token: token, Scope: sandbox.ScopeRead}) },
	"SetQuota":  func(s *sandbox.Server, token string) { s.SetQuota(token, sandbox.ClassWrite, 0) },
	"SetPlan":   func(s *sandbox.Server, token string) { s.SetPlan(token, 0, 0) },
}

// TestLateWorkIsDoneBeforeItIsRejected checks the order by the server's clock: late work
// that is due is done before a key is changed, and other late work after it.
func TestLateWorkIsDoneBeforeItIsRejected(t *testing.T) {
	for name, refuse := range refusals {
		t.Run(name, func(t *testing.T) {
			due, waiting := lateInvitation(t), lateInvitation(t)
			due.s.Advance(time.Minute)
			refuse(due.s, due.key)
			assert.Len(t, due.sent(t), 1, "it was due")

			waiting.s.Advance(time.Minute - 1)
			refuse(waiting.s, waiting.key)
			waiting.s.Advance(1)
			assert.Empty(t, waiting.sent(t), "it was not due yet")
		})
	}
}

// lateWork returns live data in which an invitation is sent a minute late.
type lateWork struct {
	live

	posting string
}

func lateInvitation(t *testing.T) lateWork {
	t.Helper()
	s := sandbox.Start(t, at(noon))
	s.AddKey(sandbox.Key{Token: "sk_live_sender"})
	l := live{inProcess(s), s, "sk_live_sender"}
	posting := l.assess(t)
	s.Inject(sandbox.Fault{Route: "POST /assessments/{id}/invitations", Late: time.Minute})
	path, body := l.base+"/api/v1"+posting+"/invitations", candidateBody("ada@example.test")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+l.key)
	res, err := l.client.Do(r)
	if err == nil {
		require.NoError(t, res.Body.Close())
	}
	require.ErrorIs(t, err, syscall.ECONNRESET)
	return lateWork{l, posting}
}

// sent lists the invitations with another key of the organization.
func (w lateWork) sent(t *testing.T) []string {
	t.Helper()
	return ids(t, w.do(t, http.MethodGet, "/api/v1"+w.posting+"/invitations", sandbox.LiveKey))
}
