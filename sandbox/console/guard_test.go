package console_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/hiring-assessment/hiring-go/sandbox"
)

// TestThePageIsGuardedLikeTheControlAPI also checks that pages of other origins can
// neither read nor send anything.
func TestThePageIsGuardedLikeTheControlAPI(t *testing.T) {
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	for name, change := range map[string]func(*http.Request){
		"rebound name":   host("evil.example"),
		"other origin":   header("Origin", "https://evil.example"),
		"sandboxed page": header("Origin", "null"),
		"cross-site":     header("Sec-Fetch-Site", "cross-site"),
		"same-site":      header("Sec-Fetch-Site", "same-site"),
	} {
		v := visit(t)
		for _, path := range []string{"/", "/_sandbox/", "/_sandbox/console/pipeline", "/_sandbox/events", "/_sandbox/journal", "/_sandbox/keys", static + "console.css"} {
			status, text, _ := v.do(http.MethodGet, path, change)
			assert.Equal(t, 403, status, "%s %s", name, path)
			assert.NotContains(t, text, sandbox.LiveKey)
		}
		for _, path := range []string{"reset", "keys/revoke", "faults", "journal/clear", "clock"} {
			status, _, _ := v.do(http.MethodPost, "/_sandbox/"+path, change)
			assert.Equal(t, 403, status, "%s %s", name, path)
		}
	}
}

// TestASharedLinkOpens follows a link on another site, which opens the page and nothing else.
func TestASharedLinkOpens(t *testing.T) {
	v := visit(t)
	follow := func(r *http.Request) {
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		r.Header.Set("Sec-Fetch-Mode", "navigate")
		r.Header.Set("Sec-Fetch-Dest", "document")
		r.Header.Set("Accept", "text/html")
	}
	frame := func(r *http.Request) { follow(r); r.Header.Set("Sec-Fetch-Dest", "iframe") }
	rebound := func(r *http.Request) { follow(r); r.Host = "evil.example" }
	for _, path := range []string{"/", "/_sandbox/", "/_sandbox/console/pipeline"} {
		for i, change := range []func(*http.Request){follow, frame, rebound} {
			status, _, _ := v.do(http.MethodGet, path, change)
			assert.Equal(t, []int{200, 403, 403}[i], status, path)
		}
	}
	for _, path := range []string{"/_sandbox/journal", "/_sandbox/events", "/_sandbox/keys"} {
		status, _, _ := v.do(http.MethodGet, path, follow)
		assert.Equal(t, 403, status, path)
	}
}
