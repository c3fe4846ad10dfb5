package docs_test

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// symptoms returns real errors that users meet, each with a name.
func symptoms(t *testing.T) map[string]error {
	t.Helper()
	ctx, errs := t.Context(), make(map[string]error)
	once := hiring.WithRetry(hiring.RetryPolicy{MaxAttempts: 1})
	get := func(c *hiring.Client, err error) error {
		if err == nil {
			_, err = c.Account.Get(ctx)
		}
		return err
	}
	of := func(_ any, err error) error { return err }
	serve := func(h http.HandlerFunc) string {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return s.URL
	}
	page := func(status int, body string) error {
		return get(hiring.New(serve(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Location", "https://sso.example.com")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}), sandbox.TestKey, once))
	}
	fault := func(f sandbox.Fault, call func(*hiring.Client) error, options ...hiring.Option) error {
		server := sandbox.Start(t)
		server.Inject(f)
		return call(server.Client(append(options, once)...))
	}
	account := func(c *hiring.Client) error { return of(c.Account.Get(ctx)) }
	invite := func(email string) func(*hiring.Client) error {
		return func(c *hiring.Client) error {
			return of(c.Invitations.Send(ctx, sandbox.AssessmentID, hiring.NewInvitation{Email: email, Name: "Ada"}))
		}
	}
	server := sandbox.Start(t)

	// Setting up.
	errs["address"] = of(hiring.New("hiring.example.com", sandbox.TestKey))
	errs["bearer"] = of(hiring.New("https://hiring.example.com", "Bearer sk_test_0123456789"))
	t.Setenv("HIRING_BASE_URL", "https://hiring.example.com")
	t.Setenv("HIRING_API_KEY", "")
	errs["empty"] = of(hiring.FromEnv())
	errs["http"] = of(hiring.New("http://hiring.internal", sandbox.TestKey))
	errs["environment"] = of(hiring.New("https://hiring.example.com", "sk_live_0123456789", hiring.WithEnvironment(hiring.EnvironmentTest)))

	// The network.
	nowhere := httptest.NewServer(nil)
	nowhere.Close()
	errs["refused"] = get(hiring.New(nowhere.URL, sandbox.TestKey, once))
	unknownHost := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "hiring.invalid", IsNotFound: true}}
	}}
	errs["host"] = get(hiring.New("https://hiring.invalid", sandbox.TestKey, once, hiring.WithHTTPClient(&http.Client{Transport: unknownHost})))
	secure := httptest.NewUnstartedServer(server)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	errs["certificate"] = get(hiring.New(secure.URL, sandbox.TestKey, once))
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	errs["cancelled"] = of(server.Client().Account.Get(cancelled))
	errs["proxy"] = page(502, "<html>Bad gateway</html>")
	errs["sign-in"] = page(200, "<html>Sign in</html>")
	errs["redirect"] = page(302, "")
	errs["base URL"] = get(hiring.New(server.URL()+"/wrong", sandbox.TestKey))
	errs["large"] = account(server.Client(hiring.WithMaxResponseBytes(10)))

	// Refused by the API.
	revoked := sandbox.Start(t)
	revoked.RevokeKey(sandbox.TestKey)
	client := revoked.Client()
	errs["401"] = account(client)
	errs["paused"] = account(client)
	for range 3 {
		errs["paused"] = account(client)
	}
	reader, err := hiring.New(server.URL(), sandbox.ReadOnlyKey)
	require.NoError(t, err)
	errs["scope"] = invite("ada@example.com")(reader)
	errs["plan"] = invite(sandbox.PlanLimitEmail)(server.Client())
	errs["input"] = invite("ada")(server.Client())
	errs["id"] = of(server.Client().Submissions.Get(ctx, ""))
	errs["404"] = of(server.Client().Submissions.Get(ctx, sandbox.UnknownID))
	errs["409"] = fault(sandbox.Fault{Status: 409}, invite("ada@example.com"))
	used := sandbox.Start(t)
	used.SetQuota(sandbox.TestKey, sandbox.ClassRead, 0)
	client = used.Client(once)
	errs["429"] = account(client)
	errs["quota"] = account(client)
	errs["500"] = fault(sandbox.Fault{Status: 500}, account)
	errs["unknown"] = fault(sandbox.Fault{After: true, Reset: true}, invite("ada@example.com"))

	// Lists, waiting, archives.
	other := sandbox.Start(t, sandbox.WithDialect(hiring.Dialect{PageParam: "p", ListAssessments: "GET /jobs"}))
	errs["route"] = of(other.Client().Assessments.List().Collect(ctx))
	errs["page"] = of(other.Client().Invitations.List(sandbox.AssessmentID).PageSize(5).Collect(ctx))
	synctest.Test(t, func(t *testing.T) {
		server := sandbox.Start(t)
		server.Inject(sandbox.Fault{Delay: time.Hour})
		errs["timeout"] = of(server.Client(once).Account.Get(t.Context()))
		expired, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		errs["wait"] = of(server.Client().Submissions.WaitReport(expired, sandbox.PendingSubmissionID, hiring.WaitOptions{}))
	})
	polled, err := server.Client().Submissions.Poll(ctx, hiring.WatchOptions{}, "")
	require.NoError(t, err)
	errs["state"] = of(server.Client().Submissions.Poll(ctx, hiring.WatchOptions{AssessmentID: sandbox.AssessmentID}, polled.State))
	errs["damaged"] = of(server.Client().Submissions.Poll(ctx, hiring.WatchOptions{}, polled.State[:len(polled.State)-10]))
	errs["other text"] = of(server.Client().Submissions.Poll(ctx, hiring.WatchOptions{}, "{}"))
	errs["account"] = of(server.LiveClient().Submissions.Poll(ctx, hiring.WatchOptions{}, polled.State))
	empty := filepath.Join(t.TempDir(), "state")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	errs["empty file"] = of(hiring.FileCheckpoint(empty).Load(ctx))
	errs["checkpoint"] = of(hiring.FileCheckpoint(filepath.Join(t.TempDir(), "missing", "state")).Load(ctx))
	errs["archive"] = of(server.Client().Submissions.DownloadArchive(ctx, sandbox.SubmissionID, io.Discard))
	return errs
}

// TestTroubleshootingShowsRealErrorTexts checks that each symptom in the guide is part of
// a real error, and that each of these errors is in the guide. An ellipsis in a symptom
// matches any text.
func TestTroubleshootingShowsRealErrorTexts(t *testing.T) {
	errs, found := symptoms(t), make(map[string]bool)
	rows := regexp.MustCompile("(?m)^\\| `([^`]+)` \\| [^|]+ \\| [^|]+ \\|$").FindAllStringSubmatch(text(t, "docs/troubleshooting.md"), -1)
	require.GreaterOrEqual(t, len(rows), 20)
	for _, row := range rows {
		var parts []string
		for part := range strings.SplitSeq(row[1], "…") {
			parts = append(parts, regexp.QuoteMeta(part))
		}
		shown, matches := regexp.MustCompile(strings.Join(parts, ".+")), 0
		for name, err := range errs {
			if shown.MatchString(err.Error()) {
				found[name] = true
				matches++
			}
		}
		assert.Positive(t, matches, "docs/troubleshooting.md: no error has this text: %s", row[1])
	}
	for name, err := range errs {
		assert.True(t, found[name], "docs/troubleshooting.md: no row for %s: %v", name, err)
	}
}
