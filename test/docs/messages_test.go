package docs_test

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

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
	server := sandbox.Start(t)

	// Setting up.
	errs["address"] = of(hiring.New("hiring.example.com", sandbox.TestKey))
	errs["bearer"] = of(hiring.New("https://hiring.example.com", "Bearer sk_test_0123456789"))
	errs["invisible"] = of(hiring.New("https://hiring.example.com", "sk_test_0123456789\u200b"))
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
	errs["scheme"] = get(hiring.New(strings.Replace(server.URL(), "http", "https", 1), sandbox.TestKey))
	errs["encoding"] = get(hiring.New(serve(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "br")
		_, _ = io.WriteString(w, "\x0b\x02")
	}), sandbox.TestKey))
	errs["proxy"] = page(502, "<html>Bad gateway</html>")
	errs["redirect"] = page(302, "")
	errs["base URL"] = get(hiring.New(server.URL()+"/wrong", sandbox.TestKey))

	// Refused before they are sent.
	keyed, err := hiring.New("https://hiring.example.com", "sk_test_0123456789")
	require.NoError(t, err)
	errs["key"] = of(keyed.Submissions.Get(ctx, "sk_test_0123456789"))
	errs["id"] = of(server.Client().Submissions.Get(ctx, ""))
	used := sandbox.Start(t)
	used.SetQuota(sandbox.TestKey, sandbox.ClassRead, 0)
	client := used.Client(once)
	_ = get(client, nil)
	errs["quota"] = get(client, nil)

	// Lists, waiting, archives.
	other := sandbox.Start(t, sandbox.WithDialect(hiring.Dialect{PageParam: "p"}))
	errs["page"] = of(other.Client().Invitations.List(sandbox.AssessmentID).PageSize(5).Collect(ctx))
	polled, err := server.Client().Submissions.Poll(ctx, "", hiring.WatchOptions{})
	require.NoError(t, err)
	errs["damaged"] = of(server.Client().Submissions.Poll(ctx, polled.State[:len(polled.State)-10], hiring.WatchOptions{}))
	errs["account"] = of(server.LiveClient().Submissions.Poll(ctx, polled.State, hiring.WatchOptions{}))
	errs["checkpoint"] = of(hiring.FileCheckpoint(filepath.Join(t.TempDir(), "missing", "state")).Load(ctx))
	return errs
}

// TestMessagesOfTheGuideAreReal checks that each message in docs/errors.md is part of a real error. An ellipsis in a
// message matches any text.
func TestMessagesOfTheGuideAreReal(t *testing.T) {
	errs := symptoms(t)
	_, section, _ := strings.Cut(text(t, "docs/errors.md"), "\n## Messages\n")
	rows := regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(section, -1)
	require.GreaterOrEqual(t, len(rows), 11)
	for _, row := range rows {
		shown, found := regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(row[1]), "…", ".+")), false
		for _, err := range errs {
			found = found || shown.MatchString(err.Error())
		}
		assert.True(t, found, "no error has this text: %s", row[1])
	}
}
