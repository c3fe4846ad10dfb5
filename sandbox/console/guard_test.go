package console_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go/sandbox"
	"github.com/hiring-assessment/hiring-go/sandbox/console"
)

// TestThePageIsGuardedLikeTheControlAPI also checks that pages of other origins can
// neither read nor send anything.
func TestThePageIsGuardedLikeTheControlAPI(t *testing.T) {
	header := func(name string, values ...string) func(*http.Request) {
		return func(r *http.Request) { r.Header[name] = values }
	}
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	for name, change := range map[string]func(*http.Request){
		"rebound name":   host("evil.example"),
		"other origin":   header("Origin", "https://evil.example"),
		"sandboxed page": header("Origin", "null"),
		"cross-site":     header("Sec-Fetch-Site", "cross-site"),
		"same-site":      header("Sec-Fetch-Site", "same-site"),
	} {
		v := visit(t)
		token := v.token()
		for _, path := range []string{"/_sandbox/", "/_sandbox/console/pipeline", "/_sandbox/console/live/journal", "/_sandbox/console/static/console.css"} {
			status, text, _ := v.do(http.MethodGet, path, nil, change)
			assert.Equal(t, 403, status, "%s %s", name, path)
			assert.NotContains(t, text, token)
		}
		status, _, _ := v.do(http.MethodPost, "/_sandbox/console/keys/revoke", url.Values{"token": {token}}, change)
		assert.Equal(t, 403, status, name)
	}
}

func TestFormsNeedTheirToken(t *testing.T) {
	v := visit(t)
	for _, form := range []url.Values{{}, {"token": {""}}, {"token": {"x"}}, {"token": {v.token() + "x"}}, {"token": {visit(t).token()}}} {
		for _, path := range []string{
			"/assessments", "/invitations", "/candidates/x/open", "/candidates/x/begin", "/candidates/x/submit", "/candidates/x/evaluate", "/faults",
			"/faults/clear", "/keys/quota", "/keys/plan", "/keys/revoke", "/throttle", "/archives", "/drift", "/clock", "/reset",
		} {
			status, _, _ := v.do(http.MethodPost, "/_sandbox/console"+path, form)
			assert.Equal(t, 403, status, path)
		}
	}
	status, _, _ := v.do(http.MethodGet, "/_sandbox/console/reset?token="+v.token(), nil)
	assert.Equal(t, 404, status, "looking changes nothing")
	status, _, _ = v.do(http.MethodPost, "/_sandbox/console/reset?token="+v.token(), url.Values{})
	assert.Equal(t, 403, status, "a token in the address is none")
}

func TestOtherMachines(t *testing.T) {
	for anyHost, want := range map[bool]int{false: 403, true: 200} {
		handler := console.Handler(newServer(anyHost))
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "http://sandbox:8780/_sandbox/", http.NoBody)
		r.RemoteAddr = "192.168.1.7:5"
		handler.ServeHTTP(w, r)
		assert.Equal(t, want, w.Code)
	}
}

func TestAFormThatIsTooLong(t *testing.T) {
	v := visit(t)
	form := url.Values{"token": {v.token()}, "name": {string(make([]byte, 2<<20))}}
	status, _, _ := v.do(http.MethodPost, "/_sandbox/console/assessments", form)
	assert.Equal(t, 400, status)
}

func newServer(anyHost bool) *sandbox.Server {
	if anyHost {
		return sandbox.New(sandbox.WithControlFromAnyHost())
	}
	return sandbox.New()
}
