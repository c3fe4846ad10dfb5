package doctor_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	hiring "github.com/hiring-assessment/hiring-go"
	"github.com/hiring-assessment/hiring-go/cmd/hiring/internal/doctor"
	"github.com/hiring-assessment/hiring-go/sandbox"
)

// wrongNames returns the names of the findings that do not hold.
func wrongNames(r doctor.Report) []string {
	names := []string{}
	for _, f := range r.Findings {
		if f.Verdict == doctor.Wrong {
			names = append(names, f.Name)
		}
	}
	return names
}

// TestNoFalseAlarms uses the API as assumed, with every key, with the changes that an
// additive release may bring, and with each meaning of since.
func TestNoFalseAlarms(t *testing.T) {
	for _, key := range []string{sandbox.TestKey, sandbox.WriteKey, sandbox.ReadOnlyKey, sandbox.LiveKey} {
		for _, on := range []sandbox.SinceField{sandbox.SinceCreated, sandbox.SinceSubmitted, sandbox.SinceEvaluated} {
			r := runDoctor(t, liveServer(t, hiring.Dialect{}, sandbox.WithSinceOn(on)), doctor.Config{Key: key})
			assert.Empty(t, wrongNames(r), key)
			assert.Equal(t, hiring.DefaultDialect(), r.Dialect)
			assert.Empty(t, r.With(doctor.NotChecked))
		}
	}
}

func TestAddedFieldsAreNotWrong(t *testing.T) {
	added := 0
	for seed := range uint64(12) {
		r := runDoctor(t, sandbox.Start(t, sandbox.WithDrift(seed)), doctor.Config{})
		assert.Empty(t, wrongNames(r), "seed %d", seed)
		added += len(r.With(doctor.Added))
	}
	assert.Greater(t, added, 12)
}

// TestEmptyOrganization: without data much is undecided, and nothing is wrong.
func TestEmptyOrganization(t *testing.T) {
	r := runDoctor(t, sandbox.Start(t), doctor.Config{Key: sandbox.LiveKey})
	assert.Empty(t, wrongNames(r))
	assert.Equal(t, 0, r.Writes)
	assert.Greater(t, len(r.With(doctor.Undecided)), 5)
}

// TestKeysWithFewerScopes checks keys with limited or no permissions.
func TestKeysWithFewerScopes(t *testing.T) {
	for name, c := range map[string]struct {
		key     string
		disturb func(*sandbox.Server)
		wrong   []string
		row     string
		found   string
		reads   int
	}{
		"revoked":       {sandbox.TestKey, func(s *sandbox.Server) { s.RevokeKey(sandbox.TestKey) }, []string{"key"}, "key", "rejected", 1},
		"read-only":     {sandbox.ReadOnlyKey, func(*sandbox.Server) {}, nil, "scope", "read only", 0},
		"live":          {sandbox.LiveKey, func(*sandbox.Server) {}, nil, "scope", "read; write is not known", 0},
		"write-only":    {sandbox.TestKey, func(s *sandbox.Server) { s.Inject(sandbox.Fault{Route: "GET *", Times: -1, Status: 403}) }, []string{"scope"}, "scope", "no scope read", 2},
		"limit reached": {sandbox.TestKey, func(s *sandbox.Server) { s.SetQuota(sandbox.TestKey, sandbox.ClassRead, 0) }, nil, "key", "", 1},
		"throttled": {sandbox.TestKey, func(s *sandbox.Server) {
			s.Inject(sandbox.Fault{Route: "*", Times: -1, Status: 429, RetryAfter: time.Hour})
		}, nil, "key", "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := sandbox.Start(t)
			c.disturb(s)
			r := runDoctor(t, s, doctor.Config{Key: c.key})
			assert.ElementsMatch(t, c.wrong, wrongNames(r))
			assert.Equal(t, c.found, finding(t, r, c.row).Found, "%+v", finding(t, r, c.row))
			if c.reads > 0 {
				assert.Equal(t, c.reads, r.Reads)
			}
		})
	}
}

// TestClockDifference compares this machine's clock with the server's.
func TestClockDifference(t *testing.T) {
	for off, found := range map[time.Duration]string{
		0: "right", 30 * time.Second: "30s behind", -30 * time.Second: "30s ahead", 10 * time.Minute: "10m0s behind", -10 * time.Minute: "10m0s ahead",
	} {
		s := sandbox.Start(t, sandbox.WithClock(func() time.Time { return time.Now().Add(off) }))
		r := runDoctor(t, s, doctor.Config{})
		f := finding(t, r, "clock")
		if off.Abs() > time.Minute {
			assert.Equal(t, []string{"clock"}, wrongNames(r))
			assert.Equal(t, "set this machine's clock", f.Change)
		} else {
			assert.Empty(t, wrongNames(r))
		}
		// The Date header has whole seconds.
		told, err := time.ParseDuration(strings.Fields(strings.Replace(f.Found, "right", "0s", 1))[0])
		require.NoError(t, err, f.Found)
		expected, err := time.ParseDuration(strings.Fields(strings.Replace(found, "right", "0s", 1))[0])
		require.NoError(t, err)
		assert.InDelta(t, expected.Seconds(), told.Seconds(), 1.1)
	}
}

// serverWith starts a server on a socket that responds with a handler.
func serverWith(t *testing.T, response http.HandlerFunc) doctor.Config {
	t.Helper()
	server := httptest.NewServer(response)
	t.Cleanup(server.Close)
	return doctor.Config{BaseURL: server.URL, Key: sandbox.TestKey}
}

func runDoctorWith(t *testing.T, c doctor.Config) doctor.Report {
	t.Helper()
	r, err := doctor.Run(t.Context(), c)
	require.NoError(t, err)
	return r
}

// TestIntermediariesAreReported: an intermediary responds instead of the API.
func TestIntermediariesAreReported(t *testing.T) {
	const page = "<!DOCTYPE html><html><head><title>Sign in to\n Corp Net</title></head></html>"
	for name, c := range map[string]struct {
		status   int
		header   string
		body     string
		found    string
		evidence string
	}{
		"sign-in page":      {200, "", page, "a web page", "not from the API: <!DOCTYPE html>"},
		"refusing proxy":    {403, "", page, "a web page", "not from the API: <!DOCTYPE html>"},
		"bad gateway":       {502, "", "<html>502", "a web page", "not from the API"},
		"plain text":        {200, "", "It works!", "a web page", "not from the API"},
		"redirect":          {302, "https://login.corp.example/x?y", "", "redirect", "to login.corp.example"},
		"sign in to proxy":  {407, "", page, "sign-in required", "Proxy Authentication Required"},
		"sign in to portal": {511, "", page, "sign-in required", "Network Authentication Required"},
	} {
		t.Run(name, func(t *testing.T) {
			var label int
			r := runDoctorWith(t, serverWith(t, func(w http.ResponseWriter, _ *http.Request) {
				label++
				if c.header != "" {
					w.Header().Set("Location", c.header)
				}
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.body))
			}))
			f := finding(t, r, "proxy")
			assert.Equal(t, []string{"proxy"}, wrongNames(r))
			assert.Equal(t, c.found, f.Found)
			assert.Contains(t, f.Evidence, c.evidence)
			assert.NotEmpty(t, f.Change)
			assert.LessOrEqual(t, label, 2)
			assert.Equal(t, doctor.NotChecked, finding(t, r, "PageParam").Verdict)
			assert.Equal(t, hiring.DefaultDialect(), r.Dialect)
		})
	}
}

// TestFailedConnections: failures of DNS, the connection and TLS, on real sockets.
func TestFailedConnections(t *testing.T) {
	secret := httptest.NewTLSServer(sandbox.New())
	defer secret.Close()
	plain := httptest.NewServer(sandbox.New())
	defer plain.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	go func() {
		for {
			c, err := silent.Accept()
			if err != nil {
				return
			}
			_ = c.Close()
		}
	}()
	defer func() { _ = silent.Close() }()
	port := func(address string) string { return address[strings.LastIndex(address, ":")+1:] }
	for name, c := range map[string]struct{ base, row, found, evidence string }{
		"no such name":       {"https://hiring.nowhere.invalid", "connection", "name not found", "hiring.nowhere.invalid"},
		"connection refused": {"http://" + closed.Addr().String(), "connection", "no connection", "refused"},
		"connection closed":  {"http://" + silent.Addr().String(), "connection", "no response", silent.Addr().String()},
		"unknown signer":     {secret.URL, "connection", "unknown authority", "O=Acme Co"},
		"no TLS":             {"https://127.0.0.1:" + port(plain.URL), "connection", "no TLS", "does not speak TLS"},
		"another base URL":   {plain.URL + "/hr", "base URL", "not found", "NOT_FOUND"},
	} {
		t.Run(name, func(t *testing.T) {
			r := runDoctorWith(t, doctor.Config{BaseURL: c.base, Key: sandbox.TestKey})
			f := finding(t, r, c.row)
			assert.Equal(t, []string{c.row}, wrongNames(r))
			assert.Equal(t, c.found, f.Found)
			assert.Contains(t, f.Evidence, c.evidence)
			assert.NotEmpty(t, f.Change)
		})
	}
}

// TestFindingsAboutAWorkingConnection: the findings about a working connection with TLS.
func TestFindingsAboutAWorkingConnection(t *testing.T) {
	server := httptest.NewTLSServer(sandbox.New())
	defer server.Close()
	r := runDoctorWith(t, doctor.Config{BaseURL: server.URL, Key: sandbox.TestKey, HTTP: server.Client()})
	assert.Empty(t, wrongNames(r))
	assert.Equal(t, doctor.Holds, finding(t, r, "connection").Verdict)
	assert.Equal(t, "none", finding(t, r, "proxy").Found)
}

// TestProxies: a proxy is named without its password, and recognized by its headers.
func TestProxies(t *testing.T) {
	service := sandbox.New()
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Via", "1.1 squid")
		service.ServeHTTP(w, r)
	}))
	defer proxy.Close()
	address, err := url.Parse(strings.Replace(proxy.URL, "http://", "http://user:pass@", 1))
	require.NoError(t, err)
	r := runDoctorWith(t, doctor.Config{
		BaseURL: "http://hiring.example.com", Key: sandbox.TestKey, Options: []hiring.Option{hiring.WithInsecureHTTP()},
		HTTP: &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(address)}},
	})
	assert.Empty(t, wrongNames(r))
	assert.Equal(t, strings.TrimPrefix(proxy.URL, "http://"), finding(t, r, "proxy").Found)
	assert.NotContains(t, fmt.Sprintf("%+v", r), "pass@")
}

// TestProxyThatRejectsTheServer: a proxy refuses to connect to the server.
func TestProxyThatRejectsTheServer(t *testing.T) {
	for status, says := range map[int]string{407: "Proxy Authentication Required", 403: "Forbidden"} {
		proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		defer proxy.Close()
		address, err := url.Parse(proxy.URL)
		require.NoError(t, err)
		r := runDoctorWith(t, doctor.Config{
			BaseURL: "https://hiring.example.com", Key: sandbox.TestKey,
			HTTP: &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(address)}},
		})
		assert.Equal(t, []string{"proxy"}, wrongNames(r))
		assert.Equal(t, "requests are blocked", finding(t, r, "proxy").Found)
		assert.Contains(t, finding(t, r, "proxy").Evidence, says)
	}
}

// TestGatewayThatRemovesAHeader: a gateway removes a header.
func TestGatewayThatRemovesAHeader(t *testing.T) {
	for header, row := range map[string]string{
		"X-RateLimit-Remaining": "rate-limit headers", "X-RateLimit-Reset": "rate-limit headers", "X-Request-Id": "request ids",
	} {
		service := sandbox.New()
		r := runDoctorWith(t, serverWith(t, func(w http.ResponseWriter, r *http.Request) {
			service.ServeHTTP(without{w, header}, r)
		}))
		assert.Equal(t, []string{row}, wrongNames(r), header)
		assert.Equal(t, hiring.DefaultDialect(), r.Dialect)
	}
}

// without is a response writer that drops a header.
type without struct {
	http.ResponseWriter

	header string
}

func (w without) WriteHeader(status int) {
	w.Header().Del(w.header)
	w.ResponseWriter.WriteHeader(status)
}

// TestReportHasNoKey: a report has no key, even when the server and an intermediary
// echo it.
func TestReportHasNoKey(t *testing.T) {
	const key = "sk_test_51abcdefghijklmnop"
	for _, body := range []string{
		"<html><title>" + key + "</title>", `{"error":{"code":"INVALID_INPUT","message":"` + key + `","details":{"formErrors":["` + key + `"],"fieldErrors":{"` + key + `":["` + key + `"],"since":["` + key + `"]}}}}`,
		`{"data":[{"id":"` + key + `","status":"` + key + `"}],"meta":{"next_cursor":"` + key + `","has_more":true}}`,
		`{"openapi":"` + key + `","paths":{"/` + key + `":{"get":{"operationId":"` + key + `"}}}}`,
	} {
		for _, status := range []int{200, 400, 403, 404} {
			c := serverWith(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("X-Request-Id", key)
				w.Header().Set("Location", "https://"+key+"/")
				w.Header().Set("Allow", key)
				w.WriteHeader(status)
				_, _ = w.Write([]byte(body))
			})
			c.Key = key
			assert.NotContains(t, fmt.Sprintf("%+v", runDoctorWith(t, c)), key[8:])
		}
	}
}
