package sandbox_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestWebPagesCannotControl sends what a browser would send for a web page, with any host
// name that may lead to this machine.
func TestWebPagesCannotControl(t *testing.T) {
	header := func(name string, values ...string) func(*http.Request) {
		return func(r *http.Request) { r.Header[name] = values }
	}
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	for _, c := range []struct {
		name    string
		change  []func(*http.Request)
		here    int // For this machine.
		anyHost int // For every machine.
	}{
		{"plain", nil, 204, 204},
		{"IPv4", []func(*http.Request){host("127.0.0.1:8780")}, 204, 204},
		{"all of 127", []func(*http.Request){host("127.9.9.9")}, 204, 204},
		{"IPv6", []func(*http.Request){host("[::1]:8780")}, 204, 204},
		{"IPv6 without port", []func(*http.Request){host("[::1]")}, 204, 204},
		{"capitals", []func(*http.Request){host("LocalHost:8780")}, 204, 204},
		{"own page", []func(*http.Request){header("Origin", "http://localhost:8780"), header("Sec-Fetch-Site", "same-origin")}, 204, 204},
		{"typed in", []func(*http.Request){header("Sec-Fetch-Site", "none")}, 204, 204},
		{"another host", []func(*http.Request){host("sandbox:8780")}, 403, 204},
		{"rebound name", []func(*http.Request){host("evil.example:8780")}, 403, 204},
		{"rebound page", []func(*http.Request){host("evil.example:8780"), header("Origin", "http://evil.example:8780")}, 403, 204},
		{"name with localhost", []func(*http.Request){host("localhost.evil.example")}, 403, 204},
		{"subdomain", []func(*http.Request){host("x.localhost")}, 403, 204},
		{"another address", []func(*http.Request){host("192.168.1.5:8780")}, 403, 204},
		{"any address", []func(*http.Request){host("0.0.0.0:8780")}, 403, 204},
		{"other page", []func(*http.Request){header("Origin", "https://evil.example")}, 403, 403},
		{"other port", []func(*http.Request){header("Origin", "http://localhost:3000")}, 403, 403},
		{"other name of here", []func(*http.Request){header("Origin", "http://127.0.0.1:8780")}, 403, 403},
		{"other scheme", []func(*http.Request){header("Origin", "chrome-extension://localhost:8780")}, 403, 403},
		{"sandboxed page", []func(*http.Request){header("Origin", "null")}, 403, 403},
		{"empty origin", []func(*http.Request){header("Origin", "")}, 403, 403},
		{"two origins", []func(*http.Request){header("Origin", "http://localhost:8780", "https://evil.example")}, 403, 403},
		{"garbled", []func(*http.Request){header("Origin", "http://%zz")}, 403, 403},
		{"cross-site", []func(*http.Request){header("Sec-Fetch-Site", "cross-site")}, 403, 403},
		{"same-site", []func(*http.Request){header("Sec-Fetch-Site", "same-site")}, 403, 403},
	} {
		for anyHost, want := range map[bool]int{false: c.here, true: c.anyHost} {
			s := startFor(t, anyHost)
			status, body := steer(t, s, http.MethodPost, "reset", "", c.change...)
			assert.Equal(t, want, status, "%s, any host %t: %s", c.name, anyHost, body)
			for _, path := range []string{"nothing", "journal"} { // Rejected before the body is read.
				if status, _ := steer(t, s, http.MethodGet, path, "", c.change...); want == 403 {
					assert.Equal(t, 403, status, c.name)
				}
			}
		}
	}
}

func TestOtherMachinesCannotControl(t *testing.T) {
	for peer, want := range map[string]int{
		"127.0.0.1:5": 204, "[::1]:5": 204, "[::ffff:127.0.0.1]:5": 204,
		"192.168.1.7:5": 403, "[fe80::1]:5": 403, "": 403, "127.0.0.1": 403, "@": 403,
	} {
		for anyHost, want := range map[bool]int{false: want, true: 204} {
			s := startFor(t, anyHost)
			w := httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodPost, "http://localhost:8780/_sandbox/reset", http.NoBody)
			r.RemoteAddr = peer
			s.ServeHTTP(w, r)
			assert.Equal(t, want, w.Code, "%q, any host %t", peer, anyHost)
		}
	}
}

func startFor(t *testing.T, anyHost bool) *sandbox.Server {
	t.Helper()
	if anyHost {
		return sandbox.Start(t, sandbox.WithControlFromAnyHost())
	}
	return sandbox.Start(t)
}
