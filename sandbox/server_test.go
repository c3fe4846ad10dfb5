package sandbox_test

import (
	"fmt"
	"net/http"
	"syscall"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

func TestNewIsCheap(t *testing.T) {
	assert.Less(t, testing.AllocsPerRun(100, func() { sandbox.New() }), 50.)
	synctest.Test(t, func(*testing.T) { sandbox.New() }) // Fails if a goroutine is left.
}

func TestBadOptionsPanic(t *testing.T) {
	assert.PanicsWithValue(t, "sandbox: WithClock: the clock is nil", func() { sandbox.WithClock(nil) })
	assert.PanicsWithValue(t, "sandbox: WithQuota(-1, 5): a rate limit must not be negative", func() { sandbox.WithQuota(-1, 5) })
	assert.PanicsWithValue(t, "sandbox: WithQuota(5, -1): a rate limit must not be negative", func() { sandbox.WithQuota(5, -1) })
	assert.PanicsWithValue(t, `sandbox: WithDialect: hiring: Dialect.GetAssessment: must have the placeholders [{id}], in this order`,
		func() { sandbox.New(sandbox.WithDialect(hiring.Dialect{GetAssessment: "GET /assessments"})) })
}

func TestURLAndClose(t *testing.T) {
	s := sandbox.New()
	url := s.URL()
	assert.Equal(t, url, s.URL(), "one listener")
	assert.Regexp(t, `^http://127\.0\.0\.1:\d+$`, url)
	d := transports(t, s)[1]
	assert.Equal(t, 200, d.get(t, "/account").status)
	s.Close()
	s.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/api/v1/account", http.NoBody)
	require.NoError(t, err)
	_, err = d.client.Do(r)
	require.Error(t, err)
	assert.PanicsWithValue(t, "sandbox: URL was called after Close", func() { s.URL() })
	assert.Equal(t, 200, inProcess(s).get(t, "/account").status)
	sandbox.New().Close()
}

type fakeTB struct {
	cleanups []func()
	failures []string
}

func (*fakeTB) Helper()             {}
func (f *fakeTB) Cleanup(do func()) { f.cleanups = append(f.cleanups, do) }
func (f *fakeTB) Errorf(format string, args ...any) {
	f.failures = append(f.failures, fmt.Sprintf(format, args...))
}

func TestStartClosesWithTheTest(t *testing.T) {
	tb := &fakeTB{}
	s := sandbox.Start(tb, sandbox.WithQuota(7, 7))
	d := transports(t, s)[1]
	assert.Equal(t, "6", d.get(t, "/account").header.Get("X-RateLimit-Remaining"))
	require.Len(t, tb.cleanups, 1)
	tb.cleanups[0]()
	assert.Empty(t, tb.failures)
	assert.Panics(t, func() { s.URL() })
}

func TestClient(t *testing.T) {
	s := sandbox.New()
	account, err := s.Client().Account.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "sandbox-hiring", account.Slug)
	assert.Equal(t, hiring.EnvironmentTest, s.Client().Environment())
	assert.Equal(t, hiring.EnvironmentLive, s.LiveClient().Environment())
	account, err = s.LiveClient().Account.Get(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "sandbox-live", account.Slug)
	assert.Panics(t, func() { s.Client(hiring.WithEnvironment(hiring.EnvironmentLive)) })
}

// TestAResetOfAnOldConnection checks that net/http retries the request, as in production.
func TestAResetOfAnOldConnection(t *testing.T) {
	s := sandbox.Start(t)
	d := transports(t, s)[1]
	assert.Equal(t, 200, d.get(t, "/account").status)
	s.Inject(sandbox.Fault{Route: "GET /account", Reset: true})
	assert.Equal(t, 200, d.get(t, "/account").status)
	assert.Len(t, s.Journal(), 3, "the repeated request is in the journal")
	s.Inject(sandbox.Fault{Route: "POST /assessments", Reset: true})
	require.ErrorIs(t, d.send(t.Context(), t, http.MethodPost, "/assessments", "{}").err, syscall.ECONNRESET)
	assert.Len(t, s.Journal(), 4, "a write is not repeated")
}
