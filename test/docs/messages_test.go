package docs_test

import (
	"context"
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/internal/testing/apitest"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// symptoms returns real errors that users meet.
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

	errs["http"] = of(hiring.New("http://hiring.internal", sandbox.TestKey))
	secure := httptest.NewUnstartedServer(server)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	strict := httptest.NewUnstartedServer(server)
	strict.Config.ErrorLog, strict.TLS = secure.Config.ErrorLog, &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	strict.StartTLS()
	defer strict.Close()
	errs["handshake"] = get(hiring.New(strict.URL, sandbox.TestKey, hiring.WithHTTPClient(&http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}})))
	errs["proxy name"] = get(hiring.New("https://hiring.example.com", sandbox.TestKey, once, hiring.WithHTTPClient(&http.Client{Transport: &http.Transport{
		Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: "ada:pa"}),
		DialContext: func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.DNSError{Err: "no such host", Name: "ada", IsNotFound: true}
		},
	}})))
	errs["certificate"] = get(hiring.New(secure.URL, sandbox.TestKey, once))
	errs["encoding"] = get(hiring.New(serve(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "br")
		_, _ = io.WriteString(w, "\x0b\x02")
	}), sandbox.TestKey))
	_, errs["id"] = apitest.NewScriptedServer(t, apitest.Respond(200, `{"data":{"id":"other"},"meta":{}}`)).Client().Submissions.Get(ctx, "mine")
	errs["proxy"] = page(502, "<html>Bad gateway</html>")
	errs["redirect"] = page(302, "")
	errs["base URL"] = get(hiring.New(server.URL()+"/wrong", sandbox.TestKey))

	used := sandbox.Start(t)
	used.SetQuota(sandbox.TestKey, sandbox.ClassRead, 0)
	client := used.Client(once)
	_ = get(client, nil)
	errs["quota"] = get(client, nil)

	other := sandbox.Start(t, sandbox.WithDialect(hiring.Dialect{PageParam: "p"}))
	errs["page"] = of(other.Client().Invitations.List(sandbox.AssessmentID).PageSize(5).Collect(ctx))
	polled, err := server.Client().Submissions.Poll(ctx, "", hiring.WatchOptions{})
	require.NoError(t, err)
	errs["damaged"] = of(server.Client().Submissions.Poll(ctx, polled.State[:len(polled.State)-10], hiring.WatchOptions{}))
	errs["account"] = of(server.LiveClient().Submissions.Poll(ctx, polled.State, hiring.WatchOptions{}))
	return errs
}

// TestMessagesOfTheGuideAreReal checks that each message in docs/errors.md is part of a real error. An ellipsis in a
// message matches any text.
func TestMessagesOfTheGuideAreReal(t *testing.T) {
	errs := symptoms(t)
	_, section, _ := strings.Cut(text(t, "docs/errors.md"), "\n## Messages\n")
	rows := regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(section, -1)
	require.GreaterOrEqual(t, len(rows), 10)
	for _, row := range rows {
		shown, found := regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(row[1]), "…", ".+")), false
		for _, err := range errs {
			found = found || shown.MatchString(err.Error())
		}
		assert.True(t, found, "no error has this text: %s", row[1])
	}
}
